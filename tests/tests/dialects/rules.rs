//! What each API says of the schemas that it takes, written down once more.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use toolkit::dialect::Form;

type Object = Map<String, Value>;

const STRUCTURE: &[&str] =
    &["type", "description", "properties", "required", "items", "anyOf", "enum", "$ref", "$defs"];

/// Fails where a schema in a form has what its API does not take.
#[track_caller]
pub(crate) fn assert_kept(form: Form, schema: &Value) {
    let root = schema.as_object().unwrap();
    assert_eq!(root["type"], "object", "{form}: {schema}");
    for union in ["anyOf", "oneOf", "allOf"] {
        assert_eq!(root.get(union), None, "{form}: {schema}");
    }
    let name = form.to_string();
    let check: fn(&Object, bool) -> Result<(), String> = match name.as_str() {
        "anthropic, strict" => anthropic,
        "openai, strict" => openai,
        "deepseek, strict" => deepseek,
        "gemini, parameters" => gemini_parameters,
        "gemini" => gemini,
        "openai" => openai_plain,
        "anthropic" | "portable" => |_, _| Ok(()),
        other => panic!("no rules for {other}"),
    };
    let mut faults = Vec::new();
    walk(schema, true, &mut |node, is_root| faults.extend(check(node, is_root).err()));
    assert_eq!(faults, [""; 0], "{form}: {schema}");
    if name == "anthropic, strict" {
        assert!(!is_recursive(root), "{form}: {schema}");
    }
}

fn walk(schema: &Value, is_root: bool, visit: &mut impl FnMut(&Object, bool)) {
    let Value::Object(node) = schema else { return };
    visit(node, is_root);
    for key in ["properties", "$defs", "patternProperties"] {
        let named = node.get(key).and_then(Value::as_object);
        named.into_iter().flatten().for_each(|(_, schema)| walk(schema, false, visit));
    }
    for key in ["anyOf", "oneOf", "allOf", "prefixItems"] {
        let list = node.get(key).and_then(Value::as_array);
        list.into_iter().flatten().for_each(|schema| walk(schema, false, visit));
    }
    for key in ["items", "additionalProperties"] {
        if let Some(schema) = node.get(key) {
            walk(schema, false, visit);
        }
    }
}

fn only(node: &Object, more: &[&str]) -> Result<(), String> {
    let unknown: Vec<&String> = node
        .keys()
        .filter(|key| !STRUCTURE.contains(&key.as_str()) && !more.contains(&key.as_str()))
        .collect();
    if unknown.is_empty() { Ok(()) } else { Err(format!("{unknown:?}")) }
}

fn that(holds: bool, what: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what.to_owned()) }
}

fn is_typed(node: &Object) -> bool {
    ["type", "anyOf", "$ref"].iter().any(|key| node.contains_key(*key))
}

fn is_object(node: &Object) -> bool {
    match node.get("type") {
        Some(Value::Array(types)) => types.iter().any(|of| of == "object"),
        Some(of) => of == "object",
        None => false,
    }
}

fn is_array(node: &Object) -> bool {
    match node.get("type") {
        Some(Value::Array(types)) => types.iter().any(|of| of == "array"),
        Some(of) => of == "array",
        None => false,
    }
}

fn names<'n>(node: &'n Object, key: &str) -> BTreeSet<&'n str> {
    match node.get(key) {
        Some(Value::Object(named)) => named.keys().map(String::as_str).collect(),
        Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).collect(),
        _ => BTreeSet::new(),
    }
}

fn strict(node: &Object) -> Result<(), String> {
    that(is_typed(node), "no type")?;
    that(!node.contains_key("$ref") || node.len() == 1, "something beside a reference")?;
    that(
        !is_object(node) || node.get("additionalProperties") == Some(&Value::Bool(false)),
        "an open object",
    )?;
    that(!is_object(node) || node.contains_key("properties"), "an object without properties")?;
    that(!is_array(node) || node.get("items").is_some_and(Value::is_object), "no items")?;
    let is_primitive = |value: &Value| !value.is_object() && !value.is_array();
    let values = node.get("enum").and_then(Value::as_array);
    that(values.is_none_or(|all| all.iter().all(is_primitive)), "an enum of more than primitives")
}

