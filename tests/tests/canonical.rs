//! What an approver is shown is what runs: one value, one text, whatever its spelling.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Debug;

use serde_json::{Map, Value, json};
use toolkit::prelude::*;
use toolkit::{Limits, Registry, View};
use toolkit_tests::{Dice, call, cases, view_of};

#[derive(Debug, Default)]
#[arg_type]
struct Inner {
    a: Option<u8>,
    #[serde(default)]
    b: Vec<f64>,
}

#[derive(Debug)]
#[arg_type]
#[serde(untagged)]
enum Either {
    Many(Vec<u64>),
    Text(String),
}

/// Runs from canonical arguments.
#[tool(effect = "write", ledger = none("a test calls it again and again"), approval(true))]
fn write(
    whole: i64,
    number: Option<f64>,
    single: Option<f32>,
    map: Option<BTreeMap<String, Inner>>,
    any: Option<Value>,
    #[arg(default = ["x"])] list: Vec<String>,
    either: Option<Either>,
    keyed: Option<BTreeMap<i8, bool>>,
) -> String {
    format!("{whole:?} {number:?} {single:?} {map:?} {any:?} {list:?} {either:?} {keyed:?}")
}

/// Runs from the text as it came.
#[tool(effect = "read")]
fn read(
    whole: i64,
    number: Option<f64>,
    single: Option<f32>,
    map: Option<BTreeMap<String, Inner>>,
    any: Option<Value>,
    #[arg(default = ["x"])] list: Vec<String>,
    either: Option<Either>,
    keyed: Option<BTreeMap<i8, bool>>,
) -> String {
    format!("{whole:?} {number:?} {single:?} {map:?} {any:?} {list:?} {either:?} {keyed:?}")
}

thread_local! {
    static SHOWN: RefCell<String> = const { RefCell::new(String::new()) };
    static VIEW: View = Registry::builder()
        .tools(tools![read, write])
        .approver(|request: ApprovalRequest| {
            SHOWN.set(request.canonical_arguments().to_owned());
            async { Decision::Approved }
        })
        .build()
        .unwrap()
        .view(Caller::new("tester"));
}

/// The canonical arguments of a call, and what the function made of them.
fn canonical(text: &str) -> (String, String) {
    let outcome = VIEW.with(|view| call(view, "write", text));
    assert!(!outcome.is_error(), "{text}: {}", outcome.text());
    (SHOWN.take(), outcome.text().to_owned())
}

fn bytes(text: &str) -> String {
    canonical(text).0
}

#[test]
fn one_value_has_one_text_whatever_its_spelling_and_order() {
    let expected = r#"{"whole":1,"number":2,"map":{"a":{"b":[]},"b":{"a":3,"b":[0.5]}},"any":{"x":[1,{"y":null,"z":"é"}]},"list":["x"]}"#;
    for text in [
        r#"{"whole":1,"number":2.0,"map":{"b":{"b":[0.5],"a":3},"a":{}},"any":{"x":[1,{"z":"é","y":null}]}}"#,
        r#"{ "any" : {"x": [1e0, {"y" : null, "\u007a": "\u00e9"}]}, "map": {"a": {"a": null}, "b": {"a": 3.0, "b": [5e-1]}}, "number": 20e-1, "whole": 1.0, "single": null }"#,
        r#"{"list": ["x"], "whole": 10E-1, "number": 2, "keyed": null, "map": {"\u0062": {"a": 3, "b": [0.50]}, "a": {"b": []}}, "any": {"x": [1.0, {"z": "é", "y": null}]}, "either": null}"#,
    ] {
        assert_eq!(bytes(text), expected, "{text}");
    }
}

