//! Judges a value by the compiled schema: its normal form, or every problem there is.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Number, Value};

use super::equal::{equal, identity};
use super::text::{Json, Member, read};
use super::words::{describe, hint, listed, outside};
use crate::limits::Limits;
use crate::problem::{Path, Problem, ProblemKind, escaped, nearest, quoted};
use crate::schema::{Additional, Compiled, Decimal, Node, NodeId, Type};

/// Checks argument text; its normal form, or every problem ordered by place.
pub(crate) fn check(schema: &Compiled, text: &str, limits: &Limits) -> Result<Value, Vec<Problem>> {
    let json = read(text, limits).map_err(|problem| vec![problem])?;
    let mut judge = Judge::new(schema, limits);
    let value = judge.value(schema.root(), &json, &Place::Root);
    if judge.problems.is_empty() { Ok(value) } else { Err(judge.problems) }
}

/// Whether a constant of the program, like a default, is what a property accepts.
pub(crate) fn check_constant(schema: &Compiled, property: &str, value: &Value) -> Vec<Problem> {
    let limits = Limits::default();
    let text = Value::Object(Map::from_iter([(property.to_owned(), value.clone())])).to_string();
    match check(schema, &text, &limits) {
        Ok(_) => Vec::new(),
        // The other properties are missing here, and that is no fault of the constant.
        Err(problems) => problems
            .into_iter()
            .filter(|p| p.path().steps().len() > 1 || p.kind() != ProblemKind::MissingField)
            .collect(),
    }
}

/// The report as the model reads it, one problem a line, within its bounds.
pub(crate) fn lines(problems: &[Problem], limits: &Limits) -> String {
    let mut report = String::new();
    for (index, problem) in problems.iter().enumerate() {
        let line = problem.to_string();
        let full = report.len() + line.len() > limits.report_bytes && index > 0;
        if full || index >= limits.problems {
            let left = problems.len() - index;
            report.extend(["\n… and ", &left.to_string(), " more"]);
            break;
        }
        if index > 0 {
            report.push('\n');
        }
        report.push_str(&line);
    }
    report
}

/// Where the walk is: a path that costs nothing until a problem asks for it.
pub(super) enum Place<'p> {
    Root,
    Field(&'p Self, &'p str),
    Item(&'p Self, usize),
}

impl Place<'_> {
    fn path(&self) -> Path {
        match self {
            Self::Root => Path::root(),
            Self::Field(parent, name) => parent.path().field(*name),
            Self::Item(parent, index) => parent.path().item(*index),
        }
    }
}

pub(super) struct Judge<'a> {
    pub(super) schema: &'a Compiled,
    pub(super) limits: &'a Limits,
    /// Only whether there is a problem is asked, so the first one ends it.
    pub(super) quick: bool,
    pub(super) problems: Vec<Problem>,
    /// Whether a branch accepts a value, asked once: unions in unions would ask ever again.
    pub(super) verdicts: BTreeMap<(NodeId, usize), bool>,
    /// Which branch of a union a value is judged by where none accepts it.
    pub(super) nearest: BTreeMap<(usize, usize), Option<NodeId>>,
}

impl<'a> Judge<'a> {
    const fn new(schema: &'a Compiled, limits: &'a Limits) -> Self {
        Self {
            schema,
            limits,
            quick: false,
            problems: Vec::new(),
            verdicts: BTreeMap::new(),
            nearest: BTreeMap::new(),
        }
    }

    pub(super) fn problem(
        &mut self,
        place: &Place<'_>,
        kind: ProblemKind,
        message: String,
        expected: String,
    ) {
        self.push(Problem::new(place.path(), kind, message).expecting(expected));
    }

    fn push(&mut self, problem: Problem) {
        // What is beyond the bound is counted in the report and not kept whole.
        if self.problems.len() < self.limits.values {
            self.problems.push(problem);
        }
    }

    pub(super) fn done(&self) -> bool {
        self.quick && !self.problems.is_empty()
    }

    /// The normal form of a value under a schema, as far as it has one.
    pub(super) fn value(&mut self, id: NodeId, json: &Json<'_>, place: &Place<'_>) -> Value {
        if self.done() {
            return Value::Null;
        }
        let node = self.schema.node(id);
        if node.never {
            let message = "no value is accepted here; leave it out".to_owned();
            self.problem(place, ProblemKind::NotAllowed, message, "nothing".to_owned());
            return Value::Null;
        }
        if !self.is_of_type(node, json, place) {
            return Value::Null;
        }
        let own = self.own(node, json, place);
        self.in_place(node, json, place, own)
    }

