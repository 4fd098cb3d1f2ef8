//! The neutral history: what was said, asked and answered, in no provider's form.

use super::reply::Reply;
use crate::call::{Outcome, ToolCall};

/// One message of a history.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// What the user said.
    User(String),
    /// What the model replied.
    Assistant(Reply),
    /// What the calls of the reply before it came to, in the order of the calls.
    Results(Vec<Answered>),
}

/// A call and what it came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Answered {
    /// The call, as the model sent it.
    pub call: ToolCall,
    /// What it came to.
    pub outcome: Outcome,
}

impl Answered {
    /// Puts a call and its outcome together.
    #[must_use]
    pub const fn new(call: ToolCall, outcome: Outcome) -> Self {
        Self { call, outcome }
    }
}
