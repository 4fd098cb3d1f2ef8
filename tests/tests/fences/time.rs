//! A call is over in time, and what is said of it then is true.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;
use toolkit::ledger::{Desk, Filter, MemoryLedger, RowState};
use toolkit::prelude::*;
use toolkit::{Abort, Cancellation, RegistryBuilder, ThreadTimer, Verified};

/// Looks up, for ever.
#[tool(effect = "read", timeout = "50ms")]
async fn look() {
    pending::<()>().await;
}

/// Pays, and does not come back.
#[tool(effect = "write", timeout = "50ms")]
async fn pay(#[state] paid: &AtomicU32) {
    paid.fetch_add(1, Ordering::Relaxed);
    pending::<()>().await;
}

/// Switches on, and does not come back.
#[tool(effect = "write", timeout = "50ms", on_unknown = "rerun")]
async fn switch() {
    pending::<()>().await;
}

/// Sends, in no ledger.
#[tool(effect = "write", timeout = "50ms", ledger = none("a test"))]
async fn send() {
    pending::<()>().await;
}

/// Switches off, in no ledger.
#[tool(effect = "write", timeout = "50ms", on_unknown = "rerun", ledger = none("a test"))]
async fn switch_off() {
    pending::<()>().await;
}

/// Thinks before it acts.
#[tool(effect = "write", timeout = "50ms", check = pending::<Result<(), ToolError>>().await)]
async fn ponder(#[state] paid: &AtomicU32) {
    paid.fetch_add(1, Ordering::Relaxed);
}

/// Tells nothing of what it would do.
#[tool(effect = "irreversible", timeout = "50ms", preview = pending::<String>().await)]
async fn hide(#[state] paid: &AtomicU32) {
    paid.fetch_add(1, Ordering::Relaxed);
}

fn registry(with: impl FnOnce(RegistryBuilder) -> RegistryBuilder) -> Registry {
    let builder = Registry::builder()
        .tools(tools![look, pay, switch, send, switch_off, ponder, hide])
        .state(AtomicU32::new(0))
        .timer(tokio::time::sleep);
    with(builder).build().unwrap()
}

fn view() -> View {
    registry(|builder| builder.ledger(MemoryLedger::new())).view(Caller::new("ann"))
}

