//! A root that is a plain object: what stands beside a union at the root becomes one with it.

use serde_json::Value;

use super::merge::merged;
use super::rewrite::{Rewrite, RewriteKind};
use super::tree::{Object, names, target, text, types, values};
use super::words::described;

/// The root without references and unions.
///
/// # Errors
/// The keyword that has no such form, and what to write instead.
pub(super) fn flattened(
    document: &Value,
    rewrites: &mut Vec<Rewrite>,
) -> Result<Object, (String, String)> {
    let mut root = document.as_object().cloned().unwrap_or_default();
    root.shift_remove("$defs");
    root.shift_remove("definitions");
    gather(document, &mut root)?;
    for union in ["oneOf", "anyOf"] {
        let Some(Value::Array(branches)) = root.shift_remove(union) else { continue };
        flatten(document, &mut root, union, &branches, rewrites)?;
    }
    root.entry("type").or_insert_with(|| "object".into());
    Ok(root)
}

/// Puts what a node refers to, and what it is all of, into the node.
fn gather(document: &Value, node: &mut Object) -> Result<(), (String, String)> {
    let differs = |keyword: String| {
        let advice =
            format!("it is said twice of one object, differently: `{keyword}`; say it once");
        (keyword, advice)
    };
    // References can not go on forever without a schema between them.
    for _ in 0..16 {
        if let Some(Value::String(reference)) = node.shift_remove("$ref") {
            let found = target(document, &reference).and_then(Value::as_object);
            let Some(found) = found else {
                let advice = format!("`{reference}` is not in the schema; write it out");
                return Err(("$ref".to_owned(), advice));
            };
            let mut found = found.clone();
            found.shift_remove("$defs");
            *node = merged(node, &found).map_err(differs)?;
        } else if let Some(Value::Array(all)) = node.shift_remove("allOf") {
            for one in &all {
                let Value::Object(one) = one else { continue };
                let mut one = one.clone();
                gather(document, &mut one)?;
                *node = merged(node, &one).map_err(differs)?;
            }
        } else {
            break;
        }
    }
    Ok(())
}

fn flatten(
    document: &Value,
    root: &mut Object,
    union: &str,
    branches: &[Value],
    rewrites: &mut Vec<Rewrite>,
) -> Result<(), (String, String)> {
    let refused = |advice: &str| (union.to_owned(), advice.to_owned());
    let mut objects = Vec::new();
    for branch in branches {
        let mut branch = branch.as_object().cloned().unwrap_or_default();
        gather(document, &mut branch)?;
        if !types(&branch).iter().all(|of| *of == "object") {
            return Err(refused("a form of the arguments is not an object; put it into a field"));
        }
        if branch.contains_key("oneOf") || branch.contains_key("anyOf") {
            return Err(refused("a union stands in a union; write one of them"));
        }
        objects.push(branch);
    }
    if objects.is_empty() {
        return Ok(());
    }
    let tag = tag(&objects);
    let hint = tag.map_or_else(|| groups(root, union, &objects), |tag| by_tag(root, tag, &objects));
    join(root, &objects);
    let description = described(text(root, "description"), std::slice::from_ref(&hint));
    root.insert("description".to_owned(), description.into());
    rewrites.push(Rewrite::new("$", RewriteKind::Wider, hint));
    Ok(())
}

/// The property that tells the forms apart.
fn tag(objects: &[Object]) -> Option<&str> {
    let first = objects.first()?;
    let told = |object: &Object, name: &str| {
        let property = object.get("properties")?.get(name)?.as_object()?;
        let values = values(property)?;
        (names(object, "required").contains(&name) && values.iter().all(|value| value.is_string()))
            .then(|| values.into_iter().cloned().collect::<Vec<_>>())
    };
    names(first, "required").into_iter().find(|name| {
        let mut seen: Vec<Value> = Vec::new();
        objects.len() > 1
            && objects.iter().all(|object| {
                let Some(values) = told(object, name) else { return false };
                let is_new = values.iter().all(|value| !seen.contains(value));
                seen.extend(values);
                is_new
            })
    })
}

