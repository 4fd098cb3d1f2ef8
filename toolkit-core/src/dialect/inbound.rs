//! A call on its way in: from the form that its provider was shown to the full schema's.

use std::sync::Arc;

use super::project::{Decoded, Projection};
use crate::arguments::{lines, normal_form};
use crate::call::{Arguments, Outcome, Status, ToolCall};
use crate::gate::{Entry, unsaid};
use crate::limits::Limits;
use crate::problem::{Path, Problem};

/// How the arguments of a call are to be read.
pub(crate) enum Reading {
    /// As they are: they are in the full schema's form.
    Full,
    In(Arc<Projection>),
    /// In this form or in the full schema's: the tool was not shown when it was called.
    Unshown(Arc<Projection>),
    /// In a form that nobody knows.
    Unknown,
}

/// A call as the gates take it.
pub(crate) struct Inbound {
    pub(crate) call: ToolCall,
    decoded: Option<Decoded>,
}

impl Inbound {
    /// Decodes a call; its outcome where that shows what is wrong.
    pub(crate) fn of(
        call: &ToolCall,
        entry: &Entry,
        reading: &Reading,
        limits: &Limits,
    ) -> Result<Self, Box<Outcome>> {
        let name = entry.tool.name.as_str();
        let arguments = call.arguments();
        let is_read = !call.is_cut_off() && arguments.len() <= limits.argument_bytes;
        let not_shown = || Err(Box::new(Outcome::not_shown(name)));
        let projection = match reading {
            Reading::Full => None,
            Reading::In(projection) => Some(projection),
            Reading::Unshown(other) if !is_read || is_same(other, &arguments, entry, limits) => {
                None
            }
            Reading::Unshown(_) | Reading::Unknown => return not_shown(),
        };
        let decoded =
            projection.filter(|_| is_read).and_then(|projection| projection.decoded(&arguments));
        let Some(decoded) = decoded else {
            return Ok(Self { call: call.of_tool(name, None), decoded: None });
        };
        if decoded.problems.is_empty() {
            let call = call.of_tool(name, Some(decoded.text.clone()));
            return Ok(Self { call, decoded: Some(decoded) });
        }
        // The rest of the arguments is judged all the same: one report is enough for one retry.
        let others = normal_form(&entry.schema, Arguments::Text(&decoded.text), limits);
        let is_new = |problem: &Problem| {
            let is_inside = |refused: &Path| problem.path().steps().starts_with(refused.steps());
            !decoded.refused.iter().any(is_inside)
        };
        let others = others.err().unwrap_or_default().into_iter().filter(is_new);
        let others = others.map(|problem| moved(&decoded, problem));
        let problems: Vec<Problem> = decoded.problems.iter().cloned().chain(others).collect();
        let problems = unsaid(entry, problems);
        let report = lines(&problems, limits);
        Err(Box::new(Outcome::invalid(problems, report)))
    }

    /// Tells what is wrong at the places that the model knows.
    pub(crate) fn told(&self, outcome: Outcome, limits: &Limits) -> Outcome {
        let Some(decoded) = &self.decoded else { return outcome };
        if outcome.status() != Status::Invalid {
            return outcome;
        }
        let problems: Vec<Problem> =
            outcome.problems().iter().map(|problem| moved(decoded, problem.clone())).collect();
        if problems == outcome.problems() {
            return outcome;
        }
        let report = lines(&problems, limits);
        Outcome::invalid(problems, report)
    }
}

/// Whether arguments say the same in a form and in the full schema's.
fn is_same(form: &Projection, arguments: &str, entry: &Entry, limits: &Limits) -> bool {
    let read = |text: &str| normal_form(&entry.schema, Arguments::Text(text), limits).ok();
    let decoded = form.decode(arguments).ok();
    decoded.and_then(|decoded| read(&decoded)) == read(arguments)
}

fn moved(decoded: &Decoded, problem: Problem) -> Problem {
    let path = decoded.wire_path(problem.path());
    problem.at(path)
}
