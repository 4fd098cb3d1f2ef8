//! The files of toolkit-core stand on floors: a file uses what stands below it, never above.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use toolkit_tests::files;

/// The nouns from the top floor down; those of one line stand side by side.
const FLOORS: [&[&str]; 18] = [
    &["testing"],
    &["eval"],
    &["agent"],
    &["search", "lint", "catalogue"],
    &["registry", "decoder"],
    &["dialect"],
    &["gate"],
    &["ledger"],
    &["tool"],
    &["output", "arguments"],
    &["results"],
    &["schema"],
    &["call"],
    &["problem", "index", "content"],
    &["limits"],
    &["context"],
    &["caller", "cancellation", "secret"],
    &["error", "serialised", "bytes"],
];

fn floor(noun: &str) -> usize {
    FLOORS
        .iter()
        .position(|floor| floor.contains(&noun))
        .unwrap_or_else(|| panic!("no floor for `{noun}`"))
}

#[test]
fn every_arrow_between_files_points_down() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../toolkit-core/src");
    let mut arrows = 0;
    for file in files(&source) {
        let inside = file.strip_prefix(&source).unwrap();
        let noun = inside
            .components()
            .next()
            .unwrap()
            .as_os_str()
            .to_str()
            .unwrap()
            .trim_end_matches(".rs");
        if noun == "lib" {
            continue;
        }
        let text = fs::read_to_string(&file).unwrap();
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        let text: String = code.collect::<Vec<_>>().join("\n");
        // Other ways to another file would hide the arrow from this test.
        let depth = inside.components().count();
        let out = "super::".repeat(if inside.ends_with("mod.rs") { depth - 1 } else { depth });
        for hidden in ["crate::{", "crate::*", &out] {
            assert!(
                !text.contains(hidden),
                "{}: write `crate::noun`, not `{hidden}`",
                inside.display()
            );
        }
        for used in text.split("crate::").skip(1) {
            let used: String =
                used.chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect();
            if used.is_empty() || used == noun {
                continue;
            }
            arrows += 1;
            assert!(
                floor(&used) > floor(noun),
                "{}: `{noun}` uses `{used}`, which stands above or beside it",
                inside.display()
            );
        }
    }
    assert!(arrows > 30, "the arrows were not found");
}

/// The macros can not ask the core, which is compiled for another machine than they are.
#[test]
fn the_macros_take_the_formats_that_the_core_asserts_and_no_others() {
    let read = |path: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
        fs::read_to_string(path).unwrap()
    };
    let listed = |source: &str, start: &str| -> BTreeSet<String> {
        let (_, after) = source.split_once(start).expect("the list was not found");
        let (list, _) = after.split_once("];").expect("a list ends");
        list.split('"').skip(1).step_by(2).map(str::to_owned).collect()
    };
    let core = listed(&read("toolkit-core/src/schema/format.rs"), "const ALL: ");
    let macros = listed(&read("toolkit-macros/src/check/keyword.rs"), "const FORMATS: ");
    assert_eq!(core, macros);
    assert!(core.contains("date-time") && core.contains("json-pointer"), "{core:?}");
}
