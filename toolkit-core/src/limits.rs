//! The bounds on what a call may bring, take and give.

/// The bounds on a call's arguments, on what it gives back, and on how many there are at once.
///
/// A registry takes them by [`RegistryBuilder::limits`](crate::RegistryBuilder::limits).
///
/// ```
/// use toolkit::Limits;
/// use toolkit::prelude::*;
///
/// /// Keeps a note.
/// #[tool]
/// fn note(text: &str) {}
///
/// let limits = Limits { argument_bytes: 16, ..Limits::default() };
/// let registry = Registry::builder().tools(tools![note]).limits(limits).build()?;
/// let call = ToolCall::new("call_1", "note", r#"{"text": "milk, bread"}"#);
/// let outcome = registry.view(Caller::new("ann")).dispatch_blocking(call, Options::default())?;
/// assert_eq!(outcome.text(), "$: the arguments are 23 bytes long; at most 16 are accepted");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a call's argument text. Default 65,536.
    pub argument_bytes: usize,
    /// Nesting of objects and arrays, the arguments object counted. Default 32.
    pub depth: usize,
    /// Values in one call's arguments, members and items counted. Default 10,000.
    pub values: usize,
    /// Problems that one report lists. Default 32.
    pub problems: usize,
    /// Bytes of one report. Default 4,096.
    pub report_bytes: usize,
    /// Characters of a received value that a report shows. Default 80.
    pub shown_chars: usize,
    /// Bytes of one result, as the model reads it; the tool may say otherwise. Default 65,536.
    pub result_bytes: usize,
    /// Calls of functions that wait, in all views of the registry together. Default 64.
    ///
    /// One more waits for its turn for as long as its tool may run, or is
    /// [`Unavailable`](crate::Status::Unavailable) at once where there is no timer.
    pub at_once: usize,
    /// Threads that are started in the place of such as do not come back. Default 64.
    pub lost_threads: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            argument_bytes: 64 * 1024,
            depth: 32,
            values: 10_000,
            problems: 32,
            report_bytes: 4 * 1024,
            shown_chars: 80,
            result_bytes: 64 * 1024,
            at_once: 64,
            lost_threads: 64,
        }
    }
}

impl Limits {
    /// The same for what the program itself says, or what was measured before.
    pub(crate) const fn unmeasured(&self) -> Self {
        Self { argument_bytes: usize::MAX, values: usize::MAX, depth: usize::MAX, ..*self }
    }
}
