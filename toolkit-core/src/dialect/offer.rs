//! What one request shows a model: the visible tools in the provider's form, and the choice.

use std::fmt;

use serde_json::{Map, Value};

use super::budget::{Spent, over_budget, over_each};
use super::choice::{Choice, Mode};
use super::definition::Definition;
use super::message::Message;
use super::plan::Planned;
use super::project::{Rewrite, RewriteKind};
use super::shown::ShownForms;
use super::{Dialect, DialectError, Reply, Stream};
use crate::error::{ToolConfigError, ToolConfigErrors};

/// What one request shows a model: the visible tools in the provider's form, and the choice.
///
/// [`View::offer`](crate::View::offer) makes one, and [`read`](Self::read)s the reply to it. What a
/// call of it says is decoded when it is dispatched, in the form that was shown.
///
/// ```
/// use toolkit::dialect::OpenAiResponses;
/// use toolkit::prelude::*;
///
/// /// Looks up orders.
/// #[tool]
/// fn orders(#[arg(default = 20, maximum = 100)] limit: u32) -> String {
///     format!("{limit} orders")
/// }
///
/// let view = Registry::builder().tools(tools![orders]).build()?.view(Caller::new("ann"));
/// let dialect = OpenAiResponses.strict();
/// let offer = view.offer(&dialect)?;
/// assert_eq!(
///     offer.definitions()[0]["parameters"]["properties"]["limit"]["type"],
///     serde_json::json!(["integer", "null"]),
/// );
/// assert_eq!(offer.explain(), "orders: $.limit: wider: default 20\norders: $.limit: re-encoded: null to absent");
///
/// let body = r#"{"output": [{"type": "function_call", "call_id": "call_1", "name": "orders",
///                "arguments": "{\"limit\": null}", "status": "completed"}], "status": "completed"}"#;
/// let reply = offer.read(body)?;
/// let call = reply.tool_calls().next().unwrap();
/// assert_eq!(view.dispatch_blocking(call, Options::default())?.text(), "20 orders");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Offer<'a> {
    dialect: &'a dyn Dialect,
    tools: Vec<Shown>,
    choice: Choice,
    cached: bool,
}

struct Shown {
    own_name: String,
    definition: Definition,
    rewrites: Vec<Rewrite>,
    why: Option<String>,
}

impl<'a> Offer<'a> {
    pub(crate) fn new(
        dialect: &'a dyn Dialect,
        definitions: &[Definition],
        planned: Vec<Planned>,
        mut errors: Vec<ToolConfigError>,
    ) -> Result<Self, ToolConfigErrors> {
        let room = dialect.form().room();
        let mut spent = Spent::default();
        for planned in planned.iter().filter(|planned| planned.is_strict) {
            spent = spent.and(Spent::of(planned.projection.schema()));
            let name = definitions.get(planned.index).map(|definition| definition.name.clone());
            let over = room.each.map(|each| over_each(planned.projection.schema(), &each));
            for over in over.unwrap_or_default() {
                let message = format!("{}: its schema has {over}; split it", dialect.form());
                errors
                    .push(ToolConfigError::new(message).of_tool(name.clone().unwrap_or_default()));
            }
        }
        errors.extend(spent.over(&room).map(|over| over_budget(dialect.name(), &over)));
        if let Some(most) = dialect.most_tools().filter(|most| planned.len() > *most) {
            let message = format!(
                "{}: one request has {} tools, of which {most} are taken; show fewer with \
                 `scoped(…)`",
                dialect.name(),
                planned.len()
            );
            errors.push(ToolConfigError::new(message));
        }
        ToolConfigErrors::of(errors)?;
        let shown = |planned: Planned| {
            let full = definitions.get(planned.index)?;
            let mut definition = full.clone();
            definition.name = dialect.wire_name(&full.name);
            definition.input_schema = planned.projection.schema().clone();
            definition.strict = planned.is_strict;
            definition.examples =
                full.examples.iter().map(|example| planned.projection.encode(example)).collect();
            Some(Shown {
                own_name: full.name.clone(),
                definition,
                rewrites: planned.projection.rewrites().to_vec(),
                why: planned.why,
            })
        };
        let tools = planned.into_iter().filter_map(shown).collect();
        Ok(Self { dialect, tools, choice: Choice::auto(), cached: false })
    }

    /// Says which tools the model may, must or must not ask for.
    ///
    /// # Errors
    /// A tool that is to be called is not among them, or the provider can not be told so.
    pub fn choose(mut self, choice: Choice) -> Result<Self, ToolConfigError> {
        let offered = || {
            let names: Vec<&str> = self.tools.iter().map(|tool| tool.own_name.as_str()).collect();
            if names.is_empty() { "none".to_owned() } else { names.join(", ") }
        };
        let has = |name: &String| self.tools.iter().any(|tool| tool.own_name == *name);
        let is_among = |name: &String| choice.among.as_ref().is_none_or(|all| all.contains(name));
        if let Some(missing) = choice.among.iter().flatten().find(|name| !has(name)) {
            let message = format!(
                "`{missing}` is among the choice and is not offered; offered: {}",
                offered()
            );
            return Err(ToolConfigError::new(message));
        }
        match &choice.mode {
            Mode::Tool(name) if !has(name) || !is_among(name) => {
                let message =
                    format!("`{name}` is to be called and is not offered; offered: {}", offered());
                return Err(ToolConfigError::new(message));
            }
            Mode::Any
                if self.tools.is_empty() || choice.among.as_ref().is_some_and(Vec::is_empty) =>
            {
                return Err(ToolConfigError::new(
                    "a tool is to be called and none is offered; show one, or choose `auto`",
                ));
            }
            Mode::Auto | Mode::Any | Mode::Tool(_) | Mode::None => {}
        }
        if let Some(why) = self.dialect.refuses(&choice) {
            return Err(ToolConfigError::new(format!("{}: {why}", self.dialect.name())));
        }
        self.choice = choice;
        Ok(self)
    }

