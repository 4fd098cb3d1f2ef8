//! The order of the gates, and nothing else decides.

mod approval;
mod arguments;
mod check;
mod dry_run;
mod known;
mod ledger;
mod prerequisite;
mod room;
mod run;
mod secrets;
mod straight;
mod taint;
mod threads;
mod time;
mod timer;
#[cfg(feature = "testing")]
mod trial;

use std::future;
use std::ops::Deref;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use async_lock::Semaphore;

pub(crate) use approval::is_one_word_enough;
pub use approval::{ApprovalRequest, Approver, Decision};
pub(crate) use known::{Allowed, in_reach, is_seen};
pub(crate) use prerequisite::Done;
pub(crate) use run::{contained, error_id};
pub(crate) use secrets::{secrets_of, unsaid};
pub(crate) use straight::straight;
pub use taint::OnTaint;
pub(crate) use taint::{Label, note, trifecta};
pub(crate) use threads::Lost;
pub use threads::Threads;
pub use timer::{ThreadTimer, Timer};
#[cfg(feature = "testing")]
pub(crate) use trial::{Verdict, arguments_alone};

use arguments::Canonical;
use check::Checks;
use ledger::{Kept, Parked};
use prerequisite::Needs;
use room::Permits;
use threads::Work;
use time::{Bounds, Time};

use crate::arguments::Slot;
use crate::bytes::are_same;
use crate::call::{Outcome, ToolCall};
use crate::caller::Caller;
use crate::context::{Along, CallContext};
use crate::error::{Abort, ToolConfigError};
use crate::ledger::Digest;
use crate::ledger::inside::Book;
use crate::limits::Limits;
use crate::output::Output;
use crate::schema::Compiled;
use crate::tool::{BoxFuture, Effect, Gates, Held, Passage, Policy, Rules, States, Stopped, Tool};

/// A tool as the registry holds it: checked once, ready to be called.
pub(crate) struct Entry {
    pub(crate) tool: Tool,
    pub(crate) schema: Compiled,
    /// What the tool is, as people who agreed to a call of it relied on.
    pub(crate) revision: Digest,
    /// The arguments that nobody is shown.
    pub(crate) secrets: Vec<String>,
    /// The names of the arguments, where some are secret.
    pub(crate) fields: Vec<String>,
    /// How many calls of it run at once, where it says that.
    pub(crate) room: Option<Arc<Semaphore>>,
    /// Whether nothing but its arguments stands between a call and its function.
    is_plain: bool,
    /// Whether its function's types are read from the canonical arguments.
    runs_from_canonical: bool,
}

impl Entry {
    pub(crate) fn new(tool: Tool, schema: Compiled, revision: Digest) -> Self {
        let Policy { concurrency, timeout, blocking, .. } = tool.policy;
        let is_plain = concurrency.is_none()
            && timeout.is_none()
            && !blocking
            && !tool.policy.is_effectful()
            && !tool.policy.may_ask()
            && !taint::writes_unasked(&tool.policy)
            && tool.policy.requires.is_empty();
        let room = concurrency.map(Semaphore::new).map(Arc::new);
        let runs_from_canonical = arguments::runs_from_canonical(&tool, &schema);
        let (secrets, fields) = (Vec::new(), Vec::new());
        Self { tool, schema, revision, secrets, fields, room, is_plain, runs_from_canonical }
    }

    /// The same tool, some of whose arguments nobody is shown.
    pub(crate) fn hiding(self, secrets: Vec<String>, fields: Vec<String>) -> Self {
        Self { secrets, fields, ..self }
    }
}

/// The tools of a registry, in its order; no two have one name.
pub(crate) struct Entries {
    all: Vec<Entry>,
    /// Their names and places, in the order of their keys.
    by_name: Vec<(NameKey, Box<str>, usize)>,
}

/// By what names are found: their length and their last bytes, which tell most of them apart.
type NameKey = (usize, u64);

