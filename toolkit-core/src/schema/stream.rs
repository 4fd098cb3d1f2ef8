//! How the one-pass decoder goes through a node, worked out once.

use serde_json::Value;

use super::decimal::Decimal;
use super::format::Format;
use super::node::{Additional, Node, NodeId, Type};

/// What the one-pass decoder needs of a node.
#[derive(Debug, Clone)]
pub(crate) struct Stream {
    pub(crate) decoding: Decoding,
    pub(crate) numbers: Numbers,
    pub(crate) texts: Texts,
    /// The properties that must be there, one bit each.
    pub(crate) required: u64,
    /// The properties whose null is absence, one bit each.
    pub(crate) may_be_absent: u64,
    /// The kinds of value that the node's type takes, one bit each.
    kinds: u8,
    /// Those of them that are decoded while they are read.
    streamed: u8,
}

/// How a value is decoded under a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Decoding {
    /// While it is read, by the node's own keywords.
    Streamed,
    /// By another node, which is streamed or kept.
    By(NodeId),
    /// Null, or by another node.
    NullOr(NodeId),
    /// Kept as a tree, and judged there by a node.
    Kept(NodeId),
}

/// How a text is checked, so that none is asked about a keyword that the node does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Texts {
    /// By its length; of so many bytes no length could refuse it.
    Free { least: usize, most: usize },
    /// It is one of the listed values.
    Listed,
    /// By its format alone.
    Formatted(Format),
    /// By its pattern alone.
    Patterned,
    /// By every keyword.
    Exact,
}

/// How a number is checked; what the quick forms leave open is asked in exact decimals.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Numbers {
    /// An integer of 64 bits between two bounds, both allowed.
    Integer { least: i64, most: i64 },
    /// A double within bounds that are doubles as well.
    Double { above: Option<Bound>, below: Option<Bound> },
    /// Any number as it is.
    Any,
    /// In exact decimals only.
    Exact,
}

/// A bound that a double holds exactly.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bound {
    pub(crate) at: f64,
    pub(crate) itself: bool,
}

/// What a value is, told by its first character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Null,
    Bool,
    Number,
    Text,
    Array,
    Object,
}

impl Kind {
    /// What a value is.
    pub(crate) const fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(_) => Self::Bool,
            Value::Number(_) => Self::Number,
            Value::String(_) => Self::Text,
            Value::Array(_) => Self::Array,
            Value::Object(_) => Self::Object,
        }
    }
}

impl Stream {
    /// That of a node that accepts anything.
    pub(super) const fn anything() -> Self {
        Self {
            decoding: Decoding::Streamed,
            numbers: Numbers::Any,
            texts: Texts::Free { least: 0, most: usize::MAX },
            required: 0,
            may_be_absent: 0,
            kinds: u8::MAX,
            streamed: u8::MAX,
        }
    }

    /// The kinds of value that the node's type takes, one bit each.
    pub(crate) const fn kinds(&self) -> u8 {
        self.kinds
    }

    /// Whether the node's type takes a value of a kind.
    pub(crate) const fn takes(&self, kind: Kind) -> bool {
        self.kinds & bit(kind) != 0
    }

    /// Whether a value of a kind is taken, and decoded while it is read.
    pub(crate) const fn streams(&self, kind: Kind) -> bool {
        self.streamed & bit(kind) != 0
    }
}

const fn bit(kind: Kind) -> u8 {
    1 << kind as u8
}

/// Works out for every node how it is gone through.
pub(super) fn plan(nodes: &mut [Node]) {
    for (index, node) in nodes.iter_mut().enumerate() {
        node.stream = own(node, NodeId(index));
    }
    let decodings: Vec<Decoding> = nodes.iter().map(|node| passed_on(node, nodes)).collect();
    for (node, decoding) in nodes.iter_mut().zip(decodings) {
        node.stream.decoding = decoding;
    }
}

/// What a node's own keywords ask for.
fn own(node: &Node, id: NodeId) -> Stream {
    let is_streamed = is_streamed(node);
    let kinds = kinds(node);
    Stream {
        decoding: if is_streamed { Decoding::Streamed } else { Decoding::Kept(id) },
        numbers: numbers(node),
        texts: texts(node),
        required: bits(node, |name| node.required.iter().any(|wanted| wanted == name)),
        may_be_absent: bits(node, |name| node.may_be_absent.iter().any(|absent| absent == name)),
        kinds,
        streamed: if is_streamed { kinds } else { 0 },
    }
}

fn texts(node: &Node) -> Texts {
    let has_length = node.min_length.is_some() || node.max_length.is_some();
    match (&node.one_of_values, &node.pattern, node.format, has_length) {
        (None, None, None, _) => by_length(node),
        (Some(_), None, None, false) => Texts::Listed,
        (None, Some(_), None, false) => Texts::Patterned,
        (None, None, Some(format), false) => Texts::Formatted(format),
        _ => Texts::Exact,
    }
}

/// Lengths in bytes, from and to, that hold right counts of characters.
fn by_length(node: &Node) -> Texts {
    // A character is of one to four bytes.
    let least = node.min_length.map_or(Ok(0), |least| usize::try_from(least.saturating_mul(4)));
    let most = node.max_length.map_or(Ok(usize::MAX), usize::try_from);
    match (least, most) {
        (Ok(least), Ok(most)) => Texts::Free { least: least.saturating_sub(3), most },
        _ => Texts::Exact,
    }
}

