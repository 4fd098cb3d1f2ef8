//! OpenAI's two dialects in the types of `async-openai`: definitions out, replies in, history back.
//!
//! The types are filled from what our dialects write, and read as what they are sent as, so that
//! nothing of a wire form stands here.

use async_openai::types::chat::{
    ChatCompletionRequestMessage, ChatCompletionTools, CreateChatCompletionResponse,
};
use async_openai::types::responses::{InputItem, Response, Tool};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use toolkit_core::dialect::{
    Dialect, DialectError, Message, Offer, OpenAiChat, OpenAiResponses, Reply,
};

/// A dialect of OpenAI's whose requests and replies are types of `async-openai`.
///
/// ```
/// use async_openai::types::chat::{
///     ChatCompletionRequestMessage, ChatCompletionTools, CreateChatCompletionResponse,
/// };
/// use toolkit::dialect::{Answered, Message, OpenAiChat};
/// use toolkit::openai::Typed as _;
/// use toolkit::prelude::*;
///
/// /// Adds two numbers.
/// #[tool]
/// fn add(a: i64, b: i64) -> i64 {
///     a + b
/// }
///
/// let view = Registry::builder().tools(tools![add]).build()?.view(Caller::new("ann"));
/// let tools: Vec<ChatCompletionTools> = OpenAiChat.typed_tools(&view.offer(&OpenAiChat)?)?;
/// assert_eq!(tools.len(), 1);
///
/// // What the client gave.
/// let response: CreateChatCompletionResponse = serde_json::from_value(serde_json::json!({
///     "id": "chatcmpl-1", "object": "chat.completion", "created": 0, "model": "gpt-5.1",
///     "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {
///         "role": "assistant",
///         "tool_calls": [{"id": "call_1", "type": "function",
///                         "function": {"name": "add", "arguments": "{\"a\": 2, \"b\": 3}"}}],
///     }}],
/// }))?;
/// let reply = OpenAiChat.typed_reply(&response)?;
/// let call = reply.tool_calls().next().expect("it calls").clone();
/// let outcome = view.dispatch_blocking(&call, Options::default())?;
/// let history = [Message::Assistant(reply), Message::Results(vec![Answered::new(call, outcome)])];
/// let messages: Vec<ChatCompletionRequestMessage> = OpenAiChat.typed_messages(&history)?;
/// assert!(matches!(messages[1], ChatCompletionRequestMessage::Tool(_)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Typed: Dialect {
    /// A definition.
    type Tool: DeserializeOwned;
    /// A whole reply.
    type Reply: Serialize;
    /// A part of the history.
    type Message: DeserializeOwned;

    /// What a request shows of the offered tools.
    ///
    /// # Errors
    /// The types do not hold what the dialect writes.
    fn typed_tools(&self, offer: &Offer<'_>) -> Result<Vec<Self::Tool>, NotHeld> {
        held(offer.definitions(), "a definition")
    }

    /// Reads a reply, with its calls; [`Offer::mark`] adds in which form their tools were shown,
    /// where the dialect is strict where possible.
    ///
    /// # Errors
    /// It is no reply of the provider, or reports an error.
    fn typed_reply(&self, reply: &Self::Reply) -> Result<Reply, DialectError> {
        // What can not be written is told as what no reply is.
        self.read(&serde_json::to_string(reply).unwrap_or_default())
    }

    /// Writes a history for the next request.
    ///
    /// # Errors
    /// The types do not hold what the dialect writes.
    fn typed_messages(&self, history: &[Message]) -> Result<Vec<Self::Message>, NotHeld> {
        held(self.messages(history).into(), "a message")
    }
}

/// The types of `async-openai` do not hold what a dialect writes: the versions do not fit.
///
/// ```
/// fn is_of_the_versions(error: &toolkit::openai::NotHeld) -> bool {
///     error.to_string().starts_with("async-openai does not hold ")
/// }
/// ```
#[derive(Debug, thiserror::Error)]
#[error("async-openai does not hold {what}: {why}")]
pub struct NotHeld {
    what: &'static str,
    why: serde_json::Error,
}

fn held<T: DeserializeOwned>(written: Value, what: &'static str) -> Result<T, NotHeld> {
    serde_json::from_value(written).map_err(|why| NotHeld { what, why })
}

impl Typed for OpenAiChat {
    type Tool = ChatCompletionTools;
    type Reply = CreateChatCompletionResponse;
    type Message = ChatCompletionRequestMessage;
}

impl Typed for OpenAiResponses {
    type Tool = Tool;
    type Reply = Response;
    type Message = InputItem;
}
