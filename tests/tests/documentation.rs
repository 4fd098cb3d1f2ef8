//! Whatever the facade exports has an example in its docs; `cargo test --doc` runs them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use toolkit_tests::files;

/// How the line begins that defines an item, or that exports it from the macro crate.
const HEADS: [&str; 9] = [
    "pub struct ",
    "pub enum ",
    "pub trait ",
    "pub type ",
    "pub fn ",
    "pub async fn ",
    "pub mod ",
    "macro_rules! ",
    "pub use toolkit_macros::",
];

#[test]
fn every_export_of_the_facade_has_an_example() {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let read = |file: &str| fs::read_to_string(workspace.join(file)).unwrap();
    let sources: Vec<String> = ["toolkit/src", "toolkit-core/src"]
        .iter()
        .flat_map(|folder| files(&workspace.join(folder)))
        .map(|file| fs::read_to_string(file).unwrap())
        .collect();

    let mut names = exported(&read("toolkit/src/lib.rs"));
    names.extend(exported(&read("toolkit/src/ledger/mod.rs")));
    names.extend(["dialect", "ledger", "prelude", "List", "Number", "Text"].map(str::to_owned));
    assert!(names.len() > 60, "some exports were not found: {names:?}");

    let has_example = |name: &&String| docs(&sources, name).iter().any(|line| line.contains("```"));
    let without: Vec<&String> = names.iter().filter(|name| !has_example(name)).collect();
    assert_eq!(without, [""; 0], "these have no example");
}

/// The names in `pub use path::{One, Other};`, up to the hidden module.
fn exported(facade: &str) -> BTreeSet<String> {
    let shown = facade.split("#[doc(hidden)]").next().unwrap();
    let paths = shown
        .split("pub use ")
        .skip(1)
        .filter_map(|rest| rest.split(';').next())
        .flat_map(|statement| statement.split(['{', '}', ',']));
    let names = paths.filter_map(|path| path.trim().rsplit("::").next());
    names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// The lines above the items of a name, back to the blank line before their docs.
fn docs<'a>(sources: &'a [String], name: &str) -> Vec<&'a str> {
    let is_head = |line: &str| {
        let named = HEADS.iter().find_map(|head| line.strip_prefix(head)?.strip_prefix(name));
        named.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    };
    // Hidden items have names of their own crate's, which an export may have as well.
    let blocks = sources.iter().flat_map(|source| source.split("\n\n"));
    let blocks = blocks.filter(|block| block.lines().any(is_head));
    blocks.flat_map(|block| block.lines().take_while(|line| !is_head(line))).collect()
}
