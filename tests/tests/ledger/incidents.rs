//! What happened to others, each as a test named after it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use toolkit::__private::ledger::{
    Attempt, Book, Claim, Ended, Known, Parked, Proposal, Resumed, Settled, StoredOutcome, Terms,
    Today, Verdict, key_of_run, row_key, tool_revision,
};
use toolkit::ledger::{
    ApprovalId, Desk, DeskError, Digest, Doubt, Filter, Haste, Ledger, MemoryLedger, Person,
    Resolution, RowState, Settings, Timestamp,
};
use toolkit::{OnUnknown, Verified};

use crate::samples::{MINUTE, call, failure, outcome, person, refund, refund_of, terms, today};

macro_rules! named {
    ($($test:ident)+) => { [$((stringify!($test), $test as fn())),+] };
}

/// Each test of this file by its name, for the table of what reaches which cell.
pub const ALL: [(&str, fn()); 31] = named! {
    a_tool_that_acted_and_timed_out_is_not_run_once_more
    a_run_that_is_repeated_after_a_model_failed_gets_the_first_result
    a_failure_that_the_tool_decided_is_replayed_and_one_without_effect_is_not
    a_tool_that_says_it_may_not_be_repeated_is_not
    an_approved_call_is_not_run_again_on_a_later_turn
    a_call_beside_a_parked_one_is_not_run_again_when_that_is_resumed
    a_call_that_is_still_running_is_named_to_whoever_asks_for_it_again
    work_that_takes_longer_than_its_lease_is_not_taken_over_and_its_result_counts
    a_worker_that_died_with_no_time_left_leaves_a_doubt_and_no_lock
    arguments_that_change_between_park_and_resume_do_not_run
    of_two_parked_calls_the_approved_one_runs_and_of_a_batch_no_other
    two_runs_with_one_call_ask_twice_and_a_forked_one_runs_once
    who_knows_an_id_can_not_decide_and_the_try_is_kept
    a_tool_that_was_swapped_under_its_name_does_not_run
    a_policy_that_changed_since_the_approval_asks_again
    what_people_agreed_to_survives_the_process_that_asked
    refused_expired_changed_and_denied_are_four_answers
    a_person_who_comes_too_late_is_told_so
    an_approval_that_was_taken_back_runs_nothing
    a_failure_without_effect_runs_again_under_its_approval_until_that_is_over
    the_same_ids_of_two_principals_never_meet
    of_many_workers_that_begin_at_once_one_runs
    a_flood_of_questions_ends_at_the_most_that_may_wait
    an_operator_waits_until_an_attempt_is_settled_or_answers_for_it
    what_ran_out_meanwhile_stands_in_the_line_of_what_was_done
    a_word_on_an_attempt_that_was_seen_before_does_not_count_for_the_next_one
    that_nothing_happened_counts_only_from_a_look_after_the_attempt_was_settled
    a_verification_ends_a_doubt_once_it_is_settled
    a_key_can_be_used_anew_when_its_window_is_over_and_only_then
    a_sweep_removes_nothing_that_is_open
    an_id_that_a_person_typed_is_read_whatever_its_case
};

/// A store, its clock, and two processes that know nothing of each other.
struct Stage {
    store: Arc<MemoryLedger>,
    clock: Arc<AtomicU64>,
    book: Book,
    other: Book,
    desk: Desk,
}

fn stage() -> Stage {
    let clock = Arc::new(AtomicU64::new(1_000_000));
    let time = Arc::clone(&clock);
    let store = MemoryLedger::with_clock(move || Timestamp(time.load(Ordering::Relaxed)));
    let store = Arc::new(store);
    let settings = || Settings {
        replay: MINUTE * 60,
        retention: MINUTE * 120,
        most_parked: 5,
        ..Settings::default()
    };
    let book = Book::new(store.clone(), settings(), "worker-1");
    let other = Book::new(store.clone(), settings(), "worker-2");
    let desk = Desk::new(store.clone());
    Stage { store, clock, book, other, desk }
}

