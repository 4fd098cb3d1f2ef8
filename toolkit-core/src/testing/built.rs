//! A value built after a schema, each part with the schema that it was built after.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::dice::Dice;
use crate::schema::{Format, sample};

pub(super) type Keywords<'s> = Cow<'s, Map<String, Value>>;

/// A value that follows a schema, as far as one is found.
#[derive(Clone)]
pub(super) struct Built<'s> {
    pub(super) schema: Keywords<'s>,
    pub(super) shape: Shape<'s>,
}

#[derive(Clone)]
pub(super) enum Shape<'s> {
    Leaf(Value),
    List(Vec<Built<'s>>),
    Object(Vec<(String, Built<'s>)>),
}

impl Built<'_> {
    pub(super) fn leaf(value: Value) -> Self {
        Self { schema: Cow::Owned(Map::new()), shape: Shape::Leaf(value) }
    }

    pub(super) fn value(&self) -> Value {
        match &self.shape {
            Shape::Leaf(value) => value.clone(),
            Shape::List(items) => items.iter().map(Self::value).collect(),
            Shape::Object(members) => Value::Object(
                members.iter().map(|(name, value)| (name.clone(), value.value())).collect(),
            ),
        }
    }
}

/// Builds values after a schema.
pub(super) struct Builder<'s> {
    pub(super) root: &'s Value,
    pub(super) dice: Dice,
}

/// Below this, whatever need not be there is left out.
const SHALLOW: i32 = 5;
/// Below this, a schema that still asks for more is given up.
const DEEPEST: i32 = 16;

impl<'s> Builder<'s> {
    pub(super) fn build(&mut self, schema: &'s Value, depth: i32) -> Built<'s> {
        match schema {
            Value::Object(keywords) if depth < DEEPEST => self.by(Cow::Borrowed(keywords), depth),
            _ => Built::leaf(self.anything(1)),
        }
    }

    fn owned(&mut self, schema: &Value, depth: i32) -> Built<'s> {
        match schema {
            Value::Object(keywords) if depth < DEEPEST => {
                self.by(Cow::Owned(keywords.clone()), depth)
            }
            _ => Built::leaf(self.anything(1)),
        }
    }

    /// Any small value.
    pub(super) fn anything(&mut self, depth: usize) -> Value {
        let dice = &mut self.dice;
        match dice.below(if depth == 0 { 5 } else { 7 }) {
            0 => Value::Null,
            1 => Value::Bool(dice.one_in(2)),
            2 => json!(dice.below(300)),
            3 => json!(-1.5),
            4 => Value::from(dice.word(["", "x", "3", "true", "2026-11-30", "ünï", "{}"])),
            5 => (0..dice.below(3)).map(|_| self.anything(depth - 1)).collect(),
            _ => {
                let count = dice.below(3);
                let name = |dice: &mut Dice| dice.word(["a", "b", "id", "name", "kind"]).to_owned();
                (0..count).map(|_| (name(&mut self.dice), self.anything(depth - 1))).collect()
            }
        }
    }

    fn by(&mut self, schema: Keywords<'s>, depth: i32) -> Built<'s> {
        let schema = self.settled(schema, depth);
        let given =
            ["examples", "enum"].iter().find_map(|keyword| schema.get(*keyword)?.as_array());
        let is_closed = schema.contains_key("enum");
        if let Some(values) = given.filter(|_| is_closed || self.dice.one_in(3))
            && let Some(value) = self.dice.pick(values)
        {
            let shape = Shape::Leaf(value.clone());
            return Built { schema, shape };
        }
        if let Some(value) = schema.get("const") {
            let shape = Shape::Leaf(value.clone());
            return Built { schema, shape };
        }
        let shape = match self.of_type(&schema) {
            // Arguments are an object, also where the schema does not say so.
            "" if depth == 0 => Shape::Object(self.members(&schema, depth)),
            "object" => Shape::Object(self.members(&schema, depth)),
            "array" => Shape::List(self.items(&schema, depth)),
            "string" => Shape::Leaf(self.text(&schema)),
            "integer" => Shape::Leaf(self.number(&schema, true)),
            "number" => Shape::Leaf(self.number(&schema, false)),
            "boolean" => Shape::Leaf(Value::Bool(self.dice.one_in(2))),
            "null" => Shape::Leaf(Value::Null),
            _ => Shape::Leaf(self.anything(1)),
        };
        Built { schema, shape }
    }

    /// One schema out of those that judge the same value, a branch of each union chosen.
    fn settled(&mut self, schema: Keywords<'s>, depth: i32) -> Keywords<'s> {
        let mut schema = schema;
        for _ in 0..16 {
            let reference = schema.get("$ref").and_then(Value::as_str).map(str::to_owned);
            if let Some(reference) = reference {
                let target = self.root.pointer(reference.trim_start_matches('#'));
                schema = without(schema, "$ref");
                schema = joined(schema, target);
                continue;
            }
            let Some(keyword) = ["allOf", "anyOf", "oneOf"]
                .into_iter()
                .find(|keyword| schema.contains_key(*keyword))
            else {
                break;
            };
            let branches = schema.get(keyword).and_then(Value::as_array).cloned();
            let branches = branches.unwrap_or_default();
            schema = without(schema, keyword);
            if keyword == "allOf" {
                for branch in branches {
                    schema = joined(schema, Some(&branch));
                }
            } else {
                schema = joined(schema, self.branch(&branches, depth));
            }
        }
        schema
    }

    fn branch<'b>(&mut self, branches: &'b [Value], depth: i32) -> Option<&'b Value> {
        if depth > SHALLOW {
            // What refers to nothing ends.
            let ends = branches.iter().find(|branch| !branch.to_string().contains("\"$ref\""));
            if ends.is_some() {
                return ends;
            }
        }
        self.dice.pick(branches)
    }

