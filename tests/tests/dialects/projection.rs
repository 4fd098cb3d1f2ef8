//! What becomes of single keywords, and of arguments on their way back.

use serde_json::{Value, json};
use toolkit::dialect::{Definition, Form, Projection};
use toolkit::{Problem, ToolConfigError};

fn project(schema: Value, form: Form) -> Result<Projection, Vec<String>> {
    let definition = Definition::new("t", "T.", schema);
    Projection::of(&definition, form)
        .map_err(|errors| errors.iter().map(ToolConfigError::message).map(str::to_owned).collect())
}

/// The object of one required field.
fn of(field: Value) -> Value {
    json!({"type": "object", "properties": {"a": field}, "required": ["a"], "additionalProperties": false})
}

#[track_caller]
fn assert_field(field: Value, form: Form, expected: Value) {
    let projection = project(of(field), form).unwrap();
    assert_eq!(projection.schema()["properties"]["a"].to_string(), expected.to_string());
}

#[track_caller]
fn assert_refused(field: Value, form: Form, expected: &str) {
    assert_eq!(project(of(field), form).unwrap_err(), [expected]);
}

const ANTHROPIC: Form = Form::ANTHROPIC.strict();
const OPENAI: Form = Form::OPENAI.strict();

#[test]
fn bounds_that_are_not_taken_are_said_in_words() {
    let field = json!({"description": "How many.", "type": "integer", "minimum": 1, "maximum": 50});
    assert_field(
        field.clone(),
        ANTHROPIC,
        json!({"description": "How many. (1 to 50)", "type": "integer"}),
    );
    assert_field(field.clone(), OPENAI, field);
    let field = json!({"type": "string", "minLength": 1, "maxLength": 1});
    assert_field(
        field.clone(),
        OPENAI,
        json!({"description": "(exactly 1 character)", "type": "string"}),
    );
    assert_field(field.clone(), Form::GEMINI_PARAMETERS, field);
    let field =
        json!({"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 10, "multipleOf": 2});
    assert_field(
        field.clone(),
        ANTHROPIC,
        json!({"description": "(more than 0; less than 10; a multiple of 2)", "type": "integer"}),
    );
    assert_field(
        field,
        Form::GEMINI_JSON,
        json!({"description": "(a multiple of 2)", "type": "integer", "minimum": 1, "maximum": 9}),
    );
    let field = json!({"type": "integer", "not": {"const": 0}});
    assert_field(field, OPENAI, json!({"description": "(not 0)", "type": "integer"}));
}

#[test]
fn patterns_that_an_engine_does_not_take_are_said_in_words() {
    for pattern in [r"^O-\d+$", "a{1,9}"] {
        let field = json!({"type": "string", "pattern": pattern});
        assert_field(field.clone(), ANTHROPIC, field);
    }
    for pattern in [r"\bO\b", "a{1,999}", "(?=a)b", r"(a)\1"] {
        let field = json!({"type": "string", "pattern": pattern});
        let words = format!("(text matching {pattern})");
        assert_field(field, ANTHROPIC, json!({"description": words, "type": "string"}));
    }
}

#[test]
fn nothing_beside_a_reference_is_lost() {
    let schema = json!({
        "type": "object",
        "properties": {
            "unit": {"description": "temperature unit", "$ref": "#/$defs/Unit"},
            "other": {"$ref": "#/$defs/Unit"},
        },
        "required": ["unit", "other"],
        "additionalProperties": false,
        "$defs": {"Unit": {"type": "string", "enum": ["C", "F"]}},
    });
    let expected = json!({
        "type": "object",
        "properties": {
            "unit": {"description": "temperature unit", "type": "string", "enum": ["C", "F"]},
            "other": {"$ref": "#/$defs/Unit"},
        },
        "required": ["unit", "other"],
        "additionalProperties": false,
        "$defs": {"Unit": {"type": "string", "enum": ["C", "F"]}},
    });
    let projection = project(schema, OPENAI).unwrap();
    assert_eq!(projection.schema().to_string(), expected.to_string());
}

#[test]
fn an_enum_of_other_things_than_text_keeps_its_meaning() {
    assert_field(
        json!({"enum": [1, 2]}),
        Form::GEMINI_PARAMETERS,
        json!({"description": "(one of 1, 2)", "type": "integer"}),
    );
    assert_field(
        json!({"enum": ["a", 1]}),
        OPENAI,
        json!({"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "integer", "enum": [1]}]}),
    );
    assert_field(
        json!({"enum": ["a", null]}),
        Form::GEMINI_PARAMETERS,
        json!({"type": "string", "enum": ["a"], "nullable": true}),
    );
    assert_field(
        json!({"const": "a"}),
        Form::GEMINI_PARAMETERS,
        json!({"type": "string", "enum": ["a"]}),
    );
    assert_refused(
        json!({"enum": ["EUR", "eur"]}),
        ANTHROPIC,
        "anthropic, strict: `enum` of $.a: `EUR` and `eur` differ by case only, which the provider \
         does not keep; rename one",
    );
    assert_refused(
        json!({"enum": [{"a": 1}]}),
        ANTHROPIC,
        "anthropic, strict: `enum` of $.a: objects and lists in it have no form; write an `anyOf` \
         of their schemas",
    );
}

#[test]
fn what_has_no_form_is_refused_and_never_made_another_type() {
    let any = |form| {
        format!(
            "{form}: `any value` of $.a: it has no form; give it a type, or let the dialect write \
             it as JSON text with `any_as_text()`"
        )
    };
    assert_refused(json!({}), OPENAI, &any("openai, strict"));
    assert_refused(json!(true), Form::GEMINI_PARAMETERS, &any("gemini, parameters"));
    let map = |form| {
        format!(
            "{form}: `additionalProperties` of $.a: a map has no form; name its fields, take a \
             list of pairs, or let the dialect write it as one with `maps_as_pairs()`"
        )
    };
    let field = json!({"type": "object", "additionalProperties": {"type": "string"}});
    assert_refused(field.clone(), ANTHROPIC, &map("anthropic, strict"));
    assert_refused(json!({"type": "object"}), ANTHROPIC, &map("anthropic, strict"));
    assert_field(field.clone(), Form::ANTHROPIC, field.clone());
    assert_field(
        field,
        Form::OPENAI,
        json!({"type": "object", "additionalProperties": {"type": "string"}, "properties": {}}),
    );
    assert_refused(
        json!({"properties": {"b": {"type": "integer"}}}),
        OPENAI,
        "openai, strict: `properties` of $.a: its `type` is missing; write it",
    );
    assert_refused(
        json!({"type": "string", "if": {"minLength": 1}, "then": {"maxLength": 2}}),
        Form::GEMINI_JSON,
        "gemini: `if` of $.a: write the rule as a `check`, and let the fields be optional",
    );
}

#[test]
fn every_fault_is_told_at_once_with_its_place() {
    let schema = json!({
        "type": "object",
        "properties": {
            "list": {"type": "array", "items": {"type": "object", "properties": {"any": {}}, "required": ["any"]}},
            "map": {"type": "object", "additionalProperties": {"type": "string"}},
            "node": {"$ref": "#/$defs/Node"},
        },
        "$defs": {"Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}},
    });
    let places: Vec<String> = project(schema, ANTHROPIC)
        .unwrap_err()
        .iter()
        .map(|message| message.split(": ").nth(1).unwrap().to_owned())
        .collect();
    assert_eq!(
        places,
        ["`any value` of $.list[].any", "`additionalProperties` of $.map", "`$ref` of $.node",],
    );
}

#[test]
fn names_of_fields_and_data_are_never_touched() {
    let data =
        json!({"$ref": "#/x", "oneOf": [], "format": "uint8", "default": null, "title": "t"});
    let names = ["$ref", "oneOf", "format", "default", "title", "properties", "required"];
    let properties: serde_json::Map<String, Value> =
        names.iter().map(|name| ((*name).to_owned(), json!({"type": "string"}))).collect();
    let schema = of(json!({
        "type": "object",
        "properties": properties,
        "required": names,
        "additionalProperties": false,
        "examples": [data],
        "default": data,
    }));
    for form in [Form::ANTHROPIC, Form::OPENAI, Form::PORTABLE] {
        let projection = project(schema.clone(), form).unwrap();
        assert_eq!(projection.schema(), &schema, "{form}");
    }
    for form in [ANTHROPIC, OPENAI, Form::GEMINI_JSON, Form::GEMINI_PARAMETERS] {
        let projection = project(schema.clone(), form).unwrap();
        let written = &projection.schema()["properties"]["a"];
        let kept: Vec<&String> = written["properties"].as_object().unwrap().keys().collect();
        assert_eq!(kept, names, "{form}");
        let description = written["description"].as_str().unwrap();
        assert_eq!(description, format!("(default {data})"), "{form}");
    }
}

#[test]
fn root_unions_become_one_object_everywhere_but_in_the_exact_form() {
    let schema = json!({
        "type": "object",
        "properties": {"by_name": {"type": "string"}, "by_id": {"type": "integer"}},
        "anyOf": [{"required": ["by_name"]}, {"required": ["by_id"]}],
    });
    let forms = [
        Form::PORTABLE,
        Form::ANTHROPIC,
        ANTHROPIC,
        Form::OPENAI,
        OPENAI,
        Form::GEMINI_JSON,
        Form::GEMINI_PARAMETERS,
    ];
    for form in forms {
        let projection = project(schema.clone(), form).unwrap();
        assert_eq!(projection.schema().get("anyOf"), None, "{form}");
        assert_eq!(
            projection.schema()["description"],
            "(give at least one group of fields: by_name | by_id)",
            "{form}"
        );
    }
    assert_eq!(project(schema.clone(), Form::EXACT).unwrap().schema(), &schema);
}

#[test]
fn a_type_that_is_part_of_itself_is_taken_where_the_api_takes_it() {
    let schema = |required: Value| {
        json!({
            "type": "object",
            "properties": {"root": {"$ref": "#/$defs/Node"}},
            "required": ["root"],
            "additionalProperties": false,
            "$defs": {"Node": {
                "type": "object",
                "properties": {"next": {"$ref": "#/$defs/Node"}},
                "required": required,
                "additionalProperties": false,
            }},
        })
    };
    assert!(project(schema(json!([])), OPENAI).is_ok());
    let told = |form| project(schema(json!([])), form).unwrap_err();
    let advice = "`Node` is part of itself; take a list of nodes that name their parents";
    assert_eq!(told(ANTHROPIC), [format!("anthropic, strict: `$ref` of $.root: {advice}")]);
    assert_eq!(
        told(Form::GEMINI_PARAMETERS),
        [format!("gemini, parameters: `$ref` of $.root: {advice}")]
    );
    let advice = "`Node` is part of itself; that is taken below an optional field only";
    assert_eq!(told(Form::GEMINI_JSON), [format!("gemini: `$ref` of $.root: {advice}")]);
}

fn pairs() -> Projection {
    let schema = json!({
        "type": "object",
        "properties": {
            "scores": {"type": "object", "additionalProperties": {"type": "integer"}},
            "payload": {},
            "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]},
            "note": {"type": "string"},
        },
        "required": ["scores", "payload", "unit"],
        "additionalProperties": false,
    });
    project(schema, ANTHROPIC.maps_as_pairs().any_as_text()).unwrap()
}

#[test]
fn arguments_come_back_as_the_full_schema_has_them() {
    let wire = r#"{"scores":[{"key":"ann","value":12345678901234567890},{"value":2,"key":"b\n"}],"payload":"{\"x\": [1.50]}","unit":"Celsius","note":"null"}"#;
    assert_eq!(
        pairs().decode(wire).as_deref(),
        Ok(
            r#"{"scores":{"ann":12345678901234567890,"b\n":2},"payload":{"x": [1.50]},"unit":"celsius","note":"null"}"#
        )
    );
}

#[test]
fn a_union_in_a_union_joins_it_where_nothing_may_stand_beside_one() {
    let schema = json!({
        "type": "object",
        "properties": {"b": {"anyOf": [
            {"type": "string", "pattern": "[A-Z]"},
            {"anyOf": [{"enum": ["EUR", "usd"]}, {"type": "integer", "const": 1}]},
            {"type": "null"},
        ]}},
        "required": ["b"],
        "additionalProperties": false,
    });
    let projection = project(schema, Form::GEMINI_PARAMETERS).unwrap();
    let b = &projection.schema()["properties"]["b"];
    let forms = b["anyOf"].as_array().unwrap();
    assert_eq!((b.as_object().unwrap().len(), forms.len()), (1, 3), "{b}");
    assert!(forms.iter().all(|form| form["nullable"] == true && form["type"].is_string()), "{b}");
    for value in [json!("A"), json!("usd"), json!(1), json!(null)] {
        let arguments = json!({"b": value});
        let wire = projection.encode(&arguments).to_string();
        let decoded = projection.decode(&wire).unwrap().into_owned();
        assert_eq!(serde_json::from_str::<Value>(&decoded).unwrap(), arguments);
    }
}

/// As text, a number would read like the text of the same digits.
#[test]
fn a_text_or_any_value_is_any_value_written_as_text() {
    let schema = json!({
        "type": "object",
        "properties": {
            "tag": {"oneOf": [{"type": "string", "maxLength": 3}, true]},
            "other": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/any"}]},
        },
        "required": ["tag", "other"],
        "additionalProperties": false,
        "$defs": {"any": {"description": "Anything."}},
    });
    let projection = project(schema, ANTHROPIC.any_as_text()).unwrap();
    assert_eq!(
        projection.schema()["properties"],
        json!({
            "tag": {
                "description": "(exactly one of the forms must fit) (any value, written as JSON text)",
                "type": "string",
            },
            "other": {"description": "(any value, written as JSON text)", "type": "string"},
        })
    );
    let arguments = json!({"tag": 61, "other": "61"});
    let wire = projection.encode(&arguments);
    assert_eq!(wire, json!({"tag": "61", "other": "\"61\""}));
    let decoded = projection.decode(&wire.to_string()).unwrap().into_owned();
    assert_eq!(serde_json::from_str::<Value>(&decoded).unwrap(), arguments);
}

#[test]
fn what_is_not_of_the_form_stays_for_the_dispatcher_to_judge() {
    for wire in [
        "",
        "null",
        "[]",
        r#"{"scores":{"ann":1},"payload":{"x":1},"unit":"kelvin"}"#,
        r#"{"unit":5,"unit":6}"#,
        r#"{"scores":"#,
        r#"{"unit":"kelvin"}{"unit":"kelvin"}"#,
    ] {
        assert_eq!(pairs().decode(wire).as_deref(), Ok(wire));
    }
}

#[test]
fn what_can_not_be_told_apart_is_refused_at_the_place_that_the_model_knows() {
    let told = |wire: &str| -> Vec<String> {
        pairs().decode(wire).unwrap_err().iter().map(Problem::to_string).collect()
    };
    assert_eq!(
        told(r#"{"scores":[{"key":"a","value":1},{"key":"a","value":2}],"payload":"{"}"#),
        [
            r#"$.scores[1].key: "a" is a key already, at $.scores[0].key; each key may come once"#,
            "$.payload: the text is not JSON: it ends too early; write the value as JSON, a text \
             in quotes, too",
        ],
    );
    for (text, why) in [
        ("", "it is blank"),
        ("hello", r#"from "hello" on"#),
        (r"[1] and more", r#"there is "and more" after its value"#),
        (r"[1, ]", r#"from "]" on"#),
    ] {
        let refused = told(&format!(r#"{{"payload":"{text}"}}"#));
        let end = "write the value as JSON, a text in quotes, too";
        assert_eq!(refused, [format!("$.payload: the text is not JSON: {why}; {end}")]);
    }
    assert_eq!(
        told(r#"{"scores":[["a",1]]}"#),
        [r#"$.scores[0]: expected a pair of a text and a value, like {"key": "a", "value": …}"#],
    );
    assert_eq!(
        told(r#"{"scores":7}"#),
        [r#"$.scores: expected a list of pairs, like [{"key": "a", "value": …}]"#],
    );
}
