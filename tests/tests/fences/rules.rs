//! What the gates say beside the words: whose fault it is, and whether to try again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use toolkit::ledger::MemoryLedger;
use toolkit::prelude::*;
use toolkit::{Category, ToolError};
use toolkit_tests::{call, view_of};

fn rule(says: &str) -> Result<(), ToolError> {
    match says {
        "later" => Err(ToolError::transient("the bank sleeps").hint("try at nine")),
        "never" => Err(ToolError::business("the account is closed")),
        _ => Ok(()),
    }
}

/// Pays, by two rules.
#[tool(effect = "read", check = rule(first), check = rule(second))]
fn pay(first: &str, second: &str) -> String {
    format!("paid {first} {second}")
}

#[test]
fn rules_that_agree_on_what_is_wrong_say_so_together_and_others_are_business() {
    let view = view_of(Tool::of::<pay>());
    let said = |first: &str, second: &str| {
        let arguments = format!(r#"{{"first":"{first}","second":"{second}"}}"#);
        let outcome = call(&view, "pay", &arguments);
        assert_eq!((outcome.status(), outcome.executed()), (Status::Rejected, false));
        let hint = outcome.hint().map(str::to_owned);
        (outcome.problems().len(), outcome.category().unwrap(), outcome.is_retryable(), hint)
    };
    let hint = |text: &str| Some(text.to_owned());
    assert_eq!(said("later", "fine"), (1, Category::Transient, true, hint("try at nine")));
    assert_eq!(
        said("later", "later"),
        (2, Category::Transient, true, hint("try at nine\ntry at nine"))
    );
    assert_eq!(said("never", "never"), (2, Category::Business, false, None));
    assert_eq!(said("later", "never"), (2, Category::Business, false, hint("try at nine")));
    assert_eq!(said("never", "later"), (2, Category::Business, false, hint("try at nine")));
}

/// Closes an account, which somebody else must agree to.
#[tool(effect = "write", approval(true, four_eyes))]
fn close() {}

/// Opens a vault, which two must agree to.
#[tool(effect = "write", approval(true, quorum = 2))]
fn open() {}

#[test]
fn four_eyes_alone_and_a_quorum_alone_are_more_than_an_approver_in_line_has() {
    let registry = Registry::builder()
        .tools(tools![close, open])
        .ledger(MemoryLedger::new())
        .approver(|_: ApprovalRequest| async { panic!("one word is not enough") })
        .build()
        .unwrap();
    let view = registry.view(Caller::new("ann"));
    for name in ["close", "open"] {
        assert_eq!(call(&view, name, "{}").status(), Status::AwaitingApproval, "{name}");
    }
}

/// Counts what there is.
#[tool(effect = "read")]
fn stock() -> u32 {
    7
}

/// Ships an order.
#[tool(effect = "read", requires(stock))]
fn ship() {}

/// Refuses, for good.
#[tool(effect = "write")]
fn refuse() -> Result<(), ToolError> {
    Err(ToolError::business("the account is closed").hint("open another"))
}

/// Looks into the vault, which breaks the first time.
#[tool(effect = "read", approval(true))]
fn peek(#[state] is_broken: &AtomicBool) -> &'static str {
    assert!(!is_broken.swap(false, Ordering::SeqCst), "hunter2");
    "gold"
}

#[test]
fn each_end_says_whose_fault_it_is_and_whether_to_try_again() {
    let approver = |request: ApprovalRequest| async move {
        assert!(!request.is_tainted(), "nothing was read");
        if request.tool() == "peek" { Decision::Approved } else { Decision::declined("no") }
    };
    let registry = Registry::builder()
        .tools(tools![stock, ship, refuse, peek, sell])
        .state(Arc::new(AtomicBool::new(true)))
        .ledger(MemoryLedger::new())
        .approver(approver)
        .build()
        .unwrap();
    let view = registry.view(Caller::new("ann"));
    let said = |view: &View, name: &str| {
        let outcome = call(view, name, "{}");
        (outcome.status(), outcome.category(), outcome.is_retryable())
    };
    let business = Some(Category::Business);
    assert_eq!(said(&view, "ship"), (Status::Prerequisite, business, true));
    let alone = view.clone().scoped(["ship"]);
    assert_eq!(said(&alone, "ship"), (Status::Prerequisite, business, false));
    let note = "it requires `stock`, which this view does not show";
    assert_eq!(call(&alone, "ship", "{}").host_note(), Some(note));
    assert_eq!(said(&view, "sell"), (Status::Declined, Some(Category::Permission), false));
    assert_eq!(said(&view, "refuse"), (Status::Failed, business, false));
    assert_eq!(said(&view, "refuse"), (Status::Duplicate, business, false));
    assert_eq!(call(&view, "refuse", "{}").hint(), Some("open another"));
    // What broke off and only reads is harmless to repeat, also where a ledger keeps it.
    assert_eq!(call(&view, "peek", "{}").status(), Status::Failed);
    assert_eq!(said(&view, "peek"), (Status::Ok, None, false));
}

/// Sells the house.
#[tool(effect = "write", approval(true))]
fn sell() {}
