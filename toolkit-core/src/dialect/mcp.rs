//! The Model Context Protocol, as a server speaks it.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::read::{check, parse, shape};
use super::{
    Answered, Definition, Dialect, DialectError, Ending, Form, Part, Reply, Request, object_of,
};
use crate::call::{Outcome, Status, ToolCall};
use crate::tool::Effect;

const NAME: &str = "mcp";

/// The code of a JSON-RPC error of wrong parameters.
const INVALID_PARAMS: i32 = -32602;

/// What schemas are written in.
const JSON_SCHEMA: &str = "https://json-schema.org/draft/2020-12/schema";

/// The key under which a request of 2026-07-28 says its version.
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";

/// A revision of the Model Context Protocol.
///
/// ```
/// use toolkit::dialect::McpVersion;
///
/// assert_eq!(McpVersion::V2025_11_25.to_string(), "2025-11-25");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum McpVersion {
    /// 2025-06-18.
    V2025_06_18,
    /// 2025-11-25.
    V2025_11_25,
    /// 2026-07-28.
    V2026_07_28,
}

impl McpVersion {
    const ALL: [Self; 3] = [Self::V2025_06_18, Self::V2025_11_25, Self::V2026_07_28];

    /// The revision's date.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }
}

impl std::fmt::Display for McpVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The wire form of the Model Context Protocol, as a server speaks it.
///
/// A client's message is the reply, and `results` are the messages that answer it; a request is
/// the result of `tools/list`. Schemas have a plain object at their root, which every client's
/// model takes; [`exact`](Self::exact) sends them as they are.
///
/// ```
/// use serde_json::json;
/// use toolkit::dialect::{Answered, Dialect, Mcp};
/// use toolkit::prelude::*;
///
/// /// Adds two numbers.
/// #[tool]
/// fn add(a: i64, b: i64) -> i64 {
///     a + b
/// }
///
/// let view = Registry::builder().tools(tools![add]).build()?.view(Caller::new("ann"));
/// let message = r#"{"jsonrpc": "2.0", "id": 7, "method": "tools/call",
///                   "params": {"name": "add", "arguments": {"a": 2, "b": 3}}}"#;
/// let call = Mcp.read(message)?.tool_calls().next().unwrap().clone();
/// let outcome = view.dispatch_blocking(&call, Options::default())?;
/// assert_eq!(
///     Mcp.results(&[Answered::new(call, outcome)]),
///     [json!({"jsonrpc": "2.0", "id": 7, "result": {
///         "content": [{"type": "text", "text": "5"}],
///         "isError": false,
///     }})],
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mcp {
    form: Form,
    version: McpVersion,
}

/// The dialect as most clients speak it.
#[expect(non_upper_case_globals, reason = "it is written where a value of the type is")]
pub const Mcp: Mcp = Mcp { form: Form::PORTABLE, version: McpVersion::V2025_11_25 };

impl Default for Mcp {
    fn default() -> Self {
        Mcp
    }
}

impl Mcp {
    /// Speaks another revision.
    #[must_use]
    pub const fn version(mut self, version: McpVersion) -> Self {
        self.version = version;
        self
    }

    /// Sends schemas as they are; some clients' models take no union at the root.
    ///
    /// From 2025-11-25 on they name JSON Schema 2020-12 as what they are written in.
    #[must_use]
    pub const fn exact(mut self) -> Self {
        self.form = Form::EXACT;
        self
    }

    fn input_schema(self, tool: &Definition) -> Value {
        let names_itself = self.form == Form::EXACT && self.version >= McpVersion::V2025_11_25;
        match &tool.input_schema {
            Value::Object(fields) if names_itself => {
                let named = [("$schema".to_owned(), JSON_SCHEMA.into())];
                named.into_iter().chain(fields.clone()).collect()
            }
            schema => schema.clone(),
        }
    }

