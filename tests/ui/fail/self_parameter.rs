use toolkit::prelude::*;

struct Bank;

impl Bank {
    /// Pays.
    #[tool]
    fn pay(&self, amount: u64) {
        let _ = amount;
    }
}

fn main() {
    Bank.pay(1);
}
