//! What ends a call before its function does: its time, the host's deadline, the host's word.

use std::future::{poll_fn, ready};
use std::hint;
use std::pin::{Pin, pin};
use std::sync::{Arc, LazyLock};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use super::ledger::{self, refused};
use super::run::contained;
use super::{House, Timer, Way};
use crate::call::Outcome;
use crate::cancellation::Cancellation;
use crate::context::Along;
use crate::error::{Abort, ToolConfigError};
use crate::tool::{BoxFuture, OnUnknown, Stopped, Tool};

/// What bounds a call, where something does.
pub(super) struct Bounds {
    /// By which the host says that it wants the call no more.
    host: Cancellation,
    deadline: Option<Instant>,
    /// How long the tool's own code may take.
    time: Option<Duration>,
}

/// Why a call does not go on.
#[derive(Debug, Clone, Copy)]
pub(super) enum Cut {
    /// The tool took longer than it may.
    Late(Duration),
    /// The host's deadline has passed.
    Overdue,
    /// The host wants it no more.
    Cancelled,
    /// The timer can not be used where the call was made.
    Unwoken,
}

/// What bounds a call of a tool, and what its context says of that.
///
/// The call has a word of its own, for its time is one more reason to give it.
pub(super) fn bounds(
    house: &House,
    tool: &Tool,
    along: Option<Box<Along>>,
) -> (Option<Bounds>, Option<Arc<Along>>) {
    let time = tool.policy.timeout.or(house.timeout);
    if along.is_none() && time.is_none() {
        return (None, None);
    }
    let mut along = along.map_or_else(Along::nothing, |along| *along);
    let host = std::mem::take(&mut along.cancellation);
    let bounds = Bounds { host, deadline: along.deadline, time };
    (Some(bounds), Some(Arc::new(along)))
}

#[expect(clippy::disallowed_methods, reason = "the host's deadline is a moment of this clock")]
pub(super) fn now() -> Instant {
    Instant::now()
}

/// How coarse the clock is that ends the calls of hidden and of unknown names.
const TICK: Duration = Duration::from_micros(50);

/// Waits for the end of the tick that it is, so that how long something took tells nothing finer.
///
/// It is too short a time to sleep or to give the thread to another.
pub(super) fn end_tick() {
    static START: LazyLock<Instant> = LazyLock::new(now);
    let tick = || now().duration_since(*START).as_micros() / TICK.as_micros();
    let this = tick();
    while tick() == this {
        hint::spin_loop();
    }
}

impl Bounds {
    /// Why the call must not go on, as it stands now.
    fn cut(&self) -> Option<Cut> {
        if self.host.is_cancelled() {
            return Some(Cut::Cancelled);
        }
        self.deadline.is_some_and(|deadline| deadline <= now()).then_some(Cut::Overdue)
    }

    /// Until when a function may run that is entered now.
    pub(super) fn limit(&self) -> Option<Instant> {
        now().checked_add(self.time?)
    }
}

/// Whether a call may go on that changed nothing yet.
///
/// # Errors
/// The host wants it no more, or too late; or nothing wakes the registry for its deadline.
pub(super) fn wanted(way: &Way<'_>) -> Result<(), Stopped> {
    let Some(bounds) = &way.bounds else { return Ok(()) };
    if bounds.deadline.is_some() && way.house.timer.is_none() {
        let message = "a call has a deadline and nothing wakes the registry; add `.timer(…)`";
        return Err(Stopped::Failed(ToolConfigError::new(message).into()));
    }
    bounds.cut().map_or(Ok(()), |cut| Err(not_started(&way.entry.tool, cut)))
}

/// Goes on with what is done before the function, and leaves it where the call must not go on.
///
/// # Errors
/// The call was left; its function was not entered.
pub(super) async fn within<T>(
    way: &Way<'_>,
    time: Time,
    work: impl Future<Output = T>,
) -> Result<T, Stopped> {
    if way.bounds.is_none() {
        return Ok(work.await);
    }
    // Most of what is done before a function waits for nothing, and needs no timer.
    let (mut work, mut interrupt) = (pin!(work), None);
    poll_fn(|cx| match work.as_mut().poll(cx) {
        Poll::Ready(done) => Poll::Ready(Ok(done)),
        Poll::Pending => interrupted(&mut interrupt, way, time, cx)
            .map(|cut| Err(not_started(&way.entry.tool, cut))),
    })
    .await
}

/// Why a call that waits must not go on, where it must not; what wakes it then is made here.
pub(super) fn interrupted<'a>(
    interrupt: &mut Option<Interrupt<'a>>,
    way: &'a Way<'_>,
    time: Time,
    cx: &mut Context<'_>,
) -> Poll<Cut> {
    if interrupt.is_none() {
        *interrupt = Interrupt::of(way, time);
    }
    interrupt.as_mut().map_or(Poll::Pending, |interrupt| Pin::new(interrupt).poll(cx))
}

