//! The files of toolkit-core stand on floors: a file uses what stands below it, never above.

use std::fs;
use std::path::Path;

use toolkit_tests::files;

/// The nouns from the top floor down; those of one line stand side by side.
const FLOORS: [&[&str]; 14] = [
    &["testing"],
    &["agent"],
    &["registry", "decoder"],
    &["dialect"],
    &["gate"],
    &["ledger"],
    &["tool"],
    &["output", "arguments"],
    &["schema"],
    &["call"],
    &["problem"],
    &["limits"],
    &["caller"],
    &["error"],
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
