//! Other servers' tools in a registry: named, pinned, cleaned, and behind every gate.

mod pins;
mod poison;
mod upstream;

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::ffi::OsString;
use std::fmt;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::Tool as Shown;
use rmcp::service::RoleClient;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::process::Command;
use toolkit_core::{
    CallContext, Changes, DynamicTool, Effect, Registry, Tool, ToolConfigErrors, ToolError,
};

pub use pins::Pins;
use upstream::Upstream;

use super::lines::Lines;
use crate::ledger::MemoryLedger;

/// What a server's process is passed on of this one's environment: it finds itself and its user
/// by it, and no secret is among it.
const ENVIRONMENT: [&str; 7] = ["HOME", "PATH", "USER", "SHELL", "TERM", "LOGNAME", "LANG"];

/// What stands between the name of a server and that of its tool.
const SEPARATOR: &str = "__";

/// A description is cut here; a model reads all of them.
const DESCRIPTION: usize = 4 * 1024;

/// As a server may answer over streams, a line at most; an image is large.
const ANSWER: usize = 16 * 1024 * 1024;

type Rule = dyn Fn(DynamicTool) -> DynamicTool + Send + Sync;

/// What the host says of the tools of patterns.
#[derive(Default)]
struct Rules {
    of: Vec<(String, Arc<Rule>)>,
    trusted: Vec<String>,
}

/// Takes another MCP server's tools into a registry, behind every gate of this one.
///
/// A tool is named after its server, `files__read_file`. What the server says of its effects is
/// not believed: a tool is `irreversible`, and so a person agrees to every call, unless a
/// [`rule`](Self::rule) says otherwise. What it answers taints a run, as text of strangers does,
/// unless it is [`trusted`](Self::trusted). A call is sent once: where its answer is lost, it is in
/// doubt, and nobody sends it again.
///
/// ```no_run
/// use tokio::process::Command;
/// use toolkit::ledger::SqliteLedger;
/// use toolkit::mcp::Import;
/// use toolkit::prelude::*;
/// use toolkit::Effect;
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let mut command = Command::new("npx");
/// command.args(["@modelcontextprotocol/server-filesystem", "/srv/files"]);
/// let imported = Import::from_stdio("files", command)
///     .rule("read_*", |tool| tool.effect(Effect::Read))
///     .rule("write_file", |tool| tool.effect(Effect::Write).scopes(["files:write"]))
///     .connect()
///     .await?;
/// for left_out in imported.left_out() {
///     eprintln!("{left_out}");
/// }
/// # #[cfg(feature = "sqlite")]
/// let registry =
///     Registry::builder().tools(imported.tools()).ledger(SqliteLedger::open("calls.db")?).build()?;
/// # Ok(())
/// # }
/// ```
pub struct Import {
    name: String,
    from: From,
    rules: Rules,
    pins: Option<Pins>,
    patience: Duration,
}

enum From {
    Process(Box<Command>),
    Http { url: String, token: Option<String> },
    Streams(Box<dyn AsyncRead + Unpin + Send>, Box<dyn AsyncWrite + Unpin + Send>),
}

/// Why a server's tools could not be taken.
///
/// ```
/// use toolkit::mcp::{Import, ImportError};
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let refused = Import::from_http("a__b", "http://127.0.0.1:1/mcp").connect().await.unwrap_err();
/// assert!(matches!(refused, ImportError::Name { .. }));
/// # });
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The name of the server can not stand before its tools' names.
    #[error(
        "a server's name has 1 to 32 of `A-Z a-z 0-9 -` and `_`, but no `__` and no `_` at its end; got {name:?}"
    )]
    Name {
        /// The name.
        name: String,
    },
    /// The process did not start.
    #[error("the server did not start: {0}")]
    Start(#[from] std::io::Error),
    /// The server does not speak the protocol, or went.
    #[error("the server of {name:?} could not be asked: {why}")]
    Session {
        /// The name.
        name: String,
        /// Why not.
        why: String,
    },
}

