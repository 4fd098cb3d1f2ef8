//! Gates 1 and 2: is there such a tool, for this caller, in this view.

use std::collections::BTreeSet;

use super::{Entries, Entry, House, Sight, taint, time};
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

/// Whether the model sees a tool in a view: the one rule for what is listed and what is named.
pub(crate) fn is_seen(entry: &Entry, house: &House, sight: Sight<'_>) -> bool {
    let is_open = || entry.tool.policy.listed || missing_scope(entry, sight.caller).is_none();
    is_kept(entry, house, sight) && is_open()
}

/// Whether a tool can be called in a view.
#[inline]
fn is_in_reach(entry: &Entry, house: &House, sight: Sight<'_>) -> bool {
    is_kept(entry, house, sight) && missing_scope(entry, sight.caller).is_none()
}

/// Whether neither the allowlist nor what the run has read takes a tool away.
#[inline]
fn is_kept(entry: &Entry, house: &House, sight: Sight<'_>) -> bool {
    sight.allowed.contains(&entry.tool.name) && !taint::strips(entry, house, sight.label)
}

#[inline]
fn missing_scope<'e>(entry: &'e Entry, caller: &Caller) -> Option<&'e str> {
    let scopes = entry.tool.policy.scopes.iter().map(String::as_str);
    scopes.into_iter().find(|scope| !caller.granted().contains(scope))
}

/// Finds the tool of a call, where the caller may call it.
#[inline]
pub(super) fn find<'e>(
    entries: &'e Entries,
    house: &House,
    sight: Sight<'_>,
    call: &ToolCall,
) -> Option<&'e Entry> {
    entries.named(call.name()).filter(|entry| is_in_reach(entry, house, sight))
}

/// Finds the tool of a call; what the model reads otherwise tells nothing of hidden tools.
pub(super) fn look_up<'e>(
    entries: &'e Entries,
    house: &House,
    sight: Sight<'_>,
    call: &ToolCall,
) -> Result<&'e Entry, Result<Outcome, Abort>> {
    let named = entries.named(call.name());
    let Some(entry) = named.filter(|entry| sight.allowed.contains(&entry.tool.name)) else {
        return Err(hidden(entries, house, sight, call, None));
    };
    let why = match missing_scope(entry, sight.caller) {
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
    let found = entries.iter().filter(|entry| is_in_reach(entry, house, sight));
    found.map(|entry| &entry.tool).collect()
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
    let seen = entries.iter().filter(|entry| is_seen(entry, house, sight));
    let seen: Vec<&str> = seen.map(|entry| entry.tool.name.as_str()).collect();
    let (status, host_note) = match missing {
        Some((_, Why::Scope(scope))) => (Status::Denied, lacks(scope)),
        Some((_, Why::Taint)) => (Status::Denied, TAINTED.to_owned()),
        None => (Status::UnknownTool, noted("the view has no tool", call.name())),
    };
    let (name, most) = (call.name(), house.limits.shown_chars);
    let outcome = Outcome::unknown_tool(status, name, &seen, most, host_note);
    time::end_tick();
    Ok(outcome)
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
