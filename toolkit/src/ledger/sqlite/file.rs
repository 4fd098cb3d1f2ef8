//! The open file: changes that come together are one transaction.

use std::path::{Path, PathBuf};
use std::slice;
use std::time::UNIX_EPOCH;

use rusqlite::types::FromSql;
use rusqlite::{Connection, ErrorCode, OptionalExtension, params};
use toolkit_core::ledger::{
    Filter, HistoryLine, LedgerError, Loaded, Row, RowKey, RowState, Timestamp,
};

use crate::ledger::seal::{seal, sealed};

const ROW: &str = "key, version, state, tenant, principal, tool, approval_id, created_at, \
                   expires_at, document, seal";

/// A database that was found right.
pub(super) struct File {
    pub(super) connection: Connection,
    pub(super) path: PathBuf,
    /// The latest time that was told, or read.
    pub(super) latest: Timestamp,
}

/// What is to be written.
pub(super) enum Change {
    Create(Row, HistoryLine),
    Swap(Row, HistoryLine),
    Remove(RowKey, u64),
}

impl File {
    pub(super) fn load(&mut self, key: RowKey) -> Result<Loaded, LedgerError> {
        self.loaded("key = ?1", key.0)
    }

    pub(super) fn load_parked(&mut self, approval_id: &str) -> Result<Loaded, LedgerError> {
        self.loaded("approval_id = ?1", approval_id)
    }

    fn loaded(&mut self, which: &str, by: impl rusqlite::ToSql) -> Result<Loaded, LedgerError> {
        let select = format!("SELECT {ROW}, written_at FROM ledger WHERE {which}");
        let select = self.connection.prepare_cached(&select);
        let found = select.and_then(|mut select| {
            select.query_row([by], |row| Ok((read(row), row.get::<_, i64>(11)?)))
        });
        let found = found.optional().map_err(|error| self.failed(&error))?;
        let Some((row, written_at)) = found else {
            return Ok(Loaded { row: None, now: self.now() });
        };
        let row = Some(row?);
        // Another process may have written it, before the system's clock was set back.
        self.latest = self.latest.max(Timestamp(written_at.cast_unsigned()));
        Ok(Loaded { row, now: self.now() })
    }

    /// Makes changes, which are kept at once; what came of each.
    pub(super) fn change(&mut self, changes: &[Change]) -> Vec<Result<bool, LedgerError>> {
        let done = self.say("BEGIN IMMEDIATE").map(|()| {
            let written_at = self.now();
            let each = changes.iter().map(|change| self.make(change, written_at));
            each.collect::<Result<Vec<_>, _>>()
        });
        let kept = match done {
            Ok(Ok(done)) => self.say("COMMIT").map(|()| done),
            // One that can not be made is no reason to refuse the others.
            Ok(Err(_)) if changes.len() > 1 => {
                self.take_back();
                let alone = |change| self.change(slice::from_ref(change));
                return changes.iter().flat_map(alone).collect();
            }
            Ok(Err(error)) | Err(error) => Err(error),
        };
        kept.map_or_else(
            |error| {
                self.take_back();
                vec![Err(error); changes.len()]
            },
            |done| done.into_iter().map(Ok).collect(),
        )
    }

    fn make(&self, change: &Change, written_at: Timestamp) -> Result<bool, LedgerError> {
        const CREATE: &str = "INSERT INTO ledger (key, version, state, tenant, principal, tool, \
             approval_id, created_at, expires_at, document, seal, written_at) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12) ON CONFLICT (key) DO NOTHING";
        const SWAP: &str = "UPDATE ledger SET version = ?2, state = ?3, tenant = ?4, \
             principal = ?5, tool = ?6, approval_id = ?7, created_at = ?8, expires_at = ?9, \
             document = ?10, seal = ?11, written_at = ?12 WHERE key = ?1 AND version = ?2 - 1";
        match change {
            Change::Create(row, line) => self.write(CREATE, row, line, written_at),
            // No row has version 0, and the number before it is another row's.
            Change::Swap(Row { version: 0, .. }, _) => Ok(false),
            Change::Swap(row, line) => self.write(SWAP, row, line, written_at),
            Change::Remove(key, version) => self.remove(*key, *version),
        }
    }

