//! The keys that the gates go by: of the attribute, and of a tool that is made at run time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use toolkit::__private::{
    Annotated, ApprovalPolicy, Hints, LedgerUse, OnDenied, Policy, Requirement,
};
use toolkit::ledger::{MemoryLedger, Timestamp};
use toolkit::prelude::*;
use toolkit::{DynamicTool, Effect, OnUnknown, ThreadTimer, Verified};

struct Bank {
    limit: u64,
    refunds: AtomicU32,
}

impl Bank {
    const fn new() -> Self {
        Self { limit: 500, refunds: AtomicU32::new(0) }
    }

    async fn find(&self, order_id: &str) -> Verified<String> {
        tokio::task::yield_now().await;
        match self.refunds.load(Ordering::Relaxed) {
            0 => Verified::NotApplied,
            _ => Verified::Applied(format!("found the refund of {order_id}")),
        }
    }
}

/// Refunds an order.
#[tool(
    effect = "write",
    scopes("payments:write", "orders:read"),
    listed = true,
    on_denied = "fatal",
    on_unknown = verify(bank.find(&order_id).await),
    ledger = none("the bank keeps one"),
    idempotency(order_id, r#type),
    approval(*amount > bank.limit, quorum = 2, four_eyes, time_to_live = "2h"),
    preview = format!("refunds {amount} of {order_id} for {}", cx.caller().principal()),
    preview_must_match,
    timeout = "90s",
    concurrency = 3,
    result_limit = 4_096,
    reads_untrusted,
    reads_private = true,
    writes_external = false,
    annotations(open_world_hint = false),
    examples((order_id = "O-1", r#type = 1, amount = 20)),
)]
async fn refund(
    #[context] cx: &CallContext,
    #[state] bank: &Bank,
    #[arg(rename = "orderId")] order_id: String,
    r#type: u8,
    amount: &u64,
) -> String {
    let _ = (cx, r#type, amount);
    bank.refunds.fetch_add(1, Ordering::Relaxed);
    order_id
}

fn policy_of<T: Annotated>() -> Policy {
    T::TABLE.policy()
}

#[test]
fn every_key_of_the_attribute_reaches_the_gates() {
    let expected = Policy {
        effect: Some(Effect::Write),
        scopes: vec!["payments:write".to_owned(), "orders:read".to_owned()],
        listed: true,
        on_denied: OnDenied::Fatal,
        on_unknown: OnUnknown::Verify,
        ledger: LedgerUse::None { why: "the bank keeps one".into() },
        idempotency: vec!["orderId".to_owned(), "type".to_owned()],
        requires: Vec::new(),
        approval: Some(ApprovalPolicy {
            quorum: 2,
            four_eyes: true,
            time_to_live: Some(Duration::from_secs(7200)),
        }),
        has_preview: true,
        preview_must_match: true,
        timeout: Some(Duration::from_secs(90)),
        blocking: false,
        concurrency: Some(3),
        result_limit: Some(4_096),
        reads_untrusted: true,
        reads_private: true,
        writes_external: false,
        hints: Hints { open_world: Some(false), ..Hints::DEFAULT },
        examples: vec![json!({"orderId": "O-1", "type": 1, "amount": 20})],
    };
    assert_eq!(policy_of::<refund>(), expected);
}

/// Pays out.
#[tool(requires(verify_identity, "get-order"(order_id, r#type)))]
fn pay_out(#[arg(rename = "orderId")] order_id: &str, r#type: u8) {
    let _ = (order_id, r#type);
}

#[test]
fn what_a_tool_requires_goes_by_names_of_tools_and_of_the_schema() {
    let requirement = |tool: &str, same: &[&str]| Requirement {
        tool: tool.to_owned(),
        same: same.iter().map(|&name| name.to_owned()).collect(),
    };
    let expected =
        [requirement("verify_identity", &[]), requirement("get-order", &["orderId", "type"])];
    assert_eq!(policy_of::<pay_out>().requires, expected);
}

#[test]
fn a_tool_that_says_nothing_has_the_policy_of_none() {
    /// Finds.
    #[tool]
    fn find() {}

    assert_eq!(policy_of::<find>(), Policy::DEFAULT);
    assert_eq!(Policy::default(), Policy::DEFAULT);
}

#[test]
fn each_word_and_each_unit_means_what_it_says() {
    /// Sets.
    #[tool(effect = "write", on_unknown = "in_doubt", approval(true, time_to_live = "90s"))]
    fn in_doubt() {}

    /// Sets.
    #[tool(effect = "write", on_unknown = "rerun", approval(true, time_to_live = "15m"))]
    fn rerun() {}

    /// Sets.
    #[tool(effect = "write", on_unknown = "rerun_with_key", approval(true, time_to_live = "30d"))]
    fn rerun_with_key() {}

    let told = [policy_of::<in_doubt>(), policy_of::<rerun>(), policy_of::<rerun_with_key>()];
    let told = told.map(|policy| {
        let time = policy.approval.and_then(|approval| approval.time_to_live);
        (policy.on_unknown, time.map(|time| time.as_secs()))
    });
    let expected = [
        (OnUnknown::InDoubt, Some(90)),
        (OnUnknown::Rerun, Some(15 * 60)),
        (OnUnknown::RerunWithKey, Some(30 * 24 * 60 * 60)),
    ];
    assert_eq!(told, expected);
}

fn call(tool: &str, arguments: &Value) -> ToolCall {
    ToolCall::new("call_1", tool, arguments.to_string())
}

fn may_refund() -> Caller {
    Caller::new("ann").scopes(["payments:write", "orders:read"])
}

#[test]
fn a_preview_sees_the_parameters_the_state_and_the_context() {
    let builder = Registry::builder().tools(tools![refund]).state(Bank::new()).timer(ThreadTimer);
    // Two must agree, which takes a ledger; a rehearsal asks nobody.
    let approver = |_: ApprovalRequest| async { Decision::Approved };
    let errors = builder.approver(approver).build().unwrap_err();
    let told: Vec<_> = errors.iter().map(ToolConfigError::message).collect();
    assert_eq!(
        told,
        ["it needs a person's approval and there is nobody to ask; its calls can only wait in a \
          ledger; leave `ledger = none(…)` out"],
    );

    let bank = Arc::new(Bank::new());
    let ledger = MemoryLedger::accept_loss("a test");
    let builder = Registry::builder().toolbox(Arc::clone(&bank)).ledger(ledger);
    let view = builder.build().unwrap().view(may_refund());
    let arguments = json!({"orderId": "O-1", "amount": 900});
    let outcome = view.dispatch_blocking(call("pay", &arguments), Options::default().dry_run());
    let outcome = outcome.unwrap();
    assert_eq!(outcome.status(), Status::DryRun);
    assert!(outcome.text().contains("pays 900 of O-1 over 500 for ann"), "{}", outcome.text());
    assert_eq!(bank.refunds.load(Ordering::Relaxed), 0);
}

#[toolbox]
impl Bank {
    /// Pays.
    #[tool(
        effect = "write",
        on_unknown = verify(self.find(&order_id).await),
        idempotency(order_id),
        approval(amount > self.limit + 1_000, quorum = 2),
        preview = self.told(cx, &order_id, amount),
    )]
    async fn pay(
        &self,
        #[context] cx: &CallContext,
        #[arg(rename = "orderId")] order_id: String,
        amount: u64,
    ) -> String {
        let _ = (cx, order_id);
        tokio::task::yield_now().await;
        self.refunds.fetch_add(1, Ordering::Relaxed);
        assert!(amount != 13, "the connection is lost");
        format!("paid {amount}")
    }

    fn told(&self, cx: &CallContext, order_id: &str, amount: u64) -> Result<String, Failure> {
        let whom = cx.caller().principal();
        Ok(format!("pays {amount} of {order_id} over {} for {whom}", self.limit))
    }
}

#[test]
fn a_verification_sees_self_and_its_answer_is_the_calls() {
    let bank = Arc::new(Bank::new());
    let ledger = MemoryLedger::accept_loss("a test");
    let builder = Registry::builder().toolbox(Arc::clone(&bank)).ledger(ledger);
    let view = builder.build().unwrap().view(Caller::new("ann"));
    let options = || Options::default().run_id("run-1");
    let told = [13, 13].map(|amount| {
        let arguments = json!({"orderId": "O-1", "amount": amount});
        let outcome = view.dispatch_blocking(call("pay", &arguments), options()).unwrap();
        (outcome.status(), outcome.text().to_owned())
    });
    assert_eq!(told[0].0, Status::InDoubt, "{}", told[0].1);
    assert_eq!(told[1].0, Status::Duplicate, "{}", told[1].1);
    assert!(told[1].1.contains("found the refund of O-1"), "{}", told[1].1);
    assert_eq!(bank.refunds.load(Ordering::Relaxed), 1);
}

/// In a ledger's milliseconds.
const HOUR: u64 = 3_600_000;

fn schema() -> Value {
    json!({"properties": {
        "order_id": {"type": "string"},
        "amount": {"type": "number"},
        "note": {"type": "string"},
    }, "required": ["order_id"]})
}

/// A tool that counts its runs, and the count.
fn counting(name: &str) -> (DynamicTool, Arc<AtomicU32>) {
    let runs = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&runs);
    let tool = Tool::dynamic(name, "Pays.", schema(), move |arguments: Value, _| {
        let counted = Arc::clone(&counted);
        async move {
            let run = counted.fetch_add(1, Ordering::Relaxed);
            assert!(arguments["amount"] != 13, "the connection is lost");
            Ok::<_, ToolError>(format!("paid {run}"))
        }
    });
    (tool, runs)
}

