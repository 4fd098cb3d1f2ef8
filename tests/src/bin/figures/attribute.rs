//! What a hundred tools of four parameters cost to compile, in each way to write them, and how many
//! bytes thirty of them come to where they are shown.
//!
//! The crates are written into the target directory. cargo is asked once for the compiler's
//! command, which then runs alone, so that nothing else is counted.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::programs::{BY_HAND, BY_HAND_PLAIN, WAYS};

const TOOLS: usize = 100;

type Part = (&'static str, &'static str, fn(&Cost) -> f64);

/// The figures, and what of a way's cost each is.
const FIGURES: [Part; 4] = [
    ("macro.check", "CPU seconds of the check", |cost| cost.check),
    ("macro.release", "CPU seconds of the release build", |cost| cost.release),
    ("macro.lines", "lines once expanded", |cost| cost.lines),
    ("macro.size", "bytes that 99 more tools add to a stripped program", |cost| cost.size),
];

/// What is shown of so many tools in one dialect, by us and by a peer whose form it is.
const SHOWN: [(&str, &str); 2] = [("mcp", "rmcp"), ("openai_chat", "rig")];

const TOOLS_SHOWN: usize = 30;

struct Cost {
    check: f64,
    release: f64,
    lines: f64,
    size: f64,
}

pub(crate) fn names() -> impl Iterator<Item = String> {
    FIGURES.iter().map(|(name, ..)| (*name).to_owned()).chain(SHOWN.map(shown_name))
}

fn shown_name((dialect, peer): (&str, &str)) -> String {
    format!("dialects.{dialect}.beside_{peer}")
}

