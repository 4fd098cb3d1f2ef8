//! Holds a store to what `Ledger` promises.

mod approvals;
mod changes;
mod faulty;
mod listing;
mod races;
mod repeats;
mod rows;
mod sequence;
mod time;
mod values;

pub use faulty::{Fault, Faulty};

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;

use rows::Rows;

use super::from_environment;
use crate::ledger::{Ledger, LedgerError};
use crate::tool::BoxFuture;

/// What a part found: nothing, or a sentence of what the store did wrong.
type Verdict = Result<(), String>;

/// One part of the kit.
type Part = for<'a> fn(&'a Arc<dyn Ledger>, Rows) -> BoxFuture<'a, Verdict>;

const PARTS: [(&str, Part); 10] = [
    ("nothing is found", |store, rows| Box::pin(changes::unknown(store, rows))),
    ("create", |store, rows| Box::pin(changes::create(store, rows))),
    ("swap", |store, rows| Box::pin(changes::swap(store, rows))),
    ("remove", |store, rows| Box::pin(changes::remove(store, rows))),
    ("approval ids", |store, rows| Box::pin(approvals::ids(store, rows))),
    ("values", |store, rows| Box::pin(values::all(store, rows))),
    ("listing", |store, rows| Box::pin(listing::filters(store, rows))),
    ("time", |store, rows| Box::pin(time::moves_on(store, rows))),
    ("races", |store, rows| Box::pin(races::concurrent(store, rows))),
    ("repeats", |store, rows| Box::pin(repeats::after_faults(store, rows))),
];

/// Holds a store to what [`Ledger`] promises, on the host's own executor.
///
/// `make_store` is asked for each part anew; it may give the same rows again, for the kit
/// makes keys, tenants and approval ids that no other run has. Rows of its own it leaves
/// behind. The operations of a race are in flight together, on the thread that polls;
/// [`conforms_on_threads`] has them race on threads, too.
///
/// ```
/// # use toolkit::ledger::MemoryLedger;
/// // In a test of yours, with your store.
/// pollster::block_on(toolkit::testing::conforms(async || MemoryLedger::new()));
/// ```
///
/// # Panics
/// With a sentence of what the store did wrong.
pub async fn conforms<L: Ledger>(make_store: impl AsyncFn() -> L) {
    for (name, part) in PARTS {
        let store: Arc<dyn Ledger> = Arc::new(make_store().await);
        demand(name, &store, part(&store, Rows::fresh()).await);
    }
    let store: Arc<dyn Ledger> = Arc::new(make_store().await);
    sequences_of(&store, 50).await;
}

/// Holds a store that needs no async runtime to the same, and has threads race for its rows.
///
/// ```
/// # use toolkit::ledger::MemoryLedger;
/// // In a test of yours, with your store.
/// toolkit::testing::conforms_on_threads(MemoryLedger::new);
/// ```
///
/// # Panics
/// With a sentence of what the store did wrong.
pub fn conforms_on_threads<L: Ledger>(make_store: impl Fn() -> L) {
    pollster::block_on(conforms(async || make_store()));
    let store: Arc<dyn Ledger> = Arc::new(make_store());
    demand("races of threads", &store, races::of_threads(&store, Rows::fresh()));
}

/// Compares a store with a plain map through so many random sequences of 30 operations.
///
/// The seed is printed. The environment's `TOOLKIT_SEED` repeats a run.
///
/// ```
/// # use toolkit::ledger::MemoryLedger;
/// // In a test of yours, with your store, and more of them.
/// pollster::block_on(toolkit::testing::sequences(async || MemoryLedger::new(), 100));
/// ```
///
/// # Panics
/// With the operation that store and map answer differently, and those before it.
pub async fn sequences<L: Ledger>(make_store: impl AsyncFn() -> L, count: usize) {
    let store: Arc<dyn Ledger> = Arc::new(make_store().await);
    sequences_of(&store, count).await;
}

#[expect(clippy::print_stdout, reason = "it is a part of a test")]
async fn sequences_of(store: &Arc<dyn Ledger>, count: usize) {
    let seed = from_environment("TOOLKIT_SEED");
    let seed = seed.unwrap_or_else(|| RandomState::new().build_hasher().finish());
    println!("sequences: TOOLKIT_SEED={seed}");
    demand("sequences", store, sequence::run(store, seed, count).await);
}

#[expect(clippy::panic, reason = "it is an assertion of a test")]
fn demand(part: &str, store: &Arc<dyn Ledger>, verdict: Verdict) {
    if let Err(sentence) = verdict {
        panic!("{part}: {sentence}\nstore: {store:?}");
    }
}

/// The sentence, where it is not so.
fn check(so: bool, otherwise: impl FnOnce() -> String) -> Verdict {
    if so { Ok(()) } else { Err(otherwise()) }
}

/// That something is as it should be; both are shown where it is not.
fn same<T: PartialEq + std::fmt::Debug>(what: &str, found: &T, right: &T) -> Verdict {
    check(found == right, || format!("{what}\nfound: {}\nright: {}", cut(found), cut(right)))
}

/// What an operation gave, which was to work.
fn worked<T>(what: &str, given: Result<T, LedgerError>) -> Result<T, String> {
    given.map_err(|error| format!("{what} failed: {error}"))
}

/// A value as text, without the middle of a long one.
fn cut(value: &impl std::fmt::Debug) -> String {
    const MOST: usize = 2_000;
    let text = format!("{value:?}");
    let count = text.chars().count();
    if count <= MOST {
        return text;
    }
    let start: String = text.chars().take(MOST / 2).collect();
    let end: String = text.chars().skip(count - MOST / 2).collect();
    format!("{start} … {} more … {end}", count - MOST)
}
