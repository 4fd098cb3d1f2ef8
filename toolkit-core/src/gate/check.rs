//! Gate 5: the tool's business rules, every one of them.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use crate::arguments;
use crate::call::Outcome;
use crate::error::ToolError;
use crate::limits::Limits;
use crate::problem::Problem;
use crate::tool::{Asking, BoxFuture, Refusal, Rule, Rules, Said, Stopped};

/// The rules of one call, asked one after the other; done when all were, or one failed.
pub(super) struct Checks<'a> {
    rules: &'a dyn Rules,
    next: usize,
    asked: Option<BoxFuture<'a, Result<Said, Stopped>>>,
    problems: Vec<Problem>,
    errors: Vec<ToolError>,
    limits: &'a Limits,
}

impl<'a> Checks<'a> {
    pub(super) fn new(rules: &'a dyn Rules, limits: &'a Limits) -> Self {
        let (problems, errors) = (Vec::new(), Vec::new());
        Self { rules, next: 0, asked: None, problems, errors, limits }
    }

    fn over(&mut self) -> Result<(), Stopped> {
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
            let said = match &mut self.asked {
                Some(asked) => ready!(asked.as_mut().poll(cx)),
                None => match self.rules.ask(Rule::Check(self.next)) {
                    Asking::Done(said) => said,
                    Asking::UnderWay(asked) => {
                        self.asked = Some(asked);
                        continue;
                    }
                },
            };
            self.asked = None;
            self.next += 1;
            let said = match said {
                Ok(Said::Check(said)) => said,
                Ok(_) => return Poll::Ready(self.over()),
                Err(stopped) => return Poll::Ready(Err(stopped)),
            };
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
