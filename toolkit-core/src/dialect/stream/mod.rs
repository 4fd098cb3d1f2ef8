//! A reply that comes in pieces.

mod anthropic;
mod gemini;
mod openai_chat;
mod openai_responses;

use std::fmt;

pub(super) use anthropic::AnthropicEvents;
pub(super) use gemini::GeminiChunks;
pub(super) use openai_chat::ChatChunks;
pub(super) use openai_responses::ResponsesEvents;

use super::read::{DialectError, shape};
use super::reply::{Ending, Part, Reply};
use crate::call::ToolCall;

/// A reply that comes in pieces, put together.
///
/// [`Dialect::stream`](super::Dialect::stream) starts one. What is not there at the end is never
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
pub struct Stream(Box<dyn Reader>);

impl Stream {
    pub(super) fn new(reader: impl Reader + 'static) -> Self {
        Self(Box::new(reader))
    }

    /// Takes the data of one event; the text in it that is for the user.
    ///
    /// # Errors
    /// The data is not JSON, reports an error, or is no event of this provider's reply.
    pub fn push(&mut self, data: &str) -> Result<Option<String>, DialectError> {
        self.0.push(data)
    }

    /// Puts the reply together, when no more events come.
    ///
    /// # Errors
    /// No reply began.
    pub fn end(self) -> Result<Reply, DialectError> {
        self.0.end()
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
