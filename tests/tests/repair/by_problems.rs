//! Mends a call by its `Problem`s and nothing else.

use serde_json::Value;
use toolkit::{Problem, ProblemKind, Step};

/// The call as one retry would send it.
pub fn repaired(arguments: &Value, problems: &[Problem]) -> Value {
    let mut call = arguments.clone();
    let is_meant = |missing: &Problem| {
        problems.iter().any(|problem| {
            problem.kind() == ProblemKind::UnexpectedField
                && problem.suggestion().and_then(Value::as_str) == Some(name(missing))
                && parent(problem) == parent(missing)
        })
    };
    for problem in problems {
        let right = problem.suggestion().or(problem.example()).cloned();
        match (problem.kind(), right) {
            (ProblemKind::UnexpectedField, _) | (_, None) => {}
            (ProblemKind::MissingField, _) if is_meant(problem) => {}
            (ProblemKind::MissingField, Some(value)) => add(&mut call, problem, value),
            (_, Some(value)) => {
                // It may have gone with what held it.
                if let Some(held) = at(&mut call, problem.path().steps()) {
                    *held = value;
                }
            }
        }
    }
    // What is renamed or taken away moves what is within or behind it, so that goes first.
    for problem in problems.iter().rev() {
        match problem.kind() {
            ProblemKind::UnexpectedField => {
                let meant = problem.suggestion().and_then(Value::as_str);
                let object = at(&mut call, parent(problem)).and_then(Value::as_object_mut);
                let Some(object) = object else { continue };
                let held = object.remove(name(problem));
                if let (Some(meant), Some(held)) = (meant, held) {
                    object.insert(meant.to_owned(), held);
                }
            }
            // No value is right there.
            ProblemKind::NotAllowed
                if problem.example().is_none() && problem.suggestion().is_none() =>
            {
                if let Some(Value::Object(object)) = at(&mut call, parent(problem)) {
                    object.remove(name(problem));
                }
            }
            ProblemKind::NotUnique if problem.example().is_none() && !is_of_list(problem) => {
                if let (Some(Value::Array(items)), Some(Step::Item(index))) =
                    (at(&mut call, parent(problem)), problem.path().steps().last())
                    && *index < items.len()
                {
                    items.remove(*index);
                }
            }
            _ => {}
        }
    }
    // Now it shows what is equal.
    for problem in problems.iter().filter(|p| is_of_list(p)) {
        let place = renamed(problem.path().steps(), problems);
        if let Some(Value::Array(items)) = at(&mut call, &place) {
            let mut seen: Vec<Value> = Vec::new();
            let is_there = |seen: &[Value], item: &Value| seen.iter().any(|s| key(s) == key(item));
            for item in std::mem::take(items) {
                if !is_there(&seen, &item) {
                    seen.push(item);
                }
            }
            *items = seen;
        }
    }
    call
}

/// Whether the items of a list are to differ; else one item is to go.
fn is_of_list(problem: &Problem) -> bool {
    problem.kind() == ProblemKind::NotUnique && problem.expected() == Some("items that differ")
}

/// Where a place is once fields are renamed.
fn renamed(place: &[Step], problems: &[Problem]) -> Vec<Step> {
    let step = |depth: usize| {
        let slip = problems.iter().find(|problem| {
            problem.kind() == ProblemKind::UnexpectedField
                && problem.path().steps() == &place[..=depth]
        });
        let meant = slip.and_then(Problem::suggestion).and_then(Value::as_str);
        meant.map_or_else(|| place[depth].clone(), |meant| Step::Field(meant.to_owned()))
    };
    (0..place.len()).map(step).collect()
}

fn name(problem: &Problem) -> &str {
    match problem.path().steps().last() {
        Some(Step::Field(name)) => name,
        _ => "",
    }
}

fn parent(problem: &Problem) -> &[Step] {
    problem.path().steps().split_last().map_or(&[], |(_, parent)| parent)
}

fn at<'v>(value: &'v mut Value, steps: &[Step]) -> Option<&'v mut Value> {
    steps.iter().try_fold(value, |value, step| match step {
        Step::Field(name) => value.get_mut(name),
        Step::Item(index) => value.get_mut(index),
    })
}

fn add(call: &mut Value, problem: &Problem, value: Value) {
    if let Some(Value::Object(object)) = at(call, parent(problem)) {
        object.insert(name(problem).to_owned(), value);
    }
}

/// Equal values have equal keys: `0` and `0.0` are one number.
fn key(value: &Value) -> String {
    match value {
        Value::Number(number) => number.as_f64().unwrap_or(f64::NAN).to_string(),
        Value::Array(items) => format!("[{}]", items.iter().map(key).collect::<Vec<_>>().join(",")),
        Value::Object(members) => {
            let mut members: Vec<String> =
                members.iter().map(|(name, value)| format!("{name:?}:{}", key(value))).collect();
            members.sort();
            format!("{{{}}}", members.join(","))
        }
        other => other.to_string(),
    }
}
