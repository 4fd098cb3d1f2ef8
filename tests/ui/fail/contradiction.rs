use toolkit::prelude::*;

/// Finds.
#[tool]
fn find(
    #[arg(minimum = 5, maximum = 1)] a: u8,
    #[arg(minimum = 0.5, exclusive_maximum = 0.5)] b: f64,
    #[arg(max_length = 1, min_length = 2)] c: String,
    #[arg(min_items = 3, max_items = 2, unique_items = 1)] d: Vec<u8>,
    #[arg(min_length = -1, max_length = "5")] e: String,
    #[arg(multiple_of = 0, minimum = "0")] f: u8,
    #[arg(examples = 5)] g: u8,
    #[arg(minimum = 5, maximum = 5)] fine: u8,
) {
    let _ = (a, b, c, d, e, f, g, fine);
}

fn main() {}
