//! What is nobody's business reaches nobody: every source of a text beside every place that shows one.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt::{self, Write as _};
use std::io;
use std::sync::{Arc, Mutex};

use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use serde_json::json;
use toolkit::dialect::{
    Anthropic, Bedrock, Dialect, Gemini, Mcp, Message, OpenAiChat, OpenAiResponses, Request,
};
use toolkit::ledger::{Desk, Filter, Ledger, MemoryLedger};
use toolkit::prelude::*;
use toolkit::{Agent, Effect, Limits, Reply, ScriptedModel, ToolConfigError, Verified};
use toolkit_tests::{Dice, call, cases};
use tracing_subscriber::fmt::format::FmtSpan;

const CANARY: &str = "canary-7f3a";

/// An error whose causes say more than it does.
#[derive(Debug)]
struct Chained(Option<Box<Chained>>);

impl fmt::Display for Chained {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(CANARY)
    }
}

impl Error for Chained {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.as_deref().map(|error| error as _)
    }
}

struct Unwritable;

impl Serialize for Unwritable {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(S::Error::custom(CANARY))
    }
}

/// Ends the run.
#[tool(effect = "write")]
async fn fatal() -> Result<(), Failure> {
    Err(FatalToolError::credential(CANARY).into())
}

/// Panics with a text.
#[tool(effect = "write")]
async fn panic_str() {
    std::panic::panic_any(CANARY);
}

/// Panics with a text of its own.
#[tool(effect = "read")]
async fn panic_string() {
    tokio::task::yield_now().await;
    panic!("db password={CANARY}");
}

/// Fails with an error of the system.
#[tool(effect = "write")]
async fn io_error() -> Result<(), Failure> {
    Err(io::Error::other(format!("10.0.0.5 refused {CANARY}")))?
}

/// Fails with an error that has causes.
#[tool(effect = "read")]
async fn chain() -> Result<(), Failure> {
    Err(Chained(Some(Box::new(Chained(None)))))?
}

/// Fails with a tool's error that somebody wrapped.
#[tool(effect = "read")]
async fn wrapped() -> Result<(), Failure> {
    Err(io::Error::other(ToolError::business(CANARY)))?
}

fn broken_rule() -> Result<(), Failure> {
    Err(io::Error::other(CANARY))?
}

/// Its rule breaks.
#[tool(effect = "write", check = broken_rule())]
async fn check() {}

/// Its preview breaks.
#[tool(effect = "irreversible", preview = told())]
async fn preview() {}

fn told() -> Result<String, Failure> {
    Err(io::Error::other(CANARY))?
}

/// Gives what can not be written.
#[tool(effect = "write")]
async fn serialize() -> Unwritable {
    Unwritable
}

fn looked() -> Result<Verified<String>, Failure> {
    Err(io::Error::other(CANARY))?
}

/// Can not tell whether it took effect.
#[tool(effect = "write", on_unknown = verify(looked()))]
async fn verify() -> Result<(), Failure> {
    Err(io::Error::other(CANARY))?
}

const SOURCES: [&str; 10] = [
    "fatal",
    "panic_str",
    "panic_string",
    "io_error",
    "chain",
    "wrapped",
    "check",
    "preview",
    "serialize",
    "verify",
];

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap()).into_owned()
    }

    /// Hears all there is to hear while the work is done.
    fn hears<T>(&self, work: impl FnOnce() -> T) -> T {
        let writer = self.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(tracing::Level::TRACE)
            .with_span_events(FmtSpan::FULL)
            .with_writer(move || writer.clone())
            .with_ansi(false)
            .finish();
        tracing::subscriber::with_default(subscriber, work)
    }
}

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn dialects() -> [Box<dyn Dialect>; 6] {
    [
        Box::new(Anthropic),
        Box::new(OpenAiChat),
        Box::new(OpenAiResponses),
        Box::new(Gemini),
        Box::new(Mcp::default()),
        Box::new(Bedrock),
    ]
}

/// Dialects that plan for all the tools of a request which of them they send strictly.
fn strict_ones() -> [Box<dyn Dialect>; 3] {
    [
        Box::new(Anthropic.strict_where_possible()),
        Box::new(OpenAiChat.strict_where_possible()),
        Box::new(OpenAiResponses.strict()),
    ]
}

