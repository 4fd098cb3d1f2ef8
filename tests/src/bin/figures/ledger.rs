//! A durable claim and its settling, beside what the disk and the server take for as much.

use std::fs::{self, File};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::time::Instant;

use futures_util::future::join_all;
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tokio_postgres::{Client, NoTls, Statement};
use toolkit::ledger::{
    HistoryLine, Ledger, PostgresLedger, Row, RowKey, RowState, SqliteLedger, Timestamp,
};

/// How a figure's line comes about, where it can be measured here.
type Measure = fn(&str) -> Option<Value>;

/// Each figure.
pub(crate) const FIGURES: [(&str, Measure); 3] = [
    ("ledger.sqlite.claim_settle", |name| sqlite(name, 1)),
    ("ledger.sqlite.claim_settle.eight_at_once", |name| sqlite(name, 8)),
    ("ledger.postgres.claim_settle", postgres),
];

/// How often floor and contender take turns.
const TURNS: usize = 400;

/// So many callers at once, each of whom claims and settles one call.
fn sqlite(name: &str, callers: u32) -> Option<Value> {
    let folder = std::env::temp_dir().join(format!("toolkit-figures-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("there is a folder for the figures");
    let path = folder.join("calls.db");
    let runtime = runtime();
    let ledger = SqliteLedger::open(&path).expect("the ledger can be created");
    let mut rows = Rows::default();
    let mut claim_and_settle = || {
        let calls: Vec<_> = (0..callers).map(|_| rows.next()).collect();
        let all = calls.iter().map(|[claimed, settled]| both(&ledger, claimed, settled));
        runtime.block_on(join_all(all));
    };
    // Its log grows until it is written over from the start, as in a process that goes on.
    let log = folder.join("calls.db-wal");
    let (mut bytes, mut claims) = (0, 0);
    loop {
        claim_and_settle();
        if length(&log) == bytes {
            break;
        }
        (bytes, claims) = (length(&log), claims + u64::from(callers));
    }
    let bytes = usize::try_from(bytes / claims).unwrap_or_default();
    let mut floor = Fsyncs::new(&folder.join("floor"), bytes / 2);
    let of = "two bare fsyncs of the same bytes";
    let line = turns(name, of, callers, claim_and_settle, || floor.two());
    drop(ledger);
    fs::remove_dir_all(&folder).expect("the figures' folder can be removed");
    Some(line)
}

fn length(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |file| file.len())
}

/// A file that is written over again and again, as a log is.
struct Fsyncs {
    file: File,
    chunk: Vec<u8>,
    written: usize,
}

impl Fsyncs {
    const LENGTH: usize = 4_000_000;

    fn new(path: &Path, bytes: usize) -> Self {
        let mut file = File::create(path).expect("the floor's file can be created");
        file.write_all(&vec![0; Self::LENGTH + bytes]).expect("it can be written");
        file.sync_all().expect("it can be synced");
        Self { file, chunk: vec![7; bytes], written: 0 }
    }

    fn two(&mut self) {
        for _ in 0..2 {
            let place = self.written % Self::LENGTH;
            self.file.seek(SeekFrom::Start(place as u64)).expect("it has such a place");
            self.file.write_all(&self.chunk).expect("it can be written");
            self.file.sync_all().expect("it can be synced");
            self.written += self.chunk.len();
        }
    }
}

fn postgres(name: &str) -> Option<Value> {
    let Ok(server) = std::env::var("TOOLKIT_POSTGRES") else {
        eprintln!("{name} was skipped: TOOLKIT_POSTGRES names no server");
        return None;
    };
    let runtime = runtime();
    let schema = format!("figures_{}", std::process::id());
    let builder = PostgresLedger::builder(&server).schema(&schema);
    let ledger = runtime.block_on(builder.connect()).expect("there is a server");
    let floor = runtime.block_on(Statements::new(&server, &schema));
    let (mut rows, mut others) = (Rows::default(), Rows::default());
    let claim_and_settle = || {
        let [claimed, settled] = rows.next();
        runtime.block_on(both(&ledger, &claimed, &settled));
    };
    let two = || {
        let [claimed, settled] = others.next();
        runtime.block_on(floor.two(&claimed, &settled));
    };
    let line = turns(name, "two bare statements", 1, claim_and_settle, two);
    let drop = format!("DROP SCHEMA {schema} CASCADE");
    runtime.block_on(floor.client.batch_execute(&drop)).expect("the tables can be dropped");
    Some(line)
}

/// A plain table, and a connection of its own.
struct Statements {
    client: Client,
    insert: Statement,
    update: Statement,
}

impl Statements {
    async fn new(server: &str, schema: &str) -> Self {
        let (client, connection) = tokio_postgres::connect(server, NoTls).await.expect("it is up");
        tokio::spawn(connection);
        let table = format!("{schema}.plain");
        let columns = "(key bytea PRIMARY KEY, state text NOT NULL, document text NOT NULL)";
        let create = format!("CREATE TABLE {table} {columns}");
        client.batch_execute(&create).await.expect("a table can be created");
        let insert = client.prepare(&format!("INSERT INTO {table} VALUES ($1, $2, $3)")).await;
        let update = format!("UPDATE {table} SET state = $2, document = $3 WHERE key = $1");
        let update = client.prepare(&update).await;
        let (insert, update) = (insert.expect("it is right"), update.expect("it is right"));
        Self { client, insert, update }
    }

    async fn two(&self, claimed: &Row, settled: &Row) {
        for (statement, row) in [(&self.insert, claimed), (&self.update, settled)] {
            let (key, state) = (row.key.0.as_slice(), row.state.as_str());
            let written = self.client.execute(statement, &[&key, &state, &row.document]).await;
            assert_eq!(written.expect("it can be written"), 1);
        }
    }
}

fn runtime() -> Runtime {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    runtime.expect("there is a runtime")
}

/// Claims that nobody made, and how they ended.
#[derive(Default)]
struct Rows(u64);

impl Rows {
    fn next(&mut self) -> [Row; 2] {
        self.0 += 1;
        // Keys are digests: they come in no order.
        let mut key = [0; 32];
        for (part, place) in key.chunks_mut(8).zip(1..) {
            let mixed = self.0.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(place * 13);
            part.copy_from_slice(&mixed.wrapping_mul(0xbf58_476d_1ce4_e5b9).to_be_bytes());
        }
        let claimed = Row {
            key: RowKey(key),
            version: 1,
            state: RowState::Running,
            tenant: "shop".to_owned(),
            principal: "ann".to_owned(),
            tool: "refund".to_owned(),
            approval_id: None,
            created_at: Timestamp(1_790_000_000_000 + self.0),
            expires_at: None,
            document: "x".repeat(700),
        };
        let settled = Row {
            version: 2,
            state: RowState::Done,
            expires_at: Some(Timestamp(1_800_000_000_000)),
            document: "y".repeat(900),
            ..claimed.clone()
        };
        [claimed, settled]
    }
}

async fn both(ledger: &impl Ledger, claimed: &Row, settled: &Row) {
    let line = |row: &Row| HistoryLine {
        key: row.key,
        version: row.version,
        at: row.created_at,
        actor: "worker".to_owned(),
        event: "changed".to_owned(),
        detail: "attempt 1".to_owned(),
    };
    assert_eq!(ledger.create(claimed, &line(claimed)).await, Ok(true));
    assert_eq!(ledger.swap(settled, &line(settled)).await, Ok(true));
}

/// Floor and contender by turns, so that what else the machine does meets both; the contender
/// makes so many calls in one of its turns.
fn turns(
    name: &str,
    of: &str,
    calls: u32,
    mut contender: impl FnMut(),
    mut floor: impl FnMut(),
) -> Value {
    let mut took = [Vec::new(), Vec::new()];
    for turn in 0..TURNS {
        let [contenders, floors] = &mut took;
        // Who comes first may find the disk idle.
        if turn % 2 == 0 {
            contenders.push(nanoseconds(&mut contender));
            floors.push(nanoseconds(&mut floor));
        } else {
            floors.push(nanoseconds(&mut floor));
            contenders.push(nanoseconds(&mut contender));
        }
    }
    let [contender, floor] = took.map(median);
    let contender = contender / f64::from(calls);
    json!({
        "figure": name,
        "ratio": (contender / floor * 100.0).round() / 100.0,
        "of": format!("median nanoseconds over {of}"),
        "floor": floor.round(),
        "per_second": (1e9 / contender).round(),
    })
}

fn nanoseconds(work: &mut impl FnMut()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64() * 1e9
}

fn median(mut took: Vec<f64>) -> f64 {
    took.sort_by(f64::total_cmp);
    took[took.len() / 2]
}
