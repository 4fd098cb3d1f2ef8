//! Calls that nobody waited for to the end.

use std::future::pending;
use std::time::{Duration, Instant};

use serde_json::json;
use toolkit::ledger::MemoryLedger;
use toolkit::prelude::*;
use toolkit::{Cancellation, Category};

use super::ran::look;
use super::{Told, assert_told, end};

/// Waits for a letter.
#[tool(effect = "read", timeout = "1h")]
async fn wait() {
    pending::<()>().await;
}

/// Waits for a letter, in no ledger.
#[tool(effect = "write", timeout = "1h", ledger = none("a test"))]
async fn wait_and_see() {
    pending::<()>().await;
}

/// Pays, and does not come back.
#[tool(effect = "write", timeout = "1h")]
async fn transfer(account: &str) {
    let _ = account;
    pending::<()>().await;
}

/// Thinks before it acts.
#[tool(effect = "read", timeout = "1h", check = pending::<Result<(), ToolError>>().await)]
async fn ponder() {}

pub(super) fn calls_whose_time_is_over() -> Vec<Told> {
    let runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = { runtime }.enable_time().start_paused(true).build().unwrap();
    let registry = Registry::builder()
        .tools(tools![wait, wait_and_see, transfer, ponder, look])
        .ledger(MemoryLedger::new())
        .timer(tokio::time::sleep)
        .build()
        .unwrap();
    let view = registry.view(Caller::new("ann"));
    let called_with = |tool: &str, arguments: &str, options: Options| {
        let call = ToolCall::new("call_1", tool, arguments);
        runtime.block_on(view.dispatch(call, options)).unwrap()
    };
    let called = |tool: &str, options: Options| called_with(tool, "{}", options);
    let deadline = |left: Duration| Options::default().deadline(Instant::now() + left);
    let cancelled = |tool: &str, arguments: &str, is_before: bool| {
        let word = Cancellation::new();
        if is_before {
            word.cancel();
        }
        let call = ToolCall::new("call_1", tool, arguments);
        let dispatch = view.dispatch(call, Options::default().cancellation(word.clone()));
        let cancel = async {
            tokio::time::sleep(Duration::from_millis(10)).await;
            word.cancel();
        };
        runtime.block_on(async { tokio::join!(dispatch, cancel) }).0.unwrap()
    };
    let failed = |text: &str| end(Status::Failed, text).ran().of(Category::Transient).again();
    let unavailable = |tool: &str, note: &str| {
        let end = end(Status::Unavailable, &format!("{tool} was not executed; try again later"));
        end.of(Category::Transient).again().note(note)
    };
    let unknown = "it is not known whether it took effect. It is not run again by itself. \
                   Do not call it again; tell the user.";
    let in_doubt = |text: &str| {
        end(Status::InDoubt, &format!("{text}, and {unknown}")).of(Category::Transient)
    };
    let mut told = vec![
        (called("wait", Options::default()), failed("wait did not answer within 3600s")),
        (
            called("wait", deadline(Duration::from_secs(1800))),
            failed("wait did not answer by the deadline of this call"),
        ),
        (
            called("wait_and_see", Options::default()),
            in_doubt("wait_and_see did not answer within 3600s").ran(),
        ),
        (
            called("ponder", Options::default()),
            unavailable("ponder", "what comes before the function took longer than 3600s"),
        ),
        (called("wait", deadline(Duration::ZERO)), unavailable("wait", "its deadline has passed")),
        (
            cancelled("wait", "{}", false),
            end(Status::Failed, "stopped midway: the turn ended while this call was running")
                .ran()
                .again(),
        ),
        (
            cancelled("wait", "{}", true),
            end(Status::NotRun, "not run: the turn ended before this call was reached"),
        ),
        (
            Outcome::not_run(),
            end(Status::NotRun, "not run: the turn ended before this call was reached"),
        ),
    ];
    let [late, overdue, stopped] =
        ["A-1", "A-2", "A-3"].map(|account| json!({ "account": account }).to_string());
    let soon = deadline(Duration::from_secs(1800));
    for (outcome, text) in [
        (
            called_with("transfer", &late, Options::default()),
            "transfer did not answer within 3600s",
        ),
        (
            called_with("transfer", &overdue, soon),
            "transfer did not answer by the deadline of this call",
        ),
        (
            cancelled("transfer", &stopped, false),
            "stopped midway: the turn ended while this call was running",
        ),
    ] {
        told.push((outcome, in_doubt(text).ran()));
    }
    for (arguments, why) in [
        (&late, "the tool did not answer in time"),
        (&overdue, "its deadline passed while it ran"),
        (&stopped, "it was cancelled while it ran"),
    ] {
        let again = called_with("transfer", arguments, Options::default());
        told.push((again, in_doubt("transfer was called before").note(why)));
    }
    told
}

#[test]
fn a_call_that_was_left_says_whether_it_ran() {
    assert_told(calls_whose_time_is_over());
}
