//! Rows in Postgres, for the processes of many machines.

mod session;
mod tables;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio_postgres::tls::{MakeTlsConnect, NoTls, TlsConnect};
use tokio_postgres::{Config, Socket};
use toolkit_core::BoxFuture;
use toolkit_core::ledger::{
    Durability, Filter, HistoryLine, Ledger, LedgerError, Loaded, Row, RowKey,
};

use super::remote::{self, Remote};
use session::{Connector, Session};

/// A ledger in Postgres, for the processes of many machines; needs the feature `postgres`.
///
/// Its two tables are created where they are missing, in a schema of their own. It holds one
/// connection, connects again when that is lost, and is refused where the server would not
/// keep what it acknowledged. Between it and the server there may be no pool that takes the
/// connection away after each transaction.
///
/// It is opened on a tokio runtime with time and network, which does its work; asked it may
/// be from any executor, but not by blocking the only thread of that runtime.
///
/// ```no_run
/// use toolkit::ledger::{Durability, Ledger, PostgresLedger};
///
/// # async fn shown() -> Result<(), toolkit::ledger::LedgerError> {
/// let ledger = PostgresLedger::connect("postgres://agents@db.internal/agents").await?;
/// assert_eq!(ledger.durability(), Durability::Durable);
/// # Ok(())
/// # }
/// ```
pub struct PostgresLedger {
    remote: Remote<Server>,
}

struct Server {
    config: Config,
    connector: Connector,
    schema: String,
}

impl remote::Server for Server {
    type Session = Arc<Session>;

    async fn connect(&self) -> Result<Arc<Session>, LedgerError> {
        let client = (self.connector)(self.config.clone()).await;
        let client = client.map_err(|error| session::failed(&error))?;
        Ok(Arc::new(Session::begin(client, &self.schema).await?))
    }

    fn is_lost(session: &Arc<Session>) -> bool {
        session.is_closed()
    }
}

impl PostgresLedger {
    /// Connects without TLS to what a connection string names, in the schema `toolkit`.
    ///
    /// ```no_run
    /// # async fn shown() -> Result<(), toolkit::ledger::LedgerError> {
    /// use toolkit::ledger::PostgresLedger;
    ///
    /// let ledger = PostgresLedger::connect("host=/run/postgresql user=agents").await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`PostgresBuilder::connect`].
    pub async fn connect(config: &str) -> Result<Self, LedgerError> {
        Self::builder(config).connect().await
    }

    /// Connects as more than a connection string says.
    ///
    /// ```
    /// use std::time::Duration;
    /// use toolkit::ledger::PostgresLedger;
    ///
    /// let builder = PostgresLedger::builder("postgres://agents:secret@db.internal/agents")
    ///     .schema("support")
    ///     .timeout(Duration::from_secs(3));
    /// assert!(!format!("{builder:?}").contains("secret"));
    /// ```
    #[must_use]
    pub fn builder(config: &str) -> PostgresBuilder {
        PostgresBuilder {
            config: config.to_owned(),
            schema: "toolkit".to_owned(),
            timeout: remote::TIMEOUT,
        }
    }
}

/// How a [`PostgresLedger`] is connected.
///
/// ```no_run
/// # async fn shown() -> Result<(), toolkit::ledger::LedgerError> {
/// use toolkit::ledger::{PostgresBuilder, PostgresLedger};
///
/// let builder: PostgresBuilder = PostgresLedger::builder("postgres://agents@db.internal/agents");
/// let ledger = builder.schema("support").connect().await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct PostgresBuilder {
    config: String,
    schema: String,
    timeout: Duration,
}

impl PostgresBuilder {
    /// The schema of its tables; without it, `toolkit`.
    ///
    /// ```
    /// use toolkit::ledger::PostgresLedger;
    ///
    /// let builder = PostgresLedger::builder("postgres://localhost/agents").schema("support");
    /// ```
    #[must_use]
    pub fn schema(mut self, schema: impl Into<String>) -> Self {
        self.schema = schema.into();
        self
    }

    /// How long an answer is waited for; without it, 10 seconds.
    ///
    /// ```
    /// use std::time::Duration;
    /// use toolkit::ledger::PostgresLedger;
    ///
    /// let builder = PostgresLedger::builder("postgres://localhost/agents");
    /// let impatient = builder.timeout(Duration::from_secs(1));
    /// ```
    #[must_use]
    pub const fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Connects without TLS, checks the server and creates the tables where they are missing.
    ///
    /// ```no_run
    /// # async fn shown() -> Result<(), toolkit::ledger::LedgerError> {
    /// use toolkit::ledger::PostgresLedger;
    ///
    /// let ledger = PostgresLedger::builder("postgres://localhost/agents").connect().await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`LedgerError::Unavailable`] where there is no connection, [`LedgerError::Unfit`] for a
    /// server that may lose what it acknowledged, [`LedgerError::Newer`] for tables of a later
    /// version and [`LedgerError::Corrupt`] for such as no version creates.
    pub async fn connect(self) -> Result<PostgresLedger, LedgerError> {
        self.connect_with(NoTls).await
    }

    /// The same by TLS, as a connector of the crates `postgres-native-tls` and the like makes it.
    ///
    /// ```no_run
    /// # async fn shown() -> Result<(), toolkit::ledger::LedgerError> {
    /// use tokio_postgres::NoTls;
    /// use toolkit::ledger::PostgresLedger;
    ///
    /// let builder = PostgresLedger::builder("postgres://db.internal/agents?sslmode=prefer");
    /// let ledger = builder.connect_with(NoTls).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Self::connect`].
    pub async fn connect_with<T>(self, tls: T) -> Result<PostgresLedger, LedgerError>
    where
        T: MakeTlsConnect<Socket> + Clone + Send + Sync + 'static,
        T::Stream: Send,
        T::TlsConnect: Send,
        <T::TlsConnect as TlsConnect<Socket>>::Future: Send,
    {
        let mut config: Config = self.config.parse().map_err(|error| {
            LedgerError::Unfit(format!("the connection string is wrong: {error}"))
        })?;
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(self.timeout);
        }
        if config.get_application_name().is_none() {
            config.application_name("toolkit");
        }
        let connector: Connector = Box::new(move |config| {
            let tls = tls.clone();
            Box::pin(async move {
                let (client, connection) = config.connect(tls).await?;
                // It ends with the client; what ended it is told to who asks next.
                tokio::spawn(connection);
                Ok(client)
            })
        });
        let server = Server { config, connector, schema: self.schema };
        let ledger = PostgresLedger { remote: Remote::of(server, self.timeout)? };
        ledger.remote.ask(|_| async { Ok(()) }).await?;
        Ok(ledger)
    }
}

impl Ledger for PostgresLedger {
    remote::rows!();

    fn durability(&self) -> Durability {
        Durability::Durable
    }
}

impl fmt::Debug for PostgresLedger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The configuration shows no password.
        let Server { config, schema, .. } = self.remote.server();
        let shown = (config.get_hosts(), config.get_ports(), config.get_dbname());
        f.debug_struct("PostgresLedger")
            .field("server", &shown)
            .field("schema", schema)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for PostgresBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The connection string may hold a password.
        f.debug_struct("PostgresBuilder")
            .field("schema", &self.schema)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}
