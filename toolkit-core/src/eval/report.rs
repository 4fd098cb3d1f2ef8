//! What a model chose, beside what was right.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};

use serde_json::{Map, Value, json};

use super::suite::Case;
use crate::agent::ModelError;
use crate::arguments::identity;
use crate::dialect::Reply;
use crate::lint::CHARACTERS_A_TOKEN;
use crate::problem::escaped;
use crate::registry::View;

/// How no tool is written among the names of tools.
const NONE: &str = "(none)";

/// One request, and what the model made of it.
///
/// ```
/// use toolkit::eval::{Case, Eval, Suite, WordOverlap};
/// use toolkit::prelude::*;
///
/// let view = Registry::builder().build()?.view(Caller::new("ann"));
/// let suite = Suite::new([Case::new("Refund O-1.", "refund")]);
/// let evaluation = Eval::new(suite).run_blocking(&WordOverlap, &view);
/// let judged = &evaluation.judged()[0];
/// assert_eq!((judged.wanted(), judged.chosen(), judged.is_right()), (Some("refund"), None, false));
/// # Ok::<(), toolkit::ToolConfigErrors>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    request: String,
    wanted: Option<String>,
    chosen: Option<String>,
    /// Where the case says them and the tool is right: how many fields are right, out of all.
    fields: Option<(usize, usize)>,
    tokens: usize,
    error: Option<String>,
}

impl Judged {
    pub(super) fn of(
        case: &Case,
        reply: Result<Reply, ModelError>,
        view: &View,
        asked: usize,
    ) -> Self {
        let mut judged = Self {
            request: case.request().to_owned(),
            wanted: case.tool().map(str::to_owned),
            chosen: None,
            fields: None,
            tokens: asked / CHARACTERS_A_TOKEN,
            error: None,
        };
        let reply = match reply {
            Ok(reply) => reply,
            Err(error) => {
                judged.error = Some(error.to_string());
                return judged;
            }
        };
        let arguments = reply.tool_calls().map(|call| call.arguments().chars().count());
        let answered = reply.full_text().chars().count() + arguments.sum::<usize>();
        judged.tokens = (asked + answered) / CHARACTERS_A_TOKEN;
        if let Some(call) = reply.tool_calls().next() {
            judged.chosen =
                Some(view.own_name(call.name()).unwrap_or_else(|| call.name()).to_owned());
            if judged.is_right() {
                judged.fields =
                    case.wanted_arguments().map(|wanted| fields(wanted, &call.arguments()));
            }
        }
        judged
    }

    /// What the user said.
    #[must_use]
    pub fn request(&self) -> &str {
        &self.request
    }

    /// The right tool; `None` where none is.
    #[must_use]
    pub fn wanted(&self) -> Option<&str> {
        self.wanted.as_deref()
    }

    /// The tool that the model called first; `None` where it called none.
    #[must_use]
    pub fn chosen(&self) -> Option<&str> {
        self.chosen.as_deref()
    }

    /// Whether it is the right one.
    #[must_use]
    pub fn is_right(&self) -> bool {
        self.error.is_none() && self.wanted == self.chosen
    }

    /// Whether the arguments are right; `None` where the case does not say them, or the tool is wrong.
    #[must_use]
    pub fn are_arguments_right(&self) -> Option<bool> {
        self.fields.map(|(right, all)| right == all)
    }

    /// Why the model gave no reply, where it gave none.
    #[must_use]
    pub fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }
}

/// How many fields are right, out of those that were wanted or given. Null is absence.
fn fields(wanted: &Map<String, Value>, given: &str) -> (usize, usize) {
    let given: Map<String, Value> = serde_json::from_str(given).unwrap_or_default();
    let value = |members: &Map<String, Value>, name: &str| {
        members.get(name).filter(|value| !value.is_null()).cloned()
    };
    let names: BTreeSet<&String> = wanted.keys().chain(given.keys()).collect();
    let mut counts = (0, 0);
    for name in names {
        match (value(wanted, name), value(&given, name)) {
            (None, None) => {}
            (Some(wanted), Some(given)) => {
                counts.0 += usize::from(identity(&wanted) == identity(&given));
                counts.1 += 1;
            }
            _ => counts.1 += 1,
        }
    }
    counts
}

