//! What a tool made at run time runs, and what its gates ask.

use std::sync::Arc;

use super::answer::Answered;
use crate::arguments::Slot;
use crate::context::CallContext;
use crate::error::{Failure, ToolConfigError};
use crate::output::Output;
use crate::tool::BoxFuture;
use crate::tool::passage::{Passage, Stopped, taken};
use crate::tool::rules::{Asking, Refusal, Rule, Rules, Said};
use crate::tool::unknown::Verified;

/// A question about the arguments and the context of a call.
type Asked<A, T> = Box<dyn Fn(&A, &CallContext) -> BoxFuture<'static, T> + Send + Sync>;

/// Whether a person must agree to such arguments.
type ApprovalRule<A> = Box<dyn Fn(&A) -> bool + Send + Sync>;

/// Hides the types of a function and of what it gives, which `read` reads.
pub(super) fn asked<A, H, F, T>(function: H, read: fn(F::Output) -> T) -> Asked<A, T>
where
    A: Clone + 'static,
    H: Fn(A, CallContext) -> F + Send + Sync + 'static,
    F: Future + Send + 'static,
    T: 'static,
{
    Box::new(move |arguments, context| {
        let given = function(arguments.clone(), context.clone());
        Box::pin(async move { read(given.await) })
    })
}

/// The function itself, by the types of what it is given alone.
pub(super) struct Run<A> {
    call: Arc<dyn Fn(A, CallContext) -> Answered + Send + Sync>,
    waits: bool,
}

impl<A> Run<A> {
    pub(super) fn new(
        waits: bool,
        call: impl Fn(A, CallContext) -> Answered + Send + Sync + 'static,
    ) -> Self {
        Self { call: Arc::new(call), waits }
    }
}

/// What a tool made at run time runs, and what its gates ask.
pub(super) struct Handler<A> {
    run: Run<A>,
    pub(super) checks: Vec<Asked<A, Result<(), Refusal>>>,
    pub(super) approval: Option<ApprovalRule<A>>,
    pub(super) preview: Option<Asked<A, Result<String, Failure>>>,
    pub(super) verify: Option<Asked<A, Result<Verified<Output>, Failure>>>,
}

impl<A> Handler<A> {
    pub(super) fn new(run: Run<A>) -> Self {
        Self { run, checks: Vec::new(), approval: None, preview: None, verify: None }
    }
}

/// A handler, whatever its arguments are read into.
pub(crate) trait Handled: Send + Sync {
    /// Runs a call from its arguments on, in a thread of its own where it blocks.
    fn call<'a>(
        &'a self,
        passage: Passage<'a>,
        blocks: bool,
    ) -> BoxFuture<'a, Result<Output, Stopped>>;

    /// What it has of all that can be said.
    fn parts(&self) -> Parts;
}

/// What a handler has.
#[derive(Clone, Copy)]
pub(crate) struct Parts {
    /// Whether it has to be awaited.
    pub(crate) waits: bool,
    /// Whether it says when a person must agree.
    pub(crate) approval: bool,
    /// Whether it looks at what became of an earlier call.
    pub(crate) verify: bool,
}

impl<A: Send + Sync + 'static> Handled for Handler<A>
where
    Option<A>: Slot,
{
    fn call<'a>(
        &'a self,
        passage: Passage<'a>,
        blocks: bool,
    ) -> BoxFuture<'a, Result<Output, Stopped>> {
        Box::pin(async move {
            let mut arguments = None::<A>;
            passage.arguments(&mut [&mut arguments])?;
            let arguments = taken(arguments)?;
            let rules = Over { handler: self, arguments: &arguments, context: passage.context() };
            passage.pass(&rules).await?;
            let context = passage.context().clone();
            if !blocks {
                return (self.run.call)(arguments, context).wait().await;
            }
            let run = Arc::clone(&self.run.call);
            passage
                .apart(move |_| match run(arguments, context) {
                    Answered::Done(output) => output,
                    Answered::Later(_) => {
                        let waits = ToolConfigError::new("it blocks its thread and awaits");
                        Err(Stopped::Failed(waits.into()))
                    }
                })
                .await
        })
    }

    fn parts(&self) -> Parts {
        let (approval, verify) = (self.approval.is_some(), self.verify.is_some());
        Parts { waits: self.run.waits, approval, verify }
    }
}

/// A handler's expressions, over the arguments of one call.
struct Over<'a, A> {
    handler: &'a Handler<A>,
    arguments: &'a A,
    context: &'a CallContext,
}

impl<A> Over<'_, A> {
    /// Asks what there is to ask; `of` says of what kind the answer is.
    fn ask<T: 'static>(&self, asked: Option<&Asked<A, T>>, of: fn(T) -> Said) -> Asking<'static> {
        let Some(asked) = asked else { return Asking::Done(Ok(Said::Nothing)) };
        let answer = asked(self.arguments, self.context);
        Asking::UnderWay(Box::pin(async move { Ok(of(answer.await)) }))
    }
}

impl<A: Sync> Rules for Over<'_, A> {
    fn ask(&self, rule: Rule) -> Asking<'_> {
        let Handler { checks, approval, preview, verify, .. } = self.handler;
        match rule {
            Rule::Check(number) => self.ask(checks.get(number), Said::Check),
            Rule::Approval => {
                let is_needed = approval.as_ref().is_some_and(|rule| rule(self.arguments));
                Asking::Done(Ok(if is_needed { Said::Asks } else { Said::Nothing }))
            }
            Rule::Preview => self.ask(preview.as_ref(), Said::Preview),
            Rule::Verify => self.ask(verify.as_ref(), Said::Verify),
        }
    }
}
