//! Where other frameworks run a wrong call, stop at its first fault or leak: what comes back here.
//!
//! The two tools are the ones that the others were measured with, and so are the calls.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use toolkit::dialect::Reply;
use toolkit::prelude::*;
use toolkit::{Agent, ScriptedModel};

const SECRET: &str = "postgres://admin:hunter2@db";

/// Currency of a payment.
#[arg_type]
enum Currency {
    EUR,
    GBP,
    USD,
}

/// Pay a customer.
#[tool(effect = "write", ledger = none("a test calls it again and again"), scopes("payments:write"))]
fn create_payment(
    #[state] paid: &AtomicUsize,
    /// How much to pay.
    #[arg(minimum = 0.01)]
    amount: f64,
    currency: Currency,
    /// Day to pay on, as YYYY-MM-DD.
    #[arg(format = "date")]
    pay_on: Option<String>,
) -> String {
    paid.fetch_add(1, Ordering::Relaxed);
    let code = match currency {
        Currency::EUR => "EUR",
        Currency::GBP => "GBP",
        Currency::USD => "USD",
    };
    format!("paid {amount:?} {code} {}", pay_on.as_deref().unwrap_or("today"))
}

/// Look an order up.
#[tool(effect = "read")]
fn get_order(order_id: &str) -> Result<String, Failure> {
    match order_id {
        "O-500" => Err(std::io::Error::other(format!("can not reach {SECRET}")))?,
        "O-501" => panic!("no route to {SECRET}"),
        _ => Ok(format!("{order_id}: delivered")),
    }
}

/// Delete the files that match, or all.
#[tool(effect = "irreversible", ledger = none("a test calls it again and again"))]
fn delete_files(filter: Option<String>) -> String {
    panic!("deleted {filter:?}")
}

/// What one call came to, and how often anything was paid.
#[derive(Debug, PartialEq)]
struct Came {
    status: Status,
    text: String,
    paid: usize,
}

fn registry() -> Registry {
    Registry::builder()
        .tools(tools![create_payment, get_order, delete_files])
        .state(AtomicUsize::new(0))
        .approver(|_: ApprovalRequest| async { Decision::Approved })
        .build()
        .unwrap()
}

fn came(name: &str, arguments: &str) -> Came {
    let paid = std::sync::Arc::new(AtomicUsize::new(0));
    let registry = Registry::builder()
        .tools(tools![create_payment, get_order, delete_files])
        .state(std::sync::Arc::clone(&paid))
        .approver(|_: ApprovalRequest| async { Decision::Approved })
        .build()
        .unwrap();
    let view = registry.view(Caller::new("ada").scopes(["payments:write"]));
    let call = ToolCall::new("call_1", name, arguments);
    let outcome = view.dispatch_blocking(call, Options::default()).unwrap();
    Came {
        status: outcome.status(),
        text: outcome.text().to_owned(),
        paid: paid.load(Ordering::Relaxed),
    }
}

fn pay(arguments: &str) -> Came {
    came("create_payment", arguments)
}

fn paid(text: &str) -> Came {
    Came { status: Status::Ok, text: text.to_owned(), paid: 1 }
}

fn invalid(text: &str) -> Came {
    Came { status: Status::Invalid, text: text.to_owned(), paid: 0 }
}

