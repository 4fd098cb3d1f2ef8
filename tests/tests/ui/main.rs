//! What the attributes take, and what they say to what they do not take.

mod crates;
mod signature;

use signature::{program, tools};
use toolkit_tests::Dice;

#[test]
fn what_a_user_writes_compiles() {
    trybuild::TestCases::new().pass("ui/pass/*.rs");
}

#[test]
fn a_mistake_is_told_where_it_stands() {
    trybuild::TestCases::new().compile_fail("ui/fail/*.rs");
}

/// Any signature expands, compiles, and its tool accepts exactly what it publishes. The program
/// prints each tool's seed; `TOOLKIT_CASES` says how many tools there are.
#[test]
fn any_signature_compiles_and_its_tool_accepts_what_it_publishes() {
    let count = std::env::var("TOOLKIT_CASES").ok().and_then(|cases| cases.parse().ok());
    let tools = tools(&mut Dice::fresh("signatures"), count.unwrap_or(20));
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("signatures.rs");
    std::fs::write(&path, program(&tools)).unwrap();
    trybuild::TestCases::new().pass(path);
}
