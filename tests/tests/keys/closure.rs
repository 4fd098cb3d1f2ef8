//! Tools of closures: the same bytes, verdicts and outcomes as those of annotated functions.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use toolkit::dialect::{Anthropic, Dialect, Gemini, Mcp, OpenAiChat, OpenAiResponses};
use toolkit::ledger::MemoryLedger;
use toolkit::prelude::*;
use toolkit::testing::agree;
use toolkit::{DynamicTool, Effect, OnUnknown, ThreadTimer, Verified};

/// What is paid in.
#[derive(Debug, Clone)]
#[arg_type]
enum Currency {
    EUR,
    USD,
}

/// What came of it.
#[arg_type]
struct Receipt {
    text: String,
}

fn paid(order_id: &str, amount: f64, currency: &Currency, days: u32) -> Result<Receipt, ToolError> {
    if order_id == "O-13" {
        return Err(ToolError::business("the order is closed").hint("ask for another"));
    }
    Ok(Receipt { text: format!("{order_id}: {amount} {currency:?} in {days} days") })
}

fn open(order_id: &str) -> Result<(), ToolError> {
    if order_id == "O-9" { Err(ToolError::business("no such order")) } else { Ok(()) }
}

/// Refunds an order.
#[tool(
    title = "Refund",
    effect = "write",
    scopes("payments:write"),
    listed,
    check = open(&order_id),
    idempotency(order_id),
    on_unknown = verify(Verified::<Receipt>::NotApplied),
    approval(amount > 500.0, quorum = 2, four_eyes, time_to_live = "2h"),
    preview = format!("refunds {amount} of {order_id}"),
    preview_must_match,
    result_limit = 4_096,
    concurrency = 3,
    reads_private,
    annotations(destructive_hint = false),
    examples((order_id = "O-1", amount = 2.5, currency = "EUR")),
)]
fn refund(
    /// The order's id, like O-4471.
    #[arg(pattern = r"^O-\d+$")]
    order_id: String,
    /// How much to refund.
    #[arg(minimum = 0.01)]
    amount: f64,
    currency: Currency,
    #[arg(default = 20)] days: u32,
    note: Option<String>,
) -> Result<Receipt, ToolError> {
    let _ = note;
    paid(&order_id, amount, &currency, days)
}

#[derive(Clone)]
#[arg_type]
struct Refund {
    /// The order's id, like O-4471.
    #[schemars(regex(pattern = r"^O-\d+$"))]
    order_id: String,
    /// How much to refund.
    #[schemars(range(min = 0.01))]
    amount: f64,
    currency: Currency,
    #[serde(default = "twenty")]
    days: u32,
    note: Option<String>,
}

fn twenty() -> u32 {
    20
}

/// The annotated tool's table, by the methods of the same names.
fn the_same(tool: DynamicTool<Refund>) -> Tool {
    tool.title("Refund")
        .effect(Effect::Write)
        .scopes(["payments:write"])
        .listed()
        .check(|refund: Refund, _| async move { open(&refund.order_id) })
        .idempotency(["order_id"])
        .verify(|_, _| async { Verified::<Receipt>::NotApplied })
        .approval(|refund| refund.amount > 500.0)
        .quorum(2)
        .four_eyes()
        .time_to_live(Duration::from_secs(7200))
        .preview(|refund: Refund, _| async move {
            format!("refunds {} of {}", refund.amount, refund.order_id)
        })
        .preview_must_match()
        .result_limit(4_096)
        .concurrency(3)
        .reads_private()
        .destructive_hint(false)
        .examples([json!({"order_id": "O-1", "amount": 2.5, "currency": "EUR"})])
        .into()
}

fn run(refund: Refund, _: CallContext) -> Result<Receipt, ToolError> {
    paid(&refund.order_id, refund.amount, &refund.currency, refund.days)
}

/// The annotated tool, and the same of a closure that is done and of one that waits.
fn three() -> [Tool; 3] {
    let closure = Tool::from_fn("refund", "Refunds an order.", run);
    let later = Tool::from_fn("refund", "Refunds an order.", |refund: Refund, cx| async {
        tokio::task::yield_now().await;
        run(refund, cx)
    });
    [Tool::of::<refund>(), the_same(closure), the_same(later)]
}

fn view_of(tool: Tool) -> View {
    let ledger = MemoryLedger::accept_loss("a test");
    let registry = Registry::builder().tool(tool).ledger(ledger).build().unwrap();
    registry.view(Caller::new("ann").scopes(["payments:write"]))
}

#[test]
fn a_closure_publishes_the_bytes_of_the_annotated_function() {
    let dialects: [&dyn Dialect; 6] = [
        &Anthropic,
        &Anthropic.strict_where_possible(),
        &Gemini,
        &Mcp,
        &OpenAiChat.strict_where_possible(),
        &OpenAiResponses,
    ];
    let published = three().map(|tool| {
        let view = view_of(tool);
        dialects.map(|dialect| view.definitions(dialect).unwrap().to_string())
    });
    let [annotated, closure, later] = published;
    assert_eq!(closure, annotated);
    assert_eq!(later, annotated);
}

