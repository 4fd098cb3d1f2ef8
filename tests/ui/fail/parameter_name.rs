use toolkit::prelude::*;

/// Finds.
#[tool]
fn twice(#[arg(rename = "b")] a: u8, b: u8, #[arg(rename = "b")] c: u8) {
    let _ = (a, b, c);
}

/// Finds.
#[tool]
fn wrong(#[arg(rename = "a-b")] a: u8, größe: u8) {
    let _ = (a, größe);
}

/// Finds.
#[tool]
fn pattern((a, b): (u8, u8), _: u8) {
    let _ = (a, b);
}

fn main() {}
