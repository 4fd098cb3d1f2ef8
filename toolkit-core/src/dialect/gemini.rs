//! Gemini's generateContent.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::choice::Mode;
use super::form::Strictness;
use super::media::{Carried, carried};
use super::read::{Ids, check, parse, shape};
use super::stream::GeminiChunks;
use super::{
    Answered, Choice, Definition, Dialect, DialectError, Ending, Form, Part, Reply, Request,
    Stream, in_forms, object_of, portable,
};
use crate::call::ToolCall;

const NAME: &str = "gemini";

/// How the ids begin that are given to calls which came without one; they are not sent.
const OWN_ID: &str = "unnamed";

/// The wire form of Gemini's `generateContent`.
///
/// Schemas are sent as `parametersJsonSchema`; where that is not taken, as by the Live API, say
/// [`with_parameters`](Self::with_parameters). A signature that came with a call goes back with
/// it. `strict` asks for the mode `VALIDATED`.
///
/// ```
/// use toolkit::dialect::{Dialect, Gemini};
///
/// let reply = Gemini.read(
///     r#"{"candidates": [{
///         "content": {"parts": [{"functionCall": {"name": "now"}, "thoughtSignature": "c2ln"}]},
///         "finishReason": "STOP"
///     }]}"#,
/// )?;
/// let call = reply.tool_calls().next().unwrap();
/// assert_eq!((call.name(), &*call.arguments()), ("now", ""));
/// assert_eq!(Gemini.assistant(&reply)[0]["parts"][0]["thoughtSignature"], "c2ln");
/// # Ok::<(), toolkit::dialect::DialectError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gemini {
    form: Form,
    has_parameters: bool,
    has_media: bool,
}

/// The dialect as it is written most: with JSON Schema, and not strict.
#[expect(non_upper_case_globals, reason = "it is written where a value of the type is")]
pub const Gemini: Gemini =
    Gemini { form: Form::GEMINI_JSON, has_parameters: false, has_media: true };

in_forms!(Gemini);

impl Gemini {
    /// Sends schemas as `parameters`, which older endpoints take.
    #[must_use]
    pub const fn with_parameters(mut self) -> Self {
        self.form = self.form.in_parameters();
        self.has_parameters = true;
        self
    }

    /// Tells of the images and files of results in words: models before Gemini 3 take none there.
    #[must_use]
    pub const fn without_media(mut self) -> Self {
        self.has_media = false;
        self
    }
}

