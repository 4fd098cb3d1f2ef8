//! Every end that a call can come to, whole: what the model reads of it, and its host beside that.

use std::collections::BTreeSet;
use std::future::pending;
use std::panic;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Waker};
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use toolkit::__private::ledger::Record;
use toolkit::dialect::Message;
use toolkit::ledger::{Desk, Digest, Filter, Ledger, MemoryLedger, Person, Settings, Timestamp};
use toolkit::prelude::*;
use toolkit::{
    Agent, Cancellation, Category, Content, OnTaint, RegistryBuilder, Reply, ScriptedModel,
};
use toolkit_tests::{call, view_of};

/// All that an outcome says. An id that is another one each time reads `ID`.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "an outcome answers as many such questions")]
struct End {
    status: Status,
    text: String,
    value: Option<Value>,
    first: Option<Status>,
    executed: bool,
    is_error: bool,
    category: Option<Category>,
    retryable: bool,
    hint: Option<String>,
    problems: Vec<String>,
    media: usize,
    has_error_id: bool,
    has_approval_id: bool,
    host_note: Option<String>,
    /// The status and the category of the outcome as data, where the model must read others.
    said: Option<(Status, Category)>,
}

/// An end that says no more than this.
fn end(status: Status, text: &str) -> End {
    End {
        status,
        text: text.to_owned(),
        value: None,
        first: None,
        executed: false,
        is_error: !matches!(status, Status::Ok | Status::Duplicate | Status::DryRun),
        category: None,
        retryable: false,
        hint: None,
        problems: Vec::new(),
        media: 0,
        has_error_id: false,
        has_approval_id: false,
        host_note: None,
        said: None,
    }
}

impl End {
    /// The function was entered.
    fn ran(self) -> Self {
        Self { executed: true, ..self }
    }

    fn of(self, category: Category) -> Self {
        Self { category: Some(category), ..self }
    }

    /// The model may try again.
    fn again(self) -> Self {
        Self { retryable: true, ..self }
    }

    fn value(self, value: Value) -> Self {
        Self { value: Some(value), ..self }
    }

    /// A duplicate of a call that ended so.
    fn first(self, status: Status) -> Self {
        Self { first: Some(status), is_error: status != Status::Ok, ..self }
    }

    fn hint(self, hint: &str) -> Self {
        Self { hint: Some(hint.to_owned()), ..self }
    }

    fn problems<const N: usize>(self, problems: [&str; N]) -> Self {
        Self { problems: problems.map(str::to_owned).to_vec(), ..self }
    }

    fn logged(self) -> Self {
        Self { has_error_id: true, ..self }
    }

    fn waits(self) -> Self {
        Self { has_approval_id: true, ..self }
    }

    fn note(self, note: &str) -> Self {
        Self { host_note: Some(note.to_owned()), ..self }
    }

    fn read_as(self, status: Status, category: Category) -> Self {
        Self { said: Some((status, category)), ..self }
    }

    fn structured(&self) -> Value {
        let (status, category) = match self.said {
            None => (self.status, self.category),
            Some((status, category)) => (status, Some(category)),
        };
        let mut members = Map::new();
        members.insert("status".to_owned(), status.as_str().into());
        members.insert("message".to_owned(), self.text.as_str().into());
        members.extend(category.map(|category| ("category".to_owned(), category.as_str().into())));
        if self.is_error {
            members.insert("retryable".to_owned(), self.retryable.into());
        }
        members.extend(self.hint.as_deref().map(|hint| ("hint".to_owned(), hint.into())));
        members.into()
    }
}

/// An outcome, and what it must say.
type Told = (Outcome, End);

fn assert_told(told: Vec<Told>) {
    for (outcome, expected) in told {
        let id = outcome.error_id().or(outcome.approval_id()).unwrap_or("no id");
        let without_id = |text: &str| text.replace(id, "ID");
        let said = End {
            status: outcome.status(),
            text: without_id(outcome.text()),
            value: outcome.value(),
            first: outcome.first_status(),
            executed: outcome.executed(),
            is_error: outcome.is_error(),
            category: outcome.category(),
            retryable: outcome.is_retryable(),
            hint: outcome.hint().map(str::to_owned),
            problems: outcome.problems().iter().map(ToString::to_string).collect(),
            media: outcome.content().len(),
            has_error_id: outcome.error_id().is_some(),
            has_approval_id: outcome.approval_id().is_some(),
            host_note: outcome.host_note().map(str::to_owned),
            said: expected.said,
        };
        assert_eq!(said, expected);
        let structured: Value =
            serde_json::from_str(&without_id(&outcome.structured().to_string())).unwrap();
        assert_eq!(structured, expected.structured());
    }
}

/// Does as it is told.
#[tool(effect = "read")]
fn look(how: &str) -> Result<String, Failure> {
    Err(match how {
        "closed" => ToolError::business("the shop is closed").hint("come at nine").into(),
        "busy" => ToolError::transient("the line is busy").into(),
        "panic" => panic!("hunter2"),
        "io" => std::io::Error::other("hunter2").into(),
        seen => return Ok(format!("{seen} was seen")),
    })
}

/// Counts.
#[tool(effect = "read")]
fn count() -> [u8; 3] {
    [1, 2, 3]
}

