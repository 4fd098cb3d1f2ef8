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

fn main() {}
