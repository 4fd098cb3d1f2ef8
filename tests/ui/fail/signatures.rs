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

mod search {}

/// Searches.
#[tool]
fn search() {}

fn main() {}
