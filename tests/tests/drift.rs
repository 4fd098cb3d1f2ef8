//! The dispatcher accepts a text if and only if the published schema accepts its normal form.

use std::collections::{BTreeMap, BTreeSet};
use std::num::{NonZeroI32, NonZeroU8};

use chrono::{DateTime, NaiveDate, Utc};
use serde_json::{Map, Value, json};
use toolkit::Step;
use toolkit::prelude::*;
use toolkit::testing::{Agreement, Case, Trial};
use toolkit_tests::{Dice, SecondJudge, call, cases, echo, view_of};
use url::Url;
use uuid::Uuid;

#[test]
fn a_tool_accepts_exactly_what_its_schema_accepts() {
    let mut dice = Dice::fresh("drift");
    let (mut accepted, total) = (0, cases(20_000));
    for _ in 0..total / 40 {
        let schema = object(&mut dice, 3);
        accepted += agree(&mut dice, echo(schema), 40).accepted;
    }
    println!("{accepted} of {total} accepted");
    assert!(accepted > total / 10, "only {accepted} of {total} were accepted; the dice are loaded");
}

#[test]
fn an_annotated_tool_accepts_exactly_what_its_schema_accepts() {
    let mut dice = Dice::fresh("drift of types");
    let (mut accepted, total) = (0, cases(20_000));
    let tools = annotated();
    let each = total / tools.len();
    for tool in tools {
        let name = tool.name().to_owned();
        let agreement = agree(&mut dice, tool, each);
        println!("{name}: {} of {each} accepted", agreement.accepted);
        let least = each / 20;
        assert!(agreement.accepted > least, "{name}: only {} of {each}", agreement.accepted);
        assert!(agreement.refused > least, "{name}: only {} of {each}", agreement.refused);
        accepted += agreement.accepted;
    }
    println!("{accepted} of {total} accepted");
}

/// What goes through the gate alone goes through all of dispatch just so.
#[test]
fn a_trial_is_what_dispatch_does() {
    let mut dice = Dice::fresh("trial and dispatch");
    let tools = annotated();
    let each = cases(4_000).min(100_000) / tools.len();
    for (tool, same) in tools.into_iter().zip(annotated()) {
        let (view, name) = (view_of(same), tool.name().to_owned());
        let compare = |case: &Case| {
            let outcome = call(&view, &name, &case.text);
            let expected = case.gate.as_ref().err().map(Outcome::text);
            let refused = (outcome.status() == Status::Invalid).then(|| outcome.text());
            assert_eq!(refused, expected, "{case}");
        };
        let agreed = Trial::of(tool).unwrap().agree(each, dice.next(), compare);
        agreed.unwrap_or_else(|error| panic!("{error}"));
    }
}

/// Compares the verdicts on generated calls, and hands them on to the second judge.
fn agree(dice: &mut Dice, tool: Tool, count: usize) -> Agreement {
    let trial = Trial::of(tool).unwrap();
    let mut second = SecondJudge::of(trial.schema());
    let each = |case: &Case| {
        second.hears(case.normal_form.as_ref(), case.gate.is_ok());
        assert!(!case.is_refused_by_type() || is_known(case), "a type refuses it\n{case}");
    };
    trial.agree(count, dice.next(), each).unwrap_or_else(|error| panic!("{error}"))
}

/// What no schema can say: of which width a key is, and what WHATWG asks of a URL beyond RFC 3986.
fn is_known(case: &Case) -> bool {
    let outcome = case.gate.as_ref().unwrap_err();
    outcome.problems().iter().all(|problem| match problem.path().steps() {
        [.., Step::Field(key)] if key == "page" => true,
        [.., Step::Field(key)] => key.parse::<i128>().is_ok_and(|key| key.abs() > 127),
        _ => false,
    })
}

fn annotated() -> Vec<Tool> {
    tools![
        numbers,
        widths,
        texts,
        lists,
        maps,
        keyed,
        structs,
        enums,
        more_enums,
        options,
        constrained,
        others,
        foreign
    ]
    .into()
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

/// The other widths, and a float of 32 bits.
#[tool]
fn widths(
    a: Option<i64>,
    b: Option<u32>,
    c: Option<u8>,
    d: Option<isize>,
    e: Option<f32>,
    f: Option<Vec<i64>>,
    #[arg(minimum = 0.1, maximum = 0.7)] g: Option<f32>,
    #[arg(minimum = -5, multiple_of = 3)] h: Option<i64>,
    #[arg(exclusive_minimum = 0, exclusive_maximum = 10)] i: Option<f64>,
) -> String {
    format!("{a:?} {b:?} {c:?} {d:?} {e:?} {f:?} {g:?} {h:?} {i:?}")
}

/// Types of other crates, whose formats are asserted.
#[tool]
fn foreign(
    day: Option<NaiveDate>,
    at: Option<DateTime<Utc>>,
    id: Option<Uuid>,
    page: Option<Url>,
    address: Option<std::net::IpAddr>,
    four: Option<std::net::Ipv4Addr>,
    days: Option<Vec<NaiveDate>>,
    by_id: Option<BTreeMap<String, Uuid>>,
) -> String {
    format!("{day:?} {at:?} {id:?} {page:?} {address:?} {four:?} {days:?} {by_id:?}")
}

/// What stands in other things.
#[tool]
fn others(
    a: Option<std::time::Duration>,
    b: Option<std::ops::Range<u8>>,
    c: Option<Box<Tree>>,
    d: Option<(Newtype, Closed, Option<Plain>)>,
    e: Option<BTreeMap<String, Vec<Internal>>>,
    f: Option<[Option<External>; 2]>,
    #[arg(default = vec![1, 2])] g: Vec<u16>,
    h: Option<Result<u8, String>>,
) -> String {
    format!("{a:?} {b:?} {c:?} {d:?} {e:?} {f:?} {g:?} {h:?}")
}

const NAMES: [&str; 5] = ["a", "b", "id", "name", "kind"];

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
