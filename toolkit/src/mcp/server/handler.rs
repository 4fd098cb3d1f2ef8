//! What a client asks, answered from the registry.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use http::request::Parts;
use rmcp::ServerHandler;
use rmcp::model::{
    CacheScope, CallToolRequestMethod, CallToolRequestParams, CallToolResponse, CallToolResult,
    ConstString, CustomRequest, CustomResult, ErrorCode, ErrorData, Extensions, ListToolsResult,
    PaginatedRequestParams, ServerConfig, SubscriptionFilter, Tool,
};
use rmcp::service::{NotificationContext, Peer, RequestContext, RoleServer, SubscriptionContext};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::Semaphore;
use toolkit_core::{
    Abort, Caller, Cancellation, Effect, Options, Outcome, RunMemory, Status, ToolCall, View,
};

use super::approval::{self, Word};
use super::guests::LetIn;
use super::live::Live;
use super::progress;
use crate::dialect::{Answered, Dialect, Mcp, McpVersion};
use crate::mcp::wire::Arguments;

/// How long after its client went a session may still be remembered.
const LOOKS_AGAIN: Duration = Duration::from_secs(30);

/// Who asks, where the client shows no token.
#[derive(Debug, Clone)]
pub(super) enum Asker {
    /// Always the same one: the client is the other end of two pipes, and all of it one run.
    One(Arc<Caller>, RunMemory),
    /// Whoever the request was let in for.
    OfRequest,
}

/// What the client of one session asks, answered from the registry.
pub(super) struct Handler {
    live: Live,
    asker: Asker,
    pub(super) house: Arc<House>,
    /// Whether the client is told of changes already: it may say `initialized` again.
    is_told: AtomicBool,
}

/// What is the same for all sessions of a server.
pub(super) struct House {
    pub(super) info: ServerConfig,
    pub(super) dialect: Mcp,
    pub(super) scoped: Option<Vec<String>>,
    pub(super) page: usize,
    pub(super) run_id: Option<String>,
    pub(super) asks_users: bool,
    /// How long a user's answer is waited for.
    pub(super) answer_within: Duration,
    /// One a call that runs.
    pub(super) permits: Semaphore,
}

impl Handler {
    pub(super) const fn new(live: Live, asker: Asker, house: Arc<House>) -> Self {
        Self { live, asker, house, is_told: AtomicBool::new(false) }
    }

    /// One for another session.
    pub(super) fn of_new_session(&self) -> Self {
        Self::new(self.live.clone(), self.asker.clone(), Arc::clone(&self.house))
    }

    fn view(&self, extensions: &Extensions) -> Result<View, ErrorData> {
        let let_in = || extensions.get::<Parts>()?.extensions.get::<LetIn>();
        let asks = match &self.asker {
            Asker::One(caller, memory) => Some((caller, memory)),
            Asker::OfRequest => let_in().map(|let_in| (&let_in.caller, &let_in.memory)),
        };
        let Some((caller, memory)) = asks else { return Err(broken("nobody was let in")) };
        let view = self.live.now().view(Caller::clone(caller)).remembering(memory);
        Ok(match &self.house.scoped {
            Some(names) => view.scoped(names),
            None => view,
        })
    }

    fn dialect(&self, context: &RequestContext<RoleServer>) -> Mcp {
        self.house.dialect.version(version(context))
    }

    /// Lets a call run, when its turn is there.
    ///
    /// A call that was cancelled does not begin; one that only reads is dropped, and any other is
    /// told and goes on to its end, so that its row tells what came of it.
    async fn run<F>(
        &self,
        is_read: bool,
        context: &RequestContext<RoleServer>,
        run: impl FnOnce(Options) -> F,
    ) -> Result<Outcome, ErrorData>
    where
        F: Future<Output = Result<Outcome, Abort>>,
    {
        let permit = tokio::select! {
            biased;
            () = context.ct.cancelled() => return Err(cancelled()),
            permit = self.house.permits.acquire() => permit,
        };
        let word = Cancellation::new();
        let mut options = Options::default().cancellation(word.clone());
        if let Some(run_id) = &self.house.run_id {
            options = options.run_id(run_id);
        }
        let ended = match progress::heard(context) {
            Some((observer, told)) => {
                let run = run(options.observer(observer));
                told.beside(unless_cancelled(is_read, context, &word, run)).await
            }
            None => unless_cancelled(is_read, context, &word, run(options)).await,
        };
        drop(permit);
        ended.ok_or_else(cancelled)?.map_err(|abort| broken(&abort))
    }

