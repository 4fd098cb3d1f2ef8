//! What a model reads of one tool, in no provider's form.

use serde_json::Value;

use crate::tool::Effect;

/// What a model reads of one tool.
///
/// ```
/// use serde_json::json;
/// use toolkit::dialect::{Definition, Dialect, OpenAiChat};
///
/// let schema = json!({"type": "object", "properties": {}});
/// let definition = Definition::new("look", "Looks at the time.", schema);
/// assert_eq!(
///     OpenAiChat.definitions(&[&definition]),
///     json!([{
///         "type": "function",
///         "function": {
///             "name": "look",
///             "description": "Looks at the time.",
///             "parameters": {"type": "object", "properties": {}},
///         },
///     }]),
/// );
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own on some wire")]
pub struct Definition {
    /// The name that the model asks for.
    pub name: String,
    /// A name for people.
    pub title: Option<String>,
    /// What the model chooses by.
    pub description: String,
    /// The schema of the arguments, JSON Schema 2020-12.
    pub input_schema: Value,
    /// The schema of the result, where its type has one.
    pub output_schema: Option<Value>,
    /// Whole arguments that the schema accepts, to show the form.
    pub examples: Vec<Value>,
    /// What the tool does to the world; `None` where it does not say.
    pub effect: Option<Effect>,
    /// Whether a call may undo or overwrite what is there, unless it is a read.
    pub is_destructive: bool,
    /// Whether a second call of the same arguments changes nothing more.
    pub is_idempotent: bool,
    /// Whether it has to do with what is outside, like the web.
    pub is_open_world: bool,
    /// Whether the provider is to hold the model to the schema.
    pub strict: bool,
    /// Whether the provider's search finds it, instead of the model reading it.
    pub is_deferred: bool,
    /// Whether the provider is to cache the definitions up to this one.
    pub is_cached: bool,
}

impl Definition {
    /// Describes a tool by what every provider wants to know.
    pub fn new(
        name: impl Into<String>,
        description: impl Into<String>,
        input_schema: Value,
    ) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: description.into(),
            input_schema,
            output_schema: None,
            examples: Vec::new(),
            effect: None,
            is_destructive: true,
            is_idempotent: false,
            is_open_world: true,
            strict: false,
            is_deferred: false,
            is_cached: false,
        }
    }
}
