//! What the model asks for, and what it came to.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::error::{Category, ToolError};
use crate::problem::{Problem, escaped, nearest, quoted};

/// A call as the model sent it: an id, a name and the raw text of its arguments.
///
/// A dialect reads it out of a provider's reply; the text is parsed only by the
/// dispatch.
///
/// ```
/// use toolkit::ToolCall;
///
/// let call = ToolCall::new("call_1", "add", r#"{"a": 2, "b": 3}"#);
/// assert_eq!(call.name(), "add");
/// assert_eq!(call.arguments(), r#"{"a": 2, "b": 3}"#);
/// assert!(call.cut_off().is_cut_off());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    id: Arc<str>,
    name: String,
    arguments: Given,
    cut: bool,
    /// The form of the arguments, as the dialect that read them numbers it; 0 is the full schema's.
    form: u16,
}

/// A call's arguments as they came.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Arguments<'a> {
    Text(&'a str),
    Value(&'a Value),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Given {
    Text(String),
    Value(Value),
}

impl ToolCall {
    /// Takes a call over from a provider: its id, the tool's name, the arguments' text.
    pub fn new(
        id: impl Into<Arc<str>>,
        name: impl Into<String>,
        arguments: impl Into<String>,
    ) -> Self {
        let arguments = Given::Text(arguments.into());
        Self { id: id.into(), name: name.into(), arguments, cut: false, form: 0 }
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
        Self { id: id.into(), name: name.into(), arguments, cut: false, form: 0 }
    }

    /// The same call, of arguments in the form that a dialect numbers so.
    pub(crate) const fn in_form(mut self, form: u16) -> Self {
        self.form = form;
        self
    }

    pub(crate) const fn form(&self) -> u16 {
        self.form
    }

    /// The same call by the tool's own name, and of other arguments where they were decoded.
    pub(crate) fn of_tool(&self, name: &str, decoded: Option<String>) -> Self {
        let arguments = decoded.map_or_else(|| self.arguments.clone(), Given::Text);
        Self { name: name.to_owned(), arguments, form: 0, ..self.clone() }
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

/// How a call ended.
///
/// ```
/// use toolkit::Status;
///
/// assert_eq!(Status::UnknownTool.to_string(), "unknown_tool");
/// assert!(Status::UnknownTool.is_error());
/// assert!(!Status::Ok.is_error());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Status {
    /// The function ran and returned a value.
    Ok,
    /// No tool of that name, or none in the allowlist.
    UnknownTool,
    /// The caller lacks a scope; to the model it reads as [`Status::UnknownTool`].
    Denied,
    /// The arguments were not accepted; nothing ran.
    Invalid,
    /// A business rule refused the call; nothing ran.
    Rejected,
    /// A person refused the call; nothing ran.
    Declined,
    /// The function, or a gate before it, failed.
    Failed,
    /// The call's turn ended before it was reached; nothing ran.
    NotRun,
}

impl Status {
    /// The status's name, as logs and transcripts show it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::UnknownTool => "unknown_tool",
            Self::Denied => "denied",
            Self::Invalid => "invalid",
            Self::Rejected => "rejected",
            Self::Declined => "declined",
            Self::Failed => "failed",
            Self::NotRun => "not_run",
        }
    }

    /// Whether the model's provider is told that the result is an error.
    #[must_use]
    pub const fn is_error(self) -> bool {
        match self {
            Self::Ok => false,
            Self::UnknownTool
            | Self::Denied
            | Self::Invalid
            | Self::Rejected
            | Self::Declined
            | Self::Failed
            | Self::NotRun => true,
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a call came to: a status, what the model reads, what only the host reads.
///
/// ```
/// use toolkit::ProblemKind;
/// use toolkit::prelude::*;
///
/// # /// Adds two numbers.
/// # #[tool]
/// # fn add(a: i64, b: i64) -> i64 {
/// #     a + b
/// # }
/// let view = Registry::builder().tools(tools![add]).build()?.view(Caller::new("ann"));
/// let call = ToolCall::new("call_1", "add", r#"{"a": 2, "b": "3"}"#);
/// let outcome = view.dispatch_blocking(call, Options::default())?;
///
/// assert_eq!((outcome.status(), outcome.executed()), (Status::Invalid, false));
/// assert_eq!(
///     outcome.text(),
///     r#"$.b: expected an integer, got text "3" (write 3 without quotes)"#,
/// );
/// assert_eq!(outcome.problems()[0].kind(), ProblemKind::WrongType);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    status: Status,
    text: String,
    is_json: bool,
    executed: bool,
    /// What there is to say of a call that did not succeed.
    failure: Option<Box<Failure>>,
}

#[derive(Debug, Clone, Default, PartialEq)]
struct Failure {
    problems: Vec<Problem>,
    category: Option<Category>,
    retryable: bool,
    hint: Option<String>,
    error_id: Option<String>,
    host_note: Option<String>,
}

impl Outcome {
    /// How the call ended.
    #[must_use]
    pub const fn status(&self) -> Status {
        self.status
    }

    /// What the model reads.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether the model's provider is told that the result is an error.
    #[must_use]
    pub const fn is_error(&self) -> bool {
        self.status.is_error()
    }

    /// What the function returned, where it returned JSON other than text.
    ///
    /// An integer beyond 64 bits comes as a double; `text` has every digit.
    #[must_use]
    pub fn value(&self) -> Option<Value> {
        if self.is_json { serde_json::from_str(&self.text).ok() } else { None }
    }

    /// Whether the function was entered, whatever came of it.
    #[must_use]
    pub const fn executed(&self) -> bool {
        self.executed
    }

    /// Everything wrong with the arguments, or everything a business rule refused.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        self.failure.as_deref().map_or(&[], |failure| &failure.problems)
    }

    /// What kind of error it is.
    ///
    /// `None` for a success, an internal error and a call that was not run.
    #[must_use]
    pub fn category(&self) -> Option<Category> {
        self.failure.as_deref().and_then(|failure| failure.category)
    }

    /// Whether the model may try the same tool again.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        self.failure.as_deref().is_some_and(|failure| failure.retryable)
    }

    /// What the model can do about it.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        self.failure.as_deref().and_then(|failure| failure.hint.as_deref())
    }

    /// The id under which the host's log has an internal error's text.
    #[must_use]
    pub fn error_id(&self) -> Option<&str> {
        self.failure.as_deref().and_then(|failure| failure.error_id.as_deref())
    }

    /// What only the host reads, like the scope that was missing.
    #[must_use]
    pub fn host_note(&self) -> Option<&str> {
        self.failure.as_deref().and_then(|failure| failure.host_note.as_deref())
    }
}