    fn is_of_type(&mut self, node: &Node, json: &Json<'_>, place: &Place<'_>) -> bool {
        if node.types.is_empty() || node.types.iter().any(|of| is_of(*of, json)) {
            return true;
        }
        if let Some(values) = &node.one_of_values {
            self.not_allowed(values, json, place);
            return false;
        }
        let expected = describe(self.schema, node);
        let hint = hint(node, json);
        let found = json.named(self.limits.shown_chars);
        let message = format!("expected {expected}, got {found}{}", hint.0);
        let problem = Problem::new(place.path(), ProblemKind::WrongType, message);
        self.push(problem.expecting(expected).suggesting(hint.1));
        false
    }

    /// What the node's own keywords say.
    fn own(&mut self, node: &'a Node, json: &Json<'_>, place: &Place<'_>) -> Value {
        if let Some(values) = &node.one_of_values
            && !values.iter().any(|value| equal(json, value))
        {
            self.not_allowed(values, json, place);
            return Value::Null;
        }
        match json {
            Json::Null => Value::Null,
            Json::Bool(value) => Value::Bool(*value),
            Json::Number(digits) => self.number(node, digits, place),
            Json::Text(text) => self.text(node, text, place),
            Json::BrokenText(_) => {
                let message =
                    "the text is not valid Unicode: half of a surrogate pair stands alone";
                let expected = "text".to_owned();
                self.problem(place, ProblemKind::NotJson, message.to_owned(), expected);
                Value::Null
            }
            Json::Array(items) => self.array(node, items, place),
            Json::Object(members) => self.object(node, members, place),
        }
    }

    pub(super) fn not_allowed(&mut self, values: &[Value], json: &Json<'_>, place: &Place<'_>) {
        let names: Vec<String> = values.iter().map(Value::to_string).collect();
        let listed = listed(&names);
        let near = match json {
            Json::Text(text) => nearest(text, values.iter().filter_map(Value::as_str)),
            _ => None,
        };
        let meant =
            near.map_or_else(String::new, |near| format!(" (did you mean {}?)", quoted(near, 80)));
        let found = match json {
            Json::Text(text) => quoted(text, self.limits.shown_chars),
            other => other.named(self.limits.shown_chars),
        };
        let must = if names.len() == 1 { "must be" } else { "must be one of" };
        let message = format!("{must} {listed}; got {found}{meant}");
        let problem = Problem::new(place.path(), ProblemKind::NotAllowed, message);
        self.push(problem.expecting(format!("one of {listed}")).suggesting(near.map(Value::from)));
    }

    fn number(&mut self, node: &Node, digits: &str, place: &Place<'_>) -> Value {
        let Some(decimal) = Decimal::read(digits) else {
            let message = "the number is too large to be read".to_owned();
            self.problem(place, ProblemKind::OutOfRange, message, describe(self.schema, node));
            return Value::Null;
        };
        let takes = |of: Type| node.types.is_empty() || node.types.contains(&of);
        // Only an integer type reads `3.0` as 3; where no type is said, it stays as it is written.
        let literal = !digits.contains(['.', 'e', 'E']);
        let as_integer = takes(Type::Integer) && (literal || node.types.contains(&Type::Integer));
        let (least, most) = node.integers;
        let integer = decimal.integer().filter(|n| as_integer && (least..=most).contains(n));
        let double = digits.parse().ok().filter(|double: &f64| double.is_finite());
        // A double holds every integer of 15 digits.
        let exact = || {
            if literal && digits.len() > 15 { decimal.is_exact_double() } else { double.is_some() }
        };
        if integer.is_none() && !(takes(Type::Number) && exact()) {
            let expected = if takes(Type::Number) {
                "a number that a double holds with every digit".to_owned()
            } else {
                format!("an integer from {least} to {most}")
            };
            let found = Json::Number(digits).named(self.limits.shown_chars);
            let message = format!("expected {expected}, got {found}");
            self.problem(place, ProblemKind::OutOfRange, message, expected);
            return Value::Null;
        }
        self.bounds(node, digits, &decimal, place);
        let whole = integer.or_else(|| decimal.integer()).and_then(integer_value);
        whole.or_else(|| double.and_then(Number::from_f64).map(Value::Number)).unwrap_or_default()
    }

    fn bounds(&mut self, node: &Node, digits: &str, decimal: &Decimal, place: &Place<'_>) {
        let below = node.minimum.as_ref().is_some_and(|least| decimal < least)
            || node.exclusive_minimum.as_ref().is_some_and(|least| decimal <= least);
        let above = node.maximum.as_ref().is_some_and(|most| decimal > most)
            || node.exclusive_maximum.as_ref().is_some_and(|most| decimal >= most);
        if below || above {
            let expected = describe(self.schema, node);
            let found = Json::Number(digits).named(self.limits.shown_chars);
            let message = format!("expected {expected}, got {found}");
            self.problem(place, ProblemKind::OutOfRange, message, expected);
        }
        if let Some(step) = &node.multiple_of
            && !decimal.is_multiple_of(step)
        {
            let expected = format!("a multiple of {}", double_value(step));
            let found = Json::Number(digits).named(self.limits.shown_chars);
            let message = format!("must be {expected}; got {found}");
            self.problem(place, ProblemKind::NotMultiple, message, expected);
        }
    }

