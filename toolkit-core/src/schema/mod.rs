//! One full schema per tool: normalised for the model, compiled for the arguments gate.

mod compile;
mod decimal;
mod format;
mod node;
mod normalize;
mod pattern;
mod reading;
mod sample;

pub(crate) use compile::compile;
#[cfg(feature = "testing")]
pub(crate) use compile::integers_of;
pub(crate) use decimal::Decimal;
#[cfg(feature = "testing")]
pub(crate) use format::{ASSERTED_FORMATS, Format};
pub(crate) use node::{Additional, Compiled, Node, NodeId, Property, Type};
pub(crate) use normalize::{Field, INTEGER_KEYS, given, result, signature, without_rust_formats};
pub(crate) use sample::sample;