/// How one tool fared.
///
/// ```
/// use toolkit::eval::{Case, Eval, Suite, WordOverlap};
/// use toolkit::prelude::*;
///
/// /// Refund an order.
/// #[tool]
/// fn refund() {}
///
/// let view = Registry::builder().tools(tools![refund]).build()?.view(Caller::new("ann"));
/// let suite = Suite::new([Case::new("Refund O-1.", "refund"), Case::without_tool("My order!")]);
/// let evaluation = Eval::new(suite).run_blocking(&WordOverlap, &view);
/// let of_refund = evaluation.of_tool("refund");
/// assert_eq!((of_refund.precision(), of_refund.recall()), (Some(0.5), Some(1.0)));
/// assert_eq!(evaluation.of_tool("another").recall(), None);
/// # Ok::<(), toolkit::ToolConfigErrors>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OfTool {
    /// How often it was right.
    pub wanted: usize,
    /// How often it was called.
    pub chosen: usize,
    /// How often both.
    pub right: usize,
}

impl OfTool {
    /// How many of its calls were right; `None` where it was not called.
    #[must_use]
    pub fn precision(&self) -> Option<f64> {
        share(self.right, self.chosen)
    }

    /// How many requests for it were found; `None` where there was none.
    #[must_use]
    pub fn recall(&self) -> Option<f64> {
        share(self.right, self.wanted)
    }
}

#[expect(clippy::cast_precision_loss, reason = "there are far fewer requests than 2^52")]
fn share(part: usize, all: usize) -> Option<f64> {
    (all > 0).then(|| part as f64 / all as f64)
}

/// All requests, and how the model and the descriptions fared.
///
/// It prints as a table; [`to_json`](Self::to_json) gives the same for a program.
///
/// ```
/// use toolkit::eval::{Case, Eval, Suite, WordOverlap};
/// use toolkit::prelude::*;
///
/// /// Refund an order.
/// #[tool]
/// fn refund() {}
///
/// let view = Registry::builder().tools(tools![refund]).build()?.view(Caller::new("ann"));
/// let suite = Suite::new([Case::new("Refund O-1.", "refund"), Case::new("Hello.", "greet")]);
/// let evaluation = Eval::new(suite).run_blocking(&WordOverlap, &view);
/// assert_eq!(evaluation.right(), 1);
/// assert_eq!(evaluation.to_json()["accuracy"], 0.5);
/// assert!(evaluation.to_string().starts_with("1 of 2 requests found their tool (50.0 %)"));
/// # Ok::<(), toolkit::ToolConfigErrors>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    judged: Vec<Judged>,
}

impl Evaluation {
    pub(super) const fn new(judged: Vec<Judged>) -> Self {
        Self { judged }
    }

    /// Every request, in order.
    #[must_use]
    pub fn judged(&self) -> &[Judged] {
        &self.judged
    }

    /// How many requests found their tool.
    #[must_use]
    pub fn right(&self) -> usize {
        self.judged.iter().filter(|judged| judged.is_right()).count()
    }

    /// The share of requests that found their tool; 0 where there is none.
    #[must_use]
    pub fn accuracy(&self) -> f64 {
        share(self.right(), self.judged.len()).unwrap_or_default()
    }

    /// How often each tool was called for each right one; `None` is no tool.
    #[must_use]
    pub fn confusion(&self) -> BTreeMap<(Option<&str>, Option<&str>), usize> {
        let mut confusion = BTreeMap::new();
        for judged in self.judged.iter().filter(|judged| judged.error.is_none()) {
            *confusion.entry((judged.wanted(), judged.chosen())).or_default() += 1;
        }
        confusion
    }

    /// How one tool fared.
    #[must_use]
    pub fn of_tool(&self, name: &str) -> OfTool {
        let mut of_tool = OfTool::default();
        for judged in &self.judged {
            let (wanted, chosen) = (judged.wanted() == Some(name), judged.chosen() == Some(name));
            of_tool.wanted += usize::from(wanted);
            of_tool.chosen += usize::from(chosen);
            of_tool.right += usize::from(wanted && chosen);
        }
        of_tool
    }

    /// The share of calls with wholly right arguments, of those that were right and said theirs.
    #[must_use]
    pub fn argument_accuracy(&self) -> Option<f64> {
        let said: Vec<bool> = self.judged.iter().filter_map(Judged::are_arguments_right).collect();
        share(said.iter().filter(|is_right| **is_right).count(), said.len())
    }

    /// Tokens that were sent and came back, estimated as a fourth of the characters.
    #[must_use]
    pub fn tokens(&self) -> usize {
        self.judged.iter().map(|judged| judged.tokens).sum()
    }

    fn tools(&self) -> BTreeSet<&str> {
        self.judged.iter().flat_map(|judged| [judged.wanted(), judged.chosen()]).flatten().collect()
    }

