//! All tools of a program, checked once, and what one agent sees of them.

use std::any::{Any, TypeId, type_name};
use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::arguments;
use crate::call::{Outcome, ToolCall};
use crate::caller::Caller;
use crate::dialect::{Definition, Dialect, Form, Forms, Inbound, Offer, portable};
use crate::error::{Abort, ToolConfigError, ToolConfigErrors};
use crate::gate::{self, Allowed, Approver, Entry, House, Timer, Viewer, is_visible};
use crate::ledger::inside::{Book, tool_revision};
use crate::ledger::{Digest, Durability, Ledger, Settings};
use crate::limits::Limits;
use crate::schema;
use crate::tool::{
    Effect, Input, IntoToolbox, LedgerUse, NeededBy, OnUnknown, Param, Policy, StateNeed, States,
    Tool,
};

/// All tools of a program.
///
/// Cheap to clone and to share; every agent gets a [`View`] of it.
///
/// ```
/// use toolkit::prelude::*;
///
/// /// Adds two numbers.
/// #[tool]
/// fn add(a: i64, b: i64) -> i64 {
///     a + b
/// }
///
/// let registry = Registry::builder().tools(tools![add]).build()?;
/// assert_eq!(registry.view(Caller::new("ann")).visible(), ["add"]);
/// assert_eq!(registry.view(Caller::new("bob")).scoped(["subtract"]).visible(), [""; 0]);
/// # Ok::<(), toolkit::ToolConfigErrors>(())
/// ```
#[derive(Clone)]
pub struct Registry(Arc<Checked>);

struct Checked {
    entries: Vec<Entry>,
    /// One an entry.
    definitions: Vec<Definition>,
    forms: Forms,
    house: House,
}

impl Registry {
    /// Starts a registry.
    #[must_use]
    pub fn builder() -> RegistryBuilder {
        RegistryBuilder::default()
    }

    /// Checks that every tool can be shown in every dialect that a program means to use.
    ///
    /// What one request may hold together depends on the view, and is checked where it is
    /// [`offer`](View::offer)ed.
    ///
    /// ```
    /// use std::collections::BTreeMap;
    /// use toolkit::dialect::{Anthropic, OpenAiChat};
    /// use toolkit::prelude::*;
    ///
    /// /// Ranks players.
    /// #[tool]
    /// fn rank(scores: BTreeMap<String, u32>) {}
    ///
    /// let registry = Registry::builder().tools(tools![rank]).build()?;
    /// registry.check(&[&Anthropic, &OpenAiChat])?;
    /// let errors = registry.check(&[&Anthropic, &OpenAiChat.strict()]).unwrap_err();
    /// assert_eq!(errors.iter().next().unwrap().tool(), Some("rank"));
    /// # Ok::<(), toolkit::ToolConfigErrors>(())
    /// ```
    ///
    /// # Errors
    /// Every part of every tool that has no form in one of them.
    pub fn check(&self, dialects: &[&dyn Dialect]) -> Result<(), ToolConfigErrors> {
        let checked = &self.0;
        let all: Vec<usize> = (0..checked.definitions.len()).collect();
        let mut errors: Vec<ToolConfigError> = Vec::new();
        for dialect in dialects {
            let (_, found) = checked.forms.plan(&checked.definitions, &all, dialect.form());
            for error in found.into_iter().map(|error| self.placed(error)) {
                if !errors.contains(&error) {
                    errors.push(error);
                }
            }
        }
        ToolConfigErrors::of(errors)
    }

    /// The error with the place where its tool is written.
    fn placed(&self, error: ToolConfigError) -> ToolConfigError {
        let entry =
            self.0.entries.iter().find(|entry| Some(entry.tool.name.as_str()) == error.tool());
        match entry.and_then(|entry| entry.tool.place.clone()) {
            Some(place) => error.at(place),
            None => error,
        }
    }

    /// What an agent that acts for the caller sees.
    #[must_use]
    pub fn view(&self, caller: Caller) -> View {
        View { registry: self.clone(), caller: Arc::new(caller), allowed: Allowed::All }
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.entries.iter().map(|entry| &entry.tool.name)).finish()
    }
}

/// Collects the tools of a program and what they need.
///
/// ```
/// use toolkit::prelude::*;
///
/// /// Closes an account for good.
/// #[tool(effect = "irreversible")]
/// fn close(#[state] days_of_grace: &u32, account: &str) {}
///
/// let errors = Registry::builder().tools(tools![close]).build().unwrap_err();
/// assert_eq!(
///     errors.iter().map(ToolConfigError::message).collect::<Vec<_>>(),
///     [
///         "it takes a state of type `u32` and there is none; add `.state(…)` with one, or with an `Arc` of one",
///         "it changes something and there is no ledger, so that a repeated call would run twice; \
///          add `.ledger(…)`, or say `ledger = none(\"…\")` and why that is right",
///         "it needs a person's approval and there is nobody to ask; add `.ledger(…)`, where its \
///          calls wait, or `.approver(…)`",
///     ],
/// );
/// ```
#[derive(Default)]
pub struct RegistryBuilder {
    tools: Vec<Tool>,
    states: Shared,
    approver: Option<Arc<dyn Approver>>,
    ledger: Option<Arc<dyn Ledger>>,
    settings: Settings,
    timer: Option<Arc<dyn Timer>>,
    limits: Limits,
    dry_run: bool,
    faults: Vec<ToolConfigError>,
}

