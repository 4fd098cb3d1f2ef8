use toolkit::prelude::*;

/// Pays.
#[tool(annotations(read_only_hint), effect = "write")]
fn pay() {}

/// Finds.
#[tool(effect = "read", annotations(destructive_hint, idempotent_hint = false))]
fn find() {}

/// Closes.
#[tool(effect = "irreversible", annotations(destructive_hint = false))]
fn close() {}

/// Tells.
#[tool(annotations(read_only_hint))]
fn tell() {}

/// Sets.
#[tool(effect = "write", annotations(idempotent_hint = false), on_unknown = "rerun")]
fn set() {}

/// Looks.
#[tool(annotations(title = "Look", readOnlyHint = true, open_world_hint = "no"))]
fn look() {}

/// Waits.
#[tool(annotations(), open_world_hint = false)]
fn wait() {}

fn main() {}
