//! The three errors, what a tool may fail with, and what ends a run.

use std::error::Error;
use std::fmt;

/// Any error of a tool's own code, behind a pointer.
///
/// ```
/// use toolkit::BoxError;
/// use toolkit::prelude::*;
///
/// /// Reads a number.
/// #[tool]
/// fn parse(text: &str) -> Result<i64, BoxError> {
///     Ok(text.parse()?)
/// }
///
/// assert_eq!(parse("7").unwrap(), 7);
/// assert_eq!(parse("seven").unwrap_err().to_string(), "invalid digit found in string");
/// ```
pub type BoxError = Box<dyn Error + Send + Sync>;

/// What kind of mistake a [`ToolError`] is.
///
/// ```
/// use toolkit::{Category, ToolError};
///
/// let error = ToolError::transient("the queue is full");
/// assert_eq!(error.category(), Category::Transient);
/// assert_eq!(error.category().as_str(), "transient");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Category {
    /// The arguments are wrong.
    Validation,
    /// The arguments are right, but a rule of the business says no.
    Business,
    /// A passing fault; the same call may succeed later.
    Transient,
    /// The caller may not do this.
    Permission,
}

impl Category {
    /// The category's name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Validation => "validation",
            Self::Business => "business",
            Self::Transient => "transient",
            Self::Permission => "permission",
        }
    }

    /// The category of that name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let all = [Self::Validation, Self::Business, Self::Transient, Self::Permission];
        all.into_iter().find(|category| category.as_str() == name)
    }

    /// What the model reads when a tool gave an empty message.
    const fn sentence(self) -> &'static str {
        match self {
            Self::Validation => "the arguments were not accepted",
            Self::Business => "a business rule does not allow this",
            Self::Transient => "a passing fault; the same call may succeed later",
            Self::Permission => "this is not permitted",
        }
    }
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// An error whose text the model reads as the tool's result.
///
/// It is the only error of which the model reads a word: by `Display`, the
/// message and below it the hint. A blank message becomes a sentence of its
/// [`Category`].
///
/// ```
/// use toolkit::ToolError;
///
/// let error = ToolError::business("order O-1 was refunded already").hint("look at it first");
/// assert_eq!(error.to_string(), "order O-1 was refunded already\nhint: look at it first");
/// assert!(!error.is_retryable());
/// assert!(ToolError::validation("no such day").is_retryable());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolError {
    category: Category,
    message: String,
    hint: Option<String>,
    retryable: bool,
}

impl ToolError {
    fn new(category: Category, message: impl Into<String>) -> Self {
        let message = message.into();
        let message =
            if message.trim().is_empty() { category.sentence().to_owned() } else { message };
        let retryable = matches!(category, Category::Validation | Category::Transient);
        Self { category, message, hint: None, retryable }
    }

    /// Says that the arguments are wrong; the model may mend them and try again.
    pub fn validation(message: impl Into<String>) -> Self {
        Self::new(Category::Validation, message)
    }

    /// Says that a rule of the business forbids it; trying again does not help.
    pub fn business(message: impl Into<String>) -> Self {
        Self::new(Category::Business, message)
    }

    /// Reports a passing fault before anything was done; the call may be tried again.
    pub fn transient(message: impl Into<String>) -> Self {
        Self::new(Category::Transient, message)
    }

    /// Says that the caller may not do this; trying again does not help.
    pub fn permission(message: impl Into<String>) -> Self {
        Self::new(Category::Permission, message)
    }

    /// Adds what the model can do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Overrides whether the same call may be tried again.
    #[must_use]
    pub const fn retryable(mut self, retryable: bool) -> Self {
        self.retryable = retryable;
        self
    }

    /// The kind of mistake.
    #[must_use]
    pub const fn category(&self) -> Category {
        self.category
    }

    /// What the model reads, without the hint.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What the model can do about it.
    #[must_use]
    pub fn hint_text(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// Whether the same call may be tried again.
    #[must_use]
    pub const fn is_retryable(&self) -> bool {
        self.retryable
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.hint {
            Some(hint) => write!(f, "\nhint: {hint}"),
            None => Ok(()),
        }
    }
}

impl Error for ToolError {}

/// Why a [`FatalToolError`] ends the run.
///
/// ```
/// use toolkit::{FatalKind, FatalToolError};
///
/// let error = FatalToolError::denied("the account is frozen");
/// assert_eq!(error.kind(), FatalKind::Denied);
/// assert_eq!(error.kind().to_string(), "denied");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum FatalKind {
    /// The call was denied, and going on is not allowed.
    Denied,
    /// A credential is missing or was refused.
    Credential,
    /// Anything else that must stop the run.
    Other,
}

