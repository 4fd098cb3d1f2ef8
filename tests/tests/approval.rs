//! A person agrees to the very arguments that run.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use toolkit::prelude::*;
use toolkit::{
    ApprovalRequest, Decision, Effect, Options, Outcome, Registry, RegistryBuilder, Status,
};
use toolkit_tests::call;

#[derive(Default)]
struct Ledger(Mutex<Vec<String>>);

impl Ledger {
    fn refunded(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

fn is_refundable(ledger: &Ledger, order: &str) -> Result<(), ToolError> {
    if ledger.refunded().iter().any(|done| done.starts_with(order)) {
        return Err(ToolError::business(format!("{order} was refunded already")));
    }
    Ok(())
}

async fn is_open(order: &str) -> Result<(), Problem> {
    tokio::task::yield_now().await;
    if order == "O-9" {
        Err(Problem::rule("order_id", "is closed; choose an open order"))
    } else {
        Ok(())
    }
}

/// Refunds an order.
#[tool(
    effect = "write", ledger = none("a test calls it again and again"),
    check = is_refundable(ledger, &order_id),
    check = is_open(&order_id).await,
    approval(amount > 500.0),
)]
async fn refund(
    #[state] ledger: &Ledger,
    #[context] cx: &CallContext,
    order_id: String,
    amount: f64,
    #[arg(default = "EUR")] currency: &str,
) -> String {
    ledger
        .0
        .lock()
        .unwrap()
        .push(format!("{order_id} {amount} {currency} for {}", cx.caller().principal()));
    "refunded".to_owned()
}

/// Closes an account for good.
#[tool(effect = "irreversible", ledger = none("a test calls it again and again"))]
fn close(#[state] ledger: &Ledger) {
    ledger.0.lock().unwrap().push("closed".to_owned());
}

type Asked = Arc<Mutex<Vec<(String, Value, String)>>>;

fn dispatched(
    decision: Decision,
    name: &str,
    arguments: &str,
) -> (Outcome, Vec<(String, Value, String)>, Vec<String>) {
    let ledger = Arc::new(Ledger::default());
    ledger.0.lock().unwrap().push("O-1 before".to_owned());
    let asked = Asked::default();
    let seen = Arc::clone(&asked);
    let approver = move |request: ApprovalRequest| {
        assert_eq!((request.caller().principal(), request.call_id()), ("ada", "call_1"));
        seen.lock().unwrap().push((
            request.tool().to_owned(),
            request.arguments().clone(),
            request.to_string(),
        ));
        let decision = decision.clone();
        async move { decision }
    };
    let registry = Registry::builder()
        .tools(tools![refund, close])
        .state(Arc::clone(&ledger))
        .approver(approver)
        .build()
        .unwrap();
    let outcome = call(&registry.view(Caller::new("ada")), name, arguments);
    let asked = asked.lock().unwrap().clone();
    let mut done = ledger.refunded();
    done.remove(0);
    (outcome, asked, done)
}

#[test]
fn below_the_threshold_nobody_is_asked() {
    let (outcome, asked, done) = dispatched(
        Decision::Declined { reason: None },
        "refund",
        r#"{"order_id":"O-2","amount":500}"#,
    );
    assert_eq!(
        (outcome.text(), asked, done),
        ("refunded", vec![], vec!["O-2 500 EUR for ada".to_owned()])
    );
}

#[test]
fn what_was_shown_is_what_runs() {
    let (outcome, asked, done) = dispatched(
        Decision::Approved,
        "refund",
        r#"{"amount":9e2,"order_id":"O-\u001b2","currency":null}"#,
    );
    assert_eq!(outcome.status(), Status::Ok);
    let arguments = json!({"order_id": "O-\u{1b}2", "amount": 900, "currency": "EUR"});
    let shown =
        "refund for ada\n  order_id: text(4) = \"O-\\u{1b}2\"\n  amount: number = 900\n  currency: text(3) = \"EUR\"".to_owned();
    assert_eq!(asked, [("refund".to_owned(), arguments, shown)]);
    assert_eq!(done, ["O-\u{1b}2 900 EUR for ada"]);
}

