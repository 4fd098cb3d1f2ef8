//! A registry as an MCP server: what a host says of it, and over what it is served.

mod approval;
mod door;
mod guests;
mod handler;
mod live;
mod progress;
mod serving;
mod together;

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::combinators::BoxBody;
use hyper::body::Bytes;
use toolkit_core::{BoxFuture, Caller, ToolConfigErrors};

use door::Entrance;
pub use door::McpService;
pub use live::Live;

use crate::dialect::Mcp;

/// More calls than a process can hold; a semaphore has a limit of its own.
const MOST_AT_ONCE: usize = 1 << 20;

type Authenticate = dyn Fn(String) -> BoxFuture<'static, Option<Caller>> + Send + Sync;

/// Starts to serve a registry to MCP clients.
///
/// A call that needs a person's approval waits at the [`Desk`](crate::ledger::Desk), and the
/// client reads its id. Only where the host granted the caller the scope `approvals:decide` is
/// the client's user asked instead ([`Server::without_elicitation`]).
///
/// ```no_run
/// use toolkit::prelude::*;
///
/// /// Adds two numbers.
/// #[tool]
/// fn add(a: i64, b: i64) -> i64 {
///     a + b
/// }
///
/// #[tokio::main(flavor = "current_thread")]
/// async fn main() -> Result<(), Box<dyn std::error::Error>> {
///     let registry = Registry::builder().tools(tools![add]).build()?;
///     toolkit::mcp::serve(registry).stdio().await?;
///     Ok(())
/// }
/// ```
#[must_use]
pub fn serve(registry: impl Into<Live>) -> Server {
    Server {
        live: registry.into(),
        caller: Caller::new("mcp"),
        authenticate: None,
        is_open: false,
        entrance: Entrance::default(),
        name: ("toolkit".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
        instructions: None,
        dialect: Mcp,
        scoped: None,
        page: 100,
        run_id: None,
        asks_users: true,
        answer_within: Duration::from_secs(120),
        at_once: 64,
    }
}

/// A registry as an MCP server, until it is served.
///
/// Revisions 2024-11-05 to 2026-07-28 are spoken, whichever the client asks for. Each request
/// meets the gates by a view of its own caller: what that one may not see is neither listed nor
/// called, and reads like a tool that is not there.
///
/// Calls are of one run unless [`run_id`](Self::run_id) names others, so that an effectful call
/// that a client sends again, also over another connection, is a duplicate. What was read taints
/// more narrowly: the session, over pipes all of it, and of clients without sessions everything
/// that their principal does ([`forgets_after`](Self::forgets_after)).
pub struct Server {
    live: Live,
    caller: Caller,
    authenticate: Option<Arc<Authenticate>>,
    is_open: bool,
    entrance: Entrance,
    name: (String, String),
    instructions: Option<String>,
    dialect: Mcp,
    scoped: Option<Vec<String>>,
    page: usize,
    run_id: Option<String>,
    asks_users: bool,
    answer_within: Duration,
    at_once: usize,
}

/// Why a registry is not served, or not any longer.
///
/// ```
/// use toolkit::mcp::ServeError;
/// use toolkit::prelude::*;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let registry = Registry::builder().build()?;
/// let refused = toolkit::mcp::serve(registry).http("0.0.0.0:0".parse()?).await.unwrap_err();
/// assert!(matches!(refused, ServeError::Open { .. }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// A tool has no form in MCP.
    #[error(transparent)]
    Tools(#[from] ToolConfigErrors),
    /// Others can reach the address, and nobody asks who they are.
    #[error("others can reach {address}: say with `authenticated` who a token is of")]
    Open {
        /// The address.
        address: SocketAddr,
    },
    /// A router's address is not known here, and nobody asks who its clients are.
    #[error(
        "whoever reaches the service may call: say with `authenticated` who a token is of, or with \
         `unauthenticated` that they all are its one caller"
    )]
    Unasked,
    /// The other end is not an MCP client.
    #[error("no session came about: {why}")]
    NoSession {
        /// Why not.
        why: String,
    },
    /// A socket or a stream failed.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

impl Server {
    /// Says who calls where no token is asked for. Default the principal `mcp`, without scopes.
    #[must_use]
    pub fn caller(mut self, caller: Caller) -> Self {
        self.caller = caller;
        self
    }

    /// Says over HTTP who a bearer token is of; `None` turns the request away.
    ///
    /// It is asked for every request, before anything of its body is read. A session is of the
    /// principal that opened it, and nobody else's token opens it.
    ///
    /// ```
    /// use toolkit::prelude::*;
    ///
    /// let registry = Registry::builder().build()?;
    /// let server = toolkit::mcp::serve(registry).authenticated(|token| async move {
    ///     // Ask whoever gave the token out; compare in constant time.
    ///     (token == "secret").then(|| Caller::new("ann").scopes(["payments:write"]))
    /// });
    /// # drop(server);
    /// # Ok::<(), toolkit::ToolConfigErrors>(())
    /// ```
    #[must_use]
    pub fn authenticated<A, F>(mut self, who: A) -> Self
    where
        A: Fn(String) -> F + Send + Sync + 'static,
        F: Future<Output = Option<Caller>> + Send + 'static,
    {
        self.authenticate = Some(Arc::new(move |token| Box::pin(who(token))));
        self
    }

