//! The same two tools, three times: with toolkit, with every gate of toolkit's, on rmcp's router.

use std::convert::Infallible;
use std::sync::Arc;

use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{ErrorData, ServerCapabilities, ServerConfig};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{Json, ServerHandler, ServiceExt, schemars, tool, tool_handler, tool_router};
use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;
use toolkit::ledger::MemoryLedger;
use toolkit::prelude::*;

/// What the others are measured beside.
pub(crate) const PEER: &str = "rmcp";

pub(crate) const ALL: [&str; 3] = ["toolkit", "toolkit, every gate", PEER];

/// Where an order is.
#[derive(Serialize, schemars::JsonSchema)]
struct Order {
    id: String,
    state: String,
    items: u32,
}

fn order(id: String, items: u32) -> Order {
    Order { id, state: "delivered".to_owned(), items }
}

/// Looks an order up.
#[toolkit::tool(effect = "read")]
fn get_order(
    /// Its id, like O-1001.
    order_id: String,
    /// The most items that are told.
    #[arg(minimum = 1, maximum = 100)]
    limit: u32,
) -> Order {
    order(order_id, limit)
}

/// Looks an order up, as if it were something to be careful with.
#[toolkit::tool(
    name = "get_order",
    effect = "write",
    scopes("orders:read"),
    check(if limit > 100 { Err(ToolError::business("too many")) } else { Ok(()) }),
    approval(limit > 50)
)]
fn guarded(
    /// Its id, like O-1001.
    order_id: String,
    /// The most items that are told.
    #[arg(minimum = 1, maximum = 100)]
    limit: u32,
) -> Order {
    order(order_id, limit)
}

/// The peer's.
#[derive(Clone)]
struct Peer;

#[derive(Deserialize, schemars::JsonSchema)]
struct GetOrder {
    /// Its id, like O-1001.
    order_id: String,
    /// The most items that are told.
    #[schemars(range(min = 1, max = 100))]
    limit: u32,
}

#[tool_router]
impl Peer {
    #[tool(description = "Looks an order up.", annotations(read_only_hint = true))]
    fn get_order(
        &self,
        Parameters(GetOrder { order_id, limit }): Parameters<GetOrder>,
    ) -> Result<Json<Order>, ErrorData> {
        Ok(Json(order(order_id, limit)))
    }
}

#[tool_handler]
impl ServerHandler for Peer {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }
}

/// Serves standard streams, or a port whose number it prints.
pub(crate) async fn serve(server: &str, over: &str) {
    if server == PEER {
        return if over == "stdio" { peer_over_stdio().await } else { peer_over_http().await };
    }
    let tools = if server == ALL[0] { tools![get_order] } else { tools![guarded] };
    let registry = Registry::builder()
        .tools(tools)
        .ledger(MemoryLedger::accept_loss("a figure"))
        .build()
        .expect("the tools are right");
    let caller = Caller::new("figures").scopes(["orders:read"]);
    let server = toolkit::mcp::serve(registry).caller(caller);
    if over == "stdio" {
        return server.stdio().await.expect("a session");
    }
    server.listen(at_a_port().await).await.expect("a server");
}

async fn at_a_port() -> TcpListener {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    println!("{}", listener.local_addr().expect("an address"));
    listener
}

async fn peer_over_stdio() {
    // What rmcp itself recommends between pipes.
    let served = Peer.serve(rmcp::transport::stdio_pipes()).await.expect("a session");
    served.waiting().await.expect("an end");
}

async fn peer_over_http() {
    let config = StreamableHttpServerConfig::default().with_json_response(true);
    let sessions = Arc::new(LocalSessionManager::default());
    let service = StreamableHttpService::new(|| Ok(Peer), sessions, config);
    let listener = at_a_port().await;
    loop {
        let (stream, _) = listener.accept().await.expect("a connection");
        stream.set_nodelay(true).expect("no delay");
        let service = TowerToHyperService::new(service.clone());
        tokio::spawn(async move {
            let answered = hyper::service::service_fn(move |request| {
                let service = service.clone();
                async move {
                    use hyper::service::Service as _;
                    Ok::<_, Infallible>(service.call(request).await.expect("an answer"))
                }
            });
            let io = TokioIo::new(stream);
            let _over =
                hyper::server::conn::http1::Builder::new().serve_connection(io, answered).await;
        });
    }
}
