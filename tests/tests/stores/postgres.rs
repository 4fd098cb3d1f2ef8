//! A ledger in Postgres, on the server that `TOOLKIT_POSTGRES` names.

use std::sync::Arc;
use std::time::Duration;

use tokio_postgres::{Client, NoTls};
use toolkit::ledger::{Durability, Filter, Ledger, LedgerError, PostgresLedger, Row, RowState};
use toolkit::testing::{conforms, sequences};
use toolkit_tests::cases;

use crate::rows::{line, row};
use crate::servers::{address, fresh};

fn server(test: &str) -> Option<String> {
    address("TOOLKIT_POSTGRES", test)
}

/// A connection beside the ledger's.
async fn hand(server: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(server, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

async fn connect(server: &str, schema: &str) -> Result<PostgresLedger, LedgerError> {
    PostgresLedger::builder(server).schema(schema).connect().await
}

async fn drop_schema(server: &str, schema: &str) {
    let drop = format!("DROP SCHEMA IF EXISTS \"{schema}\" CASCADE");
    hand(server).await.batch_execute(&drop).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn it_conforms() {
    let Some(server) = server("it_conforms") else { return };
    let schema = fresh("conforms");
    conforms(async || connect(&server, &schema).await.unwrap()).await;
    drop_schema(&server, &schema).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn it_is_a_map_of_rows() {
    let Some(server) = server("it_is_a_map_of_rows") else { return };
    let schema = fresh("sequences");
    let make_store = async || connect(&server, &schema).await.unwrap();
    sequences(make_store, cases(500).min(10_000)).await;
    drop_schema(&server, &schema).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn many_create_the_tables_at_once_under_any_name() {
    let Some(server) = server("many_create_the_tables_at_once") else { return };
    let schema = fresh("an \"odd\" näme; --");
    let opened = (0..16).map(|_| {
        let (server, schema) = (server.clone(), schema.clone());
        tokio::spawn(async move { connect(&server, &schema).await.map(drop) })
    });
    for opened in opened.collect::<Vec<_>>() {
        assert_eq!(opened.await.unwrap(), Ok(()));
    }
    let quoted = schema.replace('"', "\"\"");
    drop_schema(&server, &quoted).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_written_is_there_after_the_connection_was_lost() {
    let Some(server) = server("what_was_written_is_there") else { return };
    let schema = fresh("lost");
    let ledger = connect(&server, &schema).await.unwrap();
    assert_eq!(ledger.durability(), Durability::Durable);
    let first = row(1);
    assert_eq!(ledger.create(&first, &line(&first)).await, Ok(true));
    let others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                  WHERE application_name = 'toolkit' AND query LIKE $1";
    let killed = hand(&server).await.query(others, &[&format!("%{schema}%")]).await.unwrap();
    assert_eq!(killed.len(), 1);
    // At most one of them is told that it is not known; then there is a connection again.
    let mut unknown = 0;
    let found = loop {
        match ledger.load(&first.key).await {
            Ok(loaded) => break loaded.row,
            Err(LedgerError::Unavailable(why)) => {
                println!("{why}");
                unknown += 1;
            }
            Err(other) => panic!("{other}"),
        }
    };
    assert_eq!(found, Some(first.clone()));
    assert!(unknown <= 1, "{unknown}");
    assert_eq!(ledger.history(&first.key).await, Ok(vec![line(&first)]));
    drop_schema(&server, &schema).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_does_not_come_leaves_the_write_unknown() {
    let Some(server) = server("an_answer_that_does_not_come") else { return };
    let schema = fresh("slow");
    let builder = PostgresLedger::builder(&server).schema(&schema);
    let ledger = builder.timeout(Duration::from_millis(300)).connect().await.unwrap();
    let first = row(1);
    assert_eq!(ledger.create(&first, &line(&first)).await, Ok(true));
    let mut hand = hand(&server).await;
    let transaction = hand.transaction().await.unwrap();
    let lock = format!("SELECT FROM \"{schema}\".ledger FOR UPDATE");
    transaction.execute(&lock, &[]).await.unwrap();
    let after = Row { version: 2, state: RowState::Running, ..first };
    let given = ledger.swap(&after, &line(&after)).await;
    assert_eq!(given, Err(LedgerError::Unavailable("no answer within 300ms".to_owned())));
    transaction.commit().await.unwrap();
    // It went on; who repeats it finds that it was done, or does it.
    let repeated = ledger.swap(&after, &line(&after)).await;
    assert!(repeated.is_ok(), "{repeated:?}");
    assert_eq!(ledger.load(&after.key).await.unwrap().row, Some(after.clone()));
    let lines = ledger.history(&after.key).await.unwrap();
    assert_eq!(lines.len(), 2);
    drop_schema(&server, &schema).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_does_not_wait_for_its_disk_is_refused() {
    let Some(server) = server("a_server_that_does_not_wait") else { return };
    let mut config: tokio_postgres::Config = server.parse().unwrap();
    config.options("-csynchronous_commit=off");
    let separator = if server.contains('?') { '&' } else { '?' };
    let lossy = format!("{server}{separator}options=-csynchronous_commit%3Doff");
    let LedgerError::Unfit(why) = connect(&lossy, "never").await.unwrap_err() else { panic!() };
    assert_eq!(
        why,
        "`synchronous_commit` is off, and the last commits are lost with the server; \
         `ALTER ROLE … SET synchronous_commit = on`, or set it in the connection string: \
         `options=-csynchronous_commit=on`"
    );
    let there = hand(&server).await.query("SELECT to_regnamespace('never') IS NULL", &[]).await;
    assert!(there.unwrap()[0].get::<_, bool>(0), "a schema was created on a refused server");
}

#[tokio::test(flavor = "multi_thread")]
async fn tables_of_another_version_or_hand_are_refused() {
    let Some(server) = server("tables_of_another_version") else { return };
    let schema = fresh("tables");
    connect(&server, &schema).await.unwrap();
    let hand = hand(&server).await;
    let edit = |sql: &str| {
        let sql = sql.replace("SCHEMA", &format!("\"{schema}\""));
        let hand = &hand;
        async move { hand.batch_execute(&sql).await.unwrap() }
    };
    edit("UPDATE SCHEMA.version SET number = 2").await;
    assert_eq!(
        connect(&server, &schema).await.unwrap_err(),
        LedgerError::Newer(format!(
            "the schema \"{schema}\" has tables of version 2, and this program knows them up to 1"
        ))
    );
    edit("UPDATE SCHEMA.version SET number = 1").await;

    let ledger = connect(&server, &schema).await.unwrap();
    for byte in [1, 2] {
        assert_eq!(ledger.create(&row(byte), &line(&row(byte))).await, Ok(true));
    }
    edit("UPDATE SCHEMA.ledger SET state = 'approved' WHERE approval_id = 'id 1'").await;
    let why = format!(
        "the row {} was changed by something else than a ledger: it does not fit its seal",
        row(1).key
    );
    assert_eq!(ledger.load(&row(1).key).await, Err(LedgerError::Corrupt(why)));
    edit("DELETE FROM SCHEMA.ledger WHERE approval_id = 'id 2'").await;
    let why = format!(
        "the row {} is gone and its history is there: something else than a ledger removed it",
        row(2).key
    );
    let again = ledger.create(&row(2), &line(&row(2))).await;
    assert_eq!(again, Err(LedgerError::Corrupt(why)));

    edit("DROP TABLE SCHEMA.history").await;
    let why = format!("there is no table \"{schema}\".history, and others of its schema");
    assert_eq!(connect(&server, &schema).await.unwrap_err(), LedgerError::Corrupt(why));
    drop_schema(&server, &schema).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_not_there_is_told_without_the_password() {
    let unreachable = "postgres://ann:hunter2@127.0.0.1:1/agents";
    let builder = PostgresLedger::builder(unreachable).timeout(Duration::from_secs(2));
    assert!(!format!("{builder:?}").contains("hunter2"));
    let error = builder.connect().await.unwrap_err();
    assert!(matches!(error, LedgerError::Unavailable(_)), "{error}");
    assert!(!format!("{error} {error:?}").contains("hunter2"), "{error}");
    let error = PostgresLedger::connect("postgres://ann:hunter2@[").await.unwrap_err();
    assert!(matches!(error, LedgerError::Unfit(_)), "{error}");
    assert!(!format!("{error} {error:?}").contains("hunter2"), "{error}");
}

#[test]
fn it_is_asked_from_any_executor_and_opened_on_tokio_alone() {
    let error = pollster::block_on(PostgresLedger::connect("postgres://localhost/x")).unwrap_err();
    assert!(error.to_string().contains("open it on a tokio runtime"), "{error}");
    let Some(server) = server("it_is_asked_from_any_executor") else { return };
    let schema = fresh("executor");
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let ledger = Arc::new(runtime.block_on(connect(&server, &schema)).unwrap());
    let rows = pollster::block_on(ledger.list(&Filter::default())).unwrap();
    assert!(rows.is_empty());
    runtime.block_on(drop_schema(&server, &schema));
    drop(runtime);
    let gone = pollster::block_on(ledger.list(&Filter::default())).unwrap_err();
    assert!(matches!(gone, LedgerError::Unavailable(_)), "{gone}");
}
