//! A process that the tests of the stores start, and kill: `worker STORE EFFECTS WHAT [KEY…]`.
//!
//! It prints what came of it in one line. `TOOLKIT_DIE_AT` is the number of the point at which
//! it kills itself, without a chance to tidy up.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;
use std::time::Duration;

use futures_util::future::try_join_all;
use toolkit::__private::ledger::{Attempt, Book, Claim, Ended, Parked, Resumed, Settled};
use toolkit::ledger::{
    Desk, Durability, Filter, HistoryLine, Ledger, LedgerError, Loaded, Row, RowKey,
};
use toolkit::{BoxFuture, Caller, Options, ToolCall};
use toolkit_tests::{Dice, workers};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let [store, effects, what, keys @ ..] = arguments.as_slice() else {
        eprintln!("usage: worker STORE EFFECTS WHAT [KEY…]");
        return ExitCode::from(2);
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    match runtime.expect("there is a runtime").block_on(work(store, Path::new(effects), what, keys))
    {
        Ok(told) => {
            println!("{told}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            println!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn work(
    store: &str,
    effects: &Path,
    what: &str,
    keys: &[&str],
) -> Result<String, LedgerError> {
    let points = Arc::new(Points::default());
    points.passed("before the store is opened");
    let store = workers::open(store).await?;
    points.passed("after the store was opened");
    let watched = Arc::new(Watched { store, points: Arc::clone(&points) });
    let book = Book::new(watched.clone(), workers::settings(), "worker");
    let worker = Worker { book, points, effects };
    match (what, keys) {
        ("claim", keys) => {
            let told = try_join_all(keys.iter().map(|key| worker.claim(key))).await?;
            Ok(told.join("; "))
        }
        ("race", [count, seed]) => worker.race(number(count), number(seed) as u64).await,
        ("park", [key]) => match worker.book.park(&workers::call(key), &workers::terms()).await? {
            Parked::Known(known) => Ok(format!("{known:?}")),
            Parked::TooMany { most } => Ok(format!("as many as {most} wait")),
        },
        ("approve", [id]) => {
            let desk = Desk::new(watched);
            let approved = match desk.show(id).await {
                Ok(call) => desk.approve(&workers::kim(), id, &call.binding).await,
                Err(error) => Err(error),
            };
            Ok(approved.map_or_else(|error| error.to_string(), |state| state.to_string()))
        }
        ("resume", [id]) => worker.resume(id).await,
        ("agent", steps) => Ok(agent(watched, effects, steps).await),
        _ => Ok(format!("nothing to do: {what} {keys:?}")),
    }
}

fn number(text: &str) -> usize {
    text.parse().expect("a number")
}

/// One run of an agent: it calls a tool of no argument or of an order, or resumes what it had
/// left. How each ended, and whether the run was tainted then.
async fn agent(store: Arc<dyn Ledger>, effects: &Path, steps: &[&str]) -> String {
    let view = workers::registry(store, effects).view(Caller::new("ann").tenant("shop"));
    let mut told = Vec::new();
    for step in steps {
        let options = Options::default().run_id("a run");
        let ended = match step.split_once(' ') {
            Some(("resume", id)) => view.resume(id, options).await,
            Some((tool, order)) => {
                let arguments = format!("{{\"order\":\"{order}\"}}");
                view.dispatch(ToolCall::new("1", tool, arguments), options).await
            }
            None => view.dispatch(ToolCall::new("1", *step, "{}"), options).await,
        };
        let status =
            ended.map_or_else(|abort| abort.to_string(), |ended| ended.status().to_string());
        told.push(if view.is_tainted() { format!("{status}, tainted") } else { status });
    }
    told.join("; ")
}

struct Worker<'a> {
    book: Book,
    points: Arc<Points>,
    effects: &'a Path,
}

impl Worker<'_> {
    async fn claim(&self, key: &str) -> Result<String, LedgerError> {
        let call = workers::call(key);
        match self.book.claim(&call, None).await? {
            Claim::Claimed(attempt) => self.run(&attempt, &call.arguments).await,
            Claim::Known(known) => Ok(format!("{known:?}")),
        }
    }

    async fn run(&self, attempt: &Attempt, arguments: &str) -> Result<String, LedgerError> {
        self.points.passed("before the effect");
        let written = || self.points.passed("before the effect is synced");
        workers::effect(self.effects, arguments, written).map_err(LedgerError::unavailable)?;
        self.points.passed("after the effect");
        let ended = Ended::Complete(workers::outcome(arguments));
        let settled = self.book.settle(attempt, ended).await?;
        self.points.passed("after all is written");
        Ok(match settled {
            Settled::Recorded(state) => format!("ran, {state}"),
            Settled::Stale(_) => "ran, stale".to_owned(),
        })
    }

    async fn resume(&self, id: &str) -> Result<String, LedgerError> {
        match self.book.claim_approved(id.parse()?, &workers::today(), workers::LEASE).await? {
            // Nothing else than what was frozen is at hand here.
            Resumed::Claimed(attempt, record) => self.run(&attempt, &record.arguments).await,
            Resumed::Known(known) => Ok(format!("{known:?}")),
            Resumed::NoRow => Ok("no such call".to_owned()),
        }
    }

    /// Claims every key, in an order of its own, as soon as all may start.
    async fn race(&self, count: usize, seed: u64) -> Result<String, LedgerError> {
        let mut dice = Dice::of(seed);
        let mut keys: Vec<usize> = (0..count).collect();
        for place in (1..keys.len()).rev() {
            keys.swap(place, dice.below(place + 1));
        }
        println!("ready");
        let mut line = String::new();
        std::io::stdin().read_line(&mut line).map_err(LedgerError::unavailable)?;
        let mut won = 0;
        for key in keys {
            let call = workers::call(&format!("race {key}"));
            if let Claim::Claimed(attempt) = self.book.claim(&call, None).await? {
                self.run(&attempt, &call.arguments).await?;
                won += 1;
            }
        }
        Ok(format!("won {won}"))
    }
}

/// The points that are passed, one after the other.
#[derive(Debug, Default)]
struct Points(AtomicUsize);

impl Points {
    /// Goes on, or dies here.
    fn passed(&self, name: &str) {
        if self.is_fatal() {
            die(name);
        }
    }

    fn is_fatal(&self) -> bool {
        let number = self.0.fetch_add(1, Ordering::SeqCst).to_string();
        std::env::var("TOOLKIT_DIE_AT").is_ok_and(|fatal| fatal == number)
    }
}

/// `kill -9` of this process.
fn die(name: &str) -> ! {
    println!("died {name}");
    let this = std::process::id().to_string();
    let _ = std::process::Command::new("kill").args(["-9", &this]).status();
    loop {
        std::thread::sleep(Duration::from_secs(1));
    }
}

/// A store that passes points before, within and after each operation.
#[derive(Debug)]
struct Watched {
    store: Arc<dyn Ledger>,
    points: Arc<Points>,
}

impl Watched {
    async fn read<'a, T>(
        &'a self,
        name: &str,
        read: impl FnOnce() -> BoxFuture<'a, Result<T, LedgerError>>,
    ) -> Result<T, LedgerError> {
        self.points.passed(&format!("before {name}"));
        let answer = read().await;
        self.points.passed(&format!("after {name}"));
        answer
    }

    async fn write<'a>(
        &'a self,
        name: &str,
        write: impl FnOnce() -> BoxFuture<'a, Result<bool, LedgerError>>,
    ) -> Result<bool, LedgerError> {
        self.points.passed(&format!("before {name}"));
        let mut write = write();
        if self.points.is_fatal() {
            // It is on its way, and how far it comes is not known.
            let _: Poll<_> = futures_poll(&mut write).await;
            std::thread::sleep(Duration::from_micros(u64::from(std::process::id() % 8) * 300));
            die(&format!("within {name}"));
        }
        let answer = write.await;
        self.points.passed(&format!("after {name}"));
        answer
    }
}

