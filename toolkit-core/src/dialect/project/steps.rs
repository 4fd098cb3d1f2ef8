//! The way back: from arguments as a model wrote them to arguments of the full schema.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::fits::{Case, fits};
use crate::arguments::Flaw;
use crate::problem::{Path, Problem, ProblemKind, quoted};

/// Deeper values are refused by the dispatcher whatever they say.
const DEPTH: usize = 128;

/// Characters of a received text that a problem shows.
const SHOWN_CHARS: usize = 80;

/// What is done to one value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Step {
    Same,
    /// What the definition of that name does.
    Reference(String),
    Object {
        fields: Vec<(String, Self)>,
        /// The fields whose null stands for absence.
        absent: Vec<String>,
        rest: Box<Self>,
    },
    Array {
        first: Vec<Self>,
        rest: Box<Self>,
    },
    /// A list of pairs to a map.
    Pairs(Box<Self>),
    /// JSON text in a string to the value.
    Text,
    /// Names that may come in other case.
    Names(Vec<String>),
    /// That of the first form that the value has.
    Either(Vec<(Value, Self)>),
}

impl Step {
    /// One that does something, or none.
    pub(super) fn object(
        fields: Vec<(String, Self)>,
        absent: Vec<String>,
        rest: Option<Self>,
    ) -> Self {
        let fields: Vec<_> = fields.into_iter().filter(|(_, step)| *step != Self::Same).collect();
        let rest = rest.unwrap_or(Self::Same);
        if fields.is_empty() && absent.is_empty() && rest == Self::Same {
            return Self::Same;
        }
        Self::Object { fields, absent, rest: Box::new(rest) }
    }

    pub(super) fn array(first: Vec<Self>, rest: Self) -> Self {
        if rest == Self::Same && first.iter().all(|step| *step == Self::Same) {
            return Self::Same;
        }
        Self::Array { first, rest: Box::new(rest) }
    }

    pub(super) fn either(branches: Vec<(Value, Self)>) -> Self {
        if branches.iter().all(|(_, step)| *step == Self::Same) {
            return Self::Same;
        }
        Self::Either(branches)
    }

    /// Whether it does something, if the definitions of those names do.
    fn is_busy(&self, busy: &BTreeSet<String>) -> bool {
        match self {
            Self::Same => false,
            Self::Reference(name) => busy.contains(name),
            Self::Object { fields, absent, rest } => {
                !absent.is_empty()
                    || fields.iter().any(|(_, step)| step.is_busy(busy))
                    || rest.is_busy(busy)
            }
            Self::Array { first, rest } => {
                first.iter().any(|step| step.is_busy(busy)) || rest.is_busy(busy)
            }
            Self::Pairs(_) | Self::Text | Self::Names(_) => true,
            Self::Either(branches) => branches.iter().any(|(_, step)| step.is_busy(busy)),
        }
    }
}

/// The steps of a whole schema.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Steps {
    root: Step,
    definitions: BTreeMap<String, Step>,
    /// The definitions of the projected schema, for what tells a union's forms apart.
    schemas: Value,
    is_busy: bool,
}

/// What became of arguments.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Decoded {
    /// The arguments of the full schema, as far as they could be decoded.
    pub(crate) text: String,
    /// What could not, at the places that the model knows.
    pub(crate) problems: Vec<Problem>,
    /// Those places in the decoded text.
    pub(crate) refused: Vec<Path>,
    moved: Vec<(Path, Path)>,
}

impl Decoded {
    /// The place that the model knows of one in the decoded text.
    pub(crate) fn wire_path(&self, path: &Path) -> Path {
        let longest = self
            .moved
            .iter()
            .filter(|(full, _)| path.steps().starts_with(full.steps()))
            .max_by_key(|(full, _)| full.steps().len());
        let Some((full, wire)) = longest else { return path.clone() };
        let rest = path.steps().iter().skip(full.steps().len());
        rest.fold(wire.clone(), |path, step| path.then(step.clone()))
    }
}

impl Steps {
    pub(super) fn none() -> Self {
        Self {
            root: Step::Same,
            definitions: BTreeMap::new(),
            schemas: Value::Null,
            is_busy: false,
        }
    }

    pub(super) fn new(root: Step, definitions: BTreeMap<String, Step>, schemas: Value) -> Self {
        let mut busy = BTreeSet::new();
        loop {
            let more = definitions.iter().filter(|(_, step)| step.is_busy(&busy));
            let more: BTreeSet<String> = more.map(|(name, _)| name.clone()).collect();
            if more == busy {
                break;
            }
            busy = more;
        }
        let is_busy = root.is_busy(&busy);
        Self { root, definitions, schemas, is_busy }
    }

    /// Whether any call can come in another form than the full schema's.
    pub(super) const fn is_busy(&self) -> bool {
        self.is_busy
    }

    pub(super) fn decode(&self, text: &str) -> Decoded {
        let decoded = Decoded {
            text: String::with_capacity(text.len()),
            problems: Vec::new(),
            refused: Vec::new(),
            moved: Vec::new(),
        };
        let mut walk = Decoder { steps: self, decoded };
        walk.value(&self.root, text, &Places::root(), 0);
        walk.decoded
    }

