//! Processes that are killed, that race, and that go on with what another one left.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use toolkit::__private::ledger::{Book, Claim, Known};
use toolkit::ledger::{Filter, Ledger, RowState};
use toolkit_tests::{Dice, cases, workers};

use crate::folder::Folder;
use crate::servers::{address, fresh};

/// A store, and the file in which the processes leave their effects.
struct Place {
    store: String,
    folder: Folder,
}

impl Place {
    /// One for each kind that there is here.
    fn of(kind: &str, test: &str) -> Option<Self> {
        let folder = Folder::new(test);
        let store = match kind {
            "sqlite" => format!("sqlite {}", folder.calls().display()),
            "postgres" => {
                format!("postgres {} {}", address("TOOLKIT_POSTGRES", test)?, fresh("processes"))
            }
            _ => format!("redis {} {}", address("TOOLKIT_REDIS", test)?, fresh("processes")),
        };
        Some(Self { store, folder })
    }

    fn effects(&self) -> PathBuf {
        self.folder.0.join("effects")
    }

    fn worker(&self, what: &[&str]) -> Command {
        let mut worker = Command::new(env!("CARGO_BIN_EXE_worker"));
        worker.arg(&self.store).arg(self.effects()).args(what).env_remove("TOOLKIT_DIE_AT");
        worker
    }

    /// What a worker says that lives.
    fn tells(&self, what: &[&str]) -> String {
        let output = self.worker(what).output().unwrap();
        assert!(output.status.success(), "{what:?}: {output:?}");
        said(&output)
    }

    /// Where a worker died; nothing where it lived, and what it said.
    fn dies(&self, point: usize, what: &[&str]) -> (Option<String>, String) {
        let mut worker = self.worker(what);
        let output = worker.env("TOOLKIT_DIE_AT", point.to_string()).output().unwrap();
        let said = said(&output);
        if output.status.signal() == Some(9) {
            let name = said.lines().last().unwrap().strip_prefix("died ").unwrap();
            return (Some(name.to_owned()), said.clone());
        }
        assert!(output.status.success(), "{what:?}: {output:?}");
        (None, said)
    }

    /// How many effects each arguments had.
    fn had(&self) -> BTreeMap<String, usize> {
        let mut had = BTreeMap::new();
        for line in std::fs::read_to_string(self.effects()).unwrap_or_default().lines() {
            *had.entry(line.to_owned()).or_default() += 1;
        }
        had
    }

    async fn open(&self) -> Arc<dyn Ledger> {
        workers::open(&self.store).await.unwrap()
    }

    /// Every row fits its seal and has a line for each version; a file is whole besides.
    async fn is_whole(&self) -> usize {
        let store = self.open().await;
        let rows = store.list(&Filter::default()).await.unwrap();
        for row in &rows {
            let lines = store.history(&row.key).await.unwrap();
            let versions: Vec<u64> = lines.iter().map(|line| line.version).collect();
            assert_eq!(versions, (1..=row.version).collect::<Vec<_>>());
        }
        if let Some(path) = self.store.strip_prefix("sqlite ") {
            let file = rusqlite::Connection::open(path).unwrap();
            let verdict = file.query_row("PRAGMA integrity_check", [], |row| row.get(0));
            assert_eq!(verdict, Ok("ok".to_owned()));
        }
        rows.len()
    }
}

fn said(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap().trim().to_owned()
}