    /// The figures, the confusion and every request, for a program.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let tools: Map<String, Value> = self
            .tools()
            .into_iter()
            .map(|name| {
                let of_tool = self.of_tool(name);
                let told = json!({
                    "wanted": of_tool.wanted,
                    "chosen": of_tool.chosen,
                    "right": of_tool.right,
                    "precision": of_tool.precision(),
                    "recall": of_tool.recall(),
                });
                (name.to_owned(), told)
            })
            .collect();
        let confusion: Vec<Value> = self
            .confusion()
            .into_iter()
            .map(|((wanted, chosen), count)| json!({"wanted": wanted, "chosen": chosen, "count": count}))
            .collect();
        let requests: Vec<Value> = self
            .judged
            .iter()
            .map(|judged| {
                json!({
                    "request": judged.request,
                    "wanted": judged.wanted,
                    "chosen": judged.chosen,
                    "right": judged.is_right(),
                    "arguments_right": judged.are_arguments_right(),
                    "error": judged.error,
                })
            })
            .collect();
        json!({
            "requests": self.judged.len(),
            "right": self.right(),
            "accuracy": self.accuracy(),
            "argument_accuracy": self.argument_accuracy(),
            "tokens": self.tokens(),
            "tools": tools,
            "confusion": confusion,
            "judged": requests,
        })
    }

    /// Compares with the same requests under other descriptions, or another model.
    #[must_use]
    pub const fn beside<'e>(&'e self, after: &'e Self) -> Comparison<'e> {
        Comparison { before: self, after }
    }
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

impl fmt::Display for Evaluation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (right, all) = (self.right(), self.judged.len());
        write!(f, "{right} of {all} requests found their tool ({})", percent(self.accuracy()))?;
        if let Some(arguments) = self.argument_accuracy() {
            write!(f, "; {} of the calls had right arguments", percent(arguments))?;
        }
        write!(f, "; about {} tokens", self.tokens())?;
        let told = |share: Option<f64>| share.map_or_else(|| "-".to_owned(), percent);
        for name in self.tools() {
            let of_tool = self.of_tool(name);
            let (precision, recall) = (told(of_tool.precision()), told(of_tool.recall()));
            write!(f, "\n  {name}: precision {precision}, recall {recall}")?;
        }
        let mut wrong = String::new();
        for ((wanted, chosen), count) in self.confusion() {
            if wanted != chosen {
                let (wanted, chosen) = (wanted.unwrap_or(NONE), chosen.unwrap_or(NONE));
                write!(wrong, "\n  {wanted} taken for {chosen}: {count}")?;
            }
        }
        f.write_str(&wrong)?;
        for judged in self.judged.iter().filter(|judged| judged.error.is_some()) {
            let error = judged.error().unwrap_or_default();
            write!(f, "\n  no reply to \"{}\": {error}", escaped(&judged.request, 60))?;
        }
        Ok(())
    }
}

/// The same requests, twice.
///
/// ```
/// use toolkit::eval::{Case, Eval, Suite, WordOverlap};
/// use toolkit::prelude::*;
///
/// let view = |description| -> Result<View, ToolConfigErrors> {
///     let refund = Tool::dynamic("tool_1", description, serde_json::json!({}), |_, _| async {
///         Ok::<_, ToolError>(())
///     });
///     Ok(Registry::builder().tool(refund).build()?.view(Caller::new("ann")))
/// };
/// let eval = Eval::new(Suite::new([Case::new("Give me my money back.", "tool_1")]));
/// let vague = eval.run_blocking(&WordOverlap, &view("Handles things.")?);
/// let precise = eval.run_blocking(&WordOverlap, &view("Gives money back.")?);
/// assert_eq!(
///     vague.beside(&precise).to_string(),
///     "0 of 1 before, 1 of 1 after\n  mended: \"Give me my money back.\"",
/// );
/// # Ok::<(), ToolConfigErrors>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison<'e> {
    before: &'e Evaluation,
    after: &'e Evaluation,
}

impl Comparison<'_> {
    /// The requests that found their tool only after.
    #[must_use]
    pub fn mended(&self) -> Vec<&str> {
        self.changed(|before, after| !before && after)
    }

    /// The requests that found their tool only before.
    #[must_use]
    pub fn broken(&self) -> Vec<&str> {
        self.changed(|before, after| before && !after)
    }

    fn changed(&self, is: impl Fn(bool, bool) -> bool) -> Vec<&str> {
        let pairs = self.before.judged.iter().zip(&self.after.judged);
        pairs
            .filter(|(before, after)| before.request == after.request)
            .filter(|(before, after)| is(before.is_right(), after.is_right()))
            .map(|(before, _)| before.request())
            .collect()
    }
}

impl fmt::Display for Comparison<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let told = |one: &Evaluation| format!("{} of {}", one.right(), one.judged.len());
        write!(f, "{} before, {} after", told(self.before), told(self.after))?;
        for (what, requests) in [("mended", self.mended()), ("broken", self.broken())] {
            for request in requests {
                write!(f, "\n  {what}: \"{}\"", escaped(request, 100))?;
            }
        }
        Ok(())
    }
}
