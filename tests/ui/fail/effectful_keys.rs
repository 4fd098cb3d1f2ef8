use toolkit::prelude::*;

/// Finds.
#[tool(effect = "read", on_unknown = "rerun")]
fn of_a_read(id: &str) {
    let _ = id;
}

/// Finds.
#[tool(ledger = none("it is only a test"), idempotency(id), effect = "read")]
fn before_a_read(id: &str) {
    let _ = id;
}

/// Pays.
#[tool(idempotency(id), on_unknown = "rerun", ledger = none("it is only a test"))]
fn without_an_effect(id: &str) {
    let _ = id;
}

/// Pays.
#[tool(effect = "wrote", idempotency(id))]
fn of_an_unknown_effect(id: &str) {
    let _ = id;
}

fn main() {}