fn by_tag(root: &Object, tag: &str, objects: &[Object]) -> String {
    let always = names(root, "required");
    let told = objects.iter().map(|object| {
        let of = object.get("properties").and_then(|all| all.get(tag)).and_then(Value::as_object);
        let of: Vec<&str> =
            of.and_then(values).into_iter().flatten().filter_map(Value::as_str).collect();
        let needed: Vec<&str> = names(object, "required")
            .into_iter()
            .filter(|name| *name != tag && !always.contains(name))
            .collect();
        let needed =
            if needed.is_empty() { "no further fields".to_owned() } else { needed.join(", ") };
        format!("{}: {needed}", of.join(", "))
    });
    format!("fields required by {tag} - {}", told.collect::<Vec<_>>().join("; "))
}

fn groups(root: &Object, union: &str, objects: &[Object]) -> String {
    let always = names(root, "required");
    let told = objects.iter().map(|object| {
        let needed = names(object, "required");
        let needed: Vec<&str> = needed.into_iter().filter(|name| !always.contains(name)).collect();
        if needed.is_empty() { "nothing more".to_owned() } else { needed.join(", ") }
    });
    let count = if union == "oneOf" { "exactly one group" } else { "at least one group" };
    format!("give {count} of fields: {}", told.collect::<Vec<_>>().join(" | "))
}

/// Writes the fields of all forms into one object; required are those that every form requires.
fn join(root: &mut Object, objects: &[Object]) {
    let mut properties =
        root.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
    let mut forms: Vec<(String, Vec<Value>)> = Vec::new();
    for object in objects {
        for (name, schema) in
            object.get("properties").and_then(Value::as_object).into_iter().flatten()
        {
            // What the root says of the field holds in every form.
            if properties.contains_key(name) && !forms.iter().any(|(other, _)| other == name) {
                continue;
            }
            properties.entry(name.clone()).or_insert(Value::Null);
            match forms.iter_mut().find(|(other, _)| other == name) {
                Some((_, schemas)) if schemas.contains(schema) => {}
                Some((_, schemas)) => schemas.push(schema.clone()),
                None => forms.push((name.clone(), vec![schema.clone()])),
            }
        }
    }
    for (name, schemas) in forms {
        properties.insert(name, one_of_all(&schemas));
    }
    let shared: Vec<Value> = objects.first().map_or_else(Vec::new, |first| {
        let in_all =
            |name: &&str| objects.iter().all(|object| names(object, "required").contains(name));
        names(first, "required").into_iter().filter(in_all).map(Value::from).collect()
    });
    let mut required: Vec<Value> = names(root, "required").into_iter().map(Value::from).collect();
    required.extend(
        shared.into_iter().filter(|name| !names(root, "required").iter().any(|own| name == own)),
    );
    let is_closed =
        |object: &Object| object.get("additionalProperties").is_some_and(|rest| *rest == false);
    if objects.iter().all(is_closed) {
        root.insert("additionalProperties".to_owned(), false.into());
    }
    root.insert("properties".to_owned(), properties.into());
    if !required.is_empty() {
        root.insert("required".to_owned(), required.into());
    }
}

/// A schema that accepts what any of them does; names become one list of names.
fn one_of_all(schemas: &[Value]) -> Value {
    if let [one] = schemas {
        return one.clone();
    }
    let named: Option<Vec<Vec<&Value>>> = schemas
        .iter()
        .map(|schema| values(schema.as_object()?))
        .map(|values| values.filter(|values| values.iter().all(|value| value.is_string())))
        .collect();
    let Some(named) = named else {
        return serde_json::json!({ "anyOf": schemas });
    };
    let mut all: Vec<&Value> = Vec::new();
    for value in named.into_iter().flatten() {
        if !all.contains(&value) {
            all.push(value);
        }
    }
    serde_json::json!({ "type": "string", "enum": all })
}
