use toolkit::prelude::*;

/// Pays.
#[tool(effect = "write", idempotency(order_ib, currency, order_id, r#currency))]
fn misspelt_and_twice(order_id: &str, currency: &str) {
    let _ = (order_id, currency);
}

/// Pays.
#[tool(effect = "write", idempotency(bank, cx, unlike))]
fn not_the_models(#[state] bank: &u8, #[context] cx: &CallContext, order_id: &str, amount: u8) {
    let _ = (bank, cx, order_id, amount);
}

/// Pays.
#[tool(effect = "write", idempotency(orderId))]
fn renamed(#[arg(rename = "orderId")] order_id: &str) {
    let _ = order_id;
}

/// Pays.
#[tool(effect = "write", idempotency(order_id))]
fn no_arguments() {}

/// Pays.
#[tool(effect = "write", idempotency("order_id"))]
fn quotes(order_id: &str) {
    let _ = order_id;
}

/// Pays.
#[tool(effect = "write", idempotency())]
fn nothing(order_id: &str) {
    let _ = order_id;
}

/// Pays.
#[tool(effect = "write", idempotency = order_id)]
fn no_parentheses(order_id: &str) {
    let _ = order_id;
}

/// Pays.
#[tool(effect = "write", idempotency(order.id))]
fn an_expression(order: Vec<u8>) {
    let _ = order;
}

struct Bank;

#[toolbox]
impl Bank {
    /// Pays.
    #[tool(effect = "write", idempotency(self))]
    fn of_a_toolbox(&self, order_id: &str) {
        let _ = order_id;
    }
}

fn main() {}
