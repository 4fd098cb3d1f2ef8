//! A tool: what the attribute fills in, or the host at run time.

use std::any::{Any, TypeId, type_name};
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::call::Outcome;
use crate::caller::CallContext;
use crate::error::{BoxError, Failure};
use crate::output::{self, Output};
use crate::problem::{Problem, Step};
use crate::schema::{self, Field};

/// A future that may cross threads, behind a pointer.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What a tool does to the world.
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

/// A type that an argument can have: `Deserialize` and `JsonSchema`.
///
/// `#[arg_type]` on an enum or struct of your own gives both.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can not be a tool's argument",
    label = "needs `Deserialize` and `JsonSchema`",
    note = "put `#[arg_type]` on `{Self}`, or derive `serde::Deserialize` and `schemars::JsonSchema` for it",
    note = "a parameter that the model must not fill takes `#[state]` or `#[context]`"
)]
pub trait ToolArg: DeserializeOwned + JsonSchema + Send {}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema + Send> ToolArg for T {}

/// A type that a tool can return: any `Serialize`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can not be a tool's result",
    label = "needs `Serialize`",
    note = "put `#[arg_type]` on `{Self}`, or derive `serde::Serialize` for it"
)]
pub trait ToolOutput: Serialize {}

#[diagnostic::do_not_recommend]
impl<T: Serialize> ToolOutput for T {}

/// An error that a tool can fail with.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can not be a tool's error",
    label = "is not an error",
    note = "use `ToolError` for what the model may read, `Failure` to use `?` on any error, \
            or implement `std::error::Error` for `{Self}`"
)]
pub trait ToolFailure: Into<BoxError> {}

#[diagnostic::do_not_recommend]
impl<E: Into<BoxError>> ToolFailure for E {}

/// Types that `minimum`, `maximum`, their exclusive forms and `multiple_of` fit.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not known to be a number",
    label = "`minimum`, `maximum`, `exclusive_minimum`, `exclusive_maximum` and `multiple_of` fit numbers",
    note = "a number type of your own says so with `impl toolkit::constraint::Number for YourType {{}}`"
)]
pub trait Number {}

/// Types that `min_length`, `max_length`, `pattern` and `format` fit.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not known to be text",
    label = "`min_length`, `max_length`, `pattern` and `format` fit text",
    note = "a text type of your own says so with `impl toolkit::constraint::Text for YourType {{}}`"
)]
pub trait Text {}

/// Types that `min_items`, `max_items` and `unique_items` fit.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not known to be a list",
    label = "`min_items`, `max_items` and `unique_items` fit lists",
    note = "a list type of your own says so with `impl toolkit::constraint::List for YourType {{}}`"
)]
pub trait List {}

macro_rules! known {
    ($marker:ident: $($ty:ty),* $(,)?) => { $(
        #[diagnostic::do_not_recommend]
        impl $marker for $ty {}
    )* };
}

known!(Number: u8, u16, u32, u64, usize, i8, i16, i32, i64, isize, f32, f64);
known!(Number: std::num::NonZeroU8, std::num::NonZeroU16, std::num::NonZeroU32, std::num::NonZeroU64);
known!(Number: std::num::NonZeroI8, std::num::NonZeroI16, std::num::NonZeroI32, std::num::NonZeroI64);
known!(Text: String, str, Box<str>, Arc<str>, std::borrow::Cow<'_, str>, std::path::PathBuf);

#[diagnostic::do_not_recommend]
impl<T> List for Vec<T> {}
#[diagnostic::do_not_recommend]
impl<T> List for [T] {}
#[diagnostic::do_not_recommend]
impl<T, const N: usize> List for [T; N] {}
#[diagnostic::do_not_recommend]
impl<T> List for std::collections::VecDeque<T> {}
#[diagnostic::do_not_recommend]
impl<T> List for std::collections::BTreeSet<T> {}
#[diagnostic::do_not_recommend]
impl<T, S> List for std::collections::HashSet<T, S> {}

macro_rules! through {
    ($($marker:ident),*) => { $(
        #[diagnostic::do_not_recommend]
        impl<T: $marker> $marker for Option<T> {}
        #[diagnostic::do_not_recommend]
        impl<T: $marker> $marker for Box<T> {}
        #[diagnostic::do_not_recommend]
        impl<T: $marker + ?Sized> $marker for &T {}
    )* };
}

through!(Number, Text, List);

/// What a borrowed parameter is decoded into: `str` into `String`, `[T]` into `Vec<T>`.
#[diagnostic::on_unimplemented(
    message = "`&{Self}` can not be a tool's argument",
    label = "can not be decoded and lent",
    note = "`&str`, `&[T]` and `&T` of a type with a size can; for others write the owned type"
)]
pub trait Borrowed {
    /// The type that owns it.
    type Owned: Send;

