//! The table that the judge walks: one node a schema.

use std::sync::{LazyLock, OnceLock};

use serde_json::Value;

use super::decimal::Decimal;
use super::format::Format;
use super::pattern::Pattern;
use super::stream::Stream;

/// Where a node stands in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NodeId(pub(super) usize);

/// A JSON Schema type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Type {
    Null,
    Boolean,
    Integer,
    Number,
    String,
    Array,
    Object,
}

/// What an object takes beside its named properties.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Additional {
    Any,
    Nothing,
    Schema(NodeId),
}

/// One property by name.
#[derive(Debug)]
pub(crate) struct Property {
    pub(crate) name: String,
    pub(crate) node: NodeId,
    /// The name as JSON writes it.
    pub(crate) quoted: String,
}

impl Property {
    pub(super) fn new(name: &str, node: NodeId) -> Self {
        let quoted = Value::from(name).to_string();
        Self { name: name.to_owned(), node, quoted }
    }
}

/// What a report says of a node.
#[derive(Debug)]
pub(crate) struct Right {
    /// What a right value looks like.
    pub(crate) words: String,
    /// A value that is accepted.
    pub(crate) example: Option<Value>,
}

/// One schema, ready to judge a value.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is the answer of one keyword")]
pub(crate) struct Node {
    /// What the normal form has where the value is left out.
    pub(crate) default: Option<Value>,
    /// `false`: nothing is accepted.
    pub(crate) never: bool,
    /// Empty: any type.
    pub(crate) types: Vec<Type>,
    pub(crate) one_of_values: Option<Vec<Value>>,
    /// What the Rust integer type holds, beyond what JSON Schema can say portably.
    pub(crate) integers: (i128, i128),
    /// The Rust type is a float of 32 bits.
    pub(crate) is_single: bool,
    pub(crate) minimum: Option<Decimal>,
    pub(crate) maximum: Option<Decimal>,
    pub(crate) exclusive_minimum: Option<Decimal>,
    pub(crate) exclusive_maximum: Option<Decimal>,
    pub(crate) multiple_of: Option<Decimal>,
    pub(crate) min_length: Option<u64>,
    pub(crate) max_length: Option<u64>,
    pub(crate) pattern: Option<Pattern>,
    pub(crate) format: Option<Format>,
    pub(crate) prefix: Vec<NodeId>,
    pub(crate) items: Option<NodeId>,
    pub(crate) min_items: Option<u64>,
    pub(crate) max_items: Option<u64>,
    pub(crate) unique_items: bool,
    pub(crate) properties: Vec<Property>,
    pub(crate) required: Vec<String>,
    /// Properties that this node or one that it is joined with has and none of them requires.
    pub(crate) may_be_absent: Vec<String>,
    /// Whether it, or a schema that it is joined with, says what an array or object holds.
    pub(crate) is_structured: bool,
    pub(crate) patterns: Vec<(Pattern, NodeId)>,
    pub(crate) additional: Additional,
    pub(crate) property_names: Option<NodeId>,
    pub(crate) min_properties: Option<u64>,
    pub(crate) max_properties: Option<u64>,
    pub(crate) reference: Option<NodeId>,
    pub(crate) all_of: Vec<NodeId>,
    pub(crate) any_of: Vec<NodeId>,
    pub(crate) one_of: Vec<NodeId>,
    pub(crate) not: Option<NodeId>,
    /// Nothing is said but by the schemas that judge the same value.
    pub(crate) only_refers: bool,
    pub(crate) stream: Stream,
    /// Worked out when a report first asks for it.
    pub(crate) right: OnceLock<Right>,
    /// It, or a schema that it asks, says more than is said here: it may accept too much.
    pub(crate) partial: bool,
}

impl Node {
    pub(crate) const fn anything() -> Self {
        Self {
            default: None,
            never: false,
            types: Vec::new(),
            one_of_values: None,
            integers: (i64::MIN as i128, u64::MAX as i128),
            is_single: false,
            minimum: None,
            maximum: None,
            exclusive_minimum: None,
            exclusive_maximum: None,
            multiple_of: None,
            min_length: None,
            max_length: None,
            pattern: None,
            format: None,
            prefix: Vec::new(),
            items: None,
            min_items: None,
            max_items: None,
            unique_items: false,
            properties: Vec::new(),
            required: Vec::new(),
            may_be_absent: Vec::new(),
            is_structured: false,
            patterns: Vec::new(),
            additional: Additional::Any,
            property_names: None,
            min_properties: None,
            max_properties: None,
            reference: None,
            all_of: Vec::new(),
            any_of: Vec::new(),
            one_of: Vec::new(),
            not: None,
            only_refers: false,
            stream: Stream::anything(),
            right: OnceLock::new(),
            partial: false,
        }
    }

