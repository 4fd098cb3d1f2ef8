//! What one agent sees of a registry.

use std::borrow::Borrow;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::{Options, Registry};
use crate::call::{Outcome, ToolCall};
use crate::caller::Caller;
use crate::dialect::{Definition, Dialect, Form, Inbound, Offer, portable};
use crate::error::{Abort, ToolConfigError, ToolConfigErrors};
use crate::gate::{self, Allowed, Entry, Viewer, is_visible};
use crate::tool::Effect;

/// What one agent sees of a registry: an allowlist and a caller.
///
/// What it does not see it can not call, and a call of it reads to the model like
/// one of a tool that does not exist.
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
    pub(super) registry: Registry,
    pub(super) caller: Arc<Caller>,
    pub(super) allowed: Allowed,
}

impl View {
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
        self
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
    /// has more of than the provider takes.
    pub fn offer<'d>(&self, dialect: &'d dyn Dialect) -> Result<Offer<'d>, ToolConfigErrors> {
        let checked = &self.registry.0;
        let (planned, errors) =
            checked.forms.plan(&checked.definitions, &self.seen_at(), dialect.form());
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
        let (call, viewer) = (call.borrow(), self.viewer(options));
        let inbound = match self.inbound(call) {
            None => None,
            Some(Ok(inbound)) => Some(inbound),
            Some(Err(outcome)) => return Ok(*outcome),
        };
        let call = inbound.as_ref().map_or(call, |inbound| &inbound.call);
        let outcome = gate::dispatch(&checked.entries, &checked.house, viewer, call).await?;
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
        gate::resume(&checked.entries, &checked.house, self.viewer(options), approval_id).await
    }

    /// Resumes a parked call, for hosts without an async runtime.
    ///
    /// # Errors
    /// As [`View::dispatch`].
    pub fn resume_blocking(&self, approval_id: &str, options: Options) -> Result<Outcome, Abort> {
        pollster::block_on(self.resume(approval_id, options))
    }

    fn viewer(&self, options: Options) -> Viewer<'_> {
        let Options { run_id, intent_id, dry_run, along } = options;
        Viewer {
            caller: &self.caller,
            allowed: &self.allowed,
            run_id: run_id.map(Arc::from),
            intent_id: intent_id.map(Box::from),
            dry_run,
            along: along.map(Arc::from),
        }
    }

    /// The call by its tool's own name and in the full schema's form, where it came otherwise.
    ///
    /// Only a visible tool's call is decoded: what a hidden one takes is told to nobody.
    fn inbound(&self, call: &ToolCall) -> Option<Result<Inbound, Box<Outcome>>> {
        let checked = &self.registry.0;
        let form = Form::decoded(call.form()).filter(|form| *form != Form::EXACT);
        let is_own = |entry: &Entry| entry.tool.name == call.name();
        if form.is_none() && checked.entries.iter().any(is_own) {
            return None;
        }
        let place = self.place_of(call.name())?;
        let entry = checked.entries.get(place)?;
        let planned = form.and_then(|form| {
            let (planned, _) = checked.forms.plan(&checked.definitions, &self.seen_at(), form);
            planned.into_iter().find(|planned| planned.index == place)
        });
        let projection = planned.as_ref().map(|planned| &*planned.projection);
        Some(Inbound::of(call, entry, projection, &checked.house.limits))
    }

    /// Where the visible tool is that has this name, or has it on the wire.
    fn place_of(&self, name: &str) -> Option<usize> {
        let entries = &self.registry.0.entries;
        let named = |is: &dyn Fn(&str) -> bool| {
            entries.iter().position(|entry| {
                is(&entry.tool.name) && is_visible(entry, &self.allowed, &self.caller)
            })
        };
        named(&|own| own == name).or_else(|| named(&|own| portable(own) == name))
    }

    /// Where the visible tools are, in the registry's order.
    fn seen_at(&self) -> Vec<usize> {
        let entries = self.registry.0.entries.iter().enumerate();
        let visible = entries.filter(|(_, entry)| is_visible(entry, &self.allowed, &self.caller));
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
        checked
            .entries
            .iter()
            .zip(&checked.definitions)
            .filter(|(entry, _)| is_visible(entry, &self.allowed, &self.caller))
    }
}

impl fmt::Debug for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("View")
            .field("caller", &self.caller)
            .field("visible", &self.visible())
            .finish_non_exhaustive()
    }
}
