//! How often a model chooses the right tool, measured.

mod overlap;
mod report;
mod suite;

use std::fmt;
use std::io::Write;
use std::sync::{Mutex, PoisonError};

pub use overlap::WordOverlap;
pub use report::{Comparison, Evaluation, Judged, OfTool};
pub use suite::{Case, Suite};

use crate::agent::{Model, Turn};
use crate::dialect::{Anthropic, Message};
use crate::registry::View;

/// How likely `n` calls in a row all succeed, each with the probability `p`.
///
/// ```
/// use toolkit::eval::chain_success;
///
/// assert_eq!(format!("{:.3}", chain_success(0.97, 5)), "0.859");
/// assert_eq!(format!("{:.2}", chain_success(0.97, 1)), "0.97");
/// ```
#[must_use]
pub fn chain_success(p: f64, n: u32) -> f64 {
    (0..n).map(|_| p).product()
}

/// Asks a model every request of a suite, once, and judges which tool it called.
///
/// No tool runs: what is measured is the choice. A request is one turn with no history, so that
/// one answer does not help with the next.
///
/// ```
/// use toolkit::eval::{Eval, Suite, WordOverlap};
/// use toolkit::prelude::*;
///
/// /// Look up where an order is.
/// #[tool]
/// fn get_order(order_id: &str) {}
///
/// /// Give money back to a customer.
/// #[tool]
/// fn refund_payment(order_id: &str) {}
///
/// let view = Registry::builder().tools(tools![get_order, refund_payment]).build()?.view(Caller::new("ann"));
/// let suite = Suite::from_jsonl(
///     r#"{"request": "Where is my order?", "tool": "get_order"}
///        {"request": "I want my money back.", "tool": "refund_payment"}
///        {"request": "Sing a song.", "tool": null}"#,
/// )?;
/// let evaluation = Eval::new(suite).run_blocking(&WordOverlap, &view);
/// assert_eq!(evaluation.accuracy(), 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Eval {
    suite: Suite,
    bar: Option<Mutex<Box<dyn Write + Send>>>,
}

impl Eval {
    /// Takes the requests.
    #[must_use]
    pub const fn new(suite: Suite) -> Self {
        Self { suite, bar: None }
    }

    /// Draws a bar of how far it is, over and over in one line: `eval.bar(std::io::stderr())`.
    #[must_use]
    pub fn bar(mut self, out: impl Write + Send + 'static) -> Self {
        self.bar = Some(Mutex::new(Box::new(out)));
        self
    }

    /// Asks the model every request.
    ///
    /// A request for which the model gives no reply is not right, and says why.
    pub async fn run(&self, model: &impl Model, view: &View) -> Evaluation {
        let definitions = view.definitions(&Anthropic).unwrap_or_default().to_string();
        let mut judged = Vec::new();
        for (index, case) in self.suite.cases().iter().enumerate() {
            self.draw(index);
            let messages = [Message::User(case.request().to_owned())];
            let reply = model.reply(&Turn::new(1, &messages, view)).await;
            let asked = definitions.chars().count() + case.request().chars().count();
            judged.push(Judged::of(case, reply, view, asked));
        }
        self.draw(self.suite.cases().len());
        Evaluation::new(judged)
    }

    /// Asks the model every request, in the caller's thread.
    #[must_use]
    pub fn run_blocking(&self, model: &impl Model, view: &View) -> Evaluation {
        pollster::block_on(self.run(model, view))
    }

    fn draw(&self, done: usize) {
        const WIDTH: usize = 30;
        let Some(bar) = &self.bar else { return };
        let all = self.suite.cases().len();
        let filled = WIDTH * done / all.max(1);
        let end = if done == all { "\n" } else { "" };
        let drawn =
            format!("\r[{}{}] {done}/{all}{end}", "#".repeat(filled), " ".repeat(WIDTH - filled));
        let mut out = bar.lock().unwrap_or_else(PoisonError::into_inner);
        let drawn = out.write_all(drawn.as_bytes()).and_then(|()| out.flush());
        drop(out);
        // Who can not see the bar still wants the figures.
        if let Err(error) = drawn {
            tracing::debug!(%error, "the bar can not be drawn");
        }
    }
}

impl fmt::Debug for Eval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Eval").field("suite", &self.suite).finish_non_exhaustive()
    }
}
