//! What can be wrong with a tool apart from its schema.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::builder::Shared;
use crate::dialect::portable;
use crate::error::ToolConfigError;
use crate::gate;
use crate::ledger::{Durability, Ledger};
use crate::tool::{Input, LedgerUse, NeededBy, Requirement, StateNeed, Tool};

pub(super) fn blame(tool: &Tool, message: String) -> ToolConfigError {
    let error = ToolConfigError::new(message).of_tool(&tool.name);
    match &tool.place {
        Some(place) => error.at(place),
        None => error,
    }
}

/// Names that are equal, or that a person or a provider's alphabet can not tell apart.
pub(super) fn same_names(tools: &[Tool]) -> Vec<ToolConfigError> {
    let mut faults = Vec::new();
    let mut first: BTreeMap<(usize, String), usize> = BTreeMap::new();
    for (index, tool) in tools.iter().enumerate() {
        let looks = looks(&tool.name).into_iter().enumerate();
        let earlier = looks.filter_map(|look| match first.entry(look) {
            Entry::Occupied(earlier) => Some(*earlier.get()),
            Entry::Vacant(free) => {
                free.insert(index);
                None
            }
        });
        let Some(earlier) = earlier.min().and_then(|earlier| tools.get(earlier)) else { continue };
        let place = earlier.place.as_deref().unwrap_or("made at run time");
        faults.push(blame(
            tool,
            if earlier.name == tool.name {
                format!("its name is taken already, by {place}; rename one with `name = …`")
            } else {
                format!(
                    "its name looks like `{}` ({place}), and a model mixes them up; rename one",
                    earlier.name
                )
            },
        ));
    }
    faults
}

/// What tools require before them that can never be.
pub(super) fn unmeetable(tools: &[Tool]) -> Vec<ToolConfigError> {
    let named = |name: &str| tools.iter().find(|tool| tool.name == name);
    let mut faults = Vec::new();
    for tool in tools {
        for Requirement { tool: required, same } in &tool.policy.requires {
            let Some(other) = named(required) else {
                let message =
                    format!("it requires `{required}`, and there is no such tool; add it");
                faults.push(blame(tool, message));
                continue;
            };
            for name in same {
                let missing = [tool, other].into_iter().find(|one| !one.has_parameter(name));
                faults.extend(missing.map(|one| {
                    let message = format!(
                        "it requires `{required}` with the same `{name}`, and `{}` has no such \
                         parameter",
                        one.name
                    );
                    blame(tool, message)
                }));
            }
        }
        if requires_itself(tool, tools) {
            let message = "what it requires requires it in turn, so that none of them ever runs; \
                           take one `requires` away";
            faults.push(blame(tool, message.to_owned()));
        }
    }
    faults
}

fn requires_itself(tool: &Tool, tools: &[Tool]) -> bool {
    let required = |of: &Tool| -> Vec<String> {
        of.policy.requires.iter().map(|requirement| requirement.tool.clone()).collect()
    };
    let mut seen: Vec<String> = Vec::new();
    let mut open = required(tool);
    while let Some(name) = open.pop() {
        if name == tool.name {
            return true;
        }
        if !seen.contains(&name) {
            open.extend(
                tools.iter().find(|tool| tool.name == name).map(required).unwrap_or_default(),
            );
            seen.push(name);
        }
    }
    false
}

/// What a name becomes in the smallest alphabet, on a screen and at a provider: two names of which
/// one of these is equal are mixed up.
fn looks(name: &str) -> [String; 3] {
    let folded = |name: &str| name.to_ascii_lowercase().replace(['-', '.'], "_");
    let drawn = folded(&name.replace(['1', 'I'], "l").replace('0', "o"));
    [folded(name), drawn, portable(name).to_ascii_lowercase()]
}

/// What is wrong with a tool apart from its schema.
pub(super) fn faults_of(tool: &Tool, declared: bool, states: &Shared) -> Vec<String> {
    let mut faults = Vec::new();
    if let Some(pattern) = misnamed(tool) {
        faults.push(format!("its name does not match {pattern}"));
    }
    if tool.description.trim().is_empty() {
        faults
            .push("its description is blank; it is the only thing the model chooses by".to_owned());
    }
    if declared && tool.policy.effect.is_none() {
        faults.push(
            "it does not say its effect, and other tools do; add `effect = \"read\"`, \
             `\"write\"` or `\"irreversible\"`"
                .to_owned(),
        );
    }
    faults.extend(tool.faults());
    faults.extend(tool.states.iter().filter_map(|need| unmet(need, states)));
    faults
}

/// What a tool needs a ledger or a person for, and does not get.
pub(super) fn unkept(tool: &Tool, has_approver: bool, ledger: Option<&dyn Ledger>) -> Vec<String> {
    let policy = &tool.policy;
    let mut faults = Vec::new();
    let keeps = policy.ledger == LedgerUse::Needed;
    if policy.is_effectful() && keeps && ledger.is_none() {
        faults.push(
            "it changes something and there is no ledger, so that a repeated call would run \
             twice; add `.ledger(…)`, or say `ledger = none(\"…\")` and why that is right"
                .to_owned(),
        );
    }
    let is_decided = has_approver && gate::is_one_word_enough(tool);
    if policy.may_ask() && !is_decided && !(keeps && ledger.is_some()) {
        let way = match (keeps, gate::is_one_word_enough(tool)) {
            (true, true) => "add `.ledger(…)`, where its calls wait, or `.approver(…)`",
            (true, false) => "add `.ledger(…)`, where its calls wait for all who must agree",
            (false, true) => "add `.approver(…)`",
            (false, false) => "its calls can only wait in a ledger; leave `ledger = none(…)` out",
        };
        faults.push(format!("it needs a person's approval and there is nobody to ask; {way}"));
    }
    let forgets = ledger.is_some_and(|ledger| ledger.durability() == Durability::Process);
    if forgets && keeps && (policy.is_effectful() || policy.may_ask()) && !cfg!(feature = "testing")
    {
        faults.push(
            "its calls must outlive the process, and the ledger is kept in memory; take \
             `SqliteLedger` (feature `sqlite`), say `MemoryLedger::accept_loss(\"…\")`, or turn \
             on the feature `testing` where it is a test"
                .to_owned(),
        );
    }
    faults
}

/// Why a state that a tool asks for can not be given to it.
fn unmet(need: &StateNeed, states: &Shared) -> Option<String> {
    let name = (need.type_name)();
    match ((need.count)(states), need.by) {
        (1, _) => None,
        (0, NeededBy::Parameter) => Some(format!(
            "it takes a state of type `{name}` and there is none; add `.state(…)` with one, or \
             with an `Arc` of one"
        )),
        (0, NeededBy::Receiver) => Some(format!(
            "it is a method of `{name}` and there is none; add `.toolbox(…)` with one, or with an \
             `Arc` of one"
        )),
        (_, NeededBy::Parameter) => Some(format!(
            "it takes a state of type `{name}` and there are two, one as it is and one in an \
             `Arc`; keep one"
        )),
        (_, NeededBy::Receiver) => Some(format!(
            "it is a method of `{name}` and there are two, one as it is and one in an `Arc`; keep \
             one"
        )),
    }
}

/// The pattern that a tool's name does not match.
fn misnamed(tool: &Tool) -> Option<&'static str> {
    // The attribute checks the name of an annotated function when it is compiled.
    let Input::Given(_) = tool.input else { return None };
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let fits = (1..=128).contains(&tool.name.len()) && tool.name.chars().all(is_plain);
    if fits { None } else { Some("^[A-Za-z0-9_.-]{1,128}$") }
}
