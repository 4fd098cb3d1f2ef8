//! The same types in the hands of other packages, for a judge to lay beside ours.
//!
//! `TOOLKIT_PEER_JUDGE` names the file that they are written to, one a line; `.ci/sdks` has it
//! read.
#![expect(dead_code, reason = "the types are looked at by their schemas alone")]

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use chrono::{DateTime, NaiveTime, Utc};
use rig_core::providers::openai::responses_api::ResponsesToolDefinition;
use schemars::{JsonSchema, schema_for};
use serde_json::{Value, json};
use toolkit::dialect::{Definition, Form, Projection};
use toolkit::prelude::*;
use url::Url;

#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Unit {
    Celsius,
    Fahrenheit,
}

#[derive(JsonSchema)]
struct Plain {
    /// City name.
    city: String,
    unit: Option<Unit>,
    #[serde(default = "three")]
    days: u8,
}

fn three() -> u8 {
    3
}

#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Sort {
    Random,
    /// Newest first.
    Newest,
}

#[derive(JsonSchema)]
struct Documented {
    /// How to sort.
    sort: Sort,
}

#[derive(JsonSchema)]
struct Maps {
    scores: BTreeMap<String, u32>,
}

#[derive(JsonSchema)]
struct Circle {
    r: f64,
}

#[derive(JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Shape {
    Circle(Circle),
    Box { w: f64 },
    Empty,
}

#[derive(JsonSchema)]
struct Tagged {
    shape: Shape,
}

#[derive(JsonSchema)]
struct Node {
    name: String,
    #[serde(default)]
    children: Vec<Node>,
}

#[derive(JsonSchema)]
struct Recursive {
    root: Node,
}

#[derive(JsonSchema)]
struct Lists {
    pair: (i32, String),
    tags: BTreeSet<String>,
}

#[derive(JsonSchema)]
struct Flattened {
    id: u32,
    #[serde(flatten)]
    what: Shape,
}

#[derive(JsonSchema)]
struct Formats {
    at: DateTime<Utc>,
    clock: NaiveTime,
    link: Url,
}

#[derive(JsonSchema)]
struct Anything {
    payload: Value,
}

#[derive(JsonSchema)]
#[serde(untagged)]
enum Key {
    Number(u32),
    Text(String),
}

#[derive(JsonSchema)]
struct Untagged {
    key: Key,
    big: u64,
    letter: char,
    maybe: Option<Circle>,
}

#[derive(JsonSchema)]
struct Nothing {}

/// One type, with values that it takes.
fn line<T: JsonSchema + Any>(name: &str, values: &[Value]) -> Value {
    let schema = schema_for!(T).to_value();
    let tool = Tool::dynamic(name, "Does it.", schema.clone(), |given, _| async move {
        Ok::<_, ToolError>(given)
    });
    let view = Registry::builder().tool(tool).build().unwrap().view(Caller::new("ann"));
    for value in values {
        let call = ToolCall::from_value("1", name, value.clone());
        let outcome = view.dispatch_blocking(call, Options::default()).unwrap();
        assert_eq!(outcome.status(), Status::Ok, "{name}: {value}: {}", outcome.text());
    }
    let [definition] = view.tools()[..] else { panic!("one tool") };
    let ours = |form: Form| written(definition, form.maps_as_pairs().any_as_text(), values);
    let rig = ResponsesToolDefinition::strict_function(name, "Does it.", schema.clone());
    let rmcp = rmcp::handler::server::common::schema_for_input::<T>();
    json!({
        "name": name,
        "schema": schema,
        "values": values,
        "ours": {
            "anthropic": ours(Form::ANTHROPIC.strict()),
            "openai": ours(Form::OPENAI.strict()),
        },
        "rig": rig.parameters,
        "rmcp": rmcp.map_or_else(
            |why| json!({"refused": why}),
            |schema| Value::Object((*schema).clone()),
        ),
    })
}

fn written(definition: &Definition, form: Form, values: &[Value]) -> Value {
    match Projection::of(definition, form) {
        Err(errors) => json!({"refused": errors.to_string()}),
        Ok(projection) => {
            let values: Vec<Value> = values.iter().map(|value| projection.encode(value)).collect();
            json!({"schema": projection.schema(), "values": values})
        }
    }
}

fn lines() -> Vec<Value> {
    vec![
        line::<Plain>(
            "plain",
            &[json!({"city": "Rome"}), json!({"city": "Rome", "unit": "celsius", "days": 4})],
        ),
        line::<Documented>("documented_enum", &[json!({"sort": "newest"})]),
        line::<Maps>("map", &[json!({"scores": {"ann": 3, "bob": 4}}), json!({"scores": {}})]),
        line::<Tagged>(
            "tagged_enum",
            &[
                json!({"shape": {"kind": "circle", "r": 1.5}}),
                json!({"shape": {"kind": "box", "w": 2.0}}),
                json!({"shape": {"kind": "empty"}}),
            ],
        ),
        line::<Recursive>(
            "recursion",
            &[json!({"root": {"name": "a", "children": [{"name": "b", "children": []}]}})],
        ),
        line::<Lists>("tuple_and_set", &[json!({"pair": [1, "a"], "tags": ["x", "y"]})]),
        line::<Flattened>(
            "flattened_enum",
            &[json!({"id": 1, "kind": "circle", "r": 1.5}), json!({"id": 1, "kind": "empty"})],
        ),
        line::<Formats>(
            "formats",
            &[json!({"at": "2026-01-02T03:04:05Z", "clock": "03:04:05", "link": "https://a.b/"})],
        ),
        line::<Anything>("any_value", &[json!({"payload": {"a": [1]}}), json!({"payload": "a"})]),
        line::<Untagged>(
            "untagged_enum",
            &[
                json!({"key": 7, "big": 9, "letter": "a"}),
                json!({"key": "k", "big": 9, "letter": "a", "maybe": {"r": 1.0}}),
            ],
        ),
        line::<Nothing>("no_arguments", &[json!({})]),
    ]
}

#[test]
fn every_type_is_told_to_the_judge_of_conversions() {
    let lines: Vec<String> = lines().iter().map(Value::to_string).collect();
    assert_eq!(lines.len(), 11);
    match std::env::var_os("TOOLKIT_PEER_JUDGE") {
        Some(path) => fs::write(path, lines.join("\n") + "\n").unwrap(),
        None => println!("skipped: TOOLKIT_PEER_JUDGE does not say where they are to be written"),
    }
}