    /// Lends what was decoded.
    fn lend(owned: &Self::Owned) -> &Self;
}

impl Borrowed for str {
    type Owned = String;

    fn lend(owned: &String) -> &Self {
        owned
    }
}

impl<T: Send> Borrowed for [T] {
    type Owned = Vec<T>;

    fn lend(owned: &Vec<T>) -> &Self {
        owned
    }
}

impl Borrowed for std::path::Path {
    type Owned = std::path::PathBuf;

    fn lend(owned: &Self::Owned) -> &Self {
        owned
    }
}

impl<T: Send> Borrowed for T {
    type Owned = T;

    fn lend(owned: &T) -> &Self {
        owned
    }
}

/// One constraint of a parameter: a JSON Schema keyword and its value.
pub struct Keyword {
    pub(crate) name: &'static str,
    pub(crate) value: fn() -> Value,
}

impl Keyword {
    /// A keyword that fits any type: `default`, `examples`.
    #[must_use]
    pub const fn any(name: &'static str, value: fn() -> Value) -> Self {
        Self { name, value }
    }

    /// A keyword that fits numbers.
    #[must_use]
    pub const fn number<T: Number + ?Sized>(name: &'static str, value: fn() -> Value) -> Self {
        Self { name, value }
    }

    /// A keyword that fits text.
    #[must_use]
    pub const fn text<T: Text + ?Sized>(name: &'static str, value: fn() -> Value) -> Self {
        Self { name, value }
    }

    /// A keyword that fits lists.
    #[must_use]
    pub const fn list<T: List + ?Sized>(name: &'static str, value: fn() -> Value) -> Self {
        Self { name, value }
    }
}

/// One parameter that the model fills.
pub struct Param {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    pub(crate) keywords: &'static [Keyword],
    pub(crate) schema: fn(&mut SchemaGenerator) -> Schema,
    pub(crate) optional: fn() -> bool,
}

impl Param {
    /// Describes a parameter of a type; the schema and whether it may be left out come from it.
    #[must_use]
    pub const fn of<T: ToolArg>(
        name: &'static str,
        description: &'static str,
        keywords: &'static [Keyword],
    ) -> Self {
        Self {
            name,
            description,
            keywords,
            schema: SchemaGenerator::subschema_for::<T>,
            optional: || T::deserialize(Missing).is_ok(),
        }
    }
}

impl Param {
    fn has_default(&self) -> bool {
        self.keywords.iter().any(|keyword| keyword.name == "default")
    }

    /// What stands for the argument where it was left out.
    pub(crate) fn default_value(&self) -> Option<Value> {
        self.keyword("default")
    }

    /// The examples of the argument.
    pub(crate) fn examples(&self) -> Vec<Value> {
        match self.keyword("examples") {
            Some(Value::Array(examples)) => examples,
            _ => Vec::new(),
        }
    }

    fn keyword(&self, name: &str) -> Option<Value> {
        self.keywords.iter().find(|keyword| keyword.name == name).map(|keyword| (keyword.value)())
    }
}

/// A deserializer that knows only that the value is missing, as serde's own derive asks it.
struct Missing;

