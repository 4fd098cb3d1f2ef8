//! Unions and the other keywords that judge one value by several schemas.

use serde_json::{Map, Value};

use super::equal::equal;
use super::judge::{Judge, Place, Subject, is_mistyped, is_of};
use super::text::Json;
use super::words::{forms, like as like_value, listed};
use crate::problem::{Problem, ProblemKind, escaped, nearest, quoted};
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
        // Of several schemas that accept a value, the first with structure tells its normal form.
        let mut is_told = node.has_structure();
        let settled = subject.settled();
        let schema = self.schema;
        let of = |id: &NodeId| behind(schema, schema.node(*id));
        let is_mistyped =
            |part: &Node| part.one_of_values.is_none() && is_mistyped(part, subject.json);
        let parts = || node.reference.iter().chain(&node.all_of);
        let mistyped: Vec<&Node> = parts().map(of).filter(|part| is_mistyped(part)).collect();
        let all = if mistyped.len() > 1 { self.example(node) } else { None };
        let as_one = all.is_some();
        if let Some(example) = all {
            self.mistyped_for_all(node, &mistyped, example, subject.json, place);
        }
        for id in parts().filter(|id| !as_one || !is_mistyped(of(id))) {
            match self.verdict(*id, &settled) {
                Some(theirs) if !is_told => {
                    value = theirs;
                    is_told = self.schema.node(*id).is_structured;
                }
                Some(_) => {}
                None => self.tell(*id, &settled, place),
            }
        }
        let subject = &subject.unsettled();
        for branches in [&node.any_of, &node.one_of] {
            if !branches.is_empty() && !self.has_enough() {
                let theirs = self.union(node, branches, subject, place);
                if !is_told {
                    value = theirs;
                }
            }
        }
        let is_partial = |id: &NodeId| self.schema.node(*id).partial;
        if node.one_of.len() > 1 && !self.has_enough() && !node.one_of.iter().any(is_partial) {
            self.refuse_several(node, subject, place);
        }
        if let Some(not) = node.not
            && !self.schema.node(not).partial
        {
            let outside = std::mem::replace(&mut self.negated, true);
            let fits = self.verdict(not, subject).is_some();
            self.negated = outside;
            if fits {
                self.refuse_form(node, not, subject.json, place);
            }
        }
        value
    }

    fn refuse_form(&mut self, whole: &Node, not: NodeId, json: &Json<'_>, place: &Place<'_>) {
        let node = self.schema.node(not);
        let what = if node.types.is_empty() && node.one_of_values.is_none() {
            "of a form that is excluded here".to_owned()
        } else {
            forms(self.schema, node)
        };
        let found = json.named(self.limits.shown_chars);
        let like = self.example(whole).as_ref().map_or_else(String::new, like_value);
        let message = format!("must not be {what}; got {found}. Send another value{like}");
        let expected = format!("anything but {what}");
        self.problem(whole, place, ProblemKind::NotAllowed, message, expected);
    }

    fn refuse_several(&mut self, node: &Node, subject: &Subject<'a>, place: &Place<'_>) {
        let outside = std::mem::replace(&mut self.negated, true);
        let fitting = node.one_of.iter().filter(|id| self.verdict(**id, subject).is_some()).count();
        self.negated = outside;
        if fitting > 1 {
            let like = self.example(node).as_ref().map_or_else(String::new, like_value);
            let message = format!("fits {fitting} forms where it must fit exactly one{like}");
            let expected = "a value of exactly one form".to_owned();
            self.problem(node, place, ProblemKind::NoForm, message, expected);
        }
    }

    fn union(
        &mut self,
        node: &Node,
        branches: &[NodeId],
        subject: &Subject<'a>,
        place: &Place<'_>,
    ) -> Value {
        for id in branches {
            if let Some(value) = self.verdict(*id, subject) {
                return value;
            }
        }
        // Where only the answer is wanted, it is no already, in whatever words.
        let nearest = if self.only_asks() { None } else { self.nearest(branches, subject) };
        match nearest {
            Some(branch) => self.tell(branch, subject, place),
            None => self.no_form(node, branches, subject, place),
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
        if let ([one], false) = (meant.as_slice(), is_named(schema, branches)) {
            return Some(*one);
        }
        if !matches!(subject.json, Json::Object(_)) {
            let mut forms = branches.iter().filter(|id| resolved(id).types != [Type::Null]);
            return forms.next().copied().filter(|_| forms.next().is_none());
        }
        if let Some((tag, _)) = tags(schema, &meant).filter(|_| !is_named(schema, branches)) {
            let given = subject.member(tag)?;
            return meant.iter().find(|id| is_tagged(schema, **id, tag, given)).copied();
        }
        if is_named(schema, branches) {
            let is_given = |id: &&NodeId| {
                key_of(resolved(id)).is_some_and(|key| subject.member(key).is_some())
            };
            return meant.iter().find(is_given).copied();
        }
        meant.into_iter().min_by_key(|id| self.count(*id, subject))
    }

    fn no_form(
        &mut self,
        node: &Node,
        branches: &[NodeId],
        subject: &Subject<'a>,
        place: &Place<'_>,
    ) {
        let schema = self.schema;
        let is_object =
            |id: &&NodeId| behind(schema, schema.node(**id)).types.contains(&Type::Object);
        let objects: Vec<NodeId> = branches.iter().filter(is_object).copied().collect();
        let tags = tags(schema, &objects).filter(|_| matches!(subject.json, Json::Object(_)));
        if let Some((tag, values)) = tags {
            self.wrong_tag(tag, &values, &objects, subject, place);
        } else if is_named(schema, branches) {
            self.wrong_name(node, branches, subject, place);
        } else {
            let (expected, _) = self.right(node);
            let found = subject.json.named(self.limits.shown_chars);
            let message = format!("expected {expected}, got {found}");
            self.problem(node, place, ProblemKind::NoForm, message, expected);
        }
    }

    /// No variant of an enum whose variants are told apart by a tag.
    fn wrong_tag(
        &mut self,
        tag: &str,
        values: &[Value],
        branches: &[NodeId],
        subject: &Subject<'a>,
        place: &Place<'_>,
    ) {
        let given = subject.member(tag).or_else(|| self.misspelt_tag(tag, branches, subject));
        let Some((meant, value)) = self.meant(given, values, branches, subject) else { return };
        let at = Place::Field(place, tag);
        // The first one is what is taken where nothing else is said.
        let near = Some(value).filter(|_| branches.first() != Some(&meant));
        let before = self.problems.len();
        if let Some(json) = subject.member(tag) {
            self.not_allowed_but(values, near, json, &at);
        } else if given.is_none() {
            let names: Vec<String> = values.iter().map(Value::to_string).collect();
            let expected = format!("one of {}", listed(&names));
            let hint = near.map_or_else(String::new, |near| format!("; did you mean {near}?"));
            let message = format!("missing required field '{tag}' ({expected}{hint})");
            let problem = Problem::new(at.path(), ProblemKind::MissingField, message);
            let problem = problem.expecting(expected).suggesting(near.cloned());
            self.push(problem.with_example(Some(value.clone())));
        }
        // What else is wrong for the one that was meant, so that one more try is enough.
        let told = self.problems.len();
        self.value(meant, subject, place);
        if told > before {
            let rest = self.problems.split_off(told);
            self.problems.extend(rest.into_iter().filter(|problem| *problem.path() != at.path()));
        }
    }

    /// The branch that was probably meant, and the tag of it.
    fn meant<'v>(
        &mut self,
        given: Option<&Json<'_>>,
        values: &'v [Value],
        branches: &[NodeId],
        subject: &Subject<'a>,
    ) -> Option<(NodeId, &'v Value)> {
        let by_tag = match given {
            Some(Json::Text(text)) => nearest(text, values.iter().filter_map(Value::as_str)),
            _ => None,
        };
        let by_tag = by_tag.and_then(|near| values.iter().position(|value| value == near));
        let meant = by_tag.or_else(|| {
            let counts = branches.iter().enumerate();
            counts.min_by_key(|(_, id)| self.count(**id, subject)).map(|(index, _)| index)
        })?;
        Some((*branches.get(meant)?, values.get(meant)?))
    }

    /// What a field holds whose name is a slip of the tag's.
    fn misspelt_tag(
        &self,
        tag: &str,
        branches: &[NodeId],
        subject: &Subject<'a>,
    ) -> Option<&'a Json<'a>> {
        let is_known = |name: &str| {
            branches
                .iter()
                .any(|id| behind(self.schema, self.schema.node(*id)).property(name).is_some())
        };
        let mut members = subject.members().into_iter();
        let slip = members.find(|(name, _)| !is_known(name) && nearest(name, [tag]).is_some());
        slip.map(|(_, json)| json)
    }

    /// No variant of an enum whose variants are told apart by their names.
    fn wrong_name(
        &mut self,
        node: &Node,
        branches: &[NodeId],
        subject: &Subject<'a>,
        place: &Place<'_>,
    ) {
        let variants = variants(self.schema, branches);
        let names = || variants.iter().map(|variant| variant.name);
        let members = subject.members();
        let (given, held) = match (subject.json, members.as_slice()) {
            (Json::Text(text), _) => (Some(text.as_ref()), None),
            (_, [(name, json)]) => (Some(name.as_ref()), Some(json)),
            _ => (None, None),
        };
        let near = given.and_then(|given| nearest(given, names()));
        let near = near.and_then(|near| variants.iter().find(|variant| variant.name == near));
        if let (Some(name), Some(json), Some(near)) = (given, held, near)
            && let Some(holds) = near.holds
        {
            self.wrong_key(&variants, name, near.name, place);
            self.value(holds, &Subject::whole(json), &Place::Field(place, name));
            return;
        }
        let shown: Vec<String> = variants.iter().map(Variant::form).collect();
        let example = self.example(node);
        let is_open = variants.first().is_some_and(|first| first.holds.is_some());
        let like = example.as_ref().filter(|_| is_open && near.is_none());
        let like = like.map_or_else(String::new, like_value);
        let expected = format!("one of {}{like}", listed(&shown));
        let suggestion = near.and_then(|near| match near.holds {
            None => Some(Value::from(near.name)),
            Some(holds) => {
                let value = self.example(self.schema.node(holds))?;
                Some(Value::Object(Map::from_iter([(near.name.to_owned(), value)])))
            }
        });
        let meant = match (&suggestion, near) {
            (Some(value), Some(near)) if Some(near.name) == given => format!(" (write {value})"),
            (Some(value), _) => format!(" (did you mean {value}?)"),
            (None, _) => String::new(),
        };
        let found = subject.json.shown(self.limits.shown_chars);
        let message = format!("must be {expected}; got {found}{meant}");
        let problem = Problem::new(place.path(), ProblemKind::NoForm, message);
        self.push(problem.expecting(expected).suggesting(suggestion).with_example(example));
    }

    /// An object that is right but for its one name.
    fn wrong_key(&mut self, variants: &[Variant<'_>], name: &str, meant: &str, place: &Place<'_>) {
        let objects = variants.iter().filter(|variant| variant.holds.is_some());
        let allowed: Vec<String> = objects.map(|variant| variant.name.to_owned()).collect();
        let expected = format!("allowed: {}", listed(&allowed));
        let cut = |name: &str| escaped(name, self.limits.shown_chars);
        let (shown, near) = (cut(name), cut(meant));
        let message = format!("unexpected field '{shown}' (did you mean '{near}'? {expected})");
        let path = Place::Field(place, name).path();
        let problem = Problem::new(path, ProblemKind::UnexpectedField, message);
        self.push(problem.expecting(expected).suggesting(Some(Value::from(meant))));
    }
}

