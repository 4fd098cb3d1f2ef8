//! Requests and replies of the providers that `tests/dialect.rs` does not look at.

use serde_json::{Value, json};
use toolkit::dialect::{
    Answered, Anthropic, Bedrock, Dialect, DialectError, Ending, Gemini, Mcp, McpVersion, Message,
    OpenAiChat, OpenAiResponses, Part, Reply, Request, Server,
};
use toolkit::prelude::*;

/// Doubles a number.
#[tool(effect = "read")]
fn double(
    /// a number
    n: i64,
) -> i64 {
    n * 2
}

/// Tells of a person.
#[tool(effect = "read")]
fn person() -> Value {
    json!({"name": "Ann", "error": "none"})
}

fn view() -> View {
    Registry::builder().tools(tools![double, person]).build().unwrap().view(Caller::new("ann"))
}

fn answered(id: &str, name: &str, arguments: &str) -> Answered {
    let call = ToolCall::new(id, name, arguments);
    let outcome = view().dispatch_blocking(&call, Options::default()).unwrap();
    Answered::new(call, outcome)
}

fn all() -> [Answered; 3] {
    [
        answered("a", "double", r#"{"n":2}"#),
        answered("b", "double", "{}"),
        answered("c", "person", ""),
    ]
}

const REPORT: &str = "$: missing required field 'n' (an integer), like {\"n\":0}";
const PERSON: &str = r#"{"name":"Ann","error":"none"}"#;

#[test]
fn responses_reads_reasoning_text_and_calls_in_order() {
    let reasoning = r#"{"type":"reasoning","id":"rs_1","summary":[]}"#;
    let body = format!(
        r#"{{"id":"resp_7","status":"completed","error":null,"output":[{reasoning},
            {{"type":"message","role":"assistant","content":[{{"type":"output_text","text":"Let me see."}}]}},
            {{"type":"function_call","id":"fc_1","call_id":"call_1","name":"double","arguments":"{{\"n\": 1}}","status":"completed"}},
            {{"type":"function_call","id":"fc_2","call_id":"call_2","name":"double","arguments":"{{\"n\":","status":"incomplete"}}]}}"#
    );
    let expected = Reply::from_parts(
        [
            Part::Opaque { dialect: "openai_responses", json: reasoning.to_owned() },
            Part::Text("Let me see.".to_owned()),
            Part::Call(ToolCall::new("call_1", "double", r#"{"n": 1}"#)),
            Part::Call(ToolCall::new("call_2", "double", r#"{"n":"#).cut_off()),
        ],
        Ending::Calls,
    );
    let reply = OpenAiResponses.read(&body).unwrap();
    assert_eq!(reply, expected);
    assert_eq!(
        Value::from(OpenAiResponses.assistant(&reply)),
        json!([
            {"type": "reasoning", "id": "rs_1", "summary": []},
            {"role": "assistant", "content": "Let me see."},
            {"type": "function_call", "call_id": "call_1", "name": "double", "arguments": "{\"n\": 1}"},
            {"type": "function_call", "call_id": "call_2", "name": "double", "arguments": "{}"},
        ]),
    );
}

#[test]
fn responses_says_why_a_reply_ended() {
    let ended = |status: &str, why: &str| {
        let body = format!(
            r#"{{"status":"{status}","incomplete_details":{why},"output":[{{"type":"message","content":[{{"type":"output_text","text":"x"}}]}}]}}"#
        );
        OpenAiResponses.read(&body).unwrap().ending().clone()
    };
    assert_eq!(ended("completed", "null"), Ending::Done);
    assert_eq!(ended("incomplete", r#"{"reason":"max_output_tokens"}"#), Ending::CutOff);
    assert_eq!(ended("incomplete", r#"{"reason":"content_filter"}"#), Ending::Refused);
    assert_eq!(ended("cancelled", "null"), Ending::Other("cancelled".to_owned()));
}

#[test]
fn responses_answers_every_call_by_its_call_id() {
    let error = json!({"error": REPORT}).to_string();
    assert_eq!(
        Value::from(OpenAiResponses.results(&all())),
        json!([
            {"type": "function_call_output", "call_id": "a", "output": "4"},
            {"type": "function_call_output", "call_id": "b", "output": error},
            {"type": "function_call_output", "call_id": "c", "output": PERSON},
        ]),
    );
}

#[test]
fn gemini_keeps_the_signature_beside_its_call() {
    let body = r#"{"candidates":[{"content":{"role":"model","parts":[
        {"text":"I think.","thought":true},
        {"functionCall":{"id":"f1","name":"double","args":{"n": 1}},"thoughtSignature":"c2ln"},
        {"functionCall":{"name":"person"}}]},"finishReason":"STOP"}],"responseId":"r1"}"#;
    let reply = Gemini.read(body).unwrap();
    let calls: Vec<&ToolCall> = reply.tool_calls().collect();
    assert_eq!(
        calls,
        [
            &ToolCall::new("f1", "double", r#"{"n": 1}"#),
            &ToolCall::new("call_unnamed_r1_2", "person", ""),
        ],
    );
    assert_eq!(*reply.ending(), Ending::Calls);
    assert_eq!(
        Value::from(Gemini.assistant(&reply)),
        json!([{"role": "model", "parts": [
            {"text": "I think.", "thought": true},
            {"functionCall": {"id": "f1", "name": "double", "args": {"n": 1}}, "thoughtSignature": "c2ln"},
            {"functionCall": {"name": "person", "args": {}}},
        ]}]),
    );
    let answered =
        [answered("f1", "double", r#"{"n":1}"#), answered("call_unnamed_r1_2", "person", "")];
    assert_eq!(
        Value::from(Gemini.results(&answered)),
        json!([{"role": "user", "parts": [
            {"functionResponse": {"id": "f1", "name": "double", "response": {"output": 2}}},
            {"functionResponse": {"name": "person", "response": {"output": {"name": "Ann", "error": "none"}}}},
        ]}]),
    );
}

#[test]
fn gemini_wraps_every_result() {
    let response = |answered: &Answered| {
        let content = Value::from(Gemini.results(std::slice::from_ref(answered)));
        content.pointer("/0/parts/0/functionResponse/response").unwrap().clone()
    };
    let [ok, bad, person] = all();
    assert_eq!(response(&ok), json!({"output": 4}));
    assert_eq!(response(&bad), json!({"error": REPORT}));
    assert_eq!(response(&person), json!({"output": {"name": "Ann", "error": "none"}}));

    let refers = Tool::dynamic("schema", "Tells a schema.", json!({}), |_, _| async {
        Ok::<_, ToolError>(json!({"items": [{"$ref": "#/a"}]}))
    });
    let view = Registry::builder().tool(refers).build().unwrap().view(Caller::new("ann"));
    let call = ToolCall::new("d", "schema", "{}");
    let outcome = view.dispatch_blocking(&call, Options::default()).unwrap();
    let output = r##"{"items":[{"$ref":"#/a"}]}"##;
    assert_eq!(response(&Answered::new(call, outcome)), json!({"output": output}));
}

#[test]
fn gemini_says_why_a_reply_ended() {
    let ended = |reason: &str| {
        let body = format!(
            r#"{{"candidates":[{{"content":{{"parts":[{{"text":"x"}}]}},"finishReason":"{reason}"}}]}}"#
        );
        Gemini.read(&body).unwrap().ending().clone()
    };
    assert_eq!(ended("STOP"), Ending::Done);
    assert_eq!(ended("MAX_TOKENS"), Ending::CutOff);
    assert_eq!(ended("SAFETY"), Ending::Refused);
    assert_eq!(ended("MALFORMED_FUNCTION_CALL"), Ending::BadCall);
    assert_eq!(ended("LANGUAGE"), Ending::Other("LANGUAGE".to_owned()));
    let blocked = Gemini.read(r#"{"promptFeedback":{"blockReason":"SAFETY"}}"#).unwrap();
    assert_eq!(*blocked.ending(), Ending::Refused);
}

#[test]
fn mcp_gives_a_message_its_id_back_as_it_was() {
    for id in ["7", "\"7\"", "\"a\"", "\"\\\"7\\\"\"", "-1", "\"\"", "\"{}\""] {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"double","arguments":{{"n":1}}}}}}"#
        );
        let reply = Mcp.read(&body).unwrap();
        let call = reply.tool_calls().next().unwrap();
        let outcome = view().dispatch_blocking(call, Options::default()).unwrap();
        let results = Mcp.results(&[Answered::new(call.clone(), outcome)]);
        assert_eq!(results[0]["id"].to_string(), id);
        assert_eq!(Mcp.assistant(&reply)[0]["id"].to_string(), id);
    }
}

#[test]
fn mcp_sends_each_mistake_through_the_channel_of_its_revision() {
    let answered = [
        answered("1", "double", r#"{"n":2}"#),
        answered("2", "double", "{}"),
        answered("3", "treble", "{}"),
        answered("4", "person", "{}"),
    ];
    let text = |text: &str| json!([{"type": "text", "text": text}]);
    let unknown = "no such tool \"treble\" (did you mean \"double\"?). Available: double, person";
    let unknown = unknown.replace(
        " (did you mean \"double\"?)",
        answered[2]
            .outcome
            .text()
            .strip_prefix("no such tool \"treble\"")
            .unwrap()
            .strip_suffix(". Available: double, person")
            .unwrap(),
    );
    let unknown = json!({"jsonrpc": "2.0", "id": 3, "error": {"code": -32602, "message": unknown}});
    let person = json!({"name": "Ann", "error": "none"});
    let old = json!([
        {"jsonrpc": "2.0", "id": 1, "result": {"content": text("4"), "isError": false}},
        {"jsonrpc": "2.0", "id": 2, "error": {"code": -32602, "message": REPORT}},
        unknown,
        {"jsonrpc": "2.0", "id": 4, "result": {"content": text(PERSON), "structuredContent": person, "isError": false}},
    ]);
    let dialect = Mcp.version(McpVersion::V2025_06_18);
    assert_eq!(Value::from(dialect.results(&answered)), old);
    let wrong =
        json!({"jsonrpc": "2.0", "id": 2, "result": {"content": text(REPORT), "isError": true}});
    assert_eq!(Mcp.results(&answered)[1], wrong);
    let dialect = Mcp.version(McpVersion::V2026_07_28);
    assert_eq!(
        dialect.results(&answered)[0],
        json!({"jsonrpc": "2.0", "id": 1, "result": {
            "resultType": "complete",
            "content": text("4"),
            "structuredContent": 4,
            "isError": false,
        }}),
    );
}

#[test]
fn mcp_lists_tools_with_every_hint_said() {
    let view = view().scoped(["double"]);
    let listed = |dialect: Mcp| {
        let tools = view.definitions(&dialect).unwrap();
        dialect.request(&Request::new("", &[]).tools(tools))
    };
    let tool = json!({
        "name": "double",
        "description": "Doubles a number.",
        "inputSchema": {
            "type": "object",
            "properties": {"n": {"description": "a number", "type": "integer"}},
            "required": ["n"],
            "additionalProperties": false,
        },
        "annotations": {
            "readOnlyHint": true,
            "destructiveHint": false,
            "idempotentHint": true,
            "openWorldHint": true,
        },
    });
    assert_eq!(listed(Mcp), json!({"tools": [tool]}));
    let mut newest = tool;
    newest["outputSchema"] = json!({"type": "integer"});
    assert_eq!(
        listed(Mcp.version(McpVersion::V2026_07_28)),
        json!({"resultType": "complete", "tools": [newest], "ttlMs": 0, "cacheScope": "private"}),
    );
}

#[test]
fn every_dialect_says_what_it_found_in_place_of_a_reply() {
    let dialects: [&dyn Dialect; 3] = [&OpenAiResponses, &Gemini, &Mcp];
    let told = |body: &str| dialects.map(|dialect| dialect.read(body).unwrap_err().to_string());
    assert_eq!(
        told("<html>"),
        [
            "openai_responses: the reply is not JSON: it starts with \"<html>\"",
            "gemini: the reply is not JSON: it starts with \"<html>\"",
            "mcp: the reply is not JSON: it starts with \"<html>\"",
        ],
    );
    assert_eq!(
        told(r#"{"choices":[]}"#),
        [
            "openai_responses: $.output: missing; the reply has: choices (this looks like a reply in `openai_chat`)",
            "gemini: $.candidates: missing; the reply has: choices (this looks like a reply in `openai_chat`)",
            "mcp: $.jsonrpc: missing; the reply has: choices (this looks like a reply in `openai_chat`)",
        ],
    );
    let reported = r#"{"error":{"code":429,"message":"slow down"}}"#;
    assert!(
        told(reported).iter().all(|told| told.ends_with("the provider reports `429`: slow down"))
    );
}

#[test]
fn a_call_without_a_name_is_named_by_its_place() {
    let cases: [(&dyn Dialect, &str, &str); 8] = [
        (
            &Anthropic,
            r#"{"content":[{"type":"tool_use","id":"a","name":"","input":{}}]}"#,
            "anthropic: $.content[0].name: a call without a name",
        ),
        (
            &OpenAiChat,
            r#"{"choices":[{"message":{"tool_calls":[{"id":"a","function":{"name":"","arguments":"{}"}}]}}]}"#,
            "openai_chat: $.choices[0].message.tool_calls[0].function.name: a call without a name",
        ),
        (
            &OpenAiResponses,
            r#"{"output":[{"type":"function_call","call_id":"a","arguments":"{}"}]}"#,
            "openai_responses: $.output[0]: missing field `name`",
        ),
        (
            &OpenAiResponses,
            r#"{"output":[{"type":"function_call","call_id":"a","name":"","arguments":"{}"}]}"#,
            "openai_responses: $.output[0].name: a call without a name",
        ),
        (
            &Gemini,
            r#"{"candidates":[{"content":{"parts":[{"functionCall":{"args":{}}}]}}]}"#,
            "gemini: $.candidates[0].content.parts[0].functionCall: missing field `name`",
        ),
        (
            &Mcp,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}"#,
            "mcp: $.params: missing field `name`",
        ),
        (
            &Mcp,
            r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"a"}}"#,
            "mcp: $.id: missing; a message without an id asks for no result",
        ),
        (
            &Mcp,
            r#"{"jsonrpc":"1.0","id":1,"method":"tools/call","params":{"name":"a"}}"#,
            "mcp: $.jsonrpc: found \"1.0\", expected \"2.0\"",
        ),
    ];
    for (dialect, body, expected) in cases {
        assert_eq!(dialect.read(body).map_err(|error| error.to_string()), Err(expected.to_owned()));
    }
}

