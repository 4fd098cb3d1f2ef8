//! Each provider's wire form, both ways.

use serde_json::{Value, json};
use toolkit::dialect::{
    Answered, Anthropic, Dialect, DialectError, Ending, Message, OpenAiChat, Part, Reply, Request,
};
use toolkit::{Caller, Options, Registry, Tool, ToolCall, ToolError, View};

fn anthropic(content: &str, stop_reason: &str) -> String {
    format!(
        r#"{{"id":"msg_7","type":"message","content":[{content}],"stop_reason":"{stop_reason}"}}"#
    )
}

fn chat(message: &str, finish_reason: &str) -> String {
    format!(
        r#"{{"id":"c-7","choices":[{{"index":0,"message":{message},"finish_reason":"{finish_reason}"}}]}}"#
    )
}

fn view() -> View {
    let schema = json!({
        "type": "object",
        "properties": {"n": {"type": "integer", "description": "a number"}},
        "required": ["n"],
        "additionalProperties": false,
    });
    let double = Tool::dynamic("double", "Doubles a number.", schema, |arguments, _| async move {
        Ok::<_, ToolError>(arguments.get("n").and_then(Value::as_i64).unwrap_or_default() * 2)
    });
    Registry::builder().tool(double).build().unwrap().view(Caller::new("ann"))
}

fn answered(call: ToolCall) -> Answered {
    let outcome = view().dispatch_blocking(call.clone(), Options::default()).unwrap();
    Answered::new(call, outcome)
}

#[test]
fn anthropic_reads_text_calls_and_thoughts_in_order() {
    let thought = r#"{"type":"thinking","thinking":"hm","signature":"s1"}"#;
    let body = anthropic(
        &format!(
            r#"{thought},{{"type":"text","text":"Let me see."}},
            {{"type":"tool_use","id":"toolu_1","name":"double","input":{{"n": 1, "n": 12345678901234567890123}}}}"#
        ),
        "tool_use",
    );
    let expected = Reply::from_parts(
        [
            Part::Opaque { dialect: "anthropic", json: thought.to_owned() },
            Part::Text("Let me see.".to_owned()),
            Part::Call(ToolCall::new(
                "toolu_1",
                "double",
                r#"{"n": 1, "n": 12345678901234567890123}"#,
            )),
        ],
        Ending::Calls,
    );
    assert_eq!(Anthropic.read(&body), Ok(expected));
}