/// Whose time something takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Time {
    /// The tool's, which has a limit.
    Tools,
    /// A person's, who may take as long as they like.
    Persons,
}

/// Is done when the call must not go on, and says why.
pub(super) struct Interrupt<'a>(Vec<(BoxFuture<'a, ()>, Cut)>);

impl<'a> Interrupt<'a> {
    /// `None` where nothing bounds the call.
    fn of(way: &'a Way<'_>, time: Time) -> Option<Self> {
        let bounds = way.bounds.as_ref()?;
        let host: BoxFuture<'a, ()> = Box::pin(bounds.host.cancelled());
        let mut ends = vec![(host, Cut::Cancelled)];
        if let Some(timer) = way.house.timer.as_deref() {
            let limit = bounds.time.filter(|_| time == Time::Tools);
            ends.extend(limit.map(|time| woken(timer, time, Cut::Late(time))));
            let left = bounds.deadline.map(|end| end.saturating_duration_since(now()));
            ends.extend(left.map(|left| woken(timer, left, Cut::Overdue)));
        }
        Some(Self(ends))
    }
}

fn woken<'a>(timer: &dyn Timer, time: Duration, cut: Cut) -> (BoxFuture<'a, ()>, Cut) {
    match sleep(timer, time) {
        Some(sleep) => (sleep, cut),
        None => (Box::pin(ready(())), Cut::Unwoken),
    }
}

/// `None` where the timer can not be used: an executor's panics outside of it.
pub(super) fn sleep(timer: &dyn Timer, time: Duration) -> Option<BoxFuture<'static, ()>> {
    contained(|| timer.sleep(time))
}

impl Future for Interrupt<'_> {
    type Output = Cut;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Cut> {
        for (end, cut) in &mut self.0 {
            if end.as_mut().poll(cx).is_ready() {
                return Poll::Ready(*cut);
            }
        }
        Poll::Pending
    }
}

impl Way<'_> {
    /// Passes the host's word on, before the tool's code runs again.
    pub(super) fn pass_word_on(&self) {
        if self.bounds.as_ref().is_some_and(|bounds| bounds.host.is_cancelled()) {
            self.context.cancellation().cancel();
        }
    }
}

/// The end of a call whose function was not entered.
fn not_started(tool: &Tool, cut: Cut) -> Stopped {
    let tool = &tool.name;
    refused(match cut {
        Cut::Late(time) => Outcome::unavailable(
            tool,
            format!("what comes before the function took longer than {time:?}"),
        ),
        Cut::Overdue => Outcome::unavailable(tool, "its deadline has passed".to_owned()),
        Cut::Cancelled => Outcome::not_run(),
        Cut::Unwoken => return Stopped::Failed(unwoken(tool).into()),
    })
}

/// The end of a call whose function was entered and did not come back.
///
/// # Errors
/// The timer can not be used where the call was made.
pub(super) fn broken_off(tool: &Tool, cut: Cut) -> Result<Outcome, Abort> {
    let name = &tool.name;
    let outcome = match cut {
        Cut::Late(time) => Outcome::late(name, time),
        Cut::Overdue => Outcome::overdue(name),
        Cut::Cancelled => Outcome::stopped(),
        Cut::Unwoken => return Err(Abort::Config(unwoken(name))),
    };
    Ok(doubted(tool, outcome))
}

/// What an outcome that tells nothing of what happened is to the model.
pub(super) fn doubted(tool: &Tool, outcome: Outcome) -> Outcome {
    let policy = &tool.policy;
    // Where a ledger keeps the call, its row says how it stands.
    let is_told = ledger::keeps(tool) || policy.on_unknown == OnUnknown::Rerun;
    let is_known = is_told || !policy.is_effectful();
    if is_known { outcome } else { outcome.left_in_doubt() }
}

/// Why nobody knows what came of a call, as its row says it.
pub(super) const fn cause(cut: Cut) -> &'static str {
    match cut {
        Cut::Late(_) => "the tool did not answer in time",
        Cut::Overdue => "its deadline passed while it ran",
        Cut::Cancelled => "it was cancelled while it ran",
        Cut::Unwoken => "the timer could not be used",
    }
}

fn unwoken(tool: &str) -> ToolConfigError {
    let message = "the timer panicked where the call was dispatched; an executor's timer works \
                   inside of it alone, a `ThreadTimer` everywhere";
    ToolConfigError::new(message).of_tool(tool)
}
