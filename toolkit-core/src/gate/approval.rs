//! Gate 7: a person agrees to the very arguments that will run.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::Way;
use crate::call::Outcome;
use crate::caller::{CallContext, Caller};
use crate::error::ToolConfigError;
use crate::problem::{escaped, printable, quoted};
use crate::tool::{BoxFuture, Stopped, Tool};

/// Asks a person about one call.
///
/// A closure `|request: ApprovalRequest| async move { … }` is one, too. It may take
/// as long as the person does.
///
/// ```
/// use toolkit::prelude::*;
/// use toolkit::{Approver, BoxFuture};
///
/// struct Desk {
///     limit: f64,
/// }
/// impl Approver for Desk {
///     fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, Decision> {
///         Box::pin(async move {
///             match request.arguments()["amount"].as_f64() {
///                 Some(amount) if amount <= self.limit => Decision::Approved,
///                 _ => Decision::Declined { reason: Some("over the limit".to_owned()) },
///             }
///         })
///     }
/// }
///
/// # /// Refunds.
/// # #[tool(effect = "irreversible")]
/// # fn refund(amount: f64) {}
/// let builder = Registry::builder().tools(tools![refund]).approver(Desk { limit: 1000.0 });
/// let call = ToolCall::new("call_1", "refund", r#"{"amount": 900}"#);
/// # let view = builder.build()?.view(Caller::new("ann"));
/// assert_eq!(view.dispatch_blocking(call, Options::default())?.status(), Status::Ok);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` can not decide on a call",
    label = "is no approver",
    note = "write an async closure, `|request: ApprovalRequest| async move {{ Decision::Approved }}`, \
            or implement `Approver`"
)]
pub trait Approver: Send + Sync + 'static {
    /// Decides whether the call runs.
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, Decision>;
}

#[diagnostic::do_not_recommend]
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
///
/// ```
/// use toolkit::prelude::*;
///
/// /// Refunds an order.
/// #[tool(effect = "write", approval(amount > 500.0))]
/// fn refund(order_id: &str, amount: f64) {}
///
/// let registry = Registry::builder()
///     .tools(tools![refund])
///     .approver(|_: ApprovalRequest| async {
///         Decision::Declined { reason: Some("over the limit".to_owned()) }
///     })
///     .build()?;
/// let call = ToolCall::new("call_1", "refund", r#"{"order_id": "O-1", "amount": 900}"#);
/// let outcome = registry.view(Caller::new("ann")).dispatch_blocking(call, Options::default())?;
/// assert_eq!(outcome.status(), Status::Declined);
/// assert_eq!(
///     outcome.text(),
///     "declined by a person (over the limit). Do not retry; tell the user.",
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// The call runs.
    Approved,
    /// The call does not run, and the model is told not to retry.
    Declined {
        /// What the model is told of the reason, cut to 200 characters.
        reason: Option<String>,
    },
}

impl Decision {
    /// Declines the call, and tells the model why.
    pub fn declined(reason: impl Into<String>) -> Self {
        Self::Declined { reason: Some(reason.into()) }
    }
}

/// One call that waits for a person, with the arguments that it will run with.
///
/// `Display` shows it for reading, one argument a line, with everything that
/// does not print escaped.
///
/// ```
/// use std::future::ready;
/// use std::sync::mpsc::channel;
/// use toolkit::prelude::*;
///
/// /// Closes an account for good.
/// #[tool(effect = "irreversible")]
/// fn close(account: &str, #[arg(default = "none")] reason: &str) {}
///
/// let (asked, shown) = channel();
/// let registry = Registry::builder()
///     .tools(tools![close])
///     .approver(move |request: ApprovalRequest| {
///         asked.send(request.to_string()).unwrap();
///         ready(Decision::Approved)
///     })
///     .build()?;
/// let call = ToolCall::new("call_1", "close", r#"{"account": "A-1"}"#);
/// registry.view(Caller::new("ann")).dispatch_blocking(call, Options::default())?;
/// assert_eq!(shown.recv()?, "close for ann\n  account: \"A-1\"\n  reason: \"none\"");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct ApprovalRequest {
    tool: Arc<str>,
    arguments: Arc<Value>,
    canonical: Arc<str>,
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

    /// The canonical arguments: the very bytes that the function's types are read from.
    ///
    /// JSON without space, fields in the order of the signature, those of a map in
    /// the order of their names, integers with every digit, other numbers as the
    /// shortest text of their double, what was left out as its default.
    #[must_use]
    pub fn canonical_arguments(&self) -> &str {
        &self.canonical
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
        if let Some(tenant) = self.caller().tenant_name() {
            write!(f, " of {}", escaped(tenant, 200))?;
        }
        for (name, value) in self.arguments.as_object().into_iter().flatten() {
            let value = match value {
                Value::String(text) => quoted(text, usize::MAX),
                other => printable(&other.to_string()),
            };
            write!(f, "\n  {}: {value}", escaped(name, usize::MAX))?;
        }
        Ok(())
    }
}

/// Whether a call of the tool can need a person at all.
pub(crate) fn may_ask(tool: &Tool) -> bool {
    tool.policy.may_ask()
}

pub(super) async fn ask(
    way: &Way<'_>,
    rule: Option<&(dyn Fn() -> bool + Sync)>,
) -> Result<(), Stopped> {
    let tool = &way.entry.tool;
    if !tool.policy.always_asks() && !rule.is_some_and(|rule| rule()) {
        return Ok(());
    }
    let (Some(approver), Some(canonical)) = (&way.house.approver, way.canonical()) else {
        // Found when the registry is built; here only so that no road leads around a person.
        let missing = ToolConfigError::new("an approval is needed and there is nobody to ask");
        return Err(Stopped::Failed(missing.into()));
    };
    let request = ApprovalRequest {
        tool: tool.name.as_str().into(),
        arguments: Arc::new(canonical.value.clone()),
        canonical: canonical.text.as_str().into(),
        context: way.context.clone(),
    };
    match approver.decide(&request).await {
        Decision::Approved => Ok(()),
        Decision::Declined { reason } => {
            Err(Stopped::Refused(Box::new(Outcome::declined(reason.as_deref()))))
        }
    }
}
