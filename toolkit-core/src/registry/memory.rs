//! What a run remembers, for hosts that make a view for each of its requests.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::options::succeeded;
use crate::call::{Outcome, ToolCall};
use crate::gate::Label;

/// The calls that are kept; the oldest are forgotten, and what required them is refused.
const MOST_CALLS: usize = 256;

/// The bytes of their arguments, together.
const MOST_BYTES: usize = 64 * 1024;

/// What a run remembers, for hosts that make a view for each of its requests.
///
/// That is whether the run has read what strangers wrote, and which calls succeeded that a tool
/// of the registry requires. A memory and its clones are one.
///
/// ```
/// use toolkit::prelude::*;
/// use toolkit::RunMemory;
///
/// /// Looks up an order.
/// #[tool(effect = "read")]
/// fn get_order(order_id: &str) -> String {
///     format!("{order_id}: delivered")
/// }
///
/// /// Tells what a return of an order costs.
/// #[tool(effect = "read", requires(get_order(order_id)))]
/// fn return_cost(order_id: &str) -> u32 {
///     5
/// }
///
/// let registry = Registry::builder().tools(tools![get_order, return_cost]).build()?;
/// let memory = RunMemory::default();
/// let request = |name| {
///     let view = registry.view(Caller::new("ann")).remembering(&memory);
///     let call = ToolCall::new("call_1", name, r#"{"order_id": "O-1"}"#);
///     view.dispatch_blocking(call, Options::default())
/// };
/// assert_eq!(request("return_cost")?.status(), Status::Prerequisite);
/// assert_eq!(request("get_order")?.status(), Status::Ok);
/// assert_eq!(request("return_cost")?.text(), "5");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct RunMemory {
    pub(super) label: Label,
    done: Arc<Mutex<Calls>>,
}

/// Calls that succeeded, and whether each was only rehearsed; the oldest first.
#[derive(Default)]
struct Calls {
    kept: VecDeque<(ToolCall, bool)>,
    bytes: usize,
}

impl RunMemory {
    /// Whether the run has read what strangers wrote.
    #[must_use]
    pub fn is_tainted(&self) -> bool {
        self.label.is_tainted()
    }

    /// Says that the run has read what strangers wrote; that never ends.
    ///
    /// ```
    /// let memory = toolkit::RunMemory::default();
    /// memory.taint();
    /// assert!(memory.clone().is_tainted());
    /// ```
    pub fn taint(&self) {
        self.label.rise();
    }

    /// Keeps a call of a tool that another one requires, where it succeeded.
    pub(super) fn keep(&self, call: &ToolCall, outcome: &Outcome) {
        if let Some(is_rehearsed) = succeeded(outcome) {
            self.done().add(call, is_rehearsed);
        }
    }

    /// The calls that are kept.
    pub(super) fn calls(&self) -> Vec<(ToolCall, bool)> {
        self.done().kept.iter().cloned().collect()
    }

    fn done(&self) -> MutexGuard<'_, Calls> {
        self.done.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Calls {
    fn add(&mut self, call: &ToolCall, is_rehearsed: bool) {
        let size = call.arguments().len();
        let is_there = |(kept, was_rehearsed): &(ToolCall, bool)| {
            kept.name() == call.name()
                && kept.arguments() == call.arguments()
                && *was_rehearsed == is_rehearsed
        };
        if size > MOST_BYTES || self.kept.iter().any(is_there) {
            return;
        }
        self.bytes += size;
        self.kept.push_back((call.clone(), is_rehearsed));
        while self.kept.len() > MOST_CALLS || self.bytes > MOST_BYTES {
            let Some((oldest, _)) = self.kept.pop_front() else { break };
            self.bytes -= oldest.arguments().len();
        }
    }
}

impl fmt::Debug for RunMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let calls = self.done().kept.len();
        f.debug_struct("RunMemory")
            .field("label", &self.label)
            .field("done", &calls)
            .finish_non_exhaustive()
    }
}
