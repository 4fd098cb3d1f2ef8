use toolkit::prelude::*;

/// Pays.
#[tool(check = amount > 5, approval = "always")]
fn pay(amount: u64) {
    let _ = amount;
}

/// Pays.
#[tool(check = Err::<(), u8>(1))]
fn wrong_error(amount: u64) {
    let _ = amount;
}

/// Pays.
#[tool(approval = total > 5)]
fn unknown_name(amount: u64) {
    let _ = amount;
}

/// Pays.
#[tool(check = consume(name))]
fn moves(name: String) {
    let _ = name;
}

fn consume(_: String) -> Result<(), ToolError> {
    Ok(())
}

fn main() {}