impl<'de> serde::Deserializer<'de> for Missing {
    type Error = serde::de::value::Error;

    fn deserialize_any<V: serde::de::Visitor<'de>>(self, _: V) -> Result<V::Value, Self::Error> {
        Err(serde::de::Error::custom("missing"))
    }

    fn deserialize_option<V: serde::de::Visitor<'de>>(
        self,
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        visitor.visit_none()
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// Where one argument goes: a local of the generated call function.
pub trait Slot: Send {
    /// Fills it from a checked value; the place inside the value where its type refuses it.
    ///
    /// # Errors
    /// The steps to the place that the type's own `Deserialize` refused.
    fn fill(&mut self, value: &Value) -> Result<(), Vec<Step>>;

    /// Fills it as the type says when nothing was given.
    fn leave_out(&mut self);
}

impl<T: ToolArg> Slot for Option<T> {
    fn fill(&mut self, value: &Value) -> Result<(), Vec<Step>> {
        let value = serde_path_to_error::deserialize(value).map_err(|error| steps(error.path()))?;
        *self = Some(value);
        Ok(())
    }

    fn leave_out(&mut self) {
        *self = T::deserialize(Missing).ok();
    }
}

/// The error's own text is a type's and may tell what it should not: only the place is kept.
fn steps(path: &serde_path_to_error::Path) -> Vec<Step> {
    use serde_path_to_error::Segment;
    path.iter()
        .filter_map(|segment| match segment {
            Segment::Seq { index } => Some(Step::Item(*index)),
            Segment::Map { key } => Some(Step::Field(key.clone())),
            Segment::Enum { .. } | Segment::Unknown => None,
        })
        .collect()
}

/// Hands a local over as a slot; the type is proven where the generated code names it.
pub fn slot<T: ToolArg>(place: &mut Option<T>) -> &mut dyn Slot {
    place
}

/// A state that a tool asks the registry for.
pub struct StateNeed {
    pub(crate) type_name: fn() -> &'static str,
    pub(crate) found: fn(&dyn States) -> bool,
}

impl StateNeed {
    /// The state that a parameter of this type takes.
    #[must_use]
    pub const fn of<'a, S: FromStates<'a>>() -> Self {
        Self {
            type_name: type_name::<S::State>,
            found: |states| shared::<S::State>(states).is_some(),
        }
    }
}

/// What the registry was given with `state`, by type.
pub trait States: Send + Sync {
    /// The state of that type, as an `Arc` of it.
    fn of_type(&self, id: TypeId) -> Option<&(dyn Any + Send + Sync)>;
}

/// A parameter that takes a state: `&T` or `Arc<T>`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can not take a state",
    label = "write `&T` or `Arc<T>`",
    note = "a state is shared between calls; `#[state]` goes on a parameter of type `&T` or `Arc<T>`"
)]
pub trait FromStates<'a>: Sized {
    /// The type whose value is shared.
    type State: Send + Sync + ?Sized + 'static;

    /// Takes it from the shared value.
    fn from_shared(shared: &'a Arc<Self::State>) -> Self;
}

impl<'a, T: Send + Sync + ?Sized + 'static> FromStates<'a> for &'a T {
    type State = T;

    fn from_shared(shared: &'a Arc<T>) -> Self {
        shared
    }
}

impl<T: Send + Sync + ?Sized + 'static> FromStates<'_> for Arc<T> {
    type State = T;

    fn from_shared(shared: &Self) -> Self {
        Self::clone(shared)
    }
}

/// A state given as `T`, or as an `Arc<T>` that the host shares.
fn shared<T: Send + Sync + ?Sized + 'static>(states: &dyn States) -> Option<&Arc<T>> {
    if let Some(state) = states.of_type(TypeId::of::<T>()) {
        return state.downcast_ref::<Arc<T>>();
    }
    let state = states.of_type(TypeId::of::<Arc<T>>())?;
    state.downcast_ref::<Arc<Arc<T>>>().map(|arc| &**arc)
}

