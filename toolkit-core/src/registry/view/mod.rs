//! What one agent sees of a registry.

mod dispatch;
mod search;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, OnceLock};

use serde_json::Value;

use super::{Checked, Registry, RunMemory};
use crate::call::Outcome;
use crate::caller::Caller;
use crate::dialect::{Definition, Dialect, Offer};
use crate::error::{ToolConfigError, ToolConfigErrors};
use crate::gate::{self, Allowed, Entry, Label, Sight, in_reach, trifecta};
use crate::index::Part;
use crate::tool::Effect;

/// What one agent sees of a registry: an allowlist and a caller.
///
/// What it does not see it can not call, and a call of it reads to the model like
/// one of a tool that does not exist.
///
/// A view and its clones are one run, which remembers whether it has read what strangers wrote
/// ([`OnTaint`](crate::OnTaint)). Each run takes a view of its own: a new one, or
/// [`new_run`](Self::new_run).
///
/// ```
/// use toolkit::prelude::*;
///
/// /// Looks up an order.
/// #[tool(effect = "read")]
/// fn get_order(id: &str) -> String {
///     format!("{id}: delivered")
/// }
///
/// /// Refunds an order.
/// #[tool(effect = "write", scopes("payments:write"))]
/// fn refund(id: &str) {}
///
/// let registry = Registry::builder()
///     .tools(tools![get_order, refund])
///     .ledger(toolkit::ledger::MemoryLedger::new())
///     .build()?;
/// let view = registry.view(Caller::new("ann"));
/// assert_eq!(view.visible(), ["get_order"]);
///
/// let call = ToolCall::new("call_1", "refund", r#"{"id": "O-1"}"#);
/// let outcome = view.dispatch_blocking(call, Options::default())?;
/// assert_eq!(outcome.status(), Status::Denied);
/// assert_eq!(outcome.text(), r#"no such tool "refund". Available: get_order"#);
/// assert_eq!(outcome.host_note(), Some("missing scope `payments:write`"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct View {
    registry: Registry,
    caller: Arc<Caller>,
    allowed: Allowed,
    label: Label,
    /// Where the run goes on over several views.
    memory: Option<RunMemory>,
    /// The visible part of the registry's index, from the first search on: as long as the run has
    /// read nothing untrusted, and from then on.
    parts: Arc<[OnceLock<Part>; 2]>,
}

impl View {
    pub(super) fn new(registry: Registry, caller: Caller, allowed: Allowed) -> Self {
        let (caller, label) = (Arc::new(caller), Label::default());
        Self { registry, caller, allowed, label, memory: None, parts: Arc::default() }
    }

    /// Keeps only the named tools; nothing that is hidden already comes back.
    ///
    /// A name that no tool has is ignored.
    ///
    /// ```
    /// # use toolkit::prelude::*;
    /// # use serde_json::json;
    /// # let tool = |name| Tool::dynamic(name, name, json!({}), |_, _| async { Ok::<_, ToolError>(()) });
    /// let registry = Registry::builder().tool(tool("read")).tool(tool("write")).build()?;
    /// let view = registry.view(Caller::new("ann")).scoped(["read", "close"]);
    /// assert_eq!(view.visible(), ["read"]);
    /// assert_eq!(view.scoped(["read", "write"]).visible(), ["read"]);
    /// # Ok::<(), toolkit::ToolConfigErrors>(())
    /// ```
    #[must_use]
    pub fn scoped<I>(mut self, names: I) -> Self
    where
        I: IntoIterator,
        I::Item: AsRef<str>,
    {
        let names: BTreeSet<String> =
            names.into_iter().map(|name| name.as_ref().to_owned()).collect();
        self.allowed.keep_only(names);
        self.parts = Arc::default();
        self
    }

    /// Whether the run has read what strangers wrote; that never ends.
    ///
    /// A tool that says `reads_untrusted` taints a run by its answer, and so does a call that was
    /// parked in a tainted run and is resumed in this one.
    #[must_use]
    pub fn is_tainted(&self) -> bool {
        self.label.is_tainted()
    }

    /// Says that the run has read what strangers wrote by other ways than by a tool, like a mail
    /// in the user's request.
    ///
    /// ```
    /// use toolkit::prelude::*;
    ///
    /// let view = Registry::builder().build()?.view(Caller::new("ann")).tainted();
    /// assert!(view.is_tainted() && view.new_run().is_tainted());
    /// # Ok::<(), toolkit::ToolConfigErrors>(())
    /// ```
    #[must_use]
    pub fn tainted(self) -> Self {
        self.label.rise();
        self
    }

