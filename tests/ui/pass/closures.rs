//! Tools of closures.

#![deny(warnings)]

use std::sync::Arc;

use toolkit::prelude::*;
use toolkit::{DynamicTool, Effect, Verified};

/// An order.
#[derive(Clone)]
#[arg_type]
struct Order {
    /// The order's id.
    id: String,
    count: Option<u8>,
}

struct Bank(u64);

async fn looked_up(bank: Arc<Bank>, order: Order) -> Result<u64, Failure> {
    Ok(bank.0 + order.id.parse::<u64>()?)
}

fn named(order: Order, cx: CallContext) -> String {
    format!("{} {}", cx.call_id(), order.id)
}

fn main() {
    let bank = Arc::new(Bank(7));
    let shared = Arc::clone(&bank);
    let _: DynamicTool<Order> = Tool::from_fn("unit", "Does.", |_: Order, _| ());
    let tools: [Tool; 7] = [
        Tool::from_fn("unit", "Does.", |_: Order, _| ()).into(),
        Tool::from_fn("number", "Counts.", |order: Order, _| order.count).into(),
        Tool::from_fn("borrowed", "Tells.", |_: Order, _| "text").into(),
        Tool::from_fn("named", "Tells.", named).into(),
        Tool::from_fn("later", "Looks.", move |order: Order, _| looked_up(bank.clone(), order)).into(),
        Tool::from_fn("failing", "Fails.", |order: Order, _| order.id.parse::<u8>()).into(),
        Tool::from_fn("gated", "Pays.", move |order: Order, cx| {
            let bank = Arc::clone(&shared);
            async move { Ok::<_, ToolError>(format!("{} {} {}", cx.call_id(), order.id, bank.0)) }
        })
        .effect(Effect::Write)
        .check(|order: Order, _| async move {
            if order.id.is_empty() { Err(ToolError::business("no such order")) } else { Ok(()) }
        })
        .approval(|order| order.count > Some(3))
        .preview(|order: Order, _| async move { format!("pays {}", order.id) })
        .verify(|_, _| async { Verified::<String>::NotApplied })
        .idempotency(["id"])
        .into(),
    ];
    let ledger = toolkit::ledger::MemoryLedger::accept_loss("a test");
    let tools = tools.into_iter().filter(|tool| tool.name() == "gated");
    assert!(Registry::builder().tools(tools).ledger(ledger).build().is_ok());
}
