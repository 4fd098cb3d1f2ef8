//! The ledger: its rules in every order of events, and its rows.

mod cells;
mod incidents;
mod model;
mod prompt;
mod property;
mod rows;
mod samples;
mod simulation;
mod world;
