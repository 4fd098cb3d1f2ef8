//! Over what a registry is served: standard streams, any pair of them, HTTP.

use std::net::SocketAddr;
use std::sync::Arc;

use rmcp::model::{Implementation, ServerCapabilities, ServerConfig};
use rmcp::service::{RunningService, ServerInitializeError, serve_server};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use toolkit_core::{RunMemory, ToolConfigErrors};

use super::door::{self, McpService};
use super::handler::{Asker, Handler, House};
use super::{ServeError, Server};
use crate::mcp::lines::Lines;

impl Server {
    /// Serves the process's own standard streams, until the client closes them.
    ///
    /// Nothing else may write to standard output. It needs tokio with its drivers on.
    ///
    /// # Errors
    /// A tool has no form in MCP, or the other end is not a client.
    pub async fn stdio(self) -> Result<(), ServeError> {
        let (from, to) = rmcp::transport::stdio_pipes();
        self.over(from, to).await
    }

    /// Serves one client over a pair of streams, until it closes them and its calls have ended.
    ///
    /// # Errors
    /// As [`stdio`](Self::stdio).
    pub async fn over<R, W>(self, from: R, to: W) -> Result<(), ServeError>
    where
        R: AsyncRead + Unpin + Send + 'static,
        W: AsyncWrite + Unpin + Send + 'static,
    {
        self.check()?;
        let (most, at_once) = (self.entrance.message_bytes, self.at_once);
        let asker = Asker::One(Arc::new(self.caller.clone()), RunMemory::default());
        let handler = self.handler(asker);
        let house = Arc::clone(&handler.house);
        let session = Box::pin(serve_server(handler, Lines::new(from, to, most))).await;
        session_over(session).await?;
        // What runs has effects: the process must not end under it.
        let all = u32::try_from(at_once).unwrap_or(u32::MAX);
        drop(house.permits.acquire_many(all).await);
        Ok(())
    }

    /// Serves streamable HTTP at an address, at any path, for as long as it is awaited.
    ///
    /// There is no TLS: put a proxy in front where others reach it.
    ///
    /// # Errors
    /// A tool has no form in MCP, the address can not be had, or others can reach it and neither
    /// [`authenticated`](Self::authenticated) nor [`unauthenticated`](Self::unauthenticated) is
    /// said.
    pub async fn http(self, address: SocketAddr) -> Result<(), ServeError> {
        self.check_address(address)?;
        self.listen(TcpListener::bind(address).await?).await
    }

    /// Serves streamable HTTP on a socket that is bound already.
    ///
    /// # Errors
    /// As [`http`](Self::http).
    pub async fn listen(self, listener: TcpListener) -> Result<(), ServeError> {
        self.check_address(listener.local_addr()?)?;
        door::listen(listener, self.checked_service()?).await;
        Ok(())
    }

    /// Gives the tower service that speaks streamable HTTP, for a router of the host's own.
    ///
    /// # Errors
    /// A tool has no form in MCP, or neither [`authenticated`](Self::authenticated) nor
    /// [`unauthenticated`](Self::unauthenticated) is said.
    pub fn service(self) -> Result<McpService, ServeError> {
        if self.authenticate.is_none() && !self.is_open {
            return Err(ServeError::Unasked);
        }
        self.checked_service()
    }

    fn checked_service(self) -> Result<McpService, ServeError> {
        self.check()?;
        let entrance = self.entrance.clone();
        let asks = match &self.authenticate {
            Some(authenticate) => door::Asks::Token(Arc::clone(authenticate)),
            None => door::Asks::Nobody(Arc::new(self.caller.clone())),
        };
        Ok(McpService::new(self.handler(Asker::OfRequest), asks, &entrance))
    }

    /// Refuses an address that others can reach, where nobody asks who they are.
    fn check_address(&self, address: SocketAddr) -> Result<(), ServeError> {
        if self.authenticate.is_none() && !self.is_open && !address.ip().is_loopback() {
            return Err(ServeError::Open { address });
        }
        Ok(())
    }

    fn check(&self) -> Result<(), ToolConfigErrors> {
        self.live.now().check(&[&self.dialect])
    }

    fn handler(self, asker: Asker) -> Handler {
        let can = ServerCapabilities::builder().enable_tools().enable_tool_list_changed().build();
        let (name, version) = self.name;
        let mut info = ServerConfig::new(can).with_server_info(Implementation::new(name, version));
        info.instructions = self.instructions;
        let house = House {
            info,
            dialect: self.dialect,
            scoped: self.scoped,
            page: self.page,
            run_id: self.run_id,
            asks_users: self.asks_users,
            answer_within: self.answer_within,
            permits: Semaphore::new(self.at_once),
        };
        Handler::new(self.live, asker, Arc::new(house))
    }
}

/// Waits for the end of a session; a client that went before there was one is no error.
async fn session_over(
    session: Result<RunningService<rmcp::RoleServer, Handler>, ServerInitializeError>,
) -> Result<(), ServeError> {
    match session {
        Ok(session) => match session.waiting().await {
            Ok(_) => Ok(()),
            Err(error) => Err(std::io::Error::other(error).into()),
        },
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(ServeError::NoSession { why: error.to_string() }),
    }
}
