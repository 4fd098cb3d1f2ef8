//! The validator of a whole schema, for what the table does not say.

use std::collections::BTreeMap;
use std::error::Error;

use jsonschema::{
    Draft, Keyword, PatternOptions, ReferencingError, Retrieve, Uri, ValidationError,
    ValidationOptions, Validator, error::ValidationErrorKind,
};
use serde_json::Value;

use super::compile::{Foreign, Reading, What, compile_part};
use super::decimal::Decimal;
use super::format::Format;
use super::keyword::{is_bundle, other_dialect};
use super::node::Compiled;
use super::pattern::{MOST_BYTES, Pattern};

/// All of JSON Schema 2020-12, without a network.
#[derive(Debug)]
pub(crate) struct Whole {
    validator: Validator,
    document: Value,
    is_bundle: bool,
    bare: bool,
}

impl Whole {
    /// Compiles a schema; `foreign` are the places that need it.
    pub(super) fn compile(
        document: &Value,
        reading: &Reading,
        foreign: &[Foreign],
    ) -> Result<Self, Vec<String>> {
        let options = jsonschema::options()
            .with_pattern_options(PatternOptions::regex().size_limit(MOST_BYTES))
            .with_retriever(Others(reading.others.clone()));
        let mut options = as_we_read(options, reading.bare);
        // A schema of another dialect names the keywords that it has itself.
        if document.as_object().and_then(other_dialect).is_none() {
            options = options.with_draft(Draft::Draft202012);
        }
        let validator = options.build(document).map_err(|error| vec![fault(&error, foreign)])?;
        let (is_bundle, document) = (is_bundle(document), document.clone());
        Ok(Self { validator, document, is_bundle, bare: reading.bare })
    }

    pub(crate) fn accepts(&self, value: &Value) -> bool {
        self.validator.is_valid(value)
    }

    pub(crate) fn errors<'v>(
        &'v self,
        value: &'v Value,
    ) -> impl Iterator<Item = ValidationError<'v>> {
        self.validator.iter_errors(value)
    }

    /// What stands at a place of the schema; nothing where places are counted from elsewhere.
    pub(crate) fn at(&self, pointer: &str) -> Option<&Value> {
        if self.is_bundle { None } else { self.document.pointer(pointer) }
    }

    /// Compiles a part of the schema for a judge of ours.
    pub(crate) fn part(&self, part: &Value) -> Option<Compiled> {
        compile_part(&self.document, part, self.bare)
    }
}

/// The keywords that must not be read in two ways are read in ours.
fn as_we_read(options: ValidationOptions<'_>, bare: bool) -> ValidationOptions<'_> {
    options
        .with_keyword("pattern", |_, value, _| {
            let compiled = Pattern::compile(value.as_str().unwrap_or_default());
            let pattern = compiled.map_err(ValidationError::schema)?;
            Ok(Box::new(Ours(move |value: &Value| {
                value.as_str().is_none_or(|text| pattern.matches(text))
            })))
        })
        .with_keyword("multipleOf", |_, value, _| {
            let step = Decimal::read(&value.to_string());
            Ok(Box::new(Ours(move |value: &Value| {
                let number = value.as_number().and_then(|n| Decimal::read(&n.to_string()));
                let multiple = number.zip(step.as_ref()).map(|(n, step)| n.is_multiple_of(step));
                multiple.unwrap_or(true)
            })))
        })
        .with_keyword("format", move |_, value, _| {
            let format = value.as_str().filter(|_| !bare).and_then(Format::named);
            Ok(Box::new(Ours(move |value: &Value| {
                let text = value.as_str().zip(format);
                text.is_none_or(|(text, format)| format.accepts(text))
            })))
        })
}

struct Ours<F>(F);

impl<'i, F: Fn(&Value) -> bool + Send + Sync> Keyword<'i> for Ours<F> {
    fn validate(&self, instance: &'i Value) -> Result<(), ValidationError<'i>> {
        if self.is_valid(instance) { Ok(()) } else { Err(ValidationError::custom(String::new())) }
    }

    fn is_valid(&self, instance: &'i Value) -> bool {
        (self.0)(instance)
    }
}

/// The schemas that are at hand; no other is ever fetched.
struct Others(BTreeMap<String, Value>);

impl Retrieve for Others {
    fn retrieve(&self, uri: &Uri<String>) -> Result<Value, Box<dyn Error + Send + Sync>> {
        let address = uri.as_str().trim_end_matches('#');
        self.0.get(address).cloned().ok_or_else(|| "nothing is fetched".into())
    }
}

/// Why a schema can not be compiled, and where.
fn fault(error: &ValidationError<'_>, foreign: &[Foreign]) -> String {
    let ValidationErrorKind::Referencing(cause) = error.kind() else {
        let place = error.instance_path();
        return format!("the schema at #{place} is no JSON Schema: {}", error.masked());
    };
    let (ReferencingError::Unretrievable { uri: address, .. }
    | ReferencingError::UnknownSpecification { specification: address }) = cause
    else {
        return format!("the schema has a reference that leads nowhere: {cause}");
    };
    let is_it = |place: &&Foreign| match &place.what {
        What::Reference(text) | What::Dialect(text) => {
            address.ends_with(text.split('#').next().unwrap_or_default())
        }
        What::Keyword(_) => false,
    };
    match foreign.iter().find(is_it) {
        Some(Foreign { at, what: what @ What::Dialect(_) }) => {
            format!("the schema at {at} {what}, and only that of draft 2020-12 is known")
        }
        Some(Foreign { at, what }) => format!(
            "the schema at {at} {what}, which is not in it, and nothing is fetched; \
             put it under `$defs` with its `$id`"
        ),
        None => format!("the schema refers to {address:?}, and nothing is fetched"),
    }
}