impl Import {
    /// From a process that speaks over its standard streams; it ends with the imported tools.
    ///
    /// Of this process's environment it has `HOME`, `PATH`, `USER`, `SHELL`, `TERM`, `LOGNAME` and
    /// `LANG`, and what was set on the command: what else the host keeps there, like its keys, is
    /// not the server's business. `env_remove` on the command takes one of the seven away.
    ///
    /// ```
    /// use tokio::process::Command;
    /// use toolkit::mcp::Import;
    ///
    /// let mut command = Command::new("npx");
    /// command.arg("@modelcontextprotocol/server-memory").env("MEMORY_FILE_PATH", "/srv/memory.json");
    /// let import = Import::from_stdio("memory", command);
    /// # drop(import);
    /// ```
    #[must_use]
    pub fn from_stdio(name: impl Into<String>, mut command: Command) -> Self {
        shut_in(&mut command);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        Self::of(name.into(), From::Process(Box::new(command)))
    }

    /// From a server that speaks streamable HTTP.
    ///
    /// For `https` the program turns a TLS feature of `reqwest` on, like `rustls`.
    #[must_use]
    pub fn from_http(name: impl Into<String>, url: impl Into<String>) -> Self {
        Self::of(name.into(), From::Http { url: url.into(), token: None })
    }

    /// From a server at the other end of two streams.
    #[must_use]
    pub fn over<R, W>(name: impl Into<String>, from: R, to: W) -> Self
    where
        R: AsyncRead + Unpin + Send + 'static,
        W: AsyncWrite + Unpin + Send + 'static,
    {
        Self::of(name.into(), From::Streams(Box::new(from), Box::new(to)))
    }

    fn of(name: String, from: From) -> Self {
        let patience = Duration::from_secs(60);
        Self { name, from, rules: Rules::default(), pins: None, patience }
    }

    /// Shows the server a bearer token, where it is asked over HTTP.
    #[must_use]
    pub fn bearer(mut self, shown: impl Into<String>) -> Self {
        if let From::Http { token, .. } = &mut self.from {
            *token = Some(shown.into());
        }
        self
    }

    /// Says what the gates go by for the tools of a pattern, by the names that the server gives
    /// them; `*` stands for any text, and the first pattern that fits counts.
    ///
    /// The tool comes as an irreversible one that reads what strangers wrote.
    #[must_use]
    pub fn rule(
        mut self,
        pattern: impl Into<String>,
        rule: impl Fn(DynamicTool) -> DynamicTool + Send + Sync + 'static,
    ) -> Self {
        self.rules.of.push((pattern.into(), Arc::new(rule)));
        self
    }

    /// Says that the results of the tools of a pattern hold nothing that strangers wrote.
    ///
    /// Without it every tool [reads untrusted text](DynamicTool::reads_untrusted): a run that
    /// reads its result is tainted, and the registry's [`OnTaint`](crate::OnTaint) says what of
    /// effects is left to it. The names are those that the server gives them, and `*` stands for
    /// any text.
    ///
    /// ```
    /// use toolkit::Effect;
    /// use toolkit::mcp::Import;
    ///
    /// let import = Import::from_http("clock", "http://127.0.0.1:8080/mcp")
    ///     .rule("get_*", |tool| tool.effect(Effect::Read))
    ///     .trusted("get_*");
    /// # drop(import);
    /// ```
    #[must_use]
    pub fn trusted(mut self, pattern: impl Into<String>) -> Self {
        self.rules.trusted.push(pattern.into());
        self
    }

    /// Takes only tools whose definitions are those that were approved before.
    ///
    /// Without it, every tool is taken as it is now.
    #[must_use]
    pub fn pins(mut self, approved: Pins) -> Self {
        self.pins = Some(approved);
        self
    }

    /// Says how long an answer is waited for. Default one minute.
    #[must_use]
    pub const fn patience(mut self, longest: Duration) -> Self {
        self.patience = longest;
        self
    }

