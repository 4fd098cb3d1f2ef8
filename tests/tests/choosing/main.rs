//! The right tool chosen: found, described, measured.

mod catalogue;
mod eval;
mod lint;
mod requires;
mod results;
mod search;