impl Stage {
    fn passes(&self, minutes: u64) {
        self.clock.fetch_add(minutes * 60_000, Ordering::Relaxed);
    }

    fn claims(&self, call: &Proposal) -> Attempt {
        match pollster::block_on(self.book.claim(call, None)).unwrap() {
            Claim::Claimed(attempt) => attempt,
            Claim::Known(known) => panic!("it is answered with {known:?}"),
        }
    }

    fn settles(&self, attempt: &Attempt, ended: Ended) -> Settled {
        pollster::block_on(self.book.settle(attempt, ended)).unwrap()
    }

    fn looks(&self, call: &Proposal) -> Option<Known> {
        pollster::block_on(self.other.look(call)).unwrap()
    }

    fn parks(&self, call: &Proposal) -> ApprovalId {
        self.parks_for(call, &terms())
    }

    fn parks_for(&self, call: &Proposal, terms: &Terms) -> ApprovalId {
        match pollster::block_on(self.book.park(call, terms)).unwrap() {
            Parked::Known(Known::Awaiting { approval_id, .. }) => approval_id,
            other => panic!("it is answered with {other:?}"),
        }
    }

    fn approves(&self, id: ApprovalId, name: &str) -> Result<RowState, DeskError> {
        let id = id.to_string();
        pollster::block_on(async {
            let shown = self.desk.show(&id).await?;
            self.desk.approve(&person(name), &id, &shown.binding).await
        })
    }

    fn declines(&self, id: ApprovalId) -> Result<(), DeskError> {
        let id = id.to_string();
        pollster::block_on(self.desk.decline(&person("kim"), &id, Some("too much")))
    }

    fn resumes(&self, id: ApprovalId) -> Resumed {
        self.resumes_with(id, &today())
    }

    fn resumes_with(&self, id: ApprovalId, today: &Today) -> Resumed {
        pollster::block_on(self.other.claim_approved(id, today, MINUTE)).unwrap()
    }
}

fn ran(resumed: Resumed) -> (Attempt, String) {
    match resumed {
        Resumed::Claimed(attempt, record) => (attempt, record.arguments),
        other => panic!("it is answered with {other:?}"),
    }
}

#[test]
fn a_tool_that_acted_and_timed_out_is_not_run_once_more() {
    let stage = stage();
    let attempt = stage.claims(&refund());
    let settled = stage.settles(&attempt, Ended::Ambiguous("timeout".to_owned()));
    assert_eq!(settled, Settled::Recorded(RowState::InDoubt));
    let claim = pollster::block_on(stage.other.claim(&refund(), None)).unwrap();
    assert!(matches!(claim, Claim::Known(Known::InDoubt { attempt: of, .. }) if of == attempt.id));
}

#[test]
fn a_run_that_is_repeated_after_a_model_failed_gets_the_first_result() {
    let stage = stage();
    let attempt = stage.claims(&refund());
    stage.settles(&attempt, Ended::Complete(outcome("R-1")));
    for _ in 0..3 {
        assert_eq!(stage.looks(&refund()), Some(Known::Done(outcome("R-1"))));
        let claim = pollster::block_on(stage.other.claim(&refund(), None)).unwrap();
        assert_eq!(claim, Claim::Known(Known::Done(outcome("R-1"))));
    }
}

#[test]
fn a_failure_that_the_tool_decided_is_replayed_and_one_without_effect_is_not() {
    let stage = stage();
    let attempt = stage.claims(&refund());
    stage.settles(&attempt, Ended::Clean(failure()));
    let attempt = stage.claims(&refund());
    assert_eq!(attempt.number, 2);
    stage.settles(&attempt, Ended::Final(failure()));
    assert_eq!(stage.looks(&refund()), Some(Known::Done(failure())));
}

