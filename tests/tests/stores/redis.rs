//! A ledger in Redis, on the server that `TOOLKIT_REDIS` names, and on some of its own.

use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use toolkit::ledger::{
    Durability, Filter, Ledger, LedgerError, RedisLedger, Row, RowState, Timestamp,
};
use toolkit::testing::{conforms, sequences};
use toolkit_tests::cases;

use crate::rows::{line, row};
use crate::servers::{address, fresh};

fn server(test: &str) -> Option<String> {
    address("TOOLKIT_REDIS", test)
}

async fn open(server: &str, prefix: &str) -> Result<RedisLedger, LedgerError> {
    RedisLedger::builder(server).prefix(prefix).open().await
}

#[tokio::test(flavor = "multi_thread")]
async fn it_conforms() {
    let Some(server) = server("it_conforms") else { return };
    let prefix = fresh("conforms");
    conforms(async || open(&server, &prefix).await.unwrap()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn it_is_a_map_of_rows() {
    let Some(server) = server("it_is_a_map_of_rows") else { return };
    let prefix = fresh("sequences");
    let make_store = async || open(&server, &prefix).await.unwrap();
    sequences(make_store, cases(500).min(10_000)).await;
}

/// A server of the test's own, in a folder of its own.
struct Own {
    folder: PathBuf,
    port: u16,
    settings: Vec<String>,
    process: Child,
}

impl Own {
    /// Starts one, where the tests of Redis are run at all.
    async fn start(test: &str, settings: &[&str]) -> Option<Self> {
        server(test)?;
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let folder = std::env::temp_dir().join(fresh("toolkit-redis"));
        std::fs::create_dir_all(&folder).unwrap();
        let settings = settings.iter().map(|&setting| setting.to_owned()).collect::<Vec<_>>();
        let process = run(port, &folder, &settings);
        let own = Self { folder, port, settings, process };
        own.is_up().await;
        Some(own)
    }

    fn address(&self) -> String {
        format!("redis://127.0.0.1:{}/", self.port)
    }

    async fn is_up(&self) {
        for _ in 0..200 {
            if self.cli(&["PING"]) == "PONG" {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("redis-server does not come up");
    }

    fn cli(&self, command: &[&str]) -> String {
        let port = self.port.to_string();
        let told = Command::new("redis-cli").args(["-p", &port]).args(command).output().unwrap();
        String::from_utf8_lossy(&told.stdout).trim().to_owned()
    }

    /// `kill -9`, and the same server anew.
    async fn kill_and_start(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
        self.process = run(self.port, &self.folder, &self.settings);
        self.is_up().await;
    }
}

fn run(port: u16, folder: &PathBuf, settings: &[String]) -> Child {
    Command::new("redis-server")
        .args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--dir"])
        .arg(folder)
        .args(settings)
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

impl Drop for Own {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

const SAFE: [&str; 6] =
    ["--appendonly", "yes", "--appendfsync", "always", "--repl-diskless-sync-delay", "0"];

#[tokio::test(flavor = "multi_thread")]
async fn a_server_as_it_comes_is_refused_and_says_what_to_set() {
    let Some(own) = Own::start("a_server_as_it_comes", &[]).await else { return };
    let LedgerError::Unfit(why) = open(&own.address(), "t").await.unwrap_err() else { panic!() };
    assert!(
        why.starts_with(
            "Redis may lose what it acknowledged: `appendonly` is no, so that changes of the \
             last minutes are in no file: `CONFIG SET appendonly yes`, and the same in \
             redis.conf"
        ),
        "{why}"
    );
    assert!(why.ends_with("; or accept that with `.accept_lossy_redis(\"why\")`"), "{why}");
    let builder = RedisLedger::builder(&own.address()).accept_lossy_redis("it is a test");
    let ledger = builder.open().await.unwrap();
    assert_eq!(ledger.durability(), Durability::Lossy("it is a test".to_owned()));
    assert_eq!(ledger.create(&row(1), &line(&row(1))).await, Ok(true));
}

#[tokio::test(flavor = "multi_thread")]
async fn each_setting_that_loses_rows_is_refused_by_name() {
    let Some(own) = Own::start("each_setting", &SAFE).await else { return };
    let ledger = open(&own.address(), "t").await.unwrap();
    assert_eq!(ledger.durability(), Durability::Durable);
    for (setting, wrong, right) in [
        ("appendonly", "no", "yes"),
        ("appendfsync", "no", "always"),
        ("no-appendfsync-on-rewrite", "yes", "no"),
        ("maxmemory-policy", "allkeys-lru", "noeviction"),
    ] {
        assert_eq!(own.cli(&["CONFIG", "SET", setting, wrong]), "OK");
        let error = open(&own.address(), "t").await.unwrap_err().to_string();
        assert!(error.contains(&format!("`{setting}` is {wrong}, so that ")), "{error}");
        assert_eq!(error.matches("CONFIG SET").count(), 1, "{error}");
        assert!(error.contains(&format!("`CONFIG SET {setting} {right}`")), "{error}");
        assert_eq!(own.cli(&["CONFIG", "SET", setting, right]), "OK");
    }
    assert!(open(&own.address(), "t").await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_acknowledged_survives_that_the_server_is_killed() {
    let Some(mut own) = Own::start("what_was_acknowledged", &SAFE).await else { return };
    let ledger = open(&own.address(), "t").await.unwrap();
    for byte in 0..50 {
        assert_eq!(ledger.create(&row(byte), &line(&row(byte))).await, Ok(true));
        if byte % 10 == 9 {
            own.kill_and_start().await;
            // The ledger is the same; its connection is a new one, at the latest from the
            // second on.
            let found = match ledger.load(&row(byte).key).await {
                Err(LedgerError::Unavailable(_)) => ledger.load(&row(byte).key).await,
                given => given,
            };
            assert_eq!(found.unwrap().row, Some(row(byte)));
        }
    }
    let rows = ledger.list(&Filter::default()).await.unwrap();
    assert_eq!(rows, (0..50).map(row).collect::<Vec<_>>());
}

/// What the refusal is for: the claim is gone, and would be won again.
#[tokio::test(flavor = "multi_thread")]
async fn a_lossy_server_that_is_killed_forgets_a_claim() {
    let Some(mut own) = Own::start("a_lossy_server", &["--save", ""]).await else { return };
    let builder = RedisLedger::builder(&own.address()).accept_lossy_redis("it is a test");
    let ledger = builder.open().await.unwrap();
    assert_eq!(ledger.create(&row(1), &line(&row(1))).await, Ok(true));
    own.kill_and_start().await;
    let found = match ledger.load(&row(1).key).await {
        Err(LedgerError::Unavailable(_)) => ledger.load(&row(1).key).await,
        given => given,
    };
    assert_eq!(found.unwrap().row, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_that_no_replica_has_is_unknown_and_not_won() {
    let Some(own) = Own::start("a_claim_that_no_replica_has", &SAFE).await else { return };
    let port = own.port.to_string();
    let following = ["--replicaof", "127.0.0.1", &port];
    let replica = Own::start("a_claim_that_no_replica_has", &following).await.unwrap();
    for _ in 0..200 {
        // The replica is up a moment before its master counts it.
        if own.cli(&["INFO", "replication"]).contains("state=online") {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let refused = open(&own.address(), "t").await.unwrap_err().to_string();
    assert!(refused.contains("it has replicas, and one that takes over may not have"), "{refused}");
    let refused = open(&replica.address(), "t").await.unwrap_err();
    let why = "the server is a replica, which can not be written to";
    assert_eq!(refused, LedgerError::Unfit(why.to_owned()));

    let builder = RedisLedger::builder(&own.address()).prefix("t").replicas(1);
    let ledger = builder.timeout(Duration::from_secs(3)).open().await.unwrap();
    assert_eq!(ledger.create(&row(1), &line(&row(1))).await, Ok(true));

    // The replica is cut off, the claim reaches nobody else, and the replica takes over.
    assert_eq!(replica.cli(&["REPLICAOF", "127.0.0.1", "1"]), "OK");
    let claimed = ledger.create(&row(2), &line(&row(2))).await;
    let why = "a change was written, and 0 of 1 replicas have it after 1.5s";
    assert_eq!(claimed, Err(LedgerError::Unavailable(why.to_owned())));
    // Nobody may go by what is there before a replica has it.
    let found = ledger.load(&row(2).key).await;
    assert!(matches!(found, Err(LedgerError::Unavailable(_))), "{found:?}");
    drop(own);
    assert_eq!(replica.cli(&["REPLICAOF", "NO", "ONE"]), "OK");
    let safe = RedisLedger::builder(&replica.address()).prefix("t").accept_lossy_redis("a test");
    let second = safe.open().await.unwrap();
    let found = second.load(&row(1).key).await.unwrap().row;
    assert_eq!(found, Some(row(1)), "an acknowledged row is lost");
    assert_eq!(second.create(&row(2), &line(&row(2))).await, Ok(true));
}

#[tokio::test(flavor = "multi_thread")]
async fn only_what_is_over_expires_by_itself_and_leaves_nothing_behind() {
    let Some(own) = Own::start("only_what_is_over", &SAFE).await else { return };
    let ledger = open(&own.address(), "t").await.unwrap();
    let now = ledger.load(&row(0).key).await.unwrap().now;
    let soon = Some(Timestamp(now.0 + 300));
    for (byte, state) in (0..).zip(RowState::ALL) {
        let row = Row { state, expires_at: soon, ..row(byte) };
        assert_eq!(ledger.create(&row, &line(&row)).await, Ok(true));
    }
    tokio::time::sleep(Duration::from_millis(600)).await;
    let left = ledger.list(&Filter::default()).await.unwrap();
    let left: Vec<RowState> = left.into_iter().map(|row| row.state).collect();
    assert_eq!(
        left,
        [
            RowState::Free,
            RowState::Parked,
            RowState::Approved,
            RowState::Running,
            RowState::InDoubt
        ]
    );
    assert_eq!(ledger.history(&row(3).key).await, Ok(Vec::new()));
    assert_eq!(ledger.load_parked("id 3").await.unwrap().row, None);
    // The next write forgets their names, and the key is free again.
    assert_eq!(ledger.create(&row(3), &line(&row(3))).await, Ok(true));
    assert_eq!(own.cli(&["ZCARD", "{t}:rows"]), "6");
    assert_eq!(own.cli(&["ZCARD", "{t}:expiring"]), "0");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_another_hand_changed_is_refused_by_name() {
    let Some(own) = Own::start("what_another_hand_changed", &SAFE).await else { return };
    let ledger = open(&own.address(), "t").await.unwrap();
    assert_eq!(ledger.create(&row(1), &line(&row(1))).await, Ok(true));
    let key = row(1).key;
    let name = format!("{{t}}:row:{key}");
    let corrupt = |why: String| Err(LedgerError::Corrupt(why));
    own.cli(&["HSET", &name, "state", "approved"]);
    let why = format!(
        "the row {key} was changed by something else than a ledger: it does not fit its seal"
    );
    assert_eq!(ledger.load(&key).await, corrupt(why));
    own.cli(&["HSET", &name, "version", "two"]);
    let why = format!("the row {key}: its `version`: invalid digit found in string");
    assert_eq!(ledger.load(&key).await, corrupt(why));
    own.cli(&["HDEL", &name, "document", "version"]);
    let why = format!("the row {key}: it has no `version`");
    assert_eq!(ledger.load(&key).await, corrupt(why));
    own.cli(&["SET", "{t}:version", "2"]);
    assert_eq!(
        open(&own.address(), "t").await.unwrap_err(),
        LedgerError::Newer(
            "the keys {t}:* are of version 2, and this program knows them up to 1".to_owned()
        )
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_not_there_is_told_without_the_password() {
    let builder = RedisLedger::builder("redis://ann:hunter2@127.0.0.1:1/");
    assert!(!format!("{builder:?}").contains("hunter2"));
    let error = builder.timeout(Duration::from_secs(2)).open().await.unwrap_err();
    assert!(matches!(error, LedgerError::Unavailable(_)), "{error}");
    assert!(!format!("{error} {error:?}").contains("hunter2"), "{error}");
    let error = RedisLedger::open("rediss:/ann:hunter2@/").await.unwrap_err();
    assert!(matches!(error, LedgerError::Unfit(_)), "{error}");
    assert!(!format!("{error} {error:?}").contains("hunter2"), "{error}");
}
