//! Runs the loop of one's own against a server that answers as the providers do, in pieces.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[expect(dead_code, reason = "`main` is for the program")]
#[path = "../07_own_loop.rs"]
mod own_loop;

use own_loop::{Provider, run};
use serde_json::{Value, json};
use toolkit::dialect::{Anthropic, Dialect, OpenAiResponses};
use wiremock::matchers::{header, method, path};
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

/// A provider: its first answer, and the one after it was told a result.
struct Script {
    first: Vec<Value>,
    then: Vec<Value>,
    /// What only a request with a result has.
    result: &'static str,
}

impl Respond for Script {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let sent = String::from_utf8(request.body.clone()).unwrap();
        assert!(sent.contains(r#""stream":true"#), "{sent}");
        let events = if sent.contains(self.result) { &self.then } else { &self.first };
        let written = |event: &Value| {
            format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap())
        };
        let body: String = events.iter().map(written).collect();
        ResponseTemplate::new(200).set_body_raw(body, "text/event-stream")
    }
}

async fn answer(dialect: &'static dyn Dialect, at: &str, script: Script) -> (String, Vec<Value>) {
    let server = MockServer::start().await;
    let asked = Mock::given(method("POST")).and(path(at)).and(header("x-key", "secret"));
    asked.respond_with(script).expect(2).mount(&server).await;
    let provider = Provider {
        dialect,
        url: format!("{}{at}", server.uri()),
        model: "small",
        headers: vec![("x-key", "secret".to_owned())],
    };
    let answer = run(&provider, "What is the weather in Lisbon?").await.unwrap();
    let requests = server.received_requests().await.unwrap();
    (answer, requests.iter().map(|request| request.body_json().unwrap()).collect())
}

#[tokio::test]
async fn anthropic_is_asked_answered_and_asked_again() {
    let delta = |delta: Value| json!({"type": "content_block_delta", "index": 0, "delta": delta});
    let start = json!({"type": "message_start", "message": {"id": "msg_1"}});
    let ends = |reason: &str| {
        [
            json!({"type": "content_block_stop", "index": 0}),
            json!({"type": "message_delta", "delta": {"stop_reason": reason}}),
            json!({"type": "message_stop"}),
        ]
    };
    let call = json!({"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {}});
    let block =
        |block: Value| json!({"type": "content_block_start", "index": 0, "content_block": block});
    let mut first = vec![
        start.clone(),
        block(call),
        delta(json!({"type": "input_json_delta", "partial_json": "{\"city\": \"Lis"})),
        delta(json!({"type": "input_json_delta", "partial_json": "bon\"}"})),
    ];
    first.extend(ends("tool_use"));
    let mut then = vec![
        start,
        block(json!({"type": "text", "text": ""})),
        delta(json!({"type": "text_delta", "text": "It is "})),
        delta(json!({"type": "text_delta", "text": "sunny in Lisbon."})),
    ];
    then.extend(ends("end_turn"));
    let script = Script { first, then, result: "tool_result" };
    let (answer, requests) = answer(&Anthropic, "/v1/messages", script).await;
    assert_eq!(answer, "It is sunny in Lisbon.");
    assert_eq!(
        requests.last().and_then(|request| request.pointer("/messages/2")),
        Some(&json!({"role": "user", "content": [{
            "type": "tool_result",
            "tool_use_id": "toolu_1",
            "content": "sunny, 24 degrees",
        }]})),
    );
}

#[tokio::test]
async fn openai_is_asked_answered_and_asked_again() {
    let call = json!({
        "type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "weather",
        "arguments": "{\"city\": \"Lisbon\"}", "status": "completed",
    });
    let message = json!({
        "type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
        "content": [{"type": "output_text", "text": "It is sunny in Lisbon.", "annotations": []}],
    });
    let done = |item: &Value| {
        vec![
            json!({"type": "response.created", "response": {"id": "resp_1", "output": []}}),
            json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
            json!({"type": "response.completed", "response": {
                "id": "resp_1", "status": "completed", "output": [item],
            }}),
        ]
    };
    let script =
        Script { first: done(&call), then: done(&message), result: "function_call_output" };
    let (answer, requests) = answer(&OpenAiResponses, "/v1/responses", script).await;
    assert_eq!(answer, "It is sunny in Lisbon.");
    assert_eq!(
        requests.last().and_then(|request| request.pointer("/input/2")),
        Some(&json!({
            "type": "function_call_output",
            "call_id": "call_1",
            "output": "sunny, 24 degrees",
        })),
    );
}

/// The tool and the loop, without what says which provider is asked.
#[test]
fn a_loop_of_ones_own_has_sixty_lines_at_most() {
    let program = include_str!("../07_own_loop.rs");
    let (_, written) = program.split_once("#[tool(").unwrap();
    let (written, _) = written.split_once("/// The provider whose key is there.").unwrap();
    let (tool, rest) = written.split_once("/// Where a provider is asked, and how.").unwrap();
    let (_, the_loop) = rest.split_once("/// Reads a stream of events").unwrap();
    let lines = format!("#[tool({tool}{the_loop}");
    let is_code = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with("//");
    let count = lines.lines().filter(is_code).count();
    assert!((40..=60).contains(&count), "{count}");
}
