//! A schema for an API that takes a part of JSON Schema only.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::merge::merged;
use super::rewrite::{Rewrite, RewriteKind};
use super::steps::Step;
use super::tree::{Object, is_recursive, members, put, target, text, types, values};
use super::words::{self, Lost, described, lost};
use crate::dialect::form::{Form, Patterns, References, Rules, Values};

/// More schemas than this in one tool are references that were written out again and again.
const MOST_SCHEMAS: usize = 20_000;

/// A schema in the API's form.
#[derive(Debug, Clone)]
pub(super) struct Made {
    pub(super) schema: Object,
    pub(super) step: Step,
    /// Whether null is accepted, too; it is written where it is known what null means.
    pub(super) nullable: bool,
}

/// What has no form: where, which keyword, and what to write instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) path: String,
    pub(super) keyword: String,
    pub(super) advice: String,
}

/// A definition that something refers to.
struct Defined {
    reference: String,
    name: String,
    /// Not while it is being written.
    written: Option<(Value, Step)>,
}

/// One tool's schema on its way into an API's form.
pub(super) struct Pass<'d> {
    pub(super) form: Form,
    pub(super) rules: &'static Rules,
    pub(super) document: &'d Value,
    pub(super) rewrites: Vec<Rewrite>,
    pub(super) faults: Vec<Fault>,
    /// Whether what is being written may be left out.
    pub(super) is_below_optional: bool,
    /// The definitions by what refers to them, in the order of their first use.
    definitions: Vec<Defined>,
    merging: Vec<String>,
    schemas: usize,
}

impl<'d> Pass<'d> {
    pub(super) const fn new(form: Form, document: &'d Value) -> Self {
        Self {
            form,
            rules: form.rules(),
            document,
            rewrites: Vec::new(),
            faults: Vec::new(),
            is_below_optional: false,
            definitions: Vec::new(),
            merging: Vec::new(),
            schemas: 0,
        }
    }

    /// The definitions that were used, and what they do.
    pub(super) fn finish(&mut self) -> (Object, BTreeMap<String, Step>) {
        let mut schemas = Object::new();
        let mut steps = BTreeMap::new();
        for Defined { name, written, .. } in std::mem::take(&mut self.definitions) {
            let Some((schema, step)) = written else { continue };
            schemas.insert(name.clone(), schema);
            steps.insert(name, step);
        }
        (schemas, steps)
    }

    pub(super) fn refuse<T>(
        &mut self,
        path: &str,
        keyword: &str,
        advice: impl Into<String>,
    ) -> Option<T> {
        let fault =
            Fault { path: path.to_owned(), keyword: keyword.to_owned(), advice: advice.into() };
        if !self.faults.contains(&fault) {
            self.faults.push(fault);
        }
        None
    }

    pub(super) fn note(&mut self, at: &str, kind: RewriteKind, what: impl Into<String>) {
        self.rewrites.push(Rewrite::new(at, kind, what));
    }

    /// Writes one schema; `None` where it has no form, and the fault is noted.
    pub(super) fn lower(&mut self, source: &Value, at: &str) -> Option<Made> {
        self.schemas += 1;
        if self.schemas > MOST_SCHEMAS {
            return self.refuse(
                "$",
                "$ref",
                "the schema is too large when its references are written out; nest fewer types",
            );
        }
        let empty = Object::new();
        let node = match source {
            Value::Object(node) => node,
            Value::Bool(true) => &empty,
            _ => return self.refuse(at, "false", "no value is accepted here; leave it out"),
        };
        let merging = self.merging.len();
        let gathered = self.gather(node, at);
        let made = gathered.and_then(|node| {
            if let Some(Value::String(reference)) = node.get("$ref") {
                return self.reference(reference, at);
            }
            if node.contains_key("oneOf") || node.contains_key("anyOf") {
                return self.union(&node, at);
            }
            self.typed(&node, at)
        });
        self.merging.truncate(merging);
        made
    }

