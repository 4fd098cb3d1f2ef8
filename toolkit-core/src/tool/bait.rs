//! Values that are given to a type to learn what its schema does not say.
//!
//! serde's derive reads a field by its index as well as by its name, unless it gathers what is
//! left over for a `flatten`; and a type that refuses a text says what it wanted instead. An
//! untagged enum throws such errors away, so they are noted where they are made.

use std::cell::RefCell;
use std::fmt;
use std::panic::catch_unwind;

use serde::de::value::{MapDeserializer, SeqDeserializer, StrDeserializer, U32Deserializer};
use serde::de::{
    self, DeserializeSeed, Deserializer, EnumAccess, Expected, IntoDeserializer, Unexpected,
    VariantAccess, Visitor,
};
use serde_json::Value;

/// A value, or what no JSON text can be.
#[derive(Debug, Clone)]
pub(super) enum Bait {
    /// What next to no type takes.
    Mark(Mark),
    Null,
    Bool(bool),
    Unsigned(u64),
    Signed(i64),
    Float(f64),
    Text(String),
    List(Vec<Self>),
    Object(Vec<(Key, Self)>),
}

/// Two values: no type takes both.
#[derive(Debug, Clone, Copy)]
pub(super) enum Mark {
    Bytes,
    Number,
}

/// The name of a field, or its index.
#[derive(Debug, Clone)]
pub(super) enum Key {
    Name(String),
    Index(u32),
}

const BYTES: &[u8] = &[0xff, 0xfe, 0xff];
const NUMBER: i64 = i64::MIN + 1;

/// A name that no field and no variant has.
pub(super) const STRANGE: &str = "\u{1}?";

/// What a type did with the bait.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// It took the whole value.
    pub(super) accepted: bool,
    /// How often the mark was refused: by a field each time.
    pub(super) marks: usize,
    /// An index was refused: the type reads names only.
    pub(super) only_names: bool,
    /// It went on beyond the index, and missed a field.
    pub(super) went_on: bool,
    /// What it wanted in the place of the strange name.
    pub(super) wanted: Option<String>,
    /// The names that it wanted in the place of the strange one.
    pub(super) names: Option<&'static [&'static str]>,
}

thread_local! {
    static SEEN: RefCell<Seen> = RefCell::default();
}

/// What a type does with a value; `reads` deserializes it.
pub(super) fn give(reads: fn(&Bait) -> bool, bait: &Bait) -> Seen {
    SEEN.take();
    // A type of the user's may not be made for what no text holds.
    let accepted = catch_unwind(|| reads(bait)).unwrap_or_default();
    Seen { accepted, ..SEEN.take() }
}

fn note(note: impl FnOnce(&mut Seen)) {
    SEEN.with_borrow_mut(note);
}

/// Whether the type takes the bait.
pub(super) fn reads<T: de::DeserializeOwned>(bait: &Bait) -> bool {
    T::deserialize(bait).is_ok()
}

impl From<&Value> for Bait {
    fn from(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(*value),
            Value::Number(number) => match (number.as_u64(), number.as_i64()) {
                (Some(unsigned), _) => Self::Unsigned(unsigned),
                (None, Some(signed)) => Self::Signed(signed),
                (None, None) => Self::Float(number.as_f64().unwrap_or_default()),
            },
            Value::String(text) => Self::Text(text.clone()),
            Value::Array(items) => Self::List(items.iter().map(Self::from).collect()),
            Value::Object(members) => Self::Object(
                members.iter().map(|(name, v)| (Key::Name(name.clone()), v.into())).collect(),
            ),
        }
    }
}

/// That the bait was not taken; why is noted.
#[derive(Debug)]
pub(super) struct Untaken;

impl fmt::Display for Untaken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("refused")
    }
}

impl std::error::Error for Untaken {}

impl de::Error for Untaken {
    fn custom<T: fmt::Display>(msg: T) -> Self {
        let message = msg.to_string();
        let went_on = message.ends_with("found in flattened data")
            || message.starts_with("can only flatten")
            || message == "unexpected map key";
        note(|seen| seen.went_on |= went_on);
        Self
    }