#[test]
fn a_tool_that_says_it_may_not_be_repeated_is_not() {
    for (on_unknown, runs_again) in [
        (OnUnknown::InDoubt, false),
        (OnUnknown::Verify, false),
        (OnUnknown::Rerun, true),
        (OnUnknown::RerunWithKey, true),
    ] {
        let stage = stage();
        let refund = call(r#"{"amount":20}"#, on_unknown);
        let first = stage.claims(&refund);
        stage.passes(2);
        let claim = pollster::block_on(stage.other.claim(&refund, None)).unwrap();
        match claim {
            Claim::Claimed(second) => assert_eq!((second.key, second.number), (first.key, 2)),
            Claim::Known(_) => {}
        }
        assert_eq!(matches!(claim, Claim::Claimed(_)), runs_again, "{on_unknown:?}");
    }
}

#[test]
fn an_approved_call_is_not_run_again_on_a_later_turn() {
    let stage = stage();
    let id = stage.parks(&refund());
    stage.approves(id, "kim").unwrap();
    let (attempt, _) = ran(stage.resumes(id));
    stage.settles(&attempt, Ended::Complete(outcome("R-1")));
    // The turn failed after that; the same approval and the same call are sent once more.
    for _ in 0..2 {
        assert_eq!(stage.resumes(id), Resumed::Known(Known::Done(outcome("R-1"))));
        assert_eq!(stage.looks(&refund()), Some(Known::Done(outcome("R-1"))));
    }
    let again = stage.approves(id, "lee").unwrap_err();
    let by = vec!["kim".to_owned()];
    assert_eq!(again, DeskError::AlreadyDecided { state: RowState::Done, by });
}

#[test]
fn a_call_beside_a_parked_one_is_not_run_again_when_that_is_resumed() {
    let stage = stage();
    let (before, parked, after) = (refund_of("1"), refund_of("2"), refund_of("3"));
    for sibling in [&before, &after] {
        let attempt = stage.claims(sibling);
        stage.settles(&attempt, Ended::Complete(outcome("R")));
    }
    let id = stage.parks(&parked);
    stage.approves(id, "kim").unwrap();
    ran(stage.resumes(id));
    assert_eq!(stage.looks(&before), Some(Known::Done(outcome("R"))));
    assert_eq!(stage.looks(&after), Some(Known::Done(outcome("R"))));
}

#[test]
fn a_call_that_is_still_running_is_named_to_whoever_asks_for_it_again() {
    let stage = stage();
    let attempt = stage.claims(&refund());
    let retry_after = MINUTE;
    let running = Known::InProgress { attempt: attempt.id, retry_after };
    assert_eq!(stage.looks(&refund()), Some(running));
}

#[test]
fn work_that_takes_longer_than_its_lease_is_not_taken_over_and_its_result_counts() {
    let stage = stage();
    let attempt = stage.claims(&refund());
    let until = pollster::block_on(stage.book.heartbeat(&attempt, MINUTE * 2)).unwrap();
    assert_eq!(until, Some(Timestamp(1_120_000)));
    stage.passes(2);
    assert!(matches!(stage.looks(&refund()), Some(Known::InDoubt { .. })));
    let swept = pollster::block_on(stage.other.sweep(10)).unwrap();
    assert_eq!((swept.in_doubt, swept.removed), (1, 0));
    // It is in doubt to others, and not settled for as long as its worker is heard of.
    let until = pollster::block_on(stage.book.heartbeat(&attempt, MINUTE)).unwrap();
    assert_eq!(until, Some(Timestamp(1_180_000)));
    let looked = stage.looks(&refund());
    let Some(Known::InDoubt { settles_at, .. }) = looked else { panic!("{looked:?}") };
    assert_eq!(settles_at, Timestamp(1_240_000));
    let settled = stage.settles(&attempt, Ended::Complete(outcome("R-1")));
    assert_eq!(settled, Settled::Recorded(RowState::Done));
    assert_eq!(stage.looks(&refund()), Some(Known::Done(outcome("R-1"))));
}

#[test]
fn a_worker_that_died_with_no_time_left_leaves_a_doubt_and_no_lock() {
    let stage = stage();
    let refund = Proposal { lease: std::time::Duration::ZERO, ..refund() };
    let attempt = stage.claims(&refund);
    let Some(Known::InDoubt { attempt: of, settles_at, .. }) = stage.looks(&refund) else {
        panic!("it is stuck");
    };
    assert_eq!((of, settles_at), (attempt.id, Timestamp(1_060_000)));
}

#[test]
fn arguments_that_change_between_park_and_resume_do_not_run() {
    let stage = stage();
    let id = stage.parks(&refund());
    let other = call(r#"{"amount":900}"#, OnUnknown::InDoubt);
    assert_eq!(stage.looks(&other), Some(Known::Conflict));
    stage.approves(id, "kim").unwrap();
    assert_eq!(stage.looks(&other), Some(Known::Conflict));
    let (_, arguments) = ran(stage.resumes(id));
    assert_eq!(arguments, r#"{"amount":20}"#);
}

#[test]
fn of_two_parked_calls_the_approved_one_runs_and_of_a_batch_no_other() {
    let stage = stage();
    let ids: Vec<_> = ["1", "2", "3"].map(|key| stage.parks(&refund_of(key))).to_vec();
    let other = pollster::block_on(stage.desk.show(&ids[1].to_string())).unwrap();
    let first = ids[0].to_string();
    let wrong = pollster::block_on(stage.desk.approve(&person("kim"), &first, &other.binding));
    assert_eq!(wrong, Err(DeskError::StaleView));
    stage.approves(ids[0], "kim").unwrap();
    let runs = ids.iter().filter(|id| matches!(stage.resumes(**id), Resumed::Claimed(..)));
    assert_eq!(runs.count(), 1);
}

#[test]
fn two_runs_with_one_call_ask_twice_and_a_forked_one_runs_once() {
    let stage = stage();
    let of_run = |run: &str| refund_of(&key_of_run(run, &refund().fingerprint));
    let first = stage.parks(&of_run("run-1"));
    assert_ne!(first, stage.parks(&of_run("run-2")));
    // The fork has the run's id, so it is the same call.
    assert_eq!(first, stage.parks(&of_run("run-1")));
    stage.approves(first, "kim").unwrap();
    ran(stage.resumes(first));
    assert!(matches!(stage.resumes(first), Resumed::Known(Known::InProgress { .. })));
}

#[test]
fn who_knows_an_id_can_not_decide_and_the_try_is_kept() {
    let stage = stage();
    let id = stage.parks(&refund());
    let text = id.to_string();
    let shown = pollster::block_on(stage.desk.show(&text)).unwrap();
    let approve = |person: &Person| {
        pollster::block_on(stage.desk.approve(person, &text, &shown.binding)).unwrap_err()
    };
    let scopeless = Person::authenticated("eve", "web").tenant("furniture");
    let stranger = Person::authenticated("kim", "web").tenant("food").scopes(["approvals:decide"]);
    let scope = "approvals:decide".to_owned();
    assert_eq!(approve(&scopeless), DeskError::NotAllowed { scope });
    assert_eq!(approve(&person("ann")), DeskError::FourEyes);
    assert_eq!(approve(&stranger), DeskError::NoCall { id: text.clone() });
    let nobody = ApprovalId(0).to_string();
    let unknown = pollster::block_on(stage.desk.show(&nobody)).unwrap_err();
    assert_eq!(unknown.to_string(), format!("there is no call {nobody:?} to decide on"));
    let history = pollster::block_on(stage.desk.history(&text)).unwrap();
    let kept: Vec<_> = history.iter().map(|line| (&*line.actor, &*line.event)).collect();
    let turned = "turned away";
    assert_eq!(kept, [("ann", "parked"), ("eve (web)", turned), ("ann (cli)", turned)]);
    assert!(matches!(stage.looks(&refund()), Some(Known::Awaiting { carried: false, .. })));
}

#[test]
fn a_tool_that_was_swapped_under_its_name_does_not_run() {
    let stage = stage();
    let id = stage.parks(&refund());
    stage.approves(id, "kim").unwrap();
    let swapped = Today { revision: tool_revision(&["refund", "2"]), ..today() };
    let invalidated = stage.resumes_with(id, &swapped);
    assert!(matches!(invalidated, Resumed::Known(Known::Invalidated { .. })));
    assert!(matches!(stage.resumes(id), Resumed::Known(Known::Invalidated { .. })));
    // It may be proposed again, and then people are asked again.
    assert_ne!(stage.parks(&refund()), id);
}

#[test]
fn a_policy_that_changed_since_the_approval_asks_again() {
    let stage = stage();
    let id = stage.parks(&refund());
    stage.approves(id, "kim").unwrap();
    let strict = Today { terms: Terms { quorum: 2, ..terms() }, ..today() };
    let Resumed::Known(Known::Awaiting { approval_id, carried: false, .. }) =
        stage.resumes_with(id, &strict)
    else {
        panic!("nobody is asked");
    };
    assert_eq!(stage.resumes(id), Resumed::NoRow);
    assert_eq!(stage.approves(approval_id, "kim"), Ok(RowState::Parked));
    let twice = stage.approves(approval_id, "kim").unwrap_err();
    let by = vec!["kim".to_owned()];
    assert_eq!(twice, DeskError::AlreadyDecided { state: RowState::Parked, by });
    assert_eq!(stage.approves(approval_id, "lee"), Ok(RowState::Approved));
    ran(stage.resumes_with(approval_id, &strict));
}

#[test]
fn what_people_agreed_to_survives_the_process_that_asked() {
    let Stage { store, clock: _, book, other, desk } = stage();
    let id = match pollster::block_on(book.park(&refund(), &terms())).unwrap() {
        Parked::Known(Known::Awaiting { approval_id, .. }) => approval_id,
        other => panic!("{other:?}"),
    };
    drop((book, desk));
    let desk = Desk::new(store.clone());
    pollster::block_on(async {
        let [call] = &desk.waiting(&Filter::default()).await.unwrap()[..] else {
            panic!("one call waits");
        };
        assert_eq!((call.id, &*call.arguments), (id, r#"{"amount":20}"#));
        desk.approve(&person("kim"), &id.to_string(), &call.binding).await.unwrap();
    });
    let resumed = pollster::block_on(other.claim_approved(id, &today(), MINUTE)).unwrap();
    assert_eq!(ran(resumed).1, r#"{"amount":20}"#);
    assert_eq!(pollster::block_on(store.list(&Filter::default())).unwrap().len(), 1);
}

#[test]
fn refused_expired_changed_and_denied_are_four_answers() {
    let stage = stage();
    let ids: Vec<_> = ["1", "2", "3", "4"].map(|key| stage.parks(&refund_of(key))).to_vec();
    stage.declines(ids[0]).unwrap();
    pollster::block_on(stage.book.invalidate(ids[1], "the tool is gone")).unwrap();
    pollster::block_on(stage.book.deny(ids[2], "lacks payments:write")).unwrap();
    stage.passes(31);
    let told: Vec<_> = ids.iter().map(|id| stage.resumes(*id)).collect();
    let expected = [
        Known::Declined { by: "kim".to_owned(), reason: Some("too much".to_owned()) },
        Known::Invalidated { why: "the tool is gone".to_owned() },
        Known::Denied { why: "lacks payments:write".to_owned() },
        Known::Expired,
    ];
    assert_eq!(told, expected.map(Resumed::Known));
}

#[test]
fn a_person_who_comes_too_late_is_told_so() {
    let stage = stage();
    let (expired, running) = (stage.parks(&refund_of("1")), stage.parks(&refund_of("2")));
    stage.approves(running, "kim").unwrap();
    ran(stage.resumes(running));
    assert_eq!(stage.declines(running), Err(DeskError::TooLate { state: RowState::Running }));
    stage.passes(31);
    let late = stage.approves(expired, "kim").unwrap_err();
    assert_eq!(late, DeskError::TooLate { state: RowState::Expired });
    assert_eq!(late.to_string(), "it is too late to decide: nobody decided in time");
}

#[test]
fn an_approval_that_was_taken_back_runs_nothing() {
    let stage = stage();
    let id = stage.parks(&refund());
    stage.approves(id, "kim").unwrap();
    let text = id.to_string();
    pollster::block_on(stage.desk.revoke(&person("lee"), &text, None)).unwrap();
    let declined = Known::Declined { by: "lee".to_owned(), reason: None };
    assert_eq!(stage.resumes(id), Resumed::Known(declined));
}

#[test]
fn a_failure_without_effect_runs_again_under_its_approval_until_that_is_over() {
    let stage = stage();
    let id = stage.parks(&refund());
    stage.approves(id, "kim").unwrap();
    let (attempt, _) = ran(stage.resumes(id));
    let settled = stage.settles(&attempt, Ended::Clean(failure()));
    assert_eq!(settled, Settled::Recorded(RowState::Approved));
    let (attempt, _) = ran(stage.resumes(id));
    stage.passes(30);
    let settled = stage.settles(&attempt, Ended::Clean(failure()));
    assert_eq!(settled, Settled::Recorded(RowState::Free));
    assert_eq!(stage.resumes(id), Resumed::Known(Known::Expired));
}

#[test]
fn the_same_ids_of_two_principals_never_meet() {
    let stage = stage();
    let of = |tenant: &str, principal: &str| Proposal {
        key: row_key(tenant, principal, "refund", "intent-0000000001"),
        tenant: tenant.to_owned(),
        principal: principal.to_owned(),
        ..refund()
    };
    let calls = [of("furniture", "ann"), of("furniture", "bob"), of("food", "ann")];
    for (number, call) in calls.iter().enumerate() {
        assert_eq!(stage.looks(call), None);
        let attempt = stage.claims(call);
        stage.settles(&attempt, Ended::Complete(outcome(&number.to_string())));
    }
    for (number, call) in calls.iter().enumerate() {
        assert_eq!(stage.looks(call), Some(Known::Done(outcome(&number.to_string()))));
    }
}

#[test]
fn of_many_workers_that_begin_at_once_one_runs() {
    let stage = stage();
    let claims = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..8)
            .map(|_| {
                let book = stage.book.clone();
                scope.spawn(move || pollster::block_on(book.claim(&refund(), None)).unwrap())
            })
            .collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).collect::<Vec<_>>()
    });
    assert_eq!(claims.iter().filter(|claim| matches!(claim, Claim::Claimed(_))).count(), 1);
}

#[test]
fn a_flood_of_questions_ends_at_the_most_that_may_wait() {
    let stage = stage();
    for key in 0..5 {
        stage.parks(&refund_of(&key.to_string()));
    }
    let sixth = pollster::block_on(stage.book.park(&refund_of("5"), &terms())).unwrap();
    assert_eq!(sixth, Parked::TooMany { most: 5 });
    // The same call again is no new question, and what ran out does not count.
    stage.parks(&refund_of("0"));
    stage.passes(31);
    stage.parks(&refund_of("5"));
}

#[test]
fn an_operator_waits_until_an_attempt_is_settled_or_answers_for_it() {
    let stage = stage();
    let attempt = stage.claims(&refund());
    stage.settles(&attempt, Ended::Ambiguous("connection lost".to_owned()));
    let seen = || {
        let [doubt] = &pollster::block_on(stage.desk.in_doubt()).unwrap()[..] else { panic!() };
        doubt.clone()
    };
    let resolve = |doubt: &Doubt, resolution: Resolution, haste| {
        pollster::block_on(stage.desk.resolve(&person("kim"), doubt, resolution, haste, "asked"))
    };
    let from = Timestamp(1_120_000);
    let first = seen();
    let early = resolve(&first.doubt, Resolution::NotApplied, Haste::Settled);
    let early = early.unwrap_err();
    assert_eq!(early, DeskError::NotSettled { from, seen_at: Timestamp(1_000_000) });
    assert_eq!(
        early.to_string(),
        "when it was seen, the attempt could still take effect for 120 s: look after that, or \
         force it when its worker is known to be dead"
    );
    let shown = "refund for ann of furniture\n  amount: number = 20";
    assert_eq!((&*first.rendered, first.approval_id), (shown, None));
    let forced = resolve(&first.doubt, Resolution::NotApplied, Haste::Forced);
    assert_eq!(forced, Ok(RowState::Free));
    let history = pollster::block_on(stage.desk.history(&attempt.key.to_string())).unwrap();
    let last = history.last().unwrap();
    assert_eq!((&*last.actor, &*last.event), ("kim (cli)", "resolved"));
    assert!(last.detail.contains("forced before it was settled: asked"), "{}", last.detail);
    let again = stage.claims(&refund());
    stage.settles(&again, Ended::Ambiguous("connection lost".to_owned()));
    let applied = resolve(&seen().doubt, Resolution::Applied("R-1".to_owned()), Haste::Settled);
    assert_eq!(applied, Ok(RowState::Done));
    assert_eq!(stage.looks(&refund()), Some(Known::Done(StoredOutcome::ok("R-1"))));
}

#[test]
fn what_ran_out_meanwhile_stands_in_the_line_of_what_was_done() {
    let stage = stage();
    let attempt = stage.claims(&refund());
    stage.passes(3);
    let looked_at = Timestamp(1_180_000);
    let verdict = stage.book.verified(&attempt.key, attempt.id, looked_at, Verified::NotApplied);
    assert_eq!(pollster::block_on(verdict), Ok(Verdict::Settled(RowState::Free)));
    let history = pollster::block_on(stage.desk.history(&attempt.key.to_string())).unwrap();
    let id = attempt.id;
    let detail = format!("{id}: free; the lease of {id} ended");
    let last = history.last().unwrap();
    assert_eq!((&*last.event, &last.detail), ("verified", &detail));
}

/// Two people see one doubt. While the second one makes up their mind, the first one ends it, the
/// call runs again and is in doubt once more: what the second one saw is over.
#[test]
fn a_word_on_an_attempt_that_was_seen_before_does_not_count_for_the_next_one() {
    let stage = stage();
    let resolve = |doubt: &Doubt, resolution: Resolution| {
        let (kim, haste) = (person("kim"), Haste::Settled);
        pollster::block_on(stage.desk.resolve(&kim, doubt, resolution, haste, "asked"))
    };
    let fails = || {
        let attempt = stage.claims(&refund());
        stage.settles(&attempt, Ended::Ambiguous("connection lost".to_owned()));
        stage.passes(3);
        let [doubt] = &pollster::block_on(stage.desk.in_doubt()).unwrap()[..] else { panic!() };
        doubt.doubt
    };
    let first = fails();
    assert_eq!(resolve(&first, Resolution::NotApplied), Ok(RowState::Free));
    let second = fails();
    assert_eq!(resolve(&first, Resolution::NotApplied), Err(DeskError::OtherAttempt));
    let applied = Resolution::Applied("R-1".to_owned());
    assert_eq!(resolve(&first, applied), Err(DeskError::OtherAttempt));
    assert_eq!(resolve(&second, Resolution::NotApplied), Ok(RowState::Free));
}

/// Who looked while the attempt could still take effect saw nothing, and it took effect after.
#[test]
fn that_nothing_happened_counts_only_from_a_look_after_the_attempt_was_settled() {
    let stage = stage();
    let refund = call(r#"{"amount":20}"#, OnUnknown::Verify);
    let attempt = stage.claims(&refund);
    stage.settles(&attempt, Ended::Ambiguous("connection lost".to_owned()));
    let Some(Known::InDoubt { seen_at, settles_at, .. }) = stage.looks(&refund) else { panic!() };
    let [early] = &pollster::block_on(stage.desk.in_doubt()).unwrap()[..] else { panic!() };
    stage.passes(3);
    let verify = |looked_at| {
        let verdict = Verified::NotApplied;
        let verified = stage.other.verified(&attempt.key, attempt.id, looked_at, verdict);
        pollster::block_on(verified).unwrap()
    };
    assert_eq!(verify(seen_at), Verdict::NotYet(settles_at));
    let (kim, nothing) = (person("kim"), Resolution::NotApplied);
    let resolved = stage.desk.resolve(&kim, &early.doubt, nothing, Haste::Settled, "looked");
    let refused = pollster::block_on(resolved).unwrap_err();
    assert_eq!(refused, DeskError::NotSettled { from: settles_at, seen_at });
    assert_eq!(verify(settles_at), Verdict::Settled(RowState::Free));
}

#[test]
fn a_verification_ends_a_doubt_once_it_is_settled() {
    let stage = stage();
    let refund = call(r#"{"amount":20}"#, OnUnknown::Verify);
    let attempt = stage.claims(&refund);
    stage.settles(&attempt, Ended::Ambiguous("connection lost".to_owned()));
    let verify = |verdict| {
        let Ok(looked_at) = pollster::block_on(stage.desk.now()) else { panic!() };
        let verified = stage.other.verified(&attempt.key, attempt.id, looked_at, verdict);
        pollster::block_on(verified).unwrap()
    };
    assert!(matches!(verify(Verified::Unknown), Verdict::Known(Known::InDoubt { .. })));
    assert_eq!(verify(Verified::NotApplied), Verdict::NotYet(Timestamp(1_120_000)));
    stage.passes(2);
    assert_eq!(verify(Verified::NotApplied), Verdict::Settled(RowState::Free));
    assert_eq!(verify(Verified::NotApplied), Verdict::Nothing);
    let second = stage.claims(&refund);
    stage.settles(&second, Ended::Ambiguous("connection lost".to_owned()));
    let late = verify(Verified::Applied(outcome("R-1")));
    assert!(matches!(late, Verdict::Known(Known::InDoubt { .. })), "{late:?}");
}

#[test]
fn a_key_can_be_used_anew_when_its_window_is_over_and_only_then() {
    let stage = stage();
    let attempt = stage.claims(&refund());
    stage.settles(&attempt, Ended::Complete(outcome("R-1")));
    stage.passes(59);
    assert_eq!(stage.looks(&refund()), Some(Known::Done(outcome("R-1"))));
    stage.passes(1);
    assert_eq!(stage.looks(&refund()), None);
    let swept = pollster::block_on(stage.book.sweep(10)).unwrap();
    assert_eq!(swept.removed, 0);
    stage.passes(120);
    let swept = pollster::block_on(stage.book.sweep(10)).unwrap();
    assert_eq!(swept.removed, 1);
    assert_eq!(stage.claims(&refund()).number, 1);
}

#[test]
fn a_sweep_removes_nothing_that_is_open() {
    let stage = stage();
    stage.claims(&refund_of("running"));
    let doubtful = stage.claims(&refund_of("in doubt"));
    stage.settles(&doubtful, Ended::Ambiguous("timeout".to_owned()));
    stage.parks(&refund_of("parked"));
    stage.passes(1_000_000);
    let swept = pollster::block_on(stage.book.sweep(usize::MAX)).unwrap();
    assert_eq!((swept.in_doubt, swept.expired, swept.removed), (1, 1, 0));
    let states: Vec<_> = pollster::block_on(stage.store.list(&Filter::default()))
        .unwrap()
        .into_iter()
        .map(|row| row.state)
        .collect();
    let doubts = states.iter().filter(|state| **state == RowState::InDoubt).count();
    assert_eq!((states.len(), doubts), (3, 2));
}

#[test]
fn an_id_that_a_person_typed_is_read_whatever_its_case() {
    let stage = stage();
    let id = stage.parks(&refund());
    let typed = id.to_string().to_uppercase().replacen("APR_", "apr_", 1);
    let shown = pollster::block_on(stage.desk.show(&typed)).unwrap();
    assert_eq!((shown.id, shown.votes), (id, Vec::new()));
    assert_eq!(Digest::of_arguments(&shown.arguments), refund().fingerprint);
}
