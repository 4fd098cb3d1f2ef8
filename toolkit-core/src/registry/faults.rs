//! What can be wrong with a tool apart from its schema, and with a registry as a whole.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::time::Duration;

use super::states::Shared;
use crate::dialect::{Definition, portable};
use crate::error::ToolConfigError;
use crate::gate;
use crate::ledger::{Durability, Ledger};
use crate::limits::Limits;
use crate::problem::has_unseen;
use crate::schema;
use crate::tool::{Input, LEAST_SHOWN, LedgerUse, NeededBy, Requirement, StateNeed, TAKES, Tool};

pub(super) fn blame(tool: &Tool, message: String) -> ToolConfigError {
    let error = ToolConfigError::new(message).of_tool(&tool.name);
    match &tool.place {
        Some(place) => error.at(place),
        None => error,
    }
}

/// What is wrong with the registry as a whole.
pub(super) fn at_large(
    tools: &[Tool],
    limits: &Limits,
    timeout: Option<Duration>,
    has_timer: bool,
) -> Vec<ToolConfigError> {
    if cfg!(panic = "abort") {
        tracing::warn!(
            "this program is built with panic = \"abort\": a panic in a tool ends the process"
        );
    }
    let mut faults = same_names(tools);
    if limits.depth > MOST_DEPTH {
        let message = format!("`Limits::depth` is {}; at most {MOST_DEPTH} is safe", limits.depth);
        faults.push(ToolConfigError::new(message));
    }
    faults.extend(unbounded(limits, timeout, has_timer));
    faults
}

/// Bounds of the registry that nothing can keep.
fn unbounded(limits: &Limits, timeout: Option<Duration>, has_timer: bool) -> Vec<ToolConfigError> {
    let mut faults = Vec::new();
    match timeout {
        Some(time) if !TAKES.contains(&time) => faults.push(format!(
            "the time limit of the registry is {time:?}; between a millisecond and a day is right"
        )),
        Some(_) if !has_timer => faults.push(
            "the registry has a time limit and nothing wakes it; add `.timer(…)` with the \
             executor's, or with a `ThreadTimer`"
                .to_owned(),
        ),
        Some(_) | None => {}
    }
    let bytes = limits.result_bytes;
    if bytes < LEAST_SHOWN {
        faults.push(format!(
            "`Limits::result_bytes` is {bytes}; at least {LEAST_SHOWN} are needed to say that a \
             result was cut"
        ));
    }
    if limits.at_once == 0 {
        faults.push("`Limits::at_once` is 0, so that no call would run".to_owned());
    }
    faults.into_iter().map(ToolConfigError::new).collect()
}

/// Deeper values than this would not fit a thread's stack.
const MOST_DEPTH: usize = 128;

/// Names that are equal, or that a person or a provider's alphabet can not tell apart.
fn same_names(tools: &[Tool]) -> Vec<ToolConfigError> {
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

/// What a definition holds that a model reads and no person sees.
pub(super) fn unseen(definition: &Definition) -> Option<String> {
    let Definition { description, title, input_schema, .. } = definition;
    let texts = title.iter().chain([description]).map(String::as_str);
    let is_hidden = texts.chain(schema::texts(input_schema)).any(has_unseen);
    is_hidden.then(|| {
        "its description, title or schema holds a character that is not shown, so that a model \
         reads what no person sees; remove it"
            .to_owned()
    })
}

/// What a registry has against what a call could do.
#[expect(clippy::struct_excessive_bools, reason = "each was given or not")]
pub(super) struct Guards<'a> {
    pub(super) ledger: Option<&'a dyn Ledger>,
    pub(super) has_approver: bool,
    pub(super) has_timer: bool,
    pub(super) has_threads: bool,
    pub(super) has_key: bool,
    /// Whether a person is asked once a run has read untrusted text.
    pub(super) is_tainted: bool,
    pub(super) requires_approval_rules: bool,
}

