//! The servers that the environment names.

use std::hash::{BuildHasher, Hasher, RandomState};

/// The address of a server, or a word that the test is skipped.
pub fn address(variable: &str, test: &str) -> Option<String> {
    let address = std::env::var(variable).ok().filter(|address| !address.is_empty());
    if address.is_none() {
        println!("{test} was skipped: {variable} names no server");
    }
    address
}

/// A name that no other test and no other run has.
pub fn fresh(name: &str) -> String {
    format!("{name}_{:016x}", RandomState::new().build_hasher().finish())
}
