use toolkit::prelude::*;

struct Order {
    id: String,
}

fn main() {
    let _ = Tool::from_fn("find", "Finds.", |order: Order, _| order.id);
}
