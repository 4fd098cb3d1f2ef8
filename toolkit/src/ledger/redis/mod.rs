//! Rows in Redis, where it is set up to keep what it acknowledges.

mod fitness;
mod rows;
mod session;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use redis::Client;
use tokio::runtime::Handle;
use tokio::sync::Mutex;
use toolkit_core::BoxFuture;
use toolkit_core::ledger::{
    Durability, Filter, HistoryLine, Ledger, LedgerError, Loaded, Row, RowKey,
};

use super::remote;
use session::Session;

/// A ledger in Redis; needs the feature `redis`.
///
/// As it comes, Redis loses what it acknowledged: it is refused unless it writes every change
/// to a file and syncs that before it answers, never drops keys to gain memory, and has no
/// replica that could take over without the newest rows. What is not fit, the host may accept
/// with [`RedisBuilder::accept_lossy_redis`].
///
/// It talks to one server, or to one node of a cluster that has all of its keys, by one
/// connection, and connects again when that is lost. It is opened on a tokio runtime with time
/// and network, which does its work; asked it may be from any executor, but not by blocking
/// the only thread of that runtime.
///
/// ```no_run
/// use toolkit::ledger::{Durability, Ledger, RedisLedger};
///
/// # async fn shown() -> Result<(), toolkit::ledger::LedgerError> {
/// let ledger = RedisLedger::open("redis://cache.internal/").await?;
/// assert_eq!(ledger.durability(), Durability::Durable);
/// # Ok(())
/// # }
/// ```
pub struct RedisLedger {
    shared: Arc<Shared>,
    runtime: Handle,
    durability: Durability,
}

struct Shared {
    client: Client,
    options: RedisBuilder,
    session: Mutex<Option<Session>>,
}

impl RedisLedger {
    /// Opens what an address names, like `redis://user:password@host:6379/0`.
    ///
    /// ```no_run
    /// # async fn shown() -> Result<(), toolkit::ledger::LedgerError> {
    /// use toolkit::ledger::RedisLedger;
    ///
    /// let ledger = RedisLedger::open("redis://cache.internal/").await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`RedisBuilder::open`].
    pub async fn open(address: &str) -> Result<Self, LedgerError> {
        Self::builder(address).open().await
    }

    /// Opens it in another way than an address says.
    ///
    /// ```
    /// use std::time::Duration;
    /// use toolkit::ledger::RedisLedger;
    ///
    /// let builder = RedisLedger::builder("redis://:secret@cache.internal/")
    ///     .prefix("support")
    ///     .replicas(1)
    ///     .timeout(Duration::from_secs(3));
    /// assert!(!format!("{builder:?}").contains("secret"));
    /// ```
    #[must_use]
    pub fn builder(address: &str) -> RedisBuilder {
        RedisBuilder {
            address: address.to_owned(),
            prefix: "toolkit".to_owned(),
            replicas: 0,
            timeout: remote::TIMEOUT,
            lossy: None,
        }
    }

    fn ask<T: Send + 'static, F>(
        &self,
        what: impl FnOnce(Session) -> F + Send + 'static,
    ) -> BoxFuture<'_, Result<T, LedgerError>>
    where
        F: Future<Output = Result<T, LedgerError>> + Send + 'static,
    {
        let shared = Arc::clone(&self.shared);
        let timeout = shared.options.timeout;
        let work = async move {
            let session = shared.session().await?;
            what(session).await
        };
        Box::pin(async move {
            let answer = remote::on(&self.runtime, timeout, work).await;
            if matches!(answer, Err(LedgerError::Unavailable(_))) {
                // The next one connects anew, and asks whether all that is there is safe.
                *self.shared.session.lock().await = None;
            }
            answer
        })
    }
}

impl Shared {
    /// The connection, made anew where it was lost.
    async fn session(&self) -> Result<Session, LedgerError> {
        let mut kept = self.session.lock().await;
        if let Some(session) = &*kept {
            return Ok(session.clone());
        }
        let session = Session::begin(&self.client, &self.options).await?;
        *kept = Some(session.clone());
        drop(kept);
        Ok(session)
    }
}

/// How a [`RedisLedger`] is opened.
///
/// ```no_run
/// # async fn shown() -> Result<(), toolkit::ledger::LedgerError> {
/// use toolkit::ledger::{RedisBuilder, RedisLedger};
///
/// let builder: RedisBuilder = RedisLedger::builder("redis://cache.internal/");
/// let ledger = builder.prefix("support").open().await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct RedisBuilder {
    address: String,
    prefix: String,
    replicas: u32,
    timeout: Duration,
    lossy: Option<String>,
}

