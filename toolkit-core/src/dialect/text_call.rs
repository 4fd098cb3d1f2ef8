//! Calls that a model wrote as text, because its server did not see them as calls.

use serde_json::{Map, Value};

/// With which the models of several makers begin their calls.
const MARKS: [&str; 8] = [
    "<tool_call>",
    "<function_calls>",
    "<function_call>",
    "<function=",
    "<|tool_call",
    "<|python_tag|>",
    "[TOOL_CALLS]",
    "<\u{ff5c}tool\u{2581}calls\u{2581}begin\u{ff5c}>",
];

/// Whether a reply is, as a whole, a call that was written as text.
pub(super) fn is_one(text: &str) -> bool {
    let text = text.trim();
    MARKS.iter().any(|mark| text.starts_with(mark)) || is_object(text)
}

/// Whether it is one object of a name and its arguments, and nothing else.
fn is_object(text: &str) -> bool {
    let Ok(call) = serde_json::from_str::<Map<String, Value>>(text) else { return false };
    let arguments = call.get("arguments").or_else(|| call.get("parameters"));
    call.len() == 2
        && call.get("name").is_some_and(Value::is_string)
        && arguments.is_some_and(|given| given.is_object() || given.is_string())
}
