//! A stand-in for a model: the tool that shares most words with the request.

use std::collections::BTreeSet;

use crate::agent::{Model, ModelError, Turn};
use crate::dialect::{Message, Reply};
use crate::index::stems;

/// A stand-in for a model, which calls the tool that shares most words with the request.
///
/// It knows nothing but words, so it shows what a description alone does, the same every time and
/// for nothing. Of equal tools it takes the first; where none shares a word, it calls none. It
/// fills no arguments.
///
/// ```
/// use toolkit::Agent;
/// use toolkit::eval::WordOverlap;
/// use toolkit::prelude::*;
///
/// /// Tell the weather of a day.
/// #[tool]
/// fn get_weather() {}
///
/// let view = Registry::builder().tools(tools![get_weather]).build()?.view(Caller::new("ann"));
/// let run = Agent::new(WordOverlap, view).run_blocking("How is the weather?")?;
/// assert_eq!(run.requested_tools(), ["get_weather"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct WordOverlap;

impl Model for WordOverlap {
    async fn reply(&self, turn: &Turn<'_>) -> Result<Reply, ModelError> {
        let Some(Message::User(request)) = turn.messages().last() else {
            return Ok(Reply::text("I have what I need."));
        };
        let asked: BTreeSet<String> = stems(request).into_iter().collect();
        let mut best: Option<(&str, usize)> = None;
        for tool in turn.view().tools() {
            let said: BTreeSet<String> =
                stems(&tool.name).into_iter().chain(stems(&tool.description)).collect();
            let shared = asked.intersection(&said).count();
            if shared > best.map_or(0, |(_, most)| most) {
                best = Some((&tool.name, shared));
            }
        }
        Ok(match best {
            Some((name, _)) => Reply::call(name, "{}"),
            None => Reply::text("None of my tools is for that."),
        })
    }
}
