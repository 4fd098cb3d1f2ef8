//! How people agree to a call, and what they are told of it.

use std::time::Duration;

use super::DynamicTool;
use super::handler::asked;
use crate::context::CallContext;
use crate::tool::preview::{IntoPreview, previewed};

impl<A> DynamicTool<A> {
    /// Says for which arguments, as they would run, a person must agree.
    #[must_use]
    pub fn approval(mut self, rule: impl Fn(&A) -> bool + Send + Sync + 'static) -> Self {
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
        A: Clone + 'static,
        H: Fn(A, CallContext) -> F + Send + Sync + 'static,
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
}
