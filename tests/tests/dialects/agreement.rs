//! What a tool accepts can be said in every form, and what is said in a form is judged.

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::Value;
use toolkit::Tool;
use toolkit::dialect::{Definition, Form, Projection};
use toolkit::testing::{Arguments, Trial};
use toolkit_tests::schemas::object;
use toolkit_tests::tools::{annotated, usual};
use toolkit_tests::{Dice, cases, echo};

use crate::rules;

pub(crate) fn forms() -> Vec<Form> {
    let strict = [Form::ANTHROPIC.strict(), Form::OPENAI.strict(), Form::DEEPSEEK.strict()];
    let gemini = [Form::GEMINI_PARAMETERS, Form::GEMINI_JSON];
    let mut forms = vec![Form::PORTABLE, Form::ANTHROPIC, Form::OPENAI];
    for form in strict.into_iter().chain(gemini) {
        forms.extend([form, form.maps_as_pairs().any_as_text()]);
    }
    forms
}

/// The projected schema as JSON Schema has it: `nullable` is `OpenAPI`'s.
fn judged(schema: &Value) -> Value {
    let mut written = match schema {
        Value::Object(node) => {
            node.iter().map(|(name, value)| (name.clone(), judged(value))).collect()
        }
        Value::Array(items) => return items.iter().map(judged).collect(),
        other => return other.clone(),
    };
    let node: &mut serde_json::Map<String, Value> = &mut written;
    if node.get("nullable") == Some(&Value::Bool(true)) {
        node.remove("nullable");
        if let Some(Value::Array(values)) = node.get_mut("enum") {
            values.push(Value::Null);
        }
        if let Some(of) = node.get("type").cloned() {
            node.insert("type".to_owned(), serde_json::json!([of, "null"]));
        }
    }
    written.into()
}

/// Says of each object that it takes no other fields, where it does not say what it takes.
///
/// A strict form says so in any case: what else an open object takes can not be told of.
fn close(schema: &mut Value) {
    let Value::Object(node) = schema else { return };
    if node.contains_key("properties") && !node.contains_key("patternProperties") {
        node.entry("additionalProperties").or_insert_with(|| false.into());
    }
    for value in node.values_mut() {
        match value {
            Value::Array(items) => items.iter_mut().for_each(close),
            Value::Object(members) if members.contains_key("type") => close(value),
            Value::Object(members) => members.values_mut().for_each(close),
            _ => {}
        }
    }
}

fn runner(dice: &mut Dice) -> TestRunner {
    let config = Config { failure_persistence: None, ..Config::default() };
    let seed = (u128::from(dice.next()) << 64 | u128::from(dice.next() | 1)).to_le_bytes();
    TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::XorShift, &seed))
}

/// A value that the schema means to accept.
fn right(schema: &Value, runner: &mut TestRunner) -> Value {
    let arguments = Arguments::of(schema.clone()).mistakes(0..=0, []);
    arguments.new_tree(runner).unwrap().current()
}

#[derive(Debug, Default)]
struct Seen {
    projected: usize,
    refused: usize,
    encoded: usize,
    judged: usize,
    accepted: usize,
}

fn agree(tool: Tool, form: Form, count: usize, dice: &mut Dice, seen: &mut Seen) {
    let trial = Trial::of(tool).unwrap();
    let definition = Definition::new("t", "T.", trial.schema().clone());
    let Ok(projection) = Projection::of(&definition, form) else {
        seen.refused += 1;
        return;
    };
    seen.projected += 1;
    rules::assert_kept(form, projection.schema());
    let projected = judged(projection.schema());
    let judge = jsonschema::draft202012::options().should_validate_formats(true).build(&projected);
    let judge = judge.unwrap_or_else(|error| panic!("{form}: {error}\n{}", projection.schema()));
    let mut runner = runner(dice);
    for _ in 0..count {
        let case = trial.case(&right(trial.schema(), &mut runner).to_string());
        if let (Ok(_), Some(normal)) = (&case.gate, &case.normal_form) {
            let wire = projection.encode(normal);
            let told = || {
                format!(
                    "{form}\nschema     {}\nprojected  {}\narguments  {normal}\nwire       {wire}",
                    trial.schema(),
                    projection.schema()
                )
            };
            assert!(judge.is_valid(&wire), "the projected schema refuses it: {}", told());
            let back = projection.decode(&wire.to_string()).unwrap().into_owned();
            let decoded: Value = serde_json::from_str(&back).unwrap();
            assert_eq!(&decoded, normal, "{}", told());
            let again = trial.case(&back);
            assert!(again.gate.is_ok(), "{}", told());
            seen.encoded += 1;
        }
        // What a model may write in this form is judged, whatever it is.
        let wire = right(&projected, &mut runner);
        if let Ok(decoded) = projection.decode(&wire.to_string()) {
            seen.judged += 1;
            seen.accepted += usize::from(trial.case(&decoded).gate.is_ok());
        }
    }
}

#[test]
fn what_a_type_accepts_goes_through_every_form_and_comes_back() {
    let mut dice = Dice::fresh("forms of types");
    let total = cases(400);
    for form in forms() {
        let mut seen = Seen::default();
        let tools: Vec<Tool> = annotated().into_iter().chain(usual()).collect();
        let each = (total / tools.len()).max(1);
        for tool in tools {
            agree(tool, form, each, &mut dice, &mut seen);
        }
        println!("{form}: {seen:?}");
        assert!(seen.projected > 0 && seen.encoded > 0, "{form}: {seen:?}");
        assert!(seen.accepted > seen.judged / 20, "{form}: {seen:?}");
    }
}

#[test]
fn what_a_schema_accepts_goes_through_every_form_and_comes_back() {
    let mut dice = Dice::fresh("forms of schemas");
    let total = cases(400);
    for form in forms() {
        let mut seen = Seen::default();
        for _ in 0..(total / 20).max(1) {
            let mut schema = object(&mut dice, 3);
            close(&mut schema);
            agree(echo(schema), form, 20, &mut dice, &mut seen);
        }
        println!("{form}: {seen:?}");
        assert!(seen.projected > 0 && seen.encoded > 0, "{form}: {seen:?}");
    }
}
