//! A value that a schema accepts, for a report to show: as small and as plain as one is found.

use std::cell::Cell;

use serde_json::{Map, Value};

use super::judge::{Judge, Place, Subject, double_value, held};
use super::text::read_value;
use super::union::behind;
use crate::limits::Limits;
use crate::schema::{Additional, Compiled, Decimal, Node, NodeId, Type, sample};

/// A value that the schema accepts; none where the search does not find one.
pub(super) fn example(schema: &Compiled, node: &Node) -> Option<Value> {
    Search::of_schema(schema).of(node, 0)
}

/// Whether a node accepts a value as it is written.
pub(super) fn accepts(schema: &Compiled, node: &Node, value: &Value) -> bool {
    Search::of_schema(schema).is_accepted(node, value)
}

/// An item that a list accepts beside those that it has; none where the search finds none.
pub(super) fn another(schema: &Compiled, item: NodeId, items: &[Value]) -> Option<Value> {
    Search::of_schema(schema).another(item, items, 0)
}

/// Deeper examples help nobody, and a type may need itself for ever.
const DEEPEST: usize = 8;

/// A search that takes longer helps nobody: unions in unions multiply.
const MOST_TRIES: usize = 2_000;

struct Search<'s> {
    schema: &'s Compiled,
    limits: Limits,
    /// Values that may still be made.
    left: Cell<usize>,
}

impl<'s> Search<'s> {
    fn of_schema(schema: &'s Compiled) -> Self {
        Self { schema, limits: Limits::default(), left: Cell::new(MOST_TRIES) }
    }

    fn of(&self, node: &Node, depth: usize) -> Option<Value> {
        let node = behind(self.schema, node);
        self.left.set(self.left.get().saturating_sub(1));
        if node.never || depth > DEEPEST || self.left.get() == 0 {
            return None;
        }
        self.tries(node, depth).into_iter().find(|value| self.is_accepted(node, value))
    }

    fn is_accepted(&self, node: &Node, value: &Value) -> bool {
        let text = value.to_string();
        let Some(json) = read_value(&text, &self.limits) else { return false };
        let mut judge = Judge::asking(self.schema, &self.limits);
        judge.node(node, &Subject::whole(&json), &Place::Root);
        judge.problems.is_empty()
    }

    fn tries(&self, node: &Node, depth: usize) -> Vec<Value> {
        if let Some(values) = &node.one_of_values {
            return values.clone();
        }
        let mut tries = self.own(node, depth);
        let parts = || node.reference.iter().chain(&node.all_of);
        let of = |id: &NodeId| self.of(self.schema.node(*id), depth + 1);
        let joined: Vec<Value> = parts().filter_map(of).collect();
        // What one schema accepts the whole may refuse, so more than one of each is tried.
        let some_of = |id: &NodeId| {
            let part = behind(self.schema, self.schema.node(*id));
            let tries = if depth < DEEPEST { self.tries(part, depth + 1) } else { Vec::new() };
            tries.into_iter().take(16)
        };
        let branches: Vec<Value> =
            node.any_of.iter().chain(&node.one_of).flat_map(some_of).collect();
        if !joined.is_empty() || !branches.is_empty() {
            let base = tries.first().into_iter().chain(&joined);
            let base: Vec<&Value> = base.collect();
            let mut whole: Vec<Value> = branches
                .iter()
                .filter(|branch| !branch.is_null())
                .filter_map(|branch| merged(base.iter().copied().chain([branch])))
                .collect();
            whole.extend(merged(base.iter().copied()));
            tries.splice(0..0, whole);
        }
        tries.extend(joined);
        tries.extend(branches);
        tries.extend(parts().flat_map(some_of));
        tries
    }

