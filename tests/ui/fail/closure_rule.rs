use toolkit::prelude::*;

#[arg_type]
struct Order {
    id: String,
}

fn main() {
    let find = Tool::from_fn("find", "Finds.", |order: Order, _| order.id);
    let _ = find.check(|order: Order, _| async move {
        if order.id.is_empty() { Err(ToolError::business("no such order")) } else { Ok(()) }
    });
}
