//! The session with another server: a call is sent once, and what became of it is told.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ClientConfig,
    ContentBlock, ErrorCode, ErrorData, Implementation, PaginatedRequestParams, Tool as Shown,
};
use rmcp::service::{
    ClientCacheConfig, NotificationContext, RoleClient, RunningService, ServiceError,
};
use rmcp::transport::Transport;
use rmcp::{ClientHandler, ServiceExt};
use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use serde_json::Value;
use tokio::process::Child;
use tokio::sync::watch;
use toolkit_core::{CallContext, Content, Failure, ToolError};

use super::pins::Pins;

/// The most that a list of tools may be: a model reads all of it, and this side keeps it.
const MOST_TOOLS: usize = 1000;
const MOST_PAGES: usize = 100;
const MOST_BYTES: usize = 16 * 1024 * 1024;

/// As much of a server's own error is passed on.
const MOST_OF_AN_ERROR: usize = 2000;

/// The session with another server.
pub(super) struct Upstream {
    session: RunningService<RoleClient, Listener>,
    /// How often the server said that its list changed.
    changes: watch::Sender<u64>,
    /// The newest change that somebody waited for.
    told: AtomicU64,
    patience: Duration,
    /// What every tool was when it was taken, and is while it is called.
    pinned: Mutex<Pins>,
    /// Which tools are not what was pinned, by the newest list.
    off: Mutex<BTreeSet<String>>,
    /// The change after which the list was looked at.
    looked_at: AtomicU64,
    /// One list at a time.
    lists: tokio::sync::Mutex<()>,
    /// It ends with the session.
    _process: Option<Child>,
}

/// Counts what the server says by itself.
struct Listener(watch::Sender<u64>);

impl ClientHandler for Listener {
    /// Nothing: a server that this side does not trust asks its user nothing, and no model.
    fn get_info(&self) -> ClientConfig {
        let us = Implementation::new("toolkit", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), us)
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.0.send_modify(|changes| *changes += 1);
    }
}

/// What a tool of another server gave.
pub(super) enum Given {
    Text(String),
    Blocks(Vec<Content>),
    /// The media beside it are found as if it had them in it.
    Json(Value, Vec<Content>),
}

impl Serialize for Given {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => text.serialize(serializer),
            Self::Blocks(blocks) => blocks.serialize(serializer),
            Self::Json(value, media) => {
                for block in media {
                    block.serialize(serde_json::value::Serializer).map_err(S::Error::custom)?;
                }
                value.serialize(serializer)
            }
        }
    }
}

impl Upstream {
    pub(super) async fn open<T>(
        transport: T,
        process: Option<Child>,
        patience: Duration,
    ) -> Result<Self, String>
    where
        T: Transport<RoleClient> + 'static,
    {
        let changes = watch::Sender::new(0);
        let opened = Listener(changes.clone()).serve(transport);
        let opened = tokio::time::timeout(patience, opened).await;
        let session = opened
            .map_err(|_late| "it did not answer".to_owned())?
            .map_err(|error| error.to_string())?;
        // What is looked at is what the server shows now, also where it says that it may be kept.
        session.peer().set_response_cache_config(ClientCacheConfig::disabled()).await;
        Ok(Self {
            session,
            changes,
            told: AtomicU64::new(0),
            patience,
            pinned: Mutex::default(),
            off: Mutex::default(),
            looked_at: AtomicU64::new(0),
            lists: tokio::sync::Mutex::default(),
            _process: process,
        })
    }

    /// The tools that the server shows now.
    pub(super) async fn list(&self) -> Result<Vec<Shown>, String> {
        let listed = tokio::time::timeout(self.patience, self.pages()).await;
        listed.map_err(|_late| "it did not answer".to_owned())?
    }

    /// All pages of the list, of which there must be an end.
    async fn pages(&self) -> Result<Vec<Shown>, String> {
        let (mut tools, mut bytes, mut cursors) = (Vec::new(), 0, BTreeSet::new());
        let mut asked = None;
        for _ in 0..MOST_PAGES {
            let page = self.session.peer().list_tools(asked).await;
            let page = page.map_err(|error| error.to_string())?;
            let written = serde_json::to_vec(&page.tools).map_err(|error| error.to_string())?;
            bytes += written.len();
            tools.extend(page.tools);
            if tools.len() > MOST_TOOLS {
                return Err(format!("its list has more than {MOST_TOOLS} tools"));
            }
            if bytes > MOST_BYTES {
                return Err(format!("its list has more than {MOST_BYTES} bytes"));
            }
            let Some(cursor) = page.next_cursor else { return Ok(tools) };
            if !cursors.insert(cursor.clone()) {
                return Err(format!("its list comes back to the page {:?}", cut(&cursor)));
            }
            asked = Some(PaginatedRequestParams::default().with_cursor(Some(cursor)));
        }
        Err(format!("its list has more than {MOST_PAGES} pages"))
    }

    /// From now on the tool is this one and no other.
    pub(super) fn pin(&self, shown: &Shown) {
        self.pinned.lock().unwrap_or_else(PoisonError::into_inner).see(shown);
    }

    pub(super) async fn changed(&self) {
        let told = self.told.load(Ordering::SeqCst);
        let mut changes = self.changes.subscribe();
        // It fails when no sender is left, and one of them is here.
        if let Ok(now) = changes.wait_for(|now| *now > told).await {
            self.told.fetch_max(*now, Ordering::SeqCst);
        }
    }

    pub(super) fn is_over(&self) -> bool {
        self.session.peer().is_transport_closed()
    }

