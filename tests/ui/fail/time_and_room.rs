use toolkit::prelude::*;

/// Counts.
#[tool(timeout = "5 s", concurrency = 0, result_limit = 10)]
async fn malformed() {}

/// Counts.
#[tool(timeout = 5, concurrency = "1", result_limit = 1_000_000_000_000)]
async fn other_types() {}

/// Counts.
#[tool(timeout = "2d", blocking)]
async fn too_long() {}

/// Counts.
#[tool(timeout = "5s")]
fn never_left() {}

fn main() {}
