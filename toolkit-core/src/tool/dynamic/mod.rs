//! A tool that is made at run time, with what else is to be said of it.

mod agreement;
mod answer;
mod bounds;
mod handler;
mod repeat;

use std::fmt;

use serde_json::Value;

pub use answer::{Answer, Answered, Fallible, Later, Valued};
pub(super) use handler::{Handled, Parts};
use handler::{Handler, Run, asked};
use schemars::Schema;

use super::argument::ToolArg;
use super::passage::{ToolFailure, ToolOutput};
use super::policy::{OnDenied, Policy, Requirement};
use super::returned::returned;
use super::rules::{IntoRefusal, checked};
use super::{Body, Effect, Input, Tool, Typed};
use crate::context::CallContext;

/// A tool that is made at run time, with what else is to be said of it.
///
/// [`Tool::dynamic`] makes one of a schema and a handler of JSON, [`Tool::from_fn`] one of a
/// closure over the type `A`. Every key of `#[tool(…)]` that a gate goes by is a method. What
/// does not fit together is reported when the registry is built.
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
pub struct DynamicTool<A = Value> {
    name: String,
    title: Option<String>,
    description: String,
    place: Option<String>,
    input: Input,
    output: fn() -> Option<Schema>,
    policy: Policy,
    handler: Handler<A>,
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
        let run = Run::new(true, move |arguments, context| {
            let given = handler(arguments, context);
            Answered::Later(Box::pin(async move { returned(given.await) }))
        });
        Self {
            name,
            title: None,
            description,
            place: None,
            input: Input::Given(schema),
            output: || None,
            policy: Policy::DEFAULT,
            handler: Handler::new(run),
        }
    }
}

impl<A: ToolArg + Sync + 'static> DynamicTool<A> {
    pub(super) fn typed<H, R, M>(
        name: String,
        description: String,
        place: String,
        function: H,
    ) -> Self
    where
        H: Fn(A, CallContext) -> R + Send + Sync + 'static,
        R: Answer<M>,
    {
        let run =
            Run::new(R::WAITS, move |arguments, context| function(arguments, context).answered());
        Self {
            name,
            title: None,
            description,
            place: Some(place),
            input: Input::Type(Typed::of::<A>()),
            output: R::schema,
            policy: Policy::DEFAULT,
            handler: Handler::new(run),
        }
    }
}

impl<A> DynamicTool<A> {
    /// Gives it a name for people.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Gives whole arguments that its schema accepts, to show the model the form.
    ///
    /// They are checked when the registry is built.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolkit::dialect::Anthropic;
    /// use toolkit::prelude::*;
    ///
    /// let schema = json!({"properties": {"city": {"type": "string"}}, "required": ["city"]});
    /// let weather = Tool::dynamic("weather", "Tells.", schema, |_, _| async { Ok::<_, ToolError>(()) })
    ///     .examples([json!({"city": "Lisbon"})]);
    /// let view = Registry::builder().tool(weather).build()?.view(Caller::new("ann"));
    /// let definitions = view.definitions(&Anthropic)?;
    /// assert_eq!(definitions[0]["input_examples"], json!([{"city": "Lisbon"}]));
    /// # Ok::<(), toolkit::ToolConfigErrors>(())
    /// ```
    #[must_use]
    pub fn examples(mut self, examples: impl IntoIterator<Item = Value>) -> Self {
        self.policy.examples.extend(examples);
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
    /// several, or a [`Failure`](crate::Failure).
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
        A: Clone + 'static,
        H: Fn(A, CallContext) -> F + Send + Sync + 'static,
        F: Future<Output = Result<(), E>> + Send + 'static,
        E: IntoRefusal,
    {
        self.handler.checks.push(asked(rule, checked));
        self
    }

    /// Names a tool that must have succeeded before it in the same run.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolkit::prelude::*;
    ///
    /// # let tool = |name| Tool::dynamic(name, name, json!({}), |_, _| async { Ok::<_, ToolError>("ok") });
    /// let refund = tool("refund").requires("verify_identity");
    /// let registry = Registry::builder().tool(refund).tool(tool("verify_identity")).build()?;
    /// let call = ToolCall::new("call_1", "refund", "{}");
    /// let outcome = registry.view(Caller::new("ann")).dispatch_blocking(call, Options::default())?;
    /// assert_eq!(outcome.status(), Status::Prerequisite);
    /// assert!(outcome.text().contains("Call verify_identity."));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn requires(self, tool: impl Into<String>) -> Self {
        self.requires_same(tool, [""; 0])
    }

    /// Names a tool that must have succeeded before it in the same run, with the same values of
    /// these fields.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolkit::{Tool, ToolError};
    ///
    /// let schema = json!({"properties": {"order_id": {"type": "string"}}});
    /// let refund = Tool::dynamic("refund", "Refunds.", schema, |_, _| async { Ok::<_, ToolError>(()) })
    ///     .requires_same("get_order", ["order_id"]);
    /// assert_eq!(Tool::from(refund).name(), "refund");
    /// ```
    #[must_use]
    pub fn requires_same<I>(mut self, tool: impl Into<String>, fields: I) -> Self
    where
        I: IntoIterator,
        I::Item: Into<String>,
    {
        let same = fields.into_iter().map(Into::into).collect();
        self.policy.requires.push(Requirement { tool: tool.into(), same });
        self
    }
}

impl<A> fmt::Debug for DynamicTool<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DynamicTool")
            .field("name", &self.name)
            .field("policy", &self.policy)
            .finish_non_exhaustive()
    }
}

impl<A: ToolArg + Sync + 'static> From<DynamicTool<A>> for Tool {
    fn from(tool: DynamicTool<A>) -> Self {
        let DynamicTool { name, title, description, place, input, output, policy, handler } = tool;
        Self {
            name,
            title,
            description,
            place,
            policy,
            input,
            states: &[],
            output,
            body: Body::Handler(Box::new(handler)),
        }
    }
}
