//! A hundred tools of four parameters, in each way to write them: whole programs.

use std::fmt::Write as _;

/// A way: its name, its dependencies, and its program of so many tools.
pub(crate) type Way = (&'static str, &'static str, fn(usize) -> String);

/// Each way.
pub(crate) const WAYS: [Way; 6] = [
    (BY_HAND, DERIVE, derive),
    (BY_HAND_PLAIN, DERIVE, derive_plain),
    ("toolkit", TOOLKIT, toolkit),
    ("toolkit_plain", TOOLKIT, toolkit_plain),
    ("rmcp", RMCP, rmcp),
    ("rig", RIG, rig),
];

/// A derive for each tool, and by hand what the keys of ours say.
pub(crate) const BY_HAND: &str = "derive";
/// A derive for each tool that says no more than a schema does.
pub(crate) const BY_HAND_PLAIN: &str = "derive_plain";

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

fn each(tools: usize, text: impl Fn(usize) -> String) -> String {
    (0..tools).map(text).collect()
}

/// A type and a derive for each tool, and what any library has to do for it by hand.
fn derive_plain(tools: usize) -> String {
    let head = r"use serde_json::Value;

struct Tool {
    name: &'static str,
    description: &'static str,
    schema: fn() -> schemars::Schema,
    call: fn(Value) -> Result<String, String>,
}
";
    let tools_of = each(tools, |n| {
        let arguments = derived(n);
        format!(
            r#"
{arguments}
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

/// The type of a tool's arguments.
fn derived(n: usize) -> String {
    format!(
        r#"#[derive(serde::Deserialize, schemars::JsonSchema)]
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
    )
}

/// The same tools as ours with every key: the same functions and expressions, a type and a derive
/// for the arguments of each, and what the keys say as plain data.
fn derive(tools: usize) -> String {
    let head = r#"use std::collections::BTreeMap;
use std::pin::{Pin, pin};
use std::task::{Context as Task, Poll, Waker};

use serde_json::{Value, json};

type Later<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

struct Context {
    principal: String,
    is_rehearsal: bool,
    is_approved: bool,
    done: BTreeMap<&'static str, usize>,
}

impl Context {
    fn principal(&self) -> &str {
        &self.principal
    }
}

struct Tool {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    schema: fn() -> schemars::Schema,
    scopes: &'static [&'static str],
    requires: &'static [&'static str],
    same: &'static [&'static str],
    quorum: u32,
    hours: u64,
    seconds: u64,
    at_once: usize,
    bytes: usize,
    is_destructive: bool,
    examples: fn() -> Vec<Value>,
    call: for<'a> fn(&'a Context, &'a Bank, Value) -> Later<'a, Result<String, String>>,
    look: for<'a> fn(&'a Bank, Value) -> Later<'a, Result<Option<String>, String>>,
}

struct Bank {
    limit: f64,
}

impl Bank {
    fn is_open(&self, order_id: &str) -> Result<(), String> {
        if order_id.is_empty() { Err("no such order".to_owned()) } else { Ok(()) }
    }

    async fn find(&self, order_id: &str) -> Option<String> {
        Some(order_id.to_owned())
    }
}

fn now<T>(later: Later<'_, T>) -> T {
    match pin!(later).poll(&mut Task::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("it waits"),
    }
}
"#;
    let tools_of = each(tools, |n| {
        let arguments = derived(n);
        format!(
            r#"
{arguments}
async fn refund_{n}(
    cx: &Context,
    bank: &Bank,
    order_id: String,
    amount: f64,
    days: Option<u32>,
    tags: Vec<String>,
) -> Result<String, String> {{
    let limit = bank.limit;
    let whom = cx.principal();
    Ok(format!("{n} {{order_id}} {{amount}} {{days:?}} {{tags:?}} {{limit}} {{whom}}"))
}}
"#
        )
    });
    let list = each(tools, |n| {
        let required = n.saturating_sub(1);
        format!(
            r#"        Tool {{
            name: "refund-{n}",
            title: "Refund {n}",
            description: "Refunds an order of kind {n}. Use after the order was looked up.",
            schema: || schemars::schema_for!(Refund{n}Args),
            scopes: &["payments:write"],
            requires: &["refund-{required}"],
            same: &["order_id"],
            quorum: 2,
            hours: 2,
            seconds: 30,
            at_once: 4,
            bytes: 4_096,
            is_destructive: false,
            examples: || vec![json!({{"order_id": "O-1", "amount": 2.5, "tags": ["late"]}})],
            call: |cx, bank, value| Box::pin(async move {{
                let args: Refund{n}Args =
                    serde_json::from_value(value).map_err(|error| error.to_string())?;
                let Refund{n}Args {{ order_id, amount, days, tags }} = args;
                bank.is_open(&order_id)?;
                if cx.is_rehearsal || (amount > bank.limit && !cx.is_approved) {{
                    return Err(format!("refunds {{amount}} of {{order_id}} for {{}}", cx.principal()));
                }}
                refund_{n}(cx, bank, order_id, amount, days, tags).await
            }}),
            look: |bank, value| Box::pin(async move {{
                let args: Refund{n}Args =
                    serde_json::from_value(value).map_err(|error| error.to_string())?;
                Ok(bank.find(&args.order_id).await)
            }}),
        }},
"#
        )
    });
    format!(
        r#"{head}{tools_of}
fn main() {{
    let tools = [
{list}    ];
    let arguments = {ARGUMENTS};
    let bank = Bank {{ limit: 500.0 }};
    let done = tools.iter().map(|tool| (tool.name, 1)).collect();
    let principal = "ann".to_owned();
    let cx = Context {{ principal, is_rehearsal: false, is_approved: false, done }};
    for tool in &tools {{
        let Tool {{ scopes, requires, same, quorum, hours, seconds, at_once, bytes, .. }} = tool;
        assert!(!scopes.is_empty() && !same.is_empty() && *quorum > 0 && *hours > 0);
        assert!(*seconds > 0 && *at_once > 0 && *bytes > 0 && !tool.is_destructive);
        assert!(requires.iter().all(|tool| cx.done.contains_key(tool)) && !tool.title.is_empty());
        let schema = (tool.schema)().to_value().to_string();
        assert!(!tool.name.is_empty() && !tool.description.is_empty() && !schema.is_empty());
        let mut given = (tool.examples)();
        given.push(serde_json::from_str(arguments).unwrap());
        for value in given {{
            assert_eq!(now((tool.look)(&bank, value.clone())), Ok(Some("O-1".to_owned())));
            now((tool.call)(&cx, &bank, value)).unwrap();
        }}
    }}
}}
"#
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
        text.push('\n');
        text.push_str(&derived(n));
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