/// The kinds of value that a node takes, by its type and its listed values.
fn kinds(node: &Node) -> u8 {
    let by_type = if node.types.is_empty() {
        u8::MAX
    } else {
        node.types.iter().fold(0, |kinds, of| kinds | bit(kind(*of)))
    };
    let Some(values) = &node.one_of_values else { return by_type };
    let listed = values.iter().fold(0, |kinds, value| kinds | bit(Kind::of(value)));
    by_type & listed
}

const fn kind(of: Type) -> Kind {
    match of {
        Type::Null => Kind::Null,
        Type::Boolean => Kind::Bool,
        Type::Integer | Type::Number => Kind::Number,
        Type::String => Kind::Text,
        Type::Array => Kind::Array,
        Type::Object => Kind::Object,
    }
}

fn bits(node: &Node, is_set: impl Fn(&str) -> bool) -> u64 {
    let bit_of = |index: usize| u32::try_from(index).ok().and_then(|by| 1_u64.checked_shl(by));
    node.properties
        .iter()
        .enumerate()
        .filter(|(_, property)| is_set(&property.name))
        .fold(0, |bits, (index, _)| bits | bit_of(index).unwrap_or_default())
}

/// Whether each part of a value can be judged when it is read, and forgotten then.
fn is_streamed(node: &Node) -> bool {
    let is_known = |name: &String| node.property(name).is_some();
    let is_map = node.properties.is_empty() && node.patterns.len() <= 1;
    let is_closed = node.patterns.is_empty() && node.additional == Additional::Nothing;
    !node.never
        && node.in_place().next().is_none()
        && !node.unique_items
        && (is_map || is_closed)
        && (is_closed || node.required.is_empty())
        && node.required.iter().all(is_known)
        && node.properties.len() <= 64
        && node.one_of_values.iter().flatten().all(|value| value.is_string() || value.is_null())
        && node.property_names.is_none()
        && node.min_properties.is_none()
        && node.max_properties.is_none()
}

/// The way of a node that has nothing of its own to say: what it refers to, or null.
fn passed_on(node: &Node, nodes: &[Node]) -> Decoding {
    let kept = node.stream.decoding;
    if !node.only_refers {
        return kept;
    }
    match (node.reference, node.any_of.as_slice(), node.in_place().count()) {
        (Some(target), _, 1) => match behind(target, nodes) {
            Some((_, inner)) if inner.only_refers => passed_on(inner, nodes),
            Some((id, _)) => Decoding::By(id),
            None => kept,
        },
        (None, [first, second], 2) => {
            let other = match (is_null(*first, nodes), is_null(*second, nodes)) {
                (false, true) => *first,
                (true, false) => *second,
                _ => return kept,
            };
            match behind(other, nodes) {
                Some((id, inner)) if !inner.only_refers => Decoding::NullOr(id),
                _ => kept,
            }
        }
        _ => kept,
    }
}

/// Whether a node accepts null and nothing else.
fn is_null(id: NodeId, nodes: &[Node]) -> bool {
    let node = nodes.get(id.0);
    node.is_some_and(|node| {
        node.types == [Type::Null]
            && node.one_of_values.is_none()
            && node.stream.decoding == Decoding::Streamed
    })
}

/// The node behind references that say nothing of their own; none of them is in a circle.
fn behind(id: NodeId, nodes: &[Node]) -> Option<(NodeId, &Node)> {
    let mut id = id;
    loop {
        let node = nodes.get(id.0)?;
        match node.alias_of() {
            Some(target) => id = target,
            None => return Some((id, node)),
        }
    }
}

fn numbers(node: &Node) -> Numbers {
    let has_values = node.multiple_of.is_some() || node.one_of_values.is_some();
    if has_values || node.is_single {
        return Numbers::Exact;
    }
    let integer = node.types.contains(&Type::Integer);
    match (integer, node.types.contains(&Type::Number)) {
        (true, false) => integers(node).unwrap_or(Numbers::Exact),
        (false, true) => doubles(node).unwrap_or(Numbers::Exact),
        _ if node.bounds().next().is_some() => Numbers::Exact,
        _ if integer || node.types.is_empty() => Numbers::Any,
        _ => Numbers::Exact,
    }
}

/// The integers of 64 bits with a sign that both the type and the bounds allow.
fn integers(node: &Node) -> Option<Numbers> {
    // A bound that is no integer is asked in exact decimals.
    if node.bounds().any(|bound| bound.integer().is_none()) {
        return None;
    }
    let (least, most) = node.integers_within();
    let clamped =
        |bound: i128| i64::try_from(bound).unwrap_or(if bound < 0 { i64::MIN } else { i64::MAX });
    Some(Numbers::Integer { least: clamped(least), most: clamped(most) })
}

fn doubles(node: &Node) -> Option<Numbers> {
    let bound = |own: &Option<Decimal>, beyond: &Option<Decimal>| {
        let (decimal, itself) = match (own, beyond) {
            (None, None) => return Some(None),
            (Some(own), None) => (own, true),
            (None, Some(beyond)) => (beyond, false),
            (Some(_), Some(_)) => return None,
        };
        let at = decimal.double()?;
        // Shortest texts are in the order of their doubles, so only the bound's own must be exact.
        let is_shortest =
            Decimal::read(&at.to_string()).is_some_and(|shortest| shortest == *decimal);
        is_shortest.then_some(Some(Bound { at, itself }))
    };
    Some(Numbers::Double {
        above: bound(&node.minimum, &node.exclusive_minimum)?,
        below: bound(&node.maximum, &node.exclusive_maximum)?,
    })
}
