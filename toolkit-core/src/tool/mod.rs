//! A tool: what the attribute fills in, or the host at run time.

mod argument;
mod bait;
mod constraint;
mod dynamic;
mod passage;
mod policy;
mod preview;
pub(crate) mod read;
mod returned;
mod rules;
mod state;
mod survey;
mod table;
mod toolbox;
mod unknown;

use std::fmt;
use std::panic::Location;
use std::pin::Pin;

use schemars::Schema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

pub use argument::{
    Borrowed, Constant, Keyword, Param, ToolArg, any, lend, list, number, param, text,
};
pub use constraint::{List, Number, Text};
pub use dynamic::{Answer, Answered, DynamicTool, Fallible, Later, Valued};
use dynamic::{Handled, Parts};
pub use passage::{
    FromContext, Gates, Held, Passage, Rest, Stopped, ToolFailure, ToolOutput, found, later,
};
pub use policy::{ApprovalPolicy, Hints, LedgerUse, OnDenied, Policy, Requirement, by};
pub(crate) use policy::{LEAST_SHOWN, TAKES};
pub use preview::{IntoPreview, previewed};
pub use returned::{Plain, Returned, returned};
pub use rules::{
    Asking, IntoRefusal, NoRules, Refusal, Rule, Rules, Said, check, checked, preview, ruled,
    ruled_later, verify,
};
pub(crate) use state::NeededBy;
pub use state::{FromStates, StateNeed, States};
use survey::{Asked, survey};
use table::Call;
pub use table::{Annotated, Table};
pub use toolbox::{IntoToolbox, Receiver, Toolbox};
pub use unknown::{IntoVerified, OnUnknown, Verified, verified};

use crate::context::CallContext;
use crate::output::Output;
use crate::problem::Path;
use crate::schema::{self, Field};

/// A future that may cross threads, behind a pointer.
///
/// ```
/// use toolkit::BoxFuture;
///
/// fn later(text: &str) -> BoxFuture<'_, usize> {
///     Box::pin(async move { text.len() })
/// }
///
/// assert_eq!(pollster::block_on(later("abc")), 3);
/// ```
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What a tool does to the world.
///
/// An annotated tool says it with `effect = "…"`, a dynamic one with
/// [`DynamicTool::effect`].
///
/// ```
/// use toolkit::Effect;
/// use toolkit::prelude::*;
///
/// /// Refunds an order.
/// #[tool(effect = "write")]
/// fn refund(order_id: &str) {}
///
/// let ledger = toolkit::ledger::MemoryLedger::new();
/// let registry = Registry::builder().tools(tools![refund]).ledger(ledger).build()?;
/// let view = registry.view(Caller::new("ann"));
/// assert_eq!(view.effect_of("refund"), Some(Effect::Write));
/// # Ok::<(), toolkit::ToolConfigErrors>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Effect {
    /// It changes nothing.
    Read,
    /// It changes something.
    Write,
    /// It changes something for good; a person must agree to every call.
    Irreversible,
}

impl Effect {
    /// The effect's name, as the attribute writes it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Irreversible => "irreversible",
        }
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A function that a model may ask for, with its definition and its gates.
///
/// `tools!` makes one of each annotated function, [`Tool::from_fn`] of a closure and
/// [`Tool::dynamic`] of a schema and a handler of JSON.
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
/// assert_eq!(Tool::of::<add>().name(), "add");
/// // The function stays as it is.
/// assert_eq!(add(2, 3), 5);
/// ```
pub struct Tool {
    pub(crate) name: String,
    pub(crate) title: Option<String>,
    pub(crate) description: String,
    pub(crate) place: Option<String>,
    pub(crate) policy: Policy,
    pub(crate) input: Input,
    pub(crate) states: &'static [StateNeed],
    pub(crate) output: fn() -> Option<Schema>,
    body: Body,
}

