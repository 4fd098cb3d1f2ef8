//! Calls that the ledger knows from before.

use std::future::pending;
use std::task::{Context, Waker};
use std::time::Duration;

use serde_json::json;
use toolkit::ledger::{Filter, Ledger};
use toolkit::prelude::*;
use toolkit::{Category, Content};
use toolkit_tests::call;

use super::long::sevens;
use super::office::Office;
use super::{End, Told, assert_told, end};

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

pub(super) fn calls_that_the_ledger_knows() -> Vec<Told> {
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
