//! The events of Cohere's chat API of version 2.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Draft, Reader, broken_off, nothing_began};
use crate::dialect::form::Form;
use crate::dialect::openai_chat::{alone_reason, ending_of};
use crate::dialect::read::{DialectError, Ids, check, parse, shape};
use crate::dialect::reply::{Ending, Part, Reply};

const NAME: &str = "cohere";

pub(in crate::dialect) struct CohereEvents {
    form: Form,
    id: Option<String>,
    /// What the model says before it calls.
    plan: String,
    text: String,
    /// By their own count, which is not that of the contents.
    calls: Vec<(u64, Draft)>,
    reason: Option<String>,
    ids: Ids,
    has_begun: bool,
}

impl CohereEvents {
    pub(in crate::dialect) fn new(form: Form) -> Self {
        Self {
            form,
            id: None,
            plan: String::new(),
            text: String::new(),
            calls: Vec::new(),
            reason: None,
            ids: Ids::default(),
            has_begun: false,
        }
    }

    fn start(&mut self, index: u64, call: Call) -> Result<(), DialectError> {
        if self.calls.iter().any(|(other, _)| *other == index) {
            return Err(shape(NAME, "$.index", &format!("call {index} starts twice")));
        }
        let function = call.function.unwrap_or_default();
        let Some(name) = function.name.filter(|name| !name.is_empty()) else {
            return Err(shape(NAME, &format!("{CALL}.function.name"), "a call without a name"));
        };
        let id = self.ids.needed(NAME, &format!("{CALL}.id"), call.id)?;
        let arguments = function.arguments.unwrap_or_default();
        self.calls.push((index, Draft { id, name, arguments, is_whole: false }));
        Ok(())
    }

    fn call(&mut self, index: u64) -> Result<&mut Draft, DialectError> {
        let call = self.calls.iter_mut().find(|(other, _)| *other == index);
        call.map(|(_, draft)| draft)
            .ok_or_else(|| shape(NAME, "$.index", &format!("no call {index} has started")))
    }
}

const CALL: &str = "$.delta.message.tool_calls";

impl Reader for CohereEvents {
    fn push(&mut self, data: &str) -> Result<Option<String>, DialectError> {
        if data.trim() == "[DONE]" {
            return Ok(None);
        }
        check(NAME, data, "type")?;
        let event: Event<'_> = parse(NAME, "$", data)?;
        self.has_begun = true;
        let index = event.index.unwrap_or_default();
        let delta = event.delta.unwrap_or_default();
        let message = delta.message.unwrap_or_default();
        match event.r#type.as_str() {
            "message-start" => self.id = event.id,
            "content-start" | "content-delta" => {
                let content = message.content.map_or("null", RawValue::get);
                let content: Option<Said> = parse(NAME, "$.delta.message.content", content)?;
                let text = content.and_then(|said| said.text).filter(|text| !text.is_empty());
                self.text.push_str(text.as_deref().unwrap_or_default());
                return Ok(text);
            }
            "tool-plan-delta" => {
                let plan = message.tool_plan.filter(|plan| !plan.is_empty());
                self.plan.push_str(plan.as_deref().unwrap_or_default());
                return Ok(plan);
            }
            "tool-call-start" => {
                let call = message.tool_calls.map_or("null", RawValue::get);
                self.start(index, parse(NAME, CALL, call)?)?;
            }
            "tool-call-delta" => {
                let call = message.tool_calls.map_or("null", RawValue::get);
                let piece: Call = parse(NAME, CALL, call)?;
                let piece = piece.function.and_then(|function| function.arguments);
                self.call(index)?.arguments.push_str(&piece.unwrap_or_default());
            }
            "tool-call-end" => self.call(index)?.is_whole = true,
            "message-end" => self.reason = delta.finish_reason,
            // Citations, and what later versions add.
            _ => {}
        }
        Ok(None)
    }

    fn end(self: Box<Self>) -> Result<Reply, DialectError> {
        if !self.has_begun {
            return Err(nothing_began(NAME));
        }
        let has_calls = !self.calls.is_empty();
        let reason = self.reason.as_deref();
        let told: Option<Ending> =
            reason.map(|reason| ending_of(Some(alone_reason(reason)), false, has_calls));
        let texts = [Part::Text(self.plan), Part::Text(self.text)];
        let calls = self.calls.into_iter().map(|(_, draft)| draft.part());
        let parts: Vec<Part> = texts.into_iter().chain(calls).collect();
        Ok(Reply::received(parts, broken_off(told), self.id.as_deref(), self.form))
    }
}

#[derive(Deserialize)]
#[serde(expecting = "an event")]
struct Event<'a> {
    r#type: String,
    id: Option<String>,
    index: Option<u64>,
    #[serde(borrow)]
    delta: Option<Delta<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(expecting = "a delta")]
struct Delta<'a> {
    #[serde(borrow)]
    message: Option<Message<'a>>,
    finish_reason: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(expecting = "a part of a message")]
struct Message<'a> {
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    tool_plan: Option<String>,
    #[serde(borrow)]
    tool_calls: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(expecting = "a content")]
struct Said {
    text: Option<String>,
}

#[derive(Deserialize)]
#[serde(expecting = "a tool call")]
struct Call {
    id: Option<String>,
    function: Option<Function>,
}

#[derive(Deserialize, Default)]
#[serde(expecting = "a function call")]
struct Function {
    name: Option<String>,
    arguments: Option<String>,
}
