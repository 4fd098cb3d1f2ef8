//! What can happen to a call.

use std::time::Duration;

use super::key::{ApprovalId, AttemptId, Digest, Doubt};
use super::person::Person;
use super::record::{Approval, Proposal, Rules, StoredOutcome, Vote};
use super::store::Timestamp;
use crate::tool::Verified;

/// What can happen to a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A gate asks what is known of a call.
    Look(Proposal),
    /// A worker wants to run it.
    Claim {
        /// The call.
        call: Proposal,
        /// How long it is kept.
        rules: Rules,
        /// The attempt.
        attempt: AttemptId,
        /// The worker.
        owner: String,
        /// Who agreed while it waited, where somebody was asked.
        agreed: Option<Agreed>,
    },
    /// A gate leaves it to people.
    Park {
        /// The call.
        call: Proposal,
        /// How long it is kept.
        rules: Rules,
        /// What they decide by.
        id: ApprovalId,
        /// What they are asked.
        terms: Terms,
    },
    /// A worker wants to run what people agreed to.
    Resume {
        /// By which id.
        of: ApprovalId,
        /// The attempt.
        attempt: AttemptId,
        /// The worker.
        owner: String,
        /// How long it is the worker's.
        lease: Duration,
        /// What the gates say of it now.
        today: Today,
        /// What people decide by where they are asked once more.
        id: ApprovalId,
    },
    /// A worker says how its attempt ended.
    Settle {
        /// The attempt.
        attempt: AttemptId,
        /// How.
        ended: Ended,
    },
    /// A worker is still at it.
    Heartbeat {
        /// The attempt.
        attempt: AttemptId,
        /// How much longer it is the worker's.
        lease: Duration,
    },
    /// The tool looked whether an attempt took effect.
    Verified {
        /// The attempt.
        attempt: AttemptId,
        /// When it began to look.
        looked_at: Timestamp,
        /// What it saw.
        verdict: Verified<StoredOutcome>,
    },
    /// A person decides on what waits.
    Decide {
        /// By which id.
        of: ApprovalId,
        /// Who.
        person: Person,
        /// What.
        decision: Decision,
    },
    /// A person who may not decide tried to.
    Turned {
        /// By which id.
        of: ApprovalId,
        /// Who.
        person: Person,
        /// Why not.
        why: String,
    },
    /// A person says what became of a call in doubt.
    Resolve {
        /// Who.
        person: Person,
        /// The attempt, and when they saw it.
        doubt: Doubt,
        /// What.
        resolution: Resolution,
        /// Whether they wait until nothing can happen any more.
        haste: Haste,
        /// How they know.
        reason: String,
    },
    /// The tool is gone, or does not take the arguments any more.
    Invalidate {
        /// By which id.
        of: ApprovalId,
        /// How that is.
        why: String,
    },
    /// The caller may not do it any more.
    Deny {
        /// By which id.
        of: ApprovalId,
        /// Why.
        why: String,
    },
    /// A gate asks people once more.
    Repark {
        /// By which id.
        of: ApprovalId,
        /// What they decide by.
        id: ApprovalId,
        /// What they are asked.
        terms: Terms,
        /// Why.
        why: String,
    },
    /// Somebody tidies.
    Sweep,
}

