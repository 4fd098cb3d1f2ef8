//! A support agent over orders, customers and refunds: the main job, end to end.
//!
//! Reads what a provider replied, dispatches the calls through the registry,
//! and writes the next request. The replies are in files, so that the program
//! needs no network; everything else is as in a real agent.
//!
//! - `cargo run --example support_agent` plays both transcripts.
//! - `… -- --call NAME JSON` dispatches one call and prints what the model would read.
//! - `… -- --definitions DIALECT` prints what the model reads of the tools.
//! - `… -- --provider DIALECT` plays the first transcript, and goes on with it at another
//!   provider: what was said and done is sent in that one's form.
//! - `… -- --tickets` answers the tickets of a shop that outlives the program, and leaves one
//!   refund to a person, who decides by the example `approvals`.
//! - `… -- --resume ID` runs what the person agreed to.

pub(crate) mod store;
mod tickets;
mod tools;

use std::env;
use std::error::Error;
use std::ffi::OsString;
use std::future::ready;
use std::io::{self, ErrorKind, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use toolkit::dialect::{
    Answered, Anthropic, Dialect, Gemini, Mcp, Message, OpenAiChat, OpenAiResponses, Request,
};
use toolkit::ledger::MemoryLedger;
use toolkit::prelude::*;
use toolkit::{Approver, RegistryBuilder};

use store::{Order, Payment, Refund, Rows, Shop};
use tools::{
    close_account, create_payment, get_customer, get_order, list_orders, read_ticket,
    refund_payment,
};

const USAGE: &str = "\
usage: support_agent [--call NAME JSON | --definitions DIALECT | --provider DIALECT]
       support_agent [--shop FOLDER] --tickets
       support_agent [--shop FOLDER] --resume ID
A dialect is anthropic, openai_chat, openai_responses, gemini or, for definitions, mcp.
The shop of the tickets is kept in target/shop where no folder is named.";

/// Where the shop of the tickets is kept, if nowhere else.
const SHOP: &str = "target/shop";

pub(crate) const SYSTEM: &str = "You are the support agent of a furniture shop.";

/// What this agent may ask for. `close_account` is in the registry and not in here.
const ALLOWED: [&str; 5] =
    ["get_customer", "list_orders", "get_order", "refund_payment", "create_payment"];

/// Up to here the person at the desk agrees.
const DESK_LIMIT: f64 = 1000.0;

/// What the person at the desk was asked and said.
type Notes = Arc<Mutex<Vec<String>>>;

/// A shop, the agent's view of its tools, and the desk's notes.
pub(crate) struct Office {
    pub(crate) shop: Arc<Shop>,
    pub(crate) view: View,
    notes: Notes,
}

impl Office {
    pub(crate) fn open() -> Result<Self, Box<dyn Error>> {
        let shop = Arc::new(Shop::open()?);
        let notes = Notes::default();
        let registry = registry_of(&shop)
            .ledger(MemoryLedger::accept_loss("a demonstration"))
            .approver(desk(Arc::clone(&notes)))
            .build()?;
        let view = registry.view(agent()).scoped(ALLOWED);
        Ok(Self { shop, view, notes })
    }

    fn dispatch(&self, call: &ToolCall) -> Result<Outcome, Box<dyn Error>> {
        let options = Options::default().run_id("run-1");
        Ok(self.view.dispatch_blocking(call.clone(), options)?)
    }

    fn take_notes(&self) -> Vec<String> {
        std::mem::take(&mut *self.notes.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Every tool there is; a view says which of them an agent may ask for.
pub(crate) fn registry_of(shop: &Arc<Shop>) -> RegistryBuilder {
    let tools = tools![
        read_ticket,
        get_customer,
        list_orders,
        get_order,
        refund_payment,
        create_payment,
        close_account,
    ];
    Registry::builder().tools(tools).state(Arc::clone(shop))
}

/// Who asks, as the host knows it; nothing of it comes from a model.
fn agent() -> Caller {
    Caller::new("agent-7").tenant("furniture").scopes(["payments:write"])
}

/// A rule in place of the person who would be asked.
fn desk(notes: Notes) -> impl Approver {
    move |request: ApprovalRequest| {
        let amount = request.arguments().get("amount").and_then(Value::as_f64);
        let (decision, said) = if amount.is_some_and(|amount| amount <= DESK_LIMIT) {
            (Decision::Approved, "approved: it is not over")
        } else {
            let reason = format!("over {DESK_LIMIT:.2}");
            (Decision::Declined { reason: Some(reason) }, "declined: it is over")
        };
        let note = format!("{request}\n{said} {DESK_LIMIT:.2}");
        notes.lock().unwrap_or_else(PoisonError::into_inner).push(note);
        ready(decision)
    }
}

/// What a provider replied, as it came.
#[derive(Deserialize)]
struct Transcript<'a> {
    user: String,
    #[serde(borrow)]
    replies: Vec<&'a RawValue>,
}

/// One provider: its wire form, its model, and the file of its replies.
#[derive(Clone, Copy)]
pub(crate) struct Provider {
    pub(crate) dialect: &'static dyn Dialect,
    /// The form of its requests, where the conversation goes on at another one.
    next: &'static dyn Dialect,
    model: &'static str,
    transcript: &'static str,
}

pub(crate) const PROVIDERS: [Provider; 2] = [
    Provider {
        dialect: &Anthropic,
        next: &Anthropic,
        model: "claude-sonnet-4-5",
        transcript: include_str!("anthropic.json"),
    },
    Provider {
        dialect: &OpenAiChat,
        next: &OpenAiChat,
        model: "gpt-5.1",
        transcript: include_str!("openai_chat.json"),
    },
];

impl Provider {
    fn request(&self, office: &Office, messages: &[Message]) -> Result<Value, ToolConfigErrors> {
        let request = Request::new(self.model, messages)
            .max_tokens(1024)
            .system(SYSTEM)
            .tools(office.view.definitions(self.next)?);
        Ok(self.next.request(&request))
    }
}

const DIALECTS: [&dyn Dialect; 5] = [&Anthropic, &OpenAiChat, &OpenAiResponses, &Gemini, &Mcp];

fn dialect(name: &str) -> Option<&'static dyn Dialect> {
    DIALECTS.into_iter().find(|dialect| dialect.name() == name)
}

/// Plays a transcript, and gives the last request that would be sent.
pub(crate) fn play(
    provider: &Provider,
    office: &Office,
    out: &mut dyn Write,
) -> Result<Value, Box<dyn Error>> {
    let transcript: Transcript<'_> = serde_json::from_str(provider.transcript)?;
    show(out, "user", &transcript.user)?;
    let mut messages = vec![Message::User(transcript.user)];
    let mut request = provider.request(office, &messages)?;
    for (index, body) in transcript.replies.iter().enumerate() {
        writeln!(out, "\n{} reply {}", provider.dialect.name(), index + 1)?;
        let reply = provider.dialect.read(body.get())?;
        show(out, "says", &reply.full_text())?;
        let mut answered = Vec::new();
        for call in reply.tool_calls() {
            answered.push(answer(office, call, out)?);
        }
        messages.push(Message::Assistant(reply));
        if answered.is_empty() {
            continue;
        }
        messages.push(Message::Results(answered));
        request = provider.request(office, &messages)?;
    }
    Ok(request)
}

fn answer(
    office: &Office,
    call: &ToolCall,
    out: &mut dyn Write,
) -> Result<Answered, Box<dyn Error>> {
    show(out, "calls", &format!("{} {}", call.name(), call.arguments()))?;
    let outcome = office.dispatch(call)?;
    for note in office.take_notes() {
        show(out, "desk", &note)?;
    }
    show(out, outcome.status().as_str(), outcome.text())?;
    Ok(Answered::new(call.clone(), outcome))
}

/// Writes what happened beside its name, further lines under the first.
fn show(out: &mut dyn Write, what: &str, text: &str) -> io::Result<()> {
    for (index, line) in text.lines().enumerate() {
        writeln!(out, "  {:12}  {line}", if index == 0 { what } else { "" })?;
    }
    Ok(())
}

/// Writes a request with one tool and one message a line; nothing else is added to its bytes.
fn show_request(request: &Value, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\nthe last request")?;
    for (index, (name, value)) in request.as_object().into_iter().flatten().enumerate() {
        write!(out, "{}\"{name}\":", if index == 0 { "{" } else { ",\n" })?;
        match value {
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    write!(out, "{}\n{item}", if index == 0 { "[" } else { "," })?;
                }
                write!(out, "]")?;
            }
            value => write!(out, "{value}")?,
        }
    }
    writeln!(out, "}}")
}

