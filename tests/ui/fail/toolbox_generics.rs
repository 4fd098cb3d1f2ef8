use std::fmt::Display;

use toolkit::prelude::*;

struct Till<T>(T);

#[toolbox]
impl<T: Display> Till<T> {
    /// Counts.
    #[tool]
    fn count(&self) -> String {
        self.0.to_string()
    }
}

struct Row<const N: usize>([u8; N]);

#[toolbox]
impl<const N: usize> Row<N> {
    /// Counts.
    #[tool]
    fn count(&self) -> usize {
        self.0.len()
    }
}

struct Lent<'a>(&'a str);

#[toolbox]
impl<'a> Lent<'a> {
    /// Reads.
    #[tool]
    fn read(&self) -> &str {
        self.0
    }
}

struct Lend<'a>(&'a str);

#[toolbox]
impl Lend<'_> {
    /// Reads.
    #[tool]
    fn read<T: Display>(&self, text: T) -> String {
        format!("{}{text}", self.0)
    }
}

fn main() {
    let _ = Registry::builder().toolbox(Till(1)).toolbox(Row([1, 2])).toolbox(Lent("a"));
}
