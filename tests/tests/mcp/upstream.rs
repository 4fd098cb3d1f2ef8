//! A server at the other end of the gateway, which does what a test says.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream};
use tokio::sync::mpsc;
use toolkit::Effect;
use toolkit::ledger::MemoryLedger;
use toolkit::mcp::{Import, Imported, Pins};
use toolkit::prelude::*;

use crate::shop::soon;

/// A server that does what the test says, and keeps what it was asked.
#[derive(Clone, Default)]
pub struct Upstream {
    pub tools: Arc<Mutex<Vec<Value>>>,
    /// The calls that reached it: a name and arguments.
    pub called: Arc<Mutex<Vec<String>>>,
    /// The list by its cursors, where it comes in pages.
    pub pages: Option<fn(&str) -> Value>,
}

/// A tool as a server shows it; it claims that everything is harmless.
pub fn shown(name: &str, description: &str) -> Value {
    json!({
        "name": name,
        "description": description,
        "inputSchema": {
            "type": "object",
            "properties": {"path": {"type": "string", "description": "Which one."}},
            "required": ["path"],
        },
        "annotations": {"readOnlyHint": true, "destructiveHint": false},
    })
}

impl Upstream {
    pub fn of(tools: impl IntoIterator<Item = Value>) -> Self {
        let tools = Arc::new(Mutex::new(tools.into_iter().collect()));
        Self { tools, ..Self::default() }
    }

    pub fn called(&self) -> Vec<String> {
        self.called.lock().unwrap().clone()
    }

    /// Starts it; lines that are sent go to its client.
    pub fn start(&self) -> (DuplexStream, mpsc::UnboundedSender<String>) {
        let (here, there) = tokio::io::duplex(64 * 1024);
        let (says, mut said) = mpsc::unbounded_channel::<String>();
        let this = self.clone();
        tokio::spawn(async move {
            let (from, mut to) = tokio::io::split(there);
            let mut lines = BufReader::new(from).lines();
            loop {
                let answer = tokio::select! {
                    Some(line) = said.recv() => Some(line),
                    line = lines.next_line() => match line.unwrap() {
                        Some(line) => this.answers(&serde_json::from_str(&line).unwrap()),
                        None => return,
                    },
                };
                let Some(line) = answer else { continue };
                // A client that gives up on a line that is too long goes in its middle.
                if line == "gone" || to.write_all(format!("{line}\n").as_bytes()).await.is_err() {
                    return;
                }
            }
        });
        (here, says)
    }

    fn answers(&self, message: &Value) -> Option<String> {
        let params = &message["params"];
        let result = match message["method"].as_str()? {
            "initialize" => json!({
                "protocolVersion": params["protocolVersion"],
                "capabilities": {"tools": {"listChanged": true}},
                "serverInfo": {"name": "scripted", "version": "1"},
            }),
            "tools/list" => match self.pages {
                Some(pages) => pages(params["cursor"].as_str().unwrap_or("0")),
                None => json!({"tools": *self.tools.lock().unwrap()}),
            },
            "tools/call" => {
                let name = params["name"].as_str().unwrap();
                self.called.lock().unwrap().push(format!("{name} {}", params["arguments"]));
                match name {
                    "dies" => return Some("gone".to_owned()),
                    "silent" => return None,
                    "half" => return Some(r#"{"jsonrpc":"2.0","id":"#.to_owned()),
                    "huge" => return Some("x".repeat(17 * 1024 * 1024)),
                    "refuses" | "breaks" => {
                        let code = if name == "refuses" { -32602 } else { -32603 };
                        let error = json!({"code": code, "message": "no such path"});
                        let id = &message["id"];
                        return Some(
                            json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string(),
                        );
                    }
                    "fails" => json!({
                        "content": [{"type": "text", "text": "no space left"}],
                        "isError": true,
                    }),
                    "structured" => json!({
                        "content": [{"type": "text", "text": "{\"n\": 1}"}],
                        "structuredContent": {"n": 1},
                    }),
                    "pictures" => json!({"content": [
                        {"type": "text", "text": "two:"},
                        {"type": "image", "data": "AAAA", "mimeType": "image/png"},
                        {"type": "resource_link", "uri": "file:///a", "name": "a"},
                    ]}),
                    _ => json!({"content": [{"type": "text", "text": format!("did {name}")}]}),
                }
            }
            _ => return None,
        };
        Some(json!({"jsonrpc": "2.0", "id": message["id"], "result": result}).to_string())
    }

    /// Imports it: `read*` reads, `write*` writes, all others are as they come.
    pub async fn imported(&self, pins: Option<Pins>) -> (Imported, mpsc::UnboundedSender<String>) {
        let (stream, says) = self.start();
        let (from, to) = tokio::io::split(stream);
        let mut import = Import::over("files", from, to)
            .rule("read*", |tool| tool.effect(Effect::Read))
            .rule("w*e*", |tool| tool.effect(Effect::Write).scopes(["files:write"]))
            .rule("parks", |tool| tool.effect(Effect::Write).approval(|_| true))
            .rule("free_*", |tool| tool.effect(Effect::Write));
        if let Some(pins) = pins {
            import = import.pins(pins);
        }
        (soon(import.connect()).await.unwrap(), says)
    }
}

pub fn registry(imported: &Imported, ledger: &Arc<MemoryLedger>) -> Registry {
    Registry::builder().tools(imported.tools()).ledger(Arc::clone(ledger)).build().unwrap()
}

pub fn agent() -> Caller {
    Caller::new("agent").scopes(["files:write"])
}

pub async fn calls(registry: &Registry, name: &str) -> Outcome {
    let call = ToolCall::new("call_1", format!("files__{name}"), r#"{"path":"/a"}"#);
    soon(registry.view(agent()).dispatch(call, Options::default())).await.unwrap()
}
