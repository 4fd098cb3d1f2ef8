//! Every word that the model reads of a gate.

use std::time::Duration;

use serde_json::Value;

use super::outcome::Details;
use super::rows;
use super::{Outcome, Status};
use crate::content::{self, Content, Shape};
use crate::error::{Category, ToolError};
use crate::problem::{Problem, cut, cut_from, escaped, nearest, quoted};

/// What is said of a call whose end nobody knows.
const IN_DOUBT: &str = "it is not known whether it took effect. It is not run again by itself. \
                        Do not call it again; tell the user.";

/// A tool that must be called first, and the arguments that must be the same.
pub(crate) struct First<'a> {
    pub(crate) tool: &'a str,
    pub(crate) same: Vec<(&'a str, Option<&'a Value>)>,
}

/// A value as JSON, cut.
fn escaped_value(value: &Value, shown_chars: usize) -> String {
    match value {
        Value::String(text) => quoted(text, shown_chars),
        other => escaped(&other.to_string(), shown_chars),
    }
}

impl Outcome {
    const fn new(status: Status, text: String) -> Self {
        Self { status, text, is_json: false, executed: false, is_secret: false, details: None }
    }

    fn failed(status: Status, text: String, details: Details) -> Self {
        Self { details: Some(Box::new(details)), ..Self::new(status, text) }
    }

    pub(crate) const fn ok(text: String, is_json: bool) -> Self {
        Self { status: Status::Ok, text, is_json, executed: true, is_secret: false, details: None }
    }

    /// The same, of a text that holds a secret.
    pub(crate) const fn secret(mut self, is_secret: bool) -> Self {
        self.is_secret = is_secret;
        self
    }

    /// The same, of a result that has these blocks.
    #[cold]
    pub(crate) fn with_content(self, content: Vec<Content>) -> Self {
        if content.is_empty() {
            return self;
        }
        let details = self.details.map(|details| *details).unwrap_or_default();
        Self { details: Some(Box::new(Details { content, ..details })), ..self }
    }

    /// A tool that is not there or is not for this caller; only the host sees which.
    pub(crate) fn unknown_tool(
        status: Status,
        name: &str,
        visible: &[&str],
        shown_chars: usize,
        host_note: String,
    ) -> Self {
        let available = if visible.is_empty() { "none".to_owned() } else { visible.join(", ") };
        let meant = nearest(name, visible.iter().copied())
            .map_or_else(String::new, |meant| format!(" (did you mean \"{meant}\"?)"));
        let name = quoted(name, shown_chars);
        let text = format!("no such tool {name}{meant}. Available: {available}");
        let is_hidden = status == Status::Denied;
        let category = if is_hidden { Category::Permission } else { Category::Validation };
        let details = Details {
            category: Some(category),
            is_hidden,
            host_note: Some(host_note),
            ..Details::default()
        };
        Self::failed(status, text, details)
    }

    /// A tool that the model sees and that the caller may not call.
    pub(crate) fn not_permitted(tool: &str, host_note: String) -> Self {
        let text = format!("{tool} is not permitted here. Do not call it again; tell the user.");
        let details = Details {
            category: Some(Category::Permission),
            host_note: Some(host_note),
            ..Details::default()
        };
        Self::failed(Status::Denied, text, details)
    }

    pub(crate) fn invalid(problems: Vec<Problem>, report: String) -> Self {
        let details = Details {
            problems,
            category: Some(Category::Validation),
            retryable: true,
            ..Details::default()
        };
        Self::failed(Status::Invalid, report, details)
    }

    /// `errors` are those of the problems that came as a tool's error and say more of themselves.
    pub(crate) fn rejected(problems: Vec<Problem>, errors: &[ToolError], report: String) -> Self {
        let all_are_errors = errors.len() == problems.len();
        let category = errors.first().map(ToolError::category).filter(|category| {
            all_are_errors && errors.iter().all(|error| error.category() == *category)
        });
        let hints: Vec<&str> = errors.iter().filter_map(ToolError::hint_text).collect();
        let details = Details {
            problems,
            category: Some(category.unwrap_or(Category::Business)),
            retryable: all_are_errors && errors.iter().all(ToolError::is_retryable),
            hint: (!hints.is_empty()).then(|| hints.join("\n")),
            ..Details::default()
        };
        Self::failed(Status::Rejected, report, details)
    }

