//! Where schemas stand in a schema, and what they refer to.

use serde_json::{Map, Value};

pub(super) use crate::schema::{Holds, holds};

pub(super) type Object = Map<String, Value>;

/// The references in a schema, but for those in its own definitions.
pub(super) fn references(schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    gather(schema, &mut found);
    found
}

fn gather(schema: &Value, found: &mut Vec<String>) {
    let Value::Object(node) = schema else { return };
    for keyword in ["$ref", "$dynamicRef"] {
        found.extend(node.get(keyword).and_then(Value::as_str).map(str::to_owned));
    }
    for (keyword, value) in node {
        if matches!(keyword.as_str(), "$defs" | "definitions") {
            continue;
        }
        match (holds(keyword, value), value) {
            (Holds::Named, Value::Object(named)) => {
                for schema in named.values() {
                    gather(schema, found);
                }
            }
            (Holds::List, Value::Array(list)) => {
                for schema in list {
                    gather(schema, found);
                }
            }
            (Holds::One, value) => gather(value, found),
            _ => {}
        }
    }
}

/// The schema that a reference inside a document means.
pub(super) fn target<'d>(document: &'d Value, reference: &str) -> Option<&'d Value> {
    document.pointer(reference.strip_prefix('#')?)
}

/// Whether what a reference means refers to itself.
pub(super) fn is_recursive(document: &Value, reference: &str) -> bool {
    let mut seen: Vec<String> = Vec::new();
    let mut open = target(document, reference).map(references).unwrap_or_default();
    while let Some(next) = open.pop() {
        if next == reference {
            return true;
        }
        if !seen.contains(&next) {
            open.extend(target(document, &next).map(references).unwrap_or_default());
            seen.push(next);
        }
    }
    false
}

/// The texts of a keyword that is a list of them.
pub(super) fn names<'n>(node: &'n Object, keyword: &str) -> Vec<&'n str> {
    let list = node.get(keyword).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_str).collect()
}

pub(super) fn text<'n>(node: &'n Object, keyword: &str) -> &'n str {
    node.get(keyword).and_then(Value::as_str).unwrap_or_default()
}

/// The types that a schema names; none where it names none.
pub(super) fn types(node: &Object) -> Vec<&str> {
    match node.get("type") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(_)) => names(node, "type"),
        _ => Vec::new(),
    }
}

/// The only values of a schema that names them.
pub(super) fn values(node: &Object) -> Option<Vec<&Value>> {
    match (node.get("const"), node.get("enum")) {
        (Some(one), _) => Some(vec![one]),
        (None, Some(Value::Array(values))) => Some(values.iter().collect()),
        _ => None,
    }
}

/// The names of an object's fields.
pub(super) fn named(node: &Object) -> impl Iterator<Item = &str> {
    let properties = node.get("properties").and_then(Value::as_object);
    properties.into_iter().flatten().map(|(name, _)| name.as_str())
}

/// The members of what is written as an object.
pub(super) fn members(value: Value) -> Object {
    match value {
        Value::Object(members) => members,
        _ => Object::new(),
    }
}

pub(super) fn put(schema: &mut Object, keyword: &str, value: impl Into<Value>) {
    schema.insert(keyword.to_owned(), value.into());
}
