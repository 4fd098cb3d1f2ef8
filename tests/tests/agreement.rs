//! The arguments gate and the published schema agree, also on what is rare.

use std::collections::{BTreeMap, HashSet};

use serde_json::{Value, json};
use toolkit::prelude::*;
use toolkit_tests::{call, definition, echo, view_of};

/// Asserts that each text runs if and only if the published schema accepts its normal form.
#[track_caller]
fn agree(tool: impl Into<Tool>, texts_and_normal_forms: &[(&str, Value)]) {
    let view = view_of(tool);
    let definition = definition(&view);
    let name = definition["name"].as_str().unwrap();
    let schema = &definition["input_schema"];
    let judge = jsonschema::options().should_validate_formats(true).build(schema).unwrap();
    let mut apart = Vec::new();
    for (text, normal) in texts_and_normal_forms {
        let outcome = call(&view, name, text);
        let accepts = judge.is_valid(normal);
        if accepts != (outcome.status() == Status::Ok) {
            apart.push(format!(
                "{text}: {} ({}); the schema: {accepts}",
                outcome.status(),
                outcome.text()
            ));
        }
    }
    assert!(apart.is_empty(), "the schema is {schema}\n{}", apart.join("\n"));
}

/// As `agree`, for texts that are their own normal form.
#[track_caller]
fn agree_on(tool: impl Into<Tool>, texts: &[&str]) {
    let texts: Vec<(&str, Value)> =
        texts.iter().map(|text| (*text, serde_json::from_str(text).unwrap())).collect();
    agree(tool, &texts);
}

#[track_caller]
fn built(tool: impl Into<Tool>) -> String {
    match Registry::builder().tool(tool).build() {
        Ok(registry) => definition(&registry.view(Caller::new("tester"))).to_string(),
        Err(errors) => panic!("{errors}"),
    }
}

/// A point.
#[derive(Debug)]
#[arg_type]
struct Point {
    x: f64,
    y: f64,
}

