use toolkit::prelude::*;

struct Receipt;
struct Reason;

/// Pays.
#[tool]
fn pay() -> Receipt {
    Receipt
}

/// Pays.
#[tool]
async fn pay_or_fail() -> Result<Receipt, Failure> {
    Ok(Receipt)
}

/// Pays.
#[tool]
fn fail() -> Result<(), Reason> {
    Err(Reason)
}

/// Pays.
#[tool]
fn never() -> ! {
    loop {}
}

fn main() {}
