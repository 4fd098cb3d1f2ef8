//! Streamable HTTP: who is let in, and whose session is whose.

use std::convert::Infallible;
use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::header::{AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderMap, Method, Request, Response, StatusCode};
use http_body::Body as HttpBody;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Bytes;
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use toolkit_core::{BoxFuture, Caller};

use super::guests::{Bounds, Guests, Refused};
use super::handler::Handler;
use super::together::together;
use super::{Authenticate, Body};
use crate::mcp::wire::Seen;

/// The header that names a session.
const SESSION: &str = "mcp-session-id";

/// How long a client may take to send a message.
const SENDS: Duration = Duration::from_secs(30);

/// What is let in.
#[derive(Debug, Clone)]
pub(super) struct Entrance {
    pub(super) hosts: Vec<String>,
    pub(super) origins: Vec<String>,
    pub(super) message_bytes: usize,
    pub(super) bounds: Bounds,
}

impl Default for Entrance {
    fn default() -> Self {
        let hosts = ["localhost", "127.0.0.1", "::1"].map(str::to_owned).to_vec();
        let origins = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"];
        let origins = origins.map(str::to_owned).to_vec();
        let remembers = Duration::from_secs(24 * 60 * 60);
        let bounds = Bounds { sessions: 1_000, calls: 1_000, remembers };
        Self { hosts, origins, message_bytes: 4 * 1024 * 1024, bounds }
    }
}

/// Who a request is of.
#[derive(Clone)]
pub(super) enum Asks {
    /// Always the same one.
    Nobody(Arc<Caller>),
    /// Whoever the bearer token says.
    Token(Arc<Authenticate>),
}

/// A registry over streamable HTTP, as a tower service.
///
/// Mount it in a router of your own; it looks at no path.
///
/// ```
/// use toolkit::mcp::McpService;
/// use toolkit::prelude::*;
///
/// let registry = Registry::builder().build()?;
/// let service: McpService = toolkit::mcp::serve(registry).unauthenticated().service()?;
/// // axum::Router::new().route_service("/mcp", service)
/// # drop(service);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct McpService {
    door: Arc<Door>,
}

struct Door {
    inner: StreamableHttpService<Handler, LocalSessionManager>,
    asks: Asks,
    message_bytes: usize,
    sessions: Arc<LocalSessionManager>,
    guests: Arc<Guests>,
}

impl McpService {
    pub(super) fn new(handler: Handler, asks: Asks, entrance: &Entrance) -> Self {
        let sessions = Arc::new(LocalSessionManager::default());
        let config = StreamableHttpServerConfig::default()
            .with_allowed_hosts(entrance.hosts.iter())
            .with_allowed_origins(entrance.origins.iter())
            .enforce_origin_validation()
            .with_max_request_body_bytes(entrance.message_bytes)
            .with_json_response(true);
        let of_session = move || Ok(handler.of_new_session());
        let inner = StreamableHttpService::new(of_session, Arc::clone(&sessions), config);
        let message_bytes = entrance.message_bytes;
        let guests = Guests::new(entrance.bounds.clone());
        Self { door: Arc::new(Door { inner, asks, message_bytes, sessions, guests }) }
    }

