//! A loop that goes round and round comes to an end.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use toolkit::dialect::{Ending, Message, Part};
use toolkit::prelude::*;
use toolkit::{Agent, Budget, Cancellation, Model, ModelError, Reply, ScriptedModel, Stop, Turn};

/// Fails, but for 7.
#[tool(effect = "read")]
async fn fail(#[state] tried: &AtomicUsize, number: u8) -> Result<&'static str, ToolError> {
    tried.fetch_add(1, Ordering::Relaxed);
    if number == 7 { Ok("lucky") } else { Err(ToolError::validation("not lucky")) }
}

fn view(tried: &Arc<AtomicUsize>) -> View {
    let registry = Registry::builder().tools(tools![fail]).state(Arc::clone(tried));
    registry.build().unwrap().view(Caller::new("ann"))
}

fn statuses(run: &toolkit::Run) -> Vec<Status> {
    let results = run.transcript().iter().flat_map(|message| match message {
        Message::Results(answered) => answered.as_slice(),
        _ => &[],
    });
    results.map(|answered| answered.outcome.status()).collect()
}

#[test]
fn the_very_same_call_is_not_tried_for_ever() {
    let tried = Arc::new(AtomicUsize::new(0));
    let same = || Reply::call("fail", r#"{"number":1}"#);
    let model = ScriptedModel::new([
        same(),
        same(),
        Reply::call("fail", r#"{"number":7}"#),
        same(),
        same(),
        Reply::call("fail", r#"{"number":2}"#),
        Reply::text("It can not be done."),
    ]);
    let run = Agent::new(model, view(&tried)).run_blocking("Try.").unwrap();
    use Status::{Failed, Ok, Unavailable};
    assert_eq!(statuses(&run), [Failed, Failed, Ok, Failed, Unavailable, Failed]);
    assert_eq!(tried.load(Ordering::Relaxed), 5);
    let Message::Results(answered) = &run.transcript()[10] else {
        panic!("{:?}", run.transcript())
    };
    assert_eq!(
        answered[0].outcome.text(),
        "this very call of \"fail\" failed 3 times in this run and was not tried again. \
         Change it, or tell the user.",
    );
}

#[test]
fn a_flood_of_equal_calls_in_one_reply_is_bounded_too() {
    let tried = Arc::new(AtomicUsize::new(0));
    let calls = (0..50)
        .map(|number| Part::Call(ToolCall::new(format!("c{number}"), "fail", r#"{"number":1}"#)));
    let model =
        ScriptedModel::new([Reply::from_parts(calls, Ending::Calls), Reply::text("Enough.")]);
    let budget = Budget { at_once: 2, ..Budget::default() };
    let run = Agent::new(model, view(&tried)).budget(budget).run_blocking("Try.").unwrap();
    assert!(run.ok());
    assert!(tried.load(Ordering::Relaxed) <= 4, "{}", tried.load(Ordering::Relaxed));
}

#[tokio::test(start_paused = true)]
async fn the_reads_of_one_reply_run_so_many_at_a_time() {
    #[derive(Default)]
    struct Crowd(AtomicUsize, AtomicUsize);
    /// Waits.
    #[tool(effect = "read")]
    async fn wait(#[state] crowd: &Crowd) {
        let inside = crowd.0.fetch_add(1, Ordering::SeqCst) + 1;
        crowd.1.fetch_max(inside, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(10)).await;
        crowd.0.fetch_sub(1, Ordering::SeqCst);
    }
    let crowd = Arc::new(Crowd::default());
    let registry = Registry::builder().tools(tools![wait]).state(Arc::clone(&crowd));
    let calls = (0..20).map(|number| Part::Call(ToolCall::new(format!("c{number}"), "wait", "{}")));
    let model = ScriptedModel::new([Reply::from_parts(calls, Ending::Calls), Reply::text("Done.")]);
    let view = registry.build().unwrap().view(Caller::new("ann"));
    let run = Agent::new(model, view).run("Wait.").await.unwrap();
    assert_eq!(statuses(&run), [Status::Ok; 20]);
    assert_eq!(crowd.1.load(Ordering::SeqCst), 8);
}

/// A model that never replies.
struct Silent;

impl Model for Silent {
    async fn reply(&self, _: &Turn<'_>) -> Result<Reply, ModelError> {
        std::future::pending().await
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_is_ended_by_its_host_while_the_model_thinks_and_while_a_tool_runs() {
    let word = Cancellation::new();
    let tried = Arc::new(AtomicUsize::new(0));
    let agent = Agent::new(Silent, view(&tried)).cancellation(word.clone());
    let (run, ()) = tokio::join!(agent.run("Think."), async {
        tokio::task::yield_now().await;
        word.cancel();
    });
    assert_eq!(*run.unwrap().stop(), Stop::Cancelled);

    /// Waits.
    #[tool(effect = "read")]
    async fn wait() {
        std::future::pending::<()>().await;
    }
    let word = Cancellation::new();
    let view = Registry::builder().tools(tools![wait]).build().unwrap().view(Caller::new("ann"));
    let model = ScriptedModel::new([Reply::call("wait", "{}")]);
    let agent = Agent::new(model, view).cancellation(word.clone());
    let (run, ()) = tokio::join!(agent.run("Wait."), async {
        tokio::time::sleep(Duration::from_millis(1)).await;
        word.cancel();
    });
    let run = run.unwrap();
    assert_eq!(*run.stop(), Stop::Cancelled);
    assert_eq!(statuses(&run), [Status::Failed], "every call is answered");
}
