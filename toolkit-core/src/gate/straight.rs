//! The way of a call that no gate can hold up: a read whose function is done when it returns.
//!
//! It meets the gates that have something to say of such a call, in their order, and no future.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use super::threads::Work;
use super::{Entries, Entry, House, Sight, arguments, known, run, taint};
use crate::arguments::Slot;
use crate::call::{Outcome, ToolCall};
use crate::context::CallContext;
use crate::error::{Abort, ToolConfigError};
use crate::output::Output;
use crate::tool::{BoxFuture, Gates, Held, Passage, Rules, States, Stopped};

/// Takes a call to its function and back, where no gate can hold it up; `None`, and nothing was
/// done, where one can, or where it has no tool.
#[inline]
pub(crate) fn straight(
    entries: &Entries,
    house: &House,
    sight: Sight<'_>,
    run_id: Option<&str>,
    call: &ToolCall,
) -> Option<Result<Outcome, Abort>> {
    // 1 exists, 2 scopes
    let entry = known::find(entries, house, sight, call)?;
    if !entry.is_plain || house.timeout.is_some() || house.dry_run {
        return None;
    }
    let function = entry.tool.at_once()?;
    let context = OnceLock::new();
    let way = Straight { entry, house, call, sight, run_id, context, entered: false.into() };
    // 3 arguments, 9 run
    let ended = run::fenced_at_once(function, Passage(&way));
    let entered = way.entered.load(Ordering::Relaxed);
    let ended = run::settle(&entry.tool, &house.limits, ended, entered);
    taint::note(&entry.tool, sight.label, &ended);
    Some(ended)
}

struct Straight<'a> {
    entry: &'a Entry,
    house: &'a House,
    call: &'a ToolCall,
    sight: Sight<'a>,
    run_id: Option<&'a str>,
    /// Made where the function asks for it.
    context: OnceLock<CallContext>,
    entered: AtomicBool,
}

impl Gates for Straight<'_> {
    fn context(&self) -> &CallContext {
        self.context.get_or_init(|| {
            let (caller, run_id) = (Arc::clone(self.sight.caller), self.run_id.map(Arc::from));
            CallContext::new(caller, self.call.shared_id(), run_id, None)
        })
    }

    fn states(&self) -> &dyn States {
        &*self.house.states
    }

    fn arguments(&self, slots: &mut [&mut dyn Slot]) -> Result<(), Stopped> {
        arguments::check(self.entry, self.call, &self.house.limits, false, slots).map(drop)
    }

    fn pass<'a>(&'a self, _: &'a dyn Rules) -> Option<BoxFuture<'a, Result<(), Stopped>>> {
        let waits = ToolConfigError::new("it is done when it returns, and has rules all the same");
        Some(Box::pin(async { Err(Stopped::Failed(waits.into())) }))
    }

    fn enter(&self) {
        self.entered.store(true, Ordering::Relaxed);
    }

    fn enter_at_once(&self) -> bool {
        self.enter();
        true
    }

    fn held(&self) -> Held {
        Held::new(self.context().clone(), Arc::clone(&self.house.states))
    }

    fn apart(&self, work: Work) -> BoxFuture<'_, Result<Output, Stopped>> {
        Box::pin(async { work() })
    }
}
