//! What a row says: one call, what became of it, and what people were shown of it.

use std::collections::BTreeSet;
use std::time::Duration;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::key::{ApprovalId, AttemptId, Bound, Digest};
use super::store::{LedgerError, Row, RowKey, RowState, Timestamp};
use crate::content::Content;
use crate::tool::OnUnknown;

/// The form of the documents that this version writes, and the newest that it reads.
const FORMAT: u64 = 1;

/// One call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// The form of the document.
    format: u64,
    /// Its row.
    pub key: RowKey,
    /// Whose tenant's it is; empty where there is none.
    pub tenant: String,
    /// Who asked for it.
    pub principal: String,
    /// The tool.
    pub tool: String,
    /// What the tool was.
    pub tool_revision: Digest,
    /// The digest of the arguments.
    pub fingerprint: Digest,
    /// The canonical arguments, the only ones that it may run with.
    pub arguments: String,
    /// Whether some of them are secret: they are not kept, and the fingerprint is a keyed one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keyed: bool,
    /// What becomes of it when nobody knows what came of an attempt.
    #[serde(serialize_with = "write_on_unknown", deserialize_with = "read_on_unknown")]
    pub on_unknown: OnUnknown,
    /// How long it is kept, and how often it is tried.
    pub rules: Rules,
    /// How many attempts there were; it never goes down.
    pub attempts: u32,
    /// How many of them ended in the dark since it was last known how it stands.
    pub unknown: u32,
    /// The attempt that gave it back, where one did.
    pub released: Option<AttemptId>,
    /// What it is in.
    pub state: State,
    /// What people decide on, where they were asked to.
    pub approval: Option<Approval>,
    /// Who agreed while the call waited, where somebody did.
    pub agreed: Option<Vote>,
    /// When it was first heard of.
    pub created_at: Timestamp,
    /// When it came into its state.
    pub changed_at: Timestamp,
}

/// How long a call is kept, and how often it is tried, as it was set when it was claimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    /// How long its outcome answers the same call.
    #[serde(with = "millis")]
    pub replay: Duration,
    /// How long after its lease an attempt may still take effect.
    #[serde(with = "millis")]
    pub settle: Duration,
    /// How long it is kept when nothing is open any more.
    #[serde(with = "millis")]
    pub retention: Duration,
    /// How many attempts may end in the dark before a person is asked.
    pub attempts: u32,
}

/// What a call is in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum State {
    /// It was claimed, and certainly nothing happened.
    Free,
    /// It waits for a person.
    Parked,
    /// Enough people agreed.
    Approved,
    /// A person refused it.
    Declined {
        /// Who.
        by: String,
        /// By which channel.
        channel: String,
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
    /// Somebody runs it.
    Running {
        /// The attempt.
        attempt: AttemptId,
        /// The worker.
        owner: String,
        /// Until when it is theirs.
        lease_until: Timestamp,
    },
    /// Nobody knows whether it took effect.
    InDoubt {
        /// The attempt.
        attempt: AttemptId,
        /// Since when.
        since: Timestamp,
        /// Why nobody knows.
        cause: String,
        /// Until when it was the worker's.
        lease_until: Timestamp,
    },
    /// It is over.
    Done {
        /// The attempt.
        attempt: AttemptId,
        /// What came of it.
        outcome: StoredOutcome,
        /// Until when that answers the same call.
        replay_until: Timestamp,
    },
}

impl State {
    /// What the row is indexed by.
    #[must_use]
    pub const fn row_state(&self) -> RowState {
        match self {
            Self::Free => RowState::Free,
            Self::Parked => RowState::Parked,
            Self::Approved => RowState::Approved,
            Self::Declined { .. } => RowState::Declined,
            Self::Expired => RowState::Expired,
            Self::Invalidated { .. } => RowState::Invalidated,
            Self::Denied { .. } => RowState::Denied,
            Self::Running { .. } => RowState::Running,
            Self::InDoubt { .. } => RowState::InDoubt,
            Self::Done { .. } => RowState::Done,
        }
    }
}

/// What came of a call, as the same call is answered with it.
///
/// Who gives it sees to its size.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoredOutcome {
    /// The status's name.
    pub status: String,
    /// What the model reads.
    pub text: String,
    /// Whether that is JSON.
    pub is_json: bool,
    /// The blocks of a result that is not text alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub content: Vec<Content>,
    /// What is told of it besides, where it is an error.
    pub error: Option<StoredError>,
}

/// What an error outcome tells besides its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoredError {
    /// The category's name.
    pub category: String,
    /// Whether the same call may succeed later.
    pub retryable: bool,
    /// What may help.
    pub hint: Option<String>,
}