    /// Writes a row and a line of its history, or neither.
    fn write(
        &self,
        how: &str,
        row: &Row,
        line: &HistoryLine,
        written_at: Timestamp,
    ) -> Result<bool, LedgerError> {
        let written = self.connection.prepare_cached(how).and_then(|mut write| {
            write.execute(params![
                row.key.0,
                row.version.cast_signed(),
                row.state.as_str(),
                row.tenant,
                row.principal,
                row.tool,
                row.approval_id,
                row.created_at.0.cast_signed(),
                row.expires_at.map(|at| at.0.cast_signed()),
                row.document,
                seal(row).cast_signed(),
                written_at.0.cast_signed(),
            ])
        });
        let written = written.and_then(|rows| Ok(rows == 1 && self.write_line(line)?));
        written.map_err(|error| match self.failed(&error) {
            LedgerError::Corrupt(what) if what.ends_with("ledger.approval_id") => {
                LedgerError::corrupt(format!(
                    "the approval id {:?} belongs to another row",
                    row.approval_id.as_deref().unwrap_or_default()
                ))
            }
            LedgerError::Corrupt(what) if what.ends_with("history.key, history.version") => {
                LedgerError::corrupt(format!(
                    "the row {} is gone and its history is there: something else than a ledger \
                     removed it",
                    row.key
                ))
            }
            error => error,
        })
    }

    fn write_line(&self, line: &HistoryLine) -> rusqlite::Result<bool> {
        const LINE: &str = "INSERT INTO history (key, version, at, actor, event, detail) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        let lines = self.connection.prepare_cached(LINE)?.execute(params![
            line.key.0,
            line.version.cast_signed(),
            line.at.0.cast_signed(),
            line.actor,
            line.event,
            line.detail,
        ])?;
        Ok(lines == 1)
    }

    fn remove(&self, key: RowKey, version: u64) -> Result<bool, LedgerError> {
        const ROW: &str = "DELETE FROM ledger WHERE key = ?1 AND version = ?2";
        const LINES: &str = "DELETE FROM history WHERE key = ?1";
        let removed = self.connection.execute(ROW, params![key.0, version.cast_signed()]);
        let removed = removed.and_then(|rows| {
            Ok(rows == 1 && self.connection.execute(LINES, [key.0]).map(|_| true)?)
        });
        removed.map_err(|error| self.failed(&error))
    }

    pub(super) fn list(&mut self, filter: &Filter) -> Result<Vec<Row>, LedgerError> {
        let Filter { states, tenant, principal, expired_at, limit } = filter;
        // Numbers from 2^63 on are kept as negative ones, which come after all others.
        let expired = match expired_at.map(|at| at.0.cast_signed()) {
            None => "?3 IS NULL",
            Some(0..) => "expires_at BETWEEN 0 AND ?3",
            Some(_) => "(expires_at >= 0 OR expires_at <= ?3)",
        };
        let select = format!(
            "SELECT {ROW} FROM ledger WHERE {} AND (?1 IS NULL OR tenant = ?1) \
             AND (?2 IS NULL OR principal = ?2) AND {expired} \
             ORDER BY created_at < 0, created_at, key LIMIT ?4",
            of_states(states)
        );
        let limit = limit.map_or(-1, |limit| i64::try_from(limit).unwrap_or(i64::MAX));
        let expired_at = expired_at.map(|at| at.0.cast_signed());
        let rows = self.connection.prepare(&select).and_then(|mut select| {
            let rows = select
                .query_map(params![tenant, principal, expired_at, limit], |row| Ok(read(row)))?;
            rows.collect::<Result<Vec<_>, _>>()
        });
        rows.map_err(|error| self.failed(&error))?.into_iter().collect()
    }

    pub(super) fn history(&mut self, key: RowKey) -> Result<Vec<HistoryLine>, LedgerError> {
        const SELECT: &str =
            "SELECT version, at, actor, event, detail FROM history WHERE key = ?1 ORDER BY version";
        let lines = self.connection.prepare(SELECT).and_then(|mut select| {
            let lines = select.query_map([key.0], |line| Ok(read_line(key, line)))?;
            lines.collect::<Result<Vec<_>, _>>()
        });
        lines.map_err(|error| self.failed(&error))?.into_iter().collect()
    }

    /// Says one word of a transaction, which rusqlite's own would parse again each time.
    fn say(&self, word: &str) -> Result<(), LedgerError> {
        let said = self.connection.prepare_cached(word).and_then(|mut word| word.execute([]));
        said.map(drop).map_err(|error| self.failed(&error))
    }

    /// Ends a transaction as if it had not been; some errors have done that already.
    fn take_back(&self) {
        if !self.connection.is_autocommit() {
            drop(self.say("ROLLBACK"));
        }
    }

    /// The system's time; never an earlier one than was told or read before.
    fn now(&mut self) -> Timestamp {
        self.latest = self.latest.max(system_time());
        self.latest
    }

    fn failed(&self, error: &rusqlite::Error) -> LedgerError {
        failed(&self.path, error)
    }
}

