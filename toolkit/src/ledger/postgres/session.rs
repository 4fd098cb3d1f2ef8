//! One connection: each operation is one statement, which is its own transaction.

use std::borrow::Cow;

use tokio_postgres::error::SqlState;
use tokio_postgres::types::{FromSqlOwned, ToSql};
use tokio_postgres::{Client, Config, Error, Statement};
use toolkit_core::BoxFuture;
use toolkit_core::ledger::{
    Filter, HistoryLine, LedgerError, Loaded, Row, RowKey, RowState, Timestamp,
};

use super::tables;
use crate::ledger::seal::{seal, sealed};

/// Makes a connection, and has the runtime drive it.
pub(super) type Connector =
    Box<dyn Fn(Config) -> BoxFuture<'static, Result<Client, Error>> + Send + Sync>;

const COLUMNS: &str = "key, version, state, tenant, principal, tool, approval_id, created_at, \
                       expires_at, document, seal";

pub(super) struct Session {
    client: Client,
    /// The schema's name, quoted.
    schema: String,
    load: Statement,
    load_parked: Statement,
    create: Statement,
    swap: Statement,
    remove: Statement,
    history: Statement,
}

impl Session {
    /// Checks the server, creates what is missing and prepares the statements.
    pub(super) async fn begin(client: Client, schema: &str) -> Result<Self, LedgerError> {
        let schema = format!("\"{}\"", schema.replace('"', "\"\""));
        tables::check(&client).await?;
        // A stricter isolation would make errors of the swaps that lose.
        let isolation = "SET default_transaction_isolation TO 'read committed'";
        client.batch_execute(isolation).await.map_err(|error| failed(&error))?;
        tables::create(&client, &schema).await?;
        let prepare = async |sql: &str| client.prepare(sql).await.map_err(|error| failed(&error));
        Ok(Self {
            load: prepare(&loading(&schema, "key = $1")).await?,
            load_parked: prepare(&loading(&schema, "approval_id = $1")).await?,
            create: prepare(&creating(&schema)).await?,
            swap: prepare(&swapping(&schema)).await?,
            remove: prepare(&removing(&schema)).await?,
            history: prepare(&format!(
                "SELECT version, at, actor, event, detail FROM {schema}.history \
                 WHERE key = $1 ORDER BY id"
            ))
            .await?,
            client,
            schema,
        })
    }

    pub(super) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    pub(super) async fn load(&self, key: &RowKey) -> Result<Loaded, LedgerError> {
        self.loaded(&self.load, &key.0.as_slice()).await
    }

    pub(super) async fn load_parked(&self, approval_id: &str) -> Result<Loaded, LedgerError> {
        self.loaded(&self.load_parked, &escaped(approval_id)).await
    }

    async fn loaded(
        &self,
        statement: &Statement,
        by: &(dyn ToSql + Sync),
    ) -> Result<Loaded, LedgerError> {
        let row = self.client.query_one(statement, &[by]).await.map_err(|error| failed(&error))?;
        let now: i64 = cell(&row, 11)?;
        let key: Option<Vec<u8>> = cell(&row, 0)?;
        let found = key.map(|key| read(&row, key)).transpose()?;
        Ok(Loaded { row: found, now: Timestamp(now.cast_unsigned()) })
    }

    pub(super) async fn create(&self, row: &Row, line: &HistoryLine) -> Result<bool, LedgerError> {
        self.write(&self.create, row, line).await
    }

    pub(super) async fn swap(&self, row: &Row, line: &HistoryLine) -> Result<bool, LedgerError> {
        // No row has version 0, nor one from 2^63 on.
        if i64::try_from(row.version).is_ok_and(|version| version > 0) {
            return self.write(&self.swap, row, line).await;
        }
        Ok(false)
    }

