//! Programs as users write them, with the library for their only dependency.

mod crates;
mod program;
mod signature;

use program::Program;
use toolkit_tests::{Dice, cases};

/// Any signature expands, compiles, and its tool accepts exactly what it publishes. The program
/// prints each tool's seed; `TOOLKIT_CASES` says how many tools there are.
#[test]
fn any_signature_compiles_and_its_tool_accepts_what_it_publishes() {
    let tools = signature::tools(&mut Dice::fresh("signatures"), cases(20).min(2_000));
    Program::new("signatures", "toolkit", &signature::program(&tools)).runs();
}