#[inline]
fn name_key(name: &str) -> NameKey {
    let bytes = name.as_bytes();
    let short = || bytes.iter().fold(0, |key, byte| key << 8 | u64::from(*byte));
    (bytes.len(), bytes.last_chunk().map_or_else(short, |last| u64::from_be_bytes(*last)))
}

impl Entries {
    pub(crate) fn new(all: Vec<Entry>) -> Self {
        let names = all.iter().map(|entry| Box::<str>::from(&*entry.tool.name));
        let mut by_name: Vec<_> =
            names.zip(0..).map(|(name, place)| (name_key(&name), name, place)).collect();
        by_name.sort_unstable();
        Self { all, by_name }
    }

    #[inline]
    pub(crate) fn place_of(&self, name: &str) -> Option<usize> {
        let key = name_key(name);
        let first = self.by_name.partition_point(|(own, ..)| *own < key);
        let alike = self.by_name.get(first..)?.iter().take_while(|(own, ..)| *own == key);
        let mut found = alike.filter(|(_, own, _)| are_same(own.as_bytes(), name.as_bytes()));
        found.next().map(|(.., place)| *place)
    }

    #[inline]
    pub(crate) fn named(&self, name: &str) -> Option<&Entry> {
        self.all.get(self.place_of(name)?)
    }
}

impl Deref for Entries {
    type Target = [Entry];

    fn deref(&self) -> &[Entry] {
        &self.all
    }
}

/// What all gates of a registry share.
pub(crate) struct House {
    pub(crate) limits: Limits,
    pub(crate) approver: Option<Arc<dyn Approver>>,
    pub(crate) states: Arc<dyn States>,
    pub(crate) book: Option<Book>,
    pub(crate) timer: Option<Arc<dyn Timer>>,
    /// How long a tool may take that does not say.
    pub(crate) timeout: Option<Duration>,
    /// How many calls run at once.
    pub(crate) room: Arc<Semaphore>,
    pub(crate) threads: Option<Arc<dyn Threads>>,
    pub(crate) lost: Arc<Lost>,
    /// By which calls with secrets are told apart.
    pub(crate) secret_key: Option<Box<[u8]>>,
    /// What becomes of effects once a run has read untrusted text.
    pub(crate) on_taint: OnTaint,
    /// Whether every call is a rehearsal.
    pub(crate) dry_run: bool,
}

/// For whom, and for which tools.
#[derive(Clone, Copy)]
pub(crate) struct Sight<'a> {
    pub(crate) caller: &'a Arc<Caller>,
    pub(crate) allowed: &'a Allowed,
    /// What the run has read.
    pub(crate) label: &'a Label,
}

/// For whom, for which tools, and how a call is dispatched.
#[derive(Clone)]
pub(crate) struct Viewer<'a> {
    pub(crate) sight: Sight<'a>,
    pub(crate) run_id: Option<Arc<str>>,
    pub(crate) intent_id: Option<Box<str>>,
    pub(crate) dry_run: bool,
    /// What the host gave along.
    pub(crate) along: Option<Box<Along>>,
    /// What was done in the run, for a tool that requires something.
    pub(crate) done: Arc<[Done]>,
}

/// Takes a call through the gates to its function and back.
pub(crate) fn dispatch<'a>(
    entries: &'a Entries,
    house: &'a House,
    viewer: Viewer<'a>,
    call: &'a ToolCall,
) -> impl Future<Output = Result<Outcome, Abort>> + Send {
    pass(entries, house, viewer, call, None)
}

/// Takes a parked call through the gates once more, with the arguments that were shown.
pub(crate) async fn resume(
    entries: &Entries,
    house: &House,
    viewer: Viewer<'_>,
    approval_id: &str,
) -> Result<Outcome, Abort> {
    let parked = match ledger::parked(house, viewer.sight.caller, approval_id).await {
        Ok(parked) => parked,
        Err(outcome) => return Ok(outcome),
    };
    let Parked { record, .. } = &parked;
    if record.approval.as_ref().is_some_and(|approval| approval.tainted) {
        viewer.sight.label.rise();
    }
    let (tool, arguments) = (record.tool.as_str(), record.arguments.as_str());
    let call = ToolCall::new(approval_id, tool, arguments);
    let is_rehearsal = viewer.dry_run || house.dry_run;
    let outcome = Box::pin(pass(entries, house, viewer, &call, Some(parked.clone()))).await?;
    if is_rehearsal {
        return Ok(outcome);
    }
    let is_gone = entries.named(&record.tool).is_none();
    Ok(ledger::overtaken(house, &parked, is_gone, outcome).await)
}