/// The lines of the subjects that begin so; none where the peers can not be fetched.
pub(crate) fn lines(subject: &str) -> Vec<Value> {
    // It takes minutes, so it is asked for by name.
    if subject.is_empty() || !names().any(|name| name.starts_with(subject)) {
        return Vec::new();
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let place = root.join("target/figures/macro");
    write_workspace(root, &place);
    let mut lines: Vec<Value> = SHOWN
        .into_iter()
        .filter(|of| shown_name(*of).starts_with(subject))
        .map(|of| shown(&place, of))
        .collect();
    if FIGURES.iter().any(|(name, ..)| name.starts_with(subject)) {
        lines.extend(costs(&place, subject));
    }
    lines
}

/// The bytes of what thirty tools are shown as, by us and by a peer.
fn shown(place: &Path, (dialect, peer): (&str, &str)) -> Value {
    let bytes = |way: &str| {
        let (_, _, program) = WAYS.iter().find(|(name, ..)| *name == way).expect("it is a way");
        written(&source(place, way), &program(TOOLS_SHOWN));
        cargo(place, way, &["build"]);
        let built = place.join("target/debug").join(package(way));
        let told = Command::new(built).arg(dialect).output().expect("it runs");
        let told = String::from_utf8(told.stdout).expect("it prints text");
        told.trim().parse::<u64>().unwrap_or_else(|_| panic!("{way} printed {told:?}"))
    };
    let (ours, theirs) = (bytes("toolkit_plain"), bytes(peer));
    json!({
        "figure": shown_name((dialect, peer)),
        "bytes": ours,
        "of": format!("bytes of {TOOLS_SHOWN} definitions, beside those of {peer} for the same tools"),
        "floor": theirs,
    })
}

fn costs(place: &Path, subject: &str) -> Vec<Value> {
    let checked = WAYS.map(|(way, ..)| checked(place, way));
    let built = WAYS.map(|(way, _, program)| built(place, way, program));
    let costs: Vec<(&str, Cost)> = WAYS
        .iter()
        .zip(checked.into_iter().zip(built))
        .map(|((way, ..), ((check, lines), (release, size)))| {
            (*way, Cost { check, release, lines, size })
        })
        .collect();
    let of_figure = |(name, what, of): &Part| {
        let cost = |wanted: &str| {
            let (_, cost) = costs.iter().find(|(way, _)| *way == wanted).expect("it is a way");
            of(cost)
        };
        let ratio = |way: &str, floor: &str| (cost(way) / cost(floor) * 1_000.0).round() / 1_000.0;
        let mut line = json!({ "figure": name, "ratio": ratio("toolkit", BY_HAND) });
        line["over_plain"] = ratio("toolkit", BY_HAND_PLAIN).into();
        for way in ["toolkit_plain", "rmcp", "rig"] {
            line[way] = ratio(way, BY_HAND_PLAIN).into();
        }
        let of =
            "a derive for each and every key's work by hand; the plain ones over a derive alone";
        line["of"] = format!("{what}: {TOOLS} tools, over {of}").into();
        line["floor"] = ((cost(BY_HAND) * 100.0).round() / 100.0).into();
        line["floor_plain"] = ((cost(BY_HAND_PLAIN) * 100.0).round() / 100.0).into();
        line
    };
    FIGURES.iter().filter(|(name, ..)| name.starts_with(subject)).map(of_figure).collect()
}

fn write_workspace(root: &Path, place: &Path) {
    let members: Vec<_> = WAYS.iter().map(|(way, ..)| package(way)).collect();
    let manifest = format!(
        "[workspace]\nresolver = \"3\"\nmembers = {members:?}\n\n[profile.release]\nstrip = true\n"
    );
    written(&place.join("Cargo.toml"), &manifest);
    // The versions that the tests have.
    if !place.join("Cargo.lock").exists() {
        fs::copy(root.join("Cargo.lock"), place.join("Cargo.lock")).expect("the lock is copied");
    }
    for (way, dependencies, program) in WAYS {
        let root = root.display().to_string();
        let manifest = format!(
            "[package]\nname = \"{}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
             [dependencies]\n{}",
            package(way),
            dependencies.replace("ROOT", &root)
        );
        written(&place.join(package(way)).join("Cargo.toml"), &manifest);
        written(&source(place, way), &program(TOOLS));
    }
}

fn written(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("it is made");
    fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

/// CPU seconds of a check, and lines once expanded.
#[expect(clippy::cast_precision_loss, reason = "lines of one program")]
fn checked(place: &Path, way: &str) -> (f64, f64) {
    let check = compiler(place, way, &["check"]);
    let expanded = shell(place, &format!("RUSTC_BOOTSTRAP=1 {check} -Zunpretty=expanded"));
    let lines = expanded.lines().filter(|line| !line.trim().is_empty()).count();
    let seconds = least(place, &check);
    eprintln!("macro: {way}: {seconds:.2} s, {lines} lines");
    (seconds, lines as f64)
}

/// CPU seconds of a release build, and bytes that all tools but one add to a stripped program.
#[expect(clippy::cast_precision_loss, reason = "bytes of one program")]
fn built(place: &Path, way: &str, program: fn(usize) -> String) -> (f64, f64) {
    let seconds = least(place, &compiler(place, way, &["build", "--release"]));
    let source = source(place, way);
    let size = |tools| {
        written(&source, &program(tools));
        cargo(place, way, &["build", "--release"]);
        fs::metadata(stripped(place, way)).expect("it was built").len()
    };
    let added = size(TOOLS) - size(1);
    let ran = Command::new(stripped(place, way)).status().expect("it runs");
    assert!(ran.success(), "{way} does not do its work");
    written(&source, &program(TOOLS));
    eprintln!("macro: {way}: {seconds:.2} s released, {added} bytes");
    (seconds, added as f64)
}

/// The name of a way's crate, which is no dependency's.
fn package(way: &str) -> String {
    format!("by_{way}")
}

fn source(place: &Path, way: &str) -> PathBuf {
    place.join(package(way)).join("src/main.rs")
}

/// The least CPU seconds of some runs.
fn least(place: &Path, command: &str) -> f64 {
    (0..3).map(|_| seconds(place, command)).fold(f64::MAX, f64::min)
}

fn stripped(place: &Path, way: &str) -> PathBuf {
    place.join("target/release").join(package(way))
}

/// The compiler's command, as cargo runs it.
fn compiler(place: &Path, way: &str, command: &[&str]) -> String {
    // What it depends on is compiled first, and then it alone.
    cargo(place, way, command);
    let source = source(place, way);
    let text = fs::read_to_string(&source).expect("it was written");
    written(&source, &text);
    let log = cargo(place, way, &[command, &["-vv"]].concat());
    let name = format!("--crate-name {} ", package(way));
    let line = log.lines().find(|line| line.contains("Running `") && line.contains(&name));
    let line = line.unwrap_or_else(|| panic!("cargo does not say how it compiles {way}: {log}"));
    let (_, line) = line.split_once('`').expect("the command is quoted");
    line.strip_suffix('`').expect("the command is quoted").to_owned()
}

fn cargo(place: &Path, way: &str, command: &[&str]) -> String {
    let output = Command::new("cargo")
        .args(command)
        .args(["-p", &package(way)])
        .current_dir(place)
        .env("CARGO_INCREMENTAL", "0")
        .env("CARGO_TARGET_DIR", place.join("target"))
        .output()
        .expect("cargo runs");
    let log = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{way}: {log}");
    log
}

fn shell(place: &Path, command: &str) -> String {
    let output = Command::new("sh").args(["-c", command]).current_dir(place).output();
    let output = output.expect("the compiler runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// CPU seconds of a command and of all that it starts.
fn seconds(place: &Path, command: &str) -> f64 {
    let before = of_children();
    shell(place, command);
    of_children() - before
}

/// CPU seconds of the children that are over, as Linux counts them.
fn of_children() -> f64 {
    const TICKS: f64 = 100.0;
    let stat = fs::read_to_string("/proc/self/stat").expect("Linux tells of this process");
    let (_, fields) = stat.rsplit_once(')').expect("its name is in parentheses");
    let ticks = fields.split_whitespace().skip(13).take(2);
    ticks.map(|ticks| ticks.parse::<f64>().expect("it is a number")).sum::<f64>() / TICKS
}
