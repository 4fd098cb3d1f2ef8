//! A tool's definition, its compiled schema, and what is wrong with them.

use serde_json::Value;

#[cfg(feature = "testing")]
use super::faults::blame;
use crate::arguments;
use crate::call::Arguments;
use crate::dialect::Definition;
#[cfg(feature = "testing")]
use crate::error::ToolConfigErrors;
#[cfg(feature = "testing")]
use crate::gate::Entry;
use crate::ledger::Digest;
use crate::ledger::inside::tool_revision;
use crate::limits::Limits;
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
    let is_typed = !matches!(tool.input, Input::Given(_));
    let compiled = schema::compile(&input, is_typed)?;
    let shown = shown(tool, &input)?;
    schema::without_rust_formats(&mut input);
    let bytes = input.to_string().len();
    if bytes > SCHEMA_BYTES {
        return Err(vec![format!(
            "its schema has {bytes} bytes; at most {SCHEMA_BYTES} are accepted"
        )]);
    }
    if is_typed {
        let faults: Vec<String> =
            fields(&input).flat_map(|(name, node)| constants(name, node, &compiled)).collect();
        if !faults.is_empty() {
            return Err(faults);
        }
    }
    let mut definition = definition(tool, input);
    definition.examples = match shown {
        shown if !shown.is_empty() || !is_typed => shown,
        _ => of_fields(&definition.input_schema),
    };
    Ok((definition, compiled))
}

/// The whole arguments that the tool shows the model, in their normal form without defaults.
fn shown(tool: &Tool, input: &Value) -> Result<Vec<Value>, Vec<String>> {
    if tool.policy.examples.is_empty() {
        return Ok(Vec::new());
    }
    let compiled = schema::compile(input, false)?;
    let (mut shown, mut faults) = (Vec::new(), Vec::new());
    for (index, example) in tool.policy.examples.iter().enumerate() {
        let given = Arguments::Value(example);
        match arguments::normal_form(&compiled, given, &Limits::default()) {
            Ok(example) => shown.push(example),
            Err(problems) => faults.extend(
                problems.iter().map(|p| format!("its example {} is not accepted: {p}", index + 1)),
            ),
        }
    }
    if faults.is_empty() { Ok(shown) } else { Err(faults) }
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
    let revision = revision(&tool, &definition);
    Ok(Alone {
        entry: Entry::new(tool, schema, revision),
        published: definition.input_schema,
        typed,
    })
}

/// The fields of an object's schema, each with its own.
fn fields(schema: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let fields = schema.get("properties").and_then(Value::as_object);
    fields.into_iter().flatten().map(|(name, node)| (name.as_str(), node))
}

/// The examples of one field.
fn examples_of(node: &Value) -> &[Value] {
    node.get("examples").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// What is wrong with the constants that were given for a field.
fn constants(name: &str, node: &Value, compiled: &schema::Compiled) -> Vec<String> {
    let judged = |what: &str, value: &Value| {
        let problems = arguments::check_constant(compiled, name, value);
        let told = problems.iter().map(|problem| format!("its {what} is not accepted: {problem}"));
        told.collect::<Vec<_>>()
    };
    let default = node.get("default").into_iter().flat_map(|value| judged("default", value));
    default.chain(examples_of(node).iter().flat_map(|value| judged("example", value))).collect()
}

fn definition(tool: &Tool, input_schema: Value) -> Definition {
    let mut definition = Definition::new(&tool.name, &tool.description, input_schema);
    definition.title.clone_from(&tool.title);
    definition.output_schema = tool.output_schema();
    let Policy { effect, on_unknown, hints, .. } = &tool.policy;
    definition.effect = *effect;
    // What is not said counts as the worst there is.
    definition.is_destructive = hints.destructive.unwrap_or(true);
    definition.is_idempotent = hints.idempotent.unwrap_or(*on_unknown == OnUnknown::Rerun);
    definition.is_open_world = hints.open_world.unwrap_or(true);
    definition
}

/// Whole arguments out of the examples of the fields, where each that must be given has one.
fn of_fields(schema: &Value) -> Vec<Value> {
    let is_required = |name: &str| {
        let required = schema.get("required").and_then(Value::as_array);
        required.is_some_and(|required| required.iter().any(|one| one == name))
    };
    if fields(schema).any(|(name, node)| is_required(name) && examples_of(node).is_empty()) {
        return Vec::new();
    }
    let most = fields(schema).map(|(_, node)| examples_of(node).len()).max().unwrap_or_default();
    let whole = (0..most).map(|index| {
        let members = fields(schema).filter_map(|(name, node)| {
            let examples = examples_of(node);
            Some((name.to_owned(), examples.get(index).or_else(|| examples.last())?.clone()))
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