    fn invalid_type(unexp: Unexpected<'_>, exp: &dyn Expected) -> Self {
        note(|seen| match unexp {
            Unexpected::Bytes(BYTES) | Unexpected::Signed(NUMBER) => seen.marks += 1,
            Unexpected::Unsigned(_) => seen.only_names = true,
            Unexpected::Str(STRANGE) => seen.wanted = Some(exp.to_string()),
            _ => {}
        });
        Self
    }

    fn invalid_value(unexp: Unexpected<'_>, exp: &dyn Expected) -> Self {
        match unexp {
            // There are fewer fields.
            Unexpected::Unsigned(_) => Self,
            _ => Self::invalid_type(unexp, exp),
        }
    }

    fn missing_field(_field: &'static str) -> Self {
        note(|seen| seen.went_on = true);
        Self
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        if variant == STRANGE {
            note(|seen| seen.names = Some(expected));
        }
        Self
    }
}

impl<'de> IntoDeserializer<'de, Untaken> for &'de Bait {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for &'de Bait {
    type Error = Untaken;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Untaken> {
        match self {
            Bait::Mark(Mark::Bytes) => visitor.visit_bytes(BYTES),
            Bait::Mark(Mark::Number) => visitor.visit_i64(NUMBER),
            Bait::Null => visitor.visit_unit(),
            Bait::Bool(value) => visitor.visit_bool(*value),
            Bait::Unsigned(value) => visitor.visit_u64(*value),
            Bait::Signed(value) => visitor.visit_i64(*value),
            Bait::Float(value) => visitor.visit_f64(*value),
            Bait::Text(text) => visitor.visit_str(text),
            Bait::List(items) => visitor.visit_seq(SeqDeserializer::new(items.iter())),
            Bait::Object(members) => {
                visitor.visit_map(MapDeserializer::new(members.iter().map(|(key, v)| (key, v))))
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Untaken> {
        match self {
            Bait::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Untaken> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Untaken> {
        match self {
            Bait::Text(name) => visitor.visit_enum(StrDeserializer::new(name)),
            Bait::Object(members) => match members.as_slice() {
                [(key, content)] => visitor.visit_enum(Variant { key, content }),
                _ => Err(Untaken),
            },
            _ => self.deserialize_any(visitor),
        }
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

impl<'de> IntoDeserializer<'de, Untaken> for &'de Key {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl Key {
    /// What its text is, where a type asks for no text.
    fn parsed<T: std::str::FromStr>(&self) -> Option<T> {
        match self {
            Self::Name(name) => name.parse().ok(),
            Self::Index(_) => None,
        }
    }
}

/// Integers are read out of a key's text.
macro_rules! integers {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Untaken> {
            match self.parsed() {
                Some(integer) => visitor.visit_i64(integer),
                None => self.deserialize_any(visitor),
            }
        }
    )*};
}

impl<'de> Deserializer<'de> for &'de Key {
    type Error = Untaken;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Untaken> {
        match self {
            Key::Name(name) => visitor.visit_str(name),
            Key::Index(index) => visitor.visit_u64(u64::from(*index)),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Untaken> {
        match self.parsed() {
            Some(value) => visitor.visit_bool(value),
            None => self.deserialize_any(visitor),
        }
    }

    integers! {
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Untaken> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Untaken> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Untaken> {
        match self {
            Key::Name(name) => visitor.visit_enum(StrDeserializer::new(name)),
            Key::Index(index) => visitor.visit_enum(U32Deserializer::new(*index)),
        }
    }

    serde::forward_to_deserialize_any! {
        f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// A variant of an enum that is told apart by its names, and what it holds.
struct Variant<'de> {
    key: &'de Key,
    content: &'de Bait,
}

impl<'de> EnumAccess<'de> for Variant<'de> {
    type Error = Untaken;
    type Variant = &'de Bait;

    fn variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<(S::Value, Self::Variant), Untaken> {
        Ok((seed.deserialize(self.key)?, self.content))
    }
}

impl<'de> VariantAccess<'de> for &'de Bait {
    type Error = Untaken;

    fn unit_variant(self) -> Result<(), Untaken> {
        Err(Untaken)
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Untaken> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Untaken> {
        self.deserialize_any(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Untaken> {
        self.deserialize_any(visitor)
    }
}
