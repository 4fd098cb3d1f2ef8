//! Random operations on a store and on a plain map, answer by answer.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::rows::{Rows, line};
use super::{Verdict, cut, worked};
use crate::ledger::{Filter, HistoryLine, Ledger, Row, RowKey, RowState, Timestamp};
use crate::testing::dice::Dice;

const OPERATIONS: usize = 30;

/// What a store should be: rows with their histories.
type Map = BTreeMap<RowKey, (Row, Vec<HistoryLine>)>;

#[derive(Debug, Clone)]
enum Operation {
    Load(RowKey),
    LoadParked(String),
    Create(Row),
    Swap(Row),
    Remove(RowKey, u64),
    List(Filter),
    History(RowKey),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Answer {
    Row(Option<Row>),
    Won(bool),
    /// An approval id that is taken: an error, or a loss.
    Refused,
    Rows(Vec<Row>),
    Lines(Vec<HistoryLine>),
}

pub(super) async fn run(store: &Arc<dyn Ledger>, seed: u64, count: usize) -> Verdict {
    let mut dice = Dice::of(seed);
    for _ in 0..count {
        // A repeated seed must meet no row of the first run.
        let rows = Rows::fresh();
        one(store, &mut dice, rows).await?;
    }
    Ok(())
}

async fn one(store: &Arc<dyn Ledger>, dice: &mut Dice, mut rows: Rows) -> Verdict {
    let keys = [rows.key(), rows.key(), rows.key()];
    let mut map = Map::new();
    let mut told = Vec::new();
    for _ in 0..OPERATIONS {
        let operation = pick(dice, &rows, &keys, &map);
        told.push(operation.clone());
        let right = answer(&mut map, &operation);
        let found = ask(store, &operation, &right).await?;
        if found != right {
            let before: Vec<String> = told.iter().map(cut).collect();
            return Err(format!(
                "an operation is answered as no map of rows would\nfound: {}\nright: {}\nafter:\n{}",
                cut(&found),
                cut(&right),
                before.join("\n")
            ));
        }
    }
    Ok(())
}

fn pick(dice: &mut Dice, rows: &Rows, keys: &[RowKey; 3], map: &Map) -> Operation {
    let [first, ..] = keys;
    let key = dice.pick(keys).copied().unwrap_or(*first);
    let version = map.get(&key).map_or(0, |(row, _)| row.version);
    match dice.below(12) {
        0 => Operation::Load(key),
        1 => Operation::LoadParked(approval_id(dice, rows)),
        2..=4 => Operation::Create(row(dice, rows, key, 1)),
        5..=8 => {
            let version = if dice.one_in(4) { dice.below(6) as u64 } else { version + 1 };
            Operation::Swap(row(dice, rows, key, version))
        }
        9 => {
            let version = if dice.one_in(2) { dice.below(6) as u64 } else { version };
            Operation::Remove(key, version)
        }
        10 => Operation::List(filter(dice, rows)),
        _ => Operation::History(key),
    }
}

fn approval_id(dice: &mut Dice, rows: &Rows) -> String {
    format!("{} {}", rows.tenant, dice.below(4))
}

fn row(dice: &mut Dice, rows: &Rows, key: RowKey, version: u64) -> Row {
    Row {
        key,
        version,
        state: dice.pick(&RowState::ALL).copied().unwrap_or(RowState::Done),
        tenant: rows.tenant.clone(),
        principal: dice.word(["ann", "", "bob \0"]).to_owned(),
        tool: dice.word(["refund", "täg"]).to_owned(),
        approval_id: (!dice.one_in(3)).then(|| approval_id(dice, rows)),
        created_at: Timestamp(dice.below(4) as u64),
        expires_at: (!dice.one_in(3)).then(|| later(dice)),
        document: format!("{{\"n\":{}}}", dice.below(1_000)),
    }
}

/// A time that has not come, so that no store may have removed the row.
fn later(dice: &mut Dice) -> Timestamp {
    Timestamp(4_000_000_000_000 + dice.below(4) as u64)
}

fn filter(dice: &mut Dice, rows: &Rows) -> Filter {
    let states = (0..dice.below(4)).filter_map(|_| dice.pick(&RowState::ALL).copied()).collect();
    Filter {
        states,
        tenant: Some(rows.tenant.clone()),
        principal: dice.one_in(3).then(|| dice.word(["ann", "", "bob \0"]).to_owned()),
        expired_at: dice.one_in(3).then(|| later(dice)),
        limit: dice.one_in(3).then(|| dice.below(4)),
    }
}

fn answer(map: &mut Map, operation: &Operation) -> Answer {
    let taken = |map: &Map, row: &Row| {
        let mut others = map.values().filter(|(other, _)| other.key != row.key);
        row.approval_id.is_some() && others.any(|(other, _)| other.approval_id == row.approval_id)
    };
    match operation {
        Operation::Load(key) => Answer::Row(map.get(key).map(|(row, _)| row.clone())),
        Operation::LoadParked(id) => {
            let mut all = map.values();
            let found = all.find(|(row, _)| row.approval_id.as_ref() == Some(id));
            Answer::Row(found.map(|(row, _)| row.clone()))
        }
        Operation::Create(row) if map.contains_key(&row.key) => Answer::Won(false),
        Operation::Create(row) if taken(map, row) => Answer::Refused,
        Operation::Create(row) => {
            map.insert(row.key, (row.clone(), vec![line(row)]));
            Answer::Won(true)
        }
        Operation::Swap(row) => match map.get(&row.key) {
            Some((before, _)) if before.version.checked_add(1) == Some(row.version) => {
                if taken(map, row) {
                    return Answer::Refused;
                }
                if let Some(entry) = map.get_mut(&row.key) {
                    entry.0 = row.clone();
                    entry.1.push(line(row));
                }
                Answer::Won(true)
            }
            _ => Answer::Won(false),
        },
        Operation::Remove(key, version) => {
            let there = map.get(key).is_some_and(|(row, _)| row.version == *version);
            if there {
                map.remove(key);
            }
            Answer::Won(there)
        }
        Operation::List(filter) => {
            let mut rows: Vec<Row> =
                map.values().map(|(row, _)| row).filter(|row| filter.fits(row)).cloned().collect();
            rows.sort_by_key(|row| (row.created_at, row.key));
            rows.truncate(filter.limit.unwrap_or(usize::MAX));
            Answer::Rows(rows)
        }
        Operation::History(key) => {
            Answer::Lines(map.get(key).map(|(_, lines)| lines.clone()).unwrap_or_default())
        }
    }
}

async fn ask(
    store: &Arc<dyn Ledger>,
    operation: &Operation,
    right: &Answer,
) -> Result<Answer, String> {
    let write = |won| {
        if *right == Answer::Refused && won != Ok(true) {
            return Ok(Answer::Refused);
        }
        worked(&format!("{operation:?}"), won).map(Answer::Won)
    };
    match operation {
        Operation::Load(key) => Ok(Answer::Row(worked("load", store.load(key).await)?.row)),
        Operation::LoadParked(id) => {
            Ok(Answer::Row(worked("load_parked", store.load_parked(id).await)?.row))
        }
        Operation::Create(row) => write(store.create(row, &line(row)).await),
        Operation::Swap(row) => write(store.swap(row, &line(row)).await),
        Operation::Remove(key, version) => write(store.remove(key, *version).await),
        Operation::List(filter) => Ok(Answer::Rows(worked("list", store.list(filter).await)?)),
        Operation::History(key) => Ok(Answer::Lines(worked("history", store.history(key).await)?)),
    }
}
