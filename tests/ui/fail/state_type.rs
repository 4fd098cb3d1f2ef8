use std::sync::Arc;

use toolkit::prelude::*;

struct Bank;

/// Pays.
#[tool]
fn pay(#[state] bank: Bank, #[state] other: Option<Arc<Bank>>, #[context] cx: &Bank) {
    let _ = (bank, other, cx);
}

/// Pays.
#[tool]
fn both(
    #[state]
    #[context]
    bank: &Bank,
) {
    let _ = bank;
}

/// Pays.
#[tool]
fn not_shared(#[state] cell: &std::cell::Cell<u8>) {
    let _ = cell;
}

fn main() {}
