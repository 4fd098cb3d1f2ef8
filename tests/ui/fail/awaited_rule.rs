use toolkit::prelude::*;

async fn is_large(amount: u64) -> bool {
    amount > 500
}

/// Pays.
#[tool(effect = "write", approval(is_large(amount).await))]
async fn waits(amount: u64) {
    let _ = amount;
}

/// Pays.
#[tool(effect = "write", approval(is_large(amount)))]
async fn forgets(amount: u64) {
    let _ = amount;
}

/// Pays, and waits for another rule.
#[tool(effect = "write", check = open(amount).await, approval(is_large(amount).await))]
async fn waits_besides(amount: u64) {
    let _ = amount;
}

async fn open(_: u64) -> Result<(), ToolError> {
    Ok(())
}

fn main() {}
