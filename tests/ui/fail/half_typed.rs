use toolkit::prelude::*;

/// Finds.
#[tool]
fn find(order_id: &str) -> String {
    let found = order_id.;
    found.to_owned()
}

fn main() {
    let _ = find("O-1");
    let _ = tools![find];
}
