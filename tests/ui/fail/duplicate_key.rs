use toolkit::prelude::*;

#[tool(description = "Adds.", effect = "read", description = "Subtracts.")]
fn tool_key() {}

/// Adds.
#[tool]
fn parameter_key(#[arg(minimum = 1, minimum = 2)] a: u8, #[arg(maximum = 1)] #[arg(maximum = 2)] b: u8) {
    let _ = (a, b);
}

/// Adds.
#[tool]
#[tool]
fn attribute() {}

fn main() {}
