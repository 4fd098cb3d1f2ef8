//! The one tool that a view answers itself, for only a view knows what may be seen.

use serde_json::Value;

use super::View;
use crate::tool::Tool;

/// What a model finds its tools by.
pub(crate) trait Finder: Send + Sync {
    /// The tool that the model calls. It changes nothing, and gives back the arguments.
    fn tool(&self) -> Tool;

    /// The tools that the model reads without a search.
    fn always(&self) -> &[String];

    /// What a view answers to the arguments of a call that passed all gates.
    fn answer(&self, view: &View, asked: &Value) -> Value;
}
