use toolkit::prelude::*;

/// Pays.
#[tool(effect = "write", ledger = "none")]
fn no_reason() {}

/// Pays.
#[tool(effect = "write", ledger = none)]
fn no_quotes() {}

/// Pays.
#[tool(effect = "write", ledger = none())]
fn nothing() {}

/// Pays.
#[tool(effect = "write", ledger = none("  "))]
fn blank() {}

/// Pays.
#[tool(effect = "write", ledger = false)]
fn a_flag() {}

/// Pays.
#[tool(effect = "write", ledger = "sqlite")]
fn a_store() {}

/// Pays.
#[tool(effect = "write", ledger = none(REASON))]
fn a_constant() {}

/// Pays.
#[tool(effect = "write", ledger)]
fn no_value() {}

fn main() {}
