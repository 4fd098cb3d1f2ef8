//! Tickets that are answered by several processes: one parks a refund, and another runs it.

use std::error::Error;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use pollster::block_on;
use toolkit::ledger::{Desk, SqliteLedger};
use toolkit::prelude::*;

use super::store::Shop;
use super::{ALLOWED, SHOP, agent, registry_of, show, show_refunds};

/// What an agent may ask for that reads what strangers wrote.
const READS: [&str; 4] = ["read_ticket", "get_customer", "list_orders", "get_order"];

const TWENTY: &str = r#"{"order_id":"O-3001","amount":20}"#;
const NINE_HUNDRED: &str = r#"{"order_id":"O-3002","amount":900}"#;

/// A shop that is kept in a folder, with the ledger of what was done to it.
struct Branch {
    shop: Arc<Shop>,
    ledger: Arc<SqliteLedger>,
    registry: Registry,
}

impl Branch {
    fn open(folder: &Path) -> Result<Self, Box<dyn Error>> {
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let ledger = Arc::new(SqliteLedger::open(folder.join("calls.db"))?);
        let shop = Shop::open_file(&folder.join("shop.db"))
            .map_err(|error| format!("{}: {error}", folder.join("shop.db").display()))?;
        let shop = Arc::new(shop);
        // Nobody is asked in line: what needs a person is parked.
        let registry = registry_of(&shop).ledger(Arc::clone(&ledger)).build()?;
        Ok(Self { shop, ledger, registry })
    }

    /// The branch in a folder where tickets were answered before.
    fn reopen(folder: &Path) -> Result<Self, Box<dyn Error>> {
        if !folder.join("calls.db").exists() {
            let folder = folder.display();
            return Err(format!("{folder} holds no shop: answer its tickets first").into());
        }
        Self::open(folder)
    }

    fn view(&self, allowed: &[&str]) -> View {
        self.registry.view(agent()).scoped(allowed.iter().copied())
    }

    fn show_refunds(&self, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
        writeln!(out, "\nthe refunds of the shop")?;
        Ok(show_refunds(&self.shop.with(|rows| rows.clone())?, out)?)
    }
}

/// Makes a call as a model would ask for it, and shows what the model reads.
fn ask(
    view: &View,
    name: &str,
    arguments: &str,
    options: Options,
    out: &mut dyn Write,
) -> Result<Outcome, Box<dyn Error>> {
    show(out, "calls", &format!("{name} {arguments}"))?;
    let outcome = view.dispatch_blocking(ToolCall::new("call_1", name, arguments), options)?;
    show(out, outcome.status().as_str(), outcome.text())?;
    Ok(outcome)
}

/// Answers the tickets, up to where a person must agree.
pub(crate) fn play(folder: &Path, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let branch = Branch::open(folder)?;
    let run = || Options::default().run_id("tickets-1");

    writeln!(out, "an agent that reads tickets has no tool that refunds, whatever a ticket says")?;
    let reader = branch.view(&READS);
    ask(&reader, "read_ticket", r#"{"ticket_id":"T-2"}"#, run(), out)?;
    ask(&reader, "refund_payment", NINE_HUNDRED, run(), out)?;

    writeln!(out, "\na dry run of a refund")?;
    let clerk = branch.view(&ALLOWED);
    ask(&clerk, "refund_payment", TWENTY, run().dry_run(), out)?;

    writeln!(out, "\n20 dollars, twice with one intent id")?;
    for _ in 0..2 {
        ask(&clerk, "refund_payment", TWENTY, run().intent_id("ticket-T-1:refund"), out)?;
    }

    writeln!(out, "\n900 dollars, which a person must agree to")?;
    let outcome = ask(&clerk, "refund_payment", NINE_HUNDRED, run(), out)?;
    branch.show_refunds(out)?;
    match outcome.approval_id() {
        Some(id) => Ok(show_what_is_next(folder, id, out)?),
        None => Ok(()),
    }
}

/// Writes the commands that go on from here, each a process of its own.
fn show_what_is_next(folder: &Path, id: &str, out: &mut dyn Write) -> io::Result<()> {
    let (ledger, shop) = if folder == Path::new(SHOP) {
        (String::new(), String::new())
    } else {
        let ledger = folder.join("calls.db");
        (format!("--ledger {} ", ledger.display()), format!("--shop {} ", folder.display()))
    };
    writeln!(
        out,
        "\nsee what waits, decide, and run what was agreed to:\n  \
         cargo run -q --example approvals -- {ledger}show {id}\n  \
         cargo run -q --example approvals -- {ledger}approve {id} --by NAME\n  \
         cargo run -q --example support_agent -- {shop}--resume {id}"
    )
}

/// Runs what a person agreed to, and tries to run it once more.
pub(crate) fn resume(folder: &Path, id: &str, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let branch = Branch::reopen(folder)?;
    let desk = Desk::new(branch.ledger.clone());
    let call = block_on(desk.show(id))?;
    writeln!(out, "resumed twice; nothing but the approval's id is given")?;
    show(out, call.state.as_str(), &call.rendered)?;
    let clerk = branch.view(&ALLOWED);
    for _ in 0..2 {
        let outcome = clerk.resume_blocking(id, Options::default())?;
        show(out, outcome.status().as_str(), outcome.text())?;
    }
    writeln!(out, "\nthe ledger's history of the call")?;
    for line in block_on(desk.history(id))? {
        let colon = if line.detail.is_empty() { "" } else { ": " };
        let what = format!("by {}{colon}{}", line.actor, line.detail);
        // People wrote some of it.
        show(out, &line.event, &what.escape_debug().to_string())?;
    }
    branch.show_refunds(out)
}
