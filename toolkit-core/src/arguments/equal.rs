//! When JSON Schema holds two values equal.

use serde_json::Value;

use super::text::Json;
use crate::schema::Decimal;

/// JSON Schema's equality: numbers by their size, objects without order.
pub(super) fn equal(json: &Json<'_>, value: &Value) -> bool {
    match (json, value) {
        (Json::Null, Value::Null) => true,
        (Json::Bool(left), Value::Bool(right)) => left == right,
        (Json::Text(left), Value::String(right)) => left == right,
        (Json::Number(left), Value::Number(right)) => {
            let left = Decimal::read(left);
            left.is_some() && left == Decimal::read(&right.to_string())
        }
        (Json::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left.iter().zip(right).all(|(left, right)| equal(left, right))
        }
        (Json::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(name, left)| {
                    right.get(name.as_ref()).is_some_and(|right| equal(left, right))
                })
        }
        _ => false,
    }
}

/// One text for all values that JSON Schema holds equal.
pub(crate) fn identity(value: &Value) -> String {
    match value {
        Value::Null | Value::Bool(_) => value.to_string(),
        Value::Number(number) => {
            let digits = number.to_string();
            Decimal::read(&digits).map_or(digits, |number| number.canonical())
        }
        Value::String(text) => format!("{text:?}"),
        Value::Array(items) => {
            format!("[{}]", items.iter().map(identity).collect::<Vec<_>>().join(","))
        }
        Value::Object(members) => {
            let mut members: Vec<String> = members
                .iter()
                .map(|(name, value)| format!("{name:?}:{}", identity(value)))
                .collect();
            members.sort_unstable();
            format!("{{{}}}", members.join(","))
        }
    }
}
