//! The schema that is published: what schemars gives, in the one form that models read best.
//!
//! Names of properties and the data inside `default`, `enum`, `const` and `examples` are never
//! touched: only the places where a schema can stand are walked.

use serde_json::{Map, Value, json};

use super::compile::{integers_of, is_rust_format};
use super::format::{self, Format};
use super::keys;
use super::keyword;
use super::older;
use super::reading;
use super::walk::{Holds, holds};

type Object = Map<String, Value>;

/// One parameter, as the signature's order has it.
pub(crate) struct Field<'a> {
    pub(crate) name: &'a str,
    pub(crate) description: &'a str,
    /// What schemars gives for its type.
    pub(crate) schema: Value,
    pub(crate) keywords: Vec<(&'static str, Value)>,
    pub(crate) required: bool,
}

/// Makes the input schema of a signature; `definitions` are what the parameters refer to.
///
/// # Errors
/// Types that can not be read as any schema says.
pub(crate) fn signature(fields: Vec<Field<'_>>, definitions: Object) -> Result<Value, Vec<String>> {
    let mut properties = Object::new();
    let mut required = Vec::new();
    for field in fields {
        if field.required {
            required.push(Value::from(field.name));
        }
        properties.insert(
            field.name.to_owned(),
            parameter(field.schema, field.description, field.keywords),
        );
    }
    let mut root = json!({ "type": "object", "properties": properties });
    if let Value::Object(root) = &mut root {
        if !required.is_empty() {
            root.insert("required".to_owned(), required.into());
        }
        root.insert("additionalProperties".to_owned(), false.into());
        if !definitions.is_empty() {
            root.insert("$defs".to_owned(), definitions.into());
        }
    }
    normalize(root)
}

/// Makes the schema of one type; `definitions` are what it refers to.
///
/// # Errors
/// As `signature`.
pub(crate) fn of_type(mut root: Value, definitions: Object) -> Result<Value, Vec<String>> {
    if let Value::Object(root) = &mut root
        && !definitions.is_empty()
    {
        root.insert("$defs".to_owned(), definitions.into());
    }
    normalize(root)
}

/// Makes the input schema of a tool whose arguments are the fields of one type.
///
/// # Errors
/// A type that is not read from an object.
pub(crate) fn of_fields(root: Value) -> Result<Value, Vec<String>> {
    let is_object = |node: &Value| node.get("type").is_some_and(|of| of == "object");
    let forms = ["anyOf", "oneOf"].iter().find_map(|word| root.get(word)?.as_array());
    let are_objects = forms.is_some_and(|forms| forms.iter().all(is_object));
    match root {
        Value::Object(members) if are_objects => Ok(ordered(members).into()),
        Value::Object(mut members) if members.get("type").is_some_and(|of| of == "object") => {
            members.entry("properties").or_insert_with(|| json!({}));
            Ok(ordered(members).into())
        }
        _ => Err(vec![
            "its arguments are not read from an object; let its closure take a struct".to_owned(),
        ]),
    }
}

/// The schema of an object in the order of that of a signature.
fn ordered(mut members: Object) -> Object {
    let mut ordered = Object::from_iter([("type".to_owned(), "object".into())]);
    if let Some(Value::Object(properties)) = members.shift_remove("properties") {
        let property = |(name, node)| match node {
            Value::Object(node) => (name, describe(node, "").into()),
            other => (name, other),
        };
        let properties: Object = properties.into_iter().map(property).collect();
        ordered.insert("properties".to_owned(), properties.into());
    }
    for word in ["required", "additionalProperties"] {
        ordered.extend(members.shift_remove_entry(word));
    }
    members.shift_remove("type");
    ordered.extend(members);
    ordered
}

