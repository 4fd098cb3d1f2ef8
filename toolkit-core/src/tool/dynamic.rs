//! A tool that is known only at run time, with what else is to be said of it.

use std::fmt;
use std::time::Duration;

use serde_json::Value;

use super::passage::{
    Check, IntoRefusal, Passage, Preview, Refusal, Rules, Stopped, ToolFailure, ToolOutput,
    Verification, checked, returned, taken,
};
use super::policy::{LedgerUse, OnDenied, Policy};
use super::preview::{IntoPreview, previewed};
use super::unknown::{IntoVerified, OnUnknown, Verified, verified};
use super::{Body, BoxFuture, Effect, Input, Tool};
use crate::context::CallContext;
use crate::error::Failure;
use crate::output::Output;

/// A function of the arguments and the context of a call.
type Asked<T> = Box<dyn Fn(Value, CallContext) -> BoxFuture<'static, T> + Send + Sync>;

/// Whether a person must agree to such arguments.
type ApprovalRule = Box<dyn Fn(&Value) -> bool + Send + Sync>;

/// Hides the types of a function and of what it gives, which `read` reads.
fn asked<H, F, T>(function: H, read: fn(F::Output) -> T) -> Asked<T>
where
    H: Fn(Value, CallContext) -> F + Send + Sync + 'static,
    F: Future + Send + 'static,
    T: 'static,
{
    Box::new(move |arguments, context| {
        let given = function(arguments, context);
        Box::pin(async move { read(given.await) })
    })
}

/// What a dynamic tool runs, and what its gates ask.
pub(super) struct Handler {
    run: Asked<Result<Output, Stopped>>,
    checks: Vec<Asked<Result<(), Refusal>>>,
    pub(super) approval: Option<ApprovalRule>,
    preview: Option<Asked<Result<String, Failure>>>,
    pub(super) verify: Option<Asked<Result<Verified<Output>, Failure>>>,
}