    /// What the node itself says, plainest first.
    fn own(&self, node: &Node, depth: usize) -> Vec<Value> {
        let mut tries = Vec::new();
        for of in node.types.iter().filter(|of| **of != Type::Null) {
            match of {
                Type::Null => {}
                Type::Boolean => tries.extend([true.into(), false.into()]),
                Type::Integer | Type::Number => tries.extend(numbers(node)),
                Type::String => tries.extend(texts(node)),
                Type::Array => tries.extend(self.list(node, 0, depth)),
                Type::Object => tries.extend(self.object(node, 0, depth)),
            }
        }
        if node.types.contains(&Type::Null) {
            tries.push(Value::Null);
        }
        if node.types.is_empty() && !node.only_refers {
            tries.extend(self.object(node, 0, depth).filter(|_| node.has_structure()));
            tries.extend(["x".into(), 1.into(), true.into(), Value::Null]);
        }
        tries
    }

    /// A list with so many items more than it needs.
    fn list(&self, node: &Node, more: usize, depth: usize) -> Option<Value> {
        const MOST: usize = 8;
        let least =
            usize::try_from(node.min_items.unwrap_or(0)).ok().filter(|n| *n <= MOST)? + more;
        let mut items: Vec<Value> = Vec::new();
        while items.len() < least.max(node.prefix.len()) {
            let item = node.prefix.get(items.len()).or(node.items.as_ref());
            items.push(match item {
                Some(item) if node.unique_items => self.another(*item, &items, depth)?,
                Some(item) => self.of(self.schema.node(*item), depth + 1)?,
                None => items.len().into(),
            });
        }
        Some(Value::Array(items))
    }

    /// An item unlike those that are there.
    fn another(&self, id: NodeId, items: &[Value], depth: usize) -> Option<Value> {
        let node = behind(self.schema, self.schema.node(id));
        let mut tries = self.tries(node, depth + 1);
        if let Some(first) = tries.first().cloned() {
            tries.extend(self.list(node, 1, depth + 1).filter(|_| first.is_array()));
            tries.extend(self.object(node, 1, depth + 1).filter(|_| first.is_object()));
            let text = first.as_str().map(|text| format!("{text}{}", items.len()).into());
            let number =
                first.as_i64().and_then(|n| n.checked_add(i64::try_from(items.len()).ok()?));
            tries.extend(text.into_iter().chain(number.map(Value::from)));
            tries.extend(self.varied(node, &first, items, depth));
        }
        tries.into_iter().find(|item| !items.contains(item) && self.is_accepted(node, item))
    }

    /// A value with one part of it unlike the same part of those that are there.
    fn varied(&self, node: &Node, value: &Value, others: &[Value], depth: usize) -> Vec<Value> {
        if depth >= DEEPEST || self.left.get() == 0 {
            return Vec::new();
        }
        let unlike = |id: NodeId, part: &dyn Fn(&Value) -> Option<Value>| {
            let taken: Vec<Value> = others.iter().chain([value]).filter_map(part).collect();
            self.another(id, &taken, depth + 1)
        };
        match value {
            Value::Array(items) => (0..items.len())
                .filter_map(|index| {
                    let id = node.prefix.get(index).or(node.items.as_ref())?;
                    let part = unlike(*id, &|other| other.get(index).cloned())?;
                    let mut varied = items.clone();
                    *varied.get_mut(index)? = part;
                    Some(Value::Array(varied))
                })
                .collect(),
            Value::Object(members) => members
                .keys()
                .filter_map(|name| {
                    let id = node.property(name)?.node;
                    let part = unlike(id, &|other| other.get(name).cloned())?;
                    let mut varied = members.clone();
                    varied.insert(name.clone(), part);
                    Some(Value::Object(varied))
                })
                .collect(),
            _ => Vec::new(),
        }
    }

    /// An object with so many fields more than it needs.
    fn object(&self, node: &Node, more: usize, depth: usize) -> Option<Value> {
        let mut members = Map::new();
        for name in &node.required {
            let value = match node.property(name) {
                Some(property) => self.of(self.schema.node(property.node), depth + 1)?,
                None => self.other(node, depth).map_or_else(|| "x".into(), |(_, value)| value),
            };
            members.insert(name.clone(), value);
        }
        let least = usize::try_from(node.min_properties.unwrap_or(0)).unwrap_or(usize::MAX);
        let least = least.max(members.len() + more);
        for property in &node.properties {
            if members.len() < least && !members.contains_key(&property.name) {
                let value = self.of(self.schema.node(property.node), depth + 1)?;
                members.insert(property.name.clone(), value);
            }
        }
        if members.len() < least {
            members.extend(self.other(node, depth));
        }
        Some(Value::Object(members))
    }

