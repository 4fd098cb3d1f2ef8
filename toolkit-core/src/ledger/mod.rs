//! Effectful calls, each a row that says what came of it.

mod store;

pub use store::{
    Durability, Filter, HistoryLine, Ledger, LedgerError, Loaded, Row, RowKey, RowState, Timestamp,
};
