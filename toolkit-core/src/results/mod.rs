//! Results that a model can go on with: whole rows, and as much of each as it asks for.

mod detail;
mod rows;

pub use detail::{Concise, Detail, FORMAT, Formatted, in_format};
pub use rows::Rows;