/// Why a call stops before its function returned a value.
pub enum Stopped {
    /// A gate decided.
    Refused(Box<Outcome>),
    /// The function or a gate's expression failed.
    Failed(Failure),
    /// The function returned a value that can not be serialised.
    Untellable(BoxError),
}

/// What a business rule says against a call.
pub enum Refusal {
    /// The arguments break a rule.
    Problems(Vec<Problem>),
    /// The rule itself failed.
    Failed(Failure),
}

/// An error of a business rule: a `ToolError`, a `Problem` or several, or a `Failure`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can not be the error of a `check`",
    label = "a check gives `Result<(), E>`",
    note = "`E` is `ToolError`, `Problem`, `Vec<Problem>` or `Failure`"
)]
pub trait IntoRefusal {
    /// What the rule says.
    fn into_refusal(self) -> Refusal;
}

impl IntoRefusal for Problem {
    fn into_refusal(self) -> Refusal {
        Refusal::Problems(vec![self])
    }
}

impl IntoRefusal for Vec<Problem> {
    fn into_refusal(self) -> Refusal {
        Refusal::Problems(self)
    }
}

impl IntoRefusal for crate::error::ToolError {
    fn into_refusal(self) -> Refusal {
        Problem::rule_of_call(self.to_string()).into_refusal()
    }
}

impl IntoRefusal for Failure {
    fn into_refusal(self) -> Refusal {
        match self.0 {
            crate::error::Cause::Tool(error) => error.into_refusal(),
            cause => Refusal::Failed(Self(cause)),
        }
    }
}

/// One `check`, ready to run.
pub type Check<'a> = &'a (dyn Fn() -> BoxFuture<'a, Result<(), Refusal>> + Sync);

/// The expressions of the attribute, over the decoded arguments.
#[derive(Default)]
pub struct Rules<'a> {
    /// The business rules.
    pub checks: &'a [Check<'a>],
    /// Whether a person must agree to this call.
    pub approval: Option<&'a (dyn Fn() -> bool + Sync)>,
}

/// What stands between the decoded call and its function; the gates implement it.
pub trait Gates: Send + Sync {
    /// What the tool may know of the call.
    fn context(&self) -> &CallContext;
    /// What the registry was given with `state`.
    fn states(&self) -> &dyn States;
    /// Checks the arguments and fills the slots, in the order of the parameters.
    ///
    /// # Errors
    /// The report, as an outcome.
    fn arguments(&self, slots: &mut [&mut dyn Slot]) -> Result<(), Stopped>;
    /// Passes the gates between the arguments and the function; `None` when none has to be asked.
    fn pass<'a>(&'a self, rules: Rules<'a>) -> Option<BoxFuture<'a, Result<(), Stopped>>>;
    /// Notes that the function is entered now.
    fn enter(&self);
}

/// One call on its way through the gates, as the generated code sees it.
#[derive(Clone, Copy)]
pub struct Passage<'a>(pub(crate) &'a dyn Gates);

impl<'a> Passage<'a> {
    /// What the tool may know of the call.
    #[must_use]
    pub fn context(self) -> &'a CallContext {
        self.0.context()
    }

    /// The state that a parameter takes.
    ///
    /// # Errors
    /// None in a registry that was built: a missing state is found there.
    pub fn state<S: FromStates<'a>>(self) -> Result<S, Stopped> {
        shared::<S::State>(self.0.states()).map(S::from_shared).ok_or_else(|| {
            let missing = crate::error::ToolConfigError::new(format!(
                "no state of type `{}`",
                type_name::<S::State>()
            ));
            Stopped::Failed(Failure(crate::error::Cause::Config(missing)))
        })
    }

    /// Checks the arguments and fills the slots, in the order of the parameters.
    ///
    /// # Errors
    /// The report, as an outcome.
    pub fn arguments(self, slots: &mut [&mut dyn Slot]) -> Result<(), Stopped> {
        self.0.arguments(slots)
    }

    /// Passes the gates between the arguments and the function.
    ///
    /// # Errors
    /// What a gate decided.
    pub async fn pass(self, rules: Rules<'a>) -> Result<(), Stopped> {
        if let Some(gates) = self.0.pass(rules) {
            gates.await?;
        }
        self.0.enter();
        Ok(())
    }
}

