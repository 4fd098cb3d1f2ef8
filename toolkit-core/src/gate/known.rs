//! Gates 1 and 2: is there such a tool, for this caller, in this view.

use std::collections::BTreeSet;

use super::{Entry, Viewer};
use crate::call::{Outcome, ToolCall};
use crate::caller::Caller;
use crate::limits::Limits;

/// The allowlist of a view.
#[derive(Debug, Clone)]
pub(crate) enum Allowed {
    /// Every tool of the registry.
    All,
    /// Only these.
    Only(BTreeSet<String>),
}

impl Allowed {
    fn contains(&self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::Only(names) => names.contains(name),
        }
    }

    /// Takes away what is not among the names; nothing is ever added.
    pub(crate) fn keep_only(&mut self, names: BTreeSet<String>) {
        match self {
            Self::All => *self = Self::Only(names),
            Self::Only(allowed) => allowed.retain(|name| names.contains(name)),
        }
    }
}

/// Whether a caller may see a tool through an allowlist: the one rule for listing and calling.
pub(crate) fn is_visible(entry: &Entry, allowed: &Allowed, caller: &Caller) -> bool {
    allowed.contains(&entry.tool.name) && missing_scope(entry, caller).is_none()
}

fn missing_scope<'e>(entry: &'e Entry, caller: &Caller) -> Option<&'e str> {
    entry
        .tool
        .policy
        .scopes
        .iter()
        .map(String::as_str)
        .find(|scope| !caller.granted().contains(scope))
}

/// Finds the tool of a call; what the model reads otherwise tells nothing of hidden tools.
pub(super) fn look_up<'e>(
    entries: &'e [Entry],
    viewer: &Viewer<'_>,
    call: &ToolCall,
    limits: &Limits,
) -> Result<&'e Entry, Outcome> {
    let found = entries.iter().find(|entry| entry.tool.name == call.name());
    if let Some(entry) = found
        && is_visible(entry, viewer.allowed, viewer.caller)
    {
        return Ok(entry);
    }
    let visible: Vec<&str> = entries
        .iter()
        .filter(|entry| is_visible(entry, viewer.allowed, viewer.caller))
        .map(|entry| entry.tool.name.as_str())
        .collect();
    let unknown = Outcome::unknown_tool(call.name(), &visible, limits.shown_chars);
    let missing = found
        .filter(|entry| viewer.allowed.contains(&entry.tool.name))
        .and_then(|entry| missing_scope(entry, viewer.caller));
    Err(match missing {
        Some(scope) => Outcome::denied(unknown, scope),
        None => unknown,
    })
}
