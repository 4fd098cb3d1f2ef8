//! One call on its way: what the generated code asks for, and in which words it is answered.

use std::any::type_name;
use std::fmt;
use std::sync::Arc;

use futures_util::FutureExt;
use serde::Serialize;

use super::BoxFuture;
use super::rules::{NoRules, Rules};
use super::state::{FromStates, States, shared};
use super::toolbox::{Receiver, Toolbox};
use crate::arguments::Slot;
use crate::call::Outcome;
use crate::context::CallContext;
use crate::error::{BoxError, Failure, ToolConfigError};
use crate::output::Output;

/// A type that a tool can return: any `Serialize`.
///
/// The model reads text as it is, `()` as `ok`, and anything else as compact JSON
/// (RFC 8259). A value that JSON can not write, like a number that is not finite,
/// fails the call after it ran.
///
/// ```
/// use toolkit::prelude::*;
///
/// /// Divides two numbers.
/// #[tool]
/// fn divide(a: f64, b: f64) -> [f64; 1] {
///     [a / b]
/// }
///
/// let view = Registry::builder().tools(tools![divide]).build()?.view(Caller::new("ann"));
/// let outcome = |arguments| {
///     let call = ToolCall::new("call_1", "divide", arguments);
///     view.dispatch_blocking(call, Options::default())
/// };
/// assert_eq!(outcome(r#"{"a": 1, "b": 4}"#)?.text(), "[0.25]");
/// assert_eq!(outcome(r#"{"a": 1, "b": 0}"#)?.status(), Status::Failed);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` can not be a tool's result",
    label = "needs `Serialize`",
    note = "put `#[arg_type]` on `{Self}`, or derive `serde::Serialize` for it"
)]
pub trait ToolOutput: Serialize {}

#[diagnostic::do_not_recommend]
impl<T: Serialize> ToolOutput for T {}