    /// Whether a schema can be one of results.
    fn takes_output(self, schema: &Value) -> bool {
        let of = schema.get("type");
        match self.version {
            McpVersion::V2025_06_18 | McpVersion::V2025_11_25 => {
                of.is_some_and(|of| of == "object")
            }
            // A text is sent as text, and not as a structured value.
            McpVersion::V2026_07_28 => of.is_some_and(|of| of.is_string() && of != "string"),
        }
    }

    fn result(self, outcome: &Outcome) -> Value {
        let mut result = Map::new();
        if self.version == McpVersion::V2026_07_28 {
            result.insert("resultType".to_owned(), "complete".into());
        }
        let text = |text: &str| json!({"type": "text", "text": text});
        let content: Vec<Value> = if outcome.content().is_empty() {
            vec![text(outcome.text())]
        } else {
            let note = Some(outcome.note().trim_end()).filter(|note| !note.is_empty()).map(text);
            note.into_iter().chain(outcome.content().iter().map(|block| json!(block))).collect()
        };
        result.insert("content".to_owned(), content.into());
        let structured = outcome.value().filter(|value| {
            !outcome.is_error() && (value.is_object() || self.version == McpVersion::V2026_07_28)
        });
        if let Some(structured) = structured {
            result.insert("structuredContent".to_owned(), structured);
        }
        result.insert("isError".to_owned(), outcome.is_error().into());
        result.into()
    }
}

impl Dialect for Mcp {
    fn name(&self) -> &'static str {
        NAME
    }

    fn form(&self) -> Form {
        self.form
    }

    /// Its alphabet is that of a registry.
    fn wire_name(&self, name: &str) -> String {
        name.to_owned()
    }

    fn definitions(&self, tools: &[&Definition]) -> Value {
        tools.iter().map(|tool| definition(*self, tool)).collect()
    }

    fn read(&self, body: &str) -> Result<Reply, DialectError> {
        check(NAME, body, "jsonrpc")?;
        let message: Message<'_> = parse(NAME, "$", body)?;
        if message.jsonrpc != "2.0" {
            let found = format!("found {:?}, expected \"2.0\"", message.jsonrpc);
            return Err(shape(NAME, "$.jsonrpc", &found));
        }
        let Some(id) = message.id else {
            return Err(shape(NAME, "$.id", "missing; a message without an id asks for no result"));
        };
        if message.method != "tools/call" {
            let found = format!("found {:?}, expected \"tools/call\"", message.method);
            return Err(shape(NAME, "$.method", &found));
        }
        let params = message.params;
        if let Some(version) = params.meta.get(VERSION_KEY)
            && !McpVersion::ALL.iter().any(|known| version == known.as_str())
        {
            let known: Vec<&str> = McpVersion::ALL.iter().map(|known| known.as_str()).collect();
            let path = format!("$.params._meta[{VERSION_KEY:?}]");
            return Err(shape(
                NAME,
                &path,
                &format!("found {version}, expected one of {}", known.join(", ")),
            ));
        }
        let arguments = params.arguments.map_or("", RawValue::get);
        if !matches!(arguments.bytes().next(), None | Some(b'{')) {
            return Err(shape(NAME, "$.params.arguments", "expected an object"));
        }
        let id = call_id(id).ok_or_else(|| shape(NAME, "$.id", "expected a text or an integer"))?;
        let call = ToolCall::new(id, params.name, arguments);
        Ok(Reply::from_parts([Part::Call(call)], Ending::Calls))
    }

    /// Nothing: what a user says does not go through the protocol.
    fn user(&self, _: &str) -> Vec<Value> {
        Vec::new()
    }

    /// Writes the messages that ask for the calls.
    fn assistant(&self, reply: &Reply) -> Vec<Value> {
        let written = reply.tool_calls().map(|call| {
            json!({
                "jsonrpc": "2.0",
                "id": message_id(call.id()),
                "method": "tools/call",
                "params": {
                    "name": call.name(),
                    "arguments": object_of(call).unwrap_or_default(),
                },
            })
        });
        written.collect()
    }

    /// Writes one message a call.
    ///
    /// A tool that is not there or that the caller may not use is an error of the protocol, with
    /// one text for both; so are wrong arguments to clients of 2025-06-18.
    fn results(&self, answered: &[Answered]) -> Vec<Value> {
        let written = answered.iter().map(|Answered { call, outcome }| {
            let id = message_id(call.id());
            let is_protocol = match outcome.status() {
                Status::UnknownTool | Status::Denied => true,
                Status::Invalid => self.version == McpVersion::V2025_06_18,
                _ => false,
            };
            let (name, said) = if is_protocol {
                ("error", json!({"code": INVALID_PARAMS, "message": outcome.text()}))
            } else {
                ("result", self.result(outcome))
            };
            // `json!` would copy what it is given.
            let mut message = Map::new();
            message.insert("jsonrpc".to_owned(), "2.0".into());
            message.insert("id".to_owned(), id);
            message.insert(name.to_owned(), said);
            message.into()
        });
        written.collect()
    }

    /// Writes the result of `tools/list`, in one page.
    fn request(&self, request: &Request<'_>) -> Value {
        let mut result = Map::new();
        if self.version == McpVersion::V2026_07_28 {
            result.insert("resultType".to_owned(), "complete".into());
        }
        let tools = request.some_tools().cloned().unwrap_or_else(|| json!([]));
        result.insert("tools".to_owned(), tools);
        if self.version == McpVersion::V2026_07_28 {
            // What a view shows depends on its caller, and may change with the next.
            result.insert("ttlMs".to_owned(), 0.into());
            result.insert("cacheScope".to_owned(), "private".into());
        }
        result.into()
    }
}