    fn of_type<'t>(&mut self, schema: &'t Map<String, Value>) -> &'t str {
        let is_object = ["properties", "required", "additionalProperties", "patternProperties"];
        match schema.get("type") {
            Some(Value::String(name)) => name,
            Some(Value::Array(names)) => {
                self.dice.pick(names).and_then(Value::as_str).unwrap_or_default()
            }
            _ if is_object.iter().any(|keyword| schema.contains_key(*keyword)) => "object",
            _ => "",
        }
    }

    fn members(&mut self, schema: &Keywords<'s>, depth: i32) -> Vec<(String, Built<'s>)> {
        let mut members = Vec::new();
        let required: Vec<&str> = names(schema);
        let none = Map::new();
        let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
        let is_shallow = depth > SHALLOW;
        for (name, property) in properties {
            let left_out = is_shallow || self.dice.one_in(3);
            if !required.contains(&name.as_str()) && left_out {
                continue;
            }
            members.push((name.clone(), self.property(schema, name, property, depth)));
        }
        for name in required.iter().filter(|name| !properties.contains_key(**name)) {
            members.push(((*name).to_owned(), Built::leaf(self.anything(0))));
        }
        let least = count(schema, "minProperties").unwrap_or(0);
        let most = count(schema, "maxProperties").unwrap_or(usize::MAX);
        let mut wanted = if is_shallow { 0 } else { members.len() + self.dice.below(3) };
        wanted = wanted.max(least).min(most);
        for _ in 0..8 {
            if members.len() >= wanted {
                break;
            }
            if let Some((name, value)) = self.other(schema, depth)
                && !members.iter().any(|(given, _)| *given == name)
                && !properties.contains_key(&name)
            {
                members.push((name, value));
            }
        }
        members
    }

    /// A named property; borrowed where its object is, so that nothing is copied for it.
    fn property(
        &mut self,
        schema: &Keywords<'s>,
        name: &str,
        property: &Value,
        depth: i32,
    ) -> Built<'s> {
        match schema {
            Cow::Borrowed(schema) => {
                let property = schema.get("properties").and_then(|all| all.get(name));
                self.build(property.unwrap_or(&Value::Null), depth + 1)
            }
            Cow::Owned(_) => self.owned(property, depth + 1),
        }
    }

    /// A field that is no named property, where the object takes any.
    fn other(&mut self, schema: &Keywords<'s>, depth: i32) -> Option<(String, Built<'s>)> {
        let patterns = schema.get("patternProperties").and_then(Value::as_object);
        let patterns: Vec<(&String, &Value)> = patterns.into_iter().flatten().collect();
        if let Some((pattern, value)) = self.dice.pick(&patterns).copied() {
            let name = sample(pattern, &mut |end| self.dice.below(end))?;
            return Some((name, self.owned(value, depth + 1)));
        }
        let additional = schema.get("additionalProperties").cloned().unwrap_or(Value::Bool(true));
        if additional == Value::Bool(false) {
            return None;
        }
        let names = schema.get("propertyNames").and_then(Value::as_object);
        let name = match names.map(|names| self.by(Cow::Owned(names.clone()), depth).value()) {
            Some(Value::String(name)) => name,
            _ => self.dice.word(["a", "b", "extra", "key 1", "7", "ключ"]).to_owned(),
        };
        Some((name, self.owned(&additional, depth + 1)))
    }

    fn items(&mut self, schema: &Keywords<'s>, depth: i32) -> Vec<Built<'s>> {
        let prefix = schema.get("prefixItems").and_then(Value::as_array).cloned();
        let prefix = prefix.unwrap_or_default();
        let of_items = schema.get("items").cloned().unwrap_or(Value::Bool(true));
        let least = count(schema, "minItems").unwrap_or(0).max(prefix.len());
        let more = if depth > SHALLOW { 0 } else { self.dice.below(4) };
        let most = count(schema, "maxItems").unwrap_or(usize::MAX);
        let most = if of_items == Value::Bool(false) { most.min(prefix.len()) } else { most };
        let wanted = (least.min(64) + more).min(most);
        let unique = schema.get("uniqueItems") == Some(&Value::Bool(true));
        let mut items: Vec<Built<'s>> = Vec::new();
        for _ in 0..wanted * 4 {
            if items.len() == wanted {
                break;
            }
            let of = prefix.get(items.len()).unwrap_or(&of_items);
            let item = self.owned(of, depth + 1);
            if !unique || !items.iter().any(|earlier| earlier.value() == item.value()) {
                items.push(item);
            }
        }
        items
    }

    fn text(&mut self, schema: &Map<String, Value>) -> Value {
        if let Some(pattern) = schema.get("pattern").and_then(Value::as_str)
            && let Some(text) = sample(pattern, &mut |end| self.dice.below(end))
        {
            return text.into();
        }
        let format = schema.get("format").and_then(Value::as_str).and_then(Format::named);
        if let Some(text) = format.and_then(|format| self.dice.pick(format.samples())) {
            return Value::from(*text);
        }
        let least = count(schema, "minLength").unwrap_or(0);
        let most = count(schema, "maxLength").unwrap_or(usize::MAX);
        let texts = ["x", "", "next friday", "3", "true", "O-12", "ünï🦀", "a\"b\\c", "usd", "EUR"];
        let text = self.dice.word(texts);
        let missing = least.saturating_sub(text.chars().count()).min(4_096);
        text.chars().chain(std::iter::repeat_n('y', missing)).take(most).collect::<String>().into()
    }

    fn number(&mut self, schema: &Map<String, Value>, whole: bool) -> Value {
        let bound = |keyword| schema.get(keyword).and_then(Value::as_f64);
        let step = bound("multipleOf");
        let unit = step.unwrap_or(if whole { 1.0 } else { 0.25 });
        let least = bound("minimum").or_else(|| Some(bound("exclusiveMinimum")? + unit));
        let most = bound("maximum").or_else(|| Some(bound("exclusiveMaximum")? - unit));
        if step.is_none() && self.dice.one_in(4) {
            let edges = [schema.get("minimum"), schema.get("maximum")];
            let edges: Vec<&Value> = edges.into_iter().flatten().collect();
            if let Some(edge) = self.dice.pick(&edges) {
                return (*edge).clone();
            }
        }
        let most_steps = if self.dice.one_in(2) { 4 } else { 400 };
        let steps = u16::try_from(self.dice.below(most_steps));
        let steps = f64::from(steps.unwrap_or_default());
        let start = match (least, most) {
            (Some(least), _) => (least / unit).ceil(),
            (None, Some(most)) => (most / unit).floor() - steps,
            (None, None) => -2.0,
        };
        let places = step.map_or(2, |step| step.to_string().split('.').nth(1).map_or(0, str::len));
        let end = most.map_or(f64::MAX, |most| (most / unit).floor());
        let number = (start + steps).min(end) * unit;
        let text = format!("{number:.places$}");
        let parsed = if whole || places == 0 {
            text.split('.').next().and_then(|whole| whole.parse::<i64>().ok()).map(Value::from)
        } else {
            None
        };
        parsed.or_else(|| serde_json::from_str(&text).ok()).unwrap_or(Value::Null)
    }
}

