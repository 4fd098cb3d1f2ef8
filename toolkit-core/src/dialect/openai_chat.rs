//! OpenAI's Chat Completions API, and the many servers that imitate it.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::read::{Ids, check, parse, shape};
use super::stream::{ChatChunks, CohereEvents, OllamaLines};
use super::{
    Answered, Choice, Definition, Dialect, DialectError, Ending, Form, Part, Reply, Request,
    Server, Stream, in_forms, object_of, portable,
};
use crate::call::ToolCall;

/// The wire form of OpenAI's Chat Completions API.
///
/// ```
/// use toolkit::dialect::{Dialect, OpenAiChat};
///
/// let reply = OpenAiChat.read(
///     r#"{"choices": [{
///         "message": {"tool_calls": [{
///             "id": "call_1",
///             "type": "function",
///             "function": {"name": "add", "arguments": "{\"a\": 2, \"b\": 3}"}
///         }]},
///         "finish_reason": "tool_calls"
///     }]}"#,
/// )?;
/// let call = reply.tool_calls().next().unwrap();
/// assert_eq!((call.id(), call.name()), ("call_1", "add"));
/// assert_eq!(call.arguments(), r#"{"a": 2, "b": 3}"#);
/// # Ok::<(), toolkit::dialect::DialectError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenAiChat {
    form: Form,
    server: Server,
}

/// The dialect as it is written most: not strict.
#[expect(non_upper_case_globals, reason = "it is written where a value of the type is")]
pub const OpenAiChat: OpenAiChat = OpenAiChat { form: Form::OPENAI, server: Server::OpenAi };

in_forms!(OpenAiChat);

impl OpenAiChat {
    /// Writes and reads as another server does that imitates the API.
    ///
    /// Say it before what the forms of schemas are to be.
    #[must_use]
    pub const fn at(mut self, server: Server) -> Self {
        self.server = server;
        self.form = server.form();
        self
    }

    /// Reads a reply that is one message, without a list of choices.
    fn read_alone(self, body: &str) -> Result<Reply, DialectError> {
        check(self.server.name(), body, "message")?;
        let body: Alone<'_> = parse(self.server.name(), "$", body)?;
        let reason = body.finish_reason.or(body.done_reason);
        let ending = ending(reason.as_deref().map(alone_reason), &body.message);
        let parts = parts(body.message, self.server, &mut Ids::default())?;
        Ok(Reply::received(parts, ending, body.id.as_deref(), self.form))
    }
}