/// How the call of a key stands after its worker was killed and its lease has ended.
async fn afterwards(book: &Book, key: &str) -> Claim {
    for _ in 0..100 {
        let claim = book.claim(&workers::call(key), None).await.unwrap();
        if !matches!(claim, Claim::Known(Known::InProgress { .. })) {
            return claim;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the lease of {key} does not end");
}

/// What a kill left behind.
#[derive(Debug, Default)]
struct Left {
    kills: usize,
    points: BTreeSet<String>,
    /// Calls that were as if nobody had wanted them.
    free: usize,
    done: usize,
    in_doubt_with_effect: usize,
    in_doubt_without: usize,
}

impl Left {
    /// Looks at the calls whose workers were killed: none took effect twice, and what is known of
    /// each is so.
    async fn judge(&mut self, place: &Place, store: &dyn Ledger, book: &Book, keys: &[String]) {
        let had = place.had();
        for key in keys {
            let call = workers::call(key);
            let effects = had.get(&call.arguments).copied().unwrap_or_default();
            let right = workers::outcome(&call.arguments);
            match afterwards(book, key).await {
                Claim::Claimed(_) => {
                    assert_eq!(effects, 0, "{key}: an effect without a record");
                    self.free += 1;
                }
                Claim::Known(Known::Done(outcome)) => {
                    assert_eq!((effects, &outcome), (1, &right), "{key}");
                    let row = store.load(&call.key).await.unwrap().row;
                    let again = book.claim(&call, None).await.unwrap();
                    assert_eq!(again, Claim::Known(Known::Done(right)), "{key}");
                    assert_eq!(store.load(&call.key).await.unwrap().row, row, "{key}");
                    self.done += 1;
                }
                Claim::Known(Known::InDoubt { .. }) => match effects {
                    0 => self.in_doubt_without += 1,
                    1 => self.in_doubt_with_effect += 1,
                    more => panic!("{key}: {more} effects"),
                },
                other @ Claim::Known(_) => panic!("{key}: {other:?}"),
            }
        }
    }
}

async fn killed_everywhere(kind: &str) {
    let Some(place) = Place::of(kind, &format!("{kind}-killed-everywhere")) else { return };
    let store = place.open().await;
    let book = Book::new(Arc::clone(&store), workers::settings(), "second");
    let mut left = Left::default();
    let at = &place;
    let rounds = cases(20).min(200);
    for point in 0.. {
        let keys: Vec<String> = (0..rounds).map(|round| format!("{point} {round}")).collect();
        let died: Vec<Option<String>> = std::thread::scope(|scope| {
            let mut died = Vec::new();
            for keys in keys.chunks(10) {
                let run = |key: &str| at.dies(point, &["claim", key]).0;
                let threads = keys.iter().map(|key| scope.spawn(move || run(key)));
                let threads: Vec<_> = threads.collect();
                died.extend(threads.into_iter().map(|thread| thread.join().unwrap()));
            }
            died
        });
        if died.iter().all(Option::is_none) {
            break;
        }
        left.kills += died.len();
        left.points.extend(died.into_iter().map(Option::unwrap));
        left.judge(&place, &*store, &book, &keys).await;
    }
    assert!(place.had().values().all(|effects| *effects == 1), "{:?}", place.had());
    assert_eq!(place.is_whole().await, left.kills + rounds);
    println!("{kind}: {left:#?}");
    assert!(left.points.len() >= 12, "{left:?}");
    assert!(left.free > 0 && left.done > 0, "{left:?}");
    assert!(left.in_doubt_with_effect > 0 && left.in_doubt_without > 0, "{left:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_workers_killed_at_every_point_have_no_effect_twice() {
    killed_everywhere("sqlite").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn postgres_workers_killed_at_every_point_have_no_effect_twice() {
    killed_everywhere("postgres").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn redis_workers_killed_at_every_point_have_no_effect_twice() {
    killed_everywhere("redis").await;
}

/// Kills each worker at whatever it does after a random time, up to what one needs to the end; it
/// makes several calls at once.
async fn killed_at_any_time(kind: &str) {
    const AT_ONCE: usize = 4;
    let test = format!("{kind}-killed-at-any-time");
    let Some(place) = Place::of(kind, &test) else { return };
    let mut dice = Dice::fresh(&test);
    let store = place.open().await;
    let book = Book::new(Arc::clone(&store), workers::settings(), "second");
    let claims = |keys: &[String]| {
        let mut worker = place.worker(&["claim"]);
        worker.args(keys);
        worker
    };
    let start = Instant::now();
    place.tells(&["claim", "first", "second", "third", "fourth"]);
    let whole = usize::try_from(start.elapsed().as_micros()).unwrap();
    let kills = cases(40).min(2_000);
    let calls = 0..kills * AT_ONCE;
    let keys: Vec<String> = calls.map(|number| format!("at any time {number}")).collect();
    for keys in keys.chunks(AT_ONCE) {
        let piped = claims(keys).stdout(Stdio::null()).spawn();
        let mut worker = piped.unwrap();
        let time = Duration::from_micros(dice.below(whole * 5 / 4) as u64);
        std::thread::sleep(time);
        // One that is done already can not be killed.
        drop(worker.kill());
        worker.wait().unwrap();
    }
    let mut left = Left { kills, ..Left::default() };
    left.judge(&place, &*store, &book, &keys).await;
    println!("{kind}: {left:#?}");
    assert!(place.had().values().all(|effects| *effects == 1), "{:?}", place.had());
    assert_eq!(place.is_whole().await, keys.len() + AT_ONCE);
}

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_workers_killed_at_any_time_have_no_effect_twice() {
    killed_at_any_time("sqlite").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn postgres_workers_killed_at_any_time_have_no_effect_twice() {
    killed_at_any_time("postgres").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn redis_workers_killed_at_any_time_have_no_effect_twice() {
    killed_at_any_time("redis").await;
}

async fn race(kind: &str) {
    const PROCESSES: usize = 8;
    let Some(place) = Place::of(kind, &format!("{kind}-race")) else { return };
    let keys = cases(1_000).min(10_000);
    let count = keys.to_string();
    let mut workers = Vec::new();
    for seed in 0..PROCESSES {
        let mut worker = place.worker(&["race", &count, &seed.to_string()]);
        let piped = worker.stdin(Stdio::piped()).stdout(Stdio::piped());
        workers.push(piped.spawn().unwrap());
    }
    for worker in &mut workers {
        worker.stdin.take().unwrap().write_all(b"go\n").unwrap();
    }
    let mut wins = Vec::new();
    for worker in workers {
        let output = worker.wait_with_output().unwrap();
        let said = said(&output);
        let won = said.strip_prefix("ready\nwon ").unwrap_or_else(|| panic!("{output:?}"));
        wins.push(won.parse::<usize>().unwrap());
    }
    println!("{kind}: {keys} keys, won by each process: {wins:?}");
    assert_eq!(wins.iter().sum::<usize>(), keys, "{wins:?}");
    let had = place.had();
    assert_eq!((had.len(), had.values().sum::<usize>()), (keys, keys));
    let done = Filter { states: vec![RowState::Done], ..Filter::default() };
    assert_eq!(place.open().await.list(&done).await.unwrap().len(), keys);
    assert_eq!(place.is_whole().await, keys);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_eight_processes_one_wins_each_key_in_sqlite() {
    race("sqlite").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_eight_processes_one_wins_each_key_in_postgres() {
    race("postgres").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_eight_processes_one_wins_each_key_in_redis() {
    race("redis").await;
}

/// Parks a call in a process that is gone then, and gives the id that it was told.
async fn parked(place: &Place, key: &str) -> String {
    let (died, said) = place.dies(usize::MAX, &["park", key]);
    assert!(died.is_none() && said.starts_with("Awaiting"), "{said}");
    let row = place.open().await.load(&workers::call(key).key).await.unwrap().row.unwrap();
    row.approval_id.unwrap()
}

async fn handed_on(kind: &str) {
    let Some(place) = Place::of(kind, &format!("{kind}-handed-on")) else { return };
    let once = |key: &str| BTreeMap::from([(workers::call(key).arguments, 1)]);

    // Resumed too early, approved, approved once more, resumed, and resumed by many.
    let id = parked(&place, "first").await;
    assert!(place.tells(&["resume", &id]).starts_with("Awaiting"));
    assert_eq!(place.tells(&["approve", &id]), "approved");
    let again = place.tells(&["approve", &id]);
    assert!(again.contains("decided before, by kim"), "{again}");
    assert!(place.tells(&["park", "first"]).contains("carried: true"));
    let told: Vec<String> = std::thread::scope(|scope| {
        let resume = |_| scope.spawn(|| place.tells(&["resume", &id]));
        let threads: Vec<_> = (0..6).map(resume).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(told.iter().filter(|told| *told == "ran, done").count(), 1, "{told:?}");
    assert_eq!(place.had(), once("first"));
    assert!(place.tells(&["resume", &id]).starts_with("Done("));
    let late = place.tells(&["approve", &id]);
    assert!(late.contains("decided") || late.contains("it was run"), "{late}");

    // Each of the three is killed at each of its points, and another one goes on.
    let mut kills = 0;
    for point in 0.. {
        let key = format!("killed at {point}");
        let died_parking = place.dies(point, &["park", &key]).0;
        let id = parked(&place, &key).await;
        let died_approving = place.dies(point, &["approve", &id]).0;
        let approved = place.tells(&["approve", &id]);
        assert!(approved == "approved" || approved.contains("decided before"), "{approved}");
        let died_resuming = place.dies(point, &["resume", &id]).0;
        let all = [&died_parking, &died_approving, &died_resuming];
        kills += all.iter().filter(|died| died.is_some()).count();
        tokio::time::sleep(workers::LEASE).await;
        let told = place.tells(&["resume", &id]);
        let effects = place.had().get(&workers::call(&key).arguments).copied().unwrap_or_default();
        match told.split(['(', ' ']).next() {
            Some("ran," | "Done") => assert_eq!(effects, 1, "{key}: {told}"),
            Some("InDoubt") => assert!(effects <= 1, "{key}: {told}"),
            _ => panic!("{key}: {told}"),
        }
        if all.iter().all(|died| died.is_none()) {
            break;
        }
    }
    println!("{kind}: {kills} kills");
    assert!(kills >= 30, "{kills}");
    place.is_whole().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_parked_in_one_process_is_approved_and_run_by_others_in_sqlite() {
    handed_on("sqlite").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_parked_in_one_process_is_approved_and_run_by_others_in_postgres() {
    handed_on("postgres").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_parked_in_one_process_is_approved_and_run_by_others_in_redis() {
    handed_on("redis").await;
}

async fn taints_on(kind: &str) {
    let Some(place) = Place::of(kind, &format!("{kind}-taint")) else { return };
    let told = place.tells(&["agent", "refund first", "browse", "refund second"]);
    assert_eq!(told, "ok; ok, tainted; awaiting_approval, tainted");
    let waiting = Filter { states: vec![RowState::Parked], ..Filter::default() };
    let rows = place.open().await.list(&waiting).await.unwrap();
    let [row] = rows.as_slice() else { panic!("{rows:?}") };
    let id = row.approval_id.as_deref().unwrap();
    assert_eq!(place.tells(&["approve", id]), "approved");

    // A process that goes on with it is as little its own; one that does not, is.
    let told = place.tells(&["agent", &format!("resume {id}"), "refund third"]);
    assert_eq!(told, "ok, tainted; awaiting_approval, tainted");
    assert_eq!(place.tells(&["agent", "refund fourth"]), "ok");
    let once = |order: &str| (order.to_owned(), 1);
    assert_eq!(place.had(), BTreeMap::from(["first", "second", "fourth"].map(once)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tainted_call_taints_the_process_that_resumes_it_in_sqlite() {
    taints_on("sqlite").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tainted_call_taints_the_process_that_resumes_it_in_postgres() {
    taints_on("postgres").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tainted_call_taints_the_process_that_resumes_it_in_redis() {
    taints_on("redis").await;
}