#[expect(clippy::significant_drop_tightening, reason = "a call holds its permits to its end")]
async fn pass(
    entries: &Entries,
    house: &House,
    viewer: Viewer<'_>,
    call: &ToolCall,
    parked: Option<Parked>,
) -> Result<Outcome, Abort> {
    // 1 exists, 2 scopes: one look, one answer.
    let entry = match known::look_up(entries, house, viewer.sight, call) {
        Ok(entry) => entry,
        Err(ended) => return ended,
    };
    if taint::writes_unasked(&entry.tool.policy)
        && let Some(error) = trifecta(&in_reach(entries, house, viewer.sight))
    {
        return Err(Abort::Config(error));
    }
    // A tool whose calls are kept no more would go around the ledger, and so around people.
    if let (Some(Parked { id, .. }), Some(book)) = (&parked, &house.book)
        && !ledger::keeps(&entry.tool)
    {
        let is_rehearsal = viewer.dry_run || house.dry_run;
        let outcome = ledger::changed(book, *id, &entry.tool.name, is_rehearsal);
        return Ok(Box::pin(outcome).await);
    }
    let Viewer { sight, run_id, intent_id, dry_run, along, done } = viewer;
    let Sight { caller, label, .. } = sight;
    let needs = Needs::of(entries, house, sight, done, &entry.tool);
    let is_read = entry.tool.policy.effect == Some(Effect::Read);
    let book = house.book.as_ref().filter(|_| ledger::keeps(&entry.tool));
    let (bounds, along) = time::bounds(house, &entry.tool, along);
    let way = Way {
        entry,
        house,
        call,
        context: CallContext::new(Arc::clone(caller), call.shared_id(), run_id, along),
        is_rehearsal: (dry_run || house.dry_run) && !is_read,
        needs,
        kept: book.map(|book| Box::new(Kept::new(book, intent_id, parked))),
        is_checked: AtomicBool::new(false),
        canonical: OnceLock::new(),
        entered: AtomicBool::new(false),
        is_tainted: taint::asks(&entry.tool, house, label),
        bounds,
        permits: OnceLock::new(),
    };
    if let Err(stopped) = time::wanted(&way) {
        return run::settle(&entry.tool, &house.limits, Ok(Err(stopped)), false);
    }
    // 3 to 8 are asked for by the tool's call function, which alone knows the types; 9 runs it.
    let call = run::fenced(&entry.tool, Passage(&way), Some(&way));
    let Some(kept) = &way.kept else {
        let ended = run::settle(&entry.tool, &house.limits, call.await, way.is_entered());
        note(&entry.tool, label, &ended);
        return ended;
    };
    let ended = kept.alive(house, call).await;
    let ending = ledger::ending(&ended);
    let ended = run::settle(&entry.tool, &house.limits, ended, way.is_entered());
    let ended = kept.settle(house, &entry.tool, ending, ended).await;
    note(&entry.tool, label, &ended);
    ended
}

/// One call on its way through the gates.
struct Way<'a> {
    entry: &'a Entry,
    house: &'a House,
    call: &'a ToolCall,
    context: CallContext,
    is_rehearsal: bool,
    /// What must have been done before, where something must.
    needs: Option<Box<Needs<'a>>>,
    /// What the ledger keeps of it, where it keeps the tool's calls.
    kept: Option<Box<Kept<'a>>>,
    is_checked: AtomicBool,
    /// The bytes in which others see the arguments, where others do.
    canonical: OnceLock<Box<Canonical>>,
    entered: AtomicBool,
    /// Whether a person must agree because of what the run has read.
    is_tainted: bool,
    /// What bounds its time, where something does.
    bounds: Option<Bounds>,
    /// What it holds while it runs.
    permits: OnceLock<Permits<'a>>,
}

