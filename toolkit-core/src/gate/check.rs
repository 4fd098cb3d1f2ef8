//! Gate 5: the tool's business rules, every one of them.

use std::pin::Pin;
use std::slice;
use std::task::{Context, Poll, ready};

use crate::arguments;
use crate::call::Outcome;
use crate::error::ToolError;
use crate::limits::Limits;
use crate::problem::Problem;
use crate::tool::{BoxFuture, Check, Refusal, Stopped};

/// The rules of one call, asked one after the other; done when all were, or one failed.
pub(super) struct Checks<'a> {
    left: slice::Iter<'a, Check<'a>>,
    asked: Option<BoxFuture<'a, Result<(), Refusal>>>,
    problems: Vec<Problem>,
    errors: Vec<ToolError>,
    limits: &'a Limits,
}

impl<'a> Checks<'a> {
    pub(super) fn new(checks: &'a [Check<'a>], limits: &'a Limits) -> Self {
        let (problems, errors) = (Vec::new(), Vec::new());
        Self { left: checks.iter(), asked: None, problems, errors, limits }
    }

    fn said(&mut self) -> Result<(), Stopped> {
        if self.problems.is_empty() {
            return Ok(());
        }
        let report = arguments::lines(&self.problems, self.limits);
        let outcome = Outcome::rejected(std::mem::take(&mut self.problems), &self.errors, report);
        Err(Stopped::Refused(Box::new(outcome)))
    }
}

impl Future for Checks<'_> {
    type Output = Result<(), Stopped>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        loop {
            if self.asked.is_none() {
                self.asked = self.left.next().map(|check| check());
            }
            let Some(asked) = &mut self.asked else { return Poll::Ready(self.said()) };
            let said = ready!(asked.as_mut().poll(cx));
            self.asked = None;
            match said {
                Ok(()) => {}
                Err(Refusal::Problems(more)) => self.problems.extend(more),
                Err(Refusal::Error(error)) => {
                    self.problems.push(Problem::rule_of_call(error.to_string()));
                    self.errors.push(error);
                }
                Err(Refusal::Failed(failure)) => {
                    return Poll::Ready(Err(Stopped::Failed(failure)));
                }
            }
        }
    }
}
