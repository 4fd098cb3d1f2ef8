//! A ledger in one file.

use std::fs;
use std::path::Path;
use std::pin::pin;

use futures_util::future::join_all;
use toolkit::ledger::{Durability, Filter, Ledger, LedgerError, Row, SqliteLedger};
use toolkit::testing::{conforms_on_threads, sequences};
use toolkit_tests::cases;

use crate::folder::Folder;
use crate::rows::{line, row};

/// A ledger with so many rows, closed again.
fn filled(path: &Path, rows: u8) {
    let ledger = SqliteLedger::open(path).unwrap();
    for byte in 0..rows {
        let row = row(byte);
        assert_eq!(pollster::block_on(ledger.create(&row, &line(&row))), Ok(true));
    }
}

/// What opening says of the file, which stays as it is.
fn refused(path: &Path) -> LedgerError {
    let before = fs::read(path).unwrap();
    let error = SqliteLedger::open(path).unwrap_err();
    assert!(fs::read(path).unwrap() == before, "the refused file was changed: {error}");
    error
}

#[test]
fn it_conforms() {
    let folder = Folder::new("conforms");
    conforms_on_threads(|| SqliteLedger::open(folder.calls()).unwrap());
}

#[test]
fn it_is_a_map_of_rows() {
    let folder = Folder::new("sequences");
    let make_store = async || SqliteLedger::open(folder.calls()).unwrap();
    pollster::block_on(sequences(make_store, cases(500).min(10_000)));
}

#[test]
fn what_was_written_is_there_after_it_was_opened_again() {
    let folder = Folder::new("again");
    filled(&folder.calls(), 3);
    let ledger = SqliteLedger::open(folder.calls()).unwrap();
    let rows = pollster::block_on(ledger.list(&Filter::default())).unwrap();
    assert_eq!(rows, [row(0), row(1), row(2)]);
    let lines = pollster::block_on(ledger.history(&row(1).key)).unwrap();
    assert_eq!(lines, [line(&row(1))]);
    assert_eq!(ledger.durability(), Durability::Durable);
}

#[cfg(unix)]
#[test]
fn nobody_else_may_read_any_of_its_files() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = Folder::new("modes");
    let modes = || {
        let mut modes = Vec::new();
        for file in toolkit_tests::files(&folder.0) {
            let mode = fs::metadata(&file).unwrap().permissions().mode() & 0o777;
            modes.push((file.file_name().unwrap().to_str().unwrap().to_owned(), mode));
        }
        modes.sort();
        modes
    };
    let right = ["calls.db", "calls.db-shm", "calls.db-wal"].map(|name| (name.to_owned(), 0o600));
    let ledger = SqliteLedger::open(folder.calls()).unwrap();
    pollster::block_on(ledger.create(&row(1), &line(&row(1)))).unwrap();
    assert_eq!(modes(), right);
    drop(ledger);
    assert_eq!(modes(), right[..1]);

    // Who could only read it is shut out, who could write it is a reason to refuse it.
    fs::set_permissions(folder.calls(), fs::Permissions::from_mode(0o644)).unwrap();
    let ledger = SqliteLedger::open(folder.calls()).unwrap();
    assert_eq!(modes()[0].1, 0o600);
    drop(ledger);
    fs::set_permissions(folder.calls(), fs::Permissions::from_mode(0o664)).unwrap();
    let path = folder.calls().display().to_string();
    assert_eq!(
        refused(&folder.calls()),
        LedgerError::Unfit(format!(
            "others may write to {path} (mode 664); `chmod 600 {path}` once you trust it"
        ))
    );
    assert_eq!(modes()[0].1, 0o664);
}

#[test]
fn a_folder_is_no_file_and_is_left_alone() {
    let folder = Folder::new("folder");
    let path = folder.calls();
    fs::create_dir(&path).unwrap();
    let modes = || fs::metadata(&path).unwrap().permissions();
    let before = modes();
    let told = format!("{} is a folder; name a file in it", path.display());
    assert_eq!(SqliteLedger::open(&path).map(drop), Err(LedgerError::Unfit(told)));
    assert_eq!(modes(), before);
}

