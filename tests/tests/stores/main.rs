//! The stores of the ledger, and the kit that they pass.

mod folder;
mod histories;
mod kit;
mod memory;
mod postgres;
#[cfg(unix)]
mod processes;
mod redis;
mod rows;
mod servers;
mod sqlite;
