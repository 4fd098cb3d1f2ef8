use toolkit::prelude::*;

struct Bank;

/// Pays.
#[tool]
impl Bank {
    fn pay(&self) {}
}

/// Pays.
#[tool]
mod payments {}

/// Pays.
#[tool]
const PAY: u8 = 1;

#[toolbox]
fn pay() {}

trait Pays {
    /// Pays.
    #[tool]
    fn pay(&self);
}

fn main() {}
