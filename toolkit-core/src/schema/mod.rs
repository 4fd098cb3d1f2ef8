//! One full schema per tool: normalised for the model, compiled for the arguments gate.

mod compile;
mod decimal;
mod format;
mod node;
mod normalize;
mod pattern;
mod reading;

pub(crate) use compile::compile;
pub(crate) use decimal::Decimal;
pub(crate) use node::{Additional, Compiled, Node, NodeId, Type};
pub(crate) use normalize::{Field, INTEGER_KEYS, given, result, signature, without_rust_formats};