    fn text(&mut self, node: &Node, text: &str, place: &Place<'_>) -> Value {
        if node.min_length.is_some() || node.max_length.is_some() {
            self.length(node, text, place);
        }
        if let Some(pattern) = &node.pattern
            && !pattern.is_match(text)
        {
            let expected = format!("text matching {}", node.pattern_text);
            self.mismatch(ProblemKind::WrongPattern, "pattern", text, expected, place);
        }
        if let Some(format) = node.format
            && !format.accepts(text)
        {
            let expected = format.words().to_owned();
            self.mismatch(ProblemKind::WrongFormat, "format", text, expected, place);
        }
        Value::String(text.to_owned())
    }

    fn length(&mut self, node: &Node, text: &str, place: &Place<'_>) {
        let length = u64::try_from(text.chars().count()).unwrap_or(u64::MAX);
        if let Some(words) = outside(length, node.min_length, node.max_length, "character") {
            let shown = quoted(text, self.limits.shown_chars);
            let message = format!("must have {words}; got {length}: {shown}");
            self.problem(place, ProblemKind::WrongLength, message, format!("text of {words}"));
        }
    }

    fn mismatch(
        &mut self,
        kind: ProblemKind,
        what: &str,
        text: &str,
        expected: String,
        place: &Place<'_>,
    ) {
        let shown = quoted(text, self.limits.shown_chars);
        let message = format!("{shown} does not match the required {what}. Expected: {expected}");
        self.problem(place, kind, message, expected);
    }

    fn array(&mut self, node: &Node, items: &[Json<'_>], place: &Place<'_>) -> Value {
        let count = u64::try_from(items.len()).unwrap_or(u64::MAX);
        if let Some(words) = outside(count, node.min_items, node.max_items, "item") {
            let message = format!("must have {words}; got {count}");
            self.problem(place, ProblemKind::WrongCount, message, format!("a list of {words}"));
        }
        if node.unique_items {
            self.unique(items, place);
        }
        let mut values = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let schema = node.prefix.get(index).copied().or(node.items);
            let place = Place::Item(place, index);
            values.push(match schema {
                Some(schema) => self.value(schema, item, &place),
                None => self.plain(item, &place),
            });
        }
        Value::Array(values)
    }

