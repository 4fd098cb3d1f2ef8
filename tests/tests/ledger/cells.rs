//! Every event in every state, as a table that is checked in.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use toolkit::__private::ledger::{
    Decision, Ended, Event, Haste, Record, Resolution, Step, Terms, Today, step,
};
use toolkit::ledger::{Digest, Doubt, Person, RowState, Timestamp};
use toolkit::{OnUnknown, Verified};
use toolkit_tests::is_checked_in;

use crate::incidents;
use crate::samples::{
    FIRST, ID, MINUTE, NEW_ID, SECOND, START, after, approve, approved, call, claim, claim_agreed,
    decide, decline, failure, outcome, park, parked, person, refund, resume, running, settle,
    terms, today,
};

/// A record in each state, and in those that time changes a second one whose time is over.
fn states() -> Vec<(&'static str, Option<Record>, Timestamp)> {
    let soon = START.plus(MINUTE / 2);
    let later = START.plus(MINUTE * 90);
    let once = running(OnUnknown::InDoubt);
    let verifiable = running(OnUnknown::Verify);
    let again = running(OnUnknown::Rerun);
    let lapsed = |record: &Record| after(Some(record), &Event::Sweep, START.plus(MINUTE));
    let free = after(Some(&once), &settle(FIRST, Ended::Clean(failure())), START);
    let second = after(Some(&lapsed(&again)), &claim(call_of(&again), SECOND), soon);
    let done = after(Some(&once), &settle(FIRST, Ended::Complete(outcome("R-1"))), START);
    let close = |event: Event| after(Some(&parked()), &event, START);
    let gone = Event::Invalidate { of: ID, why: "the tool is gone".to_owned() };
    let denied = Event::Deny { of: ID, why: "lacks payments:write".to_owned() };
    let resumed = after(Some(&approved()), &resume(today()), START);
    let released = after(Some(&resumed), &settle(SECOND, Ended::Clean(failure())), START);
    let finished = settle(SECOND, Ended::Complete(outcome("R-1")));
    vec![
        ("absent", None, START),
        ("free", Some(free), soon),
        ("parked", Some(parked()), soon),
        ("parked, its time over", Some(parked()), later),
        ("approved", Some(approved()), soon),
        ("approved, its time over", Some(approved()), later),
        ("approved, given back", Some(released), soon),
        ("declined", Some(close(decline(person("kim")))), soon),
        ("expired", Some(after(Some(&parked()), &Event::Sweep, later)), later),
        ("invalidated", Some(close(gone)), soon),
        ("denied", Some(close(denied)), soon),
        ("running", Some(once.clone()), soon),
        ("running, its lease over", Some(once.clone()), later),
        ("running, its lease over, rerun", Some(again), later),
        ("running, its lease over, rerun once too often", Some(second), later),
        ("running, approved", Some(resumed.clone()), soon),
        ("in doubt", Some(lapsed(&once)), START.plus(MINUTE)),
        ("in doubt, settled", Some(lapsed(&once)), later),
        ("in doubt, verifiable, settled", Some(lapsed(&verifiable)), later),
        ("done", Some(done.clone()), soon),
        ("done, its replay over", Some(done), later),
        ("done, approved", Some(after(Some(&resumed), &finished, START)), soon),
    ]
}

fn call_of(record: &Record) -> toolkit::__private::ledger::Proposal {
    call(&record.arguments, record.on_unknown)
}

