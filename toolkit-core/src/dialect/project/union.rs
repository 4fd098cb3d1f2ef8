//! A value of one of several forms.

use serde_json::{Value, json};

use super::lower::{Made, Pass, describe};
use super::rewrite::RewriteKind;
use super::steps::Step;
use super::tree::{Object, names, target, text, types, values};
use super::words;
use crate::schema::judges;

impl Pass<'_> {
    /// Writes a union; what stands beside it becomes part of each form.
    pub(super) fn union(&mut self, node: &Object, at: &str) -> Option<Made> {
        let (Some(keyword), None) = (
            ["oneOf", "anyOf"].into_iter().find(|union| node.contains_key(*union)),
            ["oneOf", "anyOf"].into_iter().filter(|union| node.contains_key(*union)).nth(1),
        ) else {
            return self.refuse(at, "oneOf", "`anyOf` stands beside it; write one of them");
        };
        let Some(Value::Array(branches)) = node.get(keyword) else {
            return self.refuse(at, keyword, "it is no list of schemas");
        };
        let (mut words, beside): (Object, Object) = node
            .iter()
            .filter(|(name, _)| *name != keyword)
            .map(|(name, value)| (name.clone(), value.clone()))
            .partition(|(name, _)| !judges(name));
        let mut forms = Vec::new();
        for branch in branches {
            if *branch == Value::Bool(false) {
                continue;
            }
            let branch = branch.as_object().cloned().unwrap_or_default();
            forms.push(Value::Object(beside_in(&beside, branch)));
        }
        if keyword == "oneOf" && !self.are_disjoint(&forms) {
            let hint = "exactly one of the forms must fit".to_owned();
            self.note(at, RewriteKind::Wider, hint.clone());
            let description = words::described(text(&words, "description"), &[hint]);
            words.insert("description".to_owned(), description.into());
            return self.forms(&words, &forms, at);
        }
        self.forms(&words, &forms, at)
    }

    /// Writes a value of any of the forms.
    pub(super) fn forms(&mut self, words: &Object, forms: &[Value], at: &str) -> Option<Made> {
        let is_null = |form: &&Value| {
            form.as_object().is_some_and(|form| {
                types(form) == ["null"]
                    || values(form).is_some_and(|values| values.iter().all(|one| one.is_null()))
            })
        };
        let nullable = forms.iter().any(|form| is_null(&form));
        let forms: Vec<&Value> = forms.iter().filter(|form| !is_null(form)).collect();
        if let Some(folded) = folded(words, &forms) {
            self.note(at, RewriteKind::Equal, "names in one list");
            let made = self.typed(&folded, at)?;
            return Some(Made { nullable: made.nullable || nullable, ..made });
        }
        let made = match forms.as_slice() {
            [] if nullable => {
                let mut null = words.clone();
                null.insert("type".to_owned(), "null".into());
                return self.typed(&null, at);
            }
            [] => return self.refuse(at, "anyOf", "no value is accepted here; leave it out"),
            [Value::Object(one)] => {
                let mut joined = words.clone();
                joined.extend(one.iter().filter(|(name, _)| *name != "description").map(owned));
                let description = text(one, "description");
                if text(words, "description").is_empty() && !description.is_empty() {
                    joined.insert("description".to_owned(), description.into());
                }
                self.lower(&joined.into(), at)
            }
            several => self.several(words, several, at),
        }?;
        Some(Made { nullable: made.nullable || nullable, ..made })
    }

    fn several(&mut self, words: &Object, forms: &[&Value], at: &str) -> Option<Made> {
        let mut written: Vec<Value> = Vec::new();
        let mut steps = Vec::new();
        let mut nullable = false;
        let mut is_right = true;
        for (index, form) in forms.iter().enumerate() {
            let place = format!("{at}(form {})", index + 1);
            let Some(made) = self.lower(form, &place) else {
                is_right = false;
                continue;
            };
            nullable |= made.nullable;
            for (schema, step) in joining(made) {
                if !written.contains(&schema) {
                    written.push(schema.clone());
                    steps.push((schema, step));
                }
            }
        }
        if !is_right {
            return None;
        }
        // Any value as text is a text as well: nothing would tell it from another form's.
        if steps.len() > 1 && steps.iter().any(|(_, step)| self.is_text(step)) {
            return self.anything(words, at);
        }
        let hints = self.hints(words, &["default"], at)?;
        let described = describe(words, Object::new(), &hints);
        let description = text(&described, "description");
        if self.rules.lone_unions && !description.is_empty() {
            for form in written.iter_mut().filter_map(Value::as_object_mut) {
                let own = text(form, "description");
                let both = if own.is_empty() {
                    description.to_owned()
                } else {
                    format!("{description}\n{own}")
                };
                let mut first = Object::from_iter([("description".to_owned(), both.into())]);
                first.extend(form.iter().filter(|(name, _)| *name != "description").map(owned));
                *form = first;
            }
        }
        let mut schema = if self.rules.lone_unions { Object::new() } else { described };
        schema.insert("anyOf".to_owned(), written.into());
        Some(Made { schema, step: Step::either(steps), nullable })
    }

    /// Whether a form is any value, written as JSON text.
    fn is_text(&self, step: &Step) -> bool {
        match step {
            Step::Text => true,
            Step::Reference(name) => self.step_of(name) == Some(&Step::Text),
            Step::Either(forms) => forms.iter().any(|(_, step)| self.is_text(step)),
            Step::Same
            | Step::Object { .. }
            | Step::Array { .. }
            | Step::Pairs(_)
            | Step::Names(_) => false,
        }
    }

    /// Whether no value can have two of the forms, as far as the schemas show it.
    fn are_disjoint(&self, forms: &[Value]) -> bool {
        let resolved: Option<Vec<Object>> = forms.iter().map(|form| self.resolved(form)).collect();
        let Some(resolved) = resolved else { return false };
        resolved.len() <= 64
            && resolved.iter().enumerate().all(|(index, one)| {
                resolved.iter().skip(index + 1).all(|other| are_apart(one, other))
            })
    }

    fn resolved(&self, form: &Value) -> Option<Object> {
        let mut node = form.as_object()?.clone();
        for _ in 0..16 {
            let Some(Value::String(reference)) = node.shift_remove("$ref") else {
                return Some(node);
            };
            let found = target(self.document, &reference)?.as_object()?;
            node = super::merge::merged(&node, found).ok()?;
        }
        None
    }
}

