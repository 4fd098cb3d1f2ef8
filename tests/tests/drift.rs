//! The dispatcher accepts a text if and only if the published schema accepts its normal form.

use serde_json::{Map, Value, json};
use toolkit::{CallContext, Failure, Status, Tool};
use toolkit_tests::{Dice, call, cases, definition, view_of};

#[test]
fn a_tool_accepts_exactly_what_its_schema_accepts() {
    let mut dice = Dice::fresh("drift");
    let (mut accepted, total) = (0, cases(20_000));
    for round in 0..total / 20 {
        let schema = object(&mut dice, 3);
        let echo = |arguments: Value, _: CallContext| async move { Ok::<_, Failure>(arguments) };
        let view = view_of(Tool::dynamic("echo", "Repeats.", schema.clone(), echo));
        let published = definition(&view)["input_schema"].clone();
        let judge = jsonschema::options()
            .should_validate_formats(true)
            .build(&published)
            .unwrap_or_else(|error| panic!("round {round}: {error}\n{published}"));
        for _ in 0..20 {
            let value = arguments(&mut dice, &schema);
            let outcome = call(&view, "echo", &value.to_string());
            let normal = normal_form(&schema, &value);
            let verdict = judge.is_valid(&normal);
            assert_eq!(
                outcome.status() == Status::Ok,
                verdict,
                "\nschema {schema}\nvalue {value}\nnormal {normal}\noutcome {outcome:?}"
            );
            if verdict {
                accepted += 1;
                assert!(
                    judge.is_valid(&outcome.value().unwrap()),
                    "the function got what its schema refuses\nschema {schema}\nvalue {value}\noutcome {outcome:?}"
                );
            }
        }
    }
    println!("{accepted} of {total} accepted");
    assert!(accepted > total / 20, "only {accepted} of {total} were accepted; the dice are loaded");
}

const NAMES: [&str; 5] = ["a", "b", "id", "name", "kind"];
const TEXTS: [&str; 8] = ["", "x", "EUR", "usd", "O-12", "ünï", "2026-11-30", "aaaaaaaa"];
const NUMBERS: [&str; 14] = [
    "0",
    "1",
    "-1",
    "2",
    "3.0",
    "0.5",
    "0.3",
    "-0",
    "7",
    "100",
    "1e2",
    "2.5",
    "12345678901",
    "-0.0",
];

fn object(dice: &mut Dice, depth: usize) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for name in NAMES.iter().take(1 + dice.below(4)) {
        properties.insert((*name).to_owned(), schema(dice, depth - 1));
        if dice.one_in(2) {
            required.push(Value::from(*name));
        }
    }
    let mut object = json!({"type": "object", "properties": properties, "required": required});
    match dice.below(6) {
        0 => {}
        1 => object["additionalProperties"] = schema(dice, 0),
        2 => {
            object["propertyNames"] =
                json!({"anyOf": [{"maxLength": 1}, {"pattern": "^(id|extra)$"}]});
        }
        3 => {
            object["patternProperties"] = json!({"^e": schema(dice, 0)});
            object["additionalProperties"] = json!(false);
        }
        _ => object["additionalProperties"] = json!(false),
    }
    object
}

fn schema(dice: &mut Dice, depth: usize) -> Value {
    match dice.below(if depth == 0 { 6 } else { 11 }) {
        0 => number(dice, "integer"),
        1 => number(dice, "number"),
        2 => text(dice),
        3 => json!({"type": "boolean"}),
        4 => match dice.below(4) {
            0 => json!({"enum": ["EUR", "usd", 1, null]}),
            1 => json!({"const": "x"}),
            2 => json!(true),
            _ => json!({"type": ["string", "null"]}),
        },
        5 => json!({"type": "string", "enum": ["EUR", "usd", "x"]}),
        6 => object(dice, depth),
        7 => {
            json!({"type": "object", "additionalProperties": schema(dice, depth - 1), "maxProperties": dice.below(4)})
        }
        8 => {
            let mut list = json!({"type": "array", "items": schema(dice, depth - 1)});
            if dice.one_in(2) {
                list["uniqueItems"] = json!(true);
            }
            if dice.one_in(2) {
                list["minItems"] = json!(dice.below(3));
            }
            if dice.one_in(3) {
                list["maxItems"] = json!(dice.below(4));
            }
            list
        }
        9 => {
            json!({"type": "array", "prefixItems": [schema(dice, 0), schema(dice, 0)], "items": false})
        }
        _ => union(dice),
    }
}

/// Unions of objects are left to the types that give them: their normal form is the branch's.
fn union(dice: &mut Dice) -> Value {
    match dice.below(4) {
        0 => json!({"anyOf": [schema(dice, 0), schema(dice, 0)]}),
        1 => json!({"oneOf": [schema(dice, 0), schema(dice, 0)]}),
        2 => json!({"allOf": [schema(dice, 0), schema(dice, 0)]}),
        _ => json!({"not": schema(dice, 0)}),
    }
}

