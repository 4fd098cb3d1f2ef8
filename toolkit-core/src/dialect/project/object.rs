//! Objects, maps and lists for an API that takes a part of JSON Schema only.

use serde_json::{Value, json};

use super::lower::{Made, Pass, describe, says_of};
use super::plain::{in_order, rest};
use super::rewrite::RewriteKind;
use super::steps::Step;
use super::tree::{Object, members, names, put, text, values};
use super::words;
use crate::dialect::form::{Closing, Items};

/// What an object takes beside its named fields.
enum Others {
    Nothing,
    /// It does not say; what is not named is refused or means nothing.
    Unsaid,
    /// Values of a schema, by names that a pattern may tell.
    Values {
        schema: Value,
        keys: Option<String>,
    },
}

/// The fields of an object as they are written.
#[derive(Default)]
struct Fields {
    written: Object,
    required: Vec<Value>,
    steps: Vec<(String, Step)>,
    /// Whose null stands for absence.
    absent: Vec<String>,
}

impl Pass<'_> {
    pub(super) fn object(&mut self, node: &Object, at: &str, is_root: bool) -> Option<Made> {
        let empty = Object::new();
        let properties = node.get("properties").and_then(Value::as_object).unwrap_or(&empty);
        let others = self.others(node, at)?;
        let is_named = !properties.is_empty() || !names(node, "required").is_empty();
        match others {
            Others::Values { schema, keys } if !is_named => {
                self.map(node, &schema, keys.as_deref(), at)
            }
            Others::Values { .. } if !self.rules.maps => self.refuse(
                at,
                "additionalProperties",
                "an object with other fields than the named ones has no form; put them into a map \
                 of their own",
            ),
            Others::Unsaid if !is_named && !is_root => self.map(node, &json!({}), None, at),
            others => self.record(node, properties, &others, at, is_root),
        }
    }

    fn others(&mut self, node: &Object, at: &str) -> Option<Others> {
        let patterns = node.get("patternProperties").and_then(Value::as_object);
        let additional = node.get("additionalProperties").or_else(|| {
            node.get("unevaluatedProperties").filter(|rest| **rest == Value::Bool(false))
        });
        let named: Vec<(&String, &Value)> = patterns.into_iter().flatten().collect();
        let is_closed = additional.is_some_and(|rest| *rest == false);
        match (named.as_slice(), additional) {
            ([], Some(Value::Bool(false))) => Some(Others::Nothing),
            ([], None) => Some(Others::Unsaid),
            ([], Some(schema)) => {
                let keys = key_words(node);
                Some(Others::Values { schema: schema.clone(), keys })
            }
            ([(pattern, schema)], _) if is_closed => Some(Others::Values {
                schema: (*schema).clone(),
                keys: Some(words::pattern(pattern)),
            }),
            _ => self.refuse(
                at,
                "patternProperties",
                "fields of several kinds have no form; put each kind into a map of its own",
            ),
        }
    }

    /// Writes an object of named fields.
    fn record(
        &mut self,
        node: &Object,
        properties: &Object,
        others: &Others,
        at: &str,
        is_root: bool,
    ) -> Option<Made> {
        let needed = names(node, "required");
        let unnamed = needed.iter().filter(|name| !properties.contains_key(**name));
        let any = json!({});
        let all = properties
            .iter()
            .map(|(name, schema)| (name.as_str(), schema))
            .chain(unnamed.map(|name| (*name, &any)));
        let mut fields = Fields::default();
        let mut is_right = true;
        for (name, schema) in all {
            if *schema != Value::Bool(false) {
                let is_needed = needed.contains(&name);
                is_right &= self.field(&mut fields, name, schema, is_needed, at).is_some();
            }
        }
        if !is_right {
            return None;
        }
        if fields.written.is_empty() && !is_root && !self.rules.empty_objects {
            let advice = "an object without fields has no form; give it one";
            return self.refuse(at, "properties", advice);
        }
        let mut schema = members(json!({ "type": "object", "properties": fields.written }));
        if !fields.required.is_empty() || self.rules.all_required {
            put(&mut schema, "required", fields.required);
        }
        let rest = self.close(&mut schema, others, at)?;
        let hints = self.left_of(node, &mut schema, "object", at)?;
        let schema = describe(node, schema, &hints);
        let step = Step::object(fields.steps, fields.absent, Some(rest));
        Some(Made { schema, step, nullable: false })
    }

    /// Writes one field.
    fn field(
        &mut self,
        fields: &mut Fields,
        name: &str,
        schema: &Value,
        is_needed: bool,
        at: &str,
    ) -> Option<()> {
        let place = format!("{at}.{name}");
        let was_below = self.is_below_optional;
        self.is_below_optional |= !is_needed;
        let made = self.lower(schema, &place);
        self.is_below_optional = was_below;
        let made = made?;
        let (schema, step) = if is_needed || self.rules.all_required {
            fields.required.push(name.into());
            self.with_null(made, !is_needed)
        } else {
            // Null would say what absence says.
            (made.schema, made.step)
        };
        if !is_needed && self.rules.all_required {
            self.note(&place, RewriteKind::ReEncoded, "null to absent");
            fields.absent.push(name.to_owned());
        }
        put(&mut fields.written, name, schema);
        fields.steps.push((name.to_owned(), step));
        Some(())
    }

    /// Says what an object takes beside its named fields; what is done to the values of those.
    fn close(&mut self, schema: &mut Object, others: &Others, at: &str) -> Option<Step> {
        match (self.rules.closing, others) {
            (Closing::Never, _) => {
                self.note(at, RewriteKind::Wider, "other fields are refused by the dispatcher");
            }
            (Closing::May, Others::Values { schema: inner, .. }) => {
                let made = self.lower(inner, &format!("{at}{{}}"))?;
                let (inner, step) = self.with_null(made, false);
                put(schema, "additionalProperties", inner);
                return Some(step);
            }
            (Closing::May, Others::Unsaid) => {}
            (Closing::Must, Others::Unsaid) => {
                self.note(at, RewriteKind::Equal, "closed to fields that mean nothing");
                put(schema, "additionalProperties", false);
            }
            (Closing::Must | Closing::May, Others::Nothing | Others::Values { .. }) => {
                put(schema, "additionalProperties", false);
            }
        }
        Some(Step::Same)
    }

    /// Writes a map: as it is, or as a list of pairs.
    fn map(&mut self, node: &Object, values: &Value, keys: Option<&str>, at: &str) -> Option<Made> {
        let place = format!("{at}{{}}");
        if self.rules.maps {
            let made = self.lower(values, &place)?;
            let (inner, step) = self.with_null(made, false);
            let mut schema = members(json!({ "type": "object", "additionalProperties": inner }));
            if inner.is_empty() {
                put(&mut schema, "additionalProperties", true);
            }
            let mut hints = self.left_of(node, &mut schema, "object", at)?;
            if let Some(keys) = keys {
                self.note(at, RewriteKind::Wider, format!("keys: {keys}"));
                hints.push(format!("keys: {keys}"));
            }
            let schema = describe(node, schema, &hints);
            let step = Step::object(Vec::new(), Vec::new(), Some(step));
            return Some(Made { schema, step, nullable: false });
        }
        if !self.form.writes_pairs() {
            return self.refuse(
                at,
                "additionalProperties",
                "a map has no form; name its fields, take a list of pairs, or let the dialect write \
                 it as one with `maps_as_pairs()`",
            );
        }
        let made = self.lower(values, &place)?;
        let (inner, step) = self.with_null(made, false);
        let mut key = json!({ "type": "string" });
        if let Some(keys) = keys {
            self.note(at, RewriteKind::Wider, format!("keys: {keys}"));
            key = json!({ "description": format!("({keys})"), "type": "string" });
        }
        let mut pair = members(json!({
            "type": "object",
            "properties": { "key": key, "value": inner },
            "required": ["key", "value"],
        }));
        if self.rules.closing == Closing::Must {
            put(&mut pair, "additionalProperties", false);
        }
        self.note(at, RewriteKind::ReEncoded, "pairs to map");
        let mut hints = vec!["one pair a key, each key once".to_owned()];
        let counted = counted(node);
        let mut schema = members(json!({ "type": "array", "items": pair }));
        hints.extend(self.left_of(&counted, &mut schema, "array", at)?);
        let left: Vec<&str> =
            left(node, "object").into_iter().filter(|name| !name.ends_with("Properties")).collect();
        hints.extend(self.hints(node, &left, at)?);
        let schema = describe(node, schema, &hints);
        Some(Made { schema, step: Step::Pairs(Box::new(step)), nullable: false })
    }

    pub(super) fn array(&mut self, node: &Object, at: &str) -> Option<Made> {
        let first = node.get("prefixItems").and_then(Value::as_array);
        let first = first.map(Vec::as_slice).unwrap_or_default();
        let mut schema = members(json!({ "type": "array" }));
        let mut hints = Vec::new();
        let place = format!("{at}[]");
        let (firsts, mut steps) = self.all(first, &place)?;
        let rest = match rest(node, first.len()) {
            Some(rest) => {
                let made = self.lower(&rest, &place)?;
                Some(self.with_null(made, false))
            }
            None => None,
        };
        let (rest, rest_step) =
            rest.map_or((None, Step::Same), |(rest, step)| (Some(Value::Object(rest)), step));
        let mut forms: Vec<&Value> = Vec::new();
        for form in firsts.iter().chain(&rest) {
            if !forms.contains(&form) {
                forms.push(form);
            }
        }
        match forms.as_slice() {
            [] => {
                return self.refuse(
                    at,
                    "items",
                    "a list that is always empty has no form; leave it out",
                );
            }
            _ if self.rules.tuples && !first.is_empty() && forms.len() > 1 => {
                put(&mut schema, "prefixItems", firsts.clone());
                if let Some(rest) = &rest {
                    put(&mut schema, "items", rest.clone());
                }
            }
            [one] => {
                put(&mut schema, "items", (*one).clone());
                if !first.is_empty() {
                    self.note(at, RewriteKind::Equal, "items of one form");
                }
            }
            several => {
                put(&mut schema, "items", json!({ "anyOf": several }));
                let hint = in_order(&firsts);
                self.note(at, RewriteKind::Wider, hint.clone());
                hints.push(hint);
            }
        }
        // A list of one form for all has one step, too.
        if steps.iter().all(|step| *step == rest_step) {
            steps.clear();
        }
        let step = Step::array(steps, rest_step);
        let ends = rest.is_none() && !node.contains_key("maxItems");
        let mut bounded = node.clone();
        if ends {
            bounded.insert("maxItems".to_owned(), first.len().into());
        }
        hints.extend(self.left_of(&bounded, &mut schema, "array", at)?);
        let schema = describe(node, schema, &hints);
        Some(Made { schema, step, nullable: false })
    }

    fn all(&mut self, schemas: &[Value], at: &str) -> Option<(Vec<Value>, Vec<Step>)> {
        let written: Vec<Option<(Object, Step)>> = schemas
            .iter()
            .map(|schema| self.lower(schema, at).map(|made| self.with_null(made, false)))
            .collect();
        let written: Option<Vec<(Object, Step)>> = written.into_iter().collect();
        Some(written?.into_iter().map(|(schema, step)| (Value::Object(schema), step)).unzip())
    }

    /// Writes the keywords that the API takes, and says the others.
    fn left_of(
        &mut self,
        node: &Object,
        schema: &mut Object,
        of: &str,
        at: &str,
    ) -> Option<Vec<String>> {
        let mut lost = Vec::new();
        for keyword in left(node, of) {
            let Some(value) = node.get(keyword) else { continue };
            let count = value.as_u64();
            let kept = match (keyword, self.rules.items) {
                ("minItems" | "maxItems", Items::Any) => Some(value.clone()),
                ("minItems", Items::AtLeastOne) if count.is_some_and(|count| count > 0) => {
                    Some(1.into())
                }
                ("default", _) => None,
                _ if self.rules.takes(keyword) => Some(value.clone()),
                _ => None,
            };
            let is_whole = kept.as_ref() == Some(value);
            if let Some(kept) = kept {
                put(schema, keyword, kept);
            }
            // The least that there can be is no rule.
            let is_no_rule = keyword.starts_with("min") && count == Some(0);
            if !is_whole && !is_no_rule {
                lost.push(keyword);
            }
        }
        // Bounds go together where one of them is lost.
        if lost.contains(&"maxItems") && node.get("minItems") == Some(&1.into()) {
            lost.retain(|keyword| *keyword != "minItems");
        }
        self.hints(node, &lost, at)
    }
}

