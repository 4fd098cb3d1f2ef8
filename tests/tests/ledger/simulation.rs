//! Workers, people and a sweeper over a store that fails, by dice: every seed is one history.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hasher as _;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use toolkit::__private::ledger::{
    Book, Claim, Ended, Known, Parked, Proposal, Resumed, StoredOutcome, Terms, Today, Verdict,
    row_key,
};
use toolkit::ledger::{
    ApprovalId, AttemptId, Desk, DeskError, Durability, Filter, Haste, HistoryLine, Ledger,
    LedgerError, Loaded, MemoryLedger, Resolution, Row, RowKey, RowState, Settings, Timestamp,
};
use toolkit::{BoxFuture, OnUnknown, Verified};
use toolkit_tests::{Dice, cases};

use crate::samples::{MINUTE, person, refund};
use crate::world::Spread;

/// Lets others go first.
struct Later(bool);

impl Future for Later {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if std::mem::replace(&mut self.0, true) { Poll::Ready(()) } else { Poll::Pending }
    }
}

async fn later(turns: usize) {
    for _ in 0..turns {
        Later(false).await;
    }
}

/// A store that is slow, loses answers, and lets writes arrive late and twice.
#[derive(Debug)]
struct Faulty {
    inner: MemoryLedger,
    clock: Arc<AtomicU64>,
    luck: Mutex<Luck>,
}

#[derive(Debug)]
struct Luck {
    dice: Dice,
    fails: bool,
    late: Vec<(Row, HistoryLine)>,
    trace: u64,
}

enum Fate {
    Answers,
    FailsBefore,
    FailsAfter,
    ArrivesLate,
}

impl Faulty {
    /// How slow this one is, and what becomes of it.
    fn fate(&self) -> (usize, Fate) {
        let mut luck = self.luck.lock().unwrap();
        let turns = luck.dice.below(3);
        let fails = luck.fails && luck.dice.one_in(8);
        let fate = match luck.dice.below(3) {
            _ if !fails => Fate::Answers,
            0 => Fate::FailsBefore,
            1 => Fate::FailsAfter,
            _ => Fate::ArrivesLate,
        };
        (turns, fate)
    }

    fn note(&self, what: &str, key: &RowKey, version: u64) {
        let mut luck = self.luck.lock().unwrap();
        let mut hasher = Spread::default();
        hasher.write_u64(luck.trace);
        hasher.write(what.as_bytes());
        hasher.write(&key.0);
        hasher.write_u64(version);
        hasher.write_u64(self.clock.load(Ordering::Relaxed));
        luck.trace = hasher.finish();
    }

    async fn put(&self, row: &Row, line: &HistoryLine) -> Result<bool, LedgerError> {
        let written = if row.version == 1 {
            self.inner.create(row, line).await
        } else {
            self.inner.swap(row, line).await
        };
        self.note(&format!("{} {written:?}", line.event), &row.key, row.version);
        written
    }

    async fn write(&self, row: &Row, line: &HistoryLine) -> Result<bool, LedgerError> {
        let (turns, fate) = self.fate();
        later(turns).await;
        match fate {
            Fate::Answers => {
                let written = self.put(row, line).await;
                later(turns).await;
                written
            }
            Fate::FailsBefore => Err(LedgerError::unavailable("refused")),
            Fate::FailsAfter => {
                self.put(row, line).await?;
                Err(LedgerError::unavailable("the answer was lost"))
            }
            Fate::ArrivesLate => {
                self.luck.lock().unwrap().late.push((row.clone(), line.clone()));
                Err(LedgerError::unavailable("no answer"))
            }
        }
    }

    async fn read(&self) -> Result<(), LedgerError> {
        let (turns, fate) = self.fate();
        later(turns).await;
        match fate {
            Fate::Answers => Ok(()),
            _ => Err(LedgerError::unavailable("refused")),
        }
    }

