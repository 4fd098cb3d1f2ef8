//! Work that is done on the host's tokio, and asked for from anywhere.

use std::time::Duration;

use tokio::runtime::Handle;
use toolkit_core::ledger::LedgerError;

/// How long an answer is waited for, where the host says nothing else.
pub(super) const TIMEOUT: Duration = Duration::from_secs(10);

/// The runtime that a ledger is opened on.
pub(super) fn runtime() -> Result<Handle, LedgerError> {
    Handle::try_current().map_err(|error| {
        LedgerError::Unfit(format!("open it on a tokio runtime, which does its work: {error}"))
    })
}

/// Does something on the runtime; it goes on when nobody waits any more.
pub(super) async fn on<T: Send + 'static>(
    runtime: &Handle,
    timeout: Duration,
    work: impl Future<Output = Result<T, LedgerError>> + Send + 'static,
) -> Result<T, LedgerError> {
    let limited = async move { tokio::time::timeout(timeout, work).await };
    match runtime.spawn(limited).await {
        Ok(Ok(answer)) => answer,
        Ok(Err(_)) => Err(LedgerError::unavailable(format!("no answer within {timeout:?}"))),
        Err(error) => {
            Err(LedgerError::unavailable(format!("the runtime it was opened on: {error}")))
        }
    }
}
