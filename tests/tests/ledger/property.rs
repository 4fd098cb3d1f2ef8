//! Random events on the memory store, beside a plain account of what must come of them.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use toolkit::__private::ledger::{
    Decision, Ended, Event, Haste, Known, Refusal, Reply, Resolution, Shelf, Terms, Today,
};
use toolkit::OnUnknown;
use toolkit::ledger::{
    AttemptId, Digest, Doubt, Filter, Ledger, MemoryLedger, RowState, Timestamp,
};
use toolkit_tests::{Dice, cases};

use crate::samples::{
    ID, MINUTE, call, claim, decide, decline, failure, outcome, park, person, rules, settle, terms,
    today,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Op {
    Look { other: bool },
    Claim { other: bool },
    Park { other: bool },
    Approve(&'static str),
    Decline,
    Resume,
    Complete(u128),
    Final(u128),
    Clean(u128),
    Ambiguous(u128),
    Beat(u128),
    NotApplied { of: u128, minutes_ago: u64, forced: bool },
    Applied { of: u128 },
    Passes(u64),
    Sweep,
}

/// The account: what a call is in, in minutes.
#[derive(Debug, Clone, Default)]
struct Account {
    state: Option<RowState>,
    attempt: u128,
    /// Until when it is so: a lease, an approval, a replay.
    until: u64,
    lease_until: u64,
    other: bool,
    unknown: u32,
    released: Option<u128>,
    asked: bool,
    asked_until: u64,
    votes: BTreeSet<&'static str>,
    now: u64,
    again: bool,
}

const TO_LIVE: u64 = 30;
const QUORUM: usize = 2;

impl Account {
    fn known(&self) -> Option<&'static str> {
        Some(match self.state? {
            RowState::Parked => "awaiting",
            RowState::Approved => "approved",
            RowState::Declined => "declined",
            RowState::Running => "in progress",
            RowState::InDoubt => "in doubt",
            RowState::Done if self.now < self.until => "done",
            _ => return None,
        })
    }

    fn lose(&mut self) {
        self.unknown += 1;
        if self.again && self.unknown < rules().attempts {
            self.give_back();
        } else {
            self.state = Some(RowState::InDoubt);
        }
    }

    fn give_back(&mut self) {
        self.released = Some(self.attempt);
        let holds = self.asked && self.now < self.asked_until && self.votes.len() >= QUORUM;
        self.state = Some(if holds { RowState::Approved } else { RowState::Free });
    }

    fn ages(&mut self) -> bool {
        match self.state {
            Some(RowState::Parked | RowState::Approved) if self.asked_until <= self.now => {
                self.state = Some(RowState::Expired);
                true
            }
            Some(RowState::Running) if self.lease_until <= self.now => {
                self.lose();
                true
            }
            _ => false,
        }
    }

    fn run(&mut self, attempt: u128) {
        self.state = Some(RowState::Running);
        self.attempt = attempt;
        self.lease_until = self.now + 1;
        self.released = None;
    }

    fn done(&mut self) {
        self.state = Some(RowState::Done);
        self.unknown = 0;
        self.until = self.now + 60;
    }

    fn begins(&mut self, other: bool) -> Result<(), &'static str> {
        if self.state.is_some() && self.other != other {
            self.ages();
            return Err("conflict");
        }
        self.ages();
        if let Some(known) = self.known() {
            return Err(known);
        }
        self.other = other;
        self.asked = false;
        Ok(())
    }

    fn does(&mut self, op: Op, attempt: u128) -> String {
        if self.state.is_none()
            && !matches!(op, Op::Look { .. } | Op::Claim { .. } | Op::Park { .. } | Op::Passes(_))
        {
            return "no row".to_owned();
        }
        let needs_asked = matches!(op, Op::Approve(_) | Op::Decline | Op::Resume);
        if needs_asked && !self.asked {
            return "no row".to_owned();
        }
        let told = match op {
            Op::Passes(minutes) => {
                self.now += minutes;
                "passed"
            }
            Op::Look { other } => {
                let mut later = self.clone();
                match later.begins(other) {
                    Ok(()) => "fresh",
                    Err(known) => known,
                }
            }
            Op::Claim { other } => {
                if let Err(known) = self.begins(other) {
                    known
                } else {
                    self.run(attempt);
                    "claimed"
                }
            }
            Op::Park { other } => {
                if let Err(known) = self.begins(other) {
                    known
                } else {
                    self.state = Some(RowState::Parked);
                    self.asked = true;
                    self.asked_until = self.now + TO_LIVE;
                    self.votes.clear();
                    self.released = None;
                    "awaiting"
                }
            }
            Op::Approve(name) => {
                self.ages();
                match self.state {
                    Some(RowState::Parked) if self.votes.contains(name) => "already decided",
                    Some(RowState::Parked) => {
                        self.votes.insert(name);
                        if self.votes.len() == QUORUM {
                            self.state = Some(RowState::Approved);
                        }
                        "agreed"
                    }
                    Some(RowState::Expired | RowState::Free) => "too late",
                    _ => "already decided",
                }
            }
            Op::Decline => {
                self.ages();
                match self.state {
                    Some(RowState::Parked | RowState::Approved) => {
                        self.state = Some(RowState::Declined);
                        "refused it"
                    }
                    Some(RowState::Declined) => "already decided",
                    _ => "too late",
                }
            }
            Op::Resume => {
                self.ages();
                match self.state {
                    Some(RowState::Approved) => {
                        self.run(attempt);
                        "claimed"
                    }
                    Some(RowState::Done) => "done",
                    Some(RowState::Expired | RowState::Free) => "expired",
                    _ => self.known().unwrap(),
                }
            }
            Op::Beat(of) => {
                let may_run = matches!(self.state, Some(RowState::Running | RowState::InDoubt));
                if may_run && self.attempt == of {
                    self.lease_until = self.lease_until.max(self.now + 1);
                    "extended"
                } else {
                    "lost"
                }
            }
            Op::Complete(of) | Op::Final(of) | Op::Clean(of) | Op::Ambiguous(of) => {
                return self.settles(op, of);
            }
            Op::NotApplied { of, minutes_ago, forced } => {
                self.ages();
                if self.state != Some(RowState::InDoubt) {
                    "not in doubt"
                } else if self.attempt != of {
                    "another attempt"
                } else if !forced && self.now - minutes_ago < self.lease_until + 1 {
                    "not settled"
                } else {
                    self.unknown = 0;
                    self.give_back();
                    "settled"
                }
            }
            Op::Applied { of } => {
                self.ages();
                if self.state != Some(RowState::InDoubt) {
                    "not in doubt"
                } else if self.attempt == of {
                    self.done();
                    "settled"
                } else {
                    "another attempt"
                }
            }
            Op::Sweep => {
                if self.ages() {
                    "swept"
                } else {
                    "not swept"
                }
            }
        };
        told.to_owned()
    }

    fn settles(&mut self, op: Op, of: u128) -> String {
        let has_it = self.attempt == of;
        let counts = matches!(op, Op::Complete(_) | Op::Final(_));
        let told = match self.state {
            Some(RowState::Running | RowState::InDoubt) if has_it => {
                let doubted = self.state == Some(RowState::InDoubt);
                match op {
                    Op::Complete(_) | Op::Final(_) => self.done(),
                    Op::Clean(_) => {
                        self.unknown -= u32::from(doubted);
                        self.give_back();
                    }
                    _ if doubted => {}
                    _ => self.lose(),
                }
                "settled"
            }
            Some(RowState::Free | RowState::Approved) if self.released == Some(of) => {
                if counts {
                    self.done();
                }
                "settled"
            }
            Some(RowState::Done) if has_it && !counts => "settled",
            // The same attempt may have told another outcome before.
            Some(RowState::Done) if has_it => "settled or stale",
            _ => "stale",
        };
        told.to_owned()
    }
}

