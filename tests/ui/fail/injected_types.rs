use toolkit::prelude::*;
use toolkit::{CallContext, Caller, Scopes};

/// Finds.
#[tool]
fn find(caller: Caller, scopes: &Scopes, cx: &CallContext) {
    let _ = (caller, scopes, cx);
}

fn main() {}
