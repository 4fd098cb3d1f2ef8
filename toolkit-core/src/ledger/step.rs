//! What happens to a call: the only place with logic, without a clock, a store or a thread.

use std::time::Duration;

use super::event::{Decision, Ended, Event, Haste, Resolution, Terms, Today};
use super::key::{ApprovalId, AttemptId, Digest, Doubt};
use super::person::Person;
use super::record::{Approval, Proposal, Record, Rules, State, StoredOutcome, Vote};
use super::reply::{Attempt, Known, Refusal, Reply};
use super::store::Timestamp;
use crate::tool::{OnUnknown, Verified};

/// What an event comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The record to write; `None` where nothing is written.
    pub record: Option<Record>,
    /// What is told of it.
    pub reply: Reply,
    /// What is noted with the write.
    pub line: Option<Line>,
}

/// What is noted of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Who did it.
    pub actor: String,
    /// What was done.
    pub event: &'static str,
    /// What else is to be said.
    pub detail: String,
}

/// Says what an event does to a call at a moment by the store's clock.
#[must_use]
pub fn step(record: Option<&Record>, event: &Event, now: Timestamp) -> Step {
    let Some(record) = record else {
        return first(event, now);
    };
    // A worker that did not hear the answer asks once more; its call is still its own.
    if let Some((attempt, owner, lease)) = event.repeats(record) {
        return again(record, attempt, owner, lease, now);
    }
    let draft = Draft::of(record, now);
    let asked = record.approval.as_ref().map(|approval| approval.id);
    if event.of().is_some_and(|of| asked != Some(of)) {
        // Its own write put another id there, and it did not hear the answer.
        let is_own = event.anew().is_some_and(|id| asked == Some(id));
        return if is_own { draft.known() } else { Step::told(Reply::NoRow) };
    }
    match event {
        Event::Look(call) => look(record, call, now),
        Event::Claim { call, rules, attempt, owner, agreed } => {
            let vote = agreed.as_ref().map(|agreed| agreed.vote(now));
            claim(draft, call, *rules, *attempt, owner, vote)
        }
        Event::Park { call, rules, id, terms } => park(draft, call, *rules, *id, terms),
        Event::Resume { of: _, attempt, owner, lease, today, id } => {
            resume(draft, *attempt, owner, *lease, today, *id)
        }
        Event::Settle { attempt, ended } => settle(record, *attempt, ended, now),
        Event::Heartbeat { attempt, lease } => heartbeat(record, *attempt, *lease, now),
        Event::Verified { attempt, looked_at, verdict } => {
            verified(draft, *attempt, *looked_at, verdict)
        }
        Event::Decide { of: _, person, decision } => decide(draft, person, decision),
        Event::Turned { of: _, person, why } => turned(draft, person, why),
        Event::Resolve { person, doubt, resolution, haste, reason } => {
            resolve(draft, person, doubt, resolution, *haste, reason)
        }
        Event::Invalidate { of: _, why } => {
            close(draft, "invalidated", State::Invalidated { why: why.clone() }, why)
        }
        Event::Deny { of: _, why } => {
            close(draft, "denied", State::Denied { why: why.clone() }, why)
        }
        Event::Repark { of: _, id, terms, why } => match draft.record.state {
            State::Parked | State::Approved => reparked(draft, *id, terms, why),
            _ => draft.known(),
        },
        Event::Sweep => sweep(draft),
    }
}

/// An event of which no row tells.
fn first(event: &Event, now: Timestamp) -> Step {
    let empty = |call: &Proposal, rules| {
        let record = Record::new(call.clone(), rules, State::Free, now);
        Draft { record, now, aged: None }
    };
    match event {
        Event::Look(_) => Step::told(Reply::Fresh),
        Event::Claim { call, rules, attempt, owner, agreed } => {
            let vote = agreed.as_ref().map(|agreed| agreed.vote(now));
            run(empty(call, *rules), *attempt, owner, call.lease, vote)
        }
        Event::Park { call, rules, id, terms } => {
            let scopes = terms.scopes.join(" ");
            ask(empty(call, *rules), *id, terms, "parked", &scopes)
        }
        Event::Resume { .. }
        | Event::Settle { .. }
        | Event::Heartbeat { .. }
        | Event::Verified { .. }
        | Event::Decide { .. }
        | Event::Turned { .. }
        | Event::Resolve { .. }
        | Event::Invalidate { .. }
        | Event::Deny { .. }
        | Event::Repark { .. }
        | Event::Sweep => Step::told(Reply::NoRow),
    }
}

