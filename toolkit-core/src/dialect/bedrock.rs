//! Amazon Bedrock's Converse.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::choice::Mode;
use super::media::{Carried, IMAGES, carried};
use super::read::{Ids, check, parse, shape};
use super::{
    Answered, Choice, Definition, Dialect, DialectError, Ending, Form, Part, Reply, Request,
    in_forms, object_of, portable,
};
use crate::call::{Outcome, ToolCall};

const NAME: &str = "bedrock";

/// The wire form of Amazon Bedrock's Converse.
///
/// ```
/// use toolkit::dialect::{Bedrock, Dialect};
///
/// let reply = Bedrock.read(
///     r#"{"output": {"message": {"role": "assistant", "content": [
///             {"toolUse": {"toolUseId": "t1", "name": "add", "input": {"a": 2}}}
///         ]}}, "stopReason": "tool_use"}"#,
/// )?;
/// let call = reply.tool_calls().next().unwrap();
/// assert_eq!((call.id(), call.name(), &*call.arguments()), ("t1", "add", r#"{"a": 2}"#));
/// # Ok::<(), toolkit::dialect::DialectError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bedrock {
    form: Form,
    has_status: bool,
}

/// The dialect as it is written most: not strict, and without a status, which few models take.
#[expect(non_upper_case_globals, reason = "it is written where a value of the type is")]
pub const Bedrock: Bedrock = Bedrock { form: Form::ANTHROPIC, has_status: false };

in_forms!(Bedrock);

impl Bedrock {
    /// Says of each result whether it is an error, as models of Anthropic and Nova take it.
    #[must_use]
    pub const fn with_status(mut self) -> Self {
        self.has_status = true;
        self
    }

    fn result(self, answered: &Answered) -> Value {
        let Answered { call, outcome } = answered;
        if let Some(parts) = carried(outcome, IMAGES) {
            return self.result_of(call, outcome, parts.iter().map(shown).collect());
        }
        let value = outcome.value().filter(|_| outcome.content().is_empty());
        let content = match (outcome.is_error(), self.has_status, value) {
            (true, false, _) => json!({"json": {"error": outcome.text()}}),
            (false, _, Some(value @ Value::Object(_))) => json!({"json": value}),
            (true, true, _) | (false, ..) => json!({"text": outcome.words()}),
        };
        self.result_of(call, outcome, vec![content])
    }

    fn result_of(self, call: &ToolCall, outcome: &Outcome, content: Vec<Value>) -> Value {
        let mut result = json!({"toolUseId": wire_id(call), "content": Value::from(content)});
        if let (true, Value::Object(members)) = (self.has_status, &mut result) {
            let status = if outcome.is_error() { "error" } else { "success" };
            members.insert("status".to_owned(), status.into());
        }
        json!({ "toolResult": result })
    }
}

impl Dialect for Bedrock {
    fn name(&self) -> &'static str {
        NAME
    }

    fn form(&self) -> Form {
        self.form
    }

    fn definitions(&self, tools: &[&Definition]) -> Value {
        let written = tools.iter().map(|tool| {
            let mut spec = Map::new();
            spec.insert("name".to_owned(), tool.name.as_str().into());
            spec.insert("description".to_owned(), tool.description.as_str().into());
            spec.insert("inputSchema".to_owned(), json!({"json": tool.input_schema}));
            if tool.strict {
                spec.insert("strict".to_owned(), true.into());
            }
            json!({ "toolSpec": spec })
        });
        written.collect()
    }

    fn choice(&self, choice: &Choice) -> Map<String, Value> {
        let told = match &choice.mode {
            Mode::Any => json!({"any": {}}),
            Mode::Tool(name) => json!({"tool": {"name": name}}),
            Mode::Auto | Mode::None => return Map::new(),
        };
        Map::from_iter([("toolChoice".to_owned(), told)])
    }

    fn refuses(&self, choice: &Choice) -> Option<String> {
        (choice.mode == Mode::None)
            .then(|| "there is no way to say that no tool may be called; show none".to_owned())
    }

    fn read(&self, body: &str) -> Result<Reply, DialectError> {
        check(NAME, body, "output")?;
        let body: Body<'_> = parse(NAME, "$", body)?;
        let (mut parts, mut ids) = (Vec::new(), Ids::default());
        for (index, block) in body.output.message.content.iter().enumerate() {
            let path = format!("$.output.message.content[{index}]");
            parts.push(part(block, &path, &mut ids)?);
        }
        let ending = ending(body.stop_reason.as_deref(), &parts);
        Ok(Reply::received(parts, ending, None, self.form))
    }

    fn user(&self, text: &str) -> Vec<Value> {
        vec![json!({"role": "user", "content": [{"text": text}]})]
    }

    fn assistant(&self, reply: &Reply) -> Vec<Value> {
        let content: Vec<Value> = reply.parts().iter().filter_map(block).collect();
        if content.is_empty() {
            return Vec::new();
        }
        vec![json!({"role": "assistant", "content": content})]
    }

    fn results(&self, answered: &[Answered]) -> Vec<Value> {
        if answered.is_empty() {
            return Vec::new();
        }
        let content: Vec<Value> = answered.iter().map(|answered| self.result(answered)).collect();
        vec![json!({"role": "user", "content": content})]
    }

    /// Writes the body; the model's id belongs to the address.
    fn request(&self, request: &Request<'_>) -> Value {
        let mut body = Map::new();
        if let Some(system) = request.system {
            body.insert("system".to_owned(), json!([{"text": system}]));
        }
        if let Some(tools) = request.some_tools() {
            let mut config = Map::from_iter([("tools".to_owned(), tools.clone())]);
            config.extend(request.choice.clone());
            body.insert("toolConfig".to_owned(), config.into());
        }
        body.insert("messages".to_owned(), self.messages(request.messages).into());
        body.insert("inferenceConfig".to_owned(), json!({"maxTokens": request.max_tokens}));
        body.into()
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "a reply")]
struct Body<'a> {
    #[serde(borrow)]
    output: Output<'a>,
    stop_reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(expecting = "an output")]
