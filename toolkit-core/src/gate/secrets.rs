//! What is told of arguments of which some are secret.

use serde_json::{Map, Value};

use super::Entry;
use crate::problem::{Path, Problem, ProblemKind, Step};
use crate::schema::nodes;
use crate::secret::{HIDDEN, KEYWORD};

/// The fields of a schema that are secret.
///
/// # Errors
/// A secret that stands elsewhere than as a field of the arguments object itself.
pub(crate) fn secrets_of(schema: &Value) -> Result<Vec<String>, String> {
    let is_secret = |node: &Value| node.get(KEYWORD) == Some(&Value::Bool(true));
    let fields = schema.get("properties").and_then(Value::as_object);
    let fields = || fields.into_iter().flatten().filter(|(_, node)| is_secret(node));
    let secrets: Vec<String> = fields().map(|(name, _)| name.clone()).collect();
    let is_marked = |node: &&Map<String, Value>| node.get(KEYWORD) == Some(&Value::Bool(true));
    if nodes(schema).iter().filter(|node| is_marked(node)).count() == secrets.len() {
        return Ok(secrets);
    }
    Err("a secret stands inside of another argument, where it would be shown with it; make it a \
         parameter of its own, like `token: Secret<String>` or `Option<Secret<String>>`"
        .to_owned())
}

/// What others see of the canonical arguments; `None` where they may see all.
pub(super) fn told(secrets: &[String], value: &Value) -> Option<(Value, String)> {
    if secrets.is_empty() {
        return None;
    }
    let mut told = value.clone();
    for name in secrets {
        if let Some(value) = told.get_mut(name) {
            *value = HIDDEN.into();
        }
    }
    let text = told.to_string();
    Some((told, text))
}

/// The problems of a call without a value that may be, or hold, a secret.
///
/// What is wrong as a whole, and what stands under a name that is none, may be a secret that was
/// put in the wrong place.
pub(crate) fn unsaid(entry: &Entry, problems: Vec<Problem>) -> Vec<Problem> {
    if entry.secrets.is_empty() {
        return problems;
    }
    problems.into_iter().map(|problem| said_of(entry, problem)).collect()
}

fn said_of(entry: &Entry, problem: Problem) -> Problem {
    const UNSHOWN: &str = "is not accepted, and is not shown since it is secret";
    let named = match problem.path().steps().first() {
        Some(Step::Field(name)) if entry.fields.contains(name) => Some(name),
        Some(Step::Field(_) | Step::Item(_)) | None => None,
    };
    let is_secret = named.is_some_and(|name| entry.secrets.contains(name));
    let names_it_alone = match problem.kind() {
        ProblemKind::MissingField | ProblemKind::DuplicateField => {
            named.is_some() && problem.path().steps().len() == 1
        }
        ProblemKind::OverLimit => problem.path().steps().is_empty(),
        _ => false,
    };
    if names_it_alone || (named.is_some() && !is_secret) {
        return problem;
    }
    let (path, kind) = (Path::root(), problem.kind());
    match named {
        // What a secret lacks, or has twice, is told of the secret itself.
        Some(name) if kind.shown_at_object() => {
            Problem::new(path.field(name), ProblemKind::Refused, UNSHOWN)
        }
        Some(name) => Problem::new(path.field(name), kind, UNSHOWN),
        None if kind == ProblemKind::NotJson => Problem::new(path, kind, "is not one JSON object"),
        None if problem.path().steps().is_empty() => Problem::new(path, kind, UNSHOWN),
        // A field that the tool does not have: its name may be a secret as its value may.
        None => Problem::new(path, ProblemKind::Refused, UNKNOWN),
    }
}

/// What is said of a field that a tool with secrets does not have.
const UNKNOWN: &str = "has a field that the tool does not have; neither its name nor its value is \
                       shown, since some arguments are secret";
