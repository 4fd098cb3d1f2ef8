//! Anthropic's Messages API.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::choice::Mode;
use super::media::{Carried, IMAGES, carried};
use super::name::letter;
use super::read::{Ids, check, parse, shape};
use super::stream::AnthropicEvents;
use super::{
    Answered, Choice, Definition, Dialect, DialectError, Ending, Form, Part, Reply, Request,
    Stream, in_forms, object_of, portable,
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Anthropic {
    form: Form,
    thinks: bool,
}

/// The dialect as it is written most: not strict, and without thinking.
#[expect(non_upper_case_globals, reason = "it is written where a value of the type is")]
pub const Anthropic: Anthropic = Anthropic { form: Form::ANTHROPIC, thinks: false };

in_forms!(Anthropic);

impl Anthropic {
    /// Says that the request turns extended thinking on by hand, with which the API takes no
    /// forced call.
    #[must_use]
    pub const fn with_thinking(mut self) -> Self {
        self.thinks = true;
        self
    }
}

impl Dialect for Anthropic {
    fn name(&self) -> &'static str {
        NAME
    }

    fn form(&self) -> Form {
        self.form
    }

    fn definitions(&self, tools: &[&Definition]) -> Value {
        let search = tools.iter().any(|tool| tool.is_deferred).then(
            || json!({"type": "tool_search_tool_bm25_20251119", "name": "tool_search_tool_bm25"}),
        );
        search.into_iter().chain(tools.iter().map(|tool| definition(tool))).collect()
    }

    fn searches(&self) -> bool {
        true
    }

    fn choice(&self, choice: &Choice) -> Map<String, Value> {
        let mut told = Map::new();
        match &choice.mode {
            Mode::Auto if !choice.one_at_a_time => return told,
            Mode::Auto => told.insert("type".to_owned(), "auto".into()),
            Mode::Any => told.insert("type".to_owned(), "any".into()),
            Mode::None => told.insert("type".to_owned(), "none".into()),
            Mode::Tool(name) => {
                told.insert("type".to_owned(), "tool".into());
                told.insert("name".to_owned(), name.as_str().into())
            }
        };
        if choice.one_at_a_time && choice.mode != Mode::None {
            told.insert("disable_parallel_tool_use".to_owned(), true.into());
        }
        Map::from_iter([("tool_choice".to_owned(), told.into())])
    }

    fn refuses(&self, choice: &Choice) -> Option<String> {
        (self.thinks && choice.is_forced()).then(|| {
            "a call can not be forced while extended thinking is on; choose `auto`".to_owned()
        })
    }

    fn read(&self, body: &str) -> Result<Reply, DialectError> {
        check(NAME, body, "content")?;
        let body: Body<'_> = parse(NAME, "$", body)?;
        let mut ids = Ids::default();
        let parts = body
            .content
            .iter()
            .enumerate()
            .map(|(index, block)| part(block, &format!("$.content[{index}]"), &mut ids))
            .collect::<Result<Vec<_>, _>>()?;
        let ending = ending(body.stop_reason.as_deref(), &parts);
        Ok(Reply::received(parts, ending, body.id.as_deref(), self.form))
    }

    fn stream(&self) -> Option<Stream> {
        Some(Stream::new(AnthropicEvents::new(self.form)))
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
        request.write_tools(&mut body);
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

fn definition(tool: &Definition) -> Value {
    let mut written = Map::new();
    written.insert("name".to_owned(), tool.name.as_str().into());
    written.insert("description".to_owned(), tool.description.as_str().into());
    written.insert("input_schema".to_owned(), tool.input_schema.clone());
    if tool.strict {
        written.insert("strict".to_owned(), true.into());
    }
    if !tool.examples.is_empty() {
        written.insert("input_examples".to_owned(), tool.examples.clone().into());
    }
    if tool.is_deferred {
        written.insert("defer_loading".to_owned(), true.into());
    } else if tool.is_cached {
        written.insert("cache_control".to_owned(), json!({"type": "ephemeral"}));
    }
    written.into()
}

fn part(block: &RawValue, path: &str, ids: &mut Ids) -> Result<Part, DialectError> {
    let kind: Kind = parse(NAME, path, block.get())?;
    Ok(match kind.r#type.as_str() {
        "text" => Part::Text(parse::<TextBlock>(NAME, path, block.get())?.text),
        "tool_use" => {
            let call: ToolUse<'_> = parse(NAME, path, block.get())?;
            if call.name.is_empty() {
                return Err(shape(NAME, &format!("{path}.name"), "a call without a name"));
            }
            let arguments = call.input.map_or("", RawValue::get);
            let id = ids.needed(NAME, &format!("{path}.id"), call.id)?;
            Part::Call(ToolCall::new(id, call.name, arguments))
        }
        // Thoughts are signed, and the provider's own tools are answered by the provider.
        _ => Part::Opaque { dialect: NAME, json: block.get().to_owned() },
    })
}

pub(super) fn ending(reason: Option<&str>, parts: &[Part]) -> Ending {
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
        Part::Call(call) => Some(json!({
            "type": "tool_use",
            "id": wire_id(call),
            "name": portable(call.name()),
            "input": object_of(call).unwrap_or_default(),
        })),
        Part::Opaque { dialect, json } if *dialect == NAME => serde_json::from_str(json).ok(),
        Part::Opaque { .. } => None,
    }
}

fn result(answered: &Answered) -> Value {
    let content: Value = match carried(&answered.outcome, &[IMAGES, &["application/pdf"]].concat())
    {
        Some(parts) => parts.iter().map(shown).collect(),
        None => answered.outcome.words().into(),
    };
    let mut result = json!({
        "type": "tool_result",
        "tool_use_id": wire_id(&answered.call),
        "content": content,
    });
    if answered.outcome.is_error()
        && let Some(members) = result.as_object_mut()
    {
        members.insert("is_error".to_owned(), true.into());
    }
    result
}

fn shown(part: &Carried<'_>) -> Value {
    match part {
        Carried::Text(text) => json!({"type": "text", "text": text}),
        Carried::Media(media) => json!({
            "type": if media.is_image() { "image" } else { "document" },
            "source": {"type": "base64", "media_type": media.mime_type, "data": media.data},
        }),
    }
}

/// The API takes letters, digits, `_` and `-` in ids; other providers' ids have more.
fn wire_id(call: &ToolCall) -> String {
    call.id().chars().map(letter).collect()
}