/// What each place shows of a history and of the rows that it left.
fn shown(messages: &[Message], ledger: &Arc<MemoryLedger>) -> Vec<(String, String)> {
    let mut shown = Vec::new();
    for dialect in dialects() {
        let text: String = dialect.messages(messages).iter().map(ToString::to_string).collect();
        let request = Request::new("a-model", messages);
        shown
            .push((format!("{:?}", dialect.form()), text + &dialect.request(&request).to_string()));
    }
    shown.push(("Debug".to_owned(), format!("{messages:?}")));
    let outcomes = messages.iter().flat_map(|message| match message {
        Message::Results(answered) => answered.as_slice(),
        Message::User(_) | Message::Assistant(_) => &[],
    });
    for answered in outcomes {
        let outcome = &answered.outcome;
        shown.push(("text".to_owned(), outcome.text().to_owned()));
        shown.push(("structured".to_owned(), outcome.structured().to_string()));
        let problems: Vec<String> =
            outcome.problems().iter().map(|problem| format!("{problem} {problem:?}")).collect();
        shown.push(("problems".to_owned(), problems.join("\n")));
        shown.push((
            "hint and note".to_owned(),
            format!("{:?} {:?} {:?}", outcome.hint(), outcome.host_note(), outcome.value()),
        ));
    }
    let rows = pollster::block_on(ledger.list(&Filter::default())).unwrap();
    shown.push(("ledger".to_owned(), rows.iter().map(|row| row.document.as_str()).collect()));
    let waiting = pollster::block_on(Desk::new(Arc::clone(ledger)).waiting(&Filter::default()));
    let prompts = waiting.unwrap().into_iter().map(|call| call.rendered);
    shown.push(("prompt".to_owned(), prompts.collect()));
    shown
}

#[test]
fn no_text_of_an_error_that_is_not_meant_for_the_model_is_shown_anywhere_but_in_the_log() {
    for source in SOURCES {
        let ledger = Arc::new(MemoryLedger::new());
        let registry = Registry::builder()
            .tools(tools![
                fatal,
                panic_str,
                panic_string,
                io_error,
                chain,
                wrapped,
                check,
                preview,
                serialize,
                verify
            ])
            .ledger(Arc::clone(&ledger))
            .build()
            .unwrap();
        let view = registry.view(Caller::new("ann"));
        let log = Log::default();
        let run = log.hears(|| {
            let twice = [Reply::call(source, "{}"), Reply::call(source, "{}")];
            let script = match source {
                "fatal" => vec![Reply::call(source, "{}")],
                _ => twice.into_iter().chain([Reply::text("It failed.")]).collect(),
            };
            Agent::new(ScriptedModel::new(script), view).run_blocking("Do it.").unwrap()
        });
        for (place, text) in shown(&run.resumable_messages(), &ledger) {
            assert!(!text.contains(CANARY), "{source} leaks into {place}: {text}");
        }
        let log = log.text();
        assert!(log.contains(CANARY), "{source} is lost to the host: {log}");
        let is_span = |line: &str| line.contains(": new") || line.contains(": close");
        assert!(!log.lines().any(|line| is_span(line) && line.contains(CANARY)), "{log}");
    }
}

#[test]
fn a_mistake_in_the_wiring_ends_the_run_as_an_error_of_the_host() {
    /// Is wired wrongly.
    #[tool(effect = "read")]
    fn unwired() -> Result<(), Failure> {
        Err(ToolConfigError::new(CANARY).into())
    }
    let view = Registry::builder().tools(tools![unwired]).build().unwrap().view(Caller::new("a"));
    let model = ScriptedModel::new([Reply::call("unwired", "{}")]);
    let error = Agent::new(model, view).run_blocking("Do it.").unwrap_err();
    assert!(error.to_string().contains(CANARY));
}

#[test]
fn every_text_that_is_meant_for_the_model_arrives() {
    type Kind = fn(String) -> ToolError;
    let kinds: [(&str, Kind); 4] = [
        ("validation", ToolError::validation),
        ("business", ToolError::business),
        ("transient", ToolError::transient),
        ("permission", ToolError::permission),
    ];
    for (name, kind) in kinds {
        let tool = Tool::dynamic(name, "Fails.", json!({}), move |_, _| async move {
            Err::<(), _>(kind(CANARY.to_owned()).hint("hint-7f3a"))
        });
        let view = Registry::builder().tool(tool).build().unwrap().view(Caller::new("ann"));
        let model = ScriptedModel::new([Reply::call(name, "{}"), Reply::text("It failed.")]);
        let run = Agent::new(model, view).run_blocking("Do it.").unwrap();
        for dialect in dialects() {
            let text: String = dialect
                .messages(&run.resumable_messages())
                .iter()
                .map(ToString::to_string)
                .collect();
            assert!(text.contains(CANARY) && text.contains("hint-7f3a"), "{name}: {text}");
        }
    }
}