/// Makes the input schema of a tool that is known only at run time.
///
/// It is the host's, so it stays as it is but for what providers refuse (`$schema`, `$id`, Rust's
/// number formats), what they insist on (`type` and `properties` at the root), and what older
/// drafts wrote otherwise.
pub(crate) fn given(mut schema: Value) -> Value {
    let needs_id = keyword::uses_addresses(&schema);
    if let Value::Object(root) = &mut schema {
        root.shift_remove("$schema");
        if !needs_id {
            root.shift_remove("$id");
        }
        let is_object = root.get("type").is_none_or(|name| name == "object");
        if is_object && !root.contains_key("$ref") {
            root.entry("type").or_insert_with(|| "object".into());
            root.entry("properties").or_insert_with(|| json!({}));
        }
    }
    walk(&mut schema, &mut older::rewrite);
    without_rust_formats(&mut schema);
    schema
}

/// Makes the output schema of a result's type.
pub(crate) fn result(schema: Value) -> Value {
    let mut schema = schema;
    if let Value::Object(root) = &mut schema {
        root.shift_remove("$schema");
        root.shift_remove("title");
    }
    walk(&mut schema, &mut fold_enum);
    without_rust_formats(&mut schema);
    schema
}

/// Removes the formats of Rust's number types, which JSON Schema does not define.
///
/// They are what `compile` reads an integer's width from, so they go last.
pub(crate) fn without_rust_formats(schema: &mut Value) {
    walk(schema, &mut |node| {
        if node.get("format").and_then(Value::as_str).is_some_and(is_rust_format) {
            node.shift_remove("format");
        }
    });
}

