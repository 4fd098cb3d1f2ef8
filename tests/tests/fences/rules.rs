//! What the gates say beside the words: whose fault it is, and whether to try again.

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
