//! What must have succeeded before a tool in the same run.

use std::sync::Arc;

use serde_json::{Value, json};
use toolkit::dialect::{
    Answered, Anthropic, Dialect, Message, OpenAiChat, OpenAiResponses, Request,
};
use toolkit::ledger::{Desk, MemoryLedger, Person};
use toolkit::prelude::*;
use toolkit::{Agent, Limits, Model, ModelError, Outcome, Reply, RunMemory, ScriptedModel, Turn};

/// Verifies who is asking.
#[tool(effect = "read")]
fn verify_identity(code: u16) -> Result<&'static str, ToolError> {
    if code == 1234 { Ok("verified") } else { Err(ToolError::business("the code is wrong")) }
}

/// Looks up an order.
#[tool(effect = "read", scopes("orders:read"))]
fn lookup_order(order_id: &str, #[arg(default = 1)] part: u8) -> String {
    format!("{order_id}/{part}")
}

/// Refunds an order.
#[tool(
    effect = "write",
    requires(verify_identity, lookup_order(order_id)),
    approval(amount > 500),
    idempotency(order_id)
)]
fn refund(order_id: &str, amount: u32) -> String {
    format!("refunded {amount} for {order_id}")
}

/// Tells what an order may get.
#[tool(effect = "read", requires(lookup_order(order_id, part)))]
fn advise(order_id: &str, #[arg(default = 1)] part: u8) -> String {
    format!("{order_id}/{part} may be refunded")
}

fn ledger() -> Arc<MemoryLedger> {
    Arc::new(MemoryLedger::new())
}

fn registry(ledger: &Arc<MemoryLedger>) -> Registry {
    let tools = tools![verify_identity, lookup_order, refund, advise];
    Registry::builder().tools(tools).ledger(Arc::clone(ledger)).build().unwrap()
}

fn view() -> View {
    registry(&ledger()).view(Caller::new("ann").scopes(["orders:read"]))
}

fn dispatch(view: &View, history: &[Message], name: &str, arguments: Value) -> Outcome {
    let call = ToolCall::new("call_x", name, arguments.to_string());
    view.dispatch_blocking(call, Options::default().history(history)).unwrap()
}

/// The history of these calls, as they came out.
fn history(view: &View, calls: &[(&str, Value)]) -> Vec<Message> {
    let mut messages = vec![Message::User("Please.".to_owned())];
    for (index, (name, arguments)) in calls.iter().enumerate() {
        let call = ToolCall::new(format!("call_{index}"), *name, arguments.to_string());
        let outcome = view.dispatch_blocking(&call, Options::default().history(&messages)).unwrap();
        messages.push(Message::Assistant(Reply::calls([call.clone()])));
        messages.push(Message::Results(vec![Answered::new(call, outcome)]));
    }
    messages
}

#[test]
fn a_tool_does_not_run_before_what_it_requires_and_says_what_to_call() {
    let view = view();
    let asked = json!({"order_id": "O-1", "amount": 20});
    let outcome = dispatch(&view, &[], "refund", asked.clone());
    assert_eq!((outcome.status(), outcome.executed()), (Status::Prerequisite, false));
    assert!(outcome.is_error() && outcome.is_retryable());
    assert_eq!(
        outcome.text(),
        "refund did not run: in this run, something has to be done before it. Call \
         verify_identity, and lookup_order with order_id \"O-1\". When that succeeded, call refund \
         again.",
    );
    let verified = history(&view, &[("verify_identity", json!({"code": 1234}))]);
    assert_eq!(
        dispatch(&view, &verified, "refund", asked.clone()).text(),
        "refund did not run: in this run, something has to be done before it. Call lookup_order \
         with order_id \"O-1\". When that succeeded, call refund again.",
    );
    let both =
        [("verify_identity", json!({"code": 1234})), ("lookup_order", json!({"order_id": "O-1"}))];
    let done = history(&view, &both);
    assert_eq!(dispatch(&view, &done, "refund", asked).text(), "refunded 20 for O-1");
    let other = dispatch(&view, &done, "refund", json!({"order_id": "O-2", "amount": 20}));
    assert_eq!(other.status(), Status::Prerequisite, "another order was looked up");
}

