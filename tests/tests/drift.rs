//! The dispatcher accepts a text if and only if the published schema accepts its normal form.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::num::{NonZeroI32, NonZeroU8};

use serde_json::{Map, Value, json};
use toolkit::prelude::*;
use toolkit::{Status, View};
use toolkit_tests::{Dice, call, cases, definition, echo, view_of};

#[test]
fn a_tool_accepts_exactly_what_its_schema_accepts() {
    let mut dice = Dice::fresh("drift");
    let (mut accepted, total) = (0, cases(20_000));
    for _ in 0..total / 20 {
        let schema = object(&mut dice, 3);
        let view = view_of(echo(schema));
        accepted += agree(&mut dice, &view, "echo", 20);
    }
    println!("{accepted} of {total} accepted");
    assert!(accepted > total / 20, "only {accepted} of {total} were accepted; the dice are loaded");
}

#[test]
fn an_annotated_tool_accepts_exactly_what_its_schema_accepts() {
    let mut dice = Dice::fresh("drift of types");
    let (mut accepted, total) = (0, cases(20_000));
    let views: Vec<(&str, View)> = vec![
        ("numbers", view_of(Tool::of::<numbers>())),
        ("texts", view_of(Tool::of::<texts>())),
        ("lists", view_of(Tool::of::<lists>())),
        ("maps", view_of(Tool::of::<maps>())),
        ("keyed", view_of(Tool::of::<keyed>())),
        ("structs", view_of(Tool::of::<structs>())),
        ("enums", view_of(Tool::of::<enums>())),
        ("more_enums", view_of(Tool::of::<more_enums>())),
        ("options", view_of(Tool::of::<options>())),
        ("constrained", view_of(Tool::of::<constrained>())),
    ];
    let each = total / views.len();
    for (name, view) in &views {
        let count = agree(&mut dice, view, name, each);
        println!("{name}: {count} of {each} accepted");
        assert!(count > each / 50, "only {count} of {each} calls of {name} were accepted");
        accepted += count;
    }
    println!("{accepted} of {total} accepted");
}

/// Dispatches generated calls and compares each verdict with the judge's; how many were accepted.
fn agree(dice: &mut Dice, view: &View, name: &str, count: usize) -> usize {
    let published = definition(view)["input_schema"].clone();
    let judge = Judge { root: &published, compiled: RefCell::default() };
    let mut accepted = 0;
    for _ in 0..count {
        let value = judge.arguments(dice);
        let outcome = call(view, name, &value.to_string());
        let normal = judge.normal_form(&published, &value);
        let verdict = judge.accepts(&published, &normal);
        assert_eq!(
            outcome.status() == Status::Ok,
            verdict,
            "\nschema {published}\nvalue {value}\nnormal {normal}\noutcome {outcome:?}"
        );
        if verdict {
            accepted += 1;
            if let Some(seen) = outcome.value() {
                assert!(
                    judge.accepts(&published, &seen),
                    "the function got what its schema refuses\nschema {published}\nvalue {value}\noutcome {outcome:?}"
                );
            }
        }
    }
    accepted
}

/// Numbers.
#[tool]
fn numbers(
    a: Option<i8>,
    b: Option<u16>,
    c: Option<i32>,
    d: Option<u64>,
    e: Option<i16>,
    f: Option<f64>,
    g: Option<NonZeroU8>,
    h: Option<NonZeroI32>,
    i: Option<usize>,
) -> String {
    format!("{a:?} {b:?} {c:?} {d:?} {e:?} {f:?} {g:?} {h:?} {i:?}")
}

/// Texts and simple things.
#[tool]
fn texts(
    a: Option<String>,
    b: Option<char>,
    c: Option<bool>,
    d: Option<Value>,
    e: Option<()>,
    name: &str,
) -> String {
    format!("{a:?} {b:?} {c:?} {d:?} {e:?} {name:?}")
}

