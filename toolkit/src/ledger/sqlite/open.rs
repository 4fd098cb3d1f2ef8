//! How a file is opened: checked before anything is written, then set up.

use std::fs;
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use toolkit_core::ledger::{LedgerError, Timestamp};

use super::file::{File, failed};

/// In 3.7.0 to 3.51.2 two writers could corrupt a write-ahead log that was started over.
const OLDEST: (i32, &str) = (3_051_003, "3.51.3");

/// The marks by which a file is known: `tklg`, and the version of the tables.
const APPLICATION: i64 = 0x746b_6c67;
const VERSION: i64 = 1;

const TABLES: [(&str, &str); 5] = [
    (
        "ledger",
        "CREATE TABLE ledger (
    id INTEGER PRIMARY KEY,
    key BLOB NOT NULL UNIQUE CHECK (length(key) = 32),
    version INTEGER NOT NULL CHECK (version > 0),
    state TEXT NOT NULL,
    tenant TEXT NOT NULL,
    principal TEXT NOT NULL,
    tool TEXT NOT NULL,
    approval_id TEXT,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    document TEXT NOT NULL,
    seal INTEGER NOT NULL,
    written_at INTEGER NOT NULL
) STRICT",
    ),
    (
        "history",
        "CREATE TABLE history (
    key BLOB NOT NULL CHECK (length(key) = 32),
    version INTEGER NOT NULL CHECK (version > 0),
    at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    event TEXT NOT NULL,
    detail TEXT NOT NULL,
    PRIMARY KEY (key, version)
) STRICT, WITHOUT ROWID",
    ),
    (
        "approval",
        "CREATE UNIQUE INDEX approval ON ledger (approval_id) WHERE approval_id IS NOT NULL",
    ),
    ("parked", "CREATE INDEX parked ON ledger (tenant, created_at) WHERE state = 'parked'"),
    ("expiring", "CREATE INDEX expiring ON ledger (expires_at) WHERE expires_at IS NOT NULL"),
];

pub(super) fn open(path: &Path) -> Result<File, LedgerError> {
    let found = rusqlite::version_number();
    if found < OLDEST.0 {
        return Err(LedgerError::Unfit(format!(
            "SQLite {} is linked, and before {} it can corrupt a database; use a later one",
            rusqlite::version(),
            OLDEST.1
        )));
    }
    let in_place =
        |error: std::io::Error| LedgerError::unavailable(format!("{}: {error}", path.display()));
    if create(path).map_err(in_place)? {
        sync_folder(path).map_err(in_place)?;
    }
    if path.is_dir() {
        let what = format!("{} is a folder; name a file in it", path.display());
        return Err(LedgerError::Unfit(what));
    }
    guard(path)?;
    check_length(path)?;
    // Not as a URI: a path may hold any character.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags);
    let mut connection = connection.map_err(|error| failed(path, &error))?;
    set_up(path, &mut connection)?;
    tighten(path).map_err(in_place)?;
    let latest = latest(&connection).map_err(|error| failed(path, &error))?;
    Ok(File { connection, path: path.to_owned(), latest })
}

/// When the newest of the rows was written.
fn latest(connection: &Connection) -> rusqlite::Result<Timestamp> {
    let newest = "SELECT max(written_at) FROM ledger";
    let newest: Option<i64> = connection.query_row(newest, [], |row| row.get(0))?;
    Ok(Timestamp(newest.unwrap_or_default().cast_unsigned()))
}

/// Creates an empty file that only its owner may read; whether it was missing.
fn create(path: &Path) -> std::io::Result<bool> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}

/// Has the disk remember that there is a new file.
fn sync_folder(path: &Path) -> std::io::Result<()> {
    match path.parent() {
        // A name alone is of the folder that the process is in.
        Some(folder) if cfg!(unix) && folder.as_os_str().is_empty() => {
            fs::File::open(".")?.sync_all()
        }
        Some(folder) if cfg!(unix) => fs::File::open(folder)?.sync_all(),
        _ => Ok(()),
    }
}

/// Refuses a file that others may have written.
#[cfg(unix)]
fn guard(path: &Path) -> Result<(), LedgerError> {
    use std::os::unix::fs::MetadataExt as _;
    for path in siblings(path) {
        let Ok(found) = fs::metadata(&path) else { continue };
        if found.mode() & 0o022 != 0 {
            return Err(LedgerError::Unfit(format!(
                "others may write to {0} (mode {1:03o}); `chmod 600 {0}` once you trust it",
                path.display(),
                found.mode() & 0o777
            )));
        }
    }
    Ok(())
}

#[cfg(not(unix))]
fn guard(_: &Path) -> Result<(), LedgerError> {
    Ok(())
}

