use toolkit::prelude::*;

struct Support;

#[toolbox]
impl Support {
    const BLANK: &'static str = " ";

    #[tool(description = Self::BLANK)]
    fn blank(&self, #[arg(description = Self::BLANK)] order: u8) {
        let _ = order;
    }
}

fn main() {}