#[test]
fn a_list_fills_no_struct_at_any_depth() {
    /// Moves.
    #[tool]
    fn move_to(
        to: Option<Point>,
        all: Option<Vec<Point>>,
        named: Option<BTreeMap<String, Point>>,
    ) -> String {
        format!("{to:?} {all:?} {named:?}")
    }
    let view = view_of(Tool::of::<move_to>());
    for (arguments, report) in [
        (r#"{"to":[1,2]}"#, r#"$.to: expected an object, like {"x":0,"y":0}, got a list"#),
        (r#"{"all":[[1,2]]}"#, r#"$.all[0]: expected an object, like {"x":0,"y":0}, got a list"#),
        (
            r#"{"named":{"a":[1,2]}}"#,
            r#"$.named.a: expected an object, like {"x":0,"y":0}, got a list"#,
        ),
    ] {
        assert_eq!(call(&view, "move_to", arguments).text(), report);
    }
}

#[test]
fn a_float_of_32_bits_holds_every_digit_of_an_integer_or_refuses_it() {
    /// Sets.
    #[tool]
    fn set(x: f32) -> String {
        format!("{x}")
    }
    let view = view_of(Tool::of::<set>());
    assert_eq!(call(&view, "set", r#"{"x":16777216}"#).text(), "16777216");
    assert_eq!(call(&view, "set", r#"{"x":16777217}"#).status(), Status::Invalid);
}

#[test]
fn a_number_that_rounds_onto_an_excluded_bound_is_refused() {
    /// Pays.
    #[tool]
    fn pay(
        #[arg(exclusive_minimum = 0)] amount: Option<f64>,
        #[arg(exclusive_maximum = 1)] share: Option<f64>,
        #[arg(exclusive_minimum = 0)] small: Option<f32>,
    ) -> String {
        format!("{amount:?} {share:?} {small:?}")
    }
    let view = view_of(Tool::of::<pay>());
    let texts =
        [r#"{"amount":1e-400}"#, r#"{"share":0.99999999999999999999}"#, r#"{"small":1e-50}"#];
    let ran: Vec<String> = texts
        .iter()
        .map(|arguments| call(&view, "pay", arguments))
        .filter(|outcome| outcome.status() == Status::Ok)
        .map(|outcome| outcome.text().to_owned())
        .collect();
    assert_eq!(ran, Vec::<String>::new());
    assert_eq!(
        call(&view, "pay", r#"{"amount":5e-324,"share":0.5,"small":0.5}"#).text(),
        "Some(5e-324) Some(0.5) Some(0.5)"
    );
}

// The published schema accepts it if and only if it runs.

#[test]
fn items_are_compared_in_their_normal_form() {
    #[derive(Debug, PartialEq, Eq, Hash)]
    #[arg_type]
    struct Filter {
        name: Option<String>,
    }
    /// Filters.
    #[tool]
    fn filter(
        #[arg(unique_items = true)] list: Option<Vec<Filter>>,
        set: Option<HashSet<Filter>>,
    ) -> String {
        format!("{list:?} {set:?}")
    }
    agree(
        Tool::of::<filter>(),
        &[
            (r#"{"list":[{"name":null},{}]}"#, json!({"list": [{}, {}]})),
            (r#"{"set":[{"name":null},{}]}"#, json!({"set": [{}, {}]})),
            (r#"{"set":[{"name":"a"},{"name":null}]}"#, json!({"set": [{"name": "a"}, {}]})),
        ],
    );
}

#[test]
fn unknown_fields_are_refused_at_every_depth_and_in_every_position() {
    #[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
    #[schemars(inline)]
    struct Seat {
        row: u8,
    }
    /// Seats.
    #[tool]
    fn seat(
        one: Option<Seat>,
        all: Option<Vec<Option<Seat>>>,
        pair: Option<(Seat, Option<Seat>)>,
        named: Option<BTreeMap<String, Option<Seat>>>,
        boxed: Option<Box<Option<Seat>>>,
    ) -> String {
        format!("{} {all:?} {pair:?} {named:?} {boxed:?}", one.map_or(0, |seat| seat.row))
    }
    let view = view_of(Tool::of::<seat>());
    for (arguments, at) in [
        (r#"{"one":{"row":1,"z":1}}"#, "$.one"),
        (r#"{"all":[{"row":1,"z":1}]}"#, "$.all[0]"),
        (r#"{"pair":[{"row":1},{"row":1,"z":1}]}"#, "$.pair[1]"),
        (r#"{"named":{"a":{"row":1,"z":1}}}"#, "$.named.a"),
        (r#"{"boxed":{"row":1,"z":1}}"#, "$.boxed"),
    ] {
        assert_eq!(
            call(&view, "seat", arguments).text(),
            format!("{at}: unexpected field 'z' (allowed: row)")
        );
    }
}

#[test]
fn a_constraint_that_the_type_can_not_hold_is_a_mistake_or_holds() {
    /// Sets.
    #[tool]
    fn above(#[arg(maximum = 300)] n: u8) -> u8 {
        n
    }
    /// Sets.
    #[tool]
    fn below(#[arg(minimum = -5)] n: u8) -> u8 {
        n
    }
    for (tool, arguments) in
        [(Tool::of::<above>(), r#"{"n":256}"#), (Tool::of::<below>(), r#"{"n":-1}"#)]
    {
        if Registry::builder().tool(tool).build().is_err() {
            continue;
        }
        let tool = if arguments.contains('-') { Tool::of::<below>() } else { Tool::of::<above>() };
        agree_on(tool, &[arguments]);
    }
}

#[test]
fn a_required_name_without_a_property_is_judged_by_the_rest_of_the_schema() {
    agree_on(
        echo(
            json!({"type": "object", "required": ["x"], "additionalProperties": {"type": "integer"}}),
        ),
        &[r#"{"x":1}"#, r#"{"x":"text"}"#, r#"{"x":null}"#, "{}"],
    );
    agree_on(
        echo(
            json!({"type": "object", "required": ["x"], "patternProperties": {"^x": {"type": "integer"}}, "additionalProperties": false}),
        ),
        &[r#"{"x":1}"#, r#"{"x":"text"}"#, r#"{"y":1}"#],
    );
    agree_on(
        echo(
            json!({"type": "object", "required": ["x"], "allOf": [{"properties": {"x": {"type": "integer"}}}]}),
        ),
        &[r#"{"x":1}"#, r#"{"x":null}"#, "{}"],
    );
}

#[test]
fn a_null_is_absent_for_every_keyword_and_not_only_for_its_property() {
    let either = |keyword: &str| {
        let mut schema = json!({
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
            "additionalProperties": false
        });
        schema[keyword] = json!([{"required": ["a"]}, {"required": ["b"]}]);
        echo(schema)
    };
    agree(
        either("oneOf"),
        &[
            (r#"{"a":1,"b":null}"#, json!({"a": 1})),
            (r#"{"a":null,"b":1}"#, json!({"b": 1})),
            (r#"{"a":null}"#, json!({})),
            (r#"{"a":1,"b":1}"#, json!({"a": 1, "b": 1})),
        ],
    );
    agree(
        either("anyOf"),
        &[
            (r#"{"a":null}"#, json!({})),
            (r#"{"a":null,"b":1}"#, json!({"b": 1})),
            (r#"{"a":null,"b":null}"#, json!({})),
        ],
    );
    let never = json!({"type": "object", "properties": {"a": {"type": "integer"}}, "not": {"required": ["a"]}});
    agree(echo(never), &[(r#"{"a":null}"#, json!({})), (r#"{"a":1}"#, json!({"a": 1}))]);
}

#[test]
fn what_a_function_gets_is_what_its_schema_accepts_where_schemas_are_joined() {
    let joined = json!({
        "type": "object",
        "properties": {"a": {"type": "integer"}},
        "allOf": [{"properties": {"b": {"type": "integer"}}}]
    });
    let view = view_of(echo(joined.clone()));
    let judge = jsonschema::validator_for(&joined).unwrap();
    let outcome = call(&view, "echo", r#"{"a":1,"b":null}"#);
    let ran_with = outcome.value();
    assert!(
        outcome.is_error() || judge.is_valid(&ran_with.clone().unwrap()),
        "it ran with {ran_with:?}"
    );
}

#[test]
fn every_keyword_counts_in_whatever_order_they_stand() {
    let values = |text: &str| {
        let property: Value = serde_json::from_str(text).unwrap();
        echo(json!({"type": "object", "properties": {"a": property}}))
    };
    let texts = [r#"{"a":"x"}"#, r#"{"a":"y"}"#, r#"{"a":"z"}"#];
    agree_on(values(r#"{"enum":["x","y"],"const":"x"}"#), &texts);
    agree_on(values(r#"{"const":"x","enum":["x","y"]}"#), &texts);
}

#[test]
fn a_number_format_of_a_given_schema_is_published_as_the_range_it_is_checked_by() {
    let schema = json!({"type": "object", "properties": {
        "a": {"type": "integer", "format": "int32"},
        "b": {"type": "array", "items": {"type": "integer", "format": "uint8"}}
    }});
    agree_on(echo(schema), &[r#"{"a":5}"#, r#"{"a":3000000000}"#, r#"{"b":[256]}"#]);
}

#[test]
fn a_dot_in_a_pattern_matches_what_it_matches_in_ecma() {
    /// Sets.
    #[tool]
    fn set(#[arg(pattern = "^a.b$")] line: String) -> String {
        line
    }
    agree_on(
        Tool::of::<set>(),
        &[
            r#"{"line":"a b"}"#,
            r#"{"line":"a\nb"}"#,
            r#"{"line":"a\rb"}"#,
            r#"{"line":"a\u2028b"}"#,
            r#"{"line":"a\u2029b"}"#,
        ],
    );
}

#[test]
fn a_schema_that_is_no_schema_is_refused_when_the_registry_is_built() {
    for wrong in [json!({"type": []}), json!({"enum": "x"}), json!({"required": [1]})] {
        let schema = json!({"type": "object", "properties": {"a": wrong}});
        let built = Registry::builder().tool(echo(schema)).build();
        assert!(built.is_err(), "{wrong} was taken");
    }
}

// Names and places.

#[test]
fn a_field_given_twice_is_refused_inside_every_kind_of_value() {
    #[derive(Debug)]
    #[arg_type]
    #[serde(untagged)]
    enum Either {
        Point(Point),
        Text(String),
    }
    /// Takes.
    #[tool]
    fn take(
        point: Option<Point>,
        list: Option<Vec<Point>>,
        map: Option<BTreeMap<String, u8>>,
        any: Option<Value>,
        either: Option<Either>,
    ) -> String {
        format!("{point:?} {list:?} {map:?} {any:?} {either:?}")
    }
    let view = view_of(Tool::of::<take>());
    for (arguments, pointer) in [
        (r#"{"point":{"x":1,"y":1,"x":2}}"#, "/point/x"),
        (r#"{"list":[{"x":1,"y":1,"x":1}]}"#, "/list/0/x"),
        (r#"{"map":{"k":1,"\u006b":2}}"#, "/map/k"),
        (r#"{"any":[[{"k":1,"k":1}]]}"#, "/any/0/0/k"),
        (r#"{"either":{"x":1,"y":1,"y":2}}"#, "/either/y"),
        (r#"{"any":null,"any":1}"#, "/any"),
    ] {
        let outcome = call(&view, "take", arguments);
        let found: Vec<String> =
            outcome.problems().iter().map(|problem| problem.path().pointer()).collect();
        assert_eq!(found, [pointer], "{arguments}: {}", outcome.text());
    }
}

#[test]
fn text_that_holds_a_number_in_any_spelling_stays_text() {
    /// Takes the first.
    #[tool]
    fn top(n: u32) -> u32 {
        n
    }
    let view = view_of(Tool::of::<top>());
    for text in ["5", " 5", "5x", "0x5", "5.0", "5e0", "", "five", "5"] {
        let outcome = call(&view, "top", &json!({ "n": text }).to_string());
        assert_eq!(outcome.status(), Status::Invalid, "{text:?}");
        assert_eq!(outcome.problems()[0].path().pointer(), "/n");
    }
    assert_eq!(
        call(&view, "top", r#"{"n":1e20}"#).text(),
        "$.n: expected an integer from 0 to 4294967295, got 1e20"
    );
}

#[test]
fn a_null_inside_a_value_is_absent_where_its_field_may_be() {
    #[derive(Debug)]
    #[arg_type]
    struct Search {
        q: String,
        limit: Option<u32>,
        #[serde(default)]
        verbose: bool,
    }
    /// Searches.
    #[tool]
    fn search(s: Search) -> String {
        format!("{s:?}")
    }
    let view = view_of(Tool::of::<search>());
    assert_eq!(
        call(&view, "search", r#"{"s":{"q":"x","limit":null,"verbose":null}}"#).text(),
        "Search { q: \"x\", limit: None, verbose: false }"
    );
    assert_eq!(
        call(&view, "search", r#"{"s":{"q":null}}"#).text(),
        "$.s.q: expected text, got null"
    );
}

#[test]
fn a_pattern_can_refuse_control_characters() {
    /// Names.
    #[tool]
    fn name(#[arg(pattern = r"^[^\x00-\x1f]*$")] n: String) -> String {
        n
    }
    let view = view_of(Tool::of::<name>());
    assert_eq!(call(&view, "name", r#"{"n":"Ada"}"#).text(), "Ada");
    let outcome = call(&view, "name", r#"{"n":"a\u0000b"}"#);
    assert_eq!(outcome.problems()[0].path().pointer(), "/n");
    assert!(built(Tool::of::<name>()).contains("pattern"));
}

#[test]
fn what_no_schema_is_asked_about_arrives_as_it_was_sent() {
    let view = view_of(echo(json!({"type": "object", "properties": {"a": {"type": "integer"}}})));
    let sent = r#"{"a":1,"b":{"c":[1.5,{"d":null},"x",true]},"e":null}"#;
    assert_eq!(call(&view, "echo", sent).text(), sent);
}

#[test]
fn what_two_schemas_say_of_one_place_is_told_once() {
    let twice = json!({"type": "object", "allOf": [{"required": ["a"]}, {"required": ["a"]}]});
    let outcome = call(&view_of(echo(twice)), "echo", "{}");
    assert_eq!(outcome.text(), "$: missing required field 'a'");
    assert_eq!(outcome.problems().len(), 1);
}

#[test]
fn an_enum_that_is_told_apart_by_its_keys_may_hold_a_map_with_integer_keys() {
    #[derive(Debug)]
    #[arg_type]
    enum Change {
        Set { slots: BTreeMap<u32, String> },
        Clear,
    }
    /// Changes.
    #[tool]
    fn change(to: Option<Change>, by: Option<BTreeMap<i64, u8>>) -> String {
        format!("{to:?} {by:?}")
    }
    agree_on(
        Tool::of::<change>(),
        &[
            r#"{"to":"Clear","by":{"-7":1}}"#,
            r#"{"to":{"Set":{"slots":{"7":"x"}}}}"#,
            r#"{"to":{"Set":{"slots":{"07":"x"}}}}"#,
            r#"{"by":{"-0":1}}"#,
            r#"{"by":{"a":1}}"#,
        ],
    );
}

#[test]
fn only_the_published_spelling_of_a_name_is_taken() {
    #[derive(Debug)]
    #[arg_type]
    enum Unit {
        #[serde(alias = "kilo")]
        Kg,
        #[serde(other)]
        Rest,
    }
    #[derive(Debug)]
    #[arg_type]
    struct Place {
        #[serde(alias = "project")]
        path: String,
    }
    /// Opens.
    #[tool]
    fn open(
        unit: Option<Unit>,
        place: Option<Place>,
        by: Option<BTreeMap<String, Unit>>,
    ) -> String {
        format!("{unit:?} {place:?} {by:?}")
    }
    agree_on(
        Tool::of::<open>(),
        &[
            r#"{"unit":"Kg"}"#,
            r#"{"unit":"kilo"}"#,
            r#"{"unit":"Rest"}"#,
            r#"{"unit":"stone"}"#,
            r#"{"unit":{"Kg":null}}"#,
            r#"{"place":{"path":"a"}}"#,
            r#"{"place":{"project":"a"}}"#,
            r#"{"place":{"path":"a","project":"a"}}"#,
            r#"{"by":{"a":"Kg","b":"pound"}}"#,
        ],
    );
    let view = view_of(Tool::of::<open>());
    let accepted = [r#"{"unit":"Kg"}"#, r#"{"unit":"Rest"}"#, r#"{"place":{"path":"a"}}"#];
    for text in accepted {
        assert_eq!(call(&view, "open", text).status(), Status::Ok, "{text}");
    }
    assert_eq!(
        call(&view, "open", r#"{"unit":"kilo"}"#).text(),
        "$.unit: must be one of \"Kg\", \"Rest\"; got \"kilo\""
    );
}

#[test]
fn a_set_takes_each_value_once_and_a_map_each_key_as_it_is_read() {
    /// Takes.
    #[tool]
    fn take(
        set: Option<HashSet<u8>>,
        small: Option<BTreeMap<u8, bool>>,
        large: Option<BTreeMap<u64, bool>>,
        answers: Option<BTreeMap<bool, bool>>,
        letters: Option<BTreeMap<char, bool>>,
    ) -> String {
        format!("{set:?} {small:?} {large:?} {answers:?} {letters:?}")
    }
    let keys = [
        "",
        "0",
        "-0",
        "00",
        "01",
        "1",
        "255",
        "256",
        "-1",
        "+1",
        "1.0",
        "1e0",
        " 1",
        "18446744073709551615",
        "18446744073709551616",
        "true",
        "True",
        "a",
        "é",
        "ab",
        "\u{1f600}",
    ];
    let maps = ["small", "large", "answers", "letters"];
    let texts: Vec<String> = maps
        .iter()
        .flat_map(|map| keys.map(|key| json!({*map: {key: true}}).to_string()))
        .chain(["[1,2]", "[1,1]", "[1,1.0]"].map(|set| format!("{{\"set\":{set}}}")))
        .collect();
    agree_on(Tool::of::<take>(), &texts.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn a_variant_is_taken_in_the_one_form_that_its_schema_has() {
    #[derive(Debug)]
    #[arg_type]
    enum External {
        Unit,
        Newtype(u8),
        Struct { n: u8 },
    }
    #[derive(Debug)]
    #[arg_type]
    #[serde(tag = "t")]
    enum Internal {
        Unit,
        Struct { n: u8 },
    }
    #[derive(Debug)]
    #[arg_type]
    #[serde(tag = "t", content = "c")]
    enum Adjacent {
        Unit,
        Newtype(u8),
        Struct { n: u8 },
    }
    /// Takes.
    #[tool]
    fn take(e: Option<External>, i: Option<Internal>, a: Option<Adjacent>) -> String {
        format!("{e:?} {i:?} {a:?}")
    }
    agree_on(
        Tool::of::<take>(),
        &[
            r#"{"e":"Unit"}"#,
            r#"{"e":{"Unit":null}}"#,
            r#"{"e":{"Newtype":1}}"#,
            r#"{"e":"Newtype"}"#,
            r#"{"e":{"Struct":{"n":1}}}"#,
            r#"{"e":{"Struct":[1]}}"#,
            r#"{"e":{"Struct":{"n":1},"Newtype":1}}"#,
            r#"{"i":{"t":"Unit"}}"#,
            r#"{"i":{"t":"Unit","z":1}}"#,
            r#"{"i":["Unit"]}"#,
            r#"{"i":["Struct",1]}"#,
            r#"{"i":{"t":"Struct","n":1}}"#,
            r#"{"i":{"n":1,"t":"Struct"}}"#,
            r#"{"i":"Unit"}"#,
            r#"{"a":{"t":"Unit"}}"#,
            r#"{"a":{"t":"Unit","c":1}}"#,
            r#"{"a":{"t":"Newtype","c":1}}"#,
            r#"{"a":{"c":1,"t":"Newtype"}}"#,
            r#"{"a":{"t":"Newtype"}}"#,
            r#"{"a":["Newtype",1]}"#,
            r#"{"a":{"t":"Struct","c":{"n":1}}}"#,
            r#"{"a":{"t":"Struct","c":[1]}}"#,
            r#"{"a":{"t":"Struct","c":{"n":1,"z":1}}}"#,
        ],
    );
}

#[test]
fn the_types_of_the_standard_library_are_closed_and_carry_no_format_of_rust() {
    /// Waits.
    #[tool]
    fn wait(
        window: std::ops::Range<usize>,
        long: std::time::Duration,
        bound: std::ops::Bound<u8>,
    ) -> String {
        format!("{window:?} {long:?} {bound:?}")
    }
    let schema = built(Tool::of::<wait>());
    assert!(!schema.contains("format"), "{schema}");
    let window = |window: &str| {
        format!(r#"{{"window":{window},"long":{{"secs":1,"nanos":0}},"bound":"Unbounded"}}"#)
    };
    let long = |long: &str| {
        format!(r#"{{"window":{{"start":1,"end":2}},"long":{long},"bound":{{"Included":1}}}}"#)
    };
    let texts = [
        window(r#"{"start":1,"end":2}"#),
        window(r#"{"start":1,"end":2,"step":1}"#),
        window("[1,2]"),
        window(r#"{"start":-1,"end":2}"#),
        long(r#"{"secs":1,"nanos":0}"#),
        long(r#"{"secs":1,"nanos":0,"days":1}"#),
        long("[1,0]"),
        long(r#"{"secs":1,"nanos":4294967296}"#),
    ];
    agree_on(Tool::of::<wait>(), &texts.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn times_are_taken_as_their_schema_writes_them() {
    use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, Utc};

    /// Takes.
    #[tool]
    fn take(
        day: Option<NaiveDate>,
        clock: Option<NaiveTime>,
        local: Option<NaiveDateTime>,
        instant: Option<DateTime<Utc>>,
    ) -> String {
        format!("{day:?} {clock:?} {local:?} {instant:?}")
    }
    let days = [
        "2026-11-30",
        "2026-02-29",
        "2024-02-29",
        "2000-02-29",
        "1900-02-29",
        "2026-04-31",
        "2026-1-3",
        " 2026-11-30",
        "0000-01-01",
        "0000-02-29",
        "9999-12-31",
        "-001-01-01",
        "2026-13-01",
        "2026-00-10",
        "2026-10-00",
    ];
    let clocks = [
        "06:56:00",
        "23:59:59.999999999",
        "24:00:00",
        "6:56:00",
        "06:56",
        "06:60:00",
        "06:56:60",
        "06:56:00.",
        "06:56:00.5",
        "06:56:00.1234567890",
        "06:56:00Z",
        " 06:56:00",
        "",
    ];
    let ends = ["", "Z", "+01:00", "+0100", "-23:59", "+24:00"];
    let mut texts = Vec::new();
    let mut say = |name: &str, text: &str| texts.push(json!({name: text}).to_string());
    for day in days {
        say("day", day);
        say("local", &format!("{day}T06:56:00"));
        say("local", &format!("{day} 06:56:00"));
        say("instant", &format!("{day}T06:56:00Z"));
    }
    for clock in clocks {
        say("clock", clock);
        say("local", &format!("2026-11-30T{clock}"));
        for end in ends {
            say("instant", &format!("2026-11-30T{clock}{end}"));
        }
    }
    agree_on(Tool::of::<take>(), &texts.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(
        call(&view_of(Tool::of::<take>()), "take", r#"{"clock":"6:56","local":"tomorrow"}"#).text(),
        "$.clock: \"6:56\" does not match the required pattern. \
         Expected: time as HH:MM:SS, like \"00:00:00\"\n\
         $.local: \"tomorrow\" does not match the required pattern. \
         Expected: date and time as YYYY-MM-DDTHH:MM:SS, like \"0000-01-01T00:00:00\""
    );
}