#[test]
fn a_call_without_an_id_or_with_another_calls_is_named_by_its_place() {
    let twice = |place: &str| format!("the id \"a\" is another call's as well, at {place}");
    let responses = |id: &str| {
        json!({"output": [
            {"type": "function_call", "call_id": "a", "name": "now", "arguments": "{}"},
            {"type": "function_call", "call_id": id, "name": "now", "arguments": "{}"},
        ]})
    };
    let gemini = |ids: [Option<&str>; 2]| {
        let parts = ids.map(|id| json!({"functionCall": {"id": id, "name": "now"}}));
        json!({"candidates": [{"content": {"parts": parts}}]})
    };
    let bedrock = |id: &str| {
        let block = |id: &str| json!({"toolUse": {"toolUseId": id, "name": "now", "input": {}}});
        json!({"output": {"message": {"content": [block("a"), block(id)]}}})
    };
    let cohere = |id: &str| {
        let call = |id: &str| json!({"id": id, "function": {"name": "now", "arguments": "{}"}});
        json!({"message": {"tool_calls": [call("a"), call(id)]}})
    };
    let at_cohere = OpenAiChat.at(Server::Cohere);
    let cases: [(&dyn Dialect, Value, String); 7] = [
        (
            &OpenAiResponses,
            responses(""),
            "openai_responses: $.output[1].call_id: a call without an id".to_owned(),
        ),
        (
            &OpenAiResponses,
            responses("a"),
            format!("openai_responses: $.output[1].call_id: {}", twice("$.output[0].call_id")),
        ),
        (
            &Gemini,
            gemini([Some("a"), Some("a")]),
            format!(
                "gemini: $.candidates[0].content.parts[1].functionCall.id: {}",
                twice("$.candidates[0].content.parts[0].functionCall.id"),
            ),
        ),
        (
            &Bedrock,
            bedrock(""),
            "bedrock: $.output.message.content[1].toolUse.toolUseId: a call without an id"
                .to_owned(),
        ),
        (
            &Bedrock,
            bedrock("a"),
            format!(
                "bedrock: $.output.message.content[1].toolUse.toolUseId: {}",
                twice("$.output.message.content[0].toolUse.toolUseId"),
            ),
        ),
        (
            &at_cohere,
            cohere(" "),
            "cohere: $.message.tool_calls[1].id: a call without an id".to_owned(),
        ),
        (
            &at_cohere,
            cohere("a"),
            format!("cohere: $.message.tool_calls[1].id: {}", twice("$.message.tool_calls[0].id")),
        ),
    ];
    for (dialect, body, expected) in cases {
        let told = dialect.read(&body.to_string()).map_err(|error| error.to_string());
        assert_eq!(told, Err(expected));
    }
    // A provider that gives no ids is no mistake.
    let reply = Gemini.read(&gemini([None, None]).to_string()).unwrap();
    let ids: Vec<&str> = reply.tool_calls().map(ToolCall::id).collect();
    assert_eq!(ids, ["call_unnamed_1", "call_unnamed_2"]);
}

