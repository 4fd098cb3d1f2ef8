//! Decodes a call's arguments into their places, checked on the way.

use serde_json::{Map, Value};

use super::cursor::Cursor;
use super::guided::{Guided, Refused, RefusedAt, Walk};
use super::inside::{Fields, Step, read};
use super::report;
use super::slot::Slot;
use super::source::{Items, Members, Parsed, Source, Unread};
use super::text::{is_blank, is_within};
use crate::call::Arguments;
use crate::limits::Limits;
use crate::problem::{self, Path, Problem};
use crate::schema::{Compiled, Kind, Node};

/// What the decoder alone made of arguments.
pub(crate) enum Attempt<T> {
    /// They are right.
    Sure(T),
    /// A type took something lightly that was refused, or never looked at it.
    Doubtful(T),
    Refused(Box<RefusedAt>),
}

impl<T> Attempt<T> {
    #[inline]
    fn of(walk: &Walk<'_>, made: Result<T, Refused>) -> Self {
        match made {
            Ok(made) if !walk.has_stumbled() => Self::Sure(made),
            Ok(made) => Self::Doubtful(made),
            Err(Refused) => Self::Refused(Box::new(walk.refused_at())),
        }
    }
}

impl Arguments<'_> {
    /// Fills the slots of an object's properties, in the order of the schema.
    ///
    /// # Errors
    /// Every problem: the schema's, or else where a type refuses what its schema accepts.
    pub(crate) fn fill(
        self,
        schema: &Compiled,
        limits: &Limits,
        slots: &mut [&mut dyn Slot],
    ) -> Result<(), Vec<Problem>> {
        match self.try_fill(schema, limits, slots) {
            Attempt::Sure(()) => Ok(()),
            first => self.settle(schema, limits, first, |normal, limits| {
                let walk = Walk::new(schema, limits);
                let filled = fill_from_value(&walk, normal, slots);
                Attempt::of(&walk, filled)
            }),
        }
    }

    /// Decodes the whole arguments into one type.
    ///
    /// # Errors
    /// As `fill`.
    #[inline]
    pub(crate) fn decode<T>(self, schema: &Compiled, limits: &Limits) -> Result<T, Vec<Problem>>
    where
        Option<T>: Slot,
    {
        let mut decoded = None::<T>;
        self.fill_whole(schema, limits, &mut decoded)?;
        decoded.ok_or_else(|| vec![report::refused_by_type(Path::root())])
    }

    /// Fills one slot with the whole arguments.
    ///
    /// # Errors
    /// As `fill`.
    #[inline]
    pub(crate) fn fill_whole(
        self,
        schema: &Compiled,
        limits: &Limits,
        slot: &mut dyn Slot,
    ) -> Result<(), Vec<Problem>> {
        match self.try_fill_whole(schema, limits, slot) {
            Attempt::Sure(()) => Ok(()),
            first => self.settle(schema, limits, first, |normal, limits| {
                Arguments::Value(normal).try_fill_whole(schema, limits, &mut *slot)
            }),
        }
    }

    /// Fills one slot with the whole arguments, as far as the decoder alone can tell.
    #[inline]
    pub(crate) fn try_fill_whole(
        self,
        schema: &Compiled,
        limits: &Limits,
        slot: &mut dyn Slot,
    ) -> Attempt<()> {
        let walk = Walk::new(schema, limits);
        let filled = self.filled(&walk, slot);
        Attempt::of(&walk, filled)
    }

    /// Fills the slots as far as the decoder alone can tell.
    #[expect(clippy::inline_always, reason = "it is a few words around each source's own loop")]
    #[inline(always)]
    pub(crate) fn try_fill(
        self,
        schema: &Compiled,
        limits: &Limits,
        slots: &mut [&mut dyn Slot],
    ) -> Attempt<()> {
        let walk = Walk::new(schema, limits);
        let filled = match self {
            Self::Text(text) => fill_from_text(&walk, text, slots),
            Self::Value(value) => fill_from_value(&walk, value, slots),
        };
        Attempt::of(&walk, filled)
    }

    /// Asks the schema alone, and where it accepts, the types once more over the normal form.
    #[cold]
    fn settle<T>(
        self,
        schema: &Compiled,
        limits: &Limits,
        first: Attempt<T>,
        attempt: impl FnOnce(&Value, &Limits) -> Attempt<T>,
    ) -> Result<T, Vec<Problem>> {
        let problems = report::problems(schema, self, limits);
        if !problems.is_empty() {
            return Err(problems);
        }
        if let Attempt::Doubtful(made) = first {
            return Ok(made);
        }
        // A text can not be read on from a value that a type did not look at; a parsed one can.
        let value = report::normal_form(schema, self, limits)?;
        match attempt(&value, &limits.unmeasured()) {
            Attempt::Sure(made) | Attempt::Doubtful(made) => Ok(made),
            Attempt::Refused(place) => {
                let path = Arguments::Value(&value).path(*place);
                Err(vec![report::refused_by_type(path)])
            }
        }
    }

    #[inline]
    fn filled(self, walk: &Walk<'_>, slot: &mut dyn Slot) -> Result<(), Refused> {
        let root = root(walk);
        let limits = walk.limits;
        match self {
            Self::Text(text) if is_within(text.len(), limits) => {
                let mut cursor = Cursor::new(text);
                if !cursor.is(Kind::Object) {
                    if !is_absent(text) {
                        return Err(Refused);
                    }
                    cursor = Cursor::new("{}");
                }
                read(walk, root, Unread(&cursor), |value| slot.read(value))?;
                if cursor.is_at_end() { Ok(()) } else { Err(Refused) }
            }
            Self::Value(value) if is_written_within(value, limits) => {
                let empty = Value::Object(Map::new());
                let value = if value.is_null() { &empty } else { value };
                if !value.is_object() {
                    return Err(Refused);
                }
                read(walk, root, Parsed(value), |value| slot.take(value))
            }
            Self::Text(_) | Self::Value(_) => Err(Refused),
        }
    }

    /// The path to where these arguments were refused.
    #[cold]
    pub(crate) fn path(self, place: RefusedAt) -> Path {
        let RefusedAt { at: Some(at), within } = place else { return Path::root() };
        let mut steps = Vec::new();
        let is_found = match self {
            Self::Text(text) => steps_to(Unread(&Cursor::new(text)), at, &mut steps),
            Self::Value(value) => steps_to(Parsed(value), at, &mut steps),
        };
        if is_found != Ok(true) {
            return Path::root();
        }
        steps.into_iter().rev().chain(within).fold(Path::root(), |path, step| path.then(step))
    }
}

