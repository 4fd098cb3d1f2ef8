//! Types whose own reading no schema can be brought to agree with.
//!
//! serde tries the forms of an untagged enum in order, each more loosely than its schema says,
//! and reads no integer out of a map's key once an enum has buffered the map.

use serde_json::{Map, Value};

use super::normalize::{resolved, walk};

type Object = Map<String, Value>;

/// What is wrong, with what to write instead; the objects of the schema are not closed yet.
pub(super) fn faults(root: &Value) -> Vec<String> {
    let definitions = root.get("$defs").cloned().unwrap_or_default();
    let mut faults = Vec::new();
    walk(&mut root.clone(), &mut |node| {
        let untagged = branches(node, "anyOf", &definitions);
        for (index, earlier) in untagged.iter().enumerate() {
            let later = untagged.iter().skip(index + 1);
            faults.extend(later.filter_map(|later| taken_for(earlier, later)).map(str::to_owned));
        }
        let tagged = branches(node, "oneOf", &definitions);
        let is_tagged = tagged.iter().any(has_tag);
        let buffered = untagged.iter().chain(tagged.iter().filter(|_| is_tagged));
        if buffered.clone().count() > 1
            && buffered.into_iter().any(|branch| has_integer_keys(branch, &definitions))
        {
            faults.push(
                "a map with integer keys can not be read inside a tagged or an untagged enum; \
                 give the map text keys"
                    .to_owned(),
            );
        }
    });
    faults.dedup();
    faults
}

fn branches(node: &Object, union: &str, definitions: &Value) -> Vec<Object> {
    let listed = node.get(union).and_then(Value::as_array).into_iter().flatten();
    listed.filter_map(|branch| resolved(branch.as_object()?, definitions).cloned()).collect()
}

enum Form {
    /// Named properties; open where serde leaves unknown ones out.
    Struct {
        open: bool,
    },
    Map,
    List,
    Names,
    Integer,
    Float,
    Other,
}

fn form(node: &Object) -> Form {
    match node.get("type").and_then(Value::as_str) {
        Some("object") if node.contains_key("properties") => {
            Form::Struct { open: node.get("additionalProperties") != Some(&Value::Bool(false)) }
        }
        Some("object") => Form::Map,
        Some("array") => Form::List,
        Some("string") if node.contains_key("enum") || node.contains_key("const") => Form::Names,
        Some("integer") => Form::Integer,
        Some("number") => Form::Float,
        _ => Form::Other,
    }
}

/// Why serde takes a value of the later form for one of the earlier.
fn taken_for(earlier: &Object, later: &Object) -> Option<&'static str> {
    Some(match (form(earlier), form(later)) {
        (Form::Struct { .. }, Form::List) => {
            "an untagged enum has a struct before a list, and the list would fill the struct; \
             put the list first"
        }
        (Form::Struct { open: true }, Form::Struct { .. } | Form::Map) => {
            "an untagged enum has a struct before another object, and the struct leaves unknown \
             fields out; put `#[arg_type]` or `#[serde(deny_unknown_fields)]` on it"
        }
        (Form::Names, Form::Map) => {
            "an untagged enum has names before a map, and an object like {\"NAME\": null} would \
             be taken for a name; put the map first"
        }
        (Form::Float, Form::Integer) => {
            "an untagged enum has a float before an integer, and a large integer would lose \
             digits; put the integer first"
        }
        _ => return None,
    })
}

fn has_tag(branch: &Object) -> bool {
    let properties = branch.get("properties").and_then(Value::as_object).into_iter().flatten();
    properties.into_iter().any(|(_, property)| property.get("const").is_some())
}

fn has_integer_keys(branch: &Object, definitions: &Value) -> bool {
    let mut found = false;
    let mut seen: Vec<String> = Vec::new();
    let mut open = vec![Value::Object(branch.clone())];
    while let Some(mut schema) = open.pop() {
        walk(&mut schema, &mut |node| {
            let keys = node.get("patternProperties").and_then(Value::as_object);
            found |= keys.into_iter().flatten().any(|(pattern, _)| pattern.contains("[1-9]"));
            if let Some(Value::String(reference)) = node.get("$ref")
                && !seen.contains(reference)
            {
                seen.push(reference.clone());
                open.extend(resolved(node, definitions).cloned().map(Value::Object));
            }
        });
    }
    found
}
