//! Gate 5: the tool's business rules, every one of them.

use crate::arguments;
use crate::call::Outcome;
use crate::limits::Limits;
use crate::problem::Problem;
use crate::tool::{Check, Refusal, Stopped};

pub(super) async fn run(checks: &[Check<'_>], limits: &Limits) -> Result<(), Stopped> {
    let mut problems = Vec::new();
    let mut errors = Vec::new();
    for check in checks {
        match check().await {
            Ok(()) => {}
            Err(Refusal::Problems(more)) => problems.extend(more),
            Err(Refusal::Error(error)) => {
                problems.push(Problem::rule_of_call(error.to_string()));
                errors.push(error);
            }
            Err(Refusal::Failed(failure)) => return Err(Stopped::Failed(failure)),
        }
    }
    if problems.is_empty() {
        return Ok(());
    }
    let report = arguments::lines(&problems, limits);
    Err(Stopped::Refused(Box::new(Outcome::rejected(problems, &errors, report))))
}
