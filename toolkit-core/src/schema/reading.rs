//! Types whose own reading no schema can be brought to agree with.
//!
//! serde tries the forms of an untagged enum in order, each more loosely than its schema says,
//! and reads no integer out of a map's key once an enum has buffered the map.

use serde_json::{Map, Value};

use super::keys;
use super::normalize::{resolved, rust_range, walk};

type Object = Map<String, Value>;

/// What is wrong, with what to write instead; the objects of the schema are not closed yet.
pub(super) fn faults(root: &Value) -> Vec<String> {
    let definitions = root.get("$defs").cloned().unwrap_or_default();
    let mut faults = Vec::new();
    walk(&mut root.clone(), &mut |node| {
        let untagged = branches(node, "anyOf", &definitions);
        for (index, earlier) in untagged.iter().enumerate() {
            let later = untagged.iter().skip(index + 1);
            let taken = later.filter_map(|later| taken_for(earlier, later, &definitions));
            faults.extend(taken.map(str::to_owned));
        }
        let tagged = branches(node, "oneOf", &definitions);
        let is_tagged = tagged.iter().any(has_tag);
        let buffered = untagged.iter().chain(tagged.iter().filter(|_| is_tagged));
        if buffered.clone().count() > 1
            && buffered.into_iter().any(|branch| has_parsed_keys(branch, &definitions))
        {
            faults.push(
                "a map whose keys are integers or booleans can not be read inside a tagged or an untagged enum; \
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
fn taken_for(earlier: &Object, later: &Object, definitions: &Value) -> Option<&'static str> {
    let json_type = |node: &Object| match node.get("type").and_then(Value::as_str) {
        Some("integer" | "number") => Some("number".to_owned()),
        other => other.map(str::to_owned),
    };
    let same_type = json_type(earlier).is_some() && json_type(earlier) == json_type(later);
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
        _ if same_type && is_constrained(earlier, definitions) => {
            "an untagged enum has a form with constraints before another of the same JSON type, \
             and a value that only the later one takes would be read as the earlier; \
             give the enum a tag, or put the form with the constraints last"
        }
        _ => return None,
    })
}

/// Whether a schema says something of its values that serde does not look at.
fn is_constrained(node: &Object, definitions: &Value) -> bool {
    any_node(node, definitions, &mut |node| {
        let has = |keyword: &str| node.contains_key(keyword);
        let is_char = node.get("maxLength") == Some(&1.into()) && !has("pattern");
        let is_fixed = node.get("minItems") == node.get("maxItems");
        let text = !is_char && ["minLength", "maxLength", "pattern"].into_iter().any(has);
        // An address type reads nothing else; other formats may be words of the schema alone.
        let format = match node.get("format").and_then(Value::as_str) {
            None | Some("ipv4" | "ipv6") => false,
            Some(_) => rust_range(node).is_none(),
        };
        let list = has("uniqueItems") || (!is_fixed && (has("minItems") || has("maxItems")));
        let range = rust_range(node).unwrap_or_default();
        let bound =
            [("minimum", range.0), ("maximum", range.1)].into_iter().any(|(keyword, own)| {
                node.get(keyword).is_some_and(|bound| own.as_ref() != Some(bound))
            });
        let other = ["exclusiveMinimum", "exclusiveMaximum", "multipleOf"].into_iter().any(has);
        text || format || list || bound || other
    })
}

/// Whether a node, or any below it, answers yes.
fn any_node(node: &Object, definitions: &Value, ask: &mut dyn FnMut(&Object) -> bool) -> bool {
    let mut found = false;
    let mut seen: Vec<String> = Vec::new();
    let mut open = vec![Value::Object(node.clone())];
    while let Some(mut schema) = open.pop() {
        walk(&mut schema, &mut |node| {
            found |= ask(node);
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

fn has_tag(branch: &Object) -> bool {
    let properties = branch.get("properties").and_then(Value::as_object).into_iter().flatten();
    properties.into_iter().any(|(_, property)| property.get("const").is_some())
}

fn has_parsed_keys(branch: &Object, definitions: &Value) -> bool {
    any_node(branch, definitions, &mut keys::are_parsed)
}