fn show_rows(rows: &Rows, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\nthe shop afterwards")?;
    for Order { id, status, .. } in rows.orders.values() {
        show(out, "order", &format!("{id} {status:?}"))?;
    }
    show_refunds(rows, out)?;
    for Payment { id, amount, currency, pay_on } in &rows.payments {
        show(out, "payment", &format!("{id} {amount:.2} {currency:?} on {pay_on}"))?;
    }
    Ok(())
}

fn show_refunds(rows: &Rows, out: &mut dyn Write) -> io::Result<()> {
    for Refund { id, order_id, amount, currency } in &rows.refunds {
        show(out, "refund", &format!("{id} {order_id} {amount:.2} {currency:?}"))?;
    }
    Ok(())
}

/// What the command line asks for.
pub(crate) enum Command {
    Play,
    Call { name: String, arguments: String },
    Definitions(&'static dyn Dialect),
    GoOn(&'static dyn Dialect),
    Tickets { folder: PathBuf },
    Resume { folder: PathBuf, id: String },
}

impl Command {
    pub(crate) fn parse(arguments: &[&str]) -> Option<Self> {
        match arguments {
            [] => Some(Self::Play),
            ["--call", name, arguments] => {
                Some(Self::Call { name: (*name).to_owned(), arguments: (*arguments).to_owned() })
            }
            ["--definitions", name] => dialect(name).map(Self::Definitions),
            ["--provider", name] => {
                dialect(name).filter(|next| next.name() != Mcp.name()).map(Self::GoOn)
            }
            ["--shop", folder, rest @ ..] => Self::parse_tickets(folder, rest),
            _ => Self::parse_tickets(SHOP, arguments),
        }
    }

    fn parse_tickets(folder: &str, arguments: &[&str]) -> Option<Self> {
        let folder = PathBuf::from(folder);
        match arguments {
            ["--tickets"] => Some(Self::Tickets { folder }),
            ["--resume", id] => Some(Self::Resume { folder, id: (*id).to_owned() }),
            _ => None,
        }
    }

    pub(crate) fn run(self, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
        match self {
            Self::Play => {
                for (index, provider) in PROVIDERS.iter().enumerate() {
                    if index > 0 {
                        writeln!(out)?;
                    }
                    writeln!(out, "== {} ==", provider.dialect.name())?;
                    let office = Office::open()?;
                    let request = play(provider, &office, out)?;
                    show_request(&request, out)?;
                    show_rows(&office.shop.with(|rows| rows.clone())?, out)?;
                }
            }
            Self::Call { name, arguments } => {
                let outcome =
                    Office::open()?.dispatch(&ToolCall::new("call_1", name, arguments))?;
                writeln!(out, "{}", outcome.text())?;
            }
            Self::Definitions(dialect) => {
                writeln!(out, "{:#}", Office::open()?.view.definitions(dialect)?)?;
            }
            Self::GoOn(next) => {
                let [first, ..] = PROVIDERS;
                let provider = Provider { next, model: "another-model", ..first };
                let request = play(&provider, &Office::open()?, out)?;
                show_request(&request, out)?;
            }
            Self::Tickets { folder } => tickets::play(&folder, out)?,
            Self::Resume { folder, id } => tickets::resume(&folder, &id, out)?,
        }
        Ok(())
    }
}

#[expect(clippy::print_stderr, reason = "a command line program says there what went wrong")]
fn main() -> ExitCode {
    let arguments: Result<Vec<String>, OsString> =
        env::args_os().skip(1).map(OsString::into_string).collect();
    let arguments = arguments.unwrap_or_else(|_| vec!["not text".to_owned()]);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let Some(command) = Command::parse(&arguments) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    match command.run(&mut io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_closed_pipe(&*error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("support_agent: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Whether somebody, like `head`, has read enough.
fn is_closed_pipe(error: &(dyn Error + 'static)) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
}
