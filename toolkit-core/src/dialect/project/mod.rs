//! The one full schema of a tool, in the form that an API takes.
//!
//! Every rewrite is equal, wider with the lost rule in the description, re-encoded with a step
//! that the dispatcher takes back, or refused.

mod fits;
mod lower;
mod merge;
mod object;
mod pattern;
mod plain;
mod reference;
mod rewrite;
mod root;
mod steps;
mod tree;
mod union;
mod values;
mod words;

use std::borrow::Cow;

use serde_json::Value;

pub use rewrite::{Rewrite, RewriteKind};
pub(crate) use steps::Decoded;

use lower::{Fault, Pass};
use steps::Steps;

use super::definition::Definition;
use super::form::Form;
use crate::error::{ToolConfigError, ToolConfigErrors};

/// The schema of one tool in the form that an API takes, and the way back.
///
/// ```
/// use serde_json::json;
/// use toolkit::dialect::{Definition, Form, Projection};
///
/// let schema = json!({
///     "type": "object",
///     "properties": {
///         "scores": {"type": "object", "additionalProperties": {"type": "integer"}},
///         "note": {"type": "string"},
///     },
///     "required": ["scores"],
///     "additionalProperties": false,
/// });
/// let definition = Definition::new("rank", "Ranks players.", schema);
///
/// let refused = Projection::of(&definition, Form::OPENAI.strict()).unwrap_err();
/// assert_eq!(
///     refused.to_string(),
///     "the registry has 1 mistake:
///   tool `rank`: openai, strict: `additionalProperties` of $.scores: a map has no form; name its \
/// fields, take a list of pairs, or let the dialect write it as one with `maps_as_pairs()`",
/// );
///
/// let projection = Projection::of(&definition, Form::OPENAI.strict().maps_as_pairs())?;
/// assert_eq!(
///     projection.schema()["properties"]["scores"]["items"]["properties"]["key"],
///     json!({"type": "string"}),
/// );
/// assert_eq!(
///     projection.explain(),
///     "$.scores: re-encoded: pairs to map\n$.note: re-encoded: null to absent",
/// );
/// let wire = r#"{"scores": [{"key": "ann", "value": 3}], "note": null}"#;
/// assert_eq!(projection.decode(wire).as_deref(), Ok(r#"{"scores":{"ann":3}}"#));
/// # Ok::<(), toolkit::ToolConfigErrors>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Projection {
    schema: Value,
    rewrites: Vec<Rewrite>,
    steps: Steps,
}

impl Projection {
    /// Writes the input schema of a definition in a form.
    ///
    /// A form that is strict where possible is taken as strict.
    ///
    /// # Errors
    /// Everything in the schema that has no such form: the tool, where it is, the
    /// keyword, and what to write instead.
    pub fn of(definition: &Definition, form: Form) -> Result<Self, ToolConfigErrors> {
        let form = match form.strictness() {
            super::form::Strictness::WherePossible => form.decided(true),
            super::form::Strictness::Plain | super::form::Strictness::Strict => form,
        };
        projected(&definition.input_schema, form).map_err(|faults| {
            let told = faults.into_iter().map(|fault| {
                let Fault { path, keyword, advice } = fault;
                let message = format!("{form}: `{keyword}` of {path}: {advice}");
                ToolConfigError::new(message).of_tool(&definition.name)
            });
            ToolConfigErrors::found(told.collect())
        })
    }

    /// The schema that the API gets.
    #[must_use]
    pub const fn schema(&self) -> &Value {
        &self.schema
    }

    /// Every place where it differs from the full schema.
    #[must_use]
    pub fn rewrites(&self) -> &[Rewrite] {
        &self.rewrites
    }

    /// The rewrites, one a line.
    #[must_use]
    pub fn explain(&self) -> String {
        self.rewrites.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    }

    /// Whether a call can come in another form than the full schema's.
    #[must_use]
    pub const fn re_encodes(&self) -> bool {
        self.steps.is_busy()
    }

    /// Turns arguments as the model wrote them into arguments of the full schema.
    ///
    /// What is not of the form that the model was shown stays as it is, for the
    /// dispatcher to judge; so do repeated fields and every digit.
    ///
    /// # Errors
    /// What can not be told apart any more, at the places that the model knows: a key
    /// that comes twice, text that is not JSON.
    pub fn decode<'a>(
        &self,
        arguments: &'a str,
    ) -> Result<Cow<'a, str>, Vec<crate::problem::Problem>> {
        if !self.re_encodes() {
            return Ok(Cow::Borrowed(arguments));
        }
        let decoded = self.steps.decode(arguments);
        if decoded.problems.is_empty() {
            Ok(Cow::Owned(decoded.text))
        } else {
            Err(decoded.problems)
        }
    }

    /// Turns arguments of the full schema into what a model would write of them.
    #[must_use]
    pub fn encode(&self, arguments: &Value) -> Value {
        self.steps.encode(arguments)
    }

    /// As [`decode`](Self::decode), with all that a report is made of.
    pub(crate) fn decoded(&self, arguments: &str) -> Option<Decoded> {
        self.re_encodes().then(|| self.steps.decode(arguments))
    }
}

fn projected(document: &Value, form: Form) -> Result<Projection, Vec<Fault>> {
    if form.is_exact() {
        let schema = document.clone();
        return Ok(Projection { schema, rewrites: Vec::new(), steps: Steps::none() });
    }
    let fault = |keyword: String, advice: String| Fault { path: "$".to_owned(), keyword, advice };
    let mut rewrites = Vec::new();
    let root = root::flattened(document, &mut rewrites)
        .map_err(|(keyword, advice)| vec![fault(keyword, advice)])?;
    let mut faults: Vec<Fault> = tree::named(&root)
        .filter_map(|name| {
            let pattern = form.misnamed(name)?;
            let advice = format!("the name does not match {pattern}; rename it");
            Some(Fault { path: format!("$.{name}"), keyword: "properties".to_owned(), advice })
        })
        .collect();
    let rules = form.rules();
    for keyword in rules.refused_at_root {
        if root.contains_key(*keyword) {
            let advice = "it can not stand at the root; write it as a `check`";
            faults.push(fault((*keyword).to_owned(), advice.to_owned()));
        }
    }
    if rules.is_open {
        let schema = plain::written(document, &root, rules, &mut rewrites);
        let schema = Value::Object(schema);
        let projection = Projection { schema, rewrites, steps: Steps::none() };
        return if faults.is_empty() { Ok(projection) } else { Err(faults) };
    }
    let mut pass = Pass::new(form, document);
    pass.rewrites = rewrites;
    let made = pass.object(&root, "$", true);
    let (definitions, steps) = pass.finish();
    faults.append(&mut pass.faults);
    let Some(made) = made.filter(|_| faults.is_empty()) else { return Err(faults) };
    let mut schema = made.schema;
    let definitions = Value::Object(definitions);
    if definitions != Value::Object(tree::Object::new()) {
        schema.insert("$defs".to_owned(), definitions.clone());
    }
    let steps = Steps::new(made.step, steps, definitions);
    Ok(Projection { schema: Value::Object(schema), rewrites: pass.rewrites, steps })
}
