//! A schema for an API that takes a part of JSON Schema only.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::pattern::is_taken;
use super::reference::Defined;
use super::rewrite::{Rewrite, RewriteKind};
use super::steps::Step;
use super::tree::{Object, members, put, text, types, values};
use super::values::is_of;
use super::words::{Lost, described, lost};
use crate::dialect::form::{Form, Rules};
use crate::schema;

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
    pub(super) definitions: Vec<Defined>,
    pub(super) merging: Vec<String>,
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

    pub(super) fn null(&mut self, node: &Object, at: &str) -> Option<Made> {
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
        if let Some(keyword) = node.keys().find(|name| schema::judges(name)) {
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
            if !says_of(keyword, of) {
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
        let takes = |keyword: &str| self.rules.takes(keyword);
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
pub(super) fn says_of(keyword: &str, of: &str) -> bool {
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
