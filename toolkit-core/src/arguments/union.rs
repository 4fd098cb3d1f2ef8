//! Unions and the other keywords that judge one value by several schemas.

use serde_json::Value;

use super::equal::equal;
use super::judge::{Judge, Place, Subject, is_of};
use super::text::Json;
use super::words::{describe, listed};
use crate::problem::{Problem, ProblemKind, nearest, quoted};
use crate::schema::{Compiled, Node, NodeId, Type};

impl<'a> Judge<'a> {
    /// The keywords that judge the same value by other schemas.
    pub(super) fn in_place(
        &mut self,
        node: &'a Node,
        subject: &Subject<'a>,
        place: &Place<'_>,
        own: Value,
    ) -> Value {
        let mut value = own;
        let settled = subject.settled();
        for id in node.reference.iter().chain(&node.all_of) {
            match self.verdict(*id, &settled) {
                Some(theirs) => value = joined(node, value, theirs),
                None => self.tell(*id, &settled, place),
            }
        }
        let subject = &subject.unsettled();
        for branches in [&node.any_of, &node.one_of] {
            if !branches.is_empty() && !self.has_enough() {
                let theirs = self.union(branches, subject, place);
                value = joined(node, value, theirs);
            }
        }
        let is_partial = |id: &NodeId| self.schema.node(*id).partial;
        if node.one_of.len() > 1 && !self.has_enough() && !node.one_of.iter().any(is_partial) {
            self.refuse_several(&node.one_of, subject, place);
        }
        if let Some(not) = node.not
            && !self.schema.node(not).partial
        {
            let outside = std::mem::replace(&mut self.negated, true);
            let fits = self.verdict(not, subject).is_some();
            self.negated = outside;
            if fits {
                self.refuse_form(not, subject.json, place);
            }
        }
        value
    }

    fn refuse_form(&mut self, not: NodeId, json: &Json<'_>, place: &Place<'_>) {
        let node = self.schema.node(not);
        let what = if node.types.is_empty() && node.one_of_values.is_none() {
            "of a form that is excluded here".to_owned()
        } else {
            describe(self.schema, node)
        };
        let found = json.named(self.limits.shown_chars);
        let message = format!("must not be {what}; got {found}");
        self.problem(place, ProblemKind::NotAllowed, message, format!("anything but {what}"));
    }

    fn refuse_several(&mut self, branches: &[NodeId], subject: &Subject<'a>, place: &Place<'_>) {
        let fitting = branches.iter().filter(|id| self.verdict(**id, subject).is_some()).count();
        if fitting > 1 {
            let message = format!("fits {fitting} forms where it must fit exactly one");
            let expected = "a value of exactly one form".to_owned();
            self.problem(place, ProblemKind::NoForm, message, expected);
        }
    }

    fn union(&mut self, branches: &[NodeId], subject: &Subject<'a>, place: &Place<'_>) -> Value {
        for id in branches {
            if let Some(value) = self.verdict(*id, subject) {
                return value;
            }
        }
        // Where only the answer is wanted, it is no already, in whatever words.
        let nearest = if self.only_asks() { None } else { self.nearest(branches, subject) };
        match nearest {
            Some(branch) => self.tell(branch, subject, place),
            None => self.no_form(branches, subject, place),
        }
        Value::Null
    }

    /// The branch that the value was probably meant for.
    fn nearest(&mut self, branches: &[NodeId], subject: &Subject<'a>) -> Option<NodeId> {
        let schema = self.schema;
        let resolved = |id: &NodeId| behind(schema, schema.node(*id));
        let is_meant = |id: &&NodeId| {
            let types = &resolved(id).types;
            types.is_empty() || types.iter().any(|of| is_of(*of, subject.json))
        };
        let meant: Vec<NodeId> = branches.iter().filter(is_meant).copied().collect();
        if let [one] = meant.as_slice() {
            return if is_named(schema, branches) { None } else { Some(*one) };
        }
        if !matches!(subject.json, Json::Object(_)) {
            let mut forms = branches.iter().filter(|id| resolved(id).types != [Type::Null]);
            return forms.next().copied().filter(|_| forms.next().is_none());
        }
        if let Some((tag, _)) = tags(schema, &meant) {
            let given = subject.member(tag)?;
            let is_tagged = |id: &&NodeId| {
                let property = resolved(id).property(tag);
                let values = property.and_then(|p| schema.node(p.node).one_of_values.as_deref());
                matches!(values, Some([value]) if equal(given, value))
            };
            return meant.iter().find(is_tagged).copied();
        }
        if is_named(schema, branches) {
            let is_given = |id: &&NodeId| {
                key_of(resolved(id)).is_some_and(|key| subject.member(key).is_some())
            };
            return meant.iter().find(is_given).copied();
        }
        meant.into_iter().min_by_key(|id| self.count(*id, subject))
    }

