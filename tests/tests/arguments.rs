//! The arguments gate: what is accepted, what the report says, and that the body does not run.

use std::sync::Mutex;

use serde_json::Value;
use toolkit::prelude::*;
use toolkit::{Limits, Outcome, ProblemKind, Registry, Status, View};
use toolkit_tests::{call, view_of};

/// What the tools did.
#[derive(Default)]
struct Effects(Mutex<Vec<String>>);

impl Effects {
    fn note(&self, effect: String) {
        self.0.lock().unwrap().push(effect);
    }
}

/// Currency of a payment.
#[derive(Debug)]
#[arg_type]
enum Currency {
    EUR,
    GBP,
    USD,
}

/// Pays an amount.
#[tool(effect = "write", ledger = none("a test calls it again and again"))]
fn create_payment(
    #[state] effects: &Effects,
    #[arg(minimum = 0.01)] amount: f64,
    currency: Currency,
    #[arg(format = "date")] pay_on: Option<String>,
) -> String {
    effects.note(format!("pay {amount} {currency:?} {pay_on:?}"));
    "paid".to_owned()
}

/// Deletes a customer.
#[tool(effect = "write", ledger = none("a test calls it again and again"))]
fn delete(#[state] effects: &Effects, id: u64, #[arg(default = false)] all: bool) -> String {
    effects.note(format!("delete {id} {all}"));
    "deleted".to_owned()
}

/// Calls one tool; the outcome and what was done.
fn tried(name: &str, arguments: &str) -> (Outcome, Vec<String>) {
    let effects = std::sync::Arc::new(Effects::default());
    let registry = Registry::builder()
        .tools(tools![create_payment, delete])
        .state(std::sync::Arc::clone(&effects))
        .build()
        .unwrap();
    let outcome = call(&registry.view(Caller::new("tester")), name, arguments);
    let done = effects.0.lock().unwrap().clone();
    (outcome, done)
}

/// Asserts that the call is refused with exactly this report, and that nothing ran.
#[track_caller]
fn refused(name: &str, arguments: &str, report: &str) {
    let (outcome, done) = tried(name, arguments);
    assert_eq!(outcome.text(), report);
    assert_eq!(outcome.status(), Status::Invalid);
    assert!(outcome.is_retryable());
    assert_eq!(done, Vec::<String>::new(), "the body ran");
}

#[track_caller]
fn accepted(name: &str, arguments: &str, effect: &str) {
    let (outcome, done) = tried(name, arguments);
    assert_eq!(
        (outcome.status(), done),
        (Status::Ok, vec![effect.to_owned()]),
        "{}",
        outcome.text()
    );
}

#[test]
fn four_mistakes_are_four_lines() {
    refused(
        "create_payment",
        r#"{"ammount":5,"currency":"usd","pay_on":"next friday"}"#,
        "$: missing required field 'amount'\n\
         $: unexpected field 'ammount' (did you mean 'amount'? allowed: amount, currency, pay_on)\n\
         $.currency: must be one of \"EUR\", \"GBP\", \"USD\"; got \"usd\" (did you mean \"USD\"?)\n\
         $.pay_on: \"next friday\" does not match the required format. Expected: date as YYYY-MM-DD",
    );
}

