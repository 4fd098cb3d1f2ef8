//! The right tool chosen: found, described, measured.

mod lint;
mod search;
