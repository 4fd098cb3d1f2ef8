use std::cell::Cell;
use std::sync::Arc;

use toolkit::prelude::*;

struct Plain;

struct Counter(Cell<u8>);

#[toolbox]
impl Counter {
    /// Counts.
    #[tool]
    fn count(&self) -> u8 {
        self.0.get()
    }
}

struct Desk;

#[toolbox]
impl Desk {
    /// Opens.
    #[tool]
    fn open(&self) {}
}

fn main() {
    let _ = Registry::builder().toolbox(Plain);
    let _ = Registry::builder().toolbox(Arc::new(Plain));
    let _ = Registry::builder().toolbox(&Desk);
    let _ = Tool::all_of::<Plain>();
}