/// Tools of random names and scopes; those that a caller may not see are told by `hidden`.
fn random(dice: &mut Dice, hidden: bool) -> Vec<Tool> {
    let count = dice.below(4);
    (0..count)
        .map(|number| {
            let name = format!("{}_{number}", dice.pick(&["pay", "get_order", "close", "mail"]));
            let description = format!("Does {}.", dice.next());
            let schema = json!({"properties": {format!("p{}", dice.below(9)): {"type": "string"}}});
            let tool = Tool::dynamic(
                if hidden { format!("x{name}") } else { name },
                description,
                schema,
                |_, _| async { Ok::<_, ToolError>("done") },
            );
            let effect = *dice.pick(&[Effect::Read, Effect::Write, Effect::Irreversible]);
            let tool = tool.effect(effect);
            let tool = if hidden { tool.scopes([format!("s{}", dice.below(3))]) } else { tool };
            let tool = if dice.one_in(2) { tool.concurrency(1 + dice.below(3)) } else { tool };
            if dice.one_in(3) { tool.result_limit(256).into() } else { tool.into() }
        })
        .collect()
}

#[test]
fn registries_that_differ_in_what_a_caller_may_not_see_show_it_the_same_bytes() {
    let mut dice = Dice::fresh("non-interference");
    for _ in 0..cases(200) {
        let (seed, others) = (dice.next(), dice.next());
        let shown = |with_hidden: bool| {
            let mut tools = random(&mut Dice::of(seed), false);
            if with_hidden {
                let mut dice = Dice::of(others);
                for tool in random(&mut dice, true) {
                    tools.insert(dice.below(tools.len() + 1), tool);
                }
            }
            let ledger = Arc::new(MemoryLedger::new());
            let registry = Registry::builder().tools(tools).ledger(Arc::clone(&ledger));
            let view = registry.build().unwrap().view(Caller::new("ann"));
            let mut shown = String::new();
            for dialect in dialects().into_iter().chain(strict_ones()) {
                shown += &view.definitions(&*dialect).unwrap().to_string();
            }
            for request in ["pay for the order", "close it and mail me", "xpay_0", "get_order_1"] {
                write!(shown, "{:?}", view.search(request, 5)).unwrap();
            }
            let names = ["pay_0", "get_order_1", "xpay_0", "xmail_1", "close_2", "nothing", ""];
            for name in names {
                for arguments in ["{}", r#"{"p1": 1}"#, "[", r#"{"p3": "x", "q": 0}"#] {
                    let asked = ToolCall::new("1", name, arguments);
                    let rehearsed = view.dispatch_blocking(asked, Options::default().dry_run());
                    for outcome in [rehearsed.unwrap(), call(&view, name, arguments)] {
                        // What people decide by is thrown anew for each call.
                        let id = outcome.approval_id().unwrap_or("no id");
                        shown += &outcome.text().replace(id, "id");
                        shown += &outcome.structured().to_string().replace(id, "id");
                    }
                }
            }
            let waiting = pollster::block_on(Desk::new(ledger).waiting(&Filter::default()));
            let prompts = waiting.unwrap().into_iter().map(|parked| parked.rendered);
            let prompts: BTreeSet<String> = prompts.collect();
            shown + &format!("{prompts:?}")
        };
        assert_eq!(shown(false), shown(true), "{seed} {others}");
    }
}

#[test]
fn an_unknown_name_and_a_forbidden_one_read_alike() {
    let mut dice = Dice::fresh("unknown and forbidden");
    let pairs = cases(10_000);
    let mut told = 0;
    while told < pairs {
        let name: String = (0..=dice.below(6)).map(|_| *dice.pick(&['a', 'b', 'c', 'd'])).collect();
        let near = *dice.pick(&["a", "ab", "abc", "dda", "cab"]);
        if name == near {
            continue;
        }
        let tool = |name: &str| {
            let schema = json!({"properties": {"a": {"type": "integer"}}, "required": ["a"]});
            Tool::dynamic(name, "Does it.", schema, |_, _| async { Ok::<_, ToolError>(()) })
        };
        let builder = || Registry::builder().tool(tool(near));
        let Ok(with) = builder().tool(tool(&name).scopes(["s"])).build() else { continue };
        let without = builder().build().unwrap();
        let limits = Limits::default();
        for _ in 0..8 {
            let arguments = *dice.pick(&["{}", "{", "[]", r#"{"a":1}"#, r#"{"a":"x"}"#, ""]);
            let view = |registry: &Registry| registry.view(Caller::new("ann"));
            let forbidden = call(&view(&with), &name, arguments);
            let unknown = call(&view(&without), &name, arguments);
            assert_eq!(forbidden.text(), unknown.text());
            assert_eq!(forbidden.structured(), unknown.structured());
            assert_eq!(
                (forbidden.status(), unknown.status()),
                (Status::Denied, Status::UnknownTool)
            );
            assert!(forbidden.text().len() < limits.report_bytes);
            told += 1;
        }
    }
}