    /// Lets the provider find the named tools by a search of its own, instead of reading all.
    ///
    /// Where the provider has no such search, the model reads all.
    ///
    /// # Errors
    /// A tool is not among the offered ones, or none is left that the model reads.
    pub fn deferring<I>(mut self, names: I) -> Result<Self, ToolConfigError>
    where
        I: IntoIterator,
        I::Item: AsRef<str>,
    {
        for name in names {
            let name = name.as_ref();
            let Some(tool) = self.tools.iter_mut().find(|tool| tool.own_name == name) else {
                let message = format!("`{name}` is to be found by search and is not offered");
                return Err(ToolConfigError::new(message));
            };
            tool.definition.is_deferred = true;
        }
        if !self.tools.is_empty() && self.tools.iter().all(|tool| tool.definition.is_deferred) {
            return Err(ToolConfigError::new(
                "every tool is to be found by search; leave one that the model reads",
            ));
        }
        Ok(self)
    }

    /// Marks the end of the definitions for the provider's cache, where it wants to be told.
    #[must_use]
    pub const fn cached(mut self) -> Self {
        self.cached = true;
        self
    }

    /// The value of the request's `tools`.
    #[must_use]
    pub fn definitions(&self) -> Value {
        let mut tools: Vec<Definition> = self.sent().map(|tool| tool.definition.clone()).collect();
        // What is deferred is not in what is cached.
        if self.cached
            && let Some(last) = tools.iter_mut().rev().find(|tool| !tool.is_deferred)
        {
            last.is_cached = true;
        }
        self.dialect.definitions(&tools.iter().collect::<Vec<_>>())
    }

    /// The tools whose definition is in the request.
    fn sent(&self) -> impl Iterator<Item = &Shown> {
        let keeps_all = self.dialect.takes_subsets();
        let one = self.dialect.shows_only(&self.choice);
        self.tools.iter().filter(move |tool| {
            let is_among =
                self.choice.among.as_ref().is_none_or(|all| all.contains(&tool.own_name));
            (keeps_all || is_among) && one.is_none_or(|one| one == tool.own_name)
        })
    }

    /// Reads one whole reply to the request that shows this offer.
    ///
    /// Each of its calls says in which form its tool was shown, whatever is shown, loaded or
    /// hidden by the time it is dispatched. Where a dialect is strict where possible, nothing else
    /// tells the form, and a reply that the dialect read alone is not run.
    ///
    /// # Errors
    /// As [`Dialect::read`].
    pub fn read(&self, body: &str) -> Result<Reply, DialectError> {
        self.dialect.read(body).map(|reply| self.mark(reply))
    }

    /// Starts to read a reply that comes in pieces; `None` where the dialect has no such thing.
    #[must_use]
    pub fn stream(&self) -> Option<Stream> {
        self.dialect.stream().map(|stream| stream.read_by(self.forms()))
    }

    /// The reply to the request that shows this offer, where it was read by other means, with the
    /// form in each of its calls.
    #[must_use]
    pub fn mark(&self, reply: Reply) -> Reply {
        self.forms().marked(reply)
    }

    fn forms(&self) -> ShownForms {
        let mut forms = ShownForms::new(self.dialect.form());
        for tool in self.sent() {
            forms.insert(&tool.definition.name, tool.definition.strict);
            forms.insert(&tool.own_name, tool.definition.strict);
        }
        forms
    }

    /// What is wrong, or lost, or written otherwise, one a line, for a person.
    #[must_use]
    pub fn explain(&self) -> String {
        let lines = self.tools.iter().flat_map(|tool| {
            let plain =
                tool.why.iter().map(|why| Rewrite::new("$", RewriteKind::Plain, why.clone()));
            let all = plain.chain(tool.rewrites.iter().cloned());
            all.map(|rewrite| format!("{}: {rewrite}", tool.own_name)).collect::<Vec<_>>()
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// The names of the tools that are sent strictly.
    #[must_use]
    pub fn strict_tools(&self) -> Vec<&str> {
        let strict = self.tools.iter().filter(|tool| tool.definition.strict);
        strict.map(|tool| tool.own_name.as_str()).collect()
    }

    /// The members of the request that say the choice, after what was said and answered.
    pub(super) fn choice(&self, messages: &[Message]) -> Map<String, Value> {
        let mut choice = self.choice.released(messages);
        if self.tools.is_empty() {
            return Map::new();
        }
        if let Mode::Tool(name) = &mut choice.mode {
            *name = self.dialect.wire_name(name);
        }
        for name in choice.among.iter_mut().flatten() {
            *name = self.dialect.wire_name(name);
        }
        self.dialect.choice(&choice)
    }
}

impl fmt::Debug for Offer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Offer")
            .field("dialect", &self.dialect.name())
            .field("tools", &self.tools.iter().map(|tool| &tool.own_name).collect::<Vec<_>>())
            .field("choice", &self.choice)
            .finish_non_exhaustive()
    }
}