#[test]
fn mcp_refuses_what_it_was_not_made_for() {
    let cases = [
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"name":"a"}}"#,
            "mcp: $.method: found \"tools/list\", expected \"tools/call\"",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":[1]}}"#,
            "mcp: $.params.arguments: expected an object",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1.5,"method":"tools/call","params":{"name":"a"}}"#,
            "mcp: $.id: expected a text or an integer",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","_meta":{"io.modelcontextprotocol/protocolVersion":"2031-01-01"}}}"#,
            "mcp: $.params._meta[\"io.modelcontextprotocol/protocolVersion\"]: found \"2031-01-01\", expected one of 2025-06-18, 2025-11-25, 2026-07-28",
        ),
    ];
    for (body, expected) in cases {
        assert_eq!(Mcp.read(body).map_err(|error| error.to_string()), Err(expected.to_owned()));
    }
}

#[test]
fn no_cut_of_a_reply_makes_a_panic_or_a_call() {
    let bodies: [(&dyn Dialect, &str); 3] = [
        (
            &OpenAiResponses,
            r#"{"output":[{"type":"function_call","call_id":"é","name":"now","arguments":"{\"a\":[1]}"}]}"#,
        ),
        (
            &Gemini,
            r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"now","args":{"a":"ü"}}}]}}]}"#,
        ),
        (&Mcp, r#"{"jsonrpc":"2.0","id":"ß","method":"tools/call","params":{"name":"now"}}"#),
    ];
    for (dialect, body) in bodies {
        for cut in body.char_indices().filter_map(|(cut, _)| body.get(..cut)) {
            assert!(matches!(dialect.read(cut), Err(DialectError::NotJson { .. })), "{cut}");
        }
    }
}