#[test]
fn of_three_mistakes_and_a_misspelt_name_every_one_is_told() {
    assert_eq!(
        pay(r#"{"ammount": 5, "currency": "usd", "pay_on": "next friday"}"#),
        invalid(
            "$: missing required field 'amount'\n\
             $: unexpected field 'ammount' (did you mean 'amount'? allowed: amount, currency, pay_on)\n\
             $.currency: must be one of \"EUR\", \"GBP\", \"USD\"; got \"usd\" (did you mean \"USD\"?)\n\
             $.pay_on: \"next friday\" does not match the required format. \
             Expected: date as YYYY-MM-DD"
        )
    );
}

#[test]
fn an_integer_is_taken_for_a_float_and_what_is_optional_may_be_left_out() {
    assert_eq!(pay(r#"{"amount": 3, "currency": "EUR"}"#), paid("paid 3.0 EUR today"));
}

#[test]
fn a_number_sent_as_text_is_refused_with_the_fix() {
    assert_eq!(
        pay(r#"{"amount": "3", "currency": "EUR", "pay_on": null}"#),
        invalid(
            "$.amount: expected a number at least 0.01, got text \"3\" (write 3 without quotes)"
        )
    );
}

#[test]
fn a_bound_that_the_schema_shows_holds() {
    assert_eq!(
        pay(r#"{"amount": -1, "currency": "EUR"}"#),
        invalid("$.amount: expected a number at least 0.01, got -1")
    );
}

#[test]
fn a_format_that_the_schema_shows_holds() {
    assert_eq!(
        pay(r#"{"amount": 3, "currency": "EUR", "pay_on": "next friday"}"#),
        invalid(
            "$.pay_on: \"next friday\" does not match the required format. \
             Expected: date as YYYY-MM-DD"
        )
    );
}

#[test]
fn an_argument_that_nobody_asked_for_is_refused_and_named() {
    assert_eq!(
        pay(r#"{"amount": 3, "currency": "EUR", "force": true}"#),
        invalid("$: unexpected field 'force' (allowed: amount, currency, pay_on)")
    );
}

#[test]
fn a_bool_is_no_number() {
    assert_eq!(
        pay(r#"{"amount": true, "currency": "EUR"}"#),
        invalid("$.amount: expected a number at least 0.01, got true")
    );
}

#[test]
fn a_repeated_key_is_refused_whichever_value_comes_last() {
    assert_eq!(
        pay(r#"{"amount": 1, "currency": "EUR", "amount": 900}"#),
        invalid("$: field 'amount' is given twice; give it once")
    );
}

#[test]
fn null_and_no_text_at_all_are_arguments_of_which_all_are_missing() {
    let missing = invalid(
        "$: missing required field 'amount' (a number at least 0.01), \
         like {\"amount\":1,\"currency\":\"EUR\"}\n\
         $: missing required field 'currency' (one of \"EUR\", \"GBP\", \"USD\")",
    );
    assert_eq!(pay("null"), missing);
    assert_eq!(pay(""), missing);
}

#[test]
fn a_list_is_no_object_be_it_empty_or_in_the_order_of_the_parameters() {
    let refused = invalid("$: expected an object with the arguments, got a list");
    assert_eq!(pay("[]"), refused);
    assert_eq!(pay(r#"[9.5, "EUR", "2026-01-02"]"#), refused);
}

#[test]
fn empty_json_text_is_no_object() {
    assert_eq!(pay(r#""""#), invalid("$: expected an object with the arguments, got text \"\""));
}

#[test]
fn malformed_text_is_told_in_a_models_words() {
    assert_eq!(
        pay(r#"{"amount": 3,"#),
        invalid("$: the JSON ends too early; it was cut off. Send the whole object again")
    );
    assert_eq!(
        pay(r#"{"amount": 3, "currency": EUR}"#),
        invalid("$: not valid JSON from \"EUR}\" on. Send one JSON object")
    );
}

/// A tool of which every argument is optional runs on what is left of nothing, elsewhere.
#[test]
fn what_is_cut_off_never_stands_for_no_arguments() {
    assert_eq!(
        came("delete_files", r#"{"filter": "tmp"#),
        invalid("$: the JSON ends too early; it was cut off. Send the whole object again")
    );
}

/// The text without the id that the host finds the error by.
fn internal(order_id: &str) -> (Status, String) {
    let Came { status, text, .. } = came("get_order", &json!({"order_id": order_id}).to_string());
    let (said, id) = text.split_once(" (error id ").unwrap();
    assert!(id.ends_with(')') && !text.contains("hunter2"), "{text}");
    (status, said.to_owned())
}

#[test]
fn an_error_with_a_secret_stays_with_the_host() {
    assert_eq!(internal("O-500"), (Status::Failed, "get_order failed internally".to_owned()));
}

#[test]
fn a_panic_is_contained_and_its_text_stays_with_the_host() {
    assert_eq!(internal("O-501"), (Status::Failed, "get_order failed internally".to_owned()));
}

#[test]
fn an_unknown_tool_reads_like_one_that_is_not_allowed_and_ends_no_run() {
    let view = registry().view(Caller::new("bob")).scoped(["get_order", "create_payment"]);
    let said = |name: &str| {
        let call = ToolCall::new("call_1", name, "{}");
        let outcome = view.dispatch_blocking(call, Options::default()).unwrap();
        (outcome.status(), outcome.text().to_owned())
    };
    let no_such = |name: &str| format!("no such tool \"{name}\". Available: get_order");
    assert_eq!(said("refund"), (Status::UnknownTool, no_such("refund")));
    // Without its scope, and outside of the view's allowlist: the model can not tell.
    assert_eq!(said("create_payment"), (Status::Denied, no_such("create_payment")));
    assert_eq!(said("delete_files"), (Status::UnknownTool, no_such("delete_files")));

    let model = ScriptedModel::new([
        Reply::calls([ToolCall::new("call_1", "refund", "{}")]),
        Reply::calls([ToolCall::new("call_2", "get_order", r#"{"order_id": "O-1"}"#)]),
        Reply::text("It was delivered."),
    ]);
    let run = Agent::new(model, view.clone()).run_blocking("Where is O-1?").unwrap();
    assert_eq!(run.answer().as_deref(), Some("It was delivered."));
}
