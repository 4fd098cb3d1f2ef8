//! What is told of an event.

use std::time::Duration;

use super::key::{ApprovalId, AttemptId};
use super::record::StoredOutcome;
use super::store::{RowKey, RowState, Timestamp};
use crate::tool::OnUnknown;

/// What is told of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// Nothing stands in the way of the call.
    Fresh,
    /// The worker runs it.
    Claimed(Attempt),
    /// The call is answered without being run.
    Known(Known),
    /// How it ended is written, and it is in this state now.
    Settled(RowState),
    /// The attempt had lost the call; this is what the call came to, where it did.
    Stale(Option<StoredOutcome>),
    /// It is the worker's until then.
    Extended(Timestamp),
    /// It is not the worker's any more.
    Lost,
    /// A person's word counts.
    Agreed {
        /// Whether enough people agreed by now.
        carried: bool,
    },
    /// A person's refusal counts.
    Declined,
    /// A person's word does not count.
    Refused(Refusal),
    /// What ran out was tidied, and it is in this state now.
    Swept(RowState),
    /// It may be removed.
    Removable,
    /// There is nothing to do.
    Unchanged,
    /// There is no such call, or none that it is told to.
    NoRow,
}

/// One try to run a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attempt {
    /// Its id.
    pub id: AttemptId,
    /// The how many-th it is.
    pub number: u32,
    /// Until when it is the worker's.
    pub lease_until: Timestamp,
    /// The row, whose name is the key that the target is given: the same on every attempt.
    pub key: RowKey,
}

/// What a call is answered with instead of being run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Known {
    /// The key was used with other arguments.
    Conflict,
    /// Somebody runs it.
    InProgress {
        /// The attempt.
        attempt: AttemptId,
        /// When it is worth to ask again.
        retry_after: Duration,
    },
    /// Nobody knows whether it took effect.
    InDoubt {
        /// The attempt.
        attempt: AttemptId,
        /// Since when.
        since: Timestamp,
        /// Why nobody knows.
        cause: String,
        /// From when on it can not take effect any more.
        settles_at: Timestamp,
        /// When this was told.
        seen_at: Timestamp,
        /// Whether the tool can look.
        on_unknown: OnUnknown,
    },
    /// It is over.
    Done(StoredOutcome),
    /// It waits for people, or for who runs it.
    Awaiting {
        /// What they decide by.
        approval_id: ApprovalId,
        /// From when on it is too late.
        expires_at: Timestamp,
        /// Whether enough people agreed.
        carried: bool,
    },
    /// A person refused it.
    Declined {
        /// Who.
        by: String,
        /// Why, where they said so.
        reason: Option<String>,
    },
    /// Nobody decided, or nobody ran it, in time.
    Expired,
    /// The tool changed.
    Invalidated {
        /// How.
        why: String,
    },
    /// The caller may not do it any more.
    Denied {
        /// Why.
        why: String,
    },
}

/// Why a person's word does not count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// They saw something else than what would run.
    StaleView,
    /// They saw another attempt in doubt.
    OtherAttempt,
    /// It was decided before.
    AlreadyDecided {
        /// What it is in.
        state: RowState,
        /// By whom.
        by: Vec<String>,
    },
    /// Nothing is to be decided any more.
    TooLate {
        /// What it is in.
        state: RowState,
    },
    /// Who asked for a call can not agree to it.
    FourEyes,
    /// They lack the scope.
    NotAllowed,
    /// When it was looked at, the attempt could still take effect.
    NotSettled {
        /// From when on it can not.
        from: Timestamp,
    },
    /// Nobody doubts it.
    NotInDoubt {
        /// What it is in.
        state: RowState,
    },
}