/// In words, what the keys of a map are.
fn key_words(node: &Object) -> Option<String> {
    let keys = node.get("propertyNames")?.as_object()?;
    if let Some(values) = values(keys) {
        let names: Vec<&str> = values.iter().filter_map(|value| value.as_str()).collect();
        return Some(format!("one of {}", names.join(", ")));
    }
    let length = |name: &str| keys.get(name).and_then(Value::as_u64);
    let told: Vec<String> = ["minLength", "pattern", "format"]
        .iter()
        .chain(if length("minLength").is_none() { &["maxLength"][..] } else { &[] })
        .filter_map(|keyword| match words::lost(keys, keyword, &["minLength", "maxLength"]) {
            words::Lost::Words(words) => Some(words),
            words::Lost::Annotation | words::Lost::Refused(_) => None,
        })
        .collect();
    Some(if told.is_empty() { "as the tool says".to_owned() } else { told.join(", ") })
}

/// The keywords that say something of the type, beside what it holds.
fn left<'n>(node: &'n Object, of: &str) -> Vec<&'n str> {
    let is_structure = |name: &str| {
        matches!(
            name,
            "properties"
                | "required"
                | "additionalProperties"
                | "patternProperties"
                | "propertyNames"
                | "items"
                | "prefixItems"
        ) || (name == "unevaluatedProperties" && node.get(name) == Some(&Value::Bool(false)))
    };
    let names = node.keys().map(String::as_str);
    names.filter(|name| says_of(name, of) && !is_structure(name)).collect()
}

/// The bounds of a map, as those of its list of pairs.
fn counted(node: &Object) -> Object {
    let mut counted = Object::new();
    for (of, as_list) in [("minProperties", "minItems"), ("maxProperties", "maxItems")] {
        counted.extend(node.get(of).map(|count| (as_list.to_owned(), count.clone())));
    }
    counted.insert("description".to_owned(), text(node, "description").into());
    counted
}