#[test]
fn a_name_alone_is_a_file_of_the_folder_that_the_process_is_in() {
    let name = format!("calls-{}.db", std::process::id());
    let opened = SqliteLedger::open(&name).map(drop);
    for end in ["", "-wal", "-shm"] {
        let _gone = fs::remove_file(format!("{name}{end}"));
    }
    assert_eq!(opened, Ok(()));
}

#[test]
fn a_file_that_is_no_database_is_refused() {
    let folder = Folder::new("text");
    private(&folder.calls(), &b"Dear diary, ".repeat(1_000));
    let path = folder.calls().display().to_string();
    assert_eq!(
        refused(&folder.calls()),
        LedgerError::Corrupt(format!("{path} is no SQLite database"))
    );
    private(&folder.calls(), b"short");
    assert_eq!(
        refused(&folder.calls()),
        LedgerError::Corrupt(format!("{path} is no SQLite database"))
    );
}

#[test]
fn a_truncated_file_is_refused_wherever_it_was_cut() {
    let folder = Folder::new("cut");
    filled(&folder.calls(), 100);
    let whole = fs::read(folder.calls()).unwrap();
    let cut = folder.0.join("cut.db");
    let mut told = Vec::new();
    for length in (1..16).chain((512..whole.len()).step_by(512)).chain([whole.len() - 1]) {
        private(&cut, &whole[..length]);
        let left = toolkit_tests::files(&folder.0).len();
        assert_eq!(left, 2, "cut at {length}, something was left behind");
        let LedgerError::Corrupt(why) = refused(&cut) else { panic!("cut at {length}") };
        assert!(why.contains("cut.db"), "{why}");
        told.push(why);
    }
    told.sort();
    told.dedup();
    println!("{told:#?}");
}

#[test]
fn a_byte_changed_anywhere_is_refused_or_changes_nothing_that_is_read() {
    let folder = Folder::new("bytes");
    filled(&folder.calls(), 60);
    let whole = fs::read(folder.calls()).unwrap();
    let edited = folder.0.join("edited.db");
    let right: Vec<Row> = (0..60).map(row).collect();
    let mut dice = toolkit_tests::Dice::fresh("bytes");
    let (mut on_opening, mut on_reading, mut harmless) = (0, 0, 0);
    for _ in 0..cases(300).min(20_000) {
        let mut bytes = whole.clone();
        let place = dice.below(bytes.len());
        bytes[place] ^= 1 << dice.below(8);
        private(&edited, &bytes);
        let ledger = match SqliteLedger::open(&edited) {
            Ok(ledger) => ledger,
            Err(LedgerError::Corrupt(_) | LedgerError::Newer(_)) => {
                on_opening += 1;
                continue;
            }
            Err(other) => panic!("byte {place}: {other}"),
        };
        match pollster::block_on(ledger.list(&Filter::default())) {
            Ok(rows) => {
                harmless += 1;
                assert_eq!(rows, right, "byte {place}");
            }
            Err(LedgerError::Corrupt(_)) => on_reading += 1,
            Err(other) => panic!("byte {place}: {other}"),
        }
    }
    println!("refused: {on_opening} on opening, {on_reading} on reading; harmless: {harmless}");
    assert!(on_opening > 0 && on_reading > 0);
}

