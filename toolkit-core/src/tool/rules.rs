//! The expressions of the attribute: how a gate asks one, and what it says.

use std::error::Error;
use std::fmt;
use std::future::ready;
use std::marker::PhantomData;
use std::sync::{Mutex, PoisonError};

use futures_util::FutureExt;

use super::BoxFuture;
use super::passage::{Passage, Rest, Stopped, taken};
use super::preview::{IntoPreview, previewed};
use super::unknown::{IntoVerified, Verified, verified};
use crate::error::{Cause, Failure, ToolConfigError, ToolError};
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
    /// There is none, or it says no.
    Nothing,
    /// Of a business rule.
    Check(Result<(), Refusal>),
    /// A person must agree.
    Asks,
    /// What the call would do.
    Preview(Result<String, Failure>),
    /// What became of an earlier run.
    Verify(Result<Verified<Output>, Failure>),
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

/// What a call is given, and the expressions over it, each of which gives it back.
struct Ruled<'a, A, R> {
    /// Out while an expression has it: one that never gives it back ends the call.
    given: Mutex<Option<A>>,
    /// The expressions that wait.
    waiting: &'static [Rule],
    rules: R,
    of: PhantomData<&'a ()>,
}

impl<A, R> Ruled<'_, A, R> {
    fn take(&self) -> Result<A, Stopped> {
        taken(self.given.lock().unwrap_or_else(PoisonError::into_inner).take())
    }

    fn put_back(&self, given: A) {
        *self.given.lock().unwrap_or_else(PoisonError::into_inner) = Some(given);
    }
}

impl<'a, A, R, S> Rules for Ruled<'a, A, R>
where
    A: Send,
    R: Fn(Rule, A) -> S + Send + Sync,
    S: Future<Output = (Said, A)> + Send + 'a,
{
    fn ask(&self, rule: Rule) -> Asking<'_> {
        let said = match self.take() {
            Ok(given) => (self.rules)(rule, given),
            Err(stopped) => return Asking::Done(Err(stopped)),
        };
        let back = |(said, given)| {
            self.put_back(given);
            Ok(said)
        };
        if self.waiting.contains(&rule) {
            return Asking::UnderWay(Box::pin(said.map(back)));
        }
        let waits = || ToolConfigError::new("an expression waits where nothing was to wait for");
        let said = said.now_or_never().map(back);
        Asking::Done(said.unwrap_or_else(|| Err(Stopped::Failed(waits().into()))))
    }
}

/// Keeps what comes after the arguments of a tool with expressions for later: they are lent what
/// its function is given.
///
/// # Errors
/// None: the arguments' own were told before.
pub fn ruled<'a, A, R, C, F>(
    passage: Passage<'a>,
    given: A,
    rules: R,
    call: C,
) -> Result<Rest<'a>, Stopped>
where
    A: Send + 'a,
    R: Fn(Rule, A) -> (Said, A) + Send + Sync + 'a,
    C: FnOnce(A) -> F + Send + 'a,
    F: Future<Output = Result<Output, Stopped>> + Send + 'a,
{
    ruled_later(passage, given, &[], move |rule, given| ready(rules(rule, given)), call)
}

/// The same, where some of the expressions wait.
///
/// # Errors
/// As [`ruled`].
pub fn ruled_later<'a, A, R, S, C, F>(
    passage: Passage<'a>,
    given: A,
    waiting: &'static [Rule],
    rules: R,
    call: C,
) -> Result<Rest<'a>, Stopped>
where
    A: Send + 'a,
    R: Fn(Rule, A) -> S + Send + Sync + 'a,
    S: Future<Output = (Said, A)> + Send + 'a,
    C: FnOnce(A) -> F + Send + 'a,
    F: Future<Output = Result<Output, Stopped>> + Send + 'a,
{
    let held = Ruled { given: Mutex::new(Some(given)), waiting, rules, of: PhantomData };
    Ok(Box::pin(async move {
        passage.pass(&held).await?;
        call(held.take()?).await
    }))
}

/// Turns what a `check` gave into what the gate reads.
///
/// # Errors
/// What the rule says against the call.
pub fn checked<E: IntoRefusal>(result: Result<(), E>) -> Result<(), Refusal> {
    result.map_err(IntoRefusal::into_refusal)
}

/// What a `check` gives.
pub fn check<E: IntoRefusal>(result: Result<(), E>) -> Said {
    Said::Check(checked(result))
}

/// What a `preview` gives.
pub fn preview<P: IntoPreview>(told: P) -> Said {
    Said::Preview(previewed(told))
}

/// What a `verify` gives.
pub fn verify<V: IntoVerified>(seen: V) -> Said {
    Said::Verify(verified(seen))
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

impl fmt::Debug for Asking<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Asking").finish_non_exhaustive()
    }
}
