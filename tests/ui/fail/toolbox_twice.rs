use toolkit::prelude::*;

struct Desk;

#[toolbox]
impl Desk {
    /// Opens.
    #[tool]
    fn open(&self) {}
}

trait Closes {
    fn close(&self);
}

#[toolbox]
impl Closes for Desk {
    /// Closes.
    #[tool]
    fn close(&self) {}
}

fn main() {}
