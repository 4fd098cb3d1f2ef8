//! Calls that come in a provider's form, through the gates and back.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use toolkit::dialect::{Anthropic, Dialect, Gemini, OpenAiChat, OpenAiResponses, Request};
use toolkit::prelude::*;
use toolkit::{Agent, Model, ModelError, Reply, Turn};

/// Ranks players.
#[tool]
fn rank(
    scores: BTreeMap<String, u8>,
    extra: Value,
    #[arg(default = 20, maximum = 100)] limit: u32,
    note: Option<String>,
) -> String {
    format!("{scores:?} {extra} {limit} {note:?}")
}

fn view() -> View {
    Registry::builder().tools(tools![rank]).build().unwrap().view(Caller::new("ann"))
}

fn chat(arguments: &Value) -> String {
    let call = json!({"id": "a", "function": {"name": "rank", "arguments": arguments.to_string()}});
    json!({"choices": [{"message": {"content": null, "tool_calls": [call]}, "finish_reason": "tool_calls"}]}).to_string()
}

fn outcome(dialect: &dyn Dialect, body: &str) -> Outcome {
    let reply = dialect.read(body).unwrap();
    view().dispatch_blocking(reply.tool_calls().next().unwrap(), Options::default()).unwrap()
}

const CHAT: OpenAiChat = OpenAiChat.strict().maps_as_pairs().any_as_text();