    /// Nothing fails any more, and what is still on its way arrives.
    fn heals(&self) {
        let mut luck = self.luck.lock().unwrap();
        luck.fails = false;
        let late = std::mem::take(&mut luck.late);
        drop(luck);
        for (row, line) in late {
            pollster::block_on(self.put(&row, &line)).unwrap();
        }
    }

    /// A write that nobody waits for any more arrives, and may arrive once more.
    fn arrives(&self) {
        let mut luck = self.luck.lock().unwrap();
        if luck.late.is_empty() {
            return;
        }
        let which = luck.late.len();
        let which = luck.dice.below(which);
        let (row, line) = luck.late[which].clone();
        if !luck.dice.one_in(3) {
            luck.late.remove(which);
        }
        drop(luck);
        pollster::block_on(self.put(&row, &line)).unwrap();
    }
}

impl Ledger for Faulty {
    fn load<'a>(&'a self, key: &'a RowKey) -> BoxFuture<'a, Result<Loaded, LedgerError>> {
        Box::pin(async move {
            self.read().await?;
            self.inner.load(key).await
        })
    }

    fn load_parked<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Loaded, LedgerError>> {
        Box::pin(async move {
            self.read().await?;
            self.inner.load_parked(id).await
        })
    }

    fn create<'a>(
        &'a self,
        row: &'a Row,
        line: &'a HistoryLine,
    ) -> BoxFuture<'a, Result<bool, LedgerError>> {
        Box::pin(self.write(row, line))
    }

    fn swap<'a>(
        &'a self,
        row: &'a Row,
        line: &'a HistoryLine,
    ) -> BoxFuture<'a, Result<bool, LedgerError>> {
        Box::pin(self.write(row, line))
    }

    fn remove<'a>(
        &'a self,
        key: &'a RowKey,
        version: u64,
    ) -> BoxFuture<'a, Result<bool, LedgerError>> {
        self.inner.remove(key, version)
    }

    fn list<'a>(&'a self, filter: &'a Filter) -> BoxFuture<'a, Result<Vec<Row>, LedgerError>> {
        Box::pin(async move {
            self.read().await?;
            self.inner.list(filter).await
        })
    }

    fn history<'a>(
        &'a self,
        key: &'a RowKey,
    ) -> BoxFuture<'a, Result<Vec<HistoryLine>, LedgerError>> {
        self.inner.history(key)
    }

    fn durability(&self) -> Durability {
        self.inner.durability()
    }
}

type Task = Pin<Box<dyn Future<Output = ()>>>;

/// What really happened, which only the world knows.
#[derive(Default)]
struct Truth {
    /// The arguments of each effect, by the row.
    effects: BTreeMap<RowKey, Vec<String>>,
    /// What targets that honour keys have done.
    deduped: BTreeMap<RowKey, String>,
    /// The attempts that took effect.
    acted: BTreeSet<AttemptId>,
    /// The attempts that ran under an approval that people gave.
    runs: Vec<(ApprovalId, String)>,
    /// What people meant to agree to, whether they heard an answer or not.
    agreed: BTreeMap<ApprovalId, String>,
    /// What people know to be refused, and the attempts that there were by then.
    refused: BTreeMap<ApprovalId, usize>,
    /// What was told to wait.
    parked: BTreeMap<ApprovalId, RowKey>,
    crashes: usize,
    spawned: Vec<Task>,
}

/// One call of the history.
#[derive(Clone)]
struct Call {
    proposal: Proposal,
    asks: bool,
}

struct Simulation {
    dice: Rc<RefCell<Dice>>,
    truth: Rc<RefCell<Truth>>,
    clock: Arc<AtomicU64>,
    store: Arc<Faulty>,
    calls: Vec<Call>,
}

/// What a history came to.
#[derive(Debug, PartialEq, Eq)]
struct Told {
    trace: u64,
    effects: usize,
    crashes: usize,
    turns: usize,
    states: Vec<RowState>,
}

