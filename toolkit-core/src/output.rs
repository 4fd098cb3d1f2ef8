//! What a function returned, as the text that the model reads.

use std::fmt;
use std::marker::PhantomData;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde::ser::{self, Serializer};

use crate::call::Outcome;
use crate::content::{self, Blocks, Content};
use crate::error::BoxError;
use crate::results::{Concise, Formatted};
use crate::secret::HIDDEN;
use crate::serialised::{self, Serialised};

/// What a function returned: text as it is, nothing as `ok`, anything else as JSON.
pub struct Output {
    pub(crate) text: String,
    /// The text is JSON, not text of the function's own.
    pub(crate) is_json: bool,
    /// There is a secret in it.
    pub(crate) is_secret: bool,
    /// Its blocks, where a text does not say it all.
    pub(crate) content: Option<Box<[Content]>>,
}

impl Output {
    /// What a model reads of it.
    #[inline]
    pub(crate) fn told(self) -> Outcome {
        let Self { text, is_json, is_secret, content } = self;
        let outcome = Outcome::ok(text, is_json).secret(is_secret);
        match content {
            None => outcome,
            Some(content) => outcome.with_content(content.into_vec()),
        }
    }
}

impl fmt::Debug for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = if self.is_secret { HIDDEN } else { &self.text };
        f.debug_struct("Output")
            .field("text", &text)
            .field("is_json", &self.is_json)
            .field("content", &self.content)
            .finish()
    }
}

/// Serialises a result.
///
/// # Errors
/// What can not be JSON: keys that are no text, numbers that are not finite, text that is not
/// Unicode, what is nested too deep.
pub(crate) fn of<T: Serialize>(value: &T) -> Result<Output, BoxError> {
    let Serialised { written, is_secret, with_blocks } =
        serialised::result(|| serde_json::to_string(&FiniteValue(value, 0)));
    let json = written?;
    if let Some(depth) = with_blocks {
        return Ok(of_blocks(json, is_secret, content::taken(depth)));
    }
    if json.starts_with('"') {
        let text: String = serde_json::from_str(&json)?;
        // Providers refuse blank text, and a model could not tell it from silence.
        let text = if text.trim().is_empty() { json } else { text };
        return Ok(Output { text, is_json: false, is_secret, content: None });
    }
    // Only unit and `None` are null, and a model must be able to tell success from silence.
    if size_of::<T>() == 0 && json == "null" {
        let text = "ok".to_owned();
        return Ok(Output { text, is_json: false, is_secret, content: None });
    }
    Ok(Output { text: json, is_json: true, is_secret, content: None })
}

/// A result that is made of blocks, or has some in it.
#[cold]
fn of_blocks(json: String, is_secret: bool, blocks: Vec<Content>) -> Output {
    let (text, is_json, content) = match content::blocks_of(&json, blocks) {
        Blocks::None => (json, true, Vec::new()),
        Blocks::Text(text) => (text, false, Vec::new()),
        Blocks::Alone(blocks) => (content::words_of(&blocks), false, blocks),
        Blocks::Inside(mut media) => {
            media.insert(0, Content::text(json.as_str()));
            (json, true, media)
        }
    };
    if text.trim().is_empty() {
        return Output { text: "ok".to_owned(), is_json: false, is_secret, content: None };
    }
    let content = (!content.is_empty()).then(|| content.into_boxed_slice());
    Output { text, is_json, is_secret, content }
}

/// A question for the schema of a result.
///
/// Called on a reference, `schema` finds [`HasSchema`] where the type has one and
/// [`NoSchema`] where it has none.
#[derive(Debug)]
pub struct SchemaOf<T>(PhantomData<T>);

impl<T> SchemaOf<T> {
    /// Asks for the schema of a type.
    pub(crate) const ASKED: Self = Self(PhantomData);
}