fn events(record: Option<&Record>) -> Vec<(&'static str, Event)> {
    let call = record.map_or_else(refund, call_of);
    let other = call_of(&running(OnUnknown::InDoubt));
    let other = toolkit::__private::ledger::Proposal {
        fingerprint: Digest::of_arguments(r#"{"amount":900}"#),
        arguments: r#"{"amount":900}"#.to_owned(),
        ..other
    };
    let shown = |name: &str| match record {
        Some(record) => approve(record, person(name)),
        None => decide(person(name), Decision::Approve { seen: Digest([0; 32]) }),
    };
    let asks_more = Today { terms: Terms { quorum: 2, ..terms() }, ..today() };
    let previews = Terms { preview: Some("refunds 21".to_owned()), ..terms() };
    let doubt = Doubt { key: call.key, attempt: FIRST, seen_at: NOW };
    let resolve = |doubt, resolution, haste| {
        let (person, reason) = (person("kim"), "asked the bank".to_owned());
        Event::Resolve { person, doubt, resolution, haste, reason }
    };
    let applied = Resolution::Applied("R-1".to_owned());
    let turned = Event::Turned { of: ID, person: person("kim"), why: "lacks the scope".to_owned() };
    let stranger = Person::authenticated("kim", "cli").tenant("food");
    vec![
        ("look", Event::Look(call.clone())),
        ("look, other arguments", Event::Look(other.clone())),
        ("claim", claim(call.clone(), SECOND)),
        ("claim, as the attempt that has it", claim(call.clone(), FIRST)),
        ("claim, other arguments", claim(other.clone(), SECOND)),
        ("claim, a person agreed in line", claim_agreed(call.clone(), SECOND)),
        ("park", park(call, terms(), NEW_ID)),
        ("park, other arguments", park(other, terms(), NEW_ID)),
        ("resume", resume(today())),
        ("resume, the tool changed", resume(Today { revision: Digest([7; 32]), ..today() })),
        ("resume, more people are asked", resume(asks_more)),
        ("resume, the preview differs", resume(Today { terms: previews, ..today() })),
        ("complete", settle(FIRST, Ended::Complete(outcome("R-1")))),
        ("complete, another result", settle(FIRST, Ended::Complete(outcome("R-2")))),
        ("complete, another attempt", settle(NO_ATTEMPT, Ended::Complete(outcome("R-2")))),
        ("fail for good", settle(FIRST, Ended::Final(failure()))),
        ("fail without effect", settle(FIRST, Ended::Clean(failure()))),
        ("fail without effect, another attempt", settle(NO_ATTEMPT, Ended::Clean(failure()))),
        ("fail in the dark", settle(FIRST, Ended::Ambiguous("timeout".to_owned()))),
        ("heartbeat", Event::Heartbeat { attempt: FIRST, lease: MINUTE }),
        ("heartbeat, another attempt", Event::Heartbeat { attempt: NO_ATTEMPT, lease: MINUTE }),
        ("verified as applied", verified(NOW, Verified::Applied(outcome("R-1")))),
        ("verified as not applied", verified(NOW, Verified::NotApplied)),
        ("verified as not applied, looked at the start", verified(START, Verified::NotApplied)),
        ("verified as unknown", verified(NOW, Verified::Unknown)),
        ("approve", shown("kim")),
        ("approve, once more by another", shown("lee")),
        ("approve, by who asked", shown("ann")),
        (
            "approve, a stale view",
            decide(person("kim"), Decision::Approve { seen: Digest([1; 32]) }),
        ),
        ("approve, another tenant", decide(stranger, Decision::Approve { seen: Digest([1; 32]) })),
        ("decline", decline(person("kim"))),
        ("turn away", turned),
        ("resolve as applied", resolve(doubt, applied.clone(), Haste::Settled)),
        (
            "resolve as applied, another attempt",
            resolve(Doubt { attempt: NO_ATTEMPT, ..doubt }, applied, Haste::Settled),
        ),
        ("resolve as not applied", resolve(doubt, Resolution::NotApplied, Haste::Settled)),
        (
            "resolve as not applied, seen at the start",
            resolve(Doubt { seen_at: START, ..doubt }, Resolution::NotApplied, Haste::Settled),
        ),
        ("resolve as not applied, forced", resolve(doubt, Resolution::NotApplied, Haste::Forced)),
        ("resolve to run again", resolve(doubt, Resolution::RunAgain, Haste::Settled)),
        ("invalidate", Event::Invalidate { of: ID, why: "the tool is gone".to_owned() }),
        ("deny", Event::Deny { of: ID, why: "lacks payments:write".to_owned() }),
        (
            "ask anew",
            Event::Repark { of: ID, id: NEW_ID, terms: terms(), why: "policy".to_owned() },
        ),
        ("sweep", Event::Sweep),
    ]
}

const NO_ATTEMPT: toolkit::ledger::AttemptId = toolkit::ledger::AttemptId(99);

/// A look at whatever moment it is told of.
const NOW: Timestamp = Timestamp(u64::MAX);

fn verified(
    looked_at: Timestamp,
    verdict: Verified<toolkit::__private::ledger::StoredOutcome>,
) -> Event {
    Event::Verified { attempt: FIRST, looked_at, verdict }
}

/// What a subscriber writes.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The first test of what happened to others that brings an event to a call in a state.
fn reached() -> BTreeMap<(String, String), &'static str> {
    let mut reached = BTreeMap::new();
    for (name, test) in incidents::ALL {
        let log = Log::default();
        let writer = log.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(tracing::Level::TRACE)
            .with_writer(move || writer.clone())
            .with_ansi(false)
            .finish();
        tracing::subscriber::with_default(subscriber, test);
        let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
        for line in log.lines() {
            let part = |of: &str| Some(line.split_once(of)?.1.split_once('"')?.0.to_owned());
            let (Some(state), Some(event)) = (part("state=\""), part("event=\"")) else { continue };
            reached.entry((state, event)).or_insert(name);
        }
    }
    reached
}