/// The same call without a write.
fn look(record: &Record, call: &Proposal, now: Timestamp) -> Step {
    let draft = Draft::of(record, now);
    let known = draft.conflict(call).or_else(|| draft.standing());
    Step::told(known.map_or(Reply::Fresh, Reply::Known))
}

fn claim(
    draft: Draft,
    call: &Proposal,
    rules: Rules,
    attempt: AttemptId,
    owner: &str,
    vote: Option<Vote>,
) -> Step {
    if let Some(conflict) = draft.conflict(call) {
        return draft.told(Reply::Known(conflict));
    }
    match draft.standing() {
        Some(known) => draft.told(Reply::Known(known)),
        None => run(draft.renewed(call, rules), attempt, owner, call.lease, vote),
    }
}

fn park(draft: Draft, call: &Proposal, rules: Rules, id: ApprovalId, terms: &Terms) -> Step {
    if let Some(known) = draft.conflict(call).or_else(|| draft.standing()) {
        return draft.told(Reply::Known(known));
    }
    ask(draft.renewed(call, rules), id, terms, "parked", &terms.scopes.join(" "))
}

/// Consumes an approval and claims, in one write.
fn resume(
    draft: Draft,
    attempt: AttemptId,
    owner: &str,
    lease: Duration,
    today: &Today,
    id: ApprovalId,
) -> Step {
    let (State::Parked | State::Approved, Some(approval)) =
        (&draft.record.state, &draft.record.approval)
    else {
        return draft.known();
    };
    if !draft.record.tool_revision.is(&today.revision) {
        let why = "the tool is not the one that was shown".to_owned();
        return close(draft, "invalidated", State::Invalidated { why: why.clone() }, &why);
    }
    if let Some(why) = today.asks_anew(approval) {
        return reparked(draft, id, &today.terms, why);
    }
    if draft.record.state == State::Parked {
        return draft.known();
    }
    run(draft, attempt, owner, lease, None)
}

/// Gives the call to a worker.
fn run(
    mut draft: Draft,
    attempt: AttemptId,
    owner: &str,
    lease: Duration,
    vote: Option<Vote>,
) -> Step {
    let lease_until = draft.now.plus(lease);
    let record = &mut draft.record;
    record.attempts = record.attempts.saturating_add(1);
    record.released = None;
    record.agreed = vote;
    record.state = State::Running { attempt, owner: owner.to_owned(), lease_until };
    let number = record.attempts;
    let claimed = Attempt { id: attempt, number, lease_until, key: record.key };
    let mut detail = format!("attempt {number}, {attempt}");
    if let Some(Vote { by, channel, .. }) = &record.agreed {
        detail.extend([", ", by, " (", channel, ") agreed"]);
    }
    draft.wrote(owner.to_owned(), "claimed", detail, Reply::Claimed(claimed))
}

fn again(
    record: &Record,
    attempt: AttemptId,
    owner: &str,
    lease: Duration,
    now: Timestamp,
) -> Step {
    let mut draft = Draft { record: record.clone(), now, aged: None };
    let (key, number) = (record.key, record.attempts);
    let lease_until = now.plus(lease);
    draft.record.state = State::Running { attempt, owner: owner.to_owned(), lease_until };
    let claimed = Attempt { id: attempt, number, lease_until, key };
    let detail = format!("attempt {number}, {attempt}, once more");
    draft.wrote(owner.to_owned(), "claimed", detail, Reply::Claimed(claimed))
}

/// Leaves the call to people.
fn ask(mut draft: Draft, id: ApprovalId, terms: &Terms, event: &'static str, detail: &str) -> Step {
    let now = draft.now;
    let expires_at = now.plus(terms.time_to_live);
    let record = &mut draft.record;
    let binding = record.binding_of(id, &terms.rendered, expires_at);
    record.state = State::Parked;
    record.approval = Some(Approval {
        id,
        rendered: terms.rendered.clone(),
        binding,
        quorum: terms.quorum.max(1),
        four_eyes: terms.four_eyes,
        preview: terms.preview.clone(),
        preview_must_match: terms.preview_must_match,
        scopes: terms.scopes.clone(),
        tainted: terms.tainted,
        asked_at: now,
        expires_at,
        votes: Vec::new(),
    });
    let actor = record.principal.clone();
    let detail = if detail.is_empty() { id.to_string() } else { format!("{id}, {detail}") };
    let known = draft.record.answer(now);
    draft.wrote(actor, event, detail, known.map_or(Reply::Fresh, Reply::Known))
}

