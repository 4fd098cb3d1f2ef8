//! Our tools in rig's loop, and rig's tools behind our gates.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rig_agent::AgentBuilder;
use rig_core::message::ToolName;
use rig_core::test_utils::{MockCompletionModel, MockTurn};
use rig_core::tool::{DynamicTool as RigTool, ToolExecutionError, ToolOutput};
use serde_json::{Value, json};
use toolkit::Effect;
use toolkit::ledger::MemoryLedger;
use toolkit::prelude::*;
use toolkit::rig::{Gates, imported};

const SECRET: &str = "postgres://admin:hunter2@db";

/// Pay a customer.
#[tool(effect = "write", approval(amount > 500.0))]
fn create_payment(
    #[state] paid: &AtomicUsize,
    #[arg(minimum = 0.01)] amount: f64,
    #[arg(format = "date")] pay_on: Option<String>,
) -> String {
    paid.fetch_add(1, Ordering::Relaxed);
    format!("paid {amount:?} {}", pay_on.as_deref().unwrap_or("today"))
}

/// Looks an order up.
#[tool(effect = "read")]
fn get_order(order_id: &str) -> Result<Value, Failure> {
    match order_id {
        "O-404" => Err(ToolError::business("no such order"))?,
        "O-500" => Err(std::io::Error::other(SECRET))?,
        "O-501" => panic!("no route to {SECRET}"),
        "O-502" => Err(FatalToolError::denied(SECRET))?,
        _ => Ok(json!({"id": order_id})),
    }
}

/// Only for clerks.
#[tool(effect = "read", scopes("clerk"))]
fn secret() -> &'static str {
    SECRET
}

/// What rig's run came to, what its model read of the call, and how often anything was paid.
struct Played {
    ended: Result<String, String>,
    told: String,
    paid: usize,
}

/// Plays one call through rig's own loop; the model then says that it is done.
async fn plays(name: &str, arguments: Value) -> Played {
    let paid = Arc::new(AtomicUsize::new(0));
    let registry = Registry::builder()
        .tools(tools![create_payment, get_order, secret])
        .state(Arc::clone(&paid))
        .ledger(MemoryLedger::new())
        .build()
        .unwrap();
    let view = registry.view(Caller::new("ann"));
    let turns = [MockTurn::tool_call("call_1", name, arguments), MockTurn::text("done")];
    let model = MockCompletionModel::from_turns(turns);
    let agent = AgentBuilder::new(model.clone())
        .dynamic_tools(toolkit::rig::tools(&view, &Options::default()).unwrap())
        .add_hook(Gates::of(&view))
        .build();
    let ended = agent.prompt("Go.").max_turns(4).await;
    let told = model.requests().get(1).map(|request| {
        let history = serde_json::to_value(&request.chat_history).unwrap();
        results(&history).join("\n")
    });
    Played {
        ended: ended.map(|response| response.output().clone()).map_err(|error| error.to_string()),
        told: told.unwrap_or_default(),
        paid: paid.load(Ordering::Relaxed),
    }
}

/// The texts of the tool results in a history.
fn results(history: &Value) -> Vec<String> {
    match history {
        Value::Array(items) => items.iter().flat_map(results).collect(),
        Value::Object(fields) if fields.get("type") == Some(&"toolresult".into()) => {
            fields.get("content").map(texts).unwrap_or_default()
        }
        Value::Object(fields) => fields.values().flat_map(results).collect(),
        _ => Vec::new(),
    }
}

