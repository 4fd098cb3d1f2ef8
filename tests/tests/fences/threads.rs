//! Functions that block have threads of their own, and one that is lost is replaced.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use toolkit::ledger::{Filter, Ledger, MemoryLedger, Settings, Timestamp};
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

/// A registry in which a lost attempt counts as settled soon, by a clock that stands still until it
/// is told otherwise: how busy the machine is does not matter.
struct Hasty {
    gate: Arc<Gate>,
    ledger: Arc<MemoryLedger>,
    clock: Arc<AtomicU64>,
    /// Whether the timer never wakes anybody.
    is_patient: Arc<AtomicBool>,
    registry: Registry,
}

fn hasty() -> Hasty {
    let (gate, clock) = (Arc::new(Gate::default()), Arc::new(AtomicU64::new(1_000_000)));
    let now = Arc::clone(&clock);
    let ledger = MemoryLedger::with_clock(move || Timestamp(now.load(Ordering::SeqCst)));
    let ledger = Arc::new(ledger);
    let is_patient = Arc::new(AtomicBool::default());
    let sleeps = Arc::clone(&is_patient);
    let timer = move |time| {
        let is_patient = sleeps.load(Ordering::SeqCst);
        async move {
            if is_patient {
                std::future::pending::<()>().await;
            }
            tokio::time::sleep(time).await;
        }
    };
    let settings = Settings { lease: LEASE, settle: SETTLE, ..Settings::default() };
    let builder = building(&gate).ledger(Arc::clone(&ledger)).ledger_settings(settings);
    let registry = builder.timer(timer).build().unwrap();
    Hasty { gate, ledger, clock, is_patient, registry }
}

impl Hasty {
    fn view(&self) -> View {
        self.registry.view(Caller::new("ann"))
    }

    fn passes(&self, time: Duration) {
        self.clock.fetch_add(u64::try_from(time.as_millis()).unwrap(), Ordering::SeqCst);
    }

    /// When the ledger was told that the thread runs on.
    async fn beats(&self) -> Vec<u64> {
        let rows = self.ledger.list(&Filter::default()).await.unwrap();
        let lines = self.ledger.history(&rows[0].key).await.unwrap();
        lines.iter().filter(|line| line.event == "heartbeat").map(|line| line.at.0).collect()
    }

    /// Waits until the ledger was told so as often, counted from some time on.
    async fn beaten(&self, times: usize, since: u64) {
        let start = Instant::now();
        while self.beats().await.iter().filter(|at| **at >= since).count() < times {
            assert!(start.elapsed() < Duration::from_secs(20), "the claim is not kept alive");
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    /// Lets four leases go by, in each of which the ledger is told that the thread runs on: once
    /// in a third of a lease, for every word is a write.
    async fn outlives_its_lease(&self, view: &View, status: Status) {
        let (start, before) = (Instant::now(), self.beats().await.len());
        for _ in 0..8 {
            self.passes(LEASE / 2);
            self.beaten(1, self.clock.load(Ordering::SeqCst)).await;
            assert_eq!(called(view, "send", "{}").await.status(), status);
        }
        let words = self.beats().await.len() - before;
        let thirds = start.elapsed().as_nanos() / (LEASE / 3).as_nanos();
        assert!(words as u128 <= thirds + 1, "{words} words in {thirds} thirds of a lease");
    }

    async fn opens(&self) {
        self.gate.open.store(true, Ordering::SeqCst);
        while self.registry.lost_threads() > 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    /// The call's answer once the attempt is settled: a last word that it ran may come after it did.
    async fn settled(&self, view: &View) -> Outcome {
        self.is_patient.store(true, Ordering::SeqCst);
        self.passes(LEASE + SETTLE);
        let outcome = called(view, "send", "{}").await;
        if outcome.executed() || outcome.status() == Status::Duplicate {
            return outcome;
        }
        self.passes(LEASE + SETTLE);
        called(view, "send", "{}").await
    }
}

/// No thread spins on when a test fails.
impl Drop for Hasty {
    fn drop(&mut self) {
        self.gate.open.store(true, Ordering::SeqCst);
    }
}

#[tokio::test]
async fn a_call_whose_thread_is_lost_is_not_run_again_before_that_is_over() {
    let house = hasty();
    let view = house.view();
    assert_eq!(called(&view, "send", "{}").await.status(), Status::InDoubt);
    // The tool looks, and sees nothing yet.
    house.outlives_its_lease(&view, Status::InDoubt).await;
    house.opens().await;
    let found = house.settled(&view).await;
    assert_eq!((found.status(), found.result_text()), (Status::Duplicate, "it was sent"));
    assert_eq!(house.gate.sent.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_lost_thread_tells_the_ledger_three_times_a_lease_that_it_runs() {
    let house = hasty();
    let start = Instant::now();
    assert_eq!(called(&house.view(), "send", "{}").await.status(), Status::InDoubt);
    house.beaten(4, 0).await;
    let beats = house.beats().await.len();
    let most = start.elapsed().as_millis() / (LEASE / 3).as_millis() + 2;
    assert!(beats as u128 <= most, "{beats} of {most}");
}

#[tokio::test]
async fn a_lost_thread_that_did_nothing_lets_its_call_run_again_once_it_is_over() {
    let house = hasty();
    let view = house.view();
    assert_eq!(called(&view, "send", "{}").await.status(), Status::InDoubt);
    house.gate.is_broken.store(true, Ordering::SeqCst);
    house.opens().await;
    house.gate.is_broken.store(false, Ordering::SeqCst);
    assert_eq!(called(&view, "send", "{}").await.status(), Status::InDoubt);
    assert_eq!(house.settled(&view).await.status(), Status::Ok);
    assert_eq!(house.gate.sent.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_dropped_dispatch_whose_thread_goes_on_is_not_run_again() {
    let house = hasty();
    let view = house.view();
    house.is_patient.store(true, Ordering::SeqCst);
    let midway = tokio::time::timeout(Duration::from_millis(20), called(&view, "send", "{}"));
    assert!(midway.await.is_err());
    house.outlives_its_lease(&view, Status::InProgress).await;
    house.opens().await;
    let found = house.settled(&view).await;
    assert_eq!((found.status(), found.result_text()), (Status::Duplicate, "it was sent"));
    assert_eq!(house.gate.sent.load(Ordering::SeqCst), 1);
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
