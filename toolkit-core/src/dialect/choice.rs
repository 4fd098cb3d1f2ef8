//! Which tools the model may, must or must not ask for in its next reply.

use super::message::Message;

/// Which tools the model may, must or must not ask for in its next reply.
///
/// A choice that forces a call is released once a call was answered, so that a loop
/// that sends it again and again comes to its end.
///
/// ```
/// use serde_json::json;
/// use toolkit::dialect::{Anthropic, Choice, Dialect, Message, Request};
/// use toolkit::prelude::*;
///
/// /// Adds two numbers.
/// #[tool]
/// fn add(a: i64, b: i64) -> i64 {
///     a + b
/// }
///
/// let view = Registry::builder().tools(tools![add]).build()?.view(Caller::new("ann"));
/// let offer = view.offer(&Anthropic)?.choose(Choice::tool("add").one_at_a_time())?;
/// let history = [Message::User("What are 2 and 3?".to_owned())];
/// let request = Anthropic.request(&Request::new("claude-sonnet-4-5", &history).offer(&offer));
/// assert_eq!(
///     request["tool_choice"],
///     json!({"type": "tool", "name": "add", "disable_parallel_tool_use": true}),
/// );
///
/// let error = view.offer(&Anthropic)?.choose(Choice::tool("subtract")).unwrap_err();
/// assert_eq!(error.message(), "`subtract` is to be called and is not offered; offered: add");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Choice {
    pub(super) mode: Mode,
    /// The only tools that it may ask for; `None` where it may ask for all.
    pub(super) among: Option<Vec<String>>,
    pub(super) one_at_a_time: bool,
}

/// Whether it must.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) enum Mode {
    #[default]
    Auto,
    Any,
    Tool(String),
    None,
}

impl Choice {
    /// It may ask for tools, or answer.
    #[must_use]
    pub const fn auto() -> Self {
        Self { mode: Mode::Auto, among: None, one_at_a_time: false }
    }

    /// It must ask for a tool.
    #[must_use]
    pub const fn any() -> Self {
        Self { mode: Mode::Any, among: None, one_at_a_time: false }
    }

    /// It must ask for this tool.
    pub fn tool(name: impl Into<String>) -> Self {
        Self { mode: Mode::Tool(name.into()), among: None, one_at_a_time: false }
    }

    /// It must not ask for a tool.
    #[must_use]
    pub const fn none() -> Self {
        Self { mode: Mode::None, among: None, one_at_a_time: false }
    }

    /// It may ask for these tools only.
    #[must_use]
    pub fn among<I>(mut self, names: I) -> Self
    where
        I: IntoIterator,
        I::Item: Into<String>,
    {
        self.among = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// It may ask for one tool in a reply, where the provider can be told so.
    #[must_use]
    pub const fn one_at_a_time(mut self) -> Self {
        self.one_at_a_time = true;
        self
    }

    /// Whether it must ask for a tool.
    pub(super) const fn is_forced(&self) -> bool {
        matches!(self.mode, Mode::Any | Mode::Tool(_))
    }

    /// The same after a call of the turn was answered: nothing is forced any more.
    #[must_use]
    pub fn released(&self, messages: &[Message]) -> Self {
        let is_answered = messages
            .iter()
            .rev()
            .take_while(|message| !matches!(message, Message::User(_)))
            .any(|message| matches!(message, Message::Results(_)));
        let mut choice = self.clone();
        if is_answered && self.is_forced() {
            choice.mode = Mode::Auto;
        }
        choice
    }
}
