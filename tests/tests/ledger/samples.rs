//! A call, what is said of it, and a record in every state.

use std::time::Duration;

use toolkit::__private::ledger::{
    Agreed, Decision, Ended, Event, Known, Proposal, Record, Reply, Rules, Step, StoredError,
    StoredOutcome, Terms, Today, key_of_run, row_key, step, tool_revision,
};
use toolkit::OnUnknown;
use toolkit::ledger::{ApprovalId, AttemptId, Digest, Person, Timestamp};

pub const MINUTE: Duration = Duration::from_secs(60);
pub const START: Timestamp = Timestamp(1_000_000);
pub const FIRST: AttemptId = AttemptId(1);
pub const SECOND: AttemptId = AttemptId(2);
pub const ID: ApprovalId = ApprovalId(1);
pub const NEW_ID: ApprovalId = ApprovalId(2);

pub fn rules() -> Rules {
    Rules { replay: MINUTE * 60, settle: MINUTE, retention: MINUTE * 120, attempts: 2 }
}

pub fn call(arguments: &str, on_unknown: OnUnknown) -> Proposal {
    let fingerprint = Digest::of_arguments(r#"{"amount":20}"#);
    let key = key_of_run("run-7", &fingerprint);
    Proposal {
        key: row_key("furniture", "ann", "refund", &key),
        fingerprint: Digest::of_arguments(arguments),
        tenant: "furniture".to_owned(),
        principal: "ann".to_owned(),
        tool: "refund".to_owned(),
        revision: tool_revision(&["refund", "1"]),
        on_unknown,
        arguments: arguments.to_owned(),
        keyed: false,
        lease: MINUTE,
    }
}

pub fn refund() -> Proposal {
    call(r#"{"amount":20}"#, OnUnknown::InDoubt)
}

/// A call of a key of its own.
pub fn refund_of(key: &str) -> Proposal {
    Proposal { key: row_key("furniture", "ann", "refund", key), ..refund() }
}

pub fn terms() -> Terms {
    Terms {
        rendered: "refund for ann\n  amount: 20".to_owned(),
        quorum: 1,
        four_eyes: true,
        time_to_live: MINUTE * 30,
        preview: Some("refunds 20".to_owned()),
        preview_must_match: true,
        tainted: false,
        scopes: vec!["payments:write".to_owned()],
    }
}

pub fn today() -> Today {
    Today { revision: refund().revision, terms: terms() }
}

pub fn person(name: &str) -> Person {
    Person::authenticated(name, "cli").tenant("furniture").scopes(["approvals:decide"])
}

pub fn outcome(text: &str) -> StoredOutcome {
    StoredOutcome::ok(text)
}

pub fn failure() -> StoredOutcome {
    StoredOutcome {
        status: "failed".to_owned(),
        text: "the order was refunded already".to_owned(),
        is_json: false,
        content: Vec::new(),
        error: Some(StoredError { category: "business".to_owned(), retryable: false, hint: None }),
    }
}

pub fn claim(call: Proposal, attempt: AttemptId) -> Event {
    Event::Claim { call, rules: rules(), attempt, owner: "worker-1".to_owned(), agreed: None }
}

pub fn claim_agreed(call: Proposal, attempt: AttemptId) -> Event {
    let (by, channel) = ("kim".to_owned(), "prompt".to_owned());
    let agreed = Some(Agreed { by, channel, binding: Digest([9; 32]) });
    Event::Claim { call, rules: rules(), attempt, owner: "worker-1".to_owned(), agreed }
}

pub fn park(call: Proposal, terms: Terms, id: ApprovalId) -> Event {
    Event::Park { call, rules: rules(), id, terms }
}

pub fn resume(today: Today) -> Event {
    let owner = "worker-2".to_owned();
    Event::Resume { of: ID, attempt: SECOND, owner, lease: MINUTE, today, id: NEW_ID }
}

pub fn settle(attempt: AttemptId, ended: Ended) -> Event {
    Event::Settle { attempt, ended }
}

pub fn decide(person: Person, decision: Decision) -> Event {
    Event::Decide { of: ID, person, decision }
}

/// Agrees to what the record shows.
pub fn approve(record: &Record, person: Person) -> Event {
    let seen = record.approval.as_ref().map_or(Digest([0; 32]), |approval| approval.binding);
    decide(person, Decision::Approve { seen })
}

pub fn decline(person: Person) -> Event {
    decide(person, Decision::Decline { reason: Some("too much".to_owned()) })
}

/// What is written of an event; the record as it was where nothing is.
pub fn after(record: Option<&Record>, event: &Event, now: Timestamp) -> Record {
    let Step { record: next, reply, .. } = step(record, event, now);
    next.or_else(|| record.cloned()).unwrap_or_else(|| panic!("nothing is written: {reply:?}"))
}

pub fn running(on_unknown: OnUnknown) -> Record {
    after(None, &claim(call(r#"{"amount":20}"#, on_unknown), FIRST), START)
}

pub fn parked() -> Record {
    after(None, &park(refund(), terms(), ID), START)
}

pub fn approved() -> Record {
    let parked = parked();
    after(Some(&parked), &approve(&parked, person("kim")), START)
}

/// How a reply is told in a table.
pub fn told(reply: &Reply) -> String {
    match reply {
        Reply::Fresh => "fresh".to_owned(),
        Reply::Claimed(attempt) => format!("claimed, attempt {}", attempt.number),
        Reply::Known(known) => format!("answered: {}", known_as(known)),
        Reply::Settled(state) => format!("settled as {state}"),
        Reply::Stale(Some(_)) => "stale, with the outcome that counts".to_owned(),
        Reply::Stale(None) => "stale".to_owned(),
        Reply::Extended(_) => "extended".to_owned(),
        Reply::Lost => "lost".to_owned(),
        Reply::Agreed { carried: true } => "agreed, enough people".to_owned(),
        Reply::Agreed { carried: false } => "agreed, more people are needed".to_owned(),
        Reply::Declined => "declined".to_owned(),
        Reply::Refused(refusal) => format!("refused: {refusal:?}"),
        Reply::Swept(state) => format!("swept to {state}"),
        Reply::Removable => "may be removed".to_owned(),
        Reply::Unchanged => "nothing to do".to_owned(),
        Reply::NoRow => "no such call".to_owned(),
    }
}

fn known_as(known: &Known) -> String {
    match known {
        Known::Conflict => "conflict".to_owned(),
        Known::InProgress { .. } => "in progress".to_owned(),
        Known::InDoubt { .. } => "in doubt".to_owned(),
        Known::Done(outcome) => format!("done, {}", outcome.status),
        Known::Awaiting { approval_id, carried, .. } => {
            let which = if *approval_id == ID { "the same id" } else { "a new id" };
            let how = if *carried { "approved" } else { "awaiting" };
            format!("{how} under {which}")
        }
        Known::Declined { .. } => "declined".to_owned(),
        Known::Expired => "expired".to_owned(),
        Known::Invalidated { .. } => "invalidated".to_owned(),
        Known::Denied { .. } => "denied".to_owned(),
    }
}