    /// Looks again where the server said that its list changed, before anything is asked of it.
    pub(super) async fn is_as_pinned(&self, tool: &str) -> Result<(), ToolError> {
        if self.is_behind() {
            let turn = self.lists.lock().await;
            if self.is_behind() {
                // What changes while it is asked is looked at once more.
                let changes = *self.changes.borrow();
                match self.list().await {
                    Ok(listed) => self.compare(&listed),
                    Err(error) => {
                        tracing::warn!(%error, "a server whose tools changed could not be asked");
                        let why = "the server behind this tool changed, and can not be asked";
                        return Err(ToolError::transient(why));
                    }
                }
                self.looked_at.store(changes, Ordering::SeqCst);
            }
            drop(turn);
        }
        if self.is_off(tool) {
            let why = "the server changed this tool: it is off until a person approves it again";
            return Err(ToolError::permission(why));
        }
        Ok(())
    }

    /// Whether the list changed since it was looked at; until then nobody's call goes out.
    fn is_behind(&self) -> bool {
        *self.changes.borrow() != self.looked_at.load(Ordering::SeqCst)
    }

    fn is_off(&self, tool: &str) -> bool {
        self.off.lock().unwrap_or_else(PoisonError::into_inner).contains(tool)
    }

    fn compare(&self, listed: &[Shown]) {
        let pinned = self.pinned.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut off: BTreeSet<String> = pinned.names().map(str::to_owned).collect();
        for shown in listed {
            off.remove(&*shown.name);
        }
        // A name may be there twice: nobody knows which of the two a call would meet.
        let differ = listed.iter().filter(|shown| pinned.holds(shown) == Some(false));
        off.extend(differ.map(|shown| shown.name.clone().into_owned()));
        *self.off.lock().unwrap_or_else(PoisonError::into_inner) = off;
    }

    /// Sends a call, once.
    ///
    /// # Errors
    /// A `ToolError` where it is known what happened: the server's own word, or that nothing
    /// was sent. Anything else leaves the call in doubt, where it may have had an effect.
    pub(super) async fn call(
        &self,
        tool: &str,
        arguments: Value,
        cx: &CallContext,
    ) -> Result<Given, Failure> {
        if self.is_over() {
            return Err(ToolError::transient("the server behind this tool is not there").into());
        }
        // The call may have waited for a person or for room since the gates looked. Nothing was
        // sent, so its row is given back.
        self.is_as_pinned(tool).await.map_err(|error| error.retryable(true))?;
        let mut asked = CallToolRequestParams::new(tool.to_owned());
        if let Value::Object(arguments) = arguments {
            asked.arguments = Some(arguments);
        }
        let answer = tokio::time::timeout(self.patience, self.session.peer().call_tool_once(asked));
        let answer = tokio::select! {
            answer = answer => answer,
            () = cx.cancellation().cancelled() => return Err(lost("nobody waits any more").into()),
        };
        match answer {
            Err(_late) => Err(lost("no answer came in time").into()),
            Ok(Ok(CallToolResponse::Complete(result))) => given(result),
            Ok(Ok(_)) => Err(lost("it wants something else first").into()),
            Ok(Err(ServiceError::McpError(error))) if is_refusal(&error) => {
                let why = format!("the server refused the call: {}", cut(&error.message));
                Err(ToolError::business(why).into())
            }
            Ok(Err(error)) => Err(lost(&error.to_string()).into()),
        }
    }
}

/// Nobody knows what became of the call.
fn lost(why: &str) -> std::io::Error {
    std::io::Error::other(format!("the answer of another server is lost: {why}"))
}

/// Whether an error of the protocol says that there was no call.
fn is_refusal(error: &ErrorData) -> bool {
    matches!(
        error.code,
        ErrorCode::INVALID_PARAMS | ErrorCode::METHOD_NOT_FOUND | ErrorCode::INVALID_REQUEST
    )
}

/// What came back, as what a function returns.
fn given(result: CallToolResult) -> Result<Given, Failure> {
    if result.is_error == Some(true) {
        let text = result.content.iter().map(block).collect::<Vec<_>>().join("\n");
        let why = if text.trim().is_empty() { "the server says that it failed" } else { &text };
        return Err(ToolError::business(why).into());
    }
    let blocks: Vec<Content> = result.content.iter().map(content).collect();
    let is_text = |block: &Content| block.kind() == "text";
    Ok(match result.structured_content {
        Some(value) => {
            // The text of it says the same.
            Given::Json(value, blocks.into_iter().filter(|block| !is_text(block)).collect())
        }
        None if blocks.iter().all(is_text) => {
            let text = result.content.iter().map(block).collect::<Vec<_>>().join("\n");
            Given::Text(if text.is_empty() { "ok".to_owned() } else { text })
        }
        None => Given::Blocks(blocks),
    })
}

/// A part of a result; what is no block of the protocol is named.
fn content(given: &ContentBlock) -> Content {
    let written = serde_json::to_value(given).unwrap_or_default();
    serde_json::from_value(written).unwrap_or_else(|_| Content::text(block(given)))
}

/// A part of a result as text; what is no text is named, for results are text here.
fn block(block: &ContentBlock) -> String {
    if let Some(text) = block.as_text() {
        return text.text.clone();
    }
    let written = serde_json::to_value(block).unwrap_or_default();
    let said = |field: &str| written.get(field).and_then(Value::as_str).map(str::to_owned);
    let resource = written.get("resource").and_then(|resource| resource.get("text"));
    if let Some(text) = resource.and_then(Value::as_str) {
        return text.to_owned();
    }
    let kind = said("type").unwrap_or_default();
    match said("uri").or_else(|| said("mimeType")) {
        Some(of) => format!("({kind}: {of})"),
        None => format!("({kind})"),
    }
}

fn cut(text: &str) -> String {
    text.chars().take(MOST_OF_AN_ERROR).collect()
}
