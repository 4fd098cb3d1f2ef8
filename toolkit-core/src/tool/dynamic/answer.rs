//! What a closure gives: a value, a `Result` of one, or a future of either.

use schemars::{JsonSchema, Schema};

use crate::output::{HasSchema, Output};
use crate::tool::BoxFuture;
use crate::tool::passage::{Stopped, ToolFailure, ToolOutput};
use crate::tool::returned::{Plain, Returned, returned};

/// What the closure of [`Tool::from_fn`](crate::Tool::from_fn) gives: a value, a `Result` of one,
/// or a future of either; `M` says which, and is found by the compiler.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can not be what the closure of a tool gives",
    label = "is no value with a schema, no `Result` of one and no future of either",
    note = "put `#[arg_type]` on a type of your own; others need `serde::Serialize` and \
            `schemars::JsonSchema`",
    note = "the error of a `Result` is `ToolError`, `Failure` or any `std::error::Error`; a future \
            is `Send`"
)]
pub trait Answer<M> {
    /// Whether it has to be awaited.
    const WAITS: bool;

    /// The schema of the value, where it has one.
    fn schema() -> Option<Schema>;

    /// The output, or a future of it.
    fn answered(self) -> Answered;
}

/// The output of a closure, now or later.
pub enum Answered {
    /// It is there.
    Done(Result<Output, Stopped>),
    /// It comes.
    Later(BoxFuture<'static, Result<Output, Stopped>>),
}

impl Answered {
    pub(super) async fn wait(self) -> Result<Output, Stopped> {
        match self {
            Self::Done(output) => output,
            Self::Later(output) => output.await,
        }
    }
}

/// Says that a closure gives a value.
#[derive(Debug)]
pub struct Valued;

/// Says that a closure gives a `Result`.
#[derive(Debug)]
pub struct Fallible;

/// Says that a closure gives a future of what `M` says.
#[derive(Debug)]
pub struct Later<M>(M);

#[diagnostic::do_not_recommend]
impl<T: ToolOutput + JsonSchema> Answer<Valued> for T {
    const WAITS: bool = false;

    fn schema() -> Option<Schema> {
        <Returned<T> as Plain>::success().schema()
    }

    fn answered(self) -> Answered {
        Answered::Done(returned(<Returned<T> as Plain>::split(self)))
    }
}

#[diagnostic::do_not_recommend]
impl<T: ToolOutput + JsonSchema, E: ToolFailure> Answer<Fallible> for Result<T, E> {
    const WAITS: bool = false;

    fn schema() -> Option<Schema> {
        Returned::<Self>::success().schema()
    }

    fn answered(self) -> Answered {
        Answered::Done(returned(self))
    }
}

#[diagnostic::do_not_recommend]
impl<F: Future<Output: Answer<M>> + Send + 'static, M> Answer<Later<M>> for F {
    const WAITS: bool = true;

    fn schema() -> Option<Schema> {
        F::Output::schema()
    }

    fn answered(self) -> Answered {
        Answered::Later(Box::pin(async move { self.await.answered().wait().await }))
    }
}

impl std::fmt::Debug for Answered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Answered").finish_non_exhaustive()
    }
}
