use toolkit::prelude::*;

/// Pays.
#[tool(effect = "write", preview_must_match)]
fn nothing_to_match() {}

/// Pays.
#[tool(effect = "write", preview_must_match = "yes", preview = "pays")]
fn no_flag() {}

/// Pays.
#[tool(effect = "write", preview)]
fn no_value() {}

/// Pays.
#[tool(effect = "write", preview("pays", "much"))]
fn two_texts() {}

/// Pays.
#[tool(effect = "write", preview = "pays", preview = "pays")]
fn twice() {}

/// Pays.
#[tool(effect = "write", preview = "pays", preview_must_macth)]
fn misspelt() {}

fn main() {}