impl Simulation {
    fn of(seed: u64) -> Self {
        let mut dice = Dice::of(seed);
        let clock = Arc::new(AtomicU64::new(1_000_000));
        let time = Arc::clone(&clock);
        let inner = MemoryLedger::with_clock(move || Timestamp(time.load(Ordering::Relaxed)));
        let luck = Luck { dice: Dice::of(dice.next()), fails: true, late: Vec::new(), trace: seed };
        let store = Arc::new(Faulty { inner, clock: Arc::clone(&clock), luck: Mutex::new(luck) });
        let calls = (0..2)
            .map(|number| {
                let on_unknown = *dice.pick(&[
                    OnUnknown::InDoubt,
                    OnUnknown::InDoubt,
                    OnUnknown::Rerun,
                    OnUnknown::RerunWithKey,
                    OnUnknown::Verify,
                ]);
                let key = row_key("furniture", "ann", "refund", &format!("intent-{number}"));
                Call { proposal: Proposal { key, on_unknown, ..refund() }, asks: dice.one_in(2) }
            })
            .collect();
        let dice = Rc::new(RefCell::new(dice));
        Self { dice, truth: Rc::default(), clock, store, calls }
    }

    fn book(&self) -> Book {
        let ids = Mutex::new(Dice::of(self.dice.borrow_mut().next()));
        let settings = Settings {
            replay: MINUTE * 1_000_000,
            retention: MINUTE * 1_000_000,
            ..Settings::default()
        };
        Book::new(self.store.clone(), settings, "worker").with_ids(move || {
            let mut dice = ids.lock().unwrap();
            Ok(u128::from(dice.next()) << 64 | u128::from(dice.next()))
        })
    }

    fn terms(call: &Proposal) -> Terms {
        Terms {
            rendered: format!("refund {}", call.arguments),
            quorum: 1,
            four_eyes: true,
            time_to_live: MINUTE * 60,
            preview: None,
            preview_must_match: false,
            scopes: Vec::new(),
            tainted: false,
        }
    }

    /// What a gate does with a call.
    fn worker(&self, call: Call) -> Task {
        let (book, run) = (self.book(), self.runner());
        let (dice, truth) = (Rc::clone(&self.dice), Rc::clone(&self.truth));
        Box::pin(async move {
            let proposal = call.proposal;
            let Ok(known) = book.look(&proposal).await else { return };
            if let Some(Known::InDoubt { attempt, seen_at, on_unknown, .. }) = known
                && on_unknown == OnUnknown::Verify
            {
                let turns = dice.borrow_mut().below(6);
                later(turns).await;
                let acted = truth.borrow().acted.contains(&attempt);
                let applied = || StoredOutcome::ok("done");
                let verdict =
                    if acted { Verified::Applied(applied()) } else { Verified::NotApplied };
                let _verdict: Result<Verdict, _> =
                    book.verified(&proposal.key, attempt, seen_at, verdict).await;
                return;
            }
            if known.is_some() {
                return;
            }
            if call.asks {
                let parked = book.park(&proposal, &Self::terms(&proposal)).await;
                if let Ok(Parked::Known(Known::Awaiting { approval_id, .. })) = parked {
                    truth.borrow_mut().parked.insert(approval_id, proposal.key);
                }
                return;
            }
            if let Ok(Claim::Claimed(attempt)) = book.claim(&proposal, None).await {
                run(book, attempt, proposal.arguments, proposal.on_unknown).await;
            }
        })
    }

    /// Somebody who runs what people agreed to.
    fn resumer(&self, call: &Proposal) -> Task {
        let (book, run, call) = (self.book(), self.runner(), call.clone());
        let truth = Rc::clone(&self.truth);
        Box::pin(async move {
            let ids: Vec<_> = truth.borrow().parked.iter().map(|(id, key)| (*id, *key)).collect();
            for (id, key) in ids {
                if key != call.key {
                    continue;
                }
                let today = Today { revision: call.revision, terms: Self::terms(&call) };
                let resumed = book.claim_approved(id, &today, MINUTE).await;
                if let Ok(Resumed::Claimed(attempt, record)) = resumed {
                    truth.borrow_mut().runs.push((id, record.arguments.clone()));
                    run(book.clone(), attempt, record.arguments, record.on_unknown).await;
                }
            }
        })
    }