impl RegistryBuilder {
    /// Adds tools, as `tools!` collects them.
    #[must_use]
    pub fn tools(mut self, tools: impl IntoIterator<Item = Tool>) -> Self {
        self.tools.extend(tools);
        self
    }

    /// Adds one tool.
    #[must_use]
    pub fn tool(mut self, tool: impl Into<Tool>) -> Self {
        self.tools.push(tool.into());
        self
    }

    /// Adds the tools of a value, and the value: as it is, or in an `Arc` that the host shares.
    ///
    /// The registry holds it once, behind an `Arc`; `#[state]` parameters of its type are
    /// given it, too. Two toolboxes of one type are a mistake that [`build`](Self::build)
    /// reports.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use toolkit::prelude::*;
    ///
    /// struct Shop {
    ///     name: String,
    /// }
    ///
    /// #[toolbox]
    /// impl Shop {
    ///     /// Tells when the shop opens.
    ///     #[tool]
    ///     fn opening_hours(&self) -> String {
    ///         format!("{} opens at nine", self.name)
    ///     }
    /// }
    ///
    /// let shop = Arc::new(Shop { name: "Ada's".to_owned() });
    /// let view = Registry::builder().toolbox(Arc::clone(&shop)).build()?.view(Caller::new("ann"));
    /// let call = ToolCall::new("call_1", "opening_hours", "{}");
    /// let outcome = view.dispatch_blocking(call, Options::default())?;
    /// assert_eq!(outcome.text(), shop.opening_hours());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn toolbox<T: IntoToolbox>(mut self, toolbox: T) -> Self {
        let earlier = self.give(Given::Toolbox, toolbox.into_shared());
        if earlier != Some(Given::Toolbox) {
            self.tools.extend(Tool::all_of::<T::Toolbox>());
        }
        self
    }

    /// Gives a value to every `#[state]` parameter of its type.
    ///
    /// An `Arc<T>` serves parameters that take `&T` or `Arc<T>`, also where `T` is a trait object.
    /// Two states of one type are a mistake that [`build`](Self::build) reports.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use toolkit::prelude::*;
    ///
    /// trait Mail: Send + Sync {
    ///     fn unread(&self) -> usize;
    /// }
    ///
    /// # struct Empty;
    /// # impl Mail for Empty {
    /// #     fn unread(&self) -> usize {
    /// #         0
    /// #     }
    /// # }
    /// /// Counts the unread mails.
    /// #[tool]
    /// fn unread(#[state] mail: &dyn Mail) -> usize {
    ///     mail.unread()
    /// }
    ///
    /// let mail: Arc<dyn Mail> = Arc::new(Empty);
    /// assert!(Registry::builder().tools(tools![unread]).state(mail).build().is_ok());
    /// ```
    #[must_use]
    pub fn state<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        self.give(Given::State, Arc::new(value));
        self
    }

    /// Sets who is asked when a call needs a person's approval. Default nobody.
    #[must_use]
    pub fn approver(mut self, approver: impl Approver) -> Self {
        self.approver = Some(Arc::new(approver));
        self
    }

    /// Sets where the calls of effectful tools are kept, and those that wait for people.
    ///
    /// Every tool that declares `effect = "write"` or `"irreversible"` needs one, unless it says
    /// `ledger = none("…")`. An `Arc` of a store is one, too.
    ///
    /// ```
    /// use toolkit::ledger::MemoryLedger;
    /// use toolkit::prelude::*;
    ///
    /// /// Refunds an order.
    /// #[tool(effect = "write")]
    /// fn refund(order_id: &str) -> String {
    ///     format!("refunded {order_id}")
    /// }
    ///
    /// let registry = Registry::builder().tools(tools![refund]).ledger(MemoryLedger::new()).build()?;
    /// let view = registry.view(Caller::new("ann"));
    /// let call = ToolCall::new("call_1", "refund", r#"{"order_id": "O-1"}"#);
    /// assert_eq!(view.dispatch_blocking(&call, Options::default())?.status(), Status::Ok);
    /// let again = view.dispatch_blocking(&call, Options::default())?;
    /// assert_eq!((again.status(), again.executed()), (Status::Duplicate, false));
    /// assert_eq!(
    ///     again.text(),
    ///     "(done before: this is the first result again, nothing ran now)\nrefunded O-1",
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn ledger(mut self, ledger: impl Ledger) -> Self {
        self.ledger = Some(Arc::new(ledger));
        self
    }

    /// Sets how long calls are kept, leased and left to people. Default [`Settings::default`].
    #[must_use]
    pub const fn ledger_settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// Sets what wakes the registry while a function runs. Default nothing.
    #[must_use]
    pub fn timer(mut self, timer: impl Timer) -> Self {
        self.timer = Some(Arc::new(timer));
        self
    }

    /// Sets the bounds on arguments and reports. Default [`Limits::default`].
    #[must_use]
    pub const fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Makes every call a rehearsal, as [`Options::dry_run`] makes one: shadow mode.
    ///
    /// Tools that say `effect = "read"` run.
    ///
    /// ```
    /// use toolkit::prelude::*;
    ///
    /// /// Deletes a file.
    /// #[tool(preview = format!("It would delete {path} for good."))]
    /// fn delete(path: &str) {
    ///     panic!("nothing runs")
    /// }
    ///
    /// let view = Registry::builder().tools(tools![delete]).dry_run().build()?.view(Caller::new("ann"));
    /// let call = ToolCall::new("call_1", "delete", r#"{"path": "/tmp/a"}"#);
    /// let outcome = view.dispatch_blocking(call, Options::default())?;
    /// assert_eq!(
    ///     outcome.text(),
    ///     "dry run: every check was passed and nothing ran. It would delete /tmp/a for good.",
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn dry_run(mut self) -> Self {
        self.dry_run = true;
        self
    }

    /// Checks everything that can be checked without a call.
    ///
    /// # Errors
    /// Every mistake there is, at once:
    ///
    /// - a name of other letters than `^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`, or of a dynamic
    ///   tool than `^[A-Za-z0-9_.-]{1,128}$`; two names that are equal or look alike;
    /// - a blank description;
    /// - an effect that is not declared, where another tool declares one;
    /// - a call that may need approval, and no approver; a `#[state]` that was not given;
    /// - a schema that is not of an object, has more than 256 KiB, or has a keyword that
    ///   only the feature `jsonschema` takes; a default or an example that it does not accept.
    pub fn build(self) -> Result<Registry, ToolConfigErrors> {
        let Self { tools, states, approver, ledger, settings, timer, limits, dry_run, mut faults } =
            self;
        if cfg!(panic = "abort") {
            tracing::warn!(
                "this program is built with panic = \"abort\": a panic in a tool ends the process"
            );
        }
        faults.extend(same_names(&tools));
        if limits.depth > MOST_DEPTH {
            let message =
                format!("`Limits::depth` is {}; at most {MOST_DEPTH} is safe", limits.depth);
            faults.push(ToolConfigError::new(message));
        }
        let declared = tools.iter().any(|tool| tool.policy.effect.is_some());
        let mut entries = Vec::new();
        let mut definitions = Vec::new();
        for tool in tools {
            let mut messages = faults_of(&tool, declared, &states);
            messages.extend(unkept(&tool, approver.is_some(), ledger.as_deref()));
            match prepare(&tool) {
                Ok(_) if !messages.is_empty() => {}
                Ok((definition, schema)) => {
                    let revision = revision(&tool, &definition);
                    entries.push(Entry { tool, schema, revision });
                    definitions.push(definition);
                    continue;
                }
                Err(more) => messages.extend(more),
            }
            faults.extend(messages.into_iter().map(|message| blame(&tool, message)));
        }
        ToolConfigErrors::of(faults)?;
        let worker = format!("process {} {}", std::process::id(), gate::error_id());
        let book = ledger.map(|ledger| Book::new(ledger, settings, worker));
        let states = Box::new(states);
        let house = House { limits, approver, states, book, timer, dry_run };
        Ok(Registry(Arc::new(Checked { entries, definitions, forms: Forms::default(), house })))
    }

    /// Keeps a value; tells what another one of its type was given as.
    fn give<T: Send + Sync + ?Sized + 'static>(
        &mut self,
        given: Given,
        value: Arc<T>,
    ) -> Option<Given> {
        let (earlier, _) = self.states.0.insert(TypeId::of::<T>(), (given, Box::new(value)))?;
        let name = type_name::<T>();
        self.faults.push(ToolConfigError::new(match (earlier, given) {
            (Given::State, Given::State) => {
                format!("two states of type `{name}` are given; keep one")
            }
            (Given::Toolbox, Given::Toolbox) => format!(
                "two toolboxes of type `{name}` are given, and their tools have the same names; \
                 keep one"
            ),
            (Given::State, Given::Toolbox) | (Given::Toolbox, Given::State) => format!(
                "a state and a toolbox of type `{name}` are given; keep the toolbox, which is a \
                 state, too"
            ),
        }));
        Some(earlier)
    }
}

