use toolkit::prelude::*;

/// Pays.
#[tool(scopes = "payments:write")]
fn assigned() {}

/// Pays.
#[tool(scopes())]
fn none() {}

/// Pays.
#[tool(scopes(payments))]
fn bare() {}

/// Pays.
#[tool(scopes("payments:write", " ", "payments:write"))]
fn blank_and_twice() {}

fn main() {}
