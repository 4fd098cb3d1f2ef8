use toolkit::prelude::*;

/// Finds.
#[tool]
fn find(
    #[serde(default)] limit: u32,
    #[schemars(range(min = 1))] offset: u32,
    #[default = 5] page: u32,
    #[description = "The order."] order_id: String,
) {
    let _ = (limit, offset, page, order_id);
}

fn main() {}
