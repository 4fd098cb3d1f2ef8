//! Compiles the published schema into the table that the judge walks.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::{Map, Value};

use super::decimal::Decimal;
use super::format::Format;
use super::keyword::{self, Role};
use super::node::{Additional, Compiled, Node, NodeId, Property, Type};
use super::pattern::Pattern;
use super::stream::plan;
#[cfg(feature = "jsonschema")]
use super::whole::Whole;

/// How a schema is to be read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reading {
    /// What is left out comes into the normal form as its default.
    pub(crate) writes_defaults: bool,
    /// Values are judged as they are: null is no absence, and formats are annotations.
    pub(crate) bare: bool,
    /// Schemas that may be referred to by their address; nothing is ever fetched.
    #[cfg_attr(
        not(feature = "jsonschema"),
        expect(dead_code, reason = "only the validator of the whole schema follows addresses")
    )]
    pub(crate) others: BTreeMap<String, Value>,
}

/// Compiles a schema; every reason why it can not be where it can not.
///
/// `writes_defaults`: what is left out comes into the normal form as its default.
pub(crate) fn compile(schema: &Value, writes_defaults: bool) -> Result<Compiled, Vec<String>> {
    compile_as(schema, &Reading { writes_defaults, ..Reading::default() })
}

/// Compiles a schema that is to be read in some way.
pub(crate) fn compile_as(schema: &Value, reading: &Reading) -> Result<Compiled, Vec<String>> {
    let mut compiler = Compiler::new(schema, reading);
    let root = compiler.schema(schema, "#");
    compiler.finish();
    if !compiler.faults.is_empty() {
        return Err(compiler.faults);
    }
    #[cfg(feature = "jsonschema")]
    let whole = match compiler.foreign.as_slice() {
        [] => None,
        foreign => Some(Whole::compile(schema, reading, foreign)?),
    };
    Ok(Compiled {
        nodes: compiler.nodes,
        root,
        #[cfg(feature = "jsonschema")]
        whole,
    })
}

/// Compiles the part of a schema at a place, as far as it says what is known here.
#[cfg(feature = "jsonschema")]
pub(super) fn compile_part(schema: &Value, part: &Value, bare: bool) -> Option<Compiled> {
    let reading = Reading { bare, ..Reading::default() };
    let mut compiler = Compiler::new(schema, &reading);
    let root = compiler.schema(part, "#");
    compiler.finish();
    let Compiler { nodes, faults, .. } = compiler;
    faults.is_empty().then_some(Compiled { nodes, root, whole: None })
}

/// Where a schema says what only the validator of the whole schema understands.
#[cfg(feature = "jsonschema")]
#[derive(Debug)]
pub(super) struct Foreign {
    pub(super) at: String,
    pub(super) what: What,
}

/// What only that validator understands.
#[derive(Debug, Clone)]
pub(super) enum What {
    Keyword(String),
    Reference(String),
    Dialect(String),
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Keyword(keyword) => write!(f, "uses the keyword `{keyword}`"),
            Self::Reference(reference) => write!(f, "refers to {reference:?}"),
            Self::Dialect(dialect) => write!(f, "is written in the dialect {dialect:?}"),
        }
    }
}

pub(super) fn is_rust_format(name: &str) -> bool {
    integers_of(name).is_some() || matches!(name, "float" | "double" | "int128" | "uint128")
}

/// What an integer type holds, by the name that schemars gives its format.
pub(crate) fn integers_of(format: &str) -> Option<(i128, i128)> {
    Some(match format {
        "int8" => (i8::MIN.into(), i8::MAX.into()),
        "int16" => (i16::MIN.into(), i16::MAX.into()),
        "int32" => (i32::MIN.into(), i32::MAX.into()),
        "int64" | "int" => (i64::MIN.into(), i64::MAX.into()),
        "uint8" => (0, u8::MAX.into()),
        "uint16" => (0, u16::MAX.into()),
        "uint32" => (0, u32::MAX.into()),
        "uint64" | "uint" => (0, u64::MAX.into()),
        _ => return None,
    })
}

