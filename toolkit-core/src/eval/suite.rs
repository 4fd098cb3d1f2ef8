//! Requests with what is right for them.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::error::ToolConfigError;

/// A request, the tool that is right for it, and its arguments.
///
/// ```
/// use serde_json::json;
/// use toolkit::eval::Case;
///
/// let case = Case::new("Refund O-1.", "refund").arguments(json!({"order_id": "O-1"}));
/// assert_eq!((case.request(), case.tool()), ("Refund O-1.", Some("refund")));
/// assert_eq!(Case::without_tool("Hello.").tool(), None);
/// ```
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    request: String,
    /// A field that must be there: a case without a right tool says so.
    #[serde(deserialize_with = "Option::deserialize")]
    tool: Option<String>,
    #[serde(default)]
    arguments: Option<Map<String, Value>>,
}

impl Case {
    /// A request for which one tool is right.
    pub fn new(request: impl Into<String>, tool: impl Into<String>) -> Self {
        Self { request: request.into(), tool: Some(tool.into()), arguments: None }
    }

    /// A request for which no tool is right.
    pub fn without_tool(request: impl Into<String>) -> Self {
        Self { request: request.into(), tool: None, arguments: None }
    }

    /// Says which arguments are right; anything but an object says nothing.
    #[must_use]
    pub fn arguments(mut self, arguments: Value) -> Self {
        self.arguments = match arguments {
            Value::Object(members) => Some(members),
            _ => None,
        };
        self
    }

    /// What the user says.
    #[must_use]
    pub fn request(&self) -> &str {
        &self.request
    }

    /// The name of the right tool, where there is one.
    #[must_use]
    pub fn tool(&self) -> Option<&str> {
        self.tool.as_deref()
    }

    /// The right arguments, where the case says them.
    #[must_use]
    pub const fn wanted_arguments(&self) -> Option<&Map<String, Value>> {
        self.arguments.as_ref()
    }
}

/// The requests that a model is measured by.
///
/// ```
/// use toolkit::eval::{Case, Suite};
///
/// let suite = Suite::from_jsonl(r#"{"request": "Refund O-1.", "tool": "refund"}"#)?;
/// assert_eq!(suite, Suite::new([Case::new("Refund O-1.", "refund")]));
///
/// let error = Suite::from_jsonl("{\"request\": \"Refund O-1.\"}").unwrap_err();
/// assert!(error.message().starts_with("line 1 is no case: missing field `tool`"));
/// # Ok::<(), toolkit::ToolConfigError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Suite(Vec<Case>);

impl Suite {
    /// Takes cases.
    pub fn new(cases: impl IntoIterator<Item = Case>) -> Self {
        Self(cases.into_iter().collect())
    }

    /// Reads JSON Lines: `request`, `tool` (a name or null), and `arguments` if they count.
    ///
    /// # Errors
    /// A line is no case; blank ones are passed over.
    pub fn from_jsonl(text: &str) -> Result<Self, ToolConfigError> {
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let cases = lines.map(|(index, line)| {
            serde_json::from_str(line).map_err(|error| {
                ToolConfigError::new(format!("line {} is no case: {error}", index + 1))
            })
        });
        Ok(Self(cases.collect::<Result<_, _>>()?))
    }

    /// The cases, in order.
    #[must_use]
    pub fn cases(&self) -> &[Case] {
        &self.0
    }
}
