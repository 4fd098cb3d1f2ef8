//! What is wrong with the words that a model chooses by.

mod family;
mod hidden;
mod names;
mod parameters;
mod prompt;
mod rule;
mod said;

use std::collections::BTreeMap;
use std::fmt;

pub use rule::{Level, Rule};

use regex::Regex;

use crate::dialect::Definition;
use crate::problem::Path;
use crate::registry::{Registry, View};

/// How strict the lint is.
///
/// ```
/// use toolkit::prelude::*;
/// use toolkit::{Level, Lint, Rule};
///
/// /// Handles stuff.
/// #[tool]
/// fn process(data: &str) {}
///
/// let registry = Registry::builder().tools(tools![process]).build()?;
/// let report = Lint::new().level(Rule::UndescribedParameter, Level::Allow).registry(&registry);
/// let codes: Vec<&str> = report.iter().map(|finding| finding.rule().code()).collect();
/// assert_eq!(codes, ["vague"]);
/// # Ok::<(), toolkit::ToolConfigErrors>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lint {
    levels: BTreeMap<Rule, Level>,
    parameters: usize,
    tokens: usize,
}

impl Default for Lint {
    fn default() -> Self {
        Self::new()
    }
}

impl Lint {
    /// Every rule at its default level.
    #[must_use]
    pub const fn new() -> Self {
        Self { levels: BTreeMap::new(), parameters: 8, tokens: 10_000 }
    }

    /// Sets what the findings of a rule count for.
    #[must_use]
    pub fn level(mut self, rule: Rule, level: Level) -> Self {
        self.levels.insert(rule, level);
        self
    }

    /// Sets how many parameters a tool may have. Default 8.
    #[must_use]
    pub const fn most_parameters(mut self, count: usize) -> Self {
        self.parameters = count;
        self
    }

    /// Sets how many tokens all definitions may cost, estimated as a fourth of their characters.
    /// Default 10,000.
    #[must_use]
    pub const fn token_budget(mut self, tokens: usize) -> Self {
        self.tokens = tokens;
        self
    }

    /// What the findings of a rule count for.
    #[must_use]
    pub fn level_of(&self, rule: Rule) -> Level {
        self.levels.get(&rule).copied().unwrap_or_else(|| rule.default_level())
    }

    /// Reads every tool of a registry, by itself and beside the others.
    #[must_use]
    pub fn registry(&self, registry: &Registry) -> LintReport {
        let subjects: Vec<Subject<'_>> = registry
            .tools()
            .map(|(tool, definition)| Subject::new(definition, tool.place.as_deref()))
            .collect();
        let mut findings = Vec::new();
        for subject in &subjects {
            findings.extend(said::of(subject, subjects.len() > 1));
            findings.extend(parameters::of(subject, self.parameters));
            findings.extend(hidden::of(subject));
        }
        findings.extend(family::of(&subjects, registry));
        findings.extend(names::of(&subjects));
        findings.extend(over_budget(&subjects, self.tokens));
        self.report(findings)
    }

    /// Reads a system prompt beside the tools that a view shows.
    #[must_use]
    pub fn prompt(&self, prompt: &str, view: &View) -> LintReport {
        self.report(prompt::of(prompt, view))
    }

    fn report(&self, mut findings: Vec<Finding>) -> LintReport {
        for finding in &mut findings {
            finding.level = self.level_of(finding.rule);
        }
        findings.retain(|finding| finding.level != Level::Allow);
        LintReport(findings)
    }
}

/// Something that a model may stumble over, and what to write instead.
///
/// ```
/// use toolkit::prelude::*;
/// use toolkit::{Level, Rule};
///
/// /// Books a table. Use after the guest named the day.
/// #[tool]
/// fn book_table(
///     /// The day, as YYYY-MM-DD.
///     day: &str,
/// ) {
/// }
///
/// let registry = Registry::builder().tools(tools![book_table]).build()?;
/// let report = registry.lint();
/// let finding = report.iter().next().unwrap();
/// assert_eq!((finding.rule(), finding.level()), (Rule::FormatInWords, Level::Deny));
/// assert_eq!((finding.tool(), finding.path().pointer()), (Some("book_table"), "/day".to_owned()));
/// assert_eq!(finding.message(), "its description names a format (YYYY-MM-DD) that any text passes");
/// assert_eq!(finding.advice(), "add `#[arg(format = …)]` or `#[arg(pattern = …)]`");
/// # Ok::<(), toolkit::ToolConfigErrors>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    rule: Rule,
    level: Level,
    tool: Option<String>,
    place: Option<String>,
    path: Path,
    message: String,
    advice: String,
}

impl Finding {
    fn new(rule: Rule, message: impl Into<String>, advice: impl Into<String>) -> Self {
        Self {
            rule,
            level: rule.default_level(),
            tool: None,
            place: None,
            path: Path::root(),
            message: message.into(),
            advice: advice.into(),
        }
    }

    fn of(mut self, subject: &Subject<'_>) -> Self {
        self.tool = Some(subject.definition.name.clone());
        self.place = subject.place.map(str::to_owned);
        self
    }

    fn at(mut self, path: Path) -> Self {
        self.path = path;
        self
    }

    /// The rule that found it.
    #[must_use]
    pub const fn rule(&self) -> Rule {
        self.rule
    }

    /// What it counts for.
    #[must_use]
    pub const fn level(&self) -> Level {
        self.level
    }