    /// Puts what a node refers to, and what it is all of, into the node, where it can not stay a
    /// reference.
    fn gather(&mut self, node: &Object, at: &str) -> Option<Object> {
        let mut node = node.clone();
        loop {
            if let Some(Value::Array(all)) = node.shift_remove("allOf") {
                for one in &all {
                    let Value::Object(one) = one else { continue };
                    node = self.joined(&node, one, at)?;
                }
            }
            let Some(reference) = node.get("$ref").and_then(Value::as_str).map(str::to_owned)
            else {
                return Some(node);
            };
            let Some(found) = target(self.document, &reference) else {
                let advice = format!("`{reference}` is not in the schema; write it into `$defs`");
                return self.refuse(at, "$ref", advice);
            };
            let recursive = is_recursive(self.document, &reference);
            self.allowed(recursive, &reference, at)?;
            let stays = match self.rules.references {
                References::All | References::NotRecursive => true,
                References::OnlyRecursive => recursive,
                References::None => false,
            };
            let beside = node.keys().filter(|name| *name != "$ref");
            let is_alone = beside.clone().count() == 0;
            let only_words = beside.clone().all(|name| !words::judges(name));
            if stays && (is_alone || (only_words && self.merging.contains(&reference))) {
                return Some(Object::from_iter([("$ref".to_owned(), reference.into())]));
            }
            if self.merging.contains(&reference) {
                return self.refuse(
                    at,
                    "$ref",
                    "the schema is part of itself, with more beside the reference; leave that out",
                );
            }
            self.merging.push(reference);
            node.shift_remove("$ref");
            let found = found.as_object().cloned().unwrap_or_default();
            node = self.joined(&node, &found, at)?;
        }
    }

    fn joined(&mut self, node: &Object, other: &Object, at: &str) -> Option<Object> {
        match merged(node, other) {
            Ok(joined) => Some(joined),
            Err(keyword) => {
                self.refuse(at, &keyword, "it is said twice of one value, differently; say it once")
            }
        }
    }

    /// Whether the API takes a recursive schema here.
    fn allowed(&mut self, recursive: bool, reference: &str, at: &str) -> Option<()> {
        let name = reference.rsplit('/').next().unwrap_or_default();
        match self.rules.references {
            _ if !recursive => Some(()),
            References::All => Some(()),
            References::OnlyRecursive if self.is_below_optional => Some(()),
            References::OnlyRecursive => self.refuse(
                at,
                "$ref",
                format!("`{name}` is part of itself; that is taken below an optional field only"),
            ),
            References::NotRecursive | References::None => self.refuse(
                at,
                "$ref",
                format!("`{name}` is part of itself; take a list of nodes that name their parents"),
            ),
        }
    }

    fn reference(&mut self, reference: &str, at: &str) -> Option<Made> {
        // The root is written under no name, since it is written another way.
        if reference == "#" {
            return self.refuse(
                at,
                "$ref",
                "the arguments are part of themselves; put what repeats into `$defs`",
            );
        }
        let known = self.definitions.iter().find(|known| known.reference == reference);
        let name = match known {
            Some(known) => known.name.clone(),
            None => self.define(reference)?,
        };
        let schema = Object::from_iter([("$ref".to_owned(), format!("#/$defs/{name}").into())]);
        Some(Made { schema, step: Step::Reference(name), nullable: false })
    }

    /// Writes a definition; it is known by its name before it is written, since it may refer to
    /// itself.
    fn define(&mut self, reference: &str) -> Option<String> {
        let last = reference.rsplit('/').next().unwrap_or_default();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
        let plain: String = last.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
        let mut name = plain.clone();
        let mut number = 2;
        while self.definitions.iter().any(|taken| taken.name == name) {
            name = format!("{plain}_{number}");
            number += 1;
        }
        self.definitions.push(Defined {
            reference: reference.to_owned(),
            name: name.clone(),
            written: None,
        });
        let found = target(self.document, reference)?;
        // It is used in more places than this one.
        let merging = std::mem::take(&mut self.merging);
        let made = self.lower(found, &format!("$defs.{name}"));
        self.merging = merging;
        let (schema, step) = self.with_null(made?, false);
        if let Some(defined) = self.definitions.iter_mut().find(|defined| defined.name == name) {
            defined.written = Some((schema.into(), step));
        }
        Some(name)
    }

    /// What is done to the values of a definition, once it is written.
    pub(super) fn step_of(&self, name: &str) -> Option<&Step> {
        let defined = self.definitions.iter().find(|defined| defined.name == name)?;
        defined.written.as_ref().map(|(_, step)| step)
    }

