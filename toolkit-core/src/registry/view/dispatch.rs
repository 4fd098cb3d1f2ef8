//! How a view takes a call to the gates, and what comes back.

use std::borrow::Borrow;
use std::sync::Arc;

use super::View;
use crate::arguments;
use crate::call::{Outcome, Status, ToolCall};
use crate::dialect::{Inbound, Mark};
use crate::error::{Abort, ToolConfigError};
use crate::gate::{self, Done, Entry, Viewer};
use crate::registry::options::Said;
use crate::registry::{Options, RunMemory};
use crate::tool::Requirement;

impl View {
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

    /// What keeps a call of a tool that another one requires, where the run has a memory.
    fn keeper(&self, call: &ToolCall) -> Option<&RunMemory> {
        let memory = self.memory.as_ref()?;
        self.registry.0.required.contains(call.name()).then_some(memory)
    }

    /// Whether a visible tool requires that another one was called before it.
    pub(crate) fn requires_another(&self, name: &str) -> bool {
        self.requirements_of(name).next().is_some()
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
}
