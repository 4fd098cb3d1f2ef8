//! Rows in Redis, where it is set up to keep what it acknowledges.

mod fitness;
mod rows;
mod session;

use std::fmt;
use std::time::Duration;

use redis::Client;
use toolkit_core::BoxFuture;
use toolkit_core::ledger::{
    Durability, Filter, HistoryLine, Ledger, LedgerError, Loaded, Row, RowKey,
};

use super::remote::{self, Remote};
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
    remote: Remote<Server>,
    durability: Durability,
}

struct Server {
    client: Client,
    options: RedisBuilder,
}

impl remote::Server for Server {
    type Session = Session;

    /// Asks as well whether all that is there is safe.
    async fn connect(&self) -> Result<Session, LedgerError> {
        Session::begin(&self.client, &self.options).await
    }

    /// Redis's connection tells it to who asks, and not before.
    fn is_lost(_: &Session) -> bool {
        false
    }
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
        let client = Client::open(self.address.as_str()).map_err(|error| {
            LedgerError::Unfit(format!("the address is wrong: {}", error.category()))
        })?;
        let timeout = self.timeout;
        let remote = Remote::of(Server { client, options: self }, timeout)?;
        let durability = remote.ask(|session| async move { Ok(session.durability()) }).await?;
        Ok(RedisLedger { remote, durability })
    }
}

impl Ledger for RedisLedger {
    remote::rows!();

    fn durability(&self) -> Durability {
        self.durability.clone()
    }
}

impl fmt::Debug for RedisLedger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Server { client, options } = self.remote.server();
        let info = client.get_connection_info();
        f.debug_struct("RedisLedger")
            .field("server", &info.addr().to_string())
            .field("prefix", &options.prefix)
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
