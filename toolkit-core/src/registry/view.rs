//! What one agent sees of a registry.

use std::borrow::Borrow;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, OnceLock};

use serde_json::Value;

use super::options::Said;
use super::{Checked, Finder, Options, Registry, RunMemory};
use crate::arguments;
use crate::call::{Outcome, Status, ToolCall};
use crate::caller::Caller;
use crate::dialect::{Definition, Dialect, Inbound, Mark, Offer};
use crate::error::{Abort, ToolConfigError, ToolConfigErrors};
use crate::gate::{
    self, Allowed, Done, Entry, Label, Sight, Viewer, in_reach, is_visible, strips, trifecta,
};
use crate::index::{Index, Part};
use crate::tool::{Effect, Requirement};

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

    /// Whether there is a tool and it is seen; where there is none, that takes no less time.
    fn sees(&self, entry: Option<&Entry>) -> bool {
        let is_stripped = |entry| strips(entry, &self.registry.0.house, &self.label);
        is_visible(entry, &self.allowed, &self.caller) && !entry.is_some_and(is_stripped)
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

    /// Takes a call, or a reference to one, through every gate to its function.
    ///
    /// The future is `Send` and needs no runtime of its own; what the tool awaits may.
    /// Dropping it drops the tool's future where it awaits.
    ///
    /// # Errors
    /// [`Abort`] where a tool ends the run or the wiring is wrong; everything
    /// else, also a failing tool, is an [`Outcome`].
    pub async fn dispatch(
        &self,
        call: impl Borrow<ToolCall> + Send + Sync,
        options: Options,
    ) -> Result<Outcome, Abort> {
        let checked = &self.registry.0;
        let call = call.borrow();
        if call.form_code() == ToolCall::FULL && options.is_plain() && self.keeper(call).is_none() {
            let (entries, house) = (&checked.entries, &checked.house);
            let run_id = options.run_of();
            if let Some(ended) = gate::straight(entries, house, self.sight(), run_id, call) {
                return ended;
            }
        }
        // What may wait is kept apart: a call that does not carries nothing of it.
        Box::pin(self.through_gates(options, call)).await
    }

    async fn through_gates(&self, options: Options, call: &ToolCall) -> Result<Outcome, Abort> {
        if Mark::of(call) == Mark::Undecided {
            return Err(Abort::Config(ToolConfigError::new(
                "a reply was read without what its request showed, by a dialect that is strict \
                 where possible; read it with `Offer::read` or `Offer::stream`",
            )));
        }
        let inbound = match self.inbound(call) {
            None => None,
            Some(Ok(inbound)) => Some(inbound),
            Some(Err(outcome)) => return Ok(*outcome),
        };
        let (checked, viewer) = (&self.registry.0, self.viewer(call.name(), options));
        let call = inbound.as_ref().map_or(call, |inbound| &inbound.call);
        let outcome = gate::dispatch(&checked.entries, &checked.house, viewer, call).await?;
        let outcome = self.answered(call.name(), outcome);
        if let Some(memory) = self.keeper(call) {
            memory.keep(call, &outcome);
        }
        Ok(match inbound {
            None => outcome,
            Some(inbound) => inbound.told(outcome, &checked.house.limits),
        })
    }

    /// Takes a parked call through every gate once more, and runs it where people agreed.
    ///
    /// It runs with the arguments that were shown and no others, once, in whatever process. The
    /// view is one of the caller for whom the call was made; today's scopes, rules and tools
    /// count.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use toolkit::ledger::{Desk, MemoryLedger, Person};
    /// use toolkit::prelude::*;
    ///
    /// /// Refunds an order.
    /// #[tool(effect = "write", approval(amount > 500))]
    /// fn refund(order_id: &str, amount: u32) -> String {
    ///     format!("refunded {amount} for {order_id}")
    /// }
    ///
    /// let ledger = Arc::new(MemoryLedger::new());
    /// let registry =
    ///     Registry::builder().tools(tools![refund]).ledger(Arc::clone(&ledger)).build()?;
    /// let view = registry.view(Caller::new("ann"));
    /// let call = ToolCall::new("call_1", "refund", r#"{"order_id": "O-1", "amount": 900}"#);
    /// let outcome = view.dispatch_blocking(call, Options::default())?;
    /// assert_eq!(outcome.status(), Status::AwaitingApproval);
    /// let id = outcome.approval_id().expect("it waits");
    ///
    /// // In another process, perhaps: a person reads what would run, and agrees to it.
    /// let desk = Desk::new(ledger);
    /// let shown = pollster::block_on(desk.show(id))?;
    /// let kim = Person::authenticated("kim", "web").scopes(["approvals:decide"]);
    /// pollster::block_on(desk.approve(&kim, id, &shown.binding))?;
    ///
    /// let outcome = view.resume_blocking(id, Options::default())?;
    /// assert_eq!((outcome.status(), outcome.text()), (Status::Ok, "refunded 900 for O-1"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`View::dispatch`].
    pub async fn resume(&self, approval_id: &str, options: Options) -> Result<Outcome, Abort> {
        let checked = &self.registry.0;
        gate::resume(&checked.entries, &checked.house, self.viewer("", options), approval_id).await
    }

    /// Resumes a parked call, for hosts without an async runtime.
    ///
    /// # Errors
    /// As [`View::dispatch`].
    pub fn resume_blocking(&self, approval_id: &str, options: Options) -> Result<Outcome, Abort> {
        pollster::block_on(self.resume(approval_id, options))
    }

    fn sight(&self) -> Sight<'_> {
        Sight { caller: &self.caller, allowed: &self.allowed, label: &self.label }
    }

    /// What the view itself answers to a call that passed all gates, where it does.
    fn answered(&self, name: &str, outcome: Outcome) -> Outcome {
        match &self.registry.0.finder {
            Some((finds, finder)) if *finds == name && outcome.status() == Status::Ok => {
                let asked = serde_json::from_str(outcome.text()).unwrap_or_default();
                let answer = finder.answer(self, &asked).to_string();
                Outcome::ok(answer, true).within(self.registry.0.house.limits.result_bytes)
            }
            _ => outcome,
        }
    }

    /// What the model finds its tools by, where it is visible.
    pub(crate) fn finder(&self) -> Option<&dyn Finder> {
        let (name, finder) = self.registry.0.finder.as_ref()?;
        self.place_of(name).map(|_| &**finder)
    }

    pub(crate) fn index(&self) -> &Index {
        self.registry.index()
    }

    /// The visible part of the index.
    pub(crate) fn part(&self) -> &Part {
        let [untainted, tainted] = &*self.parts;
        // The label only rises: what was seen before a look that finds it low was seen untainted.
        let seen =
            (!self.label.is_tainted()).then(|| untainted.get().ok_or_else(|| self.seen_at()));
        match seen.filter(|_| !self.label.is_tainted()) {
            Some(Ok(part)) => part,
            Some(Err(places)) => untainted.get_or_init(|| self.index().part(places)),
            None => tainted.get_or_init(|| self.index().part(self.seen_at())),
        }
    }

    /// The visible tools by the meaning of a request, where there is an embedder and it can say.
    pub(crate) fn ranked_by_meaning(&self, request: &str) -> Option<Vec<(usize, f32)>> {
        let (embedder, vectors) = self.registry.0.meaning.as_ref()?;
        let part = self.part();
        match gate::contained(|| vectors.rank(&**embedder, part, request)) {
            Some(Ok(ranked)) => return Some(ranked),
            Some(Err(error)) => {
                tracing::warn!(error, "a search goes by words alone: the embedder failed");
            }
            None => tracing::error!("a search goes by words alone: the embedder panicked"),
        }
        None
    }

    /// The names of the tools that it does not show, for the host.
    pub(crate) fn hidden_names(&self) -> Vec<&str> {
        let visible = self.seen_at();
        let all = self.registry.0.definitions.iter().enumerate();
        let hidden = all.filter(|(place, _)| visible.binary_search(place).is_err());
        hidden.map(|(_, definition)| definition.name.as_str()).collect()
    }

    /// The name of the visible tool that has it, or has it on the wire.
    pub(crate) fn own_name(&self, name: &str) -> Option<&str> {
        self.definition_at(self.place_of(name)?).map(|definition| definition.name.as_str())
    }

    pub(crate) fn definition_at(&self, place: usize) -> Option<&Definition> {
        self.registry.0.definitions.get(place)
    }

    /// Whether a visible tool requires that another one was called before it.
    pub(crate) fn requires_another(&self, name: &str) -> bool {
        self.requirements_of(name).next().is_some()
    }

    /// The visible tools that a visible one requires of the run, whatever their arguments.
    pub(crate) fn required_of_run(&self) -> Vec<&str> {
        let checked = &self.registry.0;
        let reached = in_reach(&checked.entries, &checked.house, self.sight());
        let all = reached.iter().flat_map(|tool| &tool.policy.requires);
        let of_run = all.filter(|requirement| requirement.same.is_empty());
        let required = of_run
            .filter_map(|requirement| reached.iter().find(|tool| tool.name == requirement.tool));
        required.filter(|tool| tool.policy.requires.is_empty()).map(|tool| &*tool.name).collect()
    }

    /// What keeps a call of a tool that another one requires, where the run has a memory.
    fn keeper(&self, call: &ToolCall) -> Option<&RunMemory> {
        let memory = self.memory.as_ref()?;
        self.registry.0.required.contains(call.name()).then_some(memory)
    }

    fn requirements_of(&self, name: &str) -> impl Iterator<Item = &Requirement> {
        let entry = self.place_of(name).and_then(|place| self.registry.0.entries.get(place));
        entry.into_iter().flat_map(|entry| &entry.tool.policy.requires)
    }

    /// The calls that succeeded, by the tools' own names and in the full schema's form.
    fn done(&self, calls: Vec<(ToolCall, bool)>) -> Arc<[Done]> {
        // Which shares one place for nothing.
        if calls.is_empty() {
            return Arc::default();
        }
        let done = calls.into_iter().map(|(call, is_rehearsed)| {
            let checked = &self.registry.0;
            // It was done also where its tool is out of sight by now.
            let place = self.place_among(call.name(), |_| true)?;
            let entry = checked.entries.get(place)?;
            let call = self.read_as(entry, place, &call).ok()?.call;
            let limits = checked.house.limits.unmeasured();
            // What it ran with: its defaults are written in.
            let arguments = arguments::normal_form(&entry.schema, call.given(), &limits).ok()?;
            Some(Done { tool: entry.tool.name.clone(), arguments, is_rehearsed })
        });
        done.flatten().collect()
    }

    fn viewer(&self, tool: &str, options: Options) -> Viewer<'_> {
        let Said { run_id, intent_id, dry_run, done, along } = options.all();
        let is_asked = !done.is_empty() || self.memory.is_some();
        let done = if is_asked && self.requires_another(tool) {
            let remembered = self.memory.as_ref().map(RunMemory::calls).unwrap_or_default();
            done.into_iter().chain(remembered).collect()
        } else {
            Vec::new()
        };
        Viewer {
            sight: self.sight(),
            run_id: run_id.map(Arc::from),
            intent_id: intent_id.map(Box::from),
            dry_run,
            along,
            done: self.done(done),
        }
    }

    /// The call by its tool's own name and in the full schema's form, where it came otherwise.
    ///
    /// Only a visible tool's call is decoded: what a hidden one takes is told to nobody.
    fn inbound(&self, call: &ToolCall) -> Option<Result<Inbound, Box<Outcome>>> {
        let place = self.place_of(call.name())?;
        let entry = self.registry.0.entries.get(place)?;
        let is_as_asked = call.form_code() == ToolCall::FULL && entry.tool.name == call.name();
        (!is_as_asked).then(|| self.read_as(entry, place, call))
    }

    /// A call of the tool at a place, as the gates take it.
    fn read_as(
        &self,
        entry: &Entry,
        place: usize,
        call: &ToolCall,
    ) -> Result<Inbound, Box<Outcome>> {
        let checked = &self.registry.0;
        let reading = checked.forms.reading(&checked.definitions, place, Mark::of(call));
        Inbound::of(call, entry, &reading, &checked.house.limits)
    }

    /// Where the visible tool is that has this name, or has it on the wire.
    fn place_of(&self, name: &str) -> Option<usize> {
        self.place_among(name, |entry| self.sees(entry))
    }

    fn place_among(&self, name: &str, is_among: impl Fn(Option<&Entry>) -> bool) -> Option<usize> {
        let Checked { entries, wires, .. } = &*self.registry.0;
        let among = |place: Option<usize>| {
            let is_among = is_among(place.and_then(|place| entries.get(place)));
            place.filter(|_| is_among)
        };
        among(entries.place_of(name)).or_else(|| among(wires.get(name).copied()))
    }

    /// Where the visible tools are, in the registry's order.
    fn seen_at(&self) -> Vec<usize> {
        let entries = self.registry.0.entries.iter().enumerate();
        let visible = entries.filter(|(_, entry)| self.sees(Some(entry)));
        visible.map(|(index, _)| index).collect()
    }

    /// Takes a call through every gate, for hosts without an async runtime.
    ///
    /// Inside a runtime use [`dispatch`](Self::dispatch): this one blocks the thread.
    ///
    /// # Errors
    /// As [`View::dispatch`].
    pub fn dispatch_blocking(
        &self,
        call: impl Borrow<ToolCall> + Send + Sync,
        options: Options,
    ) -> Result<Outcome, Abort> {
        pollster::block_on(self.dispatch(call, options))
    }

    fn seen(&self) -> impl Iterator<Item = (&Entry, &Definition)> {
        let checked = &self.registry.0;
        checked.entries.iter().zip(&checked.definitions).filter(|(entry, _)| self.sees(Some(entry)))
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