/// Asks people once more, by another id.
fn reparked(draft: Draft, id: ApprovalId, terms: &Terms, why: &str) -> Step {
    ask(draft, id, terms, "parked anew", why)
}

/// Ends what waits, without a run.
fn close(mut draft: Draft, event: &'static str, state: State, why: &str) -> Step {
    if !matches!(draft.record.state, State::Parked | State::Approved) {
        return draft.known();
    }
    draft.record.state = state;
    let known = draft.record.answer(draft.now);
    let reply = known.map_or(Reply::Fresh, Reply::Known);
    draft.wrote(LEDGER.to_owned(), event, why.to_owned(), reply)
}

/// A worker says how its attempt ended.
fn settle(record: &Record, attempt: AttemptId, ended: &Ended, now: Timestamp) -> Step {
    let draft = Draft { record: record.clone(), now, aged: None };
    let known = match &record.state {
        State::Running { attempt: of, lease_until, .. } if *of == attempt => {
            return end(draft, attempt, *lease_until, ended);
        }
        // What the same attempt tells late resolves the doubt.
        State::InDoubt { attempt: of, lease_until, .. } if *of == attempt => {
            return match ended {
                Ended::Ambiguous(_) => draft.settled(),
                _ => end(draft, attempt, *lease_until, ended),
            };
        }
        State::Free | State::Approved if record.released == Some(attempt) => {
            return match ended {
                Ended::Complete(_) | Ended::Final(_) => end(draft, attempt, now, ended),
                Ended::Clean(_) | Ended::Ambiguous(_) => draft.settled(),
            };
        }
        State::Done { attempt: of, outcome, .. } if *of == attempt => match ended {
            Ended::Complete(late) | Ended::Final(late) if late != outcome => Some(outcome.clone()),
            _ => return draft.settled(),
        },
        State::Done { outcome, .. } => Some(outcome.clone()),
        _ => None,
    };
    match ended {
        // An attempt that lost the call took effect: that must be found by who looks.
        Ended::Complete(late) | Ended::Final(late) => {
            let detail = format!("too late to count: {}", late.status);
            draft.wrote(attempt.to_string(), "ended late", detail, Reply::Stale(known))
        }
        Ended::Clean(_) | Ended::Ambiguous(_) => Step::told(Reply::Stale(known)),
    }
}

fn end(mut draft: Draft, attempt: AttemptId, lease_until: Timestamp, ended: &Ended) -> Step {
    let (event, detail) = match ended {
        Ended::Complete(outcome) | Ended::Final(outcome) => {
            let status = outcome.status.clone();
            draft.finish(attempt, outcome.clone());
            ("finished", status)
        }
        Ended::Clean(outcome) => {
            if matches!(draft.record.state, State::InDoubt { .. }) {
                draft.record.unknown = draft.record.unknown.saturating_sub(1);
            }
            draft.give_back(attempt);
            ("released", format!("nothing happened: {}", outcome.status))
        }
        Ended::Ambiguous(cause) => (draft.lost(attempt, lease_until, cause), cause.clone()),
    };
    let reply = Reply::Settled(draft.record.state.row_state());
    draft.wrote(attempt.to_string(), event, detail, reply)
}

fn heartbeat(record: &Record, attempt: AttemptId, lease: Duration, now: Timestamp) -> Step {
    let mut draft = Draft { record: record.clone(), now, aged: None };
    match &mut draft.record.state {
        // What is in doubt may still run, and then it is not settled for longer.
        State::Running { attempt: of, lease_until, .. }
        | State::InDoubt { attempt: of, lease_until, .. }
            if *of == attempt =>
        {
            let until = now.plus(lease).max(*lease_until);
            *lease_until = until;
            draft.wrote(attempt.to_string(), "heartbeat", String::new(), Reply::Extended(until))
        }
        _ => Step::told(Reply::Lost),
    }
}

