use toolkit::Concise;
use toolkit::prelude::*;

/// Looks.
#[tool(formats)]
fn taken(format: &str) -> Vec<Order> {
    let _ = format;
    Vec::new()
}

/// Looks.
#[tool(formats)]
fn renamed(#[arg(rename = "format")] form: &str) -> Vec<Order> {
    let _ = form;
    Vec::new()
}

/// Pays.
#[tool(effect = "write", formats)]
fn pays() -> Vec<Order> {
    Vec::new()
}

/// An order.
#[arg_type]
struct Order {
    id: String,
}

impl Concise for Order {
    type View = String;

    fn concise(self) -> String {
        self.id
    }
}

fn main() {}
