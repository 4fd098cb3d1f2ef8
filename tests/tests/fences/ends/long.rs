//! Results that are longer than a model may be shown.

use serde_json::json;
use toolkit::prelude::*;
use toolkit::{Category, Content};
use toolkit_tests::call;

use super::{End, Told, assert_told, end};

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

/// What is told of 128 sevens where 256 bytes are.
pub(super) fn sevens(kept: usize) -> String {
    format!(
        "[{}]\n({kept} of 128 rows are shown: the result has 257 bytes, and at most 256 are \
         shown. {} rows are left: ask for fewer, more narrowly.)",
        vec!["7"; kept].join(","),
        128 - kept
    )
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
fn a_result_that_is_too_long_says_what_is_missing() {
    assert_told(results_that_are_too_long());
}
