//! One full schema per tool: normalised for the model, compiled for the arguments gate.

mod compile;
mod decimal;
mod format;
mod keys;
mod keyword;
mod node;
mod normalize;
mod older;
mod pattern;
mod reading;
#[cfg(feature = "jsonschema")]
mod whole;

pub(crate) use compile::{Reading, compile, compile_as};
pub(crate) use decimal::Decimal;
pub(crate) use format::pattern_words;
pub(crate) use keys::{Keys, integer_words};
pub(crate) use node::{Additional, Compiled, Node, NodeId, Type};
pub(crate) use normalize::{Field, given, result, signature, without_rust_formats};
#[cfg(feature = "jsonschema")]
pub(crate) use whole::Whole;
