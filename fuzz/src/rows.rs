//! A row of any bytes is read as what it says, or refused.

use serde_json::Value;
use toolkit::__private::ledger::Record;
use toolkit::ledger::{Row, RowState, Timestamp};

use crate::in_time;

const STATES: [(&str, RowState); 10] = [
    ("free", RowState::Free),
    ("parked", RowState::Parked),
    ("approved", RowState::Approved),
    ("declined", RowState::Declined),
    ("expired", RowState::Expired),
    ("invalidated", RowState::Invalidated),
    ("denied", RowState::Denied),
    ("running", RowState::Running),
    ("in_doubt", RowState::InDoubt),
    ("done", RowState::Done),
];

/// A row with that document; its columns say what the document does, as far as it says it.
fn row(document: &str) -> Option<Row> {
    let value: Value = serde_json::from_str(document).unwrap_or_default();
    let text = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
    let key = text("key").parse().or_else(|_| "0".repeat(64).parse()).ok()?;
    let state = match &value["state"] {
        Value::Object(state) => state.keys().next().cloned().unwrap_or_default(),
        other => other.as_str().unwrap_or_default().to_owned(),
    };
    let state = STATES.into_iter().find(|(name, _)| *name == state);
    Some(Row {
        key,
        version: 1,
        state: state.map_or(RowState::Free, |(_, state)| state),
        tenant: text("tenant"),
        principal: text("principal"),
        tool: text("tool"),
        approval_id: value["approval"]["id"].as_str().map(str::to_owned),
        created_at: Timestamp(value["created_at"].as_u64().unwrap_or_default()),
        expires_at: None,
        document: document.to_owned(),
    })
}

/// Reads a document as a row; one that is read is written as it was.
pub fn rows(document: &str) {
    in_time(document.len(), || {
        let Some(row) = row(document) else { return };
        let Ok(record) = Record::read(&row) else { return };
        let again = record.row(2).expect("what was read can be written");
        assert_eq!(Record::read(&again).as_ref(), Ok(&record));
    });
}