#[test]
fn a_call_is_decoded_as_the_dialect_that_read_it_showed_the_tool() {
    let arguments = json!({
        "scores": [{"key": "ann", "value": 3}, {"key": "bob", "value": 4}],
        "extra": "[1, 2.50]",
        "limit": null,
        "note": null,
    });
    let outcome = outcome(&CHAT, &chat(&arguments));
    assert_eq!(
        (outcome.status(), outcome.text()),
        (Status::Ok, r#"{"ann": 3, "bob": 4} [1,2.5] 20 None"#),
    );
}

#[test]
fn a_report_names_the_places_that_the_model_knows() {
    let arguments = json!({
        "scores": [{"key": "ann", "value": 300}, {"key": "bob", "value": 4}],
        "extra": "{}",
        "limit": 101,
        "note": 7,
    });
    let outcome = outcome(&CHAT, &chat(&arguments));
    assert_eq!(
        outcome.text(),
        "$.scores[0].value: expected an integer from 0 to 255, got 300\n\
         $.limit: expected an integer from 0 to 100, got 101\n\
         $.note: expected text, got 7 (write \"7\")",
    );
    assert_eq!(outcome.problems()[0].path().pointer(), "/scores/0/value");
}

#[test]
fn what_can_not_be_decoded_is_told_together_with_the_rest() {
    let arguments = json!({
        "scores": [{"key": "ann", "value": 1}, {"key": "ann", "value": 2}],
        "extra": "{",
        "limit": 101,
        "note": null,
    });
    let outcome = outcome(&CHAT, &chat(&arguments));
    assert_eq!((outcome.status(), outcome.executed()), (Status::Invalid, false));
    assert_eq!(
        outcome.text(),
        "$.scores[1].key: \"ann\" is a key already, at $.scores[0].key; each key may come once\n\
         $.extra: the text is not JSON: it ends too early; write the value as JSON, a text in \
         quotes, too\n\
         $.limit: expected an integer from 0 to 100, got 101",
    );
}

#[test]
fn what_was_read_in_no_form_of_ours_is_not_decoded() {
    let arguments = r#"{"scores":{"ann":3},"extra":"[1]","limit":5}"#;
    let call = ToolCall::new("a", "rank", arguments);
    let outcome = view().dispatch_blocking(&call, Options::default()).unwrap();
    assert_eq!(outcome.text(), r#"{"ann": 3} "[1]" 5 None"#);
}

#[test]
fn a_strict_dialect_never_spares_the_dispatcher_its_own_look() {
    let arguments = json!({"scores": "x", "extra": "1", "limit": "5", "note": null});
    let outcome = outcome(&CHAT, &chat(&arguments));
    assert_eq!((outcome.status(), outcome.executed()), (Status::Invalid, false));
}

#[test]
fn an_enum_in_other_case_is_taken_where_the_provider_does_not_keep_it() {
    let schema = json!({"properties": {"unit": {"type": "string", "enum": ["celsius", "fahrenheit"]}}, "required": ["unit"], "additionalProperties": false});
    let tool = Tool::dynamic("weather", "Tells the weather.", schema, |arguments, _| async move {
        Ok::<_, ToolError>(arguments)
    });
    let view = Registry::builder().tool(tool).build().unwrap().view(Caller::new("ann"));
    let body = r#"{"content":[{"type":"tool_use","id":"a","name":"weather","input":{"unit":"Celsius"}}],"stop_reason":"tool_use"}"#;
    let told = |dialect: &dyn Dialect| {
        let reply = dialect.read(body).unwrap();
        let call = reply.tool_calls().next().unwrap();
        view.dispatch_blocking(call, Options::default()).unwrap().text().to_owned()
    };
    assert_eq!(told(&Anthropic.strict()), r#"{"unit":"celsius"}"#);
    assert_eq!(
        told(&Anthropic),
        r#"$.unit: must be one of "celsius", "fahrenheit"; got "Celsius" (did you mean "celsius"?)"#,
    );
}

#[test]
fn every_dialect_with_a_form_of_its_own_marks_its_calls() {
    let scores = json!([{"key": "ann", "value": 3}]);
    let arguments = json!({"scores": scores, "extra": "null", "limit": 7});
    let text = arguments.to_string();
    let expected = r#"{"ann": 3} null 7 None"#;
    let anthropic = json!({"content": [{"type": "tool_use", "id": "a", "name": "rank", "input": arguments}], "stop_reason": "tool_use"});
    let responses = json!({"output": [{"type": "function_call", "call_id": "a", "name": "rank", "arguments": text}]});
    let gemini = json!({"candidates": [{"content": {"parts": [{"functionCall": {"name": "rank", "args": arguments}}]}}]});
    let both: [(&dyn Dialect, Value); 3] = [
        (&Anthropic.strict().maps_as_pairs().any_as_text(), anthropic),
        (&OpenAiResponses.strict().maps_as_pairs().any_as_text(), responses),
        (&Gemini.with_parameters().maps_as_pairs().any_as_text(), gemini),
    ];
    for (dialect, body) in both {
        assert_eq!(outcome(dialect, &body.to_string()).text(), expected, "{}", dialect.name());
    }
}

/// Sends the calls of a script in the form that the dialect shows.
struct Scripted;

impl Model for Scripted {
    async fn reply(&self, turn: &Turn<'_>) -> Result<Reply, ModelError> {
        let request = Request::new("m", turn.messages()).tools(turn.definitions(&CHAT)?);
        let request = CHAT.request(&request);
        if turn.number() == 1 {
            let scores = json!([{"key": "ann", "value": 3}]);
            return Ok(CHAT.read(&chat(
                &json!({"scores": scores, "extra": "1", "limit": null, "note": null}),
            ))?);
        }
        let result = request["messages"].as_array().unwrap().last().unwrap()["content"].clone();
        Ok(Reply::text(result.as_str().unwrap()))
    }
}

#[test]
fn a_loop_needs_to_know_nothing_of_the_form() {
    let run = Agent::new(Scripted, view()).run_blocking("Rank them.").unwrap();
    assert_eq!(run.answer().as_deref(), Some(r#"{"ann": 3} 1 20 None"#));
}

#[test]
fn a_tool_without_a_form_ends_a_loop_as_a_mistake_of_the_program() {
    struct Strict;

    impl Model for Strict {
        async fn reply(&self, turn: &Turn<'_>) -> Result<Reply, ModelError> {
            turn.definitions(&OpenAiChat.strict())?;
            Ok(Reply::text("never"))
        }
    }

    let error = Agent::new(Strict, view()).run_blocking("Go.").unwrap_err();
    assert_eq!(error.tool(), Some("rank"));
}
