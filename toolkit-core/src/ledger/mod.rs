//! Effectful calls, each a row that says what came of it.

mod book;
mod desk;
mod event;
mod key;
mod memory;
mod person;
mod prompt;
mod record;
mod reply;
mod settings;
mod shelf;
mod step;
mod store;

pub use crate::problem::printable;
pub use desk::{Desk, DeskError, DoubtfulCall, ParkedCall};
pub use event::{Haste, Resolution};
pub use key::{ApprovalId, AttemptId, Digest, Doubt, NoIntentId, intent_id};
pub use memory::MemoryLedger;
pub use person::Person;
pub use record::Vote;
pub use settings::Settings;
pub use shelf::Swept;
pub use store::{
    Durability, Filter, HistoryLine, Ledger, LedgerError, Loaded, Misspelt, Row, RowKey, RowState,
    Timestamp,
};

/// What gates and tests use; nobody else may.
#[doc(hidden)]
pub mod inside {
    pub use crate::ledger::book::{Book, Claim, Parked, Resumed, Settled, Verdict};
    pub use crate::ledger::event::{
        Agreed, Decision, Ended, Event, Haste, Resolution, Terms, Today,
    };
    pub use crate::ledger::key::{Bound, key_of_run, row_key, tool_revision};
    pub use crate::ledger::prompt::Prompt;
    pub use crate::ledger::record::{
        Approval, Proposal, Record, Rules, State, StoredError, StoredOutcome, Vote,
    };
    pub use crate::ledger::reply::{Attempt, Known, Refusal, Reply};
    pub use crate::ledger::shelf::{Came, Shelf};
    pub use crate::ledger::step::{Line, Step, step};
}
