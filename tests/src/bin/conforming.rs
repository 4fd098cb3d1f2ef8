//! The server that the conformance suite of MCP asks: its tools have the names that it wants.
//!
//! `conforming ADDRESS` serves streamable HTTP there, and `conforming` its standard streams.

use std::time::Duration;

use serde_json::json;
use toolkit::ledger::MemoryLedger;
use toolkit::prelude::*;
use toolkit::{Content, DynamicTool};

/// Gives a text.
#[tool(effect = "read")]
fn test_simple_text() -> &'static str {
    "This is a simple text response for testing."
}

/// Fails.
#[tool(effect = "read")]
fn test_error_handling() -> Result<(), ToolError> {
    Err(ToolError::business("This tool intentionally returns an error for testing"))
}

/// Takes its time.
#[tool(effect = "read")]
async fn test_tool_with_progress(#[context] cx: &CallContext) -> &'static str {
    for done in [0, 50, 100] {
        cx.progress(done, 100, None);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    "done"
}

/// Asks the user first.
#[tool(effect = "write", approval(true))]
fn test_elicitation(message: String) -> String {
    message
}

/// The smallest picture there is: one red point.
const POINT: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\x90wS\xde\
    \0\0\0\x0cIDATx\x9cc\xf8\xcf\xc0\0\0\x03\x01\x01\0\xc9\xfe\x92\xef\0\0\0\0IEND\xaeB`\x82";

/// A sound of no length.
const SILENCE: &[u8] =
    b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\
    \x10\0data\0\0\0\0";

/// Shows a picture.
#[tool(effect = "read")]
fn test_image_content() -> Content {
    Content::image(POINT, "image/png")
}

/// Plays a sound.
#[tool(effect = "read")]
fn test_audio_content() -> Content {
    Content::audio(SILENCE, "audio/wav")
}

/// Gives a file.
#[tool(effect = "read")]
fn test_embedded_resource() -> Content {
    Content::file("test://embedded", "This is an embedded resource.", "text/plain")
}

/// Gives a text, a picture and a file.
#[tool(effect = "read")]
fn test_multiple_content_types() -> Vec<Content> {
    vec![
        Content::text("Multiple content types:"),
        Content::image(POINT, "image/png"),
        Content::file("test://mixed", r#"{"test":"data"}"#, "application/json"),
    ]
}

/// A tool whose schema says what it is written in, and refers to itself.
///
/// What is referred to in one place is written there; so an address has one in it.
fn json_schema_2020_12() -> DynamicTool {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "type": "object",
                "properties": {
                    "street": {"type": "string"},
                    "city": {"type": "string"},
                    "billed_to": {"$ref": "#/$defs/address"},
                },
            },
        },
        "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
        "additionalProperties": false,
    });
    let run = |_, _| async { Ok::<_, ToolError>("done") };
    Tool::dynamic("json_schema_2020_12_tool", "Takes an address.", schema, run)
        .effect(toolkit::Effect::Read)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let registry = Registry::builder()
        .tools(tools![
            test_simple_text,
            test_error_handling,
            test_tool_with_progress,
            test_elicitation,
            test_image_content,
            test_audio_content,
            test_embedded_resource,
            test_multiple_content_types
        ])
        .tool(json_schema_2020_12())
        .ledger(MemoryLedger::new())
        .build()?;
    // The suite answers as the user.
    let caller = Caller::new("suite").scopes(["approvals:decide"]);
    let server = toolkit::mcp::serve(registry).caller(caller).exact();
    match std::env::args().nth(1) {
        Some(address) => server.http(address.parse()?).await?,
        None => server.stdio().await?,
    }
    Ok(())
}
