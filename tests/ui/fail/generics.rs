use toolkit::prelude::*;

/// Finds.
#[tool]
fn by_type<T: std::fmt::Display>(value: T) {
    let _ = value;
}

/// Finds.
#[tool]
fn by_number<const N: usize>(values: [u8; N]) {
    let _ = values;
}

fn main() {}