impl fmt::Debug for RegistryBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RegistryBuilder").field("tools", &self.tools).finish_non_exhaustive()
    }
}

/// What a value was given as.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Given {
    State,
    Toolbox,
}

/// The states by type, each an `Arc` of the value.
#[derive(Default)]
struct Shared(BTreeMap<TypeId, (Given, Box<dyn Any + Send + Sync>)>);

impl States for Shared {
    fn of_type(&self, id: TypeId) -> Option<&(dyn Any + Send + Sync)> {
        self.0.get(&id).map(|(_, state)| &**state)
    }
}

fn blame(tool: &Tool, message: String) -> ToolConfigError {
    let error = ToolConfigError::new(message).of_tool(&tool.name);
    match &tool.place {
        Some(place) => error.at(place),
        None => error,
    }
}

/// Names that are equal, or that a person or a provider's alphabet can not tell apart.
fn same_names(tools: &[Tool]) -> Vec<ToolConfigError> {
    let mut faults = Vec::new();
    for (index, tool) in tools.iter().enumerate() {
        let earlier = tools.iter().take(index).find(|earlier| are_alike(&earlier.name, &tool.name));
        let Some(earlier) = earlier else { continue };
        let place = earlier.place.as_deref().unwrap_or("made at run time");
        faults.push(blame(
            tool,
            if earlier.name == tool.name {
                format!("its name is taken already, by {place}; rename one with `name = …`")
            } else {
                format!(
                    "its name looks like `{}` ({place}), and a model mixes them up; rename one",
                    earlier.name
                )
            },
        ));
    }
    faults
}

