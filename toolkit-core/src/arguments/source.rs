//! Where arguments come from: text that is read as it goes, or a value that was parsed already.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::cursor::{Cursor, Number, Quoted};
use super::guided::Refused;
use super::text::{self, Read};
use crate::limits::Limits;
use crate::schema::{Kind, Property};

/// One value that is read once; what holds others gives them in order.
pub(crate) trait Source<'de>: Copy {
    type Items: Items<Self>;
    type Members: Members<'de, Self>;

    /// Whether it is where it was after it was read, so that what reads it must say so.
    const STAYS: bool;

    fn kind(self) -> Result<Kind, Refused>;
    fn is(self, kind: Kind) -> bool;
    fn null(self) -> Result<(), Refused>;
    fn bool(self) -> Result<bool, Refused>;
    fn number(self) -> Result<Number, Refused>;
    /// The digits of the number that was read from a place.
    fn digits(self, place: usize) -> Cow<'de, str>;
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
}

/// The items of an array.
pub(crate) trait Items<S> {
    fn next(&mut self) -> Result<Option<S>, Refused>;
}

/// The members of an object.
pub(crate) trait Members<'de, S> {
    /// Goes to the next member; whether there is one.
    fn advance(&mut self) -> Result<bool, Refused>;
    /// Goes over the member's name if it is that of a property.
    fn is_named(&mut self, property: &Property) -> Result<bool, Refused>;
    /// Goes over the member's name, whatever it is.
    fn name(&mut self) -> Result<Cow<'de, str>, Refused>;
    /// The member's value.
    fn value(&mut self) -> Result<S, Refused>;
}

/// What the limits leave to a value inside another.
#[derive(Clone, Copy)]
pub(crate) struct Room<'l> {
    pub(super) limits: &'l Limits,
    pub(super) values: usize,
    pub(super) depth: usize,
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

    const STAYS: bool = false;

    #[inline]
    fn kind(self) -> Result<Kind, Refused> {
        self.0.kind()
    }

    #[inline]
    fn is(self, kind: Kind) -> bool {
        self.0.is(kind)
    }

    fn null(self) -> Result<(), Refused> {
        self.0.word("null")
    }

    fn bool(self) -> Result<bool, Refused> {
        self.0.bool()
    }

    #[inline]
    fn number(self) -> Result<Number, Refused> {
        self.0.number()
    }

    fn digits(self, place: usize) -> Cow<'de, str> {
        Cow::Borrowed(self.0.since(place))
    }

    #[inline]
    fn text(self) -> Result<Cow<'de, str>, Refused> {
        match self.0.quoted()? {
            Quoted::Plain(text) => Ok(Cow::Borrowed(text)),
            escaped @ Quoted::Escaped(_) => escaped.text().ok_or(Refused),
        }
    }

    #[inline]
    fn items(self) -> Self::Items {
        self.0.step();
        Inside { cursor: self.0, is_first: true }
    }

    #[inline]
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
        self.0.at()
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
    fn advance(&mut self) -> Result<bool, Refused> {
        let is_first = std::mem::take(&mut self.is_first);
        self.cursor.next(is_first, b'}')
    }

    #[inline]
    fn is_named(&mut self, property: &Property) -> Result<bool, Refused> {
        self.cursor.is_named(&property.quoted)
    }

    fn name(&mut self) -> Result<Cow<'de, str>, Refused> {
        self.cursor.name()?.text().ok_or(Refused)
    }

    #[inline]
    fn value(&mut self) -> Result<Unread<'c, 'de>, Refused> {
        Ok(Unread(self.cursor))
    }
}

/// A value that was parsed already.
#[derive(Debug, Clone, Copy)]
pub struct Parsed<'de>(pub(super) &'de Value);

impl<'de> Source<'de> for Parsed<'de> {
    type Items = std::slice::Iter<'de, Value>;
    type Members = ParsedMembers<'de>;

    const STAYS: bool = true;

    fn kind(self) -> Result<Kind, Refused> {
        Ok(Kind::of(self.0))
    }

    fn is(self, kind: Kind) -> bool {
        Kind::of(self.0) == kind
    }

    fn null(self) -> Result<(), Refused> {
        self.0.as_null().ok_or(Refused)
    }

    fn bool(self) -> Result<bool, Refused> {
        self.0.as_bool().ok_or(Refused)
    }

    fn number(self) -> Result<Number, Refused> {
        const LARGE: i64 = 1_000_000_000_000_000_000;
        let Value::Number(number) = self.0 else { return Err(Refused) };
        let integer = number.as_i64().filter(|n| (-LARGE..LARGE).contains(n));
        let double = number.is_f64().then(|| number.as_f64()).flatten();
        Ok(match (integer, double) {
            (Some(integer), _) => Number::Integer(integer),
            (None, Some(double)) if double.abs() < 1e15 => Number::Double(double),
            (None, _) => Number::Long,
        })
    }

    fn digits(self, _: usize) -> Cow<'de, str> {
        Cow::Owned(self.0.to_string())
    }

    fn text(self) -> Result<Cow<'de, str>, Refused> {
        self.0.as_str().map(Cow::Borrowed).ok_or(Refused)
    }

    fn items(self) -> Self::Items {
        self.0.as_array().map(Vec::as_slice).unwrap_or_default().iter()
    }

    fn members(self) -> Self::Members {
        ParsedMembers { left: self.0.as_object().map(Map::iter), current: None }
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
}

impl<'de> Items<Parsed<'de>> for std::slice::Iter<'de, Value> {
    fn next(&mut self) -> Result<Option<Parsed<'de>>, Refused> {
        Ok(Iterator::next(self).map(Parsed))
    }
}

/// The members of an object that was parsed already.
#[derive(Debug)]
pub(crate) struct ParsedMembers<'de> {
    left: Option<serde_json::map::Iter<'de>>,
    current: Option<(&'de str, &'de Value)>,
}

impl<'de> Members<'de, Parsed<'de>> for ParsedMembers<'de> {
    fn advance(&mut self) -> Result<bool, Refused> {
        let next = self.left.as_mut().and_then(Iterator::next);
        self.current = next.map(|(name, value)| (name.as_str(), value));
        Ok(self.current.is_some())
    }

    fn is_named(&mut self, property: &Property) -> Result<bool, Refused> {
        Ok(self.current.is_some_and(|(name, _)| name == property.name))
    }

    fn name(&mut self) -> Result<Cow<'de, str>, Refused> {
        self.current.map(|(name, _)| Cow::Borrowed(name)).ok_or(Refused)
    }

    fn value(&mut self) -> Result<Parsed<'de>, Refused> {
        self.current.map(|(_, value)| Parsed(value)).ok_or(Refused)
    }
}
