use toolkit::prelude::*;

/// Adds⁠.
#[tool]
fn add(a: u8) -> u8 {
    a
}

/// Subtracts. Prices in € are fine, and so is 👩‍🚀.
#[tool]
fn subtract(
    /// What to take​.
    a: u8,
) -> u8 {
    a
}

const TAGGED: &str = "Multiplies.\u{e0041}";

#[tool(description = TAGGED)]
fn multiply() {}

fn main() {}
