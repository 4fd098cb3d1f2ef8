//! `search_tools`: the tool by which a model finds its tools itself.

use serde_json::{Value, json};

use crate::call::Status;
use crate::context::CallContext;
use crate::dialect::Message;
use crate::error::ToolError;
use crate::registry::{Finder, RegistryBuilder, View};
use crate::tool::Tool;

pub(super) const NAME: &str = "search_tools";

const DESCRIPTION: &str = "Finds tools by what they do. Use when none of the tools that you have fits the task. What is \
     found can be called from the next turn on.";

/// The most tools that a model may ask for at once.
const MOST: usize = 20;

/// Lets a model find its tools itself, instead of reading all of them.
///
/// It adds the tool `search_tools`, which searches what the view of the call shows and tells
/// nothing of any other tool. [`View::loaded`] says what the model has read so far.
///
/// ```
/// use serde_json::json;
/// use toolkit::prelude::*;
/// use toolkit::{Agent, Reply, ScriptedModel, ToolSearch};
///
/// # let tool = |name, description| {
/// #     Tool::dynamic(name, description, json!({}), |_, _| async { Ok::<_, ToolError>("sunny") })
/// # };
/// let registry = Registry::builder()
///     .tool(tool("get_order", "Looks up an order by its id."))
///     .tool(tool("get_forecast", "Tells the weather of the next days."))
///     .tool_search(ToolSearch::new().always(["get_order"]))
///     .build()?;
/// let view = registry.view(Caller::new("ann"));
/// assert_eq!(view.loaded(&[]).visible(), ["get_order", "search_tools"]);
///
/// let model = ScriptedModel::new([
///     Reply::call("search_tools", r#"{"request": "weather of tomorrow"}"#),
///     Reply::call("get_forecast", "{}"),
///     Reply::text("It will be sunny."),
/// ]);
/// let run = Agent::new(model, view.clone()).run_blocking("How will the weather be?")?;
/// assert_eq!(
///     view.loaded(run.transcript()).visible(),
///     ["get_order", "get_forecast", "search_tools"],
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolSearch {
    always: Vec<String>,
    top: usize,
}

impl Default for ToolSearch {
    fn default() -> Self {
        Self::new()
    }
}

impl ToolSearch {
    /// Lets a model find five tools at once, and reads none from the start.
    #[must_use]
    pub const fn new() -> Self {
        Self { always: Vec::new(), top: 5 }
    }

    /// Names the tools that the model reads from the start. Default none.
    #[must_use]
    pub fn always<I>(mut self, names: I) -> Self
    where
        I: IntoIterator,
        I::Item: Into<String>,
    {
        self.always.extend(names.into_iter().map(Into::into));
        self
    }

    /// Sets how many tools are found where the model does not say it: 1 to 20. Default 5.
    #[must_use]
    pub fn top(mut self, k: usize) -> Self {
        self.top = k.clamp(1, MOST);
        self
    }
}

impl RegistryBuilder {
    /// Lets models find their tools themselves by the tool `search_tools`.
    #[must_use]
    pub fn tool_search(self, search: ToolSearch) -> Self {
        self.finder(search)
    }
}

impl Finder for ToolSearch {
    fn tool(&self) -> Tool {
        let schema = json!({
            "type": "object",
            "properties": {
                "request": {
                    "type": "string",
                    "minLength": 1,
                    "description": "What the tool is to do, in a few plain words, or its name.",
                },
                "limit": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": MOST,
                    "default": self.top,
                    "description": "How many tools to find.",
                },
            },
            "required": ["request"],
            "additionalProperties": false,
        });
        // It gives back what it was asked, checked; the view, which knows what may be seen, answers.
        let asked = |arguments: Value, _: CallContext| async { Ok::<_, ToolError>(arguments) };
        Tool::dynamic(NAME, DESCRIPTION, schema, asked).into()
    }

    fn always(&self) -> &[String] {
        &self.always
    }

    fn answer(&self, view: &View, asked: &Value) -> Value {
        let request = asked.get("request").and_then(Value::as_str).unwrap_or_default();
        let limit = asked.get("limit").and_then(Value::as_u64).and_then(|k| k.try_into().ok());
        let limit: usize = limit.unwrap_or(self.top);
        // It would find itself, too.
        let found = view.search(request, limit + 1);
        let others = found.iter().filter(|found| found.name() != NAME).take(limit);
        let tools: Vec<Value> = others
            .map(|found| {
                json!({"name": found.name(), "description": found.definition().description})
            })
            .collect();
        if tools.is_empty() {
            return json!({"tools": tools, "hint": "No tool fits these words. Try other words."});
        }
        json!({"tools": tools})
    }
}

/// The tools that a history tells of: those that were found, and those that were called.
pub(super) fn told(messages: &[Message]) -> Vec<String> {
    let mut names = Vec::new();
    for message in messages {
        match message {
            Message::User(_) => {}
            Message::Assistant(reply) => {
                names.extend(reply.tool_calls().map(|call| call.name().to_owned()));
            }
            Message::Results(answered) => {
                let searches = answered.iter().filter(|answered| {
                    answered.call.name() == NAME && answered.outcome.status() == Status::Ok
                });
                for answered in searches {
                    let told: Value =
                        serde_json::from_str(answered.outcome.text()).unwrap_or_default();
                    let tools = told.get("tools").and_then(Value::as_array).into_iter().flatten();
                    let found = tools.filter_map(|tool| tool.get("name")?.as_str());
                    names.extend(found.map(str::to_owned));
                }
            }
        }
    }
    names
}