#[test]
fn a_failed_call_does_not_count_and_arguments_are_compared_as_they_would_run() {
    let view = view();
    let failed = history(&view, &[("verify_identity", json!({"code": 1}))]);
    let outcome = dispatch(&view, &failed, "refund", json!({"order_id": "O-1", "amount": 2}));
    assert!(outcome.text().contains("Call verify_identity, and"));

    let looked = history(&view, &[("lookup_order", json!({"order_id": "O-1", "part": 1.0}))]);
    let advised = dispatch(&view, &looked, "advise", json!({"order_id": "O-1"}));
    assert_eq!(advised.text(), "O-1/1 may be refunded", "the default is the same value");
    let left_out = history(&view, &[("lookup_order", json!({"order_id": "O-1"}))]);
    let advised = dispatch(&view, &left_out, "advise", json!({"order_id": "O-1", "part": 1}));
    assert_eq!(advised.text(), "O-1/1 may be refunded", "so is the one that was left out");
    let outcome = dispatch(&view, &looked, "advise", json!({"order_id": "O-1", "part": 2}));
    assert_eq!(
        outcome.text(),
        "advise did not run: in this run, something has to be done before it. Call lookup_order \
         with order_id \"O-1\" and part 2. When that succeeded, call advise again.",
    );
}

#[test]
fn wrong_arguments_are_told_before_what_is_required() {
    let outcome = dispatch(&view(), &[], "refund", json!({"order_id": "O-1"}));
    assert_eq!(outcome.status(), Status::Invalid);
}

#[test]
fn a_tool_that_is_hidden_is_never_named() {
    let narrow = registry(&ledger()).view(Caller::new("ann"));
    let outcome = dispatch(&narrow, &[], "refund", json!({"order_id": "O-1", "amount": 2}));
    assert_eq!((outcome.status(), outcome.is_retryable()), (Status::Prerequisite, false));
    assert_eq!(
        outcome.text(),
        "refund did not run: something has to be done before it that you have no tool for. Do not \
         call it again; tell the user.",
    );
    assert!(!outcome.structured().to_string().contains("lookup_order"));
    assert_eq!(
        outcome.host_note(),
        Some("it requires `lookup_order`, which this view does not show"),
    );
}

#[test]
fn a_call_that_is_done_is_given_again_without_its_prerequisites() {
    let view = view();
    let asked = json!({"order_id": "O-1", "amount": 20});
    let both =
        [("verify_identity", json!({"code": 1234})), ("lookup_order", json!({"order_id": "O-1"}))];
    let done = history(&view, &both);
    assert_eq!(dispatch(&view, &done, "refund", asked.clone()).status(), Status::Ok);
    assert_eq!(dispatch(&view, &[], "refund", asked).status(), Status::Duplicate);
}

#[test]
fn a_parked_call_runs_where_there_is_no_history_any_more() {
    let ledger = ledger();
    let registry = registry(&ledger);
    let view = registry.view(Caller::new("ann").scopes(["orders:read"]));
    let both =
        [("verify_identity", json!({"code": 1234})), ("lookup_order", json!({"order_id": "O-1"}))];
    let done = history(&view, &both);
    let waits = dispatch(&view, &done, "refund", json!({"order_id": "O-1", "amount": 900}));
    let id = waits.approval_id().expect("it waits");
    let kim = Person::authenticated("kim", "web").scopes(["approvals:decide"]);
    let desk = Desk::new(ledger);
    let shown = pollster::block_on(desk.show(id)).unwrap();
    pollster::block_on(desk.approve(&kim, id, &shown.binding)).unwrap();
    let outcome = view.resume_blocking(id, Options::default()).unwrap();
    assert_eq!(outcome.text(), "refunded 900 for O-1");
}

#[test]
fn a_rehearsal_counts_for_a_rehearsal_only() {
    let tool = |name: &str| {
        Tool::dynamic(name, "Does it.", json!({}), |_, _| async { Ok::<_, Failure>("done") })
    };
    let tools = [Tool::from(tool("first")), tool("then").requires("first").into()];
    let view = Registry::builder().tools(tools).build().unwrap().view(Caller::new("ann"));
    let first = ToolCall::new("1", "first", "{}");
    let rehearsed = view.dispatch_blocking(&first, Options::default().dry_run()).unwrap();
    assert_eq!(rehearsed.status(), Status::DryRun);
    let history = [Message::Results(vec![Answered::new(first, rehearsed)])];
    let then = ToolCall::new("2", "then", "{}");
    let options = || Options::default().history(&history);
    let status = |options| view.dispatch_blocking(&then, options).unwrap().status();
    assert_eq!(status(options()), Status::Prerequisite);
    assert_eq!(status(options().dry_run()), Status::DryRun);
}

