//! Checks argument text, and puts what is wrong with it into lines.

use std::fmt::Write;

use serde_json::{Map, Value};

use super::judge::{self, judge};
use super::text::read;
use crate::call::Arguments;
use crate::limits::Limits;
use crate::problem::{Path, Problem, ProblemKind, cut};
use crate::schema::Compiled;

/// The normal form of a call's arguments, or every problem: those of the text, then by place.
pub(crate) fn normal_form(
    schema: &Compiled,
    arguments: Arguments<'_>,
    limits: &Limits,
) -> Result<Value, Vec<Problem>> {
    match arguments {
        Arguments::Text(text) => check(schema, text, limits),
        Arguments::Value(value) => check(schema, &value.to_string(), limits),
    }
}

fn check(schema: &Compiled, text: &str, limits: &Limits) -> Result<Value, Vec<Problem>> {
    let (json, mut problems) = read(text, limits).map_err(|problem| vec![*problem])?;
    match judge(schema, &json, limits) {
        Ok(value) if problems.is_empty() => Ok(value),
        Ok(_) => Err(problems),
        Err(more) => {
            problems.extend(more);
            Err(problems)
        }
    }
}

/// Every problem that the text rules and the schema have with arguments.
pub(super) fn problems(
    schema: &Compiled,
    arguments: Arguments<'_>,
    limits: &Limits,
) -> Vec<Problem> {
    let written;
    let text = match arguments {
        Arguments::Text(text) => text,
        Arguments::Value(value) => {
            written = value.to_string();
            &written
        }
    };
    match read(text, limits) {
        Err(problem) => vec![*problem],
        Ok((json, mut problems)) => {
            problems.extend(judge::problems(schema, &json, limits));
            problems
        }
    }
}

/// The error's own text is a type's and may tell what it should not: only the place is told.
pub(super) fn refused_by_type(place: Path) -> Problem {
    Problem::new(place, ProblemKind::Refused, "this value is not accepted here; send another one")
}

/// Whether a constant of the program, like a default, is what a property accepts.
pub(crate) fn check_constant(schema: &Compiled, property: &str, value: &Value) -> Vec<Problem> {
    let limits = Limits::default();
    let text = Value::Object(Map::from_iter([(property.to_owned(), value.clone())])).to_string();
    match check(schema, &text, &limits) {
        Ok(_) => Vec::new(),
        // The other properties are missing here, and that is no fault of the constant.
        Err(problems) => problems
            .into_iter()
            .filter(|p| p.path().steps().len() > 1 || p.kind() != ProblemKind::MissingField)
            .collect(),
    }
}

/// The report as the model reads it, one problem a line, within its bounds.
pub(crate) fn lines(problems: &[Problem], limits: &Limits) -> String {
    /// Room for a few lines.
    const USUAL: usize = 256;
    let mut report = String::with_capacity(USUAL.min(limits.report_bytes));
    for (index, problem) in problems.iter().enumerate() {
        let before = report.len();
        if index > 0 {
            report.push('\n');
        }
        let start = report.len();
        if write!(report, "{problem}").is_err() {
            break;
        }
        let is_full = before + (report.len() - start) > limits.report_bytes;
        if index > 0 && (is_full || index >= limits.problems) {
            report.truncate(before);
            let left = problems.len() - index;
            report.extend(["\n… and ", &left.to_string(), " more"]);
            break;
        }
        let kept = cut(&report, start.saturating_add(limits.report_bytes)).len();
        report.truncate(kept);
    }
    report
}
