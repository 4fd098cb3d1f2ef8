//! Gate 3 alone, for tests: nothing behind it is asked or run.

use std::any::{Any, TypeId};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use super::threads::Work;
use super::{Entry, arguments, run};
use crate::arguments::{Attempt, Slot, normal_form};
use crate::call::{Arguments, Outcome, ToolCall};
use crate::caller::Caller;
use crate::context::CallContext;
use crate::error::ToolConfigError;
use crate::limits::Limits;
use crate::output::Output;
use crate::tool::{BoxFuture, Gates, Held, Input, Passage, Rules, States, Stopped};

/// What the arguments gate says of a text, and whether all its ways say the same.
pub(crate) struct Verdict {
    /// What it passes on, or the outcome that it refuses the call with.
    pub(crate) gate: Result<Value, Outcome>,
    /// Which way through the gate says something else.
    pub(crate) odd: Option<&'static str>,
}

/// Takes arguments through the arguments gate of a tool, with its own slots, and no further.
pub(crate) fn arguments_alone(entry: &Entry, text: &str, limits: &Limits) -> Verdict {
    let call = ToolCall::new("call_1", entry.tool.name.as_str(), text);
    let context = CallContext::new(Arc::new(Caller::new("trial")), call.id().into(), None, None);
    let trial = Trial { entry, call, limits, context, verdict: Mutex::new(None) };
    let ended = pollster::block_on(run::fenced(&entry.tool, Passage(&trial), None));
    let verdict = trial.verdict.into_inner().unwrap_or_else(PoisonError::into_inner);
    // Without a verdict a type panicked while it was filled, which a call's outcome tells.
    verdict.unwrap_or_else(|| {
        let gate =
            Err(run::settle(&entry.tool, limits, ended, false)
                .unwrap_or_else(|_| Outcome::not_run()));
        Verdict { gate, odd: None }
    })
}

/// Which way of reading the same arguments comes to another verdict than the report's.
fn odd_way(
    entry: &Entry,
    text: &str,
    limits: &Limits,
    slots: &mut [&mut dyn Slot],
) -> Option<&'static str> {
    if matches!(entry.tool.input, Input::Given(_)) || !entry.schema.is_complete() {
        return None;
    }
    let mut is_odd = |given: Arguments<'_>| {
        let report = normal_form(&entry.schema, given, limits);
        match (try_fill(entry, given, limits, slots), report) {
            (Attempt::Sure(()), report) => report.is_err(),
            // A type took something lightly, so that the schema was asked alone.
            (Attempt::Doubtful(()), _) | (Attempt::Refused(_), Err(_)) => false,
            (Attempt::Refused(_), Ok(value)) => !refuses_itself(entry, &value, limits, slots),
        }
    };
    if is_odd(Arguments::Text(text)) {
        return Some("the decoder and the report differ over the text");
    }
    let value: Value = serde_json::from_str(text).ok()?;
    if is_odd(Arguments::Value(&value)) {
        return Some("the decoder and the report differ over the parsed value");
    }
    let of_text = normal_form(&entry.schema, Arguments::Text(text), limits);
    let of_value = normal_form(&entry.schema, Arguments::Value(&value), limits);
    (of_text.is_ok() && of_text != of_value).then_some("text and parsed value differ")
}

/// Whether a type refuses the very normal form, in a part that it was given.
fn refuses_itself(
    entry: &Entry,
    value: &Value,
    limits: &Limits,
    slots: &mut [&mut dyn Slot],
) -> bool {
    let value = Arguments::Value(value);
    match try_fill(entry, value, &limits.unmeasured(), slots) {
        Attempt::Refused(place) => !value.path(*place).steps().is_empty(),
        Attempt::Sure(()) | Attempt::Doubtful(()) => false,
    }
}

/// Fills one slot a parameter, or the one of the type that a closure takes.
fn try_fill(
    entry: &Entry,
    given: Arguments<'_>,
    limits: &Limits,
    slots: &mut [&mut dyn Slot],
) -> Attempt<()> {
    match (&entry.tool.input, slots) {
        (Input::Type(_), [slot]) => given.try_fill_whole(&entry.schema, limits, *slot),
        (_, slots) => given.try_fill(&entry.schema, limits, slots),
    }
}

struct Trial<'a> {
    entry: &'a Entry,
    call: ToolCall,
    limits: &'a Limits,
    context: CallContext,
    verdict: Mutex<Option<Verdict>>,
}

impl Trial<'_> {
    fn stopped() -> Stopped {
        Stopped::Failed(ToolConfigError::new("a trial ends at the arguments gate").into())
    }
}

impl Gates for Trial<'_> {
    fn context(&self) -> &CallContext {
        &self.context
    }

    fn states(&self) -> &dyn States {
        &Stateless
    }

    fn arguments(&self, slots: &mut [&mut dyn Slot]) -> Result<(), Stopped> {
        let text = self.call.arguments();
        let gate = match arguments::check(self.entry, &self.call, self.limits, false, slots) {
            Ok(Some(canonical)) => Ok(canonical.value),
            Ok(None) => normal_form(&self.entry.schema, Arguments::Text(&text), self.limits)
                .map_err(|problems| Outcome::invalid(problems, String::new())),
            Err(Stopped::Refused(outcome)) => Err(*outcome),
            Err(other) => return Err(other),
        };
        let odd = odd_way(self.entry, &text, self.limits, slots);
        let verdict = Verdict { gate, odd };
        *self.verdict.lock().unwrap_or_else(PoisonError::into_inner) = Some(verdict);
        Err(Self::stopped())
    }

    fn pass<'a>(&'a self, _: &'a dyn Rules) -> Option<BoxFuture<'a, Result<(), Stopped>>> {
        Some(Box::pin(async { Err(Self::stopped()) }))
    }

    fn enter(&self) {}

    fn enter_at_once(&self) -> bool {
        false
    }

    fn held(&self) -> Held {
        Held::new(self.context.clone(), Arc::new(Stateless))
    }

    fn apart(&self, _: Work) -> BoxFuture<'_, Result<Output, Stopped>> {
        Box::pin(async { Err(Self::stopped()) })
    }
}

/// Nobody gets as far as to ask for a state.
struct Stateless;

impl States for Stateless {
    fn of_type(&self, _: TypeId) -> Option<&(dyn Any + Send + Sync)> {
        None
    }
}