fn parameter(schema: Value, description: &str, keywords: Vec<(&'static str, Value)>) -> Value {
    let mut node = match schema {
        Value::Object(node) => node,
        _ => Object::new(),
    };
    for (name, value) in keywords {
        node.insert(name.to_owned(), value);
    }
    describe(node, description).into()
}

/// Puts a description first; the one of the place comes before the one of the type.
fn describe(node: Object, description: &str) -> Object {
    let own = node.get("description").and_then(Value::as_str).unwrap_or_default();
    let text = match (description.is_empty(), own.is_empty() || description.contains(own)) {
        (true, _) => own.to_owned(),
        (false, true) => description.to_owned(),
        (false, false) => format!("{description}\n{own}"),
    };
    let mut described = Object::new();
    if !text.is_empty() {
        described.insert("description".to_owned(), text.into());
    }
    described.extend(node.into_iter().filter(|(name, _)| name != "description"));
    described
}

fn normalize(root: Value) -> Result<Value, Vec<String>> {
    let mut root = root;
    walk(&mut root, &mut |node| {
        fold_enum(node);
        drop_nulls(node);
        bound_numbers(node);
        close_tuple(node);
        write_integer_keys(node);
        keep_defined_format(node);
    });
    let definitions = root.get("$defs").cloned().unwrap_or_default();
    walk(&mut root, &mut |node| {
        merge_reference(node, &definitions);
        distribute(node, &definitions);
    });
    let faults = reading::faults(&root);
    walk(&mut root, &mut close);
    prune(&mut root);
    inline_single_uses(&mut root);
    if faults.is_empty() { Ok(root) } else { Err(faults) }
}

/// Visits every place where a schema stands, inner ones first.
pub(super) fn walk(schema: &mut Value, visit: &mut impl FnMut(&mut Object)) {
    let Value::Object(node) = schema else { return };
    for (keyword, value) in node.iter_mut() {
        let held = match keyword.as_str() {
            // What is in a text is not judged, and stays as it is.
            "contentSchema" => Holds::None,
            // As older drafts wrote it.
            "dependencies" => Holds::Named,
            "items" if value.is_array() => Holds::List,
            "additionalItems" => Holds::One,
            _ => holds(keyword, value),
        };
        match (held, value) {
            (Holds::Named, Value::Object(named)) => {
                named.values_mut().for_each(|schema| walk(schema, visit));
            }
            (Holds::List, Value::Array(list)) => {
                for schema in list {
                    walk(schema, visit);
                }
            }
            (Holds::One, schema) => walk(schema, visit),
            _ => {}
        }
    }
    visit(node);
}

/// Writes a documented enum, which schemars gives as a `oneOf` of constants, as one list of values.
fn fold_enum(node: &mut Object) {
    let Some(branches) = node.get("oneOf").and_then(Value::as_array) else {
        return;
    };
    let mut values = Vec::new();
    let mut lines = Vec::new();
    for branch in branches {
        let Some(names) = names_of(branch) else {
            return;
        };
        if let Some(doc) =
            branch.get("description").and_then(Value::as_str).filter(|d| !d.is_empty())
        {
            let shown: Vec<String> =
                names.iter().filter_map(Value::as_str).map(str::to_owned).collect();
            lines.push(format!("{}: {}", shown.join(", "), doc.replace('\n', " ")));
        }
        values.extend(names);
    }
    node.shift_remove("oneOf");
    node.insert("type".to_owned(), "string".into());
    node.insert("enum".to_owned(), values.into());
    // Its own words come first here, and one to a line.
    let own = node.shift_remove("description");
    let own = own.as_ref().and_then(Value::as_str).map(str::to_owned);
    let described: Vec<String> = own.into_iter().chain(lines).collect();
    *node = describe(std::mem::take(node), &described.join("\n"));
}

/// The values of a branch that says nothing but a closed set of names.
fn names_of(branch: &Value) -> Option<Vec<Value>> {
    let node = branch.as_object()?;
    let known = |name: &String| matches!(name.as_str(), "type" | "const" | "enum" | "description");
    if !node.keys().all(known) {
        return None;
    }
    let values = match (node.get("const"), node.get("enum")) {
        (Some(value), None) => vec![value.clone()],
        (None, Some(Value::Array(values))) => values.clone(),
        _ => return None,
    };
    values.iter().all(Value::is_string).then_some(values)
}

/// Null stands for absence wherever a property may be absent, so the schema need not offer it.
fn drop_nulls(node: &mut Object) {
    let required = node.get("required").cloned().unwrap_or_default();
    let is_required =
        |name: &str| required.as_array().is_some_and(|names| names.iter().any(|n| n == name));
    let Some(Value::Object(properties)) = node.get_mut("properties") else {
        return;
    };
    for (name, property) in properties.iter_mut() {
        if let Value::Object(property) = property
            && !is_required(name)
        {
            drop_null(property);
        }
    }
}

fn drop_null(node: &mut Object) {
    if let Some(Value::Array(types)) = node.get_mut("type") {
        types.retain(|name| name != "null");
        if let [one] = types.as_slice() {
            let one = one.clone();
            node.insert("type".to_owned(), one);
        }
    }
    if let Some(Value::Array(values)) = node.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if node.get("default").is_some_and(Value::is_null) {
        node.shift_remove("default");
    }
    let Some(Value::Array(branches)) = node.get_mut("anyOf") else {
        return;
    };
    branches.retain(|branch| branch != &json!({ "type": "null" }));
    if let [Value::Object(one)] = branches.as_slice() {
        let one = one.clone();
        node.shift_remove("anyOf");
        overlay(node, one);
    }
}

/// What a Rust number type holds, as far as a double holds it exactly; `None` for other formats.
pub(super) fn rust_range(node: &Object) -> Option<(Option<Value>, Option<Value>)> {
    const EXACT: i128 = 1 << 53;
    match node.get("format").and_then(Value::as_str)? {
        "float" => Some((Some(f32::MIN.into()), Some(f32::MAX.into()))),
        "double" => Some((None, None)),
        format => {
            let (least, most) = integers_of(format)?;
            let exact = |bound: i128| {
                i64::try_from(bound).ok().filter(|_| bound.abs() < EXACT).map(Value::from)
            };
            Some((exact(least), exact(most)))
        }
    }
}

/// Writes the range of a number type, where a double holds it exactly.
fn bound_numbers(node: &mut Object) {
    let Some((least, most)) = rust_range(node) else { return };
    if let Some(least) = least
        && !node.contains_key("exclusiveMinimum")
    {
        node.entry("minimum").or_insert(least);
    }
    if let Some(most) = most
        && !node.contains_key("exclusiveMaximum")
    {
        node.entry("maximum").or_insert(most);
    }
}

/// Writes the keys of a map with integer keys as serde reads them: without zeros in front.
fn write_integer_keys(node: &mut Object) {
    let Some(Value::Object(patterns)) = node.get_mut("patternProperties") else { return };
    let named = std::mem::take(patterns).into_iter().map(|(pattern, schema)| {
        let [unsigned, signed] = keys::ANY_INTEGER;
        match pattern.as_str() {
            r"^\d+$" => (unsigned.to_owned(), schema),
            r"^-?\d+$" => (signed.to_owned(), schema),
            _ => (pattern, schema),
        }
    });
    patterns.extend(named);
}

/// Removes a format that neither JSON Schema defines nor a Rust number type needs.
fn keep_defined_format(node: &mut Object) {
    /// Defined, but not asserted by us.
    const ANNOTATIONS: [&str; 6] = [
        "idn-email",
        "idn-hostname",
        "iri",
        "iri-reference",
        "uri-template",
        "relative-json-pointer",
    ];
    let Some(format) = node.get("format").and_then(Value::as_str) else { return };
    if format == "ip" {
        node.shift_remove("format");
        node.shift_remove("type");
        let either = ["ipv4", "ipv6"].map(|format| json!({ "type": "string", "format": format }));
        node.insert("anyOf".to_owned(), either.to_vec().into());
        return;
    }
    if let Some(pattern) = format::local(format) {
        node.shift_remove("format");
        node.entry("pattern").or_insert_with(|| pattern.into());
        return;
    }
    let is_defined = Format::named(format).is_some() || ANNOTATIONS.contains(&format);
    if !is_defined && !is_rust_format(format) {
        node.shift_remove("format");
    }
}

fn close_tuple(node: &mut Object) {
    if node.contains_key("prefixItems") {
        node.entry("items").or_insert_with(|| false.into());
    }
}

/// Puts what a reference says in its place where something stands beside it, or where it is a leaf.
fn merge_reference(node: &mut Object, definitions: &Value) {
    // Two types can not refer to each other without a schema between them.
    for _ in 0..16 {
        let Some(target) = target(node, definitions) else {
            return;
        };
        let beside = node.keys().any(|name| name != "$ref");
        if !beside && !is_leaf(target) {
            return;
        }
        let target = target.clone();
        node.shift_remove("$ref");
        overlay(node, target);
    }
}

fn target<'a>(node: &Object, definitions: &'a Value) -> Option<&'a Object> {
    definitions.get(referred(node)?)?.as_object()
}

