//! Eleven kinds of schema in seven forms, each as a checked-in file.
//!
//! `TOOLKIT_BLESS=1` writes them anew.
#![expect(unused_variables, reason = "nothing is looked at but the signatures")]

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, Utc};
use serde_json::{Map, Value, json};
use toolkit::dialect::{Definition, Form, Projection};
use toolkit::prelude::*;
use url::Url;
use uuid::Uuid;

#[derive(Debug)]
#[arg_type]
#[serde(rename_all = "lowercase")]
enum Unit {
    Celsius,
    Fahrenheit,
}

/// Primitives, what may be left out, a default, a range.
#[tool]
fn v1(
    /// City name
    city: String,
    /// Temperature unit
    unit: Option<Unit>,
    #[arg(default = 3, minimum = 1, maximum = 14)] days: u8,
    note: Option<String>,
) {
}

/// Result order
#[derive(Debug)]
#[arg_type]
#[serde(rename_all = "lowercase")]
enum Sort {
    Random,
    /// newest first
    Newest,
    /// oldest first
    Oldest,
}

/// A documented enum, required and not.
#[tool]
fn v2(
    /// How to sort
    sort: Sort,
    then: Option<Sort>,
) {
}

#[derive(Debug)]
#[arg_type]
struct Point {
    x: f64,
    y: f64,
}

#[derive(Debug)]
#[arg_type]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Shape {
    /// A circle
    Circle {
        r: f64,
    },
    Dot(Point),
    Empty,
}

/// An enum with an inner tag and a newtype variant.
#[tool]
fn v3(shape: Shape) {}

/// A map.
#[tool]
fn v4(
    /// Score per player
    scores: HashMap<String, i32>,
) {
}

#[derive(Debug)]
#[arg_type]
struct Node {
    name: String,
    #[serde(default)]
    children: Vec<Node>,
}

/// A type that is part of itself.
#[tool]
fn v5(root: Node) {}

/// A tuple, an array of fixed length, a tuple of one type, a set.
#[tool]
fn v6(pair: (i32, String), rgb: [u8; 3], same: (f64, f64), tags: BTreeSet<String>) {}

/// A union at the root, as schemars gives it for a flattened enum.
fn v7() -> Tool {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "V7",
        "type": "object",
        "properties": {"id": {"type": "integer", "format": "uint32", "minimum": 0}},
        "required": ["id"],
        "oneOf": [
            {
                "description": "A circle",
                "type": "object",
                "properties": {
                    "kind": {"type": "string", "const": "circle"},
                    "r": {"type": "number", "format": "double"},
                },
                "required": ["kind", "r"],
            },
            {
                "type": "object",
                "properties": {"kind": {"type": "string", "const": "dot"}},
                "$ref": "#/$defs/Point",
                "required": ["kind"],
            },
            {
                "type": "object",
                "properties": {"kind": {"type": "string", "const": "empty"}},
                "required": ["kind"],
            },
        ],
        "$defs": {
            "Point": {
                "type": "object",
                "properties": {
                    "x": {"type": "number", "format": "double"},
                    "y": {"type": "number", "format": "double"},
                },
                "required": ["x", "y"],
            },
        },
    });
    let run = |_: Value, _: CallContext| async { Ok::<_, ToolError>(()) };
    Tool::dynamic("v7", "A union at the root.", schema, run).into()
}

/// Dates, times, addresses, ids.
#[tool]
fn v8(
    at: DateTime<Utc>,
    day: NaiveDate,
    clock: NaiveTime,
    local: NaiveDateTime,
    ip: IpAddr,
    link: Url,
    id: Uuid,
) {
}

/// Any value.
#[tool]
fn v9(
    /// Anything
    payload: Value,
    meta: Option<Map<String, Value>>,
) {
}

/// No arguments.
#[tool]
fn v10() {}

#[derive(Debug)]
#[arg_type]
#[serde(untagged)]
enum Key {
    Number(u32),
    Name(String),
}

/// Untagged, wide and narrow.
#[tool]
fn v11(key: Key, big: u64, huge: i64, c: char, maybe: Option<Point>) {}

fn tools() -> Vec<Tool> {
    let mut tools: Vec<Tool> = tools![v1, v2, v3, v4, v5, v6].into();
    tools.push(v7());
    tools.extend(tools![v8, v9, v10, v11]);
    tools
}

/// The forms, by the names of their files.
fn forms() -> BTreeMap<&'static str, Form> {
    BTreeMap::from([
        ("anthropic", Form::ANTHROPIC),
        ("anthropic_strict", Form::ANTHROPIC.strict()),
        ("openai", Form::OPENAI),
        ("openai_strict", Form::OPENAI.strict()),
        ("gemini_parameters", Form::GEMINI_PARAMETERS),
        ("gemini_json", Form::GEMINI_JSON),
        ("mcp", Form::PORTABLE),
    ])
}

/// The same where a map and a value of any kind are written otherwise.
fn re_encoding_forms() -> BTreeMap<&'static str, Form> {
    let plain = forms();
    let names = [
        ("anthropic_strict", "anthropic_strict+pairs+text"),
        ("openai_strict", "openai_strict+pairs+text"),
        ("gemini_parameters", "gemini_parameters+pairs+text"),
    ];
    names.map(|(of, name)| (name, plain[of].maps_as_pairs().any_as_text())).into()
}

fn golden(definition: &Definition, form: Form) -> String {
    let written = match Projection::of(definition, form) {
        Ok(projection) => {
            let rewrites: Vec<String> =
                projection.rewrites().iter().map(ToString::to_string).collect();
            json!({"schema": projection.schema(), "rewrites": rewrites})
        }
        Err(errors) => {
            let refused: Vec<&str> = errors.iter().map(ToolConfigError::message).collect();
            json!({"refused": refused})
        }
    };
    format!("{written:#}\n")
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/dialects")
}

#[test]
fn every_form_is_as_its_file_has_it_byte_for_byte() {
    let registry = Registry::builder().tools(tools()).build().unwrap();
    let view = registry.view(Caller::new("ann"));
    let mut compared = 0;
    let mut changed = Vec::new();
    for definition in view.tools() {
        let mut all = forms();
        if matches!(definition.name.as_str(), "v4" | "v9") {
            all.extend(re_encoding_forms());
        }
        for (name, form) in all {
            let path = folder().join(&definition.name).join(format!("{name}.json"));
            let written = golden(definition, form);
            if std::env::var_os("TOOLKIT_BLESS").is_some() {
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(&path, &written).unwrap();
            }
            if fs::read_to_string(&path).ok().as_deref() != Some(&written) {
                changed.push(format!("{}:\n{written}", path.display()));
            }
            compared += 1;
        }
    }
    assert_eq!(changed, [""; 0], "TOOLKIT_BLESS=1 writes them anew");
    assert_eq!(compared, 11 * 7 + 6);
}

#[test]
fn a_schema_in_a_form_stays_as_it_is_in_that_form() {
    let registry = Registry::builder().tools(tools()).build().unwrap();
    let view = registry.view(Caller::new("ann"));
    for definition in view.tools() {
        for (name, form) in forms() {
            let Ok(once) = Projection::of(definition, form) else { continue };
            let mut again = definition.clone();
            again.input_schema = once.schema().clone();
            // What stands for null there is no keyword of JSON Schema.
            let twice = Projection::of(&again, form).unwrap();
            let place = format!("{} in {name}", definition.name);
            assert_eq!(twice.schema().to_string(), once.schema().to_string(), "{place}");
        }
    }
}