#[test]
fn declined_reads_do_not_retry() {
    let decline = |reason: Option<&str>| Decision::Declined { reason: reason.map(str::to_owned) };
    let arguments = r#"{"order_id":"O-2","amount":900}"#;
    let (outcome, _, done) = dispatched(decline(None), "refund", arguments);
    assert_eq!(outcome.text(), "declined by a person. Do not retry; tell the user.");
    assert_eq!(
        (outcome.status(), outcome.is_retryable(), outcome.executed()),
        (Status::Declined, false, false)
    );
    assert_eq!(done, Vec::<String>::new());
    let (outcome, ..) = dispatched(decline(Some("too much")), "refund", arguments);
    assert_eq!(outcome.text(), "declined by a person (too much). Do not retry; tell the user.");
}

#[test]
fn what_can_not_be_undone_always_asks() {
    let (outcome, asked, done) = dispatched(Decision::Declined { reason: None }, "close", "{}");
    assert_eq!((outcome.status(), asked.len(), done), (Status::Declined, 1, vec![]));
    let (outcome, asked, done) = dispatched(Decision::Approved, "close", "{}");
    assert_eq!((outcome.text(), asked.len(), done), ("ok", 1, vec!["closed".to_owned()]));
}

#[test]
fn every_business_rule_is_asked_before_any_person() {
    let (outcome, asked, done) =
        dispatched(Decision::Approved, "refund", r#"{"order_id":"O-1","amount":900}"#);
    assert_eq!(outcome.status(), Status::Rejected);
    assert_eq!(outcome.text(), "O-1 was refunded already");
    assert_eq!((asked, done), (vec![], vec![]));
    let (outcome, ..) =
        dispatched(Decision::Approved, "refund", r#"{"order_id":"O-9","amount":1}"#);
    assert_eq!(outcome.text(), "$.order_id: is closed; choose an open order");
}

#[test]
fn wrong_arguments_are_found_before_any_rule_or_person() {
    let (outcome, asked, done) =
        dispatched(Decision::Approved, "refund", r#"{"order_id":"O-1","amount":"900"}"#);
    assert_eq!(outcome.status(), Status::Invalid);
    assert_eq!((asked, done), (vec![], vec![]));
}

#[test]
fn an_approver_that_panics_approves_nothing() {
    async fn fails(_: ApprovalRequest) -> Decision {
        panic!("the page is down: hunter2")
    }
    let ledger = Arc::new(Ledger::default());
    let registry = Registry::builder()
        .tools(tools![refund, close])
        .state(Arc::clone(&ledger))
        .approver(fails)
        .build()
        .unwrap();
    let outcome = registry
        .view(Caller::new("ada"))
        .dispatch_blocking(ToolCall::new("c", "close", "{}"), Options::default())
        .unwrap();
    assert_eq!((outcome.status(), outcome.executed()), (Status::Failed, false));
    assert!(!outcome.text().contains("hunter2"));
    assert_eq!(ledger.refunded(), Vec::<String>::new());
}

#[test]
fn a_dynamic_tool_passes_the_same_gates() {
    let asked = Arc::new(Mutex::new(0));
    let seen = Arc::clone(&asked);
    let tool = Tool::dynamic(
        "pay",
        "Pays.",
        json!({"type": "object", "properties": {"amount": {"type": "integer", "minimum": 1}}, "required": ["amount"], "additionalProperties": false}),
        |arguments: Value, cx: CallContext| async move {
            Ok::<_, ToolError>(format!("{} for {} in {:?}", arguments["amount"], cx.caller().principal(), cx.run_id()))
        },
    )
    .effect(toolkit::Effect::Write)
    .without_ledger("a test calls it again and again")
    .scopes(["pay"])
    .title("Pay")
    .approval(|arguments| arguments["amount"].as_u64() > Some(100));
    let approver = move |_: ApprovalRequest| {
        *seen.lock().unwrap() += 1;
        async { Decision::Declined { reason: None } }
    };
    let registry = Registry::builder().tool(tool).approver(approver).build().unwrap();
    let view = registry.view(Caller::new("ada").scopes(["pay"]));
    let pay = |arguments: &str| {
        view.dispatch_blocking(
            ToolCall::new("c", "pay", arguments),
            Options::default().run_id("run-7"),
        )
        .unwrap()
    };
    assert_eq!(pay(r#"{"amount":5.0}"#).text(), "5 for ada in Some(\"run-7\")");
    assert_eq!(pay(r#"{"amount":0}"#).text(), "$.amount: expected an integer at least 1, got 0");
    assert_eq!(*asked.lock().unwrap(), 0);
    assert_eq!(pay(r#"{"amount":101}"#).status(), Status::Declined);
    assert_eq!(*asked.lock().unwrap(), 1);
    assert_eq!(call(&registry.view(Caller::new("bob")), "pay", "{}").status(), Status::Denied);
}

/// How to close.
#[derive(Debug)]
#[arg_type]
struct How {
    #[serde(default = "yes")]
    force: bool,
    note: Option<String>,
}

fn yes() -> bool {
    true
}

/// Deletes for good.
#[tool(effect = "irreversible", ledger = none("a test calls it again and again"))]
fn delete(#[state] ledger: &Ledger, how: How, #[arg(default = 3)] times: u8) {
    ledger.0.lock().unwrap().push(format!("{} {:?} {times}", how.force, how.note));
}

#[test]
fn a_default_that_lies_inside_an_argument_is_shown_as_well() {
    let ledger = Arc::new(Ledger::default());
    let shown = Arc::new(Mutex::new(String::new()));
    let seen = Arc::clone(&shown);
    let approver = move |request: ApprovalRequest| {
        *seen.lock().unwrap() = request.to_string();
        async { Decision::Approved }
    };
    let registry = Registry::builder()
        .tools(tools![delete])
        .state(Arc::clone(&ledger))
        .approver(approver)
        .build()
        .unwrap();
    let view = registry.view(Caller::new("ada").tenant("acme"));
    assert_eq!(call(&view, "delete", r#"{"how":{"note":null}}"#).text(), "ok");
    assert_eq!(
        *shown.lock().unwrap(),
        "delete for ada of acme\n  how: object(1)\n  how.force: bool = true\n  times: number = 3"
    );
    assert_eq!(ledger.refunded(), ["true None 3"]);
}

/// Notes that somebody called.
#[tool(effect = "write", ledger = none("a test"))]
fn note_call() {}

/// Notes that somebody wrote, on which nobody need agree.
#[tool(effect = "write", ledger = none("a test"), approval(false))]
fn note_letter() {}

/// Notes.
#[tool(effect = "read")]
fn notes() {}

#[test]
fn where_rules_are_required_a_tool_that_says_nothing_of_a_person_is_refused() {
    let at_run_time = || {
        let run = |_: Value, _: CallContext| async { Ok::<_, Failure>(()) };
        Tool::dynamic("forget", "Forgets all.", json!({"type": "object"}), run)
            .effect(Effect::Write)
            .without_ledger("a test")
    };
    let builder = |tool: Tool| {
        Registry::builder()
            .tools(tools![refund, close, note_call, note_letter, notes])
            .tool(tool)
            .state(Ledger::default())
            .approver(|_: ApprovalRequest| async { Decision::Approved })
    };
    let refused = |builder: RegistryBuilder| {
        let errors = builder.require_approval_rules().build().unwrap_err();
        let told = errors
            .iter()
            .map(|error| (error.tool().unwrap_or_default().to_owned(), error.message().to_owned()));
        told.collect::<Vec<_>>()
    };
    let open = "it may change something and says nothing of a person's approval, which this \
                registry requires; add `approval(…)` with a rule, or with `false` where nobody \
                need agree";
    let of = |name: &str| (name.to_owned(), open.to_owned());
    assert_eq!(refused(builder(at_run_time().into())), [of("note_call"), of("forget")]);
    let ruled = at_run_time().approval(|_| true);
    assert_eq!(refused(builder(ruled.into())), [of("note_call")]);
    assert!(builder(at_run_time().into()).build().is_ok());
}
