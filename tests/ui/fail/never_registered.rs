#![deny(dead_code)]

use toolkit::prelude::*;

/// Counts from one.
#[tool]
fn first() {}

/// Goes on.
#[tool]
fn second() {}

/// Is forgotten.
#[tool]
fn third() {}

fn main() {
    let registry = Registry::builder().tools(tools![first]).tool(Tool::of::<second>()).build();
    assert!(registry.is_ok());
}
