//! What a tool can do to its host, and what leaks out of one: nothing hangs, nothing is spoilt.

mod batches;
mod context;
mod ends;
mod leaks;
mod panics;
mod results;
mod room;
mod rounds;
mod rules;
mod secrets;
mod taint;
mod threads;
mod time;
mod words;
