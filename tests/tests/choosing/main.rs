//! The right tool chosen: found, described, measured.

mod catalogue;
mod lint;
mod search;