impl Dialect for Gemini {
    fn name(&self) -> &'static str {
        NAME
    }

    fn form(&self) -> Form {
        self.form
    }

    fn definitions(&self, tools: &[&Definition]) -> Value {
        if tools.is_empty() {
            return json!([]);
        }
        let key = if self.has_parameters { "parameters" } else { "parametersJsonSchema" };
        let declarations: Vec<Value> = tools.iter().map(|tool| declaration(tool, key)).collect();
        json!([{ "functionDeclarations": declarations }])
    }

    fn most_tools(&self) -> Option<usize> {
        Some(512)
    }

    fn choice(&self, choice: &Choice) -> Map<String, Value> {
        let is_strict = self.form.strictness() != Strictness::Plain;
        let (mode, names) = match (&choice.mode, &choice.among) {
            (Mode::Auto, None) if !is_strict => return Map::new(),
            (Mode::Auto, None) => ("VALIDATED", None),
            // Names are taken in this mode and where a call is forced.
            (Mode::Auto, Some(names)) => ("VALIDATED", Some(names.clone())),
            (Mode::Any, names) => ("ANY", names.clone()),
            (Mode::Tool(name), _) => ("ANY", Some(vec![name.clone()])),
            (Mode::None, _) => ("NONE", None),
        };
        let mut config = Map::from_iter([("mode".to_owned(), mode.into())]);
        if let Some(names) = names {
            config.insert("allowedFunctionNames".to_owned(), names.into());
        }
        let config = json!({ "functionCallingConfig": config });
        Map::from_iter([("toolConfig".to_owned(), config)])
    }

    fn refuses(&self, _: &Choice) -> Option<String> {
        None
    }

    fn takes_subsets(&self) -> bool {
        true
    }

    fn read(&self, body: &str) -> Result<Reply, DialectError> {
        if let Ok(Blocked { prompt_feedback: Some(_), candidates: None }) =
            serde_json::from_str::<Blocked<'_>>(body)
        {
            return Ok(Reply::from_parts([], Ending::Refused));
        }
        check(NAME, body, "candidates")?;
        let body: Body<'_> = parse(NAME, "$", body)?;
        let Some(candidate) = body.candidates.into_iter().next() else {
            return Err(shape(NAME, "$.candidates", "an empty list"));
        };
        let raw = candidate.content.map(|content| content.parts).unwrap_or_default();
        let (mut parts, mut ids) = (Vec::new(), Ids::default());
        for (index, part) in raw.iter().enumerate() {
            let path = format!("$.candidates[0].content.parts[{index}]");
            read_part(part, &path, &mut ids, &mut parts)?;
        }
        let ending = ending(candidate.finish_reason.as_deref(), &parts);
        let id = body.response_id.map(|id| format!("{OWN_ID}_{id}"));
        Ok(received(parts, ending, id.as_deref(), self.form))
    }

    fn stream(&self) -> Option<Stream> {
        Some(Stream::new(GeminiChunks::new(self.form)))
    }

    fn user(&self, text: &str) -> Vec<Value> {
        vec![json!({"role": "user", "parts": [{"text": text}]})]
    }

    fn assistant(&self, reply: &Reply) -> Vec<Value> {
        let mut parts: Vec<Value> = Vec::new();
        let mut signed = None;
        for part in reply.parts() {
            match part {
                Part::Text(text) if text.trim().is_empty() => {}
                Part::Text(text) => parts.push(json!({"text": text})),
                Part::Call(call) => parts.push(call_part(call, signed.take())),
                Part::Opaque { dialect, json } if *dialect == NAME => {
                    let Ok(Value::Object(raw)) = serde_json::from_str(json) else { continue };
                    // A signed call comes twice: as the provider wrote it, and as a call.
                    if raw.contains_key("functionCall") {
                        signed = raw.get("thoughtSignature").cloned();
                    } else {
                        parts.push(raw.into());
                    }
                }
                Part::Opaque { .. } => {}
            }
        }
        if parts.is_empty() {
            return Vec::new();
        }
        vec![json!({"role": "model", "parts": parts})]
    }

    /// Writes one content, with as many parts as there were calls and nothing else.
    fn results(&self, answered: &[Answered]) -> Vec<Value> {
        if answered.is_empty() {
            return Vec::new();
        }
        let written = answered.iter().map(|answered| response(answered, self.has_media));
        let parts: Vec<Value> = written.collect();
        vec![json!({"role": "user", "parts": parts})]
    }

    /// Writes the body; the model's name belongs to the address.
    fn request(&self, request: &Request<'_>) -> Value {
        let mut body = Map::new();
        if let Some(system) = request.system {
            body.insert("systemInstruction".to_owned(), json!({"parts": [{"text": system}]}));
        }
        request.write_tools(&mut body);
        body.insert("contents".to_owned(), self.messages(request.messages).into());
        body.insert("generationConfig".to_owned(), json!({"maxOutputTokens": request.max_tokens}));
        Value::Object(body)
    }
}

/// A function without arguments has no schema.
fn declaration(tool: &Definition, key: &str) -> Value {
    let mut written = Map::new();
    written.insert("name".to_owned(), tool.name.as_str().into());
    written.insert("description".to_owned(), tool.description.as_str().into());
    let properties = tool.input_schema.get("properties").and_then(Value::as_object);
    if properties.is_some_and(|all| !all.is_empty()) || key != "parameters" {
        written.insert(key.to_owned(), tool.input_schema.clone());
    }
    written.into()
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Blocked<'a> {
    #[serde(borrow)]
    prompt_feedback: Option<&'a RawValue>,
    #[serde(borrow)]
    candidates: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "a reply")]
struct Body<'a> {
    response_id: Option<String>,
    #[serde(borrow)]
    candidates: Vec<Candidate<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "a candidate")]
struct Candidate<'a> {
    #[serde(borrow)]
    content: Option<Content<'a>>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(expecting = "a content")]
struct Content<'a> {
    #[serde(borrow, default)]
    parts: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "a part")]
struct RawPart<'a> {
    text: Option<String>,
    #[serde(default)]
    thought: bool,
    #[serde(borrow)]
    function_call: Option<FunctionCall<'a>>,
    #[serde(borrow)]
    thought_signature: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(expecting = "a function call")]
struct FunctionCall<'a> {
    id: Option<String>,
    name: String,
    #[serde(borrow)]
    args: Option<&'a RawValue>,
}