/// What a form adds to a union: one that is a union and nothing else joins the others, since an
/// API may take nothing beside a union, and so no word that it may be null.
fn joining(made: Made) -> Vec<(Value, Step)> {
    let Some(Value::Array(forms)) = made.schema.get("anyOf").filter(|_| made.schema.len() == 1)
    else {
        return vec![(made.schema.into(), made.step)];
    };
    match made.step {
        Step::Either(branches) => {
            // The steps stay with their forms, which are written as they are told.
            let steps = branches.into_iter().map(|(_, step)| step);
            forms.iter().cloned().zip(steps).collect()
        }
        step => forms.iter().map(|form| (form.clone(), step.clone())).collect(),
    }
}

fn owned((name, value): (&String, &Value)) -> (String, Value) {
    (name.clone(), value.clone())
}

/// What stands beside a union, and a form of it; the form's own words stand.
fn beside_in(beside: &Object, form: Object) -> Object {
    if beside.is_empty() {
        return form;
    }
    // Both are said of the value; whoever lowers the form puts them together.
    if form.is_empty() {
        return beside.clone();
    }
    let mut joined = form;
    let description = joined.shift_remove("description");
    let mut node = Object::new();
    node.extend(description.map(|text| ("description".to_owned(), text)));
    node.insert("allOf".to_owned(), json!([beside, joined]));
    node
}

/// The list of names that a documented enum is.
fn folded(words: &Object, forms: &[&Value]) -> Option<Object> {
    if forms.len() < 2 {
        return None;
    }
    let mut all: Vec<Value> = Vec::new();
    let mut lines = Vec::new();
    for form in forms {
        let form = form.as_object()?;
        let known = |name: &String| {
            matches!(name.as_str(), "type" | "const" | "enum" | "description" | "title")
        };
        let values = values(form).filter(|values| values.iter().all(|value| value.is_string()))?;
        if !form.keys().all(known) {
            return None;
        }
        if !text(form, "description").is_empty() {
            let names: Vec<&str> = values.iter().filter_map(|value| value.as_str()).collect();
            lines.push(format!("{}: {}", names.join(", "), text(form, "description")));
        }
        for value in values {
            if !all.contains(value) {
                all.push(value.clone());
            }
        }
    }
    let own = Some(text(words, "description").to_owned()).filter(|own| !own.is_empty());
    let description: Vec<String> = own.into_iter().chain(lines).collect();
    let mut node = words.clone();
    if !description.is_empty() {
        node.insert("description".to_owned(), description.join("\n").into());
    }
    node.insert("type".to_owned(), "string".into());
    node.insert("enum".to_owned(), all.into());
    Some(node)
}

/// Whether no value can have both forms.
fn are_apart(one: &Object, other: &Object) -> bool {
    let (ones, others) = (types(one), types(other));
    if !ones.is_empty() && !others.is_empty() {
        let meets = |of: &&str| {
            others.contains(of)
                || (*of == "integer" && others.contains(&"number"))
                || (*of == "number" && others.contains(&"integer"))
        };
        if !ones.iter().any(meets) {
            return true;
        }
    }
    if let (Some(ones), Some(others)) = (values(one), values(other)) {
        return !ones.iter().any(|value| others.contains(value));
    }
    is_told_by_tag(one, other) || lacks_a_field(one, other) || lacks_a_field(other, one)
}

/// Whether a field that both require has different values.
fn is_told_by_tag(one: &Object, other: &Object) -> bool {
    let tag = |node: &Object, name: &str| {
        let property = node.get("properties")?.get(name)?.as_object()?;
        Some(values(property)?.into_iter().cloned().collect::<Vec<_>>())
    };
    names(one, "required").into_iter().any(|name| {
        let (Some(ones), Some(others)) = (tag(one, name), tag(other, name)) else { return false };
        names(other, "required").contains(&name) && !ones.iter().any(|value| others.contains(value))
    })
}

/// Whether one requires a field that the other, being closed, does not have.
fn lacks_a_field(one: &Object, other: &Object) -> bool {
    let is_closed = other.get("additionalProperties").is_some_and(|rest| *rest == false);
    let properties = other.get("properties").and_then(Value::as_object);
    is_closed
        && !other.contains_key("patternProperties")
        && types(other) == ["object"]
        && types(one) == ["object"]
        && names(one, "required")
            .iter()
            .any(|name| !properties.is_some_and(|all| all.contains_key(*name)))
}