/// The tool looked at its target.
fn verified(
    mut draft: Draft,
    attempt: AttemptId,
    looked_at: Timestamp,
    verdict: &Verified<StoredOutcome>,
) -> Step {
    let lease_until = match &draft.record.state {
        State::InDoubt { attempt: of, lease_until, .. } if *of == attempt => *lease_until,
        _ => return draft.known(),
    };
    let actor = draft.record.tool.clone();
    let event = match verdict {
        Verified::Unknown => return draft.known(),
        Verified::Applied(outcome) => {
            draft.finish(attempt, outcome.clone());
            "verified"
        }
        Verified::NotApplied => {
            if let Some(from) = draft.unsettled(lease_until, looked_at) {
                return draft.told(Reply::Refused(Refusal::NotSettled { from }));
            }
            draft.release(attempt);
            "verified"
        }
    };
    let state = draft.record.state.row_state();
    draft.wrote(actor, event, format!("{attempt}: {state}"), Reply::Settled(state))
}

/// A person says what became of a call in doubt.
fn resolve(
    mut draft: Draft,
    person: &Person,
    doubt: &Doubt,
    resolution: &Resolution,
    haste: Haste,
    reason: &str,
) -> Step {
    if person.tenant_name() != draft.record.tenant {
        return draft.told(Reply::NoRow);
    }
    let (attempt, lease_until) = match &draft.record.state {
        State::InDoubt { attempt, lease_until, .. } => (*attempt, *lease_until),
        other => {
            let state = other.row_state();
            return draft.told(Reply::Refused(Refusal::NotInDoubt { state }));
        }
    };
    if attempt != doubt.attempt {
        return draft.told(Reply::Refused(Refusal::OtherAttempt));
    }
    let early = draft.unsettled(lease_until, doubt.seen_at);
    match resolution {
        Resolution::Applied(text) => draft.finish(attempt, StoredOutcome::ok(text)),
        Resolution::NotApplied | Resolution::RunAgain => {
            if let (Some(from), Haste::Settled) = (early, haste) {
                return draft.told(Reply::Refused(Refusal::NotSettled { from }));
            }
            draft.release(attempt);
        }
    }
    let forced = match (resolution, haste, early) {
        (Resolution::NotApplied | Resolution::RunAgain, Haste::Forced, Some(_)) => {
            ", forced before it was settled"
        }
        _ => "",
    };
    let state = draft.record.state.row_state();
    let detail = format!("{attempt} {}{forced}: {reason}", resolution.as_str());
    draft.wrote(person.to_string(), "resolved", detail, Reply::Settled(state))
}

/// A person decides on what waits.
fn decide(draft: Draft, person: &Person, decision: &Decision) -> Step {
    let Record { approval: Some(approval), tenant, .. } = &draft.record else {
        return draft.told(Reply::NoRow);
    };
    if person.tenant_name() != tenant {
        return draft.told(Reply::NoRow);
    }
    let state = draft.record.state.row_state();
    let refusal = match (decision, &draft.record.state) {
        (Decision::Approve { seen }, State::Parked) => {
            return approve(draft, person, seen);
        }
        (Decision::Decline { reason }, State::Parked | State::Approved) => {
            return decline(draft, person, reason.clone());
        }
        (_, State::Declined { by, .. }) => Refusal::AlreadyDecided { state, by: vec![by.clone()] },
        (
            Decision::Approve { .. },
            State::Approved | State::Running { .. } | State::InDoubt { .. } | State::Done { .. },
        ) => {
            let by = approval.votes.iter().map(|vote| vote.by.clone()).collect();
            Refusal::AlreadyDecided { state, by }
        }
        _ => Refusal::TooLate { state },
    };
    draft.told(Reply::Refused(refusal))
}

fn approve(mut draft: Draft, person: &Person, seen: &Digest) -> Step {
    let (now, requester) = (draft.now, draft.record.principal.clone());
    let Some(approval) = &mut draft.record.approval else {
        return draft.told(Reply::NoRow);
    };
    if !approval.binding.is(seen) {
        return draft.told(Reply::Refused(Refusal::StaleView));
    }
    let by = person.name().to_owned();
    if approval.four_eyes && by == requester {
        let why = "who asked for it can not agree to it".to_owned();
        let reply = Reply::Refused(Refusal::FourEyes);
        return draft.wrote(person.to_string(), "turned away", why, reply);
    }
    if approval.votes.iter().any(|vote| vote.by == by) {
        let state = draft.record.state.row_state();
        return draft.told(Reply::Refused(Refusal::AlreadyDecided { state, by: vec![by] }));
    }
    let channel = person.channel().to_owned();
    approval.votes.push(Vote { by, channel, binding: approval.binding, at: now });
    let (votes, quorum) = (approval.votes.len(), approval.quorum);
    let carried = approval.is_carried();
    if carried {
        draft.record.state = State::Approved;
    }
    let reply = Reply::Agreed { carried };
    draft.wrote(person.to_string(), "agreed", format!("{votes} of {quorum}"), reply)
}

