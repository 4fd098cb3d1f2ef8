//! `toolkit::testing`: what it generates, what it compares, and what it says.

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{TestError, TestRunner};
use serde_json::{Value, json};
use toolkit::prelude::*;
use toolkit::testing::{Arguments, Mistake, Trial, agree};
use toolkit_tests::echo;

/// A number that its schema says nothing of.
#[derive(Debug)]
#[arg_type]
#[serde(try_from = "u8")]
#[schemars(with = "u8")]
struct Even(u8);

impl TryFrom<u8> for Even {
    type Error = String;

    fn try_from(number: u8) -> Result<Self, String> {
        if number.is_multiple_of(2) { Ok(Self(number)) } else { Err("odd".to_owned()) }
    }
}

fn never() -> Result<(), ToolError> {
    panic!("a trial asks no rule")
}

/// Books.
#[tool(effect = "irreversible", ledger = none("a test calls it again and again"), scopes("books:write"), check = never(), approval(seats > panicking()))]
fn book(#[state] desk: &String, seats: u8, note: Option<String>) -> String {
    panic!("a trial runs nothing: {desk} {seats} {note:?}")
}

fn panicking() -> u8 {
    panic!("a trial asks for no approval")
}

#[test]
fn nothing_behind_the_arguments_gate_is_asked_or_run() {
    let agreement = agree(Tool::of::<book>(), 500);
    assert!(agreement.accepted > 50 && agreement.refused > 50, "{agreement:?}");
    assert_eq!(agreement.refused_by_type, 0);
}

