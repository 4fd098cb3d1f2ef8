use toolkit::prelude::*;

/// Pays.
#[tool(effect = "write", approval(amount > 500, quorom = 2, four_eye, timeout = "2h"))]
fn misspelt(amount: u64) {
    let _ = amount;
}

/// Pays.
#[tool(effect = "write", approval(amount > 500, quorum = 0))]
fn nobody(amount: u64) {
    let _ = amount;
}

/// Pays.
#[tool(effect = "write", approval(amount > 500, quorum = "two", four_eyes = 1))]
fn wrong_values(amount: u64) {
    let _ = amount;
}

/// Pays.
#[tool(effect = "write", approval(amount > 500, quorum, time_to_live = 2h))]
fn no_values(amount: u64) {
    let _ = amount;
}

/// Pays.
#[tool(effect = "write", approval(true, time_to_live = "2 hours"))]
fn no_time() {}

/// Pays.
#[tool(effect = "write", approval(true, time_to_live = "59s"))]
fn too_short() {}

/// Pays.
#[tool(effect = "write", approval(true, time_to_live = "31d"))]
fn too_long() {}

/// Pays.
#[tool(effect = "write", approval(quorum = 2))]
fn no_rule() {}

/// Pays.
#[tool(approval(four_eyes), effect = "read")]
fn no_rule_of_a_read() {}

/// Pays.
#[tool(effect = "write", approval())]
fn nothing() {}

/// Pays.
#[tool(effect = "write", approval(quorum = 2, amount > 500))]
fn the_rule_behind(amount: u64) {
    let _ = amount;
}

/// Pays.
#[tool(effect = "irreversible", approval(quorum = 2, quorum = 3))]
fn twice() {}

/// Pays.
#[tool(effect = "irreversible", quorum = 2)]
fn outside() {}

/// Pays.
#[tool(effect = "write", approval(amount > 500, scopes("pay")))]
fn inside(amount: u64) {
    let _ = amount;
}

fn main() {}