    async fn write(
        &self,
        how: &Statement,
        row: &Row,
        line: &HistoryLine,
    ) -> Result<bool, LedgerError> {
        let row_key = row.key.0.as_slice();
        let version = row.version.cast_signed();
        let state = row.state.as_str();
        let [tenant, principal, tool, document] =
            [&row.tenant, &row.principal, &row.tool, &row.document].map(|text| escaped(text));
        let approval_id = row.approval_id.as_deref().map(escaped);
        let created_at = row.created_at.0.cast_signed();
        let expires_at = row.expires_at.map(|at| at.0.cast_signed());
        let seal = seal(row).cast_signed();
        let (line_key, line_version) = (line.key.0.as_slice(), line.version.cast_signed());
        let at = line.at.0.cast_signed();
        let [actor, event, detail] =
            [&line.actor, &line.event, &line.detail].map(|text| escaped(text));
        let cells: [&(dyn ToSql + Sync); 17] = [
            &row_key,
            &version,
            &state,
            &tenant,
            &principal,
            &tool,
            &approval_id,
            &created_at,
            &expires_at,
            &document,
            &seal,
            &line_key,
            &line_version,
            &at,
            &actor,
            &event,
            &detail,
        ];
        let written = self.client.execute(how, &cells).await.map_err(|error| {
            match error.as_db_error().and_then(|error| error.constraint()) {
                Some("one_row_an_approval_id") => LedgerError::corrupt(format!(
                    "the approval id {:?} belongs to another row",
                    row.approval_id.as_deref().unwrap_or_default()
                )),
                Some("one_line_a_version") => LedgerError::corrupt(format!(
                    "the row {} is gone and its history is there: something else than a ledger \
                     removed it",
                    row.key
                )),
                _ => failed(&error),
            }
        })?;
        Ok(written == 1)
    }

    pub(super) async fn remove(&self, key: &RowKey, version: u64) -> Result<bool, LedgerError> {
        let (key, version) = (key.0.as_slice(), version.cast_signed());
        let removed = self.client.query(&self.remove, &[&key, &version]).await;
        Ok(!removed.map_err(|error| failed(&error))?.is_empty())
    }

    pub(super) async fn list(&self, filter: &Filter) -> Result<Vec<Row>, LedgerError> {
        let Filter { states, tenant, principal, expired_at, limit } = filter;
        let expired_at = expired_at.map(|at| at.0.cast_signed());
        // Numbers from 2^63 on are kept as negative ones, which come after all others.
        let expired = match expired_at {
            None => "$3::bigint IS NULL",
            Some(0..) => "expires_at BETWEEN 0 AND $3",
            Some(_) => "(expires_at >= 0 OR expires_at <= $3)",
        };
        let select = format!(
            "SELECT {COLUMNS} FROM {}.ledger WHERE {} AND ($1::text IS NULL OR tenant = $1) \
             AND ($2::text IS NULL OR principal = $2) AND {expired} \
             ORDER BY created_at < 0, created_at, key LIMIT $4",
            self.schema,
            of_states(states)
        );
        let tenant = tenant.as_deref().map(escaped);
        let principal = principal.as_deref().map(escaped);
        let limit = limit.map(|limit| i64::try_from(limit).unwrap_or(i64::MAX));
        let rows = self.client.query(&select, &[&tenant, &principal, &expired_at, &limit]).await;
        let rows = rows.map_err(|error| failed(&error))?;
        rows.iter().map(|row| read(row, cell(row, 0)?)).collect()
    }

    pub(super) async fn history(&self, key: &RowKey) -> Result<Vec<HistoryLine>, LedgerError> {
        let lines = self.client.query(&self.history, &[&key.0.as_slice()]).await;
        let lines = lines.map_err(|error| failed(&error))?;
        let read = |line: &tokio_postgres::Row| {
            Ok(HistoryLine {
                key: *key,
                version: cell::<i64>(line, 0)?.cast_unsigned(),
                at: Timestamp(cell::<i64>(line, 1)?.cast_unsigned()),
                actor: text(line, 2)?,
                event: text(line, 3)?,
                detail: text(line, 4)?,
            })
        };
        lines.iter().map(read).collect()
    }
}

/// A row and the server's time, or the time alone.
fn loading(schema: &str, which: &str) -> String {
    format!(
        "SELECT {COLUMNS}, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint \
         FROM (VALUES (1)) AS always LEFT JOIN {schema}.ledger ON {which}"
    )
}

/// The line is written where a row was, in one statement.
fn creating(schema: &str) -> String {
    format!(
        "WITH written AS (INSERT INTO {schema}.ledger ({COLUMNS}) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) \
         ON CONFLICT (key) DO NOTHING RETURNING key) {}",
        lining(schema)
    )
}

