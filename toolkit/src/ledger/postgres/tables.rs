//! The server is checked, and the tables are there.

use tokio_postgres::Client;
use toolkit_core::ledger::LedgerError;

use super::session::failed;

/// The version of the tables.
const VERSION: i32 = 1;

/// The oldest server whose statements these are tested to be.
const OLDEST: i32 = 120_000;

/// Refuses a server that may lose what it acknowledged.
pub(super) async fn check(client: &Client) -> Result<(), LedgerError> {
    const SETTINGS: &str = "SELECT current_setting('server_version_num')::int, \
         current_setting('fsync'), current_setting('synchronous_commit'), \
         current_setting('server_encoding'), pg_is_in_recovery()";
    let row = client.query_one(SETTINGS, &[]).await.map_err(|error| failed(&error))?;
    let told = |index| row.try_get::<_, String>(index).map_err(|error| failed(&error));
    let version: i32 = row.try_get(0).map_err(|error| failed(&error))?;
    let (fsync, commit, encoding) = (told(1)?, told(2)?, told(3)?);
    let is_standby: bool = row.try_get(4).map_err(|error| failed(&error))?;
    let unfit = |why: String| Err(LedgerError::Unfit(why));
    if version < OLDEST {
        return unfit(format!("Postgres {} is older than 12", version / 10_000));
    }
    if is_standby {
        return unfit("the server is a standby, which can not be written to".to_owned());
    }
    if fsync != "on" {
        return unfit(format!(
            "`fsync` is {fsync}, and what was acknowledged is lost with the machine; \
             set `fsync = on` in postgresql.conf"
        ));
    }
    if commit == "off" {
        return unfit(
            "`synchronous_commit` is off, and the last commits are lost with the server; \
             `ALTER ROLE … SET synchronous_commit = on`, or set it in the connection string: \
             `options=-csynchronous_commit=on`"
                .to_owned(),
        );
    }
    if encoding != "UTF8" {
        return unfit(format!("the database's encoding is {encoding}; create it as UTF8"));
    }
    Ok(())
}

/// Creates the tables where they are missing, and refuses those of another version.
pub(super) async fn create(client: &Client, schema: &str) -> Result<(), LedgerError> {
    let there = exist(client, schema).await?;
    if !there {
        client.batch_execute(&creation(schema)).await.map_err(|error| failed(&error))?;
    }
    let version = format!("SELECT number FROM {schema}.version");
    let version = client.query_one(&version, &[]).await.map_err(|error| failed(&error))?;
    let version: i32 = version.try_get(0).map_err(|error| failed(&error))?;
    match version {
        VERSION => Ok(()),
        newer if newer > VERSION => Err(LedgerError::Newer(format!(
            "the schema {schema} has tables of version {newer}, and this program knows them up \
             to {VERSION}"
        ))),
        older => Err(LedgerError::corrupt(format!(
            "the schema {schema} has tables of version {older}, and there is none before \
             {VERSION}"
        ))),
    }
}

/// Whether all are there, or none; who may not create any may use those that are.
async fn exist(client: &Client, schema: &str) -> Result<bool, LedgerError> {
    let mut there = Vec::new();
    for table in ["ledger", "history", "version"] {
        let name = format!("{schema}.{table}");
        let found = client.query_one("SELECT to_regclass($1) IS NOT NULL", &[&name]).await;
        let found = found.map_err(|error| failed(&error))?;
        there.push((name, found.try_get::<_, bool>(0).map_err(|error| failed(&error))?));
    }
    let missing = there.iter().find(|(_, there)| !there);
    match (missing, there.iter().any(|(_, there)| *there)) {
        (None, _) => Ok(true),
        (Some(_), false) => Ok(false),
        (Some((name, _)), true) => {
            Err(LedgerError::corrupt(format!("there is no table {name}, and others of its schema")))
        }
    }
}

fn creation(schema: &str) -> String {
    // Two that create the same would fail each other; the lock is released with the transaction.
    format!(
        "BEGIN;
SELECT pg_advisory_xact_lock(8388898764823126119);
CREATE SCHEMA IF NOT EXISTS {schema};
CREATE TABLE IF NOT EXISTS {schema}.ledger (
    key bytea PRIMARY KEY CHECK (length(key) = 32),
    version bigint NOT NULL CHECK (version > 0),
    state text NOT NULL,
    tenant text NOT NULL,
    principal text NOT NULL,
    tool text NOT NULL,
    approval_id text CONSTRAINT one_row_an_approval_id UNIQUE,
    created_at bigint NOT NULL,
    expires_at bigint,
    document text NOT NULL,
    seal bigint NOT NULL
);
CREATE TABLE IF NOT EXISTS {schema}.history (
    id bigint GENERATED ALWAYS AS IDENTITY,
    key bytea NOT NULL,
    version bigint NOT NULL,
    at bigint NOT NULL,
    actor text NOT NULL,
    event text NOT NULL,
    detail text NOT NULL,
    CONSTRAINT one_line_a_version PRIMARY KEY (key, version)
);
CREATE INDEX IF NOT EXISTS parked ON {schema}.ledger (tenant, created_at)
    WHERE state = 'parked';
CREATE INDEX IF NOT EXISTS expiring ON {schema}.ledger (expires_at)
    WHERE expires_at IS NOT NULL;
CREATE TABLE IF NOT EXISTS {schema}.version (number int NOT NULL);
INSERT INTO {schema}.version SELECT {VERSION}
    WHERE NOT EXISTS (SELECT FROM {schema}.version);
COMMIT;"
    )
}
