//! A view as rig's tools, and rig's tools in a registry.
//!
//! What is mapped: definitions, calls and their outcomes, both ways; and by a hook the two things
//! that a tool alone can not say in rig's loop, that a name is none and that a run is over.

use std::sync::atomic::{AtomicU64, Ordering};

use rig_agent::agent::{
    HookContext, InvalidToolCallAction, InvalidToolCallContext, OutcomeAction, OutcomeEvent,
};
use rig_core::message::ToolName;
use rig_core::tool::{DynamicTool as RigTool, ToolErrorKind, ToolExecutionError, ToolOutput};
use serde::Serialize;
use serde_json::Value;
use toolkit_core::{
    Abort, BoxFuture, CallContext, DynamicTool, Failure, Options, Outcome, Status, Tool, ToolCall,
    ToolConfigErrors, ToolError, View,
};

use crate::dialect::Anthropic;

/// Ids of calls: rig gives a tool none.
static CALLS: AtomicU64 = AtomicU64::new(1);

/// The visible tools as rig's, for `AgentBuilder::dynamic_tools`; each call passes every gate.
///
/// A tool that ends the run does so only where [`Gates`] are among the agent's hooks.
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
/// let view = Registry::builder().tools(tools![add]).build()?.view(Caller::new("ann"));
/// let [add] = &toolkit::rig::tools(&view, &Options::default())?[..] else { panic!("one tool") };
/// let output = pollster::block_on(add.execute(json!({"a": 2, "b": 3})))?;
/// assert_eq!(output.as_json(), Some(&json!(5)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// A tool has no form that every provider takes.
pub fn tools(view: &View, options: &Options) -> Result<Vec<RigTool>, ToolConfigErrors> {
    // The form that the most providers take; rig passes it on to any of them.
    let definitions = view.definitions(&Anthropic)?;
    let definitions = definitions.as_array().map(Vec::as_slice).unwrap_or_default();
    Ok(definitions.iter().filter_map(|definition| tool(view, options, definition)).collect())
}

/// One tool as rig's; a registry's tools have names.
fn tool(view: &View, options: &Options, definition: &Value) -> Option<RigTool> {
    let said = |field: &str| definition.get(field).and_then(Value::as_str).unwrap_or_default();
    let (view, options, called) = (view.clone(), options.clone(), said("name").to_owned());
    let run = move |arguments: Value| {
        let id = format!("rig_{}", CALLS.fetch_add(1, Ordering::Relaxed));
        let call = ToolCall::from_value(id, called.clone(), arguments);
        let (view, options) = (view.clone(), options.clone());
        let answer: BoxFuture<'static, _> =
            Box::pin(async move { answered(view.dispatch(&call, options).await) });
        answer
    };
    let schema = definition.get("input_schema").cloned().unwrap_or_default();
    Some(RigTool::new(ToolName::new(said("name")).ok()?, said("description"), schema, run))
}

fn answered(ended: Result<Outcome, Abort>) -> Result<ToolOutput, ToolExecutionError> {
    let outcome = match ended {
        Ok(outcome) => outcome,
        Err(abort) => {
            tracing::error!(%abort, "a tool ended the run");
            let over = ToolExecutionError::other("the run is over").with_source(RunIsOver);
            return Err(over.with_retryable(false));
        }
    };
    if !outcome.is_error() {
        let structured = outcome.value().filter(|_| outcome.status() == Status::Ok);
        return Ok(structured.map_or_else(|| ToolOutput::text(outcome.text()), ToolOutput::json));
    }
    let error = ToolExecutionError::new(kind(outcome.status()), outcome.text());
    Err(error.with_retryable(outcome.is_retryable()).with_code(outcome.status().as_str()))
}

const fn kind(status: Status) -> ToolErrorKind {
    match status {
        Status::UnknownTool | Status::Denied => ToolErrorKind::NotFound,
        Status::Invalid => ToolErrorKind::InvalidArgs,
        Status::AwaitingApproval | Status::Declined | Status::Expired => {
            ToolErrorKind::PermissionDenied
        }
        Status::Unavailable => ToolErrorKind::RateLimited,
        _ => ToolErrorKind::Other,
    }
}

/// What marks an error after which nothing goes on.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("the run is over")]
struct RunIsOver;

