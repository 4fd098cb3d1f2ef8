//! The name of a field or variant, as what a type wants it to be.

use std::borrow::Cow;

use serde::de::{DeserializeSeed, Deserializer, EnumAccess, VariantAccess, Visitor};

use serde_json::Number;

use super::cursor::Cursor;
use super::guided::Refused;
use crate::schema::Kind;

/// Asks a name that the schema lists as one that was given.
macro_rules! as_given {
    ($($method:ident)*) => { $(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
            Name(Cow::Owned(self.0.to_owned())).$method(visitor)
        }
    )* };
}

/// A name that the schema lists.
#[derive(Debug)]
pub(super) struct KnownName<'s>(pub(super) &'s str);

impl<'de> Deserializer<'de> for KnownName<'_> {
    type Error = Refused;

    #[inline]
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        visitor.visit_str(self.0)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refused> {
        Name(Cow::Owned(self.0.to_owned())).deserialize_enum(name, variants, visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Refused> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        visitor.visit_some(self)
    }

    as_given! {
        deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_i128 deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64
        deserialize_u128 deserialize_f32 deserialize_f64
    }

    serde::forward_to_deserialize_any! {
        char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct
        identifier ignored_any
    }
}

/// A name as it was given, which is text wherever the type takes text.
#[derive(Debug)]
pub(super) struct Name<'de>(pub(super) Cow<'de, str>);

impl Name<'_> {
    /// The number that a name is, written as JSON writes numbers.
    fn number(&self) -> Result<Number, Refused> {
        let cursor = Cursor::new(&self.0);
        if cursor.kind() != Ok(Kind::Number) || cursor.at() > 0 {
            return Err(Refused);
        }
        cursor.number()?;
        if cursor.at() != self.0.len() {
            return Err(Refused);
        }
        self.0.parse().map_err(Refused::from)
    }
}

macro_rules! numbers {
    ($($method:ident)*) => { $(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
            self.number()?.$method(visitor).map_err(Refused::from)
        }
    )* };
}

impl<'de> Deserializer<'de> for Name<'de> {
    type Error = Refused;

    #[inline]
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        match self.0 {
            Cow::Borrowed(name) => visitor.visit_borrowed_str(name),
            Cow::Owned(name) => visitor.visit_string(name),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        match &*self.0 {
            "true" => visitor.visit_bool(true),
            "false" => visitor.visit_bool(false),
            _ => Err(Refused),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Refused> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refused> {
        visitor.visit_enum(self)
    }

    numbers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
        deserialize_f32 deserialize_f64
    }

    serde::forward_to_deserialize_any! {
        char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct
        identifier ignored_any
    }
}

impl<'de> EnumAccess<'de> for Name<'de> {
    type Error = Refused;
    type Variant = NoContent;

    #[inline]
    fn variant_seed<V: DeserializeSeed<'de>>(
        self,
        seed: V,
    ) -> Result<(V::Value, NoContent), Refused> {
        seed.deserialize(self).map(|variant| (variant, NoContent))
    }
}

/// What stands behind a variant that is its name alone.
#[derive(Debug)]
pub(super) struct NoContent;

impl<'de> VariantAccess<'de> for NoContent {
    type Error = Refused;

    fn unit_variant(self) -> Result<(), Refused> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, _: T) -> Result<T::Value, Refused> {
        Err(Refused)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, Refused> {
        Err(Refused)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Refused> {
        Err(Refused)
    }
}
