//! Whether a value has the form of a projected schema: what tells the forms of a union apart.

use serde_json::{Map, Value};

/// Whether letters may come in other case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    Exact,
    Any,
}

/// Whether a value has the form; bounds and patterns are the dispatcher's business.
pub(super) fn fits(value: &Value, schema: &Value, definitions: &Value, case: Case) -> bool {
    Look { definitions, case }.fits(value, schema, 0)
}

struct Look<'a> {
    definitions: &'a Value,
    case: Case,
}

impl Look<'_> {
    fn fits(&self, value: &Value, schema: &Value, depth: usize) -> bool {
        let Value::Object(node) = schema else { return *schema != Value::Bool(false) };
        if depth > 256 {
            return false;
        }
        if value.is_null() && node.get("nullable").is_some_and(|flag| *flag == true) {
            return true;
        }
        if let Some(reference) = node.get("$ref").and_then(Value::as_str) {
            let name = reference.strip_prefix("#/$defs/").unwrap_or_default();
            return self
                .definitions
                .get(name)
                .is_some_and(|target| self.fits(value, target, depth + 1));
        }
        let any_of = node.get("anyOf").and_then(Value::as_array);
        node.get("type").is_none_or(|of| is_of(value, of))
            && node.get("const").is_none_or(|one| self.is_same(value, one))
            && node
                .get("enum")
                .and_then(Value::as_array)
                .is_none_or(|values| values.iter().any(|one| self.is_same(value, one)))
            && any_of.is_none_or(|all| all.iter().any(|one| self.fits(value, one, depth + 1)))
            && match value {
                Value::Object(members) => self.object(members, node, depth),
                Value::Array(items) => self.array(items, node, depth),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
            }
    }

    fn is_same(&self, value: &Value, one: &Value) -> bool {
        match (value, one, self.case) {
            (Value::String(value), Value::String(one), Case::Any) => {
                value.eq_ignore_ascii_case(one)
            }
            _ => value == one,
        }
    }

    fn object(
        &self,
        members: &Map<String, Value>,
        node: &Map<String, Value>,
        depth: usize,
    ) -> bool {
        let required = node.get("required").and_then(Value::as_array);
        let has = |name: &Value| name.as_str().is_some_and(|name| members.contains_key(name));
        let properties = node.get("properties").and_then(Value::as_object);
        // Where an API may not say that an object is closed, it is all the same.
        let rest = match node.get("additionalProperties") {
            None if properties.is_some() => &Value::Bool(false),
            None => &Value::Bool(true),
            Some(rest) => rest,
        };
        required.is_none_or(|names| names.iter().all(has))
            && members.iter().all(|(name, value)| {
                let schema = properties.and_then(|all| all.get(name)).unwrap_or(rest);
                self.fits(value, schema, depth + 1)
            })
    }

    fn array(&self, items: &[Value], node: &Map<String, Value>, depth: usize) -> bool {
        let first = node.get("prefixItems").and_then(Value::as_array);
        let first = first.map(Vec::as_slice).unwrap_or_default();
        let count = |name: &str| node.get(name).and_then(Value::as_u64);
        let length = items.len() as u64;
        let rest = node.get("items").unwrap_or(&Value::Bool(true));
        count("minItems").is_none_or(|least| least <= length)
            && count("maxItems").is_none_or(|most| length <= most)
            && items
                .iter()
                .enumerate()
                .all(|(index, item)| self.fits(item, first.get(index).unwrap_or(rest), depth + 1))
    }
}

fn is_of(value: &Value, of: &Value) -> bool {
    match of {
        Value::Array(names) => names.iter().any(|name| is_of(value, name)),
        Value::String(name) => match name.as_str() {
            "null" => value.is_null(),
            "boolean" => value.is_boolean(),
            "integer" => {
                value.is_i64()
                    || value.is_u64()
                    || value.as_f64().is_some_and(|number| number.fract() == 0.0)
            }
            "number" => value.is_number(),
            "string" => value.is_string(),
            "array" => value.is_array(),
            "object" => value.is_object(),
            _ => false,
        },
        _ => true,
    }
}
