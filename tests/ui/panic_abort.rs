//! A build in which panics end the process is told so when a registry is built.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::process::Command;

/// What a program prints that ends well.
fn printed(program: &mut Command) -> String {
    let output = program.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_build_that_aborts_on_panic_is_told_so() {
    let mut aborting = Command::new(env!("CARGO"));
    aborting
        .args(["run", "--quiet", "--package", "toolkit-ui", "--bin", "told_of_panic_abort"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("CARGO_PROFILE_DEV_PANIC", "abort")
        .env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("abort"));
    assert_eq!(
        printed(&mut aborting),
        "message: this program is built with panic = \"abort\": a panic in a tool ends the process\n"
    );
}

#[test]
fn a_build_that_unwinds_is_told_nothing() {
    assert_eq!(printed(&mut Command::new(env!("CARGO_BIN_EXE_told_of_panic_abort"))), "");
}
