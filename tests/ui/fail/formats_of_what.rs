use toolkit::prelude::*;

/// Looks.
#[tool(formats)]
fn look() -> Result<u8, Failure> {
    Ok(1)
}

fn main() {}