    /// The tool, where it is about one.
    #[must_use]
    pub fn tool(&self) -> Option<&str> {
        self.tool.as_deref()
    }

    /// Where an annotated tool is written, like `shop::orders at src/orders.rs:12`.
    #[must_use]
    pub fn place(&self) -> Option<&str> {
        self.place.as_deref()
    }

    /// The parameter, or the root where it is about the whole tool.
    #[must_use]
    pub const fn path(&self) -> &Path {
        &self.path
    }

    /// What is wrong.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What to write.
    #[must_use]
    pub fn advice(&self) -> &str {
        &self.advice
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}] ", self.rule)?;
        if let Some(tool) = &self.tool {
            write!(f, "tool `{tool}`")?;
            if let Some(place) = &self.place {
                write!(f, " ({place})")?;
            }
            f.write_str(": ")?;
        }
        if !self.path.steps().is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        write!(f, "{}; {}", self.message, self.advice)
    }
}

/// All that a lint found, in the registry's order.
///
/// It prints as a list. `toolkit::lint!` makes a test of it.
///
/// ```
/// use toolkit::prelude::*;
///
/// let registry = Registry::builder().build()?;
/// let report = registry.lint();
/// assert!(report.is_empty());
/// assert_eq!(report.to_string(), "nothing was found");
/// # Ok::<(), toolkit::ToolConfigErrors>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LintReport(Vec<Finding>);

impl LintReport {
    /// Goes through the findings.
    pub fn iter(&self) -> std::slice::Iter<'_, Finding> {
        self.0.iter()
    }

    /// Whether nothing was found.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many findings there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether a finding is to fail a test.
    #[must_use]
    pub fn is_denied(&self) -> bool {
        self.0.iter().any(|finding| finding.level == Level::Deny)
    }
}

impl<'a> IntoIterator for &'a LintReport {
    type Item = &'a Finding;
    type IntoIter = std::slice::Iter<'a, Finding>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Display for LintReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.len() {
            0 => return f.write_str("nothing was found"),
            1 => f.write_str("1 finding:")?,
            count => write!(f, "{count} findings:")?,
        }
        for finding in &self.0 {
            let level = if finding.level == Level::Deny { "deny" } else { "warn" };
            write!(f, "\n  {level} {finding}")?;
        }
        Ok(())
    }
}

impl Registry {
    /// Reads what a model chooses by, every rule at its default level.
    ///
    /// ```
    /// use toolkit::prelude::*;
    ///
    /// /// Get order.
    /// #[tool]
    /// fn get_order(
    ///     /// The order's id.
    ///     order_id: &str,
    /// ) {
    /// }
    ///
    /// let registry = Registry::builder().tools(tools![get_order]).build()?;
    /// let report = registry.lint();
    /// assert_eq!(report.iter().next().unwrap().rule().code(), "repeats-name");
    /// # Ok::<(), toolkit::ToolConfigErrors>(())
    /// ```
    #[must_use]
    pub fn lint(&self) -> LintReport {
        Lint::new().registry(self)
    }
}

impl View {
    /// Reads a system prompt beside the visible tools, every rule at its default level.
    ///
    /// ```
    /// use toolkit::prelude::*;
    ///
    /// /// Looks up an order. Do not use for quotes.
    /// #[tool]
    /// fn get_order(order_id: &str) {}
    ///
    /// let view = Registry::builder().tools(tools![get_order]).build()?.view(Caller::new("ann"));
    /// let report = view.audit_prompt("Whenever the user says \"order\", call get_order.");
    /// assert_eq!(report.iter().next().unwrap().rule().code(), "keyword-rule");
    /// # Ok::<(), toolkit::ToolConfigErrors>(())
    /// ```
    #[must_use]
    pub fn audit_prompt(&self, prompt: &str) -> LintReport {
        Lint::new().prompt(prompt, self)
    }
}

/// One tool as the lint reads it.
struct Subject<'a> {
    definition: &'a Definition,
    place: Option<&'a str>,
    /// The stems of the name.
    name: Vec<String>,
}

impl<'a> Subject<'a> {
    fn new(definition: &'a Definition, place: Option<&'a str>) -> Self {
        Self { definition, place, name: crate::index::stems(&definition.name) }
    }
}

/// A pattern that stands in the source.
#[expect(clippy::expect_used, reason = "the patterns are constants, and the tests go through all")]
fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the pattern is right")
}

/// Characters a token, as providers' tokenizers come to in English and JSON.
pub(crate) const CHARACTERS_A_TOKEN: usize = 4;

fn over_budget(subjects: &[Subject<'_>], budget: usize) -> Option<Finding> {
    let characters = |Subject { definition, .. }: &Subject<'_>| {
        let schema = definition.input_schema.to_string().chars().count();
        definition.name.len() + definition.description.chars().count() + schema
    };
    let tokens = subjects.iter().map(characters).sum::<usize>() / CHARACTERS_A_TOKEN;
    let largest = subjects.iter().max_by_key(|subject| characters(subject))?;
    (tokens > budget).then(|| {
        Finding::new(
            Rule::OverBudget,
            format!("the definitions cost about {tokens} tokens a request, of which {budget} may be"),
            format!(
                "show fewer with `scoped(…)` or a `ToolSearch`, or shorten them; the largest is `{}`",
                largest.definition.name
            ),
        )
    })
}
