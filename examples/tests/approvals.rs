//! Runs the programs as a user does: one process parks a refund, one decides, one runs it.
//!
//! `TOOLKIT_BLESS=1 cargo test -p toolkit-examples` writes the checked-in output anew.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{self, Command, Stdio};
use std::sync::LazyLock;
use std::time::Duration;

use toolkit::ledger::{Settings, SqliteLedger};
use toolkit::prelude::*;

/// Where the programs lie: beside this test's own folder.
static PROGRAMS: LazyLock<PathBuf> = LazyLock::new(|| {
    let test = env::current_exe().unwrap();
    let profile = test.ancestors().nth(2).unwrap();
    let programs = profile.join("examples");
    if ["support_agent", "approvals"].iter().any(|name| !programs.join(name).exists()) {
        build(profile);
    }
    programs
});

/// A test that is built alone finds no programs.
fn build(profile: &Path) {
    let name = profile.file_name().unwrap().to_str().unwrap();
    let name = if name == "debug" { "dev" } else { name };
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo)
        .args(["build", "--quiet", "--examples", "--profile", name, "--target-dir"])
        .arg(profile.parent().unwrap())
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .status()
        .unwrap();
    assert!(built.success(), "the programs were not built");
}

/// What a process printed, and how it ended.
#[derive(Debug, PartialEq)]
struct Ran {
    code: Option<i32>,
    out: String,
    err: String,
}

fn ran(name: &str, arguments: &[&str]) -> Ran {
    let ran = Command::new(PROGRAMS.join(name)).args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ran { code: ran.status.code(), out: text(ran.stdout), err: text(ran.stderr) }
}

/// A folder that is there as long as its test.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let folder = env::temp_dir().join(format!("toolkit-{test}-{}", process::id()));
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn shop(&self) -> &str {
        self.0.to_str().unwrap()
    }

    fn ledger(&self) -> String {
        self.0.join("calls.db").to_str().unwrap().to_owned()
    }

    fn agent(&self, arguments: &[&str]) -> Ran {
        ran("support_agent", &[&["--shop", self.shop()], arguments].concat())
    }

    fn approvals(&self, arguments: &[&str]) -> Ran {
        ran("approvals", &[&["--ledger", &self.ledger()], arguments].concat())
    }

    /// Plays the tickets, and gives the id of the refund that waits.
    fn parked(&self) -> String {
        let played = self.agent(&["--tickets"]);
        assert_eq!(played.code, Some(0), "{}", played.err);
        words(&played.out).find(|word| word.starts_with("apr_")).unwrap().to_owned()
    }

    /// The lines of refunds that a program printed.
    fn refunds(&self) -> Vec<String> {
        let out = self.agent(&["--tickets"]).out;
        let lines = out.lines().filter_map(|line| line.trim().strip_prefix("refund  "));
        lines.map(|line| line.trim().to_owned()).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

const TWENTY: &str = "R-1 O-3001 20.00 USD";
const NINE_HUNDRED: &str = "R-2 O-3002 900.00 USD";

/// What stands between what is no letter, digit or underscore, and that, in turn.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_inside = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let end = rest.find(|c| is_inside(c) != is_inside(first)).unwrap_or(rest.len());
        let (word, others) = rest.split_at(end);
        rest = others;
        Some(word)
    })
}

/// The text without what differs from run to run.
fn masked(text: &str) -> String {
    let is_digest = |word: &str| word.len() == 64 && word.bytes().all(|b| b.is_ascii_hexdigit());
    let words: Vec<&str> = words(text).collect();
    let mut masked = String::new();
    for (index, word) in words.iter().enumerate() {
        let is_time = |from: Option<usize>| {
            let words = from.and_then(|from| words.get(from..from + 3));
            matches!(words, Some([number, " ", "s" | "min" | "h" | "days"])
                if number.parse::<u64>().is_ok())
        };
        let follows_process = |by: usize| {
            index.checked_sub(by).is_some_and(|before| words.get(before) == Some(&"process"))
        };
        masked.push_str(match *word {
            word if word.starts_with("apr_") => "apr_ID",
            word if word.starts_with("att_") => "att_ID",
            word if is_digest(word) => "DIGEST",
            _ if is_time(Some(index)) => "SOME",
            _ if is_time(index.checked_sub(2)) => "TIME",
            _ if follows_process(2) => "PID",
            _ if follows_process(4) => "ID",
            word => word,
        });
    }
    masked
}

