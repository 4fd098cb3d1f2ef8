use std::sync::Arc;

use toolkit::prelude::*;

struct Bank;

/// Finds.
#[tool]
fn owned(#[context] cx: CallContext) {
    let _ = cx;
}

/// Finds.
#[tool]
fn shared(#[context] cx: Arc<CallContext>) {
    let _ = cx;
}

/// Finds.
#[tool]
fn mutable(#[context] cx: &mut CallContext, #[state] bank: &mut Bank) {
    let _ = (cx, bank);
}

fn main() {}
