//! What the gates say beside the words: whose fault it is, and whether to try again.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Waker};

use toolkit::__private::{Annotated, NoRules, Table, read0};
use toolkit::ledger::{Filter, Ledger, MemoryLedger, RowState};
use toolkit::prelude::*;
use toolkit::{Abort, Category, ToolError};
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

/// A call function as no attribute writes one: it asks the gates before its arguments.
struct Hasty;

impl Annotated for Hasty {
    const TABLE: &'static Table = &Table::NONE
        .name("hasty")
        .description("Does not wait for its arguments.")
        .place(module_path!(), file!(), line!())
        .later(|passage| {
            Ok(Box::pin(async move {
                passage.pass(&NoRules).await?;
                panic!("nothing runs")
            }))
        });
}

#[test]
fn a_call_function_that_asks_its_rules_before_its_arguments_is_a_mistake_and_runs_nothing() {
    let view = view_of(Tool::of::<Hasty>());
    let call = ToolCall::new("call_1", "hasty", "{}");
    let ended = view.dispatch_blocking(call, Options::default());
    let Err(Abort::Config(error)) = ended else { panic!("{ended:?}") };
    assert_eq!(error.tool(), Some("hasty"));
    assert_eq!(error.message(), "its rules were asked before its arguments");
}

/// A call function that is done when it returns, and asks for rules all the same.
struct Headlong;

impl Annotated for Headlong {
    const TABLE: &'static Table = &Table::NONE
        .name("headlong")
        .description("Has rules and no time for them.")
        .place(module_path!(), file!(), line!())
        .at_once(|passage| {
            read0(passage)?;
            pollster::block_on(passage.pass(&NoRules))?;
            panic!("nothing runs")
        });
}

#[test]
fn a_call_function_that_is_done_at_once_and_has_rules_is_a_mistake_and_runs_nothing() {
    let call = ToolCall::new("call_1", "headlong", "{}");
    let ended = view_of(Tool::of::<Headlong>()).dispatch_blocking(call, Options::default());
    let Err(Abort::Config(error)) = ended else { panic!("{ended:?}") };
    assert_eq!(error.message(), "it is done when it returns, and has rules all the same");
}

/// Deletes a file, and does not say its effect.
#[tool]
fn delete(path: &str) {
    panic!("nothing runs: {path}")
}

#[test]
fn a_tool_that_does_not_say_its_effect_is_rehearsed_as_one_that_writes() {
    let rehearsed = |registry: Registry, options: Options| {
        let call = ToolCall::new("call_1", "delete", r#"{"path": "a"}"#);
        let outcome = registry.view(Caller::new("ann")).dispatch_blocking(call, options).unwrap();
        (outcome.status(), outcome.executed(), outcome.text().to_owned())
    };
    let building = || Registry::builder().tools(tools![delete]);
    let text =
        r#"dry run: every check was passed and nothing ran. delete would run with {"path":"a"}"#;
    let told = (Status::DryRun, false, text.to_owned());
    assert_eq!(rehearsed(building().build().unwrap(), Options::default().dry_run()), told);
    let in_shadow = building().dry_run().build().unwrap();
    assert_eq!(rehearsed(in_shadow, Options::default()), told);
}

/// Ships what there is, unless the rule says otherwise.
#[tool(effect = "read", requires(stock), check = rule(says))]
fn ship_by_rule(says: &str) {
    panic!("nothing runs: {says}")
}

#[test]
fn what_has_to_be_done_before_is_asked_before_the_rules_are() {
    let registry = Registry::builder().tools(tools![stock, ship_by_rule]).build().unwrap();
    let view = registry.view(Caller::new("ann"));
    let outcome = call(&view, "ship_by_rule", r#"{"says": "never"}"#);
    assert_eq!(outcome.status(), Status::Prerequisite);
}

/// Engraves one text at a time.
#[tool(effect = "write", concurrency = 1)]
async fn engrave(text: &str) {
    let _ = text;
    pending::<()>().await;
}

#[test]
fn a_call_that_has_no_room_to_run_in_is_not_claimed() {
    let ledger = Arc::new(MemoryLedger::new());
    let builder = Registry::builder().tools(tools![engrave]).ledger(Arc::clone(&ledger));
    let view = builder.build().unwrap().view(Caller::new("ann"));
    let first = ToolCall::new("call_1", "engrave", r#"{"text": "a"}"#);
    let mut running = Box::pin(view.dispatch(&first, Options::default()));
    assert!(running.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    let second = call(&view, "engrave", r#"{"text": "b"}"#);
    assert_eq!((second.status(), second.executed()), (Status::Unavailable, false));
    assert_eq!(second.host_note(), Some("as many calls run as may at the same time"));
    let rows = pollster::block_on(ledger.list(&Filter::default())).unwrap();
    assert_eq!(rows.iter().map(|row| row.state).collect::<Vec<_>>(), [RowState::Running]);
}
