//! Every end that a call can come to, whole: what the model reads of it, and its host beside that.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use toolkit::Category;
use toolkit::prelude::*;

mod gates;
mod ledger;
mod left;
mod long;
mod office;
mod people;
mod ran;

/// All that an outcome says. An id that is another one each time reads `ID`.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "an outcome answers as many such questions")]
struct End {
    status: Status,
    text: String,
    value: Option<Value>,
    first: Option<Status>,
    executed: bool,
    is_error: bool,
    category: Option<Category>,
    retryable: bool,
    hint: Option<String>,
    problems: Vec<String>,
    media: usize,
    has_error_id: bool,
    has_approval_id: bool,
    host_note: Option<String>,
    /// The status and the category of the outcome as data, where the model must read others.
    said: Option<(Status, Category)>,
}

/// An end that says no more than this.
fn end(status: Status, text: &str) -> End {
    End {
        status,
        text: text.to_owned(),
        value: None,
        first: None,
        executed: false,
        is_error: !matches!(status, Status::Ok | Status::Duplicate | Status::DryRun),
        category: None,
        retryable: false,
        hint: None,
        problems: Vec::new(),
        media: 0,
        has_error_id: false,
        has_approval_id: false,
        host_note: None,
        said: None,
    }
}

impl End {
    /// The function was entered.
    fn ran(self) -> Self {
        Self { executed: true, ..self }
    }

    fn of(self, category: Category) -> Self {
        Self { category: Some(category), ..self }
    }

    /// The model may try again.
    fn again(self) -> Self {
        Self { retryable: true, ..self }
    }

    fn value(self, value: Value) -> Self {
        Self { value: Some(value), ..self }
    }

    /// A duplicate of a call that ended so.
    fn first(self, status: Status) -> Self {
        Self { first: Some(status), is_error: status != Status::Ok, ..self }
    }

    fn hint(self, hint: &str) -> Self {
        Self { hint: Some(hint.to_owned()), ..self }
    }

    fn problems<const N: usize>(self, problems: [&str; N]) -> Self {
        Self { problems: problems.map(str::to_owned).to_vec(), ..self }
    }

    fn logged(self) -> Self {
        Self { has_error_id: true, ..self }
    }

    fn waits(self) -> Self {
        Self { has_approval_id: true, ..self }
    }

    fn note(self, note: &str) -> Self {
        Self { host_note: Some(note.to_owned()), ..self }
    }

    fn read_as(self, status: Status, category: Category) -> Self {
        Self { said: Some((status, category)), ..self }
    }

    fn structured(&self) -> Value {
        let (status, category) = match self.said {
            None => (self.status, self.category),
            Some((status, category)) => (status, Some(category)),
        };
        let mut members = Map::new();
        members.insert("status".to_owned(), status.as_str().into());
        members.insert("message".to_owned(), self.text.as_str().into());
        members.extend(category.map(|category| ("category".to_owned(), category.as_str().into())));
        if self.is_error {
            members.insert("retryable".to_owned(), self.retryable.into());
        }
        members.extend(self.hint.as_deref().map(|hint| ("hint".to_owned(), hint.into())));
        members.into()
    }
}

/// An outcome, and what it must say.
type Told = (Outcome, End);

fn assert_told(told: Vec<Told>) {
    for (outcome, expected) in told {
        let id = outcome.error_id().or(outcome.approval_id()).unwrap_or("no id");
        let without_id = |text: &str| text.replace(id, "ID");
        let said = End {
            status: outcome.status(),
            text: without_id(outcome.text()),
            value: outcome.value(),
            first: outcome.first_status(),
            executed: outcome.executed(),
            is_error: outcome.is_error(),
            category: outcome.category(),
            retryable: outcome.is_retryable(),
            hint: outcome.hint().map(str::to_owned),
            problems: outcome.problems().iter().map(ToString::to_string).collect(),
            media: outcome.content().len(),
            has_error_id: outcome.error_id().is_some(),
            has_approval_id: outcome.approval_id().is_some(),
            host_note: outcome.host_note().map(str::to_owned),
            said: expected.said,
        };
        assert_eq!(said, expected);
        let structured: Value =
            serde_json::from_str(&without_id(&outcome.structured().to_string())).unwrap();
        assert_eq!(structured, expected.structured());
    }
}

#[test]
fn a_log_shows_an_outcome_whole_and_of_a_call_no_argument() {
    let open = format!("{:?}", Outcome::not_run());
    assert_eq!(
        open,
        "Outcome { status: NotRun, text: \"not run: the turn ended before this call was reached\", \
         is_json: false, executed: false, details: None }",
    );
    let call = ToolCall::new("call_1", "look", r#"{"how": "hunter2"}"#);
    assert_eq!(
        format!("{call:?}"),
        r#"ToolCall { id: "call_1", name: "look", arguments: "18 bytes", cut: false, form: 0 }"#,
    );
}

#[test]
fn every_status_is_the_end_of_a_call_here_and_has_its_name() {
    let all = [
        ran::functions_that_ran(),
        gates::tools_that_are_not_for_the_caller(),
        gates::arguments_that_are_not_accepted(),
        gates::rules_that_refuse(),
        people::people_that_are_asked(),
        ledger::calls_that_the_ledger_knows(),
        left::calls_whose_time_is_over(),
    ];
    let met: BTreeSet<(Status, String)> = all
        .iter()
        .flatten()
        .map(|(outcome, _)| (outcome.status(), outcome.status().to_string()))
        .collect();
    let statuses = [
        (Status::Ok, "ok"),
        (Status::Duplicate, "duplicate"),
        (Status::DryRun, "dry_run"),
        (Status::UnknownTool, "unknown_tool"),
        (Status::Denied, "denied"),
        (Status::Invalid, "invalid"),
        (Status::Conflict, "conflict"),
        (Status::InProgress, "in_progress"),
        (Status::InDoubt, "in_doubt"),
        (Status::Prerequisite, "prerequisite"),
        (Status::Rejected, "rejected"),
        (Status::AwaitingApproval, "awaiting_approval"),
        (Status::Declined, "declined"),
        (Status::Expired, "expired"),
        (Status::Failed, "failed"),
        (Status::Unavailable, "unavailable"),
        (Status::NotRun, "not_run"),
    ];
    assert_eq!(met, statuses.map(|(status, name)| (status, name.to_owned())).into());
}