const CALLS: [&str; 13] = [
    r#"{"order_id": "O-1", "amount": 20, "currency": "EUR"}"#,
    r#"{"currency": "EUR", "amount": 20.0, "order_id": "O-1", "note": null}"#,
    r#"{"order_id": "O-1", "amount": 21, "currency": "EUR"}"#,
    r#"{"order_id": "O-2", "amount": 20, "currency": "USD", "days": 3, "note": "late"}"#,
    r#"{"order_id": "O-9", "amount": 20, "currency": "EUR"}"#,
    r#"{"order_id": "O-13", "amount": 20, "currency": "EUR"}"#,
    r#"{"order_id": "O-14", "amount": 900, "currency": "EUR"}"#,
    r#"{"order": "O-1", "ammount": 20, "currency": "eur"}"#,
    r#"{"order_id": "4471", "amount": 0, "currency": "GBP", "days": -1}"#,
    r#"{"order_id": "O-1", "order_id": "O-2"}"#,
    "{}",
    "null",
    "{\"order_id\": ",
];

#[test]
fn a_closure_comes_to_the_outcomes_of_the_annotated_function() {
    let outcomes = three().map(|tool| {
        let view = view_of(tool);
        CALLS.map(|arguments| {
            let call = ToolCall::new("call_1", "refund", arguments);
            let options = || Options::default().run_id("run-1");
            let rehearsed = view.dispatch_blocking(call.clone(), options().dry_run()).unwrap();
            let outcome = view.dispatch_blocking(call, options()).unwrap();
            // An approval's id is another one each time.
            let text = |outcome: &Outcome| {
                outcome.text().split("apr_").next().unwrap_or_default().to_owned()
            };
            (text(&rehearsed), outcome.status(), text(&outcome))
        })
    });
    let [annotated, closure, later] = outcomes;
    assert_eq!(closure, annotated);
    assert_eq!(later, annotated);
    let statuses: Vec<Status> = annotated.iter().map(|(_, status, _)| *status).collect();
    assert_eq!(
        statuses,
        [
            Status::Ok,
            Status::Duplicate,
            Status::Conflict,
            Status::Ok,
            Status::Rejected,
            Status::Failed,
            Status::AwaitingApproval,
            Status::Invalid,
            Status::Invalid,
            Status::Invalid,
            Status::Invalid,
            Status::Invalid,
            Status::Invalid,
        ],
    );
}

#[test]
fn a_closure_accepts_exactly_what_it_publishes() {
    for tool in three() {
        let agreement = agree(tool, 400);
        assert!(agreement.accepted > 40 && agreement.refused > 40, "{agreement:?}");
        assert_eq!(agreement.refused_by_type, 0);
    }
    let deep = Tool::from_fn("walk", "Walks.", |tree: Tree, _| tree.depth());
    assert_eq!(agree(deep, 400).refused_by_type, 0);
    let shape = Tool::from_fn("area", "Measures.", |shape: Shape, _| shape.area());
    assert_eq!(agree(shape, 400).refused_by_type, 0);
}

#[arg_type]
struct Tree {
    left: Option<Box<Tree>>,
    right: Option<Box<Tree>>,
}

impl Tree {
    fn depth(&self) -> usize {
        let below = [&self.left, &self.right].map(|side| side.as_ref().map_or(0, |t| t.depth()));
        1 + below[0].max(below[1])
    }
}

#[arg_type]
#[serde(tag = "kind")]
enum Shape {
    Circle { radius: f64 },
    Box { width: f64, height: f64 },
}

impl Shape {
    fn area(&self) -> f64 {
        match self {
            Self::Circle { radius } => radius * radius * 3.0,
            Self::Box { width, height } => width * height,
        }
    }
}

fn told(tool: impl Into<Tool>, arguments: &str) -> String {
    let tool = tool.into();
    let name = tool.name().to_owned();
    let registry = Registry::builder().tool(tool).build().unwrap();
    let call = ToolCall::new("call_1", name, arguments);
    let outcome = registry.view(Caller::new("ann")).dispatch_blocking(call, Options::default());
    outcome.unwrap().text().to_owned()
}

#[arg_type]
struct Nothing {}

