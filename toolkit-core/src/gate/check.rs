//! Gate 5: the tool's business rules, every one of them.

use crate::arguments;
use crate::call::Outcome;
use crate::limits::Limits;
use crate::tool::{Check, Refusal, Stopped};

pub(super) async fn run(checks: &[Check<'_>], limits: &Limits) -> Result<(), Stopped> {
    let mut problems = Vec::new();
    for check in checks {
        match check().await {
            Ok(()) => {}
            Err(Refusal::Problems(more)) => problems.extend(more),
            Err(Refusal::Failed(failure)) => return Err(Stopped::Failed(failure)),
        }
    }
    if problems.is_empty() {
        return Ok(());
    }
    let report = arguments::lines(&problems, limits);
    Err(Stopped::Refused(Box::new(Outcome::rejected(problems, report))))
}
