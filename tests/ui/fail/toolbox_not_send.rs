use std::rc::Rc;

use toolkit::prelude::*;

struct Support {
    limit: u64,
}

async fn later() {}

#[toolbox]
impl Support {
    /// Waits.
    #[tool]
    async fn wait(&self) -> u64 {
        let limit = Rc::new(self.limit);
        later().await;
        *limit
    }
}

fn main() {}
