use toolkit::prelude::*;

/// Pays.
#[tool(listed = true, on_denied = "fatal")]
fn no_scopes() {}

/// Pays.
#[tool(on_denied = "outcome")]
fn no_scopes_either() {}

/// Pays.
#[tool(scopes("pay"), on_denied = "fatal")]
fn hidden() {}

/// Pays.
#[tool(on_denied = "fatal", scopes("pay"), listed = false)]
fn said_to_be_hidden() {}

/// Pays.
#[tool(scopes("pay"), listed = true, on_denied = "fatl")]
fn misspelt() {}

/// Pays.
#[tool(scopes("pay"), listed = "yes", on_denied = fatal)]
fn wrong_forms() {}

fn main() {}
