use toolkit::prelude::*;

/// Finds.
#[tool]
fn find() {}

mod find {}

/// Finds.
#[tool(name = "look")]
fn look() {}

/// Looks.
#[tool]
fn look() {}

fn main() {}
