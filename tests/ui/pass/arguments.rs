//! Every form of parameter and result.

#![deny(warnings)]

use std::borrow::Cow;
use std::sync::Arc;

use toolkit::prelude::*;

struct Bank(u64);

type Outcome<T> = Result<T, Failure>;
type Maybe<T> = Option<T>;

/// Adds two numbers.
#[tool]
fn add(left: i64, right: i64) -> i64 {
    left + right
}

/// Greets.
#[tool]
async fn greet(name: &str, tags: &[String], deep: &Vec<u8>, path: &std::path::Path, mut times: u32) -> String {
    times += 1;
    format!("{name} {} {} {times} {}", tags.len(), deep.len(), path.display())
}

/// Fails.
#[tool]
async fn fail(name: Maybe<String>, list: Vec<Option<f64>>) -> Outcome<()> {
    let _: i32 = name.unwrap_or_default().parse()?;
    let _ = list;
    Ok(())
}

/// Takes what the model does not fill.
#[tool]
async fn injected(
    #[context] cx: &CallContext,
    /// The bank.
    #[state]
    bank: &Bank,
    #[state] other: Arc<String>,
    r#type: String,
    injected: bool,
) -> Result<String, ToolError> {
    Ok(format!("{} {} {other} {type} {injected}", cx.call_id(), bank.0, r#type = r#type))
}

/// Is called like a keyword.
#[tool]
fn r#move(passage: i32, function: i32, slot0: i32) -> i32 {
    passage + function + slot0
}

/// Returns text for good.
#[tool]
fn fixed() -> &'static str {
    "x"
}

/// Borrows from its argument.
#[tool]
fn first<'a>(text: &'a str, rest: Cow<'a, str>) -> &'a str {
    let _ = rest;
    text.get(..1).unwrap_or(text)
}

/// Fails with text.
#[tool]
fn text_error(x: u8) -> Result<u8, String> {
    Err(x.to_string())
}

/// Is old.
#[deprecated]
#[tool]
fn old() {}

/// Is old, too.
#[tool]
#[deprecated]
fn old_too() {}

/// Is not there.
#[tool]
#[cfg(any())]
fn gone() -> Missing {}

fn main() {
    let tools: [Tool; 10] = tools![
        add, greet, fail, injected, r#move, fixed, first, text_error, old, old_too
    ];
    assert_eq!(tools[0].name(), "add");
    assert_eq!(tools[4].name(), "move");
    assert_eq!(add(1, 2), 3);

    /// Stands in a function.
    #[tool]
    fn inner(x: u8) -> u8 {
        x
    }
    let _ = (inner(1), Tool::of::<inner>());
}
