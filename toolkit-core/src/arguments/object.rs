//! Judges an object: what is missing, what is too much, and each field.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::judge::{Judge, Place, Subject};
use super::text::{Json, Member};
use super::words::{describe, key_words, listed, outside};
use crate::problem::{Problem, ProblemKind, escaped, nearest};
use crate::schema::{Additional, Node, NodeId};

impl<'a> Judge<'a> {
    pub(super) fn object(
        &mut self,
        node: &'a Node,
        subject: &Subject<'a>,
        place: &Place<'_>,
    ) -> Value {
        let members = subject.members();
        self.missing(node, &members, place);
        self.too_much(node, &members, place);
        self.names(node, &members, place);
        let mut object = Map::new();
        for property in &node.properties {
            let member = members.iter().find(|(name, _)| *name == property.name);
            if let Some((name, json)) = member {
                let value = self.member(node, name, json, Some(property.node), place);
                object.insert(property.name.clone(), value);
            } else if let Some(default) = &self.schema.node(property.node).default {
                // So that what an approver sees is what runs.
                object.insert(property.name.clone(), default.clone());
            }
        }
        // By name, so that one value has one normal form.
        let mut others = members;
        others.retain(|(name, _)| node.property(name).is_none());
        others.sort_by(|(left, _), (right, _)| left.cmp(right));
        for (name, json) in others {
            {
                object.insert(name.to_string(), self.member(node, name, json, None, place));
            }
        }
        Value::Object(object)
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

    fn missing(&mut self, node: &Node, members: &[&Member<'_>], place: &Place<'_>) {
        let given = |wanted: &str| members.iter().any(|(name, _)| name == wanted);
        for name in node.required.iter().filter(|name| !given(name)) {
            let expected = node.property(name).map_or_else(
                || "a value".to_owned(),
                |property| describe(self.schema, self.schema.node(property.node)),
            );
            let message = format!("missing required field '{}'", self.cut(name));
            let place = Place::Field(place, name);
            self.problem(&place, ProblemKind::MissingField, message, expected);
        }
    }

    fn too_much(&mut self, node: &Node, members: &[&Member<'_>], place: &Place<'_>) {
        let mut unexpected = members.iter().filter(|(name, _)| !is_allowed(node, name)).peekable();
        if unexpected.peek().is_none() {
            return;
        }
        let given: BTreeSet<&str> = members.iter().map(|(name, _)| name.as_ref()).collect();
        let allowed: Vec<String> = node.properties.iter().map(|p| p.name.clone()).collect();
        // What is given already was not misspelt.
        let open: Vec<&str> =
            allowed.iter().map(String::as_str).filter(|name| !given.contains(name)).collect();
        let expected = expected_names(node, &allowed);
        for (name, _) in unexpected {
            if self.has_enough() {
                return;
            }
            let near = nearest(name, open.iter().copied());
            let meant = near.map_or_else(String::new, |near| format!("did you mean '{near}'? "));
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
                let mut judge = Judge::new(self.schema, self.limits);
                judge.value(schema, &Subject::whole(&name_alone), &Place::Field(place, name));
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
}

/// Whether an object takes a field of that name.
fn is_allowed(node: &Node, name: &str) -> bool {
    node.additional != Additional::Nothing
        || node.property(name).is_some()
        || node.patterns.iter().any(|(pattern, _)| pattern.matches(name))
}

fn expected_names(node: &Node, allowed: &[String]) -> String {
    let keys: Vec<String> =
        node.patterns.iter().map(|(pattern, _)| key_words(&pattern.text)).collect();
    match (allowed.is_empty(), keys.is_empty()) {
        (true, true) => "no fields are allowed".to_owned(),
        (false, true) => format!("allowed: {}", listed(allowed)),
        (true, false) => format!("a field's name must be {}", keys.join(" or ")),
        (false, false) => format!("allowed: {}, or {}", listed(allowed), keys.join(" or ")),
    }
}
