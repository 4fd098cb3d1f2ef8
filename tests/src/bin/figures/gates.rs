//! What the gates and limits add to a read, beside the same call in a registry without them.

use toolkit::prelude::*;
use toolkit::{Limits, Options, Registry, ThreadTimer};

use crate::Figure;
use crate::measure::{Contender, dispatched};

/// An order, as a tool returns it.
#[derive(Debug)]
#[arg_type]
struct Order {
    id: String,
    total: f64,
    paid: bool,
}

fn order(id: String, detailed: Option<bool>) -> Order {
    Order { id, total: 49.5, paid: detailed.unwrap_or(true) }
}

/// Looks up one order.
#[tool(effect = "read")]
async fn get_order(
    /// The order's id, like O-4471.
    #[arg(min_length = 1, max_length = 20)]
    order_id: String,
    /// Whether to say more.
    detailed: Option<bool>,
) -> Order {
    order(order_id, detailed)
}

/// Looks up one order, through every gate and limit that a read can have.
#[tool(
    effect = "read",
    scopes("orders:read"),
    check = known(&order_id),
    timeout = "5s",
    concurrency = 8,
    result_limit = 4_096,
    reads_private,
    reads_untrusted
)]
async fn guarded_order(
    /// The order's id, like O-4471.
    #[arg(min_length = 1, max_length = 20)]
    order_id: String,
    /// Whether to say more.
    detailed: Option<bool>,
) -> Order {
    order(order_id, detailed)
}

fn known(order_id: &str) -> Result<(), ToolError> {
    if order_id.starts_with('O') { Ok(()) } else { Err(ToolError::business("no such order")) }
}

const ARGUMENTS: &str = r#"{"order_id":"O-4471","detailed":true}"#;

pub(crate) fn figures() -> Vec<Figure> {
    vec![Figure {
        name: "gates.read.overhead".to_owned(),
        of: "the same call in a registry without them",
        contender: guarded(),
        floor: bare(),
    }]
}

fn bare() -> Contender {
    let registry = Registry::builder().tools(tools![get_order]).build();
    let view = registry.expect("the registry is right").view(Caller::new("figures"));
    let call = ToolCall::new("call_1", "get_order", ARGUMENTS);
    Box::new(move || dispatched(view.dispatch(&call, Options::default())))
}

fn guarded() -> Contender {
    let registry = Registry::builder()
        .tools(tools![guarded_order])
        .timer(ThreadTimer)
        .limits(Limits { at_once: 32, ..Limits::default() })
        .build();
    let caller = Caller::new("figures").scopes(["orders:read"]);
    let view = registry.expect("the registry is right").view(caller);
    let call = ToolCall::new("call_1", "guarded_order", ARGUMENTS);
    Box::new(move || dispatched(view.dispatch(&call, Options::default())))
}