    /// A field of a map.
    fn other(&self, node: &Node, depth: usize) -> Option<(String, Value)> {
        if let Some((pattern, schema)) = node.patterns.first() {
            let name = sample(&pattern.text, &mut |_| 0)?;
            return Some((name, self.of(self.schema.node(*schema), depth + 1)?));
        }
        let value = match node.additional {
            Additional::Nothing => return None,
            Additional::Any => "x".into(),
            Additional::Schema(schema) => self.of(self.schema.node(schema), depth + 1)?,
        };
        let name =
            node.property_names.and_then(|names| self.of(self.schema.node(names), depth + 1));
        let name = name.as_ref().and_then(Value::as_str).unwrap_or("name");
        Some((name.to_owned(), value))
    }
}

/// Objects laid over each other, the first one's members first; of other values the last.
fn merged<'v, I: Iterator<Item = &'v Value>>(values: I) -> Option<Value> {
    values.cloned().reduce(|whole, part| match (whole, part) {
        (Value::Object(mut whole), Value::Object(part)) => {
            whole.extend(part);
            Value::Object(whole)
        }
        (_, part) => part,
    })
}

fn texts(node: &Node) -> Vec<Value> {
    let mut texts: Vec<String> = Vec::new();
    if let Some(pattern) = &node.pattern {
        // The shortest first; a longer one where a length or a format wants it.
        texts.extend((0..4).filter_map(|choice| {
            sample(&pattern.text, &mut |end| if choice < end { choice } else { 0 })
        }));
        texts.extend(sample(&pattern.text, &mut |end| end.saturating_sub(1)));
    }
    if let Some(format) = node.format {
        texts.extend(format.samples().iter().map(|text| (*text).to_owned()));
    }
    let least = usize::try_from(node.min_length.unwrap_or(1)).unwrap_or(usize::MAX);
    if node.pattern.is_none() && node.format.is_none() && least <= 256 {
        texts.push("x".repeat(least));
        texts.push(String::new());
    }
    texts.into_iter().map(Value::from).collect()
}

fn numbers(node: &Node) -> Vec<Value> {
    let plain =
        |bound: &Option<Decimal>| bound.as_ref().map(|bound| double_value(bound).to_string());
    let (least, most) = node.integers_within();
    let mut texts: Vec<String> = Vec::new();
    texts.extend(["0", "1"].map(str::to_owned));
    texts.extend(plain(&node.minimum));
    texts.extend(["-1", "0.5"].map(str::to_owned));
    texts.extend(plain(&node.maximum));
    let double = |bound: &Option<Decimal>| bound.as_ref().and_then(Decimal::double);
    let below = double(&node.exclusive_minimum).or_else(|| double(&node.minimum));
    let above = double(&node.exclusive_maximum).or_else(|| double(&node.maximum));
    match (below, above) {
        (Some(below), Some(above)) => texts.push(f64::midpoint(below, above).to_string()),
        (Some(below), None) => texts.push((below.floor() + 1.0).to_string()),
        (None, Some(above)) => texts.push((above.ceil() - 1.0).to_string()),
        (None, None) => {}
    }
    if let Some(step) = node.multiple_of.as_ref().and_then(Decimal::double) {
        let first = below.or(above).map_or(0.0, |bound| (bound / step).floor());
        let places = step.to_string().split('.').nth(1).map_or(0, str::len);
        let multiples = (-1_i8..=4).map(|k| format!("{:.places$}", (first + f64::from(k)) * step));
        texts.extend(multiples);
    }
    texts.extend([least.to_string(), most.to_string()]);
    let value = |text: String| Some(held(node, &text, Decimal::read(&text)?)?.1);
    texts.into_iter().filter_map(value).collect()
}
