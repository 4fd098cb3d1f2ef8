//! Gates 4 and 8: what the ledger knows of a call, and the claim on it; and what it is told
//! in the end.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::future::{Either, select};
use serde_json::{Map, Value};

use super::approval::Agreement;
use super::arguments::Canonical;
use super::run::{self, Broken, Ended};
use super::time::{self, Time};
use super::{House, Timer, Way};
use crate::call::{Outcome, Status};
use crate::caller::Caller;
use crate::content::Content;
use crate::error::{Abort, Category, Cause, Failure, ToolConfigError};
use crate::ledger::inside::{
    self as ledger, Attempt, Book, Claim, Known, Proposal, Record, Resumed, Settled, StoredError,
    StoredOutcome, Verdict,
};
use crate::ledger::{ApprovalId, Digest, LedgerError, RowState, intent_id};
use crate::tool::{Effect, LedgerUse, OnUnknown, Rule, Rules, Said, Stopped, Tool, Verified};

/// The longest result that a row keeps, in bytes.
const MOST_KEPT: usize = 64 * 1024;

/// Whether the calls of a tool are rows of a ledger where there is one.
pub(super) fn keeps(tool: &Tool) -> bool {
    let policy = &tool.policy;
    policy.ledger == LedgerUse::Needed && (policy.is_effectful() || policy.may_ask())
}

/// What the ledger keeps of a call on its way.
pub(super) struct Kept<'a> {
    book: &'a Book,
    intent_id: Option<Box<str>>,
    pub(super) parked: Option<Parked>,
    /// Once the arguments are known.
    proposal: OnceLock<Proposal>,
    /// Once it is taken.
    attempt: OnceLock<Attempt>,
}

/// A call that people were asked of.
#[derive(Clone)]
pub(super) struct Parked {
    pub(super) id: ApprovalId,
    pub(super) record: Arc<Record>,
}

/// The parked call that a caller resumes; nobody is told of those of others.
pub(super) async fn parked(
    house: &House,
    caller: &Caller,
    approval_id: &str,
) -> Result<Parked, Outcome> {
    let nothing = || Outcome::nothing_parked(approval_id);
    let book = house.book.as_ref().ok_or_else(nothing)?;
    let id: ApprovalId = approval_id.parse().ok().ok_or_else(nothing)?;
    let record = book.find(id).await.map_err(|error| unreachable("the call", &error))?;
    let record = record.filter(|record| {
        record.principal == caller.principal()
            && record.tenant == caller.tenant_name().unwrap_or_default()
    });
    Ok(Parked { id, record: Arc::new(record.ok_or_else(nothing)?) })
}

/// Ends what waits where today's registry would not take the call that was shown.
pub(super) async fn overtaken(
    house: &House,
    parked: &Parked,
    is_gone: bool,
    outcome: Outcome,
) -> Outcome {
    let Some(book) = &house.book else { return outcome };
    let Parked { id, record } = parked;
    let tool = &record.tool;
    let ended = match outcome.status() {
        Status::UnknownTool if is_gone => book.invalidate(*id, "it is gone").await,
        Status::Invalid => book.invalidate(*id, "it takes other arguments").await,
        Status::Denied => {
            let why = outcome.host_note().unwrap_or("the caller may not call it");
            book.deny(*id, why).await
        }
        _ => return outcome,
    };
    match ended {
        Ok(Some(known)) => answer(tool, known),
        Ok(None) => outcome,
        Err(error) => unreachable(tool, &error),
    }
}

impl<'a> Kept<'a> {
    pub(super) fn new(book: &'a Book, intent_id: Option<Box<str>>, parked: Option<Parked>) -> Self {
        let (proposal, attempt) = (OnceLock::new(), OnceLock::new());
        Self { book, intent_id, parked, proposal, attempt }
    }

