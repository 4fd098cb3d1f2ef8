//! Descriptions, constraints, checks and approvals.

#![deny(warnings)]

use toolkit::prelude::*;

struct Bank;

const DESCRIPTION: &str = "Refunds a payment.";
const LIMIT: f64 = 1e6;

async fn refundable(_bank: &Bank, id: &str) -> Result<(), ToolError> {
    if id.is_empty() { Err(ToolError::business("no such order")) } else { Ok(()) }
}

fn small(amount: f64) -> Result<(), Vec<Problem>> {
    let _ = amount;
    Ok(())
}

#[tool(
    description = "Refund a customer payment. Use after the order was looked up. \
                   Do not use for store credit; use issue_credit.",
    title = "Refund",
    name = "refund-payment",
    effect = "write",
    scopes("payments:write", "payments:read"),
    check = refundable(bank, &order_id).await,
    check = small(amount),
    approval(amount > 500.0 || order_id.starts_with('X') || cx.caller().principal().is_empty()),
)]
async fn refund_payment(
    #[context] cx: &CallContext,
    #[state] bank: &Bank,
    /// The order's id, like O-4471.
    #[arg(pattern = r"^O-\d+$", min_length = 3, max_length = 40, examples = ["O-1", "O-2"])]
    order_id: String,
    /// How much to refund.
    #[arg(minimum = 0.01, maximum = LIMIT, multiple_of = 0.01)]
    amount: f64,
    /// Day to pay on, as YYYY-MM-DD.
    #[arg(format = "date")]
    pay_on: Option<String>,
    #[arg(description = concat!("a", "b"), min_items = 1, max_items = 3, unique_items = true)]
    list: &[u8],
    #[arg(rename = "colour", default = "red")] color: &str,
    #[arg(default = 18_446_744_073_709_551_615, exclusive_minimum = -9_223_372_036_854_775_808)]
    big: u64,
    #[arg(examples = [1, -2, 3_000_000_000], exclusive_maximum = 4e9)] some: Option<i64>,
    #[arg(default = Vec::<u8>::new())] none: Vec<u8>,
    #[arg(default = [1, 2], examples = [[1, 2], [3, 4]])] pairs: Vec<u8>,
) -> Result<(), Failure> {
    let _ = (cx, bank, order_id, amount, pay_on, list, color, big, some, none, pairs);
    Ok(())
}

#[tool(description = DESCRIPTION)]
fn constant() {}

#[tool(description = concat!("Pays ", 3, "."), approval = count > 3)]
fn concatenated(count: u8) {
    let _ = count;
}

#[tool(description = include_str!("../description.txt"))]
fn included() {}

/// Says something.
///
///   - indented
#[doc = include_str!("../description.txt")]
#[tool]
fn documented(
    #[doc = include_str!("../description.txt")]
    x: u8,
) {
    let _ = x;
}

/// Expressions that end early, name a parameter in a text alone, or name a lent one.
#[tool(
    effect = "write",
    check = {
        if order_id.is_empty() {
            return Err(ToolError::business("no such order"));
        }
        Ok(())
    },
    check = {
        order_id.parse::<u8>()?;
        Ok::<(), Failure>(())
    },
    approval({
        if *bank == 0 {
            return true;
        }
        order_id == "X"
    }),
    preview = format!("{bank:>width$} {}", r#type.unwrap_or(0)),
)]
fn early(#[state] bank: &u64, order_id: &str, width: usize, r#type: Option<u8>) {
    let _ = (bank, order_id, width, r#type);
}

/// Takes what the platform has.
#[tool(effect = "write", check = small(amount), approval(amount > 3.0))]
async fn platform(
    amount: f64,
    #[cfg(all())] here: &str,
    #[cfg(any())] nowhere: Unknown,
    #[cfg(not(any()))] everywhere: u8,
) {
    let _ = (amount, here, everywhere);
}

fn main() {
    let tools: [Tool; 7] =
        tools![refund_payment, constant, concatenated, included, documented, early, platform];
    assert_eq!(tools[0].name(), "refund-payment");
    let _ = Bank;
}