    /// Asks the server for its tools.
    ///
    /// # Errors
    /// There is no such server, it does not speak MCP, or its list has more than 1,000 tools,
    /// 100 pages or 16 MiB, or comes back to a page. A single tool that can not be taken is
    /// [`left out`](Imported::left_out).
    pub async fn connect(self) -> Result<Imported, ImportError> {
        let Self { name, from, rules, pins, patience } = self;
        if !is_name(&name) {
            return Err(ImportError::Name { name });
        }
        let session = |why: String| ImportError::Session { name: name.clone(), why };
        let asked = async {
            match from {
                From::Process(mut command) => {
                    let mut child = command.spawn()?;
                    let (Some(from), Some(to)) = (child.stdout.take(), child.stdin.take()) else {
                        return Err(std::io::Error::other("it has no standard streams").into());
                    };
                    let lines = Lines::<RoleClient, _>::new(from, to, ANSWER);
                    Upstream::open(lines, Some(child), patience).await.map_err(session)
                }
                From::Http { url, token } => {
                    let mut config = StreamableHttpClientTransportConfig::with_uri(url);
                    config.auth_header = token;
                    // A session that is over would be opened anew, and the call sent again.
                    config.reinit_on_expired_session = false;
                    let transport = StreamableHttpClientTransport::from_config(config);
                    Upstream::open(transport, None, patience).await.map_err(session)
                }
                From::Streams(from, to) => {
                    let lines = Lines::<RoleClient, _>::new(from, to, ANSWER);
                    Upstream::open(lines, None, patience).await.map_err(session)
                }
            }
        };
        let upstream = asked.await?;
        let listed = upstream.list().await.map_err(session)?;
        Ok(Imported::of(name, Arc::new(upstream), rules, pins.as_ref(), listed))
    }
}

/// The tools that a server shows, as they were when it was asked.
///
/// ```
/// use toolkit::mcp::Import;
/// use toolkit::prelude::*;
///
/// /// Tells the time.
/// #[tool(effect = "read")]
/// fn now() -> &'static str {
///     "noon"
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// // The server is one of ours here.
/// let (here, there) = tokio::io::duplex(4096);
/// let (from, to) = tokio::io::split(there);
/// let clock = Registry::builder().tools(tools![now]).build()?;
/// tokio::spawn(toolkit::mcp::serve(clock).over(from, to));
///
/// let (from, to) = tokio::io::split(here);
/// let imported = Import::over("clock", from, to)
///     .rule("now", |tool| tool.effect(toolkit::Effect::Read))
///     .connect()
///     .await?;
/// let registry = Registry::builder().tools(imported.tools()).build()?;
/// let view = registry.view(Caller::new("ann"));
/// let outcome = view.dispatch(ToolCall::new("1", "clock__now", "{}"), Options::default()).await?;
/// assert_eq!(outcome.text(), "noon");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Imported {
    name: String,
    upstream: Arc<Upstream>,
    rules: Rules,
    taken: Vec<Shown>,
    left_out: Vec<LeftOut>,
    seen: Pins,
}

/// A tool that was not taken, and why.
///
/// ```
/// use toolkit::mcp::LeftOut;
///
/// fn log(left_out: &LeftOut) -> String {
///     left_out.to_string()
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LeftOut {
    /// It was never approved.
    New {
        /// The name that the server gives it.
        tool: String,
    },
    /// It is not what was approved.
    Changed {
        /// The name that the server gives it.
        tool: String,
        /// What changed, as far as the pins say what was approved.
        changes: Changes,
    },
    /// It tells the model what no description should.
    Poisoned {
        /// The name that the server gives it.
        tool: String,
        /// What was found, and where.
        why: String,
    },
    /// It can not be a tool here.
    Unfit {
        /// The name that the server gives it.
        tool: String,
        /// Why not.
        why: String,
    },
}

