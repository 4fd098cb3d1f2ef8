//! What an object or array holds, each part checked when the type asks for it.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::marker::PhantomData;

use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess};

use super::guided::{Guided, Refused, Walk};
use super::name::{KnownName, Name};
use super::source::{Items, Members, Source};
use crate::schema::{Additional, Kind, Node, Property};

static ANYTHING: Node = Node::anything();

/// Reads one value by what asks for it.
#[inline]
pub(super) fn read<'de, 's, T, S: Source<'de>>(
    walk: &'s Walk<'s>,
    node: &'s Node,
    source: S,
    ask: impl FnOnce(Guided<'s, S>) -> Result<T, Refused>,
) -> Result<T, Refused> {
    walk.count()?;
    let place = source.place();
    walk.begin();
    match ask(Guided::new(walk, node, source)) {
        Ok(value) => {
            walk.end(source);
            Ok(value)
        }
        Err(Refused) => Err(walk.note(source, place)),
    }
}

/// What comes next in an object.
pub(super) enum Step<'s> {
    /// A member that the schema lists.
    Known(&'s Property),
    /// A member of a name that it does not list.
    Unknown,
    /// Nothing.
    End,
}

/// The members of an object, in the order in which they are given.
pub(super) struct Fields<'s, 'de, S: Source<'de>> {
    walk: &'s Walk<'s>,
    node: &'s Node,
    properties: &'s [Property],
    members: S::Members,
    /// The properties that were given, one bit each.
    given: u64,
    /// Those of them whose null stood for absence.
    absent: u64,
    /// The property that comes next where the order is the schema's.
    expected: usize,
    /// The names so far where they are not all known.
    names: Option<Names<'de>>,
    /// The name of a member that the schema does not list.
    name: Option<Cow<'de, str>>,
    value: Option<(&'s Node, S)>,
    /// The value of the member that came last was asked for.
    is_between: bool,
    is_over: bool,
}

impl<'s, 'de, S: Source<'de>> Fields<'s, 'de, S> {
    #[inline]
    pub(super) fn new(walk: &'s Walk<'s>, node: &'s Node, members: S::Members) -> Self {
        Self {
            walk,
            node,
            properties: &node.properties,
            members,
            given: 0,
            absent: 0,
            expected: 0,
            names: None,
            name: None,
            value: None,
            is_between: true,
            is_over: false,
        }
    }

    /// Goes to the next member that counts.
    #[expect(clippy::inline_always, reason = "each way through an object has its own loop of it")]
    #[inline(always)]
    pub(super) fn next(&mut self) -> Result<Step<'s>, Refused> {
        if !self.is_between {
            if self.is_over {
                return Ok(Step::End);
            }
            // The type has left a value unread.
            self.walk.stumble();
        }
        while self.members.advance()? {
            let (property, index) = match self.properties.get(self.expected) {
                Some(next) if self.members.is_named(next)? => (next, self.expected),
                _ => {
                    let Some(other) = self.other()? else {
                        self.is_between = false;
                        return Ok(Step::Unknown);
                    };
                    other
                }
            };
            let bit = 1 << (index & 63);
            if self.given & bit != 0 {
                return Err(Refused);
            }
            self.given |= bit;
            self.expected = index + 1;
            let source = self.members.value()?;
            if self.node.stream.may_be_absent & bit != 0 && source.is(Kind::Null) {
                self.leave_out(bit, source)?;
                continue;
            }
            self.value = Some((self.walk.schema.node(property.node), source));
            self.is_between = false;
            return Ok(Step::Known(property));
        }
        self.is_over = true;
        self.is_between = false;
        let missing = self.node.stream.required & !self.given;
        if missing == 0 { Ok(Step::End) } else { Err(Refused) }
    }

    #[inline(never)]
    fn leave_out(&mut self, bit: u64, null: S) -> Result<(), Refused> {
        self.walk.count()?;
        null.null()?;
        self.absent |= bit;
        Ok(())
    }

    /// A member that is not the one that was expected: a property, or a name that none has.
    #[inline(never)]
    fn other(&mut self) -> Result<Option<(&'s Property, usize)>, Refused> {
        let name = self.members.name()?;
        let known = self.properties.iter().enumerate().find(|(_, p)| p.name == name);
        if let Some((index, property)) = known {
            return Ok(Some((property, index)));
        }
        let node = self.unknown(name.clone())?;
        self.value = Some((node, self.members.value()?));
        self.name = Some(name);
        Ok(None)
    }

    /// The schema of a name that the node does not list.
    fn unknown(&mut self, name: Cow<'de, str>) -> Result<&'s Node, Refused> {
        let node = match (self.node.patterns.first(), self.node.additional) {
            (Some((pattern, node)), _) if pattern.matches(&name) => self.walk.schema.node(*node),
            (_, Additional::Schema(node)) => self.walk.schema.node(node),
            (_, Additional::Any) => &ANYTHING,
            (_, Additional::Nothing) => return Err(Refused),
        };
        let names = self.names.get_or_insert_default();
        if names.is_new(name) { Ok(node) } else { Err(Refused) }
    }

    /// The value of the member that `next` gave.
    #[inline]
    pub(super) fn value<T>(
        &mut self,
        ask: impl FnOnce(Guided<'s, S>) -> Result<T, Refused>,
    ) -> Result<T, Refused> {
        let Some((node, source)) = self.value else { return Err(Refused) };
        if self.is_between {
            return Err(Refused);
        }
        self.is_between = true;
        read(self.walk, node, source, ask)
    }

    /// The number of the property that came last.
    pub(super) const fn index(&self) -> usize {
        self.expected.saturating_sub(1)
    }

    /// The properties that have a value, one bit each.
    pub(super) const fn given(&self) -> u64 {
        self.given & !self.absent
    }

    /// Goes to the end; a type that leaves a member unread refuses it.
    #[inline]
    pub(super) fn finish(&mut self) -> Result<(), Refused> {
        if self.is_over || matches!(self.next()?, Step::End) { Ok(()) } else { Err(Refused) }
    }
}

impl<'de, S: Source<'de>> MapAccess<'de> for Fields<'_, 'de, S> {
    type Error = Refused;

    #[inline]
    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Refused> {
        match self.next()? {
            Step::Known(property) => seed.deserialize(KnownName(&property.name)).map(Some),
            Step::Unknown => match self.name.take() {
                Some(name) => seed.deserialize(Name(name)).map(Some),
                None => Err(Refused),
            },
            Step::End => Ok(None),
        }
    }

    #[inline]
    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Refused> {
        self.value(|value| seed.deserialize(value))
    }
}

