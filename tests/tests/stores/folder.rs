//! A folder of a test's own.

use std::path::PathBuf;

use crate::servers::fresh;

/// A folder that is removed with the test.
#[derive(Debug)]
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(fresh(&format!("toolkit-{test}")));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn calls(&self) -> PathBuf {
        self.0.join("calls.db")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
