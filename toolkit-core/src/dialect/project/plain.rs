//! A schema for an API that takes JSON Schema as it is, but for a few places.

use serde_json::{Value, json};

use super::rewrite::{Rewrite, RewriteKind};
use super::tree::{Holds, Object, holds, names, references, target, text, types};
use super::words::described;
use crate::dialect::form::Rules;

/// Writes a schema whose root is an object.
pub(super) fn written(
    document: &Value,
    root: &Object,
    rules: &Rules,
    rewrites: &mut Vec<Rewrite>,
) -> Object {
    let mut copy = Copy { rules, rewrites };
    let mut written = copy.object(root, "$");
    written.entry("properties").or_insert_with(|| json!({}));
    let root = Value::Object(root.clone());
    for keyword in ["$defs", "definitions"] {
        let Some(Value::Object(all)) = document.get(keyword) else { continue };
        let used = used(document, &root);
        let is_used = |name: &str| {
            let name = name.replace('~', "~0").replace('/', "~1");
            let place = format!("#/{keyword}/{name}");
            // Other ways to refer than by a place keep everything.
            used.iter().any(|used| {
                *used == place || used.starts_with(&format!("{place}/")) || !used.starts_with("#/")
            })
        };
        let kept: Object = all
            .iter()
            .filter(|(name, _)| is_used(name))
            .map(|(name, schema)| (name.clone(), copy.schema(schema, &format!("{keyword}.{name}"))))
            .collect();
        if !kept.is_empty() {
            written.insert(keyword.to_owned(), kept.into());
        }
    }
    written
}

/// What a schema refers to, and what that refers to.
fn used(document: &Value, root: &Value) -> Vec<String> {
    let mut used: Vec<String> = Vec::new();
    let mut open = references(root);
    while let Some(reference) = open.pop() {
        if !used.contains(&reference) {
            open.extend(target(document, &reference).map(references).unwrap_or_default());
            used.push(reference);
        }
    }
    used
}

struct Copy<'a> {
    rules: &'a Rules,
    rewrites: &'a mut Vec<Rewrite>,
}

impl Copy<'_> {
    fn schema(&mut self, schema: &Value, at: &str) -> Value {
        match schema {
            Value::Object(node) => self.object(node, at).into(),
            Value::Bool(true) => json!({}),
            other => other.clone(),
        }
    }

    fn object(&mut self, node: &Object, at: &str) -> Object {
        let mut written = Object::new();
        for (keyword, value) in node {
            if !self.rules.takes(keyword) {
                let what = format!("`{keyword}` is no keyword of JSON Schema");
                self.rewrites.push(Rewrite::new(at, RewriteKind::Equal, what));
                continue;
            }
            let value = match (holds(keyword, value), value) {
                // An object that takes other fields, or none, says so by a word of its own.
                (Holds::One, Value::Bool(_)) => value.clone(),
                (Holds::One, value) => self.schema(value, &inside(at, keyword, None)),
                (Holds::List, Value::Array(list)) => {
                    let copied = list.iter().map(|schema| self.schema(schema, at));
                    copied.collect::<Vec<_>>().into()
                }
                (Holds::Named, Value::Object(named)) => {
                    let copied = named.iter().map(|(name, schema)| {
                        (name.clone(), self.schema(schema, &inside(at, keyword, Some(name))))
                    });
                    copied.collect::<Object>().into()
                }
                _ => value.clone(),
            };
            written.insert(keyword.clone(), value);
        }
        if self.rules.needs_items {
            self.complete(&mut written, at);
        }
        written
    }

    /// Says of each object and each list what it holds.
    fn complete(&mut self, node: &mut Object, at: &str) {
        let of = types(node);
        let (is_object, is_array) = (of.contains(&"object"), of.contains(&"array"));
        if is_object && !node.contains_key("properties") {
            node.insert("properties".to_owned(), json!({}));
        }
        if !self.rules.tuples
            && let Some(Value::Array(first)) = node.shift_remove("prefixItems")
        {
            self.list(node, &first, at);
        }
        if is_array && node.get("items").is_none_or(Value::is_boolean) {
            node.insert("items".to_owned(), json!({}));
        }
    }

    /// Writes a tuple as a list whose items are of any of its forms.
    fn list(&mut self, node: &mut Object, first: &[Value], at: &str) {
        let mut forms: Vec<Value> = Vec::new();
        let rest = rest(node, first.len());
        node.shift_remove("items");
        for schema in first.iter().chain(&rest) {
            if !forms.contains(schema) {
                forms.push(schema.clone());
            }
        }
        let items = match forms.as_slice() {
            [one] => one.clone(),
            _ => json!({ "anyOf": forms }),
        };
        node.insert("items".to_owned(), items);
        if forms.len() > 1 {
            let hint = in_order(first);
            let description = described(text(node, "description"), std::slice::from_ref(&hint));
            let mut described = Object::new();
            described.insert("description".to_owned(), description.into());
            described
                .extend(std::mem::take(node).into_iter().filter(|(name, _)| name != "description"));
            *node = described;
            self.rewrites.push(Rewrite::new(at, RewriteKind::Wider, hint));
        } else {
            self.rewrites.push(Rewrite::new(at, RewriteKind::Equal, "items of one form"));
        }
    }
}

/// What an array takes after its first items; `None` where nothing.
pub(super) fn rest(node: &Object, first: usize) -> Option<Value> {
    let most = node.get("maxItems").and_then(Value::as_u64);
    match node.get("items") {
        _ if most.is_some_and(|most| most <= first as u64) => None,
        Some(Value::Bool(false)) => None,
        Some(Value::Bool(true)) | None => Some(json!({})),
        Some(schema) => Some(schema.clone()),
    }
}

/// In words, what the items of a tuple are.
pub(super) fn in_order(first: &[Value]) -> String {
    let kinds = first.iter().map(|schema| match schema.as_object() {
        Some(node) => match (types(node).as_slice(), node.get("$ref").and_then(Value::as_str)) {
            ([], Some(reference)) => reference.rsplit('/').next().unwrap_or_default().to_owned(),
            ([], None) if node.contains_key("anyOf") => "one of several forms".to_owned(),
            ([], None) => match names(node, "enum").as_slice() {
                [] => "any value".to_owned(),
                names => names.join(" | "),
            },
            (types, _) => types.join(" or "),
        },
        None => "any value".to_owned(),
    });
    format!("in order: {}", kinds.collect::<Vec<_>>().join(", "))
}

/// The place of a schema inside another.
pub(super) fn inside(at: &str, keyword: &str, name: Option<&str>) -> String {
    match (keyword, name) {
        ("properties", Some(name)) => format!("{at}.{name}"),
        ("items" | "prefixItems" | "contains" | "unevaluatedItems", _) => format!("{at}[]"),
        ("additionalProperties" | "patternProperties" | "unevaluatedProperties", _) => {
            format!("{at}{{}}")
        }
        _ => at.to_owned(),
    }
}
