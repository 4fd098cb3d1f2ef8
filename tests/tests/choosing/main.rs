//! The right tool chosen: found, described, measured.

mod catalogue;
mod eval;
mod labelled;
mod lint;
mod requires;
mod results;
mod search;
