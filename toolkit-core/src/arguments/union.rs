//! Unions and the other keywords that judge one value by several schemas.

use serde_json::Value;

use super::equal::equal;
use super::report::{Judge, Place, is_of};
use super::text::Json;
use super::words::{describe, listed};
use crate::problem::ProblemKind;
use crate::schema::{Compiled, Node, NodeId, Type};

impl<'a> Judge<'a> {
    /// The keywords that judge the same value by other schemas.
    pub(super) fn in_place(
        &mut self,
        node: &'a Node,
        json: &Json<'_>,
        place: &Place<'_>,
        own: Value,
    ) -> Value {
        let mut value = own;
        let keeps_own = node.has_structure();
        for id in node.reference.iter().chain(&node.all_of) {
            let theirs = self.value(*id, json, place);
            if !keeps_own {
                value = theirs;
            }
        }
        if !node.any_of.is_empty() && !self.done() {
            let theirs = self.union(&node.any_of, json, place);
            if !keeps_own {
                value = theirs;
            }
        }
        if !node.one_of.is_empty() && !self.done() {
            self.refuse_several(&node.one_of, json, place);
            let theirs = self.union(&node.one_of, json, place);
            if !keeps_own {
                value = theirs;
            }
        }
        if let Some(not) = node.not
            && self.accepts(not, json)
        {
            let what = describe(self.schema, self.schema.node(not));
            let found = json.named(self.limits.shown_chars);
            let message = format!("must not be {what}; got {found}");
            self.problem(place, ProblemKind::NotAllowed, message, format!("anything but {what}"));
        }
        value
    }

    fn accepts(&mut self, id: NodeId, json: &Json<'_>) -> bool {
        let key = (id, std::ptr::from_ref(json).addr());
        if let Some(verdict) = self.verdicts.get(&key) {
            return *verdict;
        }
        let problems = std::mem::take(&mut self.problems);
        let quick = std::mem::replace(&mut self.quick, true);
        self.value(id, json, &Place::Root);
        self.quick = quick;
        let verdict = std::mem::replace(&mut self.problems, problems).is_empty();
        self.verdicts.insert(key, verdict);
        verdict
    }

    fn refuse_several(&mut self, branches: &[NodeId], json: &Json<'_>, place: &Place<'_>) {
        let fitting = branches.iter().filter(|id| self.accepts(**id, json)).count();
        if fitting > 1 {
            let message = format!("fits {fitting} forms where it must fit exactly one");
            let expected = "a value of exactly one form".to_owned();
            self.problem(place, ProblemKind::NoForm, message, expected);
        }
    }

    fn union(&mut self, branches: &[NodeId], json: &Json<'_>, place: &Place<'_>) -> Value {
        let fitting = branches.iter().copied().find(|id| self.accepts(*id, json));
        let branch =
            fitting.or_else(|| if self.quick { None } else { self.nearest(branches, json) });
        if let Some(branch) = branch {
            return self.value(branch, json, place);
        }
        self.no_form(branches, json, place);
        Value::Null
    }

    /// The branch that the value was probably meant for, looked for once.
    fn nearest(&mut self, branches: &[NodeId], json: &Json<'_>) -> Option<NodeId> {
        let key = (branches.as_ptr().addr(), std::ptr::from_ref(json).addr());
        if let Some(branch) = self.nearest.get(&key) {
            return *branch;
        }
        let branch = self.nearest_branch(branches, json);
        self.nearest.insert(key, branch);
        branch
    }

