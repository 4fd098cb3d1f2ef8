use toolkit::Verified;
use toolkit::prelude::*;

struct Paid;

async fn find(_: &str) -> Verified<String> {
    Verified::Unknown
}

/// Pays.
#[tool(effect = "write", on_unknown = verify(amount > 5), preview = amount)]
fn neither(amount: u64) {
    let _ = amount;
}

/// Pays.
#[tool(effect = "write", on_unknown = verify(find(id)), preview = find(id))]
fn no_await(id: &str) {
    let _ = id;
}

/// Pays.
#[tool(effect = "write", on_unknown = verify(Verified::Applied(Paid)))]
fn no_result() {}

/// Pays.
#[tool(effect = "write", preview = Err::<String, u8>(5))]
fn no_error() {}

/// Pays.
#[tool(effect = "write", preview = format!("pays {total}"), on_unknown = verify(find(order).await))]
fn unknown_names(amount: u64) {
    let _ = amount;
}

fn main() {}
