//! What the gates of one tool go by.

use std::borrow::Cow;
use std::ops::RangeInclusive;
use std::time::Duration;

use serde_json::Value;

use super::dynamic::Parts;
use super::{Effect, OnUnknown};
use crate::problem::{escaped, nearest};

/// How long a call can wait for people: from a minute to thirty days.
const WAITS: RangeInclusive<Duration> =
    Duration::from_secs(60)..=Duration::from_secs(30 * 24 * 60 * 60);

/// How long a tool's own code can be let run: from a millisecond to a day.
pub(crate) const TAKES: RangeInclusive<Duration> =
    Duration::from_millis(1)..=Duration::from_secs(24 * 60 * 60);

/// What a cut result needs to say that it was cut.
pub(crate) const LEAST_SHOWN: usize = 256;

/// What a tool says of itself beside its signature, to the gates and to who shows it; the attribute
/// or [`DynamicTool`](super::DynamicTool) fills it in.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key that is written or not")]
pub struct Policy {
    /// What the tool does to the world; `None` where it does not say.
    pub effect: Option<Effect>,
    /// The scopes that the caller must hold.
    pub scopes: Vec<String>,
    /// Whether a caller without the scopes sees the tool all the same.
    pub listed: bool,
    /// What becomes of a call without the scopes.
    pub on_denied: OnDenied,
    /// What becomes of a call of which nobody knows whether it took effect.
    pub on_unknown: OnUnknown,
    /// Whether the calls are kept in a ledger.
    pub ledger: LedgerUse,
    /// The parameters, by their names in the schema, that make two calls one; empty where it
    /// does not say.
    pub idempotency: Vec<String>,
    /// What must have succeeded before it in the same run.
    pub requires: Vec<Requirement>,
    /// How a person agrees; `None` where the tool says nothing of it.
    pub approval: Option<ApprovalPolicy>,
    /// Whether the tool tells what a call would do.
    pub has_preview: bool,
    /// Whether an approved call runs only while it is told as it was when a person agreed.
    pub preview_must_match: bool,
    /// How long its own code may take; `None` where the registry says.
    pub timeout: Option<Duration>,
    /// Whether it blocks its thread, and gets one of its own.
    pub blocking: bool,
    /// How many calls of it run at the same time; `None` where only the registry says.
    pub concurrency: Option<usize>,
    /// How many bytes of its result the model reads; `None` where the registry says.
    pub result_limit: Option<usize>,
    /// Whether its result holds what strangers wrote.
    pub reads_untrusted: bool,
    /// Whether its result holds what is nobody else's business.
    pub reads_private: bool,
    /// Whether it carries what it is given to others.
    pub writes_external: bool,
    /// What a client of MCP is told beside the effect.
    pub hints: Hints,
    /// Whole arguments that show the model the form.
    pub examples: Vec<Value>,
}

/// MCP's hints, where they are not left to what follows from the effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Hints {
    /// Whether a call may undo or overwrite what is there.
    pub destructive: Option<bool>,
    /// Whether a second call of the same arguments changes nothing more.
    pub idempotent: Option<bool>,
    /// Whether it has to do with what is outside.
    pub open_world: Option<bool>,
}

impl Hints {
    /// All left to the effect.
    pub const DEFAULT: Self = Self { destructive: None, idempotent: None, open_world: None };
}

/// A tool that must have succeeded before another one in the same run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requirement {
    /// The name of the tool.
    pub tool: String,
    /// The parameters, by their names in the schema, that were given the same values.
    pub same: Vec<String>,
}

impl Policy {
    /// A tool that says nothing.
    pub const DEFAULT: Self = Self {
        effect: None,
        scopes: Vec::new(),
        listed: false,
        on_denied: OnDenied::Outcome,
        on_unknown: OnUnknown::InDoubt,
        ledger: LedgerUse::Needed,
        idempotency: Vec::new(),
        requires: Vec::new(),
        approval: None,
        has_preview: false,
        preview_must_match: false,
        timeout: None,
        blocking: false,
        concurrency: None,
        result_limit: None,
        reads_untrusted: false,
        reads_private: false,
        writes_external: false,
        hints: Hints::DEFAULT,
        examples: Vec::new(),
    };

    /// Whether a call may change something; one that does not say its effect is a read.
    #[must_use]
    pub const fn is_effectful(&self) -> bool {
        matches!(self.effect, Some(Effect::Write | Effect::Irreversible))
    }

    /// Whether a person must agree to every call.
    #[must_use]
    pub const fn always_asks(&self) -> bool {
        matches!(self.effect, Some(Effect::Irreversible))
    }