    /// Runs an attempt: what it starts goes on when its worker crashes or gives up.
    fn runner(
        &self,
    ) -> impl Fn(
        Book,
        toolkit::__private::ledger::Attempt,
        String,
        OnUnknown,
    ) -> Pin<Box<dyn Future<Output = ()>>>
    + use<> {
        let (dice, truth, clock) =
            (Rc::clone(&self.dice), Rc::clone(&self.truth), Arc::clone(&self.clock));
        move |book, attempt, arguments, on_unknown| {
            let (dice, truth, clock) = (Rc::clone(&dice), Rc::clone(&truth), Arc::clone(&clock));
            Box::pin(async move {
                let roll = dice.borrow_mut().below(10);
                if roll == 0 {
                    let failed = StoredOutcome { status: "failed".into(), ..StoredOutcome::ok("") };
                    let _settled = book.settle(&attempt, Ended::Clean(failed)).await;
                    return;
                }
                let slow = dice.borrow_mut().below(6);
                let patience = 2 + dice.borrow_mut().below(8);
                let done = Rc::new(RefCell::new(false));
                let effect = {
                    let (truth, clock, done) =
                        (Rc::clone(&truth), Arc::clone(&clock), Rc::clone(&done));
                    async move {
                        later(slow).await;
                        let settled = attempt.lease_until.plus(MINUTE);
                        // What is settled can not act: that is what settled means.
                        if clock.load(Ordering::Relaxed) >= settled.0 {
                            return;
                        }
                        act(
                            &mut truth.borrow_mut(),
                            attempt.key,
                            attempt.id,
                            arguments,
                            on_unknown,
                        );
                        *done.borrow_mut() = true;
                    }
                };
                truth.borrow_mut().spawned.push(Box::pin(effect));
                for _ in 0..patience {
                    later(1).await;
                    if *done.borrow() {
                        break;
                    }
                }
                let ended = || {
                    if *done.borrow() {
                        Ended::Complete(StoredOutcome::ok("done"))
                    } else {
                        Ended::Ambiguous("timeout".to_owned())
                    }
                };
                // Who is not answered tells it again, until the lease ends.
                while clock.load(Ordering::Relaxed) < attempt.lease_until.0 {
                    if book.settle(&attempt, ended()).await.is_ok() {
                        break;
                    }
                    later(1).await;
                }
            })
        }
    }

    /// A slow person, who sees a call and decides on what they saw.
    fn human(&self) -> Task {
        let desk = Desk::new(self.store.clone());
        let (dice, truth) = (Rc::clone(&self.dice), Rc::clone(&self.truth));
        Box::pin(async move {
            let Ok(calls) = desk.waiting(&Filter::default()).await else { return };
            for call in calls {
                let turns = dice.borrow_mut().below(20);
                later(turns).await;
                let id = call.id.to_string();
                if dice.borrow_mut().one_in(4) {
                    if desk.decline(&person("kim"), &id, None).await.is_ok() {
                        let runs =
                            truth.borrow().runs.iter().filter(|run| run.0 == call.id).count();
                        truth.borrow_mut().refused.insert(call.id, runs);
                    }
                } else {
                    truth.borrow_mut().agreed.insert(call.id, call.rendered.clone());
                    let _state: Result<RowState, DeskError> =
                        desk.approve(&person("kim"), &id, &call.binding).await;
                }
            }
        })
    }

