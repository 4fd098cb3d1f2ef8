//! What a model reads of a mistake is enough to mend it, and is in words of its own call.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use toolkit::prelude::*;
use toolkit::{Caller, Registry, Status};
use toolkit_tests::{call, view_of};

#[derive(Debug)]
#[arg_type]
struct Point {
    x: f64,
    y: f64,
}

/// What to draw.
#[derive(Debug)]
#[arg_type]
enum Shape {
    Dot,
    Nothing,
    Circle { at: Point, radius: f64 },
    Line(Point, Point),
}

#[derive(Debug)]
#[arg_type]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Mark {
    First,
    Second,
    Third,
}

/// Draws.
#[tool]
fn draw(
    shape: Option<Shape>,
    mark: Option<Mark>,
    points: Option<Vec<Point>>,
    slots: Option<BTreeMap<u32, String>>,
    host: Option<std::net::IpAddr>,
    times: Option<u8>,
) -> String {
    format!("{shape:?} {mark:?} {points:?} {slots:?} {host:?} {times:?}")
}

fn read(arguments: &str) -> String {
    call(&view_of(Tool::of::<draw>()), "draw", arguments).text().to_owned()
}

#[test]
fn no_report_speaks_of_the_parser_or_of_rust() {
    let texts = [
        r#"{"shape":{"Circle":{"at":[1,2],"radius":"1"}}}"#,
        r#"{"shape":{"Square":1}}"#,
        r#"{"shape":7,"mark":[],"points":{},"slots":[],"host":"x","times":1.5}"#,
        r#"{"points":[{"x":1}]}"#,
        r#"{"slots":{"-":"x","7":1}}"#,
        r#"{"times":300,"tims":1}"#,
        "{\"times\":\n\n}",
        "{\"times\":1",
        "[]",
        "{}{}",
        r#"{"host":"\ud800"}"#,
    ];
    for text in texts {
        let report = read(text);
        for word in [
            "line ",
            "column",
            "struct ",
            "invalid type",
            "invalid value",
            "variant",
            "f64",
            "u8",
            "EOF",
            "serde",
            "Point",
            "IpAddr",
            "Some(",
            "anyOf",
            "oneOf",
            "schema",
        ] {
            assert!(!report.contains(word), "{word:?} in the report about {text}:\n{report}");
        }
        assert!(report.lines().all(|line| line.starts_with('$')), "{report}");
    }
}

#[test]
fn every_place_is_named_however_deep_and_however_many() {
    let text = r#"{"shape":{"Circle":{"at":{"x":"1","y":true},"radius":null}},"points":[{"x":1,"y":2},{"x":[]}],"times":-1,"z":0}"#;
    let outcome = call(&view_of(Tool::of::<draw>()), "draw", text);
    let places: Vec<String> =
        outcome.problems().iter().map(|problem| problem.path().pointer()).collect();
    assert_eq!(
        places,
        [
            "/z",
            "/shape/Circle/at/x",
            "/shape/Circle/at/y",
            "/shape/Circle/radius",
            "/points/1/y",
            "/points/1/x",
            "/times",
        ]
    );
}

