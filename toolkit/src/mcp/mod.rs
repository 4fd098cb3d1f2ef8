//! A registry as an MCP server, and other servers' tools in a registry.

mod import;
mod lines;
mod server;
mod wire;

pub use import::{Import, ImportError, Imported, LeftOut, Pins};
pub use server::{Live, McpService, ServeError, Server, serve};
