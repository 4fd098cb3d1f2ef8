//! The open file: each operation is one transaction.

use std::path::{Path, PathBuf};
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
    /// The latest time that was told.
    pub(super) latest: Timestamp,
}

impl File {
    pub(super) fn load(&mut self, key: RowKey) -> Result<Loaded, LedgerError> {
        self.loaded("key = ?1", key.0)
    }

    pub(super) fn load_parked(&mut self, approval_id: &str) -> Result<Loaded, LedgerError> {
        self.loaded("approval_id = ?1", approval_id)
    }

    fn loaded(&mut self, which: &str, by: impl rusqlite::ToSql) -> Result<Loaded, LedgerError> {
        let select = format!("SELECT {ROW} FROM ledger WHERE {which}");
        let select = self.connection.prepare_cached(&select);
        let found = select.and_then(|mut select| select.query_row([by], |row| Ok(read(row))));
        let found = found.optional();
        let row = found.map_err(|error| self.failed(&error))?.transpose()?;
        let now = self.now().map_err(|error| self.failed(&error))?;
        Ok(Loaded { row, now })
    }

    pub(super) fn create(&mut self, row: &Row, line: &HistoryLine) -> Result<bool, LedgerError> {
        const CREATE: &str = "INSERT INTO ledger (key, version, state, tenant, principal, tool, \
             approval_id, created_at, expires_at, document, seal) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) ON CONFLICT (key) DO NOTHING";
        self.write(CREATE, row, line)
    }

    pub(super) fn swap(&mut self, row: &Row, line: &HistoryLine) -> Result<bool, LedgerError> {
        const SWAP: &str = "UPDATE ledger SET version = ?2, state = ?3, tenant = ?4, \
             principal = ?5, tool = ?6, approval_id = ?7, created_at = ?8, expires_at = ?9, \
             document = ?10, seal = ?11 WHERE key = ?1 AND version = ?2 - 1";
        // No row has version 0, and the number before it is another row's.
        if row.version == 0 {
            return Ok(false);
        }
        self.write(SWAP, row, line)
    }

    /// Writes a row and a line of its history, or neither.
    fn write(&mut self, how: &str, row: &Row, line: &HistoryLine) -> Result<bool, LedgerError> {
        const LINE: &str = "INSERT INTO history (key, version, at, actor, event, detail, written_at) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        let written = self.whole(|file| {
            let written_at = file.now()?;
            let changed = file.connection.prepare_cached(how)?.execute(params![
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
            ])?;
            if changed == 0 {
                return Ok(false);
            }
            file.connection.prepare_cached(LINE)?.execute(params![
                line.key.0,
                line.version.cast_signed(),
                line.at.0.cast_signed(),
                line.actor,
                line.event,
                line.detail,
                written_at.0.cast_signed(),
            ])?;
            Ok(true)
        });
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

    pub(super) fn remove(&mut self, key: RowKey, version: u64) -> Result<bool, LedgerError> {
        let removed = self.whole(|file| {
            let removed = file.connection.execute(
                "DELETE FROM ledger WHERE key = ?1 AND version = ?2",
                params![key.0, version.cast_signed()],
            )?;
            if removed == 0 {
                return Ok(false);
            }
            file.connection.execute("DELETE FROM history WHERE key = ?1", [key.0])?;
            Ok(true)
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
            "SELECT version, at, actor, event, detail FROM history WHERE key = ?1 ORDER BY id";
        let lines = self.connection.prepare(SELECT).and_then(|mut select| {
            let lines = select.query_map([key.0], |line| Ok(read_line(key, line)))?;
            lines.collect::<Result<Vec<_>, _>>()
        });
        lines.map_err(|error| self.failed(&error))?.into_iter().collect()
    }

    /// One transaction: what changed something is kept whole, and nothing else is kept.
    fn whole(
        &mut self,
        work: impl FnOnce(&mut Self) -> rusqlite::Result<bool>,
    ) -> rusqlite::Result<bool> {
        // rusqlite's own transactions parse these words again each time.
        let say = |file: &Self, words| file.connection.prepare_cached(words)?.execute([]);
        say(self, "BEGIN IMMEDIATE")?;
        let done = work(self).and_then(|changed| {
            say(self, if changed { "COMMIT" } else { "ROLLBACK" })?;
            Ok(changed)
        });
        // Some errors have taken everything back already.
        if !self.connection.is_autocommit() {
            drop(say(self, "ROLLBACK"));
        }
        done
    }

    /// The system's time; never an earlier one than was told or written before.
    fn now(&mut self) -> rusqlite::Result<Timestamp> {
        const NEWEST: &str = "SELECT written_at FROM history ORDER BY id DESC LIMIT 1";
        let mut newest = self.connection.prepare_cached(NEWEST)?;
        let newest = newest.query_row([], |row| row.get::<_, i64>(0)).optional()?;
        let newest = Timestamp(newest.unwrap_or_default().cast_unsigned());
        self.latest = self.latest.max(system_time()).max(newest);
        Ok(self.latest)
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
