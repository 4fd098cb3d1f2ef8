//! Gate 3: the arguments, checked and put into the function's own types.

use serde_json::Value;

use super::{Entry, secrets};
use crate::arguments::{self, Slot};
use crate::call::{Arguments, Outcome, ToolCall};
use crate::limits::Limits;
use crate::problem::{Path, Problem, ProblemKind};
use crate::schema::Compiled;
use crate::tool::{Input, Stopped, Tool};

/// The arguments that a call runs with, where somebody else must see them as well.
pub(super) struct Canonical {
    pub(super) value: Value,
    /// The bytes that the value is written as, and that the function's types were read from.
    pub(super) text: String,
    /// What others see of it, where there is a secret in it.
    pub(super) told: Option<(Value, String)>,
}

impl Canonical {
    /// The value as others see it.
    pub(super) fn told_value(&self) -> &Value {
        self.told.as_ref().map_or(&self.value, |(value, _)| value)
    }

    /// The text as others see it.
    pub(super) fn told_text(&self) -> &str {
        self.told.as_ref().map_or(&self.text, |(_, text)| text)
    }
}

/// Fills the slots; the canonical arguments, where the tool runs from them or they are told.
#[expect(clippy::inline_always, reason = "each of the two ways to a function has its own")]
#[inline(always)]
pub(super) fn check(
    entry: &Entry,
    call: &ToolCall,
    limits: &Limits,
    are_told: bool,
    slots: &mut [&mut dyn Slot],
) -> Result<Option<Box<Canonical>>, Stopped> {
    if call.is_cut_off() {
        return Err(cut_off(entry, limits));
    }
    if are_told || entry.runs_from_canonical {
        return by_canonical(entry, call, limits, slots).map(Box::new).map(Some);
    }
    let filled = fill(&entry.tool, call.given(), &entry.schema, limits, slots);
    filled.map(|()| None).map_err(|problems| invalid(entry, problems, limits))
}

/// Whether what is decoded must be what an approver, or a second run, would see.
pub(super) fn runs_from_canonical(tool: &Tool, schema: &Compiled) -> bool {
    let is_dynamic = matches!(tool.input, Input::Given(_));
    let is_shown = tool.policy.may_ask() || tool.policy.is_effectful();
    is_dynamic || is_shown || !schema.is_complete()
}

#[inline(never)]
fn by_canonical(
    entry: &Entry,
    call: &ToolCall,
    limits: &Limits,
    slots: &mut [&mut dyn Slot],
) -> Result<Canonical, Stopped> {
    let value = arguments::normal_form(&entry.schema, call.given(), limits)
        .map_err(|problems| invalid(entry, problems, limits))?;
    let text = value.to_string();
    // Defaults are written in, and what was accepted is not measured again.
    let unmeasured = &limits.unmeasured();
    let filled = match &entry.tool.input {
        Input::Given(_) => arguments::hand_over(&value, unmeasured, slots),
        _ => fill(&entry.tool, Arguments::Text(&text), &entry.schema, unmeasured, slots),
    };
    match filled {
        Ok(()) => Ok(Canonical { told: secrets::told(&entry.secrets, &value), value, text }),
        Err(problems) => Err(invalid(entry, problems, limits)),
    }
}

/// Fills one slot a parameter, or the one of the type that a closure takes.
#[expect(clippy::inline_always, reason = "each of the two ways to a function has its own")]
#[inline(always)]
pub(super) fn fill(
    tool: &Tool,
    given: Arguments<'_>,
    schema: &Compiled,
    limits: &Limits,
    slots: &mut [&mut dyn Slot],
) -> Result<(), Vec<Problem>> {
    match (&tool.input, slots) {
        (Input::Type(_), [slot]) => given.fill_whole(schema, limits, *slot),
        (_, slots) => given.fill(schema, limits, slots),
    }
}

#[cold]
fn cut_off(entry: &Entry, limits: &Limits) -> Stopped {
    let message = "the call was cut off by the output limit; nothing ran. \
                   Send it again with shorter arguments";
    let problem = Problem::new(Path::root(), ProblemKind::NotJson, message);
    invalid(entry, vec![problem], limits)
}

#[cold]
fn invalid(entry: &Entry, problems: Vec<Problem>, limits: &Limits) -> Stopped {
    let problems = secrets::unsaid(entry, problems);
    let report = arguments::lines(&problems, limits);
    Stopped::Refused(Box::new(Outcome::invalid(problems, report)))
}
