//! Every gate of toolkit in front of another MCP server, for any MCP client.
//!
//! - `cargo run --example mcp_gateway -- --config gateway.toml -- COMMAND [ARGUMENT…]` starts the
//!   server by its command, and serves its tools over standard input and output. What the
//!   server shows at the first start is what it may show from then on.
//! - `… --config gateway.toml --approve -- COMMAND [ARGUMENT…]` approves what it shows now.
//!
//! Calls that wait for a person are in the ledger: `cargo run --example approvals -- --ledger
//! gateway.db list` shows them.

use std::collections::BTreeMap;
use std::env;
use std::error::Error;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use tokio::process::Command;
use toolkit::ledger::SqliteLedger;
use toolkit::mcp::{Import, Imported, Pins, serve};
use toolkit::prelude::*;
use toolkit::{DynamicTool, Effect};

const USAGE: &str = "usage: mcp_gateway --config FILE [--approve] -- COMMAND [ARGUMENT…]";

/// What the file says; its paths are beside it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Config {
    /// What stands before the tools' names.
    name: String,
    #[serde(default = "ledger")]
    ledger: PathBuf,
    #[serde(default = "pins")]
    pins: PathBuf,
    /// For whom the client acts, and what that one may do.
    #[serde(default = "caller")]
    caller: String,
    #[serde(default)]
    scopes: Vec<String>,
    /// What the server is given of an environment, besides what every one has.
    #[serde(default)]
    env: BTreeMap<String, String>,
    /// Whether calls with effects are rehearsed only.
    #[serde(default)]
    dry_run: bool,
    #[serde(default, rename = "rule")]
    rules: Vec<Rule>,
}

/// What the gates go by for the tools of a pattern; the first that fits counts.
#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields)]
struct Rule {
    /// Like `read_*`.
    tools: String,
    effect: Does,
    #[serde(default)]
    scopes: Vec<String>,
    /// Whether a person must agree to every call.
    #[serde(default)]
    approval: bool,
    /// Whether what they answer is no text of strangers; else a person is asked about each effect
    /// after it, in the same session.
    #[serde(default)]
    trusted: bool,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum Does {
    Read,
    Write,
    Irreversible,
}

fn ledger() -> PathBuf {
    "gateway.db".into()
}

fn pins() -> PathBuf {
    "gateway.pins".into()
}

fn caller() -> String {
    "agent".to_owned()
}

impl Rule {
    fn over(&self, tool: DynamicTool) -> DynamicTool {
        let effect = match self.effect {
            Does::Read => Effect::Read,
            Does::Write => Effect::Write,
            Does::Irreversible => Effect::Irreversible,
        };
        let tool = tool.effect(effect).scopes(self.scopes.clone());
        if self.approval { tool.approval(|_| true) } else { tool }
    }
}

impl Config {
    fn read(path: &Path) -> Result<Self, Box<dyn Error>> {
        let mut config: Self = toml::from_str(&fs::read_to_string(path)?)?;
        let folder = path.parent().unwrap_or_else(|| Path::new(""));
        config.ledger = folder.join(config.ledger);
        config.pins = folder.join(config.pins);
        Ok(config)
    }

    async fn import(
        &self,
        command: Command,
        pins: Option<Pins>,
    ) -> Result<Imported, Box<dyn Error>> {
        let mut import = Import::from_stdio(&self.name, command);
        for rule in self.rules.clone() {
            if rule.trusted {
                import = import.trusted(&rule.tools);
            }
            import = import.rule(rule.tools.clone(), move |tool| rule.over(tool));
        }
        if let Some(pins) = pins {
            import = import.pins(pins);
        }
        Ok(import.connect().await?)
    }

    /// Serves the tools; standard output is the client's, so what is to be said goes beside it.
    async fn serve(&self, imported: &Imported) -> Result<(), Box<dyn Error>> {
        for left_out in imported.left_out() {
            say(&left_out.to_string());
        }
        let mut registry =
            Registry::builder().tools(imported.tools()).ledger(SqliteLedger::open(&self.ledger)?);
        if self.dry_run {
            registry = registry.dry_run();
        }
        let caller = Caller::new(&self.caller).scopes(self.scopes.clone());
        let server = serve(registry.build()?)
            .named(format!("gateway to {}", self.name), env!("CARGO_PKG_VERSION"))
            .caller(caller);
        Ok(server.stdio().await?)
    }
}

/// What was approved; `None` only where there is no file yet, for any other fault would have what
/// the server shows now approved in silence.
fn approved(file: &Path) -> Result<Option<Pins>, Box<dyn Error>> {
    let unread = |error: &dyn Error| format!("{} can not be read: {error}", file.display());
    match fs::read_to_string(file) {
        Ok(text) => Ok(Some(text.parse().map_err(|error| unread(&error))?)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unread(&error).into()),
    }
}

#[expect(clippy::print_stderr, reason = "it is a program")]
fn say(line: &str) {
    eprintln!("mcp_gateway: {line}");
}

async fn run(config: &Path, approves: bool, command: &[String]) -> Result<(), Box<dyn Error>> {
    let config = Config::read(config)?;
    let (program, arguments) = command.split_first().ok_or(USAGE)?;
    let mut command = Command::new(program);
    command.args(arguments).envs(&config.env);
    let known = if approves { None } else { approved(&config.pins)? };
    let is_first = known.is_none();
    let imported = config.import(command, known).await?;
    if is_first {
        fs::write(&config.pins, imported.seen().to_string())?;
        say(&format!("approved is what {} shows now: {}", config.name, config.pins.display()));
    }
    if approves { Ok(()) } else { config.serve(&imported).await }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (config, approves, command) = match *words {
        ["--config", config, "--", ..] => (config, false, arguments.get(3..)),
        ["--config", config, "--approve", "--", ..] => (config, true, arguments.get(4..)),
        _ => return Err(USAGE.into()),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(run(Path::new(config), approves, command.unwrap_or_default()))
}
