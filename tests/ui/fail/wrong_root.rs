use toolkit::prelude::*;

/// Finds.
#[tool(crate = nowhere)]
fn find(order_id: &str) {
    let _ = order_id;
}

#[arg_type(crate = "toolkit")]
struct Order {
    id: String,
}

fn main() {}
