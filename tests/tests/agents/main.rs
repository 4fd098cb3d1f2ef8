//! A registry in the loops of other crates.

mod openai;
mod rig;
