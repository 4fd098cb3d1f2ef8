//! Two schemas that judge one value, written as one.

use serde_json::Value;

use super::tree::{Object, types};

/// Joins two nodes; what the first says of the value's meaning comes first.
///
/// # Errors
/// The keyword of which the two say different things.
pub(super) fn merged(first: &Object, second: &Object) -> Result<Object, String> {
    let mut joined = first.clone();
    for (keyword, value) in second {
        let Some(own) = joined.get(keyword).cloned() else {
            joined.insert(keyword.clone(), value.clone());
            continue;
        };
        if own == *value && keyword != "type" {
            continue;
        }
        let both = both(keyword, first, &own, second, value).ok_or_else(|| keyword.clone())?;
        joined.insert(keyword.clone(), both);
    }
    Ok(joined)
}

fn both(
    keyword: &str,
    first: &Object,
    own: &Value,
    second: &Object,
    value: &Value,
) -> Option<Value> {
    match (keyword, own, value) {
        ("description", Value::String(own), Value::String(other)) => Some(match own.as_str() {
            "" => other.as_str().into(),
            own if own.contains(other.as_str()) => own.into(),
            own => format!("{own}\n{other}").into(),
        }),
        ("type", ..) => shared_types(first, second),
        ("properties", Value::Object(own), Value::Object(other)) => fields(own, other),
        ("required", Value::Array(own), Value::Array(other)) => {
            let more = other.iter().filter(|name| !own.contains(name));
            Some(own.iter().chain(more).cloned().collect())
        }
        ("enum", Value::Array(own), Value::Array(other)) => {
            let shared: Vec<Value> =
                own.iter().filter(|one| other.contains(one)).cloned().collect();
            (!shared.is_empty()).then(|| shared.into())
        }
        ("additionalProperties", own, other) => match (own, other) {
            (Value::Bool(false), _) | (_, Value::Bool(false)) => Some(false.into()),
            (Value::Bool(true), other) => Some(other.clone()),
            (own, Value::Bool(true)) => Some(own.clone()),
            _ => None,
        },
        ("title" | "default" | "examples" | "deprecated" | "$comment", own, _) => Some(own.clone()),
        (_, Value::Number(_), Value::Number(_)) => narrower(keyword, own, value),
        _ => None,
    }
}

fn shared_types(first: &Object, second: &Object) -> Option<Value> {
    let other = types(second);
    let shared: Vec<&str> = types(first)
        .into_iter()
        .filter_map(|of| match of {
            "number" | "integer" if other.contains(&"integer") => Some("integer"),
            "integer" if other.contains(&"number") => Some("integer"),
            of => other.contains(&of).then_some(of),
        })
        .collect();
    match shared.as_slice() {
        [] => None,
        [one] => Some((*one).into()),
        _ => Some(shared.into()),
    }
}

fn fields(own: &Object, other: &Object) -> Option<Value> {
    let mut joined = own.clone();
    for (name, schema) in other {
        let schema = match (own.get(name), schema) {
            (Some(Value::Object(own)), Value::Object(schema)) => merged(own, schema).ok()?.into(),
            (Some(Value::Bool(true)) | None, schema) => schema.clone(),
            (Some(own), Value::Bool(true)) => own.clone(),
            (Some(own), schema) if own == schema => own.clone(),
            (Some(_), _) => return None,
        };
        joined.insert(name.clone(), schema);
    }
    Some(joined.into())
}

/// The bound that leaves less.
fn narrower(keyword: &str, own: &Value, other: &Value) -> Option<Value> {
    let is_least = match keyword {
        "minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties" => true,
        "maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties" => false,
        _ => return None,
    };
    let is_own = (own.as_f64()? >= other.as_f64()?) == is_least;
    Some(if is_own { own.clone() } else { other.clone() })
}
