use toolkit::prelude::*;

/// Finds.
#[tool]
fn argument(values: impl Iterator<Item = u8>) {
    let _ = values;
}

/// Finds.
#[tool]
fn result() -> Result<impl std::fmt::Display, Failure> {
    Ok("x")
}

fn main() {}