#[test]
fn a_closure_gives_a_value_a_result_or_a_future_of_either() {
    let counted = Arc::new(AtomicU32::new(0));
    let count = {
        let counted = Arc::clone(&counted);
        Tool::from_fn("count", "Counts.", move |_: Nothing, _| {
            counted.fetch_add(1, Ordering::Relaxed)
        })
    };
    assert_eq!(told(count, "{}"), "0");
    assert_eq!(counted.load(Ordering::Relaxed), 1);
    let unit = Tool::from_fn("unit", "Does.", |_: Nothing, _| ());
    assert_eq!(told(unit, "{}"), "ok");
    let later = Tool::from_fn("later", "Waits.", |_: Nothing, _| async { vec![1, 2] });
    assert_eq!(told(later, "{}"), "[1,2]");
    let fails = Tool::from_fn("fails", "Fails.", |_: Nothing, _| async {
        Err::<(), _>(ToolError::business("no"))
    });
    assert_eq!(told(fails, "{}"), "no");
    let wide = Tool::from_fn("wide", "Parses.", |_: Nothing, _| -> Result<u8, Failure> {
        Ok("7".parse()?)
    });
    assert_eq!(told(wide, "{}"), "7");
    let whom = Tool::from_fn("whom", "Tells.", |_: Nothing, cx| cx.caller().principal().to_owned());
    assert_eq!(told(whom, "null"), "ann");
    let value = Tool::from_fn("value", "Tells.", |given: Nothing, _| {
        let Nothing {} = given;
        json!({"a": 1})
    });
    assert_eq!(told(value, "{}"), r#"{"a":1}"#);
}

#[test]
fn a_struct_of_no_fields_is_an_object_that_holds_none() {
    let tool = Tool::from_fn("unit", "Does.", |_: Nothing, _| ());
    let registry = Registry::builder().tool(tool).build().unwrap();
    let view = registry.view(Caller::new("ann"));
    let schema: &Value = &view.tools()[0].input_schema;
    let expected = json!({"type": "object", "properties": {}, "additionalProperties": false});
    assert_eq!(schema.to_string(), expected.to_string());
}

#[test]
fn a_closure_that_blocks_runs_in_a_thread_of_its_own() {
    let here = std::thread::current().id();
    let tool =
        Tool::from_fn("apart", "Does.", move |_: Nothing, _| std::thread::current().id() != here);
    let registry = Registry::builder()
        .tool(tool.blocking().timeout(Duration::from_secs(5)))
        .timer(ThreadTimer)
        .threads(|work: Box<dyn FnOnce() + Send>| drop(std::thread::spawn(work)))
        .build()
        .unwrap();
    let call = ToolCall::new("call_1", "apart", "{}");
    let outcome = registry.view(Caller::new("ann")).dispatch_blocking(call, Options::default());
    assert_eq!(outcome.unwrap().text(), "true");
}

#[test]
fn what_is_wrong_with_a_closure_is_told_with_its_place_when_the_registry_is_built() {
    let line = line!() + 1;
    let list = Tool::from_fn("list", "Lists.", |_: Vec<u8>, _| ());
    let any = Tool::from_fn("any", "Lists.", |_: Value, _| ());
    let tools = [
        Tool::from(list.effect(Effect::Read)),
        any.effect(Effect::Read).into(),
        Tool::from_fn("what is it", " ", |_: Nothing, _| ()).into(),
        Tool::from_fn("apart", "Does.", |_: Nothing, _| async {}).blocking().into(),
        Tool::from_fn("long", "Does.", |_: Nothing, _| ()).timeout(Duration::from_secs(1)).into(),
        Tool::from_fn("key", "Does.", run)
            .effect(Effect::Write)
            .idempotency(["order"])
            .on_unknown(OnUnknown::Verify)
            .into(),
        Tool::from_fn("shown", "Does.", run).examples([json!({"amount": 1})]).into(),
    ];
    let ledger = MemoryLedger::accept_loss("a test");
    let builder = Registry::builder().tools(tools).ledger(ledger).timer(ThreadTimer);
    let builder = builder.threads(|work: Box<dyn FnOnce() + Send>| work());
    let errors = builder.build().unwrap_err();
    let told: Vec<_> = errors.iter().map(|e| (e.tool().unwrap(), e.message())).collect();
    let effect = "it does not say its effect, and other tools do; add `effect = \"read\"`, \
                  `\"write\"` or `\"irreversible\"`";
    assert_eq!(
        told,
        [
            ("list", "its arguments are not read from an object; let its closure take a struct"),
            ("any", "its arguments are not read from an object; let its closure take a struct"),
            ("what is it", "its name does not match ^[A-Za-z0-9_.-]{1,128}$"),
            ("what is it", "its description is blank; it is the only thing the model chooses by"),
            ("what is it", effect),
            ("apart", effect),
            (
                "apart",
                "it awaits, and `blocking` is for a closure that blocks its thread; leave one of \
                 the two out"
            ),
            ("long", effect),
            (
                "long",
                "a closure that does not await can not be left when its time is over; add \
                 `.blocking()`, or let it give a future"
            ),
            ("key", "it verifies an unknown outcome and does not say how; add `.verify(…)`"),
            (
                "key",
                "`order` is to make two calls one and is no field of its schema; did you mean \
                 `order_id`?"
            ),
            ("shown", effect),
            (
                "shown",
                "its example 1 is not accepted: $: missing required field 'order_id' (text \
                 matching ^O-\\d+$, like \"O-0\")",
            ),
            (
                "shown",
                "its example 1 is not accepted: $: missing required field 'currency' (one of \
                 \"EUR\", \"USD\")",
            ),
        ],
    );
    let place = format!("a closure at {}:{line}", file!());
    let first = errors.iter().next().unwrap().to_string();
    assert!(first.contains(&place), "{first}");
}
