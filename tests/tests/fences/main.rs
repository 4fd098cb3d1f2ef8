//! What a tool can do to its host, and what leaks out of one: nothing hangs, nothing is spoilt.

mod context;
