//! The independent judge: the `jsonschema` crate over the normal form, as the docs word it.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use jsonschema::{Keyword, ValidationError, Validator};
use serde_json::{Map, Value, json};

use super::reader::Tree;
use crate::schema::{Decimal, Format, integers_of};

/// Judges arguments by a published schema.
pub(super) struct Judge {
    published: Validator,
    /// The schema with the formats that tell Rust's number types apart; of `$ref`s the root.
    typed: Arc<Value>,
    /// Parts of it, compiled once each, by their place in memory.
    compiled: RefCell<BTreeMap<usize, Validator>>,
}

impl Judge {
    /// The reason where the `jsonschema` crate does not take the schema.
    pub(super) fn of(published: &Value, typed: Value) -> Result<Self, String> {
        let published = compile(published)?;
        Ok(Self { published, typed: Arc::new(typed), compiled: RefCell::default() })
    }

    /// Whether the published schema accepts a value.
    pub(super) fn accepts(&self, value: &Value) -> bool {
        self.published.is_valid(value)
    }

    /// The normal form of arguments: the same value without the nulls of properties that need
    /// not be there, with numbers as their types hold them; `None` where a type can not.
    pub(super) fn normal_form(&self, arguments: &Tree) -> Option<Value> {
        self.normal(&self.typed, arguments)
    }

    fn normal(&self, schema: &Value, tree: &Tree) -> Option<Value> {
        let parts = self.joined(schema);
        let held = match tree {
            Tree::Number(digits) => held_by_each(&parts, digits)?,
            _ => Vec::new(),
        };
        let tree = &without_absent(&parts, tree);
        if !parts.iter().any(|part| has_structure(part)) {
            let unions = parts.iter().flat_map(|part| [part.get("anyOf"), part.get("oneOf")]);
            let mut branches = unions.flatten().filter_map(Value::as_array).flatten().peekable();
            let is_union = branches.peek().is_some();
            for branch in branches {
                if let Some(value) = self.normal(branch, tree)
                    && self.part_accepts(branch, &value)
                {
                    return Some(value);
                }
            }
            if is_union && is_misread(tree) {
                return None;
            }
        }
        match tree {
            Tree::Null => Some(Value::Null),
            Tree::Bool(value) => Some(Value::Bool(*value)),
            Tree::Text(text) => Some(Value::from(text.as_str())),
            // What only a closed set speaks of is compared, so it must be what is written.
            Tree::Number(_) if is_misread(tree) && parts.iter().any(|part| is_closed(part)) => None,
            Tree::Number(digits) => number(&held, digits),
            Tree::List(items) => items
                .iter()
                .enumerate()
                .map(|(index, item)| self.normal(item_of(&parts, index), item))
                .collect(),
            Tree::Object(members) => members
                .iter()
                .map(|(name, value)| {
                    Some((name.clone(), self.normal(self.member_of(&parts, name), value)?))
                })
                .collect::<Option<Map<String, Value>>>()
                .map(Value::Object),
        }
    }

    /// A schema and those that judge the same value with it, references followed.
    fn joined<'s>(&'s self, schema: &'s Value) -> Vec<&'s Value> {
        let mut parts: Vec<&'s Value> = Vec::new();
        let mut open = vec![schema];
        while let Some(part) = open.pop() {
            if parts.iter().any(|known| std::ptr::eq(*known, part)) {
                continue;
            }
            parts.push(part);
            let reference = part.get("$ref").and_then(Value::as_str).unwrap_or_default();
            let target = reference.strip_prefix('#').and_then(|at| self.typed.pointer(at));
            open.extend(target);
            open.extend(part.get("allOf").and_then(Value::as_array).into_iter().flatten());
        }
        parts
    }

