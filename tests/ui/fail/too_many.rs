//! More parameters than a call is written for.

#![allow(unused_variables)]

use toolkit::prelude::*;

/// Takes too much.
#[tool]
fn takes(
    a0: u8,
    a1: u8,
    a2: u8,
    a3: u8,
    a4: u8,
    a5: u8,
    a6: u8,
    a7: u8,
    a8: u8,
    a9: u8,
    a10: u8,
    a11: u8,
    a12: u8,
    a13: u8,
    a14: u8,
    a15: u8,
    a16: u8,
    a17: u8,
    a18: u8,
    a19: u8,
    a20: u8,
    a21: u8,
    a22: u8,
    a23: u8,
    a24: u8,
    a25: u8,
    a26: u8,
    a27: u8,
    a28: u8,
    a29: u8,
    a30: u8,
    a31: u8,
) {
}

/// Is too many tools in one.
#[tool]
fn is(
    #[cfg(unix)] a: u8,
    #[cfg(windows)] b: u8,
    #[cfg(test)] c: u8,
    #[cfg(doc)] d: u8,
    #[cfg(debug_assertions)] e: u8,
) {
}

fn main() {}
