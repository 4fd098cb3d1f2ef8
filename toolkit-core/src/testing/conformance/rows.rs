//! Rows that no other run has.

use std::hash::{BuildHasher, Hasher, RandomState};

use crate::ledger::{HistoryLine, Row, RowKey, RowState, Timestamp};
use crate::testing::dice::Dice;

/// Makes rows of one run's tenant.
#[derive(Debug, Clone)]
pub(super) struct Rows {
    dice: Dice,
    pub(super) tenant: String,
    made: u64,
}

impl Rows {
    pub(super) fn fresh() -> Self {
        Self::of(RandomState::new().build_hasher().finish())
    }

    pub(super) fn of(seed: u64) -> Self {
        let mut dice = Dice::of(seed);
        let tenant = format!("tenant {:016x}", dice.next());
        Self { dice, tenant, made: 0 }
    }

    pub(super) fn key(&mut self) -> RowKey {
        let mut key = [0; 32];
        for part in key.chunks_mut(8) {
            for (byte, random) in part.iter_mut().zip(self.dice.next().to_le_bytes()) {
                *byte = random;
            }
        }
        RowKey(key)
    }

    /// A row as it is created: version 1, with an approval id, not to be removed.
    pub(super) fn row(&mut self) -> Row {
        self.made += 1;
        let key = self.key();
        Row {
            key,
            version: 1,
            state: RowState::Parked,
            tenant: self.tenant.clone(),
            principal: "ann".to_owned(),
            tool: "refund".to_owned(),
            approval_id: Some(format!("approve-{key}")),
            created_at: Timestamp(1_790_000_000_000 + self.made),
            expires_at: None,
            document: format!("{{\"made\":{}}}", self.made),
        }
    }
}

/// The row's next version, in which every field is another.
pub(super) fn changed(row: &Row) -> Row {
    let version = row.version + 1;
    Row {
        key: row.key,
        version,
        state: RowState::InDoubt,
        tenant: format!("{}'", row.tenant),
        principal: format!("{}'", row.principal),
        tool: format!("{}'", row.tool),
        approval_id: row.approval_id.as_ref().map(|id| format!("{id}'")),
        created_at: Timestamp(row.created_at.0 + 1),
        expires_at: Some(Timestamp(4_000_000_000_000)),
        document: format!("{{\"version\":{version}}}"),
    }
}

/// The row's next version, in which nothing else is another.
pub(super) fn next(row: &Row) -> Row {
    Row { version: row.version + 1, ..row.clone() }
}

/// The line of a row's version.
pub(super) fn line(row: &Row) -> HistoryLine {
    HistoryLine {
        key: row.key,
        version: row.version,
        at: Timestamp(row.created_at.0.wrapping_add(row.version)),
        actor: format!("worker {}", row.version % 3),
        event: format!("became {}", row.state),
        detail: row.document.chars().take(40).collect(),
    }
}