/// Where a tool's input schema comes from.
pub(crate) enum Input {
    /// The signature of an annotated function.
    Params(&'static [Param]),
    /// The type that a closure takes.
    Type(Typed),
    /// The host, at run time.
    Given(Value),
}

/// The type that a closure takes, whose fields the model fills.
#[derive(Clone, Copy)]
pub(crate) struct Typed {
    schema: fn() -> Result<Value, Vec<String>>,
    #[cfg(feature = "testing")]
    accepts: fn(&Value) -> bool,
}

impl Typed {
    fn of<A: ToolArg>() -> Self {
        Self {
            schema: || type_schema::<A>().and_then(schema::of_fields),
            #[cfg(feature = "testing")]
            accepts: |value| A::deserialize(value).is_ok(),
        }
    }

    /// Whether the type takes a value, asked without a schema and without a decoder of ours.
    #[cfg(feature = "testing")]
    pub(crate) fn accepts(self, value: &Value) -> bool {
        (self.accepts)(value)
    }
}

/// The schema of one type; that of its numbers with the formats that tell Rust's types apart.
///
/// # Errors
/// Types that can not be read as any schema says.
pub(crate) fn type_schema<T: ToolArg>() -> Result<Value, Vec<String>> {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.meta_schema = None);
    let mut generator = settings.into_generator();
    let mut schemas = vec![generator.subschema_for::<T>().to_value()];
    let mut definitions = generator.take_definitions(true);
    let asked = Asked { at: Path::root(), reads: bait::reads::<T> };
    let faults = survey(&[asked], &mut schemas, &mut definitions);
    match schemas.pop() {
        Some(schema) if faults.is_empty() => schema::of_type(schema, definitions),
        _ => Err(faults),
    }
}

/// A call that was started.
pub(crate) enum Running<'a> {
    /// It is over.
    Done(Result<Output, Stopped>),
    /// It goes on when it is polled.
    Waits(BoxFuture<'a, Result<Output, Stopped>>),
}

enum Body {
    Function(Call),
    Handler(Box<dyn Handled>),
}

impl Tool {
    /// The tool that an annotated function is; `tools!` calls it.
    #[must_use]
    pub fn of<T: Annotated>() -> Self {
        Self::from_table(T::TABLE)
    }

    /// The tools that the methods of a toolbox are, without a value to call them on.
    ///
    /// [`RegistryBuilder::toolbox`](crate::RegistryBuilder::toolbox) gives a registry all
    /// of them and the value. To give it a few, pass these on to `tools`, and the value to
    /// `state`.
    ///
    /// ```
    /// use toolkit::prelude::*;
    ///
    /// struct Counter(u64);
    ///
    /// #[toolbox]
    /// impl Counter {
    ///     /// Tells the count.
    ///     #[tool]
    ///     fn count(&self) -> u64 {
    ///         self.0
    ///     }
    ///
    ///     /// Tells what the count would be.
    ///     #[tool]
    ///     fn count_after(&self, steps: u64) -> u64 {
    ///         self.0 + steps
    ///     }
    /// }
    ///
    /// let tools = Tool::all_of::<Counter>();
    /// assert_eq!(tools.iter().map(Tool::name).collect::<Vec<_>>(), ["count", "count_after"]);
    ///
    /// let few = tools.into_iter().filter(|tool| tool.name() == "count");
    /// let registry = Registry::builder().tools(few).state(Counter(3)).build()?;
    /// assert_eq!(registry.view(Caller::new("ann")).visible(), ["count"]);
    /// # Ok::<(), toolkit::ToolConfigErrors>(())
    /// ```
    #[must_use]
    pub fn all_of<T: Toolbox + ?Sized>() -> Vec<Self> {
        T::TABLES.iter().map(Self::from_table).collect()
    }

    fn from_table(table: &'static Table) -> Self {
        let (module, file, line) = table.place;
        Self {
            name: table.name.to_owned(),
            title: table.title.map(str::to_owned),
            description: table.description.to_owned(),
            place: Some(format!("{module} at {file}:{line}")),
            policy: table.policy(),
            input: Input::Params(table.params),
            states: table.states,
            output: table.output,
            body: Body::Function(table.call),
        }
    }