/// Gives what JSON can not say.
#[tool(effect = "read")]
fn measure() -> f64 {
    f64::NAN
}

fn preview(how: &str) -> Result<String, Failure> {
    match how {
        "closed" => Err(ToolError::business("the shop is closed").into()),
        "io" => Err(std::io::Error::other("hunter2").into()),
        how => Ok(format!("It would pay\u{7} {how}.")),
    }
}

/// Pays.
#[tool(effect = "write", ledger = none("a test"), preview = preview(how)?)]
fn pay(how: &str) {
    panic!("nothing runs: {how}")
}

/// Drops what is there.
#[tool(effect = "write", ledger = none("a test"))]
fn drop_all(table: &str) {
    panic!("nothing runs: {table}")
}

fn without_noise<T>(work: impl FnOnce() -> T) -> T {
    let loud = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let done = work();
    panic::set_hook(loud);
    done
}

fn functions_that_ran() -> Vec<Told> {
    let registry = Registry::builder().tools(tools![look, count, measure, pay, drop_all]).build();
    let view = registry.unwrap().view(Caller::new("ann"));
    let looked = |how: &str| call(&view, "look", &json!({ "how": how }).to_string());
    let rehearsed = |tool: &str, arguments: &str| {
        let call = ToolCall::new("call_1", tool, arguments);
        view.dispatch_blocking(call, Options::default().dry_run()).unwrap()
    };
    let broken = "look failed internally (error id ID)";
    vec![
        (looked("A ship"), end(Status::Ok, "A ship was seen").ran()),
        (call(&view, "count", "{}"), end(Status::Ok, "[1,2,3]").ran().value(json!([1, 2, 3]))),
        (
            looked("closed"),
            end(Status::Failed, "the shop is closed\nhint: come at nine")
                .ran()
                .of(Category::Business)
                .hint("come at nine"),
        ),
        (
            looked("busy"),
            end(Status::Failed, "the line is busy").ran().of(Category::Transient).again(),
        ),
        (without_noise(|| looked("panic")), end(Status::Failed, broken).ran().logged()),
        (looked("io"), end(Status::Failed, broken).ran().logged()),
        (
            call(&view, "measure", "{}"),
            end(
                Status::Failed,
                "measure ran, but its result can not be represented (error id ID). \
                 Do not call it again for the same purpose.",
            )
            .ran()
            .logged(),
        ),
        (
            rehearsed("pay", r#"{"how": "cash"}"#),
            end(
                Status::DryRun,
                "dry run: every check was passed and nothing ran. It would pay\\u{7} cash.",
            ),
        ),
        (
            rehearsed("pay", &json!({ "how": "x".repeat(5_000) }).to_string()),
            end(
                Status::DryRun,
                &format!(
                    "dry run: every check was passed and nothing ran. It would pay{} {}…",
                    "\\u{7}",
                    "x".repeat(4_096 - "It would pay\\u{7} ".len()),
                ),
            ),
        ),
        (
            rehearsed("drop_all", r#"{"table": "a\u0007"}"#),
            end(
                Status::DryRun,
                "dry run: every check was passed and nothing ran. \
                 drop_all would run with {\"table\":\"a\\u0007\"}",
            ),
        ),
        (
            rehearsed("pay", r#"{"how": "closed"}"#),
            end(Status::Failed, "the shop is closed").of(Category::Business),
        ),
        (
            rehearsed("pay", r#"{"how": "io"}"#),
            end(Status::Failed, "pay failed internally (error id ID)").logged(),
        ),
    ]
}

/// Opens the vault.
#[tool(effect = "read", scopes("vault:open"))]
fn open() {}

/// Opens the till, which everybody may know of.
#[tool(effect = "read", scopes("till:open"), listed = true)]
fn open_till() {}

/// Reads a page of the web.
#[tool(effect = "read", reads_untrusted)]
fn browse() {}

fn tools_that_are_not_for_the_caller() -> Vec<Told> {
    let none = Registry::builder().build().unwrap().view(Caller::new("ann"));
    let registry = Registry::builder()
        .tools(tools![look, open, open_till, browse, drop_all])
        .on_taint(OnTaint::Strip)
        .build()
        .unwrap();
    let view = registry.view(Caller::new("ann"));
    let unknown = |name: &str, text: &str| {
        let told = format!("the view has no tool `{name}`");
        end(Status::UnknownTool, text).of(Category::Validation).note(&told)
    };
    let denied = |text: &str, note: &str| {
        let denied = end(Status::Denied, text).of(Category::Permission).note(note);
        denied.read_as(Status::UnknownTool, Category::Validation)
    };
    let available = "Available: look, open_till, browse";
    let after_taint = view.clone().new_run().tainted();
    let long = "é".repeat(81);
    vec![
        (call(&none, "look", "{}"), unknown("look", r#"no such tool "look". Available: none"#)),
        (
            call(&view, "lok", "{}"),
            unknown(
                "lok",
                &format!("no such tool \"lok\" (did you mean \"look\"?). {available}, drop_all"),
            ),
        ),
        (
            call(&view, "\u{1b}[2J", "{}"),
            unknown(r"\u{1b}[2J", &format!(r#"no such tool "\u{{1b}}[2J". {available}, drop_all"#)),
        ),
        (
            call(&view, &long, "{}"),
            unknown(
                &format!("{}…", "é".repeat(80)),
                &format!("no such tool \"{}…\". {available}, drop_all", "é".repeat(80)),
            ),
        ),
        (
            call(&view, "open", "{}"),
            denied(
                &format!(
                    "no such tool \"open\" (did you mean \"open_till\"?). {available}, drop_all"
                ),
                "missing scope `vault:open`",
            ),
        ),
        (
            call(&after_taint, "drop_all", "{}"),
            denied(
                &format!(r#"no such tool "drop_all". {available}"#),
                "the run has read untrusted text",
            ),
        ),
        (
            call(&view, "open_till", "{}"),
            end(
                Status::Denied,
                "open_till is not permitted here. Do not call it again; tell the user.",
            )
            .of(Category::Permission)
            .note("missing scope `till:open`"),
        ),
    ]
}

fn arguments_that_are_not_accepted() -> Vec<Told> {
    let view = view_of(Tool::of::<look>());
    let invalid = |text: &str| end(Status::Invalid, text).of(Category::Validation).again();
    let two =
        ["$: missing required field 'how' (text)", "$: unexpected field 'who' (allowed: how)"];
    let cut = "$: the call was cut off by the output limit; nothing ran. \
               Send it again with shorter arguments";
    let cut_off = ToolCall::new("call_1", "look", r#"{"how": "A sh"#).cut_off();
    let of_another_form = ToolCall::new("call_1", "look", r#"{"how": "A ship"}"#);
    let of_another_form = of_another_form.with_form_code(999);
    let dispatch = |call| view.dispatch_blocking(call, Options::default()).unwrap();
    vec![
        (call(&view, "look", r#"{"who": "ann"}"#), invalid(&two.join("\n")).problems(two)),
        (dispatch(cut_off), invalid(cut).problems([cut])),
        (
            dispatch(of_another_form),
            invalid(
                "look did not run: you were not shown what its arguments are when you called it. \
                 Read its definition first, then call it again.",
            ),
        ),
    ]
}

fn rule(says: &str) -> Result<(), ToolError> {
    match says {
        "later" => Err(ToolError::transient("the bank sleeps").hint("try at nine")),
        "never" => Err(ToolError::business("the account is closed")),
        _ => Ok(()),
    }
}

fn io(says: &str) -> Result<(), Failure> {
    if says == "io" { Err(std::io::Error::other("hunter2").into()) } else { Ok(()) }
}

/// Sends money.
#[tool(effect = "read", check = rule(first), check = rule(second), check = io(first))]
fn send(first: &str, second: &str) {
    panic!("nothing runs: {first} {second}")
}

/// Looks up an order.
#[tool(effect = "read")]
fn get_order(id: &str, line: Option<u32>) -> String {
    format!("{id} {line:?}")
}

/// Ships a line of an order.
#[tool(effect = "read", requires(get_order(id, line), count))]
fn ship(id: &str, line: Option<u32>) {
    panic!("nothing runs: {id} {line:?}")
}

fn rules_that_refuse() -> Vec<Told> {
    let registry = Registry::builder().tools(tools![send, get_order, count, ship]).build();
    let view = registry.unwrap().view(Caller::new("ann"));
    let sent = |first: &str, second: &str| {
        call(&view, "send", &json!({ "first": first, "second": second }).to_string())
    };
    let rejected = |text: &str| end(Status::Rejected, text);
    let (later, never) = ("the bank sleeps\nhint: try at nine", "the account is closed");
    let mut told = vec![
        (
            sent("later", "fine"),
            rejected(later).of(Category::Transient).again().hint("try at nine").problems([later]),
        ),
        (
            sent("later", "never"),
            rejected(&format!("{later}\n{never}"))
                .of(Category::Business)
                .hint("try at nine")
                .problems([later, never]),
        ),
        (sent("fine", "never"), rejected(never).of(Category::Business).problems([never])),
        (sent("io", "fine"), end(Status::Failed, "send failed internally (error id ID)").logged()),
    ];
    let first = |what: &str| {
        let text = format!(
            "ship did not run: in this run, something has to be done before it. Call {what}. \
             When that succeeded, call ship again."
        );
        end(Status::Prerequisite, &text).of(Category::Business).again()
    };
    for (arguments, what) in [
        (r#"{"id": "O-1", "line": 7}"#, r#"get_order with id "O-1" and line 7, and count"#),
        (r#"{"id": "a\"\u0007"}"#, r#"get_order with id "a\"\u{7}" and no line, and count"#),
    ] {
        told.push((call(&view, "ship", arguments), first(what)));
    }
    told.push((
        call(&view.scoped(["ship", "count"]), "ship", r#"{"id": "O-1"}"#),
        end(
            Status::Prerequisite,
            "ship did not run: something has to be done before it that you have no tool for. \
             Do not call it again; tell the user.",
        )
        .of(Category::Business)
        .note("it requires `get_order`, which this view does not show"),
    ));
    told
}

/// Closes an account, to which a person must agree.
#[tool(effect = "write", approval(true))]
fn close(account: &str) -> String {
    format!("closed {account}")
}

mod of_today {
    use toolkit::prelude::*;

    /// Closes an account, and tells the press.
    #[tool(effect = "write", approval(true))]
    pub fn close(account: &str) {
        panic!("nothing runs: {account}")
    }
}

/// A ledger, and its clock.
struct Office {
    ledger: Arc<MemoryLedger>,
    clock: Arc<AtomicU64>,
}

impl Office {
    fn new() -> Self {
        let clock = Arc::new(AtomicU64::new(1_000_000));
        let hands = Arc::clone(&clock);
        let ledger = MemoryLedger::with_clock(move || Timestamp(hands.load(Ordering::SeqCst)));
        Self { ledger: Arc::new(ledger), clock }
    }

    fn later(&self, time: Duration) {
        self.clock.fetch_add(u64::try_from(time.as_millis()).unwrap(), Ordering::SeqCst);
    }

    fn view(&self, tools: impl FnOnce(RegistryBuilder) -> RegistryBuilder) -> View {
        let settings = Settings { most_parked: 4, ..Settings::default() };
        let builder = Registry::builder().ledger(Arc::clone(&self.ledger));
        let registry = tools(builder.ledger_settings(settings)).build().unwrap();
        registry.view(Caller::new("ann"))
    }

    /// Changes the only row behind everybody's back.
    fn change_row(&self, change: impl FnOnce(&str) -> String) {
        let rows = pollster::block_on(self.ledger.list(&Filter::default())).unwrap();
        let [row] = &rows[..] else { panic!("{rows:?}") };
        let lines = pollster::block_on(self.ledger.history(&row.key)).unwrap();
        let mut changed = row.clone();
        changed.document = change(&row.document);
        changed.version += 1;
        assert!(pollster::block_on(self.ledger.swap(&changed, &lines[0])).unwrap());
    }

    /// Writes the arguments of a parked call in other bytes, as another version might have.
    fn write_otherwise(&self, id: &str, arguments: &str) {
        let row = pollster::block_on(self.ledger.load_parked(id)).unwrap().row.unwrap();
        let lines = pollster::block_on(self.ledger.history(&row.key)).unwrap();
        let mut record = Record::read(&row).unwrap();
        arguments.clone_into(&mut record.arguments);
        record.fingerprint = Digest::of_arguments(arguments);
        let mut approval = record.approval.clone().unwrap();
        approval.binding = record.binding_of(approval.id, &approval.rendered, approval.expires_at);
        record.approval = Some(approval);
        let changed = record.row(row.version + 1).unwrap();
        assert!(pollster::block_on(self.ledger.swap(&changed, &lines[0])).unwrap());
    }
}

mod harmless {
    use toolkit::prelude::*;

    /// Closes an account, which changes nothing any more.
    #[tool(effect = "read")]
    pub fn close(account: &str) {
        panic!("nothing runs: {account}")
    }
}

fn people_that_are_asked() -> Vec<Told> {
    let office = Office::new();
    let view = office.view(|builder| builder.tools(tools![close]));
    let desk = Desk::new(Arc::clone(&office.ledger));
    let kim = Person::authenticated("kim", "web").scopes(["approvals:decide"]);
    let closed = |view: &View, account: &str| {
        call(view, "close", &json!({ "account": account }).to_string())
    };
    let resumed = |view: &View, id: &str| view.resume_blocking(id, Options::default()).unwrap();
    let approve = |id: &str| {
        let seen = pollster::block_on(desk.show(id)).unwrap().binding;
        pollster::block_on(desk.approve(&kim, id, &seen)).unwrap();
    };
    let waits = end(
        Status::AwaitingApproval,
        "close waits for a person to agree (approval ID); nothing ran yet. \
         Do not call it again; tell the user that it waits.",
    );
    let waits = waits.of(Category::Permission).waits();
    let overtaken = |why: &str| {
        let text =
            format!("close did not run: {why} since a person was asked. Propose the call again.");
        end(Status::Rejected, &text).of(Category::Business).again()
    };
    let declined = |reason: &str| {
        let text = format!("declined by a person{reason}. Do not retry; tell the user.");
        end(Status::Declined, &text).of(Category::Permission)
    };
    let parked = |account: &str| closed(&view, account).approval_id().unwrap().to_owned();

    let mut told = vec![(closed(&view, "A-1"), waits.clone())];
    let id = parked("A-1");
    told.push((resumed(&view, &id), waits.clone()));
    approve(&id);
    told.push((resumed(&view, &id), end(Status::Ok, "closed A-1").ran()));
    let note = "(done before: this is the first result again, nothing ran now)\nclosed A-1";
    told.push((resumed(&view, &id), end(Status::Duplicate, note).first(Status::Ok)));

    let id = parked("A-2");
    pollster::block_on(desk.decline(&kim, &id, Some("too\u{7} \"late\""))).unwrap();
    told.push((resumed(&view, &id), declined(r#" (too\u{7} \"late\")"#)));
    let id = parked("A-3");
    pollster::block_on(desk.decline(&kim, &id, None)).unwrap();
    told.push((resumed(&view, &id), declined("")));

    let id = parked("A-4");
    office.later(Duration::from_secs(60 * 60));
    let late = "nobody decided on close in time; nothing ran. It was not refused. Tell the user.";
    told.push((resumed(&view, &id), end(Status::Expired, late).of(Category::Permission)));

    let nothing = |id: &str| {
        let text = format!("no call of this caller is known by the approval {id}; nothing ran");
        end(Status::Rejected, &text).of(Category::Validation)
    };
    told.push((resumed(&view, "apr_\u{7}"), nothing(r#""apr_\u{7}""#)));

    let id = parked("A-5");
    let other = office.view(|builder| builder.tools(tools![look]));
    told.push((resumed(&other, &id), overtaken("it is gone")));
    let id = parked("A-6");
    let other = office.view(|builder| builder.tool(Tool::of::<of_today::close>()));
    let rehearsed = other.resume_blocking(&id, Options::default().dry_run()).unwrap();
    told.push((rehearsed, overtaken("it changed")));
    told.push((resumed(&other, &id), overtaken("it changed")));

    // A tool whose calls no ledger keeps; who rehearses changes nothing of what waits.
    let id = parked("A-7");
    let other = office.view(|builder| builder.tool(Tool::of::<harmless::close>()));
    let in_shadow = office.view(|builder| builder.tool(Tool::of::<harmless::close>()).dry_run());
    let rehearsed = other.resume_blocking(&id, Options::default().dry_run()).unwrap();
    told.push((rehearsed, overtaken("it changed")));
    told.push((resumed(&in_shadow, &id), overtaken("it changed")));
    told.push((resumed(&view, &id), waits.clone()));
    told.push((resumed(&other, &id), overtaken("it changed")));
    told.push((resumed(&view, &id), overtaken("it changed")));

    // Arguments that are not written as today's tool would write them.
    let id = parked("A-8");
    office.write_otherwise(&id, r#"{ "account": "A-8" }"#);
    let rehearsed = view.resume_blocking(&id, Options::default().dry_run()).unwrap();
    let other_arguments = "close does not take the arguments as they were shown";
    let invalid = end(Status::Invalid, other_arguments).of(Category::Validation).again();
    told.push((rehearsed, invalid));
    told.push((resumed(&view, &id), overtaken("it takes other arguments")));

    for account in ["A-9", "A-10", "A-11", "A-12"] {
        told.push((closed(&view, account), waits.clone()));
    }
    let unavailable = end(Status::Unavailable, "close was not executed; try again later");
    told.push((
        closed(&view, "A-13"),
        unavailable.of(Category::Transient).again().note("4 calls of the caller wait for a person"),
    ));
    told
}

/// Pays, and comes to the end that it is told.
#[tool(effect = "write", idempotency(invoice))]
async fn settle(invoice: &str, how: &str) -> Result<String, Failure> {
    Err(match how {
        "closed" => ToolError::business(format!("{invoice} is closed")).hint("look first").into(),
        "io" => std::io::Error::other("hunter2").into(),
        "never" => pending().await,
        how => return Ok(format!("{invoice} was settled {how}")),
    })
}

fn calls_that_the_ledger_knows() -> Vec<Told> {
    let office = Office::new();
    let view = office.view(|builder| builder.tools(tools![settle]));
    let settled = |invoice: &str, how: &str| {
        call(&view, "settle", &json!({ "invoice": invoice, "how": how }).to_string())
    };
    let twice = "(done before: this is the first result again, nothing ran now)";
    let unknown = "it is not known whether it took effect. It is not run again by itself. \
                   Do not call it again; tell the user.";
    let mut told = vec![
        (settled("I-1", "in cash"), end(Status::Ok, "I-1 was settled in cash").ran()),
        (
            settled("I-1", "in cash"),
            end(Status::Duplicate, &format!("{twice}\nI-1 was settled in cash")).first(Status::Ok),
        ),
        (
            settled("I-1", "by card"),
            end(
                Status::Conflict,
                "settle was called with the same key and other arguments before; nothing ran. \
                 Do not retry with changed arguments; tell the user.",
            )
            .of(Category::Business),
        ),
        (
            settled("I-2", "closed"),
            end(Status::Failed, "I-2 is closed\nhint: look first")
                .ran()
                .of(Category::Business)
                .hint("look first"),
        ),
        (
            settled("I-2", "closed"),
            end(Status::Duplicate, &format!("{twice}\nI-2 is closed\nhint: look first"))
                .first(Status::Failed)
                .of(Category::Business)
                .hint("look first"),
        ),
        (
            settled("I-3", "io"),
            end(Status::InDoubt, &format!("settle failed internally (error id ID), and {unknown}"))
                .ran()
                .of(Category::Transient)
                .logged(),
        ),
    ];
    let in_doubt = |note: &str| {
        let text = format!("settle was called before, and {unknown}");
        end(Status::InDoubt, &text).of(Category::Transient).note(note)
    };
    told.push((settled("I-3", "io"), in_doubt("the tool failed internally")));

    let call = ToolCall::new("call_1", "settle", r#"{"invoice": "I-4", "how": "never"}"#);
    let mut running = Box::pin(view.dispatch(&call, Options::default()));
    assert!(running.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    let in_progress = |seconds: u64| {
        let text = format!(
            "this very call of settle is running already; nothing was started again. \
             Ask again in {seconds} s."
        );
        end(Status::InProgress, &text).of(Category::Transient).again()
    };
    told.push((settled("I-4", "never"), in_progress(40)));
    office.later(Duration::from_millis(39_500));
    told.push((settled("I-4", "never"), in_progress(1)));
    office.later(Duration::from_secs(1));
    told.push((settled("I-4", "never"), in_doubt("the lease ended")));
    told
}

fn rows_that_somebody_changed() -> Vec<Told> {
    let after = |how: &str, change: &dyn Fn(&str) -> String| {
        let office = Office::new();
        let view = office.view(|builder| builder.tools(tools![settle]));
        let arguments = json!({ "invoice": "I-1", "how": how }).to_string();
        call(&view, "settle", &arguments);
        office.change_row(change);
        call(&view, "settle", &arguments)
    };
    let broken = after("in cash", &|_| "{".to_owned());
    let note = broken.host_note().unwrap().to_owned();
    assert!(note.contains("its document can not be read"), "{note}");
    let in_doubt = "settle was called before, and it is not known whether it took effect. It is \
                    not run again by itself. Do not call it again; tell the user.";

    let twice = "(done before: this is the first result again, nothing ran now)";
    let closed = format!("{twice}\nI-1 is closed\nhint: look first");
    let of_status = |status: &'static str| {
        after("closed", &move |document| {
            let written =
                document.replace(r#""status":"failed""#, &format!(r#""status":"{status}""#));
            written.replace(r#""retryable":false"#, r#""retryable":true"#)
        })
    };
    let read_as = |status| {
        let closed = end(Status::Duplicate, &closed).first(status);
        closed.of(Category::Business).again().hint("look first")
    };
    vec![
        (broken, end(Status::InDoubt, in_doubt).of(Category::Transient).note(&note)),
        (of_status("declined"), read_as(Status::Declined)),
        (of_status("of_a_later_version"), read_as(Status::Failed)),
    ]
}

/// Gives text that reads like JSON.
#[tool(effect = "write")]
fn number() -> &'static str {
    "7"
}

/// Writes a list.
#[tool(effect = "write", result_limit = 256)]
fn enlist(items: usize) -> Vec<u8> {
    vec![7; items]
}

/// Draws, and keeps what was drawn.
#[tool(effect = "write", result_limit = 200_000)]
fn keep(bytes: usize) -> Content {
    Content::image(vec![0; bytes], "image/png")
}

/// What is told of 128 sevens where 256 bytes are.
fn sevens(kept: usize) -> String {
    format!(
        "[{}]\n({kept} of 128 rows are shown: the result has 257 bytes, and at most 256 are \
         shown. {} rows are left: ask for fewer, more narrowly.)",
        vec!["7"; kept].join(","),
        128 - kept
    )
}

/// What the ledger keeps of a result is what the model read of it, up to a size.
fn results_that_a_row_keeps() -> Vec<Told> {
    let office = Office::new();
    let view = office.view(|builder| builder.tools(tools![number, enlist, keep]));
    let twice = "(done before: this is the first result again, nothing ran now)";
    let again = |text: &str| end(Status::Duplicate, &format!("{twice}\n{text}")).first(Status::Ok);
    let cut = &sevens(63);
    let (few, many) = (r#"{"items": 2}"#, r#"{"items": 128}"#);
    let drawn = |bytes: usize| call(&view, "keep", &json!({ "bytes": bytes }).to_string());
    let (small, large) = ("[left out: image/png, 3 bytes]", "[left out: image/png, 90000 bytes]");
    let told = vec![
        (call(&view, "number", "{}"), end(Status::Ok, "7").ran()),
        (call(&view, "number", "{}"), again("7")),
        (call(&view, "enlist", few), end(Status::Ok, "[7,7]").ran().value(json!([7, 7]))),
        (call(&view, "enlist", few), again("[7,7]").value(json!([7, 7]))),
        (call(&view, "enlist", many), end(Status::Ok, cut).ran()),
        (call(&view, "enlist", many), again(cut)),
        (drawn(3), End { media: 1, ..end(Status::Ok, small).ran() }),
        (drawn(3), End { media: 1, ..again(small) }),
        (drawn(90_000), End { media: 1, ..end(Status::Ok, large).ran() }),
        (drawn(90_000), again(large)),
    ];
    let rows = pollster::block_on(office.ledger.list(&Filter::default())).unwrap();
    let are_json = rows.iter().filter(|row| row.document.contains(r#""is_json":true"#));
    assert_eq!((rows.len(), are_json.count()), (5, 1));
    told
}

/// Waits for a letter.
#[tool(effect = "read", timeout = "1h")]
async fn wait() {
    pending::<()>().await;
}

/// Waits for a letter, in no ledger.
#[tool(effect = "write", timeout = "1h", ledger = none("a test"))]
async fn wait_and_see() {
    pending::<()>().await;
}

/// Pays, and does not come back.
#[tool(effect = "write", timeout = "1h")]
async fn transfer(account: &str) {
    let _ = account;
    pending::<()>().await;
}

/// Thinks before it acts.
#[tool(effect = "read", timeout = "1h", check = pending::<Result<(), ToolError>>().await)]
async fn ponder() {}

fn calls_whose_time_is_over() -> Vec<Told> {
    let runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = { runtime }.enable_time().start_paused(true).build().unwrap();
    let registry = Registry::builder()
        .tools(tools![wait, wait_and_see, transfer, ponder, look])
        .ledger(MemoryLedger::new())
        .timer(tokio::time::sleep)
        .build()
        .unwrap();
    let view = registry.view(Caller::new("ann"));
    let called_with = |tool: &str, arguments: &str, options: Options| {
        let call = ToolCall::new("call_1", tool, arguments);
        runtime.block_on(view.dispatch(call, options)).unwrap()
    };
    let called = |tool: &str, options: Options| called_with(tool, "{}", options);
    let deadline = |left: Duration| Options::default().deadline(Instant::now() + left);
    let cancelled = |tool: &str, arguments: &str, is_before: bool| {
        let word = Cancellation::new();
        if is_before {
            word.cancel();
        }
        let call = ToolCall::new("call_1", tool, arguments);
        let dispatch = view.dispatch(call, Options::default().cancellation(word.clone()));
        let cancel = async {
            tokio::time::sleep(Duration::from_millis(10)).await;
            word.cancel();
        };
        runtime.block_on(async { tokio::join!(dispatch, cancel) }).0.unwrap()
    };
    let failed = |text: &str| end(Status::Failed, text).ran().of(Category::Transient).again();
    let unavailable = |tool: &str, note: &str| {
        let end = end(Status::Unavailable, &format!("{tool} was not executed; try again later"));
        end.of(Category::Transient).again().note(note)
    };
    let unknown = "it is not known whether it took effect. It is not run again by itself. \
                   Do not call it again; tell the user.";
    let in_doubt = |text: &str| {
        end(Status::InDoubt, &format!("{text}, and {unknown}")).of(Category::Transient)
    };
    let mut told = vec![
        (called("wait", Options::default()), failed("wait did not answer within 3600s")),
        (
            called("wait", deadline(Duration::from_secs(1800))),
            failed("wait did not answer by the deadline of this call"),
        ),
        (
            called("wait_and_see", Options::default()),
            in_doubt("wait_and_see did not answer within 3600s").ran(),
        ),
        (
            called("ponder", Options::default()),
            unavailable("ponder", "what comes before the function took longer than 3600s"),
        ),
        (called("wait", deadline(Duration::ZERO)), unavailable("wait", "its deadline has passed")),
        (
            cancelled("wait", "{}", false),
            end(Status::Failed, "stopped midway: the turn ended while this call was running")
                .ran()
                .again(),
        ),
        (
            cancelled("wait", "{}", true),
            end(Status::NotRun, "not run: the turn ended before this call was reached"),
        ),
        (
            Outcome::not_run(),
            end(Status::NotRun, "not run: the turn ended before this call was reached"),
        ),
    ];
    let [late, overdue, stopped] =
        ["A-1", "A-2", "A-3"].map(|account| json!({ "account": account }).to_string());
    let soon = deadline(Duration::from_secs(1800));
    for (outcome, text) in [
        (
            called_with("transfer", &late, Options::default()),
            "transfer did not answer within 3600s",
        ),
        (
            called_with("transfer", &overdue, soon),
            "transfer did not answer by the deadline of this call",
        ),
        (
            cancelled("transfer", &stopped, false),
            "stopped midway: the turn ended while this call was running",
        ),
    ] {
        told.push((outcome, in_doubt(text).ran()));
    }
    for (arguments, why) in [
        (&late, "the tool did not answer in time"),
        (&overdue, "its deadline passed while it ran"),
        (&stopped, "it was cancelled while it ran"),
    ] {
        let again = called_with("transfer", arguments, Options::default());
        told.push((again, in_doubt("transfer was called before").note(why)));
    }
    told
}

fn calls_that_go_round_and_round() -> Vec<Told> {
    let same = || Reply::call("look", r#"{"how": "closed"}"#);
    let model = ScriptedModel::new([same(), same(), same(), same(), Reply::text("Enough.")]);
    let run = Agent::new(model, view_of(Tool::of::<look>())).run_blocking("Look.").unwrap();
    let outcomes = run.transcript().iter().flat_map(|message| match message {
        Message::Results(answered) => answered.as_slice(),
        _ => &[],
    });
    let last = outcomes.last().unwrap().outcome.clone();
    let text = "this very call of \"look\" failed 3 times in this run and was not tried again. \
                Change it, or tell the user.";
    vec![(last, end(Status::Unavailable, text).of(Category::Transient).again())]
}

/// Says much.
#[tool(effect = "read", result_limit = 256)]
fn say(letters: usize) -> String {
    "é".repeat(letters)
}

/// Lists much.
#[tool(effect = "read", result_limit = 256)]
fn list(items: usize) -> Vec<u8> {
    vec![7; items]
}

/// Fails at length.
#[tool(effect = "read", result_limit = 256)]
fn complain(letters: usize) -> Result<(), ToolError> {
    Err(ToolError::business("no").hint("é".repeat(letters)))
}

/// Draws.
#[tool(effect = "read", result_limit = 256)]
fn draw(large: usize) -> Vec<Content> {
    vec![
        Content::text("Two charts."),
        Content::image(vec![0; large], "image/png"),
        Content::image([0; 3], "image/png"),
    ]
}

fn results_that_are_too_long() -> Vec<Told> {
    let registry = Registry::builder().tools(tools![say, list, complain, draw]).build();
    let view = registry.unwrap().view(Caller::new("ann"));
    let said = |letters: usize| call(&view, "say", &json!({ "letters": letters }).to_string());
    let drawn = |large: usize| call(&view, "draw", &json!({ "large": large }).to_string());
    let shown = |head: usize, left_out: usize, of: usize, tail: usize| {
        let (head, tail) = ("é".repeat(head), "é".repeat(tail));
        let marker = format!("{left_out} of {of} bytes are left out; at most 256 are shown");
        format!("{head}\n[… {marker} …]\n{tail}")
    };
    let complaint = format!(
        "no\nhint: {}\n[… 218 of 409 bytes are left out; at most 256 are shown …]\n{}",
        "é".repeat(43),
        "é".repeat(48),
    );
    let charts = "Two charts.\n[left out: image/png, 3 bytes]\n[left out: image/png, 3 bytes]";
    let too_large = |bytes: usize| {
        format!(
            "Two charts.\n\
             [left out: image/png, {bytes} bytes; a result of it has at most 256]\n\
             [left out: image/png, 3 bytes]"
        )
    };
    vec![
        (said(128), end(Status::Ok, &"é".repeat(128)).ran()),
        (said(129), end(Status::Ok, &shown(48, 66, 258, 48)).ran()),
        (call(&view, "list", r#"{"items": 128}"#), end(Status::Ok, &sevens(63)).ran()),
        (
            call(&view, "complain", r#"{"letters": 200}"#),
            end(Status::Failed, &complaint).ran().of(Category::Business).hint(&"é".repeat(128)),
        ),
        (drawn(3), End { media: 3, ..end(Status::Ok, charts).ran() }),
        (drawn(150), End { media: 3, ..end(Status::Ok, &too_large(150)).ran() }),
        (drawn(300), End { media: 3, ..end(Status::Ok, &too_large(300)).ran() }),
    ]
}

#[test]
fn an_end_of_a_function_that_ran_says_what_came_of_it() {
    assert_told(functions_that_ran());
}

#[test]
fn a_tool_that_is_not_for_the_caller_reads_like_none_and_the_host_reads_why() {
    assert_told(tools_that_are_not_for_the_caller());
}

#[test]
fn arguments_that_are_not_accepted_are_told_to_be_mended() {
    assert_told(arguments_that_are_not_accepted());
}

#[test]
fn a_rule_that_refuses_says_whether_to_come_back() {
    assert_told(rules_that_refuse());
}

#[test]
fn a_call_that_waits_for_people_says_how_they_decided() {
    assert_told(people_that_are_asked());
}

#[test]
fn a_call_that_the_ledger_knows_is_answered_by_what_it_knows() {
    assert_told(calls_that_the_ledger_knows());
}

#[test]
fn a_row_says_how_its_call_ended_and_one_that_can_not_be_read_is_in_doubt() {
    assert_told(rows_that_somebody_changed());
}

#[test]
fn a_result_is_given_again_as_it_was_given() {
    assert_told(results_that_a_row_keeps());
}

#[test]
fn a_call_that_was_left_says_whether_it_ran() {
    assert_told(calls_whose_time_is_over());
}

#[test]
fn a_call_that_goes_round_and_round_is_told_to_change() {
    assert_told(calls_that_go_round_and_round());
}

#[test]
fn a_result_that_is_too_long_says_what_is_missing() {
    assert_told(results_that_are_too_long());
}

#[test]
fn a_log_shows_an_outcome_whole_and_of_a_call_no_argument() {
    let open = format!("{:?}", Outcome::not_run());
    assert_eq!(
        open,
        "Outcome { status: NotRun, text: \"not run: the turn ended before this call was reached\", \
         is_json: false, executed: false, details: None }",
    );
    let call = ToolCall::new("call_1", "look", r#"{"how": "hunter2"}"#);
    assert_eq!(
        format!("{call:?}"),
        r#"ToolCall { id: "call_1", name: "look", arguments: "18 bytes", cut: false, form: 0 }"#,
    );
}

#[test]
fn every_status_is_the_end_of_a_call_here_and_has_its_name() {
    let all = [
        functions_that_ran(),
        tools_that_are_not_for_the_caller(),
        arguments_that_are_not_accepted(),
        rules_that_refuse(),
        people_that_are_asked(),
        calls_that_the_ledger_knows(),
        calls_whose_time_is_over(),
    ];
    let met: BTreeSet<(Status, String)> = all
        .iter()
        .flatten()
        .map(|(outcome, _)| (outcome.status(), outcome.status().to_string()))
        .collect();
    let statuses = [
        (Status::Ok, "ok"),
        (Status::Duplicate, "duplicate"),
        (Status::DryRun, "dry_run"),
        (Status::UnknownTool, "unknown_tool"),
        (Status::Denied, "denied"),
        (Status::Invalid, "invalid"),
        (Status::Conflict, "conflict"),
        (Status::InProgress, "in_progress"),
        (Status::InDoubt, "in_doubt"),
        (Status::Prerequisite, "prerequisite"),
        (Status::Rejected, "rejected"),
        (Status::AwaitingApproval, "awaiting_approval"),
        (Status::Declined, "declined"),
        (Status::Expired, "expired"),
        (Status::Failed, "failed"),
        (Status::Unavailable, "unavailable"),
        (Status::NotRun, "not_run"),
    ];
    assert_eq!(met, statuses.map(|(status, name)| (status, name.to_owned())).into());
}
