//! Calls that a gate turns away before anybody is asked.

use serde_json::json;
use toolkit::dialect::Message;
use toolkit::prelude::*;
use toolkit::{Agent, Category, OnTaint, Reply, ScriptedModel};
use toolkit_tests::{call, view_of};

use super::ran::{count, drop_all, look};
use super::{Told, assert_told, end};

/// Opens the vault.
#[tool(effect = "read", scopes("vault:open"))]
fn open() {}

/// Opens the till, which everybody may know of.
#[tool(effect = "read", scopes("till:open"), listed = true)]
fn open_till() {}

/// Reads a page of the web.
#[tool(effect = "read", reads_untrusted)]
fn browse() {}

pub(super) fn tools_that_are_not_for_the_caller() -> Vec<Told> {
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

pub(super) fn arguments_that_are_not_accepted() -> Vec<Told> {
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

pub(super) fn rules_that_refuse() -> Vec<Told> {
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
fn a_call_that_goes_round_and_round_is_told_to_change() {
    assert_told(calls_that_go_round_and_round());
}