    fn member_of<'s>(&'s self, parts: &[&'s Value], name: &str) -> &'s Value {
        let named = parts.iter().find_map(|part| part.get("properties")?.get(name));
        named
            .or_else(|| parts.iter().find_map(|part| self.by_pattern(part, name)))
            .or_else(|| parts.iter().find_map(|part| part.get("additionalProperties")))
            .unwrap_or(&Value::Null)
    }

    fn by_pattern<'s>(&self, part: &'s Value, name: &str) -> Option<&'s Value> {
        let patterns = part.get("patternProperties")?.as_object()?;
        let name = Value::from(name);
        patterns.iter().find_map(|(pattern, schema)| {
            let place = pattern.as_ptr().addr();
            let named = || json!({"pattern": pattern});
            self.by_place(place, named, &name).then_some(schema)
        })
    }

    fn part_accepts(&self, part: &Value, value: &Value) -> bool {
        let with_definitions = || {
            let mut part = part.clone();
            if let (Value::Object(part), Some(definitions)) = (&mut part, self.typed.get("$defs")) {
                part.insert("$defs".to_owned(), definitions.clone());
            }
            part
        };
        self.by_place(std::ptr::from_ref(part).addr(), with_definitions, value)
    }

    fn by_place(&self, place: usize, schema: impl FnOnce() -> Value, value: &Value) -> bool {
        let mut compiled = self.compiled.borrow_mut();
        let validator = match compiled.entry(place) {
            Entry::Occupied(known) => known.into_mut(),
            // The whole schema was compiled, so its parts can be.
            Entry::Vacant(free) => match compile(&schema()) {
                Ok(validator) => free.insert(validator),
                Err(_) => return false,
            },
        };
        validator.is_valid(value)
    }
}

/// `multipleOf` from 2^53 on, where the `jsonschema` crate reckons with doubles and JSON with digits.
struct MultipleOf {
    of_doubles: Validator,
    step: Option<Decimal>,
}

impl MultipleOf {
    fn of(step: &Value) -> Option<Self> {
        let of_doubles = jsonschema::validator_for(&json!({"multipleOf": step})).ok()?;
        Some(Self { of_doubles, step: Decimal::read(&step.to_string()) })
    }
}

impl<'i> Keyword<'i> for MultipleOf {
    fn validate(&self, instance: &'i Value) -> Result<(), ValidationError<'i>> {
        let is_valid = self.is_valid(instance);
        if is_valid { Ok(()) } else { Err(ValidationError::custom("no multiple")) }
    }

    fn is_valid(&self, instance: &'i Value) -> bool {
        const EXACT: f64 = 9_007_199_254_740_992.0;
        let large = instance.as_f64().filter(|number| number.abs() >= EXACT);
        let (Some(_), Some(step)) = (large, &self.step) else {
            return self.of_doubles.is_valid(instance);
        };
        Decimal::read(&instance.to_string()).is_some_and(|number| number.is_multiple_of(step))
    }
}

/// The `jsonschema` crate's validator, its formats asserted by our own reading.
fn compile(schema: &Value) -> Result<Validator, String> {
    let mut options = jsonschema::options().should_validate_formats(true);
    for (name, format) in Format::ALL {
        options = options.with_format(name, move |text: &str| format.accepts(text));
    }
    let multiple_of = |_: &Map<String, Value>,
                       step: &Value,
                       _|
     -> Result<Box<dyn for<'i> Keyword<'i>>, ValidationError<'static>> {
        match MultipleOf::of(step) {
            Some(keyword) => Ok(Box::new(keyword)),
            None => Err(ValidationError::custom("it is no step")),
        }
    };
    options = options.with_keyword("multipleOf", move |all, step, at| multiple_of(all, step, at));
    options.build(schema).map_err(|error| error.to_string())
}

fn is_closed(part: &Value) -> bool {
    part.get("enum").is_some() || part.get("const").is_some()
}

/// Whether a schema says what an array or object holds.
fn has_structure(part: &Value) -> bool {
    let says =
        |keyword: &str, nothing: Value| part.get(keyword).is_some_and(|said| *said != nothing);
    says("properties", json!({}))
        || says("patternProperties", json!({}))
        || says("additionalProperties", json!(true))
        || says("prefixItems", json!([]))
        || part.get("items").is_some()
}

/// An object without the nulls of properties that schemas which are joined do not require.
fn without_absent(parts: &[&Value], tree: &Tree) -> Tree {
    let Tree::Object(members) = tree else { return tree.clone() };
    let is_optional = |name: &str| {
        let is_declared =
            parts.iter().any(|part| part.get("properties").is_some_and(|p| p.get(name).is_some()));
        let mut required = parts.iter().filter_map(|part| part.get("required")?.as_array());
        is_declared && !required.any(|names| names.iter().any(|required| required == name))
    };
    let kept = members.iter().filter(|(name, value)| *value != Tree::Null || !is_optional(name));
    Tree::Object(kept.cloned().collect())
}

