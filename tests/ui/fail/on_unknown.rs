use toolkit::prelude::*;

/// Pays.
#[tool(effect = "write", on_unknown = "re_run")]
fn misspelt() {}

/// Pays.
#[tool(effect = "write", on_unknown = "ask")]
fn unlike_any() {}

/// Pays.
#[tool(effect = "write", on_unknown = "verify")]
fn a_word_for_the_expression() {}

/// Pays.
#[tool(effect = "write", on_unknown = verify)]
fn no_expression() {}

/// Pays.
#[tool(effect = "write", on_unknown = verify())]
fn blank_expression() {}

/// Pays.
#[tool(effect = "write", on_unknown = verify(a, b))]
fn two_expressions() {}

/// Pays.
#[tool(effect = "write", on_unknown = rerun)]
fn no_quotes() {}

/// Pays.
#[tool(effect = "write", on_unknown("rerun"))]
fn no_equals() {}

/// Pays.
#[tool(effect = "write", on_unknown)]
fn no_value() {}

/// Pays.
#[tool(effect = "write", verify = looked_up())]
fn a_key_of_its_own() {}

/// Pays.
#[tool(effect = "write", on_unknown = "rerun", on_unknown = "in_doubt")]
fn twice() {}

fn main() {}
