//! What the attribute fills in.

use std::borrow::Cow;
use std::time::Duration;

use schemars::Schema;

use super::argument::{Constant, Param};
use super::passage::{Passage, Rest, Stopped};
use super::policy::{ApprovalPolicy, LedgerUse, OnDenied, Policy, Requirement};
use super::state::StateNeed;
use super::{Effect, OnUnknown};
use crate::output::Output;

/// The generated call function.
#[derive(Debug, Clone, Copy)]
pub(super) enum Call {
    AtOnce(AtOnce),
    Later(Later),
}

/// Of a function that is done when it returns, with no rule that may wait.
type AtOnce = fn(Passage<'_>) -> Result<Output, Stopped>;

/// Of any other: its arguments are read at once, and the rest comes later.
type Later = for<'a> fn(Passage<'a>) -> Result<Rest<'a>, Stopped>;

/// Everything that the attribute fills in, as constants: nothing is compiled for it but the call.
#[derive(Debug)]
pub struct Table {
    /// The name that the model asks for.
    pub(super) name: &'static str,
    /// A name for people.
    pub(super) title: Option<&'static str>,
    /// What the model chooses by.
    pub(super) description: &'static str,
    /// The function's module, file and line.
    pub(super) place: (&'static str, &'static str, u32),
    /// The parameters that the model fills, in the signature's order.
    pub(super) params: &'static [Param],
    /// The states that the tool asks for.
    pub(super) states: &'static [StateNeed],
    /// The schema of the result, where its type has one.
    pub(super) output: fn() -> Option<Schema>,
    /// The generated call function.
    pub(super) call: Call,
    /// What the gates go by, but for what no constant can own.
    policy: Policy,
    scopes: Words,
    without_ledger: Option<&'static str>,
    idempotency: Words,
    requires: &'static [Words],
    examples: &'static [Example],
}

type Words = &'static [&'static str];

/// Names in the schema, each with a value.
type Example = &'static [(&'static str, Constant)];

impl Table {
    /// A tool that says nothing of itself.
    pub const NONE: Self = Self {
        name: "",
        title: None,
        description: "",
        place: ("", "", 0),
        params: &[],
        states: &[],
        output: || None,
        call: Call::Later(|_| Ok(Box::pin(std::future::pending()))),
        policy: Policy::DEFAULT,
        scopes: &[],
        without_ledger: None,
        idempotency: &[],
        requires: &[],
        examples: &[],
    };

    /// What the gates go by.
    #[must_use]
    pub fn policy(&self) -> Policy {
        let words = |words: Words| words.iter().map(|&word| word.to_owned()).collect();
        let requirement = |said: &Words| {
            let (tool, same) = said.split_first()?;
            Some(Requirement { tool: (*tool).to_owned(), same: words(same) })
        };
        let example = |fields: &Example| {
            fields.iter().map(|(name, value)| ((*name).to_owned(), value.value())).collect()
        };
        let none = |why| LedgerUse::None { why: Cow::Borrowed(why) };
        Policy {
            scopes: words(self.scopes),
            ledger: self.without_ledger.map_or(LedgerUse::Needed, none),
            idempotency: words(self.idempotency),
            requires: self.requires.iter().filter_map(requirement).collect(),
            examples: self.examples.iter().map(example).collect(),
            ..self.policy.clone()
        }
    }
}

/// What a tool says of itself, key by key.
macro_rules! keys {
    ($($(#[$doc:meta])* $key:ident($($value:ident: $ty:ty),*) { $($($field:ident).+ = $said:expr),+ })*) => {
        impl Table {$(
            $(#[$doc])*
            #[must_use]
            pub const fn $key(mut self $(, $value: $ty)*) -> Self {
                $(self.$($field).+ = $said;)+
                self
            }
        )*}
    };
}

keys! {
    /// The name that the model asks for.
    name(name: &'static str) { name = name }
    /// A name for people.
    title(title: &'static str) { title = Some(title) }
    /// What the model chooses by.
    description(description: &'static str) { description = description }
    /// The function's module, file and line.
    place(module: &'static str, file: &'static str, line: u32) { place = (module, file, line) }
    /// The parameters that the model fills, in the signature's order.
    params(params: &'static [Param]) { params = params }
    /// The states that the tool asks for.
    states(states: &'static [StateNeed]) { states = states }
    /// The schema of the result, where its type has one.
    output(output: fn() -> Option<Schema>) { output = output }
    /// The call of a function that is done when it returns, with no rule that may wait.
    at_once(call: AtOnce) { call = Call::AtOnce(call) }
    /// The call of any other.
    later(call: Later) { call = Call::Later(call) }
    /// What the tool does to the world.
    effect(effect: Effect) { policy.effect = Some(effect) }
    /// The scopes that the caller must hold.
    scopes(scopes: Words) { scopes = scopes }
    /// A caller without the scopes sees the tool all the same, and what becomes of its call.
    listed(on_denied: OnDenied) { policy.listed = true, policy.on_denied = on_denied }
    /// What becomes of a call of which nobody knows whether it took effect.
    on_unknown(on_unknown: OnUnknown) { policy.on_unknown = on_unknown }
    /// The calls are in no ledger, for a reason.
    without_ledger(why: &'static str) { without_ledger = Some(why) }
    /// The parameters, by their names in the schema, that make two calls one.
    idempotency(names: Words) { idempotency = names }
    /// Each a tool's name, and behind it the parameters that are the same.
    requires(requires: &'static [Words]) { requires = requires }
    /// How a person agrees.
    approval(approval: ApprovalPolicy) { policy.approval = Some(approval) }
    /// The tool tells what a call would do.
    preview() { policy.has_preview = true }
    /// The same, and an approved call runs only while it is told as it was.
    preview_must_match() { policy.has_preview = true, policy.preview_must_match = true }
    /// How many milliseconds its own code may take.
    timeout(milliseconds: u64) { policy.timeout = Some(Duration::from_millis(milliseconds)) }
    /// It gets a thread of its own.
    blocking() { policy.blocking = true }
    /// How many calls of it run at the same time.
    concurrency(calls: usize) { policy.concurrency = Some(calls) }
    /// How many bytes of its result the model reads.
    result_limit(bytes: usize) { policy.result_limit = Some(bytes) }
    /// Its result holds what strangers wrote.
    reads_untrusted() { policy.reads_untrusted = true }
    /// Its result holds what is nobody else's business.
    reads_private() { policy.reads_private = true }
    /// It carries what it is given to others.
    writes_external() { policy.writes_external = true }
    /// A hint: whether a call may undo or overwrite what is there.
    destructive(is: bool) { policy.hints.destructive = Some(is) }
    /// A hint: whether a second call of the same arguments changes nothing more.
    idempotent(is: bool) { policy.hints.idempotent = Some(is) }
    /// A hint: whether it has to do with what is outside.
    open_world(is: bool) { policy.hints.open_world = Some(is) }
    /// Whole arguments that show the model the form.
    examples(examples: &'static [Example]) { examples = examples }
}

/// The tool that an annotated function is.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tool",
    label = "not a tool",
    note = "put `#[tool(description = \"…\")]` on the function"
)]
pub trait Annotated {
    /// What the attribute filled in.
    const TABLE: &'static Table;
}