impl fmt::Display for FatalKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Denied => "denied",
            Self::Credential => "credential",
            Self::Other => "other",
        })
    }
}

/// An error that ends the run; the model reads nothing of it.
///
/// It comes out of a dispatch as [`Abort::Fatal`], and out of an
/// [`Agent`](crate::Agent) as [`Stop::Fatal`](crate::Stop::Fatal).
///
/// ```
/// use toolkit::FatalToolError;
///
/// let error = FatalToolError::credential("the bank's key has expired");
/// assert_eq!(error.message(), "the bank's key has expired");
/// assert_eq!(error.to_string(), "credential: the bank's key has expired");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FatalToolError {
    kind: FatalKind,
    message: String,
}

impl FatalToolError {
    /// Ends the run because the call is denied.
    pub fn denied(message: impl Into<String>) -> Self {
        Self { kind: FatalKind::Denied, message: message.into() }
    }

    /// Ends the run because a credential is missing or was refused.
    pub fn credential(message: impl Into<String>) -> Self {
        Self { kind: FatalKind::Credential, message: message.into() }
    }

    /// Ends the run for any other reason.
    pub fn other(message: impl Into<String>) -> Self {
        Self { kind: FatalKind::Other, message: message.into() }
    }

    /// Why the run ends.
    #[must_use]
    pub const fn kind(&self) -> FatalKind {
        self.kind
    }

    /// What the host reads.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for FatalToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.message)
    }
}

impl Error for FatalToolError {}

/// A mistake in building or wiring a registry.
///
/// No loop catches it: it comes out of everything as an `Err`. `Debug` gives the
/// same text as `Display`, for a `main` that returns it prints that.
///
/// ```
/// use toolkit::ToolConfigError;
///
/// let error = ToolConfigError::new("its table is missing").of_tool("refund").at("src/bank.rs:7");
/// assert_eq!(error.to_string(), "tool `refund`: its table is missing (src/bank.rs:7)");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct ToolConfigError {
    tool: Option<String>,
    place: Option<String>,
    message: String,
}

impl ToolConfigError {
    /// Describes a mistake that belongs to no one tool.
    pub fn new(message: impl Into<String>) -> Self {
        Self { tool: None, place: None, message: message.into() }
    }

    /// Names the tool that the mistake belongs to.
    #[must_use]
    pub fn of_tool(mut self, name: impl Into<String>) -> Self {
        self.tool = Some(name.into());
        self
    }

    /// Names the file and line where the tool is written.
    #[must_use]
    pub fn at(mut self, place: impl Into<String>) -> Self {
        self.place = Some(place.into());
        self
    }

    /// The tool that the mistake belongs to.
    #[must_use]
    pub fn tool(&self) -> Option<&str> {
        self.tool.as_deref()
    }

    /// The file and line where the tool is written.
    #[must_use]
    pub fn place(&self) -> Option<&str> {
        self.place.as_deref()
    }

    /// What is wrong and what to write instead.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for ToolConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(tool) = &self.tool {
            write!(f, "tool `{tool}`: ")?;
        }
        f.write_str(&self.message)?;
        match &self.place {
            Some(place) => write!(f, " ({place})"),
            None => Ok(()),
        }
    }
}

// `fn main() -> Result<(), …>` prints the `Debug` form, and a person reads it there.
impl fmt::Debug for ToolConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error for ToolConfigError {}

/// Every mistake that building a registry found, in the order of the tools.
///
/// ```
/// use serde_json::json;
/// use toolkit::prelude::*;
///
/// let tool = Tool::dynamic("look up", " ", json!({}), |_, _| async { Ok::<_, ToolError>(()) });
/// let errors = Registry::builder().tool(tool).build().unwrap_err();
/// assert_eq!(
///     errors.to_string(),
///     "the registry has 2 mistakes:
///   tool `look up`: its name does not match ^[A-Za-z0-9_.-]{1,128}$
///   tool `look up`: its description is blank; it is the only thing the model chooses by",
/// );
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct ToolConfigErrors(Vec<ToolConfigError>);

impl ToolConfigErrors {
    /// Collects mistakes; an error where there is any.
    pub(crate) fn of(errors: Vec<ToolConfigError>) -> Result<(), Self> {
        if errors.is_empty() { Ok(()) } else { Err(Self(errors)) }
    }

    /// Mistakes that were found, of which there is at least one.
    pub(crate) const fn found(errors: Vec<ToolConfigError>) -> Self {
        Self(errors)
    }

    /// Goes through the mistakes.
    pub fn iter(&self) -> std::slice::Iter<'_, ToolConfigError> {
        self.0.iter()
    }
}