/// The definition that a node refers to, by its name (RFC 6901 escapes undone).
fn referred(node: &Object) -> Option<String> {
    let name = node.get("$ref")?.as_str()?.strip_prefix("#/$defs/")?;
    Some(name.replace("~1", "/").replace("~0", "~"))
}

/// The node itself, or what it refers to.
pub(super) fn resolved<'a>(node: &'a Object, definitions: &'a Value) -> Option<&'a Object> {
    let mut node = node;
    for _ in 0..16 {
        if !node.contains_key("$ref") {
            return Some(node);
        }
        node = target(node, definitions)?;
    }
    None
}

/// Gives properties that stand beside a union of objects to each of its branches.
///
/// A closed object can not stand beside a union: each would refuse the other's properties.
fn distribute(node: &mut Object, definitions: &Value) {
    if !node.contains_key("properties") {
        return;
    }
    for union in ["oneOf", "anyOf"] {
        let Some(Value::Array(branches)) = node.get(union) else { continue };
        let objects: Option<Vec<Object>> = branches
            .iter()
            .map(|branch| resolved(branch.as_object()?, definitions).cloned())
            .map(|branch| branch.filter(|branch| branch.contains_key("properties")))
            .collect();
        let Some(objects) = objects else { continue };
        let mut site = Object::new();
        for keyword in ["type", "properties", "required"] {
            site.extend(node.shift_remove(keyword).map(|value| (keyword.to_owned(), value)));
        }
        node.shift_remove("additionalProperties");
        node.shift_remove("unevaluatedProperties");
        let joined = objects.into_iter().map(|object| {
            let mut branch = site.clone();
            overlay(&mut branch, object);
            Value::Object(branch)
        });
        node.insert(union.to_owned(), joined.collect());
        return;
    }
}

