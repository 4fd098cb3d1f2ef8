use toolkit::prelude::*;

/// Pays.
#[tool(requires(verify, get_order(order_ib), get_order(order_id, order_id)))]
fn misspelt_and_twice(order_id: &str) {
    let _ = order_id;
}

/// Pays.
#[tool(requires(get_order(bank)))]
fn not_the_models(#[state] bank: &u8, order_id: &str) {
    let _ = (bank, order_id);
}

/// Pays.
#[tool(requires(get_order(order_id)))]
fn no_arguments() {}

/// Pays.
#[tool(requires())]
fn nothing() {}

/// Pays.
#[tool(requires = verify)]
fn no_parentheses() {}

/// Pays.
#[tool(prerequisite(verify))]
fn another_word() {}

fn main() {}
