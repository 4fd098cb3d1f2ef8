use toolkit::prelude::*;

/// Pays.
#[tool(effect = "wirte")]
fn misspelt() {}

/// Pays.
#[tool(effect = "delete")]
fn unlike_any() {}

fn main() {}