    /// What it refers to, where it says nothing but that.
    pub(crate) fn alias_of(&self) -> Option<NodeId> {
        self.reference.filter(|_| self.only_refers && self.in_place().count() == 1)
    }

    /// Whether more than one schema has its say about the same value.
    pub(crate) fn is_joined(&self) -> bool {
        let unions = [&self.any_of, &self.one_of].into_iter().filter(|all| !all.is_empty()).count();
        let own = usize::from(!self.only_refers);
        let others = self.reference.iter().chain(&self.all_of).chain(&self.not).count();
        own + others + unions > 1
    }

    /// The schemas that judge the same value.
    pub(super) fn in_place(&self) -> impl Iterator<Item = NodeId> {
        self.reference
            .iter()
            .chain(&self.all_of)
            .chain(&self.any_of)
            .chain(&self.one_of)
            .chain(&self.not)
            .copied()
    }

    /// Every schema that it asks, about the same value or about one inside it.
    pub(super) fn asked(&self) -> impl Iterator<Item = NodeId> {
        let additional = match self.additional {
            Additional::Schema(id) => Some(id),
            Additional::Any | Additional::Nothing => None,
        };
        self.in_place()
            .chain(self.prefix.iter().copied())
            .chain(self.items)
            .chain(self.properties.iter().map(|property| property.node))
            .chain(self.patterns.iter().map(|(_, id)| *id))
            .chain(additional)
            .chain(self.property_names)
    }

    /// The bounds of numbers.
    pub(super) fn bounds(&self) -> impl Iterator<Item = &Decimal> {
        let least = self.minimum.iter().chain(&self.exclusive_minimum);
        least.chain(&self.maximum).chain(&self.exclusive_maximum)
    }

    /// The least and the greatest integer that the type holds within those bounds that are integers.
    pub(crate) fn integers_within(&self) -> (i128, i128) {
        let (least, most) = self.integers;
        let bound = |bound: &Option<Decimal>| bound.as_ref().and_then(Decimal::integer);
        let (above, below) = (bound(&self.exclusive_minimum), bound(&self.exclusive_maximum));
        let above = above.map(|above| above.saturating_add(1));
        let below = below.map(|below| below.saturating_sub(1));
        (
            bound(&self.minimum).into_iter().chain(above).fold(least, i128::max),
            bound(&self.maximum).into_iter().chain(below).fold(most, i128::min),
        )
    }

    /// Whether values of the type are accepted; where no type is said, all are.
    pub(crate) fn takes(&self, of: Type) -> bool {
        self.types.is_empty() || self.types.contains(&of)
    }

    /// Whether the node itself says what an array or object holds.
    pub(crate) fn has_structure(&self) -> bool {
        !self.properties.is_empty()
            || !self.patterns.is_empty()
            || self.additional != Additional::Any
            || !self.prefix.is_empty()
            || self.items.is_some()
    }

    pub(crate) fn property(&self, name: &str) -> Option<&Property> {
        self.properties.iter().find(|property| property.name == name)
    }
}

/// A whole schema, ready to judge values.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub(super) nodes: Vec<Node>,
    pub(super) root: NodeId,
    /// Judges the normal form where the nodes do not say everything.
    #[cfg(feature = "jsonschema")]
    pub(super) whole: Option<super::whole::Whole>,
}

impl Compiled {
    /// The schema that accepts anything.
    pub(crate) fn anything() -> &'static Self {
        static ANYTHING: LazyLock<Compiled> = LazyLock::new(|| Compiled {
            nodes: vec![Node::anything()],
            root: NodeId(0),
            #[cfg(feature = "jsonschema")]
            whole: None,
        });
        &ANYTHING
    }

    /// Whether the nodes say all that the schema says.
    #[cfg_attr(
        not(feature = "jsonschema"),
        expect(clippy::unused_self, reason = "without the validator of whole schemas all do")
    )]
    pub(crate) const fn is_complete(&self) -> bool {
        #[cfg(feature = "jsonschema")]
        return self.whole.is_none();
        #[cfg(not(feature = "jsonschema"))]
        true
    }

    pub(crate) const fn root(&self) -> NodeId {
        self.root
    }

    #[cfg(feature = "jsonschema")]
    pub(crate) const fn whole(&self) -> Option<&super::whole::Whole> {
        self.whole.as_ref()
    }

    #[expect(clippy::indexing_slicing, reason = "an id is made only where its node is pushed")]
    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0]
    }
}
