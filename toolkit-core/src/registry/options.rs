//! How one call is to be dispatched.

use std::sync::Arc;
use std::time::Instant;

use crate::cancellation::Cancellation;
use crate::context::{Along, Observer};

/// How one call is to be dispatched.
///
/// ```
/// use serde_json::json;
/// use toolkit::prelude::*;
///
/// let log = Tool::dynamic("log", "Logs.", json!({}), |_, cx: CallContext| async move {
///     Ok::<_, ToolError>(cx.run_id().map(str::to_owned))
/// });
/// let view = Registry::builder().tool(log).build()?.view(Caller::new("ann"));
/// let options = Options::default().run_id("run-7");
/// let outcome = view.dispatch_blocking(ToolCall::new("call_1", "log", "{}"), options)?;
/// assert_eq!(outcome.text(), "run-7");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Options {
    pub(super) run_id: Option<String>,
    pub(super) intent_id: Option<String>,
    pub(super) dry_run: bool,
    /// Nothing for most calls, and then it costs nothing.
    pub(super) along: Option<Box<Along>>,
}

impl Options {
    /// Names the run that the call belongs to.
    ///
    /// In one run, two calls of an effectful tool with the same arguments are one call, and the
    /// second is a duplicate, unless the tool or the host says otherwise. Calls of no named run
    /// are of one and the same.
    #[must_use]
    pub fn run_id(mut self, run_id: impl Into<String>) -> Self {
        self.run_id = Some(run_id.into());
        self
    }

    /// Names what the user wants to be done once: the idempotency key of this call.
    ///
    /// 16 to 255 of the characters `A-Z a-z 0-9 _ . : -`, chosen by the host and never by a
    /// model. It counts for one tool and one caller, and stands above what the tool says with
    /// `idempotency(…)`. To do the same once more on purpose, name another.
    #[must_use]
    pub fn intent_id(mut self, intent_id: impl Into<String>) -> Self {
        self.intent_id = Some(intent_id.into());
        self
    }

    /// Rehearses the call: every check is made, and nothing changes.
    ///
    /// A tool that says `effect = "read"` runs all the same.
    ///
    /// ```
    /// use toolkit::prelude::*;
    ///
    /// /// Deletes a file.
    /// #[tool]
    /// fn delete(path: &str) {
    ///     panic!("nothing runs")
    /// }
    ///
    /// let view = Registry::builder().tools(tools![delete]).build()?.view(Caller::new("ann"));
    /// let call = ToolCall::new("call_1", "delete", r#"{"path": "/tmp/a"}"#);
    /// let outcome = view.dispatch_blocking(call, Options::default().dry_run())?;
    /// assert_eq!(outcome.status(), Status::DryRun);
    /// assert_eq!(
    ///     outcome.text(),
    ///     r#"dry run: every check was passed and nothing ran. delete would run with {"path":"/tmp/a"}"#,
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn dry_run(mut self) -> Self {
        self.dry_run = true;
        self
    }
    /// Gives the host a word by which it says that the call is wanted no more.
    ///
    /// The tool finds it as [`CallContext::cancellation`](crate::CallContext::cancellation).
    #[must_use]
    pub fn cancellation(mut self, cancellation: Cancellation) -> Self {
        self.along().cancellation = cancellation;
        self
    }

    /// Says when the call must be over.
    ///
    /// The tool finds it as [`CallContext::deadline`](crate::CallContext::deadline).
    #[must_use]
    pub fn deadline(mut self, deadline: Instant) -> Self {
        self.along().deadline = Some(deadline);
        self
    }

    /// Sets who hears what the tool tells while it runs.
    #[must_use]
    pub fn observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.along().observer = Some(observer);
        self
    }

    fn along(&mut self) -> &mut Along {
        self.along.get_or_insert_with(|| Box::new(Along::NOTHING))
    }
}
