//! A model that replays a script, for tests.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::model::{Model, ModelError, Turn};
use crate::dialect::{Dialect, DialectError, Reply};

/// A model that replays a script.
///
/// It fails the test when it is dropped with steps left over. A run that goes on
/// past the script ends in a [`ModelError`].
///
/// ```
/// use toolkit::dialect::Anthropic;
/// use toolkit::prelude::*;
/// use toolkit::{Agent, ScriptedModel};
///
/// let body = r#"{"content": [{"type": "text", "text": "Hello."}], "stop_reason": "end_turn"}"#;
/// let model = ScriptedModel::from_wire(&Anthropic, [body])?;
/// let view = Registry::builder().build()?.view(Caller::new("ann"));
/// assert_eq!(Agent::new(model, view).run_blocking("Hi.")?.answer().as_deref(), Some("Hello."));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ScriptedModel {
    steps: Mutex<VecDeque<Result<Reply, ModelError>>>,
    length: usize,
}

impl ScriptedModel {
    /// Makes a model that gives these replies, in order.
    pub fn new(replies: impl IntoIterator<Item = Reply>) -> Self {
        Self::of(replies.into_iter().map(Ok).collect())
    }

    /// Makes a model that gives what a provider's bodies say, in order.
    ///
    /// # Errors
    /// A body is no reply of that provider.
    pub fn from_wire<I>(dialect: &dyn Dialect, bodies: I) -> Result<Self, DialectError>
    where
        I: IntoIterator,
        I::Item: AsRef<str>,
    {
        let replies = bodies.into_iter().map(|body| dialect.read(body.as_ref()));
        Ok(Self::new(replies.collect::<Result<Vec<_>, _>>()?))
    }

    /// Adds a step at which the model fails.
    #[must_use]
    pub fn then_fail(self, error: ModelError) -> Self {
        let mut steps = std::mem::take(&mut *self.lock());
        steps.push_back(Err(error));
        Self::of(steps)
    }

    fn of(steps: VecDeque<Result<Reply, ModelError>>) -> Self {
        Self { length: steps.len(), steps: Mutex::new(steps) }
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Result<Reply, ModelError>>> {
        self.steps.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Model for ScriptedModel {
    async fn reply(&self, _turn: &Turn<'_>) -> Result<Reply, ModelError> {
        let step = self.lock().pop_front();
        step.unwrap_or_else(|| {
            let steps = self.length;
            Err(ModelError::new(format!(
                "the script is over: it has {steps} steps, and the run asked for one more"
            )))
        })
    }
}

impl Drop for ScriptedModel {
    #[expect(clippy::panic, reason = "a script that was not played to its end fails the test")]
    fn drop(&mut self) {
        let left = self.lock().len();
        if left > 0 && !std::thread::panicking() {
            let steps = self.length;
            panic!("the script has {left} of {steps} steps left over");
        }
    }
}