    async fn handle<B>(&self, request: Request<B>) -> Response<Body>
    where
        B: HttpBody<Data: Send, Error: Into<Box<dyn std::error::Error + Send + Sync>>>
            + Send
            + 'static,
    {
        let Some(caller) = self.door.caller(request.headers()).await else { return no_token() };
        let session = session_of(request.headers());
        let guest = match self.door.guests.let_in(caller, session.as_deref()) {
            Ok(guest) => guest,
            Err(refused) => return not_let_in(&refused),
        };
        let (mut parts, body) = request.into_parts();
        let body = Limited::new(body, self.door.message_bytes).collect();
        let body = match tokio::time::timeout(SENDS, body).await {
            Ok(Ok(body)) => body.to_bytes(),
            Ok(Err(error)) if error.is::<http_body_util::LengthLimitError>() => {
                let why = format!("the message is longer than {} bytes", self.door.message_bytes);
                return told(StatusCode::PAYLOAD_TOO_LARGE, &why);
            }
            Ok(Err(_)) => return told(StatusCode::BAD_REQUEST, "the message broke off"),
            Err(_) => return told(StatusCode::REQUEST_TIMEOUT, "the message did not come"),
        };
        let seen = Seen::of(&body);
        let opening = if session.is_none() && seen.opens {
            let open = self.door.sessions.sessions.read().await;
            let is_open = |session: &str| open.contains_key(session);
            match self.door.guests.opening(&guest, open.len(), is_open) {
                Ok(opening) => Some(opening),
                Err(refused) => return not_let_in(&refused),
            }
        } else {
            None
        };
        parts.extensions.insert(guest.clone());
        if let Some(arguments) = seen.arguments {
            parts.extensions.insert(arguments);
        }
        let is_standing = parts.method == Method::GET;
        let ends = session.filter(|_| parts.method == Method::DELETE);
        let body = Full::new(seen.rest.unwrap_or(body));
        let response = self.door.inner.handle(Request::from_parts(parts, body)).await;
        if let (Some(opening), Some(session)) = (opening, session_of(response.headers())) {
            opening.opened(&session);
        }
        if let Some(session) = ends.filter(|_| response.status().is_success()) {
            self.door.guests.closed(&guest, &session);
        }
        if is_standing { response } else { together(response).await }
    }
}

impl Door {
    async fn caller(&self, headers: &HeaderMap) -> Option<Arc<Caller>> {
        let authenticate = match &self.asks {
            Asks::Nobody(caller) => return Some(Arc::clone(caller)),
            Asks::Token(authenticate) => authenticate,
        };
        let shown = headers.get(AUTHORIZATION)?.to_str().ok()?;
        let (scheme, token) = shown.split_once(' ')?;
        if !scheme.eq_ignore_ascii_case("bearer") {
            return None;
        }
        authenticate(token.trim().to_owned()).await.map(Arc::new)
    }
}

fn session_of(headers: &HeaderMap) -> Option<String> {
    headers.get(SESSION).and_then(|session| session.to_str().ok()).map(str::to_owned)
}

fn no_token() -> Response<Body> {
    let mut response = told(StatusCode::UNAUTHORIZED, "a bearer token is needed");
    response.headers_mut().insert(WWW_AUTHENTICATE, http::HeaderValue::from_static("Bearer"));
    response
}

fn not_let_in(refused: &Refused) -> Response<Body> {
    let mut response = told(refused.status(), &refused.why());
    if matches!(refused, Refused::Calls(_)) {
        response.headers_mut().insert(RETRY_AFTER, http::HeaderValue::from_static("1"));
    }
    response
}

fn told(status: StatusCode, why: &str) -> Response<Body> {
    let mut response = Response::new(Full::new(Bytes::from(why.to_owned())).boxed());
    *response.status_mut() = status;
    let text = http::HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, text);
    response
}

impl<B> tower_service::Service<Request<B>> for McpService
where
    B: HttpBody<Data: Send, Error: Into<Box<dyn std::error::Error + Send + Sync>>> + Send + 'static,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response<Body>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, req: Request<B>) -> Self::Future {
        let service = self.clone();
        Box::pin(async move { Ok(service.handle(req).await) })
    }
}

impl fmt::Debug for McpService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpService").finish_non_exhaustive()
    }
}

/// Serves a socket for as long as it is awaited; its connections end with it.
pub(super) async fn listen(listener: TcpListener, service: McpService) {
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            Some(_) = connections.join_next() => continue,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) => {
                // Out of descriptors, most likely: they come back.
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        // Answers are small, and each would wait for the last one's receipt.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "a connection has its delays");
        }
        let service = service.clone();
        connections.spawn(async move {
            let answered = hyper::service::service_fn(move |request| {
                let service = service.clone();
                async move { Ok::<_, Infallible>(service.handle(request).await) }
            });
            let served = hyper::server::conn::http1::Builder::new()
                .timer(TokioTimer::new())
                .serve_connection(TokioIo::new(stream), answered);
            if let Err(error) = served.await {
                tracing::debug!(%error, "a connection of an MCP client broke off");
            }
        });
    }
}
