use std::rc::Rc;
use std::sync::Arc;

use toolkit::prelude::*;

struct Bank;

/// Pays.
#[tool]
fn for_good(#[state] bank: &'static Bank) {
    let _ = bank;
}

/// Pays.
#[tool]
fn local(#[state] bank: Rc<Bank>, #[state] other: &Arc<Rc<Bank>>) {
    let _ = (bank, other);
}

/// Pays.
#[tool]
fn keyed(#[state(main)] bank: &Bank, #[context = 1] cx: &CallContext) {
    let _ = (bank, cx);
}

fn main() {}
