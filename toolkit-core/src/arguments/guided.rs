//! The one-pass decoder: fills a type while the compiled schema is asked about every value.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;

use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde_json::Value;

use super::inside::{Fields, Sequence};
use super::judge::{Judge, Place, Subject};
use super::name::Name;
use super::scalar::{Held, number_fits, text_fits};
use super::source::{Room, Source};
use crate::limits::Limits;
use crate::schema::{Compiled, Kind, Node, NodeId, Way};

/// The decoder refuses; only the report knows why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refused;

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not accepted")
    }
}

impl std::error::Error for Refused {}

impl From<serde_json::Error> for Refused {
    // Like every error's, its text is not kept.
    fn from(_: serde_json::Error) -> Self {
        Self
    }
}

impl de::Error for Refused {
    // A type's own text may tell what it should not, and is never even written.
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }

    fn invalid_type(_: de::Unexpected<'_>, _: &dyn de::Expected) -> Self {
        Self
    }

    fn invalid_value(_: de::Unexpected<'_>, _: &dyn de::Expected) -> Self {
        Self
    }

    fn invalid_length(_: usize, _: &dyn de::Expected) -> Self {
        Self
    }

    fn unknown_variant(_: &str, _: &'static [&'static str]) -> Self {
        Self
    }

    fn unknown_field(_: &str, _: &'static [&'static str]) -> Self {
        Self
    }

    fn missing_field(_: &'static str) -> Self {
        Self
    }

    fn duplicate_field(_: &'static str) -> Self {
        Self
    }
}

/// What one pass over a call's arguments shares.
#[derive(Debug)]
pub(crate) struct Walk<'s> {
    pub(super) schema: &'s Compiled,
    pub(super) limits: &'s Limits,
    values: Cell<usize>,
    depth: Cell<usize>,
    refused_at: Cell<Option<usize>>,
}

impl<'s> Walk<'s> {
    pub(super) const fn new(schema: &'s Compiled, limits: &'s Limits) -> Self {
        Self {
            schema,
            limits,
            values: Cell::new(0),
            depth: Cell::new(0),
            refused_at: Cell::new(None),
        }
    }

    /// Counts a value that is about to be read.
    #[inline]
    pub(super) fn count(&self) -> Result<(), Refused> {
        let values = self.values.get() + 1;
        self.values.set(values);
        if values > self.limits.values { Err(Refused) } else { Ok(()) }
    }

    /// Goes into an object or array.
    #[inline]
    pub(super) fn enter(&self) -> Result<(), Refused> {
        let depth = self.depth.get();
        if depth >= self.limits.depth {
            return Err(Refused);
        }
        self.depth.set(depth + 1);
        Ok(())
    }

    #[inline]
    pub(super) fn leave(&self) {
        self.depth.set(self.depth.get().saturating_sub(1));
    }

    /// The innermost value that was refused is where the report points.
    #[cold]
    pub(super) fn note(&self, place: usize) -> Refused {
        if self.refused_at.get().is_none() {
            self.refused_at.set(Some(place));
        }
        Refused
    }

    pub(super) const fn refused_at(&self) -> Option<usize> {
        self.refused_at.get()
    }
}

/// A value that is about to be read, and the schema that it is checked by.
#[derive(Debug, Clone, Copy)]
pub struct Guided<'s, S> {
    walk: &'s Walk<'s>,
    node: &'s Node,
    may_be_null: bool,
    source: S,
}

impl<'s, S> Guided<'s, S> {
    #[inline]
    pub(super) fn new(walk: &'s Walk<'s>, node: &'s Node, source: S) -> Self {
        match node.stream.way {
            Way::Streamed | Way::Kept(_) => Self { walk, node, may_be_null: false, source },
            Way::By(id) => Self { walk, node: walk.schema.node(id), may_be_null: false, source },
            Way::NullOr(id) => Self { walk, node: walk.schema.node(id), may_be_null: true, source },
        }
    }
}

