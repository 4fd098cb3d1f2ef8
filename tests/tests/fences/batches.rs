//! The calls of one reply: each has an end of its own, and what one is told tells nothing of
//! another.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::json;
use toolkit::dialect::{Ending, Message, Part};
use toolkit::ledger::MemoryLedger;
use toolkit::prelude::*;
use toolkit::{Agent, RegistryBuilder, Reply, ScriptedModel};

type Paid = Arc<AtomicU64>;

#[arg_type]
enum How {
    Ok,
    Fail,
    Panic,
}

/// Looks.
#[tool(effect = "read")]
async fn look(how: How) -> Result<&'static str, ToolError> {
    tokio::task::yield_now().await;
    match how {
        How::Ok => Ok("seen"),
        How::Fail => Err(ToolError::business("nothing to see")),
        How::Panic => panic!("hunter2"),
    }
}

/// Pays; a large amount needs a person.
#[tool(effect = "write", approval(amount > 100))]
async fn pay(#[state] paid: &AtomicU64, amount: u64) -> String {
    tokio::task::yield_now().await;
    paid.fetch_add(amount, Ordering::SeqCst);
    format!("paid {amount}")
}

/// Says what was paid.
#[tool(effect = "read")]
fn sum(#[state] paid: &AtomicU64) -> u64 {
    paid.load(Ordering::SeqCst)
}

fn building(paid: &Paid) -> RegistryBuilder {
    let builder = Registry::builder().tools(tools![look, pay, sum]);
    builder.state(Arc::clone(paid)).ledger(MemoryLedger::new())
}

/// How each call of one reply ended, by its id.
fn ended<const N: usize>(
    view: View,
    calls: [(&str, serde_json::Value); N],
) -> Vec<(String, String)> {
    let calls = calls.into_iter().enumerate().map(|(number, (name, arguments))| {
        Part::Call(ToolCall::from_value(format!("c{number}"), name, arguments))
    });
    let replies = [Reply::from_parts(calls, Ending::Calls), Reply::text("Done.")];
    let run = Agent::new(ScriptedModel::new(replies), view).run_blocking("Go.").unwrap();
    let results = run.transcript().iter().flat_map(|message| match message {
        Message::Results(answered) => answered.as_slice(),
        _ => &[],
    });
    let one = |id: &str, outcome: &Outcome| {
        let text = match outcome.status() {
            Status::Ok => outcome.text().to_owned(),
            other => other.to_string(),
        };
        (id.to_owned(), text)
    };
    results.map(|answered| one(answered.call.id(), &answered.outcome)).collect()
}

fn each<const N: usize>(texts: [&str; N]) -> Vec<(String, String)> {
    let texts = texts.into_iter().enumerate();
    texts.map(|(number, text)| (format!("c{number}"), text.to_owned())).collect()
}

fn amount(amount: u64) -> (&'static str, serde_json::Value) {
    ("pay", json!({ "amount": amount }))
}

#[test]
fn one_that_fails_and_one_that_panics_cost_the_others_nothing() {
    let view = building(&Paid::default()).build().unwrap().view(Caller::new("ann"));
    let how = |how: &str| ("look", json!({ "how": how }));
    assert_eq!(
        ended(view, [how("Ok"), how("Fail"), how("Panic"), how("Ok"), how("Never")]),
        each(["seen", "failed", "failed", "seen", "invalid"]),
    );
}

#[test]
fn the_same_effect_twice_is_one() {
    for _ in 0..100 {
        let paid = Paid::default();
        let view = building(&paid).build().unwrap().view(Caller::new("ann"));
        assert_eq!(ended(view, [amount(5), amount(5)]), each(["paid 5", "duplicate"]));
        assert_eq!(paid.load(Ordering::SeqCst), 5);
    }
}

#[test]
fn a_read_sees_what_was_written_before_it_and_not_what_was_after() {
    let sum = || ("sum", json!({}));
    for _ in 0..100 {
        let view = building(&Paid::default()).build().unwrap().view(Caller::new("ann"));
        assert_eq!(
            ended(view, [sum(), amount(5), sum(), amount(6), sum()]),
            each(["0", "paid 5", "5", "paid 6", "11"]),
        );
    }
}

#[test]
fn of_three_only_the_one_that_needs_a_person_waits() {
    let paid = Paid::default();
    let view = building(&paid).build().unwrap().view(Caller::new("ann"));
    assert_eq!(
        ended(view, [amount(1), amount(500), amount(2)]),
        each(["paid 1", "awaiting_approval", "paid 2"]),
    );
    assert_eq!(paid.load(Ordering::SeqCst), 3);
}

#[test]
fn what_a_person_declines_is_that_one_call() {
    let paid = Paid::default();
    let approver = |request: ApprovalRequest| async move {
        match request.arguments()["amount"].as_u64() {
            Some(500) => Decision::declined("too much"),
            _ => Decision::Approved,
        }
    };
    let registry = building(&paid).approver(approver).build().unwrap();
    assert_eq!(
        ended(registry.view(Caller::new("ann")), [amount(200), amount(500), amount(300)]),
        each(["paid 200", "declined", "paid 300"]),
    );
    assert_eq!(paid.load(Ordering::SeqCst), 500);
}
