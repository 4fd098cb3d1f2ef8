//! A build in which panics end the process is told so when a registry is built.

use std::path::Path;
use std::process::Command;

/// What the program prints where it is built with this `panic` setting.
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
fn printed(panic: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--package", "toolkit-core", "--example", "told_of_panic_abort"])
        .current_dir(root)
        .env("CARGO_PROFILE_DEV_PANIC", panic)
        .env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join(panic))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_build_that_aborts_on_panic_is_told_so() {
    assert_eq!(
        printed("abort"),
        "message: this program is built with panic = \"abort\": a panic in a tool ends the process\n"
    );
}

#[test]
fn a_build_that_unwinds_is_told_nothing() {
    assert_eq!(printed("unwind"), "");
}
