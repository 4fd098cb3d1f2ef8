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

    /// Holds the answer against what the tools gave: the hook by which a host flags an answer that
    /// its results do not bear out.
    ///
    /// The check is given the answer and the calls of this run that executed, in order. Without an
    /// answer there is nothing to hold, and [`Unverified::NoAnswer`] says so.
    /// [`told_numbers`] is such a check.
    ///
    /// ```
    /// use toolkit::prelude::*;
    /// use toolkit::{Agent, Reply, ScriptedModel, Unverified, told_numbers};
    ///
    /// # /// Tells what an order cost.
    /// # #[tool]
    /// # fn price(order_id: &str) -> f64 {
    /// #     80.0
    /// # }
    /// let view = Registry::builder().tools(tools![price]).build()?.view(Caller::new("ann"));
    /// let model = ScriptedModel::new([
    ///     Reply::call("price", r#"{"order_id": "O-1"}"#),
    ///     Reply::text("It cost 90 euros."),
    /// ]);
    /// let run = Agent::new(model, view).run_blocking("What did O-1 cost?")?;
    /// assert_eq!(
    ///     run.verify(told_numbers),
    ///     Err(Unverified::Contradicted("the answer says 90, which no tool said".to_owned())),
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// There is no answer, or what the check has against it.
    pub fn verify(
        &self,
        check: impl FnOnce(&str, &[&Answered]) -> Result<(), String>,
    ) -> Result<(), Unverified> {
        let answer = self.answer().ok_or(Unverified::NoAnswer)?;
        let executed: Vec<&Answered> =
            self.answered().filter(|answered| answered.outcome.executed()).collect();
        check(&answer, &executed).map_err(Unverified::Contradicted)
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

    fn answered(&self) -> impl Iterator<Item = &Answered> {
        self.transcript().iter().flat_map(|message| match message {
            Message::Results(answered) => answered.as_slice(),
            Message::User(_) | Message::Assistant(_) => &[],
        })
    }

    fn named(&self, wanted: impl Fn(&Answered) -> bool) -> Vec<&str> {
        self.answered()
            .filter(|answered| wanted(answered))
            .map(|answered| answered.call.name())
            .collect()
    }
}

/// Why an answer is not to be relied on.
///
/// ```
/// use toolkit::Unverified;
///
/// let why = Unverified::Contradicted("the refund failed".to_owned());
/// assert_eq!(why.to_string(), "the answer contradicts the results: the refund failed");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unverified {
    /// The run did not end in an answer.
    NoAnswer,
    /// What the check has against it.
    Contradicted(String),
}

impl fmt::Display for Unverified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoAnswer => f.write_str("the run did not end in an answer"),
            Self::Contradicted(why) => write!(f, "the answer contradicts the results: {why}"),
        }
    }
}

impl std::error::Error for Unverified {}

/// A check for [`Run::verify`]: every number of the answer was said by a tool, or asked of one.
///
/// Numbers are compared by their size, so that `80.0` bears out `80`. Those from 0 to 10 are let
/// be: they count things as often as they tell them.
///
/// ```
/// use toolkit::told_numbers;
///
/// assert_eq!(told_numbers("There are 3 of them.", &[]), Ok(()));
/// assert!(told_numbers("It cost 80 euros.", &[]).is_err());
/// ```
///
/// # Errors
/// The first number that was not said.
pub fn told_numbers(answer: &str, results: &[&Answered]) -> Result<(), String> {
    let said: Vec<f64> = results
        .iter()
        .flat_map(|answered| {
            let (arguments, text) = (answered.call.arguments(), answered.outcome.text());
            numbers(&arguments)
                .into_iter()
                .chain(numbers(text))
                .map(|(number, _)| number)
                .collect::<Vec<_>>()
        })
        .collect();
    let is_said = |number: f64| said.iter().any(|said| (said - number).abs() < 1e-9);
    let unsaid = numbers(answer)
        .into_iter()
        .find(|(number, _)| !(0.0..=10.0).contains(number) && !is_said(*number));
    match unsaid {
        Some((_, text)) => Err(format!("the answer says {text}, which no tool said")),
        None => Ok(()),
    }
}

/// The numbers in a text, each as it is written; a comma parts thousands.
fn numbers(text: &str) -> Vec<(f64, &str)> {
    let is_of_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',');
    let parts = text.split(|c: char| !is_of_number(c));
    let read = parts.filter_map(|part| {
        let part = part.trim_matches(['.', ',']);
        Some((part.replace(',', "").parse().ok()?, part))
    });
    read.collect()
}
