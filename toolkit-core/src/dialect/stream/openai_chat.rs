//! The chunks of OpenAI's Chat Completions API, and of the many servers that imitate it.

use serde::Deserialize;

use super::{Draft, Reader, broken_off, nothing_began};
use crate::dialect::form::Form;
use crate::dialect::openai_chat::ending_of;
use crate::dialect::read::{DialectError, Ids, check, parse, shape};
use crate::dialect::reply::{Ending, Part, Reply};

pub(in crate::dialect) struct ChatChunks {
    form: Form,
    /// The server's name.
    name: &'static str,
    id: Option<String>,
    text: String,
    refusal: String,
    calls: Vec<(Option<u64>, Draft)>,
    reason: Option<String>,
    has_begun: bool,
    has_ended: bool,
}

impl ChatChunks {
    pub(in crate::dialect) const fn new(form: Form, name: &'static str) -> Self {
        Self {
            form,
            name,
            id: None,
            text: String::new(),
            refusal: String::new(),
            calls: Vec::new(),
            reason: None,
            has_begun: false,
            has_ended: false,
        }
    }

    fn call(&mut self, piece: CallPiece) -> Result<(), DialectError> {
        let id = piece.id.filter(|id| !id.is_empty());
        let function = piece.function.unwrap_or_default();
        let name = function.name.filter(|name| !name.is_empty());
        let known = match piece.index {
            Some(index) => self.calls.iter_mut().rfind(|(other, _)| *other == Some(index)),
            // Without an index, a piece is of the last call unless it has another id.
            None => self.calls.last_mut(),
        };
        // Some servers count every call as the first; another id is another call.
        let known = known
            .map(|(_, draft)| draft)
            .filter(|draft| id.as_ref().is_none_or(|id| draft.id.is_empty() || draft.id == *id));
        let arguments = function.arguments.unwrap_or_default();
        let Some(draft) = known else {
            let Some(name) = name else {
                let path = "$.choices[0].delta.tool_calls[0].function.name";
                return Err(shape(self.name, path, "a call without a name"));
            };
            let id = id.unwrap_or_default();
            self.calls.push((piece.index, Draft { id, name, arguments, is_whole: false }));
            return Ok(());
        };
        if let Some(name) = name.filter(|name| *name != draft.name) {
            let path = "$.choices[0].delta.tool_calls[0].function.name";
            let found = format!("two calls are glued together, of {:?} and {name:?}", draft.name);
            return Err(shape(self.name, path, &found));
        }
        if let Some(id) = id {
            draft.id = id;
        }
        draft.arguments.push_str(&arguments);
        Ok(())
    }
}

impl Reader for ChatChunks {
    fn push(&mut self, data: &str) -> Result<Option<String>, DialectError> {
        if data.trim() == "[DONE]" {
            self.has_ended = true;
            return Ok(None);
        }
        check(self.name, data, "choices")?;
        let chunk: Chunk = parse(self.name, "$", data)?;
        self.has_begun = true;
        self.id = chunk.id.or_else(|| self.id.take());
        // The last chunk tells the usage, and has no choice.
        let Some(choice) = chunk.choices.into_iter().next() else { return Ok(None) };
        self.reason = choice.finish_reason.or_else(|| self.reason.take());
        let delta = choice.delta.unwrap_or_default();
        for piece in delta.tool_calls.unwrap_or_default() {
            self.call(piece)?;
        }
        self.refusal.push_str(delta.refusal.as_deref().unwrap_or_default());
        let text = delta.content.filter(|text| !text.is_empty());
        self.text.push_str(text.as_deref().unwrap_or_default());
        Ok(text)
    }

    fn end(self: Box<Self>) -> Result<Reply, DialectError> {
        if !self.has_begun {
            return Err(nothing_began(self.name));
        }
        let is_told = self.reason.is_some() || self.has_ended;
        let is_refused = !self.refusal.trim().is_empty();
        let has_calls = !self.calls.is_empty();
        let ending: Option<Ending> =
            is_told.then(|| ending_of(self.reason.as_deref(), is_refused, has_calls));
        let mut parts = vec![Part::Text(self.text), Part::Text(self.refusal)];
        let mut ids = Ids::default();
        for (index, (_, mut draft)) in self.calls.into_iter().enumerate() {
            // No call has an end of its own; they are whole where the reply is.
            draft.is_whole = is_told;
            let path = format!("$.choices[0].delta.tool_calls[{index}].id");
            draft.id = if is_told {
                ids.needed(self.name, &path, Some(draft.id))?
            } else {
                ids.given(self.name, &path, Some(draft.id))?
            };
            parts.push(draft.part());
        }
        Ok(Reply::received(parts, broken_off(ending), self.id.as_deref(), self.form))
    }
}

#[derive(Deserialize)]
#[serde(expecting = "a chunk")]
struct Chunk {
    id: Option<String>,
    choices: Vec<Piece>,
}

#[derive(Deserialize)]
#[serde(expecting = "a choice")]
struct Piece {
    delta: Option<Delta>,
    finish_reason: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(expecting = "a delta")]
struct Delta {
    content: Option<String>,
    refusal: Option<String>,
    tool_calls: Option<Vec<CallPiece>>,
}

#[derive(Deserialize)]
#[serde(expecting = "a piece of a tool call")]
struct CallPiece {
    index: Option<u64>,
    id: Option<String>,
    function: Option<FunctionPiece>,
}

#[derive(Deserialize, Default)]
#[serde(expecting = "a piece of a function call")]
struct FunctionPiece {
    name: Option<String>,
    arguments: Option<String>,
}
