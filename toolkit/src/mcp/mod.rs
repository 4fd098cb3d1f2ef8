//! A registry as an MCP server, and other servers' tools in a registry.

mod lines;
mod server;
mod wire;

pub use server::{Live, McpService, ServeError, Server, serve};
