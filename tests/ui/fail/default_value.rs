use toolkit::prelude::*;

/// Finds.
#[tool]
fn find(
    #[arg(default)] limit: u32,
    #[arg(default = )] offset: u32,
    #[arg(default = 1, default = 2)] page: u32,
    #[arg(examples = "O-1")] order_id: String,
    #[arg(examples = [])] other: String,
) {
    let _ = (limit, offset, page, order_id, other);
}

fn main() {}