/// Names so far: a few are looked through, many are kept in order.
#[derive(Default)]
struct Names<'de> {
    few: [Option<Cow<'de, str>>; 8],
    many: BTreeSet<Cow<'de, str>>,
}

impl<'de> Names<'de> {
    fn is_new(&mut self, name: Cow<'de, str>) -> bool {
        for place in &mut self.few {
            match place {
                Some(given) if *given == name => return false,
                Some(_) => {}
                None => {
                    *place = Some(name);
                    return true;
                }
            }
        }
        self.many.insert(name)
    }
}

/// The items of an array.
pub(super) struct Sequence<'s, 'de, S: Source<'de>> {
    walk: &'s Walk<'s>,
    node: &'s Node,
    /// The schema of the items after those that have their own.
    rest: &'s Node,
    items: S::Items,
    count: usize,
    is_over: bool,
}

impl<'s, 'de, S: Source<'de>> Sequence<'s, 'de, S> {
    #[inline]
    pub(super) fn new(walk: &'s Walk<'s>, node: &'s Node, items: S::Items) -> Self {
        let rest = node.items.map_or(&ANYTHING, |items| walk.schema.node(items));
        Self { walk, node, rest, items, count: 0, is_over: false }
    }

    #[inline]
    fn next<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Refused> {
        if self.is_over {
            return Ok(None);
        }
        let Some(source) = self.items.next()? else {
            self.is_over = true;
            return Ok(None);
        };
        let node = match self.node.prefix.get(self.count) {
            Some(node) => self.walk.schema.node(*node),
            None => self.rest,
        };
        self.count += 1;
        read(self.walk, node, source, |value| seed.deserialize(value)).map(Some)
    }

    /// An array that is longer than the type is refused, and one that is longer or shorter than the schema.
    #[inline]
    pub(super) fn finish(&mut self) -> Result<(), Refused> {
        if self.next(PhantomData::<IgnoredAny>)?.is_some() {
            return Err(Refused);
        }
        let count = u64::try_from(self.count).unwrap_or(u64::MAX);
        let fits = self.node.min_items.is_none_or(|least| count >= least)
            && self.node.max_items.is_none_or(|most| count <= most);
        if fits { Ok(()) } else { Err(Refused) }
    }
}

impl<'de, S: Source<'de>> SeqAccess<'de> for Sequence<'_, 'de, S> {
    type Error = Refused;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Refused> {
        self.next(seed)
    }
}
