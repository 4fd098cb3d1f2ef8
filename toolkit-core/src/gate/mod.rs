//! The order of the gates, and nothing else decides.

mod approval;
mod arguments;
mod check;
mod dry_run;
mod known;
mod run;
#[cfg(feature = "testing")]
mod trial;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

pub(crate) use approval::may_ask;
pub use approval::{ApprovalRequest, Approver, Decision};
pub(crate) use known::{Allowed, is_visible};
pub(crate) use run::error_id;
#[cfg(feature = "testing")]
pub(crate) use trial::{Verdict, arguments_alone};

use arguments::Canonical;

use crate::arguments::Slot;
use crate::call::{Outcome, ToolCall};
use crate::caller::{CallContext, Caller};
use crate::error::{Abort, ToolConfigError};
use crate::limits::Limits;
use crate::schema::Compiled;
use crate::tool::{BoxFuture, Effect, Gates, Passage, Rules, States, Stopped, Tool};

/// A tool as the registry holds it: checked once, ready to be called.
pub(crate) struct Entry {
    pub(crate) tool: Tool,
    pub(crate) schema: Compiled,
}

/// What all gates of a registry share.
pub(crate) struct House {
    pub(crate) limits: Limits,
    pub(crate) approver: Option<Arc<dyn Approver>>,
    pub(crate) states: Box<dyn States>,
    /// Whether every call is a rehearsal.
    pub(crate) dry_run: bool,
}

/// For whom, and for which tools, a call is dispatched.
pub(crate) struct Viewer<'a> {
    pub(crate) caller: &'a Arc<Caller>,
    pub(crate) allowed: &'a Allowed,
    pub(crate) run_id: Option<Arc<str>>,
    pub(crate) dry_run: bool,
}

/// Takes a call through the gates to its function and back.
pub(crate) async fn dispatch(
    entries: &[Entry],
    house: &House,
    viewer: Viewer<'_>,
    call: &ToolCall,
) -> Result<Outcome, Abort> {
    // 1 exists, 2 scopes: one look, one answer.
    let entry = match known::look_up(entries, &viewer, call, &house.limits) {
        Ok(entry) => entry,
        Err(ended) => return ended,
    };
    let is_read = entry.tool.policy.effect == Some(Effect::Read);
    let is_rehearsal = (viewer.dry_run || house.dry_run) && !is_read;
    let context = CallContext::new(Arc::clone(viewer.caller), call.shared_id(), viewer.run_id);
    let way = Way {
        entry,
        house,
        call,
        context,
        is_rehearsal,
        is_checked: AtomicBool::new(false),
        canonical: OnceLock::new(),
        entered: AtomicBool::new(false),
    };
    // 3 to 7 are asked for by the tool's call function, which alone knows the types; 9 runs it.
    let ended = run::fenced(&entry.tool, Passage(&way)).await;
    run::settle(&entry.tool, ended, way.entered.load(Ordering::Relaxed))
}

/// One call on its way through the gates.
struct Way<'a> {
    entry: &'a Entry,
    house: &'a House,
    call: &'a ToolCall,
    context: CallContext,
    is_rehearsal: bool,
    is_checked: AtomicBool,
    /// The bytes in which others see the arguments, where others do.
    canonical: OnceLock<Box<Canonical>>,
    entered: AtomicBool,
}

impl Way<'_> {
    /// The arguments in the form in which others see them.
    fn canonical(&self) -> Option<&Canonical> {
        self.canonical.get().map(|canonical| &**canonical)
    }

    /// Whether a gate behind the arguments has to be asked, also where there are no rules.
    fn waits(&self) -> bool {
        may_ask(&self.entry.tool) || self.is_rehearsal
    }
}

impl Gates for Way<'_> {
    fn context(&self) -> &CallContext {
        &self.context
    }

    fn states(&self) -> &dyn States {
        &*self.house.states
    }

    fn arguments(&self, slots: &mut [&mut dyn Slot]) -> Result<(), Stopped> {
        // 3 arguments
        let Self { entry, house, call, is_rehearsal, .. } = self;
        let canonical = arguments::check(entry, call, &house.limits, *is_rehearsal, slots)?;
        if let Some(canonical) = canonical {
            self.canonical.get_or_init(|| canonical);
        }
        self.is_checked.store(true, Ordering::Relaxed);
        Ok(())
    }

    fn pass<'a>(&'a self, rules: Rules<'a>) -> Option<BoxFuture<'a, Result<(), Stopped>>> {
        if rules.checks.is_empty() && !self.waits() {
            return None;
        }
        Some(Box::pin(async move {
            if !self.is_checked.load(Ordering::Relaxed) {
                let unchecked = ToolConfigError::new("its rules were asked before its arguments");
                return Err(Stopped::Failed(unchecked.into()));
            }
            // 5 check
            check::run(rules.checks, &self.house.limits).await?;
            // 6 dry run
            dry_run::stop(self, rules.preview).await?;
            // 7 approval
            approval::ask(self, rules.approval).await
        }))
    }

    fn enter(&self) {
        self.entered.store(true, Ordering::Relaxed);
    }

    fn enter_at_once(&self) -> bool {
        let is_free = !self.waits();
        if is_free {
            self.enter();
        }
        is_free
    }
}
