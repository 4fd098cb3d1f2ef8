//! Gate 9: the function, behind the panic fence, and what came of it.

use std::any::Any;
use std::error::Error;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use super::Way;
use super::time::{self, Cut, Interrupt, Time};
use crate::call::Outcome;
use crate::error::{Abort, BoxError, Cause, Failure};
use crate::limits::Limits;
use crate::output::Output;
use crate::tool::{BoxFuture, Passage, Running, Stopped, Tool};

pub(super) type Ended = Result<Result<Output, Stopped>, Broken>;

/// Why a call did not come to its own end.
pub(super) enum Broken {
    Panicked(Panic),
    /// It had to be left.
    Cut(Cut),
}

/// What a panic carried; its own drop may panic as well.
pub(super) struct Panic(Box<dyn Any + Send>);

impl Panic {
    fn text(&self) -> &str {
        let text = self.0.downcast_ref::<&str>().copied();
        text.or_else(|| self.0.downcast_ref::<String>().map(String::as_str)).unwrap_or("no text")
    }

    fn discard(self) {
        quietly(|| drop(self.0));
    }
}

/// Does what may panic once more where nobody is left to be told of it.
#[expect(clippy::mem_forget, reason = "a payload whose drop panics as well is not tried again")]
pub(super) fn quietly(last: impl FnOnce()) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(last)) {
        tracing::error!("a value panicked when it was dropped");
        std::mem::forget(payload);
    }
}

/// What foreign code gives, or `None` where it panicked; what it panicked with goes as quietly.
pub(crate) fn contained<T>(work: impl FnOnce() -> T) -> Option<T> {
    let done = catch_unwind(AssertUnwindSafe(work));
    done.map_err(|payload| quietly(|| drop(payload))).ok()
}

/// Runs a call so that no panic of the tool's code leaves it, not even from a drop midway, and
/// so that it is left when it must be.
pub(super) async fn fenced<'a>(
    tool: &'a Tool,
    passage: Passage<'a>,
    way: Option<&'a Way<'_>>,
) -> Ended {
    match catch_unwind(AssertUnwindSafe(|| tool.run(passage))) {
        Ok(Running::Done(result)) => Ok(result),
        Ok(Running::Waits(call)) => {
            let way = way.filter(|way| way.bounds.is_some());
            Fence { call: Some(call), way, interrupt: None }.await
        }
        Err(payload) => Err(Broken::Panicked(Panic(payload))),
    }
}

/// Runs a call function that is done when it returns, so that no panic leaves it.
#[inline]
pub(super) fn fenced_at_once(
    call: fn(Passage<'_>) -> Result<Output, Stopped>,
    passage: Passage<'_>,
) -> Ended {
    catch_unwind(AssertUnwindSafe(|| call(passage)))
        .map_err(|payload| Broken::Panicked(Panic(payload)))
}

struct Fence<'a, 'w> {
    call: Option<BoxFuture<'a, Result<Output, Stopped>>>,
    /// Of a call that something bounds.
    way: Option<&'a Way<'w>>,
    /// Once the function was entered: what comes before it is bounded where it waits.
    interrupt: Option<Interrupt<'a>>,
}

impl Future for Fence<'_, '_> {
    type Output = Ended;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        if let Some(way) = self.way {
            way.pass_word_on();
        }
        let Some(call) = &mut self.call else {
            return Poll::Pending;
        };
        let polled = catch_unwind(AssertUnwindSafe(|| call.as_mut().poll(cx)));
        match polled {
            Ok(Poll::Pending) => self.cut(cx).map(|cut| {
                self.leave();
                Err(Broken::Cut(cut))
            }),
            Ok(Poll::Ready(result)) => Poll::Ready(match self.drop_call() {
                None => Ok(result),
                Some(panic) => {
                    quietly(|| drop(result));
                    Err(Broken::Panicked(panic))
                }
            }),
            Err(payload) => {
                if let Some(second) = self.drop_call() {
                    second.discard();
                }
                Poll::Ready(Err(Broken::Panicked(Panic(payload))))
            }
        }
    }
}

impl Fence<'_, '_> {
    /// Why the function must be left, where it must.
    fn cut(&mut self, cx: &mut Context<'_>) -> Poll<Cut> {
        let Some(way) = self.way.filter(|way| way.is_entered()) else { return Poll::Pending };
        time::interrupted(&mut self.interrupt, way, Time::Tools, cx)
    }

    fn drop_call(&mut self) -> Option<Panic> {
        let call = self.call.take();
        catch_unwind(AssertUnwindSafe(|| drop(call))).err().map(Panic)
    }