/// An error that a tool can fail with: whatever a [`BoxError`] can be made of.
///
/// ```
/// use toolkit::{BoxError, Failure, FatalToolError, ToolConfigError, ToolError, ToolFailure};
///
/// fn can_fail_with<E: ToolFailure>() {}
///
/// can_fail_with::<ToolError>();
/// can_fail_with::<FatalToolError>();
/// can_fail_with::<ToolConfigError>();
/// can_fail_with::<Failure>();
/// can_fail_with::<std::io::Error>();
/// can_fail_with::<BoxError>();
/// can_fail_with::<String>();
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` can not be a tool's error",
    label = "is not an error",
    note = "use `ToolError` for what the model may read, `Failure` to use `?` on any error, \
            or implement `std::error::Error` for `{Self}`"
)]
pub trait ToolFailure: Into<BoxError> {}

#[diagnostic::do_not_recommend]
impl<E: Into<BoxError>> ToolFailure for E {}

/// Why a call stops before its function returned a value.
#[derive(Debug)]
pub enum Stopped {
    /// A gate decided.
    Refused(Box<Outcome>),
    /// The function or a gate's expression failed.
    Failed(Failure),
    /// The function returned a value that can not be serialised.
    Untellable(BoxError),
}

/// What stands between the decoded call and its function; the gates implement it.
pub trait Gates: Send + Sync {
    /// What the tool may know of the call.
    fn context(&self) -> &CallContext;
    /// What the registry was given with `state`.
    fn states(&self) -> &dyn States;
    /// Checks the arguments and fills the slots, in the order of the parameters.
    ///
    /// # Errors
    /// The report, as an outcome.
    fn arguments(&self, slots: &mut [&mut dyn Slot]) -> Result<(), Stopped>;
    /// Passes the gates between the arguments and the function; `None` when none has to be asked.
    fn pass<'a>(&'a self, rules: &'a dyn Rules) -> Option<BoxFuture<'a, Result<(), Stopped>>>;
    /// Notes that the function is entered now.
    fn enter(&self);
    /// Enters a function without rules where no gate has to be asked; whether it did.
    fn enter_at_once(&self) -> bool;
    /// What a function finds in another thread.
    fn held(&self) -> Held;
    /// Runs a function in a thread of its own.
    fn apart(
        &self,
        work: Box<dyn FnOnce() -> Result<Output, Stopped> + Send>,
    ) -> BoxFuture<'_, Result<Output, Stopped>>;
}

/// A parameter that takes the context of the call: `&CallContext`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can not take the context of a call",
    label = "write `&CallContext`",
    note = "the context is lent to the function for its call"
)]
pub trait FromContext<'a>: Sized {
    /// Takes it.
    fn from_context(context: &'a CallContext) -> Self;
}

impl<'a> FromContext<'a> for &'a CallContext {
    fn from_context(context: &'a CallContext) -> Self {
        context
    }
}

/// What a function finds in another thread: what a [`Passage`] gives it, for as long as it likes.
pub struct Held {
    context: CallContext,
    states: Arc<dyn States>,
}

impl Held {
    pub(crate) fn new(context: CallContext, states: Arc<dyn States>) -> Self {
        Self { context, states }
    }

    /// What the tool may know of the call, as a parameter takes it.
    #[must_use]
    pub fn lent<'a, C: FromContext<'a>>(&'a self) -> C {
        C::from_context(&self.context)
    }

    /// The state that a parameter takes.
    ///
    /// # Errors
    /// None in a registry that was built: a missing state is found there.
    pub fn state<'a, S: FromStates<'a>>(&'a self) -> Result<S, Stopped> {
        shared::<S::State>(&*self.states).map(S::from_shared).ok_or_else(missing::<S::State>)
    }

    /// The toolbox that a method is called on.
    ///
    /// # Errors
    /// None in a registry that was built: a missing toolbox is found there.
    pub fn receiver<'a, T: Toolbox + ?Sized, R: Receiver<'a, T>>(&'a self) -> Result<R, Stopped> {
        shared::<T>(&*self.states).map(R::from_shared).ok_or_else(missing::<T>)
    }
}

/// One call on its way through the gates, as the generated code sees it.
#[derive(Clone, Copy)]
pub struct Passage<'a>(pub(crate) &'a dyn Gates);

impl<'a> Passage<'a> {
    /// What the tool may know of the call.
    #[must_use]
    pub fn context(self) -> &'a CallContext {
        self.0.context()
    }

    /// The same, as a parameter takes it.
    #[must_use]
    pub fn lent<C: FromContext<'a>>(self) -> C {
        C::from_context(self.0.context())
    }

    /// The state that a parameter takes.
    ///
    /// # Errors
    /// None in a registry that was built: a missing state is found there.
    pub fn state<S: FromStates<'a>>(self) -> Result<S, Stopped> {
        shared::<S::State>(self.0.states()).map(S::from_shared).ok_or_else(missing::<S::State>)
    }

    /// The toolbox that a method is called on.
    ///
    /// # Errors
    /// None in a registry that was built: a missing toolbox is found there.
    pub fn receiver<T: Toolbox + ?Sized, R: Receiver<'a, T>>(self) -> Result<R, Stopped> {
        shared::<T>(self.0.states()).map(R::from_shared).ok_or_else(missing::<T>)
    }

    /// Checks the arguments and fills the slots, in the order of the parameters.
    ///
    /// # Errors
    /// The report, as an outcome.
    #[inline]
    pub(super) fn arguments(self, slots: &mut [&mut dyn Slot]) -> Result<(), Stopped> {
        self.0.arguments(slots)
    }

    /// Runs a function that blocks in a thread of its own.
    ///
    /// # Errors
    /// What the function gives.
    pub async fn apart<W>(self, work: W) -> Result<Output, Stopped>
    where
        W: FnOnce(&Held) -> Result<Output, Stopped> + Send + 'static,
    {
        let held = self.0.held();
        self.0.apart(Box::new(move || work(&held))).await
    }

    /// Passes the gates between the arguments and the function.
    ///
    /// # Errors
    /// What a gate decided.
    pub async fn pass(self, rules: &'a dyn Rules) -> Result<(), Stopped> {
        if let Some(gates) = self.0.pass(rules) {
            gates.await?;
        }
        self.0.enter();
        Ok(())
    }
}

impl Passage<'_> {
    /// Passes the gates between the arguments and a function that has no rules.
    ///
    /// # Errors
    /// A gate that waits all the same; such a call has to be written as one that waits.
    #[inline]
    pub fn pass_at_once(self) -> Result<(), Stopped> {
        if self.0.enter_at_once() { Ok(()) } else { self.ask_at_once() }
    }

    #[cold]
    fn ask_at_once(self) -> Result<(), Stopped> {
        if let Some(gates) = self.0.pass(&NoRules) {
            let waits = || ToolConfigError::new("a gate waits where the call can not");
            gates.now_or_never().unwrap_or_else(|| Err(Stopped::Failed(waits().into())))?;
        }
        self.0.enter();
        Ok(())
    }
}

fn missing<T: ?Sized>() -> Stopped {
    let missing = ToolConfigError::new(format!("no state of type `{}`", type_name::<T>()));
    Stopped::Failed(missing.into())
}

/// Takes an argument out of its slot.
///
/// # Errors
/// None after the arguments were read, which fills every slot.
pub(super) fn taken<T>(slot: Option<T>) -> Result<T, Stopped> {
    slot.ok_or_else(|| Stopped::Failed(Failure::sort("an argument was not filled".into())))
}

/// A call from where its arguments are read.
pub type Rest<'a> = BoxFuture<'a, Result<Output, Stopped>>;

/// Keeps what comes after the arguments of a tool without expressions for later.
///
/// # Errors
/// None: the arguments' own were told before.
pub fn later<'a, A, C, F>(passage: Passage<'a>, arguments: A, call: C) -> Result<Rest<'a>, Stopped>
where
    A: Send + 'a,
    C: FnOnce(A) -> F + Send + 'a,
    F: Future<Output = Result<Output, Stopped>> + Send + 'a,
{
    Ok(Box::pin(async move {
        passage.pass(&NoRules).await?;
        call(arguments).await
    }))
}

/// A tool's function, as it is.
#[inline]
pub const fn found<F: Copy>(function: F) -> F {
    function
}

impl fmt::Debug for Passage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Passage").finish_non_exhaustive()
    }
}

impl fmt::Debug for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Held").field("context", &self.context).finish_non_exhaustive()
    }
}
