//! What a tool says of itself: keys of the attribute, and methods of a tool made at run time.

mod closure;
mod policy;
mod shown;
