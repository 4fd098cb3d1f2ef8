//! Images, audio and files in results: carried where a provider can, told in words elsewhere.

use serde::ser::SerializeSeq as _;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use toolkit::Content;
use toolkit::dialect::{
    Answered, Anthropic, Bedrock, Dialect, Gemini, Mcp, OpenAiChat, OpenAiResponses, Server,
};
use toolkit::ledger::MemoryLedger;
use toolkit::prelude::*;

const PNG: &[u8] = b"\x89PNG";
/// Those bytes in base64.
const DATA: &str = "iVBORw==";

/// Draws a chart.
#[tool(effect = "read")]
fn draw() -> Vec<Content> {
    vec![
        Content::text("A chart."),
        Content::image(PNG, "image/png"),
        Content::audio(b"RIFF", "audio/wav"),
        Content::file("file:///r/report.pdf", b"%PDF", "application/pdf"),
        Content::link("https://example.com/more", "more"),
    ]
}

/// Says it.
#[tool(effect = "read")]
fn say() -> Content {
    Content::text("said")
}

#[derive(Serialize)]
struct Page {
    number: u8,
    picture: Content,
}

/// Reads a page.
#[tool(effect = "read")]
fn page() -> Page {
    Page { number: 3, picture: Content::image(PNG, "image/png") }
}

/// Draws something large.
#[tool(effect = "read", result_limit = 256)]
fn large() -> Vec<Content> {
    vec![Content::image([0; 300], "image/png"), Content::image(PNG, "image/png")]
}

/// Draws and keeps it.
#[tool(effect = "write")]
fn keep() -> Content {
    Content::image(PNG, "image/png")
}

/// Pages of which the second can not be written.
struct Torn;

impl Serialize for Torn {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut pages = serializer.serialize_seq(None)?;
        pages.serialize_element(&Content::image(PNG, "image/png"))?;
        panic!("torn")
    }
}

/// Reads pages that are torn.
#[tool(effect = "read")]
fn torn() -> Torn {
    Torn
}

/// A page, during which another one is torn.
struct Around;

impl Serialize for Around {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut pages = serializer.serialize_seq(None)?;
        pages.serialize_element(&Content::image(PNG, "image/png"))?;
        assert_eq!(answered("torn").outcome.status(), Status::Failed);
        pages.end()
    }
}

/// Reads a page around a torn one.
#[tool(effect = "read")]
fn around() -> Around {
    Around
}

fn view() -> View {
    let tools = tools![draw, say, page, large, keep, torn, around];
    let ledger = MemoryLedger::new();
    Registry::builder().tools(tools).ledger(ledger).build().unwrap().view(Caller::new("ann"))
}

fn answered(name: &str) -> Answered {
    let call = ToolCall::new("call_1", name, "{}");
    let outcome = view().dispatch_blocking(&call, Options::default()).unwrap();
    Answered::new(call, outcome)
}

fn written(dialect: &dyn Dialect, name: &str, pointer: &str) -> Value {
    let written = Value::from(dialect.results(&[answered(name)]));
    written.pointer(pointer).unwrap_or_else(|| panic!("{written}")).clone()
}

const WORDS: &str = "A chart.\n[left out: image/png, 4 bytes]\n[left out: audio/wav, 4 bytes]\n\
                     [left out: application/pdf, 4 bytes]\nmore: https://example.com/more";

#[test]
fn every_provider_gets_the_media_that_it_can_carry_and_words_for_the_others() {
    let text = |text: &str| json!({"type": "text", "text": text});
    let source =
        |kind: &str, data: &str| json!({"type": "base64", "media_type": kind, "data": data});
    assert_eq!(
        written(&Anthropic, "draw", "/0/content/0/content"),
        json!([
            text("A chart."),
            {"type": "image", "source": source("image/png", DATA)},
            text("[left out: audio/wav, 4 bytes]"),
            {"type": "document", "source": source("application/pdf", "JVBERg==")},
            text("more: https://example.com/more"),
        ]),
    );
    assert_eq!(
        written(&OpenAiResponses, "draw", "/0/output"),
        json!([
            {"type": "input_text", "text": "A chart."},
            {"type": "input_image", "image_url": format!("data:image/png;base64,{DATA}"), "detail": "auto"},
            {"type": "input_text", "text": "[left out: audio/wav, 4 bytes]"},
            {"type": "input_file", "filename": "report.pdf", "file_data": "data:application/pdf;base64,JVBERg=="},
            {"type": "input_text", "text": "more: https://example.com/more"},
        ]),
    );
    assert_eq!(
        written(&Gemini, "draw", "/0/parts/0/functionResponse"),
        json!({
            "id": "call_1",
            "name": "draw",
            "response": {"output": "A chart.\n[left out: audio/wav, 4 bytes]\nmore: https://example.com/more"},
            "parts": [
                {"inlineData": {"mimeType": "image/png", "data": DATA}},
                {"inlineData": {"mimeType": "application/pdf", "data": "JVBERg=="}},
            ],
        }),
    );
    assert_eq!(
        written(&Bedrock, "draw", "/0/content/0/toolResult/content"),
        json!([
            {"text": "A chart."},
            {"image": {"format": "png", "source": {"bytes": DATA}}},
            {"text": "[left out: audio/wav, 4 bytes]\n[left out: application/pdf, 4 bytes]\nmore: https://example.com/more"},
        ]),
    );
    assert_eq!(
        written(&Mcp, "draw", "/0/result/content"),
        json!([
            text("A chart."),
            {"type": "image", "data": DATA, "mimeType": "image/png"},
            {"type": "audio", "data": "UklGRg==", "mimeType": "audio/wav"},
            {"type": "resource", "resource": {"uri": "file:///r/report.pdf", "mimeType": "application/pdf", "blob": "JVBERg=="}},
            {"type": "resource_link", "uri": "https://example.com/more", "name": "more"},
        ]),
    );
    let no_place: [(&dyn Dialect, &str); 5] = [
        (&OpenAiChat, "/0/content"),
        (&OpenAiChat.at(Server::Mistral), "/0/content"),
        (&OpenAiChat.at(Server::Cohere), "/0/content"),
        (&OpenAiChat.at(Server::Ollama), "/0/content"),
        (&Gemini.without_media(), "/0/parts/0/functionResponse/response/output"),
    ];
    for (dialect, pointer) in no_place {
        assert_eq!(written(dialect, "draw", pointer), WORDS, "{}", dialect.name());
    }
}

