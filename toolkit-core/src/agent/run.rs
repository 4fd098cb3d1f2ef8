//! What a run came to.

use std::fmt;

use super::budget::Bound;
use super::model::ModelError;
use crate::dialect::{Answered, Ending, Message};
use crate::error::FatalToolError;

/// Why a run ended.
///
/// ```
/// use toolkit::dialect::{Ending, Part, Reply};
/// use toolkit::prelude::*;
/// use toolkit::{Agent, ScriptedModel, Stop};
///
/// let view = Registry::builder().build()?.view(Caller::new("ann"));
/// let half = Reply::from_parts([Part::Text("Once upon".to_owned())], Ending::CutOff);
/// let run = Agent::new(ScriptedModel::new([half]), view).run_blocking("Tell a tale.")?;
/// assert_eq!(*run.stop(), Stop::Unanswered(Ending::CutOff));
/// assert_eq!(run.stop().to_string(), "no whole answer (cut off)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stop {
    /// The model answered.
    Answered,
    /// The model stopped without a whole answer.
    Unanswered(Ending),
    /// A bound of the budget was reached.
    Budget(Bound),
    /// A tool ended the run.
    Fatal {
        /// The tool that was called.
        tool: String,
        /// What it raised; the model reads nothing of it.
        error: FatalToolError,
    },
    /// The model gave no reply.
    Model(ModelError),
    /// The host wanted the run no more: [`Agent::cancellation`](super::Agent::cancellation).
    Cancelled,
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Answered => f.write_str("answered"),
            Self::Unanswered(ending) => write!(f, "no whole answer ({ending})"),
            Self::Budget(bound) => write!(f, "out of {bound}"),
            Self::Fatal { tool, error } => write!(f, "tool `{tool}` ended the run: {error}"),
            Self::Model(error) => write!(f, "the model gave no reply: {error}"),
            Self::Cancelled => f.write_str("cancelled"),
        }
    }
}

/// A run that is over: how it ended, and all that happened in it.
///
/// ```
/// use toolkit::prelude::*;
/// use toolkit::{Agent, Reply, ScriptedModel};
///
/// # /// Adds two numbers.
/// # #[tool]
/// # fn add(a: i64, b: i64) -> i64 {
/// #     a + b
/// # }
/// let view = Registry::builder().tools(tools![add]).build()?.view(Caller::new("ann"));
/// let model = ScriptedModel::new([
///     Reply::call("sum", r#"{"a": 2, "b": 40}"#),
///     Reply::call("add", r#"{"a": 2, "b": 40}"#),
///     Reply::text("It is 42."),
/// ]);
/// let run = Agent::new(model, view).run_blocking("What is 2 plus 40?")?;
/// assert!(run.ok());
/// assert_eq!(run.requested_tools(), ["sum", "add"]);
/// assert_eq!(run.blocked_tools(), ["sum"]);
/// assert_eq!(run.trajectory(), ["add"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    messages: Vec<Message>,
    earlier: usize,
    stop: Stop,
}

impl Run {
    pub(crate) const fn new(messages: Vec<Message>, earlier: usize, stop: Stop) -> Self {
        Self { messages, earlier, stop }
    }

    /// Why it ended.
    #[must_use]
    pub const fn stop(&self) -> &Stop {
        &self.stop
    }

    /// Whether the model answered; no other way to end is a success.
    #[must_use]
    pub fn ok(&self) -> bool {
        self.stop == Stop::Answered
    }

    /// What the model answered; `None` where the run did not end in an answer.
    #[must_use]
    pub fn answer(&self) -> Option<String> {
        match self.messages.last() {
            Some(Message::Assistant(reply)) if self.ok() => Some(reply.full_text()),
            _ => None,
        }
    }

    /// The tools that the model asked for, in order, each as often as it asked.
    #[must_use]
    pub fn requested_tools(&self) -> Vec<&str> {
        self.named(|_| true)
    }

    /// The tools that executed, in order, also those that failed in doing so.
    #[must_use]
    pub fn trajectory(&self) -> Vec<&str> {
        self.named(|answered| answered.outcome.executed())
    }

    /// The tools that were asked for and did not execute, in order.
    #[must_use]
    pub fn blocked_tools(&self) -> Vec<&str> {
        self.named(|answered| !answered.outcome.executed())
    }

    /// The messages of this run, from the user's request on.
    #[must_use]
    pub fn transcript(&self) -> &[Message] {
        self.messages.get(self.earlier..).unwrap_or_default()
    }

    /// Everything since the first run began, ready for [`Agent::resume`].
    ///
    /// Every call in it is answered, whatever ended the run.
    ///
    /// [`Agent::resume`]: super::Agent::resume
    #[must_use]
    pub fn resumable_messages(&self) -> Vec<Message> {
        self.messages.clone()
    }

    fn named(&self, wanted: impl Fn(&Answered) -> bool) -> Vec<&str> {
        let answered = self.transcript().iter().flat_map(|message| match message {
            Message::Results(answered) => answered.as_slice(),
            Message::User(_) | Message::Assistant(_) => &[],
        });
        answered.filter(|answered| wanted(answered)).map(|answered| answered.call.name()).collect()
    }
}
