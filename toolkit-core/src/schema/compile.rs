//! Compiles the published schema into the table that the judge walks.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::decimal::Decimal;
use super::format::Format;
use super::node::{Additional, Compiled, Node, NodeId, Pattern, Property, Type};
use super::pattern;

/// Compiles a schema; every reason why it can not be where it can not.
///
/// `writes_defaults`: what is left out comes into the normal form as its default.
pub(crate) fn compile(schema: &Value, writes_defaults: bool) -> Result<Compiled, Vec<String>> {
    let mut compiler = Compiler {
        document: schema,
        writes_defaults,
        nodes: Vec::new(),
        seen: Vec::new(),
        faults: Vec::new(),
    };
    let root = compiler.schema(schema, "#");
    compiler.refuse_loops();
    if compiler.faults.is_empty() {
        compiler.find_absent();
        Ok(Compiled { nodes: compiler.nodes, root })
    } else {
        Err(compiler.faults)
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
}

struct Compiler<'a> {
    document: &'a Value,
    writes_defaults: bool,
    nodes: Vec<Node>,
    /// The references that were followed, and where they lead.
    seen: Vec<(String, NodeId)>,
    faults: Vec<String>,
}

impl<'a> Compiler<'a> {
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
        let mut speaks = false;
        for (keyword, value) in keywords {
            let own = self.scalar(&mut node, keyword, value, at)
                || self.structure(&mut node, keyword, value, at);
            let known = own || self.same_value(&mut node, keyword, value, at);
            speaks |= own;
            if !known && !is_annotation(keyword) {
                self.fault(at, &format!("uses the keyword `{keyword}`, which is not supported"));
            }
        }
        node.default = keywords.get("default").filter(|_| self.writes_defaults).cloned();
        node.only_refers = !speaks && node.in_place().any(|id| Some(id) != node.not);
        self.compare_with_type(&node, at);
        node
    }

    /// Keywords about a value that holds no other.
    fn scalar(&mut self, node: &mut Node, keyword: &str, value: &'a Value, at: &str) -> bool {
        match keyword {
            "type" => node.types = self.types(value, at),
            "enum" => match value {
                Value::Array(values) if !values.is_empty() => allow_only(node, values),
                _ => self.fault(at, "has an `enum` that is no array of at least one value"),
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
            "$ref" => node.reference = self.reference(value, at),
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
        let compiled = text
            .ok_or_else(|| "pattern is no text".to_owned())
            .and_then(|text| Ok(Pattern { text: text.to_owned(), regex: pattern::compile(text)? }));
        compiled.map_err(|reason| self.fault(at, &format!("can not be compiled: {reason}"))).ok()
    }

    fn format(&mut self, node: &mut Node, value: &Value, at: &str) {
        let name = value.as_str().unwrap_or_default();
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
            node.properties.push(Property { name: name.clone(), node: property });
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

    fn reference(&mut self, value: &Value, at: &str) -> Option<NodeId> {
        let text = value.as_str().unwrap_or_default();
        if let Some((_, id)) = self.seen.iter().find(|(seen, _)| seen == text) {
            return Some(*id);
        }
        let target = text.strip_prefix('#').and_then(|pointer| self.document.pointer(pointer));
        let Some(target) = target else {
            self.fault(at, &format!("refers to {text:?}, which is not in it"));
            return None;
        };
        // Known before it is compiled, so that a recursive type ends.
        let id = NodeId(self.nodes.len());
        self.seen.push((text.to_owned(), id));
        Some(self.schema(target, text))
    }

    /// Finds the properties whose null is absence, over all nodes that are joined.
    fn find_absent(&mut self) {
        let mut known: Vec<Option<Joined>> = self.nodes.iter().map(|_| None).collect();
        for index in 0..self.nodes.len() {
            let Joined { declared, required } = self.joined(NodeId(index), &mut known);
            if let Some(node) = self.nodes.get_mut(index) {
                node.may_be_absent = declared.difference(&required).cloned().collect();
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
        };
        // Schemas that ask themselves were refused, so this ends.
        for part in node.reference.iter().chain(&node.all_of) {
            let Joined { declared, required } = self.joined(*part, known);
            joined.declared.extend(declared);
            joined.required.extend(required);
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

/// Keywords that say something to a reader and nothing to a validator.
fn is_annotation(keyword: &str) -> bool {
    matches!(
        keyword,
        "title"
            | "description"
            | "default"
            | "examples"
            | "deprecated"
            | "readOnly"
            | "writeOnly"
            | "$comment"
            | "$schema"
            | "$id"
            | "$defs"
            | "definitions"
            | "contentEncoding"
            | "contentMediaType"
    ) || keyword.starts_with("x-")
}