/// Which states, as the index of the parked ones is found by.
fn of_states(states: &[RowState]) -> String {
    match states {
        [] => "TRUE".to_owned(),
        [state] => format!("state = '{state}'"),
        states => {
            let states: Vec<String> = states.iter().map(|state| format!("'{state}'")).collect();
            format!("state IN ({})", states.join(", "))
        }
    }
}

fn read(row: &rusqlite::Row<'_>) -> Result<Row, LedgerError> {
    let row_of = |key: RowKey| {
        Ok(Row {
            key,
            version: cell::<i64>(row, 1)?.cast_unsigned(),
            state: cell::<String>(row, 2)?.parse()?,
            tenant: cell(row, 3)?,
            principal: cell(row, 4)?,
            tool: cell(row, 5)?,
            approval_id: cell(row, 6)?,
            created_at: Timestamp(cell::<i64>(row, 7)?.cast_unsigned()),
            expires_at: cell::<Option<i64>>(row, 8)?.map(|at| Timestamp(at.cast_unsigned())),
            document: cell(row, 9)?,
        })
    };
    let key = RowKey(cell(row, 0)?);
    let found = row_of(key).map_err(|error| match error {
        LedgerError::Corrupt(what) => LedgerError::Corrupt(format!("the row {key}: {what}")),
        other => other,
    })?;
    sealed(found, cell::<i64>(row, 10)?.cast_unsigned())
}

fn read_line(key: RowKey, line: &rusqlite::Row<'_>) -> Result<HistoryLine, LedgerError> {
    Ok(HistoryLine {
        key,
        version: cell::<i64>(line, 0)?.cast_unsigned(),
        at: Timestamp(cell::<i64>(line, 1)?.cast_unsigned()),
        actor: cell(line, 2)?,
        event: cell(line, 3)?,
        detail: cell(line, 4)?,
    })
}

fn cell<T: FromSql>(row: &rusqlite::Row<'_>, index: usize) -> Result<T, LedgerError> {
    row.get(index).map_err(LedgerError::corrupt)
}

/// What an error of SQLite says of the ledger.
pub(super) fn failed(path: &Path, error: &rusqlite::Error) -> LedgerError {
    let what = format!("{}: {error}", path.display());
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => {
            LedgerError::corrupt(format!("{} is no SQLite database", path.display()))
        }
        // Without a code, a cell holds what no ledger writes.
        None
        | Some(
            ErrorCode::DatabaseCorrupt
            | ErrorCode::ConstraintViolation
            | ErrorCode::SchemaChanged
            | ErrorCode::Unknown,
        ) => LedgerError::Corrupt(what),
        _ => LedgerError::Unavailable(what),
    }
}

fn system_time() -> Timestamp {
    let since = UNIX_EPOCH.elapsed().unwrap_or_default();
    Timestamp::default().plus(since)
}
