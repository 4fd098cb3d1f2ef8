//! What a model replied, in no provider's form.

use std::collections::BTreeSet;
use std::fmt;

use super::form::Form;
use super::shown::Mark;
use super::text_call;
use crate::call::ToolCall;

/// What a model replied: its parts in order, and why it stopped.
///
/// ```
/// use toolkit::dialect::{Ending, Reply};
///
/// let reply = Reply::call("add", r#"{"a": 2, "b": 3}"#);
/// assert_eq!(*reply.ending(), Ending::Calls);
/// assert_eq!(reply.tool_calls().map(|call| call.name()).collect::<Vec<_>>(), ["add"]);
/// assert_eq!(Reply::text("It is 5.").full_text(), "It is 5.");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    parts: Vec<Part>,
    ending: Ending,
}

/// One part of a [`Reply`].
///
/// ```
/// use toolkit::dialect::{Ending, Part, Reply};
/// use toolkit::ToolCall;
///
/// let call = ToolCall::new("call_1", "add", r#"{"a": 2"#);
/// let parts = [Part::Text("I add them.".to_owned()), Part::Call(call.clone())];
/// let reply = Reply::from_parts(parts, Ending::CutOff);
/// assert_eq!(
///     reply.parts(),
///     [Part::Text("I add them.".to_owned()), Part::Call(call.cut_off())],
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Text for the user.
    Text(String),
    /// A tool call.
    Call(ToolCall),
    /// What only its own provider understands; sent back as it came.
    Opaque {
        /// The name of the dialect that it was read in.
        dialect: &'static str,
        /// The part's JSON text.
        json: String,
    },
}

/// Why a model stopped.
///
/// ```
/// use toolkit::dialect::{Dialect, Ending, OpenAiChat};
///
/// let body = r#"{"choices": [{"message": {"content": "Once upon"}, "finish_reason": "length"}]}"#;
/// let reply = OpenAiChat.read(body)?;
/// assert_eq!(*reply.ending(), Ending::CutOff);
/// assert_eq!(reply.ending().to_string(), "cut off");
/// # Ok::<(), toolkit::dialect::DialectError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ending {
    /// It had said everything.
    Done,
    /// It waits for the results of its calls.
    Calls,
    /// It reached the limit of its output or its context; its last call is not whole.
    CutOff,
    /// It, or its provider, refused to go on.
    Refused,
    /// It waits to be asked again with the same history.
    Paused,
    /// It asked for a call in a way that is none, as text or in a form that the provider could
    /// not read.
    BadCall,
    /// The provider's own word for something else.
    Other(String),
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Done => "done",
            Self::Calls => "calls",
            Self::CutOff => "cut off",
            Self::Refused => "refused",
            Self::Paused => "paused",
            Self::BadCall => "bad call",
            Self::Other(word) => word,
        })
    }
}

impl Reply {
    /// A reply that says something and asks for nothing.
    pub fn text(text: impl Into<String>) -> Self {
        Self { parts: vec![Part::Text(text.into())], ending: Ending::Done }
    }

    /// A reply that asks for one call; its id is given when it is needed.
    pub fn call(name: impl Into<String>, arguments: impl Into<String>) -> Self {
        Self::calls([ToolCall::new("", name, arguments)])
    }

    /// A reply that asks for several calls.
    pub fn calls(calls: impl IntoIterator<Item = ToolCall>) -> Self {
        Self { parts: calls.into_iter().map(Part::Call).collect(), ending: Ending::Calls }
    }

    /// Puts a reply together from its parts.
    ///
    /// The last call of a reply that did not come to its end may not be whole,
    /// and is marked as cut off.
    pub fn from_parts(parts: impl IntoIterator<Item = Part>, ending: Ending) -> Self {
        let silent = |part: &Part| matches!(part, Part::Text(text) if text.is_empty());
        let mut parts: Vec<Part> = parts.into_iter().filter(|part| !silent(part)).collect();
        if matches!(ending, Ending::CutOff | Ending::Refused) {
            let last = parts.iter_mut().rev().find_map(|part| match part {
                Part::Call(call) => Some(call),
                Part::Text(_) | Part::Opaque { .. } => None,
            });
            if let Some(call) = last {
                *call = call.clone().cut_off();
            }
        }
        Self { parts, ending }
    }

    /// The parts, in order.
    #[must_use]
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Why the model stopped.
    #[must_use]
    pub const fn ending(&self) -> &Ending {
        &self.ending
    }

    /// Everything it said, in one piece.
    #[must_use]
    pub fn full_text(&self) -> String {
        let texts = self.parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            Part::Call(_) | Part::Opaque { .. } => None,
        });
        texts.collect()
    }

    /// The calls that it asked for, in order.
    pub fn tool_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.parts.iter().filter_map(|part| match part {
            Part::Call(call) => Some(call),
            Part::Text(_) | Part::Opaque { .. } => None,
        })
    }

    /// A reply as a dialect read it: calls have ids, and know their form.
    pub(super) fn received(parts: Vec<Part>, ending: Ending, id: Option<&str>, form: Form) -> Self {
        let mut reply = Self::from_parts(parts, ending);
        if reply.ending == Ending::Done
            && reply.tool_calls().next().is_none()
            && text_call::is_one(&reply.full_text())
        {
            reply.ending = Ending::BadCall;
        }
        let code = Mark::unread(form);
        let reply = reply.with_calls(|call| call.with_form_code(code));
        let prefix = id.map_or_else(|| "call".to_owned(), |id| format!("call_{id}"));
        reply.with_own_ids(&prefix, &mut BTreeSet::new())
    }

    /// The reply with every call as it is after a change.
    pub(super) fn with_calls(mut self, change: impl Fn(ToolCall) -> ToolCall) -> Self {
        for part in &mut self.parts {
            if let Part::Call(call) = part {
                *call = change(call.clone());
            }
        }
        self
    }

    /// Gives every call an id of its own, in place of one that is blank or taken.
    pub(crate) fn with_own_ids(mut self, prefix: &str, taken: &mut BTreeSet<String>) -> Self {
        let mut number = 0;
        for part in &mut self.parts {
            let Part::Call(call) = part else { continue };
            number += 1;
            if call.id().trim().is_empty() || taken.contains(call.id()) {
                *call = call.renamed(free_id(prefix, number, taken));
            }
            taken.insert(call.id().to_owned());
        }
        self
    }
}

fn free_id(prefix: &str, mut number: usize, taken: &BTreeSet<String>) -> String {
    loop {
        let id = format!("{prefix}_{number}");
        if !taken.contains(&id) {
            return id;
        }
        number += 1;
    }
}