    /// Names the call, now that its arguments are known.
    pub(super) fn name(&self, way: &Way<'_>, canonical: &Canonical) -> Result<(), Stopped> {
        let (caller, tool) = (way.context.caller(), &way.entry.tool);
        let tenant = caller.tenant_name().unwrap_or_default();
        let fingerprint = match (&canonical.told, way.house.secret_key.as_deref()) {
            (None, _) => Digest::of_arguments(&canonical.text),
            (Some(_), Some(key)) => Digest::of_secret(key, &canonical.text),
            (Some(_), None) => return Err(keyless()),
        };
        let key = match &self.parked {
            Some(Parked { record, .. }) if record.arguments == canonical.text => record.key,
            Some(_) => return Err(refused(Outcome::read_otherwise(&tool.name))),
            None => {
                let key = self.key(way, canonical, &fingerprint)?;
                ledger::row_key(tenant, caller.principal(), &tool.name, &key)
            }
        };
        way.context.name(key.to_string());
        self.proposal.get_or_init(|| Proposal {
            key,
            fingerprint,
            tenant: tenant.to_owned(),
            principal: caller.principal().to_owned(),
            tool: tool.name.clone(),
            revision: way.entry.revision,
            on_unknown: match tool.policy.effect {
                Some(Effect::Read) => OnUnknown::Rerun,
                _ => tool.policy.on_unknown,
            },
            arguments: canonical.told_text().to_owned(),
            keyed: canonical.told.is_some(),
            lease: self.lease(),
        });
        Ok(())
    }

    /// The book, and what it calls this call.
    pub(super) fn proposed(&self) -> Option<(&'a Book, &Proposal)> {
        Some((self.book, self.proposal.get()?))
    }

    fn lease(&self) -> Duration {
        self.book.settings().lease
    }

    /// The claim on the call, once it is taken.
    pub(super) fn hold(&self) -> Option<Hold> {
        Some(Hold { book: self.book.clone(), attempt: *self.attempt.get()? })
    }

    /// What makes two calls of one caller and one tool the same.
    fn key(
        &self,
        way: &Way<'_>,
        canonical: &Canonical,
        fingerprint: &Digest,
    ) -> Result<String, Stopped> {
        if let Some(intent) = &self.intent_id {
            let intent = intent_id(intent)
                .map_err(|error| Stopped::Failed(ToolConfigError::new(error.to_string()).into()))?;
            return Ok(format!("intent {intent}"));
        }
        let fields = &way.entry.tool.policy.idempotency;
        if fields.is_empty() {
            let run_id = way.context.run_id().unwrap_or_default();
            return Ok(format!("run {}", ledger::key_of_run(run_id, fingerprint)));
        }
        let value = |name: &String| canonical.value.get(name).cloned().unwrap_or_default();
        let named = fields.iter().map(|name| (name.clone(), value(name)));
        Ok(format!("fields {}", Value::Object(named.collect::<Map<_, _>>())))
    }

    /// Runs a call to its end, and keeps its claim alive where there is a timer.
    pub(super) async fn alive(&self, house: &House, call: impl Future<Output = Ended>) -> Ended {
        let Some(timer) = &house.timer else { return call.await };
        let (call, beats) = (pin!(call), pin!(self.beat(&**timer)));
        match select(call, beats).await {
            Either::Left((ended, _)) => ended,
            Either::Right((never, _)) => match never {},
        }
    }

    async fn beat(&self, timer: &dyn Timer) -> Infallible {
        loop {
            let Some(sleep) = time::sleep(timer, pause(self.book)) else {
                return std::future::pending().await;
            };
            sleep.await;
            let Some(hold) = self.hold() else { continue };
            if !hold.extend().await {
                return std::future::pending().await;
            }
        }
    }