    /// An operator, who looks and tells the truth; a sweeper beside them.
    fn operator(&self) -> Task {
        let desk = Desk::new(self.store.clone());
        let (dice, truth) = (Rc::clone(&self.dice), Rc::clone(&self.truth));
        Box::pin(async move {
            let _swept = desk.sweep().await;
            let Ok(calls) = desk.in_doubt().await else { return };
            for call in calls {
                let turns = [(); 2].map(|()| dice.borrow_mut().below(20));
                later(turns[0]).await;
                let acted = truth.borrow().acted.contains(&call.doubt.attempt);
                // What they saw, they tell later.
                later(turns[1]).await;
                let resolution = if acted {
                    Resolution::Applied("done".to_owned())
                } else {
                    Resolution::NotApplied
                };
                let _state = desk
                    .resolve(&person("kim"), &call.doubt, resolution, Haste::Settled, "looked")
                    .await;
            }
        })
    }

    fn somebody(&self) -> (Task, bool) {
        let roll = self.dice.borrow_mut().below(10);
        let call = self.dice.borrow_mut().pick(&self.calls).clone();
        match roll {
            0 | 1 if call.asks => (self.resumer(&call.proposal), true),
            2 | 3 => (self.human(), false),
            4 => (self.operator(), false),
            _ => (self.worker(call), true),
        }
    }

    /// Polls tasks by dice until all have ended; gives the turns it took.
    fn runs(&self, mut tasks: Vec<(Task, bool)>, crashes: bool) -> usize {
        const MOST: usize = 20_000;
        let mut turns = 0;
        let mut context = Context::from_waker(Waker::noop());
        loop {
            let spawned = std::mem::take(&mut self.truth.borrow_mut().spawned);
            tasks.extend(spawned.into_iter().map(|task| (task, false)));
            if tasks.is_empty() {
                return turns;
            }
            turns += 1;
            assert!(turns < MOST, "it hangs");
            let which = self.dice.borrow_mut().below(tasks.len());
            let (task, may_crash) = &mut tasks[which];
            let crash = crashes && *may_crash && self.dice.borrow_mut().one_in(40);
            if crash {
                self.truth.borrow_mut().crashes += 1;
            }
            if crash || task.as_mut().poll(&mut context).is_ready() {
                drop(tasks.swap_remove(which));
            }
            if self.dice.borrow_mut().one_in(20) {
                self.store.arrives();
            }
            if self.dice.borrow_mut().one_in(10) {
                self.passes();
            }
        }
    }

    /// Time passes; now and then much of it.
    fn passes(&self) {
        let longest = if self.dice.borrow_mut().one_in(10) { 200_000 } else { 5_000 };
        let passed = self.dice.borrow_mut().below(longest) as u64;
        self.clock.fetch_add(passed, Ordering::Relaxed);
    }

    fn play(&self) -> Told {
        let people = 5 + self.dice.borrow_mut().below(8);
        let mut turns = 0;
        // Not all at once, so that there is something to find for those who come later.
        for _ in 0..3 {
            turns += self.runs((0..people / 2).map(|_| self.somebody()).collect(), true);
            self.passes();
        }
        self.store.heals();
        turns += self.tidies();
        let rows = pollster::block_on(self.store.inner.list(&Filter::default())).unwrap();
        let states: Vec<_> = rows.iter().map(|row| row.state).collect();
        self.judges(&rows);
        let trace = self.store.luck.lock().unwrap().trace;
        let truth = self.truth.borrow();
        let effects = truth.effects.values().map(Vec::len).sum();
        Told { trace, effects, crashes: truth.crashes, turns, states }
    }

    /// Without faults everything settles: doubts are looked at, what people agreed to is run.
    fn tidies(&self) -> usize {
        let mut turns = 0;
        for _ in 0..4 {
            self.clock.fetch_add(150_000, Ordering::Relaxed);
            turns += self.runs(vec![(self.operator(), false)], false);
            let resumers = self.calls.iter().filter(|call| call.asks);
            let resumers = resumers.map(|call| (self.resumer(&call.proposal), false)).collect();
            turns += self.runs(resumers, false);
        }
        self.clock.fetch_add(3_700_000, Ordering::Relaxed);
        turns += self.runs(vec![(self.operator(), false)], false);
        turns + self.runs(vec![(self.operator(), false)], false)
    }

