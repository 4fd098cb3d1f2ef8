//! A server whose connection is kept, and asked from anywhere: the host's tokio does the work.

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::Mutex;
use toolkit_core::BoxFuture;
use toolkit_core::ledger::LedgerError;

/// How long an answer is waited for, where the host says nothing else.
pub(super) const TIMEOUT: Duration = Duration::from_secs(10);

/// What connections are made to.
pub(super) trait Server: Send + Sync + 'static {
    /// A connection.
    type Session: Clone + Send + Sync + 'static;

    /// Connects, and checks what is there.
    fn connect(&self) -> impl Future<Output = Result<Self::Session, LedgerError>> + Send;

    /// Whether it is known already that a connection was lost.
    fn is_lost(session: &Self::Session) -> bool;
}

/// A server, and the connection to it.
pub(super) struct Remote<S: Server> {
    shared: Arc<Shared<S>>,
    runtime: Handle,
    timeout: Duration,
}

struct Shared<S: Server> {
    server: S,
    session: Mutex<Option<S::Session>>,
}

impl<S: Server> Remote<S> {
    /// A server that is not connected to yet; the runtime that this is called on does the work.
    pub(super) fn of(server: S, timeout: Duration) -> Result<Self, LedgerError> {
        let runtime = Handle::try_current().map_err(|error| {
            LedgerError::Unfit(format!("open it on a tokio runtime, which does its work: {error}"))
        })?;
        let shared = Arc::new(Shared { server, session: Mutex::new(None) });
        Ok(Self { shared, runtime, timeout })
    }

    pub(super) fn server(&self) -> &S {
        &self.shared.server
    }

    /// Does something with the connection; it goes on when nobody waits any more.
    pub(super) fn ask<T: Send + 'static, F>(
        &self,
        what: impl FnOnce(S::Session) -> F + Send + 'static,
    ) -> BoxFuture<'_, Result<T, LedgerError>>
    where
        F: Future<Output = Result<T, LedgerError>> + Send + 'static,
    {
        let (shared, timeout) = (Arc::clone(&self.shared), self.timeout);
        let work = async move {
            let session = shared.session().await?;
            what(session).await
        };
        let limited = async move { tokio::time::timeout(timeout, work).await };
        Box::pin(async move {
            let answer = match self.runtime.spawn(limited).await {
                Ok(Ok(answer)) => answer,
                Ok(Err(_)) => {
                    Err(LedgerError::unavailable(format!("no answer within {timeout:?}")))
                }
                Err(error) => {
                    Err(LedgerError::unavailable(format!("the runtime it was opened on: {error}")))
                }
            };
            if matches!(answer, Err(LedgerError::Unavailable(_))) {
                // What it still does is not waited for; the next one connects anew.
                *self.shared.session.lock().await = None;
            }
            answer
        })
    }
}

impl<S: Server> Shared<S> {
    /// The connection, made anew where it was lost.
    async fn session(&self) -> Result<S::Session, LedgerError> {
        let mut kept = self.session.lock().await;
        if let Some(session) = kept.as_ref().filter(|session| !S::is_lost(session)) {
            return Ok(session.clone());
        }
        let session = self.server.connect().await?;
        *kept = Some(session.clone());
        drop(kept);
        Ok(session)
    }
}

/// The operations of a ledger that has a `remote`, by those of its session.
macro_rules! rows {
    () => {
        fn load<'a>(&'a self, key: &'a RowKey) -> BoxFuture<'a, Result<Loaded, LedgerError>> {
            let key = *key;
            self.remote.ask(move |session| async move { session.load(&key).await })
        }

        fn load_parked<'a>(
            &'a self,
            approval_id: &'a str,
        ) -> BoxFuture<'a, Result<Loaded, LedgerError>> {
            let approval_id = approval_id.to_owned();
            self.remote.ask(move |session| async move { session.load_parked(&approval_id).await })
        }

        fn create<'a>(
            &'a self,
            row: &'a Row,
            line: &'a HistoryLine,
        ) -> BoxFuture<'a, Result<bool, LedgerError>> {
            let (row, line) = (row.clone(), line.clone());
            self.remote.ask(move |session| async move { session.create(&row, &line).await })
        }

        fn swap<'a>(
            &'a self,
            row: &'a Row,
            line: &'a HistoryLine,
        ) -> BoxFuture<'a, Result<bool, LedgerError>> {
            let (row, line) = (row.clone(), line.clone());
            self.remote.ask(move |session| async move { session.swap(&row, &line).await })
        }

        fn remove<'a>(
            &'a self,
            key: &'a RowKey,
            version: u64,
        ) -> BoxFuture<'a, Result<bool, LedgerError>> {
            let key = *key;
            self.remote.ask(move |session| async move { session.remove(&key, version).await })
        }

        fn list<'a>(&'a self, filter: &'a Filter) -> BoxFuture<'a, Result<Vec<Row>, LedgerError>> {
            let filter = filter.clone();
            self.remote.ask(move |session| async move { session.list(&filter).await })
        }

        fn history<'a>(
            &'a self,
            key: &'a RowKey,
        ) -> BoxFuture<'a, Result<Vec<HistoryLine>, LedgerError>> {
            let key = *key;
            self.remote.ask(move |session| async move { session.history(&key).await })
        }
    };
}
pub(super) use rows;
