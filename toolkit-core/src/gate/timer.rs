//! Where time comes from while a function runs.

use std::time::Duration;

use futures_timer::Delay;

use crate::tool::BoxFuture;

/// Wakes after some time; `tokio::time::sleep` is one, and so is any function like it.
///
/// A registry with one bounds the time that a tool takes, 30 s where nobody says otherwise, and
/// keeps its claim on a call for as long as the function runs. Without one, a function may take
/// for ever, and one that takes longer than the ledger's lease is in doubt to others until it
/// returns.
///
/// A host without an executor that has a timer takes a [`ThreadTimer`].
///
/// ```
/// use std::time::Duration;
/// use toolkit::ledger::MemoryLedger;
/// use toolkit::prelude::*;
///
/// /// Refunds an order.
/// #[tool(effect = "write")]
/// async fn refund(order_id: &str) {
///     tokio::time::sleep(Duration::from_millis(1)).await;
/// }
///
/// # let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
/// let registry = Registry::builder()
///     .tools(tools![refund])
///     .ledger(MemoryLedger::new())
///     .timer(tokio::time::sleep)
///     .build()?;
/// let call = ToolCall::new("call_1", "refund", r#"{"order_id": "O-1"}"#);
/// let view = registry.view(Caller::new("ann"));
/// let outcome = runtime.block_on(view.dispatch(call, Options::default()))?;
/// assert_eq!(outcome.status(), Status::Ok);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` can not wake anybody",
    label = "is no timer",
    note = "give a function from a `Duration` to a future, like `tokio::time::sleep`"
)]
pub trait Timer: Send + Sync + 'static {
    /// Is done when so much time has gone by.
    fn sleep(&self, time: Duration) -> BoxFuture<'static, ()>;
}

#[diagnostic::do_not_recommend]
impl<F, S> Timer for F
where
    F: Fn(Duration) -> S + Send + Sync + 'static,
    S: Future<Output = ()> + Send + 'static,
{
    fn sleep(&self, time: Duration) -> BoxFuture<'static, ()> {
        Box::pin(self(time))
    }
}

/// A timer for hosts without an async runtime: one thread of the process wakes everybody.
///
/// ```
/// use std::future::pending;
/// use std::time::Duration;
/// use toolkit::ThreadTimer;
/// use toolkit::prelude::*;
///
/// /// Waits for a letter.
/// #[tool(effect = "read", timeout = "50ms")]
/// async fn wait() {
///     pending().await
/// }
///
/// let registry = Registry::builder().tools(tools![wait]).timer(ThreadTimer).build()?;
/// let view = registry.view(Caller::new("ann"));
/// let outcome = view.dispatch_blocking(ToolCall::new("call_1", "wait", "{}"), Options::default())?;
/// assert_eq!(outcome.text(), "wait did not answer within 50ms");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct ThreadTimer;

impl Timer for ThreadTimer {
    fn sleep(&self, time: Duration) -> BoxFuture<'static, ()> {
        Box::pin(Delay::new(time))
    }
}