fn view_of(tool: DynamicTool) -> View {
    let ledger = MemoryLedger::accept_loss("a test");
    Registry::builder().tool(tool).ledger(ledger).build().unwrap().view(Caller::new("ann"))
}

fn dispatch(view: &View, arguments: &Value, options: Options) -> (Status, String) {
    let outcome = view.dispatch_blocking(call("pay", arguments), options).unwrap();
    (outcome.status(), outcome.text().to_owned())
}

#[test]
fn the_checks_of_a_dynamic_tool_are_all_asked_before_it_runs() {
    let (tool, runs) = counting("pay");
    let tool = tool
        .effect(Effect::Read)
        .check(|arguments: Value, _| async move {
            match arguments["amount"].as_f64() {
                Some(amount) if amount > 100.0 => Err(ToolError::business("too much")),
                _ => Ok(()),
            }
        })
        .check(|_, cx: CallContext| async move {
            match cx.caller().principal() {
                "bob" => Ok(()),
                other => Err(ToolError::permission(format!("not for {other}"))),
            }
        });
    let view = view_of(tool);
    let (status, text) =
        dispatch(&view, &json!({"order_id": "O-1", "amount": 500}), Options::default());
    assert_eq!(status, Status::Rejected);
    assert!(text.contains("too much") && text.contains("not for ann"), "{text}");
    assert_eq!(runs.load(Ordering::Relaxed), 0);
}