fn definition(dialect: Mcp, tool: &Definition) -> Value {
    let mut written = Map::new();
    written.insert("name".to_owned(), tool.name.as_str().into());
    if let Some(title) = &tool.title {
        written.insert("title".to_owned(), title.as_str().into());
    }
    written.insert("description".to_owned(), tool.description.as_str().into());
    written.insert("inputSchema".to_owned(), dialect.input_schema(tool));
    if let Some(output) = tool.output_schema.as_ref().filter(|schema| dialect.takes_output(schema))
    {
        written.insert("outputSchema".to_owned(), output.clone());
    }
    let is_read = tool.effect == Some(Effect::Read);
    let annotations = json!({
        "readOnlyHint": is_read,
        "destructiveHint": !is_read && tool.is_destructive,
        "idempotentHint": is_read || tool.is_idempotent,
        "openWorldHint": tool.is_open_world,
    });
    written.insert("annotations".to_owned(), annotations);
    written.into()
}

#[derive(Deserialize)]
#[serde(expecting = "a message")]
struct Message<'a> {
    jsonrpc: String,
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    method: String,
    #[serde(borrow)]
    params: Params<'a>,
}

#[derive(Deserialize)]
#[serde(expecting = "the parameters of a call")]
struct Params<'a> {
    name: String,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
    #[serde(rename = "_meta", default)]
    meta: Map<String, Value>,
}

/// The id of a call; a text that looks like a number, or is quoted, keeps its quotes.
fn call_id(raw: &RawValue) -> Option<String> {
    match serde_json::from_str(raw.get()).ok()? {
        Value::Number(number) if number.is_i64() || number.is_u64() => Some(number.to_string()),
        Value::String(text) if message_id(&text) == Value::String(text.clone()) => Some(text),
        Value::String(text) => Some(Value::from(text).to_string()),
        _ => None,
    }
}

/// The id of a message, as its client wrote it.
fn message_id(id: &str) -> Value {
    match serde_json::from_str(id) {
        Ok(Value::Number(number)) if number.is_i64() || number.is_u64() => number.into(),
        Ok(Value::String(text)) => text.into(),
        _ => id.into(),
    }
}
