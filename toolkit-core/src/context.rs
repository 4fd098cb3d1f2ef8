//! What a tool may know of the call it answers, and may tell its host while it runs.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use crate::caller::Caller;
use crate::cancellation::Cancellation;

/// What a tool may know of the call it answers; a parameter with `#[context]`.
///
/// It is never in the schema and can not be filled from arguments.
///
/// ```
/// use toolkit::prelude::*;
///
/// /// Tells who asks.
/// #[tool]
/// fn who(#[context] cx: &CallContext) -> String {
///     let run = cx.run_id().unwrap_or("no run");
///     format!("{} in {run}, {}", cx.caller().principal(), cx.call_id())
/// }
///
/// let view = Registry::builder().tools(tools![who]).build()?.view(Caller::new("ann"));
/// let call = ToolCall::new("call_1", "who", "");
/// let outcome = view.dispatch_blocking(call, Options::default().run_id("run-7"))?;
/// assert_eq!(outcome.text(), "ann in run-7, call_1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct CallContext {
    caller: Arc<Caller>,
    call_id: Arc<str>,
    run_id: Option<Arc<str>>,
    /// The name of the call's row, where a ledger keeps it.
    key: OnceLock<Arc<str>>,
    /// What the host gave along, where it gave something.
    along: Option<Arc<Along>>,
}

/// What a host gives along with a call, apart from what the call is.
#[derive(Clone)]
pub(crate) struct Along {
    pub(crate) cancellation: Cancellation,
    pub(crate) deadline: Option<Instant>,
    pub(crate) observer: Option<Arc<dyn Observer>>,
}

impl Along {
    /// Nothing is given along.
    pub(crate) const NOTHING: Self =
        Self { cancellation: Cancellation::NEVER, deadline: None, observer: None };
}

impl CallContext {
    pub(crate) const fn new(
        caller: Arc<Caller>,
        call_id: Arc<str>,
        run_id: Option<Arc<str>>,
        along: Option<Arc<Along>>,
    ) -> Self {
        Self { caller, call_id, run_id, key: OnceLock::new(), along }
    }

    /// Gives the call the name of its row.
    pub(crate) fn name(&self, key: String) {
        self.key.get_or_init(|| key.into());
    }

    /// Who the agent acts for.
    #[must_use]
    pub fn caller(&self) -> &Caller {
        &self.caller
    }

    /// The provider's id of the call.
    #[must_use]
    pub fn call_id(&self) -> &str {
        &self.call_id
    }

    /// What the target is given to tell a repeated call from a new one: the same on every attempt
    /// of one call, and on no other call.
    ///
    /// It is the name of the call's row in the ledger, 64 hexadecimal digits; `None` where the
    /// ledger keeps no row of the tool's calls.
    ///
    /// ```
    /// use toolkit::prelude::*;
    /// use toolkit::ledger::MemoryLedger;
    ///
    /// /// Pays a bill.
    /// #[tool(effect = "write", on_unknown = "rerun_with_key")]
    /// fn pay(#[context] cx: &CallContext, bill: &str) -> String {
    ///     format!("Idempotency-Key: {}", cx.idempotency_key().unwrap_or("none"))
    /// }
    ///
    /// let registry = Registry::builder().tools(tools![pay]).ledger(MemoryLedger::new()).build()?;
    /// let call = ToolCall::new("call_1", "pay", r#"{"bill": "B-1"}"#);
    /// let outcome = registry.view(Caller::new("ann")).dispatch_blocking(call, Options::default())?;
    /// assert_eq!(outcome.text().len(), "Idempotency-Key: ".len() + 64);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn idempotency_key(&self) -> Option<&str> {
        self.key.get().map(|key| &**key)
    }

    /// The host's id of the run that the call belongs to, where it gave one.
    #[must_use]
    pub fn run_id(&self) -> Option<&str> {
        self.run_id.as_deref()
    }

    /// Whether the host wants the call no more; of a call that it can not cancel, a token that
    /// never is.
    ///
    /// ```
    /// use toolkit::Cancellation;
    /// use toolkit::prelude::*;
    ///
    /// /// Counts sheep until nobody wants to know.
    /// #[tool]
    /// fn count(#[context] cx: &CallContext) -> u32 {
    ///     (0..100).take_while(|_| !cx.cancellation().is_cancelled()).count() as u32
    /// }
    ///
    /// let view = Registry::builder().tools(tools![count]).build()?.view(Caller::new("ann"));
    /// let call = ToolCall::new("call_1", "count", "{}");
    /// let options = Options::default().cancellation(Cancellation::new());
    /// assert_eq!(view.dispatch_blocking(call, options)?.text(), "100");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn cancellation(&self) -> &Cancellation {
        static NEVER: Cancellation = Cancellation::NEVER;
        self.along.as_deref().map_or(&NEVER, |along| &along.cancellation)
    }

    /// When the call must be over, where there is such a time.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.along.as_deref().and_then(|along| along.deadline)
    }

    /// Tells the host how far the call is: of a total, where it is known, and in words.
    ///
    /// Nobody hears it where the host gave no [`Observer`]; the model never does.
    ///
    /// ```
    /// use toolkit::prelude::*;
    ///
    /// /// Copies files.
    /// #[tool]
    /// fn copy(#[context] cx: &CallContext, files: Vec<String>) {
    ///     for (index, file) in files.iter().enumerate() {
    ///         cx.progress(index as u64, files.len() as u64, file.as_str());
    ///     }
    ///     cx.progress(files.len() as u64, None, None);
    /// }
    ///
    /// let view = Registry::builder().tools(tools![copy]).build()?.view(Caller::new("ann"));
    /// let call = ToolCall::new("call_1", "copy", r#"{"files": ["a", "b"]}"#);
    /// assert_eq!(view.dispatch_blocking(call, Options::default())?.text(), "ok");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[expect(single_use_lifetimes, reason = "an `impl Trait` can not leave it out yet")]
    pub fn progress<'a>(
        &self,
        done: u64,
        total: impl Into<Option<u64>>,
        message: impl Into<Option<&'a str>>,
    ) {
        if let Some(observer) = self.observer() {
            let (total, message) = (total.into(), message.into());
            observer.progress(self, Progress { done, total, message });
        }
    }

    /// Hands the host a piece of text while the call runs, like a line of a log.
    ///
    /// Nobody hears it where the host gave no [`Observer`]; the model never does.
    pub fn emit(&self, text: &str) {
        if let Some(observer) = self.observer() {
            observer.emitted(self, text);
        }
    }

    fn observer(&self) -> Option<&dyn Observer> {
        self.along.as_deref()?.observer.as_deref()
    }
}