#[test]
fn a_dynamic_tool_tells_what_a_call_would_do() {
    let (tool, runs) = counting("pay");
    let view = view_of(tool.effect(Effect::Write).preview(
        |arguments: Value, cx: CallContext| async move {
            let amount =
                arguments["amount"].as_f64().ok_or_else(|| ToolError::validation("how much?"))?;
            Ok::<_, ToolError>(format!("pays {amount} for {}", cx.caller().principal()))
        },
    ));
    let told =
        dispatch(&view, &json!({"order_id": "O-1", "amount": 20}), Options::default().dry_run());
    assert_eq!(told.0, Status::DryRun);
    assert!(told.1.contains("pays 20 for ann"), "{}", told.1);
    let (status, text) = dispatch(&view, &json!({"order_id": "O-1"}), Options::default().dry_run());
    assert_eq!((status, text.contains("how much?")), (Status::Failed, true), "{text}");
    assert_eq!(runs.load(Ordering::Relaxed), 0);
}

#[test]
fn fields_of_a_dynamic_tool_make_two_calls_one() {
    let (tool, runs) = counting("pay");
    let view = view_of(tool.effect(Effect::Write).idempotency(["order_id"]));
    let first = dispatch(&view, &json!({"order_id": "O-1"}), Options::default());
    let same = dispatch(&view, &json!({"order_id": "O-1"}), Options::default());
    let other = dispatch(&view, &json!({"order_id": "O-1", "note": "x"}), Options::default());
    let next = dispatch(&view, &json!({"order_id": "O-2"}), Options::default());
    let told = [first.0, same.0, other.0, next.0];
    assert_eq!(told, [Status::Ok, Status::Duplicate, Status::Conflict, Status::Ok]);
    assert_eq!(runs.load(Ordering::Relaxed), 2);
}

#[test]
fn a_dynamic_tool_looks_whether_an_unknown_call_took_effect() {
    for (found, status, ran) in [
        (Verified::Applied("found"), Status::Duplicate, 1),
        (Verified::NotApplied, Status::InDoubt, 2),
        (Verified::Unknown, Status::InDoubt, 1),
    ] {
        let (tool, runs) = counting("pay");
        let tool = tool.effect(Effect::Write).verify(move |_, _| async move { found });
        // Long enough apart for the target to have settled.
        let clock = AtomicU64::new(0);
        let ledger =
            MemoryLedger::with_clock(move || Timestamp(clock.fetch_add(HOUR, Ordering::Relaxed)));
        let builder = Registry::builder().tool(tool).ledger(ledger);
        let view = builder.build().unwrap().view(Caller::new("ann"));
        let arguments = json!({"order_id": "O-1", "amount": 13});
        let options = || Options::default().run_id("run-1");
        assert_eq!(dispatch(&view, &arguments, options()).0, Status::InDoubt);
        let (again, text) = dispatch(&view, &arguments, options());
        assert_eq!((again, runs.load(Ordering::Relaxed)), (status, ran), "{found:?}: {text}");
        assert_eq!(text.contains("found"), again == Status::Duplicate, "{text}");
    }
}