/// Lets nobody but the owner read what is in the file; SQLite gives new files the mode of the first.
#[cfg(unix)]
fn tighten(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    for path in siblings(path) {
        match fs::set_permissions(path, fs::Permissions::from_mode(0o600)) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

#[cfg(not(unix))]
fn tighten(_: &Path) -> std::io::Result<()> {
    Ok(())
}

/// The database, its log and the index of that.
fn siblings(path: &Path) -> [PathBuf; 3] {
    ["", "-wal", "-shm"].map(|end| {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        PathBuf::from(name)
    })
}

/// Refuses what is no database, and one that ends within a page: SQLite would take a single byte
/// for an empty one, and what is missing of a page for zeros.
fn check_length(path: &Path) -> Result<(), LedgerError> {
    let mut header = Vec::new();
    let length = fs::File::open(path).and_then(|file| {
        let length = file.metadata()?.len();
        file.take(18).read_to_end(&mut header)?;
        Ok(length)
    });
    let shown = path.display();
    let length = length.map_err(|why| LedgerError::unavailable(format!("{shown}: {why}")))?;
    let [magic @ .., high, low] = header.as_slice() else {
        return match length {
            0 => Ok(()),
            _ => Err(LedgerError::corrupt(format!("{shown} is no SQLite database"))),
        };
    };
    if magic != b"SQLite format 3\0" {
        return Err(LedgerError::corrupt(format!("{shown} is no SQLite database")));
    }
    let page = match u16::from_be_bytes([*high, *low]) {
        1 => 65_536,
        page => u64::from(page),
    };
    // While there is a log, a page that was half written is written again from it.
    if page > 0 && !length.is_multiple_of(page) && !is_logged(path) {
        return Err(LedgerError::corrupt(format!(
            "{shown} is cut off: its {length} bytes are no whole number of pages of {page}"
        )));
    }
    Ok(())
}

/// Whether there are changes that stand in the log alone.
fn is_logged(path: &Path) -> bool {
    let [_, log, _] = siblings(path);
    fs::metadata(log).is_ok_and(|log| log.len() > 0)
}

/// Checks what is there, and only then writes.
fn set_up(path: &Path, connection: &mut Connection) -> Result<(), LedgerError> {
    let told = |error: rusqlite::Error| failed(path, &error);
    connection.busy_timeout(Duration::from_secs(5)).map_err(told)?;
    // A file that is refused stays as it is, and its log too, where there is any.
    let keep = DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE;
    connection.set_db_config(keep, is_logged(path)).map_err(told)?;
    // Its own text is data, never a program: no trigger or view of a foreign file is run.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false).map_err(told)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true).map_err(told)?;
    // Marks and tables are read as of one moment: another process may be creating them.
    let moment = connection.transaction_with_behavior(TransactionBehavior::Deferred);
    check(path, &*moment.map_err(told)?)?;
    // For a file that is created: a small page makes a small log, which is what a call waits for.
    connection.pragma_update(None, "page_size", 2048).map_err(told)?;
    log_ahead(path, connection)?;
    connection.pragma_update(None, "synchronous", "FULL").map_err(told)?;
    create_tables(path, connection)?;
    connection.set_db_config(keep, false).map_err(told)?;
    Ok(())
}

/// What a database is, by its marks and its tables.
enum Found {
    Nothing,
    Ledger,
}

fn check(path: &Path, connection: &Connection) -> Result<Found, LedgerError> {
    let told = |error: rusqlite::Error| failed(path, &error);
    let shown = path.display();
    let number = |pragma: &str| {
        connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0)).map_err(told)
    };
    let schema = "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name";
    let schema: Vec<(String, String)> = connection
        .prepare(schema)
        .and_then(|mut all| all.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect())
        .map_err(told)?;
    let (application, version) = (number("application_id")?, number("user_version")?);
    if (application, version) == (0, 0) && schema.is_empty() {
        return Ok(Found::Nothing);
    }
    if application != APPLICATION {
        return Err(LedgerError::corrupt(format!("{shown} is the database of another program")));
    }
    if version > VERSION {
        return Err(LedgerError::Newer(format!(
            "{shown} has tables of version {version}, and this program knows them up to {VERSION}"
        )));
    }
    for (name, sql) in TABLES {
        if !schema.iter().any(|found| (found.0.as_str(), found.1.as_str()) == (name, sql)) {
            return Err(LedgerError::corrupt(format!(
                "{shown} has no `{name}` as a ledger creates it"
            )));
        }
    }
    if let Some((name, _)) = schema.iter().find(|(name, _)| !TABLES.iter().any(|(n, _)| n == name))
    {
        return Err(LedgerError::corrupt(format!(
            "{shown} has `{name}` besides what a ledger creates"
        )));
    }
    let verdict = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0));
    let verdict: String = verdict.map_err(told)?;
    if verdict != "ok" {
        return Err(LedgerError::corrupt(format!("{shown}: {verdict}")));
    }
    Ok(Found::Ledger)
}

/// Turns the write-ahead log on; two processes that create one file do it one after the other.
fn log_ahead(path: &Path, connection: &Connection) -> Result<(), LedgerError> {
    const TRIES: u32 = 500;
    for left in (0..TRIES).rev() {
        // SQLite does not wait by itself for who reads meanwhile.
        let mode = connection
            .pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get::<_, String>(0));
        match mode {
            Ok(mode) if mode == "wal" => return Ok(()),
            Ok(mode) => {
                return Err(LedgerError::Unfit(format!(
                    "{} can have no write-ahead log, only `{mode}`: the file system has no \
                     shared memory",
                    path.display()
                )));
            }
            Err(error)
                if left > 0
                    && error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy) =>
            {
                std::thread::sleep(Duration::from_millis(10));
            }
            Err(error) => return Err(failed(path, &error)),
        }
    }
    Ok(())
}

fn create_tables(path: &Path, connection: &mut Connection) -> Result<(), LedgerError> {
    let told = |error: rusqlite::Error| failed(path, &error);
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate);
    let transaction = transaction.map_err(told)?;
    // Another process may have been first.
    if matches!(check(path, &transaction)?, Found::Ledger) {
        return Ok(());
    }
    for (_, sql) in TABLES {
        transaction.execute(sql, []).map_err(told)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION).map_err(told)?;
    transaction.pragma_update(None, "user_version", VERSION).map_err(told)?;
    transaction.commit().map_err(told)
}