    fn no_form(&mut self, branches: &[NodeId], subject: &Subject<'a>, place: &Place<'_>) {
        let schema = self.schema;
        let is_object =
            |id: &&NodeId| behind(schema, schema.node(**id)).types.contains(&Type::Object);
        let objects: Vec<NodeId> = branches.iter().filter(is_object).copied().collect();
        let tags = tags(schema, &objects).filter(|_| matches!(subject.json, Json::Object(_)));
        if let Some((tag, values)) = tags {
            self.wrong_tag(tag, &values, subject, place);
        } else if is_named(schema, branches) {
            self.wrong_name(branches, subject, place);
        } else {
            let expected = describe_all(schema, branches);
            let found = subject.json.named(self.limits.shown_chars);
            let message = format!("expected {expected}, got {found}");
            self.problem(place, ProblemKind::NoForm, message, expected);
        }
    }

    fn wrong_tag(&mut self, tag: &str, values: &[Value], subject: &Subject<'a>, place: &Place<'_>) {
        let place = Place::Field(place, tag);
        if let Some(json) = subject.member(tag) {
            return self.not_allowed(values, json, &place);
        }
        let names: Vec<String> = values.iter().map(Value::to_string).collect();
        let expected = format!("one of {}", listed(&names));
        let message = format!("missing required field '{tag}' ({expected})");
        self.problem(&place, ProblemKind::MissingField, message, expected);
    }

    /// No variant of an enum whose variants are told apart by their names.
    fn wrong_name(&mut self, branches: &[NodeId], subject: &Subject<'a>, place: &Place<'_>) {
        let forms = named_forms(self.schema, branches);
        let shown: Vec<String> = forms.iter().map(|(_, form)| form.clone()).collect();
        let expected = format!("one of {}", listed(&shown));
        let given = match subject.json {
            Json::Text(text) => Some(text.to_string()),
            _ => match subject.members().as_slice() {
                [(name, _)] => Some(name.to_string()),
                _ => None,
            },
        };
        let near = given.and_then(|given| {
            let near = nearest(&given, forms.iter().map(|(name, _)| name.as_str()))?.to_owned();
            let form = forms.iter().find(|(name, _)| *name == near)?.1.clone();
            Some((near == given, form))
        });
        let meant = match &near {
            Some((true, form)) => format!(" (write {form})"),
            Some((false, form)) => format!(" (did you mean {form}?)"),
            None => String::new(),
        };
        let found = subject.json.shown(self.limits.shown_chars);
        let message = format!("must be {expected}; got {found}{meant}");
        let problem = Problem::new(place.path(), ProblemKind::NoForm, message);
        let suggestion = near.and_then(|(_, form)| serde_json::from_str(&form).ok());
        self.push(problem.expecting(expected).suggesting(suggestion));
    }
}

/// A value that several schemas accept: the one with structure tells its normal form.
fn joined(node: &Node, own: Value, theirs: Value) -> Value {
    if node.has_structure() { own } else { theirs }
}

/// The node behind references that say nothing of their own.
pub(super) fn behind<'n>(schema: &'n Compiled, node: &'n Node) -> &'n Node {
    let mut node = node;
    // References in a circle were refused when the schema was compiled.
    while let (Some(target), true) = (node.reference, node.only_refers) {
        node = schema.node(target);
    }
    node
}

/// What each of several schemas wants, each told once.
fn describe_all(schema: &Compiled, branches: &[NodeId]) -> String {
    let mut forms: Vec<String> = Vec::new();
    for id in branches {
        let form = describe(schema, schema.node(*id));
        if !forms.contains(&form) {
            forms.push(form);
        }
    }
    forms.join(" or ")
}

/// The tag property of branches that all have one, and its values.
fn tags<'s>(schema: &'s Compiled, branches: &[NodeId]) -> Option<(&'s str, Vec<Value>)> {
    let first = behind(schema, schema.node(*branches.first()?));
    first.properties.iter().find_map(|property| {
        let value = |id: &NodeId| {
            let tag = behind(schema, schema.node(*id)).property(&property.name)?;
            match schema.node(tag.node).one_of_values.as_deref() {
                Some([value]) => Some(value.clone()),
                _ => None,
            }
        };
        let values: Option<Vec<Value>> = branches.iter().map(value).collect();
        values.map(|values| (property.name.as_str(), values))
    })
}

/// The one required property of an object that holds nothing else.
fn key_of(node: &Node) -> Option<&str> {
    match (node.properties.as_slice(), node.required.as_slice()) {
        ([only], [required]) if only.name == *required => Some(&only.name),
        _ => None,
    }
}

/// Whether all branches are variants that are told apart by their names.
fn is_named(schema: &Compiled, branches: &[NodeId]) -> bool {
    let named = |id: &NodeId| {
        let node = behind(schema, schema.node(*id));
        match node.types.as_slice() {
            [Type::String] => node.one_of_values.is_some(),
            [Type::Object] => key_of(node).is_some(),
            _ => false,
        }
    };
    branches.len() > 1 && branches.iter().all(named) && tags(schema, branches).is_none()
}

/// The names of such variants, each with the form in which it is written.
fn named_forms(schema: &Compiled, branches: &[NodeId]) -> Vec<(String, String)> {
    let mut forms = Vec::new();
    for id in branches {
        let node = behind(schema, schema.node(*id));
        let values = node.one_of_values.iter().flatten().filter_map(Value::as_str);
        forms.extend(values.map(|name| (name.to_owned(), quoted(name, 80))));
        forms.extend(
            key_of(node).map(|key| (key.to_owned(), format!("{{{}: …}}", quoted(key, 80)))),
        );
    }
    forms
}
