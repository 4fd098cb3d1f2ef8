//! Closed sets of values, in what an API takes of them.

use serde_json::{Value, json};

use super::lower::{Made, Pass, describe};
use super::rewrite::RewriteKind;
use super::steps::Step;
use super::tree::{Object, members, put};
use crate::dialect::form::Values;

impl Pass<'_> {
    /// Writes a closed set of values.
    pub(super) fn values(&mut self, node: &Object, values: &[Value], at: &str) -> Option<Made> {
        let nullable = values.iter().any(Value::is_null);
        let values: Vec<Value> = values.iter().filter(|value| !value.is_null()).cloned().collect();
        let mut kinds: Vec<&str> = Vec::new();
        for value in &values {
            let kind = kind_of(value);
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        if kinds.contains(&"integer") && kinds.contains(&"number") {
            kinds.retain(|kind| *kind != "integer");
        }
        let made = match kinds.as_slice() {
            [] if nullable => return self.null(node, at),
            [] => return self.refuse(at, "enum", "no value is accepted here; leave it out"),
            ["object" | "array"] => self.refuse(
                at,
                "enum",
                "objects and lists in it have no form; write an `anyOf` of their schemas",
            ),
            [kind] => self.values_of(node, &values, kind, at),
            several => {
                let forms: Vec<Value> = several
                    .iter()
                    .map(|kind| {
                        let own: Vec<&Value> =
                            values.iter().filter(|value| is_of(value, kind)).collect();
                        json!({ "type": kind, "enum": own })
                    })
                    .collect();
                self.forms(node, &forms, at)
            }
        }?;
        Some(Made { nullable: made.nullable || nullable, ..made })
    }

    fn values_of(&mut self, node: &Object, values: &[Value], kind: &str, at: &str) -> Option<Made> {
        let is_taken = match self.rules.values {
            Values::Any | Values::Primitives => true,
            Values::TextsAndNumbers => kind != "boolean",
            Values::Texts => kind == "string",
        };
        let mut schema = members(json!({ "type": kind }));
        let mut hints = Vec::new();
        if !is_taken {
            let told: Vec<String> = values.iter().map(Value::to_string).collect();
            hints.push(format!("one of {}", told.join(", ")));
            self.note(at, RewriteKind::Wider, format!("one of {}", told.join(", ")));
        } else if let (true, Some(one)) = (self.rules.constants, node.get("const")) {
            put(&mut schema, "const", one.clone());
        } else {
            put(&mut schema, "enum", values);
        }
        let names: Vec<String> =
            values.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        let step =
            if self.rules.loose_case && is_taken { self.any_case(names, at)? } else { Step::Same };
        let mut left = Vec::new();
        if let Some(default) = node.get("default") {
            if self.rules.takes("default") {
                put(&mut schema, "default", default.clone());
            } else {
                left.push("default");
            }
        }
        hints.extend(self.hints(node, &left, at)?);
        let schema = describe(node, schema, &hints);
        Some(Made { schema, step, nullable: false })
    }

    /// Names that the model may write in other case; two must not differ in nothing else.
    fn any_case(&mut self, names: Vec<String>, at: &str) -> Option<Step> {
        for (index, name) in names.iter().enumerate() {
            let twin = names.iter().take(index).find(|other| other.eq_ignore_ascii_case(name));
            if let Some(twin) = twin {
                let advice = format!(
                    "`{twin}` and `{name}` differ by case only, which the provider does not keep; \
                     rename one"
                );
                return self.refuse(at, "enum", advice);
            }
        }
        let has_letters = |name: &String| name.contains(|c: char| c.is_ascii_alphabetic());
        Some(if names.iter().any(has_letters) { Step::Names(names) } else { Step::Same })
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_i64() || number.is_u64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

pub(super) fn is_of(value: &Value, of: &str) -> bool {
    let kind = kind_of(value);
    kind == of || (of == "number" && kind == "integer")
}
