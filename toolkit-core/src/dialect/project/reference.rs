//! What a schema refers to: put in its place, or written once as a definition.

use serde_json::Value;

use super::lower::{Made, Pass};
use super::merge::merged;
use super::steps::Step;
use super::tree::{Object, is_recursive, target};
use crate::dialect::form::References;
use crate::schema::judges;

/// A definition that something refers to.
pub(super) struct Defined {
    reference: String,
    pub(super) name: String,
    /// Not while it is being written.
    pub(super) written: Option<(Value, Step)>,
}

impl Pass<'_> {
    /// Puts what a node refers to, and what it is all of, into the node, where it can not stay a
    /// reference.
    pub(super) fn gather(&mut self, node: &Object, at: &str) -> Option<Object> {
        let mut node = node.clone();
        loop {
            if let Some(Value::Array(all)) = node.shift_remove("allOf") {
                for one in &all {
                    let Value::Object(one) = one else { continue };
                    node = self.joined(&node, one, at)?;
                }
            }
            let Some(reference) = node.get("$ref").and_then(Value::as_str).map(str::to_owned)
            else {
                return Some(node);
            };
            let Some(found) = target(self.document, &reference) else {
                let advice = format!("`{reference}` is not in the schema; write it into `$defs`");
                return self.refuse(at, "$ref", advice);
            };
            let recursive = is_recursive(self.document, &reference);
            self.allowed(recursive, &reference, at)?;
            let stays = match self.rules.references {
                References::All | References::NotRecursive => true,
                References::OnlyRecursive => recursive,
                References::None => false,
            };
            let beside = node.keys().filter(|name| *name != "$ref");
            let is_alone = beside.clone().count() == 0;
            let only_words = beside.clone().all(|name| !judges(name));
            if stays && (is_alone || (only_words && self.merging.contains(&reference))) {
                return Some(Object::from_iter([("$ref".to_owned(), reference.into())]));
            }
            if self.merging.contains(&reference) {
                return self.refuse(
                    at,
                    "$ref",
                    "the schema is part of itself, with more beside the reference; leave that out",
                );
            }
            self.merging.push(reference);
            node.shift_remove("$ref");
            let found = found.as_object().cloned().unwrap_or_default();
            node = self.joined(&node, &found, at)?;
        }
    }

    fn joined(&mut self, node: &Object, other: &Object, at: &str) -> Option<Object> {
        match merged(node, other) {
            Ok(joined) => Some(joined),
            Err(keyword) => {
                self.refuse(at, &keyword, "it is said twice of one value, differently; say it once")
            }
        }
    }

    /// Whether the API takes a recursive schema here.
    fn allowed(&mut self, recursive: bool, reference: &str, at: &str) -> Option<()> {
        let name = reference.rsplit('/').next().unwrap_or_default();
        match self.rules.references {
            _ if !recursive => Some(()),
            References::All => Some(()),
            References::OnlyRecursive if self.is_below_optional => Some(()),
            References::OnlyRecursive => self.refuse(
                at,
                "$ref",
                format!("`{name}` is part of itself; that is taken below an optional field only"),
            ),
            References::NotRecursive | References::None => self.refuse(
                at,
                "$ref",
                format!("`{name}` is part of itself; take a list of nodes that name their parents"),
            ),
        }
    }

    pub(super) fn reference(&mut self, reference: &str, at: &str) -> Option<Made> {
        // The root is written under no name, since it is written another way.
        if reference == "#" {
            return self.refuse(
                at,
                "$ref",
                "the arguments are part of themselves; put what repeats into `$defs`",
            );
        }
        let known = self.definitions.iter().find(|known| known.reference == reference);
        let name = match known {
            Some(known) => known.name.clone(),
            None => self.define(reference)?,
        };
        let schema = Object::from_iter([("$ref".to_owned(), format!("#/$defs/{name}").into())]);
        Some(Made { schema, step: Step::Reference(name), nullable: false })
    }

    /// Writes a definition; it is known by its name before it is written, since it may refer to
    /// itself.
    fn define(&mut self, reference: &str) -> Option<String> {
        let last = reference.rsplit('/').next().unwrap_or_default();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
        let plain: String = last.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
        let mut name = plain.clone();
        let mut number = 2;
        while self.definitions.iter().any(|taken| taken.name == name) {
            name = format!("{plain}_{number}");
            number += 1;
        }
        self.definitions.push(Defined {
            reference: reference.to_owned(),
            name: name.clone(),
            written: None,
        });
        let found = target(self.document, reference)?;
        // It is used in more places than this one.
        let merging = std::mem::take(&mut self.merging);
        let made = self.lower(found, &format!("$defs.{name}"));
        self.merging = merging;
        let (schema, step) = self.with_null(made?, false);
        if let Some(defined) = self.definitions.iter_mut().find(|defined| defined.name == name) {
            defined.written = Some((schema.into(), step));
        }
        Some(name)
    }

    /// What is done to the values of a definition, once it is written.
    pub(super) fn step_of(&self, name: &str) -> Option<&Step> {
        let defined = self.definitions.iter().find(|defined| defined.name == name)?;
        defined.written.as_ref().map(|(_, step)| step)
    }
}