/// What a user sees who types the commands one after the other.
struct Session<'a> {
    folder: &'a Folder,
    seen: String,
}

impl Session<'_> {
    fn types(&mut self, program: &str, arguments: &[&str]) {
        let ran = match program {
            "support_agent" => self.folder.agent(arguments),
            _ => self.folder.approvals(arguments),
        };
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{program} {arguments:?}");
        let before = if self.seen.is_empty() { "" } else { "\n" };
        let option =
            if program == "approvals" { "--ledger FOLDER/calls.db" } else { "--shop FOLDER" };
        let command = format!("{before}$ {program} {option} {}\n", arguments.join(" "));
        self.seen.extend([command.as_str(), &ran.out]);
    }
}

#[test]
fn three_processes_print_their_checked_in_output() {
    let folder = Folder::new("approved");
    let mut session = Session { folder: &folder, seen: String::new() };
    session.types("support_agent", &["--tickets"]);
    let id = folder.parked();
    session.types("approvals", &["list"]);
    session.types("approvals", &["show", &id]);
    session.types("approvals", &["approve", &id, "--by", "kim"]);
    session.types("support_agent", &["--resume", &id]);
    session.types("approvals", &["history", &id]);
    session.types("support_agent", &["--tickets"]);
    assert_eq!(folder.refunds(), [TWENTY, NINE_HUNDRED]);

    let found = masked(&session.seen.replace(folder.shop(), "FOLDER"));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("04_approvals.out");
    if env::var_os("TOOLKIT_BLESS").is_some() {
        fs::write(&path, &found).unwrap();
    }
    let checked_in = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(found, checked_in, "04_approvals.out differs; TOOLKIT_BLESS=1 writes it anew");
}

#[test]
fn what_a_person_declined_never_runs() {
    let folder = Folder::new("declined");
    let id = folder.parked();
    let declined = folder.approvals(&["decline", &id, "over the limit", "--by", "kim"]);
    assert_eq!((declined.code, declined.err.as_str()), (Some(0), ""));
    assert!(declined.out.ends_with("kim (cli) declined: it will not run\n"), "{}", declined.out);

    let told =
        "  declined      declined by a person (over the limit). Do not retry; tell the user.\n";
    let resumed = folder.agent(&["--resume", &id]);
    assert_eq!(resumed.code, Some(0), "{}", resumed.err);
    assert_eq!(resumed.out.matches(told).count(), 2, "{}", resumed.out);
    assert!(folder.agent(&["--tickets"]).out.contains(told), "the same call again");
    assert_eq!(folder.refunds(), [TWENTY]);

    let late = folder.approvals(&["approve", &id, "--by", "lee"]);
    let err = "approvals: it was decided before, by kim: it is declined\n".to_owned();
    assert_eq!((late.code, late.err), (Some(1), err));
}

#[test]
fn an_agreement_is_taken_back_before_it_is_used() {
    let folder = Folder::new("revoked");
    let id = folder.parked();
    assert_eq!(folder.approvals(&["approve", &id, "--by", "kim"]).code, Some(0));
    assert_eq!(folder.approvals(&["decline", &id, "--by", "lee"]).code, Some(0));
    let resumed = folder.agent(&["--resume", &id]).out;
    assert!(resumed.contains("declined by a person. Do not retry; tell the user."), "{resumed}");
    assert_eq!(folder.refunds(), [TWENTY]);
}

#[test]
fn nothing_runs_that_nobody_decided_on() {
    let folder = Folder::new("undecided");
    let id = folder.parked();
    let resumed = folder.agent(&["--resume", &id]);
    assert_eq!(resumed.out.matches("  awaiting_approval").count(), 2, "{}", resumed.out);
    assert_eq!(folder.parked(), id, "the same call waits by the same id");
    assert_eq!(folder.refunds(), [TWENTY]);
}

#[test]
fn an_unknown_id_is_told_in_one_line() {
    let folder = Folder::new("unknown");
    folder.parked();
    for id in ["apr_00000000000000000000000000", "apr_1", "", "\u{1b}[2J"] {
        let err = format!("there is no call {id:?} to decide on\n");
        let nothing = |program: &str| Ran {
            code: Some(1),
            out: String::new(),
            err: format!("{program}: {err}"),
        };
        for command in [&["show", id][..], &["approve", id], &["decline", id], &["history", id]] {
            assert_eq!(folder.approvals(command), nothing("approvals"), "{command:?}");
        }
        assert_eq!(folder.agent(&["--resume", id]), nothing("support_agent"));
    }
    assert_eq!(folder.refunds(), [TWENTY]);
}