    pub(super) fn encode(&self, value: &Value) -> Value {
        self.encoded(&self.root, value, 0)
    }

    fn encoded(&self, step: &Step, value: &Value, depth: usize) -> Value {
        if depth > DEPTH {
            return value.clone();
        }
        let inner = |step: &Step, value: &Value| self.encoded(step, value, depth + 1);
        match (step, value) {
            (Step::Reference(name), value) => match self.definitions.get(name) {
                Some(step) => inner(step, value),
                None => value.clone(),
            },
            (Step::Object { fields, absent, rest }, Value::Object(members)) => {
                let step_of = |name: &str| field(fields, rest, name);
                let written =
                    members.iter().map(|(name, value)| (name.clone(), inner(step_of(name), value)));
                let mut written: Map<String, Value> = written.collect();
                for name in absent {
                    written.entry(name.clone()).or_insert(Value::Null);
                }
                Value::Object(written)
            }
            (Step::Array { first, rest }, Value::Array(items)) => {
                let item = |(index, value): (usize, &Value)| {
                    inner(first.get(index).unwrap_or(rest), value)
                };
                items.iter().enumerate().map(item).collect()
            }
            (Step::Pairs(step), Value::Object(members)) => {
                let pair = |(key, value): (&String, &Value)| json!({"key": key, "value": inner(step, value)});
                members.iter().map(pair).collect()
            }
            (Step::Text, value) => value.to_string().into(),
            (Step::Either(branches), value) => {
                let mut written =
                    branches.iter().map(|(schema, step)| (schema, inner(step, value)));
                let fitting =
                    written.find(|(schema, value)| fits(value, schema, &self.schemas, Case::Exact));
                fitting.map_or_else(|| value.clone(), |(_, value)| value)
            }
            (
                Step::Same
                | Step::Object { .. }
                | Step::Array { .. }
                | Step::Pairs(_)
                | Step::Names(_),
                value,
            ) => value.clone(),
        }
    }
}

fn field<'s>(fields: &'s [(String, Step)], rest: &'s Step, name: &str) -> &'s Step {
    fields.iter().find(|(field, _)| field == name).map_or(rest, |(_, step)| step)
}

/// Where a value stands, in the decoded text and in the one that came.
struct Places {
    full: Path,
    wire: Path,
}

impl Places {
    const fn root() -> Self {
        Self { full: Path::root(), wire: Path::root() }
    }

    fn field(&self, name: &str) -> Self {
        Self { full: self.full.field(name), wire: self.wire.field(name) }
    }

    fn item(&self, index: usize) -> Self {
        Self { full: self.full.item(index), wire: self.wire.item(index) }
    }
}

struct Decoder<'s> {
    steps: &'s Steps,
    decoded: Decoded,
}

