//! What a hundred tools of four parameters cost to compile, in each way to write them, and how many
//! bytes thirty of them come to where they are shown.
//!
//! The crates are written into the target directory. cargo is asked once for the compiler's
//! command, which then runs alone, so that nothing else is counted.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

const TOOLS: usize = 100;

type Way = (&'static str, &'static str, fn(usize) -> String);

type Part = (&'static str, &'static str, fn(&Cost) -> f64);

/// Each way: its name, its dependencies, and its program of so many tools.
const WAYS: [Way; 5] = [
    ("derive", DERIVE, derive),
    ("toolkit", TOOLKIT, toolkit),
    ("toolkit_plain", TOOLKIT, toolkit_plain),
    ("rmcp", RMCP, rmcp),
    ("rig", RIG, rig),
];

const DERIVE: &str = r#"serde = { version = "1", features = ["derive"] }
serde_json = "1"
schemars = "1"
"#;
const TOOLKIT: &str = "toolkit = { path = \"ROOT/toolkit\" }\n";
const RMCP: &str = r#"rmcp = { version = "=3.11.0", default-features = false, features = ["server", "macros"] }
schemars = "1"
serde = { version = "1", features = ["derive"] }
serde_json = "1"
"#;
const RIG: &str = r#"rig-core = { version = "=0.44.0", default-features = false, features = ["derive"] }
schemars = "1"
serde = { version = "1", features = ["derive"] }
serde_json = "1"
"#;

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
    let floor = &costs.first().expect("there are ways").1;
    let of_figure = |(name, what, of): &(&str, &str, fn(&Cost) -> f64)| {
        let mut line = json!({ "figure": name });
        for (way, cost) in costs.iter().skip(1) {
            let key = if *way == "toolkit" { "ratio" } else { way };
            line[key] = ((of(cost) / of(floor) * 1_000.0).round() / 1_000.0).into();
        }
        line["of"] = format!("{what}: {TOOLS} tools, over a derive for each").into();
        line["floor"] = ((of(floor) * 100.0).round() / 100.0).into();
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

fn each(tools: usize, text: impl Fn(usize) -> String) -> String {
    (0..tools).map(text).collect()
}

/// A type and a derive for each tool, and what any library has to do for it by hand.
fn derive(tools: usize) -> String {
    let head = r"use serde_json::Value;

struct Tool {
    name: &'static str,
    description: &'static str,
    schema: fn() -> schemars::Schema,
    call: fn(Value) -> Result<String, String>,
}
";
    let tools_of = each(tools, |n| {
        format!(
            r#"
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Refund{n}Args {{
    /// The order's id, like O-4471.
    #[schemars(regex(pattern = r"^O-\d+$"))]
    order_id: String,
    /// How much to refund.
    #[schemars(range(min = 0.01, max = 10_000))]
    amount: f64,
    /// Days until it is paid.
    days: Option<u32>,
    /// What it is filed under.
    #[schemars(length(max = 8))]
    tags: Vec<String>,
}}

fn refund_{n}(args: Refund{n}Args) -> Result<String, String> {{
    let Refund{n}Args {{ order_id, amount, days, tags }} = args;
    Ok(format!("{n} {{order_id}} {{amount}} {{days:?}} {{tags:?}}"))
}}
"#
        )
    });
    let list = each(tools, |n| {
        format!(
            r#"        Tool {{
            name: "refund_{n}",
            description: "Refunds an order of kind {n}. Use after the order was looked up.",
            schema: || schemars::schema_for!(Refund{n}Args),
            call: |value| match serde_json::from_value::<Refund{n}Args>(value) {{
                Ok(args) => refund_{n}(args),
                Err(error) => Err(error.to_string()),
            }},
        }},
"#
        )
    });
    format!(
        r"{head}{tools_of}
fn main() {{
    let tools = [
{list}    ];
    let arguments = {ARGUMENTS};
    for tool in &tools {{
        let schema = (tool.schema)().to_value().to_string();
        assert!(!tool.name.is_empty() && !tool.description.is_empty() && !schema.is_empty());
        (tool.call)(serde_json::from_str(arguments).unwrap()).unwrap();
    }}
}}
"
    )
}