/// Every event in every state, and who holds it there.
fn held_by() -> String {
    let mut table = String::from(
        "\n## Held by\n\nEach line of the tables above is held by \
         `cells::the_table_of_cells_is_what_step_does`. The tests of `ledger/incidents.rs` come to \
         a part of the cells through a store, too; the first one that does is named, and where none \
         does, it is the table alone.\n\n| state | event | test |\n|---|---|---|\n",
    );
    let reached = reached();
    let mut events_there: Vec<&str> = events(None).iter().map(|(_, event)| event.name()).collect();
    let mut seen = BTreeSet::new();
    events_there.retain(|event| seen.insert(*event));
    let states = RowState::ALL.iter().map(|state| state.as_str());
    for state in std::iter::once("absent").chain(states) {
        for event in &events_there {
            let of = (state.to_owned(), (*event).to_owned());
            let test = reached.get(&of).map(|test| format!("incidents::{test}"));
            let test = test.unwrap_or_else(|| "cells".to_owned());
            writeln!(table, "| {state} | {event} | `{test}` |").unwrap();
        }
    }
    table
}

fn table() -> String {
    let mut table = String::from(
        "# What happens\n\nEvery event in every state, as the ledger's `step` answers it. The first \
         attempt has the call where one has it; an event that names the call's approval names its \
         first one. Written by `TOOLKIT_BLESS=1 cargo test -p toolkit-tests --test ledger cells`.\n",
    );
    for (name, record, now) in states() {
        write!(table, "\n## {name}\n\n| event | state | reply | line |\n|---|---|---|---|\n")
            .unwrap();
        for (event_name, event) in events(record.as_ref()) {
            let Step { record: next, reply, line } = step(record.as_ref(), &event, now);
            let state = next.as_ref().map_or("-", |next| next.state.row_state().as_str());
            let line = line.map_or_else(|| "-".to_owned(), |line| line.event.to_owned());
            let told = crate::samples::told(&reply);
            writeln!(table, "| {event_name} | {state} | {told} | {line} |").unwrap();
        }
    }
    table + &held_by()
}

#[test]
fn the_table_of_cells_is_what_step_does() {
    is_checked_in("toolkit-core/src/ledger/cells.md", &table());
}

#[test]
fn every_test_of_what_happened_to_others_is_asked_for_its_cells() {
    let tests = include_str!("incidents.rs").matches("\n#[test]\n").count();
    assert_eq!(incidents::ALL.len(), tests);
}

#[test]
fn the_table_has_every_state() {
    let there: BTreeSet<RowState> = states()
        .iter()
        .filter_map(|(_, record, _)| record.as_ref().map(|record| record.state.row_state()))
        .collect();
    assert_eq!(there, BTreeSet::from(RowState::ALL));
}

#[test]
fn whatever_is_written_can_be_read() {
    for (name, record, now) in states() {
        for (event_name, event) in events(record.as_ref()) {
            let Step { record: next, line, .. } = step(record.as_ref(), &event, now);
            assert_eq!(next.is_some(), line.is_some(), "{name}, {event_name}: a line a write");
            let Some(next) = next else { continue };
            let row = next.row(1).unwrap();
            assert_eq!(Record::read(&row), Ok(next), "{name}, {event_name}");
        }
    }
}

#[test]
fn a_write_keeps_the_call_and_never_counts_attempts_down() {
    for (name, record, now) in states() {
        let Some(record) = record else { continue };
        for (event_name, event) in events(Some(&record)) {
            let Some(next) = step(Some(&record), &event, now).record else { continue };
            let kept = |record: &Record| {
                let Record { key, tenant, principal, tool, arguments, created_at, .. } =
                    record.clone();
                (key, tenant, principal, tool, arguments, created_at)
            };
            assert_eq!(kept(&next), kept(&record), "{name}, {event_name}");
            assert!(next.attempts >= record.attempts, "{name}, {event_name}");
        }
    }
}

#[test]
fn what_people_agreed_to_is_over_at_the_very_moment_that_its_time_is() {
    let over = START.plus(terms().time_to_live);
    let resumed = after(Some(&approved()), &resume(today()), START);
    let given_back = |now| {
        let clean = settle(SECOND, Ended::Clean(failure()));
        after(Some(&resumed), &clean, now).state.row_state()
    };
    assert_eq!(given_back(Timestamp(over.0 - 1)), RowState::Approved);
    assert_eq!(given_back(over), RowState::Free);
}
