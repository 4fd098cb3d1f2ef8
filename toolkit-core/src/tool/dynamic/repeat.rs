//! What becomes of a call that comes again, or of which nobody knows whether it took effect.

use super::DynamicTool;
use super::handler::asked;
use crate::context::CallContext;
use crate::tool::policy::LedgerUse;
use crate::tool::unknown::{IntoVerified, OnUnknown, verified};

impl<A> DynamicTool<A> {
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
    /// It gives a [`Verified`](crate::Verified), or a `Result` of one.
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
        A: Clone + 'static,
        H: Fn(A, CallContext) -> F + Send + Sync + 'static,
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