/// Asks for the schema of a result that is told in the form that the model asks for.
#[must_use]
pub const fn in_formats<T: Concise>(_of: SchemaOf<T>) -> SchemaOf<Formatted<T::View, T>> {
    SchemaOf(PhantomData)
}

/// Results whose type has a schema.
pub trait HasSchema {
    /// The schema, as the result is serialised.
    fn schema(&self) -> Option<Schema>;
}

impl<T: JsonSchema> HasSchema for SchemaOf<T> {
    fn schema(&self) -> Option<Schema> {
        let settings = SchemaSettings::draft2020_12().for_serialize();
        Some(settings.into_generator().into_root_schema_for::<T>())
    }
}

/// Results whose type has no schema.
pub trait NoSchema {
    /// None.
    fn schema(&self) -> Option<Schema>;
}

impl<T> NoSchema for &SchemaOf<T> {
    fn schema(&self) -> Option<Schema> {
        None
    }
}

/// Deeper values are read back by no JSON reader, and would not fit a thread's stack.
const DEEPEST: u8 = 128;

/// `serde_json` writes `null` for a number that is not finite; here it is an error, and so is
/// what goes too deep.
struct Finite<S>(S, u8);

/// A value whose parts are serialised the same way, at a depth.
struct FiniteValue<'a, T: ?Sized>(&'a T, u8);

impl<T: Serialize + ?Sized> Serialize for FiniteValue<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(Finite(serializer, self.1))
    }
}

fn not_finite<E: ser::Error>() -> E {
    E::custom("the result holds a number that is not finite, which JSON can not write")
}

fn too_deep<E: ser::Error>() -> E {
    E::custom("the result is nested deeper than JSON is read")
}

impl<S> Finite<S> {
    /// The depth of what is inside.
    fn inside<E: ser::Error>(&self) -> Result<u8, E> {
        if self.1 < DEEPEST { Ok(self.1 + 1) } else { Err(too_deep()) }
    }
}

macro_rules! as_they_are {
    ($($method:ident: $ty:ty),* $(,)?) => { $(
        fn $method(self, v: $ty) -> Result<S::Ok, S::Error> {
            self.0.$method(v)
        }
    )* };
}

impl<S: Serializer> Serializer for Finite<S> {
    type Ok = S::Ok;
    type Error = S::Error;
    type SerializeSeq = Finite<S::SerializeSeq>;
    type SerializeTuple = Finite<S::SerializeTuple>;
    type SerializeTupleStruct = Finite<S::SerializeTupleStruct>;
    type SerializeTupleVariant = Finite<S::SerializeTupleVariant>;
    type SerializeMap = Finite<S::SerializeMap>;
    type SerializeStruct = Finite<S::SerializeStruct>;
    type SerializeStructVariant = Finite<S::SerializeStructVariant>;

    as_they_are! {
        serialize_bool: bool,
        serialize_i8: i8,
        serialize_i16: i16,
        serialize_i32: i32,
        serialize_i64: i64,
        serialize_i128: i128,
        serialize_u8: u8,
        serialize_u16: u16,
        serialize_u32: u32,
        serialize_u64: u64,
        serialize_u128: u128,
        serialize_char: char,
        serialize_str: &str,
        serialize_bytes: &[u8],
        serialize_unit_struct: &'static str,
    }

    fn serialize_f32(self, v: f32) -> Result<S::Ok, S::Error> {
        if v.is_finite() { self.0.serialize_f32(v) } else { Err(not_finite()) }
    }

    fn serialize_f64(self, v: f64) -> Result<S::Ok, S::Error> {
        if v.is_finite() { self.0.serialize_f64(v) } else { Err(not_finite()) }
    }

