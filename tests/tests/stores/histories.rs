//! What several hands see of one row at once, one hand after the other could have seen.

use std::sync::{Arc, Mutex};

use stateright::semantics::{ConsistencyTester as _, LinearizabilityTester, SequentialSpec};
use tokio::sync::Barrier;
use toolkit::ledger::{
    Ledger, MemoryLedger, PostgresLedger, RedisLedger, Row, RowKey, RowState, SqliteLedger,
};
use toolkit_tests::{Dice, cases};

use crate::folder::Folder;
use crate::memory::{Memory, Wrong};
use crate::rows::{line, row};
use crate::servers::{address, fresh};

/// How many hands there are, and how often each of them asks.
const HANDS: usize = 4;
const ASKED: usize = 5;

/// A row as it is where nobody else asks meanwhile.
#[derive(Debug, Clone, Default)]
struct Alone(Option<Row>);

#[derive(Debug, Clone)]
enum Asked {
    Load,
    Create(Row),
    Swap(Row),
    Remove(u64),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Told {
    Found(Option<Row>),
    Changed(bool),
}

impl Asked {
    /// The version that it leaves, where it leaves one.
    fn version(&self) -> Option<u64> {
        match self {
            Self::Create(row) | Self::Swap(row) => Some(row.version),
            Self::Load | Self::Remove(_) => None,
        }
    }
}

impl SequentialSpec for Alone {
    type Op = Asked;
    type Ret = Told;

    fn invoke(&mut self, asked: &Asked) -> Told {
        let version = self.0.as_ref().map(|row| row.version);
        let (changes, left) = match asked {
            Asked::Load => return Told::Found(self.0.clone()),
            Asked::Create(row) => (version.is_none(), Some(row.clone())),
            Asked::Swap(row) => {
                (version.is_some_and(|it| it + 1 == row.version), Some(row.clone()))
            }
            Asked::Remove(of) => (version == Some(*of), None),
        };
        if changes {
            self.0 = left;
        }
        Told::Changed(changes)
    }
}

async fn told(store: &dyn Ledger, key: RowKey, asked: &Asked) -> Told {
    match asked {
        Asked::Load => Told::Found(store.load(&key).await.unwrap().row),
        Asked::Create(row) => Told::Changed(store.create(row, &line(row)).await.unwrap()),
        Asked::Swap(row) => Told::Changed(store.swap(row, &line(row)).await.unwrap()),
        Asked::Remove(version) => Told::Changed(store.remove(&key, *version).await.unwrap()),
    }
}

/// What a hand asks next, by the version that it saw last.
fn next(dice: &mut Dice, key: RowKey, seen: Option<u64>) -> Asked {
    let document = format!("\"{:016x}\"", dice.next());
    let written = |version, state| Row {
        version,
        state,
        approval_id: None,
        document: document.clone(),
        ..Row { key, ..row(0) }
    };
    match (dice.below(8), seen) {
        (0 | 1, _) => Asked::Load,
        (2, Some(version)) => Asked::Remove(version),
        (_, None) => Asked::Create(written(1, RowState::Running)),
        (_, Some(version)) => Asked::Swap(written(version + 1, RowState::Done)),
    }
}

/// How many of so many histories, each of a row of its own, nobody could have seen alone.
async fn odd_ones(hands: Vec<Arc<dyn Ledger>>, histories: usize) -> usize {
    let mut dice = Dice::fresh("histories");
    let key_of = |history: usize| {
        let mut key = RowKey([0; 32]);
        key.0[..8].copy_from_slice(&(history as u64).to_be_bytes());
        key
    };
    let rows = (0..histories).map(key_of);
    let judged = |key| (key, Mutex::new(LinearizabilityTester::new(Alone::default())));
    let rows: Arc<[_]> = rows.map(judged).collect();
    let together = Arc::new(Barrier::new(hands.len()));
    let hands = hands.into_iter().enumerate().map(|(hand, store)| {
        let (together, rows) = (Arc::clone(&together), Arc::clone(&rows));
        let mut dice = Dice::of(dice.next());
        tokio::spawn(async move {
            for (key, judge) in rows.iter() {
                together.wait().await;
                let mut seen = None;
                for _ in 0..ASKED {
                    let asked = next(&mut dice, *key, seen);
                    judge.lock().unwrap().on_invoke(hand, asked.clone()).unwrap();
                    let told = told(&*store, *key, &asked).await;
                    seen = match &told {
                        Told::Found(found) => found.as_ref().map(|row| row.version),
                        // Also of one that it lost to: it guesses that the winner wrote that one.
                        Told::Changed(_) => asked.version(),
                    };
                    judge.lock().unwrap().on_return(hand, told).unwrap();
                }
            }
        })
    });
    for hand in hands.collect::<Vec<_>>() {
        hand.await.unwrap();
    }
    rows.iter().filter(|(_, judge)| !judge.lock().unwrap().is_consistent()).count()
}

/// The same store in every hand.
fn shared(store: impl Ledger) -> Vec<Arc<dyn Ledger>> {
    let store: Arc<dyn Ledger> = Arc::new(store);
    vec![store; HANDS]
}

#[tokio::test(flavor = "multi_thread")]
async fn in_memory() {
    let histories = cases(2_000).min(100_000);
    assert_eq!(odd_ones(shared(MemoryLedger::new()), histories).await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_sqlite_opened_by_each_hand() {
    let folder = Folder::new("histories");
    let open = |_| Arc::new(SqliteLedger::open(folder.calls()).unwrap()) as Arc<dyn Ledger>;
    let hands = (0..HANDS).map(open).collect();
    assert_eq!(odd_ones(hands, cases(50).min(1_000)).await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_postgres_over_a_connection_for_each_hand() {
    let Some(server) = address("TOOLKIT_POSTGRES", "of_postgres") else { return };
    let schema = fresh("histories");
    let mut hands: Vec<Arc<dyn Ledger>> = Vec::new();
    for _ in 0..HANDS {
        let ledger = PostgresLedger::builder(&server).schema(&schema).connect().await.unwrap();
        hands.push(Arc::new(ledger));
    }
    assert_eq!(odd_ones(hands, cases(50).min(1_000)).await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_redis_over_a_connection_for_each_hand() {
    let Some(server) = address("TOOLKIT_REDIS", "of_redis") else { return };
    let prefix = fresh("histories");
    let mut hands: Vec<Arc<dyn Ledger>> = Vec::new();
    for _ in 0..HANDS {
        let ledger = RedisLedger::builder(&server).prefix(&prefix).open().await.unwrap();
        hands.push(Arc::new(ledger));
    }
    assert_eq!(odd_ones(hands, cases(50).min(1_000)).await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_looks_before_it_writes_is_found_out() {
    for wrong in [Wrong::CreateLooksThenWrites, Wrong::SwapLooksThenWrites] {
        let odd = odd_ones(shared(Memory::new(wrong)), 200).await;
        println!("{wrong:?}: {odd} of 200 histories");
        assert!(odd > 0, "{wrong:?}");
    }
}