impl LeftOut {
    /// The name that the server gives it.
    #[must_use]
    pub fn tool(&self) -> &str {
        let (Self::New { tool }
        | Self::Changed { tool, .. }
        | Self::Poisoned { tool, .. }
        | Self::Unfit { tool, .. }) = self;
        tool
    }
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::New { tool } => write!(f, "{tool:?} is new: it is off until it is approved"),
            Self::Changed { tool, changes } => {
                let off = "it is off until it is approved again";
                write!(f, "{tool:?} is not what was approved: {off}")?;
                changes.iter().try_for_each(|change| write!(f, "\n  {change}"))
            }
            Self::Poisoned { tool, why } => write!(f, "{tool:?} is refused: {why}"),
            Self::Unfit { tool, why } => write!(f, "{tool:?} can not be a tool here: {why}"),
        }
    }
}

impl Imported {
    fn of(
        name: String,
        upstream: Arc<Upstream>,
        rules: Rules,
        approved: Option<&Pins>,
        listed: Vec<Shown>,
    ) -> Self {
        let (taken, left_out, seen) = (Vec::new(), Vec::new(), Pins::default());
        let mut imported = Self { name, upstream, rules, taken, left_out, seen };
        let (mut names, mut approved_ones) = (BTreeSet::new(), Vec::new());
        for shown in listed {
            let tool = shown.name.clone().into_owned();
            if !names.insert(tool.clone()) {
                let why = "the server has an earlier tool of this name".to_owned();
                imported.left_out.push(LeftOut::Unfit { tool, why });
                continue;
            }
            if let Some(why) = poison::found(&shown) {
                imported.left_out.push(LeftOut::Poisoned { tool, why });
                continue;
            }
            if let Err(why) = imported.fits(&shown) {
                imported.left_out.push(LeftOut::Unfit { tool, why });
                continue;
            }
            imported.seen.see(&shown);
            match approved.map(|approved| (approved, approved.holds(&shown))) {
                None | Some((_, Some(true))) => approved_ones.push(shown),
                Some((approved, Some(false))) => {
                    let changes = approved.changes(&shown);
                    imported.left_out.push(LeftOut::Changed { tool, changes });
                }
                Some((_, None)) => imported.left_out.push(LeftOut::New { tool }),
            }
        }
        let mut mixed_up = imported.mixed_up(&approved_ones);
        for shown in approved_ones {
            if let Some(why) = mixed_up.remove(&*shown.name) {
                let tool = shown.name.into_owned();
                imported.left_out.push(LeftOut::Unfit { tool, why });
                continue;
            }
            imported.upstream.pin(&shown);
            imported.taken.push(shown);
        }
        imported
    }

    /// The tools, for a registry; each call makes them anew.
    #[must_use]
    pub fn tools(&self) -> Vec<Tool> {
        self.taken.iter().map(|shown| self.tool(shown).into()).collect()
    }

    /// What was not taken, and why.
    #[must_use]
    pub fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    /// Everything that the server shows now and that could be taken, to be approved by a person
    /// and kept for [`Import::pins`].
    #[must_use]
    pub const fn seen(&self) -> &Pins {
        &self.seen
    }

    /// Waits until the server says that its tools changed; at once, where it said so since the
    /// last time that this was awaited to its end.
    ///
    /// From then on a tool that is not the pinned one any more is refused; connect anew to take
    /// the others.
    pub async fn changed(&self) {
        self.upstream.changed().await;
    }