/// Whether two names become equal in a provider's alphabet, or look equal on a screen.
fn are_alike(one: &str, other: &str) -> bool {
    let folded = |name: &str| name.to_ascii_lowercase().replace(['-', '.'], "_");
    let drawn = |name: &str| folded(&name.replace(['1', 'I'], "l").replace('0', "o"));
    folded(one) == folded(other)
        || drawn(one) == drawn(other)
        || portable(one).eq_ignore_ascii_case(&portable(other))
}

/// What is wrong with a tool apart from its schema.
fn faults_of(tool: &Tool, declared: bool, states: &Shared) -> Vec<String> {
    let mut faults = Vec::new();
    if let Some(pattern) = misnamed(tool) {
        faults.push(format!("its name does not match {pattern}"));
    }
    if tool.description.trim().is_empty() {
        faults
            .push("its description is blank; it is the only thing the model chooses by".to_owned());
    }
    if declared && tool.policy.effect.is_none() {
        faults.push(
            "it does not say its effect, and other tools do; add `effect = \"read\"`, \
             `\"write\"` or `\"irreversible\"`"
                .to_owned(),
        );
    }
    faults.extend(tool.faults());
    faults.extend(tool.states.iter().filter_map(|need| unmet(need, states)));
    faults
}

/// What a tool needs a ledger or a person for, and does not get.
fn unkept(tool: &Tool, has_approver: bool, ledger: Option<&dyn Ledger>) -> Vec<String> {
    let policy = &tool.policy;
    let mut faults = Vec::new();
    let keeps = policy.ledger == LedgerUse::Needed;
    if policy.is_effectful() && keeps && ledger.is_none() {
        faults.push(
            "it changes something and there is no ledger, so that a repeated call would run \
             twice; add `.ledger(…)`, or say `ledger = none(\"…\")` and why that is right"
                .to_owned(),
        );
    }
    let is_decided = has_approver && gate::is_one_word_enough(tool);
    if policy.may_ask() && !is_decided && !(keeps && ledger.is_some()) {
        let way = match (keeps, gate::is_one_word_enough(tool)) {
            (true, true) => "add `.ledger(…)`, where its calls wait, or `.approver(…)`",
            (true, false) => "add `.ledger(…)`, where its calls wait for all who must agree",
            (false, true) => "add `.approver(…)`",
            (false, false) => "its calls can only wait in a ledger; leave `ledger = none(…)` out",
        };
        faults.push(format!("it needs a person's approval and there is nobody to ask; {way}"));
    }
    let forgets = ledger.is_some_and(|ledger| ledger.durability() == Durability::Process);
    if forgets && keeps && (policy.is_effectful() || policy.may_ask()) && !cfg!(feature = "testing")
    {
        faults.push(
            "its calls must outlive the process, and the ledger is kept in memory; take \
             `SqliteLedger` (feature `sqlite`), say `MemoryLedger::accept_loss(\"…\")`, or turn \
             on the feature `testing` where it is a test"
                .to_owned(),
        );
    }
    faults
}

/// What a tool is, as people who agree to a call of it rely on.
fn revision(tool: &Tool, definition: &Definition) -> Digest {
    let Policy { effect, scopes, on_unknown, approval, preview_must_match, .. } = &tool.policy;
    let effect = effect.map_or("", Effect::as_str);
    let terms = format!("{on_unknown:?} {approval:?} {preview_must_match}");
    let schema = definition.input_schema.to_string();
    let mut said = vec![&*tool.name, &tool.description, &schema, effect, &terms];
    said.extend(scopes.iter().map(String::as_str));
    tool_revision(&said)
}

/// Why a state that a tool asks for can not be given to it.
fn unmet(need: &StateNeed, states: &Shared) -> Option<String> {
    let name = (need.type_name)();
    match ((need.count)(states), need.by) {
        (1, _) => None,
        (0, NeededBy::Parameter) => Some(format!(
            "it takes a state of type `{name}` and there is none; add `.state(…)` with one, or \
             with an `Arc` of one"
        )),
        (0, NeededBy::Receiver) => Some(format!(
            "it is a method of `{name}` and there is none; add `.toolbox(…)` with one, or with an \
             `Arc` of one"
        )),
        (_, NeededBy::Parameter) => Some(format!(
            "it takes a state of type `{name}` and there are two, one as it is and one in an \
             `Arc`; keep one"
        )),
        (_, NeededBy::Receiver) => Some(format!(
            "it is a method of `{name}` and there are two, one as it is and one in an `Arc`; keep \
             one"
        )),
    }
}

/// The pattern that a tool's name does not match.
fn misnamed(tool: &Tool) -> Option<&'static str> {
    // The attribute checks the name of an annotated function when it is compiled.
    let Input::Given(_) = tool.input else { return None };
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let fits = (1..=128).contains(&tool.name.len()) && tool.name.chars().all(is_plain);
    if fits { None } else { Some("^[A-Za-z0-9_.-]{1,128}$") }
}

