//! Judges an object: what is missing, what is too much, and each field.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::judge::{Judge, MOST_PROBLEMS, Place, Subject};
use super::text::{Json, Member};
use super::words::{ANY_VALUE, key_words, like, listed, name_forms, outside};
use crate::problem::{Problem, ProblemKind, escaped, nearest};
use crate::schema::{Additional, Kind, Node, NodeId, Property, Type};

/// The names of fields that were misspelt, each with the property that was meant.
type Misspelt<'a> = Vec<(&'a str, &'a Property)>;

impl<'a> Judge<'a> {
    pub(super) fn object(
        &mut self,
        node: &'a Node,
        subject: &Subject<'a>,
        place: &Place<'_>,
    ) -> Value {
        if !self.builds() && self.is_plain_object(node, subject, place) {
            return Value::Null;
        }
        let members = subject.members();
        let misspelt = if self.tells() { misspelt(node, &members) } else { Vec::new() };
        self.missing(node, &members, &misspelt, place);
        self.too_much(node, &members, &misspelt, place);
        self.names(node, &members, place);
        let mut object = Map::new();
        for property in &node.properties {
            let member = members.iter().find(|(name, _)| *name == property.name);
            let value = match member {
                Some((name, json)) => self.member(node, name, json, Some(property.node), place),
                // So that what an approver sees is what runs.
                None => match &self.schema.node(property.node).default {
                    Some(default) if self.builds() => self.written(property.node, default),
                    _ => continue,
                },
            };
            if self.builds() {
                object.insert(property.name.clone(), value);
            }
        }
        // By name, so that one value has one normal form.
        let mut others = members;
        others.retain(|(name, _)| node.property(name).is_none());
        others.sort_by(|(left, _), (right, _)| left.cmp(right));
        for (name, json) in others {
            // What a misspelt field holds must be right as well when it is sent again.
            let meant = misspelt.iter().find(|(given, _)| *given == name.as_ref());
            let meant = meant.map(|(_, property)| property.node);
            let value = self.member(node, name, json, meant, place);
            if self.builds() {
                object.insert(name.to_string(), value);
            }
        }
        Value::Object(object)
    }

    /// Judges the fields where nothing is missing and none too much; whether that is so.
    fn is_plain_object(
        &mut self,
        node: &'a Node,
        subject: &Subject<'a>,
        place: &Place<'_>,
    ) -> bool {
        let Some(members) = subject.all_members() else { return false };
        let is_closed = node.patterns.is_empty() && node.additional == Additional::Nothing;
        if !is_closed || !node.stream.streams(Kind::Object) {
            return false;
        }
        let mut given: u64 = 0;
        for (name, _) in members {
            let index = node.properties.iter().position(|property| property.name == *name);
            let Some(index) = index else { return false };
            given |= 1 << (index & 63);
        }
        if node.stream.required & !given != 0 {
            return false;
        }
        for (name, json) in members {
            if let Some(property) = node.property(name) {
                self.value(property.node, &Subject::whole(json), &Place::Field(place, name));
            }
        }
        true
    }

    /// A field, by its own schema and by those whose pattern its name matches.
    fn member(
        &mut self,
        node: &Node,
        name: &str,
        json: &'a Json<'a>,
        own: Option<NodeId>,
        place: &Place<'_>,
    ) -> Value {
        let (subject, place) = (Subject::whole(json), Place::Field(place, name));
        let mut value = own.map(|schema| self.value(schema, &subject, &place));
        for (pattern, schema) in &node.patterns {
            if pattern.matches(name) {
                let theirs = self.value(*schema, &subject, &place);
                value.get_or_insert(theirs);
            }
        }
        match (value, node.additional) {
            (Some(value), _) => value,
            (None, Additional::Schema(schema)) => self.value(schema, &subject, &place),
            (None, Additional::Any) => self.plain(&subject, &place),
            // Reported as a field too much.
            (None, Additional::Nothing) => Value::Null,
        }
    }