#[test]
fn a_wrong_tag_is_told_with_every_tag_there_is() {
    assert_eq!(
        read(r#"{"mark":{"kind":"fourth"}}"#),
        "$.mark.kind: must be one of \"first\", \"second\", \"third\"; got \"fourth\""
    );
    assert_eq!(
        read(r#"{"mark":{"kind":"Second"}}"#),
        "$.mark.kind: must be one of \"first\", \"second\", \"third\"; got \"Second\" (did you mean \"second\"?)"
    );
}

#[test]
fn a_wrong_form_of_an_enum_is_told_with_every_form_there_is() {
    let dotted = read(r#"{"shape":"Dott"}"#);
    assert!(dotted.contains("did you mean \"Dot\"?"), "{dotted}");
    for text in [r#"{"shape":"Circle"}"#, r#"{"shape":{"Square":1}}"#, r#"{"shape":{}}"#] {
        let report = read(text);
        for form in ["Dot", "Nothing", "Circle", "Line"] {
            assert!(report.contains(form), "{form} is not told for {text}:\n{report}");
        }
    }
}

#[test]
fn a_value_in_an_object_where_the_name_alone_is_wanted_is_told_so() {
    let report = read(r#"{"shape":{"Dot":null}}"#);
    assert!(report.contains("\"Dot\""), "the name is what would be right:\n{report}");
    assert!(!report.contains("missing required field"), "{report}");
}

#[test]
fn a_wrong_key_of_a_map_is_told_what_a_key_must_be() {
    let report = read(r#"{"slots":{"a":"x"}}"#);
    assert!(!report.contains("no fields are allowed"), "other keys are: {report}");
    assert!(report.contains("integer") || report.contains("digits"), "{report}");
}

#[test]
fn a_value_that_its_type_alone_refuses_is_told_what_is_wanted() {
    let report = read(r#"{"host":"localhost"}"#);
    assert_ne!(report, "$.host: this value is not accepted here; send another one");
}

#[test]
fn a_problem_is_told_once_wherever_its_type_is_shared() {
    /// Names a tree.
    #[derive(Debug)]
    #[arg_type]
    struct Tree {
        name: String,
        kids: Vec<Tree>,
    }
    /// Plants.
    #[tool]
    fn plant(tree: Tree, other: Option<Tree>) -> String {
        format!("{tree:?} {other:?}")
    }
    assert_eq!(
        read(r#"{"points":[{"x":1,"y":2,"x":3}]}"#),
        "$.points[0]: field 'x' is given twice; give it once"
    );
    let view = view_of(Tool::of::<plant>());
    assert_eq!(
        call(&view, "plant", r#"{"tree":{"name":"a","kids":[{"name":"\ud800","kids":[]}]}}"#)
            .text(),
        "$.tree.kids[0].name: the text is not valid Unicode: half of a surrogate pair stands alone"
    );
}

#[test]
fn a_closed_set_of_nothing_and_a_refused_form_read_as_sentences() {
    let told = |property: Value, arguments: &str| {
        let schema = json!({"type": "object", "properties": {"a": property}});
        let tool = Tool::dynamic("odd", "Is odd.", schema, |_: Value, _: CallContext| async {
            Ok::<_, Failure>("done")
        });
        match Registry::builder().tool(tool).build() {
            Ok(registry) => {
                call(&registry.view(Caller::new("a")), "odd", arguments).text().to_owned()
            }
            Err(errors) => errors.to_string(),
        }
    };
    let nothing = told(json!({"enum": []}), r#"{"a":1}"#);
    assert!(!nothing.contains("one of ;"), "{nothing}");
    let refused = told(json!({"not": {"required": ["b"]}}), r#"{"a":{"b":1}}"#);
    assert!(!refused.contains("must not be a value"), "{refused}");
}

#[test]
fn a_made_up_name_is_answered_with_the_nearest_one_that_may_be_called() {
    /// Gets.
    #[tool(effect = "read")]
    fn get_sites() {}
    /// Gets.
    #[tool(effect = "read", scopes("admin"))]
    fn list_sites() {}
    /// Counts.
    #[tool(effect = "read")]
    fn count() {}
    let view = |tools: Vec<Tool>| {
        Registry::builder().tools(tools).build().unwrap().view(Caller::new("ada"))
    };
    let hidden = call(&view(tools![get_sites, list_sites, count].into()), "list_sites", "{}");
    let missing = call(&view(tools![get_sites, count].into()), "list_sites", "{}");
    assert_eq!((hidden.status(), missing.status()), (Status::Denied, Status::UnknownTool));
    assert_eq!(
        missing.text(),
        "no such tool \"list_sites\" (did you mean \"get_sites\"?). Available: get_sites, count"
    );
    assert_eq!(hidden.text(), missing.text());
}

#[test]
fn a_list_of_unlike_tuples_or_objects_is_shown_with_unlike_ones() {
    let list = |item: Value| {
        let schema = json!({
            "properties": {"a": {"type": "array", "items": item, "uniqueItems": true, "minItems": 2}},
            "required": ["a"],
        });
        let view = view_of(toolkit_tests::echo(schema));
        call(&view, "echo", r#"{"b": 1}"#).text().to_owned()
    };
    let codes = json!({"enum": ["EUR", "USD"]});
    let tuple = json!({
        "type": "array",
        "prefixItems": [{"const": 1}, codes],
        "items": false,
        "minItems": 2,
    });
    assert_eq!(
        list(tuple),
        "$: missing required field 'a' (a list of at least 2 items, like [[1,\"EUR\"],[1,\"USD\"]])",
    );
    let object = json!({
        "type": "object",
        "properties": {"is": {"type": "boolean"}, "code": codes},
        "required": ["is", "code"],
        "additionalProperties": false,
    });
    assert_eq!(
        list(object),
        "$: missing required field 'a' (a list of at least 2 items, like \
         [{\"is\":true,\"code\":\"EUR\"},{\"is\":false,\"code\":\"EUR\"}])",
    );
}

#[test]
fn what_joined_schemas_want_of_one_value_is_told_in_one_line_with_a_value_for_all() {
    let told = |property: Value, arguments: &str| {
        let view = view_of(toolkit_tests::echo(json!({"properties": {"a": property}})));
        call(&view, "echo", arguments).text().to_owned()
    };
    let closer = json!({"allOf": [{"type": "integer", "minimum": 1}, {"type": "integer"}]});
    assert_eq!(
        told(closer, r#"{"a":"\"1\""}"#),
        "$.a: expected an integer at least 1, like 1, got text \"\\\"1\\\"\""
    );
    let bounds = json!({"allOf": [
        {"type": "integer", "minimum": 3},
        {"type": "number", "maximum": 9},
        {"type": ["number", "null"]},
    ]});
    assert_eq!(
        told(bounds.clone(), r#"{"a":[]}"#),
        "$.a: expected an integer at least 3 and a number at most 9 and a number or null, like 3, \
         got a list"
    );
    assert_eq!(
        told(bounds, r#"{"a":"4"}"#),
        "$.a: expected an integer at least 3 and a number at most 9 and a number or null, like 3, \
         got text \"4\" (write 4 without quotes)"
    );
    let referred = json!({
        "$ref": "#/properties/a/$defs/some",
        "allOf": [{"type": "array"}],
        "$defs": {"some": {"type": "array", "items": {"type": "boolean"}, "minItems": 1}},
    });
    assert_eq!(
        told(referred, r#"{"a":true}"#),
        "$.a: expected a list of at least 1 item, like [true], got true"
    );
}

#[test]
fn what_several_schemas_have_against_one_value_ends_in_a_value_that_suits_them_all() {
    let told = |property: Value, arguments: &str| {
        let view = view_of(toolkit_tests::echo(json!({"properties": {"a": property}})));
        call(&view, "echo", arguments).text().to_owned()
    };
    let capitals = json!({"type": "string", "pattern": "[A-Z]"});
    let short = json!({"type": "string", "maxLength": 2});
    assert_eq!(
        told(json!({"allOf": [capitals, short]}), r#"{"a":"www"}"#),
        "$.a: \"www\" does not match the required pattern. \
         Expected: text matching [A-Z], like \"A\"\n\
         $.a: must have at most 2 characters; got 3: \"www\"\n\
         $.a: must suit every schema of this place at once, like \"A\""
    );
    let no_six = json!({"type": "integer", "minimum": 2, "not": {"const": 6}});
    assert_eq!(
        told(no_six.clone(), r#"{"a":"6"}"#),
        "$.a: expected an integer at least 2, like 2, got text \"6\" (write 6 without quotes)\n\
         $.a: must suit every schema of this place at once, like 2"
    );
    assert_eq!(
        told(no_six, r#"{"a":"7"}"#),
        "$.a: expected an integer at least 2, like 2, got text \"7\" (write 7 without quotes)"
    );
    let one_of = json!({"oneOf": [{"type": "integer"}, {"type": "number", "minimum": 3}]});
    assert_eq!(
        told(one_of, r#"{"a":true}"#),
        "$.a: expected an integer or a number at least 3, like 0, got true"
    );
}

#[test]
fn a_list_that_is_too_long_and_whose_items_must_differ_is_shown_as_it_may_be() {
    let list = json!({
        "type": "array", "items": {"type": "integer"}, "uniqueItems": true, "maxItems": 2, "minItems": 2,
    });
    let view = view_of(toolkit_tests::echo(json!({"properties": {"a": list}})));
    assert_eq!(
        call(&view, "echo", r#"{"a":[1,1,null]}"#).text(),
        "$.a[2]: expected an integer, got null\n\
         $.a: must have exactly 2 items, each another, like [0,1]; got 3"
    );
}
