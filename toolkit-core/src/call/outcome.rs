//! What a call came to.

use std::borrow::Cow;
use std::fmt;

use serde_json::{Map, Value};

use super::Status;
use crate::content::{self, Content, Shape};
use crate::error::Category;
use crate::problem::Problem;
use crate::secret::HIDDEN;

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
#[derive(Clone, PartialEq)]
pub struct Outcome {
    pub(super) status: Status,
    pub(super) text: String,
    pub(super) is_json: bool,
    pub(super) executed: bool,
    pub(super) is_secret: bool,
    /// What there is to say beside a plain success.
    pub(super) details: Option<Box<Details>>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Details {
    pub(super) problems: Vec<Problem>,
    pub(super) category: Option<Category>,
    pub(super) retryable: bool,
    pub(super) hint: Option<String>,
    pub(super) error_id: Option<String>,
    pub(super) approval_id: Option<String>,
    pub(super) host_note: Option<String>,
    /// Whether the model must take the tool for one that does not exist.
    pub(super) is_hidden: bool,
    /// Of a duplicate: how the call ended at first, and where its text starts in this one.
    pub(super) first: Option<(Status, usize)>,
    /// What a text does not say of a result.
    pub(super) content: Vec<Content>,
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
    pub fn is_error(&self) -> bool {
        self.first_status().unwrap_or(self.status).is_error()
    }

    /// Of a duplicate: how the call ended when it ran.
    #[must_use]
    pub fn first_status(&self) -> Option<Status> {
        self.first().map(|(status, _)| status)
    }

    /// What the function's result reads as: of a duplicate the text of the first outcome, byte for
    /// byte, of any other outcome its [`text`](Self::text).
    #[must_use]
    pub fn result_text(&self) -> &str {
        let start = self.first().map_or(0, |(_, start)| start);
        self.text.get(start..).unwrap_or_default()
    }

    fn is_hidden(&self) -> bool {
        self.details.as_deref().is_some_and(|details| details.is_hidden)
    }

    fn first(&self) -> Option<(Status, usize)> {
        self.details.as_deref().and_then(|details| details.first)
    }

    /// Whether the text holds a secret, which the model may read and nobody else.
    pub(crate) const fn is_secret(&self) -> bool {
        self.is_secret
    }

    pub(crate) const fn is_json(&self) -> bool {
        self.is_json
    }

    /// The blocks of a result that is not text alone, as the function returned them; of JSON that
    /// has some in it, the JSON comes first.
    ///
    /// Empty where [`text`](Self::text) says it all.
    #[inline]
    #[must_use]
    pub fn content(&self) -> &[Content] {
        self.details.as_deref().map_or(&[], |details| &details.content)
    }

    /// What a model reads that gets no media: all of them are told by their type and size.
    pub(crate) fn words(&self) -> Cow<'_, str> {
        if self.content().is_empty() {
            return Cow::Borrowed(&self.text);
        }
        Cow::Owned(format!("{}{}", self.note(), content::words_of(self.content())))
    }

    /// The blocks as they can be shown, and before them what is said of the call besides; none
    /// where the text says it all.
    pub(crate) fn shapes(&self) -> impl Iterator<Item = Shape<'_>> {
        let note = Some(self.note().trim_end()).filter(|note| !note.is_empty());
        let note = note.filter(|_| !self.content().is_empty());
        let note = note.map(|note| Shape::Text(Cow::Borrowed(note)));
        note.into_iter().chain(self.content().iter().map(Content::shape))
    }

    /// Of a duplicate, what is said before the first result.
    pub(crate) fn note(&self) -> &str {
        let start = self.first().map_or(0, |(_, start)| start);
        self.text.get(..start).unwrap_or_default()
    }

    /// What the function returned, where it returned JSON other than text.
    ///
    /// An integer beyond 64 bits comes as a double; `text` has every digit.
    #[must_use]
    pub fn value(&self) -> Option<Value> {
        if self.is_json { serde_json::from_str(self.result_text()).ok() } else { None }
    }

    /// Whether the function was entered, whatever came of it.
    #[must_use]
    pub const fn executed(&self) -> bool {
        self.executed
    }

    /// Everything wrong with the arguments, or everything a business rule refused.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        self.details.as_deref().map_or(&[], |details| &details.problems)
    }

    /// What kind of error it is.
    ///
    /// `None` for a success, an internal error and a call that was not run.
    #[must_use]
    pub fn category(&self) -> Option<Category> {
        self.details.as_deref().and_then(|details| details.category)
    }

    /// Whether the model may try the same tool again.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        self.details.as_deref().is_some_and(|details| details.retryable)
    }

    /// What the model can do about it.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        self.details.as_deref().and_then(|details| details.hint.as_deref())
    }

    /// The id under which the host's log has an internal error's text.
    #[must_use]
    pub fn error_id(&self) -> Option<&str> {
        self.details.as_deref().and_then(|details| details.error_id.as_deref())
    }

    /// What only the host reads, like the scope that was missing.
    #[must_use]
    pub fn host_note(&self) -> Option<&str> {
        self.details.as_deref().and_then(|details| details.host_note.as_deref())
    }

    /// The id that a person decides by, of a call that waits for one or was decided.
    #[must_use]
    pub fn approval_id(&self) -> Option<&str> {
        self.details.as_deref().and_then(|details| details.approval_id.as_deref())
    }

    /// The outcome as data: `status`, `message`, and where there is an error its `category`,
    /// whether it is `retryable`, and its `hint`.
    ///
    /// It says nothing that the model may not read: a tool that is denied is an unknown one.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolkit::prelude::*;
    ///
    /// let view = Registry::builder().build()?.view(Caller::new("ann"));
    /// let outcome = view.dispatch_blocking(ToolCall::new("1", "pay", "{}"), Options::default())?;
    /// assert_eq!(
    ///     outcome.structured(),
    ///     json!({
    ///         "status": "unknown_tool",
    ///         "message": "no such tool \"pay\". Available: none",
    ///         "category": "validation",
    ///         "retryable": false,
    ///     }),
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn structured(&self) -> Value {
        let (status, category) = match self.status {
            Status::Denied if self.is_hidden() => (Status::UnknownTool, Some(Category::Validation)),
            status => (status, self.category()),
        };
        let mut members = Map::new();
        members.insert("status".to_owned(), status.as_str().into());
        members.insert("message".to_owned(), self.text.as_str().into());
        if let Some(category) = category {
            members.insert("category".to_owned(), category.as_str().into());
        }
        if self.is_error() {
            members.insert("retryable".to_owned(), self.is_retryable().into());
        }
        if let Some(hint) = self.hint() {
            members.insert("hint".to_owned(), hint.into());
        }
        Value::Object(members)
    }
}

impl fmt::Debug for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = if self.is_secret { HIDDEN } else { &self.text };
        f.debug_struct("Outcome")
            .field("status", &self.status)
            .field("text", &text)
            .field("is_json", &self.is_json)
            .field("executed", &self.executed)
            .field("details", &self.details)
            .finish()
    }
}