/// Whether a number in it would be taken for another one where no type says how it is held.
fn is_misread(tree: &Tree) -> bool {
    match tree {
        Tree::Number(digits) => {
            let float: f64 = digits.parse().unwrap_or(f64::NAN);
            let held = integer(digits, "");
            let is_held = held.is_some_and(|whole| is_exact(&whole.to_string(), float));
            float.fract() == 0.0 && !is_held
        }
        Tree::List(items) => items.iter().any(is_misread),
        Tree::Object(members) => members.iter().any(|(_, value)| is_misread(value)),
        Tree::Null | Tree::Bool(_) | Tree::Text(_) => false,
    }
}

/// Whether a float is the integer that the digits write.
fn is_exact(digits: &str, float: f64) -> bool {
    format!("{float:.0}").trim_start_matches('-') == digits.trim_start_matches('-')
}

fn item_of<'s>(parts: &[&'s Value], index: usize) -> &'s Value {
    let of = |part: &&'s Value| {
        let prefix = part.get("prefixItems").and_then(|prefix| prefix.get(index));
        prefix.or_else(|| part.get("items"))
    };
    parts.iter().find_map(of).unwrap_or(&Value::Null)
}

/// What is held where the type says no width.
const ANY_INTEGER: (i128, i128) = (i64::MIN as i128, u64::MAX as i128);

/// A number as each schema that says a number type holds it; `None` where one of them can not.
fn held_by_each(parts: &[&Value], digits: &str) -> Option<Vec<Value>> {
    let held = |part: &&Value| {
        let types = part.get("type").map(names_of).unwrap_or_default();
        let format = part.get("format").and_then(Value::as_str).unwrap_or_default();
        let (is_integer, is_float) = (types.contains(&"integer"), types.contains(&"number"));
        let integer = || integer(digits, format).filter(|_| is_integer);
        let float = || float(digits, format).filter(|_| is_float);
        (is_integer || is_float).then(|| integer().or_else(float))
    };
    parts.iter().filter_map(held).collect()
}

/// A number as the schemas that judge it hold it, of each of them.
fn number(held: &[Value], digits: &str) -> Option<Value> {
    // An integer is a number, so one schema that says the former is enough.
    let whole = held.iter().find(|number| number.is_i64() || number.is_u64());
    if let Some(told) = whole.or_else(|| held.first()) {
        return Some(told.clone());
    }
    // Only an integer type reads `3.0` as 3.
    let literal = integer(digits, "").filter(|_| is_literal(digits));
    literal.or_else(|| float(digits, ""))
}

fn is_literal(digits: &str) -> bool {
    !digits.contains(['.', 'e', 'E'])
}

fn integer(digits: &str, format: &str) -> Option<Value> {
    let (least, most) = integers_of(format).unwrap_or(ANY_INTEGER);
    let whole = whole(digits).filter(|whole| (least..=most).contains(whole))?;
    let signed = i64::try_from(whole).map(Value::from);
    signed.or_else(|_| u64::try_from(whole).map(Value::from)).ok()
}

fn names_of(types: &Value) -> Vec<&str> {
    match types {
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        name => name.as_str().into_iter().collect(),
    }
}

fn float(digits: &str, format: &str) -> Option<Value> {
    let mut double: f64 = digits.parse().ok()?;
    let mut held = double;
    if format == "float" {
        let single: f32 = digits.parse().ok()?;
        held = f64::from(single);
        // Its own shortest digits, but those of the largest one are beyond it.
        double = if single.abs() < f32::MAX { single.to_string().parse().ok()? } else { held };
    }
    if !held.is_finite() || (is_literal(digits) && !is_exact(digits, held)) {
        return None;
    }
    serde_json::Number::from_f64(double).map(Value::Number)
}

/// The whole number that JSON's digits write, where it is one of at most 39 digits.
fn whole(digits: &str) -> Option<i128> {
    let (mantissa, exponent) = digits.split_once(['e', 'E']).unwrap_or((digits, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{fraction}");
    let significant = all.trim_end_matches('0');
    if significant.trim_start_matches('-').is_empty() {
        return Some(0);
    }
    let places = exponent.parse::<i64>().ok()?.checked_sub(i64::try_from(fraction.len()).ok()?)?;
    let places = places.checked_add(i64::try_from(all.len() - significant.len()).ok()?)?;
    let zeros = usize::try_from(places).ok().filter(|zeros| *zeros < 40)?;
    format!("{significant}{}", "0".repeat(zeros)).parse().ok()
}