/// Every text and every JSON value in the content of a result.
fn texts(content: &Value) -> Vec<String> {
    match content {
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Object(fields) => {
            let text = fields.get("text").and_then(Value::as_str).map(str::to_owned);
            text.or_else(|| fields.get("value").map(ToString::to_string)).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

async fn told(name: &str, arguments: Value) -> String {
    let played = plays(name, arguments).await;
    assert_eq!(played.ended.as_deref(), Ok("done"), "{name}");
    played.told
}

#[tokio::test]
async fn a_right_call_runs_and_a_wrong_one_is_told_all_that_is_wrong() {
    let right = plays("create_payment", json!({"amount": 3})).await;
    assert_eq!((right.told.as_str(), right.paid), ("paid 3.0 today", 1));
    assert_eq!(told("get_order", json!({"order_id": "O-1"})).await, r#"{"id":"O-1"}"#);

    let wrong = plays("create_payment", json!({"ammount": -1, "pay_on": "next friday"})).await;
    assert_eq!(wrong.ended.as_deref(), Ok("done"));
    assert_eq!(
        (wrong.told.as_str(), wrong.paid),
        (
            concat!(
                "$: missing required field 'amount'\n",
                "$: unexpected field 'ammount' (did you mean 'amount'? allowed: amount, pay_on)\n",
                "$.pay_on: \"next friday\" does not match the required format. Expected: date as YYYY-MM-DD\n",
                "$.ammount: expected a number at least 0.01, got -1",
            ),
            0,
        ),
    );
}

/// What others paid for arguments that their own schema refuses, or ended the run for.
#[tokio::test]
async fn what_others_run_is_told_and_runs_nothing() {
    let rows = [
        (
            json!({"amount": "3"}),
            "$.amount: expected a number at least 0.01, got text \"3\" (write 3 without quotes)",
        ),
        (json!({"amount": -1}), "$.amount: expected a number at least 0.01, got -1"),
        (json!({"amount": true}), "$.amount: expected a number at least 0.01, got true"),
        (
            json!({"amount": 1, "pay_on": "next friday"}),
            "$.pay_on: \"next friday\" does not match the required format. Expected: date as YYYY-MM-DD",
        ),
        (
            json!({"amount": 1, "force": true}),
            "$: unexpected field 'force' (allowed: amount, pay_on)",
        ),
    ];
    for (arguments, expected) in rows {
        let played = plays("create_payment", arguments.clone()).await;
        assert_eq!(played.ended.as_deref(), Ok("done"), "{arguments}");
        assert_eq!((played.told.as_str(), played.paid), (expected, 0), "{arguments}");
    }
    // What is no object: no call with it runs, and none ends the run.
    for arguments in [json!(null), json!([]), json!([9.5, "2026-01-02"]), json!("")] {
        let played = plays("create_payment", arguments.clone()).await;
        assert_eq!((played.ended.as_deref(), played.paid), (Ok("done"), 0), "{arguments}");
        assert!(!played.told.is_empty() && !played.told.contains("struct"), "{}", played.told);
    }
    // An integer is a number.
    assert_eq!(told("create_payment", json!({"amount": 9})).await, "paid 9.0 today");
}

#[tokio::test]
async fn a_wrong_name_does_not_end_the_run_and_a_hidden_one_reads_the_same() {
    let unknown = told("creat_payment", json!({})).await;
    assert_eq!(
        unknown,
        "no such tool \"creat_payment\" (did you mean \"create_payment\"?). Available: create_payment, get_order",
    );
    let hidden = told("secret", json!({})).await;
    assert_eq!(hidden, "no such tool \"secret\". Available: create_payment, get_order");
    assert_eq!(told("sacred", json!({})).await, hidden.replace("secret", "sacred"));
}

#[tokio::test]
async fn each_failure_ends_as_it_should_and_tells_no_secret() {
    assert_eq!(told("get_order", json!({"order_id": "O-404"})).await, "no such order");
    for order in ["O-500", "O-501"] {
        let internal = told("get_order", json!({"order_id": order})).await;
        assert!(internal.starts_with("get_order failed internally (error id "), "{internal}");
        assert!(!internal.contains(SECRET));
    }
    let parked = plays("create_payment", json!({"amount": 900})).await;
    assert!(
        parked.told.starts_with("create_payment waits for a person to agree"),
        "{}",
        parked.told
    );
    assert_eq!((parked.ended.as_deref(), parked.paid), (Ok("done"), 0));

    let fatal = plays("get_order", json!({"order_id": "O-502"})).await;
    let ended = fatal.ended.unwrap_err();
    assert!(ended.contains("a tool ended the run"), "{ended}");
    assert!(!ended.contains(SECRET), "{ended}");
    assert_eq!(fatal.told, "");
}

/// A tool of rig's that does what its argument says, and counts.
fn rigs(count: &Arc<AtomicUsize>) -> RigTool {
    let count = Arc::clone(count);
    let schema = json!({
        "type": "object",
        "properties": {"how": {"type": "string", "enum": ["well", "limit", "break", "refuse"]}},
        "required": ["how"],
    });
    RigTool::new(ToolName::new("act").unwrap(), "Acts.", schema, move |arguments| {
        count.fetch_add(1, Ordering::Relaxed);
        Box::pin(async move {
            match arguments["how"].as_str() {
                Some("well") => Ok(ToolOutput::json(json!({"did": "well"}))),
                Some("limit") => Err(ToolExecutionError::rate_limited("later")),
                Some("refuse") => Err(ToolExecutionError::refused("no")),
                _ => Err(ToolExecutionError::other(SECRET)),
            }
        })
    })
}

#[tokio::test]
async fn a_tool_of_rigs_runs_behind_our_gates() {
    let count = Arc::new(AtomicUsize::new(0));
    let registry = Registry::builder()
        .tool(imported(rigs(&count)).effect(Effect::Write).scopes(["act"]))
        .ledger(MemoryLedger::new())
        .build()
        .unwrap();
    assert_eq!(registry.view(Caller::new("guest")).visible(), [""; 0]);
    let view = registry.view(Caller::new("ann").scopes(["act"]));
    let acts = async |how: &str| {
        let call = ToolCall::new("call_1", "act", json!({"how": how}).to_string());
        view.dispatch(call, Options::default()).await.unwrap()
    };
    assert_eq!(acts("badly").await.status(), Status::Invalid);
    assert_eq!(count.load(Ordering::Relaxed), 0);
    assert_eq!(acts("well").await.value(), Some(json!({"did": "well"})));
    assert_eq!(acts("well").await.status(), Status::Duplicate);
    assert_eq!(count.load(Ordering::Relaxed), 1);
    let later = acts("limit").await;
    assert_eq!((later.text(), later.is_retryable()), ("later", true));
    assert_eq!(acts("refuse").await.text(), "no");
    // Nobody knows what a broken one did.
    for _ in 0..2 {
        let broken = acts("break").await;
        assert_eq!(broken.status(), Status::InDoubt);
        assert!(!broken.text().contains(SECRET));
    }
    assert_eq!(count.load(Ordering::Relaxed), 4);
}
