//! Whole requests, for the providers' own packages to read.
//!
//! `TOOLKIT_SDK_JUDGE` names the file that they are written to, one a line; `.ci/sdks` has it
//! read.

use std::fs;

use serde_json::{Value, json};
use toolkit::Content;
use toolkit::dialect::{
    Answered, Anthropic, Choice, Dialect, Gemini, Mcp, McpVersion, Message, OpenAiChat,
    OpenAiResponses, Part, Reply, Request,
};
use toolkit::dialect::{Ending, Offer};
use toolkit::prelude::*;
use toolkit_tests::tools::{annotated, usual};

/// A view of the tools that have a form in the dialect.
fn view(dialect: &dyn Dialect) -> View {
    let draw = Tool::dynamic("illustrate", "Illustrates.", json!({}), |_, _| async {
        Ok::<_, ToolError>(vec![
            Content::text("A chart."),
            Content::image(b"\x89PNG", "image/png"),
            Content::audio(b"RIFF", "audio/wav"),
            Content::file("file:///report.pdf", b"%PDF", "application/pdf"),
            Content::link("https://example.com/more", "more"),
        ])
    });
    let tools = annotated().into_iter().chain(usual()).chain([draw.into()]);
    let view = Registry::builder().tools(tools).build().unwrap().view(Caller::new("ann"));
    view.showable_in(dialect).0
}

/// Every request that is made of an offer: with each choice, and with a history.
fn requests(dialect: &dyn Dialect) -> Vec<Value> {
    let view = view(dialect);
    let first = view.visible()[0].to_owned();
    let mut history = vec![Message::User("Go.".to_owned())];
    let calls = [
        ToolCall::new("call_1", &first, r#"{"a": 1}"#),
        ToolCall::new("call_2", "nothing", "{"),
        ToolCall::new("call_3", "illustrate", "{}"),
    ];
    let outcome = |call: &ToolCall| view.dispatch_blocking(call, Options::default()).unwrap();
    let answered: Vec<Answered> =
        calls.iter().map(|call| Answered::new(call.clone(), outcome(call))).collect();
    let parts = [Part::Text("Let me see.".to_owned())].into_iter();
    let parts = parts.chain(calls.into_iter().map(Part::Call));
    history.push(Message::Assistant(Reply::from_parts(parts, Ending::Calls)));
    history.push(Message::Results(answered));
    history.push(Message::User("Go on.".to_owned()));
    let choices = [
        Choice::auto(),
        Choice::auto().one_at_a_time(),
        Choice::any(),
        Choice::any().among([&*first]),
        Choice::tool(&first),
        Choice::none(),
    ];
    let offer = || -> Offer<'_> { view.offer(dialect).unwrap().cached() };
    let mut requests = Vec::new();
    for choice in choices {
        let Ok(offer) = offer().choose(choice) else { continue };
        let request = Request::new("m-1", &history).system("Be short.").offer(&offer);
        requests.push(dialect.request(&request));
    }
    if view.visible().len() > 1 {
        let offer = offer().deferring([&*first]).unwrap();
        requests.push(dialect.request(&Request::new("m-1", &history).offer(&offer)));
    }
    requests
}

fn all() -> Vec<(&'static str, Vec<Value>)> {
    let anthropic: Vec<Value> = [
        Anthropic,
        Anthropic.strict_where_possible(),
        Anthropic.strict_where_possible().maps_as_pairs().any_as_text(),
    ]
    .iter()
    .flat_map(|dialect| requests(dialect))
    .collect();
    let chat: Vec<Value> =
        [OpenAiChat, OpenAiChat.strict(), OpenAiChat.strict().maps_as_pairs().any_as_text()]
            .iter()
            .flat_map(|dialect| requests(dialect))
            .collect();
    let responses: Vec<Value> =
        [OpenAiResponses, OpenAiResponses.strict(), OpenAiResponses.strict_where_possible()]
            .iter()
            .flat_map(|dialect| requests(dialect))
            .collect();
    let gemini: Vec<Value> = [
        Gemini,
        Gemini.strict(),
        Gemini.with_parameters(),
        Gemini.with_parameters().maps_as_pairs().any_as_text(),
    ]
    .iter()
    .flat_map(|dialect| requests(dialect))
    .collect();
    let mut mcp = Vec::new();
    let mut messages = Vec::new();
    for version in [McpVersion::V2025_06_18, McpVersion::V2025_11_25, McpVersion::V2026_07_28] {
        for dialect in [Mcp.version(version), Mcp.version(version).exact()] {
            let view = view(&dialect);
            let tools = view.definitions(&dialect).unwrap();
            mcp.push(dialect.request(&Request::new("", &[]).tools(tools)));
            let calls = [
                ("1", "get_order", r#"{"order_id":"O-1"}"#),
                ("\"2\"", "nothing", "{}"),
                ("three", "numbers", r#"{"a": 1.5}"#),
                ("4", "illustrate", "{}"),
            ];
            for (id, name, arguments) in calls {
                let call = ToolCall::new(id, name, arguments);
                let outcome = view.dispatch_blocking(&call, Options::default()).unwrap();
                messages.extend(dialect.assistant(&Reply::calls([call.clone()])));
                messages.extend(dialect.results(&[Answered::new(call, outcome)]));
            }
        }
    }
    vec![
        ("anthropic", anthropic),
        ("openai_chat", chat),
        ("openai_responses", responses),
        ("gemini", gemini),
        ("mcp_tools", mcp),
        ("mcp_message", messages),
    ]
}

#[test]
fn every_request_is_told_to_the_providers_own_packages() {
    let mut lines = String::new();
    for (kind, values) in all() {
        assert!(!values.is_empty(), "{kind}");
        for value in values {
            lines.push_str(&json!({"kind": kind, "value": value}).to_string());
            lines.push('\n');
        }
    }
    assert!(lines.lines().count() > 50, "{}", lines.lines().count());
    match std::env::var_os("TOOLKIT_SDK_JUDGE") {
        Some(path) => fs::write(path, lines).unwrap(),
        None => println!("skipped: TOOLKIT_SDK_JUDGE does not say where they are to be written"),
    }
}
