//! How one call is to be dispatched.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use crate::call::{Outcome, Status, ToolCall};
use crate::cancellation::Cancellation;
use crate::context::{Along, Observer};
use crate::dialect::Message;

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
#[derive(Clone, Default)]
pub struct Options {
    /// A call of which nothing is said carries nothing.
    said: Option<Box<Said>>,
}

/// What a host says of one call.
#[derive(Debug, Clone, Default)]
pub(super) struct Said {
    pub(super) run_id: Option<String>,
    pub(super) intent_id: Option<String>,
    pub(super) dry_run: bool,
    /// The calls of the run that succeeded, and whether each was only rehearsed.
    pub(super) done: Vec<(ToolCall, bool)>,
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
        self.said().run_id = Some(run_id.into());
        self
    }

    /// Names what the user wants to be done once: the idempotency key of this call.
    ///
    /// 16 to 255 of the characters `A-Z a-z 0-9 _ . : -`, chosen by the host and never by a
    /// model. It counts for one tool and one caller, and stands above what the tool says with
    /// `idempotency(…)`. To do the same once more on purpose, name another.
    #[must_use]
    pub fn intent_id(mut self, intent_id: impl Into<String>) -> Self {
        self.said().intent_id = Some(intent_id.into());
        self
    }

    /// Says what happened in the run so far, for tools that require another one before them.
    ///
    /// A call counts where it succeeded, now or at its first time. Without a history nothing
    /// was done, and such a tool does not run. Give the messages of this run alone; an
    /// [`Agent`](crate::Agent) does.
    ///
    /// ```
    /// use toolkit::dialect::{Answered, Message, Reply};
    /// use toolkit::prelude::*;
    ///
    /// /// Looks up an order.
    /// #[tool]
    /// fn get_order(order_id: &str) -> String {
    ///     format!("{order_id}: delivered")
    /// }
    ///
    /// /// Refunds an order.
    /// #[tool(requires(get_order(order_id)))]
    /// fn refund(order_id: &str) -> &'static str {
    ///     "refunded"
    /// }
    ///
    /// let view = Registry::builder().tools(tools![get_order, refund]).build()?.view(Caller::new("ann"));
    /// let refund = ToolCall::new("call_2", "refund", r#"{"order_id": "O-1"}"#);
    /// let outcome = view.dispatch_blocking(&refund, Options::default())?;
    /// assert_eq!(
    ///     outcome.text(),
    ///     "refund did not run: in this run, something has to be done before it. Call get_order with \
    ///      order_id \"O-1\". When that succeeded, call refund again.",
    /// );
    ///
    /// let look = ToolCall::new("call_1", "get_order", r#"{"order_id": "O-1"}"#);
    /// let looked = view.dispatch_blocking(&look, Options::default())?;
    /// let history = [
    ///     Message::Assistant(Reply::calls([look.clone()])),
    ///     Message::Results(vec![Answered::new(look, looked)]),
    /// ];
    /// let outcome = view.dispatch_blocking(&refund, Options::default().history(&history))?;
    /// assert_eq!(outcome.text(), "refunded");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn history(mut self, messages: &[Message]) -> Self {
        let answered = messages.iter().flat_map(|message| match message {
            Message::Results(answered) => answered.as_slice(),
            Message::User(_) | Message::Assistant(_) => &[],
        });
        self.said().done.extend(
            answered.filter_map(|answered| {
                Some((answered.call.clone(), succeeded(&answered.outcome)?))
            }),
        );
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
    pub fn dry_run(mut self) -> Self {
        self.said().dry_run = true;
        self
    }

    /// Gives the host a word by which it says that the call is wanted no more.
    ///
    /// A call whose function was not entered yet is [`NotRun`](crate::Status::NotRun) then. One
    /// that runs is left where it awaits: a read has [`Failed`](crate::Status::Failed), of
    /// anything else it is [`InDoubt`](crate::Status::InDoubt) whether it took effect. The tool
    /// hears it, too, as [`CallContext::cancellation`](crate::CallContext::cancellation).
    ///
    /// ```
    /// use toolkit::Cancellation;
    /// use toolkit::prelude::*;
    ///
    /// /// Looks up an order.
    /// #[tool(effect = "read")]
    /// async fn get_order(id: &str) {}
    ///
    /// let view = Registry::builder().tools(tools![get_order]).build()?.view(Caller::new("ann"));
    /// let word = Cancellation::new();
    /// word.cancel();
    /// let call = ToolCall::new("call_1", "get_order", r#"{"id": "O-1"}"#);
    /// let outcome = view.dispatch_blocking(call, Options::default().cancellation(word))?;
    /// assert_eq!(outcome.status(), Status::NotRun);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn cancellation(mut self, cancellation: Cancellation) -> Self {
        self.along().cancellation = cancellation;
        self
    }

    /// Says when the call must be over, whatever it waits for, a person included.
    ///
    /// It needs a [`Timer`](crate::Timer): without one the dispatch ends in
    /// [`Abort::Config`](crate::Abort::Config). The tool finds it as
    /// [`CallContext::deadline`](crate::CallContext::deadline).
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

    /// Whether the host says nothing by which a gate could hold the call up.
    #[inline]
    pub(super) fn is_plain(&self) -> bool {
        self.said.as_ref().is_none_or(|said| !said.dry_run && said.along.is_none())
    }

    #[inline]
    pub(super) fn run_of(&self) -> Option<&str> {
        self.said.as_ref().and_then(|said| said.run_id.as_deref())
    }

    /// All that was said.
    pub(super) fn all(self) -> Said {
        self.said.map_or_else(Said::default, |said| *said)
    }

    fn said(&mut self) -> &mut Said {
        self.said.get_or_insert_default()
    }

    fn along(&mut self) -> &mut Along {
        self.said().along.get_or_insert_with(|| Box::new(Along::nothing()))
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Said { run_id, intent_id, dry_run, done, along } = self.clone().all();
        f.debug_struct("Options")
            .field("run_id", &run_id)
            .field("intent_id", &intent_id)
            .field("dry_run", &dry_run)
            .field("done", &done)
            .field("along", &along)
            .finish()
    }
}

/// Whether a call that succeeded, now or at its first time, was only rehearsed; `None` where it
/// did not succeed.
pub(super) fn succeeded(outcome: &Outcome) -> Option<bool> {
    match outcome.first_status().unwrap_or_else(|| outcome.status()) {
        Status::Ok => Some(false),
        Status::DryRun => Some(true),
        _ => None,
    }
}