/// Keeps of the allowed values those that this keyword allows, too.
fn allow_only(node: &mut Node, values: &[Value]) {
    match &mut node.one_of_values {
        Some(allowed) => allowed.retain(|value| values.contains(value)),
        None => node.one_of_values = Some(values.to_vec()),
    }
}

/// What nodes that are joined have and require together.
#[derive(Clone, Default)]
struct Joined {
    declared: BTreeSet<String>,
    required: BTreeSet<String>,
    is_structured: bool,
}

struct Compiler<'a> {
    document: &'a Value,
    reading: &'a Reading,
    /// Whether a schema inside the document has an address of its own, so that what `#` stands
    /// for depends on the place.
    is_bundle: bool,
    nodes: Vec<Node>,
    /// The references that were followed, and where they lead.
    seen: Vec<(String, NodeId)>,
    #[cfg(feature = "jsonschema")]
    foreign: Vec<Foreign>,
    faults: Vec<String>,
}

impl<'a> Compiler<'a> {
    fn new(document: &'a Value, reading: &'a Reading) -> Self {
        Self {
            document,
            reading,
            is_bundle: keyword::is_bundle(document),
            nodes: Vec::new(),
            seen: Vec::new(),
            #[cfg(feature = "jsonschema")]
            foreign: Vec::new(),
            faults: Vec::new(),
        }
    }

    /// What can be told only when all nodes are there.
    fn finish(&mut self) {
        self.refuse_loops();
        if self.faults.is_empty() {
            self.spread_partial();
            self.join();
            plan(&mut self.nodes);
        }
    }

    fn fault(&mut self, at: &str, message: &str) {
        self.faults.push(format!("the schema at {at} {message}"));
    }

    fn schema(&mut self, schema: &'a Value, at: &str) -> NodeId {
        let id = NodeId(self.nodes.len());
        self.nodes.push(Node::anything());
        let node = match schema {
            Value::Bool(accepts) => Node { never: !accepts, ..Node::anything() },
            Value::Object(keywords) => self.keywords(keywords, at),
            _ => {
                self.fault(at, "is neither an object nor true nor false");
                Node::anything()
            }
        };
        if let Some(place) = self.nodes.get_mut(id.0) {
            *place = node;
        }
        id
    }

    fn keywords(&mut self, keywords: &'a Map<String, Value>, at: &str) -> Node {
        let mut node = Node::anything();
        if let Some(dialect) = keyword::other_dialect(keywords) {
            self.leave(&mut node, at, &What::Dialect(dialect.to_owned()));
            return node;
        }
        let mut speaks = false;
        for (keyword, value) in keywords {
            let own = self.scalar(&mut node, keyword, value, at)
                || self.structure(&mut node, keyword, value, at);
            speaks |= own;
            if !own && !self.same_value(&mut node, keyword, value, at) {
                self.other(&mut node, keyword, at);
            }
        }
        node.default = keywords.get("default").filter(|_| self.reading.writes_defaults).cloned();
        node.only_refers = !speaks && node.in_place().any(|id| Some(id) != node.not);
        self.compare_with_type(&node, at);
        node
    }

    /// Leaves a keyword to the validator of the whole schema.
    fn leave(&mut self, node: &mut Node, at: &str, what: &What) {
        node.partial = true;
        #[cfg(feature = "jsonschema")]
        self.foreign.push(Foreign { at: at.to_owned(), what: what.clone() });
        #[cfg(not(feature = "jsonschema"))]
        self.fault(at, &format!("{what}; the feature `jsonschema` of toolkit takes it"));
    }

    /// Keywords that the judge does not ask about.
    fn other(&mut self, node: &mut Node, keyword: &str, at: &str) {
        match keyword::role(keyword) {
            Role::Annotation => {}
            Role::Foreign => self.leave(node, at, &What::Keyword(keyword.to_owned())),
            Role::Mistake { right } => {
                let message = format!(
                    "uses the keyword `{keyword}`, which JSON Schema does not have; write `{right}`"
                );
                self.fault(at, &message);
            }
        }
    }