    fn unique(&mut self, items: &[Json<'_>], place: &Place<'_>) {
        let mut first: BTreeMap<String, usize> = BTreeMap::new();
        for (index, item) in items.iter().enumerate() {
            if let Some(earlier) = first.get(&identity(item)) {
                let message = format!("is the same as item {earlier}; each may stand once");
                let place = Place::Item(place, index);
                self.problem(&place, ProblemKind::NotUnique, message, "another value".to_owned());
            } else {
                first.insert(identity(item), index);
            }
        }
    }

    fn object(&mut self, node: &'a Node, members: &[Member<'_>], place: &Place<'_>) -> Value {
        self.missing(node, members, place);
        self.too_much(node, members, place);
        // The normal form: null for a property that may be absent is absence.
        let is_absent = |(name, json): &&Member<'_>| {
            matches!(json, Json::Null)
                && node.property(name).is_some_and(|property| !property.required)
        };
        let present: Vec<&Member<'_>> =
            members.iter().filter(|member| !is_absent(member)).collect();
        self.names(node, &present, place);
        let mut object = Map::new();
        for property in &node.properties {
            let member = present.iter().find(|(name, _)| *name == property.name);
            if let Some((name, json)) = member {
                let value = self.member(node, name, json, Some(property.node), place);
                object.insert(property.name.clone(), value);
            }
        }
        for (name, json) in present {
            if node.property(name).is_none() {
                object.insert(name.to_string(), self.member(node, name, json, None, place));
            }
        }
        Value::Object(object)
    }

    /// A member, by its own schema and by those whose pattern its name matches.
    fn member(
        &mut self,
        node: &Node,
        name: &str,
        json: &Json<'_>,
        own: Option<NodeId>,
        place: &Place<'_>,
    ) -> Value {
        let place = Place::Field(place, name);
        let mut value = own.map(|schema| self.value(schema, json, &place));
        for (pattern, schema) in &node.patterns {
            if pattern.is_match(name) {
                let theirs = self.value(*schema, json, &place);
                value.get_or_insert(theirs);
            }
        }
        match (value, node.additional) {
            (Some(value), _) => value,
            (None, Additional::Schema(schema)) => self.value(schema, json, &place),
            (None, Additional::Any) => self.plain(json, &place),
            // Reported as a field too much.
            (None, Additional::Nothing) => Value::Null,
        }
    }

    fn missing(&mut self, node: &Node, members: &[Member<'_>], place: &Place<'_>) {
        let given = |wanted: &str| members.iter().any(|(name, _)| name == wanted);
        for property in &node.properties {
            if property.required && !given(&property.name) {
                let expected = describe(self.schema, self.schema.node(property.node));
                let message = format!("missing required field '{}'", property.name);
                let place = Place::Field(place, &property.name);
                self.problem(&place, ProblemKind::MissingField, message, expected);
            }
        }
    }

    /// What is not allowed, and what is there twice.
    fn too_much(&mut self, node: &Node, members: &[Member<'_>], place: &Place<'_>) {
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        for (name, _) in members {
            if !seen.insert(name) {
                let message = format!("field '{}' is given twice; give it once", self.cut(name));
                let place = Place::Field(place, name);
                let expected = "one value".to_owned();
                self.problem(&place, ProblemKind::DuplicateField, message, expected);
            } else if !is_allowed(node, name) {
                self.unexpected(node, name, members, place);
            }
        }
    }

    /// What all names together, and each by itself, must be.
    fn names(&mut self, node: &Node, members: &[&Member<'_>], place: &Place<'_>) {
        if let Some(schema) = node.property_names {
            for (name, _) in members {
                // What is remembered of a value goes by its place in memory, and a name has none.
                let mut judge = Self { quick: self.quick, ..Self::new(self.schema, self.limits) };
                judge.value(schema, &Json::Text(name.clone()), &Place::Field(place, name));
                judge.problems.into_iter().for_each(|problem| self.push(problem));
            }
        }
        let count = u64::try_from(members.len()).unwrap_or(u64::MAX);
        if let Some(words) = outside(count, node.min_properties, node.max_properties, "field") {
            let message = format!("must have {words}; got {count}");
            self.problem(place, ProblemKind::WrongCount, message, format!("an object of {words}"));
        }
    }

    fn cut(&self, name: &str) -> String {
        escaped(name, self.limits.shown_chars)
    }

    fn unexpected(&mut self, node: &Node, name: &str, members: &[Member<'_>], place: &Place<'_>) {
        let allowed: Vec<String> =
            node.properties.iter().map(|property| property.name.clone()).collect();
        // What is given already was not misspelt.
        let open = allowed
            .iter()
            .map(String::as_str)
            .filter(|open| !members.iter().any(|(given, _)| given == open));
        let near = nearest(name, open).map(str::to_owned);
        let meant =
            near.as_ref().map_or_else(String::new, |near| format!("did you mean '{near}'? "));
        let rest = if allowed.is_empty() {
            "no fields are allowed".to_owned()
        } else {
            format!("allowed: {}", listed(&allowed))
        };
        let message = format!("unexpected field '{}' ({meant}{rest})", self.cut(name));
        let expected = format!("one of {}", listed(&allowed));
        let path = Place::Field(place, name).path();
        let problem = Problem::new(path, ProblemKind::UnexpectedField, message);
        self.push(problem.expecting(expected).suggesting(near.map(Value::from)));
    }

    /// A value that no schema is asked about; only the text rules hold.
    fn plain(&mut self, json: &Json<'_>, place: &Place<'_>) -> Value {
        const ANYTHING: &Node = &Node::anything();
        self.own(ANYTHING, json, place)
    }
}

/// Whether an object takes a member of that name.
fn is_allowed(node: &Node, name: &str) -> bool {
    node.additional != Additional::Nothing
        || node.property(name).is_some()
        || node.patterns.iter().any(|(pattern, _)| pattern.is_match(name))
}

pub(super) fn is_of(of: Type, json: &Json<'_>) -> bool {
    match (of, json) {
        (Type::Null, Json::Null)
        | (Type::Boolean, Json::Bool(_))
        | (Type::Number, Json::Number(_))
        | (Type::String, Json::Text(_) | Json::BrokenText(_))
        | (Type::Array, Json::Array(_))
        | (Type::Object, Json::Object(_)) => true,
        (Type::Integer, Json::Number(digits)) => {
            Decimal::read(digits).is_some_and(|n| n.is_integer())
        }
        _ => false,
    }
}

pub(super) fn integer_value(integer: i128) -> Option<Value> {
    i64::try_from(integer)
        .map(Value::from)
        .or_else(|_| u64::try_from(integer).map(Value::from))
        .ok()
}

pub(super) fn double_value(decimal: &Decimal) -> Value {
    if let Some(value) = decimal.integer().and_then(integer_value) {
        return value;
    }
    decimal.double().and_then(Number::from_f64).map_or(Value::Null, Value::Number)
}
