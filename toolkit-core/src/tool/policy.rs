//! What the gates of one tool go by.

use std::borrow::Cow;
use std::time::Duration;

use super::{Effect, OnUnknown};

/// What a tool says of itself to the gates; the attribute or [`DynamicTool`](super::DynamicTool)
/// fills it in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// What the tool does to the world; `None` where it does not say.
    pub effect: Option<Effect>,
    /// The scopes that the caller must hold.
    pub scopes: Vec<String>,
    /// Whether a caller without the scopes sees the tool all the same.
    pub listed: bool,
    /// What becomes of a call without the scopes.
    pub on_denied: OnDenied,
    /// What becomes of a call of which nobody knows whether it took effect.
    pub on_unknown: OnUnknown,
    /// Whether the calls are kept in a ledger.
    pub ledger: LedgerUse,
    /// The parameters, by their names in the schema, that make two calls one; empty where it
    /// does not say.
    pub idempotency: Vec<String>,
    /// How a person agrees; `None` where the tool says nothing of it.
    pub approval: Option<ApprovalPolicy>,
    /// Whether the tool tells what a call would do.
    pub has_preview: bool,
    /// Whether an approved call runs only while it is told as it was when a person agreed.
    pub preview_must_match: bool,
}

impl Policy {
    /// A tool that says nothing.
    pub const DEFAULT: Self = Self {
        effect: None,
        scopes: Vec::new(),
        listed: false,
        on_denied: OnDenied::Outcome,
        on_unknown: OnUnknown::InDoubt,
        ledger: LedgerUse::Needed,
        idempotency: Vec::new(),
        approval: None,
        has_preview: false,
        preview_must_match: false,
    };

    /// Whether a call may change something; one that does not say its effect is a read.
    #[must_use]
    pub const fn is_effectful(&self) -> bool {
        matches!(self.effect, Some(Effect::Write | Effect::Irreversible))
    }

    /// Whether a person must agree to every call.
    #[must_use]
    pub const fn always_asks(&self) -> bool {
        matches!(self.effect, Some(Effect::Irreversible))
    }

    /// Whether a call can need a person at all.
    #[must_use]
    pub const fn may_ask(&self) -> bool {
        self.always_asks() || self.approval.is_some()
    }

    /// How a person agrees, where one is asked.
    #[must_use]
    pub fn agreement(&self) -> ApprovalPolicy {
        self.approval.unwrap_or_default()
    }
}

impl Default for Policy {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// What becomes of a call whose caller lacks a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnDenied {
    /// The model reads that there is no such tool.
    #[default]
    Outcome,
    /// The run ends.
    Fatal,
}

/// Whether the calls of a tool are kept in a ledger.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum LedgerUse {
    /// They are, where the tool may change something.
    #[default]
    Needed,
    /// They are not.
    None {
        /// Why that is right.
        why: Cow<'static, str>,
    },
}

/// How a person agrees to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ApprovalPolicy {
    /// How many persons must agree.
    pub quorum: u32,
    /// Whether none of them may be the one whom the agent acts for.
    pub four_eyes: bool,
    /// How long a call waits for them; `None` where the ledger says.
    pub time_to_live: Option<Duration>,
}

impl ApprovalPolicy {
    /// One person, whoever it is, within the ledger's time.
    pub const DEFAULT: Self = Self { quorum: 1, four_eyes: false, time_to_live: None };
}

impl Default for ApprovalPolicy {
    fn default() -> Self {
        Self::DEFAULT
    }
}