/// Deeper values than this would not fit a thread's stack.
const MOST_DEPTH: usize = 128;

/// The largest schema that is worth sending.
const SCHEMA_BYTES: usize = 256 * 1024;

type Prepared = (Definition, schema::Compiled);

/// Makes the definition and the compiled schema of a tool.
fn prepare(tool: &Tool) -> Result<Prepared, Vec<String>> {
    if let Input::Params(params) = tool.input {
        let unwritable = params.iter().flat_map(Param::unwritable);
        let faults: Vec<String> = unwritable
            .map(|(name, keyword)| {
                format!(
                    "the `{keyword}` of `{name}` can not be written as JSON, or is null; leave it \
                     out, or write a value of the parameter's type"
                )
            })
            .collect();
        if !faults.is_empty() {
            return Err(faults);
        }
    }
    let mut input = tool.input_schema()?;
    if input.get("type").is_none_or(|of| of != "object") {
        return Err(vec![
            "its schema is not of an object; `\"type\": \"object\"` must stand at the root"
                .to_owned(),
        ]);
    }
    let writes_defaults = matches!(tool.input, Input::Params(_));
    let compiled = schema::compile(&input, writes_defaults)?;
    schema::without_rust_formats(&mut input);
    let bytes = input.to_string().len();
    if bytes > SCHEMA_BYTES {
        return Err(vec![format!(
            "its schema has {bytes} bytes; at most {SCHEMA_BYTES} are accepted"
        )]);
    }
    let Input::Params(params) = tool.input else {
        return Ok((definition(tool, input), compiled));
    };
    let faults: Vec<String> = params.iter().flat_map(|param| constants(param, &compiled)).collect();
    if !faults.is_empty() {
        return Err(faults);
    }
    Ok((definition(tool, input), compiled))
}

/// A tool as a registry holds it, without what a registry must be given for it.
#[cfg(feature = "testing")]
pub(crate) struct Alone {
    pub(crate) entry: Entry,
    pub(crate) published: Value,
    /// The schema with the formats that tell Rust's number types apart.
    pub(crate) typed: Value,
}

/// Prepares a tool for its arguments gate alone.
#[cfg(feature = "testing")]
pub(crate) fn alone(tool: Tool) -> Result<Alone, ToolConfigErrors> {
    let prepared = prepare(&tool).and_then(|prepared| Ok((prepared, tool.input_schema()?)));
    let ((definition, schema), typed) = prepared.map_err(|messages| {
        let faults = messages.into_iter().map(|message| blame(&tool, message));
        ToolConfigErrors::found(faults.collect())
    })?;
    Ok(Alone {
        entry: Entry { revision: revision(&tool, &definition), tool, schema },
        published: definition.input_schema,
        typed,
    })
}

/// What is wrong with the constants that the attribute was given for a parameter.
fn constants(param: &Param, compiled: &schema::Compiled) -> Vec<String> {
    let judged = |what: &str, value: &Value| {
        let problems = arguments::check_constant(compiled, param.name, value);
        let told = problems.iter().map(|problem| format!("its {what} is not accepted: {problem}"));
        told.collect::<Vec<_>>()
    };
    let default = param.default_value().into_iter().flat_map(|value| judged("default", &value));
    default.chain(param.examples().iter().flat_map(|value| judged("example", value))).collect()
}

fn definition(tool: &Tool, input_schema: Value) -> Definition {
    let mut definition = Definition::new(&tool.name, &tool.description, input_schema);
    definition.title.clone_from(&tool.title);
    definition.output_schema = tool.output_schema();
    definition.effect = tool.policy.effect;
    definition.is_idempotent = tool.policy.on_unknown == OnUnknown::Rerun;
    if let Input::Params(params) = tool.input {
        definition.examples = examples(params);
    }
    definition
}

/// Whole arguments out of the examples of the parameters, where each that must be given has one.
fn examples(params: &[Param]) -> Vec<Value> {
    let of_each: Vec<(&Param, Vec<Value>)> =
        params.iter().map(|param| (param, param.examples())).collect();
    if of_each.iter().any(|(param, examples)| param.is_required() && examples.is_empty()) {
        return Vec::new();
    }
    let most = of_each.iter().map(|(_, examples)| examples.len()).max().unwrap_or_default();
    let whole = (0..most).map(|index| {
        let members = of_each.iter().filter_map(|(param, examples)| {
            let example = examples.get(index).or_else(|| examples.last())?;
            Some((param.name.to_owned(), example.clone()))
        });
        Value::Object(members.collect())
    });
    whole.collect()
}

/// How one call is to be dispatched.
///
/// ```
/// use serde_json::json;
/// use toolkit::prelude::*;
///
/// let log = Tool::dynamic("log", "Logs.", json!({}), |_, cx: CallContext| async move {
///     Ok::<_, ToolError>(cx.run_id().map(str::to_owned))
/// });
/// let view = Registry::builder().tool(log).build()?.view(Caller::new("ann"));
/// let options = Options::default().run_id("run-7");
/// let outcome = view.dispatch_blocking(ToolCall::new("call_1", "log", "{}"), options)?;
/// assert_eq!(outcome.text(), "run-7");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Options {
    run_id: Option<String>,
    intent_id: Option<String>,
    dry_run: bool,
}

