//! Results that other frameworks lose, spoil or leave empty.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Value, json};
use toolkit::dialect::{Answered, Anthropic, Dialect, OpenAiChat};
use toolkit::prelude::*;
use toolkit::{Options, Outcome, Registry, Status};
use toolkit_tests::call;

/// Readings.
#[derive(Debug)]
#[arg_type]
struct Reading {
    value: f64,
    earlier: Vec<f32>,
}

#[derive(Debug)]
#[arg_type]
#[serde(tag = "kind")]
enum Weather {
    Dry { rain: f64 },
}

/// Reads at the top.
#[tool]
fn top() -> f64 {
    f64::NAN
}
/// Reads in a struct.
#[tool]
fn field() -> Result<Reading, Failure> {
    Ok(Reading { value: f64::INFINITY, earlier: Vec::new() })
}
/// Reads in a list in a struct.
#[tool]
fn list() -> Reading {
    Reading { value: 1.0, earlier: vec![0.0, f32::NEG_INFINITY] }
}
/// Reads in a map.
#[tool]
fn map() -> BTreeMap<String, Option<f64>> {
    BTreeMap::from([("a".to_owned(), Some(f64::NAN))])
}
/// Reads in a tagged form.
#[tool]
fn tagged() -> Vec<Weather> {
    vec![Weather::Dry { rain: f64::NAN }]
}
/// Reads in a tuple.
#[tool]
async fn tuple() -> (u8, f32) {
    (1, f32::NAN)
}
/// Has keys that are no text.
#[tool]
fn keys() -> HashMap<(u8, u8), u8> {
    HashMap::from([((1, 2), 3)])
}
/// Has a path that is no text.
#[tool]
fn path() -> std::path::PathBuf {
    use std::os::unix::ffi::OsStringExt;
    std::ffi::OsString::from_vec(vec![b'a', 0xff]).into()
}

fn outcome(name: &str) -> Outcome {
    let registry = Registry::builder()
        .tools(tools![top, field, list, map, tagged, tuple, keys, path])
        .build()
        .unwrap();
    call(&registry.view(Caller::new("ada")), name, "{}")
}

#[test]
fn what_json_can_not_say_is_an_error_wherever_it_stands_and_never_a_null() {
    for name in ["top", "field", "list", "map", "tagged", "tuple", "keys", "path"] {
        let outcome = outcome(name);
        let id = outcome.error_id().unwrap();
        assert_eq!(
            outcome.text(),
            format!(
                "{name} ran, but its result can not be represented (error id {id}). Do not call it again for the same purpose."
            )
        );
        assert_eq!(
            (outcome.status(), outcome.executed(), outcome.is_retryable()),
            (Status::Failed, true, false)
        );
    }
}

#[test]
fn integers_of_a_result_keep_every_digit() {
    /// Gives the largest.
    #[tool]
    fn largest() -> (u64, i64) {
        (u64::MAX, i64::MIN)
    }
    let registry = Registry::builder().tools(tools![largest]).build().unwrap();
    let view = registry.view(Caller::new("ada"));
    let outcome = call(&view, "largest", "{}");
    assert_eq!(outcome.text(), "[18446744073709551615,-9223372036854775808]");
    assert_eq!(outcome.value(), Some(json!([u64::MAX, i64::MIN])));
}

/// Does nothing.
#[tool]
fn nothing() {}
/// Finds nothing.
#[tool]
fn found() -> Vec<u8> {
    Vec::new()
}
/// Says nothing.
#[tool]
fn silent() -> &'static str {
    ""
}
/// Says white space.
#[tool]
fn blank() -> String {
    " \n".to_owned()
}
/// Has none.
#[tool]
fn none() -> Option<String> {
    None
}
/// Has an empty object.
#[tool]
fn empty() -> BTreeMap<String, u8> {
    BTreeMap::new()
}
/// Fails without a word.
#[tool]
fn wordless() -> Result<(), ToolError> {
    Err(ToolError::business(""))
}
/// Fails without a word, internally.
#[tool]
fn wordless_within() -> Result<(), String> {
    Err(String::new())
}

#[test]
fn every_outcome_has_words_in_every_dialect() {
    let names =
        ["nothing", "found", "silent", "blank", "none", "empty", "wordless", "wordless_within"];
    let registry = Registry::builder()
        .tools(tools![nothing, found, silent, blank, none, empty, wordless, wordless_within])
        .build()
        .unwrap();
    let view = registry.view(Caller::new("ada"));
    let dialects: [&dyn Dialect; 2] = [&Anthropic, &OpenAiChat];
    for name in names {
        let call = ToolCall::new("call_1", name, "{}");
        let outcome = view.dispatch_blocking(call.clone(), Options::default()).unwrap();
        let failed = name.starts_with("wordless");
        assert_eq!(outcome.is_error(), failed, "{name}");
        assert!(!outcome.text().trim().is_empty(), "{name} is silent");
        for dialect in dialects {
            let sent =
                Value::from(dialect.results(&[Answered::new(call.clone(), outcome.clone())]));
            let mut texts = Vec::new();
            contents(&sent, &mut texts);
            assert!(texts.iter().all(|text| !text.trim().is_empty()), "{name}: {sent}");
            assert!(!texts.is_empty(), "{name}: {sent}");
        }
    }
}

/// Every text under `content` or `text`.
fn contents(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| contents(item, texts)),
        Value::Object(members) => {
            for (name, member) in members {
                match member {
                    Value::String(text) if name == "content" || name == "text" => {
                        texts.push(text.clone());
                    }
                    other => contents(other, texts),
                }
            }
        }
        _ => {}
    }
}

#[test]
fn an_error_through_an_alias_of_result_is_an_error() {
    type Answer<T> = std::result::Result<T, ToolError>;
    type Any = Answer<Vec<u8>>;

    /// Fails.
    #[tool]
    async fn fail() -> Any {
        Err(ToolError::transient("busy"))
    }
    /// Has a result in its result.
    #[tool]
    fn inner() -> Answer<Result<u8, String>> {
        Ok(Err("x".to_owned()))
    }
    let registry = Registry::builder().tools(tools![fail, inner]).build().unwrap();
    let view = registry.view(Caller::new("ada"));
    let outcome = call(&view, "fail", "{}");
    assert_eq!((outcome.status(), outcome.text()), (Status::Failed, "busy"));
    assert_eq!(call(&view, "inner", "{}").text(), r#"{"Err":"x"}"#);
}
