//! The expressions of the attribute: how a gate asks one, and what it says.

use std::error::Error;
use std::fmt;
use std::marker::PhantomData;
use std::sync::{Mutex, PoisonError};

use super::BoxFuture;
use super::passage::{Passage, Rest, Stopped, taken};
use super::unknown::Verified;
use crate::error::{Cause, Failure, ToolError};
use crate::output::Output;
use crate::problem::Problem;

/// An expression of the attribute, as a gate asks for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// The business rule of this number.
    Check(usize),
    /// Whether a person must agree to this call.
    Approval,
    /// What the call would do, in the tool's own words.
    Preview,
    /// Whether an earlier run of this call took effect.
    Verify,
}

/// What an expression gave.
#[derive(Debug)]
pub enum Said {
    /// There is none.
    Nothing,
    /// Of a business rule.
    Check(Result<(), Refusal>),
    /// Whether a person must agree.
    Approval(bool),
    /// What the call would do.
    Preview(Result<String, Failure>),
    /// What became of an earlier run.
    Verify(Result<Verified<Output>, Failure>),
}

/// What an expression gave, and the arguments that it was lent, back.
pub enum Reply<'a, A> {
    /// At once.
    Now(Said, A),
    /// When it has waited for something.
    Soon(BoxFuture<'a, (Said, A)>),
}

/// An expression that was asked.
pub enum Asking<'a> {
    /// It waits for nothing.
    Done(Result<Said, Stopped>),
    /// It waits.
    UnderWay(BoxFuture<'a, Result<Said, Stopped>>),
}

/// The expressions of one call, over its arguments.
pub trait Rules: Send + Sync {
    /// Asks one; the one before has ended.
    fn ask(&self, rule: Rule) -> Asking<'_>;
}

impl dyn Rules + '_ {
    /// What an expression gives.
    pub(crate) async fn said(&self, rule: Rule) -> Result<Said, Stopped> {
        match self.ask(rule) {
            Asking::Done(said) => said,
            Asking::UnderWay(said) => said.await,
        }
    }
}

/// A tool without expressions.
#[derive(Debug)]
pub struct NoRules;

impl Rules for NoRules {
    fn ask(&self, _: Rule) -> Asking<'_> {
        Asking::Done(Ok(Said::Nothing))
    }
}

/// The arguments of a call that waits, and the expressions over them.
struct Ruled<'a, A, R> {
    /// Out while an expression has them: one that never gives them back ends the call.
    arguments: Mutex<Option<A>>,
    rules: R,
    of: PhantomData<fn() -> Reply<'a, A>>,
}

impl<A, R> Ruled<'_, A, R> {
    fn take(&self) -> Result<A, Stopped> {
        taken(self.arguments.lock().unwrap_or_else(PoisonError::into_inner).take())
    }

    fn put_back(&self, arguments: A) {
        *self.arguments.lock().unwrap_or_else(PoisonError::into_inner) = Some(arguments);
    }
}

impl<'a, A: Send, R> Rules for Ruled<'a, A, R>
where
    R: Fn(Rule, A) -> Result<Reply<'a, A>, Stopped> + Send + Sync,
{
    fn ask(&self, rule: Rule) -> Asking<'_> {
        match self.take().and_then(|arguments| (self.rules)(rule, arguments)) {
            Ok(Reply::Now(said, arguments)) => {
                self.put_back(arguments);
                Asking::Done(Ok(said))
            }
            Ok(Reply::Soon(reply)) => Asking::UnderWay(Box::pin(async move {
                let (said, arguments) = reply.await;
                self.put_back(arguments);
                Ok(said)
            })),
            Err(stopped) => Asking::Done(Err(stopped)),
        }
    }
}

/// Keeps what comes after the arguments of a tool with expressions for later: they are lent the
/// arguments before its function gets them.
///
/// # Errors
/// None: the arguments' own were told before.
pub fn ruled<'a, A, R, C, F>(
    passage: Passage<'a>,
    arguments: A,
    rules: R,
    call: C,
) -> Result<Rest<'a>, Stopped>
where
    A: Send + 'a,
    R: Fn(Rule, A) -> Result<Reply<'a, A>, Stopped> + Send + Sync + 'a,
    C: FnOnce(A) -> F + Send + 'a,
    F: Future<Output = Result<Output, Stopped>> + Send + 'a,
{
    let arguments = Mutex::new(Some(arguments));
    Ok(Box::pin(async move {
        let held = Ruled { arguments, rules, of: PhantomData };
        passage.pass(&held).await?;
        call(held.take()?).await
    }))
}

/// What an expression gave that waited for nothing.
///
/// # Errors
/// None.
pub fn now<'a, A>(said: Said, arguments: A) -> Result<Reply<'a, A>, Stopped> {
    Ok(Reply::Now(said, arguments))
}

/// What an expression gives that waits.
///
/// # Errors
/// None.
pub fn soon<'a, A, F>(reply: F) -> Result<Reply<'a, A>, Stopped>
where
    F: Future<Output = (Said, A)> + Send + 'a,
{
    Ok(Reply::Soon(Box::pin(reply)))
}

/// Turns what a `check` gave into what the gate reads.
///
/// # Errors
/// What the rule says against the call.
pub fn checked<E: IntoRefusal>(result: Result<(), E>) -> Result<(), Refusal> {
    result.map_err(IntoRefusal::into_refusal)
}

/// What a business rule says against a call.
#[derive(Debug)]
pub enum Refusal {
    /// The arguments break a rule.
    Problems(Vec<Problem>),
    /// The call as a whole breaks a rule.
    Error(ToolError),
    /// The rule itself failed.
    Failed(Failure),
}

/// An error of a business rule: a `ToolError`, a `Problem` or several, or a `Failure`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can not be the error of a `check`",
    label = "a check gives `Result<(), E>`",
    note = "`E` is `ToolError`, `Problem`, `Vec<Problem>` or `Failure`"
)]
pub trait IntoRefusal {
    /// What the rule says.
    fn into_refusal(self) -> Refusal;
}

impl IntoRefusal for Problem {
    fn into_refusal(self) -> Refusal {
        Refusal::Problems(vec![self])
    }
}

impl IntoRefusal for Vec<Problem> {
    fn into_refusal(self) -> Refusal {
        Refusal::Problems(self)
    }
}

impl IntoRefusal for ToolError {
    fn into_refusal(self) -> Refusal {
        Refusal::Error(self)
    }
}

impl IntoRefusal for Failure {
    fn into_refusal(self) -> Refusal {
        match self.0 {
            Cause::Tool(error) => error.into_refusal(),
            cause => Refusal::Failed(Self(cause)),
        }
    }
}

/// For a `?` in a rule.
impl<E: Error + Send + Sync + 'static> From<E> for Refusal {
    fn from(error: E) -> Self {
        Failure::from(error).into_refusal()
    }
}

/// For a `?` in a rule.
impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        failure.into_refusal()
    }
}

impl<A> fmt::Debug for Reply<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reply").finish_non_exhaustive()
    }
}

impl fmt::Debug for Asking<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Asking").finish_non_exhaustive()
    }
}