// Every word that the model reads of a gate stands below.
impl Outcome {
    const fn new(status: Status, text: String) -> Self {
        Self { status, text, is_json: false, executed: false, failure: None }
    }

    fn failed(status: Status, text: String, failure: Failure) -> Self {
        Self { failure: Some(Box::new(failure)), ..Self::new(status, text) }
    }

    pub(crate) const fn ok(text: String, is_json: bool) -> Self {
        Self { status: Status::Ok, text, is_json, executed: true, failure: None }
    }

    pub(crate) fn unknown_tool(name: &str, visible: &[&str], shown_chars: usize) -> Self {
        let available = if visible.is_empty() { "none".to_owned() } else { visible.join(", ") };
        let meant = nearest(name, visible.iter().copied())
            .map_or_else(String::new, |meant| format!(" (did you mean \"{meant}\"?)"));
        let name = quoted(name, shown_chars);
        let text = format!("no such tool {name}{meant}. Available: {available}");
        let category = Some(Category::Validation);
        Self::failed(Status::UnknownTool, text, Failure { category, ..Failure::default() })
    }

    /// The same outcome to the model; only the host sees the difference.
    pub(crate) fn denied(unknown: Self, missing_scope: &str) -> Self {
        let failure = Failure {
            category: Some(Category::Permission),
            host_note: Some(format!("missing scope `{}`", escaped(missing_scope, 80))),
            ..Failure::default()
        };
        Self::failed(Status::Denied, unknown.text, failure)
    }

    pub(crate) fn invalid(problems: Vec<Problem>, report: String) -> Self {
        let failure = Failure {
            problems,
            category: Some(Category::Validation),
            retryable: true,
            ..Failure::default()
        };
        Self::failed(Status::Invalid, report, failure)
    }

    /// `errors` are those of the problems that came as a tool's error and say more of themselves.
    pub(crate) fn rejected(problems: Vec<Problem>, errors: &[ToolError], report: String) -> Self {
        let all_are_errors = errors.len() == problems.len();
        let category = errors.first().map(ToolError::category).filter(|category| {
            all_are_errors && errors.iter().all(|error| error.category() == *category)
        });
        let hints: Vec<&str> = errors.iter().filter_map(ToolError::hint_text).collect();
        let failure = Failure {
            problems,
            category: Some(category.unwrap_or(Category::Business)),
            retryable: all_are_errors && errors.iter().all(ToolError::is_retryable),
            hint: (!hints.is_empty()).then(|| hints.join("\n")),
            ..Failure::default()
        };
        Self::failed(Status::Rejected, report, failure)
    }

    pub(crate) fn declined(reason: Option<&str>) -> Self {
        let reason =
            reason.map_or_else(String::new, |reason| format!(" ({})", escaped(reason, 200)));
        let text = format!("declined by a person{reason}. Do not retry; tell the user.");
        let category = Some(Category::Permission);
        Self::failed(Status::Declined, text, Failure { category, ..Failure::default() })
    }

    pub(crate) fn tool_error(error: &ToolError) -> Self {
        let failure = Failure {
            category: Some(error.category()),
            retryable: error.is_retryable(),
            hint: error.hint_text().map(str::to_owned),
            ..Failure::default()
        };
        Self { executed: true, ..Self::failed(Status::Failed, error.to_string(), failure) }
    }

    pub(crate) fn internal(tool: &str, error_id: String, executed: bool) -> Self {
        let text = format!("{tool} failed internally (error id {error_id})");
        let failure = Failure { error_id: Some(error_id), ..Failure::default() };
        Self { executed, ..Self::failed(Status::Failed, text, failure) }
    }

    /// The function ran to its end, and its result can not be told.
    pub(crate) fn untellable(tool: &str, error_id: String) -> Self {
        let text = format!(
            "{tool} ran, but its result can not be represented (error id {error_id}). \
             Do not call it again for the same purpose."
        );
        let failure = Failure { error_id: Some(error_id), ..Failure::default() };
        Self { executed: true, ..Self::failed(Status::Failed, text, failure) }
    }

    /// A read that was under way when its turn ended.
    pub(crate) fn stopped() -> Self {
        let text = "stopped midway: the turn ended while this call was running".to_owned();
        let failure = Failure { retryable: true, ..Failure::default() };
        Self { executed: true, ..Self::failed(Status::Failed, text, failure) }
    }

    /// A call that its turn never reached; a host answers it so after an abort.
    #[must_use]
    pub fn not_run() -> Self {
        Self::new(Status::NotRun, "not run: the turn ended before this call was reached".to_owned())
    }
}