impl Options {
    /// Names the run that the call belongs to.
    ///
    /// In one run, two calls of an effectful tool with the same arguments are one call, and the
    /// second is a duplicate, unless the tool or the host says otherwise. Calls of no named run
    /// are of one and the same.
    #[must_use]
    pub fn run_id(mut self, run_id: impl Into<String>) -> Self {
        self.run_id = Some(run_id.into());
        self
    }

    /// Names what the user wants to be done once: the idempotency key of this call.
    ///
    /// 16 to 255 of the characters `A-Z a-z 0-9 _ . : -`, chosen by the host and never by a
    /// model. It counts for one tool and one caller, and stands above what the tool says with
    /// `idempotency(…)`. To do the same once more on purpose, name another.
    #[must_use]
    pub fn intent_id(mut self, intent_id: impl Into<String>) -> Self {
        self.intent_id = Some(intent_id.into());
        self
    }

    /// Rehearses the call: every check is made, and nothing changes.
    ///
    /// A tool that says `effect = "read"` runs all the same.
    ///
    /// ```
    /// use toolkit::prelude::*;
    ///
    /// /// Deletes a file.
    /// #[tool]
    /// fn delete(path: &str) {
    ///     panic!("nothing runs")
    /// }
    ///
    /// let view = Registry::builder().tools(tools![delete]).build()?.view(Caller::new("ann"));
    /// let call = ToolCall::new("call_1", "delete", r#"{"path": "/tmp/a"}"#);
    /// let outcome = view.dispatch_blocking(call, Options::default().dry_run())?;
    /// assert_eq!(outcome.status(), Status::DryRun);
    /// assert_eq!(
    ///     outcome.text(),
    ///     r#"dry run: every check was passed and nothing ran. delete would run with {"path":"/tmp/a"}"#,
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn dry_run(mut self) -> Self {
        self.dry_run = true;
        self
    }
}

/// What one agent sees of a registry: an allowlist and a caller.
///
/// What it does not see it can not call, and a call of it reads to the model like
/// one of a tool that does not exist.
///
/// ```
/// use toolkit::prelude::*;
///
/// /// Looks up an order.
/// #[tool(effect = "read")]
/// fn get_order(id: &str) -> String {
///     format!("{id}: delivered")
/// }
///
/// /// Refunds an order.
/// #[tool(effect = "write", scopes("payments:write"))]
/// fn refund(id: &str) {}
///
/// let registry = Registry::builder()
///     .tools(tools![get_order, refund])
///     .ledger(toolkit::ledger::MemoryLedger::new())
///     .build()?;
/// let view = registry.view(Caller::new("ann"));
/// assert_eq!(view.visible(), ["get_order"]);
///
/// let call = ToolCall::new("call_1", "refund", r#"{"id": "O-1"}"#);
/// let outcome = view.dispatch_blocking(call, Options::default())?;
/// assert_eq!(outcome.status(), Status::Denied);
/// assert_eq!(outcome.text(), r#"no such tool "refund". Available: get_order"#);
/// assert_eq!(outcome.host_note(), Some("missing scope `payments:write`"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct View {
    registry: Registry,
    caller: Arc<Caller>,
    allowed: Allowed,
}

impl View {
    /// Keeps only the named tools; nothing that is hidden already comes back.
    ///
    /// A name that no tool has is ignored.
    ///
    /// ```
    /// # use toolkit::prelude::*;
    /// # use serde_json::json;
    /// # let tool = |name| Tool::dynamic(name, name, json!({}), |_, _| async { Ok::<_, ToolError>(()) });
    /// let registry = Registry::builder().tool(tool("read")).tool(tool("write")).build()?;
    /// let view = registry.view(Caller::new("ann")).scoped(["read", "close"]);
    /// assert_eq!(view.visible(), ["read"]);
    /// assert_eq!(view.scoped(["read", "write"]).visible(), ["read"]);
    /// # Ok::<(), toolkit::ToolConfigErrors>(())
    /// ```
    #[must_use]
    pub fn scoped<I>(mut self, names: I) -> Self
    where
        I: IntoIterator,
        I::Item: AsRef<str>,
    {
        let names: BTreeSet<String> =
            names.into_iter().map(|name| name.as_ref().to_owned()).collect();
        self.allowed.keep_only(names);
        self
    }

    /// The names of the tools that the model sees, in the registry's order.
    #[must_use]
    pub fn visible(&self) -> Vec<&str> {
        self.seen().map(|(entry, _)| entry.tool.name.as_str()).collect()
    }

    /// What the model reads of the visible tools, in the registry's order, in no provider's form.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolkit::prelude::*;
    ///
    /// /// Adds two numbers.
    /// #[tool]
    /// fn add(a: i64, b: i64) -> i64 {
    ///     a + b
    /// }
    ///
    /// let view = Registry::builder().tools(tools![add]).build()?.view(Caller::new("ada"));
    /// let [definition] = view.tools()[..] else { panic!("one tool") };
    /// assert_eq!(definition.description, "Adds two numbers.");
    /// assert_eq!(definition.output_schema, Some(json!({"type": "integer"})));
    /// # Ok::<(), toolkit::ToolConfigErrors>(())
    /// ```
    #[must_use]
    pub fn tools(&self) -> Vec<&Definition> {
        self.seen().map(|(_, definition)| definition).collect()
    }

