use std::rc::Rc;

use toolkit::prelude::*;

struct Support;

#[toolbox]
impl Support {
    /// Closes.
    #[tool]
    fn close(self) {}

    /// Counts.
    #[tool]
    fn count(&mut self) {}

    /// Counts.
    #[tool]
    fn count_lent(self: &mut Self) {}

    /// Looks.
    #[tool]
    fn look(#[state] &self, #[arg(default = 1)] times: u8) {
        let _ = times;
    }

    fn is_no_tool(&mut self) {}
}

struct Desk;

#[toolbox]
impl Desk {
    /// Opens.
    #[tool]
    fn boxed(self: Box<Self>) {}

    /// Opens.
    #[tool]
    fn counted(self: Rc<Self>) {}

    /// Opens.
    #[tool]
    fn itself(self: Self) {}
}

fn main() {
    let _ = Registry::builder().toolbox(Support).toolbox(Desk);
    Support.is_no_tool();
    Support.look(1);
}