    /// Keywords about a value that holds no other.
    fn scalar(&mut self, node: &mut Node, keyword: &str, value: &'a Value, at: &str) -> bool {
        match keyword {
            "type" => node.types = self.types(value, at),
            "enum" => match value {
                Value::Array(values) if values.is_empty() => node.never = true,
                Value::Array(values) => allow_only(node, values),
                _ => self.fault(at, "has an `enum` that is no array"),
            },
            "const" => allow_only(node, std::slice::from_ref(value)),
            "required" => node.required = self.names(value, at),
            "minimum" => node.minimum = self.decimal(keyword, value, at),
            "maximum" => node.maximum = self.decimal(keyword, value, at),
            "exclusiveMinimum" => node.exclusive_minimum = self.decimal(keyword, value, at),
            "exclusiveMaximum" => node.exclusive_maximum = self.decimal(keyword, value, at),
            "multipleOf" => node.multiple_of = self.step(value, at),
            "minLength" => node.min_length = self.count(keyword, value, at),
            "maxLength" => node.max_length = self.count(keyword, value, at),
            "minItems" => node.min_items = self.count(keyword, value, at),
            "maxItems" => node.max_items = self.count(keyword, value, at),
            "minProperties" => node.min_properties = self.count(keyword, value, at),
            "maxProperties" => node.max_properties = self.count(keyword, value, at),
            "uniqueItems" => node.unique_items = value == &Value::Bool(true),
            "pattern" => node.pattern = self.pattern(value.as_str(), at),
            "format" => self.format(node, value, at),
            _ => return false,
        }
        true
    }

    /// Keywords that hold schemas.
    fn structure(&mut self, node: &mut Node, keyword: &str, value: &'a Value, at: &str) -> bool {
        let inner = format!("{at}/{keyword}");
        match keyword {
            "properties" => self.properties(node, value, &inner),
            "patternProperties" => self.pattern_properties(node, value, &inner),
            "additionalProperties" => {
                node.additional = match value {
                    Value::Bool(true) => Additional::Any,
                    Value::Bool(false) => Additional::Nothing,
                    schema => Additional::Schema(self.schema(schema, &inner)),
                };
            }
            "propertyNames" => node.property_names = Some(self.schema(value, &inner)),
            "prefixItems" => node.prefix = self.list(value, &inner),
            "items" => node.items = Some(self.schema(value, &inner)),
            _ => return false,
        }
        true
    }

    /// Keywords that judge the same value by other schemas.
    fn same_value(&mut self, node: &mut Node, keyword: &str, value: &'a Value, at: &str) -> bool {
        let inner = format!("{at}/{keyword}");
        match keyword {
            "allOf" => node.all_of = self.list(value, &inner),
            "anyOf" => node.any_of = self.list(value, &inner),
            "oneOf" => node.one_of = self.list(value, &inner),
            "not" => node.not = Some(self.schema(value, &inner)),
            "$ref" => self.reference(node, value, at),
            _ => return false,
        }
        true
    }

    fn names(&mut self, value: &Value, at: &str) -> Vec<String> {
        let names: Option<Vec<String>> = value
            .as_array()
            .and_then(|names| names.iter().map(|name| name.as_str().map(str::to_owned)).collect());
        if names.is_none() {
            self.fault(at, "has a `required` that is no array of names");
        }
        names.unwrap_or_default()
    }

    /// A bound that the Rust type can not reach would promise what no call can keep.
    fn compare_with_type(&mut self, node: &Node, at: &str) {
        let (least, most) = node.integers;
        if node.integers == Node::anything().integers {
            return;
        }
        for (keyword, bound) in [("minimum", &node.minimum), ("maximum", &node.maximum)] {
            let integer = bound.as_ref().and_then(Decimal::integer);
            if let Some(bound) = integer.filter(|bound| !(least..=most).contains(bound)) {
                let message =
                    format!("has a `{keyword}` of {bound}, and its type holds {least} to {most}");
                self.fault(at, &message);
            }
        }
    }

