//! However a reply is cut into pieces, it comes to what it is as a whole.

use serde_json::{Value, json};
use toolkit::dialect::{
    Anthropic, Dialect, Ending, Gemini, OpenAiChat, OpenAiResponses, Reply, Server,
};
use toolkit::{ToolCall, dialect::DialectError};
use toolkit_tests::{Dice, cases};

/// What a model says: a text, and calls by their names with the text of their arguments.
struct Said {
    text: String,
    calls: Vec<(&'static str, String)>,
}

fn said(dice: &mut Dice) -> Said {
    const PIECES: [&str; 8] = ["a", " ", "ü", "\"", "\\", "🦀", "\n", "{"];
    let mut some =
        |most: usize| -> String { (0..dice.below(most)).map(|_| *dice.pick(&PIECES)).collect() };
    let text = some(12);
    let text = if text.trim().is_empty() { String::new() } else { format!("Well: {text}") };
    let arguments: Vec<String> =
        (0..3).map(|_| json!({"n": some(9), "m": [1, 2.5]}).to_string()).collect();
    let calls = arguments.into_iter().take(dice.below(4));
    let calls = calls.map(|arguments| (*dice.pick(&["now", "double"]), arguments)).collect();
    Said { text, calls }
}

/// Cut at any places between its characters.
fn pieces(dice: &mut Dice, text: &str) -> Vec<String> {
    let mut pieces = vec![String::new()];
    for character in text.chars() {
        if dice.one_in(3) {
            pieces.push(String::new());
        }
        pieces.last_mut().unwrap().push(character);
    }
    pieces
}

/// A whole reply and the events of the same reply in pieces.
type Written = (String, Vec<String>);

fn id(at: usize) -> String {
    format!("id_{at}")
}

fn raw(arguments: &str) -> Value {
    serde_json::from_str(arguments).unwrap()
}

fn anthropic(dice: &mut Dice, said: &Said) -> Written {
    let mut events = vec![json!({"type": "message_start", "message": {"id": "m"}})];
    let mut content = Vec::new();
    let mut block = |start: Value, whole: Value, deltas: Vec<Value>| {
        let index = content.len();
        content.push(whole);
        events.push(json!({"type": "content_block_start", "index": index, "content_block": start}));
        for delta in deltas {
            events.push(json!({"type": "content_block_delta", "index": index, "delta": delta}));
        }
        events.push(json!({"type": "content_block_stop", "index": index}));
    };
    if !said.text.is_empty() {
        let deltas = pieces(dice, &said.text);
        let deltas = deltas.iter().map(|piece| json!({"type": "text_delta", "text": piece}));
        let whole = json!({"type": "text", "text": said.text});
        block(json!({"type": "text", "text": ""}), whole, deltas.collect());
    }
    for (at, (name, arguments)) in said.calls.iter().enumerate() {
        let deltas = pieces(dice, arguments);
        let deltas =
            deltas.iter().map(|piece| json!({"type": "input_json_delta", "partial_json": piece}));
        let call =
            |input: Value| json!({"type": "tool_use", "id": id(at), "name": name, "input": input});
        block(call(json!({})), call(raw(arguments)), deltas.collect());
    }
    let reason = if said.calls.is_empty() { "end_turn" } else { "tool_use" };
    events.push(json!({"type": "message_delta", "delta": {"stop_reason": reason}}));
    events.push(json!({"type": "message_stop"}));
    (json!({"id": "m", "content": content, "stop_reason": reason}).to_string(), texts(events))
}

fn texts(events: Vec<Value>) -> Vec<String> {
    events.iter().map(Value::to_string).collect()
}

fn chat(dice: &mut Dice, said: &Said) -> Written {
    let chunk = |delta: Value| json!({"id": "c", "choices": [{"delta": delta}]});
    let mut events: Vec<Value> =
        pieces(dice, &said.text).iter().map(|piece| chunk(json!({"content": piece}))).collect();
    let mut calls = Vec::new();
    for (at, (name, arguments)) in said.calls.iter().enumerate() {
        let piece = |call: Value| chunk(json!({"tool_calls": [call]}));
        events.push(piece(
            json!({"index": at, "id": id(at), "function": {"name": name, "arguments": ""}}),
        ));
        for arguments in pieces(dice, arguments) {
            events.push(piece(json!({"index": at, "function": {"arguments": arguments}})));
        }
        calls.push(json!({"id": id(at), "function": {"name": name, "arguments": arguments}}));
    }
    let reason = if said.calls.is_empty() { "stop" } else { "tool_calls" };
    events.push(json!({"choices": [{"delta": {}, "finish_reason": reason}]}));
    let message = json!({"content": said.text, "tool_calls": calls});
    let whole = json!({"id": "c", "choices": [{"message": message, "finish_reason": reason}]});
    (whole.to_string(), texts(events))
}

fn responses(dice: &mut Dice, said: &Said) -> Written {
    let mut events =
        vec![json!({"type": "response.created", "response": {"id": "r", "status": "in_progress"}})];
    let mut output = Vec::new();
    let mut item = |kind: &str, begun: Value, whole: Value, deltas: Vec<String>| {
        let index = output.len();
        let of =
            |kind: &str, item: &Value| json!({"type": kind, "output_index": index, "item": item});
        events.push(of("response.output_item.added", &begun));
        for delta in deltas {
            events.push(json!({"type": kind, "output_index": index, "delta": delta}));
        }
        events.push(of("response.output_item.done", &whole));
        output.push(whole);
    };
    if !said.text.is_empty() {
        let whole =
            json!({"type": "message", "content": [{"type": "output_text", "text": said.text}]});
        let begun = json!({"type": "message", "content": []});
        item("response.output_text.delta", begun, whole, pieces(dice, &said.text));
    }
    for (at, (name, arguments)) in said.calls.iter().enumerate() {
        let call = |arguments: &str| json!({"type": "function_call", "call_id": id(at), "name": name, "arguments": arguments});
        let deltas = pieces(dice, arguments);
        item("response.function_call_arguments.delta", call(""), call(arguments), deltas);
    }
    events.push(
        json!({"type": "response.completed", "response": {"id": "r", "status": "completed"}}),
    );
    (json!({"id": "r", "status": "completed", "output": output}).to_string(), texts(events))
}

fn gemini(dice: &mut Dice, said: &Said) -> Written {
    let candidate = |parts: Value| json!({"candidates": [{"content": {"parts": parts}}]});
    let mut events: Vec<Value> = Vec::new();
    let mut parts = Vec::new();
    if !said.text.is_empty() {
        events.extend(
            pieces(dice, &said.text).iter().map(|piece| candidate(json!([{"text": piece}]))),
        );
        parts.push(json!({"text": said.text}));
    }
    for (at, (name, arguments)) in said.calls.iter().enumerate() {
        let part = json!({"functionCall": {"id": id(at), "name": name, "args": raw(arguments)}});
        events.push(candidate(json!([part])));
        parts.push(part);
    }
    events.push(json!({"candidates": [{"finishReason": "STOP"}]}));
    let whole = json!({"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}]});
    (whole.to_string(), texts(events))
}

fn cohere(dice: &mut Dice, said: &Said) -> Written {
    let event = |kind: &str, index: usize, message: Value| json!({"type": kind, "index": index, "delta": {"message": message}});
    let mut events = vec![
        json!({"type": "message-start", "id": "m", "delta": {"message": {"role": "assistant"}}}),
    ];
    let is_plan = !said.calls.is_empty();
    if !is_plan {
        events.push(event("content-start", 0, json!({"content": {"type": "text", "text": ""}})));
    }
    for piece in pieces(dice, &said.text) {
        events.push(if is_plan {
            json!({"type": "tool-plan-delta", "delta": {"message": {"tool_plan": piece}}})
        } else {
            event("content-delta", 0, json!({"content": {"text": piece}}))
        });
    }
    if !is_plan {
        events.push(json!({"type": "content-end", "index": 0}));
    }
    let mut calls = Vec::new();
    for (at, (name, arguments)) in said.calls.iter().enumerate() {
        let call = |arguments: &str| json!({"id": id(at), "type": "function", "function": {"name": name, "arguments": arguments}});
        events.push(event("tool-call-start", at, json!({"tool_calls": call("")})));
        for piece in pieces(dice, arguments) {
            let piece = json!({"tool_calls": {"function": {"arguments": piece}}});
            events.push(event("tool-call-delta", at, piece));
        }
        events.push(json!({"type": "tool-call-end", "index": at}));
        calls.push(call(arguments));
    }
    let reason = if is_plan { "TOOL_CALL" } else { "COMPLETE" };
    events.push(json!({"type": "message-end", "delta": {"finish_reason": reason, "usage": {}}}));
    let message = if is_plan {
        json!({"tool_plan": said.text, "tool_calls": calls})
    } else {
        json!({"content": [{"type": "text", "text": said.text}]})
    };
    (json!({"id": "m", "finish_reason": reason, "message": message}).to_string(), texts(events))
}

fn ollama(dice: &mut Dice, said: &Said) -> Written {
    let line = |message: Value| json!({"message": message, "done": false});
    let mut events: Vec<Value> =
        pieces(dice, &said.text).iter().map(|piece| line(json!({"content": piece}))).collect();
    let mut calls = Vec::new();
    for (name, arguments) in &said.calls {
        let call = json!({"function": {"name": name, "arguments": raw(arguments)}});
        events.push(line(json!({"content": "", "tool_calls": [call]})));
        calls.push(call);
    }
    events.push(json!({"message": {"content": ""}, "done": true, "done_reason": "stop"}));
    let message = json!({"content": said.text, "tool_calls": calls});
    (json!({"message": message, "done": true, "done_reason": "stop"}).to_string(), texts(events))
}

type Writer = fn(&mut Dice, &Said) -> Written;

fn all() -> [(Box<dyn Dialect>, Writer); 7] {
    [
        (Box::new(Anthropic), anthropic),
        (Box::new(OpenAiChat), chat),
        (Box::new(OpenAiChat.at(Server::Mistral)), chat),
        (Box::new(OpenAiResponses), responses),
        (Box::new(Gemini), gemini),
        (Box::new(OpenAiChat.at(Server::Cohere)), cohere),
        (Box::new(OpenAiChat.at(Server::Ollama)), ollama),
    ]
}

/// The reply that the events come to, and what was said to the user meanwhile.
fn streamed(dialect: &dyn Dialect, events: &[String]) -> Result<(Reply, String), DialectError> {
    let mut stream = dialect.stream().unwrap();
    let mut told = String::new();
    for event in events {
        told.push_str(&stream.push(event)?.unwrap_or_default());
    }
    Ok((stream.end()?, told))
}

#[test]
fn a_reply_in_any_pieces_is_the_reply_as_a_whole() {
    let mut dice = Dice::fresh("pieces");
    for _ in 0..cases(200) {
        let said = said(&mut dice);
        for (dialect, write) in all() {
            let (whole, events) = write(&mut dice, &said);
            let expected = dialect.read(&whole).unwrap();
            assert_eq!(expected.tool_calls().count(), said.calls.len(), "{}", dialect.name());
            let (reply, told) = streamed(&*dialect, &events).unwrap();
            assert_eq!(reply, expected, "{}: {events:#?}", dialect.name());
            assert_eq!(told, said.text, "{}", dialect.name());
        }
    }
}

#[test]
fn of_a_stream_that_breaks_off_anywhere_no_call_is_made_up() {
    let mut dice = Dice::fresh("broken");
    for _ in 0..cases(60) {
        let said = said(&mut dice);
        for (dialect, write) in all() {
            let (whole, events) = write(&mut dice, &said);
            let whole = dialect.read(&whole).unwrap();
            let calls: Vec<&ToolCall> = whole.tool_calls().collect();
            for count in 0..events.len() {
                let Ok((reply, _)) = streamed(&*dialect, &events[..count]) else { continue };
                for (at, call) in reply.tool_calls().enumerate() {
                    assert!(call.is_cut_off() || call == calls[at], "{} {count}", dialect.name());
                }
                let is_over = *reply.ending() != Ending::CutOff;
                let last = reply.tool_calls().last();
                assert!(
                    is_over || last.is_none_or(ToolCall::is_cut_off),
                    "{} after {count}",
                    dialect.name()
                );
            }
        }
    }
}

#[test]
fn every_cut_of_an_event_of_any_reply_is_a_named_error() {
    let mut dice = Dice::of(7);
    for (dialect, write) in all() {
        let (_, events) =
            write(&mut dice, &Said { text: "ü".to_owned(), calls: vec![("now", "{}".to_owned())] });
        for event in events {
            for cut in event.char_indices().filter_map(|(cut, _)| event.get(..cut)) {
                let told = dialect.stream().unwrap().push(cut);
                assert!(
                    matches!(told, Err(DialectError::NotJson { .. })),
                    "{}: {cut}",
                    dialect.name()
                );
            }
        }
    }
}

#[test]
fn what_does_not_belong_to_coheres_or_ollamas_stream_is_named() {
    let told = |server: Server, events: &[&str]| {
        let events: Vec<String> = events.iter().map(|event| (*event).to_owned()).collect();
        streamed(&OpenAiChat.at(server), &events).unwrap_err().to_string()
    };
    let start = r#"{"type":"tool-call-start","index":0,"delta":{"message":{"tool_calls":{"id":"a","function":{"name":"now"}}}}}"#;
    let cases = [
        (Server::Cohere, vec![], "cohere: $: the stream ended before a reply began"),
        (
            Server::Cohere,
            vec![
                r#"{"type":"tool-call-delta","index":3,"delta":{"message":{"tool_calls":{"function":{"arguments":"{"}}}}}"#,
            ],
            "cohere: $.index: no call 3 has started",
        ),
        (Server::Cohere, vec![start, start], "cohere: $.index: call 0 starts twice"),
        (
            Server::Cohere,
            vec![
                r#"{"type":"tool-call-start","index":0,"delta":{"message":{"tool_calls":{"id":"a","function":{}}}}}"#,
            ],
            "cohere: $.delta.message.tool_calls.function.name: a call without a name",
        ),
        (
            Server::Cohere,
            vec![
                r#"{"type":"tool-call-start","index":0,"delta":{"message":{"tool_calls":{"function":{"name":"now"}}}}}"#,
            ],
            "cohere: $.delta.message.tool_calls.id: a call without an id",
        ),
        (
            Server::Cohere,
            vec![r#"{"choices":[]}"#],
            "cohere: $.type: missing; the reply has: choices (this looks like a reply in `openai_chat`)",
        ),
        (Server::Ollama, vec![], "ollama: $: the stream ended before a reply began"),
        (
            Server::Ollama,
            vec![r#"{"message":{"tool_calls":[{"function":{"name":""}}]}}"#],
            "ollama: $.message.tool_calls[0].function.name: a call without a name",
        ),
        (
            Server::Ollama,
            vec![r#"{"error":"model not found"}"#],
            "ollama: the provider reports `error`: model not found",
        ),
    ];
    for (server, events, expected) in cases {
        assert_eq!(told(server, &events), expected);
    }
}
