//! Gate 3 alone, for tests: nothing behind it is asked or run.

use std::any::{Any, TypeId};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use super::{Entry, arguments, run};
use crate::call::{Outcome, ToolCall};
use crate::caller::{CallContext, Caller};
use crate::error::ToolConfigError;
use crate::limits::Limits;
use crate::tool::{BoxFuture, Gates, Passage, Rules, Slot, States, Stopped};

/// Takes arguments through the arguments gate of a tool, with its own slots, and no further.
pub(crate) fn arguments_alone(
    entry: &Entry,
    text: &str,
    limits: &Limits,
) -> Result<Value, Outcome> {
    let call = ToolCall::new("call_1", entry.tool.name.as_str(), text);
    let context = CallContext::new(Arc::new(Caller::new("trial")), call.id().into(), None);
    let trial = Trial { entry, call, limits, context, verdict: Mutex::new(None) };
    let ended = pollster::block_on(run::fenced(entry.tool.run(Passage(&trial))));
    let verdict = trial.verdict.into_inner().unwrap_or_else(PoisonError::into_inner);
    // Without a verdict a type panicked while it was filled, which a call's outcome tells.
    verdict.unwrap_or_else(|| {
        Err(run::settle(&entry.tool, ended, false).unwrap_or_else(|_| Outcome::not_run()))
    })
}

struct Trial<'a> {
    entry: &'a Entry,
    call: ToolCall,
    limits: &'a Limits,
    context: CallContext,
    verdict: Mutex<Option<Result<Value, Outcome>>>,
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
        let verdict = match arguments::check(self.entry, &self.call, self.limits, slots) {
            Ok(value) => Ok(value),
            Err(Stopped::Refused(outcome)) => Err(*outcome),
            Err(other) => return Err(other),
        };
        *self.verdict.lock().unwrap_or_else(PoisonError::into_inner) = Some(verdict);
        Err(Self::stopped())
    }

    fn pass<'a>(&'a self, _: Rules<'a>) -> Option<BoxFuture<'a, Result<(), Stopped>>> {
        Some(Box::pin(async { Err(Self::stopped()) }))
    }

    fn enter(&self) {}
}

/// Nobody gets as far as to ask for a state.
struct Stateless;

impl States for Stateless {
    fn of_type(&self, _: TypeId) -> Option<&(dyn Any + Send + Sync)> {
        None
    }
}
