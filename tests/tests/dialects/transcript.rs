//! One conversation in all five dialects, whole and in pieces: the same calls, the same outcomes.

use std::sync::Arc;

use serde_json::{Value, json};
use toolkit::dialect::{
    Answered, Anthropic, Dialect, Message, OpenAiChat, OpenAiResponses, Reply, Request,
};
use toolkit::ledger::{Desk, MemoryLedger, Person, RowState};
use toolkit::prelude::*;

use crate::forms;

/// Looks up an order.
#[tool(effect = "read")]
fn get_order(
    /// The order's id, like O-4471.
    #[arg(pattern = r"^O-\d+$")]
    order_id: String,
    detailed: Option<bool>,
) -> String {
    format!("{order_id} {detailed:?}")
}

/// Refunds an order.
#[tool(effect = "write", ledger = none("a test calls it again and again"), approval(amount > 500.0))]
fn refund(order_id: String, #[arg(minimum = 0.01)] amount: f64) -> String {
    format!("refunded {amount} for {order_id}")
}

fn view() -> View {
    let registry = Registry::builder()
        .tools(tools![get_order, refund])
        .approver(|_: toolkit::ApprovalRequest| async { Decision::declined("the desk is closed") });
    registry.build().unwrap().view(Caller::new("agent"))
}

/// What the model asks for, turn by turn.
fn turns() -> Vec<Vec<(&'static str, Value)>> {
    vec![
        vec![
            ("get_order", json!({"order_id": "O-1"})),
            ("get_order", json!({"order_id": "1", "detailed": true})),
            ("close_account", json!({})),
        ],
        vec![("refund", json!({"order_id": "O-1", "amount": 20}))],
        vec![("refund", json!({"order_id": "O-1", "amount": 900.5}))],
    ]
}

