use toolkit::prelude::*;

/// Finds.
#[tool]
fn find(
    #[arg(minimum = 1)] text: String,
    #[arg(max_length = 10)] number: Option<u32>,
    #[arg(pattern = "^a")] list: Vec<String>,
    #[arg(min_items = 1)] lent: &str,
) {
    let _ = (text, number, list, lent);
}

fn main() {}
