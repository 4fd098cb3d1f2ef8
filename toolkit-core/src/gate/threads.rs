//! Functions that block have a thread of their own, which may be lost.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use async_lock::SemaphoreGuardArc;
use futures_channel::oneshot;

use super::Way;
use super::ledger::Hold;
use super::room::Permits;
use super::run::{contained, quietly};
use crate::error::ToolConfigError;
use crate::output::Output;
use crate::tool::{BoxFuture, Stopped};

/// Runs work that blocks its thread, like `tokio::task::spawn_blocking` does.
///
/// Tools that say `blocking` need one. It is given no more work at a time than
/// [`Limits::at_once`](crate::Limits::at_once) and
/// [`Limits::lost_threads`](crate::Limits::lost_threads) allow together.
///
/// While work that changes something runs on after its call was given up, a thread of the
/// library's own keeps that call in doubt, so that it is not run again beside it.
///
/// ```
/// use toolkit::prelude::*;
///
/// /// Sums up a file.
/// #[tool(effect = "read", blocking)]
/// fn sum(path: &str) -> usize {
///     path.len()
/// }
///
/// let registry = Registry::builder()
///     .tools(tools![sum])
///     .threads(|work: Box<dyn FnOnce() + Send>| {
///         std::thread::spawn(work);
///     })
///     .build()?;
/// let call = ToolCall::new("call_1", "sum", r#"{"path": "a.csv"}"#);
/// let outcome = registry.view(Caller::new("ann")).dispatch_blocking(call, Options::default())?;
/// assert_eq!(outcome.text(), "5");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no threads",
    label = "can not run work that blocks",
    note = "give a function of a `Box<dyn FnOnce() + Send>` that runs it in another thread, or \
            `toolkit::Tokio` with the feature `tokio`"
)]
pub trait Threads: Send + Sync + 'static {
    /// Starts the work in another thread, and returns at once.
    fn start(&self, work: Box<dyn FnOnce() + Send>);
}

#[diagnostic::do_not_recommend]
impl<F> Threads for F
where
    F: Fn(Box<dyn FnOnce() + Send>) + Send + Sync + 'static,
{
    fn start(&self, work: Box<dyn FnOnce() + Send>) {
        self(work);
    }
}

/// The threads that did not come back in time.
pub(crate) struct Lost {
    count: AtomicUsize,
    /// How many of them others are started for.
    most: usize,
}

impl Lost {
    pub(crate) const fn none(most: usize) -> Self {
        Self { count: AtomicUsize::new(0), most }
    }

    pub(crate) fn count(&self) -> usize {
        self.count.load(Ordering::SeqCst)
    }
}

/// The permits of a function in a thread of its own, and where that is.
pub(super) struct Seat {
    place: Mutex<Place>,
    /// Told when the function returned.
    over: Condvar,
    lost: Arc<Lost>,
}

enum Place {
    Waited(Held),
    /// Nobody waits for it any more.
    #[expect(dead_code, reason = "a permit does its work when it is dropped")]
    Lost(Held),
    Over,
}

/// The registry's permit and the tool's.
type Held = (Option<SemaphoreGuardArc>, Option<SemaphoreGuardArc>);

impl Seat {
    pub(super) fn taken(
        registry: SemaphoreGuardArc,
        tool: Option<SemaphoreGuardArc>,
        lost: Arc<Lost>,
    ) -> Arc<Self> {
        let place = Mutex::new(Place::Waited((Some(registry), tool)));
        Arc::new(Self { place, over: Condvar::new(), lost })
    }

    fn place(&self) -> MutexGuard<'_, Place> {
        self.place.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The function returned.
    fn end(&self) {
        let place = std::mem::replace(&mut *self.place(), Place::Over);
        self.over.notify_all();
        if let Place::Lost(_) = place {
            self.lost.count.fetch_sub(1, Ordering::SeqCst);
            let lost = self.lost.count();
            tracing::warn!(lost, "a thread came back after its call was given up");
        }
    }

    /// Nobody waits for the function any more; another may have its place, up to a bound.
    ///
    /// Whether it runs on.
    #[expect(clippy::significant_drop_tightening, reason = "what is kept is kept in the place")]
    fn give_up(&self, tool: &str) -> bool {
        let mut place = self.place();
        let Place::Waited((registry, own)) = &mut *place else { return false };
        let lost = self.lost.count.fetch_add(1, Ordering::SeqCst) + 1;
        // What is exclusive stays so while the function runs on.
        let (registry, own) = (registry.take(), own.take());
        let kept = if lost > self.lost.most { registry } else { None };
        *place = Place::Lost((kept, own));
        drop(place);
        tracing::error!(tool, lost, "a function does not come back; its thread is lost");
        true
    }

    /// Whether the function returned, or does within this time.
    fn ends_within(&self, time: Duration) -> bool {
        let runs = |place: &mut Place| !matches!(place, Place::Over);
        let waited = self.over.wait_timeout_while(self.place(), time, runs);
        !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }
}

/// Dropped when the function is over, also where it never began.
struct End(Arc<Seat>);

impl Drop for End {
    fn drop(&mut self) {
        self.0.end();
    }
}

struct Waiting<'a> {
    seat: &'a Arc<Seat>,
    tool: &'a str,
    /// Of a call that a ledger keeps.
    hold: Option<Hold>,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if self.seat.give_up(self.tool)
            && let Some(hold) = self.hold.take()
        {
            keep(Arc::clone(self.seat), hold);
        }
    }
}

/// Keeps the claim on a call alive while its lost function runs: for so long it may take effect,
/// and no look at its target counts as that it did not.
///
/// A thread of its own does it, since the host's may all be lost.
fn keep(seat: Arc<Seat>, hold: Hold) {
    let extended = |hold: &Hold| contained(|| pollster::block_on(hold.extend())) == Some(true);
    let keeping = move || while extended(&hold) && !seat.ends_within(hold.pause()) {};
    if let Err(error) = thread::Builder::new().name("toolkit-claim".to_owned()).spawn(keeping) {
        tracing::error!(%error, "the claim of a lost thread is not kept alive");
    }
}

/// What a function that blocks does, from its arguments to its output.
pub(super) type Work = Box<dyn FnOnce() -> Result<Output, Stopped> + Send>;

/// Runs a function in a thread of its own, and waits for it.
pub(super) fn apart<'a>(way: &'a Way<'_>, work: Work) -> BoxFuture<'a, Result<Output, Stopped>> {
    let (Some(threads), Some(Permits::Apart(seat))) = (&way.house.threads, way.permits.get())
    else {
        return Box::pin(async { Err(no_thread()) });
    };
    let (tell, told) = oneshot::channel();
    let end = End(Arc::clone(seat));
    let hold = way.kept.as_ref().and_then(|kept| kept.hold());
    let waiting = Waiting { seat, tool: &way.entry.tool.name, hold };
    threads.start(Box::new(move || {
        let result = catch_unwind(AssertUnwindSafe(work));
        drop(end);
        if let Err(unheard) = tell.send(result) {
            quietly(|| drop(unheard));
        }
    }));
    Box::pin(async move {
        let result = told.await;
        drop(waiting);
        match result {
            Ok(Ok(result)) => result,
            Ok(Err(payload)) => resume_unwind(payload),
            Err(oneshot::Canceled) => Err(no_thread()),
        }
    })
}

/// Found when the registry is built, but for threads that take no work any more.
fn no_thread() -> Stopped {
    Stopped::Failed(ToolConfigError::new("the registry's threads did not take its work").into())
}
