//! The ledger: its rules in every order of events, and its rows.

mod cells;
mod model;
mod samples;
mod simulation;
mod world;
