//! A panic of the tool's code ends its call and nothing else.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize, Serializer};
use toolkit::ledger::MemoryLedger;
use toolkit::prelude::*;
use toolkit::{Limits, RegistryBuilder};

/// A text that panics where it is told to.
#[derive(Debug)]
#[arg_type]
#[serde(rename_all = "snake_case")]
enum Where {
    Deserialize,
    Check,
    Rule,
    Preview,
    Poll,
    LaterPoll,
    Serialize,
    DropArgument,
    DropResult,
    DropPayload,
    Display,
}

struct Bomb(Where);

impl<'de> Deserialize<'de> for Bomb {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let place = Where::deserialize(deserializer).map_err(D::Error::custom)?;
        assert!(!matches!(place, Where::Deserialize), "hunter2");
        Ok(Self(place))
    }
}

impl toolkit::__private::schemars::JsonSchema for Bomb {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Bomb".into()
    }

    fn json_schema(
        generator: &mut toolkit::__private::schemars::SchemaGenerator,
    ) -> toolkit::__private::schemars::Schema {
        Where::json_schema(generator)
    }
}

impl Drop for Bomb {
    fn drop(&mut self) {
        assert!(!matches!(self.0, Where::DropArgument), "hunter2");
    }
}

struct Result_(bool, bool);

impl Serialize for Result_ {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        assert!(!self.0, "hunter2");
        serializer.serialize_str("done")
    }
}

impl Drop for Result_ {
    fn drop(&mut self) {
        assert!(!self.1, "hunter2");
    }
}

/// A payload, and an error, that panic themselves.
#[derive(Debug)]
struct Worse;

impl Drop for Worse {
    fn drop(&mut self) {
        assert!(std::thread::panicking(), "hunter2 once more");
    }
}

#[derive(Debug)]
struct Unspeakable;

impl fmt::Display for Unspeakable {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        panic!("hunter2")
    }
}

impl std::error::Error for Unspeakable {}

fn checked(bomb: &Bomb) -> Result<(), ToolError> {
    assert!(!matches!(bomb.0, Where::Check), "hunter2");
    Ok(())
}

fn ruled(bomb: &Bomb) -> bool {
    assert!(!matches!(bomb.0, Where::Rule), "hunter2");
    false
}

fn told(bomb: &Bomb) -> String {
    assert!(!matches!(bomb.0, Where::Preview), "hunter2");
    String::new()
}

/// Goes off.
#[tool(effect = "write", check = checked(&bomb), approval(ruled(&bomb)), preview = told(&bomb))]
async fn go_off(bomb: Bomb) -> Result<Result_, Failure> {
    match bomb.0 {
        Where::Poll => panic!("hunter2"),
        Where::LaterPoll => {
            tokio::task::yield_now().await;
            panic!("hunter2")
        }
        Where::DropPayload => std::panic::panic_any(Worse),
        Where::Display => Err(Unspeakable.into()),
        _ => Ok(Result_(matches!(bomb.0, Where::Serialize), matches!(bomb.0, Where::DropResult))),
    }
}

const PLACES: [&str; 11] = [
    "deserialize",
    "check",
    "rule",
    "preview",
    "poll",
    "later_poll",
    "serialize",
    "drop_argument",
    "drop_result",
    "drop_payload",
    "display",
];

fn bounded(tools: impl IntoIterator<Item = Tool>) -> RegistryBuilder {
    Registry::builder()
        .tools(tools)
        .ledger(MemoryLedger::new())
        .limits(Limits { at_once: 2, ..Limits::default() })
        .timer(tokio::time::sleep)
}

/// Answers.
#[tool(effect = "read", concurrency = 1)]
async fn answer() -> &'static str {
    tokio::task::yield_now().await;
    "42"
}

#[tokio::test]
async fn a_panic_anywhere_is_an_outcome_that_tells_nothing_of_it() {
    let registry = bounded(tools![go_off, answer]).build().unwrap();
    let view = registry.view(Caller::new("ann"));
    for place in PLACES {
        let call = ToolCall::new("1", "go_off", format!("{{\"bomb\":\"{place}\"}}"));
        let options = match place {
            "preview" => Options::default().dry_run(),
            _ => Options::default(),
        };
        let outcome = view.dispatch(call, options).await.unwrap();
        assert!(outcome.is_error(), "{place}: {outcome:?}");
        let told = format!("{outcome:?} {}", outcome.structured());
        assert!(!told.contains("hunter2"), "{place}: {told}");
        assert!(outcome.text().starts_with("go_off failed internally (error id"), "{outcome:?}");
        let has_run = !matches!(place, "deserialize" | "check" | "rule" | "preview");
        assert_eq!(outcome.executed(), has_run, "{place}");
        assert_eq!(outcome.status() == Status::InDoubt, has_run, "{place}: {outcome:?}");
    }
    let outcome = view.dispatch(ToolCall::new("1", "answer", "{}"), Options::default()).await;
    assert_eq!(outcome.unwrap().text(), "42");
}

/// A future that panics where it is dropped before its end.
struct Sticky(u32);