    /// The same view for a run of its own, which begins as tainted as this one is.
    ///
    /// ```
    /// use toolkit::prelude::*;
    ///
    /// let view = Registry::builder().build()?.view(Caller::new("ann"));
    /// let run = view.new_run().tainted();
    /// assert!(run.is_tainted() && !view.is_tainted());
    /// # Ok::<(), toolkit::ToolConfigErrors>(())
    /// ```
    #[must_use]
    pub fn new_run(&self) -> Self {
        Self { label: self.label.of_new_run(), memory: None, ..self.clone() }
    }

    /// The same view as a part of a run that goes on over several views, and which `memory`
    /// is of.
    ///
    /// ```
    /// use toolkit::RunMemory;
    /// use toolkit::prelude::*;
    ///
    /// let registry = Registry::builder().build()?;
    /// let memory = RunMemory::default();
    /// let view = registry.view(Caller::new("ann")).remembering(&memory);
    /// memory.taint();
    /// assert!(view.is_tainted());
    /// # Ok::<(), toolkit::ToolConfigErrors>(())
    /// ```
    #[must_use]
    pub fn remembering(mut self, memory: &RunMemory) -> Self {
        if self.is_tainted() {
            memory.taint();
        }
        self.label = memory.label.clone();
        self.memory = Some(memory.clone());
        self
    }

    /// Goes on where a history ends: what a tool of untrusted text told is in it.
    pub(crate) fn has_heard(&self, name: &str, outcome: &Outcome) {
        let place = self.place_among(name, |_| true);
        if let Some(entry) = place.and_then(|place| self.registry.0.entries.get(place)) {
            gate::note(&entry.tool, &self.label, &Ok(outcome.clone()));
        }
    }

    fn sees(&self, entry: &Entry) -> bool {
        gate::is_seen(entry, &self.registry.0.house, self.sight())
    }

    /// The names of the tools that the model sees, in the registry's order.
    #[must_use]
    pub fn visible(&self) -> Vec<&str> {
        self.seen().map(|(entry, _)| entry.tool.name.as_str()).collect()
    }

    /// What the model reads of the visible tools, in the registry's order, in no provider's form.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolkit::prelude::*;
    ///
    /// /// Adds two numbers.
    /// #[tool]
    /// fn add(a: i64, b: i64) -> i64 {
    ///     a + b
    /// }
    ///
    /// let view = Registry::builder().tools(tools![add]).build()?.view(Caller::new("ada"));
    /// let [definition] = view.tools()[..] else { panic!("one tool") };
    /// assert_eq!(definition.description, "Adds two numbers.");
    /// assert_eq!(definition.output_schema, Some(json!({"type": "integer"})));
    /// # Ok::<(), toolkit::ToolConfigErrors>(())
    /// ```
    #[must_use]
    pub fn tools(&self) -> Vec<&Definition> {
        self.seen().map(|(_, definition)| definition).collect()
    }

    /// The definitions of the visible tools, as a provider's request carries them.
    ///
    /// It is the value of the request's `tools`, in the registry's order; the same
    /// view gives the same bytes every time. Whatever the provider needs to be told
    /// besides, like a choice of tools, is [`offer`](Self::offer)ed.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolkit::dialect::Anthropic;
    /// use toolkit::prelude::*;
    ///
    /// /// Adds one.
    /// #[tool]
    /// fn increment(number: u8) -> u16 {
    ///     u16::from(number) + 1
    /// }
    ///
    /// let view = Registry::builder().tools(tools![increment]).build()?.view(Caller::new("ann"));
    /// assert_eq!(
    ///     view.definitions(&Anthropic)?,
    ///     json!([{
    ///         "name": "increment",
    ///         "description": "Adds one.",
    ///         "input_schema": {
    ///             "type": "object",
    ///             "properties": {
    ///                 "number": {"type": "integer", "minimum": 0, "maximum": 255},
    ///             },
    ///             "required": ["number"],
    ///             "additionalProperties": false,
    ///         },
    ///     }]),
    /// );
    /// # Ok::<(), toolkit::ToolConfigErrors>(())
    /// ```
    /// # Errors
    /// As [`offer`](Self::offer).
    pub fn definitions(&self, dialect: &dyn Dialect) -> Result<Value, ToolConfigErrors> {
        Ok(self.offer(dialect)?.definitions())
    }

