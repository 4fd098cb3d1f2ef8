//! Dialects: each provider's wire form, both ways.
//!
//! A dialect turns definitions, replies and outcomes into a provider's JSON and
//! back. It decides nothing: what may run is the registry's business.

mod anthropic;
mod bedrock;
mod budget;
mod choice;
mod definition;
mod form;
mod gemini;
mod inbound;
mod mcp;
mod media;
mod message;
mod name;
mod offer;
mod openai_chat;
mod openai_responses;
mod plan;
mod project;
mod read;
mod reply;
mod server;
mod shown;
mod stream;
mod text_call;

use serde_json::{Map, Value};

pub use anthropic::Anthropic;
pub use bedrock::Bedrock;
pub use choice::Choice;
pub use definition::Definition;
pub use form::Form;
pub use gemini::Gemini;
pub(crate) use inbound::Inbound;
pub use mcp::{Mcp, McpVersion};
pub use message::{Answered, Message};
pub(crate) use name::portable;
pub use offer::Offer;
pub use openai_chat::OpenAiChat;
pub use openai_responses::OpenAiResponses;
pub(crate) use plan::Forms;
pub use project::{Projection, Rewrite, RewriteKind};
pub use read::DialectError;
pub use reply::{Ending, Part, Reply};
pub use server::Server;
pub(crate) use shown::Mark;
pub use stream::Stream;

use crate::call::ToolCall;

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

    /// The form in which schemas are sent, and in which calls come.
    fn form(&self) -> Form {
        Form::PORTABLE
    }

    /// The name that a tool has on the wire.
    fn wire_name(&self, name: &str) -> String {
        portable(name)
    }

    /// Writes the `tools` member of a request, of definitions that are in the dialect's form.
    fn definitions(&self, tools: &[&Definition]) -> Value;

    /// The most tools that one request takes, where the provider says so.
    fn most_tools(&self) -> Option<usize> {
        None
    }

    /// Writes the members of a request that say which tools the model may ask for, by their
    /// names on the wire.
    fn choice(&self, _choice: &Choice) -> Map<String, Value> {
        Map::new()
    }

    /// Why the provider can not be told of a choice.
    fn refuses(&self, choice: &Choice) -> Option<String> {
        (*choice != Choice::auto()).then(|| "there is no way to say a choice of tools".to_owned())
    }

    /// Whether the provider finds tools by a search of its own: those whose definition is
    /// [deferred](Definition::is_deferred).
    fn searches(&self) -> bool {
        false
    }

    /// Whether all definitions are sent where the model may ask for some of the tools only.
    fn takes_subsets(&self) -> bool {
        false
    }

    /// The one tool that is shown for a choice, where the provider can not be told its name.
    fn shows_only<'c>(&self, _choice: &'c Choice) -> Option<&'c str> {
        None
    }

    /// Reads one whole reply.
    ///
    /// Where the dialect is strict where possible, [`Offer::read`] is the way: only what was shown
    /// tells in which form a call came, and without it no call of the reply is run.
    ///
    /// # Errors
    /// The body is not JSON, reports an error, or is no reply of this provider.
    fn read(&self, body: &str) -> Result<Reply, DialectError>;

    /// Starts to read a reply that comes in pieces; `None` where the dialect has no such thing.
    fn stream(&self) -> Option<Stream> {
        None
    }

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
    /// The members that say which tools the model may ask for. Default none.
    pub choice: Map<String, Value>,
    /// What was said so far.
    pub messages: &'a [Message],
}

impl<'a> Request<'a> {
    /// Starts a request to a model.
    #[must_use]
    pub fn new(model: &'a str, messages: &'a [Message]) -> Self {
        Self {
            model,
            max_tokens: 4096,
            system: None,
            tools: Value::Null,
            choice: Map::new(),
            messages,
        }
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

    /// Sets what is offered, and what is to be chosen of it.
    #[must_use]
    pub fn offer(mut self, offer: &Offer<'_>) -> Self {
        self.tools = offer.definitions();
        self.choice = offer.choice(self.messages);
        self
    }

    /// Writes the definitions and the choice, unless there is none: providers refuse an empty
    /// list, and a choice without one.
    fn write_tools(&self, body: &mut Map<String, Value>) {
        if let Some(tools) = self.some_tools() {
            body.insert("tools".to_owned(), tools.clone());
            body.extend(self.choice.clone());
        }
    }

    /// The definitions, unless there is none.
    fn some_tools(&self) -> Option<&Value> {
        let none = self.tools.as_array().is_none_or(Vec::is_empty);
        (!none).then_some(&self.tools)
    }
}

/// The arguments of a call, if they are one object.
fn object_of(call: &ToolCall) -> Option<Map<String, Value>> {
    serde_json::from_str(&call.arguments()).ok()
}

/// The methods that every dialect with a form of its own has.
macro_rules! in_forms {
    ($dialect:ident) => {
        impl Default for $dialect {
            fn default() -> Self {
                $dialect
            }
        }

        impl $dialect {
            /// Lets the provider hold the model to the schema; a tool without such a form is an
            /// error.
            #[must_use]
            pub const fn strict(mut self) -> Self {
                self.form = self.form.strict();
                self
            }

            /// Lets the provider hold the model to the schema of each tool that has such a form,
            /// as far as the request has room for it; tools with effects come first.
            ///
            /// Replies are read by what was shown: with [`Offer::read`](crate::dialect::Offer::read) or
            /// [`Offer::stream`](crate::dialect::Offer::stream).
            #[must_use]
            pub const fn strict_where_possible(mut self) -> Self {
                self.form = self.form.strict_where_possible();
                self
            }

            /// Writes a map as a list of pairs where the provider takes no map.
            #[must_use]
            pub const fn maps_as_pairs(mut self) -> Self {
                self.form = self.form.maps_as_pairs();
                self
            }

            /// Writes a value of any kind as JSON text where the provider takes no such value.
            #[must_use]
            pub const fn any_as_text(mut self) -> Self {
                self.form = self.form.any_as_text();
                self
            }
        }
    };
}
use in_forms;
