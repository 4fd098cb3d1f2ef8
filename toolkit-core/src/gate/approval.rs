//! Gate 7: a person agrees to the very arguments that will run.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::Way;
use crate::call::Outcome;
use crate::caller::{CallContext, Caller};
use crate::error::{Cause, Failure, ToolConfigError};
use crate::problem::escaped;
use crate::tool::{BoxFuture, Effect, Stopped, Tool};

/// Asks a person about one call.
///
/// An async closure `|request: ApprovalRequest| async move { … }` is one, too.
pub trait Approver: Send + Sync + 'static {
    /// Decides whether the call runs.
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, Decision>;
}

impl<F, D> Approver for F
where
    F: Fn(ApprovalRequest) -> D + Send + Sync + 'static,
    D: Future<Output = Decision> + Send + 'static,
{
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, Decision> {
        Box::pin(self(request.clone()))
    }
}

/// What a person decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// The call runs.
    Approved,
    /// The call does not run, and the model is told not to retry.
    Declined {
        /// What the model is told of the reason.
        reason: Option<String>,
    },
}

/// One call that waits for a person: the tool and the arguments that it will run with.
///
/// `Display` shows it for reading, one argument a line, with everything that
/// does not print escaped.
#[derive(Debug, Clone)]
pub struct ApprovalRequest {
    tool: Arc<str>,
    arguments: Arc<Value>,
    context: CallContext,
}

impl ApprovalRequest {
    /// The tool that will run.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// The arguments that it will run with, defaults written in.
    #[must_use]
    pub fn arguments(&self) -> &Value {
        &self.arguments
    }

    /// Who the agent acts for.
    #[must_use]
    pub fn caller(&self) -> &Caller {
        self.context.caller()
    }

    /// The provider's id of the call.
    #[must_use]
    pub fn call_id(&self) -> &str {
        self.context.call_id()
    }
}

impl fmt::Display for ApprovalRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} for {}", self.tool, escaped(self.caller().principal(), 200))?;
        for (name, value) in self.arguments.as_object().into_iter().flatten() {
            let value = match value {
                Value::String(text) => format!("\"{}\"", escaped(text, usize::MAX)),
                other => json_escaped(&other.to_string()),
            };
            write!(f, "\n  {}: {value}", escaped(name, usize::MAX))?;
        }
        Ok(())
    }
}

/// JSON text with everything that does not print escaped, its own quotes as they are.
fn json_escaped(json: &str) -> String {
    escaped(json, usize::MAX).replace("\\\"", "\"").replace("\\\\", "\\")
}

/// Whether a call of the tool can need a person at all.
pub(super) fn may_ask(tool: &Tool) -> bool {
    tool.asks || tool.effect == Some(Effect::Irreversible)
}

pub(super) async fn ask(
    way: &Way<'_>,
    rule: Option<&(dyn Fn() -> bool + Sync)>,
) -> Result<(), Stopped> {
    let tool = &way.entry.tool;
    let always = tool.effect == Some(Effect::Irreversible);
    if !always && !rule.is_some_and(|rule| rule()) {
        return Ok(());
    }
    let (Some(approver), Some(arguments)) = (&way.house.approver, way.checked.get()) else {
        // Found when the registry is built; here only so that no road leads around a person.
        let missing = ToolConfigError::new("an approval is needed and there is nobody to ask");
        return Err(Stopped::Failed(Failure(Cause::Config(missing))));
    };
    let request = ApprovalRequest {
        tool: tool.name.as_str().into(),
        arguments: Arc::new(arguments.clone()),
        context: way.context.clone(),
    };
    match approver.decide(&request).await {
        Decision::Approved => Ok(()),
        Decision::Declined { reason } => {
            Err(Stopped::Refused(Box::new(Outcome::declined(reason.as_deref()))))
        }
    }
}