    /// Whether a call can need a person at all.
    #[must_use]
    pub const fn may_ask(&self) -> bool {
        self.always_asks() || self.approval.is_some()
    }

    /// How a person agrees, where one is asked.
    #[must_use]
    pub fn agreement(&self) -> ApprovalPolicy {
        self.approval.unwrap_or_default()
    }
}

impl Policy {
    /// What does not fit together in a tool that is made at run time.
    pub(super) fn faults(&self, handler: Parts, schema: &Value) -> Vec<String> {
        let mut faults = self.meaningless();
        faults.extend(self.hidden());
        faults.extend(self.unagreed(handler.approval));
        faults.extend(self.unverified(handler.verify));
        if self.preview_must_match && !self.has_preview {
            faults.push("its preview must match and it has none; add `.preview(…)`".to_owned());
        }
        if let LedgerUse::None { why } = &self.ledger
            && why.trim().is_empty()
        {
            faults.push("its reason for no ledger is blank; say why that is right".to_owned());
        }
        faults.extend(self.unnamed(schema));
        faults.extend(self.contradicted());
        faults.extend(self.unleft(handler.waits));
        faults.extend(self.unbounded());
        faults
    }

    /// Hints against what the effect says.
    fn contradicted(&self) -> Vec<String> {
        let Hints { destructive, idempotent, .. } = self.hints;
        let is_read = self.effect == Some(Effect::Read);
        let reruns = self.on_unknown == OnUnknown::Rerun;
        let said = [
            (
                is_read && destructive == Some(true),
                "it is a read, which destroys nothing; leave `.destructive_hint(true)` out",
            ),
            (
                self.always_asks() && destructive == Some(false),
                "it changes something for good; leave `.destructive_hint(false)` out",
            ),
            (
                is_read && idempotent == Some(false),
                "it is a read, of which a second call changes nothing; leave \
                 `.idempotent_hint(false)` out",
            ),
            (
                self.is_effectful() && reruns && idempotent == Some(false),
                "its `on_unknown` lets a call run again, which only one that changes nothing more \
                 may; leave `.idempotent_hint(false)` out",
            ),
        ];
        let said = said.iter().filter(|(is, _)| *is);
        said.map(|(_, message)| (*message).to_owned()).collect()
    }

    /// What can not be left while it runs, or needs no thread of its own.
    fn unleft(&self, waits: bool) -> Option<String> {
        match (waits, self.blocking, self.timeout) {
            (true, true, _) => Some(
                "it awaits, and `blocking` is for a closure that blocks its thread; leave one of \
                 the two out"
                    .to_owned(),
            ),
            (false, false, Some(_)) => Some(
                "a closure that does not await can not be left when its time is over; add \
                 `.blocking()`, or let it give a future"
                    .to_owned(),
            ),
            _ => None,
        }
    }

    /// Bounds that nothing can keep.
    fn unbounded(&self) -> Vec<String> {
        let mut faults = Vec::new();
        if let Some(time) = self.timeout
            && !TAKES.contains(&time)
        {
            faults.push(format!(
                "its time limit is {time:?}; between a millisecond and a day is right"
            ));
        }
        if self.concurrency == Some(0) {
            faults.push("its concurrency is 0, so that no call would run".to_owned());
        }
        if let Some(bytes) = self.result_limit
            && bytes < LEAST_SHOWN
        {
            faults.push(format!(
                "its result limit is {bytes} bytes; at least {LEAST_SHOWN} are needed to say that \
                 a result was cut"
            ));
        }
        if self.writes_external && !self.is_effectful() {
            faults.push(
                "`writes_external` is for a tool that changes something; leave it out, or add \
                 `.effect(Effect::Write)`"
                    .to_owned(),
            );
        }
        faults
    }

    /// What has no meaning where nothing is changed.
    fn meaningless(&self) -> Vec<String> {
        if self.is_effectful() {
            return Vec::new();
        }
        let said = [
            ("on_unknown", self.on_unknown != OnUnknown::InDoubt),
            ("without_ledger", self.ledger != LedgerUse::Needed),
            ("idempotency", !self.idempotency.is_empty()),
        ];
        let said = said.iter().filter(|(_, is_said)| *is_said);
        let told = said.map(|(key, _)| {
            let key = if self.on_unknown == OnUnknown::Verify && *key == "on_unknown" {
                "verify"
            } else {
                key
            };
            format!(
                "`{key}` is for a tool that changes something; leave it out, or add \
                 `.effect(Effect::Write)`"
            )
        });
        told.collect()
    }