/// Polls a future once.
async fn futures_poll<T>(future: &mut BoxFuture<'_, T>) -> Poll<T> {
    std::future::poll_fn(|context| Poll::Ready(future.as_mut().poll(context))).await
}

impl Ledger for Watched {
    fn load<'a>(&'a self, key: &'a RowKey) -> BoxFuture<'a, Result<Loaded, LedgerError>> {
        Box::pin(self.read("load", move || self.store.load(key)))
    }

    fn load_parked<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Loaded, LedgerError>> {
        Box::pin(self.read("load_parked", move || self.store.load_parked(id)))
    }

    fn create<'a>(
        &'a self,
        row: &'a Row,
        line: &'a HistoryLine,
    ) -> BoxFuture<'a, Result<bool, LedgerError>> {
        Box::pin(self.write("create", move || self.store.create(row, line)))
    }

    fn swap<'a>(
        &'a self,
        row: &'a Row,
        line: &'a HistoryLine,
    ) -> BoxFuture<'a, Result<bool, LedgerError>> {
        Box::pin(self.write("swap", move || self.store.swap(row, line)))
    }

    fn remove<'a>(
        &'a self,
        key: &'a RowKey,
        version: u64,
    ) -> BoxFuture<'a, Result<bool, LedgerError>> {
        Box::pin(self.write("remove", move || self.store.remove(key, version)))
    }

    fn list<'a>(&'a self, filter: &'a Filter) -> BoxFuture<'a, Result<Vec<Row>, LedgerError>> {
        Box::pin(self.read("list", move || self.store.list(filter)))
    }

    fn history<'a>(
        &'a self,
        key: &'a RowKey,
    ) -> BoxFuture<'a, Result<Vec<HistoryLine>, LedgerError>> {
        Box::pin(self.read("history", move || self.store.history(key)))
    }

    fn durability(&self) -> Durability {
        self.store.durability()
    }
}