/// Hands a normal form over as it is, to the one slot of a tool that takes all of it.
///
/// # Errors
/// A slot of a type that does not take it.
pub(crate) fn hand_over(
    value: &Value,
    limits: &Limits,
    slots: &mut [&mut dyn Slot],
) -> Result<(), Vec<Problem>> {
    let walk = Walk::new(Compiled::anything(), limits);
    let [slot] = slots else { return Err(vec![report::refused_by_type(Path::root())]) };
    read(&walk, root(&walk), Parsed(value), |value| slot.take(value)).map_err(|Refused| {
        let path = Arguments::Value(value).path(walk.refused_at());
        vec![report::refused_by_type(path)]
    })
}

/// Blank text and `null` stand for an object without fields.
fn is_absent(text: &str) -> bool {
    let cursor = Cursor::new(text);
    is_blank(text)
        || (cursor.kind() == Ok(Kind::Null) && cursor.word("null").is_ok() && cursor.is_at_end())
}

/// Whether the text that a value is written as is within its limit.
fn is_written_within(value: &Value, limits: &Limits) -> bool {
    let mut left = limits.argument_bytes;
    is_surely_within(value, &mut left) || is_within(length(value), limits)
}

/// Whether a value is within a number of bytes however it is written; what is left of them.
fn is_surely_within(value: &Value, left: &mut usize) -> bool {
    /// The longest numbers, with a comma.
    const NUMBER: usize = 32;
    /// A control character is written in six.
    const CHARACTER: usize = 6;
    let own = match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => NUMBER,
        Value::String(text) => text.len().saturating_mul(CHARACTER).saturating_add(3),
        Value::Array(_) => 3,
        Value::Object(members) => {
            let names: usize = members.keys().map(|name| name.len() * CHARACTER + 4).sum();
            names.saturating_add(3)
        }
    };
    let Some(rest) = left.checked_sub(own) else { return false };
    *left = rest;
    match value {
        Value::Array(items) => items.iter().all(|item| is_surely_within(item, left)),
        Value::Object(members) => members.values().all(|value| is_surely_within(value, left)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}

/// Bytes of a value when it is written.
fn length(value: &Value) -> usize {
    struct Count(usize);

    impl std::io::Write for Count {
        fn write(&mut self, buf: &[u8]) -> std::io::Result<usize> {
            self.0 += buf.len();
            Ok(buf.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    let mut count = Count(0);
    match serde_json::to_writer(&mut count, value) {
        Ok(()) => count.0,
        Err(_) => usize::MAX,
    }
}

#[expect(clippy::inline_always, reason = "the way of every call has its own")]
#[inline(always)]
fn fill_from_text(walk: &Walk<'_>, text: &str, slots: &mut [&mut dyn Slot]) -> Result<(), Refused> {
    if !is_within(text.len(), walk.limits) {
        return Err(Refused);
    }
    let cursor = Cursor::new(text);
    let given = match cursor.kind() {
        Ok(Kind::Object) if !root(walk).stream.streams(Kind::Object) => {
            fill_kept(walk, Unread(&cursor), slots)?;
            return if cursor.is_at_end() { Ok(()) } else { Err(Refused) };
        }
        Ok(Kind::Object) => fields(walk, Unread(&cursor), slots, |slot, value| slot.read(value))?,
        _ if is_absent(text) => return leave_out(walk, 0, slots),
        _ => return Err(Refused),
    };
    if !cursor.is_at_end() {
        return Err(Refused);
    }
    leave_out(walk, given, slots)
}

fn fill_from_value(
    walk: &Walk<'_>,
    value: &Value,
    slots: &mut [&mut dyn Slot],
) -> Result<(), Refused> {
    if !is_written_within(value, walk.limits) {
        return Err(Refused);
    }
    let given = match value {
        Value::Object(_) if !root(walk).stream.streams(Kind::Object) => {
            return fill_kept(walk, Parsed(value), slots);
        }
        Value::Object(_) => fields(walk, Parsed(value), slots, |slot, value| slot.take(value))?,
        Value::Null => 0,
        _ => return Err(Refused),
    };
    leave_out(walk, given, slots)
}

/// Fills the slots of the fields that are given; one bit each.
#[inline]
fn fields<'de, 's, S: Source<'de>>(
    walk: &'s Walk<'s>,
    source: S,
    slots: &mut [&mut dyn Slot],
    fill: impl Fn(&mut dyn Slot, Guided<'s, S>) -> Result<(), Refused>,
) -> Result<u64, Refused> {
    walk.count()?;
    walk.enter()?;
    let mut fields = Fields::new(walk, root(walk), source.members());
    loop {
        match fields.next()? {
            Step::Known(_) => {
                let slot = slots.get_mut(fields.index()).ok_or(Refused)?;
                fields.value(|value| fill(&mut **slot, value))?;
            }
            Step::Unknown => return Err(Refused),
            Step::End => return Ok(fields.given()),
        }
    }
}

/// Fills the slots from what was judged as a whole: of more fields than can be told by bits.
#[cold]
fn fill_kept<'de, S: Source<'de>>(
    walk: &Walk<'_>,
    source: S,
    slots: &mut [&mut dyn Slot],
) -> Result<(), Refused> {
    walk.count()?;
    let root = root(walk);
    let kept = Guided::new(walk, root, source).judged(walk.schema.root())?;
    let limits = walk.limits.unmeasured();
    let inner = Walk::new(walk.schema, &limits);
    for (slot, property) in slots.iter_mut().zip(&root.properties) {
        let Some(value) = kept.value.get(&property.name) else {
            slot.leave_out();
            continue;
        };
        let node = walk.schema.node(property.node);
        read(&inner, node, Parsed(value), |value| slot.take(value)).map_err(|Refused| {
            let path = Arguments::Value(&kept.value).path(inner.refused_at());
            kept.note(path.steps().to_vec())
        })?;
    }
    Ok(())
}

fn root<'s>(walk: &Walk<'s>) -> &'s Node {
    walk.schema.node(walk.schema.root())
}

/// Fills the slots of the fields that are not given, where there are any.
#[inline]
fn leave_out(walk: &Walk<'_>, given: u64, slots: &mut [&mut dyn Slot]) -> Result<(), Refused> {
    let all = u32::try_from(slots.len()).ok().and_then(|count| 1_u64.checked_shl(count));
    if all == Some(given.wrapping_add(1)) { Ok(()) } else { leave_out_others(walk, given, slots) }
}

/// Fills the slots of the fields that are not given: by their default, or as their type says.
#[inline(never)]
fn leave_out_others(
    walk: &Walk<'_>,
    given: u64,
    slots: &mut [&mut dyn Slot],
) -> Result<(), Refused> {
    let root = root(walk);
    // There may be more properties than bits.
    if root.stream.required & !given != 0 || (given == 0 && !root.required.is_empty()) {
        return Err(Refused);
    }
    let limits = walk.limits.unmeasured();
    let walk = Walk::new(walk.schema, &limits);
    for (index, (slot, property)) in slots.iter_mut().zip(&root.properties).enumerate() {
        let bit = u32::try_from(index).ok().and_then(|index| 1_u64.checked_shl(index));
        if bit.is_some_and(|bit| given & bit != 0) {
            continue;
        }
        let node = walk.schema.node(property.node);
        match &node.default {
            Some(default) => read(&walk, node, Parsed(default), |value| slot.take(value))?,
            None => slot.leave_out(),
        }
    }
    Ok(())
}

/// The steps to a place, the last first; whether it is inside.
fn steps_to<'de, S: Source<'de>>(
    source: S,
    place: usize,
    steps: &mut Vec<problem::Step>,
) -> Result<bool, Refused> {
    if source.place() == place {
        return Ok(true);
    }
    match source.kind()? {
        Kind::Array => {
            let mut items = source.items();
            let mut index = 0;
            while let Some(item) = Items::next(&mut items)? {
                if steps_to(item, place, steps)? {
                    steps.push(problem::Step::Item(index));
                    return Ok(true);
                }
                index += 1;
            }
        }
        Kind::Object => {
            let mut members = source.members();
            while members.advance()? {
                let name = members.name()?;
                if steps_to(members.value()?, place, steps)? {
                    steps.push(problem::Step::Field(name.into_owned()));
                    return Ok(true);
                }
            }
        }
        Kind::Null => source.null()?,
        Kind::Bool => source.bool().map(drop)?,
        Kind::Number => source.number().map(drop)?,
        Kind::Text => source.text().map(drop)?,
    }
    Ok(false)
}
