//! Where arguments come from: text that is read as it goes, or a value that was parsed already.

use std::borrow::Cow;

use serde_json::{Map, Number, Value};

use super::cursor::{Cursor, Digits};
use super::guided::Refused;
use super::text::{self, Read};
use crate::limits::Limits;
use crate::schema::Kind;

/// One value that is read once; what holds others gives them in order.
pub(crate) trait Source<'de>: Copy {
    type Items: Items<Self>;
    type Members: Members<'de, Self>;

    fn kind(self) -> Result<Kind, Refused>;
    fn null(self) -> Result<(), Refused>;
    fn bool(self) -> Result<bool, Refused>;
    fn number(self) -> Result<Written<'de>, Refused>;
    fn text(self) -> Result<Cow<'de, str>, Refused>;
    fn items(self) -> Self::Items;
    fn members(self) -> Self::Members;
    /// Reads the value as a tree, with the text rules, and hands it to what judges it.
    fn kept<T>(
        self,
        room: Room<'_>,
        judge: impl FnOnce(Read<'_>) -> Option<T>,
    ) -> Result<(T, usize), Refused>;
    /// What tells the value's place from others.
    fn place(self) -> usize;
    /// Whether the value at a place was left as it is.
    fn is_unread(self, place: usize) -> bool;
}

/// The items of an array.
pub(crate) trait Items<S> {
    fn next(&mut self) -> Result<Option<S>, Refused>;
}

/// The members of an object.
pub(crate) trait Members<'de, S> {
    fn next(&mut self) -> Result<Option<(Cow<'de, str>, S)>, Refused>;
}

/// What the limits leave to a value inside another.
#[derive(Clone, Copy)]
pub(crate) struct Room<'l> {
    pub(super) limits: &'l Limits,
    pub(super) values: usize,
    pub(super) depth: usize,
}

/// A number as it came.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Written<'de> {
    Digits(Digits<'de>),
    Number(&'de Number),
}

impl<'de> Written<'de> {
    /// Its value, where it is an integer of at most 18 digits written as one.
    #[inline]
    pub(super) fn integer(&self) -> Option<i64> {
        const LARGE: i64 = 1_000_000_000_000_000_000;
        match self {
            Self::Digits(digits) => digits.integer,
            Self::Number(number) => number.as_i64().filter(|n| (-LARGE..LARGE).contains(n)),
        }
    }

    /// Its value, where it is a double that needs no second look.
    #[inline]
    pub(super) fn double(&self) -> Option<f64> {
        match self {
            Self::Digits(digits) => digits.double,
            Self::Number(number) if number.is_f64() => number.as_f64().filter(|n| n.abs() < 1e15),
            Self::Number(_) => None,
        }
    }

    pub(super) fn digits(&self) -> Cow<'de, str> {
        match self {
            Self::Digits(digits) => Cow::Borrowed(digits.written),
            Self::Number(number) => Cow::Owned(number.to_string()),
        }
    }
}

/// The value at which a cursor stands.
#[derive(Debug, Clone, Copy)]
pub struct Unread<'c, 'de>(pub(super) &'c Cursor<'de>);

/// The items or members that a cursor is in.
#[derive(Debug)]
pub(crate) struct Inside<'c, 'de> {
    cursor: &'c Cursor<'de>,
    is_first: bool,
}

impl<'c, 'de> Source<'de> for Unread<'c, 'de> {
    type Items = Inside<'c, 'de>;
    type Members = Inside<'c, 'de>;

    #[inline]
    fn kind(self) -> Result<Kind, Refused> {
        self.0.kind()
    }

    fn null(self) -> Result<(), Refused> {
        self.0.word("null")
    }

    fn bool(self) -> Result<bool, Refused> {
        self.0.bool()
    }

    #[inline]
    fn number(self) -> Result<Written<'de>, Refused> {
        self.0.digits().map(Written::Digits)
    }

    #[inline]
    fn text(self) -> Result<Cow<'de, str>, Refused> {
        self.0.quoted()?.text().ok_or(Refused)
    }

    fn items(self) -> Self::Items {
        self.0.step();
        Inside { cursor: self.0, is_first: true }
    }

    fn members(self) -> Self::Members {
        self.items()
    }

    fn kept<T>(
        self,
        room: Room<'_>,
        judge: impl FnOnce(Read<'_>) -> Option<T>,
    ) -> Result<(T, usize), Refused> {
        let (read, values) = text::keep(self.0, room).ok_or(Refused)?;
        Ok((judge(read).ok_or(Refused)?, values))
    }

    #[inline]
    fn place(self) -> usize {
        self.0.peek();
        self.0.at()
    }

    #[inline]
    fn is_unread(self, place: usize) -> bool {
        self.0.at() == place
    }
}

