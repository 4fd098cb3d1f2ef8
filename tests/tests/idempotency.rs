//! A call runs once, whatever is sent twice and whatever breaks midway.

use std::fs::File;
use std::future::pending;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use serde_json::{Value, json};
use toolkit::dialect::Message;
use toolkit::ledger::{
    Desk, Durability, Filter, HistoryLine, Ledger, LedgerError, Loaded, MemoryLedger, Person,
    Resolution, Row, RowKey, RowState, Settings, Timestamp,
};
use toolkit::prelude::*;
use toolkit::{
    Abort, Agent, Bound, BoxFuture, Budget, Category, ModelError, Reply, ScriptedModel, Stop,
    Verified,
};

/// What happened in the world.
#[derive(Default)]
struct Bank(AtomicUsize);

impl Bank {
    fn pay(&self) -> usize {
        self.0.fetch_add(1, Ordering::SeqCst) + 1
    }

    fn payments(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

/// Refunds an order.
#[tool(effect = "write")]
fn refund(#[state] bank: &Bank, order_id: &str, #[arg(default = 20.0)] amount: f64) -> String {
    format!("refund {} of {amount} for {order_id}", bank.pay())
}

/// Sends a reminder.
#[tool(effect = "write", idempotency(invoice, day))]
fn remind(#[state] bank: &Bank, invoice: &str, day: Option<String>, words: &str) -> usize {
    let _ = (invoice, day, words);
    bank.pay()
}

/// Fails as it is told to.
#[tool(effect = "write")]
fn fail(#[state] bank: &Bank, how: &str) -> Result<(), Failure> {
    bank.pay();
    Err(match how {
        "passing" => ToolError::transient("the bank is closed").into(),
        "business" => ToolError::business("refunded already").hint("look first").into(),
        "fatal" => FatalToolError::denied("the account is frozen").into(),
        "panic" => panic!("password=hunter2"),
        _ => Failure::from(std::io::Error::other("password=hunter2")),
    })
}

/// Sets an address.
#[tool(effect = "write", on_unknown = "rerun")]
fn set_address(#[state] bank: &Bank, address: &str) -> Result<usize, Failure> {
    let _ = address;
    match bank.pay() {
        1 => Err(Failure::from(std::io::Error::other("the line broke"))),
        count => Ok(count),
    }
}

/// Pays with a key that the bank honours.
#[tool(effect = "write", on_unknown = "rerun_with_key")]
fn transfer(#[state] keys: &Keys, #[context] cx: &CallContext) -> Result<usize, Failure> {
    let mut keys = keys.0.lock().unwrap();
    keys.push(cx.idempotency_key().map(str::to_owned));
    if keys.len() == 1 { Err(Failure::from(std::io::Error::other("lost"))) } else { Ok(keys.len()) }
}

#[derive(Default)]
struct Keys(std::sync::Mutex<Vec<Option<String>>>);

/// Looks up an order.
#[tool(effect = "read")]
fn get_order(#[state] bank: &Bank) -> usize {
    bank.pay()
}

struct House {
    bank: Arc<Bank>,
    ledger: Arc<MemoryLedger>,
    view: View,
    clock: Arc<AtomicU64>,
}

fn house() -> House {
    let clock = Arc::new(AtomicU64::new(1_000_000));
    let hands = Arc::clone(&clock);
    let ledger =
        Arc::new(MemoryLedger::with_clock(move || Timestamp(hands.load(Ordering::SeqCst))));
    let bank = Arc::new(Bank::default());
    let registry = Registry::builder()
        .tools(tools![refund, remind, fail, set_address, get_order])
        .state(Arc::clone(&bank))
        .ledger(Arc::clone(&ledger))
        .build()
        .unwrap();
    House { bank, ledger, view: registry.view(Caller::new("ann")), clock }
}

impl House {
    fn call(&self, tool: &str, arguments: &str) -> Outcome {
        self.call_with(tool, arguments, Options::default().run_id("run-1"))
    }

    fn call_with(&self, tool: &str, arguments: &str, options: Options) -> Outcome {
        let call = ToolCall::new("call_1", tool, arguments);
        self.view.dispatch_blocking(call, options).unwrap()
    }

    fn later(&self, time: Duration) {
        let millis = u64::try_from(time.as_millis()).unwrap();
        self.clock.fetch_add(millis, Ordering::SeqCst);
    }

    fn rows(&self) -> Vec<(String, RowState)> {
        let rows = pollster::block_on(self.ledger.list(&Filter::default())).unwrap();
        rows.into_iter().map(|row| (row.tool, row.state)).collect()
    }
}

#[test]
fn a_call_that_is_sent_twice_is_answered_twice_and_runs_once() {
    let house = house();
    let first = house.call("refund", r#"{"order_id": "O-1"}"#);
    assert_eq!((first.status(), first.text()), (Status::Ok, "refund 1 of 20 for O-1"));
    // Another id, another order of the fields, the default written out: the same call.
    let again = house.call_with(
        "refund",
        r#"{"amount": 2e1, "order_id": "O-1"}"#,
        Options::default().run_id("run-1"),
    );
    assert_eq!((again.status(), again.executed()), (Status::Duplicate, false));
    assert_eq!(again.result_text(), first.text());
    assert_eq!((again.is_error(), again.first_status()), (false, Some(Status::Ok)));
    assert_eq!(house.bank.payments(), 1);
    assert_eq!(house.rows(), [("refund".to_owned(), RowState::Done)]);
}

#[test]
fn the_history_and_the_log_say_how_each_call_ended() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("how_each_call_ended");
    let told = |tool: &str, arguments: Value| {
        let house = house();
        let call = ToolCall::from_value("call_1", tool, arguments);
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(tracing::Level::TRACE)
            .with_writer(Arc::new(File::create(&path).unwrap()))
            .with_ansi(false)
            .finish();
        tracing::subscriber::with_default(subscriber, || {
            // A fatal error is no outcome.
            drop(house.view.dispatch_blocking(call, Options::default().run_id("run-1")));
        });
        let rows = pollster::block_on(house.ledger.list(&Filter::default())).unwrap();
        let [row] = rows.try_into().unwrap();
        let lines = pollster::block_on(house.ledger.history(&row.key)).unwrap();
        let [claimed, ended] = lines.try_into().unwrap();
        assert_eq!(claimed.event, "claimed");
        let log = std::fs::read_to_string(&path).unwrap();
        let event =
            log.lines().rev().find_map(|line| line.split_once("event=\"")?.1.split('"').next());
        (event.unwrap().to_owned(), format!("{}: {}", ended.event, ended.detail))
    };
    let ended = |event: &str, line: &str| (event.to_owned(), line.to_owned());
    let failed = |how: &str| told("fail", json!({ "how": how }));
    assert_eq!(told("refund", json!({"order_id": "O-1"})), ended("complete", "finished: ok"));
    assert_eq!(failed("business"), ended("fail for good", "finished: failed"));
    let passing = ended("fail without effect", "released: nothing happened: failed");
    assert_eq!(failed("passing"), passing);
    assert_eq!(failed("io"), ended("fail in the dark", "in doubt: the tool failed internally"));
    assert_eq!(failed("panic"), ended("fail in the dark", "in doubt: the tool panicked"));
}

/// A client that sends once more, a loop that asks once more, a job that begins once more.
#[test]
fn retries_at_every_layer_above_a_call_have_one_effect() {
    let tries = |how: &str| {
        let house = house();
        let arguments = json!({ "how": how }).to_string();
        let client = || [(); 3].map(|()| house.call("fail", &arguments).status());
        let told = [(); 3].map(|()| [(); 3].map(|()| client()));
        (told.into_iter().flatten().flatten().collect::<Vec<_>>(), house.bank.payments())
    };
    let decided: Vec<_> = [Status::Failed].into_iter().chain([Status::Duplicate; 26]).collect();
    assert_eq!(tries("business"), (decided, 1));
    assert_eq!(tries("io"), (vec![Status::InDoubt; 27], 1));
}

/// Refunds of one reply, of which the run is stopped after some, by its model or its host.
fn of_one_reply(house: &House, model: ScriptedModel, calls: usize) -> (Stop, Vec<Status>) {
    let budget = Budget { calls, ..Budget::default() };
    let agent = Agent::new(model, house.view.clone()).budget(budget).run_id("run-1");
    let run = agent.run_blocking("Refund both.").unwrap();
    let statuses = run.transcript().iter().flat_map(|message| match message {
        Message::Results(answered) => answered.as_slice(),
        _ => &[],
    });
    let statuses = statuses.map(|answered| answered.outcome.status()).collect();
    (run.stop().clone(), statuses)
}

fn two_refunds(first_id: usize) -> Reply {
    Reply::calls(["O-1", "O-2"].into_iter().enumerate().map(|(at, order)| {
        let id = format!("call_{}", first_id + at);
        ToolCall::from_value(id, "refund", json!({ "order_id": order }))
    }))
}

#[test]
fn a_reply_whose_run_was_stopped_midway_goes_on_with_the_call_that_did_not_run() {
    let house = house();
    let (stop, statuses) = of_one_reply(&house, ScriptedModel::new([two_refunds(1)]), 1);
    assert_eq!(stop, Stop::Budget(Bound::Calls));
    assert_eq!(statuses, [Status::Ok, Status::NotRun]);
    assert_eq!(house.bank.payments(), 1);
    let model = ScriptedModel::new([two_refunds(3), Reply::text("Both are refunded.")]);
    let (stop, statuses) = of_one_reply(&house, model, 100);
    assert_eq!((stop, statuses), (Stop::Answered, vec![Status::Duplicate, Status::Ok]));
    assert_eq!(house.bank.payments(), 2);
}

#[test]
fn a_run_that_is_repeated_since_its_model_failed_repeats_no_effect() {
    let house = house();
    let failed = ModelError::new("connection reset");
    let model = ScriptedModel::new([two_refunds(1)]).then_fail(failed.clone());
    let (stop, statuses) = of_one_reply(&house, model, 100);
    assert_eq!((stop, statuses), (Stop::Model(failed), vec![Status::Ok; 2]));
    let model = ScriptedModel::new([two_refunds(3), Reply::text("Both are refunded.")]);
    let (stop, statuses) = of_one_reply(&house, model, 100);
    assert_eq!((stop, statuses), (Stop::Answered, vec![Status::Duplicate; 2]));
    assert_eq!(house.bank.payments(), 2);
}

#[test]
fn calls_of_other_arguments_runs_principals_tenants_or_intents_are_other_calls() {
    let house = house();
    let order = r#"{"order_id": "O-1"}"#;
    house.call("refund", order);
    house.call("refund", r#"{"order_id": "O-2"}"#);
    house.call_with("refund", order, Options::default().run_id("run-2"));
    house.call_with("refund", order, Options::default().intent_id("ticket-4711:refund"));
    for caller in [Caller::new("bob"), Caller::new("ann").tenant("furniture")] {
        let view = View::clone(&house.view);
        let other = registry_of(&house).view(caller);
        let options = Options::default().run_id("run-1");
        let outcome = other.dispatch_blocking(ToolCall::new("1", "refund", order), options);
        assert_eq!(outcome.unwrap().status(), Status::Ok, "{view:?}");
    }
    assert_eq!(house.bank.payments(), 6);
}

fn registry_of(house: &House) -> Registry {
    Registry::builder()
        .tools(tools![refund])
        .state(Arc::clone(&house.bank))
        .ledger(Arc::clone(&house.ledger))
        .build()
        .unwrap()
}

#[test]
fn a_key_that_comes_with_other_arguments_is_a_conflict() {
    let house = house();
    let intent = || Options::default().intent_id("ticket-4711:refund");
    house.call_with("refund", r#"{"order_id": "O-1"}"#, intent());
    let other = house.call_with("refund", r#"{"order_id": "O-2"}"#, intent());
    assert_eq!((other.status(), other.executed()), (Status::Conflict, false));
    assert_eq!(
        other.text(),
        "refund was called with the same key and other arguments before; nothing ran. \
         Do not retry with changed arguments; tell the user.",
    );
    assert_eq!((other.category(), other.is_retryable()), (Some(Category::Business), false));
    assert_eq!(house.bank.payments(), 1);
}

#[test]
fn the_fields_that_a_tool_names_make_two_calls_one() {
    let house = house();
    let first = house.call("remind", r#"{"invoice": "I-1", "day": null, "words": "please"}"#);
    assert_eq!((first.status(), first.value()), (Status::Ok, Some(json!(1))));
    let same = house.call_with(
        "remind",
        r#"{"invoice": "I-1", "words": "please"}"#,
        Options::default().run_id("run-2"),
    );
    assert_eq!((same.status(), same.value()), (Status::Duplicate, Some(json!(1))));
    let other_words = house.call("remind", r#"{"invoice": "I-1", "words": "now!"}"#);
    assert_eq!(other_words.status(), Status::Conflict);
    let other_day = house.call("remind", r#"{"invoice": "I-1", "day": "Monday", "words": "now!"}"#);
    assert_eq!((other_day.status(), other_day.value()), (Status::Ok, Some(json!(2))));
}

#[test]
fn an_intent_id_that_is_none_is_the_hosts_mistake() {
    let house = house();
    let call = ToolCall::new("call_1", "refund", r#"{"order_id": "O-1"}"#);
    let abort = house.view.dispatch_blocking(call, Options::default().intent_id("refund-1"));
    let Err(Abort::Config(error)) = abort else { panic!("{abort:?}") };
    assert_eq!(error.tool(), Some("refund"));
    assert!(error.message().contains("an intent id has 16 to 255"), "{error}");
    assert_eq!((house.bank.payments(), house.rows()), (0, vec![]));
}

#[test]
fn a_passing_fault_frees_the_call_and_a_decision_is_given_again() {
    let house = house();
    for runs in 1..=2 {
        let outcome = house.call("fail", r#"{"how": "passing"}"#);
        assert_eq!((outcome.status(), outcome.is_retryable()), (Status::Failed, true));
        assert_eq!(house.bank.payments(), runs);
    }
    let decided = house.call("fail", r#"{"how": "business"}"#);
    assert_eq!(decided.text(), "refunded already\nhint: look first");
    let again = house.call("fail", r#"{"how": "business"}"#);
    assert_eq!((again.status(), again.is_error()), (Status::Duplicate, true));
    assert_eq!((again.result_text(), again.hint()), (decided.text(), Some("look first")));
    assert_eq!((again.category(), again.is_retryable()), (Some(Category::Business), false));
    assert_eq!(house.bank.payments(), 3);
}

#[test]
fn what_breaks_off_is_in_doubt_and_never_runs_again_by_itself() {
    for how in ["panic", "io"] {
        let house = house();
        let arguments = json!({ "how": how }).to_string();
        let quiet = panic::take_hook();
        panic::set_hook(Box::new(|_| {}));
        let outcome = house.call("fail", &arguments);
        panic::set_hook(quiet);
        let id = outcome.error_id().unwrap().to_owned();
        assert_eq!(
            outcome.text(),
            format!(
                "fail failed internally (error id {id}), and it is not known whether it took \
                 effect. It is not run again by itself. Do not call it again; tell the user."
            ),
        );
        assert_eq!((outcome.status(), outcome.executed()), (Status::InDoubt, true));
        assert_eq!((outcome.is_error(), outcome.is_retryable()), (true, false));
        let again = house.call("fail", &arguments);
        assert_eq!((again.status(), again.executed()), (Status::InDoubt, false));
        house.later(Duration::from_secs(40 * 24 * 60 * 60));
        assert_eq!(house.call("fail", &arguments).status(), Status::InDoubt);
        assert_eq!(house.bank.payments(), 1);
    }
}

#[test]
fn a_fatal_error_of_a_function_that_ran_leaves_its_call_in_doubt() {
    let house = house();
    let call = ToolCall::new("call_1", "fail", r#"{"how": "fatal"}"#);
    let abort = house.view.dispatch_blocking(call, Options::default()).unwrap_err();
    assert!(matches!(abort, Abort::Fatal { executed: true, .. }), "{abort:?}");
    assert_eq!(house.rows(), [("fail".to_owned(), RowState::InDoubt)]);
}

#[test]
fn a_person_who_knows_better_ends_the_doubt() {
    let house = house();
    house.call("fail", r#"{"how": "io"}"#);
    let desk = Desk::new(Arc::clone(&house.ledger));
    let kim = Person::authenticated("kim", "cli").scopes(["approvals:decide"]);
    house.later(Duration::from_secs(600));
    let [doubt] = &pollster::block_on(desk.in_doubt()).unwrap()[..] else { panic!() };
    let applied = Resolution::Applied("it was paid, the bank says".to_owned());
    let haste = toolkit::ledger::Haste::Settled;
    pollster::block_on(desk.resolve(&kim, &doubt.doubt, applied, haste, "statement 7")).unwrap();
    let again = house.call("fail", r#"{"how": "io"}"#);
    assert_eq!(again.status(), Status::Duplicate);
    assert_eq!(again.result_text(), "it was paid, the bank says");
    assert_eq!(house.bank.payments(), 1);
}

#[test]
fn a_tool_that_may_run_again_does() {
    let house = house();
    let broken = house.call("set_address", r#"{"address": "Hill 1"}"#);
    assert_eq!(broken.status(), Status::Failed);
    let again = house.call("set_address", r#"{"address": "Hill 1"}"#);
    assert_eq!((again.status(), again.value()), (Status::Ok, Some(json!(2))));
    assert_eq!(house.call("set_address", r#"{"address": "Hill 1"}"#).status(), Status::Duplicate);
}

#[test]
fn a_target_that_honours_the_key_sees_one_key_on_every_attempt() {
    let keys = Arc::new(Keys::default());
    let registry = Registry::builder()
        .tools(tools![transfer])
        .state(Arc::clone(&keys))
        .ledger(MemoryLedger::new())
        .build()
        .unwrap();
    let view = registry.view(Caller::new("ann"));
    let call = ToolCall::new("call_1", "transfer", "{}");
    let statuses =
        [(), (), ()].map(|()| view.dispatch_blocking(&call, Options::default()).unwrap().status());
    assert_eq!(statuses, [Status::Failed, Status::Ok, Status::Duplicate]);
    let keys = keys.0.lock().unwrap();
    let [Some(first), Some(second)] = &keys[..] else { panic!("{keys:?}") };
    assert_eq!((first.len(), first), (64, second));
}

#[test]
fn reads_keep_no_rows() {
    let house = house();
    assert_eq!(house.call("get_order", "{}").value(), Some(json!(1)));
    assert_eq!(house.call("get_order", "{}").value(), Some(json!(2)));
    assert_eq!(house.rows(), []);
}

#[test]
fn wrong_arguments_keep_no_row() {
    let house = house();
    assert_eq!(house.call("refund", r#"{"order": "O-1"}"#).status(), Status::Invalid);
    assert_eq!(house.rows(), []);
}

/// Waits for ever.
#[tool(effect = "write")]
async fn wait(#[state] bank: &Bank) {
    bank.pay();
    pending::<()>().await;
}

#[test]
fn a_call_that_is_dropped_is_running_to_others_and_in_doubt_when_its_lease_is_over() {
    let clock = Arc::new(AtomicU64::new(0));
    let hands = Arc::clone(&clock);
    let bank = Arc::new(Bank::default());
    let registry = Registry::builder()
        .tools(tools![wait])
        .state(Arc::clone(&bank))
        .ledger(MemoryLedger::with_clock(move || Timestamp(hands.load(Ordering::SeqCst))))
        .build()
        .unwrap();
    let view = registry.view(Caller::new("ann"));
    let call = ToolCall::new("call_1", "wait", "{}");
    let dispatch = |call| view.dispatch_blocking(call, Options::default()).unwrap();

    let mut dropped = Box::pin(view.dispatch(&call, Options::default()));
    let polled = dropped.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    assert_eq!((polled, bank.payments()), (Poll::Pending, 1));
    let beside = dispatch(&call);
    assert_eq!(beside.status(), Status::InProgress);
    assert_eq!(
        beside.text(),
        "this very call of wait is running already; nothing was started again. Ask again in 40 s.",
    );
    assert!(beside.is_retryable());

    drop(dropped);
    assert_eq!(dispatch(&call).status(), Status::InProgress);
    clock.store(40_001, Ordering::SeqCst);
    assert_eq!(dispatch(&call).status(), Status::InDoubt);
    assert_eq!(bank.payments(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_registry_with_a_timer_keeps_its_claim_while_the_function_runs() {
    /// Takes two minutes.
    #[tool(effect = "write")]
    async fn slow(#[state] bank: &Bank) -> usize {
        tokio::time::sleep(Duration::from_secs(120)).await;
        bank.pay()
    }
    let bank = Arc::new(Bank::default());
    let start = tokio::time::Instant::now();
    let clock = move || Timestamp(u64::try_from(start.elapsed().as_millis()).unwrap());
    let registry = Registry::builder()
        .tools(tools![slow])
        .state(Arc::clone(&bank))
        .ledger(MemoryLedger::with_clock(clock))
        .timer(tokio::time::sleep)
        .timeout(Duration::from_secs(150))
        .build()
        .unwrap();
    let view = registry.view(Caller::new("ann"));
    let call = ToolCall::new("call_1", "slow", "{}");
    let running = tokio::spawn({
        let (view, call) = (view.clone(), call.clone());
        async move { view.dispatch(call, Options::default()).await }
    });
    tokio::time::sleep(Duration::from_secs(100)).await;
    let beside = view.dispatch(&call, Options::default()).await.unwrap();
    assert_eq!(beside.status(), Status::InProgress);
    let outcome = running.await.unwrap().unwrap();
    assert_eq!((outcome.status(), outcome.value()), (Status::Ok, Some(json!(1))));
    let again = view.dispatch(&call, Options::default()).await.unwrap();
    assert_eq!((again.status(), again.value()), (Status::Duplicate, Some(json!(1))));
}

/// What a tool sees of its earlier attempt.
struct Register(Verified<String>);

async fn looked_up(register: &Register) -> Verified<String> {
    tokio::task::yield_now().await;
    register.0.clone()
}

/// Books a seat, and breaks off.
#[tool(effect = "write", on_unknown = verify(looked_up(register).await))]
fn book(#[state] register: &Register, #[state] bank: &Bank) -> Result<String, Failure> {
    let _ = register;
    match bank.pay() {
        1 => Err(Failure::from(std::io::Error::other("lost"))),
        count => Ok(format!("seat {count}")),
    }
}

#[test]
fn a_tool_that_can_look_ends_the_doubt_by_itself() {
    let seen = |verified: Verified<String>| {
        let clock = Arc::new(AtomicU64::new(0));
        let hands = Arc::clone(&clock);
        let bank = Arc::new(Bank::default());
        let registry = Registry::builder()
            .tools(tools![book])
            .state(Arc::clone(&bank))
            .state(Register(verified))
            .ledger(MemoryLedger::with_clock(move || Timestamp(hands.load(Ordering::SeqCst))))
            .build()
            .unwrap();
        let view = registry.view(Caller::new("ann"));
        let call = ToolCall::new("call_1", "book", "{}");
        let dispatch = || view.dispatch_blocking(&call, Options::default()).unwrap();
        assert_eq!(dispatch().status(), Status::InDoubt);
        clock.store(10 * 60 * 1000, Ordering::SeqCst);
        let rehearsed = view.dispatch_blocking(&call, Options::default().dry_run()).unwrap();
        assert_eq!(rehearsed.status(), Status::InDoubt, "a rehearsal does not look");
        let outcome = dispatch();
        (outcome.status(), outcome.result_text().to_owned(), bank.payments())
    };
    let applied = seen(Verified::Applied("seat 1".to_owned()));
    assert_eq!(applied, (Status::Duplicate, "seat 1".to_owned(), 1));
    assert_eq!(seen(Verified::NotApplied), (Status::Ok, "seat 2".to_owned(), 2));
    let (status, _, payments) = seen(Verified::Unknown);
    assert_eq!((status, payments), (Status::InDoubt, 1));
}

/// A store that does not answer, from the so many-th question on.
#[derive(Debug)]
struct Down {
    store: MemoryLedger,
    left: AtomicUsize,
    error: LedgerError,
}

impl Down {
    fn after(left: usize, error: LedgerError) -> Arc<Self> {
        Arc::new(Self { store: MemoryLedger::new(), left: AtomicUsize::new(left), error })
    }

    fn answers<'a, T: Send + 'a>(
        &'a self,
        answer: BoxFuture<'a, Result<T, LedgerError>>,
    ) -> BoxFuture<'a, Result<T, LedgerError>> {
        let left = self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1));
        match left {
            Ok(_) => answer,
            Err(_) => Box::pin(async { Err(self.error.clone()) }),
        }
    }
}

impl Ledger for Down {
    fn load<'a>(&'a self, key: &'a RowKey) -> BoxFuture<'a, Result<Loaded, LedgerError>> {
        self.answers(self.store.load(key))
    }
    fn load_parked<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Loaded, LedgerError>> {
        self.answers(self.store.load_parked(id))
    }
    fn create<'a>(
        &'a self,
        row: &'a Row,
        line: &'a HistoryLine,
    ) -> BoxFuture<'a, Result<bool, LedgerError>> {
        self.answers(self.store.create(row, line))
    }
    fn swap<'a>(
        &'a self,
        row: &'a Row,
        line: &'a HistoryLine,
    ) -> BoxFuture<'a, Result<bool, LedgerError>> {
        self.answers(self.store.swap(row, line))
    }
    fn remove<'a>(
        &'a self,
        key: &'a RowKey,
        version: u64,
    ) -> BoxFuture<'a, Result<bool, LedgerError>> {
        self.answers(self.store.remove(key, version))
    }
    fn list<'a>(&'a self, filter: &'a Filter) -> BoxFuture<'a, Result<Vec<Row>, LedgerError>> {
        self.answers(self.store.list(filter))
    }
    fn history<'a>(
        &'a self,
        key: &'a RowKey,
    ) -> BoxFuture<'a, Result<Vec<HistoryLine>, LedgerError>> {
        self.answers(self.store.history(key))
    }
    fn durability(&self) -> Durability {
        Durability::Durable
    }
}

fn with_store(ledger: Arc<Down>) -> (View, Arc<Bank>) {
    let bank = Arc::new(Bank::default());
    let registry = Registry::builder()
        .tools(tools![refund, get_order])
        .state(Arc::clone(&bank))
        .ledger(ledger)
        .build()
        .unwrap();
    (registry.view(Caller::new("ann")), bank)
}

#[test]
fn nothing_that_changes_something_runs_while_the_ledger_is_out_of_reach() {
    for left in 0..3 {
        let store = Down::after(left, LedgerError::unavailable("password=hunter2"));
        let (view, bank) = with_store(Arc::clone(&store));
        let call = ToolCall::new("call_1", "refund", r#"{"order_id": "O-1"}"#);
        let outcome = view.dispatch_blocking(&call, Options::default()).unwrap();
        assert_eq!((outcome.status(), outcome.executed()), (Status::Unavailable, false), "{left}");
        assert_eq!(outcome.text(), "refund was not executed; try again later");
        assert_eq!((outcome.is_retryable(), bank.payments()), (true, 0));
        assert!(!outcome.structured().to_string().contains("hunter2"), "{outcome:?}");
        let note = "the ledger can not be reached: password=hunter2";
        assert_eq!(outcome.host_note(), Some(note));
        let read = ToolCall::new("call_2", "get_order", "{}");
        assert_eq!(view.dispatch_blocking(read, Options::default()).unwrap().status(), Status::Ok);
    }
}

#[test]
fn an_outcome_that_can_not_be_recorded_is_given_all_the_same_and_the_call_stays_taken() {
    // A look, and a claim's load and create are answered; the end is not.
    let store = Down::after(3, LedgerError::unavailable("gone"));
    let (view, bank) = with_store(Arc::clone(&store));
    let call = ToolCall::new("call_1", "refund", r#"{"order_id": "O-1"}"#);
    let outcome = view.dispatch_blocking(&call, Options::default()).unwrap();
    assert_eq!((outcome.status(), outcome.text()), (Status::Ok, "refund 1 of 20 for O-1"));
    assert_eq!(outcome.host_note(), Some("the ledger could not record the outcome"));
    store.left.store(usize::MAX, Ordering::SeqCst);
    let again = view.dispatch_blocking(&call, Options::default()).unwrap();
    assert_eq!((again.status(), bank.payments()), (Status::InProgress, 1));
}

#[tokio::test(start_paused = true)]
async fn a_ledger_that_is_away_for_a_while_is_told_of_the_end_when_it_is_back() {
    for (away, is_told) in [(3, true), (38, true), (42, false)] {
        let store = Down::after(3, LedgerError::unavailable("gone"));
        let (ledger, bank) = (Arc::clone(&store), Arc::new(Bank::default()));
        let registry = Registry::builder()
            .tools(tools![refund])
            .state(Arc::clone(&bank))
            .ledger(ledger)
            .timer(tokio::time::sleep)
            .build()
            .unwrap();
        let view = registry.view(Caller::new("ann"));
        let call = ToolCall::new("call_1", "refund", r#"{"order_id": "O-1"}"#);
        let comes_back = async {
            tokio::time::sleep(Duration::from_millis(away * 1_000 - 500)).await;
            store.left.store(usize::MAX, Ordering::SeqCst);
        };
        let (outcome, ()) = tokio::join!(view.dispatch(&call, Options::default()), comes_back);
        let outcome = outcome.unwrap();
        assert_eq!(outcome.status(), Status::Ok);
        let note = "the ledger could not record the outcome";
        assert_eq!(outcome.host_note(), (!is_told).then_some(note), "{away} s");
        let again = view.dispatch(&call, Options::default()).await.unwrap();
        let known = if is_told { Status::Duplicate } else { Status::InProgress };
        assert_eq!((again.status(), bank.payments()), (known, 1), "{away} s");
    }
}

#[test]
fn a_row_that_can_not_be_read_is_in_doubt() {
    for error in [LedgerError::corrupt("row 1"), LedgerError::Newer("row 1".to_owned())] {
        let (view, bank) = with_store(Down::after(0, error));
        let call = ToolCall::new("call_1", "refund", r#"{"order_id": "O-1"}"#);
        let outcome = view.dispatch_blocking(&call, Options::default()).unwrap();
        assert_eq!((outcome.status(), bank.payments()), (Status::InDoubt, 0));
        assert!(!outcome.text().contains("row 1"), "{}", outcome.text());
    }
}

#[test]
fn two_threads_that_send_the_same_call_run_it_once() {
    let house = Arc::new(house());
    for round in 0..50 {
        let arguments = json!({"order_id": format!("O-{round}")}).to_string();
        let statuses: Vec<Status> = std::thread::scope(|scope| {
            let threads: Vec<_> =
                (0..4).map(|_| scope.spawn(|| house.call("refund", &arguments).status())).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let ran = statuses.iter().filter(|status| **status == Status::Ok).count();
        let known = |status: &Status| matches!(status, Status::Duplicate | Status::InProgress);
        let others = statuses.iter().filter(|status| known(status)).count();
        assert_eq!((ran, others), (1, 3), "{statuses:?}");
        assert_eq!(house.bank.payments(), round + 1);
    }
}

#[test]
fn a_result_that_is_too_long_to_keep_is_told_to_be() {
    /// Writes much.
    #[tool(effect = "write", result_limit = 100_000)]
    fn write(#[state] bank: &Bank, letters: usize) -> String {
        bank.pay();
        "x".repeat(letters)
    }
    let bank = Arc::new(Bank::default());
    let registry = Registry::builder()
        .tools(tools![write])
        .state(Arc::clone(&bank))
        .ledger(MemoryLedger::new())
        .build()
        .unwrap();
    let view = registry.view(Caller::new("ann"));
    let (most, longer) = (64 * 1024, 64 * 1024 + 1);
    for (letters, kept) in [
        (most, "x".repeat(most)),
        (longer, "(the first result had 65537 bytes and is not kept)".to_owned()),
    ] {
        let call = ToolCall::new("call_1", "write", json!({ "letters": letters }).to_string());
        let first = view.dispatch_blocking(&call, Options::default()).unwrap();
        assert_eq!(first.text().len(), letters);
        let again = view.dispatch_blocking(&call, Options::default()).unwrap();
        assert_eq!((again.status(), again.result_text()), (Status::Duplicate, kept.as_str()));
    }
    assert_eq!(bank.payments(), 2);
}

#[test]
fn a_tool_without_a_ledger_runs_each_time_and_says_why_that_is_right() {
    /// Pings.
    #[tool(effect = "write", ledger = none("the target drops repeats"))]
    fn ping(#[state] bank: &Bank, #[context] cx: &CallContext) -> String {
        format!("{} {:?}", bank.pay(), cx.idempotency_key())
    }
    let bank = Arc::new(Bank::default());
    let registry =
        Registry::builder().tools(tools![ping]).state(Arc::clone(&bank)).build().unwrap();
    let view = registry.view(Caller::new("ann"));
    let call = ToolCall::new("call_1", "ping", "{}");
    let texts = [(), ()]
        .map(|()| view.dispatch_blocking(&call, Options::default()).unwrap().text().to_owned());
    assert_eq!(texts, ["1 None", "2 None"]);
}

#[test]
fn an_outcome_outlives_its_replay_window_by_nothing() {
    let bank = Arc::new(Bank::default());
    let clock = Arc::new(AtomicU64::new(0));
    let hands = Arc::clone(&clock);
    let registry = Registry::builder()
        .tools(tools![refund])
        .state(Arc::clone(&bank))
        .ledger(MemoryLedger::with_clock(move || Timestamp(hands.load(Ordering::SeqCst))))
        .ledger_settings(Settings { replay: Duration::from_secs(10), ..Settings::default() })
        .build()
        .unwrap();
    let view = registry.view(Caller::new("ann"));
    let call = ToolCall::new("call_1", "refund", r#"{"order_id": "O-1"}"#);
    let dispatch = || view.dispatch_blocking(&call, Options::default()).unwrap().status();
    assert_eq!(dispatch(), Status::Ok);
    clock.store(9_999, Ordering::SeqCst);
    assert_eq!(dispatch(), Status::Duplicate);
    clock.store(10_000, Ordering::SeqCst);
    assert_eq!((dispatch(), bank.payments()), (Status::Ok, 2));
}

#[test]
fn a_panic_of_one_call_leaves_the_ledger_usable() {
    let house = house();
    let quiet = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    for _ in 0..100 {
        let call = panic::catch_unwind(AssertUnwindSafe(|| {
            house.call("fail", r#"{"how": "panic"}"#).status()
        }));
        assert_eq!(call.unwrap(), Status::InDoubt);
    }
    panic::set_hook(quiet);
    assert_eq!(house.call("refund", r#"{"order_id": "O-1"}"#).status(), Status::Ok);
    assert_eq!(house.bank.payments(), 2);
}
