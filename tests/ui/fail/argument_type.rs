use toolkit::prelude::*;

struct Order;

/// Finds.
#[tool]
fn find(order: Order, lent: &Order, listed: Vec<Order>) {
    let _ = (order, lent, listed);
}

/// Finds.
#[tool]
fn borrowed(name: Option<&str>, text: &mut String) {
    let _ = (name, text);
}

/// Finds.
#[tool]
fn without_size(shape: &dyn std::fmt::Debug) {
    let _ = shape;
}

fn main() {
    let _ = tools![find, borrowed, without_size];
}