    /// Tells the ledger how the attempt ended; what the model reads of it then.
    pub(super) async fn settle(
        &self,
        house: &House,
        tool: &Tool,
        ending: Ending,
        ended: Result<Outcome, Abort>,
    ) -> Result<Outcome, Abort> {
        let Some(attempt) = self.attempt.get() else { return ended };
        let written = match (&ending, &ended) {
            (Ending::Over, Ok(outcome)) if outcome.is_error() => {
                ledger::Ended::Final(stored(outcome))
            }
            (Ending::Over, Ok(outcome)) => ledger::Ended::Complete(stored(outcome)),
            (Ending::Clean, Ok(outcome)) => ledger::Ended::Clean(stored(outcome)),
            (Ending::Ambiguous(cause), _) => ledger::Ended::Ambiguous((*cause).to_owned()),
            (_, Err(abort)) => ledger::Ended::Ambiguous(abort.to_string()),
        };
        let (tool, key) = (tool.name.as_str(), &attempt.key);
        match self.tell(house, attempt, written).await {
            Ok(Settled::Recorded(RowState::InDoubt)) => ended.map(Outcome::left_in_doubt),
            Ok(Settled::Recorded(_)) => ended,
            Ok(Settled::Stale(winner)) => {
                tracing::error!(tool, %key, "a call was taken over while it ran");
                match winner {
                    Some(first) => ended.map(|_| Outcome::duplicate(restored(first))),
                    None => ended,
                }
            }
            Err(error) => {
                // What happened, happened; the row turns to in doubt by its lease.
                tracing::error!(tool, %key, %error, "an outcome could not be recorded");
                let noted =
                    ended.map(|outcome| outcome.noting("the ledger could not record the outcome"));
                match ending {
                    Ending::Ambiguous(_) => noted.map(Outcome::left_in_doubt),
                    Ending::Over | Ending::Clean => noted,
                }
            }
        }
    }

    /// Tells it until the ledger answers or the lease is over.
    async fn tell(
        &self,
        house: &House,
        attempt: &Attempt,
        ended: ledger::Ended,
    ) -> Result<Settled, LedgerError> {
        let mut left = self.lease();
        loop {
            let settled = self.book.settle(attempt, ended.clone()).await;
            let is_worth_it = left >= PAUSE && matches!(settled, Err(LedgerError::Unavailable(_)));
            let timer = house.timer.as_deref().filter(|_| is_worth_it);
            let Some(pause) = timer.and_then(|timer| time::sleep(timer, PAUSE)) else {
                return settled;
            };
            pause.await;
            left = left.saturating_sub(PAUSE);
        }
    }
}

/// The claim on a call, for who keeps it alive while its function runs.
pub(super) struct Hold {
    book: Book,
    attempt: Attempt,
}

impl Hold {
    /// How long after one word that it runs the next one is due.
    pub(super) fn pause(&self) -> Duration {
        pause(&self.book)
    }

    /// Says that the function runs on; `false` where that keeps the call no more.
    pub(super) async fn extend(&self) -> bool {
        let Attempt { key, .. } = &self.attempt;
        match self.book.heartbeat(&self.attempt, self.book.settings().lease).await {
            Ok(Some(_)) => true,
            Ok(None) => {
                tracing::error!(%key, "a call is not its attempt's any more, which still runs");
                false
            }
            Err(error) => {
                tracing::warn!(%key, %error, "a lease stays as it is");
                true
            }
        }
    }
}

fn pause(book: &Book) -> Duration {
    book.settings().lease / 3
}

/// How long a store that does not answer is left alone.
const PAUSE: Duration = Duration::from_secs(1);

/// The end of a parked call whose tool is not the one that was shown; a rehearsal writes nothing.
pub(super) async fn changed(
    book: &Book,
    id: ApprovalId,
    tool: &str,
    is_rehearsal: bool,
) -> Outcome {
    const WHY: &str = "it changed";
    if is_rehearsal {
        return Outcome::overtaken(tool, WHY);
    }
    match book.invalidate(id, WHY).await {
        Ok(known) => known.map_or_else(|| Outcome::overtaken(tool, WHY), |k| answer(tool, k)),
        Err(error) => unreachable(tool, &error),
    }
}