async fn called(view: &View, name: &str) -> Outcome {
    view.dispatch(ToolCall::new("1", name, "{}"), Options::default()).await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_read_that_is_late_has_failed_and_anything_else_is_in_doubt() {
    let view = view();
    let unknown = "it is not known whether it took effect. It is not run again by itself. \
                   Do not call it again; tell the user.";
    for (tool, status, text) in [
        ("look", Status::Failed, "look did not answer within 50ms".to_owned()),
        ("pay", Status::InDoubt, format!("pay did not answer within 50ms, and {unknown}")),
        ("switch", Status::Failed, "switch did not answer within 50ms".to_owned()),
        ("send", Status::InDoubt, format!("send did not answer within 50ms, and {unknown}")),
        ("switch_off", Status::Failed, "switch_off did not answer within 50ms".to_owned()),
    ] {
        let outcome = called(&view, tool).await;
        assert_eq!((outcome.status(), outcome.text()), (status, text.as_str()));
        assert!(outcome.executed());
        assert_eq!(outcome.is_retryable(), status == Status::Failed, "{tool}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_late_before_its_function_is_unavailable_and_nothing_ran() {
    let view = view();
    for tool in ["ponder", "hide"] {
        let outcome = called(&view, tool).await;
        assert_eq!((outcome.status(), outcome.executed()), (Status::Unavailable, false), "{tool}");
        assert_eq!(
            outcome.host_note(),
            Some("what comes before the function took longer than 50ms"),
        );
    }
    let rehearsed = ToolCall::new("1", "hide", "{}");
    let rehearsed = view.dispatch(rehearsed, Options::default().dry_run()).await.unwrap();
    assert_eq!(rehearsed.status(), Status::Unavailable);
}

#[tokio::test(start_paused = true)]
async fn a_late_call_stays_in_doubt_and_is_never_run_again() {
    let paid = Arc::new(AtomicU32::new(0));
    let ledger = Arc::new(MemoryLedger::new());
    let registry = Registry::builder()
        .tools(tools![pay])
        .state(Arc::clone(&paid))
        .ledger(Arc::clone(&ledger))
        .timer(tokio::time::sleep)
        .build()
        .unwrap();
    let view = registry.view(Caller::new("ann"));
    for _ in 0..3 {
        assert_eq!(called(&view, "pay").await.status(), Status::InDoubt);
    }
    assert_eq!(paid.load(Ordering::Relaxed), 1);
    let rows = Desk::new(ledger).in_doubt().await.unwrap();
    let causes: Vec<&str> = rows.iter().map(|row| row.cause.as_str()).collect();
    assert_eq!(causes, ["the tool did not answer in time"]);
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_says_nothing_has_the_registrys_time_and_half_a_minute_where_that_says_nothing()
{
    /// Waits.
    #[tool(effect = "read")]
    async fn wait(#[context] cx: &CallContext) {
        assert!(cx.deadline().is_some());
        pending::<()>().await;
    }
    let timed = || Registry::builder().tools(tools![wait]).timer(tokio::time::sleep);
    let usual = timed().build().unwrap().view(Caller::new("ann"));
    let start = tokio::time::Instant::now();
    assert_eq!(called(&usual, "wait").await.text(), "wait did not answer within 30s");
    assert_eq!(start.elapsed().as_secs(), 30);
    let short = timed().timeout(Duration::from_secs(2)).build().unwrap().view(Caller::new("ann"));
    assert_eq!(called(&short, "wait").await.text(), "wait did not answer within 2s");
}

#[tokio::test(start_paused = true)]
async fn a_person_may_take_as_long_as_a_person_does() {
    /// Closes an account.
    #[tool(effect = "irreversible", timeout = "1s")]
    async fn close() {}
    let registry = Registry::builder()
        .tools(tools![close])
        .ledger(MemoryLedger::new())
        .timer(tokio::time::sleep)
        .approver(|_: ApprovalRequest| async {
            tokio::time::sleep(Duration::from_secs(7_200)).await;
            Decision::Approved
        });
    let view = registry.build().unwrap().view(Caller::new("ann"));
    assert_eq!(called(&view, "close").await.status(), Status::Ok);
}

#[test]
fn a_host_without_an_executor_has_a_timer_too() {
    let registry = Registry::builder().tools(tools![look]).timer(ThreadTimer).build().unwrap();
    let start = Instant::now();
    let call = ToolCall::new("1", "look", "{}");
    let outcome = registry.view(Caller::new("ann")).dispatch_blocking(call, Options::default());
    assert_eq!(outcome.unwrap().text(), "look did not answer within 50ms");
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[test]
fn an_executors_timer_outside_of_it_is_a_mistake_that_is_told() {
    let registry = Registry::builder().tools(tools![look]).timer(tokio::time::sleep);
    let view = registry.build().unwrap().view(Caller::new("ann"));
    let ended = view.dispatch_blocking(ToolCall::new("1", "look", "{}"), Options::default());
    let Err(Abort::Config(error)) = ended else { panic!("{ended:?}") };
    assert_eq!(
        error.to_string(),
        "tool `look`: the timer panicked where the call was dispatched; an executor's timer works \
         inside of it alone, a `ThreadTimer` everywhere",
    );
}

#[test]
fn a_time_limit_without_a_timer_is_found_when_the_registry_is_built() {
    /// Adds.
    #[tool(effect = "read", timeout = "1s")]
    async fn add() {}
    let dynamic =
        Tool::dynamic("wait", "Waits.", json!({}), |_, _| async { Ok::<_, ToolError>(()) })
            .effect(toolkit::Effect::Read)
            .timeout(Duration::ZERO);
    let errors = Registry::builder()
        .tools(tools![add])
        .tool(dynamic)
        .timeout(Duration::from_secs(100_000))
        .build()
        .unwrap_err();
    let messages: Vec<&str> = errors.iter().map(ToolConfigError::message).collect();
    let unwoken = "it has a time limit and nothing wakes the registry; add `.timer(…)` with the \
                   executor's, or with a `ThreadTimer`";
    assert_eq!(
        messages,
        [
            "the time limit of the registry is 100000s; between a millisecond and a day is right",
            unwoken,
            "its time limit is 0ns; between a millisecond and a day is right",
            unwoken,
        ],
    );
    let errors = Registry::builder().timeout(Duration::from_secs(1)).build().unwrap_err();
    assert_eq!(
        errors.iter().map(ToolConfigError::message).collect::<Vec<_>>(),
        ["the registry has a time limit and nothing wakes it; add `.timer(…)` with the \
          executor's, or with a `ThreadTimer`"],
    );
}

#[test]
fn a_deadline_that_nothing_wakes_for_is_a_mistake_that_is_told() {
    let view = toolkit_tests::view_of(toolkit_tests::echo(json!({})));
    let deadline = Instant::now() + Duration::from_secs(60);
    let call = ToolCall::new("1", "echo", "{}");
    let ended = view.dispatch_blocking(call, Options::default().deadline(deadline));
    assert!(matches!(ended, Err(Abort::Config(_))), "{ended:?}");
}

#[test]
fn a_deadline_ends_what_waits_and_what_runs() {
    let registry = Registry::builder()
        .tools(tools![look, pay])
        .state(AtomicU32::new(0))
        .ledger(MemoryLedger::new())
        .timer(ThreadTimer)
        .timeout(Duration::from_secs(600));
    /// Waits.
    #[tool(effect = "read", timeout = "10m")]
    async fn wait() {
        pending::<()>().await;
    }
    let view = registry.tools(tools![wait]).build().unwrap().view(Caller::new("ann"));
    let by = |deadline: Instant, tool: &str| {
        let options = Options::default().deadline(deadline);
        view.dispatch_blocking(ToolCall::new("1", tool, "{}"), options).unwrap()
    };
    let past = by(Instant::now(), "wait");
    assert_eq!((past.status(), past.executed()), (Status::Unavailable, false));
    assert_eq!(past.host_note(), Some("its deadline has passed"));
    let soon = by(Instant::now() + Duration::from_millis(30), "wait");
    assert_eq!(soon.text(), "wait did not answer by the deadline of this call");
    assert_eq!((soon.status(), soon.executed()), (Status::Failed, true));
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_cancelled_before_its_function_did_not_run() {
    let view = view();
    let word = Cancellation::new();
    word.cancel();
    for tool in ["look", "pay", "ponder"] {
        let options = Options::default().cancellation(word.clone());
        let outcome = view.dispatch(ToolCall::new("1", tool, "{}"), options).await.unwrap();
        assert_eq!((outcome.status(), outcome.executed()), (Status::NotRun, false), "{tool}");
    }
    let word = Cancellation::new();
    let options = Options::default().cancellation(word.clone());
    let pondering = view.dispatch(ToolCall::new("1", "ponder", "{}"), options);
    let (outcome, ()) = tokio::join!(pondering, async {
        tokio::task::yield_now().await;
        word.cancel();
    });
    assert_eq!(outcome.unwrap().status(), Status::NotRun);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_cancelled_while_it_runs_is_settled_in_doubt() {
    let ledger = Arc::new(MemoryLedger::new());
    let registry = registry(|builder| builder.ledger(Arc::clone(&ledger)));
    let view = registry.view(Caller::new("ann"));
    for (tool, status) in [("look", Status::Failed), ("pay", Status::InDoubt)] {
        let word = Cancellation::new();
        let options = Options::default().cancellation(word.clone());
        let running = view.dispatch(ToolCall::new("1", tool, "{}"), options);
        let (outcome, ()) = tokio::join!(running, async {
            tokio::time::sleep(Duration::from_millis(10)).await;
            word.cancel();
        });
        let outcome = outcome.unwrap();
        assert_eq!((outcome.status(), outcome.executed()), (status, true), "{}", outcome.text());
    }
    assert_eq!(Desk::new(ledger).in_doubt().await.unwrap().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn what_a_function_does_at_once_when_it_hears_the_word_counts() {
    /// Waits, and gives up in good order.
    #[tool(effect = "write")]
    async fn wait(#[context] cx: &CallContext) -> Result<(), ToolError> {
        cx.cancellation().cancelled().await;
        Err(ToolError::transient("nothing was sent yet"))
    }
    let registry = Registry::builder().tools(tools![wait]).ledger(MemoryLedger::new());
    let view = registry.build().unwrap().view(Caller::new("ann"));
    let word = Cancellation::new();
    let options = Options::default().cancellation(word.clone());
    let running = view.dispatch(ToolCall::new("1", "wait", "{}"), options);
    let (outcome, ()) = tokio::join!(running, async {
        tokio::task::yield_now().await;
        word.cancel();
    });
    let outcome = outcome.unwrap();
    assert_eq!((outcome.status(), outcome.text()), (Status::Failed, "nothing was sent yet"));
    assert!(outcome.is_retryable());
}

#[tokio::test(start_paused = true)]
async fn a_dropped_dispatch_leaves_its_row_running_and_tells_what_goes_on_without_it() {
    /// Starts work that goes on by itself.
    #[tool(effect = "write")]
    async fn start(#[context] cx: &CallContext, #[state] word: &Heard) {
        word.set(cx.cancellation().clone()).unwrap();
        pending::<()>().await;
    }
    let (ledger, word) = (Arc::new(MemoryLedger::new()), Arc::new(Heard::new()));
    let registry = Registry::builder()
        .tools(tools![start])
        .state(Arc::clone(&word))
        .ledger(Arc::clone(&ledger))
        .timer(tokio::time::sleep);
    let view = registry.build().unwrap().view(Caller::new("ann"));
    let running = view.dispatch(ToolCall::new("1", "start", "{}"), Options::default());
    assert!(tokio::time::timeout(Duration::from_millis(5), running).await.is_err());
    assert!(word.get().unwrap().is_cancelled());
    assert_eq!(rows(&ledger).await, [RowState::Running]);
    let again = called(&view, "start").await;
    assert_eq!((again.status(), again.executed()), (Status::InProgress, false));
}

/// The word that a call heard.
type Heard = std::sync::OnceLock<Cancellation>;

async fn rows(ledger: &MemoryLedger) -> Vec<RowState> {
    let rows = toolkit::ledger::Ledger::list(ledger, &Filter::default()).await.unwrap();
    rows.into_iter().map(|row| row.state).collect()
}

#[tokio::test(start_paused = true)]
async fn a_look_that_does_not_come_back_leaves_the_call_in_doubt() {
    /// Pays.
    #[tool(
        effect = "write",
        timeout = "50ms",
        on_unknown = verify(pending::<Verified<String>>().await),
    )]
    async fn transfer() -> String {
        pending().await
    }
    let registry = Registry::builder()
        .tools(tools![transfer])
        .ledger(MemoryLedger::new())
        .timer(tokio::time::sleep);
    let view = registry.build().unwrap().view(Caller::new("ann"));
    for _ in 0..2 {
        assert_eq!(called(&view, "transfer").await.status(), Status::InDoubt);
    }
}