    /// Writes a schema that says what kind of value it is of.
    pub(super) fn typed(&mut self, node: &Object, at: &str) -> Option<Made> {
        let named = types(node);
        let nullable = named.contains(&"null");
        let of: Vec<&str> = named.iter().copied().filter(|of| *of != "null").collect();
        if let Some(values) = values(node) {
            let fits = |value: &&Value| named.is_empty() || named.iter().any(|of| is_of(value, of));
            let values: Vec<Value> = values.into_iter().filter(fits).cloned().collect();
            return self.values(node, &values, at);
        }
        let made = match of.as_slice() {
            [] if nullable => return self.null(node, at),
            [] => return self.anything(node, at),
            ["object"] => self.object(node, at, false),
            ["array"] => self.array(node, at),
            [one] => self.scalar(node, one, at),
            several => {
                let forms: Vec<Value> = several
                    .iter()
                    .map(|of| {
                        let mut form = node.clone();
                        form.insert("type".to_owned(), (*of).into());
                        form.shift_remove("description");
                        form.shift_remove("default");
                        form.into()
                    })
                    .collect();
                self.forms(node, &forms, at)
            }
        }?;
        Some(Made { nullable: made.nullable || nullable, ..made })
    }

    fn null(&mut self, node: &Object, at: &str) -> Option<Made> {
        if !self.rules.nulls {
            return self.refuse(
                at,
                "null",
                "a value that is always null has no form; leave it out",
            );
        }
        let schema = describe(node, members(json!({"type": "null"})), &[]);
        Some(Made { schema, step: Step::Same, nullable: false })
    }

    /// Writes a value of which nothing is said.
    pub(super) fn anything(&mut self, node: &Object, at: &str) -> Option<Made> {
        if let Some(keyword) = node.keys().find(|name| words::judges(name)) {
            return self.refuse(at, keyword, "its `type` is missing; write it");
        }
        if self.rules.anything {
            let hints = self.hints(node, &["default"], at)?;
            let schema = describe(node, Object::new(), &hints);
            return Some(Made { schema, step: Step::Same, nullable: false });
        }
        if !self.form.writes_text() {
            return self.refuse(
                at,
                "any value",
                "it has no form; give it a type, or let the dialect write it as JSON text with \
                 `any_as_text()`",
            );
        }
        let hint = "any value, written as JSON text".to_owned();
        self.note(at, RewriteKind::ReEncoded, "JSON text to value");
        let schema = describe(node, members(json!({"type": "string"})), &[hint]);
        Some(Made { schema, step: Step::Text, nullable: false })
    }

    /// Writes one type's schema out of the keywords that say something of it.
    pub(super) fn scalar(&mut self, node: &Object, of: &str, at: &str) -> Option<Made> {
        let mut schema = members(json!({ "type": of }));
        let mut left = Vec::new();
        for (keyword, value) in node {
            if !judges(keyword, of) {
                continue;
            }
            match self.kept(node, keyword, value, of) {
                Some((keyword, value)) => {
                    schema.insert(keyword, value);
                }
                None => left.push(keyword.as_str()),
            }
        }
        let hints = self.hints(node, &left, at)?;
        let schema = describe(node, schema, &hints);
        Some(Made { schema, step: Step::Same, nullable: false })
    }

    /// A keyword as the API takes it.
    fn kept(
        &self,
        node: &Object,
        keyword: &str,
        value: &Value,
        of: &str,
    ) -> Option<(String, Value)> {
        let takes = |keyword: &str| self.rules.keywords.contains(&keyword);
        match keyword {
            "format" => {
                let is_taken =
                    value.as_str().is_some_and(|name| self.rules.formats.contains(&name));
                is_taken.then(|| ("format".to_owned(), value.clone()))
            }
            "pattern" if takes("pattern") => {
                let is_taken =
                    value.as_str().is_some_and(|text| is_taken(text, self.rules.patterns));
                is_taken.then(|| ("pattern".to_owned(), value.clone()))
            }
            "exclusiveMinimum" | "exclusiveMaximum" if of == "integer" && !takes(keyword) => {
                let (inclusive, step) =
                    if keyword == "exclusiveMinimum" { ("minimum", 1) } else { ("maximum", -1) };
                let bound = value.as_i64()?.checked_add(step)?;
                let is_free = takes(inclusive) && !node.contains_key(inclusive);
                is_free.then(|| (inclusive.to_owned(), bound.into()))
            }
            _ => takes(keyword).then(|| (keyword.to_owned(), value.clone())),
        }
    }