impl Dialect for OpenAiChat {
    fn name(&self) -> &'static str {
        self.server.name()
    }

    fn form(&self) -> Form {
        self.form
    }

    fn definitions(&self, tools: &[&Definition]) -> Value {
        tools.iter().map(|tool| definition(tool, self.server)).collect()
    }

    fn most_tools(&self) -> Option<usize> {
        self.server.most_tools()
    }

    fn choice(&self, choice: &Choice) -> Map<String, Value> {
        self.server.choice(choice)
    }

    fn refuses(&self, choice: &Choice) -> Option<String> {
        self.server.refuses(choice)
    }

    fn takes_subsets(&self) -> bool {
        self.server.takes_subsets()
    }

    fn shows_only<'c>(&self, choice: &'c Choice) -> Option<&'c str> {
        self.server.shows_only(choice)
    }

    fn read(&self, body: &str) -> Result<Reply, DialectError> {
        if let Server::Ollama | Server::Cohere = self.server {
            return self.read_alone(body);
        }
        let name = self.server.name();
        check(name, body, "choices")?;
        let body: Body<'_> = parse(name, "$", body)?;
        let Some(choice) = body.choices.into_iter().next() else {
            return Err(shape(name, "$.choices", "an empty list"));
        };
        let ending = ending(choice.finish_reason.as_deref(), &choice.message);
        let parts = parts(choice.message, self.server, &mut Ids::default())?;
        Ok(Reply::received(parts, ending, body.id.as_deref(), self.form))
    }

    fn stream(&self) -> Option<Stream> {
        Some(match self.server {
            Server::Cohere => Stream::new(CohereEvents::new(self.form)),
            Server::Ollama => Stream::new(OllamaLines::new(self.form)),
            Server::OpenAi | Server::Mistral | Server::DeepSeek | Server::XAi => {
                Stream::new(ChatChunks::new(self.form, self.server.name()))
            }
        })
    }

    fn user(&self, text: &str) -> Vec<Value> {
        vec![json!({"role": "user", "content": text})]
    }

    fn assistant(&self, reply: &Reply) -> Vec<Value> {
        let text = reply.full_text();
        let calls: Vec<Value> = reply.tool_calls().map(|one| call(one, self.server)).collect();
        let mut message = Map::new();
        message.insert("role".to_owned(), "assistant".into());
        match (text.trim().is_empty(), calls.is_empty()) {
            (true, true) => return Vec::new(),
            (true, false) if self.server == Server::OpenAi => {
                message.insert("content".to_owned(), Value::Null)
            }
            // The others have no null there.
            (true, false) => None,
            (false, false) if self.server == Server::Cohere => {
                message.insert("tool_plan".to_owned(), text.into())
            }
            (false, _) => message.insert("content".to_owned(), text.into()),
        };
        if !calls.is_empty() {
            message.insert("tool_calls".to_owned(), calls.into());
        }
        vec![Value::Object(message)]
    }

    /// Writes one message a call.
    ///
    /// The API has no error flag, so an error is the object `{"error": "…"}`: a model can
    /// tell it from a tool's own text. It holds no status, for a tool that the caller may
    /// not use must read like one that does not exist.
    fn results(&self, answered: &[Answered]) -> Vec<Value> {
        let written = answered.iter().map(|Answered { call, outcome }| {
            let content = if outcome.is_error() {
                json!({"error": outcome.text()}).to_string()
            } else {
                // The API takes no media in the message of a tool.
                outcome.words().into_owned()
            };
            match self.server.wire_id(call.id()) {
                Some(id) => json!({"role": "tool", "tool_call_id": id, "content": content}),
                None => json!({
                    "role": "tool",
                    "tool_name": portable(call.name()),
                    "content": content,
                }),
            }
        });
        written.collect()
    }

    fn request(&self, request: &Request<'_>) -> Value {
        let mut body = Map::new();
        body.insert("model".to_owned(), request.model.into());
        self.server.write_limits(&mut body, request.max_tokens, self.form);
        request.write_tools(&mut body);
        let system = request.system.map(|text| json!({"role": "system", "content": text}));
        let messages = self.messages(request.messages);
        body.insert("messages".to_owned(), system.into_iter().chain(messages).collect());
        Value::Object(body)
    }
}

#[derive(Deserialize)]
#[serde(expecting = "a reply")]
struct Body<'a> {
    id: Option<String>,
    #[serde(borrow)]
    choices: Vec<OneReply<'a>>,
}

#[derive(Deserialize)]
#[serde(expecting = "a reply")]
pub(super) struct Alone<'a> {
    id: Option<String>,
    #[serde(borrow)]
    pub(super) message: ChatMessage<'a>,
    finish_reason: Option<String>,
    pub(super) done_reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(expecting = "a choice")]
struct OneReply<'a> {
    #[serde(borrow)]
    message: ChatMessage<'a>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(expecting = "a message")]
pub(super) struct ChatMessage<'a> {
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    refusal: Option<String>,
    /// What Cohere's models say before they call.
    tool_plan: Option<String>,
    #[serde(borrow)]
    tool_calls: Option<Vec<ChatCall<'a>>>,
}

#[derive(Deserialize)]
#[serde(expecting = "a tool call")]
struct ChatCall<'a> {
    id: Option<String>,
    #[serde(borrow)]
    function: Function<'a>,
}

#[derive(Deserialize)]
#[serde(expecting = "a function call")]
struct Function<'a> {
    name: String,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(expecting = "a content part")]
struct TextPart {
    #[serde(default)]
    text: String,
}

fn definition(tool: &Definition, server: Server) -> Value {
    let mut function = Map::new();
    function.insert("name".to_owned(), tool.name.as_str().into());
    function.insert("description".to_owned(), tool.description.as_str().into());
    function.insert("parameters".to_owned(), tool.input_schema.clone());
    if tool.strict && server.marks_functions() {
        function.insert("strict".to_owned(), true.into());
    }
    json!({"type": "function", "function": function})
}

