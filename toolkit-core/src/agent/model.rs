//! What decides: a model behind one method.

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::sync::Arc;

use serde_json::Value;

use crate::dialect::{Choice, Dialect, DialectError, Message, Offer, Reply};
use crate::error::{ToolConfigError, ToolConfigErrors};
use crate::registry::View;

/// What decides what to do next: a provider's model, a script, a rule.
///
/// ```
/// use toolkit::dialect::Message;
/// use toolkit::prelude::*;
/// use toolkit::{Agent, Model, ModelError, Reply, Turn};
///
/// /// Says back what it was told.
/// struct Echo;
///
/// impl Model for Echo {
///     async fn reply(&self, turn: &Turn<'_>) -> Result<Reply, ModelError> {
///         match turn.messages() {
///             [.., Message::User(said)] => Ok(Reply::text(format!("{said}, you said."))),
///             _ => Err(ModelError::new("nobody said a thing")),
///         }
///     }
/// }
///
/// let view = Registry::builder().build()?.view(Caller::new("ann"));
/// let run = Agent::new(Echo, view).run_blocking("Hello")?;
/// assert_eq!(run.answer().as_deref(), Some("Hello, you said."));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a model",
    label = "needs `Model`",
    note = "write `impl Model for {Self} {{ async fn reply(&self, turn: &Turn<'_>) -> Result<Reply, ModelError> {{ … }} }}`"
)]
pub trait Model: Send + Sync {
    /// Replies to the history of a turn.
    ///
    /// # Errors
    /// The provider can not be reached, or sent no reply. The run ends in
    /// [`Stop::Model`](crate::Stop::Model); nothing is tried again.
    fn reply(&self, turn: &Turn<'_>) -> impl Future<Output = Result<Reply, ModelError>> + Send;
}

impl<M: Model> Model for &M {
    fn reply(&self, turn: &Turn<'_>) -> impl Future<Output = Result<Reply, ModelError>> + Send {
        (**self).reply(turn)
    }
}

/// What a model is given: the history and what it may see.
///
/// ```
/// use toolkit::prelude::*;
/// use toolkit::{Agent, Model, ModelError, Reply, Turn};
///
/// # struct Lister;
/// impl Model for Lister {
///     async fn reply(&self, turn: &Turn<'_>) -> Result<Reply, ModelError> {
///         let tools = turn.view().visible().join(", ");
///         Ok(Reply::text(format!("turn {}: {tools}", turn.number())))
///     }
/// }
///
/// # /// Looks at the time.
/// # #[tool]
/// # fn look() {}
/// let view = Registry::builder().tools(tools![look]).build()?.view(Caller::new("ann"));
/// let run = Agent::new(Lister, view).run_blocking("What can you do?")?;
/// assert_eq!(run.answer().as_deref(), Some("turn 1: look"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Turn<'a> {
    number: usize,
    messages: &'a [Message],
    view: &'a View,
    forced: Option<&'a str>,
}

impl<'a> Turn<'a> {
    /// Puts a turn together, as a loop of one's own or a test of a model does.
    #[must_use]
    pub const fn new(number: usize, messages: &'a [Message], view: &'a View) -> Self {
        Self { number, messages, view, forced: None }
    }

    /// The same turn, with a tool that is to be called.
    pub(super) const fn forcing(mut self, tool: Option<&'a str>) -> Self {
        self.forced = tool;
        self
    }

    /// The number of the turn in its run, counted from 1.
    #[must_use]
    pub const fn number(&self) -> usize {
        self.number
    }

    /// What was said, asked and answered so far.
    #[must_use]
    pub const fn messages(&self) -> &'a [Message] {
        self.messages
    }

    /// What the model may see.
    #[must_use]
    pub const fn view(&self) -> &'a View {
        self.view
    }

    /// The definitions of the tools that the model may see.
    ///
    /// # Errors
    /// As [`View::definitions`]; by `?` out of [`Model::reply`] it ends the run as an error.
    pub fn definitions(&self, dialect: &dyn Dialect) -> Result<Value, ToolConfigErrors> {
        self.view.definitions(dialect)
    }

    /// The tool that the model is to call in this turn, where there is one.
    ///
    /// [`Agent::force_prerequisites`](crate::Agent::force_prerequisites) asks for it.
    #[must_use]
    pub const fn forced(&self) -> Option<&'a str> {
        self.forced
    }

    /// What a request shows of the tools, with the choice that this turn forces.
    ///
    /// Where the provider can not be told to call a tool, it chooses freely.
    ///
    /// # Errors
    /// As [`View::offer`]; by `?` out of [`Model::reply`] it ends the run as an error.
    pub fn offer<'d>(&self, dialect: &'d dyn Dialect) -> Result<Offer<'d>, ToolConfigErrors> {
        let offer = self.view.offer(dialect)?;
        let forced =
            self.forced.map(Choice::tool).filter(|choice| dialect.refuses(choice).is_none());
        match forced {
            Some(choice) => {
                offer.choose(choice).map_err(|error| ToolConfigErrors::found(vec![error]))
            }
            None => Ok(offer),
        }
    }
}

/// Why a model gave no reply.
///
/// A [`DialectError`] becomes one by `?`.
///
/// ```
/// use std::error::Error;
/// use std::io::{self, ErrorKind};
/// use toolkit::ModelError;
///
/// let error = ModelError::new("the provider is not there")
///     .caused_by(io::Error::from(ErrorKind::TimedOut));
/// assert_eq!(error.to_string(), "the provider is not there");
/// assert_eq!(error.source().map(ToString::to_string).as_deref(), Some("timed out"));
/// ```
#[derive(Clone)]
pub struct ModelError {
    message: String,
    source: Option<Arc<dyn Error + Send + Sync>>,
}

impl ModelError {
    /// Says why there is no reply.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), source: None }
    }

    /// Adds the error that caused it.
    #[must_use]
    pub fn caused_by(mut self, source: impl Error + Send + Sync + 'static) -> Self {
        self.source = Some(Arc::new(source));
        self
    }
}

impl From<DialectError> for ModelError {
    fn from(error: DialectError) -> Self {
        Self::new(error.to_string()).caused_by(error)
    }
}

impl From<ToolConfigErrors> for ModelError {
    fn from(errors: ToolConfigErrors) -> Self {
        Self::new(errors.to_string()).caused_by(errors)
    }
}

impl ModelError {
    /// The mistake in the wiring that it stands for, where it is one.
    pub(super) fn config(&self) -> Option<ToolConfigError> {
        let errors = self.source.as_ref()?.downcast_ref::<ToolConfigErrors>()?;
        errors.iter().next().cloned()
    }
}

/// Equal when they say the same.
impl PartialEq for ModelError {
    fn eq(&self, other: &Self) -> bool {
        self.message == other.message
    }
}

impl Eq for ModelError {}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl fmt::Debug for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ModelError").field(&self.message).finish()
    }
}

impl Error for ModelError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        let source = self.source.as_deref()?;
        Some(source)
    }
}