#[test]
fn a_call_that_was_written_as_text_is_no_answer() {
    for text in [
        "<tool_call>\n{\"name\": \"double\", \"arguments\": {\"n\": 1}}\n</tool_call>",
        "{\"name\": \"double\", \"arguments\": {\"n\": 1}}",
        "[TOOL_CALLS][{\"name\": \"double\"}]",
    ] {
        let message = json!({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]});
        let reply = OpenAiChat.read(&message.to_string()).unwrap();
        assert_eq!((reply.tool_calls().count(), reply.ending()), (0, &Ending::BadCall), "{text}");
        let message =
            json!({"content": [{"type": "text", "text": text}], "stop_reason": "end_turn"});
        let reply = Anthropic.read(&message.to_string()).unwrap();
        assert_eq!(*reply.ending(), Ending::BadCall, "{text}");
    }
    let text = "Write {\"name\": \"double\", \"arguments\": {}} to call it.";
    let message = json!({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]});
    assert_eq!(*OpenAiChat.read(&message.to_string()).unwrap().ending(), Ending::Done);
}

#[test]
fn calls_that_are_glued_together_do_not_run() {
    let call =
        json!({"id": "a", "function": {"name": "double", "arguments": "{\"n\": 1}{\"n\": 2}"}});
    let body = json!({"choices": [{"message": {"content": null, "tool_calls": [call]}, "finish_reason": "tool_calls"}]});
    let reply = OpenAiChat.read(&body.to_string()).unwrap();
    let outcome =
        view().dispatch_blocking(reply.tool_calls().next().unwrap(), Options::default()).unwrap();
    assert_eq!((outcome.status(), outcome.executed()), (Status::Invalid, false));
}