    fn types(&mut self, value: &Value, at: &str) -> Vec<Type> {
        let names = match value {
            Value::Array(names) => names.as_slice(),
            one => std::slice::from_ref(one),
        };
        let mut types = Vec::new();
        if names.is_empty() {
            self.fault(at, "has a `type` of no names");
        }
        for name in names {
            types.push(match name.as_str() {
                Some("null") => Type::Null,
                Some("boolean") => Type::Boolean,
                Some("integer") => Type::Integer,
                Some("number") => Type::Number,
                Some("string") => Type::String,
                Some("array") => Type::Array,
                Some("object") => Type::Object,
                _ => {
                    self.fault(
                        at,
                        &format!("names the type {name}, which JSON Schema does not have"),
                    );
                    continue;
                }
            });
        }
        types
    }

    fn decimal(&mut self, keyword: &str, value: &Value, at: &str) -> Option<Decimal> {
        let read = match value {
            Value::Number(number) => Decimal::read(&number.to_string()),
            _ => None,
        };
        if read.is_none() {
            self.fault(at, &format!("has a `{keyword}` that is no number"));
        }
        read
    }

    fn step(&mut self, value: &Value, at: &str) -> Option<Decimal> {
        let step = self.decimal("multipleOf", value, at)?;
        if Decimal::read("0").is_some_and(|zero| step > zero) {
            return Some(step);
        }
        self.fault(at, "has a `multipleOf` that is not greater than 0");
        None
    }

    fn count(&mut self, keyword: &str, value: &Value, at: &str) -> Option<u64> {
        let count = self.decimal(keyword, value, at)?.integer().and_then(|n| u64::try_from(n).ok());
        if count.is_none() {
            self.fault(at, &format!("has a `{keyword}` that is no whole number from 0"));
        }
        count
    }

    fn pattern(&mut self, text: Option<&str>, at: &str) -> Option<Pattern> {
        let compiled =
            text.ok_or_else(|| "pattern is no text".to_owned()).and_then(Pattern::compile);
        compiled.map_err(|reason| self.fault(at, &format!("can not be compiled: {reason}"))).ok()
    }

    fn format(&mut self, node: &mut Node, value: &Value, at: &str) {
        let name = value.as_str().filter(|_| !self.reading.bare).unwrap_or_default();
        if let Some(integers) = integers_of(name) {
            node.integers = integers;
        } else if name == "float" {
            node.is_single = true;
        } else if matches!(name, "int128" | "uint128") {
            self.fault(
                at,
                "is a 128-bit integer, which JSON can not carry everywhere; take a String",
            );
        }
        node.format = Format::named(name);
    }

    fn properties(&mut self, node: &mut Node, value: &'a Value, at: &str) {
        let Value::Object(named) = value else {
            return self.fault(at, "is no object");
        };
        for (name, schema) in named {
            let property = self.schema(schema, &format!("{at}/{name}"));
            node.properties.push(Property::new(name, property));
        }
    }

    fn pattern_properties(&mut self, node: &mut Node, value: &'a Value, at: &str) {
        let Value::Object(named) = value else {
            return self.fault(at, "is no object");
        };
        for (text, schema) in named {
            let id = self.schema(schema, &format!("{at}/{text}"));
            let pattern = self.pattern(Some(text), at);
            node.patterns.extend(pattern.map(|pattern| (pattern, id)));
        }
    }

    fn list(&mut self, value: &'a Value, at: &str) -> Vec<NodeId> {
        let Value::Array(schemas) = value else {
            self.fault(at, "is no array");
            return Vec::new();
        };
        schemas
            .iter()
            .enumerate()
            .map(|(i, schema)| self.schema(schema, &format!("{at}/{i}")))
            .collect()
    }

