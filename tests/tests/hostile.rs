//! Any bytes as a call's arguments give an outcome: never a panic, a hang or an abort.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use toolkit::prelude::*;
use toolkit::{Options, Registry, Status};
use toolkit_tests::{Dice, call, cases, echo, view_of};

/// One of several forms, which recurses without a tag.
#[derive(Debug)]
#[arg_type]
#[serde(untagged)]
enum Form {
    Pair(Box<Form>, Box<Form>),
    Both {
        left: Box<Form>,
        right: Box<Form>,
    },
    Either {
        left: Box<Form>,
        right: Box<Form>,
        #[serde(default)]
        strict: bool,
    },
    Leaf(Option<f64>),
}

/// Takes everything.
#[tool]
fn everything(
    form: Option<Form>,
    anything: Option<Value>,
    map: Option<BTreeMap<u32, Vec<String>>>,
    #[arg(unique_items = true, max_items = 100)] list: Option<Vec<i8>>,
    #[arg(pattern = r"^(a+)+$")] text: Option<String>,
    #[arg(multiple_of = 0.01)] number: Option<f64>,
    pair: Option<(u8, char)>,
    flag: Option<bool>,
) -> String {
    format!("{form:?} {anything:?} {map:?} {list:?} {text:?} {number:?} {pair:?} {flag:?}")
}

fn dispatched(arguments: &str) -> (Status, usize) {
    thread_local! {
        static VIEW: toolkit::View =
            Registry::builder().tools(tools![everything]).build().unwrap().view(Caller::new("x"));
    }
    let call = ToolCall::new("c", "everything", arguments);
    let outcome = VIEW.with(|view| view.dispatch_blocking(call, Options::default())).unwrap();
    assert!(matches!(outcome.status(), Status::Ok | Status::Invalid), "{outcome:?}");
    (outcome.status(), outcome.text().len())
}

const TOKENS: [&str; 34] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "null",
    "true",
    "0",
    "-",
    "1e400",
    "1e-400",
    "-0.0",
    "9007199254740993",
    "\"form\":",
    "\"anything\":",
    "\"map\":",
    "\"list\":",
    "\"text\":",
    "\"number\":",
    "\"pair\":",
    "\"flag\":",
    "\"left\":",
    "\"right\":",
    "\"\\ud800\"",
    "\"\\u0000\"",
    "\u{202e}",
    " ",
    "\n",
    "\\",
    "\"7\":",
    "\"aaaaaaaaaaaaaaaaaaaaaaaab\"",
    "🦀",
];

#[test]
fn any_text_gives_an_outcome_of_bounded_size() {
    let mut dice = Dice::fresh("hostile");
    for _ in 0..cases(20_000) {
        let mut text = String::new();
        let start = *dice.pick(&["", "{", "{\"form\":", "{\"anything\":[", "{\"list\":[1,"]);
        text.push_str(start);
        for _ in 0..dice.below(24) {
            text.push_str(dice.pick::<&str>(&TOKENS));
        }
        let (status, size) = dispatched(&text);
        assert!(status == Status::Ok || size <= 5_000, "{size} bytes for {text:?}");
    }
}

#[test]
fn what_is_made_to_be_slow_or_large_is_answered_all_the_same() {
    let deep = |open: &str, close: &str, depth: usize| {
        format!("{{\"form\":{}null{}}}", open.repeat(depth), close.repeat(depth))
    };
    let long = "9".repeat(10_000);
    let texts = [
        deep("[", "]", 30_000),
        deep("{\"left\":", "}", 7_000),
        deep("[null,", "]", 29),
        deep("{\"right\":null,\"left\":", "}", 29),
        deep("{\"right\":null,\"strict\":1,\"left\":", "}", 29),
        "[".repeat(10 << 20),
        format!("{{\"anything\":[{}]}}", vec!["1"; 9_000].join(",")),
        format!("{{\"list\":[{}]}}", vec!["1"; 9_000].join(",")),
        format!("{{\"anything\":{long},\"number\":{long}.5,\"flag\":-{long}e{long}}}"),
        format!("{{\"{}\":1}}", "k".repeat(60_000)),
        format!("{{{}}}", (0..9_000).map(|n| format!("\"{n}\":1")).collect::<Vec<_>>().join(",")),
        format!("{{\"text\":\"{}b\"}}", "a".repeat(60_000)),
        format!("{{\"number\":1e{}}}", i64::MAX),
        format!("{{\"number\":1e-{}}}", i64::MAX),
    ];
    for text in texts {
        let (status, size) = dispatched(&text);
        assert!(status == Status::Ok || size <= 5_000, "{size} bytes for {} bytes", text.len());
    }
}

/// Every variant of it needs two more of it, so that looking for an example could go on for ever.
#[test]
fn a_type_of_many_ways_into_itself_is_told_in_no_time() {
    let branch = |index: usize| {
        json!({
            "type": "object",
            "properties": {
                "kind": {"const": format!("k{index}")},
                "left": {"$ref": "#/$defs/tree"},
                "right": {"$ref": "#/$defs/tree"},
            },
            "required": ["kind", "left", "right"],
        })
    };
    let branches: Vec<Value> = (0..20).map(branch).collect();
    let schema = json!({
        "type": "object",
        "properties": {"tree": {"$ref": "#/$defs/tree"}, "x-format": {"x-format": 1}},
        "required": ["tree"],
        "$defs": {"tree": {"oneOf": branches}},
    });
    assert_eq!(
        call(&view_of(echo(schema)), "echo", "{}").text(),
        "$: missing required field 'tree' (an object)"
    );
}