#[test]
fn every_problem_carries_its_parts_for_a_machine() {
    let (outcome, _) = tried("create_payment", r#"{"ammount":5,"currency":"usd"}"#);
    let parts: Vec<_> = outcome
        .problems()
        .iter()
        .map(|p| {
            (
                p.path().pointer(),
                p.kind(),
                p.expected().unwrap(),
                p.suggestion().and_then(Value::as_str),
            )
        })
        .collect();
    assert_eq!(
        parts,
        [
            ("/amount".to_owned(), ProblemKind::MissingField, "a number at least 0.01", None),
            (
                "/ammount".to_owned(),
                ProblemKind::UnexpectedField,
                "allowed: amount, currency, pay_on",
                Some("amount")
            ),
            (
                "/currency".to_owned(),
                ProblemKind::NotAllowed,
                "one of \"EUR\", \"GBP\", \"USD\"",
                Some("USD")
            ),
        ]
    );
}

#[test]
fn an_int_is_taken_for_a_float() {
    accepted("create_payment", r#"{"amount":5,"currency":"EUR"}"#, "pay 5 EUR None");
}

#[test]
fn a_value_outside_the_closed_set_is_refused() {
    refused(
        "create_payment",
        r#"{"amount":5,"currency":"YEN"}"#,
        "$.currency: must be one of \"EUR\", \"GBP\", \"USD\"; got \"YEN\"",
    );
    refused(
        "create_payment",
        r#"{"amount":5,"currency":{"EUR":null}}"#,
        "$.currency: must be one of \"EUR\", \"GBP\", \"USD\"; got an object",
    );
}

#[test]
fn an_unknown_argument_is_refused() {
    refused(
        "create_payment",
        r#"{"amount":5,"currency":"EUR","force":true}"#,
        "$: unexpected field 'force' (allowed: amount, currency, pay_on)",
    );
}

#[test]
fn a_bool_is_never_a_number_and_a_number_never_a_bool() {
    refused(
        "create_payment",
        r#"{"amount":true,"currency":"EUR"}"#,
        "$.amount: expected a number at least 0.01, got true",
    );
    refused("delete", r#"{"id":7,"all":0}"#, "$.all: expected true or false, got 0");
}

#[test]
fn nothing_is_read_out_of_text_and_the_report_says_what_to_write() {
    refused(
        "delete",
        r#"{"id":7,"all":"false"}"#,
        "$.all: expected true or false, got text \"false\" (write false without quotes)",
    );
    refused(
        "delete",
        r#"{"id":"7","all":"no"}"#,
        "$.id: expected an integer at least 0, got text \"7\" (write 7 without quotes)\n\
         $.all: expected true or false, got text \"no\"",
    );
    refused(
        "create_payment",
        r#"{"amount":5,"currency":"EUR","pay_on":20261201}"#,
        "$.pay_on: expected text (date as YYYY-MM-DD), got 20261201",
    );
}

#[test]
fn a_whole_number_is_an_integer_however_it_is_written() {
    for (digits, id) in [("7", 7_u64), ("7.0", 7), ("7e0", 7), ("70e-1", 7), ("-0", 0), ("0.0", 0)]
    {
        accepted("delete", &format!(r#"{{"id":{digits}}}"#), &format!("delete {id} false"));
    }
    refused("delete", r#"{"id":5.5}"#, "$.id: expected an integer at least 0, got 5.5");
    refused(
        "delete",
        r#"{"id":-1}"#,
        "$.id: expected an integer from 0 to 18446744073709551615, got -1",
    );
}

#[test]
fn null_for_an_optional_or_defaulted_argument_is_absent() {
    accepted("create_payment", r#"{"amount":5,"currency":"EUR","pay_on":null}"#, "pay 5 EUR None");
    accepted("delete", r#"{"id":7,"all":null}"#, "delete 7 false");
    refused("delete", r#"{"id":null}"#, "$.id: expected an integer at least 0, got null");
}

#[test]
fn blank_text_and_null_stand_for_no_arguments() {
    for text in ["", "  \n\t", "null", "{}"] {
        let report = r#"$: missing required field 'id' (an integer at least 0), like {"id":0}"#;
        refused("delete", text, report);
    }
}

#[test]
fn what_is_no_object_is_refused() {
    refused("delete", "[]", "$: expected an object with the arguments, got a list");
    refused("delete", "[7,true]", "$: expected an object with the arguments, got a list");
    refused("delete", "\"\"", "$: expected an object with the arguments, got text \"\"");
    refused("delete", "7", "$: expected an object with the arguments, got 7");
}

#[test]
fn a_field_given_twice_is_refused_at_any_depth() {
    refused("delete", r#"{"id":1,"id":100000}"#, "$: field 'id' is given twice; give it once");
    refused("delete", r#"{"id":1,"\u0069d":2}"#, "$: field 'id' is given twice; give it once");
}

#[test]
fn cut_off_and_trailing_text_are_refused_and_never_mended() {
    let cut = "$: the JSON ends too early; it was cut off. Send the whole object again";
    refused("delete", r#"{"id":7"#, cut);
    refused("delete", r#"{"id":7,"all":tr"#, cut);
    refused(
        "delete",
        "{\"id\":7}\n\nI will now delete it.",
        "$: there is text after the JSON object: \"I will now delete it.\". Send the object alone",
    );
    let view = view_of(Tool::of::<echo>());
    let call = ToolCall::new("c", "echo", "{}").cut_off();
    let outcome = view.dispatch_blocking(call, toolkit::Options::default()).unwrap();
    assert_eq!(
        outcome.text(),
        "$: the call was cut off by the output limit; nothing ran. Send it again with shorter arguments"
    );
}

/// Repeats.
#[tool]
fn echo(value: Option<Value>, text: Option<String>) -> String {
    format!("{} {}", value.unwrap_or_default(), text.unwrap_or_default())
}

fn echoed(arguments: &str) -> String {
    call(&view_of(Tool::of::<echo>()), "echo", arguments).text().to_owned()
}

#[test]
fn text_that_looks_like_json_stays_text() {
    assert_eq!(echoed(r#"{"text":"{\"a\":1}"}"#), r#"null {"a":1}"#);
}

#[test]
fn half_a_surrogate_pair_is_refused_at_its_place_and_nul_is_text() {
    assert_eq!(
        echoed(r#"{"text":"\ud800"}"#),
        "$.text: the text is not valid Unicode: half of a surrogate pair stands alone"
    );
    assert_eq!(echoed(r#"{"text":"a\u0000b"}"#), "null a\0b");
}

#[test]
fn integers_that_no_number_holds_exactly_are_refused() {
    assert_eq!(echoed(r#"{"value":18446744073709551615}"#), "18446744073709551615 ");
    assert!(
        echoed(r#"{"value":18446744073709551617}"#)
            .starts_with("$.value: expected a number that a double holds")
    );
    let (outcome, _) = tried("create_payment", r#"{"amount":9007199254740993,"currency":"EUR"}"#);
    assert_eq!(
        outcome.text(),
        "$.amount: expected a number that a double holds with every digit, got 9007199254740993"
    );
    accepted(
        "create_payment",
        r#"{"amount":9007199254740992,"currency":"EUR"}"#,
        "pay 9007199254740992 EUR None",
    );
    refused(
        "create_payment",
        &format!(r#"{{"amount":{},"currency":"EUR"}}"#, "9".repeat(10_000)),
        "$.amount: expected a number that a double holds with every digit, got a number of 10000 characters",
    );
    refused(
        "create_payment",
        r#"{"amount":1e400,"currency":"EUR"}"#,
        "$.amount: expected a number that a double holds with every digit, got 1e400",
    );
}

#[test]
fn a_misspelt_argument_never_falls_back_to_its_default() {
    /// Lists things.
    #[tool]
    fn list(q: String, #[arg(default = 3)] page_size: u8) -> String {
        format!("{q} {page_size}")
    }
    let view = view_of(Tool::of::<list>());
    assert_eq!(call(&view, "list", r#"{"q":"a"}"#).text(), "a 3");
    assert_eq!(
        call(&view, "list", r#"{"q":"a","size":1}"#).text(),
        "$: unexpected field 'size' (did you mean 'page_size'? allowed: q, page_size)"
    );
}

#[test]
fn one_wrong_field_of_fourteen_is_the_one_that_is_named() {
    /// Starts.
    #[tool]
    fn start(
        f01: String,
        f02: String,
        f03: String,
        f04: String,
        f05: String,
        f06: String,
        f07: String,
        f08: String,
        f09: String,
        f10: String,
        f11: String,
        f12: String,
        f13: String,
        f14: String,
    ) -> String {
        [f01, f02, f03, f04, f05, f06, f07, f08, f09, f10, f11, f12, f13, f14].concat()
    }
    let members: Vec<String> = (1..=14)
        .map(|n| if n == 9 { "\"f09\":{}".to_owned() } else { format!("\"f{n:02}\":\"x\"") })
        .collect();
    let outcome =
        call(&view_of(Tool::of::<start>()), "start", &format!("{{{}}}", members.join(",")));
    assert_eq!(outcome.text(), "$.f09: expected text, got an object");
    assert_eq!(outcome.problems().len(), 1);
}

#[test]
fn a_type_that_refuses_what_its_schema_accepts_is_refused_at_its_place_in_fixed_words() {
    #[derive(Debug)]
    #[arg_type]
    struct Line {
        sku: Sku,
    }

    /// A stock keeping unit.
    #[derive(Debug)]
    #[arg_type]
    #[serde(try_from = "String")]
    struct Sku(String);

    impl TryFrom<String> for Sku {
        type Error = String;

        fn try_from(text: String) -> Result<Self, String> {
            if text.starts_with("S-") {
                Ok(Self(text))
            } else {
                Err(format!("secret rule against {text}"))
            }
        }
    }

    /// Orders.
    #[tool]
    fn order(lines: Vec<Line>) -> String {
        format!("{lines:?}")
    }
    let view = view_of(Tool::of::<order>());
    assert_eq!(
        call(&view, "order", r#"{"lines":[{"sku":"S-1"},{"sku":"hunter2"}]}"#).text(),
        "$.lines[1].sku: this value is not accepted here; send another one"
    );
    assert!(!call(&view, "order", r#"{"lines":[{"sku":"S-1"}]}"#).is_error());
}

#[test]
fn tagged_unions_are_explained_by_their_tag_and_options_by_their_form() {
    #[derive(Debug)]
    #[arg_type]
    #[serde(tag = "kind", rename_all = "snake_case")]
    enum Target {
        Card { number: String },
        Iban { iban: String, bic: Option<String> },
    }

    #[derive(Debug)]
    #[arg_type]
    #[serde(untagged)]
    enum Id {
        Number(u32),
        Name(String),
    }

    #[derive(Debug)]
    #[arg_type]
    enum Shape {
        Circle(f64),
        Square { side: f64 },
        Empty,
    }

    /// Sends.
    #[tool]
    fn send(to: Option<Target>, by: Option<Id>, shape: Option<Shape>) -> String {
        format!("{to:?} {by:?} {shape:?}")
    }
    let view = view_of(Tool::of::<send>());
    let read = |arguments: &str| call(&view, "send", arguments).text().to_owned();
    assert_eq!(
        read(r#"{"to":{"kind":"iban","iban":"DE1"},"by":"x","shape":{"Circle":2}}"#),
        "Some(Iban { iban: \"DE1\", bic: None }) Some(Name(\"x\")) Some(Circle(2.0))"
    );
    assert_eq!(read(r#"{"by":3.0,"shape":"Empty"}"#), "None Some(Number(3)) Some(Empty)");
    assert_eq!(
        read(r#"{"to":{"kind":"iban","ibann":"DE1"}}"#),
        "$.to: missing required field 'iban'\n\
         $.to: unexpected field 'ibann' (did you mean 'iban'? allowed: kind, iban, bic)"
    );
    assert_eq!(
        read(r#"{"to":{"kind":"cash"}}"#),
        "$.to.kind: must be one of \"card\", \"iban\"; got \"cash\"\n\
         $.to: missing required field 'number' (text)"
    );
    assert_eq!(
        read(r#"{"to":{"iban":"DE1"}}"#),
        "$.to: missing required field 'kind' (one of \"card\", \"iban\"; did you mean \"iban\"?)"
    );
    assert_eq!(
        read(r#"{"by":true}"#),
        "$.by: expected an integer from 0 to 4294967295 or text, got true"
    );
    assert_eq!(
        read(r#"{"shape":{"Square":{"side":"2"}}}"#),
        "$.shape.Square.side: expected a number, got text \"2\" (write 2 without quotes)"
    );
}

#[test]
fn maps_with_integer_keys_name_the_wrong_key() {
    /// Sets.
    #[tool]
    fn set(m: std::collections::BTreeMap<u32, String>) -> String {
        format!("{m:?}")
    }
    let view = view_of(Tool::of::<set>());
    assert_eq!(call(&view, "set", r#"{"m":{"7":"x"}}"#).text(), "{7: \"x\"}");
    let outcome = call(&view, "set", r#"{"m":{"7":"x","a":"y"}}"#);
    assert_eq!(outcome.problems()[0].path().pointer(), "/m/a", "{}", outcome.text());
}

fn limited(limits: Limits) -> View {
    Registry::builder().tools(tools![echo]).limits(limits).build().unwrap().view(Caller::new("t"))
}

#[test]
fn every_bound_is_a_setting() {
    let small = Limits {
        argument_bytes: 40,
        depth: 3,
        values: 5,
        problems: 2,
        report_bytes: 400,
        shown_chars: 5,
        ..Limits::default()
    };
    let read = |arguments: &str| call(&limited(small), "echo", arguments).text().to_owned();
    assert_eq!(
        read(&format!("{{\"text\":\"{}\"}}", "x".repeat(50))),
        "$: the arguments are 61 bytes long; at most 40 are accepted"
    );
    assert_eq!(read(r#"{"value":[[[]]]}"#), "$.value[0][0]: nested more than 3 levels deep");
    assert_eq!(read(r#"{"value":[1,2,3,4,5]}"#), "$: more than 5 values; send fewer");
    assert_eq!(
        read(r#"{"aaa":1,"bbb":1,"ccc":1,"ddd":1}"#),
        "$: unexpected field 'aaa' (allowed: value, text)\n\
         $: unexpected field 'bbb' (allowed: value, text)\n\
         … and 2 more"
    );
    assert_eq!(read(r#"{"text":{"a":1}}"#), "$.text: expected text, got an object");
    assert_eq!(
        read("{} abcdefghij"),
        "$: there is text after the JSON object: \"abcde…\". Send the object alone"
    );
}

#[test]
fn control_characters_of_the_input_are_shown_escaped() {
    refused(
        "create_payment",
        "{\"amount\":5,\"currency\":\"\\u001b[31m\\u202eEUR\"}",
        "$.currency: must be one of \"EUR\", \"GBP\", \"USD\"; got \"\\u{1b}[31m\\u{202e}EUR\" (did you mean \"EUR\"?)",
    );
    let (outcome, _) = tried("create_payment", "{\"a\\nb\\u0007\":1}");
    assert!(outcome.text().lines().count() == 3, "{}", outcome.text());
    assert!(!outcome.text().contains('\u{7}'));
}

#[test]
fn a_report_keeps_its_bounds_from_its_first_line_on() {
    let none = Limits { problems: 0, report_bytes: 20, ..Limits::default() };
    let read = |arguments: &str| call(&limited(none), "echo", arguments).text().to_owned();
    assert_eq!(read(r#"{"aaa":1,"bbb":2}"#), "$: unexpected field \n… and 1 more");
    let name = "\u{1}".repeat(80);
    let escaped = "\\u0001".repeat(80);
    let deep =
        format!("{}{{\"k\":1,\"k\":2}}{}", format!("{{\"{escaped}\":").repeat(28), "}".repeat(28));
    let outcome = call(&limited(Limits::default()), "echo", &format!("{{\"value\":{deep}}}"));
    assert_eq!(outcome.text().len(), 4_096, "{name:?}");
}

#[test]
fn what_is_to_be_written_instead_is_told_only_where_it_would_be_right() {
    /// Sets.
    #[tool]
    fn set(
        a: Option<u8>,
        #[arg(maximum = 10)] b: Option<u8>,
        #[arg(pattern = "^[A-Z]$")] c: Option<String>,
    ) -> String {
        format!("{a:?} {b:?} {c:?}")
    }
    let view = view_of(Tool::of::<set>());
    let read = |arguments: &str| call(&view, "set", arguments).text().to_owned();
    assert_eq!(
        read(r#"{"a":"7"}"#),
        "$.a: expected an integer from 0 to 255, got text \"7\" (write 7 without quotes)"
    );
    assert_eq!(read(r#"{"a":"999"}"#), "$.a: expected an integer from 0 to 255, got text \"999\"");
    assert_eq!(read(r#"{"a":"3.5"}"#), "$.a: expected an integer from 0 to 255, got text \"3.5\"");
    assert_eq!(read(r#"{"b":300}"#), "$.b: expected an integer from 0 to 10, got 300");
    assert_eq!(read(r#"{"c":5}"#), "$.c: expected text matching ^[A-Z]$, like \"A\", got 5");

    /// Takes.
    #[tool]
    fn take(#[arg(exclusive_minimum = 2, exclusive_maximum = 10)] n: u8) -> u8 {
        n
    }
    let view = view_of(Tool::of::<take>());
    assert_eq!(
        call(&view, "take", r#"{"n":300}"#).text(),
        "$.n: expected an integer from 3 to 9, got 300"
    );
}