#[test]
fn requests_have_every_part_in_its_place() {
    let messages = [Message::User("Double 2.".to_owned())];
    let view = view().scoped(["double"]);
    let request = |dialect: &dyn Dialect| {
        let request = Request::new("m-1", &messages)
            .max_tokens(100)
            .system("Be short.")
            .tools(view.definitions(dialect).unwrap());
        dialect.request(&request)
    };
    let schema = json!({
        "type": "object",
        "properties": {"n": {"description": "a number", "type": "integer"}},
        "required": ["n"],
        "additionalProperties": false,
    });
    assert_eq!(
        request(&OpenAiResponses),
        json!({
            "model": "m-1",
            "max_output_tokens": 100,
            "instructions": "Be short.",
            "tools": [{
                "type": "function",
                "name": "double",
                "description": "Doubles a number.",
                "parameters": schema,
                "strict": false,
            }],
            "input": [{"role": "user", "content": "Double 2."}],
        }),
    );
    let declared = |key: &str, schema: &Value| {
        json!({
            "systemInstruction": {"parts": [{"text": "Be short."}]},
            "tools": [{"functionDeclarations": [
                {"name": "double", "description": "Doubles a number.", key: schema},
            ]}],
            "contents": [{"role": "user", "parts": [{"text": "Double 2."}]}],
            "generationConfig": {"maxOutputTokens": 100},
        })
    };
    assert_eq!(request(&Gemini), declared("parametersJsonSchema", &schema));
    let mut open = schema;
    open.as_object_mut().unwrap().remove("additionalProperties");
    assert_eq!(request(&Gemini.with_parameters()), declared("parameters", &open));
}