#[test]
fn a_file_that_is_no_ledger_is_told_in_one_line_and_left_as_it_is() {
    let folder = Folder::new("no-ledger");
    let missing = folder.approvals(&["list"]);
    let ledger = folder.ledger();
    let err = format!("approvals: the ledger can not be reached: there is no file {ledger}\n");
    assert_eq!(missing, Ran { code: Some(1), out: String::new(), err });
    let resumed = folder.agent(&["--resume", "apr_1"]);
    let err = format!("support_agent: {} holds no shop: answer its tickets first\n", folder.shop());
    assert_eq!(resumed, Ran { code: Some(1), out: String::new(), err });
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 0, "asking creates nothing");

    fs::write(folder.ledger(), "Dear diary").unwrap();
    let diary = folder.approvals(&["list"]);
    let err =
        format!("approvals: the ledger is damaged: {} is no SQLite database\n", folder.ledger());
    assert_eq!(diary, Ran { code: Some(1), out: String::new(), err });
    assert_eq!(fs::read_to_string(folder.ledger()).unwrap(), "Dear diary");
}

#[test]
fn a_wrong_command_line_is_answered_with_the_usage() {
    for arguments in [
        &[][..],
        &["approve"],
        &["approve", "apr_1", "apr_2"],
        &["list", "--by", "kim"],
        &["approve", "apr_1", "--by"],
        &["approve", "apr_1", "--by", " "],
        &["approve", "apr_1", "--force"],
        &["resolve", "doubt", "applied", "no reason"],
        &["resolve", "doubt", "perhaps", "a reason"],
        &["--verbose", "list"],
    ] {
        let Ran { code, out, err } = ran("approvals", arguments);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(err.starts_with("usage: approvals "), "{arguments:?}: {err}");
    }
    for arguments in [&["--resume"][..], &["--shop", "folder"], &["--tickets", "folder"]] {
        assert_eq!(ran("support_agent", arguments).code, Some(2), "{arguments:?}");
    }
}

#[test]
fn nothing_is_decided_that_nobody_could_read() {
    let folder = Folder::new("unseen");
    let id = folder.parked();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let approved = Command::new(PROGRAMS.join("approvals"))
        .args(["--ledger", &folder.ledger(), "approve", &id, "--by", "kim"])
        .stdout(Stdio::from(writer))
        .output()
        .unwrap();
    let err = String::from_utf8(approved.stderr).unwrap();
    assert_eq!(approved.status.code(), Some(1), "{err}");
    assert!(err.ends_with("so nothing was decided\n"), "{err}");
    let waiting = folder.approvals(&["list"]).out;
    assert!(waiting.starts_with(&id), "{waiting}");

    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let listed = Command::new(PROGRAMS.join("approvals"))
        .args(["--ledger", &folder.ledger(), "list"])
        .stdout(Stdio::from(writer))
        .output()
        .unwrap();
    assert_eq!((listed.status.code(), listed.stderr), (Some(0), Vec::new()), "as `head` does");
}

/// Closes an account for good.
#[tool(effect = "irreversible", approval(quorum = 2, four_eyes))]
fn close(name: &str) -> String {
    format!("closed {name}")
}

