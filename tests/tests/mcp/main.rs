//! A registry as an MCP server, and other servers' tools in a registry, from the other end.

mod approvals;
mod bad_input;
mod client;
mod crossing;
mod gateway;
mod http;
mod lines;
mod listing;
mod poison;
mod runs;
mod shop;
mod upstream;