/// A person who may not decide tried to; that is kept.
fn turned(draft: Draft, person: &Person, why: &str) -> Step {
    if person.tenant_name() != draft.record.tenant {
        return draft.told(Reply::NoRow);
    }
    let reply = Reply::Refused(Refusal::NotAllowed);
    draft.wrote(person.to_string(), "turned away", why.to_owned(), reply)
}

fn decline(mut draft: Draft, person: &Person, reason: Option<String>) -> Step {
    let event = match draft.record.state {
        State::Approved => "revoked",
        _ => "declined",
    };
    let detail = reason.clone().unwrap_or_default();
    draft.record.state = State::Declined {
        by: person.name().to_owned(),
        channel: person.channel().to_owned(),
        reason,
    };
    draft.wrote(person.to_string(), event, detail, Reply::Declined)
}

/// Tidies what ran out, and says what may go.
fn sweep(draft: Draft) -> Step {
    if draft.aged.is_some() {
        let state = draft.record.state.row_state();
        return draft.told(Reply::Swept(state));
    }
    let over = draft.record.expires_at().is_some_and(|at| at <= draft.now);
    Step::told(if over { Reply::Removable } else { Reply::Unchanged })
}

/// Who does what nobody asked for.
const LEDGER: &str = "ledger";

impl Event {
    /// The attempt that asks for the call that it has.
    fn repeats(&self, record: &Record) -> Option<(AttemptId, &str, Duration)> {
        let State::Running { attempt: of, .. } = &record.state else {
            return None;
        };
        let (attempt, owner, lease) = match self {
            Self::Claim { call, attempt, owner, .. } => {
                let same = record.fingerprint.is(&call.fingerprint);
                return (same && attempt == of).then_some((*attempt, owner, call.lease));
            }
            Self::Resume { attempt, owner, lease, .. } => (*attempt, owner, *lease),
            _ => return None,
        };
        (attempt == *of).then_some((attempt, owner, lease))
    }
}

impl Step {
    /// Nothing is written.
    const fn told(reply: Reply) -> Self {
        Self { record: None, reply, line: None }
    }
}

/// A record as it is by now, and what ran out since it was written.
struct Draft {
    record: Record,
    now: Timestamp,
    aged: Option<(&'static str, String)>,
}

impl Draft {
    fn of(record: &Record, now: Timestamp) -> Self {
        let mut draft = Self { record: record.clone(), now, aged: None };
        match (&record.state, &record.approval) {
            (State::Parked, Some(approval)) if approval.expires_at <= now => {
                draft.record.state = State::Expired;
                draft.aged = Some(("expired", "nobody decided".to_owned()));
            }
            (State::Approved, Some(approval)) if approval.expires_at <= now => {
                draft.record.state = State::Expired;
                draft.aged = Some(("expired", "nobody ran it".to_owned()));
            }
            (State::Running { attempt, lease_until, .. }, _) if *lease_until <= now => {
                let detail = format!("the lease of {attempt} ended");
                let event = draft.lost(*attempt, *lease_until, "the lease ended");
                draft.aged = Some((event, detail));
            }
            _ => {}
        }
        if draft.aged.is_some() {
            draft.record.changed_at = now;
        }
        draft
    }

    /// Nobody knows what came of the attempt: it is run again where that is harmless.
    fn lost(&mut self, attempt: AttemptId, lease_until: Timestamp, cause: &str) -> &'static str {
        let record = &mut self.record;
        record.unknown = record.unknown.saturating_add(1);
        let harmless = match record.on_unknown {
            OnUnknown::Rerun | OnUnknown::RerunWithKey => true,
            OnUnknown::InDoubt | OnUnknown::Verify => false,
        };
        if harmless && record.unknown < record.rules.attempts {
            self.give_back(attempt);
            return "released";
        }
        let (since, cause) = (self.now, cause.to_owned());
        record.state = State::InDoubt { attempt, since, cause, lease_until };
        "in doubt"
    }

    /// It is known that nothing happened, or somebody answers for it.
    fn release(&mut self, attempt: AttemptId) {
        self.record.unknown = 0;
        self.give_back(attempt);
    }

