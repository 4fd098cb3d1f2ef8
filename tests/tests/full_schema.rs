//! Dynamic tools whose schemas say more than Rust types do, with the feature `jsonschema` and without.

use serde_json::{Value, json};
use toolkit::prelude::*;
use toolkit_tests::{call, definition, echo, view_of};

/// What `build()` says of a dynamic tool with the schema.
fn faults(schema: Value) -> Vec<String> {
    let built = Registry::builder().tool(echo(schema)).build();
    built.err().iter().flatten().map(|error| error.message().to_owned()).collect()
}

#[test]
fn words_of_older_drafts_are_published_as_2020_12_writes_them() {
    let view = view_of(echo(json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "definitions": {"point": {
            "type": "array",
            "items": [{"type": "number"}, {"type": "number", "minimum": 0, "exclusiveMinimum": true}],
            "additionalItems": false,
        }},
        "properties": {
            "at": {"$ref": "#/definitions/point"},
            "items": {"type": "array", "additionalItems": false, "items": {"type": "string"}},
        },
    })));
    assert_eq!(
        definition(&view)["input_schema"],
        json!({
            "definitions": {"point": {
                "type": "array",
                "prefixItems": [{"type": "number"}, {"type": "number", "exclusiveMinimum": 0}],
                "items": false,
            }},
            "properties": {
                "at": {"$ref": "#/definitions/point"},
                "items": {"type": "array", "items": {"type": "string"}},
            },
            "type": "object",
        })
    );
    assert_eq!(call(&view, "echo", r#"{"at": [0, 1], "items": ["a", "b"]}"#).status(), Status::Ok);
    assert_eq!(
        call(&view, "echo", r#"{"at": [0, 0, 0]}"#).text(),
        "$.at[1]: expected a number greater than 0, got 0\n\
         $.at[2]: no value is accepted here; leave it out"
    );
}

#[test]
fn a_slip_of_the_pen_is_no_annotation() {
    assert_eq!(
        faults(json!({"properties": {"a": {"minLenght": 3, "max_length": 5, "nullable": true}}})),
        [
            "the schema at #/properties/a uses the keyword `minLenght`, which JSON Schema does not \
             have; write `minLength`",
            "the schema at #/properties/a uses the keyword `max_length`, which JSON Schema does \
             not have; write `maxLength`",
        ]
    );
    assert_eq!(
        faults(json!({"extends": {"type": "object"}})),
        ["the schema at # uses the keyword `extends`, which JSON Schema does not have; \
          write `allOf`"]
    );
}

#[test]
fn an_empty_enum_takes_nothing() {
    let view = view_of(echo(json!({"properties": {"a": {"enum": []}}})));
    assert_eq!(
        call(&view, "echo", r#"{"a": 1}"#).text(),
        "$.a: no value is accepted here; leave it out"
    );
}

#[test]
fn a_pointer_is_read_with_the_escapes_of_a_uri() {
    let view = view_of(echo(json!({
        "$defs": {"100% {a}/b": {"type": "integer"}},
        "properties": {"n": {"$ref": "#/$defs/100%25%20%7Ba%7D~1b"}},
    })));
    assert_eq!(
        call(&view, "echo", r#"{"n": "x"}"#).text(),
        "$.n: expected an integer, got text \"x\""
    );
}

/// A schema that no Rust type gives.
#[cfg(not(feature = "jsonschema"))]
mod without_the_feature {
    use super::*;

    #[test]
    fn what_types_never_say_is_refused_with_the_name_of_the_feature() {
        let errors = Registry::builder()
            .tool(echo(json!({
                "if": {"required": ["a"]},
                "then": {"required": ["b"]},
                "dependencies": {"c": ["d"]},
                "properties": {
                    "list": {"contains": {"type": "string"}},
                    "other": {"$ref": "other.json"},
                    "anchor": {"$ref": "#there"},
                },
            })))
            .build()
            .unwrap_err();
        let takes = "; the feature `jsonschema` of toolkit takes it";
        assert_eq!(
            errors.iter().map(ToString::to_string).collect::<Vec<_>>(),
            [
                "# uses the keyword `if`",
                "# uses the keyword `then`",
                "#/properties/list uses the keyword `contains`",
                "#/properties/other refers to \"other.json\"",
                "#/properties/anchor refers to \"#there\"",
                "# uses the keyword `dependentRequired`",
            ]
            .map(|what| format!("tool `echo`: the schema at {what}{takes}"))
        );
    }
}

#[cfg(feature = "jsonschema")]
mod with_the_feature {
    use std::collections::BTreeSet;

    use toolkit::testing::Trial;
    use toolkit_tests::{Dice, cases};

    use super::*;

    /// What a model reads of a call, and `ok` where it is accepted.
    fn told(view: &View, arguments: &str) -> String {
        let outcome = call(view, "echo", arguments);
        if outcome.status() == Status::Ok { "ok".to_owned() } else { outcome.text().to_owned() }
    }

    #[test]
    fn a_condition_is_told_in_the_words_of_what_follows_from_it() {
        let view = view_of(echo(json!({
            "properties": {
                "country": {"enum": ["PT", "US"]},
                "zip": {"type": "string"},
                "note": {"type": "string"},
            },
            "required": ["country"],
            "if": {"properties": {"country": {"const": "US"}}},
            "then": {"required": ["zip"], "properties": {"zip": {"pattern": "^\\d{5}$"}}},
            "else": {"properties": {"zip": {"maxLength": 8, "format": "date"}}},
            "additionalProperties": false,
        })));
        assert_eq!(told(&view, r#"{"country": "US", "zip": "12345"}"#), "ok");
        assert_eq!(told(&view, r#"{"country": "PT", "zip": "2026-11-30"}"#).lines().count(), 1);
        assert_eq!(told(&view, r#"{"country": "US"}"#), "$: missing required field 'zip'");
        assert_eq!(
            told(&view, r#"{"country": "US", "zip": "1234", "note": 7, "nota": 1}"#),
            "$: unexpected field 'nota' (allowed: country, zip, note)\n\
             $.note: expected text, got 7 (write \"7\")\n\
             $.zip: \"1234\" does not match the required pattern. Expected: text matching ^\\d{5}$"
        );
        assert_eq!(
            told(&view, r#"{"country": "PT", "zip": "next friday"}"#),
            "$.zip: must have at most 8 characters; got 11: \"next friday\"\n\
             $.zip: \"next friday\" does not match the required format. \
             Expected: date as YYYY-MM-DD"
        );
    }

    /// A span whose schema, written by hand, says more than its fields do.
    #[derive(Debug, serde::Deserialize)]
    struct Span {
        from: Option<u32>,
        to: Option<u32>,
    }

    impl schemars::JsonSchema for Span {
        fn schema_name() -> std::borrow::Cow<'static, str> {
            "Span".into()
        }

        fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
            let bound = json!({"type": "integer", "minimum": 0, "maximum": u32::MAX});
            schemars::json_schema!({
                "type": "object",
                "properties": {"from": bound, "to": bound},
                "dependentRequired": {"to": ["from"]},
                "additionalProperties": false,
            })
        }
    }

    /// Reads a span.
    #[tool(effect = "read")]
    fn read_span(span: Span) -> String {
        format!("{:?} {:?}", span.from, span.to)
    }

    /// A type's fields alone would take what its schema refuses.
    #[test]
    fn a_type_whose_schema_says_more_than_its_fields_is_held_to_all_of_it() {
        let view = view_of(Tool::of::<read_span>());
        let told = |span: Value| {
            let outcome = call(&view, "read_span", &json!({"span": span}).to_string());
            (outcome.status(), outcome.text().to_owned())
        };
        assert_eq!(told(json!({"from": 1, "to": 2})), (Status::Ok, "Some(1) Some(2)".to_owned()));
        assert_eq!(
            told(json!({"to": 2})),
            (Status::Invalid, "$.span: missing required field 'from'".to_owned())
        );
    }

    #[test]
    fn dependent_and_unevaluated_fields_are_named() {
        let view = view_of(echo(json!({
            "properties": {"card": {"type": "string"}, "address": {"type": "string"}},
            "dependentRequired": {"card": ["address"]},
            "allOf": [{"properties": {"tip": {"type": "number"}}}],
            "unevaluatedProperties": false,
        })));
        assert_eq!(told(&view, r#"{"card": "1", "address": "a", "tip": 1}"#), "ok");
        assert_eq!(
            told(&view, r#"{"card": "1", "address": "a", "tap": 1}"#),
            "$: unexpected field 'tap' (nothing here allows it)"
        );
        // A part that refuses the object speaks for none of its fields: they are not too many.
        assert_eq!(told(&view, r#"{"card": "1"}"#), "$: missing required field 'address'");
        assert_eq!(told(&view, r#"{"tip": "x"}"#), "$.tip: expected a number, got text \"x\"");
    }

    #[test]
    fn null_is_absence_for_the_whole_schema_too() {
        let view = view_of(echo(json!({
            "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
            "dependentRequired": {"a": ["b"]},
        })));
        let outcome = call(&view, "echo", r#"{"a": null, "b": null}"#);
        assert_eq!((outcome.status(), outcome.text()), (Status::Ok, "{}"));
        assert_eq!(told(&view, r#"{"a": "x", "b": null}"#), "$: missing required field 'b'");
    }

    /// The published schema decides over the normal form, and a null that is absence is not in it.
    #[test]
    fn a_null_that_stands_for_absence_does_nothing_for_a_condition() {
        let view = view_of(echo(json!({
            "properties": {"a": {"type": ["string", "null"]}},
            "if": {"required": ["a"]},
            "else": {"required": ["b"]},
        })));
        assert_eq!(told(&view, r#"{"a": "x"}"#), "ok");
        assert_eq!(told(&view, r#"{"a": null}"#), "$: missing required field 'b'");
        assert_eq!(call(&view, "echo", r#"{"a": null, "b": null}"#).text(), r#"{"b":null}"#);
    }

    #[test]
    fn what_a_list_must_hold_is_told_with_how_often() {
        let view = view_of(echo(json!({"properties": {
            "tags": {"type": "array", "contains": {"const": "paid"}},
            "notes": {"type": "array", "items": {"type": "string"},
                      "contains": {"pattern": "^!"}, "minContains": 2, "maxContains": 3},
        }})));
        assert_eq!(told(&view, r#"{"tags": ["paid"], "notes": ["!a", "!b", "c"]}"#), "ok");
        assert_eq!(
            told(&view, r#"{"tags": ["open"], "notes": ["!a"]}"#),
            "$.tags: must have at least 1 item of this form: \"paid\"\n\
             $.notes: must have 2 to 3 items of this form: a value"
        );
        assert_eq!(
            told(&view, r#"{"tags": [], "notes": [1, 2]}"#),
            "$.notes[0]: expected text, got 1 (write \"1\")\n\
             $.notes[1]: expected text, got 2 (write \"2\")\n\
             $.tags: must have at least 1 item of this form: \"paid\""
        );
    }

    /// What the validator has against a value is looked at up to a bound.
    #[test]
    fn two_hundred_errors_of_a_whole_schema_are_told() {
        let view = view_of(echo(json!({"properties": {"list": {
            "type": "array", "items": {"dependentRequired": {"a": ["b"]}},
        }}})));
        let problems = |count: usize| {
            let list: Vec<Value> = (0..count).map(|_| json!({"a": 1})).collect();
            let outcome = call(&view, "echo", &json!({"list": list}).to_string());
            outcome.problems().len()
        };
        assert_eq!(
            [problems(199), problems(200), problems(201), problems(900)],
            [199, 200, 200, 200]
        );
    }

    #[test]
    fn items_that_no_part_of_the_schema_speaks_of_are_counted() {
        let view = view_of(echo(json!({"properties": {"list": {
            "allOf": [{"prefixItems": [{"type": "string"}]}],
            "unevaluatedItems": false,
        }}})));
        assert_eq!(told(&view, r#"{"list": ["a"]}"#), "ok");
        assert_eq!(
            told(&view, r#"{"list": ["a", 1]}"#),
            "$.list: an item is not accepted here; leave it out"
        );
        assert_eq!(
            told(&view, r#"{"list": ["a", 1, 2]}"#),
            "$.list: 2 items are not accepted here; leave them out"
        );
        assert_eq!(
            told(&view, r#"{"list": [1, 2]}"#),
            "$.list[0]: expected text, got 1 (write \"1\")"
        );
    }

    #[test]
    fn a_union_over_foreign_keywords_is_told_by_its_nearest_form() {
        let list = |of: &str| json!({"type": "array", "contains": {"type": of}});
        let view = view_of(echo(json!({"properties": {
            "any": {"anyOf": [list("string"), {"type": "object"}]},
            "one": {"oneOf": [list("string"), list("number")]},
            "no": {"not": list("string")},
        }})));
        assert_eq!(told(&view, r#"{"any": ["a"], "one": ["a"], "no": [1]}"#), "ok");
        assert_eq!(
            told(&view, r#"{"any": [1], "one": ["a", 1], "no": ["a"]}"#),
            "$.any: must have at least 1 item of this form: text\n\
             $.one: fits several forms where it must fit exactly one\n\
             $.no: must not be of a form that is excluded here; got a list"
        );
    }

    #[test]
    fn references_by_anchor_address_and_dynamic_scope_are_followed() {
        let view = view_of(echo(json!({
            "$id": "https://example.com/tree",
            "$dynamicAnchor": "node",
            "type": "object",
            "properties": {
                "value": {"$ref": "#amount"},
                "unit": {"$ref": "unit"},
                "inner": {"$dynamicRef": "#node"},
            },
            "$defs": {
                "a": {"$anchor": "amount", "type": "integer", "minimum": 1},
                "b": {"$id": "unit", "$ref": "#/$defs/c", "$defs": {"c": {"enum": ["kg", "lb"]}}},
            },
        })));
        assert_eq!(told(&view, r#"{"value": 1, "unit": "kg", "inner": {"value": 2}}"#), "ok");
        assert_eq!(
            told(&view, r#"{"value": 0, "inner": {"value": "x", "unit": "KG"}}"#),
            "$.value: expected a number at least 1, got 0\n\
             $.inner.value: expected an integer, got text \"x\"\n\
             $.inner.unit: must be one of \"kg\", \"lb\"; got \"KG\" (did you mean \"kg\"?)"
        );
    }

    #[test]
    fn nothing_is_fetched_and_nothing_malformed_is_built() {
        assert_eq!(
            faults(json!({"properties": {"a": {"$ref": "https://example.com/a.json#/b"}}})),
            ["the schema at #/properties/a refers to \"https://example.com/a.json#/b\", which is \
              not in it, and nothing is fetched; put it under `$defs` with its `$id`"]
        );
        assert_eq!(
            faults(json!({"$ref": "#nowhere", "type": "object"})),
            ["the schema has a reference that leads nowhere: Anchor 'nowhere' does not exist"]
        );
        let fault = faults(json!({"if": {"minimum": "1"}}));
        assert_eq!(fault.len(), 1);
        assert!(fault[0].starts_with("the schema at #/if/minimum is no JSON Schema"), "{fault:?}");
        let fault = faults(json!({"then": {"pattern": "(?=a)"}, "if": true}));
        assert!(fault[0].contains("patterns run in linear time"), "{fault:?}");
    }

    #[test]
    fn steps_and_patterns_are_read_as_everywhere_else() {
        let view = view_of(echo(json!({
            "if": true,
            "then": {"properties": {
                "price": {"multipleOf": 0.1},
                "word": {"pattern": "^\\w+$"},
            }},
        })));
        assert_eq!(told(&view, r#"{"price": 0.3, "word": "a"}"#), "ok");
        assert_eq!(
            told(&view, r#"{"price": 0.35, "word": "é"}"#),
            "$.price: must be a multiple of 0.1; got 0.35\n\
             $.word: \"é\" does not match the required pattern. Expected: text matching ^\\w+$"
        );
    }

    #[test]
    fn a_call_is_accepted_exactly_where_the_whole_schema_accepts_it() {
        let mut dice = Dice::fresh("full schema");
        let (mut accepted, mut whole, total) = (0, 0, cases(4_000));
        for _ in 0..total / 20 {
            let mut root = schema(&mut dice, 3);
            root["type"] = json!("object");
            root["$defs"] = json!({"a": schema(&mut dice, 1), "b": {"$ref": "#/$defs/a"}});
            root["$defs"]["c"] = json!({"$anchor": "c", "type": ["integer", "boolean", "object"]});
            // Which nulls are absence may hang on the form that is meant, which not every table knows.
            let text = root.to_string();
            let nulls = !text.contains("anyOf") && !text.contains("oneOf");
            // A reference to itself that no value gets out of is refused.
            let Ok(trial) = Trial::of(echo(root)) else { continue };
            whole += 1;
            for _ in 0..20 {
                let case = trial.case(&object(&mut dice, 2, nulls).to_string());
                assert!(case.is_agreed(), "\nschema {}\n{case}", trial.schema());
                accepted += usize::from(case.judge);
                if let Err(outcome) = case.gate {
                    let told: BTreeSet<String> =
                        outcome.problems().iter().map(ToString::to_string).collect();
                    assert!(!told.is_empty(), "{outcome:?}");
                    assert_eq!(told.len(), outcome.problems().len(), "twice: {outcome:?}");
                }
            }
        }
        println!("{whole} schemas, {accepted} of {total} accepted");
        assert!(accepted > total / 20, "only {accepted} of {total}; the dice are loaded");
    }

    const NAMES: [&str; 3] = ["a", "b", "c"];

    fn object(dice: &mut Dice, depth: usize, nulls: bool) -> Value {
        let count = dice.below(4);
        let field =
            |dice: &mut Dice| ((*dice.pick(&NAMES)).to_owned(), value(dice, depth - 1, nulls));
        Value::Object((0..count).map(|_| field(dice)).collect())
    }

    fn value(dice: &mut Dice, depth: usize, nulls: bool) -> Value {
        match dice.below(if depth == 0 { 4 } else { 6 }) {
            0 => json!(dice.below(4)),
            1 => json!(dice.one_in(2)),
            2 => json!(*dice.pick(&["x", "EUR", "aaaa"])),
            3 if nulls => Value::Null,
            3 => json!("aa"),
            4 => (0..dice.below(4)).map(|_| value(dice, depth - 1, nulls)).collect(),
            _ => object(dice, depth, nulls),
        }
    }

    /// A schema of one to three keywords, of which most are no table's.
    fn schema(dice: &mut Dice, depth: usize) -> Value {
        let mut node = json!({});
        for _ in 0..=dice.below(3) {
            let name = *dice.pick(&NAMES);
            let mut inner = || {
                if depth == 0 || dice.one_in(4) { leaf(dice) } else { schema(dice, depth - 1) }
            };
            let (one, two) = (inner(), inner());
            match dice.below(16) {
                0 => node["if"] = one,
                1 => node["then"] = one,
                2 => node["else"] = one,
                3 => node["dependentRequired"] = json!({name: [*dice.pick(&NAMES)]}),
                4 => node["dependentSchemas"] = json!({name: one}),
                5 => node["contains"] = one,
                6 => node["maxContains"] = json!(dice.below(3)),
                7 => node["minContains"] = json!(dice.below(3)),
                8 => node["unevaluatedProperties"] = one,
                9 => node["unevaluatedItems"] = one,
                10 => node["not"] = one,
                11 => node["oneOf"] = json!([one, two]),
                12 => node["anyOf"] = json!([one, two]),
                13 => node["allOf"] = json!([one, two]),
                14 => node["$ref"] = json!(*dice.pick(&["#/$defs/a", "#/$defs/b", "#c", "#"])),
                _ => {
                    node["properties"] = json!({"a": one, name: two});
                    if dice.one_in(3) {
                        node["additionalProperties"] = json!(false);
                    }
                }
            }
        }
        node
    }

    fn leaf(dice: &mut Dice) -> Value {
        match dice.below(6) {
            0 => json!({"type": "integer", "minimum": 1}),
            1 => json!({"type": "string", "maxLength": 3}),
            2 => json!({"type": ["array", "object", "integer", "null"]}),
            3 => json!({"required": [*dice.pick(&NAMES)]}),
            4 => json!(dice.one_in(2)),
            _ => json!({"enum": ["x", 1, true]}),
        }
    }
}
