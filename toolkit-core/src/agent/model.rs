//! What decides: a model behind one method.

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::sync::Arc;

use serde_json::Value;

use crate::dialect::{Dialect, DialectError, Message, Reply};
use crate::registry::View;

/// What decides what to do next: a provider's model, a script, a rule.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a model",
    label = "needs `Model`",
    note = "write `impl Model for {Self} {{ async fn reply(&self, turn: &Turn<'_>) -> Result<Reply, ModelError> {{ … }} }}`"
)]
pub trait Model: Send + Sync {
    /// Replies to the history of a turn.
    fn reply(&self, turn: &Turn<'_>) -> impl Future<Output = Result<Reply, ModelError>> + Send;
}

impl<M: Model> Model for &M {
    fn reply(&self, turn: &Turn<'_>) -> impl Future<Output = Result<Reply, ModelError>> + Send {
        (**self).reply(turn)
    }
}

/// What a model is given: the history and what it may see.
#[derive(Debug, Clone, Copy)]
pub struct Turn<'a> {
    number: usize,
    messages: &'a [Message],
    view: &'a View,
}

impl<'a> Turn<'a> {
    pub(crate) const fn new(number: usize, messages: &'a [Message], view: &'a View) -> Self {
        Self { number, messages, view }
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
    #[must_use]
    pub fn definitions(&self, dialect: &dyn Dialect) -> Value {
        self.view.definitions(dialect)
    }
}

/// Why a model gave no reply.
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
