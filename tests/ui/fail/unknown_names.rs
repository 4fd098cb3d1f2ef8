use toolkit::prelude::*;

/// Pays.
#[tool(effect = "write", check = is_open(&ordr_id), approval(ammount > 5), preview = told(amount))]
fn pay(order_id: String, amount: u64) {
    let _ = (order_id, amount);
}

fn is_open(_: &str) -> Result<(), ToolError> {
    Ok(())
}

fn main() {
    let _ = tools![payy];
}
