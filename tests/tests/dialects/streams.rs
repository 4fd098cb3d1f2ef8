//! Replies that come in pieces.

use serde_json::json;
use toolkit::ToolCall;
use toolkit::dialect::{
    Anthropic, Dialect, DialectError, Ending, Gemini, Mcp, OpenAiChat, OpenAiResponses, Part, Reply,
};

fn streamed(dialect: &dyn Dialect, events: &[String]) -> Result<Reply, DialectError> {
    let mut stream = dialect.stream().unwrap();
    for event in events {
        stream.push(event)?;
    }
    stream.end()
}

fn anthropic() -> Vec<String> {
    [
        r#"{"type":"message_start","message":{"id":"msg_7","content":[]}}"#,
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"h"}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"m"}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"s1"}}"#,
        r#"{"type":"content_block_stop","index":0}"#,
        r#"{"type":"ping"}"#,
        r#"{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}"#,
        r#"{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Let me"}}"#,
        r#"{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":" see."}}"#,
        r#"{"type":"content_block_stop","index":1}"#,
        r#"{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"a","name":"now","input":{}}}"#,
        r#"{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":""}}"#,
        r#"{"type":"content_block_stop","index":2}"#,
        r#"{"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"b","name":"double","input":{}}}"#,
        r#"{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"{\"n\""}}"#,
        r#"{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":": 1, \"n\": 2}"}}"#,
        r#"{"type":"content_block_stop","index":3}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}}"#,
        r#"{"type":"message_stop"}"#,
    ]
    .map(str::to_owned)
    .into()
}