#[test]
fn a_row_edited_by_hand_is_refused_by_name_and_stays() {
    let folder = Folder::new("edited");
    filled(&folder.calls(), 2);
    let edits = [
        "UPDATE ledger SET state = 'approved' WHERE key = ?1",
        "UPDATE ledger SET version = 2 WHERE key = ?1",
        "UPDATE ledger SET document = '{\"amount\":9}' WHERE key = ?1",
        "UPDATE ledger SET approval_id = NULL WHERE key = ?1",
        "UPDATE ledger SET expires_at = 0 WHERE key = ?1",
        "UPDATE ledger SET tenant = principal, principal = tenant WHERE key = ?1",
    ];
    let edited = folder.0.join("edited.db");
    for edit in edits {
        private(&edited, &fs::read(folder.calls()).unwrap());
        let hand = rusqlite::Connection::open(&edited).unwrap();
        assert_eq!(hand.execute(edit, [row(1).key.0]), Ok(1));
        drop(hand);
        let ledger = SqliteLedger::open(&edited).unwrap();
        let why = format!(
            "the row {} was changed by something else than a ledger: it does not fit its seal",
            row(1).key
        );
        let why = LedgerError::Corrupt(why);
        assert_eq!(pollster::block_on(ledger.load(&row(1).key)), Err(why.clone()), "{edit}");
        assert_eq!(pollster::block_on(ledger.list(&Filter::default())), Err(why), "{edit}");
        let beside = pollster::block_on(ledger.load(&row(0).key)).unwrap().row;
        assert_eq!(beside, Some(row(0)), "{edit}");
    }
    let hand = rusqlite::Connection::open(folder.calls()).unwrap();
    hand.execute("UPDATE ledger SET state = 'finished' WHERE key = ?1", [row(1).key.0]).unwrap();
    hand.execute("DELETE FROM ledger WHERE key = ?1", [row(0).key.0]).unwrap();
    drop(hand);
    let ledger = SqliteLedger::open(folder.calls()).unwrap();
    let why = format!("the row {}: there is no state \"finished\"", row(1).key);
    assert_eq!(pollster::block_on(ledger.load(&row(1).key)), Err(LedgerError::Corrupt(why)));
    // Its history tells that there was a row: it is not run again.
    let again = pollster::block_on(ledger.create(&row(0), &line(&row(0))));
    assert_eq!(
        again,
        Err(LedgerError::Corrupt(format!(
            "the row {} is gone and its history is there: something else than a ledger removed it",
            row(0).key
        )))
    );
}

#[test]
fn tables_that_were_changed_by_hand_are_refused_by_name() {
    let folder = Folder::new("tables");
    let edited = folder.0.join("edited.db");
    filled(&folder.calls(), 2);
    let path = edited.display();
    for (edit, why) in [
        ("DROP TABLE history", format!("{path} has no `history` as a ledger creates it")),
        ("DROP INDEX parked", format!("{path} has no `parked` as a ledger creates it")),
        (
            "ALTER TABLE ledger ADD COLUMN note TEXT",
            format!("{path} has no `ledger` as a ledger creates it"),
        ),
        ("CREATE TABLE note (x)", format!("{path} has `note` besides what a ledger creates")),
        (
            "CREATE TRIGGER forge AFTER INSERT ON ledger BEGIN UPDATE ledger SET state = 'approved'; END",
            format!("{path} has `forge` besides what a ledger creates"),
        ),
        ("PRAGMA application_id = 7", format!("{path} is the database of another program")),
    ] {
        private(&edited, &fs::read(folder.calls()).unwrap());
        let hand = rusqlite::Connection::open(&edited).unwrap();
        hand.execute_batch(edit).unwrap();
        drop(hand);
        assert_eq!(refused(&edited), LedgerError::Corrupt(why), "{edit}");
    }
}

#[test]
fn the_database_of_another_program_is_refused() {
    let folder = Folder::new("foreign");
    private(&folder.calls(), b"");
    let other = rusqlite::Connection::open(folder.calls()).unwrap();
    other.execute_batch("CREATE TABLE songs (title TEXT)").unwrap();
    drop(other);
    let path = folder.calls().display().to_string();
    assert_eq!(
        refused(&folder.calls()),
        LedgerError::Corrupt(format!("{path} is the database of another program"))
    );
}