impl<'a> IntoIterator for &'a ToolConfigErrors {
    type Item = &'a ToolConfigError;
    type IntoIter = std::slice::Iter<'a, ToolConfigError>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Display for ToolConfigErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.len() {
            1 => f.write_str("the registry has 1 mistake:")?,
            count => write!(f, "the registry has {count} mistakes:")?,
        }
        for error in &self.0 {
            write!(f, "\n  {error}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for ToolConfigErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error for ToolConfigErrors {}

/// What a tool fails with: one of the three errors, or any other by `?`.
///
/// The outermost type decides. A [`ToolError`] wrapped in another error is
/// internal: the model reads an id of it, and the host's log has its text under
/// that id, by `tracing`.
///
/// ```
/// use toolkit::prelude::*;
///
/// /// Books seats.
/// #[tool]
/// fn book(seats: u8, code: &str) -> Result<String, Failure> {
///     let code: u32 = code.parse()?;
///     if seats > 8 {
///         return Err(ToolError::business("at most 8 seats").into());
///     }
///     Ok(format!("{seats} seats under {code}"))
/// }
///
/// let view = Registry::builder().tools(tools![book]).build()?.view(Caller::new("ann"));
/// let read = |arguments| {
///     let call = ToolCall::new("call_1", "book", arguments);
///     view.dispatch_blocking(call, Options::default()).map(|outcome| outcome.text().to_owned())
/// };
/// assert_eq!(read(r#"{"seats": 9, "code": "12"}"#)?, "at most 8 seats");
/// let internal = read(r#"{"seats": 2, "code": "secret"}"#)?;
/// assert!(internal.starts_with("book failed internally (error id "), "{internal}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Failure(pub(crate) Cause);

pub(crate) enum Cause {
    Tool(ToolError),
    Fatal(FatalToolError),
    Config(ToolConfigError),
    Internal(BoxError),
}

impl Failure {
    /// Sorts any error by its outermost type, in a box or not.
    pub(crate) fn sort(error: BoxError) -> Self {
        let error = match unboxed(error) {
            Ok(error) => return Self(Cause::Tool(error)),
            Err(error) => error,
        };
        let error = match unboxed(error) {
            Ok(error) => return Self(Cause::Fatal(error)),
            Err(error) => error,
        };
        Self(unboxed(error).map_or_else(Cause::Internal, Cause::Config))
    }
}

fn unboxed<E: Error + 'static>(error: BoxError) -> Result<E, BoxError> {
    let error = match error.downcast::<E>() {
        Ok(error) => return Ok(*error),
        Err(error) => error,
    };
    error.downcast::<Box<E>>().map(|error| **error)
}

impl<E: Error + Send + Sync + 'static> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::sort(Box::new(error))
    }
}

impl From<Failure> for BoxError {
    fn from(failure: Failure) -> Self {
        match failure.0 {
            Cause::Tool(error) => Box::new(error),
            Cause::Fatal(error) => Box::new(error),
            Cause::Config(error) => Box::new(error),
            Cause::Internal(error) => error,
        }
    }
}

// The text of a foreign error may hold a secret: `Debug` says only that there is one.
impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Cause::Tool(error) => error.fmt(f),
            Cause::Fatal(error) => f.debug_tuple("Fatal").field(&error.kind).finish(),
            Cause::Config(error) => error.fmt(f),
            Cause::Internal(_) => f.write_str("Internal"),
        }
    }
}

/// The two ways in which a dispatch ends a run.
///
/// ```
/// use toolkit::Abort;
/// use toolkit::prelude::*;
///
/// /// Pays the bill.
/// #[tool]
/// fn pay() -> Result<(), FatalToolError> {
///     Err(FatalToolError::denied("the account is frozen"))
/// }
///
/// let view = Registry::builder().tools(tools![pay]).build()?.view(Caller::new("ann"));
/// let call = ToolCall::new("call_1", "pay", "{}");
/// assert_eq!(
///     view.dispatch_blocking(call, Options::default()),
///     Err(Abort::Fatal {
///         tool: "pay".to_owned(),
///         error: FatalToolError::denied("the account is frozen"),
///         executed: true,
///     }),
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Abort {
    /// A tool or gate raised a [`FatalToolError`].
    #[error("tool `{tool}` ended the run: {error}")]
    Fatal {
        /// The tool that was called.
        tool: String,
        /// What it raised.
        error: FatalToolError,
        /// Whether the tool's function was entered; not where a gate raised it.
        executed: bool,
    },
    /// The registry or its wiring is wrong.
    #[error(transparent)]
    Config(ToolConfigError),
}