pub(super) fn read_part(
    raw: &RawValue,
    path: &str,
    ids: &mut Ids,
    parts: &mut Vec<Part>,
) -> Result<(), DialectError> {
    let part: RawPart<'_> = parse(NAME, path, raw.get())?;
    let opaque = || Part::Opaque { dialect: NAME, json: raw.get().to_owned() };
    match part {
        RawPart { function_call: Some(call), thought_signature, .. } => {
            if call.name.is_empty() {
                return Err(shape(
                    NAME,
                    &format!("{path}.functionCall.name"),
                    "a call without a name",
                ));
            }
            if thought_signature.is_some() {
                parts.push(opaque());
            }
            let arguments = call.args.map_or("", RawValue::get);
            let id = ids.given(NAME, &format!("{path}.functionCall.id"), call.id)?;
            parts.push(Part::Call(ToolCall::new(id, call.name, arguments)));
        }
        // A signed text goes back as it came; it is said to the user all the same.
        RawPart { text: Some(text), thought: false, thought_signature: None, .. } => {
            parts.push(Part::Text(text));
        }
        _ => parts.push(opaque()),
    }
    Ok(())
}

pub(super) fn received(parts: Vec<Part>, ending: Ending, id: Option<&str>, form: Form) -> Reply {
    Reply::received(parts, ending, Some(id.unwrap_or(OWN_ID)), form)
}

pub(super) fn ending(reason: Option<&str>, parts: &[Part]) -> Ending {
    match reason {
        Some("MAX_TOKENS") => Ending::CutOff,
        Some("SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII") => {
            Ending::Refused
        }
        Some("MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL" | "TOO_MANY_TOOL_CALLS") => {
            Ending::BadCall
        }
        // The reason is `STOP` with calls, too.
        _ if parts.iter().any(|part| matches!(part, Part::Call(_))) => Ending::Calls,
        Some("STOP") | None => Ending::Done,
        Some(other) => Ending::Other(other.to_owned()),
    }
}

fn call_part(call: &ToolCall, signature: Option<Value>) -> Value {
    let mut written = Map::new();
    if let Some(id) = sent_id(call) {
        written.insert("id".to_owned(), id.into());
    }
    written.insert("name".to_owned(), portable(call.name()).into());
    written.insert("args".to_owned(), object_of(call).unwrap_or_default().into());
    let mut part = Map::from_iter([("functionCall".to_owned(), written.into())]);
    if let Some(signature) = signature {
        part.insert("thoughtSignature".to_owned(), signature);
    }
    part.into()
}

/// The id that the provider knows of a call.
fn sent_id(call: &ToolCall) -> Option<&str> {
    let is_own = call.id().starts_with(&format!("call_{OWN_ID}"));
    (!is_own).then(|| call.id())
}

/// The media that models from Gemini 3 on take in a result.
const MEDIA: &[&str] = &["image/png", "image/jpeg", "image/webp", "application/pdf"];

fn response(answered: &Answered, has_media: bool) -> Value {
    let Answered { call, outcome } = answered;
    let mut written = Map::new();
    if let Some(id) = sent_id(call) {
        written.insert("id".to_owned(), id.into());
    }
    written.insert("name".to_owned(), portable(call.name()).into());
    let told = if outcome.is_error() {
        json!({ "error": outcome.text() })
    } else {
        // A `$ref` would be read as a reference to a part.
        let output = outcome.value().filter(|value| !refers(value));
        json!({ "output": output.unwrap_or_else(|| outcome.text().into()) })
    };
    let parts = carried(outcome, if has_media { MEDIA } else { &[] });
    let told = match (&parts, outcome.content().is_empty()) {
        (_, true) => told,
        (None, false) => json!({ "output": outcome.words() }),
        (Some(parts), false) => {
            let texts = parts.iter().filter_map(|part| match part {
                Carried::Text(text) => Some(text.as_str()),
                Carried::Media(_) => None,
            });
            json!({ "output": texts.collect::<Vec<_>>().join("\n") })
        }
    };
    written.insert("response".to_owned(), told);
    let media = parts.iter().flatten().filter_map(|part| match part {
        Carried::Media(media) => {
            Some(json!({"inlineData": {"mimeType": media.mime_type, "data": media.data}}))
        }
        Carried::Text(_) => None,
    });
    let media: Vec<Value> = media.collect();
    if !media.is_empty() {
        written.insert("parts".to_owned(), media.into());
    }
    json!({ "functionResponse": written })
}

fn refers(value: &Value) -> bool {
    match value {
        Value::Object(members) => members.contains_key("$ref") || members.values().any(refers),
        Value::Array(items) => items.iter().any(refers),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}
