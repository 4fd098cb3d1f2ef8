//! Rows as tests make them.

use toolkit::ledger::{HistoryLine, Row, RowKey, RowState, Timestamp};

pub fn row(byte: u8) -> Row {
    Row {
        key: RowKey([byte; 32]),
        version: 1,
        state: RowState::Parked,
        tenant: "shop".to_owned(),
        principal: "ann".to_owned(),
        tool: "refund".to_owned(),
        approval_id: Some(format!("id {byte}")),
        created_at: Timestamp(1_790_000_000_000),
        expires_at: None,
        document: "{\"amount\":900}".to_owned(),
    }
}

pub fn line(row: &Row) -> HistoryLine {
    HistoryLine {
        key: row.key,
        version: row.version,
        at: row.created_at,
        actor: "worker".to_owned(),
        event: "parked".to_owned(),
        detail: String::new(),
    }
}