    /// What must be called first, each with the arguments that must be the same.
    pub(crate) fn prerequisite(tool: &str, first: &[First<'_>], shown_chars: usize) -> Self {
        let told = first.iter().map(|First { tool: name, same }| {
            let same = same.iter().map(|(field, value)| match value {
                Some(value) => format!("{field} {}", escaped_value(value, shown_chars)),
                None => format!("no {field}"),
            });
            let same = same.collect::<Vec<_>>().join(" and ");
            if same.is_empty() { (*name).to_owned() } else { format!("{name} with {same}") }
        });
        let told = told.collect::<Vec<_>>().join(", and ");
        let text = format!(
            "{tool} did not run: in this run, something has to be done before it. Call {told}. \
             When that succeeded, call {tool} again."
        );
        let category = Some(Category::Business);
        let details = Details { category, retryable: true, ..Details::default() };
        Self::failed(Status::Prerequisite, text, details)
    }

    /// What must be done first is not the model's to do; `hidden` is told to the host only.
    pub(crate) fn hidden_prerequisite(tool: &str, hidden: &str) -> Self {
        let text = format!(
            "{tool} did not run: something has to be done before it that you have no tool for. \
             Do not call it again; tell the user."
        );
        let details = Details {
            category: Some(Category::Business),
            host_note: Some(format!("it requires `{hidden}`, which this view does not show")),
            ..Details::default()
        };
        Self::failed(Status::Prerequisite, text, details)
    }

    pub(crate) fn declined(reason: Option<&str>) -> Self {
        let reason =
            reason.map_or_else(String::new, |reason| format!(" ({})", escaped(reason, 200)));
        let text = format!("declined by a person{reason}. Do not retry; tell the user.");
        let category = Some(Category::Permission);
        Self::failed(Status::Declined, text, Details { category, ..Details::default() })
    }

    /// An error that a ledger kept.
    pub(crate) fn kept_error(
        status: Status,
        text: String,
        category: Option<Category>,
        retryable: bool,
        hint: Option<String>,
    ) -> Self {
        Self::failed(status, text, Details { category, retryable, hint, ..Details::default() })
    }

    /// The same, with a word to the host.
    pub(crate) fn noting(self, host_note: &str) -> Self {
        let details = self.details.map(|details| *details).unwrap_or_default();
        let details = Details { host_note: Some(host_note.to_owned()), ..details };
        Self { details: Some(Box::new(details)), ..self }
    }

    /// The outcome of the first time again.
    pub(crate) fn duplicate(first: Self) -> Self {
        let note = "(done before: this is the first result again, nothing ran now)\n";
        let details = Details {
            first: Some((first.status, note.len())),
            ..first.details.map(|details| *details).unwrap_or_default()
        };
        let text = format!("{note}{}", first.text);
        Self { is_json: first.is_json, ..Self::failed(Status::Duplicate, text, details) }
    }

    pub(crate) fn dry_run(preview: &str) -> Self {
        let text = format!("dry run: every check was passed and nothing ran. {preview}");
        Self::new(Status::DryRun, text)
    }

    pub(crate) fn conflict(tool: &str) -> Self {
        let text = format!(
            "{tool} was called with the same key and other arguments before; nothing ran. \
             Do not retry with changed arguments; tell the user."
        );
        let category = Some(Category::Business);
        Self::failed(Status::Conflict, text, Details { category, ..Details::default() })
    }

    pub(crate) fn in_progress(tool: &str, retry_after: Duration) -> Self {
        let seconds = retry_after.as_secs().max(1);
        let text = format!(
            "this very call of {tool} is running already; nothing was started again. \
             Ask again in {seconds} s."
        );
        let category = Some(Category::Transient);
        let details = Details { category, retryable: true, ..Details::default() };
        Self::failed(Status::InProgress, text, details)
    }

    /// An earlier run of the call, whose end nobody knows.
    pub(crate) fn in_doubt(tool: &str, cause: &str) -> Self {
        let text = format!("{tool} was called before, and {IN_DOUBT}");
        let details = Details {
            category: Some(Category::Transient),
            host_note: Some(cause.to_owned()),
            ..Details::default()
        };
        Self::failed(Status::InDoubt, text, details)
    }

    /// This run of the call, which broke off or failed where it may have taken effect.
    pub(crate) fn left_in_doubt(self) -> Self {
        if self.status == Status::InDoubt {
            return self;
        }
        let text = format!("{}, and {IN_DOUBT}", self.text);
        let category = Some(Category::Transient);
        let details = self.details.map(|details| *details).unwrap_or_default();
        let details = Details { category, retryable: false, ..details };
        Self { executed: true, ..Self::failed(Status::InDoubt, text, details) }
    }

    pub(crate) fn awaiting_approval(tool: &str, approval_id: &str) -> Self {
        let text = format!(
            "{tool} waits for a person to agree (approval {approval_id}); nothing ran yet. \
             Do not call it again; tell the user that it waits."
        );
        let details = Details {
            category: Some(Category::Permission),
            approval_id: Some(approval_id.to_owned()),
            ..Details::default()
        };
        Self::failed(Status::AwaitingApproval, text, details)
    }

    pub(crate) fn expired(tool: &str) -> Self {
        let text = format!(
            "nobody decided on {tool} in time; nothing ran. It was not refused. Tell the user."
        );
        let category = Some(Category::Permission);
        Self::failed(Status::Expired, text, Details { category, ..Details::default() })
    }

    /// What a host resumes that does not wait, or not for this caller.
    pub(crate) fn nothing_parked(approval_id: &str) -> Self {
        let id = quoted(approval_id, 80);
        let text = format!("no call of this caller is known by the approval {id}; nothing ran");
        let category = Some(Category::Validation);
        Self::failed(Status::Rejected, text, Details { category, ..Details::default() })
    }

    /// A parked call whose arguments the tool would not take as they were shown.
    pub(crate) fn read_otherwise(tool: &str) -> Self {
        Self::invalid(Vec::new(), format!("{tool} does not take the arguments as they were shown"))
    }

    /// A call whose tool was not shown to the model in a form that is known.
    pub(crate) fn not_shown(tool: &str) -> Self {
        let text = format!(
            "{tool} did not run: you were not shown what its arguments are when you called it. \
             Read its definition first, then call it again."
        );
        Self::invalid(Vec::new(), text)
    }

    /// A parked call that may not run as it was shown.
    pub(crate) fn overtaken(tool: &str, reason: &str) -> Self {
        let text = format!(
            "{tool} did not run: {reason} since a person was asked. Propose the call again."
        );
        let category = Some(Category::Business);
        let details = Details { category, retryable: true, ..Details::default() };
        Self::failed(Status::Rejected, text, details)
    }

    /// `host_note` says why; the model reads nothing of it.
    pub(crate) fn unavailable(tool: &str, host_note: String) -> Self {
        let text = format!("{tool} was not executed; try again later");
        let details = Details {
            category: Some(Category::Transient),
            retryable: true,
            host_note: Some(host_note),
            ..Details::default()
        };
        Self::failed(Status::Unavailable, text, details)
    }

    /// A function that had to be left when its time was over.
    pub(crate) fn late(tool: &str, time: Duration) -> Self {
        Self::left_behind(format!("{tool} did not answer within {time:?}"))
    }

    /// A function that had to be left at the host's deadline.
    pub(crate) fn overdue(tool: &str) -> Self {
        Self::left_behind(format!("{tool} did not answer by the deadline of this call"))
    }

    fn left_behind(text: String) -> Self {
        let category = Some(Category::Transient);
        let details = Details { category, retryable: true, ..Details::default() };
        Self { executed: true, ..Self::failed(Status::Failed, text, details) }
    }

    /// A call that a run has seen fail too often.
    pub(crate) fn repeated(tool: &str, times: usize) -> Self {
        let tool = quoted(tool, 80);
        let text = format!(
            "this very call of {tool} failed {times} times in this run and was not tried again. \
             Change it, or tell the user."
        );
        let category = Some(Category::Transient);
        let details = Details { category, retryable: true, ..Details::default() };
        Self::failed(Status::Unavailable, text, details)
    }

    /// The same outcome, where what the model reads has no more than so many bytes; else its
    /// start and its end, or of JSON the whole rows that fit, and where it has none its size.
    #[inline]
    pub(crate) fn within(self, most: usize) -> Self {
        if self.text.len() > most {
            self.with_blocks(Vec::new()).cut_to(most)
        } else if self.content().is_empty() {
            self
        } else {
            self.with_media_of(most)
        }
    }

    /// The same, with those of its media left out that it has no room for beside its text.
    #[cold]
    fn with_media_of(self, most: usize) -> Self {
        let mut room = most - self.text.len();
        let mut is_short = false;
        let kept = self.content().iter().map(|block| match block.shape() {
            Shape::Text(_) => block.clone(),
            Shape::Media(media) => {
                if let Some(rest) = room.checked_sub(block.weight()) {
                    room = rest;
                    return block.clone();
                }
                is_short = true;
                let left_out = media.left_out();
                let left_out = left_out.trim_end_matches(']');
                Content::text(format!("{left_out}; a result of it has at most {most}]"))
            }
        });
        let kept: Vec<Content> = kept.collect();
        if !is_short {
            return self;
        }
        let text = if self.is_json { self.text.clone() } else { content::words_of(&kept) };
        Self { text, ..self }.with_blocks(kept)
    }

    /// The same, of these blocks and no others.
    fn with_blocks(self, content: Vec<Content>) -> Self {
        let details = self.details.map(|details| Box::new(Details { content, ..*details }));
        Self { details, ..self }
    }

    #[cold]
    fn cut_to(self, most: usize) -> Self {
        let bytes = self.text.len();
        let rows = self.is_json.then(|| rows::fewer(&self.text, most)).flatten();
        let is_json = rows.as_ref().is_some_and(|(_, is_json)| *is_json);
        let text = if let Some((rows, _)) = rows {
            rows
        } else if self.is_json {
            format!(
                "(the result is JSON of {bytes} bytes; at most {most} are shown. Ask for less.)"
            )
        } else {
            let marker = |shown| {
                format!("\n[… {shown} of {bytes} bytes are left out; at most {most} are shown …]\n")
            };
            let room = most.saturating_sub(marker(bytes).len());
            let head = cut(&self.text, room / 2);
            let tail = cut_from(&self.text, room - room / 2);
            let shown = bytes - head.len() - tail.len();
            format!("{head}{}{tail}", marker(shown))
        };
        let details = self.details.map(|details| {
            let hint = details.hint.as_deref().map(|hint| cut(hint, most).to_owned());
            Box::new(Details { hint, ..*details })
        });
        Self { text, is_json, details, ..self }
    }

    pub(crate) fn tool_error(error: &ToolError, executed: bool) -> Self {
        let details = Details {
            category: Some(error.category()),
            retryable: error.is_retryable(),
            hint: error.hint_text().map(str::to_owned),
            ..Details::default()
        };
        Self { executed, ..Self::failed(Status::Failed, error.to_string(), details) }
    }

    pub(crate) fn internal(tool: &str, error_id: String, executed: bool) -> Self {
        let text = format!("{tool} failed internally (error id {error_id})");
        let details = Details { error_id: Some(error_id), ..Details::default() };
        Self { executed, ..Self::failed(Status::Failed, text, details) }
    }

    /// The function ran to its end, and its result can not be told.
    pub(crate) fn untellable(tool: &str, error_id: String) -> Self {
        let text = format!(
            "{tool} ran, but its result can not be represented (error id {error_id}). \
             Do not call it again for the same purpose."
        );
        let details = Details { error_id: Some(error_id), ..Details::default() };
        Self { executed: true, ..Self::failed(Status::Failed, text, details) }
    }

    /// A read that was under way when its turn ended.
    pub(crate) fn stopped() -> Self {
        let text = "stopped midway: the turn ended while this call was running".to_owned();
        let details = Details { retryable: true, ..Details::default() };
        Self { executed: true, ..Self::failed(Status::Failed, text, details) }
    }

    /// A call that its turn never reached; a host answers it so after an abort.
    #[must_use]
    pub fn not_run() -> Self {
        Self::new(Status::NotRun, "not run: the turn ended before this call was reached".to_owned())
    }
}
