//! The neutral history: what was said, asked and answered, in no provider's form.

use super::reply::Reply;
use crate::call::{Outcome, ToolCall};

/// One message of a history.
///
/// ```
/// use serde_json::json;
/// use toolkit::dialect::{Dialect, Message, OpenAiChat, Reply};
///
/// let history = [
///     Message::User("Hi.".to_owned()),
///     Message::Assistant(Reply::text("Hello.")),
/// ];
/// assert_eq!(
///     OpenAiChat.messages(&history),
///     [
///         json!({"role": "user", "content": "Hi."}),
///         json!({"role": "assistant", "content": "Hello."}),
///     ],
/// );
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// What the user said.
    User(String),
    /// What the model replied.
    Assistant(Reply),
    /// What the calls of the reply before it came to, in the order of the calls.
    Results(Vec<Answered>),
}

/// A call and what it came to.
///
/// ```
/// use serde_json::json;
/// use toolkit::dialect::{Answered, Anthropic, Dialect};
/// use toolkit::prelude::*;
///
/// # let view = Registry::builder().build()?.view(Caller::new("ann"));
/// let call = ToolCall::new("call_1", "add", "{}");
/// let outcome = view.dispatch_blocking(call.clone(), Options::default())?;
/// let messages = Anthropic.results(&[Answered::new(call, outcome)]);
/// assert_eq!(
///     messages[0]["content"][0],
///     json!({
///         "type": "tool_result",
///         "tool_use_id": "call_1",
///         "content": "no such tool \"add\". Available: none",
///         "is_error": true,
///     }),
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Answered {
    /// The call, as the model sent it.
    pub call: ToolCall,
    /// What it came to.
    pub outcome: Outcome,
}

impl Answered {
    /// Puts a call and its outcome together.
    #[must_use]
    pub const fn new(call: ToolCall, outcome: Outcome) -> Self {
        Self { call, outcome }
    }
}