fn chat() -> Vec<String> {
    let chunk = |delta: &str| {
        format!(r#"{{"id":"c-7","choices":[{{"index":0,"delta":{delta},"finish_reason":null}}]}}"#)
    };
    vec![
        chunk(r#"{"role":"assistant","content":""}"#),
        chunk(r#"{"content":"Let me"}"#),
        chunk(r#"{"content":" see."}"#),
        chunk(
            r#"{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"now","arguments":""}}]}"#,
        ),
        chunk(
            r#"{"tool_calls":[{"index":1,"id":"b","type":"function","function":{"name":"double","arguments":""}}]}"#,
        ),
        chunk(r#"{"tool_calls":[{"index":1,"function":{"arguments":"{\"n\""}}]}"#),
        chunk(r#"{"tool_calls":[{"index":1,"function":{"arguments":": 1, \"n\": 2}"}}]}"#),
        r#"{"id":"c-7","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#
            .to_owned(),
        r#"{"id":"c-7","choices":[],"usage":{"total_tokens":9}}"#.to_owned(),
        "[DONE]".to_owned(),
    ]
}

fn responses() -> Vec<String> {
    [
        r#"{"type":"response.created","response":{"id":"resp_7","status":"in_progress","error":null}}"#,
        r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"reasoning","id":"rs_1","summary":[]}}"#,
        r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","id":"rs_1","summary":[]}}"#,
        r#"{"type":"response.output_item.added","output_index":1,"item":{"type":"message","id":"m_1","content":[]}}"#,
        r#"{"type":"response.output_text.delta","output_index":1,"item_id":"m_1","delta":"Let me"}"#,
        r#"{"type":"response.output_text.delta","output_index":1,"item_id":"m_1","delta":" see."}"#,
        r#"{"type":"response.output_item.done","output_index":1,"item":{"type":"message","id":"m_1","content":[{"type":"output_text","text":"Let me see."}]}}"#,
        r#"{"type":"response.output_item.added","output_index":2,"item":{"type":"function_call","id":"fc_1","call_id":"a","name":"now","arguments":""}}"#,
        r#"{"type":"response.function_call_arguments.done","output_index":2,"item_id":"fc_1","arguments":""}"#,
        r#"{"type":"response.output_item.done","output_index":2,"item":{"type":"function_call","id":"fc_1","call_id":"a","name":"now","arguments":"","status":"completed"}}"#,
        r#"{"type":"response.output_item.added","output_index":3,"item":{"type":"function_call","id":"fc_2","call_id":"b","name":"double","arguments":""}}"#,
        r#"{"type":"response.function_call_arguments.delta","output_index":3,"item_id":"fc_2","delta":"{\"n\""}"#,
        r#"{"type":"response.function_call_arguments.delta","output_index":3,"item_id":"fc_2","delta":": 1, \"n\": 2}"}"#,
        r#"{"type":"response.output_item.done","output_index":3,"item":{"type":"function_call","id":"fc_2","call_id":"b","name":"double","arguments":"{\"n\": 1, \"n\": 2}","status":"completed"}}"#,
        r#"{"type":"response.completed","response":{"id":"resp_7","status":"completed","error":null,"output":[]}}"#,
    ]
    .map(str::to_owned)
    .into()
}

fn gemini() -> Vec<String> {
    [
        r#"{"candidates":[{"content":{"parts":[{"text":"Let me"}]}}],"responseId":"r7"}"#,
        r#"{"candidates":[{"content":{"parts":[{"text":" see."}]}}],"responseId":"r7"}"#,
        r#"{"candidates":[{"content":{"parts":[{"functionCall":{"id":"a","name":"now"}}]}}]}"#,
        r#"{"candidates":[{"content":{"parts":[{"functionCall":{"id":"b","name":"double","args":{"n": 1, "n": 2}}}]},"finishReason":"STOP"}]}"#,
        r#"{"usageMetadata":{"totalTokenCount":9}}"#,
    ]
    .map(str::to_owned)
    .into()
}

fn expected(opaque: Option<Part>) -> Reply {
    let parts = [
        Part::Text("Let me see.".to_owned()),
        Part::Call(ToolCall::new("a", "now", "")),
        Part::Call(ToolCall::new("b", "double", r#"{"n": 1, "n": 2}"#)),
    ];
    Reply::from_parts(opaque.into_iter().chain(parts), Ending::Calls)
}

#[test]
fn the_pieces_come_to_the_same_reply_in_every_dialect() {
    let thought = json!({"type": "thinking", "thinking": "hm", "signature": "s1"}).to_string();
    let thought = Part::Opaque { dialect: "anthropic", json: thought };
    assert_eq!(streamed(&Anthropic, &anthropic()), Ok(expected(Some(thought))));
    assert_eq!(streamed(&OpenAiChat, &chat()), Ok(expected(None)));
    let reasoning = r#"{"type":"reasoning","id":"rs_1","summary":[]}"#.to_owned();
    let reasoning = Part::Opaque { dialect: "openai_responses", json: reasoning };
    assert_eq!(streamed(&OpenAiResponses, &responses()), Ok(expected(Some(reasoning))));
    assert_eq!(streamed(&Gemini, &gemini()), Ok(expected(None)));
    assert!(Mcp.stream().is_none());
}

#[test]
fn text_for_the_user_comes_out_as_it_goes_in() {
    let dialects: [(&dyn Dialect, Vec<String>); 4] = [
        (&Anthropic, anthropic()),
        (&OpenAiChat, chat()),
        (&OpenAiResponses, responses()),
        (&Gemini, gemini()),
    ];
    for (dialect, events) in dialects {
        let mut stream = dialect.stream().unwrap();
        let said: Vec<String> =
            events.iter().filter_map(|event| stream.push(event).unwrap()).collect();
        assert_eq!(said, ["Let me", " see."], "{}", dialect.name());
    }
}

#[test]
fn no_call_of_a_stream_that_broke_off_is_whole() {
    let dialects: [(&dyn Dialect, Vec<String>); 3] =
        [(&Anthropic, anthropic()), (&OpenAiChat, chat()), (&OpenAiResponses, responses())];
    for (dialect, events) in dialects {
        for count in 1..events.len() {
            let Ok(reply) = streamed(dialect, &events[..count]) else { continue };
            let is_over = *reply.ending() != Ending::CutOff;
            for call in reply.tool_calls().filter(|call| !call.is_cut_off()) {
                let whole = match call.name() {
                    "now" => "",
                    _ => r#"{"n": 1, "n": 2}"#,
                };
                assert_eq!(call.arguments(), whole, "{} after {count}", dialect.name());
            }
            let last = reply.tool_calls().last();
            assert!(
                is_over || last.is_none_or(ToolCall::is_cut_off),
                "{} after {count}",
                dialect.name()
            );
        }
    }
}

#[test]
fn every_cut_of_an_event_is_a_named_error() {
    let dialects: [(&dyn Dialect, Vec<String>); 4] = [
        (&Anthropic, anthropic()),
        (&OpenAiChat, chat()),
        (&OpenAiResponses, responses()),
        (&Gemini, gemini()),
    ];
    for (dialect, events) in dialects {
        for event in events.iter().filter(|event| event.starts_with('{')) {
            for cut in 0..event.len() {
                let told = dialect.stream().unwrap().push(&event[..cut]);
                assert!(matches!(told, Err(DialectError::NotJson { .. })), "{}", &event[..cut]);
            }
        }
    }
}

#[test]
fn what_does_not_belong_to_the_stream_is_named() {
    let told = |dialect: &dyn Dialect, events: &[&str]| {
        let events: Vec<String> = events.iter().map(|event| (*event).to_owned()).collect();
        streamed(dialect, &events).unwrap_err().to_string()
    };
    assert_eq!(told(&Anthropic, &[]), "anthropic: $: the stream ended before a reply began");
    assert_eq!(
        told(
            &Anthropic,
            &[r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#]
        ),
        "anthropic: the provider reports `overloaded_error`: Overloaded",
    );
    assert_eq!(
        told(&Anthropic, &[r#"{"choices":[]}"#]),
        "anthropic: $.type: missing; the reply has: choices (this looks like a reply in `openai_chat`)",
    );
    let delta =
        r#"{"type":"content_block_delta","index":4,"delta":{"type":"text_delta","text":"x"}}"#;
    assert_eq!(told(&Anthropic, &[delta]), "anthropic: $.index: no block 4 has started");
    let start = r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","input":{}}}"#;
    assert_eq!(
        told(&Anthropic, &[start]),
        "anthropic: $.content_block.name: a call without a name"
    );
    let start =
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#;
    assert_eq!(told(&Anthropic, &[start, start]), "anthropic: $.index: block 0 starts twice");
    let nameless =
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{"}}]}}]}"#;
    assert_eq!(
        told(&OpenAiChat, &[nameless]),
        "openai_chat: $.choices[0].delta.tool_calls[0].function.name: a call without a name",
    );
    let delta = r#"{"type":"response.function_call_arguments.delta","output_index":2,"delta":"{"}"#;
    assert_eq!(
        told(&OpenAiResponses, &[delta]),
        "openai_responses: $.output_index: no item 2 has started",
    );
    let failed = r#"{"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"oops"}}}"#;
    assert_eq!(
        told(&OpenAiResponses, &[failed]),
        "openai_responses: the provider reports `server_error`: oops",
    );
    let partial = r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"now","willContinue":true}}]}}]}"#;
    assert_eq!(
        told(&Gemini, &[partial]),
        "gemini: $.candidates[0].content.parts[0].functionCall: arguments in pieces; do not ask \
         for `streamFunctionCallArguments`",
    );
}

#[test]
fn calls_that_a_server_counts_as_one_are_told_apart_by_their_ids_or_refused() {
    let chunk = |call: &str| format!(r#"{{"choices":[{{"delta":{{"tool_calls":[{call}]}}}}]}}"#);
    let end = r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#.to_owned();
    let two = [
        chunk(r#"{"index":0,"id":"a","function":{"name":"now","arguments":"{}"}}"#),
        chunk(r#"{"index":0,"id":"b","function":{"name":"now","arguments":"{}"}}"#),
        end.clone(),
    ];
    let calls = [ToolCall::new("a", "now", "{}"), ToolCall::new("b", "now", "{}")];
    assert_eq!(streamed(&OpenAiChat, &two), Ok(Reply::calls(calls)));
    let glued = [
        chunk(r#"{"index":0,"id":"a","function":{"name":"now","arguments":"{}"}}"#),
        chunk(r#"{"index":0,"function":{"name":"double","arguments":"{}"}}"#),
        end,
    ];
    assert_eq!(
        streamed(&OpenAiChat, &glued).unwrap_err().to_string(),
        "openai_chat: $.choices[0].delta.tool_calls[0].function.name: two calls are glued \
         together, of \"now\" and \"double\"",
    );
}