/// Gate 4: a call that the ledger knows is answered without being run.
pub(super) async fn look(way: &Way<'_>, rules: &dyn Rules) -> Result<(), Stopped> {
    let Some(kept) = &way.kept else { return Ok(()) };
    let Some((book, proposal)) = kept.proposed() else { return Err(unnamed()) };
    let tool = &way.entry.tool.name;
    if let Some(Parked { id, record }) = way.parked()
        && record.tool_revision != way.entry.revision
    {
        return Err(refused(changed(book, *id, tool, way.is_rehearsal).await));
    }
    let mut known = book.look(proposal).await.map_err(|error| stop(way, &error))?;
    if let Some(Known::InDoubt { attempt, seen_at, .. }) = known
        && way.entry.tool.policy.on_unknown == OnUnknown::Verify
        && !way.is_rehearsal
    {
        let verdict = verified(way, rules).await;
        let verdict = book.verified(&proposal.key, attempt, seen_at, verdict).await;
        known = match verdict.map_err(|error| stop(way, &error))? {
            Verdict::NotYet(_) => known,
            Verdict::Known(other) => Some(other),
            Verdict::Settled(_) | Verdict::Nothing => {
                book.look(proposal).await.map_err(|error| stop(way, &error))?
            }
        };
    }
    match known {
        None => Ok(()),
        // The claim looks once more, and consumes the approval in the same write.
        Some(Known::Awaiting { carried: true, .. }) if way.parked().is_some() => Ok(()),
        Some(known) => Err(refused(answer(tool, known))),
    }
}

/// What the tool sees at its target; a look that fails tells nothing.
async fn verified(way: &Way<'_>, rules: &dyn Rules) -> Verified<StoredOutcome> {
    let told = time::within(way, Time::Tools, rules.said(Rule::Verify)).await;
    let Ok(Ok(Said::Verify(seen))) = told else {
        return Verified::Unknown;
    };
    match seen {
        Ok(Verified::Applied(output)) => {
            let most = run::most_bytes(&way.entry.tool, &way.house.limits);
            Verified::Applied(stored(&output.told().within(most)))
        }
        Ok(Verified::NotApplied) => Verified::NotApplied,
        Ok(Verified::Unknown) => Verified::Unknown,
        Err(failure) => {
            let tool = &way.entry.tool.name;
            tracing::warn!(tool, ?failure, "a tool could not look whether its call took effect");
            Verified::Unknown
        }
    }
}

/// Gate 8: one compare-and-swap takes the call, and consumes the approval.
pub(super) async fn claim(way: &Way<'_>, agreement: Agreement) -> Result<(), Stopped> {
    let Some(kept) = &way.kept else { return Ok(()) };
    let Some((book, proposal)) = kept.proposed() else { return Err(unnamed()) };
    let tool = &way.entry.tool.name;
    let claimed = match agreement {
        Agreement::NotNeeded => book.claim(proposal, None).await,
        Agreement::InLine(agreed) => book.claim(proposal, Some(agreed)).await,
        Agreement::Parked(id, today) => match book.claim_approved(id, &today, kept.lease()).await {
            Ok(Resumed::Claimed(attempt, _)) => Ok(Claim::Claimed(attempt)),
            Ok(Resumed::Known(known)) => Ok(Claim::Known(known)),
            Ok(Resumed::NoRow) => {
                return Err(refused(Outcome::nothing_parked(&id.to_string())));
            }
            Err(error) => Err(error),
        },
    };
    match claimed.map_err(|error| stop(way, &error))? {
        Claim::Claimed(attempt) => {
            kept.attempt.get_or_init(|| attempt);
            Ok(())
        }
        Claim::Known(known) => Err(refused(answer(tool, known))),
    }
}