fn word(reply: &Reply) -> &'static str {
    match reply {
        Reply::Fresh => "fresh",
        Reply::Claimed(_) => "claimed",
        Reply::Known(known) => match known {
            Known::Conflict => "conflict",
            Known::InProgress { .. } => "in progress",
            Known::InDoubt { .. } => "in doubt",
            Known::Done(_) => "done",
            Known::Awaiting { carried: true, .. } => "approved",
            Known::Awaiting { carried: false, .. } => "awaiting",
            Known::Declined { .. } => "declined",
            Known::Expired => "expired",
            Known::Invalidated { .. } | Known::Denied { .. } => "other",
        },
        Reply::Settled(_) => "settled",
        Reply::Stale(_) => "stale",
        Reply::Extended(_) => "extended",
        Reply::Lost => "lost",
        Reply::Agreed { .. } => "agreed",
        Reply::Declined => "refused it",
        Reply::Refused(Refusal::TooLate { .. }) => "too late",
        Reply::Refused(Refusal::AlreadyDecided { .. }) => "already decided",
        Reply::Refused(Refusal::NotSettled { .. }) => "not settled",
        Reply::Refused(Refusal::NotInDoubt { .. }) => "not in doubt",
        Reply::Refused(Refusal::OtherAttempt) => "another attempt",
        Reply::Refused(_) => "refused",
        Reply::Swept(_) => "swept",
        Reply::Removable | Reply::Unchanged => "not swept",
        Reply::NoRow => "no row",
    }
}

