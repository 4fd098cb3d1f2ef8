use toolkit::prelude::*;

#[tool(effect = "delete", nmae = "pay_out")]
async fn pay(
    #[state] #[arg(minimum = 1)] bank: &String,
    #[arg(pattern = "^(")] order: String,
    #[arg(minimum = 5, maximum = 1)] amount: f64,
) -> Result<(), Failure> {
    let _ = (bank, order, amount);
    Ok(())
}

fn main() {
    let bank = String::new();
    let _ = pay(&bank, String::new(), 1.0);
    let _: [Tool; 1] = tools![pay];
}