impl<'c, 'de> Items<Unread<'c, 'de>> for Inside<'c, 'de> {
    #[inline]
    fn next(&mut self) -> Result<Option<Unread<'c, 'de>>, Refused> {
        let is_first = std::mem::take(&mut self.is_first);
        Ok(self.cursor.next(is_first, b']')?.then_some(Unread(self.cursor)))
    }
}

impl<'c, 'de> Members<'de, Unread<'c, 'de>> for Inside<'c, 'de> {
    #[inline]
    fn next(&mut self) -> Result<Option<(Cow<'de, str>, Unread<'c, 'de>)>, Refused> {
        let is_first = std::mem::take(&mut self.is_first);
        if !self.cursor.next(is_first, b'}')? {
            return Ok(None);
        }
        let name = self.cursor.name()?.text().ok_or(Refused)?;
        Ok(Some((name, Unread(self.cursor))))
    }
}

/// A value that was parsed already.
#[derive(Debug, Clone, Copy)]
pub struct Given<'de>(pub(super) &'de Value);

impl<'de> Source<'de> for Given<'de> {
    type Items = std::slice::Iter<'de, Value>;
    type Members = Option<serde_json::map::Iter<'de>>;

    fn kind(self) -> Result<Kind, Refused> {
        Ok(match self.0 {
            Value::Null => Kind::Null,
            Value::Bool(_) => Kind::Bool,
            Value::Number(_) => Kind::Number,
            Value::String(_) => Kind::Text,
            Value::Array(_) => Kind::Array,
            Value::Object(_) => Kind::Object,
        })
    }

    fn null(self) -> Result<(), Refused> {
        self.0.as_null().ok_or(Refused)
    }

    fn bool(self) -> Result<bool, Refused> {
        self.0.as_bool().ok_or(Refused)
    }

    fn number(self) -> Result<Written<'de>, Refused> {
        match self.0 {
            Value::Number(number) => Ok(Written::Number(number)),
            _ => Err(Refused),
        }
    }

    fn text(self) -> Result<Cow<'de, str>, Refused> {
        self.0.as_str().map(Cow::Borrowed).ok_or(Refused)
    }

    fn items(self) -> Self::Items {
        self.0.as_array().map(Vec::as_slice).unwrap_or_default().iter()
    }

    fn members(self) -> Self::Members {
        self.0.as_object().map(Map::iter)
    }

    fn kept<T>(
        self,
        room: Room<'_>,
        judge: impl FnOnce(Read<'_>) -> Option<T>,
    ) -> Result<(T, usize), Refused> {
        let written = self.0.to_string();
        let (read, values) = text::keep(&Cursor::new(&written), room).ok_or(Refused)?;
        Ok((judge(read).ok_or(Refused)?, values))
    }

    fn place(self) -> usize {
        std::ptr::from_ref(self.0).addr()
    }

    fn is_unread(self, _: usize) -> bool {
        false
    }
}

impl<'de> Items<Given<'de>> for std::slice::Iter<'de, Value> {
    fn next(&mut self) -> Result<Option<Given<'de>>, Refused> {
        Ok(Iterator::next(self).map(Given))
    }
}

impl<'de> Members<'de, Given<'de>> for Option<serde_json::map::Iter<'de>> {
    fn next(&mut self) -> Result<Option<(Cow<'de, str>, Given<'de>)>, Refused> {
        let member = self.as_mut().and_then(Iterator::next);
        Ok(member.map(|(name, value)| (Cow::Borrowed(name.as_str()), Given(value))))
    }
}