#[test]
fn what_a_type_alone_refuses_is_counted_and_is_no_disagreement() {
    /// Halves.
    #[tool]
    fn halve(number: Even) -> u8 {
        number.0 / 2
    }
    let trial = Trial::of(Tool::of::<halve>()).unwrap();
    let case = trial.case(r#"{"number": 3}"#);
    assert!(case.judge && case.is_agreed() && case.is_refused_by_type());
    assert!(!trial.case(r#"{"number": 4}"#).is_refused_by_type());
    assert!(!trial.case(r#"{"number": -1}"#).is_refused_by_type());
    let agreement = trial.agree(500, 1, |_| {}).unwrap();
    assert!(agreement.refused_by_type > 20, "{agreement:?}");
}

/// A number that a reader does not get whose type has this word in its name.
macro_rules! kept_from {
    ($word:literal, $(#[$doc:meta])* $number:ident) => {
        $(#[$doc])*
        #[derive(Debug)]
        struct $number(u8);

        impl<'de> serde::Deserialize<'de> for $number {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                if std::any::type_name::<D>().contains($word) {
                    return Err(serde::de::Error::custom("not to you"));
                }
                u8::deserialize(deserializer).map(Self)
            }
        }

        impl schemars::JsonSchema for $number {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($number).into()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                u8::json_schema(generator)
            }
        }
    };
}

kept_from! {
    "Guided",
    /// A number that any reader gets but the decoder of arguments.
    Shy
}

kept_from! {
    "Unread",
    /// A number that the decoder gives to whoever reads it from a parsed value.
    Fussy
}

#[test]
fn what_the_decoder_alone_refuses_is_not_laid_to_the_type() {
    /// Shows.
    #[tool]
    fn show(number: Shy) -> u8 {
        number.0
    }
    let trial = Trial::of(Tool::of::<show>()).unwrap();
    let case = trial.case(r#"{"number": 3}"#);
    assert_eq!(case.gate.as_ref().unwrap_err().problems()[0].kind(), toolkit::ProblemKind::Refused);
    assert!(case.judge && !case.is_refused_by_type() && !case.is_agreed());
    assert!(trial.agree(500, 1, |_| {}).is_err());
}

#[test]
fn ways_through_the_gate_that_come_to_other_ends_are_told_apart() {
    /// Shows.
    #[tool]
    fn show(number: Fussy) -> u8 {
        number.0
    }
    let case = Trial::of(Tool::of::<show>()).unwrap().case(r#"{"number": 3}"#);
    assert!(!case.is_agreed());
    let told = case.to_string();
    let odd = "the gate's own ways: the decoder and the report differ over the text";
    assert!(told.ends_with(odd), "{told}");
}

#[test]
fn a_disagreement_is_told_with_both_verdicts() {
    let mut case = Trial::of(Tool::of::<book>()).unwrap().case(r#"{"seats": 2.0, "note": null}"#);
    assert!(case.is_agreed());
    case.judge = false;
    assert!(!case.is_agreed());
    assert_eq!(
        case.to_string(),
        "arguments    {\"seats\": 2.0, \"note\": null}\n\
         normal form  {\"seats\":2}\n\
         the gate     accepts, and passes on {\"seats\":2}\n\
         the judge    refuses"
    );
    let mut case = Trial::of(Tool::of::<book>()).unwrap().case("{}{}");
    case.judge = true;
    assert!(!case.is_agreed());
    assert_eq!(
        case.to_string(),
        "arguments    {}{}\n\
         normal form  none: a text rule is broken\n\
         the gate     refuses:\n             \
         $: there is text after the JSON object: \"{}\". Send the object alone\n\
         the judge    accepts"
    );
}

#[test]
fn a_seed_gives_the_same_calls_every_time() {
    let calls = |seed| {
        let mut calls = Vec::new();
        let trial = Trial::of(Tool::of::<book>()).unwrap();
        trial.agree(200, seed, |case| calls.push(case.text.clone())).unwrap();
        calls
    };
    assert_eq!(calls(1), calls(1));
    assert_ne!(calls(1), calls(2));
}

#[test]
fn each_mistake_is_made_where_the_schema_has_a_place_for_it() {
    let schema = json!({
        "properties": {
            "order_id": {"type": "string", "pattern": r"^O-\d+$"},
            "currency": {"enum": ["EUR", "USD"]},
            "lines": {"type": "array", "minItems": 1, "maxItems": 3, "items": {
                "type": "object",
                "properties": {"quantity": {"type": "integer", "minimum": 1}},
                "required": ["quantity"],
                "additionalProperties": false,
            }},
        },
        "required": ["order_id", "currency", "lines"],
        "additionalProperties": false,
    });
    let run = |arguments: Value, _| async move { Ok::<_, ToolError>(arguments) };
    let trial = Trial::of(Tool::dynamic("order", "Orders.", schema.clone(), run)).unwrap();
    let accepted = |kinds: &[Mistake], count: usize| {
        let broken = Arguments::of(schema.clone()).mistakes(count..=count, kinds.iter().copied());
        let mut runner = TestRunner::deterministic();
        let values = (0..200).map(|_| broken.new_tree(&mut runner).unwrap().current());
        values.filter(|value| trial.case(&value.to_string()).judge).count()
    };
    assert_eq!(accepted(&[], 0), 200);
    // The same case or another value may be right by chance; what is missing is not.
    for kind in Mistake::ALL {
        let most = if matches!(kind, Mistake::WrongCase | Mistake::Other) { 120 } else { 0 };
        let accepted = accepted(&[kind], 1);
        assert!(accepted <= most, "{kind:?}: {accepted} of 200 accepted");
    }
}

#[test]
fn a_failing_case_shrinks_to_what_matters() {
    let schema = json!({
        "properties": {
            "wanted": {"const": 7},
            "list": {"type": "array", "items": {"type": "integer"}},
            "deep": {"type": "object", "properties": {"a": {"const": "x"}}, "required": ["a"]},
        },
        "required": ["wanted", "list", "deep"],
    });
    let arguments = Arguments::of(schema).mistakes(0..=0, []);
    let result = TestRunner::deterministic().run(&arguments, |value| {
        assert_ne!(value["wanted"], 7);
        Ok(())
    });
    let Err(TestError::Fail(_, smallest)) = result else { panic!("it never failed") };
    assert_eq!(smallest, json!({"wanted": 7}));
}

/// Asserts of each number whether gate and judge take it at a place with this schema.
#[track_caller]
fn is_held(place: &Value, held: &[&str], refused: &[&str]) {
    let schema = json!({
        "type": "object",
        "properties": {"a": place},
        "additionalProperties": false,
        "$defs": {"float": {"type": "number"}, "integer": {"type": "integer"}},
    });
    let trial = Trial::of(echo(schema)).unwrap();
    let numbers = held.iter().map(|number| (number, true));
    for (number, is_held) in numbers.chain(refused.iter().map(|number| (number, false))) {
        let case = trial.case(&format!(r#"{{"a": {number}}}"#));
        assert_eq!((case.gate.is_ok(), case.judge), (is_held, is_held), "{place}\n{case}");
    }
}

#[test]
fn every_schema_of_a_place_must_hold_a_number_in_whatever_order_they_are_asked() {
    let places = [
        json!({"anyOf": [{"type": "number"}, {"type": "integer"}], "$ref": "#/$defs/float"}),
        json!({"anyOf": [{"type": "integer"}], "type": "number"}),
        json!({"oneOf": [{"type": "integer"}], "allOf": [{"type": "number"}]}),
        json!({"allOf": [{"$ref": "#/$defs/float"}, {"type": "integer"}]}),
        json!({"anyOf": [{"$ref": "#/$defs/float"}, {"type": "string"}], "type": "integer"}),
        json!({"anyOf": [{"type": "integer"}, true], "allOf": [{"type": ["number", "null"]}]}),
    ];
    for place in places {
        let beyond_digits = ["9007199254740993", "-9007199254740993", "18446744073709551615"];
        is_held(&place, &["9007199254740992", "-9007199254740992"], &beyond_digits);
    }
    let places = [
        json!({"anyOf": [{"type": "integer"}, true], "$ref": "#/$defs/integer"}),
        json!({"oneOf": [{"type": "number"}], "type": "integer"}),
        json!({"anyOf": [{"type": "number"}, true], "allOf": [{"type": ["integer", "null"]}]}),
    ];
    for place in places {
        is_held(&place, &["9007199254740992", "4e2", "4.0"], &["1e39", "-1e20", "4e-1"]);
    }
}
