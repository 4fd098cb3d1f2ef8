//! One full schema per tool: normalised for the model, compiled for the arguments gate.

mod compile;
mod decimal;
mod format;
mod keys;
mod keyword;
mod matcher;
mod node;
mod normalize;
mod older;
mod pattern;
mod reading;
mod sample;
mod stream;
mod walk;
#[cfg(feature = "jsonschema")]
mod whole;

pub(crate) use compile::compile;
#[cfg(feature = "testing")]
pub(crate) use compile::{Reading, compile_as, integers_of};
pub(crate) use decimal::Decimal;
pub(crate) use format::{Format, pattern_words};
pub(crate) use keys::{Keys, integer_words};
pub(crate) use keyword::{is_keyword, judges};
pub(crate) use node::{Additional, Compiled, Node, NodeId, Property, Right, Type};
pub(crate) use normalize::{
    Field, given, of_fields, of_type, result, signature, without_rust_formats,
};
pub(crate) use sample::sample;
pub(crate) use stream::{Bound, Decoding, Kind, Numbers, Texts};
pub(crate) use walk::{Holds, holds, nodes, texts};
#[cfg(feature = "jsonschema")]
pub(crate) use whole::Whole;
