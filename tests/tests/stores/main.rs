//! The stores of the ledger, and the kit that they pass.

mod kit;
mod memory;
mod postgres;
mod redis;
mod rows;
mod servers;
mod sqlite;
