//! Dialects: each provider's wire form, both ways.
//!
//! A dialect turns definitions, replies and outcomes into a provider's JSON and
//! back. It decides nothing: what may run is the registry's business.

mod anthropic;
mod message;
mod openai_chat;
mod read;
mod reply;

use serde_json::Value;

pub use anthropic::Anthropic;
pub use message::{Answered, Message};
pub use openai_chat::OpenAiChat;
pub use read::DialectError;
pub use reply::{Ending, Part, Reply};

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
        }
    }
}

/// One provider's wire form.
///
/// Same input, same bytes out: no method reads a clock, a random number or an
/// order that is not given.
///
/// ```
/// use serde_json::{Value, json};
/// use toolkit::dialect::{Anthropic, Dialect, Message, OpenAiChat, Request};
///
/// fn greet(dialect: &dyn Dialect) -> Value {
///     let history = [Message::User("Hi.".to_owned())];
///     dialect.request(&Request::new("small", &history).max_tokens(100))
/// }
///
/// let messages = json!([{"role": "user", "content": "Hi."}]);
/// assert_eq!(
///     greet(&Anthropic),
///     json!({"model": "small", "max_tokens": 100, "messages": messages}),
/// );
/// assert_eq!(
///     greet(&OpenAiChat),
///     json!({"model": "small", "max_completion_tokens": 100, "messages": messages}),
/// );
/// ```
pub trait Dialect: Send + Sync {
    /// The dialect's name, as options and errors show it.
    fn name(&self) -> &'static str;

    /// Writes the `tools` member of a request.
    fn definitions(&self, tools: &[&Definition]) -> Value;

    /// Reads one whole reply.
    ///
    /// # Errors
    /// The body is not JSON, reports an error, or is no reply of this provider.
    fn read(&self, body: &str) -> Result<Reply, DialectError>;

    /// Writes what the user said.
    fn user(&self, text: &str) -> Vec<Value>;

    /// Writes a reply back into the history; none where it said and asked nothing.
    ///
    /// What the provider would refuse is mended: arguments that are no JSON
    /// object become an empty one, and a name that it does not allow is
    /// rewritten. The result that follows tells the model what was wrong.
    fn assistant(&self, reply: &Reply) -> Vec<Value>;

    /// Writes the outcomes of one reply's calls, in the order of the calls.
    fn results(&self, answered: &[Answered]) -> Vec<Value>;

    /// Writes the next request whole.
    fn request(&self, request: &Request<'_>) -> Value;

    /// Writes a whole history.
    fn messages(&self, messages: &[Message]) -> Vec<Value> {
        messages
            .iter()
            .flat_map(|message| match message {
                Message::User(text) => self.user(text),
                Message::Assistant(reply) => self.assistant(reply),
                Message::Results(answered) => self.results(answered),
            })
            .collect()
    }
}

/// What goes into the next request.
///
/// ```
/// use serde_json::json;
/// use toolkit::dialect::{Anthropic, Dialect, Message, Request};
///
/// let history = [Message::User("Hi.".to_owned())];
/// let request = Request::new("claude-sonnet-4-5", &history).system("Be short.");
/// assert_eq!(
///     Anthropic.request(&request),
///     json!({
///         "model": "claude-sonnet-4-5",
///         "max_tokens": 4096,
///         "system": "Be short.",
///         "messages": [{"role": "user", "content": "Hi."}],
///     }),
/// );
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Request<'a> {
    /// The provider's name of the model.
    pub model: &'a str,
    /// How much the model may write, in tokens. Default 4,096.
    pub max_tokens: u32,
    /// The system prompt. Default none.
    pub system: Option<&'a str>,
    /// The definitions in the same dialect. Default none; an empty list is not sent.
    pub tools: Value,
    /// What was said so far.
    pub messages: &'a [Message],
}

impl<'a> Request<'a> {
    /// Starts a request to a model.
    #[must_use]
    pub const fn new(model: &'a str, messages: &'a [Message]) -> Self {
        Self { model, max_tokens: 4096, system: None, tools: Value::Null, messages }
    }

    /// Sets how much the model may write, in tokens.
    #[must_use]
    pub const fn max_tokens(mut self, max_tokens: u32) -> Self {
        self.max_tokens = max_tokens;
        self
    }

    /// Sets the system prompt.
    #[must_use]
    pub const fn system(mut self, system: &'a str) -> Self {
        self.system = Some(system);
        self
    }

    /// Sets what [`View::definitions`](crate::View::definitions) gives.
    #[must_use]
    pub fn tools(mut self, tools: Value) -> Self {
        self.tools = tools;
        self
    }

    /// The definitions, unless there is none: providers refuse an empty list.
    fn some_tools(&self) -> Option<&Value> {
        let none = self.tools.as_array().is_none_or(Vec::is_empty);
        (!none).then_some(&self.tools)
    }
}

/// A name that both providers take in a history, also for one that the model made up.
fn wire_name(name: &str) -> String {
    let name: String = name.chars().take(64).map(wire_char).collect();
    if name.is_empty() { "unknown".to_owned() } else { name }
}

/// A character that both providers take in names and ids.
fn wire_char(c: char) -> char {
    if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }
}