/// Why a message that comes without choices ended, in OpenAI's words.
pub(super) fn alone_reason(reason: &str) -> &str {
    match reason {
        "COMPLETE" | "STOP_SEQUENCE" | "TOOL_CALL" | "load" | "unload" => "stop",
        "MAX_TOKENS" => "length",
        "ERROR" | "ERROR_TOXIC" => "content_filter",
        other => other,
    }
}

/// Where the message is in a server's reply.
const fn place_at(server: Server) -> &'static str {
    match server {
        Server::Cohere | Server::Ollama => "$.message",
        Server::OpenAi | Server::Mistral | Server::DeepSeek | Server::XAi => "$.choices[0].message",
    }
}

pub(super) fn parts(
    message: ChatMessage<'_>,
    server: Server,
    ids: &mut Ids,
) -> Result<Vec<Part>, DialectError> {
    let (name, place) = (server.name(), place_at(server));
    let mut parts: Vec<Part> = message.tool_plan.map(Part::Text).into_iter().collect();
    if let Some(content) = message.content {
        let texts = texts(name, &format!("{place}.content"), content)?;
        parts.extend(texts.into_iter().map(Part::Text));
    }
    parts.extend(message.refusal.map(Part::Text));
    for (index, call) in message.tool_calls.unwrap_or_default().into_iter().enumerate() {
        let path = format!("{place}.tool_calls[{index}]");
        if call.function.name.is_empty() {
            return Err(shape(name, &format!("{path}.function.name"), "a call without a name"));
        }
        let arguments = arguments(name, &path, call.function.arguments)?;
        let at = format!("{path}.id");
        let id = if server.has_ids() {
            ids.needed(name, &at, call.id)?
        } else {
            ids.given(name, &at, call.id)?
        };
        parts.push(Part::Call(ToolCall::new(id, call.function.name, arguments)));
    }
    Ok(parts)
}

/// The content is a text, or a list of parts.
fn texts(name: &'static str, path: &str, content: &RawValue) -> Result<Vec<String>, DialectError> {
    if content.get().starts_with('[') {
        let parts: Vec<TextPart> = parse(name, path, content.get())?;
        return Ok(parts.into_iter().map(|part| part.text).collect());
    }
    Ok(vec![parse(name, path, content.get())?])
}

/// The arguments are a JSON text in a string; servers that send the JSON itself are understood.
fn arguments(
    name: &'static str,
    path: &str,
    given: Option<&RawValue>,
) -> Result<String, DialectError> {
    match given.map(RawValue::get) {
        None => Ok(String::new()),
        Some(text) if text.starts_with('"') => {
            parse(name, &format!("{path}.function.arguments"), text)
        }
        Some(text) => Ok(text.to_owned()),
    }
}

fn ending(reason: Option<&str>, message: &ChatMessage<'_>) -> Ending {
    let is_refused = message.refusal.as_deref().is_some_and(|text| !text.trim().is_empty());
    let has_calls = message.tool_calls.as_ref().is_some_and(|calls| !calls.is_empty());
    ending_of(reason, is_refused, has_calls)
}

pub(super) fn ending_of(reason: Option<&str>, is_refused: bool, has_calls: bool) -> Ending {
    match reason {
        Some("length") => Ending::CutOff,
        Some("content_filter") => Ending::Refused,
        _ if is_refused => Ending::Refused,
        // A call that was forced comes with `stop`; the list of calls tells.
        _ if has_calls => Ending::Calls,
        Some("stop" | "tool_calls" | "function_call") | None => Ending::Done,
        Some(other) => Ending::Other(other.to_owned()),
    }
}

fn call(call: &ToolCall, server: Server) -> Value {
    let arguments = call.arguments();
    let object = object_of(call);
    let name = portable(call.name());
    let Some(id) = server.wire_id(call.id()) else {
        return json!({"function": {"name": name, "arguments": object.unwrap_or_default()}});
    };
    let arguments = if object.is_some() { &arguments } else { "{}" };
    json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
}