impl Decoder<'_> {
    /// Writes one value; what is not of the form that the step expects stays as it is, for the
    /// dispatcher to judge.
    fn value(&mut self, step: &Step, raw: &str, at: &Places, depth: usize) {
        let is_written = depth <= DEPTH
            && match step {
                Step::Same => false,
                Step::Reference(name) => match self.steps.definitions.get(name) {
                    Some(step) => {
                        self.value(step, raw, at, depth + 1);
                        true
                    }
                    None => false,
                },
                Step::Object { fields, absent, rest } => {
                    self.object(fields, absent, rest, raw, at, depth)
                }
                Step::Array { first, rest } => self.array(first, rest, raw, at, depth),
                Step::Pairs(step) => self.pairs(step, raw, at, depth),
                Step::Text => self.text(raw, at),
                Step::Names(names) => self.name(names, raw),
                Step::Either(branches) => self.either(branches, raw, at, depth),
            };
        if !is_written {
            self.decoded.text.push_str(raw);
        }
    }

    fn object(
        &mut self,
        fields: &[(String, Step)],
        absent: &[String],
        rest: &Step,
        raw: &str,
        at: &Places,
        depth: usize,
    ) -> bool {
        let Ok(Members(members)) = serde_json::from_str::<Members<'_>>(raw) else { return false };
        // A field that is given twice is refused, also where once it is null.
        let is_absent = |name: &String, value: &RawValue| {
            value.get() == "null"
                && absent.contains(name)
                && members.iter().filter(|(other, _)| other == name).count() == 1
        };
        self.decoded.text.push('{');
        let mut is_first = true;
        for (name, value) in &members {
            if is_absent(name, value) {
                continue;
            }
            self.key(name, &mut is_first);
            self.value(field(fields, rest, name), value.get(), &at.field(name), depth + 1);
        }
        self.decoded.text.push('}');
        true
    }

    fn array(&mut self, first: &[Step], rest: &Step, raw: &str, at: &Places, depth: usize) -> bool {
        let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(raw) else { return false };
        self.decoded.text.push('[');
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.decoded.text.push(',');
            }
            let step = first.get(index).unwrap_or(rest);
            self.value(step, item.get(), &at.item(index), depth + 1);
        }
        self.decoded.text.push(']');
        true
    }

    fn pairs(&mut self, step: &Step, raw: &str, at: &Places, depth: usize) -> bool {
        if raw.starts_with('{') {
            return false;
        }
        let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(raw) else {
            self.refuse(at, ProblemKind::WrongType, &at.wire, EXPECTED_PAIRS.to_owned());
            return false;
        };
        let mut keys: Vec<String> = Vec::new();
        let mut members = Vec::new();
        let mut is_right = true;
        for (index, item) in items.iter().enumerate() {
            let wire = at.wire.item(index);
            let Some((key, value)) = pair(item.get()) else {
                self.refuse(at, ProblemKind::WrongType, &wire, EXPECTED_PAIR.to_owned());
                is_right = false;
                continue;
            };
            if let Some(earlier) = keys.iter().position(|other| *other == key) {
                let earlier = at.wire.item(earlier).field("key");
                let message = format!(
                    "{} is a key already, at {earlier}; each key may come once",
                    quoted(&key, SHOWN_CHARS)
                );
                self.refuse(at, ProblemKind::NotUnique, &wire.field("key"), message);
                is_right = false;
            }
            keys.push(key.clone());
            members.push((key, value, wire.field("value")));
        }
        if !is_right {
            return false;
        }
        self.decoded.text.push('{');
        let mut is_first = true;
        for (key, value, wire) in members {
            self.key(&key, &mut is_first);
            let places = Places { full: at.full.field(&key), wire };
            self.decoded.moved.push((places.full.clone(), places.wire.clone()));
            self.value(step, value.get(), &places, depth + 1);
        }
        self.decoded.text.push('}');
        true
    }

    fn text(&mut self, raw: &str, at: &Places) -> bool {
        // What is no text may be the value itself.
        let Ok(text) = serde_json::from_str::<String>(raw) else { return false };
        if let Ok(value) = serde_json::from_str::<&RawValue>(&text) {
            self.decoded.text.push_str(value.get());
            return true;
        }
        let why = match Flaw::of(&text) {
            Some(Flaw::From(rest)) => format!("from {} on", quoted(rest, 20)),
            Some(Flaw::After(after)) => {
                format!("there is {} after its value", quoted(after, SHOWN_CHARS))
            }
            Some(Flaw::Early) => "it ends too early".to_owned(),
            None => "it is blank".to_owned(),
        };
        let message =
            format!("the text is not JSON: {why}; write the value as JSON, a text in quotes, too");
        self.refuse(at, ProblemKind::NotJson, &at.wire, message);
        false
    }

    fn name(&mut self, names: &[String], raw: &str) -> bool {
        let Ok(given) = serde_json::from_str::<String>(raw) else { return false };
        if names.contains(&given) {
            return false;
        }
        let mut alike = names.iter().filter(|name| name.eq_ignore_ascii_case(&given));
        match (alike.next(), alike.next()) {
            (Some(name), None) => {
                self.decoded.text.push_str(&Value::from(name.as_str()).to_string());
                true
            }
            _ => false,
        }
    }

    fn either(&mut self, branches: &[(Value, Step)], raw: &str, at: &Places, depth: usize) -> bool {
        let Ok(value) = serde_json::from_str::<Value>(raw) else { return false };
        let fitting = [Case::Exact, Case::Any].into_iter().find_map(|case| {
            branches.iter().find(|(schema, _)| fits(&value, schema, &self.steps.schemas, case))
        });
        let Some((_, step)) = fitting else { return false };
        self.value(step, raw, at, depth + 1);
        true
    }

    fn key(&mut self, name: &str, is_first: &mut bool) {
        if !std::mem::take(is_first) {
            self.decoded.text.push(',');
        }
        self.decoded.text.push_str(&Value::from(name).to_string());
        self.decoded.text.push(':');
    }

    fn refuse(&mut self, at: &Places, kind: ProblemKind, wire: &Path, message: String) {
        self.decoded.problems.push(Problem::new(wire.clone(), kind, message));
        if !self.decoded.refused.contains(&at.full) {
            self.decoded.refused.push(at.full.clone());
        }
    }
}

const EXPECTED_PAIRS: &str = r#"expected a list of pairs, like [{"key": "a", "value": …}]"#;

const EXPECTED_PAIR: &str =
    r#"expected a pair of a text and a value, like {"key": "a", "value": …}"#;

fn pair(raw: &str) -> Option<(String, &RawValue)> {
    let Members(mut members) = serde_json::from_str(raw).ok()?;
    members.sort_by(|one, other| one.0.cmp(&other.0));
    match members.as_slice() {
        [(key, name), (value, given)] if key == "key" && value == "value" => {
            Some((serde_json::from_str(name.get()).ok()?, given))
        }
        _ => None,
    }
}

/// The members of an object as they came, also those that are given twice.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
            type Value = Members<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(InOrder)
    }
}
