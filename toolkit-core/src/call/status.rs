//! How a call ended.

use std::fmt;

/// How a call ended.
///
/// ```
/// use toolkit::Status;
///
/// assert_eq!(Status::UnknownTool.to_string(), "unknown_tool");
/// assert!(Status::UnknownTool.is_error());
/// assert!(!Status::Ok.is_error());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Status {
    /// The function ran and returned a value.
    Ok,
    /// This very call ran before; its first outcome is given again, and nothing ran.
    Duplicate,
    /// A rehearsal: every check was passed, and nothing ran.
    DryRun,
    /// No tool of that name, or none in the allowlist.
    UnknownTool,
    /// The caller lacks a scope; to the model it reads as [`Status::UnknownTool`].
    Denied,
    /// The arguments were not accepted; nothing ran.
    Invalid,
    /// The call's key was used before with other arguments; nothing ran.
    Conflict,
    /// This very call is running already; nothing was started again.
    InProgress,
    /// It is not known whether the call took effect; it is never run again by itself.
    InDoubt,
    /// Something else must be called before it in the same run; nothing ran.
    Prerequisite,
    /// A business rule refused the call, or the tool changed since it was parked; nothing ran.
    Rejected,
    /// The call waits for a person; nothing ran yet.
    AwaitingApproval,
    /// A person refused the call; nothing ran.
    Declined,
    /// Nobody decided in time; nothing ran.
    Expired,
    /// The function, or a gate before it, failed.
    Failed,
    /// The ledger can not be reached, or a limit is used up; nothing ran.
    Unavailable,
    /// The call's turn ended before it was reached; nothing ran.
    NotRun,
}

impl Status {
    /// Every status there is.
    pub(crate) const ALL: [Self; 17] = [
        Self::Ok,
        Self::Duplicate,
        Self::DryRun,
        Self::UnknownTool,
        Self::Denied,
        Self::Invalid,
        Self::Conflict,
        Self::InProgress,
        Self::InDoubt,
        Self::Prerequisite,
        Self::Rejected,
        Self::AwaitingApproval,
        Self::Declined,
        Self::Expired,
        Self::Failed,
        Self::Unavailable,
        Self::NotRun,
    ];

    /// The status of that name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == name)
    }

    /// The status's name, as logs and transcripts show it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Duplicate => "duplicate",
            Self::DryRun => "dry_run",
            Self::UnknownTool => "unknown_tool",
            Self::Denied => "denied",
            Self::Invalid => "invalid",
            Self::Conflict => "conflict",
            Self::InProgress => "in_progress",
            Self::InDoubt => "in_doubt",
            Self::Prerequisite => "prerequisite",
            Self::Rejected => "rejected",
            Self::AwaitingApproval => "awaiting_approval",
            Self::Declined => "declined",
            Self::Expired => "expired",
            Self::Failed => "failed",
            Self::Unavailable => "unavailable",
            Self::NotRun => "not_run",
        }
    }

    /// Whether the model's provider is told that the result is an error.
    ///
    /// A duplicate is one where its first outcome was: [`Outcome::is_error`](crate::Outcome::is_error).
    #[must_use]
    pub const fn is_error(self) -> bool {
        match self {
            Self::Ok | Self::Duplicate | Self::DryRun => false,
            Self::UnknownTool
            | Self::Denied
            | Self::Invalid
            | Self::Conflict
            | Self::InProgress
            | Self::InDoubt
            | Self::Prerequisite
            | Self::Rejected
            | Self::AwaitingApproval
            | Self::Declined
            | Self::Expired
            | Self::Failed
            | Self::Unavailable
            | Self::NotRun => true,
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
