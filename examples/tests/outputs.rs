//! Runs every example and compares what it prints with the file beside it.
//!
//! `TOOLKIT_BLESS=1 cargo test -p toolkit-examples` writes the files anew.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[expect(dead_code, reason = "`main` is for the program")]
#[path = "../02_create_payment.rs"]
mod create_payment;
#[expect(dead_code, reason = "`main` is for the program")]
#[path = "../08_figures/main.rs"]
mod figures;
#[expect(dead_code, reason = "`main` is for the program")]
#[path = "../01_four_steps.rs"]
mod four_steps;
#[expect(dead_code, reason = "`main` is for the program")]
#[path = "../05_mcp_server.rs"]
mod mcp_server;
#[expect(dead_code, reason = "`main` is for the program")]
#[path = "../03_support_agent/main.rs"]
mod support_agent;

use std::env;
use std::error::Error;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use support_agent::store::{Currency, OrderStatus, Payment, Refund, Rows, Shop};
use support_agent::{Command, Office, PROVIDERS, Provider, SYSTEM, play, registry_of};
use toolkit::ledger::MemoryLedger;
use toolkit::{Level, Lint, Registry, Rule};

type Printed = Result<(), Box<dyn Error>>;

fn printed(run: impl FnOnce(&mut dyn Write) -> Printed) -> String {
    let mut out = Vec::new();
    run(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[track_caller]
fn assert_same_as_file(file: &str, found: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    if env::var_os("TOOLKIT_BLESS").is_some() {
        fs::write(&path, found).unwrap();
    }
    let checked_in = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(found, checked_in, "{file} differs; TOOLKIT_BLESS=1 writes it anew");
}

fn called(name: &str, arguments: &str) -> String {
    let command = Command::parse(&["--call", name, arguments]).unwrap();
    printed(|out| command.run(out))
}

#[test]
fn four_steps_prints_its_checked_in_output() {
    assert_same_as_file("01_four_steps.out", &printed(four_steps::run));
}

#[test]
fn create_payment_prints_its_checked_in_output() {
    assert_same_as_file("02_create_payment.out", &printed(create_payment::run));
}

#[test]
fn support_agent_prints_its_checked_in_output() {
    let command = Command::parse(&[]).unwrap();
    assert_same_as_file("03_support_agent.out", &printed(|out| command.run(out)));
}

#[test]
fn mcp_server_prints_its_checked_in_output() {
    assert_same_as_file("05_mcp_server.out", &printed(mcp_server::run));
}

#[test]
fn a_conversation_goes_on_at_any_provider_with_what_was_done_at_another() {
    let outcome = "$.amount: ";
    for name in ["anthropic", "openai_chat", "openai_responses", "gemini"] {
        let command = Command::parse(&["--provider", name]).unwrap();
        let told = printed(|out| command.run(out));
        let (played, request) = told.split_once("\nthe last request\n").unwrap();
        assert!(played.contains("anthropic reply 1"), "{name}");
        let request: serde_json::Value = serde_json::from_str(request).unwrap();
        let tools = request["tools"].to_string();
        assert!(tools.contains("refund_payment"), "{name}: {tools}");
        assert_eq!(request.to_string().contains(outcome), played.contains(outcome), "{name}");
    }
    assert!(Command::parse(&["--provider", "mcp"]).is_none());
}

fn last_request(provider: &Provider) -> (String, Rows) {
    let office = Office::open().unwrap();
    let request = play(provider, &office, &mut Vec::new()).unwrap();
    let rows = office.shop.with(|rows| rows.clone()).unwrap();
    (request.to_string(), rows)
}

#[test]
fn the_last_request_is_the_checked_in_one_byte_for_byte() {
    for provider in &PROVIDERS {
        let file = format!("03_support_agent/{}.request.json", provider.dialect.name());
        assert_same_as_file(&file, &last_request(provider).0);
    }
}

#[test]
fn both_transcripts_leave_the_same_rows() {
    let mut expected = Shop::open().unwrap().with(|rows| rows.clone()).unwrap();
    for order_id in ["O-1001", "O-1002"] {
        expected.orders.get_mut(order_id).unwrap().status = OrderStatus::Refunded;
    }
    let refund = |id: &str, order_id: &str, amount| Refund {
        id: id.to_owned(),
        order_id: order_id.to_owned(),
        amount,
        currency: Currency::EUR,
    };
    expected.refunds = vec![refund("R-1", "O-1001", 80.0), refund("R-2", "O-1002", 620.0)];
    expected.payments = vec![Payment {
        id: "P-1".to_owned(),
        amount: 25.0,
        currency: Currency::EUR,
        pay_on: "2026-12-04".to_owned(),
    }];
    for provider in &PROVIDERS {
        assert_eq!(last_request(provider).1, expected);
    }
}

/// The registry of each example.
fn registries() -> [(&'static str, Registry); 3] {
    let shop = Arc::new(Shop::open().unwrap());
    let ledger = MemoryLedger::accept_loss("a test");
    let support_agent = registry_of(&shop).ledger(ledger).build();
    [
        ("01_four_steps", four_steps::registry().unwrap()),
        ("02_create_payment", create_payment::registry().unwrap()),
        ("03_support_agent", support_agent.unwrap()),
    ]
}

#[test]
fn each_examples_page_and_lock_are_the_checked_in_ones() {
    for (name, registry) in registries() {
        assert_same_as_file(&format!("{name}.tools.md"), &registry.to_markdown());
        assert_same_as_file(&format!("{name}.tools.lock"), &registry.to_lock());
    }
}

#[test]
fn the_figures_are_the_checked_in_ones() {
    for (name, figure) in figures::figures().unwrap() {
        assert_same_as_file(&format!("08_figures/{name}"), &figure);
    }
}

#[test]
fn a_lock_is_held_by_a_test_in_one_line() {
    toolkit::lock!(four_steps::registry().unwrap(), "01_four_steps.tools.lock");
}

#[test]
fn nothing_is_found_in_the_words_of_the_examples_tools() {
    for (_, registry) in registries() {
        let strict =
            Lint::new().level(Rule::NoUseWhen, Level::Deny).level(Rule::NoSibling, Level::Deny);
        toolkit::lint!(registry, strict);
        assert_eq!(registry.lint().to_string(), "nothing was found");
    }
    let report = Office::open().unwrap().view.audit_prompt(SYSTEM);
    assert_eq!(report.to_string(), "nothing was found");
}

#[test]
fn a_call_with_four_mistakes_reads_as_four_lines() {
    assert_eq!(
        called("create_payment", r#"{"ammount":5,"currency":"usd","pay_on":"next friday"}"#),
        concat!(
            "$: missing required field 'amount'\n",
            "$: unexpected field 'ammount' (did you mean 'amount'? allowed: amount, currency, pay_on)\n",
            "$.currency: must be one of \"EUR\", \"GBP\", \"USD\"; got \"usd\" (did you mean \"USD\"?)\n",
            "$.pay_on: \"next friday\" does not match the required format. Expected: date as YYYY-MM-DD\n",
        )
    );
}

#[test]
fn a_hidden_tool_reads_like_one_that_does_not_exist() {
    let hidden = called("close_account", "{}");
    assert_eq!(hidden, called("no_such_tool", "{}").replace("no_such_tool", "close_account"));
}

#[test]
fn a_bad_option_is_not_a_command() {
    for arguments in [
        &["--help"][..],
        &["--call"],
        &["--call", "get_order"],
        &["--call", "get_order", "{}", "{}"],
        &["--definitions"],
        &["--definitions", "cohere"],
    ] {
        assert!(Command::parse(arguments).is_none(), "{arguments:?}");
    }
}