/// Whether a schema holds no other schema.
fn is_leaf(node: &Object) -> bool {
    node.keys().all(|name| {
        matches!(
            name.as_str(),
            "type"
                | "enum"
                | "const"
                | "description"
                | "title"
                | "format"
                | "pattern"
                | "minimum"
                | "maximum"
                | "exclusiveMinimum"
                | "exclusiveMaximum"
                | "multipleOf"
                | "minLength"
                | "maxLength"
                | "default"
                | "examples"
                | "deprecated"
        )
    })
}

/// Lays a node over what it refers to: fields are joined, what the node says itself stands.
fn overlay(node: &mut Object, target: Object) {
    let own = std::mem::take(node);
    let description = own.get("description").and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut merged = describe(target, &description);
    for (keyword, value) in own {
        match (keyword.as_str(), merged.get_mut(&keyword), value) {
            ("description", _, _) => {}
            ("properties", Some(Value::Object(properties)), Value::Object(own)) => {
                let theirs = std::mem::replace(properties, own);
                properties.extend(theirs);
            }
            ("required", Some(Value::Array(required)), Value::Array(own)) => {
                let theirs = std::mem::replace(required, own);
                required.extend(theirs);
            }
            (_, _, value) => {
                merged.insert(keyword, value);
            }
        }
    }
    *node = merged;
}

/// Closes an object that has named properties and does not say what else it takes.
fn close(node: &mut Object) {
    let is_object = match node.get("type") {
        Some(Value::Array(types)) => types.iter().any(|name| name == "object"),
        Some(name) => name == "object",
        None => false,
    };
    let says = |names: &[&str]| names.iter().any(|name| node.contains_key(*name));
    if !is_object || says(&["patternProperties", "propertyNames", "unevaluatedProperties"]) {
        return;
    }
    if node.get("additionalProperties").is_none_or(|other| other == false) {
        node.entry("properties").or_insert_with(|| json!({}));
        node.insert("additionalProperties".to_owned(), false.into());
    }
}

/// Removes the definitions that nothing refers to any more.
fn prune(root: &mut Value) {
    let Some(Value::Object(definitions)) =
        root.as_object_mut().and_then(|root| root.shift_remove("$defs"))
    else {
        return;
    };
    let mut kept: Vec<String> = Vec::new();
    let mut found = references(root);
    while let Some(name) = found.pop() {
        if let Some(definition) = definitions.get(&name)
            && !kept.contains(&name)
        {
            found.extend(references(&mut definition.clone()));
            kept.push(name);
        }
    }
    let left: Object = definitions.into_iter().filter(|(name, _)| kept.contains(name)).collect();
    if let Value::Object(root) = root
        && !left.is_empty()
    {
        root.insert("$defs".to_owned(), left.into());
    }
}

/// Puts a definition that is referred to once in the place of the reference.
fn inline_single_uses(root: &mut Value) {
    let names: Vec<String> = root
        .get("$defs")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .map(|(name, _)| name.clone())
        .collect();
    for name in names {
        let Some(mut definition) = root.get("$defs").and_then(|all| all.get(&name)).cloned() else {
            continue;
        };
        let uses = references(root).iter().filter(|used| **used == name).count();
        if uses != 1 || references(&mut definition).contains(&name) {
            continue;
        }
        walk(root, &mut |node| {
            if let (Some(used), Value::Object(definition)) = (referred(node), &definition)
                && used == name
            {
                node.clone_from(definition);
            }
        });
    }
    prune(root);
}

fn references(schema: &mut Value) -> Vec<String> {
    let mut names = Vec::new();
    walk(schema, &mut |node| names.extend(referred(node)));
    names
}
