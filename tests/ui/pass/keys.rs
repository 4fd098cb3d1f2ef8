//! The keys that the gates go by.

#![deny(warnings)]

use toolkit::Verified;
use toolkit::prelude::*;

struct Bank {
    limit: u64,
}

impl Bank {
    async fn find(&self, order_id: &str) -> Result<Verified<String>, Failure> {
        Ok(if order_id.is_empty() { Verified::Unknown } else { Verified::Applied(order_id.to_owned()) })
    }
}

/// Refunds an order.
#[tool(
    effect = "write",
    scopes("payments:write"),
    listed = true,
    on_denied = "fatal",
    on_unknown = verify(bank.find(&order_id).await),
    idempotency(order_id, r#type),
    approval(*amount > bank.limit, quorum = 2, four_eyes, time_to_live = "2h"),
    preview = format!("refunds {amount} of {order_id} for {}", cx.caller().principal()),
    preview_must_match,
    check = if order_id.is_empty() { Err(ToolError::business("no such order")) } else { Ok(()) },
)]
async fn refund(
    #[context] cx: &CallContext,
    #[state] bank: &Bank,
    #[arg(rename = "orderId")] order_id: String,
    r#type: u8,
    amount: &u64,
) -> Result<String, Failure> {
    let _ = (cx, bank, r#type, amount);
    Ok(order_id)
}

/// Closes.
#[tool(effect = "irreversible", approval(quorum = 3, four_eyes = true, time_to_live = "30d"))]
fn keys_alone() {}

/// Closes.
#[tool(effect = "irreversible", approval(four_eyes))]
fn one_flag() {}

/// Closes.
#[tool(effect = "write", approval(urgent))]
fn one_parameter(urgent: bool) {
    let _ = urgent;
}

/// Closes.
#[tool(effect = "write", approval(urgent == (depth >= 3), time_to_live = "1m",))]
fn comparisons(urgent: bool, depth: u8) {
    let _ = (urgent, depth);
}

/// Sets.
#[tool(effect = "write", on_unknown = "rerun", ledger = none("the target keeps one of its own"))]
fn no_ledger() {}

/// Sets.
#[tool(effect = "write", on_unknown = "rerun_with_key", preview(name))]
fn lent_text(name: &str) {
    let _ = name;
}

/// Sets.
#[tool(effect = "write", on_unknown = "in_doubt", preview = told(&name).await)]
fn failing_preview(name: String) {
    let _ = name;
}

async fn told(name: &str) -> Result<&str, std::io::Error> {
    Ok(name)
}

/// Sets.
#[tool(scopes("read"), listed, on_denied = "outcome", preview_must_match = false)]
fn all_defaults() {}

/// Finds.
#[tool(effect = "read", preview = "finds", preview_must_match = true)]
fn preview_of_a_read() {}

#[toolbox]
impl Bank {
    /// Pays.
    #[tool(
        effect = "write",
        on_unknown = verify(self.find(&order_id).await),
        idempotency(order_id),
        approval(amount > self.limit, quorum = 2),
        preview = self.told(amount),
    )]
    async fn pay(&self, order_id: String, amount: u64) -> String {
        let _ = amount;
        order_id
    }

    fn told(&self, amount: u64) -> String {
        format!("pays {amount}, the limit is {}", self.limit)
    }
}

fn main() {
    let _: [Tool; 10] = tools![
        refund,
        keys_alone,
        one_flag,
        one_parameter,
        comparisons,
        no_ledger,
        lent_text,
        failing_preview,
        all_defaults,
        preview_of_a_read,
    ];
    assert_eq!(Tool::all_of::<Bank>().len(), 1);
}
