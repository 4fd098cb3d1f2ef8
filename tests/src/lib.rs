//! What the tests share: dice with a printed seed, and the shortest way to one call.

pub mod catalogue;
mod dice;
pub mod schemas;
pub mod tools;
#[cfg(feature = "integrations")]
pub mod workers;

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex};

pub use dice::{Dice, cases};
use serde_json::{Value, json};
use toolkit::dialect::Definition;
use toolkit::{CallContext, Caller, Failure, Options, Outcome, Registry, Tool, ToolCall, View};

/// A view of one tool, for a caller without scopes.
///
/// # Panics
/// The registry has a mistake.
pub fn view_of(tool: impl Into<Tool>) -> View {
    let registry = Registry::builder().tool(tool).build().expect("the registry is right");
    registry.view(Caller::new("tester"))
}

/// A tool of a given schema that gives back the arguments it was given.
pub fn echo(schema: Value) -> Tool {
    let run = |arguments: Value, _: CallContext| async move { Ok::<_, Failure>(arguments) };
    Tool::dynamic("echo", "Repeats.", schema, run).into()
}

/// Dispatches one call that must not end the run.
///
/// # Panics
/// It does.
pub fn call(view: &View, name: &str, arguments: &str) -> Outcome {
    let call = ToolCall::new("call_1", name, arguments);
    view.dispatch_blocking(call, Options::default()).expect("the call does not end the run")
}

/// The definition that a model reads of the only visible tool, in no provider's form.
///
/// # Panics
/// There is none.
pub fn definition(view: &View) -> Value {
    let tools = view.tools();
    let definition = tools.first().expect("one tool is visible");
    let Definition { name, description, input_schema, .. } = definition;
    json!({"name": name, "description": description, "input_schema": input_schema})
}

/// Compares a text with the file of the project that holds it; `TOOLKIT_BLESS=1` writes it anew.
///
/// # Panics
/// The file holds another text, or can not be read or written.
pub fn is_checked_in(path: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    if std::env::var_os("TOOLKIT_BLESS").is_some() {
        fs::write(&path, text).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap();
    assert!(found == text, "{} is not as it is made: TOOLKIT_BLESS=1 writes it", path.display());
}

/// The files below a folder.
///
/// # Panics
/// The folder can not be read.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

/// What a judge in another language is told: each verdict of ours, grouped by the schema.
///
/// The environment's `TOOLKIT_SECOND_JUDGE` names the file or pipe; without it nobody listens.
#[derive(Debug)]
pub struct SecondJudge {
    /// The first line is the schema, each other one a normal form and our verdict on it.
    lines: Option<String>,
}

/// Opened once, so that who reads a pipe hears its end when the tests have ended.
static SECOND_JUDGE: LazyLock<Option<Mutex<fs::File>>> = LazyLock::new(|| {
    let path = std::env::var_os("TOOLKIT_SECOND_JUDGE")?;
    let file = OpenOptions::new().create(true).append(true).open(path);
    Some(Mutex::new(file.expect("the second judge's file can be written")))
});

impl SecondJudge {
    /// Starts to tell of one schema.
    pub fn of(schema: &Value) -> Self {
        let lines = SECOND_JUDGE.as_ref().map(|_| format!("{}\n", json!({"schema": schema})));
        Self { lines }
    }

    /// Tells of one call; one that the text rules refuse has no normal form to judge.
    pub fn hears(&mut self, normal_form: Option<&Value>, accepted: bool) {
        if let (Some(lines), Some(value)) = (&mut self.lines, normal_form) {
            lines.push_str(&json!({"value": value, "accepted": accepted}).to_string());
            lines.push('\n');
        }
    }
}

impl Drop for SecondJudge {
    fn drop(&mut self) {
        if let (Some(lines), Some(file)) = (&self.lines, SECOND_JUDGE.as_ref()) {
            let mut file = file.lock().expect("no other test panicked while it wrote");
            file.write_all(lines.as_bytes()).expect("the second judge listens");
        }
    }
}