#[test]
fn base64_is_never_text_that_a_model_reads() {
    for name in ["draw", "page", "large", "keep"] {
        let answered = answered(name);
        assert!(!answered.outcome.text().contains("iVBOR"), "{name}");
        assert!(!format!("{answered:?}").contains("iVBOR"), "{name}");
        let told = Value::from(OpenAiChat.results(&[answered])).to_string();
        assert!(!told.contains("iVBOR"), "{told}");
    }
}

#[test]
fn a_block_of_text_alone_is_a_text() {
    let outcome = answered("say").outcome;
    assert_eq!((outcome.text(), outcome.content()), ("said", [].as_slice()));
}

#[test]
fn a_value_with_an_image_in_it_says_where_it_was() {
    let outcome = answered("page").outcome;
    assert_eq!(outcome.text(), r#"{"number":3,"picture":"[image/png, 4 bytes]"}"#);
    assert_eq!(
        written(&Anthropic, "page", "/0/content/0/content"),
        json!([
            {"type": "text", "text": outcome.text()},
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": DATA}},
        ]),
    );
    assert_eq!(
        written(&OpenAiChat, "page", "/0/content"),
        format!("{}\n[left out: image/png, 4 bytes]", outcome.text()),
    );
    assert_eq!(
        written(&Mcp, "page", "/0/result/structuredContent"),
        json!({"number": 3, "picture": "[image/png, 4 bytes]"}),
    );
}

#[test]
fn media_count_for_the_limit_of_a_result() {
    let outcome = answered("large").outcome;
    let kept: Vec<&str> = outcome.content().iter().map(Content::kind).collect();
    assert_eq!(kept, ["text", "image"]);
    assert_eq!(
        outcome.text(),
        "[left out: image/png, 300 bytes; a result of it has at most 256]\n\
         [left out: image/png, 4 bytes]",
    );
}

#[test]
fn a_row_keeps_media_and_a_replay_gives_them_again() {
    let view = view();
    let call = |id: &str| {
        let call = ToolCall::new(id, "keep", "{}");
        view.dispatch_blocking(&call, Options::default().run_id("r")).unwrap()
    };
    let (first, again) = (call("1"), call("2"));
    assert_eq!((first.status(), again.status()), (Status::Ok, Status::Duplicate));
    assert_eq!(again.content(), first.content());
    assert_eq!(again.result_text(), first.text());
    let note = "(done before: this is the first result again, nothing ran now)";
    let answered = [Answered::new(ToolCall::new("2", "keep", "{}"), again)];
    assert_eq!(
        Value::from(Anthropic.results(&answered)).pointer("/0/content/0/content").unwrap(),
        &json!([
            {"type": "text", "text": note},
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": DATA}},
        ]),
    );
    assert_eq!(
        Value::from(Mcp.results(&answered)).pointer("/0/result/content").unwrap(),
        &json!([
            {"type": "text", "text": note},
            {"type": "image", "data": DATA, "mimeType": "image/png"},
        ]),
    );
    assert_eq!(
        Value::from(OpenAiChat.results(&answered)).pointer("/0/content").unwrap(),
        &json!(format!("{note}\n[left out: image/png, 4 bytes]")),
    );
}

#[test]
fn what_is_no_block_of_the_protocol_is_named() {
    let told = |block: Value| serde_json::from_value::<Content>(block).unwrap_err().to_string();
    assert_eq!(told(json!({"type": "video"})), "there is no block of the type \"video\"");
    assert_eq!(
        told(json!({"type": "image", "data": "AA=="})),
        "a block of the type `image` has no text `mimeType`",
    );
    assert_eq!(
        told(json!({"type": "image", "data": "%", "mimeType": "image/png"})),
        "the data of a block of the type `image` is not base64",
    );
    assert_eq!(
        told(json!({"type": "resource", "resource": {"uri": "a"}})),
        "a resource has neither `text` nor `blob`",
    );
    let block = json!({"type": "image", "data": DATA, "mimeType": "image/png", "annotations": {"audience": ["user"]}});
    let content: Content = serde_json::from_value(block.clone()).unwrap();
    assert_eq!(serde_json::to_value(&content).unwrap(), block);
}

#[test]
fn a_result_that_breaks_off_leaves_its_blocks_to_no_other() {
    let before = answered("draw").outcome;
    assert_eq!(answered("torn").outcome.status(), Status::Failed);
    assert_eq!(answered("draw").outcome, before);
    assert_eq!(answered("page").outcome.content().len(), 2);
    assert_eq!(answered("around").outcome.content(), [Content::image(PNG, "image/png")]);
}
