use std::rc::Rc;

use toolkit::prelude::*;

async fn later() {}

/// Counts.
#[tool]
async fn count() -> u8 {
    let count = Rc::new(1);
    later().await;
    *count
}

fn main() {}