    fn judges(&self, rows: &[Row]) {
        let truth = self.truth.borrow();
        for call in &self.calls {
            let key = call.proposal.key;
            let row = rows.iter().find(|row| row.key == key);
            let effects = truth.effects.get(&key).map_or(0, Vec::len);
            if call.proposal.on_unknown != OnUnknown::Rerun {
                assert!(effects <= 1, "{effects} effects of {:?}", call.proposal.on_unknown);
            }
            let Some(row) = row else {
                assert_eq!(effects, 0, "an effect of which no row tells");
                continue;
            };
            let is_settled = !matches!(
                row.state,
                RowState::Running | RowState::InDoubt | RowState::Parked | RowState::Approved
            );
            assert!(is_settled, "it stays {}", row.state);
            let is_once =
                matches!(call.proposal.on_unknown, OnUnknown::InDoubt | OnUnknown::Verify);
            if is_once {
                let is_done = row.state == RowState::Done;
                assert_eq!(effects == 1, is_done, "{} with {effects} effects", row.state);
            }
        }
        for (id, arguments) in &truth.runs {
            let rendered = truth.agreed.get(id).expect("nobody agreed to what ran");
            assert_eq!(*rendered, format!("refund {arguments}"), "something else ran");
        }
        for (id, runs) in &truth.refused {
            let after = truth.runs.iter().filter(|run| run.0 == *id).count();
            assert_eq!(after, *runs, "it ran after a person refused it");
        }
        for (id, key) in &truth.parked {
            let row = rows.iter().find(|row| row.key == *key).expect("what was parked is lost");
            let is_same = row.approval_id.as_deref() == Some(id.to_string().as_str());
            let newer = truth.parked.iter().filter(|(_, other)| *other == key).count() > 1;
            assert!(is_same || newer, "nobody finds {id} any more");
        }
    }
}

fn act(
    truth: &mut Truth,
    key: RowKey,
    attempt: AttemptId,
    arguments: String,
    on_unknown: OnUnknown,
) {
    truth.acted.insert(attempt);
    let repeated = on_unknown == OnUnknown::RerunWithKey
        && truth.deduped.insert(key, arguments.clone()).is_some();
    if !repeated {
        truth.effects.entry(key).or_default().push(arguments);
    }
}

#[test]
fn no_crash_and_no_lost_answer_makes_a_call_run_twice() {
    let mut dice = Dice::fresh("no_crash_and_no_lost_answer_makes_a_call_run_twice");
    let (mut effects, mut crashes, mut done, mut expired) = (0, 0, 0, 0);
    let seeds = cases(10_000);
    for _ in 0..seeds {
        let seed = dice.next();
        let told = std::panic::catch_unwind(|| Simulation::of(seed).play());
        let told = told.unwrap_or_else(|_| panic!("the history of seed {seed}"));
        effects += told.effects;
        crashes += told.crashes;
        done += told.states.iter().filter(|state| **state == RowState::Done).count();
        expired += told.states.iter().filter(|state| **state == RowState::Expired).count();
    }
    println!(
        "{seeds} histories: {effects} effects, {crashes} crashes, {done} done, {expired} expired"
    );
    assert!(effects > seeds / 2 && crashes > seeds / 4 && done > seeds / 2, "little happened");
}

#[test]
fn the_same_seed_is_the_same_history() {
    let mut dice = Dice::fresh("the_same_seed_is_the_same_history");
    let mut traces = Vec::new();
    for _ in 0..50 {
        let seed = dice.next();
        let first = Simulation::of(seed).play();
        assert_eq!(first, Simulation::of(seed).play(), "seed {seed}");
        traces.push(first.trace);
    }
    traces.sort_unstable();
    traces.dedup();
    assert_eq!(traces.len(), 50, "other seeds are other histories");
}
