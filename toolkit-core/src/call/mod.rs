//! What the model asks for, and what it came to.

mod outcome;
mod rows;
mod status;
mod words;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

pub use outcome::Outcome;
pub(crate) use rows::left;
pub use status::Status;
pub(crate) use words::First;

/// A call as the model sent it: an id, a name and the raw text of its arguments.
///
/// A dialect reads it out of a provider's reply; the text is parsed only by the
/// dispatch. `Debug` shows how long the arguments are and not what they say.
///
/// ```
/// use toolkit::ToolCall;
///
/// let call = ToolCall::new("call_1", "add", r#"{"a": 2, "b": 3}"#);
/// assert_eq!(call.name(), "add");
/// assert_eq!(call.arguments(), r#"{"a": 2, "b": 3}"#);
/// assert!(call.cut_off().is_cut_off());
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct ToolCall {
    id: Arc<str>,
    name: String,
    arguments: Given,
    cut: bool,
    /// The form of the arguments, as the dialect that read them numbers it.
    form: u16,
}

/// A call's arguments as they came.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Arguments<'a> {
    Text(&'a str),
    Value(&'a Value),
}

#[derive(Clone, PartialEq, Eq)]
enum Given {
    Text(String),
    Value(Value),
}

impl ToolCall {
    /// The number of the full schema's form.
    pub(crate) const FULL: u16 = 0;

    /// Takes a call over from a provider: its id, the tool's name, the arguments' text.
    pub fn new(
        id: impl Into<Arc<str>>,
        name: impl Into<String>,
        arguments: impl Into<String>,
    ) -> Self {
        let arguments = Given::Text(arguments.into());
        Self { id: id.into(), name: name.into(), arguments, cut: false, form: Self::FULL }
    }

    /// Takes a call over whose arguments were parsed already, as an MCP client gives them.
    ///
    /// Prefer [`ToolCall::new`] where the text is at hand: a parsed value has lost the
    /// fields that were given twice and the digits that a double does not hold.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolkit::ToolCall;
    ///
    /// let call = ToolCall::from_value("call_1", "add", json!({"a": 2, "b": 3}));
    /// assert_eq!(call.arguments(), r#"{"a":2,"b":3}"#);
    /// ```
    pub fn from_value(id: impl Into<Arc<str>>, name: impl Into<String>, arguments: Value) -> Self {
        let arguments = Given::Value(arguments);
        Self { id: id.into(), name: name.into(), arguments, cut: false, form: Self::FULL }
    }

    /// The same call, of arguments in the form that has this number.
    ///
    /// For hosts that keep calls and take them up in another process: what
    /// [`form_code`](Self::form_code) gave goes beside the arguments. A call of a form that nobody
    /// knows is answered and not run.
    ///
    /// ```
    /// use toolkit::ToolCall;
    /// use toolkit::dialect::{Dialect, OpenAiChat};
    ///
    /// let body = r#"{"choices": [{"message": {"tool_calls": [{"id": "call_1", "function": {
    ///                 "name": "orders", "arguments": "{\"limit\": null}"}}]}}]}"#;
    /// let reply = OpenAiChat.strict().read(body)?;
    /// let call = reply.tool_calls().next().unwrap();
    /// let (arguments, form) = (call.arguments().into_owned(), call.form_code());
    ///
    /// // In another process.
    /// let kept = ToolCall::new("call_1", "orders", arguments).with_form_code(form);
    /// assert_eq!(kept, *call);
    /// # Ok::<(), toolkit::dialect::DialectError>(())
    /// ```
    #[must_use]
    pub const fn with_form_code(mut self, code: u16) -> Self {
        self.form = code;
        self
    }

    /// The number of the form that the arguments are in: that in which the model was shown the
    /// tool. 0 is the full schema's.
    #[must_use]
    pub const fn form_code(&self) -> u16 {
        self.form
    }

    /// The same call by the tool's own name, and of other arguments where they were decoded.
    pub(crate) fn of_tool(&self, name: &str, decoded: Option<String>) -> Self {
        let arguments = decoded.map_or_else(|| self.arguments.clone(), Given::Text);
        Self { name: name.to_owned(), arguments, form: Self::FULL, ..self.clone() }
    }

    /// The same call under another id.
    pub(crate) fn renamed(&self, id: String) -> Self {
        Self { id: id.into(), ..self.clone() }
    }

    /// Marks a call that the provider's output limit cut off; it is never executed.
    #[must_use]
    pub const fn cut_off(mut self) -> Self {
        self.cut = true;
        self
    }

    /// The provider's id of the call.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The name that the model asked for.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The raw text of the arguments; of parsed ones the text that they are written as.
    #[must_use]
    pub fn arguments(&self) -> Cow<'_, str> {
        match &self.arguments {
            Given::Text(text) => Cow::Borrowed(text),
            Given::Value(value) => Cow::Owned(value.to_string()),
        }
    }

    pub(crate) fn shared_id(&self) -> Arc<str> {
        Arc::clone(&self.id)
    }

    pub(crate) fn given(&self) -> Arguments<'_> {
        match &self.arguments {
            Given::Text(text) => Arguments::Text(text),
            Given::Value(value) => Arguments::Value(value),
        }
    }

    /// Whether the provider's output limit cut the call off.
    #[must_use]
    pub const fn is_cut_off(&self) -> bool {
        self.cut
    }
}

// Which of the arguments are secret is known by the tool alone.
impl fmt::Debug for ToolCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let arguments = format!("{} bytes", self.arguments().len());
        f.debug_struct("ToolCall")
            .field("id", &self.id)
            .field("name", &self.name)
            .field("arguments", &arguments)
            .field("cut", &self.cut)
            .field("form", &self.form)
            .finish()
    }
}