    /// The definitions of the visible tools, as a provider's request carries them.
    ///
    /// It is the value of the request's `tools`, in the registry's order; the same
    /// view gives the same bytes every time. Whatever the provider needs to be told
    /// besides, like a choice of tools, is [`offer`](Self::offer)ed.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolkit::dialect::Anthropic;
    /// use toolkit::prelude::*;
    ///
    /// /// Adds one.
    /// #[tool]
    /// fn increment(number: u8) -> u16 {
    ///     u16::from(number) + 1
    /// }
    ///
    /// let view = Registry::builder().tools(tools![increment]).build()?.view(Caller::new("ann"));
    /// assert_eq!(
    ///     view.definitions(&Anthropic)?,
    ///     json!([{
    ///         "name": "increment",
    ///         "description": "Adds one.",
    ///         "input_schema": {
    ///             "type": "object",
    ///             "properties": {
    ///                 "number": {"type": "integer", "minimum": 0, "maximum": 255},
    ///             },
    ///             "required": ["number"],
    ///             "additionalProperties": false,
    ///         },
    ///     }]),
    /// );
    /// # Ok::<(), toolkit::ToolConfigErrors>(())
    /// ```
    /// # Errors
    /// As [`offer`](Self::offer).
    pub fn definitions(&self, dialect: &dyn Dialect) -> Result<Value, ToolConfigErrors> {
        Ok(self.offer(dialect)?.definitions())
    }