    /// What a request shows a model of the visible tools, in a provider's form.
    ///
    /// A call that is read by the same dialect is decoded when it is dispatched.
    ///
    /// # Errors
    /// Every part of every tool that has no such form, and what the request as a whole
    /// has more of than the provider takes; tools that together could carry private data out on
    /// a stranger's word, where nobody is asked.
    pub fn offer<'d>(&self, dialect: &'d dyn Dialect) -> Result<Offer<'d>, ToolConfigErrors> {
        let checked = &self.registry.0;
        let (planned, mut errors) =
            checked.forms.plan(&checked.definitions, &self.seen_at(), dialect.form());
        errors.extend(trifecta(&in_reach(&checked.entries, &checked.house, self.sight())));
        Offer::new(dialect, &checked.definitions, planned, errors)
    }

    /// Keeps only the tools that a provider can be shown, and tells what is wrong with the others.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolkit::dialect::Anthropic;
    /// use toolkit::prelude::*;
    ///
    /// # let tool = |name, schema| Tool::dynamic(name, name, schema, |_, _| async { Ok::<_, ToolError>(()) });
    /// let good = tool("good", json!({"properties": {"a": {"type": "integer"}}}));
    /// let bad = tool("bad", json!({"properties": {"a b": {"type": "integer"}}}));
    /// let view = Registry::builder().tool(good).tool(bad).build()?.view(Caller::new("ann"));
    /// assert!(view.definitions(&Anthropic).is_err());
    ///
    /// let (view, left_out) = view.showable_in(&Anthropic);
    /// assert_eq!(view.visible(), ["good"]);
    /// assert_eq!(left_out.len(), 1);
    /// assert!(view.definitions(&Anthropic).is_ok());
    /// # Ok::<(), toolkit::ToolConfigErrors>(())
    /// ```
    #[must_use]
    pub fn showable_in(self, dialect: &dyn Dialect) -> (Self, Vec<ToolConfigError>) {
        let checked = Arc::clone(&self.registry.0);
        let (planned, errors) =
            checked.forms.plan(&checked.definitions, &self.seen_at(), dialect.form());
        let names = planned.iter().filter_map(|planned| checked.definitions.get(planned.index));
        let names: Vec<&String> = names.map(|definition| &definition.name).collect();
        (self.scoped(names), errors)
    }

    /// What a visible tool does to the world; one that does not say is a read.
    ///
    /// `None` where the view has no such tool.
    #[must_use]
    pub fn effect_of(&self, name: &str) -> Option<Effect> {
        let entry = self.registry.0.entries.get(self.place_of(name)?)?;
        Some(entry.tool.policy.effect.unwrap_or(Effect::Read))
    }

    /// Who the agent acts for.
    #[must_use]
    pub fn caller(&self) -> &Caller {
        &self.caller
    }

    fn sight(&self) -> Sight<'_> {
        Sight { caller: &self.caller, allowed: &self.allowed, label: &self.label }
    }

    /// Where the visible tool is that has this name, or has it on the wire.
    fn place_of(&self, name: &str) -> Option<usize> {
        self.place_among(name, |entry| self.sees(entry))
    }

    fn place_among(&self, name: &str, is_among: impl Fn(&Entry) -> bool) -> Option<usize> {
        let Checked { entries, wires, .. } = &*self.registry.0;
        let is_among = |place: &usize| entries.get(*place).is_some_and(&is_among);
        let own = entries.place_of(name).filter(is_among);
        own.or_else(|| wires.get(name).copied().filter(is_among))
    }

    /// Where the visible tools are, in the registry's order.
    fn seen_at(&self) -> Vec<usize> {
        let entries = self.registry.0.entries.iter().enumerate();
        let visible = entries.filter(|(_, entry)| self.sees(entry));
        visible.map(|(index, _)| index).collect()
    }

    fn seen(&self) -> impl Iterator<Item = (&Entry, &Definition)> {
        let checked = &self.registry.0;
        checked.entries.iter().zip(&checked.definitions).filter(|(entry, _)| self.sees(entry))
    }
}

impl fmt::Debug for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("View")
            .field("caller", &self.caller)
            .field("visible", &self.visible())
            .field("label", &self.label)
            .finish_non_exhaustive()
    }
}