    /// What people agreed to may be run once more until their time is over.
    fn give_back(&mut self, attempt: AttemptId) {
        self.record.released = Some(attempt);
        let holds = |approval: &Approval| self.now < approval.expires_at && approval.is_carried();
        self.record.state = if self.record.approval.as_ref().is_some_and(holds) {
            State::Approved
        } else {
            State::Free
        };
    }

    fn finish(&mut self, attempt: AttemptId, outcome: StoredOutcome) {
        self.record.unknown = 0;
        let replay_until = self.now.plus(self.record.rules.replay);
        self.record.state = State::Done { attempt, outcome, replay_until };
    }

    /// From when on it can not take effect any more, where that is later than somebody looked.
    fn unsettled(&self, lease_until: Timestamp, looked_at: Timestamp) -> Option<Timestamp> {
        let from = lease_until.plus(self.record.rules.settle);
        (looked_at.min(self.now) < from).then_some(from)
    }

    /// The call once more from the beginning; only how often it was tried is kept.
    fn renewed(self, call: &Proposal, rules: Rules) -> Self {
        let old = self.record;
        let mut record = Record::new(call.clone(), rules, State::Free, self.now);
        record.created_at = old.created_at;
        (record.attempts, record.unknown) = (old.attempts, old.unknown);
        Self { record, ..self }
    }

    fn conflict(&self, call: &Proposal) -> Option<Known> {
        (!self.record.fingerprint.is(&call.fingerprint)).then_some(Known::Conflict)
    }

    /// What the same call is answered with instead of being run.
    fn standing(&self) -> Option<Known> {
        match &self.record.state {
            State::Free | State::Expired | State::Invalidated { .. } | State::Denied { .. } => None,
            State::Done { replay_until, .. } if *replay_until <= self.now => None,
            _ => self.record.answer(self.now),
        }
    }

    /// Tells how the call stands; what ran out is written.
    fn known(self) -> Step {
        let known = self.record.answer(self.now);
        self.told(known.map_or(Reply::Fresh, Reply::Known))
    }

    /// Tells that it was told before.
    fn settled(self) -> Step {
        Step::told(Reply::Settled(self.record.state.row_state()))
    }

    /// Tells something; what ran out is written.
    fn told(self, reply: Reply) -> Step {
        let Some((event, detail)) = self.aged else {
            return Step::told(reply);
        };
        let line = Line { actor: LEDGER.to_owned(), event, detail };
        Step { record: Some(self.record), reply, line: Some(line) }
    }

    fn wrote(mut self, actor: String, event: &'static str, detail: String, reply: Reply) -> Step {
        let detail = match self.aged {
            Some((_, aged)) => format!("{detail}; {aged}"),
            None => detail,
        };
        self.record.changed_at = self.now;
        Step { record: Some(self.record), reply, line: Some(Line { actor, event, detail }) }
    }
}

impl Record {
    /// How the call stands, for who has to do with it; `None` where it is free.
    #[must_use]
    pub fn answer(&self, now: Timestamp) -> Option<Known> {
        let asked = self.approval.as_ref();
        Some(match &self.state {
            State::Free => match asked {
                // It was run once, and what people agreed to has run out since.
                Some(_) => Known::Expired,
                None => return None,
            },
            State::Parked | State::Approved => {
                let approval = asked?;
                Known::Awaiting {
                    approval_id: approval.id,
                    expires_at: approval.expires_at,
                    carried: self.state == State::Approved,
                }
            }
            State::Declined { by, reason, .. } => {
                Known::Declined { by: by.clone(), reason: reason.clone() }
            }
            State::Expired => Known::Expired,
            State::Invalidated { why } => Known::Invalidated { why: why.clone() },
            State::Denied { why } => Known::Denied { why: why.clone() },
            State::Running { attempt, lease_until, .. } => {
                Known::InProgress { attempt: *attempt, retry_after: lease_until.since(now) }
            }
            State::InDoubt { attempt, since, cause, lease_until } => Known::InDoubt {
                attempt: *attempt,
                since: *since,
                cause: cause.clone(),
                settles_at: lease_until.plus(self.rules.settle),
                seen_at: now,
                on_unknown: self.on_unknown,
            },
            State::Done { outcome, .. } => Known::Done(outcome.clone()),
        })
    }
}

impl StoredOutcome {
    /// A success that a person or a verification tells of.
    #[must_use]
    pub fn ok(text: &str) -> Self {
        let (status, text) = ("ok".to_owned(), text.to_owned());
        Self { status, text, is_json: false, content: Vec::new(), error: None }
    }
}
