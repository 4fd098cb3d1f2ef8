#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "redis")]
mod redis;
#[cfg(any(feature = "postgres", feature = "redis"))]
mod remote;
#[cfg(any(feature = "sqlite", feature = "postgres", feature = "redis"))]
mod seal;
#[cfg(feature = "sqlite")]
mod sqlite;

pub use toolkit_core::ledger::{
    ApprovalId, AttemptId, Desk, DeskError, Digest, Doubt, DoubtfulCall, Durability, Filter, Haste,
    HistoryLine, Ledger, LedgerError, Loaded, MemoryLedger, Misspelt, NoIntentId, ParkedCall,
    Person, Resolution, Row, RowKey, RowState, Settings, Swept, Timestamp, Vote, intent_id,
    printable,
};

#[cfg(feature = "postgres")]
pub use postgres::{PostgresBuilder, PostgresLedger};
#[cfg(feature = "redis")]
pub use redis::{RedisBuilder, RedisLedger};
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteLedger;
