//! What the attribute fills in.

use schemars::Schema;

use super::Policy;
use super::argument::Param;
use super::passage::{Passage, Rest, Stopped};
use super::state::StateNeed;
use crate::output::Output;

/// The generated call function.
#[derive(Debug, Clone, Copy)]
pub enum Call {
    /// Of a function that is done when it returns, with no rule that may wait.
    AtOnce(fn(Passage<'_>) -> Result<Output, Stopped>),
    /// Of any other: its arguments are read at once, and the rest comes later.
    Later(for<'a> fn(Passage<'a>) -> Result<Rest<'a>, Stopped>),
}

/// Everything that the attribute fills in.
#[derive(Debug)]
pub struct Table {
    /// The name that the model asks for.
    pub name: &'static str,
    /// A name for people.
    pub title: Option<&'static str>,
    /// What the model chooses by.
    pub description: &'static str,
    /// The function's module, file and line.
    pub place: (&'static str, &'static str, u32),
    /// What the gates go by.
    pub policy: fn() -> Policy,
    /// The parameters that the model fills, in the signature's order.
    pub params: &'static [Param],
    /// The states that the tool asks for.
    pub states: &'static [StateNeed],
    /// The schema of the result, where its type has one.
    pub output: fn() -> Option<Schema>,
    /// The generated call function.
    pub call: Call,
}

impl Table {
    /// A tool that says nothing of itself.
    pub const NONE: Self = Self {
        name: "",
        title: None,
        description: "",
        place: ("", "", 0),
        policy: || Policy::DEFAULT,
        params: &[],
        states: &[],
        output: || None,
        call: Call::Later(|_| Ok(Box::pin(std::future::pending()))),
    };
}

/// The tool that an annotated function is.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tool",
    label = "not a tool",
    note = "put `#[tool(description = \"…\")]` on the function"
)]
pub trait Annotated {
    /// What the attribute filled in.
    const TABLE: &'static Table;
}
