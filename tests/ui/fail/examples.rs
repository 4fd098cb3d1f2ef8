use toolkit::prelude::*;

/// Finds.
#[tool(examples((order = "O-1"), (order_id = "O-1", order_id = "O-2"), (bank = 1)))]
fn find(#[state] bank: &String, order_id: &str) {
    let _ = (bank, order_id);
}

/// Finds.
#[tool(examples(("order_id" = "O-1")))]
fn quoted(order_id: &str) {
    let _ = order_id;
}

/// Finds.
#[tool(examples = ["O-1"])]
fn listed(order_id: &str) {
    let _ = order_id;
}

/// Finds.
#[tool(examples(order_id = "O-1"))]
fn bare(order_id: &str) {
    let _ = order_id;
}

/// Finds.
#[tool(examples((order_id: "O-1")))]
fn colon(order_id: &str) {
    let _ = order_id;
}

struct Order;

/// Finds.
#[tool(examples((order_id = Order)))]
fn no_json(order_id: &str) {
    let _ = order_id;
}

fn main() {}