/// How an attempt ended, as far as the ledger must know.
pub(super) enum Ending {
    /// The function returned, or decided against it: the same call is answered with that.
    Over,
    /// It failed, and says itself that nothing happened.
    Clean,
    /// It broke off.
    Ambiguous(&'static str),
}

pub(super) fn ending(ended: &Ended) -> Ending {
    match ended {
        Ok(Ok(_) | Err(Stopped::Untellable(_))) => Ending::Over,
        Ok(Err(Stopped::Refused(_))) => Ending::Clean,
        Ok(Err(Stopped::Failed(Failure(cause)))) => match cause {
            Cause::Tool(error) if error.is_retryable() => Ending::Clean,
            Cause::Tool(_) => Ending::Over,
            Cause::Fatal(_) => Ending::Ambiguous("the tool ended the run"),
            Cause::Config(_) => Ending::Ambiguous("the tool is wired wrongly"),
            Cause::Internal(_) => Ending::Ambiguous("the tool failed internally"),
        },
        Err(Broken::Panicked(_)) => Ending::Ambiguous("the tool panicked"),
        Err(Broken::Cut(cut)) => Ending::Ambiguous(time::cause(*cut)),
    }
}

/// What the model reads of a call that is not run.
pub(super) fn answer(tool: &str, known: Known) -> Outcome {
    match known {
        Known::Conflict => Outcome::conflict(tool),
        Known::InProgress { retry_after, .. } => Outcome::in_progress(tool, retry_after),
        Known::InDoubt { cause, .. } => Outcome::in_doubt(tool, &cause),
        Known::Done(first) => Outcome::duplicate(restored(first)),
        Known::Awaiting { approval_id, .. } => {
            Outcome::awaiting_approval(tool, &approval_id.to_string())
        }
        Known::Declined { reason, .. } => Outcome::declined(reason.as_deref()),
        Known::Expired => Outcome::expired(tool),
        Known::Invalidated { why } => Outcome::overtaken(tool, &why),
        Known::Denied { why } => Outcome::not_permitted(tool, why),
    }
}

pub(super) fn stop(way: &Way<'_>, error: &LedgerError) -> Stopped {
    refused(unreachable(&way.entry.tool.name, error))
}

/// The end of a call of which the ledger can not be asked: nothing runs.
fn unreachable(tool: &str, error: &LedgerError) -> Outcome {
    tracing::error!(tool, %error, "the ledger can not be asked; nothing runs");
    match error {
        // Who can not read a row does not know whether its call took effect.
        LedgerError::Corrupt(_) | LedgerError::Newer(_) => {
            Outcome::in_doubt(tool, &error.to_string())
        }
        other => Outcome::unavailable(tool, other.to_string()),
    }
}

/// Found nowhere: the arguments gate names every call that is kept.
fn unnamed() -> Stopped {
    Stopped::Failed(ToolConfigError::new("its row was asked for before its arguments").into())
}

/// Found when the registry is built.
fn keyless() -> Stopped {
    Stopped::Failed(ToolConfigError::new("a secret is kept and there is no key for it").into())
}

pub(super) fn refused(outcome: Outcome) -> Stopped {
    Stopped::Refused(Box::new(outcome))
}

/// An outcome as a row keeps it.
fn stored(outcome: &Outcome) -> StoredOutcome {
    let text = outcome.text();
    let is_kept = text.len() <= MOST_KEPT && !outcome.is_secret();
    let error = outcome.is_error().then(|| StoredError {
        category: outcome.category().map_or("", Category::as_str).to_owned(),
        retryable: outcome.is_retryable(),
        hint: outcome.hint().map(str::to_owned),
    });
    StoredOutcome {
        status: outcome.status().as_str().to_owned(),
        text: if is_kept {
            text.to_owned()
        } else if outcome.is_secret() {
            "(the first result is secret and is not kept)".to_owned()
        } else {
            format!("(the first result had {} bytes and is not kept)", text.len())
        },
        is_json: is_kept && outcome.is_json(),
        content: if is_kept { kept(outcome.content()) } else { Vec::new() },
        error,
    }
}

/// The blocks of a result, where they are not more than a row keeps; its text tells of them.
fn kept(blocks: &[Content]) -> Vec<Content> {
    let weight: usize = blocks.iter().map(Content::weight).sum();
    if weight <= MOST_KEPT { blocks.to_vec() } else { Vec::new() }
}

fn restored(stored: StoredOutcome) -> Outcome {
    let StoredOutcome { status, text, is_json, content, error } = stored;
    let status = Status::named(&status).unwrap_or(Status::Failed);
    match error {
        None => Outcome::ok(text, is_json).with_content(content),
        Some(StoredError { category, retryable, hint }) => {
            Outcome::kept_error(status, text, Category::named(&category), retryable, hint)
        }
    }
}