    /// Whether the server is there no more; what is called then did not happen.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.upstream.is_over()
    }

    fn full_name(&self, shown: &Shown) -> String {
        format!("{}{SEPARATOR}{}", self.name, shown.name)
    }

    fn tool(&self, shown: &Shown) -> DynamicTool {
        let name = self.full_name(shown);
        let schema = Value::Object((*shown.input_schema).clone());
        let upstream = Arc::clone(&self.upstream);
        let of: Arc<str> = Arc::from(&*shown.name);
        let called = Arc::clone(&of);
        let run = move |arguments: Value, cx: CallContext| {
            let (upstream, called) = (Arc::clone(&upstream), Arc::clone(&called));
            async move { upstream.call(&called, arguments, &cx).await }
        };
        let upstream = Arc::clone(&self.upstream);
        let mut tool = Tool::dynamic(name, poison::cut(shown, DESCRIPTION), schema, run)
            .effect(Effect::Irreversible)
            .check(move |_, _| {
                let (upstream, of) = (Arc::clone(&upstream), Arc::clone(&of));
                async move { upstream.is_as_pinned(&of).await }
            });
        if let Some(title) = &shown.title {
            tool = tool.title(title);
        }
        let is_trusted = self.rules.trusted.iter().any(|pattern| fits(pattern, &shown.name));
        if !is_trusted {
            tool = tool.reads_untrusted();
        }
        let rule = self.rules.of.iter().find(|(pattern, _)| fits(pattern, &shown.name));
        match rule {
            Some((_, rule)) => rule(tool),
            None => tool,
        }
    }

    /// Which tools have names that look like an earlier one's, and what a registry says of it.
    fn mixed_up(&self, tools: &[Shown]) -> BTreeMap<String, String> {
        // Only the names are tried, all at once: each tool as it is was tried alone.
        let of_name = |shown: &Shown| {
            let nothing = |_, _| async { Ok::<_, ToolError>(()) };
            Tool::dynamic(self.full_name(shown), "Is named.", json!({}), nothing).into()
        };
        let named = tools.iter().map(of_name).collect::<Vec<Tool>>();
        let Err(errors) = Registry::builder().tools(named).build() else { return BTreeMap::new() };
        let prefix = format!("{}{SEPARATOR}", self.name);
        let of_tool = errors.iter().filter_map(|error| {
            let tool = error.tool()?.strip_prefix(&prefix)?;
            Some((tool.to_owned(), error.message().to_owned()))
        });
        of_tool.collect()
    }

    /// Tries the tool in a registry of its own, so that a bad one spoils no other.
    fn fits(&self, shown: &Shown) -> Result<(), String> {
        let said = |errors: ToolConfigErrors| {
            let errors: Vec<&str> =
                errors.iter().map(toolkit_core::ToolConfigError::message).collect();
            errors.join("; ")
        };
        let ledger = MemoryLedger::accept_loss("nothing is called here");
        let alone = Registry::builder().tool(self.tool(shown)).ledger(ledger).build();
        alone.and_then(|registry| registry.check(&[&crate::dialect::Mcp])).map_err(said)
    }
}

impl fmt::Debug for Import {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Import").field("name", &self.name).finish_non_exhaustive()
    }
}

impl fmt::Debug for Imported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Imported")
            .field("name", &self.name)
            .field("taken", &json!(self.taken.iter().map(|tool| &tool.name).collect::<Vec<_>>()))
            .field("left_out", &self.left_out)
            .finish_non_exhaustive()
    }
}

/// Leaves a command only what it may have of this process's environment.
fn shut_in(command: &mut Command) {
    let set = command.as_std().get_envs();
    let set = set.map(|(name, value)| (name.to_owned(), value.map(ToOwned::to_owned)));
    let set: Vec<(OsString, Option<OsString>)> = set.collect();
    command.env_clear();
    let passed = ENVIRONMENT.iter().filter_map(|name| Some((name, env::var_os(name)?)));
    command.envs(passed);
    for (name, value) in set {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
}

/// Whether two names made with it can not be one: the separator is found again.
fn is_name(name: &str) -> bool {
    let is_char = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    (1..=32).contains(&name.len())
        && name.bytes().all(is_char)
        && !name.contains(SEPARATOR)
        && !name.ends_with('_')
}

/// Whether a name is of a pattern, in which `*` stands for any text.
fn fits(pattern: &str, name: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut name) = name.strip_prefix(start) else { return false };
    let mut parts = rest.split('*').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return name.ends_with(part);
        }
        let Some((_, after)) = name.split_once(part) else { return false };
        name = after;
    }
    false
}