    /// Makes a tool that is known only at run time; it passes the same gates.
    ///
    /// `schema` is JSON Schema 2020-12 of an object; `"type": "object"` may be left out.
    /// It is not closed to unknown fields unless it says so. The words of drafts 4 to 7 that
    /// 2020-12 has others for (`items` as a list, `dependencies`) are rewritten. What no Rust
    /// type says (`if`, `contains`, `dependentRequired`, `unevaluatedProperties`,
    /// `$dynamicRef` …) needs the feature `jsonschema` of toolkit; nothing is ever fetched.
    /// `handler` is given the
    /// checked arguments, without the nulls of fields that may be left out, and the
    /// context of the call.
    ///
    /// ```
    /// use serde_json::{Value, json};
    /// use toolkit::prelude::*;
    ///
    /// let schema = json!({
    ///     "properties": {"city": {"type": "string"}},
    ///     "required": ["city"],
    /// });
    /// let handler = |arguments: Value, _| async move {
    ///     match arguments["city"].as_str() {
    ///         Some("Lisbon") => Ok("sunny"),
    ///         _ => Err(ToolError::business("no station there")),
    ///     }
    /// };
    /// let weather = Tool::dynamic("weather", "Tells the weather.", schema, handler);
    /// let view = Registry::builder().tool(weather).build()?.view(Caller::new("ann"));
    /// let call = ToolCall::new("call_1", "weather", r#"{"city": "Lisbon"}"#);
    /// assert_eq!(view.dispatch_blocking(call, Options::default())?.text(), "sunny");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn dynamic<H, F, T, E>(
        name: impl Into<String>,
        description: impl Into<String>,
        schema: Value,
        handler: H,
    ) -> DynamicTool
    where
        H: Fn(Value, CallContext) -> F + Send + Sync + 'static,
        F: Future<Output = Result<T, E>> + Send + 'static,
        T: ToolOutput + 'static,
        E: ToolFailure + 'static,
    {
        DynamicTool::new(name.into(), description.into(), schema, handler)
    }

    /// Makes a tool of a closure; the model fills the fields of the type that it takes.
    ///
    /// The type is one of named fields, or an enum of such, with `#[arg_type]` or with
    /// `Deserialize` and `JsonSchema`; its fields are what the parameters of an annotated
    /// function are, and their doc comments describe them to the model. A call passes the same
    /// gates, and the closure is given the context of the call as well. It gives a value, a
    /// `Result` of one, or a future of either. What it needs besides it takes along.
    ///
    /// The type owns what it holds: of one that borrows, like `&str` or `Name<'_>`, the compiler
    /// says that `Deserialize` is not general enough.
    ///
    /// ```
    /// use toolkit::prelude::*;
    ///
    /// /// A part of an order.
    /// #[arg_type]
    /// struct Item {
    ///     /// The item's number, like 7.
    ///     #[schemars(range(min = 1))]
    ///     number: u32,
    ///     #[serde(default = "one")]
    ///     count: u32,
    /// }
    ///
    /// fn one() -> u32 {
    ///     1
    /// }
    ///
    /// let price = 20;
    /// let cost = Tool::from_fn("cost", "Tells what items cost.", move |item: Item, _| {
    ///     item.count * price
    /// });
    /// let later = Tool::from_fn("order", "Orders an item.", |item: Item, cx| async move {
    ///     if item.number > 9 {
    ///         return Err(ToolError::business("there is no such item"));
    ///     }
    ///     Ok(format!("{} ordered {}", cx.caller().principal(), item.number))
    /// });
    /// let registry = Registry::builder().tool(cost).tool(later).build()?;
    /// let view = registry.view(Caller::new("ann"));
    ///
    /// let call = |tool: &str, arguments: &str| {
    ///     view.dispatch_blocking(ToolCall::new("call_1", tool, arguments), Options::default())
    /// };
    /// assert_eq!(call("cost", r#"{"number": 7, "count": 3}"#)?.text(), "60");
    /// assert_eq!(call("order", r#"{"number": 7}"#)?.text(), "ann ordered 7");
    /// assert_eq!(call("order", r#"{"number": 12}"#)?.text(), "there is no such item");
    /// assert_eq!(
    ///     call("cost", r#"{"number": 0}"#)?.text(),
    ///     "$.number: expected an integer from 1 to 4294967295, got 0",
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn from_fn<A, H, R, M>(
        name: impl Into<String>,
        description: impl Into<String>,
        function: H,
    ) -> DynamicTool<A>
    where
        A: ToolArg + Sync + 'static,
        H: Fn(A, CallContext) -> R + Send + Sync + 'static,
        R: Answer<M>,
    {
        let place = Location::caller();
        let place = format!("a closure at {}:{}", place.file(), place.line());
        DynamicTool::typed(name.into(), description.into(), place, function)
    }

    /// The name that the model asks for.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the model fills a parameter of this name.
    pub(crate) fn has_parameter(&self, name: &str) -> bool {
        match &self.input {
            Input::Params(params) => params.iter().any(|param| param.name == name),
            Input::Type(typed) => (typed.schema)().is_ok_and(|schema| has_field(&schema, name)),
            Input::Given(schema) => has_field(schema, name),
        }
    }

    /// The input schema; that of a signature with the formats that tell Rust's number types apart.
    ///
    /// # Errors
    /// Types that can not be read as any schema says.
    pub(crate) fn input_schema(&self) -> Result<Value, Vec<String>> {
        let params = match &self.input {
            Input::Given(schema) => return Ok(schema::given(schema.clone())),
            Input::Type(typed) => return (typed.schema)(),
            Input::Params(params) => params,
        };
        let settings = SchemaSettings::draft2020_12().with(|settings| settings.meta_schema = None);
        let mut generator = settings.into_generator();
        let mut schemas: Vec<Value> =
            params.iter().map(|param| (param.schema)(&mut generator).to_value()).collect();
        let mut definitions = generator.take_definitions(true);
        let asked: Vec<Asked> = params.iter().map(Param::asked).collect();
        let faults = survey(&asked, &mut schemas, &mut definitions);
        if !faults.is_empty() {
            return Err(faults);
        }
        let field = |(param, schema): (&Param, Value)| Field {
            name: param.name,
            description: param.description,
            schema,
            keywords: param.keywords.iter().map(|k| (k.name, k.value.value())).collect(),
            required: param.is_required(),
        };
        schema::signature(params.iter().zip(schemas).map(field).collect(), definitions)
    }

    /// The schema of the result, where its type has one.
    pub(crate) fn output_schema(&self) -> Option<Value> {
        (self.output)().map(|schema| schema::result(schema.to_value()))
    }

    /// The call function, where it is done when it returns.
    #[inline]
    pub(crate) const fn at_once(&self) -> Option<fn(Passage<'_>) -> Result<Output, Stopped>> {
        match self.body {
            Body::Function(Call::AtOnce(call)) => Some(call),
            Body::Function(Call::Later(_)) | Body::Handler(_) => None,
        }
    }

    /// Runs a call from its arguments on, as far as it goes without waiting.
    #[inline]
    pub(crate) fn run<'a>(&'a self, passage: Passage<'a>) -> Running<'a> {
        match &self.body {
            Body::Function(Call::AtOnce(call)) => Running::Done(call(passage)),
            Body::Function(Call::Later(call)) => match call(passage) {
                Ok(rest) => Running::Waits(rest),
                Err(stopped) => Running::Done(Err(stopped)),
            },
            Body::Handler(handler) => Running::Waits(handler.call(passage, self.policy.blocking)),
        }
    }

    /// What it says of itself that does not fit together.
    ///
    /// That of an annotated function was found when it was compiled.
    pub(crate) fn faults(&self) -> Vec<String> {
        let Body::Handler(handler) = &self.body else { return Vec::new() };
        let handler: Parts = handler.parts();
        match &self.input {
            Input::Given(schema) => self.policy.faults(handler, schema),
            // What is wrong with its schema is told by `input_schema`.
            Input::Type(typed) => {
                (typed.schema)().map_or_else(|_| Vec::new(), |s| self.policy.faults(handler, &s))
            }
            Input::Params(_) => Vec::new(),
        }
    }
}

/// Whether an object of a schema has a field of that name.
fn has_field(schema: &Value, name: &str) -> bool {
    schema.get("properties").is_some_and(|properties| properties.get(name).is_some())
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool").field("name", &self.name).finish_non_exhaustive()
    }
}
