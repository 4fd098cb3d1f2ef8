//! Gate 3: the arguments, checked and put into the function's own types.

use serde_json::Value;

use super::Entry;
use crate::arguments;
use crate::call::{Outcome, ToolCall};
use crate::limits::Limits;
use crate::problem::{Path, Problem, ProblemKind};
use crate::tool::{Input, Slot, Stopped};

pub(super) fn check(
    entry: &Entry,
    call: &ToolCall,
    limits: &Limits,
    slots: &mut [&mut dyn Slot],
) -> Result<Value, Stopped> {
    if call.is_cut_off() {
        let message = "the call was cut off by the output limit; nothing ran. \
                       Send it again with shorter arguments";
        let problem = Problem::new(Path::root(), ProblemKind::NotJson, message);
        return Err(invalid(vec![problem], limits));
    }
    let value = arguments::check(&entry.schema, call.arguments(), limits)
        .map_err(|problems| invalid(problems, limits))?;
    let problems = fill(entry, &value, slots);
    if problems.is_empty() { Ok(value) } else { Err(invalid(problems, limits)) }
}

fn invalid(problems: Vec<Problem>, limits: &Limits) -> Stopped {
    let report = arguments::lines(&problems, limits);
    Stopped::Refused(Box::new(Outcome::invalid(problems, report)))
}

fn fill(entry: &Entry, value: &Value, slots: &mut [&mut dyn Slot]) -> Vec<Problem> {
    let params = match &entry.tool.input {
        Input::Params(params) => params,
        Input::Given(_) => {
            return slots
                .iter_mut()
                .filter_map(|slot| fill_one(*slot, value, &Path::root()))
                .collect();
        }
    };
    let mut problems = Vec::new();
    for (param, slot) in params.iter().zip(slots) {
        match value.get(param.name) {
            Some(argument) => {
                problems.extend(fill_one(*slot, argument, &Path::root().field(param.name)));
            }
            None => slot.leave_out(),
        }
    }
    problems
}

fn fill_one(slot: &mut dyn Slot, value: &Value, at: &Path) -> Option<Problem> {
    let steps = slot.fill(value).err()?;
    let path = steps.into_iter().fold(at.clone(), |path, step| path.then(step));
    Some(Problem::new(
        path,
        ProblemKind::Refused,
        "this value is not accepted here; send another one",
    ))
}