/// The node behind references that say nothing of their own.
pub(super) fn behind<'n>(schema: &'n Compiled, node: &'n Node) -> &'n Node {
    let mut node = node;
    // References in a circle were refused when the schema was compiled.
    while let Some(target) = node.alias_of() {
        node = schema.node(target);
    }
    node
}

/// Whether a branch's tag is the one that was given.
fn is_tagged(schema: &Compiled, branch: NodeId, tag: &str, given: &Json<'_>) -> bool {
    let property = behind(schema, schema.node(branch)).property(tag);
    let values = property.and_then(|p| schema.node(p.node).one_of_values.as_deref());
    matches!(values, Some([value]) if equal(given, value))
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

/// One variant of an enum whose variants are told apart by their names.
struct Variant<'s> {
    name: &'s str,
    /// What it holds; nothing where the name alone is the value.
    holds: Option<NodeId>,
}

impl Variant<'_> {
    /// How it is written.
    fn form(&self) -> String {
        let name = quoted(self.name, 80);
        if self.holds.is_some() { format!("{{{name}: …}}") } else { name }
    }
}

fn variants<'s>(schema: &'s Compiled, branches: &[NodeId]) -> Vec<Variant<'s>> {
    let mut variants = Vec::new();
    for id in branches {
        let node = behind(schema, schema.node(*id));
        let names = node.one_of_values.iter().flatten().filter_map(Value::as_str);
        variants.extend(names.map(|name| Variant { name, holds: None }));
        if let (Some(name), [property]) = (key_of(node), node.properties.as_slice()) {
            variants.push(Variant { name, holds: Some(property.node) });
        }
    }
    variants
}
