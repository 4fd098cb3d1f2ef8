use toolkit::prelude::*;

struct Support {
    limit: u64,
}

struct Order;

#[toolbox]
impl Support {
    /// Refunds.
    #[tool(check = self.is_known(), check = self.limit, approval(self.limits > 3))]
    fn refund(&self) {}

    /// Refunds.
    #[tool(approval = self.limit)]
    fn refund_all(&self, #[state] other: Support) {
        let _ = other;
    }

    /// Refunds.
    #[tool(approval(self.limit > 3))]
    fn refund_none() {}

    /// Finds.
    #[tool]
    fn find(&self, order: Order, #[arg(minimum = 1)] text: &str) -> Order {
        let _ = text;
        order
    }
}

fn main() {}
