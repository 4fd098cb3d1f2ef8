//! The right tool chosen: found, described, measured.

mod search;
