//! Gate 7: a person agrees to the very arguments that will run.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::time::{self, Time};
use super::{Way, dry_run, ledger};
use crate::call::Outcome;
use crate::caller::Caller;
use crate::context::CallContext;
use crate::error::ToolConfigError;
use crate::ledger::inside::{Agreed, Parked, Prompt, Terms, Today};
use crate::ledger::{ApprovalId, Digest};
use crate::tool::{ApprovalPolicy, BoxFuture, Rule, Rules, Said, Stopped, Tool};

/// Asks a person about one call.
///
/// A closure `|request: ApprovalRequest| async move { … }` is one, too. It may take
/// as long as the person does.
///
/// ```
/// use toolkit::ledger::MemoryLedger;
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
/// let builder = Registry::builder()
///     .tools(tools![refund])
///     .ledger(MemoryLedger::new())
///     .approver(Desk { limit: 1000.0 });
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
/// use toolkit::ledger::MemoryLedger;
/// use toolkit::prelude::*;
///
/// /// Refunds an order.
/// #[tool(effect = "write", approval(amount > 500.0))]
/// fn refund(order_id: &str, amount: f64) {}
///
/// let registry = Registry::builder()
///     .tools(tools![refund])
///     .ledger(MemoryLedger::new())
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
/// use toolkit::ledger::MemoryLedger;
/// use toolkit::prelude::*;
///
/// /// Closes an account for good.
/// #[tool(effect = "irreversible")]
/// fn close(account: &str, #[arg(default = "none")] reason: &str) {}
///
/// let (asked, shown) = channel();
/// let registry = Registry::builder()
///     .tools(tools![close])
///     .ledger(MemoryLedger::new())
///     .approver(move |request: ApprovalRequest| {
///         asked.send(request.to_string()).unwrap();
///         ready(Decision::Approved)
///     })
///     .build()?;
/// let call = ToolCall::new("call_1", "close", r#"{"account": "A-1"}"#);
/// registry.view(Caller::new("ann")).dispatch_blocking(call, Options::default())?;
/// assert_eq!(shown.recv()?, "close for ann\n  account: text(3) = \"A-1\"\n  reason: text(4) = \"none\"");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct ApprovalRequest {
    tool: Arc<str>,
    arguments: Arc<Value>,
    canonical: Arc<str>,
    preview: Option<Arc<str>>,
    context: CallContext,
    tainted: bool,
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

    /// What the tool tells of the call, where it tells something; nobody vouches for it.
    #[must_use]
    pub fn preview(&self) -> Option<&str> {
        self.preview.as_deref()
    }

    /// Whether a person is asked because the run has read what strangers wrote.
    #[must_use]
    pub const fn is_tainted(&self) -> bool {
        self.tainted
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
        let prompt = Prompt {
            tool: &self.tool,
            principal: self.caller().principal(),
            tenant: self.caller().tenant_name(),
            arguments: &self.canonical,
            preview: self.preview(),
        };
        prompt.fmt(f)?;
        if self.tainted {
            f.write_str("\n  (the run has read what strangers wrote; the call may be their idea)")?;
        }
        Ok(())
    }
}

/// On what ground a call goes on.
pub(super) enum Agreement {
    /// Nobody has to agree.
    NotNeeded,
    /// A person agreed while the call waited.
    InLine(Agreed),
    /// People agreed to the parked call, if to what the tool is and asks today.
    Parked(ApprovalId, Box<Today>),
}

/// Whether the in-line approver can decide alone.
pub(crate) fn is_one_word_enough(tool: &Tool) -> bool {
    let ApprovalPolicy { quorum, four_eyes, .. } = tool.policy.agreement();
    quorum <= 1 && !four_eyes
}

/// Asks a person, or leaves the call to people.
pub(super) async fn ask(way: &Way<'_>, rules: &dyn Rules) -> Result<Agreement, Stopped> {
    let tool = &way.entry.tool;
    let parked = way.parked().map(|parked| parked.id);
    let is_always_asked = parked.is_some() || tool.policy.always_asks() || way.is_tainted;
    // What a rule says that is no plain no asks a person.
    if !is_always_asked && matches!(rules.said(Rule::Approval).await?, Said::Nothing) {
        return Ok(Agreement::NotNeeded);
    }
    let Some(canonical) = way.canonical() else { return Err(nobody_to_ask()) };
    let request = ApprovalRequest {
        tool: tool.name.as_str().into(),
        arguments: Arc::new(canonical.told_value().clone()),
        canonical: canonical.told_text().into(),
        preview: match time::within(way, Time::Tools, rules.said(Rule::Preview)).await?? {
            Said::Preview(told) => {
                let text = told.map_err(Stopped::Failed)?;
                Some(dry_run::shown(&text, way.house.limits.report_bytes).into())
            }
            _ => None,
        },
        context: way.context.clone(),
        tainted: way.is_tainted,
    };
    if let Some(id) = parked {
        let terms = terms(way, &request);
        return Ok(Agreement::Parked(id, Box::new(Today { revision: way.entry.revision, terms })));
    }
    if let Some(approver) = &way.house.approver
        && is_one_word_enough(tool)
    {
        let decided = in_line(&**approver, &request);
        return time::within(way, Time::Persons, decided).await?;
    }
    let Some((book, proposal)) = way.kept.as_ref().and_then(|kept| kept.proposed()) else {
        return Err(nobody_to_ask());
    };
    // A row that it could run from would hold the secret.
    if canonical.told.is_some() {
        return Err(nobody_to_ask());
    }
    let terms = terms(way, &request);
    let parked = book.park(proposal, &terms).await;
    Err(ledger::refused(match parked.map_err(|error| ledger::stop(way, &error))? {
        Parked::Known(known) => ledger::answer(&tool.name, known),
        Parked::TooMany { most } => Outcome::unavailable(
            &tool.name,
            format!("{most} calls of the caller wait for a person"),
        ),
    }))
}

/// Found when the registry is built; here only so that no road leads around a person.
fn nobody_to_ask() -> Stopped {
    let missing = ToolConfigError::new("an approval is needed and there is nobody to ask");
    Stopped::Failed(missing.into())
}

async fn in_line(approver: &dyn Approver, request: &ApprovalRequest) -> Result<Agreement, Stopped> {
    match approver.decide(request).await {
        Decision::Approved => {
            let shown = request.to_string();
            let parts = ["in line", request.tool(), request.canonical_arguments(), &shown];
            let binding = Digest::of(parts.map(str::as_bytes));
            let by = "the approver".to_owned();
            Ok(Agreement::InLine(Agreed { by, channel: "in line".to_owned(), binding }))
        }
        Decision::Declined { reason } => Err(ledger::refused(Outcome::declined(reason.as_deref()))),
    }
}

/// What people are asked.
fn terms(way: &Way<'_>, request: &ApprovalRequest) -> Terms {
    let (tool, house) = (&way.entry.tool, way.house);
    let ApprovalPolicy { quorum, four_eyes, time_to_live } = tool.policy.agreement();
    let usual = house.book.as_ref().map_or(Duration::ZERO, |book| book.settings().time_to_live);
    Terms {
        rendered: request.to_string(),
        quorum,
        four_eyes,
        time_to_live: time_to_live.unwrap_or(usual),
        preview: request.preview().map(str::to_owned),
        preview_must_match: tool.policy.preview_must_match,
        scopes: request.caller().granted().iter().map(str::to_owned).collect(),
        tainted: request.tainted,
    }
}