impl Handler {
    /// Runs a call from its arguments on.
    pub(super) async fn call(&self, passage: Passage<'_>) -> Result<Output, Stopped> {
        let mut arguments = None::<Value>;
        passage.arguments(&mut [&mut arguments])?;
        let arguments = taken(arguments)?;
        let context = passage.context();
        let checks: Vec<_> = self
            .checks
            .iter()
            .map(|check| || -> BoxFuture<'_, _> { check(arguments.clone(), context.clone()) })
            .collect();
        let checks: Vec<Check<'_>> = checks.iter().map(|check| -> Check<'_> { check }).collect();
        let needed = || self.approval.as_deref().is_some_and(|rule| rule(&arguments));
        let preview = self
            .preview
            .as_ref()
            .map(|told| || -> BoxFuture<'_, _> { told(arguments.clone(), context.clone()) });
        let verify = self
            .verify
            .as_ref()
            .map(|look| || -> BoxFuture<'_, _> { look(arguments.clone(), context.clone()) });
        let rules = Rules {
            checks: &checks,
            approval: Some(&needed),
            preview: preview.as_ref().map(|preview| -> Preview<'_> { preview }),
            verify: verify.as_ref().map(|verify| -> Verification<'_> { verify }),
        };
        passage.pass(rules).await?;
        (self.run)(arguments.clone(), context.clone()).await
    }
}

/// A tool that is known only at run time, with what else is to be said of it.
///
/// Every key of `#[tool(…)]` that a gate goes by is a method. What does not fit together is
/// reported when the registry is built.
///
/// ```
/// use serde_json::json;
/// use toolkit::{Effect, Tool, ToolError};
///
/// let schema = json!({"properties": {"amount": {"type": "number"}}});
/// let tool = Tool::dynamic("pay", "Pays.", schema, |_, _| async { Ok::<_, ToolError>("paid") })
///     .title("Payment")
///     .effect(Effect::Write)
///     .scopes(["payments:write"])
///     .approval(|arguments| arguments["amount"].as_f64() > Some(500.0));
/// assert_eq!(Tool::from(tool).name(), "pay");
/// ```
pub struct DynamicTool {
    name: String,
    title: Option<String>,
    description: String,
    schema: Value,
    policy: Policy,
    handler: Handler,
}

impl DynamicTool {
    pub(super) fn new<H, F, T, E>(
        name: String,
        description: String,
        schema: Value,
        handler: H,
    ) -> Self
    where
        H: Fn(Value, CallContext) -> F + Send + Sync + 'static,
        F: Future<Output = Result<T, E>> + Send + 'static,
        T: ToolOutput + 'static,
        E: ToolFailure + 'static,
    {
        let run = asked(handler, returned);
        let handler =
            Handler { run, checks: Vec::new(), approval: None, preview: None, verify: None };
        Self { name, title: None, description, schema, policy: Policy::DEFAULT, handler }
    }

    /// Gives it a name for people.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Says what it does to the world.
    #[must_use]
    pub const fn effect(mut self, effect: Effect) -> Self {
        self.policy.effect = Some(effect);
        self
    }

    /// Names the scopes that the caller must hold.
    #[must_use]
    pub fn scopes<I>(mut self, scopes: I) -> Self
    where
        I: IntoIterator,
        I::Item: Into<String>,
    {
        self.policy.scopes.extend(scopes.into_iter().map(Into::into));
        self
    }

    /// Shows it to callers without its scopes, too; they still can not call it.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolkit::prelude::*;
    ///
    /// let pay = Tool::dynamic("pay", "Pays.", json!({}), |_, _| async { Ok::<_, ToolError>(()) })
    ///     .scopes(["payments:write"])
    ///     .listed();
    /// let view = Registry::builder().tool(pay).build()?.view(Caller::new("ann"));
    /// assert_eq!(view.visible(), ["pay"]);
    ///
    /// let call = ToolCall::new("call_1", "pay", "{}");
    /// let outcome = view.dispatch_blocking(call, Options::default())?;
    /// assert_eq!(outcome.status(), Status::Denied);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn listed(mut self) -> Self {
        self.policy.listed = true;
        self
    }

    /// Ends the run where a caller without its scopes calls it; it must be [`listed`](Self::listed).
    ///
    /// ```
    /// use serde_json::json;
    /// use toolkit::Abort;
    /// use toolkit::prelude::*;
    ///
    /// let pay = Tool::dynamic("pay", "Pays.", json!({}), |_, _| async { Ok::<_, ToolError>(()) })
    ///     .scopes(["payments:write"])
    ///     .listed()
    ///     .fatal_when_denied();
    /// let view = Registry::builder().tool(pay).build()?.view(Caller::new("ann"));
    ///
    /// let call = ToolCall::new("call_1", "pay", "{}");
    /// let abort = view.dispatch_blocking(call, Options::default()).unwrap_err();
    /// assert!(matches!(abort, Abort::Fatal { .. }));
    /// # Ok::<(), toolkit::ToolConfigErrors>(())
    /// ```
    #[must_use]
    pub const fn fatal_when_denied(mut self) -> Self {
        self.policy.on_denied = OnDenied::Fatal;
        self
    }

    /// Adds a business rule over the arguments, as they would run; every rule is asked.
    ///
    /// Its error is a [`ToolError`](crate::ToolError), a [`Problem`](crate::Problem) or
    /// several, or a [`Failure`].
    ///
    /// ```
    /// use serde_json::{Value, json};
    /// use toolkit::prelude::*;
    ///
    /// let schema = json!({"properties": {"seats": {"type": "integer"}}, "required": ["seats"]});
    /// let book = Tool::dynamic("book", "Books.", schema, |_, _| async { Ok::<_, ToolError>("ok") })
    ///     .check(|arguments: Value, _| async move {
    ///         match arguments["seats"].as_u64() {
    ///             Some(1..=8) => Ok(()),
    ///             _ => Err(ToolError::business("a table has 1 to 8 seats")),
    ///         }
    ///     });
    /// let view = Registry::builder().tool(book).build()?.view(Caller::new("ann"));
    /// let call = ToolCall::new("call_1", "book", r#"{"seats": 9}"#);
    /// let outcome = view.dispatch_blocking(call, Options::default())?;
    /// assert_eq!(outcome.status(), Status::Rejected);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn check<H, F, E>(mut self, rule: H) -> Self
    where
        H: Fn(Value, CallContext) -> F + Send + Sync + 'static,
        F: Future<Output = Result<(), E>> + Send + 'static,
        E: IntoRefusal,
    {
        self.handler.checks.push(asked(rule, checked));
        self
    }

    /// Says for which arguments, as they would run, a person must agree.
    #[must_use]
    pub fn approval(mut self, rule: impl Fn(&Value) -> bool + Send + Sync + 'static) -> Self {
        self.policy.approval.get_or_insert_default();
        self.handler.approval = Some(Box::new(rule));
        self
    }

    /// Says how many persons must agree, where one must. Default 1.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolkit::ledger::MemoryLedger;
    /// use toolkit::prelude::*;
    /// use toolkit::Effect;
    ///
    /// let close = Tool::dynamic("close", "Closes.", json!({}), |_, _| async {
    ///     Ok::<_, ToolError>("closed")
    /// });
    /// let close = close.effect(Effect::Irreversible).quorum(2);
    /// let ledger = MemoryLedger::accept_loss("an example");
    /// let view = Registry::builder().tool(close).ledger(ledger).build()?.view(Caller::new("ann"));
    /// let call = ToolCall::new("call_1", "close", "{}");
    /// let outcome = view.dispatch_blocking(call, Options::default().run_id("run-7"))?;
    /// assert_eq!(outcome.status(), Status::AwaitingApproval);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn quorum(mut self, persons: u32) -> Self {
        self.policy.approval.get_or_insert_default().quorum = persons;
        self
    }

    /// Lets nobody agree to a call that is made for themselves.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolkit::{Effect, Tool, ToolError};
    ///
    /// let close = Tool::dynamic("close", "Closes.", json!({}), |_, _| async {
    ///     Ok::<_, ToolError>("closed")
    /// });
    /// let tool = Tool::from(close.effect(Effect::Irreversible).four_eyes());
    /// assert_eq!(tool.name(), "close");
    /// ```
    #[must_use]
    pub fn four_eyes(mut self) -> Self {
        self.policy.approval.get_or_insert_default().four_eyes = true;
        self
    }

    /// Says how long a call waits for people: from a minute to thirty days.
    ///
    /// ```
    /// use std::time::Duration;
    /// use serde_json::json;
    /// use toolkit::{Effect, Tool, ToolError};
    ///
    /// let close = Tool::dynamic("close", "Closes.", json!({}), |_, _| async {
    ///     Ok::<_, ToolError>("closed")
    /// });
    /// let close = close.effect(Effect::Irreversible).time_to_live(Duration::from_secs(2 * 60 * 60));
    /// assert_eq!(Tool::from(close).name(), "close");
    /// ```
    #[must_use]
    pub fn time_to_live(mut self, time: Duration) -> Self {
        self.policy.approval.get_or_insert_default().time_to_live = Some(time);
        self
    }

    /// Tells what a call would do, for a rehearsal and for whoever must agree.
    ///
    /// It gives text, or a `Result` of text.
    ///
    /// ```
    /// use serde_json::{Value, json};
    /// use toolkit::prelude::*;
    ///
    /// let schema = json!({"properties": {"city": {"type": "string"}}, "required": ["city"]});
    /// let weather = Tool::dynamic("weather", "Tells.", schema, |_, _| async { Ok::<_, ToolError>(()) })
    ///     .preview(|arguments: Value, _| async move { format!("asks about {}", arguments["city"]) });
    /// let view = Registry::builder().tool(weather).build()?.view(Caller::new("ann"));
    /// let call = ToolCall::new("call_1", "weather", r#"{"city": "Lisbon"}"#);
    /// let outcome = view.dispatch_blocking(call, Options::default().dry_run())?;
    /// assert!(outcome.text().contains(r#"asks about "Lisbon""#));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn preview<H, F>(mut self, told: H) -> Self
    where
        H: Fn(Value, CallContext) -> F + Send + Sync + 'static,
        F: Future<Output: IntoPreview> + Send + 'static,
    {
        self.policy.has_preview = true;
        self.handler.preview = Some(asked(told, previewed));
        self
    }

    /// Runs an approved call only while its [`preview`](Self::preview) is what people agreed to.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolkit::{Effect, Tool, ToolError};
    ///
    /// let empty = Tool::dynamic("empty", "Empties.", json!({}), |_, _| async {
    ///     Ok::<_, ToolError>(())
    /// });
    /// let empty = empty
    ///     .effect(Effect::Irreversible)
    ///     .preview(|_, _| async { "deletes 14 files" })
    ///     .preview_must_match();
    /// assert_eq!(Tool::from(empty).name(), "empty");
    /// ```
    #[must_use]
    pub const fn preview_must_match(mut self) -> Self {
        self.policy.preview_must_match = true;
        self
    }

    /// Names the fields of the schema that make two calls the same call.
    ///
    /// Without it, all of the arguments do.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolkit::{Effect, Tool, ToolError};
    ///
    /// let schema = json!({"properties": {
    ///     "order_id": {"type": "string"},
    ///     "note": {"type": "string"},
    /// }});
    /// let refund = Tool::dynamic("refund", "Refunds.", schema, |_, _| async {
    ///     Ok::<_, ToolError>("refunded")
    /// });
    /// let refund = refund.effect(Effect::Write).idempotency(["order_id"]);
    /// assert_eq!(Tool::from(refund).name(), "refund");
    /// ```
    #[must_use]
    pub fn idempotency<I>(mut self, fields: I) -> Self
    where
        I: IntoIterator,
        I::Item: Into<String>,
    {
        self.policy.idempotency.extend(fields.into_iter().map(Into::into));
        self
    }

    /// Says what becomes of a call of which nobody knows whether it took effect.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolkit::{Effect, OnUnknown, Tool, ToolError};
    ///
    /// let light = Tool::dynamic("light", "Turns the light on.", json!({}), |_, _| async {
    ///     Ok::<_, ToolError>("on")
    /// });
    /// let light = light.effect(Effect::Write).on_unknown(OnUnknown::Rerun);
    /// assert_eq!(Tool::from(light).name(), "light");
    /// ```
    #[must_use]
    pub const fn on_unknown(mut self, on_unknown: OnUnknown) -> Self {
        self.policy.on_unknown = on_unknown;
        self
    }

    /// Looks whether a call took effect of which nobody knows: [`OnUnknown::Verify`].
    ///
    /// It gives a [`Verified`], or a `Result` of one.
    ///
    /// ```
    /// use serde_json::{Value, json};
    /// use toolkit::{Effect, Tool, ToolError, Verified};
    ///
    /// let schema = json!({"properties": {"order_id": {"type": "string"}}});
    /// let refund = Tool::dynamic("refund", "Refunds.", schema, |_, _| async {
    ///     Ok::<_, ToolError>("refunded")
    /// });
    /// let refund = refund.effect(Effect::Write).verify(|arguments: Value, _| async move {
    ///     match arguments["order_id"].as_str() {
    ///         Some("O-1") => Verified::Applied("refunded"),
    ///         _ => Verified::NotApplied,
    ///     }
    /// });
    /// assert_eq!(Tool::from(refund).name(), "refund");
    /// ```
    #[must_use]
    pub fn verify<H, F>(mut self, look: H) -> Self
    where
        H: Fn(Value, CallContext) -> F + Send + Sync + 'static,
        F: Future<Output: IntoVerified> + Send + 'static,
    {
        self.policy.on_unknown = OnUnknown::Verify;
        self.handler.verify = Some(asked(look, verified));
        self
    }

    /// Keeps its calls out of the ledger, and says why that is right.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolkit::prelude::*;
    /// use toolkit::Effect;
    ///
    /// let light = Tool::dynamic("light", "Turns the light on.", json!({}), |_, _| async {
    ///     Ok::<_, ToolError>("on")
    /// });
    /// let light = light.effect(Effect::Write).without_ledger("a light that is on stays on");
    /// let view = Registry::builder().tool(light).build()?.view(Caller::new("ann"));
    /// let call = ToolCall::new("call_1", "light", "{}");
    /// assert_eq!(view.dispatch_blocking(call, Options::default())?.text(), "on");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn without_ledger(mut self, why: impl Into<String>) -> Self {
        let why: String = why.into();
        self.policy.ledger = LedgerUse::None { why: why.into() };
        self
    }
}

impl fmt::Debug for DynamicTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DynamicTool")
            .field("name", &self.name)
            .field("policy", &self.policy)
            .finish_non_exhaustive()
    }
}

impl From<DynamicTool> for Tool {
    fn from(tool: DynamicTool) -> Self {
        let DynamicTool { name, title, description, schema, policy, handler } = tool;
        Self {
            name,
            title,
            description,
            place: None,
            policy,
            input: Input::Given(schema),
            states: &[],
            output: || None,
            body: Body::Handler(handler),
        }
    }
}