#[test]
fn a_file_of_a_newer_version_is_refused() {
    let folder = Folder::new("newer");
    filled(&folder.calls(), 1);
    let newer = rusqlite::Connection::open(folder.calls()).unwrap();
    newer.pragma_update(None, "user_version", 2).unwrap();
    drop(newer);
    let path = folder.calls().display().to_string();
    assert_eq!(
        refused(&folder.calls()),
        LedgerError::Newer(format!(
            "{path} has tables of version 2, and this program knows them up to 1"
        ))
    );
}

#[test]
fn a_folder_that_is_missing_is_told() {
    let folder = Folder::new("missing");
    let path = folder.0.join("nowhere").join("calls.db");
    let LedgerError::Unavailable(why) = SqliteLedger::open(&path).unwrap_err() else { panic!() };
    assert!(why.starts_with(&path.display().to_string()), "{why}");
}

#[test]
fn a_name_that_is_memory_elsewhere_is_a_file() {
    let folder = Folder::new("memory");
    let path = folder.0.join(":memory:");
    filled(&path, 1);
    assert!(fs::metadata(&path).unwrap().len() > 4_096);
    let odd = folder.0.join("file:a?mode=memory");
    filled(&odd, 1);
    assert!(fs::metadata(&odd).unwrap().len() > 4_096);
}

#[test]
fn many_open_a_new_file_at_once() {
    let folder = Folder::new("at-once");
    for round in 0..20 {
        let path = folder.0.join(format!("{round}.db"));
        let start = std::sync::Barrier::new(8);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    start.wait();
                    SqliteLedger::open(&path).unwrap();
                });
            }
        });
    }
}

#[test]
fn time_does_not_go_back_behind_what_was_written() {
    let folder = Folder::new("clock");
    filled(&folder.calls(), 1);
    let ahead = 4_000_000_000_000_i64;
    let hand = rusqlite::Connection::open(folder.calls()).unwrap();
    hand.execute("UPDATE ledger SET written_at = ?1", [ahead]).unwrap();
    drop(hand);
    let ledger = SqliteLedger::open(folder.calls()).unwrap();
    let now = |ledger: &SqliteLedger, row: &Row| {
        pollster::block_on(ledger.load(&row.key)).unwrap().now.0.cast_signed()
    };
    assert_eq!(now(&ledger, &row(0)), ahead);
    // Nor behind what another process writes later on.
    let hand = rusqlite::Connection::open(folder.calls()).unwrap();
    hand.execute("UPDATE ledger SET written_at = ?1", [ahead + 1]).unwrap();
    assert_eq!(now(&ledger, &row(1)), ahead);
    assert_eq!(now(&ledger, &row(0)), ahead + 1);
    assert_eq!(now(&ledger, &row(1)), ahead + 1);
}

#[test]
fn what_was_asked_for_is_done_when_nobody_waits_for_the_answer() {
    let folder = Folder::new("dropped");
    let ledger = SqliteLedger::open(folder.calls()).unwrap();
    for byte in 0..20 {
        let row = row(byte);
        let line = line(&row);
        let mut asked = ledger.create(&row, &line);
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        let _ = asked.as_mut().poll(&mut context);
    }
    drop(ledger);
    let ledger = SqliteLedger::open(folder.calls()).unwrap();
    assert_eq!(pollster::block_on(ledger.list(&Filter::default())).unwrap().len(), 20);
}

/// What comes of rows that are created at once.
fn created(
    ledger: &SqliteLedger,
    rows: &[Row],
) -> impl Future<Output = Vec<Result<bool, LedgerError>>> {
    let create = async |row: &Row| ledger.create(row, &line(row)).await;
    join_all(rows.iter().map(create))
}