/// What a tool needs of the registry, and does not get.
pub(super) fn unguarded(tool: &Tool, guards: &Guards<'_>) -> Vec<String> {
    let mut faults = unkept(tool, guards);
    faults.extend(unasked(tool, guards));
    faults.extend(unruled(tool, guards));
    faults.extend(unheld(tool, guards));
    faults
}

/// What a tool needs a ledger or a person for, and does not get.
fn unkept(tool: &Tool, guards: &Guards<'_>) -> Vec<String> {
    let Guards { ledger, has_approver, .. } = *guards;
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

/// Why nobody could be asked about a tool once a run has read untrusted text.
fn unasked(tool: &Tool, guards: &Guards<'_>) -> Option<String> {
    let policy = &tool.policy;
    if !guards.is_tainted || !policy.is_effectful() || policy.may_ask() {
        return None;
    }
    let waits = policy.ledger == LedgerUse::Needed && guards.ledger.is_some();
    (!guards.has_approver && !waits).then(|| {
        "a person must agree to it once a run has read what strangers wrote, and there is nobody \
         to ask; add `.approver(…)`, leave `ledger = none(…)` out, or set `.on_taint(…)`"
            .to_owned()
    })
}

/// That a tool leaves open whether a person must agree to it, where it may not.
fn unruled(tool: &Tool, guards: &Guards<'_>) -> Option<String> {
    let is_open = tool.policy.is_effectful() && !tool.policy.may_ask();
    (guards.requires_approval_rules && is_open).then(|| {
        "it may change something and says nothing of a person's approval, which this registry \
         requires; add `approval(…)` with a rule, or with `false` where nobody need agree"
            .to_owned()
    })
}

/// What bounds a tool or runs it, and is not there.
fn unheld(tool: &Tool, guards: &Guards<'_>) -> Vec<String> {
    let Guards { has_timer, has_threads, .. } = *guards;
    let mut faults = Vec::new();
    if tool.policy.timeout.is_some() && !has_timer {
        faults.push(
            "it has a time limit and nothing wakes the registry; add `.timer(…)` with the \
             executor's, or with a `ThreadTimer`"
                .to_owned(),
        );
    }
    if tool.policy.blocking && !has_threads {
        faults.push(
            "it blocks its thread and there is no other for it; add `.threads(…)`, like \
             `.threads(Tokio)` with the feature `tokio`"
                .to_owned(),
        );
    }
    faults
}

/// The secret arguments of a tool, and what can not be kept of them.
pub(super) fn hidden(
    tool: &Tool,
    definition: &Definition,
    guards: &Guards<'_>,
) -> (Vec<String>, Vec<String>) {
    let secrets = match gate::secrets_of(&definition.input_schema) {
        Ok(secrets) if secrets.is_empty() => return (secrets, Vec::new()),
        Ok(secrets) => secrets,
        Err(fault) => return (Vec::new(), vec![fault]),
    };
    let policy = &tool.policy;
    let mut faults = Vec::new();
    if let Some(name) = policy.idempotency.iter().find(|name| secrets.contains(name)) {
        faults.push(format!(
            "`{name}` is secret, and is to make two calls one, which would keep it in a key; \
             leave it out of `idempotency`"
        ));
    }
    let asks = policy.may_ask() || (guards.is_tainted && policy.is_effectful());
    if asks && !(guards.has_approver && gate::is_one_word_enough(tool)) {
        faults.push(
            "a person may have to agree to it, and its calls can not wait in a ledger, since a \
             row would hold a secret; add `.approver(…)`, whose one word is enough"
                .to_owned(),
        );
    }
    let is_kept = policy.ledger == LedgerUse::Needed && (policy.is_effectful() || policy.may_ask());
    if is_kept && guards.ledger.is_some() && !guards.has_key {
        faults.push(
            "its calls are kept and some of its arguments are secret, so that a plain digest of \
             them could be guessed; add `.secret_key(…)`"
                .to_owned(),
        );
    }
    (secrets, faults)
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
    if let Input::Params(_) = tool.input {
        return None;
    }
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let fits = (1..=128).contains(&tool.name.len()) && tool.name.chars().all(is_plain);
    if fits { None } else { Some("^[A-Za-z0-9_.-]{1,128}$") }
}