    async fn call(
        &self,
        request: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let view = self.view(&context.extensions)?;
        let call = tool_call(request, context)?;
        let is_read = view.effect_of(call.name()).is_none_or(|effect| effect == Effect::Read);
        let run = |options| Box::pin(view.dispatch(&call, options));
        let outcome = self.run(is_read, context, run).await?;
        let outcome = match outcome.status() {
            Status::AwaitingApproval => {
                // Of a size that no other call has to carry.
                match Box::pin(self.put(&view, &outcome, request, context)).await? {
                    Word::Asked(asked) => return Ok(asked.into()),
                    Word::Decided(decided) => decided,
                    Word::Waits => outcome,
                }
            }
            _ => outcome,
        };
        answer(self.dialect(context), call, outcome).map(Into::into)
    }

    /// Runs a call that waited, where people agreed meanwhile; else puts it to the client's user.
    async fn put(
        &self,
        view: &View,
        outcome: &Outcome,
        request: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<Word<Outcome>, ErrorData> {
        let (Some(id), Some(desk)) = (outcome.approval_id(), self.live.now().desk()) else {
            return Ok(Word::Waits);
        };
        let asks = self.house.asks_users
            && approval::can_ask(context)
            && approval::may_decide(view.caller());
        let word = match asks {
            _ if approval::is_approved(&desk, id).await => Word::Decided(()),
            false => Word::Waits,
            true if version(context) >= McpVersion::V2026_07_28 => {
                approval::in_rounds(&desk, view.caller(), id, request).await
            }
            true => {
                approval::at_once(&desk, view.caller(), id, self.house.answer_within, context).await
            }
        };
        Ok(match word {
            Word::Asked(asked) => Word::Asked(asked),
            Word::Waits => Word::Waits,
            Word::Decided(()) => {
                let run = |options| Box::pin(view.resume(id, options));
                Word::Decided(self.run(false, context, run).await?)
            }
        })
    }

    fn list(
        &self,
        cursor: Option<&str>,
        context: &RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let view = self.view(&context.extensions)?;
        let names = view.visible();
        // A cursor names the last tool that was shown; one that is hidden is no cursor.
        let start = match cursor {
            None => 0,
            Some(last) => {
                let place = names.iter().position(|name| *name == last);
                1 + place.ok_or_else(|| ErrorData::invalid_params("no such cursor", None))?
            }
        };
        let end = names.len().min(start.saturating_add(self.house.page));
        let page = view.clone().scoped(names.get(start..end).unwrap_or_default());
        let definitions =
            page.definitions(&self.dialect(context)).map_err(|error| broken(&error))?;
        let mut listed = ListToolsResult::with_all_items(read::<Vec<Tool>>(definitions)?);
        if end < names.len() {
            listed.next_cursor = names.get(end - 1).map(|name| (*name).to_owned());
        }
        // What a view shows depends on its caller, and may change with the next.
        listed.ttl_ms = Some(0);
        listed.cache_scope = Some(CacheScope::Private);
        if version(context) < McpVersion::V2026_07_28 {
            (listed.ttl_ms, listed.cache_scope) = (None, None);
        }
        Ok(listed)
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        self.house.info.clone()
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        self.list(cursor.as_deref(), &context)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.call(&request, &context).await
    }

    /// A call that rmcp could not read as one comes here, too.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        if request.method == CallToolRequestMethod::VALUE {
            return Err(no_call());
        }
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method, None))
    }

    /// Tells the client of every change of the list, for as long as it is there.
    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        if self.is_told.swap(true, Ordering::SeqCst) {
            return;
        }
        let peer = context.peer.clone();
        // The notification is over; its session is not.
        drop(context);
        let mut changes = self.live.changes();
        while changed(&mut changes, &peer).await {
            if peer.notify_tool_list_changed().await.is_err() {
                break;
            }
        }
    }

    fn accepted_subscription_filter(&self, _: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(SubscriptionFilter::builder().tools_list_changed().build())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.live.changes();
        loop {
            let is_over = tokio::select! {
                came = changes.changed() => came.is_err(),
                () = context.cancelled() => true,
            };
            if is_over || context.sink().notify_tool_list_changed().await.is_err() {
                return Ok(());
            }
        }
    }
}

