use toolkit::prelude::*;

/// Finds.
#[tool]
unsafe fn without_promise() {}

/// Finds.
#[tool]
extern "C" fn foreign() {}

/// Finds.
#[tool]
struct Thing;

/// Finds.
#[tool]
fn conditional(#[cfg(debug_assertions)] _a: u8) {}

fn main() {}