fn swapping(schema: &str) -> String {
    format!(
        "WITH written AS (UPDATE {schema}.ledger SET version = $2::bigint, state = $3, tenant = $4, \
         principal = $5, tool = $6, approval_id = $7, created_at = $8, expires_at = $9, \
         document = $10, seal = $11 WHERE key = $1 AND version = $2::bigint - 1 RETURNING key) {}",
        lining(schema)
    )
}

fn lining(schema: &str) -> String {
    format!(
        "INSERT INTO {schema}.history (key, version, at, actor, event, detail) \
         SELECT $12, $13, $14, $15, $16, $17 FROM written"
    )
}

fn removing(schema: &str) -> String {
    format!(
        "WITH gone AS (DELETE FROM {schema}.ledger WHERE key = $1 AND version = $2 \
         RETURNING key), lines AS (DELETE FROM {schema}.history USING gone \
         WHERE history.key = gone.key) SELECT FROM gone"
    )
}

/// Which states, as the index of the parked ones is found by.
fn of_states(states: &[RowState]) -> String {
    if states.is_empty() {
        return "TRUE".to_owned();
    }
    let states: Vec<String> = states.iter().map(|state| format!("'{state}'")).collect();
    format!("state IN ({})", states.join(", "))
}

fn read(row: &tokio_postgres::Row, key: Vec<u8>) -> Result<Row, LedgerError> {
    let key: [u8; 32] = key
        .try_into()
        .map_err(|key: Vec<u8>| LedgerError::corrupt(format!("a key has {} bytes", key.len())))?;
    let approval_id: Option<String> = cell(row, 6)?;
    let found = Row {
        key: RowKey(key),
        version: cell::<i64>(row, 1)?.cast_unsigned(),
        state: text(row, 2)?.parse()?,
        tenant: text(row, 3)?,
        principal: text(row, 4)?,
        tool: text(row, 5)?,
        approval_id: approval_id.as_deref().map(unescaped),
        created_at: Timestamp(cell::<i64>(row, 7)?.cast_unsigned()),
        expires_at: cell::<Option<i64>>(row, 8)?.map(|at| Timestamp(at.cast_unsigned())),
        document: text(row, 9)?,
    };
    sealed(found, cell::<i64>(row, 10)?.cast_unsigned())
}

fn cell<T: FromSqlOwned>(row: &tokio_postgres::Row, index: usize) -> Result<T, LedgerError> {
    row.try_get(index).map_err(LedgerError::corrupt)
}

fn text(row: &tokio_postgres::Row, index: usize) -> Result<String, LedgerError> {
    Ok(unescaped(&cell::<String>(row, index)?))
}

/// A text as Postgres takes it, which knows no NUL.
fn escaped(text: &str) -> Cow<'_, str> {
    if text.contains(['\0', '\\']) {
        return Cow::Owned(text.replace('\\', "\\\\").replace('\0', "\\0"));
    }
    Cow::Borrowed(text)
}

fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(letter) = rest.next() {
        plain.push(match letter {
            '\\' if rest.next() == Some('0') => '\0',
            letter => letter,
        });
    }
    plain
}

/// What an error of Postgres says of the ledger.
pub(super) fn failed(error: &Error) -> LedgerError {
    let Some(told) = error.as_db_error() else {
        let mut what = error.to_string();
        if let Some(cause) = std::error::Error::source(error) {
            what = format!("{what}: {cause}");
        }
        return LedgerError::Unavailable(what);
    };
    let broken = [
        SqlState::UNDEFINED_TABLE,
        SqlState::UNDEFINED_COLUMN,
        SqlState::CHECK_VIOLATION,
        SqlState::NOT_NULL_VIOLATION,
        SqlState::UNIQUE_VIOLATION,
        SqlState::DATA_CORRUPTED,
        SqlState::INDEX_CORRUPTED,
    ];
    let what = format!("{} ({})", told.message(), told.code().code());
    if broken.contains(told.code()) {
        LedgerError::Corrupt(what)
    } else {
        LedgerError::Unavailable(what)
    }
}
