//! A tool's definition, its compiled schema, and what is wrong with them.

use serde_json::Value;

#[cfg(feature = "testing")]
use super::faults::blame;
use crate::arguments;
use crate::dialect::Definition;
#[cfg(feature = "testing")]
use crate::error::ToolConfigErrors;
#[cfg(feature = "testing")]
use crate::gate::Entry;
use crate::ledger::Digest;
use crate::ledger::inside::tool_revision;
use crate::schema;
use crate::tool::{Effect, Input, OnUnknown, Param, Policy, Tool};

/// The largest schema that is worth sending.
const SCHEMA_BYTES: usize = 256 * 1024;

type Prepared = (Definition, schema::Compiled);

/// Makes the definition and the compiled schema of a tool.
pub(super) fn prepare(tool: &Tool) -> Result<Prepared, Vec<String>> {
    if let Input::Params(params) = tool.input {
        let unwritable = params.iter().flat_map(Param::unwritable);
        let faults: Vec<String> = unwritable
            .map(|(name, keyword)| {
                format!(
                    "the `{keyword}` of `{name}` can not be written as JSON, or is null; leave it \
                     out, or write a value of the parameter's type"
                )
            })
            .collect();
        if !faults.is_empty() {
            return Err(faults);
        }
    }
    let mut input = tool.input_schema()?;
    if input.get("type").is_none_or(|of| of != "object") {
        return Err(vec![
            "its schema is not of an object; `\"type\": \"object\"` must stand at the root"
                .to_owned(),
        ]);
    }
    let writes_defaults = matches!(tool.input, Input::Params(_));
    let compiled = schema::compile(&input, writes_defaults)?;
    schema::without_rust_formats(&mut input);
    let bytes = input.to_string().len();
    if bytes > SCHEMA_BYTES {
        return Err(vec![format!(
            "its schema has {bytes} bytes; at most {SCHEMA_BYTES} are accepted"
        )]);
    }
    let Input::Params(params) = tool.input else {
        return Ok((definition(tool, input), compiled));
    };
    let faults: Vec<String> = params.iter().flat_map(|param| constants(param, &compiled)).collect();
    if !faults.is_empty() {
        return Err(faults);
    }
    Ok((definition(tool, input), compiled))
}

/// A tool as a registry holds it, without what a registry must be given for it.
#[cfg(feature = "testing")]
pub(crate) struct Alone {
    pub(crate) entry: Entry,
    pub(crate) published: Value,
    /// The schema with the formats that tell Rust's number types apart.
    pub(crate) typed: Value,
}

/// Prepares a tool for its arguments gate alone.
#[cfg(feature = "testing")]
pub(crate) fn alone(tool: Tool) -> Result<Alone, ToolConfigErrors> {
    let prepared = prepare(&tool).and_then(|prepared| Ok((prepared, tool.input_schema()?)));
    let ((definition, schema), typed) = prepared.map_err(|messages| {
        let faults = messages.into_iter().map(|message| blame(&tool, message));
        ToolConfigErrors::found(faults.collect())
    })?;
    Ok(Alone {
        entry: Entry {
            revision: revision(&tool, &definition),
            tool,
            schema,
            secrets: Vec::new(),
            fields: Vec::new(),
            room: None,
        },
        published: definition.input_schema,
        typed,
    })
}

/// What is wrong with the constants that the attribute was given for a parameter.
fn constants(param: &Param, compiled: &schema::Compiled) -> Vec<String> {
    let judged = |what: &str, value: &Value| {
        let problems = arguments::check_constant(compiled, param.name, value);
        let told = problems.iter().map(|problem| format!("its {what} is not accepted: {problem}"));
        told.collect::<Vec<_>>()
    };
    let default = param.default_value().into_iter().flat_map(|value| judged("default", &value));
    default.chain(param.examples().iter().flat_map(|value| judged("example", value))).collect()
}

fn definition(tool: &Tool, input_schema: Value) -> Definition {
    let mut definition = Definition::new(&tool.name, &tool.description, input_schema);
    definition.title.clone_from(&tool.title);
    definition.output_schema = tool.output_schema();
    definition.effect = tool.policy.effect;
    definition.is_idempotent = tool.policy.on_unknown == OnUnknown::Rerun;
    if let Input::Params(params) = tool.input {
        definition.examples = examples(params);
    }
    definition
}

/// Whole arguments out of the examples of the parameters, where each that must be given has one.
fn examples(params: &[Param]) -> Vec<Value> {
    let of_each: Vec<(&Param, Vec<Value>)> =
        params.iter().map(|param| (param, param.examples())).collect();
    if of_each.iter().any(|(param, examples)| param.is_required() && examples.is_empty()) {
        return Vec::new();
    }
    let most = of_each.iter().map(|(_, examples)| examples.len()).max().unwrap_or_default();
    let whole = (0..most).map(|index| {
        let members = of_each.iter().filter_map(|(param, examples)| {
            let example = examples.get(index).or_else(|| examples.last())?;
            Some((param.name.to_owned(), example.clone()))
        });
        Value::Object(members.collect())
    });
    whole.collect()
}

/// What a tool is, as people who agree to a call of it rely on.
pub(super) fn revision(tool: &Tool, definition: &Definition) -> Digest {
    let Policy { effect, scopes, on_unknown, approval, preview_must_match, .. } = &tool.policy;
    let effect = effect.map_or("", Effect::as_str);
    let terms = format!("{on_unknown:?} {approval:?} {preview_must_match}");
    let schema = definition.input_schema.to_string();
    let mut said = vec![&*tool.name, &tool.description, &schema, effect, &terms];
    said.extend(scopes.iter().map(String::as_str));
    tool_revision(&said)
}
