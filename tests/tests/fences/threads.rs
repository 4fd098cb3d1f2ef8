//! Functions that block have threads of their own, and one that is lost is replaced.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use toolkit::ledger::{Filter, Ledger, MemoryLedger, Settings};
use toolkit::prelude::*;
use toolkit::{Cancellation, Limits, RegistryBuilder, Tokio, Verified};

#[derive(Default)]
struct Gate {
    open: AtomicBool,
    spins: AtomicUsize,
    is_broken: AtomicBool,
    sent: AtomicUsize,
}

impl Gate {
    fn sees(&self) -> Verified<&'static str> {
        match self.sent.load(Ordering::Relaxed) {
            0 => Verified::NotApplied,
            _ => Verified::Applied("it was sent"),
        }
    }
}

/// Spins until the gate opens.
#[tool(effect = "read", blocking, timeout = "50ms")]
fn spin(#[state] gate: &Gate) {
    while !gate.open.load(Ordering::Relaxed) {
        gate.spins.fetch_add(1, Ordering::Relaxed);
        thread::yield_now();
    }
}

/// Spins, one at a time.
#[tool(effect = "read", blocking, timeout = "50ms", concurrency = 1)]
fn spin_alone(#[state] gate: &Gate) {
    spin(gate);
}

/// Sends when the gate opens, and can look whether it did.
#[tool(effect = "write", blocking, timeout = "50ms", on_unknown = verify(gate.sees()))]
fn send(#[state] gate: &Gate) {
    spin(gate);
    if !gate.is_broken.load(Ordering::Relaxed) {
        gate.sent.fetch_add(1, Ordering::Relaxed);
    }
}

/// Pays in another thread.
#[tool(
    effect = "write",
    blocking,
    timeout = "20s",
    check = known(order_id),
    approval(amount > 1_000),
    preview = format!("pays {amount} for {order_id}")
)]
fn pay(
    #[context] cx: &CallContext,
    #[state] gate: Arc<Gate>,
    order_id: &str,
    amount: u32,
    tags: &[String],
    r#type: Option<String>,
) -> Result<String, ToolError> {
    gate.spins.fetch_add(1, Ordering::Relaxed);
    let of = r#type.unwrap_or_default();
    let name = thread::current().name().unwrap_or_default().to_owned();
    Ok(format!("{} {order_id} {amount} {tags:?} {of} {name}", cx.caller().principal()))
}

fn known(order_id: &str) -> Result<(), ToolError> {
    if order_id.starts_with('O') { Ok(()) } else { Err(ToolError::business("no such order")) }
}

/// Works until nobody wants it.
#[tool(effect = "read", blocking, timeout = "50ms")]
fn heed(#[context] cx: &CallContext) {
    while !cx.cancellation().is_cancelled() {
        thread::yield_now();
    }
}

/// Breaks in another thread.
#[tool(effect = "read", blocking)]
fn burst() {
    panic!("hunter2")
}

struct Till(u32);

#[toolbox]
impl Till {
    /// Counts the till.
    #[tool(effect = "read", blocking)]
    fn count(&self, coins: Vec<u32>) -> u32 {
        self.0 + coins.iter().sum::<u32>()
    }
}

fn building(gate: &Arc<Gate>) -> RegistryBuilder {
    Registry::builder()
        .tools(tools![spin, spin_alone, send, pay, heed, burst])
        .toolbox(Till(1))
        .state(Arc::clone(gate))
        .ledger(MemoryLedger::new())
        .timer(Tokio)
        .threads(Tokio)
}

async fn called(view: &View, name: &str, arguments: &str) -> Outcome {
    view.dispatch(ToolCall::new("1", name, arguments), Options::default()).await.unwrap()
}

