//! A reply that comes in pieces.

mod anthropic;
mod cohere;
mod gemini;
mod ollama;
mod openai_chat;
mod openai_responses;

use std::fmt;

pub(super) use anthropic::AnthropicEvents;
pub(super) use cohere::CohereEvents;
pub(super) use gemini::GeminiChunks;
pub(super) use ollama::OllamaLines;
pub(super) use openai_chat::ChatChunks;
pub(super) use openai_responses::ResponsesEvents;

use super::read::{DialectError, shape};
use super::reply::{Ending, Part, Reply};
use super::shown::ShownForms;
use crate::call::ToolCall;

/// A reply that comes in pieces, put together.
///
/// [`Offer::stream`](super::Offer::stream) starts one, or
/// [`Dialect::stream`](super::Dialect::stream). What is not there at the end is never
/// made up: a call whose end did not come is cut off, and is never executed.
///
/// ```
/// use toolkit::dialect::{Anthropic, Dialect};
///
/// let mut stream = Anthropic.stream().unwrap();
/// for event in [
///     r#"{"type": "message_start", "message": {"id": "msg_1"}}"#,
///     r#"{"type": "content_block_start", "index": 0,
///         "content_block": {"type": "tool_use", "id": "toolu_1", "name": "add", "input": {}}}"#,
///     r#"{"type": "content_block_delta", "index": 0,
///         "delta": {"type": "input_json_delta", "partial_json": "{\"a\": 2,"}}"#,
///     r#"{"type": "content_block_delta", "index": 0,
///         "delta": {"type": "input_json_delta", "partial_json": " \"b\": 3}"}}"#,
///     r#"{"type": "content_block_stop", "index": 0}"#,
///     r#"{"type": "message_delta", "delta": {"stop_reason": "tool_use"}}"#,
///     r#"{"type": "message_stop"}"#,
/// ] {
///     stream.push(event)?;
/// }
/// let reply = stream.end()?;
/// assert_eq!(reply.tool_calls().next().unwrap().arguments(), r#"{"a": 2, "b": 3}"#);
/// # Ok::<(), toolkit::dialect::DialectError>(())
/// ```
pub struct Stream {
    reader: Box<dyn Reader>,
    /// What the request showed, where that is known.
    shown: Option<ShownForms>,
}

impl Stream {
    pub(super) fn new(reader: impl Reader + 'static) -> Self {
        Self { reader: Box::new(reader), shown: None }
    }

    /// The same, of a reply to a request that showed this.
    pub(super) fn read_by(self, shown: ShownForms) -> Self {
        Self { shown: Some(shown), ..self }
    }

    /// Takes the data of one event; the text in it that is for the user.
    ///
    /// # Errors
    /// The data is not JSON, reports an error, or is no event of this provider's reply.
    pub fn push(&mut self, data: &str) -> Result<Option<String>, DialectError> {
        self.reader.push(data)
    }

    /// Puts the reply together, when no more events come.
    ///
    /// # Errors
    /// No reply began.
    pub fn end(self) -> Result<Reply, DialectError> {
        let reply = self.reader.end()?;
        Ok(match self.shown {
            Some(shown) => shown.marked(reply),
            None => reply,
        })
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream").finish_non_exhaustive()
    }
}

/// Reads the events of one provider.
pub(super) trait Reader: Send {
    fn push(&mut self, data: &str) -> Result<Option<String>, DialectError>;
    fn end(self: Box<Self>) -> Result<Reply, DialectError>;
}

/// A call that is not all there.
#[derive(Debug, Default)]
struct Draft {
    id: String,
    name: String,
    arguments: String,
    is_whole: bool,
}

impl Draft {
    fn part(self) -> Part {
        let call = ToolCall::new(self.id, self.name, self.arguments);
        Part::Call(if self.is_whole { call } else { call.cut_off() })
    }
}

/// What a stream that broke off comes to.
fn broken_off(ending: Option<Ending>) -> Ending {
    ending.unwrap_or(Ending::CutOff)
}

fn nothing_began(dialect: &'static str) -> DialectError {
    shape(dialect, "$", "the stream ended before a reply began")
}
