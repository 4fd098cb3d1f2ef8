//! What waits in a ledger for a person, and the person's word on it.
//!
//! A process of its own: it needs the ledger's file and nothing of the process that parked the
//! call, which may be gone.
//!
//! - `cargo run --example support_agent -- --tickets` leaves a refund to a person.
//! - `cargo run --example approvals -- list`, and then `show ID`, `approve ID` or `decline ID`.
//! - `cargo run --example support_agent -- --resume ID` runs what was agreed to.

mod command;
mod told;

use std::env;
use std::error::Error;
use std::ffi::OsString;
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;

use pollster::block_on;
use toolkit::ledger::{
    Desk, Doubt, Filter, Haste, Person, Resolution, RowState, SqliteLedger, printable,
};

use command::{Command, USAGE, What};
use told::{span, tell, tell_doubtful, tell_in_short, tell_past};

type Done = Result<(), Box<dyn Error>>;

/// A ledger that is there, and who may decide on its calls.
struct Office {
    desk: Desk,
    by: Option<String>,
}

impl Office {
    fn open(path: &Path, by: Option<String>) -> Result<Self, Box<dyn Error>> {
        Ok(Self { desk: Desk::new(SqliteLedger::open_existing(path)?), by })
    }

    /// Who decides on a tenant's calls.
    ///
    /// The system has authenticated them: only its owner can write to the ledger's file. A host
    /// with accounts of its own says here whom it has let in, and for which tenant.
    fn person(&self, tenant: &str) -> Result<Person, Box<dyn Error>> {
        let user = || env::var("USER").ok().filter(|name| !name.is_empty());
        let name = self.by.clone().or_else(user).ok_or("say who decides, with --by NAME")?;
        Ok(Person::authenticated(name, "cli").tenant(tenant).scopes(["approvals:decide"]))
    }

    async fn run(&self, what: What, out: &mut dyn Write) -> Done {
        match what {
            What::List => self.list(out).await,
            What::Show { id } => {
                Ok(tell(&self.desk.show(&id).await?, self.desk.now().await?, out)?)
            }
            What::Approve { id } => self.approve(&id, out).await,
            What::Decline { id, reason } => self.decline(&id, reason.as_deref(), out).await,
            What::History { id } => self.history(&id, out).await,
            What::InDoubt => self.in_doubt(out).await,
            What::Resolve { doubt, resolution, haste, reason } => {
                self.resolve(&doubt, resolution, haste, &reason, out).await
            }
        }
    }

    async fn list(&self, out: &mut dyn Write) -> Done {
        let waiting = self.desk.waiting(&Filter::default()).await?;
        let now = self.desk.now().await?;
        if waiting.is_empty() {
            writeln!(out, "nothing waits for a person")?;
        }
        waiting.iter().try_for_each(|call| Ok(tell_in_short(call, now, out)?))
    }

    async fn approve(&self, id: &str, out: &mut dyn Write) -> Done {
        let call = self.desk.show(id).await?;
        let person = self.person(&call.tenant)?;
        let now = self.desk.now().await?;
        tell(&call, now, out).map_err(|error| unseen(&error))?;
        let state = self.desk.approve(&person, id, &call.binding).await?;
        let person = printable(&person.to_string());
        if state == RowState::Parked {
            writeln!(out, "{person} agreed, and more people must")?;
        } else {
            let left = span(call.expires_at.since(now));
            writeln!(out, "{person} agreed: its host may run it within {left}")?;
        }
        Ok(())
    }

    async fn decline(&self, id: &str, reason: Option<&str>, out: &mut dyn Write) -> Done {
        let call = self.desk.show(id).await?;
        let person = self.person(&call.tenant)?;
        tell(&call, self.desk.now().await?, out).map_err(|error| unseen(&error))?;
        self.desk.decline(&person, id, reason).await?;
        let person = printable(&person.to_string());
        Ok(writeln!(out, "{person} declined: it will not run")?)
    }

    async fn history(&self, id: &str, out: &mut dyn Write) -> Done {
        let past = self.desk.history(id).await?;
        let now = self.desk.now().await?;
        past.iter().try_for_each(|past| Ok(tell_past(past, now, out)?))
    }

    async fn in_doubt(&self, out: &mut dyn Write) -> Done {
        let doubtful = self.desk.in_doubt().await?;
        let now = self.desk.now().await?;
        if doubtful.is_empty() {
            writeln!(out, "nothing is in doubt")?;
        }
        doubtful.iter().try_for_each(|call| Ok(tell_doubtful(call, now, out)?))
    }

    async fn resolve(
        &self,
        doubt: &str,
        resolution: Resolution,
        haste: Haste,
        reason: &str,
        out: &mut dyn Write,
    ) -> Done {
        let doubt: Doubt = doubt.parse()?;
        let doubtful = self.desk.in_doubt().await?;
        let call = doubtful.iter().find(|call| call.doubt.key == doubt.key);
        let call = call.ok_or_else(|| format!("no call in doubt has the key {}", doubt.key))?;
        let person = self.person(&call.tenant)?;
        let now = self.desk.now().await?;
        tell_doubtful(call, now, out).map_err(|error| unseen(&error))?;
        let resolved = self.desk.resolve(&person, &doubt, resolution, haste, reason).await;
        let state = resolved?;
        let person = printable(&person.to_string());
        Ok(writeln!(out, "{person} resolved: it is {state}")?)
    }
}

/// Nobody agrees to what they could not read.
fn unseen(error: &io::Error) -> String {
    format!("the call could not be shown ({error}), so nothing was decided")
}

#[expect(clippy::print_stderr, reason = "a command line program says there what went wrong")]
fn main() -> ExitCode {
    let arguments: Result<Vec<String>, OsString> =
        env::args_os().skip(1).map(OsString::into_string).collect();
    let arguments = arguments.unwrap_or_else(|_| vec!["not text".to_owned()]);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let Some(Command { ledger, by, what }) = Command::parse(&arguments) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let done = Office::open(&ledger, by)
        .and_then(|office| block_on(office.run(what, &mut io::stdout().lock())));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_closed_pipe(&*error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("approvals: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Whether somebody, like `head`, has read enough.
fn is_closed_pipe(error: &(dyn Error + 'static)) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
}