#[test]
fn calls_that_a_strict_form_wrote_otherwise_count_as_what_they_mean() {
    let view = view();
    let dialect = OpenAiResponses.strict();
    let body = json!({
        "output": [{
            "type": "function_call",
            "call_id": "call_1",
            "name": "lookup_order",
            "arguments": r#"{"order_id": "O-1", "part": null}"#,
            "status": "completed",
        }],
        "status": "completed",
    });
    let reply = dialect.read(&body.to_string()).unwrap();
    let call = reply.tool_calls().next().unwrap().clone();
    let memory = RunMemory::default();
    let remembering = view.clone().remembering(&memory);
    let outcome = remembering.dispatch_blocking(&call, Options::default()).unwrap();
    let history = [Message::Results(vec![Answered::new(call, outcome)])];
    for (view, history) in [(&view, &history[..]), (&remembering, &[])] {
        let status = |part: Value| {
            dispatch(view, history, "advise", json!({"order_id": "O-1", "part": part})).status()
        };
        assert_eq!(
            [Value::Null, json!(1), json!(2)].map(status),
            [Status::Ok, Status::Ok, Status::Prerequisite]
        );
    }
}

#[test]
fn the_loop_keeps_the_history_of_its_own_run_also_of_the_same_reply() {
    let together = Reply::calls([
        ToolCall::new("1", "verify_identity", r#"{"code": 1234}"#),
        ToolCall::new("2", "lookup_order", r#"{"order_id": "O-1"}"#),
        ToolCall::new("3", "advise", r#"{"order_id": "O-1", "part": 1}"#),
        ToolCall::new("4", "refund", r#"{"order_id": "O-1", "amount": 20}"#),
    ]);
    let model = ScriptedModel::new([
        together,
        Reply::text("Done."),
        Reply::call("refund", r#"{"order_id": "O-2", "amount": 1}"#),
        Reply::text("No."),
    ]);
    let agent = Agent::new(model, view());
    let run = agent.run_blocking("Refund O-1.").unwrap();
    let all = ["verify_identity", "lookup_order"];
    assert_eq!(run.trajectory()[..2], all);
    assert_eq!(run.trajectory().last(), Some(&"refund"));
    let run = agent.resume_blocking(run.resumable_messages(), "And O-2.").unwrap();
    assert_eq!(run.blocked_tools(), ["refund"], "what another run did does not count");
}

#[test]
fn what_can_never_be_met_is_a_mistake_of_the_registry() {
    let tool = |name: &str| {
        let schema = json!({"properties": {"a": {"type": "string"}}});
        Tool::dynamic(name, "Does it.", schema, |_, _| async { Ok::<_, Failure>("done") })
    };
    let faults = |tools: Vec<Tool>| -> Vec<String> {
        let errors = Registry::builder().tools(tools).build().unwrap_err();
        errors.iter().map(ToString::to_string).collect()
    };
    assert_eq!(
        faults(vec![tool("one").requires("another").into()]),
        ["tool `one`: it requires `another`, and there is no such tool; add it"],
    );
    assert_eq!(
        faults(vec![tool("one").requires_same("two", ["a", "b"]).into(), tool("two").into()]),
        ["tool `one`: it requires `two` with the same `b`, and `one` has no such parameter"],
    );
    let circle = "what it requires requires it in turn, so that none of them ever runs; take one \
                  `requires` away";
    assert_eq!(
        faults(vec![
            tool("one").requires("two").into(),
            tool("two").requires("three").into(),
            tool("three").requires("one").into(),
            tool("four").requires("one").into(),
        ]),
        ["one", "two", "three"].map(|name| format!("tool `{name}`: {circle}")),
    );
}

/// Keeps what each turn would send as its choice.
struct Shows<'d> {
    dialect: &'d dyn Dialect,
    script: ScriptedModel,
    choices: std::sync::Mutex<Vec<Value>>,
}

impl Model for Shows<'_> {
    async fn reply(&self, turn: &Turn<'_>) -> Result<Reply, ModelError> {
        let offer = turn.offer(self.dialect)?;
        let request = Request::new("small", turn.messages()).offer(&offer);
        let sent = self.dialect.request(&request)["tool_choice"].clone();
        self.choices.lock().unwrap().push(sent);
        self.script.reply(turn).await
    }
}

#[test]
fn the_loop_forces_what_is_required_of_the_run_on_its_first_turn_and_releases_it() {
    let choices = |dialect: &dyn Dialect, forces: bool| {
        let script = ScriptedModel::new([
            Reply::call("verify_identity", r#"{"code": 1}"#),
            Reply::call("verify_identity", r#"{"code": 1234}"#),
            Reply::text("Welcome."),
        ]);
        let model = Shows { dialect, script, choices: std::sync::Mutex::default() };
        let agent = Agent::new(&model, view());
        let agent = if forces { agent.force_prerequisites() } else { agent };
        agent.run_blocking("Hello.").unwrap();
        model.choices.into_inner().unwrap()
    };
    let named = json!({"type": "function", "function": {"name": "verify_identity"}});
    assert_eq!(choices(&OpenAiChat, true), [named, Value::Null, Value::Null]);
    assert_eq!(
        choices(&Anthropic, true),
        [json!({"type": "tool", "name": "verify_identity"}), Value::Null, Value::Null],
    );
    assert_eq!(choices(&OpenAiChat, false), [Value::Null, Value::Null, Value::Null]);
    let thinks = Anthropic.with_thinking();
    assert_eq!(choices(&thinks, true), [Value::Null, Value::Null, Value::Null]);
}

/// A function that does not wait is all the same made to wait for its turn.
#[tokio::test]
async fn a_read_that_requires_something_waits_for_its_turn() {
    /// Takes its time.
    #[tool(effect = "read")]
    async fn slow() {
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }

    let tools = tools![verify_identity, balance, slow];
    let limits = toolkit::Limits { at_once: 1, ..toolkit::Limits::default() };
    let registry = Registry::builder().tools(tools).limits(limits).timer(tokio::time::sleep);
    let view = registry.build().unwrap().view(Caller::new("ann"));
    let verified = ToolCall::new("call_1", "verify_identity", r#"{"code": 1234}"#);
    let outcome = view.dispatch(&verified, Options::default()).await.unwrap();
    let done = [Message::Results(vec![Answered::new(verified, outcome)])];
    let first = view.dispatch(ToolCall::new("call_2", "slow", "{}"), Options::default());
    let second = async {
        tokio::task::yield_now().await;
        let call = ToolCall::new("call_3", "balance", "{}");
        view.dispatch(call, Options::default().history(&done)).await
    };
    let (first, second) = tokio::join!(first, second);
    assert_eq!((first.unwrap().status(), second.unwrap().text()), (Status::Ok, "12"));
}

/// Tells a balance.
#[tool(effect = "read", requires(verify_identity))]
fn balance() -> u8 {
    12
}

#[test]
fn nobody_is_sent_to_a_tool_that_is_listed_and_not_theirs() {
    /// Verifies who is asking.
    #[tool(effect = "read", scopes("staff"), listed, on_denied = "fatal")]
    fn verify_staff() {}

    /// Changes an address.
    #[tool(effect = "read", requires(verify_staff))]
    fn change_address() {}

    let registry = Registry::builder().tools(tools![verify_staff, change_address]).build().unwrap();
    let view = registry.view(Caller::new("ann"));
    assert_eq!(view.visible(), ["verify_staff", "change_address"]);
    assert_eq!(
        dispatch(&view, &[], "change_address", json!({})).text(),
        "change_address did not run: something has to be done before it that you have no tool \
         for. Do not call it again; tell the user.",
    );
    let agent = Agent::new(ScriptedModel::new([Reply::text("I can not.")]), view);
    assert!(agent.force_prerequisites().run_blocking("I moved.").unwrap().ok());
}

#[test]
fn what_was_done_counts_also_when_its_tool_is_stripped_since() {
    /// Notes who is asking.
    #[tool(effect = "write")]
    fn sign_in() {}

    /// Reads a page.
    #[tool(effect = "read", reads_untrusted)]
    fn read_page() -> &'static str {
        "a page"
    }

    /// Reads a letter.
    #[tool(effect = "read", requires(sign_in))]
    fn read_letter() -> &'static str {
        "a letter"
    }

    let registry = Registry::builder()
        .tools(tools![sign_in, read_page, read_letter])
        .ledger(MemoryLedger::new())
        .on_taint(toolkit::OnTaint::Strip)
        .build()
        .unwrap();
    let view = registry.view(Caller::new("ann"));
    let done = history(&view, &[("sign_in", json!({})), ("read_page", json!({}))]);
    assert_eq!(view.visible(), ["read_page", "read_letter"]);
    assert_eq!(dispatch(&view, &done, "read_letter", json!({})).text(), "a letter");
}

#[test]
fn a_new_run_remembers_nothing_of_the_one_it_was_made_from_and_tells_it_nothing() {
    let memory = RunMemory::default();
    let view = view().remembering(&memory);
    let other = view.new_run();
    let status = |view: &View, name: &str| {
        let call = ToolCall::new("call_1", name, r#"{"order_id": "O-1"}"#);
        view.dispatch_blocking(call, Options::default()).unwrap().status()
    };
    assert_eq!(status(&other, "lookup_order"), Status::Ok);
    assert_eq!(status(&view, "advise"), Status::Prerequisite);
    assert_eq!(status(&view, "lookup_order"), Status::Ok);
    assert_eq!(status(&view, "advise"), Status::Ok);
    assert_eq!(status(&other, "advise"), Status::Prerequisite);
}

#[test]
fn a_memory_keeps_each_call_once_and_forgets_the_oldest_of_too_many_or_too_long_ones() {
    let limits = Limits { argument_bytes: 100_000, ..Limits::default() };
    let tools = tools![verify_identity, lookup_order, refund, advise];
    let builder = Registry::builder().tools(tools).ledger(ledger()).limits(limits);
    let registry = builder.build().unwrap();
    let remembering = |memory: &RunMemory| {
        registry.view(Caller::new("ann").scopes(["orders:read"])).remembering(memory)
    };
    let status = |memory: &RunMemory, name: &str, arguments: &str| {
        let call = ToolCall::new("call_1", name, arguments);
        remembering(memory).dispatch_blocking(call, Options::default()).unwrap().status()
    };
    let order = |number: usize| json!({ "order_id": format!("O-{number}") }).to_string();
    let kept = |calls: usize| format!("RunMemory {{ label: untainted, done: {calls}, .. }}");

    let memory = RunMemory::default();
    for number in 0..256 {
        assert_eq!(status(&memory, "lookup_order", &order(number)), Status::Ok);
        assert_eq!(status(&memory, "lookup_order", &order(number)), Status::Ok);
    }
    assert_eq!(format!("{memory:?}"), kept(256));
    assert_eq!(status(&memory, "advise", &order(0)), Status::Ok);
    assert_eq!(status(&memory, "lookup_order", &order(256)), Status::Ok);
    assert_eq!(format!("{memory:?}"), kept(256));
    assert_eq!(status(&memory, "advise", &order(0)), Status::Prerequisite);
    assert_eq!(status(&memory, "advise", &order(1)), Status::Ok);

    let memory = RunMemory::default();
    let (most, small) = (64 * 1024, order(7).len());
    let spaced = |number: usize, bytes: usize| {
        let order = order(number);
        format!("{order}{}", " ".repeat(bytes - order.len()))
    };
    for (arguments, calls) in [
        (spaced(1, most + 1), 0),
        (spaced(2, most), 1),
        (order(7), 1),
        (spaced(3, most - small), 2),
        (order(8), 2),
        (spaced(4, most - small + 1), 1),
    ] {
        assert_eq!(status(&memory, "lookup_order", &arguments), Status::Ok);
        assert_eq!(format!("{memory:?}"), kept(calls), "{} bytes", arguments.len());
    }
    assert_eq!(status(&memory, "advise", &order(8)), Status::Prerequisite);
    assert_eq!(status(&memory, "advise", &order(4)), Status::Ok);
}