#[test]
fn numbers_that_differ_differ_and_are_what_runs() {
    for (text, shown, run) in [
        (r#"{"whole":9007199254740992}"#, "9007199254740992", "9007199254740992"),
        (r#"{"whole":9007199254740993}"#, "9007199254740993", "9007199254740993"),
        (r#"{"whole":-9223372036854775808}"#, "-9223372036854775808", "-9223372036854775808"),
        (r#"{"whole":-0.0}"#, "0", "0"),
    ] {
        let (bytes, ran) = canonical(text);
        assert_eq!(bytes, format!(r#"{{"whole":{shown},"list":["x"]}}"#));
        assert_eq!(ran, format!(r#"{run} None None None None ["x"] None None"#));
    }
    for (number, shown, run) in [
        ("0.1", "0.1", "0.1"),
        ("0.1000000000000000055511151231257827", "0.1", "0.1"),
        ("0.30000000000000004", "0.30000000000000004", "0.30000000000000004"),
        ("1e300", "1e+300", "1e300"),
        ("5e-324", "5e-324", "5e-324"),
        ("9007199254740992", "9007199254740992", "9007199254740992.0"),
        ("147573952589676412928", "1.4757395258967641e+20", "1.4757395258967641e20"),
    ] {
        let (bytes, ran) = canonical(&format!(r#"{{"whole":1,"number":{number}}}"#));
        assert_eq!(bytes, format!(r#"{{"whole":1,"number":{shown},"list":["x"]}}"#));
        assert_eq!(ran, format!(r#"1 Some({run}) None None None ["x"] None None"#));
    }
}

/// A text that says what is said by the others of its turn, in its own spelling.
fn spelt(dice: &mut Dice, value: &Value) -> String {
    let space = |dice: &mut Dice| (*dice.pick(&["", "", " ", "\n\t"])).to_owned();
    let text = |dice: &mut Dice, text: &str| {
        let letters = text.chars().map(|c| match (dice.below(4), u32::from(c)) {
            (0, code) if code < 0x1_0000 => format!("\\u{code:04x}"),
            _ if matches!(c, '"' | '\\') || c < ' ' => format!("\\u{:04X}", u32::from(c)),
            _ => c.to_string(),
        });
        format!("\"{}\"", letters.collect::<String>())
    };
    match value {
        Value::String(inner) => text(dice, inner),
        Value::Number(number) => match (number.as_i64(), dice.below(4)) {
            (Some(whole), 0) if whole.abs() < 1 << 50 => format!("{whole}.0"),
            (Some(whole), 1) if whole.abs() < 1 << 50 => format!("{whole}e0"),
            (Some(whole), 2) if whole != 0 && whole.abs() < 1 << 50 => format!("{whole}0E-1"),
            _ => number.to_string(),
        },
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| spelt(dice, item)).collect();
            format!("[{}{}]", items.join(","), space(dice))
        }
        Value::Object(members) => {
            let mut members: Vec<String> = members
                .iter()
                .map(|(name, value)| {
                    let value = spelt(dice, value);
                    format!("{}{}:{}{value}", space(dice), text(dice, name), space(dice))
                })
                .collect();
            for last in (1..members.len()).rev() {
                members.swap(last, dice.below(last + 1));
            }
            format!("{{{}{}}}", members.join(","), space(dice))
        }
        other => other.to_string(),
    }
}

fn any(dice: &mut Dice, depth: usize) -> Value {
    match dice.below(if depth == 0 { 5 } else { 7 }) {
        0 => json!(null),
        1 => json!(dice.one_in(2)),
        2 => json!(dice.next().cast_signed() >> dice.below(64)),
        3 => json!(*dice.pick(&[0.5, -2.25, 1e-9, 3.3e44])),
        4 => json!(*dice.pick(&["", "a\"b", "é\\\n", "🦀"])),
        5 => (0..dice.below(3)).map(|_| any(dice, depth - 1)).collect(),
        _ => {
            let names = ["a", "b", "", "é", "\""];
            let mut members = Map::new();
            for _ in 0..dice.below(4) {
                members.insert((*dice.pick(&names)).to_owned(), any(dice, depth - 1));
            }
            Value::Object(members)
        }
    }
}

#[test]
fn every_spelling_of_generated_arguments_has_the_same_text_which_reads_as_itself() {
    let mut dice = Dice::fresh("canonical");
    let reads = view_of(Tool::of::<read>());
    for _ in 0..cases(2_000).min(50_000) {
        let value = json!({
            "whole": dice.next().cast_signed() >> dice.below(64),
            "any": any(&mut dice, 3),
            "map": {"k": {"a": dice.below(256), "b": [0.25, dice.below(9)]}, "\u{e9}": {}},
            "either": [dice.next() >> dice.below(64)],
            "keyed": {"-3": true, "7": false, "0": true},
        });
        let (first, ran) = canonical(&spelt(&mut dice, &value));
        let other = spelt(&mut dice, &value);
        assert_eq!(bytes(&other), first, "{other}");
        assert_eq!(canonical(&first), (first.clone(), ran.clone()));
        let streamed = call(&reads, "read", &first);
        assert_eq!(streamed.text(), ran, "{first}");
    }
}

/// The same value but for one leaf, which is another one there.
fn nudged(dice: &mut Dice, value: &Value) -> Value {
    match value {
        Value::Null => json!(false),
        Value::Bool(so) => json!(!so),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(whole), _) => json!(whole ^ 1),
            (None, Some(whole)) => json!(whole ^ 1),
            _ => json!(number.as_f64().unwrap().next_up()),
        },
        // The same letters, composed and not, are two texts.
        Value::String(text) if text.contains('é') => json!(text.replace('é', "e\u{301}")),
        Value::String(text) => json!(format!("{text}x")),
        Value::Array(items) if items.is_empty() || dice.one_in(4) => {
            items.iter().cloned().chain([Value::Null]).collect()
        }
        Value::Array(items) => {
            let (mut items, at) = (items.clone(), dice.below(items.len()));
            items[at] = nudged(dice, &items[at]);
            Value::Array(items)
        }
        Value::Object(members) => {
            let mut members = members.clone();
            match members.len() {
                0 => drop(members.insert("new".to_owned(), Value::Null)),
                count => {
                    let (_, member) = members.iter_mut().nth(dice.below(count)).unwrap();
                    *member = nudged(dice, member);
                }
            }
            Value::Object(members)
        }
    }
}

#[test]
fn arguments_that_differ_in_one_leaf_have_texts_that_differ() {
    let mut dice = Dice::fresh("one leaf");
    for _ in 0..cases(5_000).min(1_000_000) {
        let value = json!({
            "whole": dice.next().cast_signed() >> dice.below(64),
            "number": *dice.pick(&[0.5, -2.25, 1e-9, 3.3e44]),
            "any": [any(&mut dice, 3), dice.next(), {"\u{e9}": 1}],
            "map": {"k": {"a": dice.below(256), "b": [0.25, -1e-300]}, "\u{e9}": {}},
            "list": ["é", ""],
            "either": [dice.next() >> dice.below(64)],
            "keyed": {"-3": true, "7": false, "0": true},
        });
        let mut other = value.clone();
        match dice.below(8) {
            0 => other["whole"] = nudged(&mut dice, &value["whole"]),
            1 => other["number"] = nudged(&mut dice, &value["number"]),
            2 => other["map"]["k"]["a"] = nudged(&mut dice, &value["map"]["k"]["a"]),
            3 => other["map"]["k"]["b"][1] = nudged(&mut dice, &value["map"]["k"]["b"][1]),
            4 => other["list"][0] = nudged(&mut dice, &value["list"][0]),
            5 => other["either"][0] = nudged(&mut dice, &value["either"][0]),
            6 => other["keyed"]["7"] = json!(true),
            _ => other["any"] = nudged(&mut dice, &value["any"]),
        }
        let (one, two) = (spelt(&mut dice, &value), spelt(&mut dice, &other));
        assert_ne!(bytes(&one), bytes(&two), "{one}\n{two}");
    }
}

/// What the program itself says is not measured by what a call may bring.
#[test]
fn a_default_that_is_left_out_and_one_that_is_written_are_one_call() {
    #[derive(Debug)]
    #[arg_type]
    struct Size {
        width: f64,
        #[serde(default = "one")]
        #[schemars(default = "one")]
        height: f64,
    }
    fn one() -> f64 {
        1.0
    }
    /// Cuts.
    #[tool(effect = "write", approval(true))]
    fn cut(
        #[arg(default = 20.0)] amount: f64,
        #[arg(default = [2.0, 0.5])] parts: Vec<f64>,
        #[arg(default = json!({"width": 3.0}))] size: Size,
    ) -> String {
        format!("{amount} {parts:?} {size:?}")
    }
    let shown = |arguments: &str| {
        let (asked, shown) = std::sync::mpsc::channel();
        let registry = Registry::builder()
            .tools(tools![cut])
            .ledger(toolkit::ledger::MemoryLedger::new())
            .approver(move |request: ApprovalRequest| {
                asked.send(request.canonical_arguments().to_owned()).unwrap();
                std::future::ready(Decision::Approved)
            })
            .build()
            .unwrap();
        let view = registry.view(Caller::new("ann"));
        let outcome =
            view.dispatch_blocking(ToolCall::new("1", "cut", arguments), Options::default());
        assert_eq!(outcome.unwrap().status(), Status::Ok);
        shown.recv().unwrap()
    };
    let canonical = r#"{"amount":20,"parts":[2,0.5],"size":{"width":3,"height":1}}"#;
    assert_eq!(shown("{}"), canonical);
    assert_eq!(shown(r#"{"amount": 2e1, "size": {"width": 3.0, "height": 1.0}}"#), canonical);
    assert_eq!(shown(r#"{"parts": [2, 5e-1]}"#), canonical);
}

#[test]
fn defaults_are_no_part_of_what_is_limited() {
    /// Takes what is left out.
    #[tool(effect = "read")]
    fn takes(
        #[arg(default = [[1, 2], [3]])] deep: Vec<Vec<u8>>,
        #[arg(default = "x")] either: Either,
        given: Option<u8>,
    ) -> String {
        format!("{deep:?} {either:?} {given:?}")
    }

    /// Takes what is left out.
    #[tool(effect = "write", ledger = none("a test calls it again and again"))]
    fn puts(
        #[arg(default = [[1, 2], [3]])] deep: Vec<Vec<u8>>,
        #[arg(default = "x")] either: Either,
        given: Option<u8>,
    ) -> String {
        format!("{deep:?} {either:?} {given:?}")
    }
    let limits = Limits { values: 2, depth: 1, argument_bytes: 12, ..Limits::default() };
    let registry = Registry::builder().tools(tools![takes, puts]).limits(limits).build().unwrap();
    let view = registry.view(Caller::new("tester"));
    for tool in ["takes", "puts"] {
        for text in ["", "null", "{}", " {} "] {
            let outcome = call(&view, tool, text);
            assert_eq!(outcome.text(), r#"[[1, 2], [3]] Text("x") None"#, "{tool} {text:?}");
        }
        let outcome = call(&view, tool, r#"{"given": 1}"#);
        assert_eq!(outcome.text(), r#"[[1, 2], [3]] Text("x") Some(1)"#, "{tool}");
    }
}

/// A type of about as many fields as a word has bits.
macro_rules! wide {
    ($name:ident $of:ident($last:ident: $type:ty): $($field:ident)*) => {
        #[arg_type]
        struct $of {
            $($field: Option<u8>,)*
            $last: $type,
        }

        /// Takes many.
        #[tool]
        fn $name(all: $of) -> String {
            let all = [$(all.$field,)* Option::from(all.$last)];
            format!("{:?}", all.into_iter().flatten().map(u32::from).sum::<u32>())
        }
    };
}

wide! { reads_65 Reads65(i0: Option<u8>):
    a0 a1 a2 a3 a4 a5 a6 a7 b0 b1 b2 b3 b4 b5 b6 b7 c0 c1 c2 c3 c4 c5 c6 c7 d0 d1 d2 d3 d4 d5 d6 d7
    e0 e1 e2 e3 e4 e5 e6 e7 f0 f1 f2 f3 f4 f5 f6 f7 g0 g1 g2 g3 g4 g5 g6 g7 h0 h1 h2 h3 h4 h5 h6 h7
}

wide! { needs_the_65th Needs65(i0: u8):
    a0 a1 a2 a3 a4 a5 a6 a7 b0 b1 b2 b3 b4 b5 b6 b7 c0 c1 c2 c3 c4 c5 c6 c7 d0 d1 d2 d3 d4 d5 d6 d7
    e0 e1 e2 e3 e4 e5 e6 e7 f0 f1 f2 f3 f4 f5 f6 f7 g0 g1 g2 g3 g4 g5 g6 g7 h0 h1 h2 h3 h4 h5 h6 h7
}

wide! { reads_64 Reads64(h7: Option<u8>):
    a0 a1 a2 a3 a4 a5 a6 a7 b0 b1 b2 b3 b4 b5 b6 b7 c0 c1 c2 c3 c4 c5 c6 c7 d0 d1 d2 d3 d4 d5 d6 d7
    e0 e1 e2 e3 e4 e5 e6 e7 f0 f1 f2 f3 f4 f5 f6 f7 g0 g1 g2 g3 g4 g5 g6 g7 h0 h1 h2 h3 h4 h5 h6
}

#[test]
fn a_type_may_have_any_number_of_fields() {
    let view = view_of(Tool::of::<reads_64>());
    assert_eq!(call(&view, "reads_64", r#"{"all": {"h7": 1, "a0": 2, "c3": null}}"#).text(), "3");
    let view = view_of(Tool::of::<reads_65>());
    assert_eq!(call(&view, "reads_65", r#"{"all": {}}"#).text(), "0");
    assert_eq!(call(&view, "reads_65", r#"{"all": {"i0": 1, "a0": 2, "c3": null}}"#).text(), "3");
    assert_eq!(
        call(&view, "reads_65", r#"{"all": {"a0": 2, "i0": 1, "i0": 1}}"#).text(),
        "$.all: field 'i0' is given twice; give it once"
    );
    let view = view_of(Tool::of::<needs_the_65th>());
    assert_eq!(call(&view, "needs_the_65th", r#"{"all": {"i0": 1, "a0": 2}}"#).text(), "3");
    let missing = "$.all: missing required field 'i0' (an integer from 0 to 255)";
    assert_eq!(call(&view, "needs_the_65th", r#"{"all": {"a0": 2}}"#).text(), missing);
}

/// Takes as many arguments as a tool can have.
#[tool]
#[expect(clippy::too_many_arguments, reason = "as many as there can be")]
fn widest(
    a0: Option<u8>,
    a1: Option<u8>,
    a2: Option<u8>,
    a3: Option<u8>,
    b0: Option<u8>,
    b1: Option<u8>,
    b2: Option<u8>,
    b3: Option<u8>,
    c0: Option<u8>,
    c1: Option<u8>,
    c2: Option<u8>,
    c3: Option<u8>,
    d0: Option<u8>,
    d1: Option<u8>,
    d2: Option<u8>,
    d3: Option<u8>,
    e0: Option<u8>,
    e1: Option<u8>,
    e2: Option<u8>,
    e3: Option<u8>,
    f0: Option<u8>,
    f1: Option<u8>,
    f2: Option<u8>,
    f3: Option<u8>,
    g0: Option<u8>,
    g1: Option<u8>,
    g2: Option<u8>,
    g3: Option<u8>,
    h0: Option<u8>,
    h1: Option<u8>,
    last: u8,
) -> u32 {
    let all = [
        a0,
        a1,
        a2,
        a3,
        b0,
        b1,
        b2,
        b3,
        c0,
        c1,
        c2,
        c3,
        d0,
        d1,
        d2,
        d3,
        e0,
        e1,
        e2,
        e3,
        f0,
        f1,
        f2,
        f3,
        g0,
        g1,
        g2,
        g3,
        h0,
        h1,
        Some(last),
    ];
    all.into_iter().flatten().map(u32::from).sum()
}

#[test]
fn a_function_may_have_thirty_one_arguments() {
    let view = view_of(Tool::of::<widest>());
    assert_eq!(call(&view, "widest", r#"{"last": 1, "a0": 2, "c3": null}"#).text(), "3");
    assert_eq!(
        call(&view, "widest", r#"{"a0": 2, "last": 1, "last": 1}"#).text(),
        "$: field 'last' is given twice; give it once"
    );
    let missing = "$: missing required field 'last' (an integer from 0 to 255)";
    assert_eq!(call(&view, "widest", r#"{"a0": 2}"#).text(), missing);
    for text in ["", "null", "{}"] {
        let whole = format!("{missing}, like {{\"last\":0}}");
        assert_eq!(call(&view, "widest", text).text(), whole);
    }
}
