//! Gates 1 and 2: is there such a tool, for this caller, in this view.

use std::collections::BTreeSet;
use std::hint::black_box;
use std::sync::LazyLock;

use super::{Entries, Entry, House, Sight, taint};
use crate::call::{Outcome, Status, ToolCall};
use crate::caller::Caller;
use crate::error::{Abort, FatalToolError};
use crate::problem::escaped;
use crate::tool::{OnDenied, Tool};

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

/// What nobody holds, and a name asks for that no tool has: looking for such a one takes the time
/// that looking for a hidden tool takes.
static NOBODYS: LazyLock<[String; 1]> = LazyLock::new(|| ["nobody's".to_owned()]);

/// Whether a caller may see a tool through an allowlist: the one rule for listing and calling.
pub(crate) fn is_visible(entry: Option<&Entry>, allowed: &Allowed, caller: &Caller) -> bool {
    let is_listed = entry.is_some_and(|entry| entry.tool.policy.listed);
    let is_open = is_listed || missing_scope(entry, caller).is_none();
    is_open && entry.is_some_and(|entry| allowed.contains(&entry.tool.name))
}

#[inline]
fn missing_scope<'e>(entry: Option<&'e Entry>, caller: &Caller) -> Option<&'e str> {
    let scopes = entry.map_or(NOBODYS.as_slice(), |entry| entry.tool.policy.scopes.as_slice());
    // What nobody asks of, the compiler would leave out.
    let mut scopes = black_box(scopes).iter().map(String::as_str);
    scopes.find(|scope| !caller.granted().contains(scope))
}

/// Finds the tool of a call, where the caller may call it.
#[inline]
pub(super) fn find<'e>(
    entries: &'e Entries,
    house: &House,
    sight: Sight<'_>,
    call: &ToolCall,
) -> Option<&'e Entry> {
    let entry = allowed(entries, sight, call);
    let is_open = missing_scope(entry, sight.caller).is_none();
    entry.filter(|entry| is_open && !taint::strips(entry, house, sight.label))
}

#[inline]
fn allowed<'e>(entries: &'e Entries, sight: Sight<'_>, call: &ToolCall) -> Option<&'e Entry> {
    entries.named(call.name()).filter(|entry| sight.allowed.contains(&entry.tool.name))
}

/// Finds the tool of a call; what the model reads otherwise tells nothing of hidden tools.
pub(super) fn look_up<'e>(
    entries: &'e Entries,
    house: &House,
    sight: Sight<'_>,
    call: &ToolCall,
) -> Result<&'e Entry, Result<Outcome, Abort>> {
    let entry = allowed(entries, sight, call);
    let missing = missing_scope(entry, sight.caller);
    let Some(entry) = entry else { return Err(hidden(entries, house, sight, call, None)) };
    let why = match missing {
        Some(scope) => Why::Scope(scope),
        None if taint::strips(entry, house, sight.label) => Why::Taint,
        None => return Ok(entry),
    };
    Err(hidden(entries, house, sight, call, Some((entry, why))))
}

/// Why a tool of the allowlist is not for this caller.
#[derive(Clone, Copy)]
enum Why<'a> {
    Scope(&'a str),
    Taint,
}

/// The tools that the caller can call.
pub(crate) fn in_reach<'e>(entries: &'e Entries, house: &House, sight: Sight<'_>) -> Vec<&'e Tool> {
    let is_in_reach = |entry: &&Entry| {
        sight.allowed.contains(&entry.tool.name)
            && missing_scope(Some(entry), sight.caller).is_none()
            && !taint::strips(entry, house, sight.label)
    };
    entries.iter().filter(is_in_reach).map(|entry| &entry.tool).collect()
}

/// The end of a call of a tool that is not there, or is not for this caller.
#[cold]
fn hidden(
    entries: &Entries,
    house: &House,
    sight: Sight<'_>,
    call: &ToolCall,
    missing: Option<(&Entry, Why<'_>)>,
) -> Result<Outcome, Abort> {
    if let Some((entry, Why::Scope(scope))) = missing
        && entry.tool.policy.listed
        && !taint::strips(entry, house, sight.label)
    {
        return not_permitted(entry, scope);
    }
    let visible: Vec<&str> = entries
        .iter()
        .filter(|entry| is_visible(Some(entry), sight.allowed, sight.caller))
        .filter(|entry| !taint::strips(entry, house, sight.label))
        .map(|entry| entry.tool.name.as_str())
        .collect();
    // A note for either, so that the time of an answer tells no more than its words.
    let (status, host_note) = match missing {
        Some((_, Why::Scope(scope))) => (Status::Denied, lacks(scope)),
        Some((_, Why::Taint)) => (Status::Denied, TAINTED.to_owned()),
        None => (Status::UnknownTool, noted("the view has no tool", call.name())),
    };
    Ok(Outcome::unknown_tool(status, call.name(), &visible, house.limits.shown_chars, host_note))
}

/// What only the host reads of a call that its run may make no more.
const TAINTED: &str = "the run has read untrusted text";

/// What only the host reads of a call without a scope.
fn lacks(scope: &str) -> String {
    noted("missing scope", scope)
}

fn noted(why: &str, name: &str) -> String {
    [why, " `", &escaped(name, 80), "`"].concat()
}

/// The end of a call of a tool that the model may see and the caller may not call.
fn not_permitted(entry: &Entry, scope: &str) -> Result<Outcome, Abort> {
    let tool = &entry.tool;
    match tool.policy.on_denied {
        OnDenied::Outcome => Ok(Outcome::not_permitted(&tool.name, lacks(scope))),
        OnDenied::Fatal => {
            let error = FatalToolError::denied(lacks(scope));
            Err(Abort::Fatal { tool: tool.name.clone(), error, executed: false })
        }
    }
}
