//! Gate 5, before the rules: what must have been done in the same run.

use std::sync::Arc;

use serde_json::Value;

use super::arguments::Canonical;
use super::known::in_reach;
use super::{Entries, House, Sight, Way};
use crate::arguments::identity;
use crate::call::{First, Outcome};
use crate::tool::{Requirement, Stopped, Tool};

/// A call of the same run that was answered with success.
#[derive(Debug, Clone)]
pub(crate) struct Done {
    /// The tool's own name.
    pub(crate) tool: String,
    pub(crate) arguments: Value,
    /// Whether it was only rehearsed.
    pub(crate) is_rehearsed: bool,
}

/// What a tool requires, and what was done.
pub(super) struct Needs<'a> {
    /// Each with whether the model can be sent there.
    requirements: Vec<(&'a Requirement, bool)>,
    done: Arc<[Done]>,
}

impl<'a> Needs<'a> {
    /// None where the tool requires nothing.
    #[inline]
    pub(super) fn of(
        entries: &Entries,
        house: &House,
        sight: Sight<'_>,
        done: Arc<[Done]>,
        tool: &'a Tool,
    ) -> Option<Box<Self>> {
        let requires = &tool.policy.requires;
        if requires.is_empty() {
            return None;
        }
        // Not where it would only be told that it may not call it.
        let reached = in_reach(entries, house, sight);
        let can_be_sent =
            |requirement: &Requirement| reached.iter().any(|tool| tool.name == requirement.tool);
        let requirements =
            requires.iter().map(|requirement| (requirement, can_be_sent(requirement))).collect();
        Some(Box::new(Self { requirements, done }))
    }

    /// Whether an argument has to be compared.
    pub(super) fn compares(&self) -> bool {
        self.requirements.iter().any(|(requirement, _)| !requirement.same.is_empty())
    }
}

/// Refuses a call before which something else must be done.
pub(super) fn met(way: &Way<'_>) -> Result<(), Stopped> {
    // Before people were asked it was met; the run that met it may be long over.
    let Some(needs) = way.needs.as_ref().filter(|_| way.parked().is_none()) else {
        return Ok(());
    };
    let canonical = way.canonical();
    let arguments = canonical.map(|canonical| &canonical.value);
    let is_met = |requirement: &Requirement| {
        needs.done.iter().any(|done| {
            done.tool == requirement.tool
                && (!done.is_rehearsed || way.is_rehearsal)
                && requirement.same.iter().all(|name| {
                    same(arguments.and_then(|all| all.get(name)), done.arguments.get(name))
                })
        })
    };
    let missing: Vec<&(&Requirement, bool)> =
        needs.requirements.iter().filter(|(requirement, _)| !is_met(requirement)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let tool = &way.entry.tool.name;
    let hidden = missing.iter().find(|(_, can_be_sent)| !can_be_sent);
    let outcome = if let Some((hidden, _)) = hidden {
        Outcome::hidden_prerequisite(tool, &hidden.tool)
    } else {
        // What is compared may be a secret, and what is told is none.
        let told = canonical.map(Canonical::told_value);
        let value = |name: &'_ String| told.and_then(|all| all.get(name));
        let first: Vec<First<'_>> = missing
            .iter()
            .map(|(Requirement { tool, same }, _)| First {
                tool,
                same: same.iter().map(|name| (name.as_str(), value(name))).collect(),
            })
            .collect();
        Outcome::prerequisite(tool, &first, way.house.limits.shown_chars)
    };
    Err(Stopped::Refused(Box::new(outcome)))
}

/// Whether two arguments are the same; null is absence.
fn same(one: Option<&Value>, other: Option<&Value>) -> bool {
    let given = |value: Option<&Value>| value.filter(|value| !value.is_null()).map(identity);
    given(one) == given(other)
}