#[test]
fn the_keys_of_how_people_agree_go_with_the_rule_in_any_order() {
    let (tool, runs) = counting("pay");
    let tool = tool
        .quorum(2)
        .four_eyes()
        .time_to_live(Duration::from_secs(3600))
        .effect(Effect::Write)
        .approval(|arguments| arguments["amount"].as_f64() > Some(500.0));
    let view = view_of(tool);
    let small =
        dispatch(&view, &json!({"order_id": "O-1", "amount": 20}), Options::default().run_id("r"));
    let large =
        dispatch(&view, &json!({"order_id": "O-1", "amount": 900}), Options::default().run_id("r"));
    assert_eq!([small.0, large.0], [Status::Ok, Status::AwaitingApproval]);
    assert_eq!(runs.load(Ordering::Relaxed), 1);
}

#[test]
fn what_does_not_fit_together_is_told_when_the_registry_is_built() {
    let named = |name: &str| counting(name).0;
    let write = |name: &str| named(name).effect(Effect::Write);
    let tools = [
        named("read").effect(Effect::Read).on_unknown(OnUnknown::Rerun).idempotency(["order_id"]),
        named("hidden").effect(Effect::Read).listed(),
        named("fatal").effect(Effect::Read).scopes(["pay"]).fatal_when_denied(),
        named("both").effect(Effect::Read).fatal_when_denied(),
        write("when").quorum(2),
        write("nobody").approval(|_| true).quorum(0).time_to_live(Duration::from_secs(59)),
        write("unseen").preview_must_match(),
        write("blind").on_unknown(OnUnknown::Verify),
        write("two").verify(|_, _| async { Verified::Applied(()) }).on_unknown(OnUnknown::Rerun),
        write("why").without_ledger(" "),
        write("field").idempotency(["order_ib", "colour", "note"]),
    ];
    let ledger = MemoryLedger::accept_loss("a test");
    let builder = Registry::builder().tools(tools.map(Tool::from)).ledger(ledger);
    let errors = builder.build().unwrap_err();
    let told: Vec<_> = errors.iter().map(|e| (e.tool().unwrap(), e.message())).collect();
    let expected = [
        (
            "read",
            "`on_unknown` is for a tool that changes something; leave it out, or add `.effect(Effect::Write)`",
        ),
        (
            "read",
            "`idempotency` is for a tool that changes something; leave it out, or add `.effect(Effect::Write)`",
        ),
        (
            "hidden",
            "`listed` is about callers without its scopes, and it has none; add `.scopes(…)`",
        ),
        (
            "fatal",
            "it ends the run of a model that asks for what it was shown, and it is hidden; add `.listed()`",
        ),
        (
            "both",
            "`fatal_when_denied` is about callers without its scopes, and it has none; add `.scopes(…)`",
        ),
        (
            "when",
            "it says how people agree and not when; add `.approval(…)`, or `.effect(Effect::Irreversible)`, which asks about every call",
        ),
        ("nobody", "its quorum is 0; at least one person must agree"),
        ("nobody", "its calls wait for people for 59s; between a minute and thirty days is right"),
        ("unseen", "its preview must match and it has none; add `.preview(…)`"),
        ("blind", "it verifies an unknown outcome and does not say how; add `.verify(…)`"),
        ("two", "it has a `verify`, and its `on_unknown` is `rerun`; leave one of the two out"),
        ("why", "its reason for no ledger is blank; say why that is right"),
        (
            "field",
            "`order_ib` is to make two calls one and is no field of its schema; did you mean `order_id`?",
        ),
        ("field", "`colour` is to make two calls one and is no field of its schema"),
    ];
    assert_eq!(told, expected);
}

#[test]
fn fields_behind_a_reference_are_not_held_against_a_tool() {
    let schema = json!({
        "$ref": "#/$defs/order",
        "$defs": {"order": {"type": "object", "properties": {"id": {"type": "string"}}}},
        "type": "object",
    });
    let tool = Tool::dynamic("pay", "Pays.", schema, |_, _| async { Ok::<_, ToolError>(()) });
    let tool = tool.effect(Effect::Write).idempotency(["id"]);
    let ledger = MemoryLedger::accept_loss("a test");
    assert!(Registry::builder().tool(tool).ledger(ledger).build().is_ok());
}
