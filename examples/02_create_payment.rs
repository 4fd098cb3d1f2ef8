//! A call with four mistakes, the report that the model reads, and the call mended.
//!
//! `cargo run --example create_payment`

use std::error::Error;
use std::io::{self, Write};

use toolkit::ledger::MemoryLedger;
use toolkit::prelude::*;

/// Currency of a payment.
#[arg_type]
#[expect(clippy::upper_case_acronyms, reason = "the codes are written in capitals")]
enum Currency {
    EUR,
    GBP,
    USD,
}

/// A payment that was accepted.
#[arg_type]
struct Payment {
    /// The payment's id.
    id: String,
    /// How much is paid.
    amount: f64,
    /// The currency of the amount.
    currency: Currency,
    /// Day it is paid on.
    pay_on: String,
}

/// Creates a payment to the customer. Use `refund_payment` for money that was paid for an order.
#[tool(effect = "write")]
fn create_payment(
    /// How much to pay.
    #[arg(minimum = 0.01)]
    amount: f64,
    currency: Currency,
    /// Day to pay on, as YYYY-MM-DD; today when left out.
    #[arg(format = "date")]
    pay_on: Option<String>,
) -> Payment {
    let pay_on = pay_on.unwrap_or_else(|| "2026-11-30".to_owned());
    Payment { id: "P-1".to_owned(), amount, currency, pay_on }
}

const WRONG: &str = r#"{"ammount":5,"currency":"usd","pay_on":"next friday"}"#;
const RIGHT: &str = r#"{"amount":5,"currency":"USD","pay_on":"2026-12-04"}"#;

pub(crate) fn registry() -> Result<Registry, ToolConfigErrors> {
    let ledger = MemoryLedger::accept_loss("a demonstration");
    Registry::builder().tools(tools![create_payment]).ledger(ledger).build()
}

pub(crate) fn run(out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let view = registry()?.view(Caller::new("ann"));
    for arguments in [WRONG, RIGHT] {
        writeln!(out, "create_payment {arguments}\n")?;
        let call = ToolCall::new("call_1", "create_payment", arguments);
        let outcome = view.dispatch_blocking(call, Options::default())?;
        writeln!(out, "The model reads ({}):\n{}\n", outcome.status(), outcome.text())?;
        if !outcome.problems().is_empty() {
            writeln!(out, "The host reads the same in parts:")?;
        }
        for problem in outcome.problems() {
            write!(out, "{:10} {:?}", problem.path().pointer(), problem.kind())?;
            match problem.suggestion() {
                Some(suggestion) => writeln!(out, ", try {suggestion}")?,
                None => writeln!(out)?,
            }
        }
        if !outcome.problems().is_empty() {
            writeln!(out)?;
        }
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    run(&mut io::stdout().lock())
}