fn anthropic(node: &Object, _: bool) -> Result<(), String> {
    only(node, &["additionalProperties", "const", "default", "pattern", "format", "minItems"])?;
    let formats = [
        "date-time",
        "time",
        "date",
        "duration",
        "email",
        "hostname",
        "uri",
        "ipv4",
        "ipv6",
        "uuid",
    ];
    that(
        node.get("format").is_none_or(|format| formats.iter().any(|one| format == one)),
        "format",
    )?;
    that(node.get("minItems").is_none_or(|least| *least == 0 || *least == 1), "minItems")?;
    strict(node)
}

fn openai_strict(node: &Object, more: &[&str]) -> Result<(), String> {
    let numbers =
        ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "pattern"];
    let all: Vec<&str> = numbers
        .iter()
        .chain(&["additionalProperties", "const", "format"])
        .chain(more)
        .copied()
        .collect();
    only(node, &all)?;
    that(names(node, "properties") == names(node, "required"), "a property that is not required")?;
    strict(node)
}

fn openai(node: &Object, _: bool) -> Result<(), String> {
    let formats =
        ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];
    that(
        node.get("format").is_none_or(|format| formats.iter().any(|one| format == one)),
        "format",
    )?;
    openai_strict(node, &["minItems", "maxItems"])
}

fn deepseek(node: &Object, _: bool) -> Result<(), String> {
    openai_strict(node, &["default"])
}

fn openai_plain(node: &Object, is_root: bool) -> Result<(), String> {
    let is_refused = ["not", "enum", "const"].iter().any(|key| node.contains_key(*key));
    that(!is_root || !is_refused, "a union at the root")?;
    that(!is_object(node) || node.contains_key("properties"), "an object without properties")?;
    that(!is_array(node) || node.get("items").is_some_and(Value::is_object), "no items")
}

fn gemini_parameters(node: &Object, is_root: bool) -> Result<(), String> {
    let more = [
        "nullable",
        "format",
        "minItems",
        "maxItems",
        "minimum",
        "maximum",
        "minLength",
        "maxLength",
        "pattern",
        "minProperties",
        "maxProperties",
    ];
    only(node, &more)?;
    that(!node.contains_key("$ref") && !node.contains_key("$defs"), "a reference")?;
    that(is_typed(node), "no type")?;
    that(node.get("type").is_none_or(Value::is_string), "a list of types")?;
    that(node.get("type").is_none_or(|of| of != "null"), "null")?;
    that(!node.contains_key("anyOf") || node.len() == 1, "something beside a union")?;
    that(node.get("format").is_none_or(|format| format == "date-time"), "format")?;
    let values = node.get("enum").and_then(Value::as_array);
    that(values.is_none_or(|all| all.iter().all(Value::is_string)), "an enum of more than text")?;
    that(is_root || !is_object(node) || !names(node, "properties").is_empty(), "an empty object")?;
    that(!is_array(node) || node.get("items").is_some_and(Value::is_object), "no items")
}

fn gemini(node: &Object, _: bool) -> Result<(), String> {
    let more = [
        "additionalProperties",
        "prefixItems",
        "format",
        "minItems",
        "maxItems",
        "minimum",
        "maximum",
    ];
    only(node, &more)?;
    that(!node.contains_key("$ref") || node.len() == 1, "something beside a reference")?;
    that(
        node.get("format")
            .is_none_or(|format| ["date-time", "date", "time"].iter().any(|one| format == one)),
        "format",
    )?;
    let values = node.get("enum").and_then(Value::as_array);
    that(values.is_none_or(|all| !all.iter().any(Value::is_boolean)), "an enum of booleans")
}

/// Whether a definition is part of itself.
fn is_recursive(root: &Object) -> bool {
    let references = |schema: &Value| {
        let mut found = Vec::new();
        walk(schema, false, &mut |node, _| {
            let name = node.get("$ref").and_then(Value::as_str);
            found.extend(name.and_then(|name| name.strip_prefix("#/$defs/")).map(str::to_owned));
        });
        found
    };
    let Some(Value::Object(definitions)) = root.get("$defs") else { return false };
    definitions.iter().any(|(name, definition)| {
        let (mut open, mut seen) = (references(definition), BTreeSet::new());
        while let Some(next) = open.pop() {
            if next == *name {
                return true;
            }
            if seen.insert(next.clone()) {
                open.extend(definitions.get(&next).map(&references).unwrap_or_default());
            }
        }
        false
    })
}