const ARGUMENTS: &str = r##"r#"{"order_id": "O-1", "amount": 2.5, "days": 3, "tags": ["late"]}"#"##;

/// The parameters that every way has.
const PARAMETERS: &str = r#"    /// The order's id, like O-4471.
    #[arg(pattern = r"^O-\d+$")]
    order_id: String,
    /// How much to refund.
    #[arg(minimum = 0.01, maximum = 10_000)]
    amount: f64,
    /// Days until it is paid.
    days: Option<u32>,
    /// What it is filed under.
    #[arg(max_items = 8)]
    tags: Vec<String>,
"#;

/// Our tools that say no more than the others.
fn toolkit_plain(tools: usize) -> String {
    let tools_of = each(tools, |n| {
        format!(
            r#"
/// Refunds an order of kind {n}. Use after the order was looked up.
#[tool]
fn refund_{n}(
{PARAMETERS}) -> String {{
    format!("{n} {{order_id}} {{amount}} {{days:?}} {{tags:?}}")
}}
"#
        )
    });
    toolkit_program("", &tools_of, tools, "", "")
}

/// Our tools with every key of the attribute, each.
fn toolkit(tools: usize) -> String {
    let head = r#"
struct Bank {
    limit: f64,
}

impl Bank {
    fn is_open(&self, order_id: &str) -> Result<(), ToolError> {
        if order_id.is_empty() { Err(ToolError::business("no such order")) } else { Ok(()) }
    }

    async fn find(&self, order_id: &str) -> toolkit::Verified<String> {
        toolkit::Verified::Applied(order_id.to_owned())
    }
}
"#;
    let tools_of = each(tools, |n| {
        let requires =
            if n == 0 { String::new() } else { format!("requires(\"refund-{}\"),", n - 1) };
        format!(
            r#"
/// Refunds an order of kind {n}. Use after the order was looked up.
#[tool(
    name = "refund-{n}",
    title = "Refund {n}",
    effect = "write",
    scopes("payments:write"),
    listed,
    on_denied = "fatal",
    check = bank.is_open(&order_id),
    {requires}
    idempotency(order_id),
    on_unknown = verify(bank.find(&order_id).await),
    approval(amount > bank.limit, quorum = 2, four_eyes, time_to_live = "2h"),
    preview = format!("refunds {{amount}} of {{order_id}} for {{}}", cx.caller().principal()),
    preview_must_match,
    timeout = "30s",
    concurrency = 4,
    result_limit = 4_096,
    reads_private,
    writes_external,
    annotations(destructive_hint = false),
    examples((order_id = "O-1", amount = 2.5, tags = ["late"])),
)]
async fn refund_{n}(
    #[context] cx: &CallContext,
    #[state] bank: &Bank,
{PARAMETERS}) -> Result<String, Failure> {{
    let limit = bank.limit;
    let whom = cx.caller().principal();
    Ok(format!("{n} {{order_id}} {{amount}} {{days:?}} {{tags:?}} {{limit}} {{whom}}"))
}}
"#
        )
    });
    let given = r#"
        .state(Bank { limit: 500.0 })
        .timer(toolkit::ThreadTimer)
        .ledger(toolkit::ledger::MemoryLedger::accept_loss("a figure"))"#;
    toolkit_program(head, &tools_of, tools, given, ".scopes([\"payments:write\"])")
}

fn toolkit_program(head: &str, tools_of: &str, tools: usize, given: &str, scopes: &str) -> String {
    let list = each(tools, |n| format!("refund_{n}, "));
    format!(
        r#"use toolkit::prelude::*;
{head}{tools_of}
fn main() {{
    let registry = Registry::builder(){given}
        .tools(tools![{list}])
        .build()
        .unwrap();
    let view = registry.view(Caller::new("ann"){scopes});
    if let Some(dialect) = std::env::args().nth(1) {{
        let shown = match dialect.as_str() {{
            "mcp" => view.definitions(&toolkit::dialect::Mcp),
            _ => view.definitions(&toolkit::dialect::OpenAiChat),
        }};
        return println!("{{}}", shown.unwrap().to_string().len());
    }}
    for tool in view.tools() {{
        assert!(!tool.description.is_empty() && !tool.input_schema.to_string().is_empty());
        let call = ToolCall::new("call_1", tool.name.as_str(), {ARGUMENTS});
        view.dispatch_blocking(call, Options::default().run_id("run-1")).unwrap();
    }}
}}
"#
    )
}

