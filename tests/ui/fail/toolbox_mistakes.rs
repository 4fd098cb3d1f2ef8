use toolkit::prelude::*;

struct Support {
    limit: u64,
}

#[toolbox(name = "support")]
impl Support {
    #[tool(efect = "write")]
    fn undescribed(&self) {}

    /// Refunds.
    #[tool(effect = "wriet", crate = toolkit, approval(amount > self.limit))]
    async fn refund(&mut self, #[arg(minimum = 5, maximum = 1)] amount: u64, (a, b): (u8, u8)) {
        let _ = (amount, a, b);
    }

    /// Finds.
    #[tool]
    #[tool(effect = "read")]
    fn find(&self, text: impl Into<String>, #[stat] other: &Support) -> impl Send {
        let _ = (text.into(), other.limit);
    }

    /// Reads.
    #[tool = "read"]
    fn read(&self) {}

    /// Is the most.
    #[tool]
    const MOST: u64 = 3;

    #[tool(description = "  ", name = "no name")]
    unsafe fn careless(&self) {}
}

fn main() {
    let _ = Registry::builder().toolbox(Support { limit: Support::MOST });
    Support { limit: 3 }.undescribed();
}
