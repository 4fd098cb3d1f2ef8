//! Anthropic's Messages API.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::read::{check, parse};
use super::{
    Answered, Definition, Dialect, DialectError, Ending, Part, Reply, Request, wire_char, wire_name,
};
use crate::call::ToolCall;

const NAME: &str = "anthropic";

/// The wire form of Anthropic's Messages API.
///
/// Blocks that only the provider understands, like signed thoughts, go back as they
/// came.
///
/// ```
/// use toolkit::dialect::{Anthropic, Dialect, Ending};
///
/// let reply = Anthropic.read(
///     r#"{
///         "content": [
///             {"type": "thinking", "thinking": "They want a sum.", "signature": "c2ln"},
///             {"type": "tool_use", "id": "toolu_1", "name": "add", "input": {"a": 2, "b": 3}}
///         ],
///         "stop_reason": "tool_use"
///     }"#,
/// )?;
/// assert_eq!(*reply.ending(), Ending::Calls);
/// let call = reply.tool_calls().next().unwrap();
/// assert_eq!(call.name(), "add");
/// assert_eq!(call.arguments(), r#"{"a": 2, "b": 3}"#);
/// assert_eq!(Anthropic.assistant(&reply)[0]["content"][0]["signature"], "c2ln");
/// # Ok::<(), toolkit::dialect::DialectError>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Anthropic;

impl Dialect for Anthropic {
    fn name(&self) -> &'static str {
        NAME
    }

    fn definitions(&self, tools: &[&Definition]) -> Value {
        let written = tools.iter().map(|tool| {
            json!({
                "name": tool.name,
                "description": tool.description,
                "input_schema": tool.input_schema,
            })
        });
        written.collect()
    }

    fn read(&self, body: &str) -> Result<Reply, DialectError> {
        check(NAME, body, "content")?;
        let body: Body<'_> = parse(NAME, "$", body)?;
        let parts = body
            .content
            .iter()
            .enumerate()
            .map(|(index, block)| part(block, &format!("$.content[{index}]")))
            .collect::<Result<Vec<_>, _>>()?;
        let ending = ending(body.stop_reason.as_deref(), &parts);
        let prefix = body.id.map_or_else(|| "call".to_owned(), |id| format!("call_{id}"));
        Ok(Reply::from_parts(parts, ending).with_own_ids(&prefix, &mut BTreeSet::new()))
    }

    fn user(&self, text: &str) -> Vec<Value> {
        vec![json!({"role": "user", "content": text})]
    }

    fn assistant(&self, reply: &Reply) -> Vec<Value> {
        let content: Vec<Value> = reply.parts().iter().filter_map(block).collect();
        if content.is_empty() {
            return Vec::new();
        }
        vec![json!({"role": "assistant", "content": content})]
    }

    /// Writes one user message: the API wants all results in the very next message, before
    /// anything else, and a model that gets them one by one stops asking in parallel.
    fn results(&self, answered: &[Answered]) -> Vec<Value> {
        let content: Vec<Value> = answered.iter().map(result).collect();
        if content.is_empty() {
            return Vec::new();
        }
        vec![json!({"role": "user", "content": content})]
    }

    fn request(&self, request: &Request<'_>) -> Value {
        let mut body = Map::new();
        body.insert("model".to_owned(), request.model.into());
        body.insert("max_tokens".to_owned(), request.max_tokens.into());
        if let Some(system) = request.system {
            body.insert("system".to_owned(), system.into());
        }
        if let Some(tools) = request.some_tools() {
            body.insert("tools".to_owned(), tools.clone());
        }
        body.insert("messages".to_owned(), self.messages(request.messages).into());
        Value::Object(body)
    }
}

#[derive(Deserialize)]
#[serde(expecting = "a reply")]
struct Body<'a> {
    id: Option<String>,
    #[serde(borrow)]
    content: Vec<&'a RawValue>,
    stop_reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(expecting = "a content block")]
struct Kind {
    r#type: String,
}

#[derive(Deserialize)]
#[serde(expecting = "a text block")]
struct TextBlock {
    text: String,
}

#[derive(Deserialize)]
#[serde(expecting = "a tool_use block")]
struct ToolUse<'a> {
    id: Option<String>,
    name: String,
    // The raw text: the arguments gate wants to see duplicate keys and every digit.
    #[serde(borrow)]
    input: Option<&'a RawValue>,
}

fn part(block: &RawValue, path: &str) -> Result<Part, DialectError> {
    let kind: Kind = parse(NAME, path, block.get())?;
    Ok(match kind.r#type.as_str() {
        "text" => Part::Text(parse::<TextBlock>(NAME, path, block.get())?.text),
        "tool_use" => {
            let call: ToolUse<'_> = parse(NAME, path, block.get())?;
            let arguments = call.input.map_or("", RawValue::get);
            Part::Call(ToolCall::new(call.id.unwrap_or_default(), call.name, arguments))
        }
        // Thoughts are signed, and the provider's own tools are answered by the provider.
        _ => Part::Opaque { dialect: NAME, json: block.get().to_owned() },
    })
}

fn ending(reason: Option<&str>, parts: &[Part]) -> Ending {
    match reason {
        Some("max_tokens" | "model_context_window_exceeded") => Ending::CutOff,
        Some("refusal") => Ending::Refused,
        Some("pause_turn") => Ending::Paused,
        // Calls are told by the blocks; servers that imitate the API get the reason wrong.
        _ if parts.iter().any(|part| matches!(part, Part::Call(_))) => Ending::Calls,
        Some("end_turn" | "stop_sequence" | "tool_use") | None => Ending::Done,
        Some(other) => Ending::Other(other.to_owned()),
    }
}

fn block(part: &Part) -> Option<Value> {
    match part {
        // The API refuses a blank text.
        Part::Text(text) if text.trim().is_empty() => None,
        Part::Text(text) => Some(json!({"type": "text", "text": text})),
        Part::Call(call) => {
            let input: Map<String, Value> =
                serde_json::from_str(&call.arguments()).unwrap_or_default();
            Some(json!({
                "type": "tool_use",
                "id": wire_id(call),
                "name": wire_name(call.name()),
                "input": input,
            }))
        }
        Part::Opaque { dialect, json } if *dialect == NAME => serde_json::from_str(json).ok(),
        Part::Opaque { .. } => None,
    }
}

fn result(answered: &Answered) -> Value {
    let mut result = json!({
        "type": "tool_result",
        "tool_use_id": wire_id(&answered.call),
        "content": answered.outcome.text(),
    });
    if answered.outcome.is_error()
        && let Some(members) = result.as_object_mut()
    {
        members.insert("is_error".to_owned(), true.into());
    }
    result
}

/// The API takes letters, digits, `_` and `-` in ids; other providers' ids have more.
fn wire_id(call: &ToolCall) -> String {
    call.id().chars().map(wire_char).collect()
}
