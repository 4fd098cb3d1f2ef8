//! OpenAI's dialects in the types of `async-openai`.

use async_openai::types::chat::{
    ChatCompletionRequestMessage, ChatCompletionTools, CreateChatCompletionResponse,
};
use async_openai::types::responses::{InputItem, Response, Tool as ResponsesTool};
use serde_json::{Value, json};
use toolkit::dialect::{Answered, Dialect, Message, OpenAiChat, OpenAiResponses};
use toolkit::openai::Typed;
use toolkit::prelude::*;

/// Refunds an order.
#[tool]
fn refund(
    order_id: &str,
    #[arg(default = 1, minimum = 0)] amount: f64,
    note: Option<String>,
) -> String {
    format!("{order_id} {amount:?} {note:?}")
}

fn view() -> View {
    Registry::builder().tools(tools![refund]).build().unwrap().view(Caller::new("ann"))
}

/// What comes of a reply: the history that the next request carries, as the types write it.
fn goes_on<D: Typed<Message: serde::Serialize>>(dialect: D, reply: &D::Reply) -> Value {
    let view = view();
    let reply = dialect.typed_reply(reply).unwrap();
    let calls: Vec<ToolCall> = reply.tool_calls().cloned().collect();
    let answered = calls.into_iter().map(|call| {
        let outcome = view.dispatch_blocking(&call, Options::default()).unwrap();
        Answered::new(call, outcome)
    });
    let answered = answered.collect();
    let history = [
        Message::User("Refund it.".to_owned()),
        Message::Assistant(reply),
        Message::Results(answered),
    ];
    serde_json::to_value(dialect.typed_messages(&history).unwrap()).unwrap()
}

#[test]
fn definitions_are_typed_plain_and_strict_and_lose_nothing() {
    let view = view();
    for dialect in [OpenAiChat, OpenAiChat.strict()] {
        let offer = view.offer(&dialect).unwrap();
        let tools: Vec<ChatCompletionTools> = dialect.typed_tools(&offer).unwrap();
        assert_eq!(serde_json::to_value(tools).unwrap(), offer.definitions());
    }
    for dialect in [OpenAiResponses, OpenAiResponses.strict()] {
        let offer = view.offer(&dialect).unwrap();
        let tools: Vec<ResponsesTool> = dialect.typed_tools(&offer).unwrap();
        assert_eq!(serde_json::to_value(tools).unwrap(), offer.definitions());
    }
}

#[test]
fn a_chat_goes_on_after_right_and_wrong_calls() {
    let call = |id: &str, name: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}});
    let reply: CreateChatCompletionResponse = serde_json::from_value(json!({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 0, "model": "gpt-5.1",
        "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {
            "role": "assistant",
            "content": null,
            "tool_calls": [
                call("call_1", "refund", r#"{"order_id": "O-1", "amount": 5}"#),
                call("call_2", "refund", r#"{"order": "O-1"}"#),
                call("call_3", "fly", "{}"),
            ],
        }}],
    }))
    .unwrap();
    let history = goes_on(OpenAiChat, &reply);
    let told: Vec<(&Value, &Value)> = history.as_array().unwrap()[2..]
        .iter()
        .map(|message| (&message["tool_call_id"], &message["content"]))
        .collect();
    assert_eq!(told[0], (&json!("call_1"), &json!("O-1 5.0 None")));
    assert!(told[1].1.as_str().unwrap().contains("missing required field 'order_id'"), "{told:?}");
    assert!(told[2].1.as_str().unwrap().contains("no such tool"), "{told:?}");
    let typed: Vec<ChatCompletionRequestMessage> = serde_json::from_value(history).unwrap();
    assert_eq!(typed.len(), 5);
}

#[test]
fn a_response_goes_on_in_the_strict_form() {
    let reply: Response = serde_json::from_value(json!({
        "id": "resp_1", "object": "response", "created_at": 0, "status": "completed",
        "model": "gpt-5.1", "output": [{
            "type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "refund",
            "arguments": r#"{"order_id": "O-1", "amount": 5, "note": null}"#,
            "status": "completed",
        }],
    }))
    .unwrap();
    let history = goes_on(OpenAiResponses.strict(), &reply);
    assert_eq!(history[2]["output"], "O-1 5.0 None", "{history}");
    let typed: Vec<InputItem> = serde_json::from_value(history).unwrap();
    assert_eq!(typed.len(), 3);
    assert_eq!(OpenAiResponses.name(), "openai_responses");
}