fn names(schema: &Map<String, Value>) -> Vec<&str> {
    let names = schema.get("required").and_then(Value::as_array);
    names.into_iter().flatten().filter_map(Value::as_str).collect()
}

fn count(schema: &Map<String, Value>, keyword: &str) -> Option<usize> {
    schema.get(keyword).and_then(Value::as_u64).and_then(|count| usize::try_from(count).ok())
}

fn without<'s>(schema: Keywords<'s>, keyword: &str) -> Keywords<'s> {
    let mut schema = schema.into_owned();
    schema.shift_remove(keyword);
    Cow::Owned(schema)
}

/// What two schemas say together; where both say something, what the first says.
fn joined<'s>(schema: Keywords<'s>, other: Option<&Value>) -> Keywords<'s> {
    let Some(Value::Object(other)) = other else { return schema };
    let mut schema = schema.into_owned();
    for (keyword, theirs) in other {
        match (keyword.as_str(), schema.get_mut(keyword), theirs) {
            (
                "properties" | "patternProperties",
                Some(Value::Object(own)),
                Value::Object(theirs),
            ) => {
                for (name, theirs) in theirs {
                    own.entry(name).or_insert_with(|| theirs.clone());
                }
            }
            ("required" | "allOf", Some(Value::Array(own)), Value::Array(theirs)) => {
                own.extend(theirs.iter().cloned());
            }
            (_, Some(_), _) => {}
            (_, None, theirs) => {
                schema.insert(keyword.clone(), theirs.clone());
            }
        }
    }
    Cow::Owned(schema)
}
