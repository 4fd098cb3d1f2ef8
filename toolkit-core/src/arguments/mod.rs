//! What stands between the text of a call and the function's own types.

#[cfg(feature = "testing")]
mod bare;
mod cursor;
mod decode;
mod equal;
mod example;
mod guided;
mod inside;
mod judge;
mod name;
mod object;
mod report;
mod scalar;
mod slot;
mod source;
mod text;
mod union;
#[cfg(feature = "jsonschema")]
mod whole;
mod words;

#[cfg(feature = "testing")]
pub use bare::BareSchema;
#[cfg(feature = "testing")]
pub(crate) use decode::Attempt;
pub(crate) use decode::hand_over;
pub(crate) use equal::identity;
pub use guided::{Guided, Refused};
pub(crate) use report::{check_constant, lines, normal_form};
pub use slot::Slot;
pub use source::{Parsed, Unread};
pub(crate) use text::Flaw;
