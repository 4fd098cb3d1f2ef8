use std::rc::Rc;

use toolkit::prelude::*;

#[arg_type]
struct Order {
    id: String,
}

struct Receipt;

fn main() {
    let _ = Tool::from_fn("find", "Finds.", |_: Order, _| Receipt);
    let _ = Tool::from_fn("later", "Finds.", |_: Order, _| async { Ok::<_, ToolError>(Receipt) });
    let _ = Tool::from_fn("here", "Finds.", |order: Order, _| async move {
        let shared = Rc::new(order.id);
        std::future::ready(()).await;
        shared.len()
    });
}
