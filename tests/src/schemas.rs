//! Schemas at random.

use serde_json::{Map, Value, json};

use crate::Dice;

const NAMES: [&str; 5] = ["a", "b", "id", "name", "kind"];

const DEFINED: [&str; 2] = ["first", "second"];

/// The schema of an object, of every keyword that is compiled.
pub fn object(dice: &mut Dice, depth: usize) -> Value {
    let mut object = nested(dice, depth);
    let definitions = DEFINED.iter().map(|name| ((*name).to_owned(), schema(dice, 0)));
    object["$defs"] = Value::Object(definitions.collect());
    object
}

fn nested(dice: &mut Dice, depth: usize) -> Value {
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
    match dice.below(if depth == 0 { 6 } else { 12 }) {
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
        6 => nested(dice, depth),
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
        10 => reference(dice),
        _ => union(dice),
    }
}

/// A reference, alone or beside every keyword that judges the same value.
fn reference(dice: &mut Dice) -> Value {
    let mut node = match dice.below(6) {
        0 => json!({}),
        1 => return json!({"anyOf": [defined(dice), {"type": "null"}]}),
        2 => json!({"allOf": [schema(dice, 0)]}),
        3 => json!({"anyOf": [schema(dice, 0), schema(dice, 0)]}),
        4 => json!({"not": schema(dice, 0)}),
        _ => schema(dice, 0),
    };
    if let (Value::Object(node), Value::Object(reference)) = (&mut node, defined(dice)) {
        node.extend(reference);
    }
    node
}

fn defined(dice: &mut Dice) -> Value {
    json!({"$ref": format!("#/$defs/{}", dice.pick(&DEFINED))})
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