    /// Drops a call that is not over, and tells what goes on without it.
    fn leave(&mut self) {
        if let Some(way) = self.way
            && self.call.is_some()
        {
            way.context.cancellation().cancel();
        }
        if let Some(panic) = self.drop_call() {
            tracing::error!(panic = panic.text(), "a tool panicked while its call was dropped");
            panic.discard();
        }
    }
}

impl Drop for Fence<'_, '_> {
    fn drop(&mut self) {
        self.leave();
    }
}

/// Turns what came of a call into what the model reads; all other text goes to the host's log only.
#[inline]
pub(super) fn settle(
    tool: &Tool,
    limits: &Limits,
    ended: Ended,
    entered: bool,
) -> Result<Outcome, Abort> {
    let most = most_bytes(tool, limits);
    match ended {
        Ok(Ok(output)) => Ok(output.told().within(most)),
        Ok(Err(stopped)) => settle_stopped(tool, Ok(stopped), most, entered),
        Err(broken) => settle_stopped(tool, Err(broken), most, entered),
    }
}

#[cold]
fn settle_stopped(
    tool: &Tool,
    ended: Result<Stopped, Broken>,
    most: usize,
    entered: bool,
) -> Result<Outcome, Abort> {
    let stopped = match ended {
        Ok(stopped) => stopped,
        Err(Broken::Cut(cut)) => return time::broken_off(tool, cut),
        Err(Broken::Panicked(panic)) => {
            let id = error_id();
            tracing::error!(
                tool = tool.name,
                error_id = id,
                panic = panic.text(),
                "a tool panicked"
            );
            panic.discard();
            return Ok(internal(tool, id, entered));
        }
    };
    match stopped {
        Stopped::Refused(outcome) => Ok(*outcome),
        Stopped::Failed(Failure(Cause::Tool(error))) => {
            Ok(Outcome::tool_error(&error, entered).within(most))
        }
        Stopped::Failed(Failure(Cause::Fatal(error))) => {
            Err(Abort::Fatal { tool: tool.name.clone(), error, executed: entered })
        }
        Stopped::Failed(Failure(Cause::Config(error))) => {
            Err(Abort::Config(if error.tool().is_none() {
                error.of_tool(&tool.name)
            } else {
                error
            }))
        }
        Stopped::Failed(Failure(Cause::Internal(error))) => {
            let id = error_id();
            let error = told(error);
            tracing::error!(tool = tool.name, error_id = id, error, "a tool failed internally");
            Ok(internal(tool, id, entered))
        }
        Stopped::Untellable(error) => {
            let id = error_id();
            let error = told(error);
            tracing::error!(
                tool = tool.name,
                error_id = id,
                error,
                "a result can not be serialised"
            );
            Ok(Outcome::untellable(&tool.name, id))
        }
    }
}

/// What the model reads of a tool's own failure, which tells nothing of what happened.
fn internal(tool: &Tool, error_id: String, entered: bool) -> Outcome {
    let outcome = Outcome::internal(&tool.name, error_id, entered);
    if entered { time::doubted(tool, outcome) } else { outcome }
}

/// The longest result that is told of a tool.
pub(super) fn most_bytes(tool: &Tool, limits: &Limits) -> usize {
    tool.policy.result_limit.unwrap_or(limits.result_bytes)
}

/// The text of an error, which is the tool's own code and may panic, and the error's end.
fn told(error: BoxError) -> String {
    let text = catch_unwind(AssertUnwindSafe(|| chain(&*error)));
    quietly(|| drop(error));
    text.unwrap_or_else(|payload| {
        let panic = Panic(payload);
        let text = format!("the error panicked when it was written: {}", panic.text());
        panic.discard();
        text
    })
}

/// An error and what caused it, in one line; a chain may be a circle.
fn chain(error: &(dyn Error + Send + Sync)) -> String {
    const MOST: usize = 16;
    let mut text = error.to_string();
    let mut source = error.source();
    for _ in 0..MOST {
        let Some(cause) = source else { break };
        text.extend([": ", &cause.to_string()]);
        source = cause.source();
    }
    text
}

/// A name for one internal error, to find it in the log by.
pub(crate) fn error_id() -> String {
    static KEY: LazyLock<RandomState> = LazyLock::new(RandomState::new);
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let mut hasher = KEY.build_hasher();
    hasher.write_u64(COUNT.fetch_add(1, Ordering::Relaxed));
    format!("{:016x}", hasher.finish())
}