/// Lists.
#[tool]
fn lists(
    a: Vec<u8>,
    b: Option<[i32; 2]>,
    c: Option<(u8, String)>,
    d: Option<BTreeSet<u8>>,
    e: Option<Vec<Option<bool>>>,
    f: Option<Vec<Vec<f64>>>,
) -> String {
    format!("{a:?} {b:?} {c:?} {d:?} {e:?} {f:?}")
}

/// Maps.
#[tool]
fn maps(
    a: BTreeMap<String, u8>,
    b: Option<BTreeMap<u32, String>>,
    c: Option<BTreeMap<i8, Plain>>,
    d: Option<BTreeMap<String, Option<u8>>>,
    e: Option<Map<String, Value>>,
) -> String {
    format!("{a:?} {b:?} {c:?} {d:?} {e:?}")
}

/// Maps whose keys are no text.
#[tool]
fn keyed(
    a: BTreeMap<u8, u8>,
    b: Option<BTreeMap<i16, Plain>>,
    c: Option<BTreeMap<NonZeroU8, u8>>,
    d: Option<BTreeMap<char, u8>>,
    e: Option<BTreeMap<bool, Option<u8>>>,
    f: Option<BTreeMap<Key, u8>>,
    g: Option<BTreeMap<Number, BTreeMap<NonZeroI32, bool>>>,
    h: Option<KeyedForm>,
    i: Option<BTreeMap<u64, bool>>,
) -> String {
    format!("{a:?} {b:?} {c:?} {d:?} {e:?} {f:?} {g:?} {h:?} {i:?}")
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
#[arg_type]
enum Key {
    /// The first.
    #[serde(rename = "a")]
    First,
    #[serde(rename = "7")]
    Seventh,
    Extra,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
#[arg_type]
struct Number(i8);

#[derive(Debug)]
#[arg_type]
#[serde(tag = "kind")]
enum KeyedForm {
    #[serde(rename = "x")]
    Letters(BTreeMap<char, u8>),
    #[serde(rename = "usd")]
    Names { a: BTreeMap<Key, u8> },
}

/// A plain one.
#[derive(Debug)]
#[arg_type]
struct Plain {
    a: u8,
    #[serde(default)]
    b: u8,
    name: Option<String>,
}

#[derive(Debug)]
#[arg_type]
struct Newtype(u8);

#[derive(Debug)]
#[arg_type]
struct Unit;

#[derive(Debug)]
#[arg_type]
struct Empty {}

#[derive(Debug)]
#[arg_type]
struct Pair(u8, String);

#[derive(Debug)]
#[arg_type]
#[serde(rename_all = "camelCase", default)]
#[derive(Default)]
struct Renamed {
    kind: u8,
    #[serde(rename = "id")]
    its_own_name: Option<Plain>,
    #[serde(skip)]
    name: String,
}

/// A tree.
#[derive(Debug)]
#[arg_type]
struct Tree {
    name: String,
    #[serde(default)]
    a: Vec<Tree>,
    b: Option<Box<Tree>>,
}

/// Structs.
#[tool]
fn structs(
    a: Plain,
    b: Option<Newtype>,
    c: Option<Unit>,
    d: Option<Empty>,
    e: Option<Pair>,
    f: Option<Renamed>,
    g: Option<Tree>,
    #[arg(default = Renamed::default())] h: Renamed,
) -> String {
    format!("{a:?} {b:?} {c:?} {d:?} {e:?} {f:?} {g:?} {h:?}")
}

#[derive(Debug)]
#[arg_type]
enum Closed {
    EUR,
    /// Dollars.
    #[serde(rename = "usd")]
    Dollar,
    #[serde(rename = "x")]
    Other,
}

#[derive(Debug)]
#[arg_type]
enum External {
    EUR,
    #[serde(rename = "a")]
    One(u8),
    #[serde(rename = "b")]
    Two(u8, String),
    #[serde(rename = "id")]
    Named {
        a: u8,
        name: Option<Plain>,
    },
}

#[derive(Debug)]
#[arg_type]
#[serde(tag = "kind")]
enum Internal {
    EUR,
    #[serde(rename = "usd")]
    Named {
        a: u8,
        #[serde(default)]
        b: bool,
    },
    #[serde(rename = "x")]
    Inner(Plain),
}

/// Enums.
#[tool]
fn enums(
    a: Closed,
    b: Option<External>,
    c: Option<Internal>,
    d: Option<Vec<Internal>>,
    e: Option<BTreeMap<String, External>>,
) -> String {
    format!("{a:?} {b:?} {c:?} {d:?} {e:?}")
}

#[derive(Debug)]
#[arg_type]
#[serde(tag = "kind", content = "a")]
enum Adjacent {
    EUR,
    #[serde(rename = "usd")]
    One(u8),
    #[serde(rename = "x")]
    Named {
        a: u8,
        b: Option<u8>,
    },
}

#[derive(Debug)]
#[arg_type]
#[serde(untagged)]
enum Untagged {
    Number(u8),
    Text(String),
    List(Vec<Untagged>),
    Plain(Plain),
    Nothing(()),
}

/// More enums.
#[tool]
fn more_enums(
    a: Option<Adjacent>,
    b: Option<Untagged>,
    c: Option<Vec<Adjacent>>,
    d: Option<Vec<Untagged>>,
) -> String {
    format!("{a:?} {b:?} {c:?} {d:?}")
}

/// Options.
#[tool]
fn options(
    a: Option<Option<u8>>,
    b: Option<Box<Plain>>,
    c: Option<Vec<Option<Plain>>>,
    #[arg(default = 7)] d: u8,
    #[arg(default = "EUR")] e: Option<Closed>,
) -> String {
    format!("{a:?} {b:?} {c:?} {d:?} {e:?}")
}

/// Constraints.
#[tool]
fn constrained(
    #[arg(minimum = 1, exclusive_maximum = 7)] a: u8,
    #[arg(multiple_of = 0.5, maximum = 100)] b: Option<f64>,
    #[arg(min_length = 1, max_length = 4, pattern = "^[a-zA-Z]+$")] name: Option<String>,
    #[arg(min_items = 1, max_items = 2, unique_items = true)] id: Option<Vec<f64>>,
    #[arg(format = "date")] kind: Option<String>,
) -> String {
    format!("{a:?} {b:?} {name:?} {id:?} {kind:?}")
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

const KEYS: [&str; 14] = [
    "extra",
    "7",
    "07",
    "-3",
    "-0",
    "",
    "a",
    "0",
    "300",
    "-129",
    "true",
    "false",
    "é",
    "18446744073709551616",
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

/// The independent judge: the `jsonschema` crate, and the normal form as the design words it.
struct Judge<'a> {
    root: &'a Value,
    /// Compiled once each, by the schema's text.
    compiled: RefCell<BTreeMap<String, jsonschema::Validator>>,
}

impl Judge<'_> {
    fn accepts(&self, schema: &Value, value: &Value) -> bool {
        let mut compiled = self.compiled.borrow_mut();
        let judge = compiled.entry(schema.to_string()).or_insert_with(|| self.compile(schema));
        judge.is_valid(value)
    }

    fn compile(&self, schema: &Value) -> jsonschema::Validator {
        let mut schema = schema.clone();
        if let (Value::Object(schema), Some(definitions)) = (&mut schema, self.root.get("$defs")) {
            schema.insert("$defs".to_owned(), definitions.clone());
        }
        let judge = jsonschema::options().should_validate_formats(true).build(&schema);
        judge.unwrap_or_else(|error| panic!("{error}\n{schema}"))
    }

    fn resolved<'s>(&'s self, schema: &'s Value) -> &'s Value {
        match schema["$ref"].as_str() {
            Some(reference) => self.root.pointer(reference.trim_start_matches('#')).unwrap(),
            None => schema,
        }
    }

    /// Arguments that follow the schema, but for slips.
    fn arguments(&self, dice: &mut Dice) -> Value {
        let value = self.following(dice, self.root, 7);
        if value.is_object() { value } else { json!({}) }
    }

    fn following(&self, dice: &mut Dice, schema: &Value, depth: usize) -> Value {
        if depth == 0 || dice.one_in(16) {
            return anything(dice, 2);
        }
        let schema = self.resolved(schema);
        if let Some(values) = schema["enum"].as_array() {
            return dice.pick(values).clone();
        }
        if let Some(value) = schema.get("const") {
            return value.clone();
        }
        for union in ["anyOf", "oneOf", "allOf"] {
            if let Some(branches) = schema[union].as_array() {
                let branch = dice.pick(branches).clone();
                return self.following(dice, &branch, depth - 1);
            }
        }
        match schema["type"].as_str() {
            Some("integer" | "number") => {
                serde_json::from_str(dice.pick::<&str>(&NUMBERS)).unwrap()
            }
            Some("string") => Value::from(*dice.pick(&TEXTS)),
            Some("boolean") => Value::Bool(dice.one_in(2)),
            Some("array") => self.list(dice, schema, depth),
            Some("object") => self.object(dice, schema, depth),
            _ => anything(dice, 1),
        }
    }

    fn list(&self, dice: &mut Dice, schema: &Value, depth: usize) -> Value {
        let prefix = schema["prefixItems"].as_array().cloned().unwrap_or_default();
        let count = if prefix.is_empty() { dice.below(4) } else { prefix.len() };
        let item = |index: usize| prefix.get(index).unwrap_or(&schema["items"]).clone();
        (0..count).map(|index| self.following(dice, &item(index), depth - 1)).collect()
    }

    fn object(&self, dice: &mut Dice, schema: &Value, depth: usize) -> Value {
        let mut members = Map::new();
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let required =
                schema["required"].as_array().is_some_and(|names| names.iter().any(|n| n == name));
            if !dice.one_in(if required { 16 } else { 2 }) {
                members.insert(name.clone(), self.following(dice, property, depth - 1));
            }
        }
        let patterns = schema["patternProperties"].as_object().into_iter().flatten();
        for other in patterns.map(|(_, schema)| schema).chain([&schema["additionalProperties"]]) {
            if other.is_object() && dice.one_in(2) {
                let name = *dice.pick(&KEYS);
                members.insert(name.to_owned(), self.following(dice, other, depth - 1));
            }
        }
        Value::Object(members)
    }

    /// The same value without the nulls of properties that are not required.
    fn normal_form(&self, schema: &Value, value: &Value) -> Value {
        let schema = self.resolved(schema);
        for union in ["anyOf", "oneOf"] {
            for branch in schema[union].as_array().into_iter().flatten() {
                let normal = self.normal_form(branch, value);
                if self.accepts(branch, &normal) {
                    return normal;
                }
            }
        }
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
                        if property.is_null() { self.other(schema, name) } else { property };
                    Some((name.clone(), self.normal_form(inner, value)))
                });
                Value::Object(kept.collect())
            }
            Value::Array(items) => {
                let prefix = schema["prefixItems"].as_array().cloned().unwrap_or_default();
                let item = |index: usize| prefix.get(index).unwrap_or(&schema["items"]).clone();
                items
                    .iter()
                    .enumerate()
                    .map(|(index, value)| self.normal_form(&item(index), value))
                    .collect()
            }
            _ => value.clone(),
        }
    }

    /// The schema of a member that is no named property.
    fn other<'s>(&self, schema: &'s Value, name: &str) -> &'s Value {
        let patterns = schema["patternProperties"].as_object().into_iter().flatten();
        let matching = patterns.filter(|(pattern, _)| {
            let named = json!({"pattern": pattern});
            self.accepts(&named, &Value::from(name))
        });
        matching.map(|(_, schema)| schema).next().unwrap_or(&schema["additionalProperties"])
    }
}