#[test]
fn openai_reads_text_and_calls() {
    let body = chat(
        r#"{"role":"assistant","content":"Let me see.","refusal":null,"tool_calls":[
            {"id":"call_1","type":"function","function":{"name":"double","arguments":"{\"n\": 1, \"n\": 2}"}},
            {"id":"call_2","type":"function","function":{"name":"double","arguments":"{\"n\": "}}]}"#,
        "tool_calls",
    );
    let expected = Reply::from_parts(
        [
            Part::Text("Let me see.".to_owned()),
            Part::Call(ToolCall::new("call_1", "double", r#"{"n": 1, "n": 2}"#)),
            Part::Call(ToolCall::new("call_2", "double", r#"{"n": "#)),
        ],
        Ending::Calls,
    );
    assert_eq!(OpenAiChat.read(&body), Ok(expected));
}

#[test]
fn arguments_that_are_missing_null_or_empty_are_blank() {
    for function in [
        r#"{"name":"now"}"#,
        r#"{"name":"now","arguments":null}"#,
        r#"{"name":"now","arguments":""}"#,
    ] {
        let call = format!(r#"{{"id":"call_1","function":{function}}}"#);
        let body = chat(&format!(r#"{{"content":null,"tool_calls":[{call}]}}"#), "stop");
        let expected = Reply::calls([ToolCall::new("call_1", "now", "")]);
        assert_eq!(OpenAiChat.read(&body), Ok(expected), "{function}");
    }
    for input in ["", r#","input":null"#] {
        let block = format!(r#"{{"type":"tool_use","id":"toolu_1","name":"now"{input}}}"#);
        let expected = Reply::calls([ToolCall::new("toolu_1", "now", "")]);
        assert_eq!(Anthropic.read(&anthropic(&block, "tool_use")), Ok(expected), "{input}");
    }
}

#[test]
fn calls_without_ids_or_with_equal_ones_are_named_by_their_place() {
    let block = |id: &str| format!(r#"{{"type":"tool_use",{id}"name":"now","input":{{}}}}"#);
    let told = |blocks: &[String]| {
        let read = Anthropic.read(&anthropic(&blocks.join(","), "tool_use"));
        read.unwrap_err().to_string()
    };
    for id in ["", r#""id":" ","#, r#""id":null,"#] {
        assert_eq!(told(&[block(id)]), "anthropic: $.content[0].id: a call without an id");
    }
    assert_eq!(
        told(&[block(r#""id":"x","#), block(r#""id":"x","#)]),
        "anthropic: $.content[1].id: the id \"x\" is another call's as well, at $.content[0].id",
    );

    let call = r#"{"function":{"name":"now","arguments":"{}"}}"#;
    let body = chat(&format!(r#"{{"content":null,"tool_calls":[{call}]}}"#), "tool_calls");
    assert_eq!(
        OpenAiChat.read(&body).unwrap_err().to_string(),
        "openai_chat: $.choices[0].message.tool_calls[0].id: a call without an id",
    );
}

#[test]
fn the_last_call_of_a_reply_at_its_limit_is_cut_off() {
    let block = r#"{"type":"tool_use","id":"a","name":"now","input":{}}"#;
    let blocks = format!("{block},{}", block.replace(r#""a""#, r#""b""#));
    let call = r#"{"id":"a","function":{"name":"now","arguments":"{}"}}"#;
    let calls = format!("{call},{}", call.replace(r#""a""#, r#""b""#));
    let expected = Reply::from_parts(
        [
            Part::Call(ToolCall::new("a", "now", "{}")),
            Part::Call(ToolCall::new("b", "now", "{}").cut_off()),
        ],
        Ending::CutOff,
    );
    assert_eq!(Anthropic.read(&anthropic(&blocks, "max_tokens")), Ok(expected.clone()));
    let body = chat(&format!(r#"{{"content":null,"tool_calls":[{calls}]}}"#), "length");
    assert_eq!(OpenAiChat.read(&body), Ok(expected));
}

#[test]
fn why_a_reply_ended_is_told() {
    let text = r#"{"type":"text","text":"x"}"#;
    for (reason, ending) in [
        ("end_turn", Ending::Done),
        ("stop_sequence", Ending::Done),
        ("max_tokens", Ending::CutOff),
        ("model_context_window_exceeded", Ending::CutOff),
        ("refusal", Ending::Refused),
        ("pause_turn", Ending::Paused),
        ("tomorrow", Ending::Other("tomorrow".to_owned())),
    ] {
        assert_eq!(Anthropic.read(&anthropic(text, reason)).unwrap().ending(), &ending);
    }
    for (reason, ending) in [
        ("stop", Ending::Done),
        ("length", Ending::CutOff),
        ("content_filter", Ending::Refused),
        ("tomorrow", Ending::Other("tomorrow".to_owned())),
    ] {
        assert_eq!(OpenAiChat.read(&chat(r#"{"content":"x"}"#, reason)).unwrap().ending(), &ending);
    }
    let refused = Reply::from_parts([Part::Text("I can't.".to_owned())], Ending::Refused);
    let body = chat(r#"{"content":null,"refusal":"I can't."}"#, "stop");
    assert_eq!(OpenAiChat.read(&body), Ok(refused));
}

#[track_caller]
fn assert_refused(dialect: &dyn Dialect, cases: &[(&str, &str)]) {
    for (body, expected) in cases {
        let error = dialect.read(body).map_err(|error| error.to_string());
        assert_eq!(error, Err((*expected).to_owned()));
    }
}

#[test]
fn anthropic_says_what_it_found_in_place_of_a_reply() {
    let cases = [
        ("", "anthropic: the reply is not JSON: it is empty"),
        ("<html>", "anthropic: the reply is not JSON: it starts with \"<html>\""),
        ("[]", "anthropic: $: expected an object"),
        (r#"{"id":"x"}"#, "anthropic: $.content: missing; the reply has: id"),
        (
            &chat(r#"{"content":"x"}"#, "stop"),
            "anthropic: $.content: missing; the reply has: choices, id (this looks like a reply in `openai_chat`)",
        ),
        (
            r#"{"content":5}"#,
            "anthropic: $.content: invalid type: integer `5`, expected a sequence",
        ),
        (
            r#"{"content":[5]}"#,
            "anthropic: $.content[0]: invalid type: integer `5`, expected a content block",
        ),
        (
            r#"{"content":[{"type":"text","text":"x"},{"type":"tool_use","id":"a","input":{}}]}"#,
            "anthropic: $.content[1]: missing field `name`",
        ),
        (
            r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
            "anthropic: the provider reports `overloaded_error`: Overloaded",
        ),
    ];
    assert_refused(&Anthropic, &cases);
}

#[test]
fn openai_says_what_it_found_in_place_of_a_reply() {
    let cases = [
        (
            r#"{"error":{"message":"no such model","type":null,"code":"model_not_found"}}"#,
            "openai_chat: the provider reports `model_not_found`: no such model",
        ),
        (r#"{"choices":[]}"#, "openai_chat: $.choices: an empty list"),
        (
            &anthropic("", "end_turn"),
            "openai_chat: $.choices: missing; the reply has: content, id, stop_reason, type (this looks like a reply in `anthropic`)",
        ),
        (
            r#"{"choices":[{"message":{"tool_calls":[{"id":"a","function":{"arguments":"{}"}}]}}]}"#,
            "openai_chat: $.choices[0].message.tool_calls[0].function: missing field `name`",
        ),
        (
            r#"{"choices":[{"message":{"content":5}}]}"#,
            "openai_chat: $.choices[0].message.content: invalid type: integer `5`, expected a string",
        ),
    ];
    assert_refused(&OpenAiChat, &cases);
}

#[test]
fn content_in_parts_and_arguments_that_are_json_themselves_are_understood() {
    let body = chat(
        r#"{"content":[{"type":"text","text":"Let "},{"type":"text","text":"me see."}],"tool_calls":[
            {"id":"a","function":{"name":"double","arguments":{"n": 1}}}]}"#,
        "tool_calls",
    );
    let expected = [
        Part::Text("Let ".to_owned()),
        Part::Text("me see.".to_owned()),
        Part::Call(ToolCall::new("a", "double", r#"{"n": 1}"#)),
    ];
    assert_eq!(OpenAiChat.read(&body), Ok(Reply::from_parts(expected, Ending::Calls)));
}

#[test]
fn a_name_that_is_too_long_for_a_history_is_cut_and_stays_its_own() {
    let reply = Reply::call("x".repeat(1000), "{}");
    let name = json!(format!("{}_07d18165", "x".repeat(55)));
    let wire = Value::from(Anthropic.assistant(&reply));
    assert_eq!(wire.pointer("/0/content/0/name"), Some(&name));
    let wire = Value::from(OpenAiChat.assistant(&reply));
    assert_eq!(wire.pointer("/0/tool_calls/0/function/name"), Some(&name));
}

#[test]
fn an_error_that_is_null_is_none() {
    let body = r#"{"error":null,"choices":[{"message":{"content":"Hi."},"finish_reason":"stop"}]}"#;
    assert_eq!(OpenAiChat.read(body), Ok(Reply::text("Hi.")));
}

#[test]
fn an_error_of_the_provider_can_be_matched() {
    let error = Anthropic.read(r#"{"error":{"type":"overloaded_error","message":"Overloaded"}}"#);
    let expected = DialectError::Reported {
        dialect: "anthropic",
        kind: "overloaded_error".to_owned(),
        message: "Overloaded".to_owned(),
    };
    assert_eq!(error, Err(expected));
}

#[test]
fn no_cut_of_a_reply_makes_a_panic() {
    let bodies = [
        anthropic(r#"{"type":"tool_use","id":"é","name":"now","input":{"a":[1,"ü"]}}"#, "tool_use"),
        chat(
            r#"{"content":"ß","tool_calls":[{"id":"a","function":{"name":"now","arguments":"{}"}}]}"#,
            "stop",
        ),
    ];
    for body in bodies {
        for cut in body.char_indices().filter_map(|(cut, _)| body.get(..cut)) {
            assert!(matches!(Anthropic.read(cut), Err(DialectError::NotJson { .. })));
            assert!(matches!(OpenAiChat.read(cut), Err(DialectError::NotJson { .. })));
        }
    }
}

#[test]
fn what_a_provider_would_refuse_in_a_history_is_mended() {
    let reply = Reply::from_parts(
        [
            Part::Text(" ".to_owned()),
            Part::Call(ToolCall::new("a.b", "functions.double<|x|>", "{\"n\": ")),
            Part::Call(ToolCall::new("b", "", "[1]")),
            Part::Call(ToolCall::new("c", "double", r#"{"n": 1}"#)),
        ],
        Ending::Calls,
    );
    let expected = json!([{"role": "assistant", "content": [
        {"type": "tool_use", "id": "a_b", "name": "functions_double__x__", "input": {}},
        {"type": "tool_use", "id": "b", "name": "unknown", "input": {}},
        {"type": "tool_use", "id": "c", "name": "double", "input": {"n": 1}},
    ]}]);
    assert_eq!(Value::from(Anthropic.assistant(&reply)), expected);
    let call = |id: &str, name: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}});
    let expected = json!([{"role": "assistant", "content": null, "tool_calls": [
        call("a.b", "functions_double__x__", "{}"),
        call("b", "unknown", "{}"),
        call("c", "double", r#"{"n": 1}"#),
    ]}]);
    assert_eq!(Value::from(OpenAiChat.assistant(&reply)), expected);
    let silent = Reply::text("");
    assert_eq!((Anthropic.assistant(&silent), OpenAiChat.assistant(&silent)), (vec![], vec![]));
}

#[test]
fn a_thought_goes_back_to_its_own_provider_only() {
    let thought = r#"{"type":"thinking","thinking":"hm","signature":"s1"}"#;
    let reply = Reply::from_parts(
        [
            Part::Opaque { dialect: "anthropic", json: thought.to_owned() },
            Part::Opaque { dialect: "gemini", json: "{}".to_owned() },
            Part::Text("Hello.".to_owned()),
        ],
        Ending::Done,
    );
    let expected = json!([{"role": "assistant", "content": [
        {"type": "thinking", "thinking": "hm", "signature": "s1"},
        {"type": "text", "text": "Hello."},
    ]}]);
    assert_eq!(Value::from(Anthropic.assistant(&reply)), expected);
    let expected = json!([{"role": "assistant", "content": "Hello."}]);
    assert_eq!(Value::from(OpenAiChat.assistant(&reply)), expected);
}

#[test]
fn outcomes_go_back_in_the_order_of_the_calls() {
    let answered = [
        answered(ToolCall::new("a", "double", r#"{"n":2}"#)),
        answered(ToolCall::new("b", "double", "{}")),
    ];
    let report = r#"$: missing required field 'n' (an integer), like {"n":0}"#;
    assert_eq!(
        Value::from(Anthropic.results(&answered)).to_string(),
        json!([{"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "a", "content": "4"},
            {"type": "tool_result", "tool_use_id": "b", "content": report, "is_error": true},
        ]}])
        .to_string()
    );
    assert_eq!(
        Value::from(OpenAiChat.results(&answered)).to_string(),
        json!([
            {"role": "tool", "tool_call_id": "a", "content": "4"},
            {"role": "tool", "tool_call_id": "b", "content": json!({"error": report}).to_string()},
        ])
        .to_string()
    );
}

#[test]
fn a_request_has_the_same_bytes_every_time() {
    let messages = [Message::User("Double 2.".to_owned()), Message::Assistant(Reply::text("4"))];
    let view = view();
    let written = |dialect: &dyn Dialect| {
        let request = Request::new("m-1", &messages)
            .max_tokens(100)
            .system("Be short.")
            .tools(view.definitions(dialect).unwrap());
        dialect.request(&request).to_string()
    };
    let schema = r#"{"type":"object","properties":{"n":{"type":"integer","description":"a number"}},"required":["n"],"additionalProperties":false}"#;
    let name = r#""name":"double","description":"Doubles a number.""#;
    assert_eq!(
        written(&Anthropic),
        format!(
            r#"{{"model":"m-1","max_tokens":100,"system":"Be short.","tools":[{{{name},"input_schema":{schema}}}],"messages":[{{"role":"user","content":"Double 2."}},{{"role":"assistant","content":[{{"type":"text","text":"4"}}]}}]}}"#
        )
    );
    assert_eq!(
        written(&OpenAiChat),
        format!(
            r#"{{"model":"m-1","max_completion_tokens":100,"tools":[{{"type":"function","function":{{{name},"parameters":{schema}}}}}],"messages":[{{"role":"system","content":"Be short."}},{{"role":"user","content":"Double 2."}},{{"role":"assistant","content":"4"}}]}}"#
        )
    );
}

#[test]
fn a_request_without_tools_has_no_empty_list() {
    let request = Request::new("m-1", &[]).tools(json!([]));
    assert_eq!(
        Anthropic.request(&request),
        json!({"model": "m-1", "max_tokens": 4096, "messages": []})
    );
}

const DIALECTS: [&dyn Dialect; 2] = [&Anthropic, &OpenAiChat];

/// Every copy of a value in which one value, at any depth, is replaced.
fn replaced(value: &Value, by: &Value) -> Vec<Value> {
    let mut copies = vec![by.clone()];
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                copies.extend(replaced(item, by).into_iter().map(|item| {
                    let mut items = items.clone();
                    items.splice(index..=index, [item]);
                    Value::Array(items)
                }));
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                copies.extend(replaced(member, by).into_iter().map(|member| {
                    let mut members = members.clone();
                    members.insert(name.clone(), member);
                    Value::Object(members)
                }));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    copies
}

#[test]
fn a_reply_with_any_value_replaced_is_read_or_refused_and_can_be_replayed() {
    let bodies = [
        anthropic(
            r#"{"type":"thinking","thinking":"hm"},{"type":"text","text":"x"},
               {"type":"tool_use","id":"a","name":"now","input":{"n":[1]}}"#,
            "tool_use",
        ),
        chat(
            r#"{"content":"x","refusal":null,"tool_calls":[
               {"id":"a","type":"function","function":{"name":"now","arguments":"{}"}}]}"#,
            "tool_calls",
        ),
    ];
    let deep: Value = (0..100).fold(json!(1), |deep, _| json!([deep]));
    for body in &bodies {
        let body: Value = serde_json::from_str(body).unwrap();
        for by in
            [json!(null), json!(true), json!(1e300), json!(""), json!([]), json!({}), deep.clone()]
        {
            for body in replaced(&body, &by) {
                for dialect in DIALECTS {
                    if let Ok(reply) = dialect.read(&body.to_string()) {
                        let wire = Value::from(dialect.assistant(&reply));
                        assert!(wire.as_array().is_some_and(|messages| messages.len() <= 1));
                    }
                }
            }
        }
    }
}

#[test]
fn a_body_of_a_million_brackets_is_refused() {
    let body = "[".repeat(1_000_000);
    for dialect in DIALECTS {
        assert!(dialect.read(&body).is_err());
        assert!(dialect.read(&format!(r#"{{"content":{body}}}"#)).is_err());
    }
}