/// What comes of rows that are created while another program holds the file, all asked for before
/// it lets go, and how many commits it took.
fn created_together(path: &Path, rows: &[Row]) -> (Vec<Result<bool, LedgerError>>, usize) {
    let ledger = SqliteLedger::open(path).unwrap();
    let before = commits(path);
    let hand = rusqlite::Connection::open(path).unwrap();
    hand.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut asked = pin!(created(&ledger, rows));
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    assert!(asked.as_mut().poll(&mut context).is_pending());
    hand.execute_batch("ROLLBACK").unwrap();
    let came = pollster::block_on(asked);
    (came, commits(path) - before)
}

/// How many commits stand in the log (<https://sqlite.org/fileformat2.html#the_write_ahead_log>).
fn commits(path: &Path) -> usize {
    let log = fs::read(path.with_extension("db-wal")).unwrap_or_default();
    let Some((header, frames)) = log.split_first_chunk::<32>() else { return 0 };
    let page = u32::from_be_bytes(*header[8..].first_chunk().unwrap());
    let frames = frames.chunks_exact(24 + usize::try_from(page).unwrap());
    // The frame that ends a commit tells how many pages the file has then.
    frames.filter(|frame| frame[8..16] == header[16..24] && frame[4..8] != [0; 4]).count()
}

#[test]
fn changes_that_come_together_are_kept_by_one_commit() {
    let folder = Folder::new("together");
    let path = folder.calls();
    let rows: Vec<Row> = (0..40).map(row).collect();
    let (came, commits) = created_together(&path, &rows);
    assert_eq!(came, vec![Ok(true); 40]);
    // The thread may have taken up the first before it saw the others.
    assert!((1..=2).contains(&commits), "{commits} commits");
    let ledger = SqliteLedger::open(&path).unwrap();
    assert_eq!(pollster::block_on(ledger.list(&Filter::default())), Ok(rows));
}

#[test]
fn a_change_that_can_not_be_made_takes_none_of_those_beside_it_with_it() {
    let folder = Folder::new("beside");
    let path = folder.calls();
    filled(&path, 1);
    let taken = Row { approval_id: row(0).approval_id, ..row(3) };
    let asked = [row(1), row(2), taken, row(0), row(2), row(4)];
    let (came, _) = created_together(&path, &asked);
    let why = "the approval id \"id 0\" belongs to another row".to_owned();
    assert_eq!(
        came,
        [Ok(true), Ok(true), Err(LedgerError::Corrupt(why)), Ok(false), Ok(false), Ok(true)]
    );
    let ledger = SqliteLedger::open(&path).unwrap();
    let there = [row(0), row(1), row(2), row(4)];
    assert_eq!(pollster::block_on(ledger.list(&Filter::default())), Ok(there.to_vec()));
    for row in there {
        assert_eq!(pollster::block_on(ledger.history(&row.key)), Ok(vec![line(&row)]));
    }
}

#[test]
fn while_another_program_holds_the_file_nothing_is_written_and_all_who_ask_are_told() {
    let folder = Folder::new("held");
    let path = folder.calls();
    let ledger = SqliteLedger::open(&path).unwrap();
    let hand = rusqlite::Connection::open(&path).unwrap();
    hand.execute_batch("BEGIN IMMEDIATE").unwrap();
    let rows = [row(1), row(2), row(3)];
    let came = pollster::block_on(created(&ledger, &rows));
    let why = format!("{}: database is locked", path.display());
    assert_eq!(came, vec![Err(LedgerError::Unavailable(why)); 3]);
    // Who reads does not wait.
    assert_eq!(pollster::block_on(ledger.list(&Filter::default())), Ok(Vec::new()));
    hand.execute_batch("ROLLBACK").unwrap();
    assert_eq!(pollster::block_on(created(&ledger, &rows)), vec![Ok(true); 3]);
}

/// Writes a file that only its owner may read.
fn private(path: &Path, bytes: &[u8]) {
    let _ = fs::remove_file(path);
    fs::write(path, bytes).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
    }
}