/// Takes an argument out of its slot.
///
/// # Errors
/// None after [`Passage::arguments`], which fills every slot.
pub fn taken<T>(slot: Option<T>) -> Result<T, Stopped> {
    slot.ok_or_else(|| Stopped::Failed(Failure::sort("an argument was not filled".into())))
}

/// Turns what a function returned into the tool's output.
///
/// # Errors
/// The function's own error, or a value that can not be serialised.
pub fn returned<T: ToolOutput, E: ToolFailure>(result: Result<T, E>) -> Result<Output, Stopped> {
    match result {
        Ok(value) => output::of(&value).map_err(Stopped::Untellable),
        Err(error) => Err(Stopped::Failed(Failure::sort(error.into()))),
    }
}

/// Turns what a `check` gave into what the gate reads.
///
/// # Errors
/// What the rule says against the call.
pub fn checked<E: IntoRefusal>(result: Result<(), E>) -> Result<(), Refusal> {
    result.map_err(IntoRefusal::into_refusal)
}

/// The generated call function.
pub type CallFn = for<'a> fn(Passage<'a>) -> BoxFuture<'a, Result<Output, Stopped>>;

/// Everything that the attribute fills in.
pub struct Table {
    /// The name that the model asks for.
    pub name: &'static str,
    /// A name for people.
    pub title: Option<&'static str>,
    /// What the model chooses by.
    pub description: &'static str,
    /// File and line of the function.
    pub place: (&'static str, u32),
    /// Path of the module that the function is in.
    pub module: &'static str,
    /// What the tool does to the world; `None` where it does not say.
    pub effect: Option<Effect>,
    /// The scopes that the caller must hold.
    pub scopes: &'static [&'static str],
    /// Whether there is an approval rule.
    pub approval: bool,
    /// The parameters that the model fills, in the signature's order.
    pub params: &'static [Param],
    /// The states that the tool asks for.
    pub states: &'static [StateNeed],
    /// The schema of the result, where its type has one.
    pub output: fn() -> Option<Schema>,
    /// The generated call function.
    pub call: CallFn,
}

/// The tool that an annotated function is.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tool",
    label = "not a tool",
    note = "put `#[tool(description = \"…\")]` on the function"
)]
pub trait Annotated {
    /// What the attribute filled in.
    const TABLE: &'static Table;
}

type Handler =
    dyn Fn(Value, CallContext) -> BoxFuture<'static, Result<Output, Stopped>> + Send + Sync;
type ApprovalRule = dyn Fn(&Value) -> bool + Send + Sync;

/// A function that a model may ask for, with its definition and its gates.
pub struct Tool {
    pub(crate) name: String,
    pub(crate) title: Option<String>,
    pub(crate) description: String,
    pub(crate) place: Option<String>,
    pub(crate) effect: Option<Effect>,
    pub(crate) scopes: Vec<String>,
    pub(crate) asks: bool,
    pub(crate) input: Input,
    pub(crate) states: &'static [StateNeed],
    pub(crate) output: fn() -> Option<Schema>,
    body: Body,
}

/// Where a tool's input schema comes from.
pub(crate) enum Input {
    /// The signature of an annotated function.
    Params(&'static [Param]),
    /// The host, at run time.
    Given(Value),
}

enum Body {
    Function(CallFn),
    Handler { run: Arc<Handler>, approval: Option<Arc<ApprovalRule>> },
}

impl Tool {
    /// The tool that an annotated function is; `tools!` calls it.
    #[must_use]
    pub fn of<T: Annotated>() -> Self {
        let table = T::TABLE;
        let (file, line) = table.place;
        Self {
            name: table.name.to_owned(),
            title: table.title.map(str::to_owned),
            description: table.description.to_owned(),
            place: Some(format!("{} at {file}:{line}", table.module)),
            effect: table.effect,
            scopes: table.scopes.iter().map(|&scope| scope.to_owned()).collect(),
            asks: table.approval,
            input: Input::Params(table.params),
            states: table.states,
            output: table.output,
            body: Body::Function(table.call),
        }
    }