    /// Writes a closed set of values.
    fn values(&mut self, node: &Object, values: &[Value], at: &str) -> Option<Made> {
        let nullable = values.iter().any(Value::is_null);
        let values: Vec<Value> = values.iter().filter(|value| !value.is_null()).cloned().collect();
        let mut kinds: Vec<&str> = Vec::new();
        for value in &values {
            let kind = kind_of(value);
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        if kinds.contains(&"integer") && kinds.contains(&"number") {
            kinds.retain(|kind| *kind != "integer");
        }
        let made = match kinds.as_slice() {
            [] if nullable => return self.null(node, at),
            [] => return self.refuse(at, "enum", "no value is accepted here; leave it out"),
            ["object" | "array"] => self.refuse(
                at,
                "enum",
                "objects and lists in it have no form; write an `anyOf` of their schemas",
            ),
            [kind] => self.values_of(node, &values, kind, at),
            several => {
                let forms: Vec<Value> = several
                    .iter()
                    .map(|kind| {
                        let own: Vec<&Value> =
                            values.iter().filter(|value| is_of(value, kind)).collect();
                        json!({ "type": kind, "enum": own })
                    })
                    .collect();
                self.forms(node, &forms, at)
            }
        }?;
        Some(Made { nullable: made.nullable || nullable, ..made })
    }

    fn values_of(&mut self, node: &Object, values: &[Value], kind: &str, at: &str) -> Option<Made> {
        let is_taken = match self.rules.values {
            Values::Any | Values::Primitives => true,
            Values::TextsAndNumbers => kind != "boolean",
            Values::Texts => kind == "string",
        };
        let mut schema = members(json!({ "type": kind }));
        let mut hints = Vec::new();
        if !is_taken {
            let told: Vec<String> = values.iter().map(Value::to_string).collect();
            hints.push(format!("one of {}", told.join(", ")));
            self.note(at, RewriteKind::Wider, format!("one of {}", told.join(", ")));
        } else if let (true, Some(one)) = (self.rules.constants, node.get("const")) {
            put(&mut schema, "const", one.clone());
        } else {
            put(&mut schema, "enum", values);
        }
        let names: Vec<String> =
            values.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        let step =
            if self.rules.loose_case && is_taken { self.any_case(names, at)? } else { Step::Same };
        let mut left = Vec::new();
        if let Some(default) = node.get("default") {
            if self.rules.keywords.contains(&"default") {
                put(&mut schema, "default", default.clone());
            } else {
                left.push("default");
            }
        }
        hints.extend(self.hints(node, &left, at)?);
        let schema = describe(node, schema, &hints);
        Some(Made { schema, step, nullable: false })
    }

    /// Names that the model may write in other case; two must not differ in nothing else.
    fn any_case(&mut self, names: Vec<String>, at: &str) -> Option<Step> {
        for (index, name) in names.iter().enumerate() {
            let twin = names.iter().take(index).find(|other| other.eq_ignore_ascii_case(name));
            if let Some(twin) = twin {
                let advice = format!(
                    "`{twin}` and `{name}` differ by case only, which the provider does not keep; \
                     rename one"
                );
                return self.refuse(at, "enum", advice);
            }
        }
        let has_letters = |name: &String| name.contains(|c: char| c.is_ascii_alphabetic());
        Some(if names.iter().any(has_letters) { Step::Names(names) } else { Step::Same })
    }

    /// What the description must say of keywords that are not taken.
    pub(super) fn hints(&mut self, node: &Object, left: &[&str], at: &str) -> Option<Vec<String>> {
        let mut hints = Vec::new();
        let mut is_right = true;
        for keyword in left {
            match lost(node, keyword, left) {
                Lost::Annotation => {}
                Lost::Words(words) => {
                    self.note(at, RewriteKind::Wider, words.clone());
                    hints.push(words);
                }
                Lost::Refused(advice) => {
                    self.refuse::<()>(at, keyword, advice);
                    is_right = false;
                }
            }
        }
        is_right.then_some(hints)
    }

    /// Writes null into a schema, where it is accepted or `add` says so.
    pub(super) fn with_null(&self, made: Made, add: bool) -> (Object, Step) {
        let Made { mut schema, step, nullable } = made;
        if !nullable && !add {
            return (schema, step);
        }
        if self.rules.nullable {
            match schema.get_mut("anyOf") {
                Some(Value::Array(forms)) => {
                    for form in forms.iter_mut().filter_map(Value::as_object_mut) {
                        form.insert("nullable".to_owned(), true.into());
                    }
                }
                _ => {
                    schema.insert("nullable".to_owned(), true.into());
                }
            }
            return (schema, step);
        }
        if let Some(Value::Array(forms)) = schema.get_mut("anyOf") {
            forms.push(json!({"type": "null"}));
            return (schema, step);
        }
        if let Some(one) = schema.shift_remove("const") {
            schema.insert("enum".to_owned(), json!([one, null]));
        }
        if let Some(Value::Array(values)) = schema.get_mut("enum") {
            values.retain(|value| !value.is_object());
            if !values.contains(&Value::Null) {
                values.push(Value::Null);
            }
        }
        match schema.get("type").cloned() {
            Some(Value::String(of)) if of != "null" => {
                schema.insert("type".to_owned(), json!([of, "null"]));
                (schema, step)
            }
            None if schema.contains_key("$ref") => (
                Object::from_iter([("anyOf".to_owned(), json!([schema, { "type": "null" }]))]),
                step,
            ),
            _ => (schema, step),
        }
    }
}

/// Puts the description first.
pub(super) fn describe(node: &Object, schema: Object, hints: &[String]) -> Object {
    let description = described(text(node, "description"), hints);
    let mut written = Object::new();
    if !description.is_empty() {
        put(&mut written, "description", description);
    }
    written.extend(schema);
    written
}

/// Whether a keyword says something of values of a type.
pub(super) fn judges(keyword: &str, of: &str) -> bool {
    match keyword {
        "type" | "description" | "enum" | "const" | "nullable" => false,
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
            matches!(of, "integer" | "number")
        }
        "minLength" | "maxLength" | "pattern" | "format" | "contentEncoding"
        | "contentMediaType" | "contentSchema" => of == "string",
        "items" | "prefixItems" | "minItems" | "maxItems" | "uniqueItems" | "contains"
        | "minContains" | "maxContains" | "unevaluatedItems" => of == "array",
        "properties"
        | "required"
        | "additionalProperties"
        | "patternProperties"
        | "propertyNames"
        | "minProperties"
        | "maxProperties"
        | "dependentRequired"
        | "dependentSchemas"
        | "unevaluatedProperties" => of == "object",
        _ => true,
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_i64() || number.is_u64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

pub(super) fn is_of(value: &Value, of: &str) -> bool {
    let kind = kind_of(value);
    kind == of || (of == "number" && kind == "integer")
}

/// Whether a provider's engine takes a pattern.
fn is_taken(pattern: &str, patterns: Patterns) -> bool {
    let looks = ["(?=", "(?!", "(?<=", "(?<!"].iter().any(|look| pattern.contains(look));
    match patterns {
        Patterns::All => true,
        Patterns::None => false,
        Patterns::NoLookAround => !looks,
        Patterns::Simple => !looks && !has_word_boundary(pattern) && !has_wide_count(pattern),
    }
}

/// Whether a pattern has `\b`, `\B` or a reference back.
fn has_word_boundary(pattern: &str) -> bool {
    let mut is_escaped = false;
    pattern.chars().any(|c| {
        let was_escaped = is_escaped;
        is_escaped = !was_escaped && c == '\\';
        was_escaped && matches!(c, 'b' | 'B' | 'k' | '1'..='9')
    })
}

/// Whether a pattern counts further than the provider's engine unrolls.
fn has_wide_count(pattern: &str) -> bool {
    const MOST: u32 = 100;
    pattern.split('{').skip(1).any(|rest| {
        let Some((count, _)) = rest.split_once('}') else { return false };
        count.split(',').any(|number| number.trim().parse::<u32>().is_ok_and(|count| count > MOST))
    })
}