#[tokio::test]
async fn a_function_that_blocks_gets_its_arguments_in_a_thread_of_its_own() {
    let view = building(&Arc::default()).build().unwrap().view(Caller::new("ann"));
    let arguments = r#"{"order_id":"O-1","amount":5,"tags":["a"],"type":"sale"}"#;
    let here = thread::current().name().unwrap_or_default().to_owned();
    let outcome = called(&view, "pay", arguments).await;
    assert!(outcome.text().starts_with(r#"ann O-1 5 ["a"] sale "#), "{}", outcome.text());
    assert!(!outcome.text().ends_with(&here));
    assert_eq!(called(&view, "pay", arguments).await.status(), Status::Duplicate);
    let refused = called(&view, "pay", r#"{"order_id":"X","amount":5,"tags":[]}"#).await;
    assert_eq!(refused.status(), Status::Rejected);
    let asked = called(&view, "pay", r#"{"order_id":"O-2","amount":5000,"tags":[]}"#).await;
    assert_eq!(asked.status(), Status::AwaitingApproval);
    assert_eq!(called(&view, "count", r#"{"coins":[1,2]}"#).await.text(), "4");
}

#[tokio::test]
async fn a_busy_loop_is_answered_in_time_and_its_thread_is_counted_and_replaced() {
    let gate = Arc::new(Gate::default());
    let limits = Limits { at_once: 1, lost_threads: 3, ..Limits::default() };
    let registry = building(&gate).limits(limits).timeout(Duration::from_millis(50));
    let registry = registry.build().unwrap();
    let view = registry.view(Caller::new("ann"));
    for lost in 1..=4 {
        let start = Instant::now();
        let outcome = called(&view, "spin", "{}").await;
        assert_eq!(outcome.text(), "spin did not answer within 50ms");
        assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
        assert_eq!(registry.lost_threads(), lost);
    }
    // The fourth has the only place that is left, for as long as it spins.
    assert_eq!(called(&view, "spin", "{}").await.status(), Status::Unavailable);
    gate.open.store(true, Ordering::Relaxed);
    while registry.lost_threads() > 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    assert_eq!(called(&view, "spin", "{}").await.status(), Status::Ok);
}

#[tokio::test]
async fn what_is_exclusive_stays_so_while_a_lost_thread_runs_on() {
    let gate = Arc::new(Gate::default());
    let registry = building(&gate).build().unwrap();
    let view = registry.view(Caller::new("ann"));
    assert_eq!(called(&view, "spin_alone", "{}").await.status(), Status::Failed);
    assert_eq!(called(&view, "spin_alone", "{}").await.status(), Status::Unavailable);
    gate.open.store(true, Ordering::Relaxed);
    while registry.lost_threads() > 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    assert_eq!(called(&view, "spin_alone", "{}").await.status(), Status::Ok);
}

const LEASE: Duration = Duration::from_millis(150);
const SETTLE: Duration = Duration::from_millis(50);

/// A registry in which a lost attempt counts as settled soon.
fn hasty(gate: &Arc<Gate>) -> Registry {
    let settings = Settings { lease: LEASE, settle: SETTLE, ..Settings::default() };
    building(gate).ledger_settings(settings).build().unwrap()
}

/// No thread spins on when a test fails.
struct Opens(Arc<Gate>);

impl Drop for Opens {
    fn drop(&mut self) {
        self.0.open.store(true, Ordering::Relaxed);
    }
}

async fn opened(gate: &Gate, registry: &Registry) {
    gate.open.store(true, Ordering::Relaxed);
    while registry.lost_threads() > 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test]
async fn a_call_whose_thread_is_lost_is_not_run_again_before_that_is_over() {
    let gate = Arc::new(Gate::default());
    let _opens = Opens(Arc::clone(&gate));
    let registry = hasty(&gate);
    let view = registry.view(Caller::new("ann"));
    assert_eq!(called(&view, "send", "{}").await.status(), Status::InDoubt);
    for _ in 0..4 {
        tokio::time::sleep(LEASE + SETTLE).await;
        // The tool looks, and sees nothing yet.
        assert_eq!(called(&view, "send", "{}").await.status(), Status::InDoubt);
    }
    opened(&gate, &registry).await;
    let found = called(&view, "send", "{}").await;
    assert_eq!((found.status(), found.result_text()), (Status::Duplicate, "it was sent"));
    assert_eq!(gate.sent.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_lost_thread_tells_the_ledger_three_times_a_lease_that_it_runs() {
    let gate = Arc::new(Gate::default());
    let _opens = Opens(Arc::clone(&gate));
    let ledger = Arc::new(MemoryLedger::new());
    let settings = Settings { lease: LEASE, settle: SETTLE, ..Settings::default() };
    let builder = building(&gate).ledger(Arc::clone(&ledger)).ledger_settings(settings);
    let view = builder.build().unwrap().view(Caller::new("ann"));
    let start = Instant::now();
    assert_eq!(called(&view, "send", "{}").await.status(), Status::InDoubt);
    tokio::time::sleep(LEASE * 2).await;
    let rows = ledger.list(&Filter::default()).await.unwrap();
    let lines = ledger.history(&rows[0].key).await.unwrap();
    let beats = lines.iter().filter(|line| line.event == "heartbeat").count();
    let most = start.elapsed().as_millis() / (LEASE / 3).as_millis() + 2;
    assert!((1..=most).contains(&(beats as u128)), "{beats} of {most}");
}

#[tokio::test]
async fn a_lost_thread_that_did_nothing_lets_its_call_run_again_once_it_is_over() {
    let gate = Arc::new(Gate::default());
    let _opens = Opens(Arc::clone(&gate));
    let registry = hasty(&gate);
    let view = registry.view(Caller::new("ann"));
    assert_eq!(called(&view, "send", "{}").await.status(), Status::InDoubt);
    gate.is_broken.store(true, Ordering::Relaxed);
    opened(&gate, &registry).await;
    gate.is_broken.store(false, Ordering::Relaxed);
    assert_eq!(called(&view, "send", "{}").await.status(), Status::InDoubt);
    tokio::time::sleep(LEASE + SETTLE).await;
    assert_eq!(called(&view, "send", "{}").await.status(), Status::Ok);
    assert_eq!(gate.sent.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_dropped_dispatch_whose_thread_goes_on_is_not_run_again() {
    let gate = Arc::new(Gate::default());
    let _opens = Opens(Arc::clone(&gate));
    let registry = hasty(&gate);
    let view = registry.view(Caller::new("ann"));
    let midway = tokio::time::timeout(Duration::from_millis(20), called(&view, "send", "{}"));
    assert!(midway.await.is_err());
    for _ in 0..4 {
        tokio::time::sleep(LEASE + SETTLE).await;
        assert_eq!(called(&view, "send", "{}").await.status(), Status::InProgress);
    }
    opened(&gate, &registry).await;
    tokio::time::sleep(LEASE).await;
    let found = called(&view, "send", "{}").await;
    assert_eq!((found.status(), found.result_text()), (Status::Duplicate, "it was sent"));
    assert_eq!(gate.sent.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_function_that_blocks_hears_that_it_is_wanted_no_more() {
    let registry = building(&Arc::default()).build().unwrap();
    let view = registry.view(Caller::new("ann"));
    assert_eq!(called(&view, "heed", "{}").await.status(), Status::Failed);
    let word = Cancellation::new();
    let options = Options::default().cancellation(word.clone());
    let running = view.dispatch(ToolCall::new("1", "heed", "{}"), options);
    let (outcome, ()) = tokio::join!(running, async { word.cancel() });
    assert!(matches!(outcome.unwrap().status(), Status::Failed | Status::NotRun));
    while registry.lost_threads() > 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test]
async fn a_panic_in_another_thread_is_an_outcome_and_costs_no_place() {
    let limits = Limits { at_once: 1, ..Limits::default() };
    let registry = building(&Arc::default()).limits(limits).build().unwrap();
    let view = registry.view(Caller::new("ann"));
    for _ in 0..toolkit_tests::cases(1_000).min(10_000) {
        let outcome = called(&view, "burst", "{}").await;
        assert_eq!((outcome.status(), outcome.executed()), (Status::Failed, true));
        assert!(outcome.text().starts_with("burst failed internally"), "{}", outcome.text());
    }
    assert_eq!(registry.lost_threads(), 0);
    assert_eq!(called(&view, "count", r#"{"coins":[1]}"#).await.text(), "2");
}

#[test]
fn threads_that_are_missing_or_take_no_work_are_a_mistake_that_is_told() {
    let gate = Arc::new(Gate::default());
    let errors = Registry::builder().tools(tools![burst]).state(gate).build().unwrap_err();
    assert_eq!(
        errors.iter().map(ToolConfigError::message).collect::<Vec<_>>(),
        ["it blocks its thread and there is no other for it; add `.threads(…)`, like \
          `.threads(Tokio)` with the feature `tokio`"],
    );
    // Outside of a runtime, tokio has no threads.
    let registry = Registry::builder().tools(tools![burst]).threads(Tokio).build().unwrap();
    let call = ToolCall::new("1", "burst", "{}");
    let ended = registry.view(Caller::new("ann")).dispatch_blocking(call, Options::default());
    assert!(matches!(ended, Err(toolkit::Abort::Config(_))), "{ended:?}");
}