/// What people were asked, and what they said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Approval {
    /// What they decide by.
    pub id: ApprovalId,
    /// What they read.
    pub rendered: String,
    /// What they agree to, in one digest.
    pub binding: Digest,
    /// How many must agree.
    pub quorum: u32,
    /// Whether who asked may not be one of them.
    pub four_eyes: bool,
    /// What the tool told of the call.
    pub preview: Option<String>,
    /// Whether it runs only while the tool tells the same.
    pub preview_must_match: bool,
    /// What the caller could do when it was parked.
    pub scopes: Vec<String>,
    /// Whether its run had read untrusted text; who resumes it goes on from there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tainted: bool,
    /// When they were asked.
    pub asked_at: Timestamp,
    /// From when on it is too late.
    pub expires_at: Timestamp,
    /// Who agreed.
    pub votes: Vec<Vote>,
}

impl Approval {
    /// Whether enough people agreed.
    #[must_use]
    pub fn is_carried(&self) -> bool {
        self.votes.len() >= self.quorum as usize
    }
}

/// One person who agreed.
///
/// ```
/// use toolkit::ledger::{Digest, Timestamp, Vote};
///
/// let (by, channel) = ("kim".to_owned(), "web".to_owned());
/// let vote = Vote { by, channel, binding: Digest([0; 32]), at: Timestamp(7) };
/// assert_eq!(vote.by, "kim");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vote {
    /// Who.
    pub by: String,
    /// By which channel.
    pub channel: String,
    /// To what.
    pub binding: Digest,
    /// When.
    pub at: Timestamp,
}

impl Record {
    /// A call that nobody has heard of before.
    #[must_use]
    pub fn new(call: Proposal, rules: Rules, state: State, now: Timestamp) -> Self {
        Self {
            format: FORMAT,
            key: call.key,
            tenant: call.tenant,
            principal: call.principal,
            tool: call.tool,
            tool_revision: call.revision,
            fingerprint: call.fingerprint,
            arguments: call.arguments,
            keyed: call.keyed,
            on_unknown: call.on_unknown,
            rules,
            attempts: 0,
            unknown: 0,
            released: None,
            state,
            approval: None,
            agreed: None,
            created_at: now,
            changed_at: now,
        }
    }

    /// From when on it may be removed; never while something is open.
    #[must_use]
    pub fn expires_at(&self) -> Option<Timestamp> {
        match &self.state {
            State::Parked | State::Approved | State::Running { .. } | State::InDoubt { .. } => None,
            State::Done { replay_until, .. } => Some(replay_until.plus(self.rules.retention)),
            State::Free
            | State::Declined { .. }
            | State::Expired
            | State::Invalidated { .. }
            | State::Denied { .. } => Some(self.changed_at.plus(self.rules.retention)),
        }
    }

    /// The digest of what the people of an approval agree to.
    #[must_use]
    pub fn binding_of(&self, id: ApprovalId, rendered: &str, expires_at: Timestamp) -> Digest {
        let bound = Bound {
            approval_id: &id.to_string(),
            tenant: &self.tenant,
            requester: &self.principal,
            tool: &self.tool,
            tool_revision: &self.tool_revision,
            fingerprint: &self.fingerprint,
            rendered,
            expires_at,
        };
        bound.binding()
    }

    /// The row of that version.
    ///
    /// # Errors
    /// The document can not be written, which no record gives cause to.
    pub fn row(&self, version: u64) -> Result<Row, LedgerError> {
        Ok(Row {
            key: self.key,
            version,
            state: self.state.row_state(),
            tenant: self.tenant.clone(),
            principal: self.principal.clone(),
            tool: self.tool.clone(),
            approval_id: self.approval.as_ref().map(|approval| approval.id.to_string()),
            created_at: self.created_at,
            expires_at: self.expires_at(),
            document: serde_json::to_string(self).map_err(LedgerError::corrupt)?,
        })
    }

    /// Reads a row, and looks whether it could have been written.
    ///
    /// # Errors
    /// A newer version wrote it, or nobody did: it names the row and what is wrong.
    pub fn read(row: &Row) -> Result<Self, LedgerError> {
        let of_row = |what: String| format!("row {}: {what}", row.key);
        let corrupt = |what: String| LedgerError::Corrupt(of_row(what));
        let Head { format } = serde_json::from_str(&row.document)
            .map_err(|error| corrupt(format!("its document can not be read: {error}")))?;
        if format > FORMAT {
            let what = format!("its document has form {format}, this version reads {FORMAT}");
            return Err(LedgerError::Newer(of_row(what)));
        }
        if format != FORMAT {
            return Err(corrupt(format!("there is no form {format} of documents")));
        }
        let record: Self = serde_json::from_str(&row.document)
            .map_err(|error| corrupt(format!("its document can not be read: {error}")))?;
        match record.differing(row).or_else(|| record.incoherent()) {
            None => Ok(record),
            Some(what) => Err(corrupt(what)),
        }
    }

