//! One tool on trial: its arguments gate, and beside it the independent judge.

use std::fmt;

use serde_json::Value;

use super::arguments::Arguments;
use super::judge::Judge;
use super::reader::read;
use super::texts::Texts;
use crate::call::Outcome;
use crate::error::{ToolConfigError, ToolConfigErrors};
use crate::gate::{self, Entry, Verdict};
use crate::limits::Limits;
use crate::problem::ProblemKind;
use crate::registry;
use crate::tool::{Input, Tool};

/// A tool's arguments gate, with an independent judge beside it.
///
/// The gate is the real one, with the tool's own types; nothing behind it is asked or
/// run: no `check`, no approval, no state, no function.
///
/// ```
/// use serde_json::json;
/// use toolkit::prelude::*;
/// use toolkit::testing::Trial;
///
/// /// Pays.
/// #[tool]
/// fn pay(#[state] bank: &String, amount: u8, note: Option<String>) {
///     panic!("a trial runs nothing")
/// }
///
/// let trial = Trial::of(Tool::of::<pay>())?;
/// let case = trial.case(r#"{"amount": 5.0, "note": null}"#);
/// assert_eq!(case.normal_form, Some(json!({"amount": 5})));
/// assert!(case.gate.is_ok() && case.judge);
///
/// let case = trial.case(r#"{"amount": -5}"#);
/// assert_eq!(
///     case.gate.unwrap_err().text(),
///     "$.amount: expected an integer from 0 to 255, got -5",
/// );
/// assert!(!case.judge);
/// # Ok::<(), toolkit::ToolConfigErrors>(())
/// ```
pub struct Trial {
    entry: Entry,
    schema: Value,
    judge: Judge,
    limits: Limits,
}

impl Trial {
    /// Puts a tool on trial.
    ///
    /// # Errors
    /// What [`RegistryBuilder::build`](crate::RegistryBuilder::build) has against its schema.
    pub fn of(tool: impl Into<Tool>) -> Result<Self, ToolConfigErrors> {
        let tool = tool.into();
        let alone = registry::alone(tool)?;
        let judge = Judge::of(&alone.published, alone.typed)
            .map_err(|reason| ToolConfigErrors::found(vec![ToolConfigError::new(reason)]))?;
        let limits = Limits::default();
        Ok(Self { entry: alone.entry, schema: alone.published, judge, limits })
    }

    /// The published input schema.
    #[must_use]
    pub const fn schema(&self) -> &Value {
        &self.schema
    }

    /// A strategy for the tool's arguments.
    #[must_use]
    pub fn arguments(&self) -> Arguments {
        Arguments::of(self.schema.clone())
    }

    /// A strategy for the tool's arguments as JSON text.
    #[must_use]
    pub fn texts(&self) -> Texts {
        Texts::of(self.arguments())
    }

    /// What the gate and the judge say of one call's arguments.
    #[must_use]
    pub fn case(&self, text: &str) -> Case {
        let Verdict { gate, odd } = gate::arguments_alone(&self.entry, text, &self.limits);
        let normal_form = self.normal_form(text);
        let judge = normal_form.as_ref().is_some_and(|value| self.judge.accepts(value));
        // What the defaults of the program add is not in the text, and is judged just so.
        let passed_on = gate.as_ref().ok().map(|value| self.normal_form(&value.to_string()));
        let passes_on_more =
            passed_on.is_some_and(|value| value.is_none_or(|value| !self.judge.accepts(&value)));
        let type_refuses = normal_form.as_ref().is_some_and(|value| self.type_refuses(value));
        Case { text: text.to_owned(), normal_form, gate, judge, passes_on_more, odd, type_refuses }
    }

    /// Whether the type of an argument refuses it when it is asked by itself.
    fn type_refuses(&self, normal_form: &Value) -> bool {
        let params = match &self.entry.tool.input {
            Input::Params(params) => params,
            Input::Type(typed) => return !typed.accepts(normal_form),
            Input::Given(_) => return false,
        };
        params.iter().any(|param| {
            let value = normal_form.get(param.name).cloned().or_else(|| param.default_value());
            value.is_some_and(|value| !param.accepts(&value))
        })
    }

    fn normal_form(&self, text: &str) -> Option<Value> {
        read(text, &self.limits).and_then(|tree| self.judge.normal_form(&tree))
    }
}

impl fmt::Debug for Trial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Trial").field("schema", &self.schema).finish_non_exhaustive()
    }
}

/// One call's arguments, and the two verdicts on them.
///
/// ```
/// use serde_json::json;
/// use toolkit::prelude::*;
/// use toolkit::testing::{Case, Trial};
///
/// let tool = Tool::dynamic("now", "Tells the time.", json!({}), |_, _| async {
///     Ok::<_, ToolError>("noon")
/// });
/// let case: Case = Trial::of(tool)?.case("");
/// assert_eq!(case.normal_form, Some(json!({})));
/// assert!(case.is_agreed());
/// # Ok::<(), toolkit::ToolConfigErrors>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Case {
    /// The arguments as JSON text.
    pub text: String,
    /// Their normal form; `None` where the text breaks a text rule.
    pub normal_form: Option<Value>,
    /// What the arguments gate passes on, or the outcome that it refuses the call with.
    pub gate: Result<Value, Outcome>,
    /// Whether the text rules hold and the published schema accepts the normal form.
    pub judge: bool,
    passes_on_more: bool,
    odd: Option<&'static str>,
    type_refuses: bool,
}

impl Case {
    /// Whether gate and judge say the same, and what the gate passes on is accepted as well.
    ///
    /// A value that only the type's own `Deserialize` refuses, as `try_from` does, is no
    /// disagreement; see [`is_refused_by_type`](Self::is_refused_by_type).
    #[must_use]
    pub fn is_agreed(&self) -> bool {
        let same = self.gate.is_ok() == self.judge || self.is_refused_by_type();
        same && !self.passes_on_more && self.odd.is_none()
    }

    /// Whether nothing but a type's own `Deserialize` refuses what its schema accepts.
    ///
    /// The type says so itself, when `serde_json` gives it the normal form.
    #[must_use]
    pub fn is_refused_by_type(&self) -> bool {
        self.judge
            && self.type_refuses
            && self.gate.as_ref().is_err_and(|outcome| {
                !outcome.problems().is_empty()
                    && outcome.problems().iter().all(|p| p.kind() == ProblemKind::Refused)
            })
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "arguments    {}", self.text)?;
        match &self.normal_form {
            Some(value) => writeln!(f, "normal form  {value}")?,
            None => writeln!(f, "normal form  none: a text rule is broken")?,
        }
        match &self.gate {
            Ok(value) => writeln!(f, "the gate     accepts, and passes on {value}")?,
            Err(outcome) => {
                let report = outcome.text().replace('\n', "\n             ");
                writeln!(f, "the gate     refuses:\n             {report}")?;
            }
        }
        let verdict = if self.judge { "accepts" } else { "refuses" };
        write!(f, "the judge    {verdict}")?;
        match self.odd {
            Some(odd) => write!(f, "\nthe gate's own ways: {odd}"),
            None => Ok(()),
        }
    }
}
