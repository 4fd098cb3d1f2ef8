//! Messages as they came: what rmcp's own reading loses of a call are its arguments' bytes.

use std::borrow::Cow;
use std::sync::Arc;

use hyper::body::Bytes;
use rmcp::model::{
    CallToolRequest, CallToolRequestMethod, CallToolRequestParams, ClientJsonRpcMessage,
    ClientRequest, ConstString, GetExtensions, InitializeResultMethod, InputResponses, RequestId,
    RequestMetaObject,
};
use serde::Deserialize;
use serde_json::value::RawValue;

/// The text of a call's arguments, as the client wrote it; empty where it wrote none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Arguments(pub(super) Arc<str>);

/// What the door has to know of a message before rmcp reads it.
#[derive(Debug)]
pub(super) struct Seen {
    /// Whether it asks for a new session, or may, for all that can be read of it.
    pub(super) opens: bool,
    /// Those of a call; `None` where it says them twice or not as text.
    pub(super) arguments: Option<Arguments>,
    /// The message with none in their place, where they are an object: rmcp would read them, too.
    pub(super) rest: Option<Bytes>,
}

impl Seen {
    pub(super) fn of(body: &[u8]) -> Self {
        let Ok(message) = serde_json::from_slice::<Message<'_>>(body) else {
            return Self { opens: true, arguments: None, rest: None };
        };
        let is = |method| message.method.as_deref() == Some(method);
        let opens = is(InitializeResultMethod::VALUE);
        let params = message.params.filter(|_| is(CallToolRequestMethod::VALUE));
        let params =
            params.and_then(|params| serde_json::from_str::<Params<'_>>(params.get()).ok());
        let text = params.map(|params| params.arguments.map_or("", RawValue::get));
        let rest = text.filter(|text| text.starts_with('{'));
        let rest = rest.and_then(|text| without(body, text));
        Self { opens, arguments: text.map(|text| Arguments(text.into())), rest }
    }
}

/// A body with an empty object in the place of one that stands in it.
fn without(body: &[u8], object: &str) -> Option<Bytes> {
    let start = object.as_ptr().addr().checked_sub(body.as_ptr().addr())?;
    let rest = body.get(start..)?.get(object.len()..)?;
    Some([body.get(..start)?, b"{}", rest].concat().into())
}

/// Reads a client's message; a call keeps its arguments as they were written.
///
/// # Errors
/// It is no JSON, or no message of the protocol.
pub(super) fn client_message(line: &[u8]) -> serde_json::Result<ClientJsonRpcMessage> {
    match call(line) {
        Some(message) => Ok(message),
        None => serde_json::from_slice(line),
    }
}

/// The message, where it is a call and nothing about it is odd.
fn call(line: &[u8]) -> Option<ClientJsonRpcMessage> {
    let message: Message<'_> = serde_json::from_slice(line).ok()?;
    if message.jsonrpc != "2.0" || message.method? != CallToolRequestMethod::VALUE {
        return None;
    }
    let id: RequestId = serde_json::from_str(message.id?.get()).ok()?;
    let params: Params<'_> = serde_json::from_str(message.params?.get()).ok()?;
    let arguments = params.arguments.map_or("", RawValue::get);
    if !matches!(arguments.bytes().next(), None | Some(b'{' | b'n')) {
        return None;
    }
    let mut asked = CallToolRequestParams::new(params.name.into_owned());
    asked.input_responses = params.input_responses;
    asked.request_state = params.request_state;
    let mut request = CallToolRequest::new(asked);
    let extensions = request.extensions_mut();
    if let Some(meta) = params.meta {
        extensions.insert(meta);
    }
    extensions.insert(Arguments(arguments.into()));
    Some(ClientJsonRpcMessage::request(ClientRequest::CallToolRequest(request), id))
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    jsonrpc: Cow<'a, str>,
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Params<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
    #[serde(rename = "_meta")]
    meta: Option<RequestMetaObject>,
    input_responses: Option<InputResponses>,
    request_state: Option<String>,
}