impl Event {
    /// What it is called in the host's log.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Look(_) => "look",
            Self::Claim { .. } => "claim",
            Self::Park { .. } => "park",
            Self::Resume { .. } => "resume",
            Self::Settle { ended: Ended::Complete(_), .. } => "complete",
            Self::Settle { ended: Ended::Final(_), .. } => "fail for good",
            Self::Settle { ended: Ended::Clean(_), .. } => "fail without effect",
            Self::Settle { ended: Ended::Ambiguous(_), .. } => "fail in the dark",
            Self::Heartbeat { .. } => "heartbeat",
            Self::Verified { .. } => "verified",
            Self::Decide { decision: Decision::Approve { .. }, .. } => "approve",
            Self::Decide { .. } => "decline",
            Self::Turned { .. } => "turn away",
            Self::Resolve { .. } => "resolve",
            Self::Invalidate { .. } => "invalidate",
            Self::Deny { .. } => "deny",
            Self::Repark { .. } => "ask anew",
            Self::Sweep => "sweep",
        }
    }

    /// The approval that it is about; a row that has another one is not meant.
    pub(super) const fn of(&self) -> Option<ApprovalId> {
        match self {
            Self::Resume { of, .. }
            | Self::Decide { of, .. }
            | Self::Turned { of, .. }
            | Self::Invalidate { of, .. }
            | Self::Deny { of, .. }
            | Self::Repark { of, .. } => Some(*of),
            Self::Look(_)
            | Self::Claim { .. }
            | Self::Park { .. }
            | Self::Settle { .. }
            | Self::Heartbeat { .. }
            | Self::Verified { .. }
            | Self::Resolve { .. }
            | Self::Sweep => None,
        }
    }

    /// The approval that it puts in the place of that one.
    pub(super) const fn anew(&self) -> Option<ApprovalId> {
        match self {
            Self::Resume { id, .. } | Self::Repark { id, .. } => Some(*id),
            _ => None,
        }
    }
}

/// What people are asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terms {
    /// What they read.
    pub rendered: String,
    /// How many must agree.
    pub quorum: u32,
    /// Whether who asked may not be one of them.
    pub four_eyes: bool,
    /// How long they have.
    pub time_to_live: Duration,
    /// What the tool tells of the call.
    pub preview: Option<String>,
    /// Whether it runs only while the tool tells the same.
    pub preview_must_match: bool,
    /// What the caller can do.
    pub scopes: Vec<String>,
    /// Whether they are asked because the run has read untrusted text.
    pub tainted: bool,
}

/// What the gates say of a frozen call when it is resumed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Today {
    /// What the tool is.
    pub revision: Digest,
    /// What people would be asked.
    pub terms: Terms,
}

impl Today {
    /// Why people must be asked once more, where they must.
    pub(super) fn asks_anew(&self, approval: &Approval) -> Option<&'static str> {
        let Terms { quorum, four_eyes, preview, preview_must_match, .. } = &self.terms;
        if *quorum > approval.quorum {
            Some("more people must agree now")
        } else if *four_eyes && !approval.four_eyes {
            Some("who asked may not agree any more")
        } else if (*preview_must_match || approval.preview_must_match)
            && *preview != approval.preview
        {
            Some("the call would not do any more what was shown")
        } else {
            None
        }
    }
}

/// Who agreed in line, while the call waited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agreed {
    /// Who.
    pub by: String,
    /// By which channel.
    pub channel: String,
    /// To what.
    pub binding: Digest,
}

impl Agreed {
    pub(super) fn vote(&self, at: Timestamp) -> Vote {
        let Self { by, channel, binding } = self.clone();
        Vote { by, channel, binding, at }
    }
}

/// How an attempt ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// The tool returned.
    Complete(StoredOutcome),
    /// It failed, and nothing happened.
    Clean(StoredOutcome),
    /// It failed by its own decision, which is what the same call is answered with.
    Final(StoredOutcome),
    /// Nobody knows, for the reason named.
    Ambiguous(String),
}

/// What a person decides on a parked call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// It may run.
    Approve {
        /// The binding of what they saw.
        seen: Digest,
    },
    /// It may not, or not any more.
    Decline {
        /// Why.
        reason: Option<String>,
    },
}

/// What a person found out of a call in doubt.
///
/// ```
/// use toolkit::ledger::Resolution;
///
/// assert_eq!(Resolution::Applied("refund R-7".to_owned()).as_str(), "applied");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolution {
    /// It took effect; the same call is answered with this text.
    Applied(String),
    /// It did not, and the same call may run.
    NotApplied,
    /// It runs again, whether it took effect or not.
    RunAgain,
}

impl Resolution {
    /// The resolution's name, as histories show it.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Applied(_) => "applied",
            Self::NotApplied => "not applied",
            Self::RunAgain => "run again",
        }
    }
}

/// Whether a person waits until an attempt can not take effect any more.
///
/// ```
/// use toolkit::ledger::Haste;
///
/// assert_eq!(Haste::default(), Haste::Settled);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Haste {
    /// They do.
    #[default]
    Settled,
    /// They know that the worker is dead, and answer for it; the history says so.
    Forced,
}