impl Future for Sticky {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.0 == 0 {
            return Poll::Ready(());
        }
        self.0 -= 1;
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

impl Drop for Sticky {
    fn drop(&mut self) {
        assert_eq!(self.0, 0, "hunter2");
    }
}

/// Sticks to its call.
#[tool(effect = "read", concurrency = 1)]
async fn stick(steps: u32) {
    Sticky(steps).await;
}

#[test]
fn a_caller_that_leaves_at_any_await_costs_nobody_a_thing() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let registry = bounded(tools![stick]).build().unwrap();
        let view = registry.view(Caller::new("ann"));
        for polls in 0..12_u32 {
            let call = ToolCall::new("1", "stick", r#"{"steps":10}"#);
            let left = catch_unwind(AssertUnwindSafe(|| {
                let mut dispatched = pin!(view.dispatch(call, Options::default()));
                for _ in 0..polls {
                    if dispatched.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready()
                    {
                        break;
                    }
                }
            }));
            assert!(left.is_ok(), "after {polls} polls");
            let call = ToolCall::new("1", "stick", r#"{"steps":0}"#);
            let outcome = view.dispatch(call, Options::default()).await.unwrap();
            assert_eq!(outcome.status(), Status::Ok, "after {polls} polls: {outcome:?}");
        }
    });
}

#[tokio::test]
async fn after_a_thousand_panics_every_place_is_free() {
    /// Breaks.
    #[tool(effect = "read", concurrency = 2)]
    async fn broken(late: bool) {
        if late {
            tokio::task::yield_now().await;
        }
        panic!("hunter2")
    }
    let registry = bounded(tools![broken, answer]).build().unwrap();
    let view = registry.view(Caller::new("ann"));
    for round in 0..toolkit_tests::cases(1_000) {
        let call = ToolCall::new("1", "broken", format!(r#"{{"late":{}}}"#, round % 2 == 0));
        let outcome = view.dispatch(call, Options::default()).await.unwrap();
        assert_eq!((outcome.status(), outcome.executed()), (Status::Failed, true));
    }
    // Both of the registry's places at the same time, and the tool's two.
    let call = |name: &str| ToolCall::new("1", name, r#"{"late":true}"#);
    let both = async {
        tokio::join!(
            view.dispatch(call("broken"), Options::default()),
            view.dispatch(call("broken"), Options::default()),
        )
    };
    let (one, other) = tokio::time::timeout(Duration::from_secs(5), both).await.unwrap();
    assert_eq!([one.unwrap().status(), other.unwrap().status()], [Status::Failed; 2]);
}

/// Pays, without a ledger that could tell what came of it.
#[tool(effect = "write", ledger = none("the bank tells its own"))]
fn pay(how: &str) -> Result<(), std::io::Error> {
    match how {
        "panic" => panic!("after it was sent"),
        _ => Err(std::io::Error::other("after it was sent")),
    }
}

#[test]
fn without_a_ledger_nobody_knows_what_a_write_did_that_broke() {
    let view = Registry::builder().tools(tools![pay]).build().unwrap().view(Caller::new("ann"));
    for how in ["panic", "fail"] {
        let call = ToolCall::new("call_1", "pay", format!(r#"{{"how": "{how}"}}"#));
        let outcome = view.dispatch_blocking(call, Options::default()).unwrap();
        assert_eq!((outcome.status(), outcome.is_retryable()), (Status::InDoubt, false), "{how}");
    }
}

/// A preview that fails, of a function that is not entered.
#[tool(effect = "write", preview = look(order_id))]
fn cancel(order_id: &str) {
    panic!("{order_id}");
}

fn look(order_id: &str) -> Result<String, Failure> {
    Err(ToolError::business(format!("{order_id} is gone")).into())
}

#[test]
fn a_preview_that_fails_ran_nothing() {
    let registry = Registry::builder().tools(tools![cancel]).ledger(MemoryLedger::new()).build();
    let view = registry.unwrap().view(Caller::new("ann"));
    let call = ToolCall::new("call_1", "cancel", r#"{"order_id": "O-1"}"#);
    let outcome = view.dispatch_blocking(call, Options::default().dry_run()).unwrap();
    assert_eq!((outcome.status(), outcome.executed()), (Status::Failed, false));
}

/// A ledger that is slow once, so that what keeps the claim is asked meanwhile.
#[test]
fn an_executor_s_timer_outside_of_it_lets_no_panic_out_of_a_call_that_a_ledger_keeps() {
    let registry = Registry::builder()
        .tools(tools![keep])
        .ledger(MemoryLedger::new())
        .timer(tokio::time::sleep)
        .build();
    let view = registry.unwrap().view(Caller::new("ann"));
    let call = ToolCall::new("call_1", "keep", "{}");
    let dispatched =
        catch_unwind(AssertUnwindSafe(|| view.dispatch_blocking(call, Options::default())));
    assert!(dispatched.is_ok(), "a panic came out");
}

/// Keeps something, and waits once.
#[tool(effect = "write")]
async fn keep() {
    let mut waited = false;
    std::future::poll_fn(|cx| {
        cx.waker().wake_by_ref();
        if std::mem::replace(&mut waited, true) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}
