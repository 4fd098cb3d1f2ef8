//! OpenAI's Responses API.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::choice::Mode;
use super::media::{Carried, IMAGES, carried};
use super::read::{Ids, check, parse, shape};
use super::stream::ResponsesEvents;
use super::{
    Answered, Choice, Definition, Dialect, DialectError, Ending, Form, Part, Reply, Request,
    Stream, in_forms, object_of, portable,
};
use crate::call::{Outcome, ToolCall};

const NAME: &str = "openai_responses";

/// The wire form of OpenAI's Responses API.
///
/// Items that only the provider understands, like its reasoning, go back as they came.
///
/// ```
/// use toolkit::dialect::{Dialect, OpenAiResponses};
///
/// let reply = OpenAiResponses.read(
///     r#"{"status": "completed", "output": [
///         {"type": "reasoning", "id": "rs_1", "summary": []},
///         {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "add",
///          "arguments": "{\"a\": 2, \"b\": 3}", "status": "completed"}
///     ]}"#,
/// )?;
/// let call = reply.tool_calls().next().unwrap();
/// assert_eq!((call.id(), call.name()), ("call_1", "add"));
/// assert_eq!(call.arguments(), r#"{"a": 2, "b": 3}"#);
/// assert_eq!(OpenAiResponses.assistant(&reply)[0]["id"], "rs_1");
/// # Ok::<(), toolkit::dialect::DialectError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenAiResponses {
    form: Form,
}

/// The dialect as it is written most: not strict.
#[expect(non_upper_case_globals, reason = "it is written where a value of the type is")]
pub const OpenAiResponses: OpenAiResponses = OpenAiResponses { form: Form::OPENAI };

in_forms!(OpenAiResponses);

impl Dialect for OpenAiResponses {
    fn name(&self) -> &'static str {
        NAME
    }

    fn form(&self) -> Form {
        self.form
    }

    fn definitions(&self, tools: &[&Definition]) -> Value {
        let search = tools.iter().any(|tool| tool.is_deferred);
        let search = search.then(|| json!({"type": "tool_search"}));
        search.into_iter().chain(tools.iter().map(|tool| definition(tool))).collect()
    }

    fn searches(&self) -> bool {
        true
    }

    fn choice(&self, choice: &Choice) -> Map<String, Value> {
        let function = |name: &str| json!({"type": "function", "name": name});
        let mode = match &choice.mode {
            Mode::Auto => "auto".into(),
            Mode::Any => "required".into(),
            Mode::None => "none".into(),
            Mode::Tool(name) => function(name),
        };
        let told = match (&choice.among, &choice.mode) {
            (Some(names), Mode::Auto | Mode::Any) => {
                let tools: Vec<Value> = names.iter().map(|name| function(name)).collect();
                json!({"type": "allowed_tools", "mode": mode, "tools": tools})
            }
            _ => mode,
        };
        let mut members = Map::new();
        if told != "auto" {
            members.insert("tool_choice".to_owned(), told);
        }
        if choice.one_at_a_time {
            members.insert("parallel_tool_calls".to_owned(), false.into());
        }
        members
    }

    fn refuses(&self, _: &Choice) -> Option<String> {
        None
    }

    fn takes_subsets(&self) -> bool {
        true
    }

    fn read(&self, body: &str) -> Result<Reply, DialectError> {
        check(NAME, body, "output")?;
        let body: Body<'_> = parse(NAME, "$", body)?;
        let (mut parts, mut ids) = (Vec::new(), Ids::default());
        for (index, item) in body.output.iter().enumerate() {
            read_item(item, &format!("$.output[{index}]"), &mut ids, &mut parts)?;
        }
        let why = body.incomplete_details.and_then(|details| details.reason);
        let ending = ending(body.status.as_deref(), why.as_deref(), &parts);
        Ok(Reply::received(parts, ending, body.id.as_deref(), self.form))
    }

    fn stream(&self) -> Option<Stream> {
        Some(Stream::new(ResponsesEvents::new(self.form)))
    }

    fn user(&self, text: &str) -> Vec<Value> {
        vec![json!({"role": "user", "content": text})]
    }

    fn assistant(&self, reply: &Reply) -> Vec<Value> {
        reply.parts().iter().filter_map(item).collect()
    }

    /// Writes one item a call.
    ///
    /// The API has no error flag, so an error is the object `{"error": "…"}`.
    fn results(&self, answered: &[Answered]) -> Vec<Value> {
        let written = answered.iter().map(|Answered { call, outcome }| {
            let output = if outcome.is_error() {
                json!({"error": outcome.text()}).to_string().into()
            } else {
                output(outcome)
            };
            json!({"type": "function_call_output", "call_id": call.id(), "output": output})
        });
        written.collect()
    }

    fn request(&self, request: &Request<'_>) -> Value {
        let mut body = Map::new();
        body.insert("model".to_owned(), request.model.into());
        body.insert("max_output_tokens".to_owned(), request.max_tokens.into());
        if let Some(system) = request.system {
            body.insert("instructions".to_owned(), system.into());
        }
        request.write_tools(&mut body);
        body.insert("input".to_owned(), self.messages(request.messages).into());
        Value::Object(body)
    }
}