    fn nearest_branch(&mut self, branches: &[NodeId], json: &Json<'_>) -> Option<NodeId> {
        let schema = self.schema;
        let of_type: Vec<NodeId> = branches
            .iter()
            .copied()
            .filter(|id| {
                let node = resolved(schema, *id);
                node.types.is_empty() || node.types.iter().any(|of| is_of(*of, json))
            })
            .collect();
        let Json::Object(members) = json else {
            let not_null: Vec<NodeId> = branches
                .iter()
                .copied()
                .filter(|id| resolved(schema, *id).types != [Type::Null])
                .collect();
            return match (of_type.as_slice(), not_null.as_slice()) {
                ([one], _) | ([], [one]) => Some(*one),
                _ => None,
            };
        };
        let given =
            |wanted: &str| members.iter().find(|(name, _)| name == wanted).map(|(_, json)| json);
        // A tag is a property whose one value tells the branches apart.
        let tagged = of_type.iter().copied().find(|id| {
            resolved(schema, *id).properties.iter().any(|property| {
                let tag = schema.node(property.node).one_of_values.as_deref();
                matches!(tag, Some([tag]) if given(&property.name).is_some_and(|json| equal(json, tag)))
            })
        });
        let keyed = || {
            of_type.iter().copied().find(|id| {
                let node = resolved(schema, *id);
                matches!(node.properties.as_slice(), [only] if only.required && given(&only.name).is_some())
            })
        };
        tagged.or_else(keyed).or_else(|| self.fewest(&of_type, json))
    }

    /// Of objects without a tag, the branch with the fewest problems.
    fn fewest(&mut self, branches: &[NodeId], json: &Json<'_>) -> Option<NodeId> {
        if branches.len() > 1 && self.tags(branches).is_some() {
            return None;
        }
        let mut best: Option<(usize, NodeId)> = None;
        for id in branches {
            let problems = std::mem::take(&mut self.problems);
            self.value(*id, json, &Place::Root);
            let count = std::mem::replace(&mut self.problems, problems).len();
            if best.is_none_or(|(least, _)| count < least) {
                best = Some((count, *id));
            }
        }
        best.map(|(_, id)| id)
    }

    /// The tag property of branches that all have one, and its values.
    fn tags(&self, branches: &[NodeId]) -> Option<(&'a str, Vec<Value>)> {
        let schema = self.schema;
        let first = resolved(schema, *branches.first()?);
        first.properties.iter().find_map(|property| {
            let values: Option<Vec<Value>> = branches
                .iter()
                .map(|id| {
                    let tag = resolved(schema, *id).property(&property.name)?;
                    match schema.node(tag.node).one_of_values.as_deref() {
                        Some([value]) => Some(value.clone()),
                        _ => None,
                    }
                })
                .collect();
            values.map(|values| (property.name.as_str(), values))
        })
    }

    fn no_form(&mut self, branches: &[NodeId], json: &Json<'_>, place: &Place<'_>) {
        let schema = self.schema;
        let objects: Vec<NodeId> = branches
            .iter()
            .copied()
            .filter(|id| resolved(schema, *id).types.contains(&Type::Object))
            .collect();
        if let (Json::Object(members), Some((tag, values))) = (json, self.tags(&objects)) {
            let place = Place::Field(place, tag);
            if let Some((_, json)) = members.iter().find(|(name, _)| name == tag) {
                return self.not_allowed(&values, json, &place);
            }
            let names: Vec<String> = values.iter().map(Value::to_string).collect();
            let expected = format!("one of {}", listed(&names));
            let message = format!("missing required field '{tag}' ({expected})");
            return self.problem(&place, ProblemKind::MissingField, message, expected);
        }
        let mut forms: Vec<String> = Vec::new();
        for id in branches {
            let form = describe(schema, resolved(schema, *id));
            if !forms.contains(&form) {
                forms.push(form);
            }
        }
        let expected = forms.join(" or ");
        let found = json.named(self.limits.shown_chars);
        let message = format!("expected {expected}, got {found}");
        self.problem(place, ProblemKind::NoForm, message, expected);
    }
}

/// The node behind an id and its references.
fn resolved(schema: &Compiled, id: NodeId) -> &Node {
    behind(schema, schema.node(id))
}

/// The node behind references that say nothing of their own.
pub(super) fn behind<'n>(schema: &'n Compiled, node: &'n Node) -> &'n Node {
    let mut node = node;
    // References in a circle were refused when the schema was compiled.
    while let (Some(target), true) = (node.reference, node.types.is_empty()) {
        node = schema.node(target);
    }
    node
}
