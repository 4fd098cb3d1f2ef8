//! Gate 9: the function, behind the panic fence, and what came of it.

use std::any::Any;
use std::error::Error;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use crate::call::Outcome;
use crate::error::{Abort, BoxError, Cause, Failure};
use crate::output::Output;
use crate::tool::{BoxFuture, Passage, Running, Stopped, Tool};

pub(super) type Ended = Result<Result<Output, Stopped>, Panic>;

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
fn quietly(last: impl FnOnce()) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(last)) {
        tracing::error!("a value panicked when it was dropped");
        std::mem::forget(payload);
    }
}

/// Runs a call so that no panic of the tool's code leaves it, not even from a drop midway.
pub(super) async fn fenced(tool: &Tool, passage: Passage<'_>) -> Ended {
    match catch_unwind(AssertUnwindSafe(|| tool.run(passage))) {
        Ok(Running::Done(result)) => Ok(result),
        Ok(Running::Waits(call)) => Fence(Some(call)).await,
        Err(payload) => Err(Panic(payload)),
    }
}

struct Fence<'a>(Option<BoxFuture<'a, Result<Output, Stopped>>>);

impl Future for Fence<'_> {
    type Output = Ended;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(call) = &mut self.0 else {
            return Poll::Pending;
        };
        let polled = catch_unwind(AssertUnwindSafe(|| call.as_mut().poll(cx)));
        match polled {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(result)) => Poll::Ready(match self.drop_call() {
                None => Ok(result),
                Some(panic) => {
                    quietly(|| drop(result));
                    Err(panic)
                }
            }),
            Err(payload) => {
                if let Some(second) = self.drop_call() {
                    second.discard();
                }
                Poll::Ready(Err(Panic(payload)))
            }
        }
    }
}

impl Fence<'_> {
    fn drop_call(&mut self) -> Option<Panic> {
        let call = self.0.take();
        catch_unwind(AssertUnwindSafe(|| drop(call))).err().map(Panic)
    }
}

impl Drop for Fence<'_> {
    fn drop(&mut self) {
        if let Some(panic) = self.drop_call() {
            tracing::error!(panic = panic.text(), "a tool panicked while its call was dropped");
            panic.discard();
        }
    }
}

/// Turns what came of a call into what the model reads; all other text goes to the host's log only.
#[inline]
pub(super) fn settle(tool: &Tool, ended: Ended, entered: bool) -> Result<Outcome, Abort> {
    match ended {
        Ok(Ok(output)) => Ok(Outcome::ok(output.text, output.is_json)),
        Ok(Err(stopped)) => settle_stopped(tool, Ok(stopped), entered),
        Err(panic) => settle_stopped(tool, Err(panic), entered),
    }
}

#[cold]
fn settle_stopped(
    tool: &Tool,
    ended: Result<Stopped, Panic>,
    entered: bool,
) -> Result<Outcome, Abort> {
    let stopped = match ended {
        Ok(stopped) => stopped,
        Err(panic) => {
            let id = error_id();
            tracing::error!(
                tool = tool.name,
                error_id = id,
                panic = panic.text(),
                "a tool panicked"
            );
            panic.discard();
            return Ok(Outcome::internal(&tool.name, id, entered));
        }
    };
    match stopped {
        Stopped::Refused(outcome) => Ok(*outcome),
        Stopped::Failed(Failure(Cause::Tool(error))) => Ok(Outcome::tool_error(&error)),
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
            Ok(Outcome::internal(&tool.name, id, entered))
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