impl RedisBuilder {
    /// What its keys begin with, in braces, so that a cluster keeps them on one node; without
    /// it, `toolkit`.
    ///
    /// ```
    /// use toolkit::ledger::RedisLedger;
    ///
    /// let builder = RedisLedger::builder("redis://localhost/").prefix("support");
    /// ```
    #[must_use]
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = prefix.into();
        self
    }

    /// How many replicas must have a change before it counts as written; without it, none.
    ///
    /// Where fewer answer in time, the write is unknown, and nothing is run because of it.
    ///
    /// ```
    /// use toolkit::ledger::RedisLedger;
    ///
    /// let builder = RedisLedger::builder("redis://localhost/").replicas(1);
    /// ```
    #[must_use]
    pub const fn replicas(mut self, replicas: u32) -> Self {
        self.replicas = replicas;
        self
    }

    /// How long an answer is waited for; without it, 10 seconds.
    ///
    /// ```
    /// use std::time::Duration;
    /// use toolkit::ledger::RedisLedger;
    ///
    /// let builder = RedisLedger::builder("redis://localhost/");
    /// let impatient = builder.timeout(Duration::from_secs(1));
    /// ```
    #[must_use]
    pub const fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Takes a server that may lose what it acknowledged, for a reason that is shown.
    ///
    /// A claim that is lost is claimed again: what it did is done twice.
    ///
    /// ```
    /// use toolkit::ledger::RedisLedger;
    ///
    /// let builder = RedisLedger::builder("redis://localhost/")
    ///     .accept_lossy_redis("a second reminder does no harm");
    /// ```
    #[must_use]
    pub fn accept_lossy_redis(mut self, why: impl Into<String>) -> Self {
        self.lossy = Some(why.into());
        self
    }

    /// Connects and checks the server.
    ///
    /// ```no_run
    /// # async fn shown() -> Result<(), toolkit::ledger::LedgerError> {
    /// use toolkit::ledger::RedisLedger;
    ///
    /// let ledger = RedisLedger::builder("redis://localhost/").open().await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`LedgerError::Unavailable`] where there is no connection, [`LedgerError::Newer`] for keys
    /// of a later version, and [`LedgerError::Unfit`] for a server that may lose what it
    /// acknowledged, with the setting and how to change it, unless that was accepted.
    pub async fn open(self) -> Result<RedisLedger, LedgerError> {
        let runtime = remote::runtime()?;
        let client = Client::open(self.address.as_str()).map_err(|error| {
            LedgerError::Unfit(format!("the address is wrong: {}", error.category()))
        })?;
        let shared = Arc::new(Shared { client, options: self, session: Mutex::new(None) });
        let durability = Durability::Durable;
        let mut ledger = RedisLedger { shared, runtime, durability };
        ledger.durability = ledger.ask(|session| async move { Ok(session.durability()) }).await?;
        Ok(ledger)
    }
}

impl Ledger for RedisLedger {
    fn load<'a>(&'a self, key: &'a RowKey) -> BoxFuture<'a, Result<Loaded, LedgerError>> {
        let key = *key;
        self.ask(move |session| async move { session.load(&key).await })
    }

    fn load_parked<'a>(
        &'a self,
        approval_id: &'a str,
    ) -> BoxFuture<'a, Result<Loaded, LedgerError>> {
        let approval_id = approval_id.to_owned();
        self.ask(move |session| async move { session.load_parked(&approval_id).await })
    }

    fn create<'a>(
        &'a self,
        row: &'a Row,
        line: &'a HistoryLine,
    ) -> BoxFuture<'a, Result<bool, LedgerError>> {
        let (row, line) = (row.clone(), line.clone());
        self.ask(move |session| async move { session.write(&row, &line, None).await })
    }

    fn swap<'a>(
        &'a self,
        row: &'a Row,
        line: &'a HistoryLine,
    ) -> BoxFuture<'a, Result<bool, LedgerError>> {
        let (row, line) = (row.clone(), line.clone());
        self.ask(move |session| async move {
            let Some(before) = row.version.checked_sub(1) else { return Ok(false) };
            session.write(&row, &line, Some(before)).await
        })
    }

    fn remove<'a>(
        &'a self,
        key: &'a RowKey,
        version: u64,
    ) -> BoxFuture<'a, Result<bool, LedgerError>> {
        let key = *key;
        self.ask(move |session| async move { session.remove(&key, version).await })
    }

    fn list<'a>(&'a self, filter: &'a Filter) -> BoxFuture<'a, Result<Vec<Row>, LedgerError>> {
        let filter = filter.clone();
        self.ask(move |session| async move { session.list(&filter).await })
    }

    fn history<'a>(
        &'a self,
        key: &'a RowKey,
    ) -> BoxFuture<'a, Result<Vec<HistoryLine>, LedgerError>> {
        let key = *key;
        self.ask(move |session| async move { session.history(&key).await })
    }

    fn durability(&self) -> Durability {
        self.durability.clone()
    }
}

impl fmt::Debug for RedisLedger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let info = self.shared.client.get_connection_info();
        f.debug_struct("RedisLedger")
            .field("server", &info.addr().to_string())
            .field("prefix", &self.shared.options.prefix)
            .field("durability", &self.durability)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for RedisBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The address may hold a password.
        f.debug_struct("RedisBuilder")
            .field("prefix", &self.prefix)
            .field("replicas", &self.replicas)
            .field("timeout", &self.timeout)
            .field("lossy", &self.lossy)
            .finish_non_exhaustive()
    }
}