    /// Says that whoever reaches the server over HTTP is its one [`caller`](Self::caller), and
    /// that this is meant: another gate stands before it, or the network is its gate.
    ///
    /// Without it, and without [`authenticated`](Self::authenticated), only the machine itself is
    /// served.
    ///
    /// ```
    /// use toolkit::mcp::ServeError;
    /// use toolkit::prelude::*;
    ///
    /// let registry = Registry::builder().build()?;
    /// let refused = toolkit::mcp::serve(registry.clone()).service();
    /// assert!(matches!(refused, Err(ServeError::Unasked)));
    /// assert!(toolkit::mcp::serve(registry).unauthenticated().service().is_ok());
    /// # Ok::<(), toolkit::ToolConfigErrors>(())
    /// ```
    #[must_use]
    pub const fn unauthenticated(mut self) -> Self {
        self.is_open = true;
        self
    }

    /// Names the hosts that requests over HTTP may be for, besides the machine's own loopback.
    ///
    /// Anything else in `Host` is refused: a page in a browser can have a name of its own lead
    /// to a server on the same machine.
    #[must_use]
    pub fn hosts<I>(mut self, hosts: I) -> Self
    where
        I: IntoIterator,
        I::Item: Into<String>,
    {
        self.entrance.hosts.extend(hosts.into_iter().map(Into::into));
        self
    }

    /// Names the origins whose pages may ask over HTTP, like `https://desk.example:443`, besides
    /// those that the machine itself serves over `http`.
    ///
    /// A request that a page of any other origin makes is refused.
    #[must_use]
    pub fn origins<I>(mut self, origins: I) -> Self
    where
        I: IntoIterator,
        I::Item: Into<String>,
    {
        self.entrance.origins.extend(origins.into_iter().map(Into::into));
        self
    }

    /// Says how large a message may be, in bytes. Default 4 MiB.
    #[must_use]
    pub const fn message_bytes(mut self, most: usize) -> Self {
        self.entrance.message_bytes = most;
        self
    }

    /// Says how many sessions one principal may have open over HTTP. Default 1,000, of 10,000 that
    /// all may have together.
    ///
    /// One more is refused with 429, as is a request more than [`calls_each`](Self::calls_each).
    #[must_use]
    pub const fn sessions_each(mut self, most: usize) -> Self {
        self.entrance.bounds.sessions = most;
        self
    }

    /// Says how many requests of one principal may wait for their answers over HTTP. Default
    /// 1,000.
    #[must_use]
    pub const fn calls_each(mut self, most: usize) -> Self {
        self.entrance.bounds.calls = most;
        self
    }

    /// Says after how long a silence it is forgotten what a principal did without a session.
    /// Default 24 hours.
    ///
    /// That is whether it has read what strangers wrote, and what it did of what tools require.
    /// Clients have no sessions from revision 2026-07-28 on; and a session that was lost, rather
    /// than ended by its client, may go on as another one, so what it had read counts here, too,
    /// and each new session of the principal begins with it.
    #[must_use]
    pub const fn forgets_after(mut self, silence: Duration) -> Self {
        self.entrance.bounds.remembers = silence;
        self
    }

    /// Keeps only the named tools, as [`View::scoped`](crate::View::scoped) does.
    #[must_use]
    pub fn scoped<I>(mut self, names: I) -> Self
    where
        I: IntoIterator,
        I::Item: AsRef<str>,
    {
        self.scoped = Some(names.into_iter().map(|name| name.as_ref().to_owned()).collect());
        self
    }

    /// Gives the server a name and a version, for people.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>, version: impl Into<String>) -> Self {
        self.name = (name.into(), version.into());
        self
    }

    /// Tells clients how the tools are meant to be used; many give it to their model.
    #[must_use]
    pub fn instructions(mut self, text: impl Into<String>) -> Self {
        self.instructions = Some(text.into());
        self
    }

    /// Sends schemas as they are, as [`Mcp::exact`] says.
    #[must_use]
    pub const fn exact(mut self) -> Self {
        self.dialect = self.dialect.exact();
        self
    }

    /// Says how many tools one page of the list has. Default 100.
    #[must_use]
    pub const fn page(mut self, tools: usize) -> Self {
        self.page = if tools == 0 { 1 } else { tools };
        self
    }

    /// Names the run that all calls belong to, as [`Options::run_id`](crate::Options::run_id)
    /// says.
    #[must_use]
    pub fn run_id(mut self, run_id: impl Into<String>) -> Self {
        self.run_id = Some(run_id.into());
        self
    }

    /// Leaves calls that wait for a person to the [`Desk`](crate::ledger::Desk) alone.
    ///
    /// By default the client's user is asked, where the caller holds the scope
    /// `approvals:decide`, the client can ask and one person's word is enough: its principal is
    /// then who agreed, and by its own scopes only. Grant it only where a person sits at the
    /// client: whoever has the token of such a caller can answer in that person's place. What
    /// needs a quorum or four eyes always waits at the desk. Once people agreed there, the same
    /// call, made again, runs.
    #[must_use]
    pub const fn without_elicitation(mut self) -> Self {
        self.asks_users = false;
        self
    }

    /// Says how long the client's user may take to answer. Default two minutes.
    ///
    /// After that the call waits at the [`Desk`](crate::ledger::Desk), as if nobody was asked; one
    /// that was approved there meanwhile runs.
    #[must_use]
    pub const fn answer_within(mut self, longest: Duration) -> Self {
        self.answer_within = longest;
        self
    }

    /// Says how many calls run at the same time, of all clients together; others wait for their
    /// turn. Default 64; at least one, and at most 1,048,576.
    #[must_use]
    pub const fn at_once(mut self, calls: usize) -> Self {
        self.at_once = match calls {
            0 => 1,
            1..MOST_AT_ONCE => calls,
            _ => MOST_AT_ONCE,
        };
        self
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("live", &self.live).finish_non_exhaustive()
    }
}

/// The body of an answer over HTTP.
type Body = BoxBody<Bytes, std::convert::Infallible>;
