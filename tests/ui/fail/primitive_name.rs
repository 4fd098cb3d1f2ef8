use toolkit::prelude::*;

/// Finds.
#[tool]
fn str(x: &str) {
    let _ = x;
}

fn main() {}