fn throw(dice: &mut Dice, attempts: u128) -> Op {
    let of = u128::from(dice.next()) % (attempts + 1);
    let other = dice.one_in(8);
    match dice.below(20) {
        0 | 1 => Op::Look { other },
        2..5 => Op::Claim { other },
        5 | 6 => Op::Park { other },
        7 | 8 => Op::Approve("kim"),
        9 => Op::Approve("lee"),
        10 => Op::Decline,
        11 | 12 => Op::Resume,
        13 => Op::Complete(of),
        14 => *dice.pick(&[Op::Final(of), Op::Clean(of)]),
        15 => Op::Ambiguous(of),
        16 => Op::Beat(of),
        17 => {
            // The last attempt is the one that may be in doubt.
            let of = *dice.pick(&[attempts, attempts, of]);
            let minutes_ago = *dice.pick(&[0, 0, 1, 2]);
            *dice.pick(&[
                Op::NotApplied { of, minutes_ago, forced: false },
                Op::NotApplied { of, minutes_ago, forced: true },
                Op::Applied { of },
            ])
        }
        18 => Op::Passes(*dice.pick(&[1, 1, 1, 2, 29, 61])),
        _ => Op::Sweep,
    }
}

fn event(
    op: Op,
    attempt: u128,
    on_unknown: OnUnknown,
    seen: Digest,
    now: Timestamp,
) -> Option<Event> {
    let of_call = |other: bool| {
        call(if other { r#"{"amount":900}"# } else { r#"{"amount":20}"# }, on_unknown)
    };
    let terms = || Terms { quorum: 2, ..terms() };
    let resolve = |of, minutes_ago: u64, resolution, haste| {
        let key = of_call(false).key;
        let seen_at = Timestamp(now.0 - minutes_ago * 60_000);
        let doubt = Doubt { key, attempt: AttemptId(of), seen_at };
        let (person, reason) = (person("kim"), "looked".to_owned());
        Event::Resolve { person, doubt, resolution, haste, reason }
    };
    Some(match op {
        Op::Passes(_) => return None,
        Op::Look { other } => Event::Look(of_call(other)),
        Op::Claim { other } => claim(of_call(other), AttemptId(attempt)),
        Op::Park { other } => park(of_call(other), terms(), ID),
        Op::Approve(name) => decide(person(name), Decision::Approve { seen }),
        Op::Decline => decline(person("kim")),
        Op::Resume => Event::Resume {
            of: ID,
            attempt: AttemptId(attempt),
            owner: "worker".to_owned(),
            lease: MINUTE,
            today: Today { terms: terms(), ..today() },
            id: ID,
        },
        Op::Complete(of) => settle(AttemptId(of), Ended::Complete(outcome("R-1"))),
        Op::Final(of) => settle(AttemptId(of), Ended::Final(failure())),
        Op::Clean(of) => settle(AttemptId(of), Ended::Clean(failure())),
        Op::Ambiguous(of) => settle(AttemptId(of), Ended::Ambiguous("timeout".to_owned())),
        Op::Beat(of) => Event::Heartbeat { attempt: AttemptId(of), lease: MINUTE },
        Op::NotApplied { of, minutes_ago, forced } => {
            let haste = if forced { Haste::Forced } else { Haste::Settled };
            resolve(of, minutes_ago, Resolution::NotApplied, haste)
        }
        Op::Applied { of } => resolve(of, 0, Resolution::Applied("R-1".to_owned()), Haste::Settled),
        Op::Sweep => Event::Sweep,
    })
}

fn sequence(seed: u64) {
    let mut dice = Dice::of(seed);
    let clock = Arc::new(AtomicU64::new(60_000_000));
    let time = Arc::clone(&clock);
    let store = MemoryLedger::with_clock(move || Timestamp(time.load(Ordering::Relaxed)));
    let store = Arc::new(store);
    let shelf = Shelf::over(store.clone());
    let on_unknown = *dice.pick(&[OnUnknown::InDoubt, OnUnknown::Rerun]);
    let key = call("{}", on_unknown).key;
    let mut account =
        Account { again: on_unknown == OnUnknown::Rerun, now: 1_000, ..Account::default() };
    let mut attempts = 0;
    let mut ops = Vec::new();
    for _ in 0..30 {
        let op = throw(&mut dice, attempts);
        ops.push(op);
        if let Op::Claim { .. } | Op::Resume = op {
            attempts += 1;
        }
        if let Op::Passes(minutes) = op {
            clock.fetch_add(minutes * 60_000, Ordering::Relaxed);
        }
        let expected = account.does(op, attempts);
        let listed = pollster::block_on(store.list(&Filter::default())).unwrap();
        let record = listed.first().map(|row| {
            toolkit::__private::ledger::Record::read(row).expect("what was written is read")
        });
        let binding =
            record.and_then(|record| record.approval).map_or(Digest([0; 32]), |a| a.binding);
        let now = Timestamp(clock.load(Ordering::Relaxed));
        let Some(event) = event(op, attempts, on_unknown, binding, now) else { continue };
        let came = pollster::block_on(shelf.change(&key, &event)).unwrap();
        let told = word(&came.reply);
        assert!(expected.split(" or ").any(|word| word == told), "{told}, not {expected}: {ops:?}");
        let rows = pollster::block_on(store.list(&Filter::default())).unwrap();
        let state = rows.first().map(|row| row.state);
        // What ran out is written only by what else is written, or asks to be told.
        let mut aged = account.clone();
        aged.ages();
        assert!(
            state == account.state || came.record.is_some() && state == aged.state,
            "{state:?}, not {:?}: {ops:?}",
            account.state
        );
    }
}

#[test]
fn step_and_the_memory_store_agree_with_a_plain_account() {
    let mut dice = Dice::fresh("step_and_the_memory_store_agree_with_a_plain_account");
    for _ in 0..cases(5_000) {
        let seed = dice.next();
        let agreed = std::panic::catch_unwind(|| sequence(seed));
        assert!(agreed.is_ok(), "the sequence of seed {seed}");
    }
}