    /// What a request shows a model of the visible tools, in a provider's form.
    ///
    /// A call that is read by the same dialect is decoded when it is dispatched.
    ///
    /// # Errors
    /// Every part of every tool that has no such form, and what the request as a whole
    /// has more of than the provider takes.
    pub fn offer<'d>(&self, dialect: &'d dyn Dialect) -> Result<Offer<'d>, ToolConfigErrors> {
        let checked = &self.registry.0;
        let (planned, errors) =
            checked.forms.plan(&checked.definitions, &self.seen_at(), dialect.form());
        Offer::new(dialect, &checked.definitions, planned, errors)
    }

    /// Keeps only the tools that a provider can be shown, and tells what is wrong with the others.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolkit::dialect::Anthropic;
    /// use toolkit::prelude::*;
    ///
    /// # let tool = |name, schema| Tool::dynamic(name, name, schema, |_, _| async { Ok::<_, ToolError>(()) });
    /// let good = tool("good", json!({"properties": {"a": {"type": "integer"}}}));
    /// let bad = tool("bad", json!({"properties": {"a b": {"type": "integer"}}}));
    /// let view = Registry::builder().tool(good).tool(bad).build()?.view(Caller::new("ann"));
    /// assert!(view.definitions(&Anthropic).is_err());
    ///
    /// let (view, left_out) = view.showable_in(&Anthropic);
    /// assert_eq!(view.visible(), ["good"]);
    /// assert_eq!(left_out.len(), 1);
    /// assert!(view.definitions(&Anthropic).is_ok());
    /// # Ok::<(), toolkit::ToolConfigErrors>(())
    /// ```
    #[must_use]
    pub fn showable_in(self, dialect: &dyn Dialect) -> (Self, Vec<ToolConfigError>) {
        let checked = Arc::clone(&self.registry.0);
        let (planned, errors) =
            checked.forms.plan(&checked.definitions, &self.seen_at(), dialect.form());
        let names = planned.iter().filter_map(|planned| checked.definitions.get(planned.index));
        let names: Vec<&String> = names.map(|definition| &definition.name).collect();
        (self.scoped(names), errors)
    }

    /// What a visible tool does to the world; one that does not say is a read.
    ///
    /// `None` where the view has no such tool.
    #[must_use]
    pub fn effect_of(&self, name: &str) -> Option<Effect> {
        let entry = self.registry.0.entries.get(self.place_of(name)?)?;
        Some(entry.tool.policy.effect.unwrap_or(Effect::Read))
    }

    /// Who the agent acts for.
    #[must_use]
    pub fn caller(&self) -> &Caller {
        &self.caller
    }

    /// Takes a call, or a reference to one, through every gate to its function.
    ///
    /// The future is `Send` and needs no runtime of its own; what the tool awaits may.
    /// Dropping it drops the tool's future where it awaits.
    ///
    /// # Errors
    /// [`Abort`] where a tool ends the run or the wiring is wrong; everything
    /// else, also a failing tool, is an [`Outcome`].
    pub async fn dispatch(
        &self,
        call: impl Borrow<ToolCall> + Send + Sync,
        options: Options,
    ) -> Result<Outcome, Abort> {
        let checked = &self.registry.0;
        let (call, viewer) = (call.borrow(), self.viewer(options));
        let inbound = match self.inbound(call) {
            None => None,
            Some(Ok(inbound)) => Some(inbound),
            Some(Err(outcome)) => return Ok(*outcome),
        };
        let call = inbound.as_ref().map_or(call, |inbound| &inbound.call);
        let outcome = gate::dispatch(&checked.entries, &checked.house, viewer, call).await?;
        Ok(match inbound {
            None => outcome,
            Some(inbound) => inbound.told(outcome, &checked.house.limits),
        })
    }

    /// Takes a parked call through every gate once more, and runs it where people agreed.
    ///
    /// It runs with the arguments that were shown and no others, once, in whatever process. The
    /// view is one of the caller for whom the call was made; today's scopes, rules and tools
    /// count.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use toolkit::ledger::{Desk, MemoryLedger, Person};
    /// use toolkit::prelude::*;
    ///
    /// /// Refunds an order.
    /// #[tool(effect = "write", approval(amount > 500))]
    /// fn refund(order_id: &str, amount: u32) -> String {
    ///     format!("refunded {amount} for {order_id}")
    /// }
    ///
    /// let ledger = Arc::new(MemoryLedger::new());
    /// let registry =
    ///     Registry::builder().tools(tools![refund]).ledger(Arc::clone(&ledger)).build()?;
    /// let view = registry.view(Caller::new("ann"));
    /// let call = ToolCall::new("call_1", "refund", r#"{"order_id": "O-1", "amount": 900}"#);
    /// let outcome = view.dispatch_blocking(call, Options::default())?;
    /// assert_eq!(outcome.status(), Status::AwaitingApproval);
    /// let id = outcome.approval_id().expect("it waits");
    ///
    /// // In another process, perhaps: a person reads what would run, and agrees to it.
    /// let desk = Desk::new(ledger);
    /// let shown = pollster::block_on(desk.show(id))?;
    /// let kim = Person::authenticated("kim", "web").scopes(["approvals:decide"]);
    /// pollster::block_on(desk.approve(&kim, id, &shown.binding))?;
    ///
    /// let outcome = view.resume_blocking(id, Options::default())?;
    /// assert_eq!((outcome.status(), outcome.text()), (Status::Ok, "refunded 900 for O-1"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`View::dispatch`].
    pub async fn resume(&self, approval_id: &str, options: Options) -> Result<Outcome, Abort> {
        let checked = &self.registry.0;
        gate::resume(&checked.entries, &checked.house, self.viewer(options), approval_id).await
    }

    /// Resumes a parked call, for hosts without an async runtime.
    ///
    /// # Errors
    /// As [`View::dispatch`].
    pub fn resume_blocking(&self, approval_id: &str, options: Options) -> Result<Outcome, Abort> {
        pollster::block_on(self.resume(approval_id, options))
    }

    fn viewer(&self, options: Options) -> Viewer<'_> {
        let Options { run_id, intent_id, dry_run } = options;
        Viewer {
            caller: &self.caller,
            allowed: &self.allowed,
            run_id: run_id.map(Arc::from),
            intent_id: intent_id.map(Box::from),
            dry_run,
        }
    }

    /// The call by its tool's own name and in the full schema's form, where it came otherwise.
    ///
    /// Only a visible tool's call is decoded: what a hidden one takes is told to nobody.
    fn inbound(&self, call: &ToolCall) -> Option<Result<Inbound, Box<Outcome>>> {
        let checked = &self.registry.0;
        let form = Form::decoded(call.form()).filter(|form| *form != Form::EXACT);
        let is_own = |entry: &Entry| entry.tool.name == call.name();
        if form.is_none() && checked.entries.iter().any(is_own) {
            return None;
        }
        let place = self.place_of(call.name())?;
        let entry = checked.entries.get(place)?;
        let planned = form.and_then(|form| {
            let (planned, _) = checked.forms.plan(&checked.definitions, &self.seen_at(), form);
            planned.into_iter().find(|planned| planned.index == place)
        });
        let projection = planned.as_ref().map(|planned| &*planned.projection);
        Some(Inbound::of(call, entry, projection, &checked.house.limits))
    }

    /// Where the visible tool is that has this name, or has it on the wire.
    fn place_of(&self, name: &str) -> Option<usize> {
        let entries = &self.registry.0.entries;
        let named = |is: &dyn Fn(&str) -> bool| {
            entries.iter().position(|entry| {
                is(&entry.tool.name) && is_visible(entry, &self.allowed, &self.caller)
            })
        };
        named(&|own| own == name).or_else(|| named(&|own| portable(own) == name))
    }

    /// Where the visible tools are, in the registry's order.
    fn seen_at(&self) -> Vec<usize> {
        let entries = self.registry.0.entries.iter().enumerate();
        let visible = entries.filter(|(_, entry)| is_visible(entry, &self.allowed, &self.caller));
        visible.map(|(index, _)| index).collect()
    }

    /// Takes a call through every gate, for hosts without an async runtime.
    ///
    /// Inside a runtime use [`dispatch`](Self::dispatch): this one blocks the thread.
    ///
    /// # Errors
    /// As [`View::dispatch`].
    pub fn dispatch_blocking(
        &self,
        call: impl Borrow<ToolCall> + Send + Sync,
        options: Options,
    ) -> Result<Outcome, Abort> {
        pollster::block_on(self.dispatch(call, options))
    }

    fn seen(&self) -> impl Iterator<Item = (&Entry, &Definition)> {
        let checked = &self.registry.0;
        checked
            .entries
            .iter()
            .zip(&checked.definitions)
            .filter(|(entry, _)| is_visible(entry, &self.allowed, &self.caller))
    }
}

impl fmt::Debug for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("View")
            .field("caller", &self.caller)
            .field("visible", &self.visible())
            .finish_non_exhaustive()
    }
}
