//! Effectful calls, each a row that says what came of it.

mod book;
mod desk;
mod event;
mod key;
mod memory;
mod person;
mod record;
mod reply;
mod shelf;
mod step;
mod store;

pub use desk::{Desk, DeskError, DoubtfulCall, ParkedCall};
pub use event::{Haste, Resolution};
pub use key::{ApprovalId, AttemptId, Digest, NoIntentId, intent_id};
pub use memory::MemoryLedger;
pub use person::Person;
pub use record::Vote;
pub use shelf::Swept;
pub use store::{
    Durability, Filter, HistoryLine, Ledger, LedgerError, Loaded, Row, RowKey, RowState, Timestamp,
};

/// What gates and tests use; nobody else may.
#[doc(hidden)]
pub mod inside {
    pub use super::book::{Book, Claim, Parked, Resumed, Settings, Settled, Verdict};
    pub use super::event::{Agreed, Decision, Ended, Event, Haste, Resolution, Terms, Today};
    pub use super::key::{Bound, key_of_run, row_key, tool_revision};
    pub use super::record::{
        Approval, Proposal, Record, Rules, State, StoredError, StoredOutcome, Vote,
    };
    pub use super::reply::{Attempt, Known, Refusal, Reply};
    pub use super::shelf::{Came, Shelf};
    pub use super::step::{Line, Step, step};
}
