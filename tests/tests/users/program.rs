//! A program of a user's, compiled with the library that this test is linked with.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

/// A program, and what it calls the library, which is all that it depends on.
pub struct Program {
    name: &'static str,
    library: &'static str,
    source: PathBuf,
}

impl Program {
    /// Writes its source into the target directory.
    pub fn new(name: &'static str, library: &'static str, text: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("users");
        fs::create_dir_all(&folder).unwrap();
        let source = folder.join(format!("{name}.rs"));
        fs::write(&source, text).unwrap();
        Self { name, library, source }
    }

    /// Holds it to lints, clippy's among them.
    pub fn is_clean(&self, lints: &[&str]) {
        self.compile("clippy-driver", &[&["--emit=metadata"], lints].concat());
    }

    /// Compiles it, and runs it to its good end.
    pub fn runs(&self) {
        self.compile("rustc", &[]);
        let output = Command::new(self.source.with_extension("bin")).output().unwrap();
        print!("{}", String::from_utf8_lossy(&output.stdout));
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    /// Compiles it with the newest build of the library that it fits: other tests have others,
    /// with fewer features.
    fn compile(&self, compiler: &str, arguments: &[&str]) {
        let mut told = None;
        for library in libraries() {
            let output = Command::new(compiler)
                .args(["--edition=2024", "--crate-type=bin", "--crate-name", self.name])
                .arg(&self.source)
                .args(["--extern", &format!("{}={}", self.library, library.display())])
                .arg(format!("-Ldependency={}", library.parent().unwrap().display()))
                .arg("-o")
                .arg(self.source.with_extension("bin"))
                .args(arguments)
                .output()
                .unwrap();
            if output.status.success() {
                return;
            }
            told.get_or_insert(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        panic!("{}: {}", self.name, told.unwrap_or_default());
    }
}

/// Each build of the library beside this test, the newest first.
fn libraries() -> Vec<PathBuf> {
    let test = std::env::current_exe().unwrap();
    let files = fs::read_dir(test.parent().unwrap()).unwrap();
    let mut found: Vec<(SystemTime, PathBuf)> = files
        .map(|file| file.unwrap())
        .filter(|file| {
            let path = file.path();
            let is_library = path.extension().is_some_and(|extension| extension == "rlib");
            is_library && file.file_name().to_string_lossy().starts_with("libtoolkit-")
        })
        .map(|file| (file.metadata().unwrap().modified().unwrap(), file.path()))
        .collect();
    found.sort();
    found.into_iter().rev().map(|(_, path)| path).collect()
}