    fn missing(
        &mut self,
        node: &Node,
        members: &[&Member<'_>],
        misspelt: &Misspelt<'_>,
        place: &Place<'_>,
    ) {
        let given = |wanted: &str| members.iter().any(|(name, _)| name == wanted);
        for name in node.required.iter().filter(|name| !given(name)) {
            let property = node.property(name).map(|property| self.schema.node(property.node));
            let (expected, example) = if let Some(property) = property {
                self.right(property)
            } else {
                let is_free = node.additional == Additional::Any && node.patterns.is_empty();
                (ANY_VALUE.to_owned(), is_free.then(|| Value::from("x")))
            };
            // A field that was misspelt brings its value along.
            let is_there = misspelt.iter().any(|(_, property)| property.name == *name);
            let is_plain = is_there || expected == ANY_VALUE;
            let wanted = if is_plain { String::new() } else { format!(" ({expected})") };
            // Who gave nothing is shown a whole call, once.
            let is_call = self.problems.is_empty() && members.is_empty() && self.is_root(node);
            let call = if is_call { self.example(node) } else { None };
            let call = call.as_ref().map_or_else(String::new, like);
            let message = format!("missing required field '{}'{wanted}{call}", self.cut(name));
            let path = Place::Field(place, name).path();
            let problem = Problem::new(path, ProblemKind::MissingField, message);
            self.push(problem.expecting(expected).with_example(example));
        }
    }

    /// Whether a node is the schema of a whole call.
    fn is_root(&self, node: &Node) -> bool {
        let root = self.schema.node(self.schema.root());
        std::ptr::eq(root, node) && root.types == [Type::Object]
    }

    fn too_much(
        &mut self,
        node: &Node,
        members: &[&Member<'_>],
        misspelt: &Misspelt<'_>,
        place: &Place<'_>,
    ) {
        let mut unexpected = members.iter().filter(|(name, _)| !is_allowed(node, name)).peekable();
        if unexpected.peek().is_none() {
            return;
        }
        let allowed: Vec<&str> = node.properties.iter().map(|p| p.name.as_str()).collect();
        let expected = expected_names(node, &allowed);
        for (name, _) in unexpected {
            if self.has_enough() {
                return;
            }
            let near = misspelt.iter().find(|(given, _)| *given == name.as_ref());
            let near = near.map(|(_, property)| property.name.as_str());
            let meant = near.map(|near| format!("did you mean '{}'? ", self.cut(near)));
            let meant = meant.unwrap_or_default();
            let message = format!("unexpected field '{}' ({meant}{expected})", self.cut(name));
            let path = Place::Field(place, name).path();
            let problem = Problem::new(path, ProblemKind::UnexpectedField, message);
            self.push(problem.expecting(expected.clone()).suggesting(near.map(Value::from)));
        }
    }

    /// What all names together, and each by itself, must be.
    fn names(&mut self, node: &Node, members: &[&Member<'_>], place: &Place<'_>) {
        if let Some(schema) = node.property_names {
            for (name, _) in members {
                // A name is judged apart, since it has no place in memory to be remembered by.
                let name_alone = Json::Text(name.as_ref().into());
                let mut judge = Judge::asking(self.schema, self.limits);
                judge.value(schema, &Subject::whole(&name_alone), place);
                if !judge.problems.is_empty() && !self.has_enough() {
                    self.misnamed(self.schema.node(schema), name, members, place);
                }
            }
        }
        let count = u64::try_from(members.len()).unwrap_or(u64::MAX);
        if let Some(words) = outside(count, node.min_properties, node.max_properties, "field") {
            let is_less = node.min_properties.is_some_and(|least| count < least);
            let example = self.example(node).filter(|_| is_less);
            let like = example.as_ref().map_or_else(String::new, like);
            let message = format!("must have {words}{like}; got {count}");
            self.problem(
                node,
                place,
                ProblemKind::WrongCount,
                message,
                format!("an object of {words}"),
            );
        }
    }

    /// A field of a name that no field may have.
    fn misnamed(&mut self, names: &Node, name: &str, members: &[&Member<'_>], place: &Place<'_>) {
        let is_given = |known: &&str| members.iter().any(|(given, _)| given == known);
        let listed = names.one_of_values.iter().flatten().filter_map(Value::as_str);
        let near = nearest(name, listed.filter(|known| !is_given(known)));
        let meant = near.map(|near| format!("did you mean '{}'? ", self.cut(near)));
        let expected = format!("a field's name must be {}", name_forms(self.schema, names));
        let message = format!(
            "unexpected field '{}' ({}{expected})",
            self.cut(name),
            meant.unwrap_or_default()
        );
        let path = Place::Field(place, name).path();
        let problem = Problem::new(path, ProblemKind::UnexpectedField, message);
        self.push(problem.expecting(expected).suggesting(near.map(Value::from)));
    }

    fn cut(&self, name: &str) -> String {
        escaped(name, self.limits.shown_chars)
    }
}

/// The fields whose names are slips of ones that are not given, each of its own.
fn misspelt<'a>(node: &'a Node, members: &[&'a Member<'a>]) -> Misspelt<'a> {
    let given: BTreeSet<&str> = members.iter().map(|(name, _)| name.as_ref()).collect();
    let is_open = |property: &&Property| !given.contains(property.name.as_str());
    let mut open: Vec<&'a Property> = node.properties.iter().filter(is_open).collect();
    let mut misspelt: Misspelt<'a> = Vec::new();
    let unexpected = members.iter().filter(|(name, _)| !is_allowed(node, name));
    for (name, _) in unexpected.take(MOST_PROBLEMS) {
        let near = nearest(name, open.iter().map(|property| property.name.as_str()));
        if let Some(at) = open.iter().position(|property| Some(property.name.as_str()) == near) {
            misspelt.push((name.as_ref(), open.remove(at)));
        }
    }
    misspelt
}

/// Whether an object takes a field of that name.
fn is_allowed(node: &Node, name: &str) -> bool {
    node.additional != Additional::Nothing
        || node.property(name).is_some()
        || node.patterns.iter().any(|(pattern, _)| pattern.matches(name))
}

fn expected_names(node: &Node, allowed: &[&str]) -> String {
    let keys: Vec<String> =
        node.patterns.iter().map(|(pattern, _)| key_words(&pattern.text)).collect();
    match (allowed.is_empty(), keys.is_empty()) {
        (true, true) => "no fields are allowed".to_owned(),
        (false, true) => format!("allowed: {}", listed(allowed)),
        (true, false) => format!("a field's name must be {}", keys.join(" or ")),
        (false, false) => format!("allowed: {}, or {}", listed(allowed), keys.join(" or ")),
    }
}
