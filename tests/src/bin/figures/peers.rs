//! What is measured in packages of their own, which depend on crates that nothing else here does.

use std::path::Path;
use std::process::Command;

/// The figures of each package.
const PACKAGES: [(&[&str], &str); 1] = [(&["mcp.stdio", "mcp.http"], "tests/peers/mcp")];

pub(crate) fn names() -> impl Iterator<Item = String> {
    PACKAGES.iter().flat_map(|(names, _)| *names).map(|name| (*name).to_owned())
}

/// Runs the packages of the figures that begin so, which print their lines.
pub(crate) fn print(subject: &str) {
    // They are compiled first, which takes minutes, so they are asked for by name.
    let is_asked = |name: &&str| !subject.is_empty() && name.starts_with(subject);
    let asked = PACKAGES.iter().filter(|(names, _)| names.iter().any(is_asked));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    for (_, package) in asked {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut program = Command::new(cargo);
        program.args(["run", "--quiet", "--release"]).current_dir(root.join(package));
        let ended = program.status().expect("cargo is there");
        assert!(ended.success(), "{package}: {ended}");
    }
}
