//! The one-pass decoder: fills a type while the compiled schema is asked about every value.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::fmt;

use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde_json::Value;
use serde_path_to_error::{Segment, Track};

use super::inside::{Fields, Sequence};
use super::judge::{Judge, Place, Subject};
use super::name::Name;
use super::scalar::{Held, number_fits, text_fits};
use super::source::{Room, Source};
use crate::limits::Limits;
use crate::problem::Step;
use crate::schema::{Compiled, Decoding, Kind, Node, NodeId};

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

/// Where the innermost value is that was refused, as the source tells places apart.
#[derive(Debug, Clone)]
pub(crate) struct RefusedAt {
    pub(super) at: Option<usize>,
    /// The steps from there on, where a type refused a part of what was kept.
    pub(super) within: Vec<Step>,
}

/// A place, and the steps from there on.
type Within = Box<(usize, Vec<Step>)>;

/// What one pass over a call's arguments shares.
#[derive(Debug)]
pub(crate) struct Walk<'s> {
    pub(super) schema: &'s Compiled,
    pub(super) limits: &'s Limits,
    values: Cell<usize>,
    depth: Cell<usize>,
    /// The value that was asked for last was not read yet.
    is_unread: Cell<bool>,
    /// Something was refused or left unread, whatever came of it.
    has_stumbled: Cell<bool>,
    refused_at: Cell<Option<usize>>,
    /// How far inside the value at a place a type refused what was kept.
    refused_within: RefCell<Option<Within>>,
}

impl<'s> Walk<'s> {
    pub(super) const fn new(schema: &'s Compiled, limits: &'s Limits) -> Self {
        Self {
            schema,
            limits,
            values: Cell::new(0),
            depth: Cell::new(0),
            is_unread: Cell::new(false),
            has_stumbled: Cell::new(false),
            refused_at: Cell::new(None),
            refused_within: RefCell::new(None),
        }
    }

    /// Counts a value that is about to be read.
    #[inline]
    pub(super) fn count(&self) -> Result<(), Refused> {
        let values = self.values.get() + 1;
        self.values.set(values);
        if values > self.limits.values { Err(Refused) } else { Ok(()) }
    }

    /// Goes into an object or array; how deep it stands.
    #[inline]
    pub(super) fn enter(&self) -> Result<usize, Refused> {
        let depth = self.depth.get();
        if depth >= self.limits.depth {
            return Err(Refused);
        }
        self.depth.set(depth + 1);
        Ok(depth)
    }

    /// Says that a value is about to be asked for.
    #[inline]
    pub(super) fn begin(&self) {
        self.is_unread.set(true);
    }

    /// Says that a value was read, all of it.
    #[inline]
    fn done(&self) {
        self.is_unread.set(false);
    }

    /// Says that what asked for a value is done; it may have taken it without a look.
    #[inline]
    pub(super) fn end<'de, S: Source<'de>>(&self, _: S) {
        if S::STAYS {
            // What was refused before was taken lightly.
            self.refused_at.set(None);
        }
        if self.is_unread.get() {
            self.is_unread.set(false);
            self.stumble();
        }
    }

    /// Refuses. A type may take that lightly, so that its value is no longer sure.
    #[cold]
    pub(super) fn stumble(&self) -> Refused {
        self.has_stumbled.set(true);
        Refused
    }

    pub(super) const fn has_stumbled(&self) -> bool {
        self.has_stumbled.get()
    }

    /// The innermost value that was refused is where the report points.
    #[cold]
    pub(super) fn note<'de, S: Source<'de>>(&self, _: S, place: usize) -> Refused {
        // Those around it begin earlier in a text; what begins later is refused anew.
        let is_around = |noted| S::STAYS || place <= noted;
        if !self.refused_at.get().is_some_and(is_around) {
            self.refused_at.set(Some(place));
        }
        self.stumble()
    }

    fn note_within(&self, place: usize, steps: Vec<Step>) -> Refused {
        self.refused_within.replace(Some(Box::new((place, steps))));
        Refused
    }

    #[cold]
    pub(super) fn refused_at(&self) -> RefusedAt {
        let at = self.refused_at.get();
        let within = self.refused_within.take().filter(|within| Some(within.0) == at);
        RefusedAt { at, within: within.map(|within| within.1).unwrap_or_default() }
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
        match node.stream.decoding {
            Decoding::Streamed | Decoding::Kept(_) => {
                Self { walk, node, may_be_null: false, source }
            }
            Decoding::By(id) => {
                Self { walk, node: walk.schema.node(id), may_be_null: false, source }
            }
            Decoding::NullOr(id) => {
                Self { walk, node: walk.schema.node(id), may_be_null: true, source }
            }
        }
    }
}

/// The normal form of a value that was judged as a whole.
pub(super) struct Kept<'s> {
    walk: &'s Walk<'s>,
    place: usize,
    pub(super) value: Value,
}

impl Kept<'_> {
    /// Fills a type, and notes how far inside it refuses what the schema accepted.
    fn fill<T>(
        self,
        ask: impl FnOnce(serde_path_to_error::Deserializer<'_, '_, Value>) -> serde_json::Result<T>,
    ) -> Result<T, Refused> {
        let mut track = Track::new();
        let asked = ask(serde_path_to_error::Deserializer::new(self.value, &mut track));
        let Ok(filled) = asked else {
            let steps = track.path().iter().filter_map(step).collect();
            return Err(self.walk.note_within(self.place, steps));
        };
        Ok(filled)
    }

    /// Notes how far inside it a type refuses what the schema accepted.
    #[cold]
    pub(super) fn note(&self, steps: Vec<Step>) -> Refused {
        self.walk.note_within(self.place, steps);
        self.walk.refused_at.set(Some(self.place));
        Refused
    }
}

