//! What stands between the text of a call and the function's own types.

mod bare;
mod equal;
mod judge;
mod object;
mod report;
mod text;
mod union;
#[cfg(feature = "jsonschema")]
mod whole;
mod words;

pub use bare::BareSchema;
pub(crate) use report::{check, check_constant, lines};
