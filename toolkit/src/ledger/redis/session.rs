//! One connection: each change is one script.

use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, Cmd, ErrorKind, RedisError};
use toolkit_core::ledger::{
    Durability, Filter, HistoryLine, LedgerError, Loaded, Row, RowKey, RowState, Timestamp,
};

use super::RedisBuilder;
use super::fitness::Fitness;
use super::rows::{OF_A_LINE, answered, fields, line, read, read_line};

/// The version of what is written.
const VERSION: u64 = 1;

/// How many rows are read at once.
const AT_ONCE: usize = 200;

/// Numbers that an order by floats does not mix up.
const EXACT: u64 = 1 << 53;

#[derive(Clone)]
pub(super) struct Session {
    connection: MultiplexedConnection,
    fitness: Fitness,
    prefix: String,
    /// How long the server waits for files and replicas.
    wait: Duration,
}

impl Session {
    /// Connects, checks the server, and waits until what is there is as safe as what is written.
    pub(super) async fn begin(
        client: &Client,
        options: &RedisBuilder,
    ) -> Result<Self, LedgerError> {
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(options.timeout))
            .set_response_timeout(Some(options.timeout));
        let connection = client.get_multiplexed_async_connection_with_config(&config).await;
        let mut connection = connection.map_err(|error| failed(&error))?;
        let fitness = Fitness::of(&mut connection, options).await?;
        let prefix = format!("{{{}}}:", options.prefix);
        let session = Self { connection, fitness, prefix, wait: options.timeout / 2 };
        session.mark().await?;
        Ok(session)
    }

    /// Marks the keys with their version.
    ///
    /// A write of this connection's own, after which it can ask whether it and all before it are
    /// safe: rows that were read may have been written by one whose answer was lost.
    async fn mark(&self) -> Result<(), LedgerError> {
        let key = format!("{}version", self.prefix);
        let found: Option<u64> = self.ask(redis::cmd("GET").arg(&key)).await?;
        if let Some(newer) = found.filter(|found| *found > VERSION) {
            return Err(LedgerError::Newer(format!(
                "the keys {}* are of version {newer}, and this program knows them up to {VERSION}",
                self.prefix
            )));
        }
        let () = self.ask(redis::cmd("SET").arg(&key).arg(VERSION)).await?;
        self.confirm().await
    }

    pub(super) fn durability(&self) -> Durability {
        self.fitness.durability.clone()
    }

    pub(super) async fn load(&self, key: &RowKey) -> Result<Loaded, LedgerError> {
        let mut load = redis::cmd("EVAL");
        load.arg(include_str!("load.lua")).arg(0).arg(self.key("row", "")).arg(key.to_string());
        self.loaded(&load).await
    }

    pub(super) async fn load_parked(&self, approval_id: &str) -> Result<Loaded, LedgerError> {
        let mut load = redis::cmd("EVAL");
        load.arg(include_str!("load.lua"))
            .arg(1)
            .arg(self.key("approval", &format!("={approval_id}")))
            .arg(self.key("row", ""));
        let loaded = self.loaded(&load).await?;
        match &loaded.row {
            Some(row) if row.approval_id.as_deref() != Some(approval_id) => {
                Err(LedgerError::corrupt(format!(
                    "the approval id {approval_id:?} leads to the row {}, which has another",
                    row.key
                )))
            }
            _ => Ok(loaded),
        }
    }

    async fn loaded(&self, load: &Cmd) -> Result<Loaded, LedgerError> {
        let (seconds, micros, name, fields): (u64, u64, String, Vec<(String, Vec<u8>)>) =
            self.ask(load).await?;
        let now = Timestamp(seconds.saturating_mul(1_000).saturating_add(micros / 1_000));
        Ok(Loaded { row: read(&name, fields)?, now })
    }

    pub(super) async fn create(&self, row: &Row, line: &HistoryLine) -> Result<bool, LedgerError> {
        self.write(row, line, None).await
    }

    pub(super) async fn swap(&self, row: &Row, line: &HistoryLine) -> Result<bool, LedgerError> {
        let Some(before) = row.version.checked_sub(1) else { return Ok(false) };
        self.write(row, line, Some(before)).await
    }

    /// Writes a row where it has the version before, or none.
    async fn write(
        &self,
        row: &Row,
        told: &HistoryLine,
        before: Option<u64>,
    ) -> Result<bool, LedgerError> {
        let fields = fields(row);
        let mut write = redis::cmd("EVAL");
        write.arg(include_str!("write.lua")).arg(5).arg(self.keys(&row.key));
        write
            .arg(self.key("row", ""))
            .arg(self.key("approval", ""))
            .arg(row.key.to_string())
            .arg(before.map(|version| version.to_string()).unwrap_or_default())
            .arg(row.approval_id.as_ref().map(|id| format!("={id}")).unwrap_or_default())
            .arg(row.created_at.0)
            .arg(u8::from(row.state == RowState::Parked))
            .arg(expiry(row))
            .arg(fields.len() * 2);
        for (name, value) in &fields {
            write.arg(*name).arg(value);
        }
        write.arg(&line(told)[..]);
        match self.ask::<u8>(&write).await? {
            1 => self.confirm().await.map(|()| true),
            0 => Ok(false),
            _ => Err(LedgerError::corrupt(format!(
                "the approval id {:?} belongs to another row",
                row.approval_id.as_deref().unwrap_or_default()
            ))),
        }
    }

    pub(super) async fn remove(&self, key: &RowKey, version: u64) -> Result<bool, LedgerError> {
        let mut remove = redis::cmd("EVAL");
        remove.arg(include_str!("remove.lua")).arg(5).arg(self.keys(key));
        remove.arg(self.key("approval", "")).arg(key.to_string()).arg(version);
        let removed = self.ask::<u8>(&remove).await? == 1;
        if removed {
            self.confirm().await?;
        }
        Ok(removed)
    }

    pub(super) async fn list(&self, filter: &Filter) -> Result<Vec<Row>, LedgerError> {
        let index = if filter.states == [RowState::Parked] { "parked" } else { "rows" };
        let range = redis::cmd("ZRANGE").arg(self.key(index, "")).arg(0).arg(-1).clone();
        let names: Vec<String> = self.ask(&range).await?;
        let limit = filter.limit.unwrap_or(usize::MAX);
        let mut rows = Vec::new();
        for names in names.chunks(AT_ONCE) {
            // The index gives the oldest first, as far as its floats can tell.
            let is_exact = rows.last().is_none_or(|row: &Row| row.created_at.0 < EXACT);
            if rows.len() >= limit && is_exact {
                break;
            }
            let names = self.fitting(names, filter).await?;
            if names.is_empty() {
                continue;
            }
            let mut pipe = redis::pipe();
            for name in &names {
                pipe.hgetall(self.key("row", name));
            }
            let found = pipe.query_async(&mut self.connection.clone()).await;
            let found: Vec<Vec<(String, Vec<u8>)>> = found.map_err(|error| failed(&error))?;
            for (name, fields) in names.iter().zip(found) {
                rows.extend(read(name, fields)?.filter(|row| filter.fits(row)));
            }
        }
        rows.sort_by_key(|row| (row.created_at, row.key));
        rows.truncate(limit);
        Ok(rows)
    }

    /// Those of them that may fit, by what is short to read.
    async fn fitting<'a>(
        &self,
        names: &'a [String],
        filter: &Filter,
    ) -> Result<Vec<&'a String>, LedgerError> {
        let mut pipe = redis::pipe();
        for name in names {
            pipe.hmget(self.key("row", name), &["tenant", "principal", "state"]);
        }
        let found = pipe.query_async(&mut self.connection.clone()).await;
        let found: Vec<[Option<Vec<u8>>; 3]> = found.map_err(|error| failed(&error))?;
        let asked = |asked: &Option<String>, found: &Option<Vec<u8>>| {
            asked.as_ref().is_none_or(|asked| Some(asked.as_bytes()) == found.as_deref())
        };
        let fits = |[tenant, principal, state]: &[Option<Vec<u8>>; 3]| {
            let mut states = filter.states.iter().map(|state| Some(state.as_str().as_bytes()));
            state.is_some()
                && asked(&filter.tenant, tenant)
                && asked(&filter.principal, principal)
                && (filter.states.is_empty() || states.any(|asked| asked == state.as_deref()))
        };
        let both = names.iter().zip(found);
        Ok(both.filter(|(_, found)| fits(found)).map(|(name, _)| name).collect())
    }

    pub(super) async fn history(&self, key: &RowKey) -> Result<Vec<HistoryLine>, LedgerError> {
        let history = self.key("history", &key.to_string());
        let range = redis::cmd("LRANGE").arg(history).arg(0).arg(-1).clone();
        let values: Vec<String> = self.ask(&range).await?;
        values.chunks(OF_A_LINE).map(|line| read_line(*key, line)).collect()
    }

    /// Waits until what this connection wrote is in the file, and at the replicas.
    async fn confirm(&self) -> Result<(), LedgerError> {
        let replicas = self.fitness.replicas;
        let millis = u64::try_from(self.wait.as_millis()).unwrap_or(u64::MAX).max(1);
        let (synced, reached) = if self.fitness.tells {
            let wait = redis::cmd("WAITAOF").arg(1).arg(replicas).arg(millis).clone();
            self.ask::<(u32, u32)>(&wait).await?
        } else if replicas > 0 {
            (1, self.ask::<u32>(redis::cmd("WAIT").arg(replicas).arg(millis)).await?)
        } else {
            (1, 0)
        };
        if synced == 0 {
            return Err(LedgerError::unavailable(format!(
                "a change was written, and Redis did not sync it within {:?}",
                self.wait
            )));
        }
        if reached < replicas {
            return Err(LedgerError::unavailable(format!(
                "a change was written, and {reached} of {replicas} replicas have it after {:?}",
                self.wait
            )));
        }
        Ok(())
    }

    async fn ask<T: redis::FromRedisValue>(&self, command: &Cmd) -> Result<T, LedgerError> {
        let answer = command.query_async(&mut self.connection.clone()).await;
        answered(answer.map_err(|error| failed(&error))?)
    }

    fn key(&self, kind: &str, name: &str) -> String {
        let colon = if matches!(kind, "rows" | "parked" | "expiring") { "" } else { ":" };
        format!("{}{kind}{colon}{name}", self.prefix)
    }

    /// What a change touches.
    fn keys(&self, key: &RowKey) -> Vec<String> {
        let key = key.to_string();
        vec![
            self.key("row", &key),
            self.key("history", &key),
            self.key("rows", ""),
            self.key("parked", ""),
            self.key("expiring", ""),
        ]
    }
}

/// From when on the server may remove a row by itself: only what is over.
fn expiry(row: &Row) -> String {
    let is_over = matches!(
        row.state,
        RowState::Done
            | RowState::Declined
            | RowState::Expired
            | RowState::Invalidated
            | RowState::Denied
    );
    let at = row.expires_at.filter(|at| is_over && at.0 < EXACT);
    at.map(|at| at.0.to_string()).unwrap_or_default()
}

/// What an error of Redis says of the ledger.
pub(super) fn failed(error: &RedisError) -> LedgerError {
    match error.kind() {
        ErrorKind::UnexpectedReturnType | ErrorKind::Parse => LedgerError::corrupt(error),
        _ => LedgerError::unavailable(error),
    }
}