/// Hears what tools tell while they run; [`Options::observer`](crate::Options::observer) takes it.
///
/// It is called in the tool's own thread, and the tool waits for it.
///
/// ```
/// use std::sync::{Arc, Mutex};
/// use toolkit::prelude::*;
/// use toolkit::{Observer, Progress};
///
/// #[derive(Default)]
/// struct Lines(Mutex<Vec<String>>);
///
/// impl Observer for Lines {
///     fn progress(&self, call: &CallContext, progress: Progress<'_>) {
///         let Progress { done, total, message } = progress;
///         let line = format!("{}: {done} of {total:?}, {message:?}", call.call_id());
///         self.0.lock().unwrap().push(line);
///     }
///
///     fn emitted(&self, call: &CallContext, text: &str) {
///         self.0.lock().unwrap().push(format!("{}: {text}", call.call_id()));
///     }
/// }
///
/// /// Builds the project.
/// #[tool]
/// fn build(#[context] cx: &CallContext) {
///     cx.progress(1, 2, "compiled");
///     cx.emit("warning: unused variable");
///     cx.progress(2, None, None);
/// }
///
/// let view = Registry::builder().tools(tools![build]).build()?.view(Caller::new("ann"));
/// let lines = Arc::new(Lines::default());
/// let options = Options::default().observer(Arc::clone(&lines) as Arc<dyn Observer>);
/// view.dispatch_blocking(ToolCall::new("call_1", "build", "{}"), options)?;
/// assert_eq!(
///     *lines.0.lock().unwrap(),
///     [
///         r#"call_1: 1 of Some(2), Some("compiled")"#,
///         "call_1: warning: unused variable",
///         "call_1: 2 of None, None",
///     ],
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Observer: Send + Sync {
    /// Hears how far a call is.
    fn progress(&self, call: &CallContext, progress: Progress<'_>);

    /// Hears a piece of text, as the tool wrote it; nothing in it is escaped.
    fn emitted(&self, call: &CallContext, text: &str);
}

/// How far a call is, by its tool's own count.
///
/// ```
/// use toolkit::Progress;
///
/// let progress = Progress { done: 3, total: Some(4), message: None };
/// assert_eq!(progress.total.map(|total| 100 * progress.done / total), Some(75));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress<'a> {
    /// How much is done.
    pub done: u64,
    /// How much there is to do, where that is known.
    pub total: Option<u64>,
    /// The same in words, as the tool wrote them; nothing in them is escaped.
    pub message: Option<&'a str>,
}

impl fmt::Debug for CallContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallContext")
            .field("caller", &self.caller)
            .field("call_id", &self.call_id)
            .field("run_id", &self.run_id)
            .field("key", &self.key)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Along {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Along")
            .field("cancellation", &self.cancellation)
            .field("deadline", &self.deadline)
            .field("observer", &self.observer.is_some())
            .finish()
    }
}
