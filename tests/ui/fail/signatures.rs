use toolkit::prelude::*;

/// Keeps.
#[tool]
fn for_good(text: &'static str, list: &'static [u8], inside: Option<&'static str>) {
    let _ = (text, list, inside);
}

/// Takes apart.
#[tool]
fn patterns((x, y): (u8, u8), _: u8) {
    let _ = (x, y);
}

/// Finds.
#[tool(type = "Find")]
fn quoted_type() {}

/// Finds.
#[tool(type = u8)]
fn primitive_type() {}

struct Bank;

#[toolbox]
impl Bank {
    /// Pays.
    #[tool(type = Pay)]
    fn pay(&self) {}
}

fn main() {}