    /// What is said of callers without scopes that no caller needs, or can see.
    fn hidden(&self) -> Option<String> {
        let is_fatal = self.on_denied == OnDenied::Fatal;
        if self.scopes.is_empty() && (self.listed || is_fatal) {
            let key = if self.listed { "listed" } else { "fatal_when_denied" };
            return Some(format!(
                "`{key}` is about callers without its scopes, and it has none; add `.scopes(…)`"
            ));
        }
        (is_fatal && !self.listed).then(|| {
            "it ends the run of a model that asks for what it was shown, and it is hidden; add \
             `.listed()`"
                .to_owned()
        })
    }

    /// What is said of people's agreement that can not be kept.
    fn unagreed(&self, has_rule: bool) -> Vec<String> {
        let Some(approval) = &self.approval else {
            return Vec::new();
        };
        let mut faults = Vec::new();
        if !has_rule && !self.always_asks() {
            faults.push(
                "it says how people agree and not when; add `.approval(…)`, or \
                 `.effect(Effect::Irreversible)`, which asks about every call"
                    .to_owned(),
            );
        }
        if approval.quorum == 0 {
            faults.push("its quorum is 0; at least one person must agree".to_owned());
        }
        if let Some(time) = approval.time_to_live
            && !WAITS.contains(&time)
        {
            faults.push(format!(
                "its calls wait for people for {time:?}; between a minute and thirty days is right"
            ));
        }
        faults
    }

    /// A look that never comes to pass, or is missing.
    fn unverified(&self, has_verification: bool) -> Option<String> {
        match (self.on_unknown, has_verification) {
            (OnUnknown::Verify, false) => Some(
                "it verifies an unknown outcome and does not say how; add `.verify(…)`".to_owned(),
            ),
            (OnUnknown::Verify, true) | (_, false) => None,
            (other, true) => Some(format!(
                "it has a `verify`, and its `on_unknown` is `{}`; leave one of the two out",
                other.as_str()
            )),
        }
    }

    /// What makes two calls one and is no field of the schema.
    fn unnamed(&self, schema: &Value) -> Vec<String> {
        // Such a schema can have fields that stand elsewhere.
        let is_open = ["$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "dependentSchemas"];
        if is_open.iter().any(|keyword| schema.get(keyword).is_some()) {
            return Vec::new();
        }
        let fields = schema.get("properties").and_then(Value::as_object);
        let known = || fields.into_iter().flat_map(|fields| fields.keys().map(String::as_str));
        let unknown = self.idempotency.iter().filter(|name| !known().any(|known| known == *name));
        let told = unknown.map(|name| {
            let meant = nearest(name, known());
            let meant = meant.map_or_else(String::new, |meant| {
                format!("; did you mean `{}`?", escaped(meant, 64))
            });
            format!(
                "`{}` is to make two calls one and is no field of its schema{meant}",
                escaped(name, 64)
            )
        });
        told.collect()
    }
}

impl Default for Policy {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// What becomes of a call whose caller lacks a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnDenied {
    /// The model reads that there is no such tool.
    #[default]
    Outcome,
    /// The run ends.
    Fatal,
}

/// Whether the calls of a tool are kept in a ledger.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum LedgerUse {
    /// They are, where the tool may change something.
    #[default]
    Needed,
    /// They are not.
    None {
        /// Why that is right.
        why: Cow<'static, str>,
    },
}

/// How a person agrees to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ApprovalPolicy {
    /// How many persons must agree.
    pub quorum: u32,
    /// Whether none of them may be the one whom the agent acts for.
    pub four_eyes: bool,
    /// How long a call waits for them; `None` where the ledger says.
    pub time_to_live: Option<Duration>,
}

impl ApprovalPolicy {
    /// One person, whoever it is, within the ledger's time.
    pub const DEFAULT: Self = Self { quorum: 1, four_eyes: false, time_to_live: None };

    /// By none of whom the agent acts for.
    #[doc(hidden)]
    #[must_use]
    pub const fn by_others(self) -> Self {
        Self { four_eyes: true, ..self }
    }

    /// Within so many milliseconds.
    #[doc(hidden)]
    #[must_use]
    pub const fn within(self, milliseconds: u64) -> Self {
        Self { time_to_live: Some(Duration::from_millis(milliseconds)), ..self }
    }
}

/// By so many persons.
#[must_use]
pub const fn by(quorum: u32) -> ApprovalPolicy {
    ApprovalPolicy { quorum, ..ApprovalPolicy::DEFAULT }
}

impl Default for ApprovalPolicy {
    fn default() -> Self {
        Self::DEFAULT
    }
}
