//! Functions that ran, and the rehearsals of some.

use std::panic;

use serde_json::json;
use toolkit::Category;
use toolkit::prelude::*;
use toolkit_tests::call;

use super::{Told, assert_told, end};

/// Does as it is told.
#[tool(effect = "read")]
pub(super) fn look(how: &str) -> Result<String, Failure> {
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
pub(super) fn count() -> [u8; 3] {
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
pub(super) fn drop_all(table: &str) {
    panic!("nothing runs: {table}")
}

fn without_noise<T>(work: impl FnOnce() -> T) -> T {
    let loud = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let done = work();
    panic::set_hook(loud);
    done
}

pub(super) fn functions_that_ran() -> Vec<Told> {
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

#[test]
fn an_end_of_a_function_that_ran_says_what_came_of_it() {
    assert_told(functions_that_ran());
}
