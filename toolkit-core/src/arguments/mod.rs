//! What stands between the text of a call and the function's own types.

mod equal;
mod example;
mod judge;
mod object;
mod report;
mod text;
mod union;
mod words;

pub(crate) use report::{check, check_constant, lines};
