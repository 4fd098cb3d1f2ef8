//! In which form a tool was shown, which its calls carry to the dispatch.

use std::collections::BTreeMap;

use super::form::{Form, Strictness};
use super::reply::Reply;
use crate::call::ToolCall;

/// What a call says of the form that its arguments are in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    In(Form),
    /// Strict or not: its dialect leaves that to each request, and it was read without one.
    Undecided,
    /// Its tool was not among those that the request showed.
    Unshown(Form),
    /// A number that no form has.
    Unknown,
}

const UNSHOWN: u16 = 1 << 15;

impl Mark {
    pub(crate) fn of(call: &ToolCall) -> Self {
        let code = call.form_code();
        match Form::decoded(code & !UNSHOWN) {
            None => Self::Unknown,
            Some(form) if code & UNSHOWN != 0 => Self::Unshown(form),
            Some(form) if form.is_decided_by_tool() => Self::Undecided,
            Some(form) => Self::In(form),
        }
    }

    /// The mark of a call that a dialect read without what was shown.
    pub(super) fn unread(form: Form) -> u16 {
        if form.is_decided_by_tool() { form.code() } else { Self::shown(form, false) }
    }

    /// The mark of a call of a tool that was sent strictly, or not.
    fn shown(form: Form, strict: bool) -> u16 {
        let form = match form.strictness() {
            Strictness::WherePossible => form.decided(strict),
            Strictness::Plain | Strictness::Strict => form,
        };
        if form.re_encodes() { form.code() } else { ToolCall::FULL }
    }
}

/// The forms of the tools that one request shows.
#[derive(Debug, Clone)]
pub(super) struct ShownForms {
    form: Form,
    /// By name, on the wire and its own: whether it is sent strictly.
    strict: BTreeMap<String, bool>,
}

impl ShownForms {
    pub(super) fn new(form: Form) -> Self {
        Self { form, strict: BTreeMap::new() }
    }

    pub(super) fn insert(&mut self, name: &str, strict: bool) {
        self.strict.insert(name.to_owned(), strict);
    }

    /// The reply with each call in the form that its tool was shown in.
    pub(super) fn marked(&self, reply: Reply) -> Reply {
        reply.with_calls(|call| {
            let code = match self.strict.get(call.name()) {
                Some(strict) => Mark::shown(self.form, *strict),
                None if self.form.is_decided_by_tool() => UNSHOWN | self.form.code(),
                None => Mark::shown(self.form, false),
            };
            call.with_form_code(code)
        })
    }
}