    /// Which column says something else than the document does.
    fn differing(&self, row: &Row) -> Option<String> {
        let Row { key, version: _, state, tenant, principal, tool, .. } = row;
        let approval_id = self.approval.as_ref().map(|approval| approval.id.to_string());
        let columns = [
            ("key", self.key == *key),
            ("state", self.state.row_state() == *state),
            ("tenant", self.tenant == *tenant),
            ("principal", self.principal == *principal),
            ("tool", self.tool == *tool),
            ("approval id", approval_id == row.approval_id),
            ("time of creation", self.created_at == row.created_at),
            ("end", self.expires_at() == row.expires_at),
        ];
        let (name, _) = columns.into_iter().find(|(_, same)| !same)?;
        Some(format!("its {name} is not the one that its document tells"))
    }

    /// What no course of events leads to.
    fn incoherent(&self) -> Option<String> {
        if self.keyed && self.approval.is_some() {
            return Some("it waits for people without its secrets".to_owned());
        }
        if !self.keyed && Digest::of_arguments(&self.arguments) != self.fingerprint {
            return Some("its arguments are not those of its fingerprint".to_owned());
        }
        let needs_approval = matches!(
            self.state,
            State::Parked
                | State::Approved
                | State::Declined { .. }
                | State::Expired
                | State::Invalidated { .. }
                | State::Denied { .. }
        );
        let ran = match &self.state {
            State::Running { .. } | State::InDoubt { .. } | State::Done { .. } => true,
            _ => self.released.is_some(),
        };
        if ran && self.attempts == 0 {
            return Some("it ran without an attempt".to_owned());
        }
        match &self.approval {
            Some(approval) => self.unsound(approval),
            None if needs_approval => {
                Some(format!("it is {} and nobody was asked", self.state.row_state()))
            }
            None => None,
        }
    }

    /// What is wrong with an approval.
    fn unsound(&self, approval: &Approval) -> Option<String> {
        let Approval { id, rendered, binding, expires_at, votes, .. } = approval;
        if self.binding_of(*id, rendered, *expires_at) != *binding {
            return Some("its binding is not that of what people were shown".to_owned());
        }
        if approval.quorum == 0 {
            return Some("nobody has to agree to it".to_owned());
        }
        if votes.iter().any(|vote| vote.binding != *binding) {
            return Some("a person agreed to something else".to_owned());
        }
        if approval.four_eyes && votes.iter().any(|vote| vote.by == self.principal) {
            return Some("who asked for it agreed to it".to_owned());
        }
        let people: BTreeSet<_> = votes.iter().map(|vote| &vote.by).collect();
        if people.len() != votes.len() {
            return Some("a person agreed twice".to_owned());
        }
        let carried = match self.state {
            State::Parked => Some(false),
            State::Approved
            | State::Running { .. }
            | State::InDoubt { .. }
            | State::Done { .. } => Some(true),
            _ => None,
        };
        (carried.is_some_and(|carried| carried != approval.is_carried())).then(|| {
            let (votes, quorum) = (votes.len(), approval.quorum);
            format!("it is {} with {votes} of {quorum} who agreed", self.state.row_state())
        })
    }
}

/// A call as a gate proposes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// Its row.
    pub key: RowKey,
    /// The digest of the arguments.
    pub fingerprint: Digest,
    /// Whose tenant's it is; empty where there is none.
    pub tenant: String,
    /// Who asks for it.
    pub principal: String,
    /// The tool.
    pub tool: String,
    /// What the tool is.
    pub revision: Digest,
    /// What becomes of it when nobody knows what came of an attempt.
    pub on_unknown: OnUnknown,
    /// The canonical arguments.
    pub arguments: String,
    /// Whether some of them are secret, and stand as that in these.
    pub keyed: bool,
    /// How long it is a worker's.
    pub lease: Duration,
}

/// What is read first, whatever else a newer version may write.
#[derive(Deserialize)]
struct Head {
    format: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn write_on_unknown<S: Serializer>(word: &OnUnknown, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(word.as_str())
}

fn read_on_unknown<'de, D: Deserializer<'de>>(from: D) -> Result<OnUnknown, D::Error> {
    let text = String::deserialize(from)?;
    let words = [OnUnknown::InDoubt, OnUnknown::Rerun, OnUnknown::RerunWithKey, OnUnknown::Verify];
    let word = words.into_iter().find(|word| word.as_str() == text);
    word.ok_or_else(|| D::Error::custom(format!("there is no {text:?} for an unknown outcome")))
}

mod millis {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        u64::deserialize(from).map(Duration::from_millis)
    }
}
