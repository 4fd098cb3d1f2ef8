use toolkit::prelude::*;

struct Support;

#[toolbox]
impl Support {
    const BLANK: &'static str = " ";

    #[tool(description = Self::BLANK)]
    fn blank(&self, #[arg(description = Self::BLANK)] order: u8) {
        let _ = order;
    }

    #[tool(description = Self::LIMIT)]
    fn number(&self, #[arg(description = Self::LIMIT)] order: u8) {
        let _ = order;
    }

    const LIMIT: u64 = 3;
}

fn main() {}