    fn reference(&mut self, node: &mut Node, value: &Value, at: &str) {
        let text = value.as_str().unwrap_or_default();
        let pointer = text.strip_prefix('#').filter(|p| p.is_empty() || p.starts_with('/'));
        let (Some(pointer), false) = (pointer, self.is_bundle) else {
            return self.leave(node, at, &What::Reference(text.to_owned()));
        };
        if let Some((_, id)) = self.seen.iter().find(|(seen, _)| seen == text) {
            node.reference = Some(*id);
            return;
        }
        let pointer = keyword::percent_decoded(pointer);
        let target = pointer.and_then(|pointer| self.document.pointer(&pointer));
        let Some(target) = target else {
            return self.fault(at, &format!("refers to {text:?}, which is not in it"));
        };
        // Known before it is compiled, so that a recursive type ends.
        let id = NodeId(self.nodes.len());
        self.seen.push((text.to_owned(), id));
        node.reference = Some(self.schema(target, text));
    }

    /// A node is partial, too, where one that it asks is.
    fn spread_partial(&mut self) {
        loop {
            let mut found = Vec::new();
            for (index, node) in self.nodes.iter().enumerate().rev() {
                let is_partial = |id: NodeId| self.nodes.get(id.0).is_some_and(|n| n.partial);
                if !node.partial && node.asked().any(is_partial) {
                    found.push(index);
                }
            }
            if found.is_empty() {
                return;
            }
            for index in found {
                if let Some(node) = self.nodes.get_mut(index) {
                    node.partial = true;
                }
            }
        }
    }

    /// Finds the properties whose null is absence, and which nodes have structure, over all nodes
    /// that are joined.
    fn join(&mut self) {
        let mut known: Vec<Option<Joined>> = self.nodes.iter().map(|_| None).collect();
        for index in 0..self.nodes.len() {
            let Joined { declared, required, is_structured } =
                self.joined(NodeId(index), &mut known);
            if let Some(node) = self.nodes.get_mut(index) {
                if !self.reading.bare {
                    node.may_be_absent = declared.difference(&required).cloned().collect();
                }
                node.is_structured = is_structured;
            }
        }
    }

    fn joined(&self, id: NodeId, known: &mut [Option<Joined>]) -> Joined {
        if let Some(Some(joined)) = known.get(id.0) {
            return joined.clone();
        }
        let Some(node) = self.nodes.get(id.0) else { return Joined::default() };
        let mut joined = Joined {
            declared: node.properties.iter().map(|property| property.name.clone()).collect(),
            required: node.required.iter().cloned().collect(),
            is_structured: node.has_structure(),
        };
        // Schemas that ask themselves were refused, so this ends.
        for part in node.reference.iter().chain(&node.all_of) {
            let Joined { declared, required, is_structured } = self.joined(*part, known);
            joined.declared.extend(declared);
            joined.required.extend(required);
            joined.is_structured |= is_structured;
        }
        if let Some(place) = known.get_mut(id.0) {
            *place = Some(joined.clone());
        }
        joined
    }

    /// A schema that asks itself about the same value would never answer.
    fn refuse_loops(&mut self) {
        const NEW: u8 = 0;
        const OPEN: u8 = 1;
        const DONE: u8 = 2;
        let mut state = vec![NEW; self.nodes.len()];
        let mut looping = false;
        for start in 0..self.nodes.len() {
            let mut stack = vec![(NodeId(start), false)];
            while let Some((id, leaving)) = stack.pop() {
                let (Some(place), Some(node)) = (state.get_mut(id.0), self.nodes.get(id.0)) else {
                    continue;
                };
                if leaving {
                    *place = DONE;
                } else if *place == OPEN {
                    looping = true;
                } else if *place == NEW {
                    *place = OPEN;
                    stack.push((id, true));
                    stack.extend(node.in_place().map(|inner| (inner, false)));
                }
            }
        }
        if looping {
            self.faults.push("the schema refers to itself without going into the value".to_owned());
        }
    }
}