#[expect(private_bounds, reason = "only this crate has sources, and calls what stands here")]
impl<'de, S: Source<'de>> Guided<'_, S> {
    /// What the value is, if the schema takes that here; a value that is kept is not asked yet.
    #[inline]
    fn kind(&self) -> Result<Kind, Refused> {
        let kind = self.source.kind()?;
        let is_taken = self.node.stream.takes(kind) || (self.may_be_null && kind == Kind::Null);
        if is_taken { Ok(kind) } else { Err(Refused) }
    }

    /// Where the value must be judged as a whole: its normal form.
    #[inline]
    fn kept(&self) -> Result<Option<Value>, Refused> {
        let Way::Kept(id) = self.node.stream.way else { return Ok(None) };
        if self.may_be_null && self.source.kind()? == Kind::Null {
            return Ok(None);
        }
        self.judged(id).map(Some)
    }

    #[cold]
    fn judged(&self, id: NodeId) -> Result<Value, Refused> {
        let Walk { schema, limits, values, depth, .. } = self.walk;
        let room = Room { limits, values: values.get() - 1, depth: depth.get() };
        let (value, counted) = self.source.kept(room, |(json, problems)| {
            let mut judge = Judge::building(schema, limits);
            let value = judge.value(id, &Subject::whole(&json), &Place::Root);
            (judge.problems.is_empty() && problems.is_empty()).then_some(value)
        })?;
        values.set(counted);
        Ok(value)
    }

    /// Whether the value is of a kind that is decoded while it is read.
    #[inline]
    fn is_streamed(&self, kind: Kind) -> bool {
        self.node.stream.streams(kind) && self.source.is(kind)
    }

    #[inline]
    fn text(&self) -> Result<Cow<'de, str>, Refused> {
        let text = self.source.text()?;
        if text_fits(self.node, &text) { Ok(text) } else { Err(Refused) }
    }

    #[inline]
    fn number(&self) -> Result<Held, Refused> {
        let place = self.source.place();
        let number = self.source.number()?;
        number_fits(self.node, number, || self.source.digits(place))
    }

    #[inline]
    fn textual<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        match self.text()? {
            Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
            Cow::Owned(text) => visitor.visit_string(text),
        }
    }

    #[inline]
    fn numeric<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        match self.number()? {
            Held::Signed(number) => visitor.visit_i64(number),
            Held::Unsigned(number) => visitor.visit_u64(number),
            Held::Double(number) => visitor.visit_f64(number),
        }
    }

    #[inline]
    fn sequence<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        self.walk.enter()?;
        let mut items = Sequence::<S>::new(self.walk, self.node, self.source.items());
        let value = visitor.visit_seq(&mut items)?;
        items.finish()?;
        self.walk.leave();
        Ok(value)
    }

    #[inline]
    fn object<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        self.walk.enter()?;
        let mut fields = Fields::<S>::new(self.walk, self.node, self.source.members());
        let value = visitor.visit_map(&mut fields)?;
        fields.finish()?;
        self.walk.leave();
        Ok(value)
    }

    /// A value that is none of those that the type asks for first.
    #[inline(never)]
    fn other<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        if let Some(value) = self.kept()? {
            return value.deserialize_any(visitor).map_err(Refused::from);
        }
        match self.kind()? {
            Kind::Text => self.textual(visitor),
            Kind::Number => self.numeric(visitor),
            Kind::Bool => visitor.visit_bool(self.source.bool()?),
            Kind::Null => {
                self.source.null()?;
                visitor.visit_unit()
            }
            Kind::Array | Kind::Object => Err(Refused),
        }
    }
}

/// Asks a value that must be judged as a whole first, and goes on with its normal form.
macro_rules! kept_or {
    ($self:ident . $method:ident ( $($argument:expr),* ) else $streamed:expr) => {
        match $self.kept()? {
            Some(value) => value.$method($($argument),*).map_err(Refused::from),
            None => $streamed,
        }
    };
}

/// The methods of scalar types, each with the kind that it is quickest with.
macro_rules! scalars {
    ($kind:ident by $quick:ident: $($method:ident)*) => { $(
        #[inline]
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
            if self.is_streamed(Kind::$kind) { self.$quick(visitor) } else { self.other(visitor) }
        }
    )* };
}

impl<'de, S: Source<'de>> Deserializer<'de> for Guided<'_, S> {
    type Error = Refused;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        if self.is_streamed(Kind::Array) {
            self.sequence(visitor)
        } else if self.is_streamed(Kind::Object) {
            self.object(visitor)
        } else {
            self.other(visitor)
        }
    }

    scalars! { Text by textual:
        deserialize_char deserialize_str deserialize_string deserialize_identifier
    }

    scalars! { Number by numeric:
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
        deserialize_f32 deserialize_f64
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        self.other(visitor)
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        self.other(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        self.deserialize_any(visitor)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        self.deserialize_any(visitor)
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        self.deserialize_any(visitor)
    }

    #[inline]
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        if self.may_be_null || self.is_streamed(Kind::Null) {
            if self.source.is(Kind::Null) {
                self.source.null()?;
                return visitor.visit_none();
            }
        } else if let Some(value) = self.kept()? {
            return value.deserialize_option(visitor).map_err(Refused::from);
        }
        visitor.visit_some(self)
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Refused> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Refused> {
        // `RawValue` asks by a name that only serde_json knows.
        if name.starts_with("$serde_json") {
            let value = Value::deserialize(self)?;
            return value.deserialize_newtype_struct(name, visitor).map_err(Refused::from);
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        if self.is_streamed(Kind::Array) {
            return self.sequence(visitor);
        }
        kept_or!(self.deserialize_seq(visitor) else Err(Refused))
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, Refused> {
        if self.is_streamed(Kind::Array) {
            return self.sequence(visitor);
        }
        kept_or!(self.deserialize_tuple(len, visitor) else Err(Refused))
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, Refused> {
        self.deserialize_tuple(len, visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        if self.is_streamed(Kind::Object) {
            return self.object(visitor);
        }
        kept_or!(self.deserialize_map(visitor) else Err(Refused))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refused> {
        if self.is_streamed(Kind::Object) {
            return self.object(visitor);
        }
        kept_or!(self.deserialize_struct(name, fields, visitor) else Err(Refused))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refused> {
        if self.is_streamed(Kind::Text) {
            return visitor.visit_enum(Name(self.text()?));
        }
        let value = match self.kept()? {
            Some(value) => value,
            None => Value::deserialize(self)?,
        };
        value.deserialize_enum(name, variants, visitor).map_err(Refused::from)
    }
}