#[test]
fn two_people_agree_and_who_asked_is_not_one_of_them() {
    let folder = Folder::new("quorum");
    let ledger = SqliteLedger::open(folder.ledger()).unwrap();
    let registry = Registry::builder().tools(tools![close]).ledger(ledger).build().unwrap();
    let view = registry.view(Caller::new("ann"));
    let call = ToolCall::new("call_1", "close", r#"{"name": "A-1"}"#);
    let parked = view.dispatch_blocking(call, Options::default()).unwrap();
    let id = parked.approval_id().unwrap();
    let approved = |by: &str| {
        let Ran { code, out, err } = folder.approvals(&["approve", id, "--by", by]);
        let last = if code == Some(0) { out } else { err };
        last.lines().last().unwrap().to_owned()
    };
    let refused = "approvals: who asked for a call can not agree to it: another person must";
    assert_eq!(approved("ann"), refused);
    assert_eq!(approved("kim"), "kim (cli) agreed, and more people must");
    assert_eq!(approved("kim"), "approvals: it was decided before, by kim: it is parked");
    let shown = folder.approvals(&["show", id]).out;
    let needs = "  needs       2 people to agree, and ann is not one of them; agreed: kim (cli)\n";
    assert!(shown.contains(needs), "{shown}");
    let waits = view.resume_blocking(id, Options::default()).unwrap();
    assert_eq!(waits.status(), Status::AwaitingApproval);
    assert_eq!(masked(&approved("lee")), "lee (cli) agreed: its host may run it within SOME TIME");
    assert_eq!(view.resume_blocking(id, Options::default()).unwrap().text(), "closed A-1");
}

/// Pays, and the wire breaks before the answer.
#[tool(effect = "write")]
fn pay(name: &str) -> Result<(), std::io::Error> {
    Err(std::io::Error::other(format!("no answer for {name}")))
}

/// A ledger with a call in doubt, which a program of its own left there; gives what it is
/// resolved by.
fn doubtful(folder: &Folder, settle: Duration) -> String {
    let ledger = SqliteLedger::open(folder.ledger()).unwrap();
    let settings = Settings { lease: Duration::from_secs(1), settle, ..Settings::default() };
    let registry = Registry::builder()
        .tools(tools![pay])
        .ledger(ledger)
        .ledger_settings(settings)
        .build()
        .unwrap();
    let call = ToolCall::new("call_1", "pay", r#"{"name": "A\u202eB"}"#);
    let view = registry.view(Caller::new("ann").tenant("furniture"));
    assert_eq!(view.dispatch_blocking(call, Options::default()).unwrap().status(), Status::InDoubt);
    drop((view, registry));
    let told = folder.approvals(&["in-doubt"]).out;
    assert!(told.contains(r#"{"name":"A\u{202e}B"}"#), "{told}");
    assert!(told.contains("\n  asked by    ann of furniture\n"), "{told}");
    told.lines().find_map(|line| line.strip_prefix("  doubt       ")).unwrap().to_owned()
}

/// The key of its row.
fn key_of(doubt: &str) -> &str {
    doubt.split(':').next().unwrap()
}

#[test]
fn a_call_in_doubt_is_resolved_by_a_person() {
    let folder = Folder::new("in-doubt");
    let doubt = doubtful(&folder, Duration::from_secs(3_600));
    let by = ["--by", "kim"];
    let arguments = ["resolve", &doubt, "not-applied", "asked the bank"];
    let early = folder.approvals(&[&arguments, &by[..]].concat());
    assert_eq!(early.code, Some(1));
    let said = " s: look after that, or force it when its worker is known to be dead\n";
    assert!(early.err.ends_with(said), "{}", early.err);

    let arguments = ["resolve", &doubt, "applied", "paid as B-7", "asked the bank"];
    let resolved = folder.approvals(&[&arguments, &by[..]].concat());
    assert_eq!((resolved.code, resolved.err.as_str()), (Some(0), ""));
    assert!(resolved.out.ends_with("\nkim (cli) resolved: it is done\n"), "{}", resolved.out);
    assert_eq!(folder.approvals(&["in-doubt"]).out, "nothing is in doubt\n");

    let again = folder.approvals(&[&arguments, &by[..]].concat());
    let err = format!("approvals: no call in doubt has the key {}\n", key_of(&doubt));
    assert_eq!(again, Ran { code: Some(1), out: String::new(), err });
    let history = folder.approvals(&["history", key_of(&doubt)]).out;
    let last = history.lines().last().unwrap();
    assert!(last.starts_with("resolved by kim (cli), "), "{history}");
    assert!(last.ends_with(" applied: asked the bank"), "{history}");
}

#[test]
fn a_person_answers_for_a_worker_that_is_dead() {
    let folder = Folder::new("forced");
    let doubt = doubtful(&folder, Duration::from_secs(3_600));
    let arguments = ["resolve", &doubt, "run-again", "the host burnt", "--force", "--by", "kim"];
    let resolved = folder.approvals(&arguments);
    assert!(resolved.out.ends_with("\nkim (cli) resolved: it is free\n"), "{resolved:?}");
    let history = folder.approvals(&["history", key_of(&doubt)]).out;
    let said = "run again, forced before it was settled: the host burnt\n";
    assert!(history.ends_with(said), "{history}");
}