    /// Makes a tool that is known only at run time; it passes the same gates.
    ///
    /// `schema` is JSON Schema 2020-12 of an object. `handler` is given the
    /// checked arguments and the context of the call.
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
        let run: Arc<Handler> = Arc::new(move |arguments, context| {
            let result = handler(arguments, context);
            Box::pin(async move { returned(result.await) })
        });
        DynamicTool(Self {
            name: name.into(),
            title: None,
            description: description.into(),
            place: None,
            effect: None,
            scopes: Vec::new(),
            asks: false,
            input: Input::Given(schema),
            states: &[],
            output: || None,
            body: Body::Handler { run, approval: None },
        })
    }

    /// The name that the model asks for.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The input schema, with the formats that tell Rust's number types apart.
    pub(crate) fn input_schema(&self) -> Value {
        let params = match &self.input {
            Input::Given(schema) => return schema::given(schema.clone()),
            Input::Params(params) => params,
        };
        let settings = SchemaSettings::draft2020_12().with(|settings| settings.meta_schema = None);
        let mut generator = settings.into_generator();
        let fields = params
            .iter()
            .map(|param| Field {
                name: param.name,
                description: param.description,
                schema: (param.schema)(&mut generator).to_value(),
                keywords: param.keywords.iter().map(|k| (k.name, (k.value)())).collect(),
                required: !param.has_default() && !(param.optional)(),
            })
            .collect();
        schema::signature(fields, generator.take_definitions(true))
    }

    /// The schema of the result, where its type has one.
    pub(crate) fn output_schema(&self) -> Option<Value> {
        (self.output)().map(|schema| schema::result(schema.to_value()))
    }

    /// Runs a call from its arguments on.
    pub(crate) fn run<'a>(
        &'a self,
        passage: Passage<'a>,
    ) -> BoxFuture<'a, Result<Output, Stopped>> {
        match &self.body {
            Body::Function(call) => call(passage),
            Body::Handler { run, approval } => Box::pin(async move {
                let mut arguments = None::<Value>;
                passage.arguments(&mut [&mut arguments])?;
                let arguments = taken(arguments)?;
                let needed = || approval.as_deref().is_some_and(|rule| rule(&arguments));
                let approval: Option<&(dyn Fn() -> bool + Sync)> = Some(&needed);
                passage.pass(Rules { checks: &[], approval }).await?;
                run(arguments, passage.context().clone()).await
            }),
        }
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A tool that is known only at run time, with what else is to be said of it.
#[derive(Debug)]
pub struct DynamicTool(Tool);

impl DynamicTool {
    /// Gives it a name for people.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.0.title = Some(title.into());
        self
    }

    /// Says what it does to the world.
    #[must_use]
    pub const fn effect(mut self, effect: Effect) -> Self {
        self.0.effect = Some(effect);
        self
    }

    /// Names the scopes that the caller must hold.
    #[must_use]
    pub fn scopes<I>(mut self, scopes: I) -> Self
    where
        I: IntoIterator,
        I::Item: Into<String>,
    {
        self.0.scopes.extend(scopes.into_iter().map(Into::into));
        self
    }

    /// Says for which arguments a person must agree.
    #[must_use]
    pub fn approval(mut self, rule: impl Fn(&Value) -> bool + Send + Sync + 'static) -> Self {
        if let Body::Handler { approval, .. } = &mut self.0.body {
            *approval = Some(Arc::new(rule));
        }
        self.0.asks = true;
        self
    }
}

impl From<DynamicTool> for Tool {
    fn from(tool: DynamicTool) -> Self {
        tool.0
    }
}