fn rmcp(tools: usize) -> String {
    let mut text = String::from(
        "use rmcp::handler::server::wrapper::Parameters;\nuse rmcp::{tool, tool_router};\n\n\
         struct Server;\n",
    );
    for n in 0..tools {
        let _ = write!(
            text,
            r#"
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Refund{n}Args {{
    /// The order's id, like O-4471.
    #[schemars(regex(pattern = r"^O-\d+$"))]
    order_id: String,
    /// How much to refund.
    #[schemars(range(min = 0.01, max = 10_000))]
    amount: f64,
    /// Days until it is paid.
    days: Option<u32>,
    /// What it is filed under.
    #[schemars(length(max = 8))]
    tags: Vec<String>,
}}
"#
        );
    }
    text.push_str("\n#[tool_router]\nimpl Server {\n");
    for n in 0..tools {
        let _ = write!(
            text,
            r#"    /// Refunds an order of kind {n}. Use after the order was looked up.
    #[tool]
    async fn refund_{n}(&self, Parameters(args): Parameters<Refund{n}Args>) -> String {{
        let Refund{n}Args {{ order_id, amount, days, tags }} = args;
        format!("{n} {{order_id}} {{amount}} {{days:?}} {{tags:?}}")
    }}

"#
        );
    }
    let _ = write!(
        text,
        r#"}}

fn main() {{
    let router = Server::tool_router();
    if std::env::args().nth(1).is_some() {{
        return println!("{{}}", serde_json::to_string(&router.list_all()).unwrap().len());
    }}
    assert_eq!(router.list_all().len(), {tools});
    std::hint::black_box(router);
}}
"#
    );
    text
}

fn rig(tools: usize) -> String {
    let head = r#"use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use rig_core::rig_tool;
use rig_core::tool::{Tool, ToolContext, ToolExecutionError};

/// As rig's client for OpenAI sends it.
fn shown<T: Tool>(tool: T) -> serde_json::Value {
    let function = serde_json::json!({
        "name": T::NAME, "description": tool.description(), "parameters": tool.parameters(),
    });
    serde_json::json!({ "type": "function", "function": function })
}

fn worked<T: Tool>(tool: T) {
    let schema = tool.parameters().to_string();
    assert!(!T::NAME.is_empty() && !tool.description().is_empty() && !schema.is_empty());
    let arguments = serde_json::from_str(ARGUMENTS).unwrap();
    let mut context = ToolContext::new();
    let call = tool.call(&mut context, arguments);
    let mut call: Pin<Box<dyn Future<Output = Result<T::Output, T::Error>> + '_>> = Box::pin(call);
    let polled = call.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    assert!(matches!(polled, Poll::Ready(Ok(_))));
}
"#
    .replace("ARGUMENTS", ARGUMENTS);
    let tools_of = each(tools, |n| {
        format!(
            r#"
#[rig_tool(
    description = "Refunds an order of kind {n}. Use after the order was looked up.",
    params(
        order_id = "The order's id, like O-4471.",
        amount = "How much to refund.",
        days = "Days until it is paid.",
        tags = "What it is filed under."
    ),
    required(order_id, amount, tags)
)]
fn refund_{n}(
    order_id: String,
    amount: f64,
    days: Option<u32>,
    tags: Vec<String>,
) -> Result<String, ToolExecutionError> {{
    Ok(format!("{n} {{order_id}} {{amount}} {{days:?}} {{tags:?}}"))
}}
"#
        )
    });
    let list = each(tools, |n| format!("    worked(Refund{n});\n"));
    let shown = each(tools, |n| format!("shown(Refund{n}), "));
    format!(
        r#"{head}{tools_of}
fn main() {{
    if std::env::args().nth(1).is_some() {{
        return println!("{{}}", serde_json::json!([{shown}]).to_string().len());
    }}
{list}}}
"#
    )
}