/// Runs to the end, or until nobody wants it; then one that only reads is dropped.
async fn unless_cancelled<T>(
    is_read: bool,
    context: &RequestContext<RoleServer>,
    word: &Cancellation,
    run: impl Future<Output = T>,
) -> Option<T> {
    let mut run = std::pin::pin!(run);
    tokio::select! {
        biased;
        ended = &mut run => Some(ended),
        () = context.ct.cancelled() => {
            word.cancel();
            if is_read { None } else { Some(run.await) }
        }
    }
}

/// Waits for the next change; false when there is nobody to be told.
async fn changed(
    changes: &mut tokio::sync::watch::Receiver<toolkit_core::Registry>,
    peer: &Peer<RoleServer>,
) -> bool {
    loop {
        match tokio::time::timeout(LOOKS_AGAIN, changes.changed()).await {
            Ok(came) => return came.is_ok(),
            Err(_) if peer.is_transport_closed() => return false,
            Err(_) => {}
        }
    }
}

/// The revision that the client speaks, or the next older one that our dialect knows.
fn version(context: &RequestContext<RoleServer>) -> McpVersion {
    let spoken = context.protocol_version();
    let spoken = spoken.as_ref().map_or("", |version| version.as_str());
    let newest_first = [McpVersion::V2026_07_28, McpVersion::V2025_11_25, McpVersion::V2025_06_18];
    newest_first
        .into_iter()
        .find(|known| known.as_str() <= spoken)
        .unwrap_or(McpVersion::V2025_06_18)
}

/// The call, with its arguments as the client wrote them.
fn tool_call(
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<ToolCall, ErrorData> {
    let of_body = || {
        let parts = context.extensions.get::<Parts>()?;
        parts.extensions.get::<Arguments>().cloned()
    };
    match context.extensions.get::<Arguments>().cloned().or_else(of_body) {
        Some(Arguments(text)) => {
            Ok(ToolCall::new(context.id.to_string(), request.name.as_ref(), &*text))
        }
        // They are there twice, and nobody knows which are meant.
        None => Err(no_call()),
    }
}

fn no_call() -> ErrorData {
    ErrorData::invalid_params("expected a `name`, and `arguments` that are an object", None)
}

/// What the client is sent of an outcome, as our dialect writes it.
fn answer(dialect: Mcp, call: ToolCall, outcome: Outcome) -> Result<CallToolResult, ErrorData> {
    let message = dialect.results(&[Answered::new(call, outcome)]).pop();
    let Some(Value::Object(mut message)) = message else { return Err(broken("no answer")) };
    if let Some(error) = message.remove("error") {
        return Err(read(error)?);
    }
    let Some(Value::Object(mut result)) = message.remove("result") else {
        return Err(broken("no answer"));
    };
    // What a tool returned may be large, and reading it would copy it.
    let structured = result.remove("structuredContent");
    let mut result: CallToolResult = read(result.into())?;
    result.structured_content = structured;
    Ok(result)
}

fn read<T: DeserializeOwned>(written: Value) -> Result<T, ErrorData> {
    serde_json::from_value(written).map_err(|error| broken(&error))
}

/// What a client may know of what only the host can mend.
fn broken(error: impl std::fmt::Display) -> ErrorData {
    tracing::error!(%error, "a request of an MCP client was ended");
    ErrorData::internal_error("the server ended the request", None)
}

/// It is not sent: who cancels a request waits for nothing.
fn cancelled() -> ErrorData {
    ErrorData::internal_error("cancelled", None)
}