/// What a call gave: a text, or a list with its media.
fn output(outcome: &Outcome) -> Value {
    let Some(parts) = carried(outcome, &[IMAGES, &["application/pdf"]].concat()) else {
        return outcome.words().into();
    };
    let shown = |part: &Carried<'_>| match part {
        Carried::Text(text) => json!({"type": "input_text", "text": text}),
        Carried::Media(media) if media.is_image() => {
            json!({"type": "input_image", "image_url": media.data_uri(), "detail": "auto"})
        }
        Carried::Media(media) => json!({
            "type": "input_file",
            "filename": media.name.unwrap_or("file.pdf"),
            "file_data": media.data_uri(),
        }),
    };
    parts.iter().map(shown).collect()
}

/// Says whether it is strict in any case: the API makes strict what does not say so.
fn definition(tool: &Definition) -> Value {
    let mut written = Map::new();
    written.insert("type".to_owned(), "function".into());
    written.insert("name".to_owned(), tool.name.as_str().into());
    written.insert("description".to_owned(), tool.description.as_str().into());
    written.insert("parameters".to_owned(), tool.input_schema.clone());
    written.insert("strict".to_owned(), tool.strict.into());
    if tool.is_deferred {
        written.insert("defer_loading".to_owned(), true.into());
    }
    written.into()
}

#[derive(Deserialize)]
#[serde(expecting = "a reply")]
struct Body<'a> {
    id: Option<String>,
    status: Option<String>,
    incomplete_details: Option<Incomplete>,
    #[serde(borrow)]
    output: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(expecting = "why it is incomplete")]
struct Incomplete {
    reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(expecting = "an output item")]
struct Kind {
    r#type: String,
}

#[derive(Deserialize)]
#[serde(expecting = "a message")]
struct Said {
    #[serde(default)]
    content: Vec<SaidPart>,
}

#[derive(Deserialize)]
#[serde(expecting = "a content part")]
struct SaidPart {
    text: Option<String>,
    refusal: Option<String>,
}

#[derive(Deserialize)]
#[serde(expecting = "a function_call item")]
struct FunctionCall {
    call_id: Option<String>,
    name: String,
    arguments: Option<String>,
    status: Option<String>,
}

pub(super) fn read_item(
    item: &RawValue,
    path: &str,
    ids: &mut Ids,
    parts: &mut Vec<Part>,
) -> Result<(), DialectError> {
    let kind: Kind = parse(NAME, path, item.get())?;
    match kind.r#type.as_str() {
        "message" => {
            let said: Said = parse(NAME, path, item.get())?;
            parts.extend(
                said.content
                    .into_iter()
                    .filter_map(|part| part.text.or(part.refusal))
                    .map(Part::Text),
            );
        }
        "function_call" => {
            let call: FunctionCall = parse(NAME, path, item.get())?;
            if call.name.is_empty() {
                return Err(shape(NAME, &format!("{path}.name"), "a call without a name"));
            }
            let is_whole = call.status.as_deref() != Some("incomplete");
            let id = ids.needed(NAME, &format!("{path}.call_id"), call.call_id)?;
            let read = ToolCall::new(id, call.name, call.arguments.unwrap_or_default());
            parts.push(Part::Call(if is_whole { read } else { read.cut_off() }));
        }
        _ => parts.push(Part::Opaque { dialect: NAME, json: item.get().to_owned() }),
    }
    Ok(())
}

pub(super) fn ending(status: Option<&str>, why: Option<&str>, parts: &[Part]) -> Ending {
    match (status, why) {
        (Some("incomplete"), Some("content_filter")) => Ending::Refused,
        (Some("incomplete"), _) => Ending::CutOff,
        _ if parts.iter().any(|part| matches!(part, Part::Call(_))) => Ending::Calls,
        (Some("completed") | None, _) => Ending::Done,
        (Some(other), _) => Ending::Other(other.to_owned()),
    }
}

fn item(part: &Part) -> Option<Value> {
    match part {
        Part::Text(text) if text.trim().is_empty() => None,
        Part::Text(text) => Some(json!({"role": "assistant", "content": text})),
        Part::Call(call) => {
            let arguments = call.arguments();
            let arguments = if object_of(call).is_some() { &arguments } else { "{}" };
            Some(json!({
                "type": "function_call",
                "call_id": call.id(),
                "name": portable(call.name()),
                "arguments": arguments,
            }))
        }
        Part::Opaque { dialect, json } if *dialect == NAME => serde_json::from_str(json).ok(),
        Part::Opaque { .. } => None,
    }
}