impl Way<'_> {
    /// The arguments in the form in which others see them.
    fn canonical(&self) -> Option<&Canonical> {
        self.canonical.get().map(|canonical| &**canonical)
    }

    /// Whether a gate behind the arguments has to be asked besides the rules and the room.
    fn waits(&self) -> bool {
        let policy = &self.entry.tool.policy;
        let may_ask = policy.may_ask() || self.is_tainted;
        let is_kept = self.kept.is_some() || self.needs.is_some();
        may_ask || is_kept || self.is_rehearsal || policy.blocking
    }

    /// Asks the rules, and takes the room to run in, as far as neither has to be waited for.
    fn asked_at_once(&self, checks: &mut Checks<'_>) -> Poll<Result<(), Stopped>> {
        if self.waits() || !self.is_checked.load(Relaxed) {
            return Poll::Pending;
        }
        // Who is not done is asked again by whoever waits.
        let mut nobody = Context::from_waker(Waker::noop());
        ready!(Pin::new(checks).poll(&mut nobody))?;
        time::wanted(self)?;
        if room::enter_at_once(self) { Poll::Ready(Ok(())) } else { Poll::Pending }
    }

    fn is_entered(&self) -> bool {
        self.entered.load(Relaxed)
    }

    /// What people were asked of this call before.
    fn parked(&self) -> Option<&Parked> {
        self.kept.as_ref().and_then(|kept| kept.parked.as_ref())
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
        // What was shown to people was measured when it came.
        let unmeasured = self.parked().map(|_| house.limits.unmeasured());
        let limits = unmeasured.as_ref().unwrap_or(&house.limits);
        let are_told = *is_rehearsal || self.needs.as_ref().is_some_and(|needs| needs.compares());
        let canonical = arguments::check(entry, call, limits, are_told, slots)?;
        if let Some(canonical) = canonical {
            if let Some(kept) = &self.kept {
                kept.name(self, &canonical)?;
            }
            self.canonical.get_or_init(|| canonical);
        }
        self.is_checked.store(true, Relaxed);
        Ok(())
    }

    fn pass<'a>(&'a self, rules: &'a dyn Rules) -> Option<BoxFuture<'a, Result<(), Stopped>>> {
        let mut checks = Checks::new(rules, &self.house.limits);
        match self.asked_at_once(&mut checks) {
            Poll::Ready(Ok(())) => return None,
            Poll::Ready(Err(stopped)) => return Some(Box::pin(future::ready(Err(stopped)))),
            Poll::Pending => {}
        }
        Some(Box::pin(async move {
            if !self.is_checked.load(Relaxed) {
                let unchecked = ToolConfigError::new("its rules were asked before its arguments");
                return Err(Stopped::Failed(unchecked.into()));
            }
            // 4 ledger, read
            ledger::look(self, rules).await?;
            // 5 check: what must have been done before, then the rules
            prerequisite::met(self)?;
            time::within(self, Time::Tools, checks).await??;
            // 6 dry run
            time::within(self, Time::Tools, dry_run::stop(self, rules)).await??;
            // 7 approval
            let agreement = approval::ask(self, rules).await?;
            // Room to run in, which no claim waits for.
            room::enter(self).await?;
            // 8 ledger, claim
            ledger::claim(self, agreement).await
        }))
    }

    fn enter(&self) {
        self.entered.store(true, Relaxed);
        if let Some(limit) = self.bounds.as_ref().and_then(Bounds::limit) {
            self.context.must_end(limit);
        }
    }

    fn enter_at_once(&self) -> bool {
        let is_free = !self.waits() && self.entry.room.is_none();
        if is_free {
            self.enter();
        }
        is_free
    }

    fn held(&self) -> Held {
        Held::new(self.context.clone(), Arc::clone(&self.house.states))
    }

    fn apart(&self, work: Work) -> BoxFuture<'_, Result<Output, Stopped>> {
        threads::apart(self, work)
    }
}