struct Output<'a> {
    #[serde(borrow)]
    message: Content<'a>,
}

#[derive(Deserialize)]
#[serde(expecting = "a message")]
struct Content<'a> {
    #[serde(borrow)]
    content: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "a content block")]
struct Block<'a> {
    text: Option<String>,
    #[serde(borrow)]
    tool_use: Option<ToolUse<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "a toolUse block")]
struct ToolUse<'a> {
    #[serde(rename = "toolUseId")]
    id: Option<String>,
    name: String,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
}

fn shown(part: &Carried<'_>) -> Value {
    match part {
        Carried::Text(text) => json!({"text": text}),
        Carried::Media(media) => {
            let format = media.mime_type.trim_start_matches("image/");
            json!({"image": {"format": format, "source": {"bytes": media.data}}})
        }
    }
}

fn part(raw: &RawValue, path: &str, ids: &mut Ids) -> Result<Part, DialectError> {
    let block: Block<'_> = parse(NAME, path, raw.get())?;
    Ok(match block {
        Block { tool_use: Some(call), .. } => {
            if call.name.is_empty() {
                return Err(shape(NAME, &format!("{path}.toolUse.name"), "a call without a name"));
            }
            let arguments = call.input.map_or("", RawValue::get);
            let id = ids.needed(NAME, &format!("{path}.toolUse.toolUseId"), call.id)?;
            Part::Call(ToolCall::new(id, call.name, arguments))
        }
        Block { text: Some(text), .. } => Part::Text(text),
        Block { .. } => Part::Opaque { dialect: NAME, json: raw.get().to_owned() },
    })
}

fn ending(reason: Option<&str>, parts: &[Part]) -> Ending {
    match reason {
        Some("max_tokens" | "model_context_window_exceeded") => Ending::CutOff,
        Some("guardrail_intervened" | "content_filtered") => Ending::Refused,
        Some("malformed_tool_use" | "malformed_model_output") => Ending::BadCall,
        _ if parts.iter().any(|part| matches!(part, Part::Call(_))) => Ending::Calls,
        Some("end_turn" | "stop_sequence" | "tool_use") | None => Ending::Done,
        Some(other) => Ending::Other(other.to_owned()),
    }
}

fn block(part: &Part) -> Option<Value> {
    match part {
        Part::Text(text) if text.trim().is_empty() => None,
        Part::Text(text) => Some(json!({"text": text})),
        Part::Call(call) => Some(json!({"toolUse": {
            "toolUseId": wire_id(call),
            "name": portable(call.name()),
            "input": object_of(call).unwrap_or_default(),
        }})),
        Part::Opaque { dialect, json } if *dialect == NAME => serde_json::from_str(json).ok(),
        Part::Opaque { .. } => None,
    }
}

/// The API takes letters, digits, `_`, `.`, `:` and `-` in ids, 64 of them.
fn wire_id(call: &ToolCall) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "_.:-".contains(c) { c } else { '_' };
    call.id().chars().take(64).map(plain).collect()
}