fn number(dice: &mut Dice, of: &str) -> Value {
    let mut number = json!({"type": of});
    if dice.one_in(3) {
        number["minimum"] = json!(dice.below(3));
    }
    if dice.one_in(3) {
        number["exclusiveMaximum"] = json!(dice.below(9));
    }
    if dice.one_in(4) {
        number["multipleOf"] = json!(*dice.pick(&[0.5, 2.0, 3.0]));
    }
    number
}

fn text(dice: &mut Dice) -> Value {
    let mut text = json!({"type": "string"});
    match dice.below(5) {
        0 => text["minLength"] = json!(dice.below(4)),
        1 => text["maxLength"] = json!(dice.below(6)),
        2 => text["pattern"] = json!(*dice.pick(&[r"^O-\d+$", r"^\w*$", "[A-Z]"])),
        3 => text["format"] = json!("date"),
        _ => {}
    }
    text
}

/// Arguments that follow the schema, but for slips.
fn arguments(dice: &mut Dice, schema: &Value) -> Value {
    let value = following(dice, schema, 6);
    if value.is_object() { value } else { json!({}) }
}

fn anything(dice: &mut Dice, depth: usize) -> Value {
    match dice.below(if depth == 0 { 5 } else { 7 }) {
        0 => Value::Null,
        1 => Value::Bool(dice.one_in(2)),
        2 | 3 => serde_json::from_str(dice.pick::<&str>(&NUMBERS)).unwrap(),
        4 => Value::from(*dice.pick(&TEXTS)),
        5 => (0..dice.below(4)).map(|_| anything(dice, depth - 1)).collect(),
        _ => {
            let count = dice.below(3);
            let members =
                (0..count).map(|_| ((*dice.pick(&NAMES)).to_owned(), anything(dice, depth - 1)));
            Value::Object(members.collect())
        }
    }
}

fn following(dice: &mut Dice, schema: &Value, depth: usize) -> Value {
    if depth == 0 || dice.one_in(12) {
        return anything(dice, 2);
    }
    if let Some(values) = schema["enum"].as_array() {
        return dice.pick(values).clone();
    }
    for union in ["anyOf", "oneOf", "allOf"] {
        if let Some(branches) = schema[union].as_array() {
            return following(dice, dice.clone().pick(branches), depth - 1);
        }
    }
    match schema["type"].as_str() {
        Some("integer" | "number") => serde_json::from_str(dice.pick::<&str>(&NUMBERS)).unwrap(),
        Some("string") => Value::from(*dice.pick(&TEXTS)),
        Some("boolean") => Value::Bool(dice.one_in(2)),
        Some("array") => {
            let prefix = schema["prefixItems"].as_array().cloned().unwrap_or_default();
            let count = if prefix.is_empty() { dice.below(4) } else { prefix.len() };
            let item = |index: usize| prefix.get(index).unwrap_or(&schema["items"]).clone();
            (0..count).map(|index| following(dice, &item(index), depth - 1)).collect()
        }
        Some("object") => {
            let mut members = Map::new();
            for (name, property) in schema["properties"].as_object().into_iter().flatten() {
                if !dice.one_in(5) {
                    members.insert(name.clone(), following(dice, property, depth - 1));
                }
            }
            for other in [&schema["additionalProperties"], &schema["patternProperties"]["^e"]] {
                if other.is_object() && dice.one_in(2) {
                    members.insert("extra".to_owned(), following(dice, other, depth - 1));
                }
            }
            Value::Object(members)
        }
        _ => anything(dice, 1),
    }
}

/// The same value without the nulls of properties that are not required.
fn normal_form(schema: &Value, value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let required = schema["required"].as_array().cloned().unwrap_or_default();
            let kept = members.iter().filter_map(|(name, value)| {
                let property = &schema["properties"][name];
                let optional =
                    !property.is_null() && !required.contains(&Value::from(name.as_str()));
                if optional && value.is_null() {
                    return None;
                }
                let inner =
                    if property.is_null() { &schema["additionalProperties"] } else { property };
                Some((name.clone(), normal_form(inner, value)))
            });
            Value::Object(kept.collect())
        }
        Value::Array(items) => {
            let prefix = schema["prefixItems"].as_array().cloned().unwrap_or_default();
            let item = |index: usize| prefix.get(index).unwrap_or(&schema["items"]).clone();
            items
                .iter()
                .enumerate()
                .map(|(index, value)| normal_form(&item(index), value))
                .collect()
        }
        _ => value.clone(),
    }
}
