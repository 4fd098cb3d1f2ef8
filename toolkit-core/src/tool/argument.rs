//! One parameter that the model fills: its schema, its constraints and where its value goes.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::bait::{self, Bait};
use super::constraint::{List, Number, Text};
use super::survey::Asked;
use crate::arguments::{Guided, Parsed, Refused, Slot, Unread};
use crate::problem::Path;

/// A type that an argument can have: `Deserialize` and `JsonSchema`.
///
/// `#[arg_type]` on an enum or struct of your own gives both.
///
/// ```
/// use toolkit::ToolArg;
/// use toolkit::prelude::*;
///
/// #[arg_type]
/// struct Money {
///     amount: f64,
///     currency: String,
/// }
///
/// fn can_be_an_argument<T: ToolArg>() {}
///
/// can_be_an_argument::<Money>();
/// can_be_an_argument::<Option<Vec<Money>>>();
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` can not be a tool's argument",
    label = "needs `Deserialize` and `JsonSchema`",
    note = "put `#[arg_type]` on `{Self}`, or derive `serde::Deserialize` and `schemars::JsonSchema` for it",
    note = "a parameter that the model must not fill takes `#[state]` or `#[context]`"
)]
pub trait ToolArg: DeserializeOwned + JsonSchema + Send {}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema + Send> ToolArg for T {}

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

/// Lends what was decoded to a parameter that borrows it.
pub fn lend<B: Borrowed + ?Sized>(owned: &B::Owned) -> &B {
    B::lend(owned)
}

/// One constraint of a parameter: a JSON Schema keyword and its value.
#[derive(Debug)]
pub struct Keyword {
    pub(crate) name: &'static str,
    pub(crate) value: Constant,
}

/// A keyword that fits any type: `default`, `examples`.
#[must_use]
pub const fn any(name: &'static str, value: Constant) -> Keyword {
    Keyword { name, value }
}

/// A keyword that fits numbers.
#[must_use]
pub const fn number<T: Number + ?Sized>(name: &'static str, value: Constant) -> Keyword {
    Keyword { name, value }
}

/// A keyword that fits text.
#[must_use]
pub const fn text<T: Text + ?Sized>(name: &'static str, value: Constant) -> Keyword {
    Keyword { name, value }
}

/// A keyword that fits lists.
#[must_use]
pub const fn list<T: List + ?Sized>(name: &'static str, value: Constant) -> Keyword {
    Keyword { name, value }
}

/// What a keyword is given: data where it is written out, so that nothing is compiled for it.
#[derive(Debug, Clone, Copy)]
pub enum Constant {
    /// Text.
    Str(&'static str),
    /// A whole number.
    Int(i128),
    /// Any other number.
    Float(f64),
    /// `true` or `false`.
    Bool(bool),
    /// A list.
    Items(&'static [Self]),
    /// What only the compiler can tell.
    Json(fn() -> Value),
}

impl Constant {
    /// The value, as JSON; null where it is none.
    pub(crate) fn value(self) -> Value {
        match self {
            Self::Str(text) => Value::from(text),
            // One that is too big for JSON can not satisfy a schema either, and `build()` says so.
            Self::Int(number) => serde_json::to_value(number).unwrap_or_default(),
            Self::Float(number) => Value::from(number),
            Self::Bool(flag) => Value::from(flag),
            Self::Items(items) => items.iter().map(|item| item.value()).collect(),
            Self::Json(value) => value(),
        }
    }
}

/// One parameter that the model fills.
#[derive(Debug)]
pub struct Param {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    pub(crate) keywords: &'static [Keyword],
    pub(crate) schema: fn(&mut SchemaGenerator) -> Schema,
    pub(crate) optional: fn() -> bool,
    reads: fn(&Bait) -> bool,
    #[cfg(feature = "testing")]
    accepts: fn(&Value) -> bool,
}

/// Describes a parameter of a type; the schema and whether it may be left out come from it.
#[must_use]
pub const fn param<T: ToolArg>(name: &'static str) -> Param {
    Param {
        name,
        description: "",
        keywords: &[],
        schema: SchemaGenerator::subschema_for::<T>,
        optional: || T::deserialize(Missing).is_ok(),
        reads: bait::reads::<T>,
        #[cfg(feature = "testing")]
        accepts: |value| T::deserialize(value).is_ok(),
    }
}

impl Param {
    /// Says what it is.
    #[must_use]
    pub const fn says(mut self, description: &'static str) -> Self {
        self.description = description;
        self
    }

    /// Says what it takes.
    #[must_use]
    pub const fn takes(mut self, keywords: &'static [Keyword]) -> Self {
        self.keywords = keywords;
        self
    }

    /// What its type is asked beside its schema.
    pub(super) fn asked(&self) -> Asked {
        Asked { at: Path::root().field(self.name), reads: self.reads }
    }

    /// Whether its type takes a value, asked without a schema and without a decoder of ours.
    #[cfg(feature = "testing")]
    pub(crate) fn accepts(&self, value: &Value) -> bool {
        (self.accepts)(value)
    }

    /// Whether a call must give it.
    pub(crate) fn is_required(&self) -> bool {
        self.keyword("default").is_none() && !(self.optional)()
    }

    /// What stands for the argument where it was left out.
    #[cfg(feature = "testing")]
    pub(crate) fn default_value(&self) -> Option<Value> {
        self.keyword("default")
    }

    /// The keywords whose constants are no JSON, each with the parameter's name.
    pub(crate) fn unwritable(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let name = self.name;
        self.keywords
            .iter()
            .filter(|keyword| keyword.value.value().is_null())
            .map(move |keyword| (name, keyword.name))
    }

    fn keyword(&self, name: &str) -> Option<Value> {
        self.keywords
            .iter()
            .find(|keyword| keyword.name == name)
            .map(|keyword| keyword.value.value())
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

impl<T: ToolArg> Slot for Option<T> {
    fn read(&mut self, value: Guided<'_, Unread<'_, '_>>) -> Result<(), Refused> {
        *self = Some(T::deserialize(value)?);
        Ok(())
    }

    fn take(&mut self, value: Guided<'_, Parsed<'_>>) -> Result<(), Refused> {
        *self = Some(T::deserialize(value)?);
        Ok(())
    }

    fn leave_out(&mut self) {
        *self = T::deserialize(Missing).ok();
    }
}

/// Hands a local over as a slot; the type is proven where the generated code names it.
pub(super) fn slot<T: ToolArg>(place: &mut Option<T>) -> &mut dyn Slot {
    place
}
