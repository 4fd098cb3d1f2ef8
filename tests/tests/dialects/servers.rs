//! What each server does otherwise that imitates OpenAI's, and Bedrock.

use serde_json::{Value, json};
use toolkit::dialect::{
    Answered, Bedrock, Choice, Dialect, Ending, Message, OpenAiChat, Part, Reply, Request, Server,
};
use toolkit::prelude::*;

/// Doubles a number.
#[tool(effect = "read")]
fn double(n: i64) -> i64 {
    n * 2
}

/// Tells of a person.
#[tool(effect = "read")]
fn person(note: Option<String>) -> Value {
    json!({"name": note})
}

fn view() -> View {
    Registry::builder().tools(tools![double, person]).build().unwrap().view(Caller::new("ann"))
}

fn history(id: &str) -> Vec<Message> {
    let calls = [ToolCall::new(id, "double", r#"{"n": 2}"#), ToolCall::new("b", "double", "{}")];
    let answer = |call: &ToolCall| {
        let outcome = view().dispatch_blocking(call, Options::default()).unwrap();
        Answered::new(call.clone(), outcome)
    };
    let answered = calls.iter().map(answer).collect();
    let parts = [Part::Text("Let me see.".to_owned())];
    let parts = parts.into_iter().chain(calls.into_iter().map(Part::Call));
    vec![
        Message::User("Double 2.".to_owned()),
        Message::Assistant(Reply::from_parts(parts, Ending::Calls)),
        Message::Results(answered),
        Message::User("Again.".to_owned()),
    ]
}

fn request(dialect: &dyn Dialect, choice: Choice) -> Value {
    let view = view();
    let history = history("call_1");
    let offer = view.offer(dialect).unwrap().choose(choice).unwrap();
    dialect.request(&Request::new("m", &history).max_tokens(9).offer(&offer))
}

fn call(id: Option<&str>, arguments: Value) -> Value {
    let mut call = json!({"id": id, "type": "function", "function": {"name": "double", "arguments": arguments}});
    if id.is_none() {
        call.as_object_mut().unwrap().retain(|key, _| key == "function");
    }
    call
}

const REPORT: &str = r#"{"error":"$: missing required field 'n' (an integer), like {\"n\":0}"}"#;

#[test]
fn mistral_gets_ids_of_nine_letters_and_its_own_word_for_any() {
    let mistral = OpenAiChat.at(Server::Mistral);
    let body = request(&mistral, Choice::any());
    assert_eq!((&body["tool_choice"], &body["max_tokens"]), (&json!("any"), &json!(9)));
    let messages = &body["messages"];
    let id = messages[1]["tool_calls"][0]["id"].as_str().unwrap();
    assert_eq!(id.len(), 9);
    assert!(id.chars().all(|c| c.is_ascii_alphanumeric()), "{id}");
    assert_eq!(messages[2]["tool_call_id"], id);
    assert_ne!(messages[3]["tool_call_id"], id);
    let kept = Value::from(mistral.messages(&history("AbC123xyZ")));
    assert_eq!(kept[1]["tool_calls"][0]["id"], "AbC123xyZ");
}

#[test]
fn mistral_may_send_arguments_as_text_or_as_they_are() {
    let mistral = OpenAiChat.at(Server::Mistral);
    for arguments in [json!({"n": 2}), json!("{\"n\":2}")] {
        let body = json!({"choices": [{"message": {"content": "", "tool_calls": [call(Some("AbC123xyZ"), arguments)]}, "finish_reason": "tool_calls"}]});
        let reply = mistral.read(&body.to_string()).unwrap();
        assert_eq!(reply, Reply::calls([ToolCall::new("AbC123xyZ", "double", r#"{"n":2}"#)]));
    }
}

#[test]
fn cohere_says_strict_once_and_is_shown_the_one_tool_that_it_must_call() {
    let cohere = OpenAiChat.at(Server::Cohere).strict();
    let body = request(&cohere, Choice::tool("double"));
    assert_eq!(body["tool_choice"], "REQUIRED");
    assert_eq!(body["strict_tools"], true);
    assert_eq!(body["tools"].as_array().unwrap().len(), 1);
    assert_eq!(body["tools"][0]["function"].get("strict"), None);
    assert_eq!(body["messages"][1]["tool_plan"], "Let me see.");
    let reply = json!({"id": "c1", "finish_reason": "TOOL_CALL", "message": {
        "role": "assistant", "tool_plan": "I double it.", "tool_calls": [call(Some("x"), json!("{\"n\":2}"))],
    }});
    let reply = cohere.read(&reply.to_string()).unwrap();
    assert_eq!((reply.full_text(), reply.ending()), ("I double it.".to_owned(), &Ending::Calls));
    let said = json!({"finish_reason": "COMPLETE", "message": {"content": [{"type": "text", "text": "4"}]}});
    assert_eq!(cohere.read(&said.to_string()), Ok(Reply::text("4")));
}

#[test]
fn ollama_has_no_ids_and_no_choice() {
    let ollama = OpenAiChat.at(Server::Ollama);
    let body = request(&ollama, Choice::auto());
    assert_eq!((&body["options"], &body["stream"]), (&json!({"num_predict": 9}), &json!(false)));
    assert_eq!(
        (&body["messages"][1], &body["messages"][3]),
        (
            &json!({"role": "assistant", "content": "Let me see.", "tool_calls": [
                call(None, json!({"n": 2})), call(None, json!({})),
            ]}),
            &json!({"role": "tool", "tool_name": "double", "content": REPORT}),
        ),
    );
    let reply = json!({"message": {"role": "assistant", "content": "", "tool_calls": [call(None, json!({"n": 2}))]}, "done_reason": "stop", "done": true});
    let reply = ollama.read(&reply.to_string()).unwrap();
    assert_eq!(reply, Reply::calls([ToolCall::new("call_1", "double", r#"{"n":2}"#)]));
    let view = view();
    let error = view.offer(&ollama).unwrap().choose(Choice::any()).unwrap_err();
    assert_eq!(error.message(), "ollama: there is no way to say a choice of tools");
}

#[test]
fn deepseek_is_strict_in_all_tools_or_in_none() {
    let deepseek = OpenAiChat.at(Server::DeepSeek).strict_where_possible();
    let view = view();
    assert_eq!(view.offer(&deepseek).unwrap().strict_tools(), ["double", "person"]);
    let map = json!({"properties": {"m": {"type": "object", "additionalProperties": {"type": "integer"}}}});
    let rank = Tool::dynamic("rank", "Ranks.", map, |_, _| async { Ok::<_, ToolError>(()) });
    let rank = rank.effect(toolkit::Effect::Read);
    let registry = Registry::builder().tools(tools![double, person]).tool(rank).build().unwrap();
    let view = registry.view(Caller::new("ann"));
    let offer = view.offer(&deepseek).unwrap();
    assert_eq!(offer.strict_tools(), [""; 0]);
    assert!(
        offer.explain().contains("double: $: plain: another tool has no strict form, and all must")
    );
}

#[test]
fn xai_has_its_own_word_for_calls_side_by_side() {
    let body = request(&OpenAiChat.at(Server::XAi), Choice::auto().one_at_a_time());
    assert_eq!(body["parallel_function_calling"], false);
    assert_eq!(body.get("parallel_tool_calls"), None);
}

#[test]
fn bedrock_writes_blocks_and_reads_them() {
    let body = request(&Bedrock, Choice::tool("double"));
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": false});
    assert_eq!(
        body["toolConfig"]["tools"][0],
        json!({"toolSpec": {"name": "double", "description": "Doubles a number.", "inputSchema": {"json": schema}}}),
    );
    assert_eq!(body["toolConfig"]["toolChoice"], json!({"tool": {"name": "double"}}));
    let error = json!({"error": "$: missing required field 'n' (an integer), like {\"n\":0}"});
    assert_eq!(
        body["messages"],
        json!([
            {"role": "user", "content": [{"text": "Double 2."}]},
            {"role": "assistant", "content": [
                {"text": "Let me see."},
                {"toolUse": {"toolUseId": "call_1", "name": "double", "input": {"n": 2}}},
                {"toolUse": {"toolUseId": "b", "name": "double", "input": {}}},
            ]},
            {"role": "user", "content": [
                {"toolResult": {"toolUseId": "call_1", "content": [{"text": "4"}]}},
                {"toolResult": {"toolUseId": "b", "content": [{"json": error}]}},
            ]},
            {"role": "user", "content": [{"text": "Again."}]},
        ]),
    );
    let told = Value::from(Bedrock.with_status().messages(&history("call_1")));
    assert_eq!(told[2]["content"][1]["toolResult"]["status"], "error");
    let ended = |reason: &str| {
        let body =
            json!({"output": {"message": {"content": [{"text": "x"}]}}, "stopReason": reason});
        Bedrock.read(&body.to_string()).unwrap().ending().clone()
    };
    assert_eq!(ended("end_turn"), Ending::Done);
    assert_eq!(ended("max_tokens"), Ending::CutOff);
    assert_eq!(ended("malformed_tool_use"), Ending::BadCall);
    assert_eq!(ended("guardrail_intervened"), Ending::Refused);
}
