//! Where schemas stand in a schema, and where words.

use serde_json::{Map, Value};

/// How a keyword holds schemas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holds {
    /// One by each name.
    Named,
    List,
    One,
    /// Data, or words: none.
    None,
}

pub(crate) fn holds(keyword: &str, value: &Value) -> Holds {
    match (keyword, value) {
        (
            "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas",
            Value::Object(_),
        ) => Holds::Named,
        ("allOf" | "anyOf" | "oneOf" | "prefixItems", Value::Array(_)) => Holds::List,
        (
            "items"
            | "additionalProperties"
            | "propertyNames"
            | "not"
            | "contains"
            | "if"
            | "then"
            | "else"
            | "unevaluatedItems"
            | "unevaluatedProperties"
            | "contentSchema",
            Value::Object(_) | Value::Bool(_),
        ) => Holds::One,
        _ => Holds::None,
    }
}

/// Every schema in a schema, itself first.
pub(crate) fn nodes(schema: &Value) -> Vec<&Map<String, Value>> {
    let mut found = Vec::new();
    let mut left = vec![schema];
    while let Some(schema) = left.pop() {
        let Value::Object(node) = schema else { continue };
        found.push(node);
        for (keyword, value) in node {
            match (holds(keyword, value), value) {
                (Holds::Named, Value::Object(named)) => left.extend(named.values()),
                (Holds::List, Value::Array(list)) => left.extend(list),
                (Holds::One, one) => left.push(one),
                _ => {}
            }
        }
    }
    found
}

/// What is written in a schema for who reads it, names included; data may hold anything.
pub(crate) fn texts(schema: &Value) -> impl Iterator<Item = &str> {
    const DATA: [&str; 5] = ["default", "enum", "const", "examples", "pattern"];
    let mut found = Vec::new();
    for (keyword, value) in nodes(schema).into_iter().flatten() {
        found.push(keyword.as_str());
        match (holds(keyword, value), value) {
            (Holds::Named, Value::Object(named)) => {
                found.extend(named.keys().map(String::as_str));
            }
            (Holds::None, value) if !DATA.contains(&keyword.as_str()) => said(value, &mut found),
            _ => {}
        }
    }
    found.into_iter()
}

fn said<'v>(value: &'v Value, found: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => found.push(text),
        Value::Array(items) => items.iter().for_each(|item| said(item, found)),
        Value::Object(members) => members.iter().for_each(|(name, value)| {
            found.push(name);
            said(value, found);
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