/// Keeps rig's loop to our rules: a wrong name is answered and does not end the run, and a fatal
/// error does.
///
/// ```
/// use rig_agent::core::{DynModel, operation::Completion};
/// use rig_agent::{Agent, AgentBuilder};
/// use toolkit::prelude::*;
/// use toolkit::rig::{Gates, tools};
///
/// fn agent(
///     model: impl Into<DynModel<Completion>>,
///     view: &View,
/// ) -> Result<Agent, ToolConfigErrors> {
///     let tools = tools(view, &Options::default().run_id("run-7"))?;
///     Ok(AgentBuilder::new(model).dynamic_tools(tools).add_hook(Gates::of(view)).build())
/// }
/// ```
#[derive(Debug, Clone)]
pub struct Gates(View);

impl Gates {
    /// For an agent that has the [`tools`] of the view.
    #[must_use]
    pub fn of(view: &View) -> Self {
        Self(view.clone())
    }
}

impl rig_agent::AgentHook for Gates {
    async fn on_invalid_tool_call(
        &self,
        _: &HookContext,
        event: &InvalidToolCallContext,
    ) -> Option<InvalidToolCallAction> {
        // What is wrong with a tool that is there, rig says itself.
        if event.available_tools.contains(&event.tool_name) {
            return None;
        }
        let call = ToolCall::new("rig", event.tool_name.as_str(), "{}");
        let unknown = self.0.clone().scoped(event.available_tools.iter());
        let outcome = unknown.dispatch(&call, Options::default()).await.ok()?;
        Some(InvalidToolCallAction::Skip { reason: outcome.text().to_owned() })
    }

    async fn on_outcome(&self, _: &HookContext, event: OutcomeEvent<'_>) -> OutcomeAction {
        let error = event.tool_result().and_then(|result| result.error());
        if error.is_some_and(ToolExecutionError::is::<RunIsOver>) {
            return OutcomeAction::stop("a tool ended the run");
        }
        OutcomeAction::proceed()
    }
}

/// A tool of rig's as one of a registry, behind its gates; say its effect and what else counts.
///
/// rig's own classification tells what is known: wrong arguments, a missing thing, a refusal and
/// a rate limit mean that nothing happened. After any other error nobody knows, and a call with
/// an effect is in doubt.
///
/// ```
/// use rig_core::tool::{DynamicTool, ToolOutput};
/// use rig_core::message::ToolName;
/// use toolkit::prelude::*;
///
/// let noon = DynamicTool::new(
///     ToolName::new("now")?,
///     "Tells the time.",
///     serde_json::json!({"type": "object"}),
///     |_| Box::pin(async { Ok(ToolOutput::text("noon")) }),
/// );
/// let now = toolkit::rig::imported(noon).effect(toolkit::Effect::Read);
/// let view = Registry::builder().tool(now).build()?.view(Caller::new("ann"));
/// let outcome = view.dispatch_blocking(ToolCall::new("1", "now", "{}"), Options::default())?;
/// assert_eq!(outcome.text(), "noon");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn imported(tool: RigTool) -> DynamicTool {
    let definition = tool.definition();
    let run = move |arguments: Value, _: CallContext| {
        let tool = tool.clone();
        async move { tool.execute(arguments).await.map(|output| given(&output)).map_err(failed) }
    };
    Tool::dynamic(definition.name.to_string(), definition.description, definition.parameters, run)
}

/// What a tool of rig's gave.
#[derive(Serialize)]
#[serde(untagged)]
enum Given {
    Text(String),
    Json(Value),
}

fn given(output: &ToolOutput) -> Given {
    match output.as_json() {
        Some(value) => Given::Json(value.clone()),
        None => Given::Text(output.render()),
    }
}

fn failed(error: ToolExecutionError) -> Failure {
    let told = error.model_output().render();
    match error.kind() {
        ToolErrorKind::InvalidArgs => ToolError::validation(told).into(),
        ToolErrorKind::NotFound => ToolError::business(told).into(),
        ToolErrorKind::PermissionDenied => ToolError::permission(told).into(),
        ToolErrorKind::RateLimited => ToolError::transient(told).into(),
        _ => error.into(),
    }
}
