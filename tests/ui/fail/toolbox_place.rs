use toolkit::prelude::*;

#[toolbox]
struct Support;

#[toolbox]
pub trait Refunds {
    /// Refunds.
    #[tool]
    fn refund(
        &self,
        /// How much.
        amount: u64,
    );
}

/// Adds.
#[toolbox]
#[tool]
fn add(a: u8) -> u8 {
    a
}

#[toolbox]
impl Support {
    fn helper(&self) {}
}

struct Desk;

#[toolbox]
#[toolbox]
impl Desk {
    /// Opens.
    #[tool]
    fn open(&self) {}
}

impl Support {
    /// Opens.
    #[tool]
    fn open(&self) {}
}

fn main() {
    let _ = tools![add];
    let _ = Registry::builder().toolbox(Support).toolbox(Desk);
    Support.helper();
}