    fn serialize_none(self) -> Result<S::Ok, S::Error> {
        self.0.serialize_none()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<S::Ok, S::Error> {
        let inside = self.inside()?;
        self.0.serialize_some(&FiniteValue(value, inside))
    }

    fn serialize_unit(self) -> Result<S::Ok, S::Error> {
        self.0.serialize_unit()
    }

    fn serialize_unit_variant(
        self,
        name: &'static str,
        variant_index: u32,
        variant: &'static str,
    ) -> Result<S::Ok, S::Error> {
        self.0.serialize_unit_variant(name, variant_index, variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        let inside = self.inside()?;
        self.0.serialize_newtype_struct(name, &FiniteValue(value, inside))
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        variant_index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        let inside = self.inside()?;
        let value = FiniteValue(value, inside);
        self.0.serialize_newtype_variant(name, variant_index, variant, &value)
    }

    fn serialize_seq(self, len: Option<usize>) -> Result<Self::SerializeSeq, S::Error> {
        let inside = self.inside()?;
        Ok(Finite(self.0.serialize_seq(len)?, inside))
    }

    fn serialize_tuple(self, len: usize) -> Result<Self::SerializeTuple, S::Error> {
        let inside = self.inside()?;
        Ok(Finite(self.0.serialize_tuple(len)?, inside))
    }

    fn serialize_tuple_struct(
        self,
        name: &'static str,
        len: usize,
    ) -> Result<Self::SerializeTupleStruct, S::Error> {
        let inside = self.inside()?;
        Ok(Finite(self.0.serialize_tuple_struct(name, len)?, inside))
    }

    fn serialize_tuple_variant(
        self,
        name: &'static str,
        variant_index: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Self::SerializeTupleVariant, S::Error> {
        let inside = self.inside()?;
        Ok(Finite(self.0.serialize_tuple_variant(name, variant_index, variant, len)?, inside))
    }

    fn serialize_map(self, len: Option<usize>) -> Result<Self::SerializeMap, S::Error> {
        let inside = self.inside()?;
        Ok(Finite(self.0.serialize_map(len)?, inside))
    }

    fn serialize_struct(
        self,
        name: &'static str,
        len: usize,
    ) -> Result<Self::SerializeStruct, S::Error> {
        let inside = self.inside()?;
        Ok(Finite(self.0.serialize_struct(name, len)?, inside))
    }

    fn serialize_struct_variant(
        self,
        name: &'static str,
        variant_index: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Self::SerializeStructVariant, S::Error> {
        let inside = self.inside()?;
        Ok(Finite(self.0.serialize_struct_variant(name, variant_index, variant, len)?, inside))
    }

    fn collect_str<T: fmt::Display + ?Sized>(self, value: &T) -> Result<S::Ok, S::Error> {
        self.0.collect_str(value)
    }
}

macro_rules! parts {
    ($($part:ident::$method:ident($($key:ident)?)),* $(,)?) => { $(
        impl<S: ser::$part> ser::$part for Finite<S> {
            type Ok = S::Ok;
            type Error = S::Error;

            #[inline(always)]
            fn $method<T: Serialize + ?Sized>(
                &mut self,
                $($key: &'static str,)?
                value: &T,
            ) -> Result<(), S::Error> {
                self.0.$method($($key,)? &FiniteValue(value, self.1))
            }

            #[inline]
            fn end(self) -> Result<S::Ok, S::Error> {
                self.0.end()
            }
        }
    )* };
}

parts! {
    SerializeSeq::serialize_element(),
    SerializeTuple::serialize_element(),
    SerializeTupleStruct::serialize_field(),
    SerializeTupleVariant::serialize_field(),
    SerializeStruct::serialize_field(key),
    SerializeStructVariant::serialize_field(key),
}

impl<S: ser::SerializeMap> ser::SerializeMap for Finite<S> {
    type Ok = S::Ok;
    type Error = S::Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), S::Error> {
        self.0.serialize_key(&FiniteValue(key, self.1))
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), S::Error> {
        self.0.serialize_value(&FiniteValue(value, self.1))
    }

    fn end(self) -> Result<S::Ok, S::Error> {
        self.0.end()
    }
}