fn step(segment: &Segment) -> Option<Step> {
    match segment {
        Segment::Seq { index } => Some(Step::Item(*index)),
        Segment::Map { key: name } | Segment::Enum { variant: name } => {
            Some(Step::Field(name.clone()))
        }
        Segment::Unknown => None,
    }
}

#[expect(private_bounds, reason = "only this crate has sources, and calls what stands here")]
impl<'de, 's, S: Source<'de>> Guided<'s, S> {
    /// What the value is, if the schema takes that here; a value that is kept is not asked yet.
    #[inline]
    fn kind(&self) -> Result<Kind, Refused> {
        let kind = self.source.kind()?;
        let is_taken = self.node.stream.takes(kind) || (self.may_be_null && kind == Kind::Null);
        if is_taken { Ok(kind) } else { Err(Refused) }
    }

    /// Where the value must be judged as a whole: its normal form.
    #[inline]
    fn kept(&self) -> Result<Option<Kept<'s>>, Refused> {
        let Decoding::Kept(id) = self.node.stream.decoding else { return Ok(None) };
        if self.may_be_null && self.source.kind()? == Kind::Null {
            return Ok(None);
        }
        self.judged(id).map(Some)
    }

    #[cold]
    pub(super) fn judged(&self, id: NodeId) -> Result<Kept<'s>, Refused> {
        let Walk { schema, limits, values, depth, .. } = self.walk;
        let room = Room { limits, values: values.get() - 1, depth: depth.get() };
        let place = self.source.place();
        let kept = self.source.kept(room, |(json, problems)| {
            let mut judge = Judge::building(schema, limits);
            let value = judge.value(id, &Subject::whole(&json), &Place::Root);
            (judge.problems.is_empty() && problems.is_empty()).then_some(value)
        });
        let Ok((value, counted)) = kept else { return Err(self.walk.stumble()) };
        values.set(counted);
        self.walk.done();
        Ok(Kept { walk: self.walk, place, value })
    }

    /// Whether the value is of a kind that is decoded while it is read.
    #[inline]
    fn is_streamed(&self, kind: Kind) -> bool {
        self.node.stream.streams(kind) && self.source.is(kind)
    }

    #[inline]
    fn text(&self) -> Result<Cow<'de, str>, Refused> {
        match self.source.text() {
            Ok(text) if text_fits(self.node, &text) => {
                self.walk.done();
                Ok(text)
            }
            Ok(_) | Err(Refused) => Err(self.walk.stumble()),
        }
    }

    #[inline]
    fn number(&self) -> Result<Held, Refused> {
        let place = self.source.place();
        let number = self.source.number()?;
        let Ok(held) = number_fits(self.node, number, || self.source.digits(place)) else {
            return Err(self.walk.stumble());
        };
        self.walk.done();
        Ok(held)
    }

    #[inline]
    fn null(&self) -> Result<(), Refused> {
        self.source.null()?;
        self.walk.done();
        Ok(())
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
        self.inside(|Self { walk, node, source, .. }| {
            let mut items = Sequence::<S>::new(walk, node, source.items());
            let value = visitor.visit_seq(&mut items)?;
            items.finish().map(|()| value)
        })
    }

    #[inline]
    fn object<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        self.inside(|Self { walk, node, source, .. }| {
            let mut fields = Fields::<S>::new(walk, node, source.members());
            let value = visitor.visit_map(&mut fields)?;
            fields.finish().map(|()| value)
        })
    }

    /// Reads an object or array, and goes out of it.
    #[inline]
    fn inside<T>(self, read: impl FnOnce(Self) -> Result<T, Refused>) -> Result<T, Refused> {
        let depth = self.walk.enter()?;
        let read = read(self);
        self.walk.depth.set(depth);
        if read.is_err() {
            return Err(self.walk.stumble());
        }
        self.walk.done();
        read
    }

    /// A value that is none of those that the type asks for first.
    #[inline(never)]
    fn other<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        if let Some(kept) = self.kept()? {
            return kept.fill(|value| value.deserialize_any(visitor));
        }
        match self.kind()? {
            Kind::Text => self.textual(visitor),
            Kind::Number => self.numeric(visitor),
            Kind::Bool => {
                let value = self.source.bool()?;
                self.walk.done();
                visitor.visit_bool(value)
            }
            Kind::Null => {
                self.null()?;
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
            Some(kept) => kept.fill(|value| value.$method($($argument),*)),
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
                self.null()?;
                return visitor.visit_none();
            }
        } else if let Some(kept) = self.kept()? {
            return kept.fill(|value| value.deserialize_option(visitor));
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
        let kept = if let Some(kept) = self.kept()? {
            kept
        } else {
            let (walk, place) = (self.walk, self.source.place());
            Kept { walk, place, value: Value::deserialize(self)? }
        };
        kept.fill(|value| value.deserialize_enum(name, variants, visitor))
    }
}
