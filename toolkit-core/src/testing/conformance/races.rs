//! Many at once: of those who want the same, one wins.

use std::sync::Arc;

use futures_util::future::join_all;

use super::changes::{holds, is_gone};
use super::rows::{Rows, line, next};
use super::{Verdict, same, worked};
use crate::ledger::{Ledger, LedgerError, Row};

const RIVALS: usize = 16;
const ROUNDS: usize = 10;

type Won = Result<bool, LedgerError>;

pub(super) async fn concurrent(store: &Arc<dyn Ledger>, mut rows: Rows) -> Verdict {
    for _ in 0..ROUNDS {
        let (first, rivals) = creators(&mut rows);
        let won = join_all(rivals.iter().map(|row| create(store, row))).await;
        let row = winner(store, "create", &rivals, won).await?;
        holds(store, "after creates at once", &row, &[line(&row)]).await?;

        let rivals = swappers(&row);
        let won = join_all(rivals.iter().map(|row| swap(store, row))).await;
        let after = winner(store, "swap", &rivals, won).await?;
        let lines = [line(&row), line(&after)];
        holds(store, "after swaps at once", &after, &lines).await?;

        swap_or_remove(store, &after).await?;
        one_approval_id(store, &first, &mut rows).await?;
    }
    count_together(store, &rows.row()).await
}

/// Rows of one key that differ in what is told of them.
fn creators(rows: &mut Rows) -> (Row, Vec<Row>) {
    let first = rows.row();
    let rival = |index| Row { document: format!("{{\"rival\":{index}}}"), ..first.clone() };
    let rivals = (0..RIVALS).map(rival).collect();
    (first, rivals)
}

fn swappers(row: &Row) -> Vec<Row> {
    let rival = |index| Row { document: format!("{{\"rival\":{index}}}"), ..next(row) };
    (0..RIVALS).map(rival).collect()
}

async fn create(store: &Arc<dyn Ledger>, row: &Row) -> Won {
    store.create(row, &line(row)).await
}

async fn swap(store: &Arc<dyn Ledger>, row: &Row) -> Won {
    store.swap(row, &line(row)).await
}

/// The one that won and is there.
async fn winner(
    store: &Arc<dyn Ledger>,
    what: &str,
    rivals: &[Row],
    won: Vec<Won>,
) -> Result<Row, String> {
    let mut winners = Vec::new();
    for (row, won) in rivals.iter().zip(won) {
        if worked(what, won)? {
            winners.push(row.clone());
        }
    }
    let count = winners.len();
    match <[Row; 1]>::try_from(winners) {
        Ok([row]) => {
            let found = worked("load", store.load(&row.key).await)?.row;
            same(&format!("the {what} that won is not there"), &found.as_ref(), &Some(&row))?;
            Ok(row)
        }
        Err(_) => Err(format!("{count} of {RIVALS} won a {what} of one row, made at once")),
    }
}

async fn swap_or_remove(store: &Arc<dyn Ledger>, row: &Row) -> Verdict {
    let after = next(row);
    let told = line(&after);
    let (swapped, removed) =
        futures_util::future::join(store.swap(&after, &told), store.remove(&row.key, row.version))
            .await;
    match (worked("swap", swapped)?, worked("remove", removed)?) {
        (true, false) => {
            let found = worked("load", store.load(&row.key).await)?.row;
            same("after a swap won over a remove", &found, &Some(after))
        }
        (false, true) => is_gone(store, "after a remove won over a swap", &row.key).await,
        (true, true) => Err("a swap and a remove of one version both won".to_owned()),
        (false, false) => Err("neither a swap nor a remove won, made at once".to_owned()),
    }
}

async fn one_approval_id(store: &Arc<dyn Ledger>, row: &Row, rows: &mut Rows) -> Verdict {
    let approval_id = row.approval_id.as_ref().map(|id| format!("{id} at once"));
    let rival = |_| Row { approval_id: approval_id.clone(), ..rows.row() };
    let rivals: Vec<Row> = (0..RIVALS).map(rival).collect();
    let won = join_all(rivals.iter().map(|row| create(store, row))).await;
    let winners: Vec<&Row> =
        rivals.iter().zip(&won).filter(|(_, won)| **won == Ok(true)).map(|(row, _)| row).collect();
    let [winner] = winners.as_slice() else {
        let count = winners.len();
        return Err(format!("{count} of {RIVALS} rows were created with one approval id at once"));
    };
    holds(store, "after creates with one approval id", winner, &[line(winner)]).await
}

/// Each adds one, again and again, by reading and swapping.
async fn count_together(store: &Arc<dyn Ledger>, row: &Row) -> Verdict {
    worked("create", create(store, row).await)?;
    let counted: Vec<Verdict> = join_all((0..8).map(|_| count(store, row, 8))).await;
    counted.into_iter().collect::<Verdict>()?;
    counted_right(store, row, 64).await
}

async fn count(store: &Arc<dyn Ledger>, row: &Row, times: usize) -> Verdict {
    const MOST: usize = 100_000;
    let mut left = times;
    for _ in 0..MOST {
        if left == 0 {
            return Ok(());
        }
        let Some(found) = worked("load", store.load(&row.key).await)?.row else {
            return Err("a row is gone that nobody removed".to_owned());
        };
        left -= usize::from(worked("swap", swap(store, &next(&found)).await)?);
    }
    Err(format!("a swap from the version just read lost {MOST} times"))
}

async fn counted_right(store: &Arc<dyn Ledger>, row: &Row, times: u64) -> Verdict {
    let last = Row { version: 1 + times, ..row.clone() };
    let version = |version| line(&Row { version, ..row.clone() });
    let lines: Vec<_> = (1..=last.version).map(version).collect();
    holds(store, "after many swaps at once", &last, &lines).await
}

/// The same, where the rivals are threads.
pub(super) fn of_threads(store: &Arc<dyn Ledger>, mut rows: Rows) -> Verdict {
    for _ in 0..ROUNDS * 5 {
        let (_, rivals) = creators(&mut rows);
        let won = on_threads(&rivals, |row| pollster::block_on(create(store, row)));
        let row = pollster::block_on(winner(store, "create", &rivals, won))?;
        let rivals = swappers(&row);
        let won = on_threads(&rivals, |row| pollster::block_on(swap(store, row)));
        let after = pollster::block_on(winner(store, "swap", &rivals, won))?;
        let lines = [line(&row), line(&after)];
        pollster::block_on(holds(store, "after threads raced", &after, &lines))?;
    }
    let row = rows.row();
    worked("create", pollster::block_on(create(store, &row)))?;
    let counters = [(); 8];
    let counted = on_threads(&counters, |()| pollster::block_on(count(store, &row, 8)));
    counted.into_iter().collect::<Verdict>()?;
    pollster::block_on(counted_right(store, &row, 64))
}

/// Does the same for each on a thread of its own, all starting together.
fn on_threads<T: Sync, U: Send>(all: &[T], each: impl Fn(&T) -> U + Sync) -> Vec<U> {
    let start = std::sync::Barrier::new(all.len());
    std::thread::scope(|scope| {
        let run = |one| {
            let (start, each) = (&start, &each);
            scope.spawn(move || {
                start.wait();
                each(one)
            })
        };
        let threads: Vec<_> = all.iter().map(run).collect();
        // A panic of a thread is passed on when the scope ends.
        threads.into_iter().filter_map(|thread| thread.join().ok()).collect()
    })
}
