//! A host that runs tokio: its timer, and its threads for what blocks.

use std::time::Duration;

use tokio::runtime::Handle;

use crate::{BoxFuture, Threads, Timer};

/// Timer and threads of the tokio runtime in which calls are dispatched; needs the feature `tokio`.
///
/// ```
/// use toolkit::Tokio;
/// use toolkit::prelude::*;
///
/// /// Sums up a file.
/// #[tool(effect = "read", blocking, timeout = "10s")]
/// fn sum(path: &str) -> usize {
///     path.len()
/// }
///
/// # let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
/// let registry = Registry::builder().tools(tools![sum]).timer(Tokio).threads(Tokio).build()?;
/// let view = registry.view(Caller::new("ann"));
/// let call = ToolCall::new("call_1", "sum", r#"{"path": "a.csv"}"#);
/// let outcome = runtime.block_on(view.dispatch(call, Options::default()))?;
/// assert_eq!(outcome.text(), "5");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Tokio;

impl Timer for Tokio {
    fn sleep(&self, time: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(time))
    }
}

impl Threads for Tokio {
    fn start(&self, work: Box<dyn FnOnce() + Send>) {
        match Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(work)),
            // Dropped without being run, which the call is told as the mistake that it is.
            Err(_) => drop(work),
        }
    }
}