const OUTCOMES: [(Status, &str); 5] = [
    (Status::Ok, "O-1 None"),
    (Status::Invalid, r#"$.order_id: "1" does not match"#),
    (Status::UnknownTool, "no such tool \"close_account\""),
    (Status::Ok, "refunded 20 for O-1"),
    (Status::Declined, "declined by a person (the desk is closed)"),
];

/// A provider's bodies of one turn; MCP has a message for each call.
fn bodies(dialect: &dyn Dialect, turn: usize, calls: &[(&str, Value)]) -> Vec<String> {
    let id = |index: usize| format!("c{turn}{index}");
    let each = || calls.iter().enumerate();
    let whole = match dialect.name() {
        "anthropic" => {
            let blocks: Vec<Value> = each()
                .map(|(at, (name, input))| json!({"type": "tool_use", "id": id(at), "name": name, "input": input}))
                .collect();
            json!({"content": blocks, "stop_reason": "tool_use"})
        }
        "openai_chat" => {
            let calls: Vec<Value> = each()
                .map(|(at, (name, input))| json!({"id": id(at), "type": "function", "function": {"name": name, "arguments": input.to_string()}}))
                .collect();
            json!({"choices": [{"message": {"content": null, "tool_calls": calls}, "finish_reason": "tool_calls"}]})
        }
        "openai_responses" => {
            let items: Vec<Value> = each()
                .map(|(at, (name, input))| json!({"type": "function_call", "call_id": id(at), "name": name, "arguments": input.to_string(), "status": "completed"}))
                .collect();
            json!({"status": "completed", "output": items})
        }
        "gemini" => {
            let parts: Vec<Value> = each()
                .map(|(at, (name, input))| json!({"functionCall": {"id": id(at), "name": name, "args": input}}))
                .collect();
            json!({"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}]})
        }
        _ => {
            let message = |(at, (name, input)): (usize, &(&str, Value))| json!({"jsonrpc": "2.0", "id": id(at), "method": "tools/call", "params": {"name": name, "arguments": input}});
            return each().map(|one| message(one).to_string()).collect();
        }
    };
    vec![whole.to_string()]
}

/// The same bodies as events, each call's arguments in pieces of three letters.
fn events(dialect: &dyn Dialect, body: &str) -> Vec<String> {
    let body: Value = serde_json::from_str(body).unwrap();
    let pieces = |text: &str| -> Vec<String> {
        let letters: Vec<char> = text.chars().collect();
        letters.chunks(3).map(|piece| piece.iter().collect()).collect()
    };
    let mut events = Vec::new();
    match dialect.name() {
        "anthropic" => {
            events.push(json!({"type": "message_start", "message": {}}));
            for (index, block) in body["content"].as_array().unwrap().iter().enumerate() {
                let mut start = block.clone();
                start["input"] = json!({});
                events.push(
                    json!({"type": "content_block_start", "index": index, "content_block": start}),
                );
                for piece in pieces(&block["input"].to_string()) {
                    let delta = json!({"type": "input_json_delta", "partial_json": piece});
                    events.push(
                        json!({"type": "content_block_delta", "index": index, "delta": delta}),
                    );
                }
                events.push(json!({"type": "content_block_stop", "index": index}));
            }
            events.push(json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}));
            events.push(json!({"type": "message_stop"}));
        }
        "openai_chat" => {
            let chunk = |call: Value| json!({"choices": [{"delta": {"tool_calls": [call]}}]});
            let calls = body["choices"][0]["message"]["tool_calls"].as_array().unwrap();
            for (index, call) in calls.iter().enumerate() {
                let name = &call["function"]["name"];
                events.push(chunk(json!({"index": index, "id": call["id"], "function": {"name": name, "arguments": ""}})));
                for piece in pieces(call["function"]["arguments"].as_str().unwrap()) {
                    events.push(chunk(json!({"index": index, "function": {"arguments": piece}})));
                }
            }
            events.push(json!({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}));
        }
        _ => {
            for (index, item) in body["output"].as_array().unwrap().iter().enumerate() {
                let mut added = item.clone();
                added["arguments"] = json!("");
                events.push(json!({"type": "response.output_item.added", "output_index": index, "item": added}));
                for piece in pieces(item["arguments"].as_str().unwrap()) {
                    events.push(json!({"type": "response.function_call_arguments.delta", "output_index": index, "delta": piece}));
                }
                events.push(json!({"type": "response.output_item.done", "output_index": index, "item": item}));
            }
            events.push(json!({"type": "response.completed", "response": {"status": "completed"}}));
        }
    }
    events.iter().map(Value::to_string).collect()
}

fn play(dialect: &dyn Dialect, read: impl Fn(&str) -> Reply) -> Vec<Outcome> {
    let view = view();
    let mut history = vec![Message::User("Refund my order.".to_owned())];
    let mut outcomes = Vec::new();
    for (turn, calls) in turns().iter().enumerate() {
        for body in bodies(dialect, turn, calls) {
            let reply = read(&body);
            let answer = |call: &ToolCall| {
                let outcome = view.dispatch_blocking(call, Options::default()).unwrap();
                Answered::new(call.clone(), outcome)
            };
            let answered: Vec<Answered> = reply.tool_calls().map(answer).collect();
            outcomes.extend(answered.iter().map(|answered| answered.outcome.clone()));
            history.push(Message::Assistant(reply));
            history.push(Message::Results(answered));
        }
    }
    let offer = view.offer(dialect).unwrap();
    let request = dialect.request(&Request::new("m", &history).offer(&offer)).to_string();
    // MCP's request lists the tools; what was said stands in its messages.
    let messages = Value::from(dialect.messages(&history)).to_string();
    for (turn, calls) in turns().iter().enumerate() {
        for index in 0..calls.len() {
            let id = format!("\"c{turn}{index}\"");
            assert_eq!(messages.matches(&id).count(), 2, "{} {id}", dialect.name());
            assert!(dialect.name() == "mcp" || request.contains(&id), "{} {id}", dialect.name());
        }
    }
    outcomes
}

#[track_caller]
fn assert_as_expected(dialect: &dyn Dialect, outcomes: &[Outcome]) {
    assert_eq!(outcomes.len(), OUTCOMES.len(), "{}", dialect.name());
    for (outcome, (status, text)) in outcomes.iter().zip(OUTCOMES) {
        assert_eq!(outcome.status(), status, "{}: {}", dialect.name(), outcome.text());
        assert!(outcome.text().starts_with(text), "{}: {}", dialect.name(), outcome.text());
    }
}

#[test]
fn the_same_conversation_comes_to_the_same_in_every_dialect() {
    for dialect in &forms() {
        let dialect = &**dialect;
        let outcomes = play(dialect, |body| dialect.read(body).unwrap());
        assert_as_expected(dialect, &outcomes);
    }
}

#[test]
fn the_same_conversation_in_pieces_comes_to_the_same() {
    let dialects: [&dyn Dialect; 3] = [&Anthropic, &OpenAiChat, &OpenAiResponses];
    for dialect in dialects {
        let outcomes = play(dialect, |body| {
            let mut stream = dialect.stream().unwrap();
            for event in events(dialect, body) {
                stream.push(&event).unwrap();
            }
            stream.end().unwrap()
        });
        assert_as_expected(dialect, &outcomes);
    }
}

/// Pays back an order.
#[tool(effect = "write", approval(amount > 500.0))]
fn pay_back(order_id: String, #[arg(minimum = 0.01)] amount: f64) -> String {
    format!("paid {amount} back for {order_id}")
}

/// A decision that is kept in the history would have to come back through every provider's form.
#[test]
fn what_a_person_agreed_to_runs_whatever_provider_asked_for_it() {
    for dialect in &forms() {
        let dialect = &**dialect;
        let ledger = Arc::new(MemoryLedger::new());
        let registry = Registry::builder().tools(tools![pay_back]).ledger(Arc::clone(&ledger));
        let view = registry.build().unwrap().view(Caller::new("agent"));
        let asked = ("pay_back", json!({"order_id": "O-1", "amount": 900.5}));
        let [body] = &bodies(dialect, 0, &[asked])[..] else { panic!() };
        let reply = dialect.read(body).unwrap();
        let call = reply.tool_calls().next().unwrap();
        let parked = view.dispatch_blocking(call, Options::default()).unwrap();
        assert_eq!(parked.status(), Status::AwaitingApproval, "{}", dialect.name());

        let id = parked.approval_id().unwrap();
        let desk = Desk::new(ledger);
        let person = Person::authenticated("kim", "web").scopes(["approvals:decide"]);
        let shown = pollster::block_on(desk.show(id)).unwrap();
        let state = pollster::block_on(desk.approve(&person, id, &shown.binding)).unwrap();
        assert_eq!(state, RowState::Approved, "{}", dialect.name());

        let ran = view.resume_blocking(id, Options::default()).unwrap();
        assert_eq!((ran.status(), ran.text()), (Status::Ok, "paid 900.5 back for O-1"));
        let history = [
            Message::User("Pay it back.".to_owned()),
            Message::Assistant(reply.clone()),
            Message::Results(vec![Answered::new(call.clone(), ran)]),
        ];
        let messages = Value::from(dialect.messages(&history)).to_string();
        assert!(messages.contains("paid 900.5 back for O-1"), "{}: {messages}", dialect.name());
        assert_eq!(messages.matches("\"c00\"").count(), 2, "{}: {messages}", dialect.name());
    }
}
