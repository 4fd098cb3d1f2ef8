//! The arguments gate and the published schema agree, also on what is rare.

use std::collections::{BTreeMap, HashSet};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolkit::prelude::*;
use toolkit::{Registry, Status};
use toolkit_tests::{call, definition, view_of};

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

fn dynamic(schema: Value) -> Tool {
    let echo = |arguments: Value, _: CallContext| async move { Ok::<_, Failure>(arguments) };
    Tool::dynamic("echo", "Repeats.", schema, echo).into()
}

#[track_caller]
fn built(tool: impl Into<Tool>) -> String {
    match Registry::builder().tool(tool).build() {
        Ok(registry) => definition(&registry.view(Caller::new("tester"))).to_string(),
        Err(errors) => panic!("{errors}"),
    }
}

// What a function runs with is what the text says.

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
        (r#"{"to":[1,2]}"#, "$.to: expected an object, got a list"),
        (r#"{"all":[[1,2]]}"#, "$.all[0]: expected an object, got a list"),
        (r#"{"named":{"a":[1,2]}}"#, "$.named.a: expected an object, got a list"),
    ] {
        assert_eq!(call(&view, "move_to", arguments).text(), report);
    }
}

/// What building a registry of one tool says against it.
#[track_caller]
fn fault(tool: Tool) -> String {
    let errors = Registry::builder().tool(tool).build().unwrap_err();
    errors.iter().map(|error| error.message().to_owned()).collect::<Vec<_>>().join("\n")
}

// serde tries the forms of an untagged enum in order, each more loosely than its schema says.
#[test]
fn an_untagged_enum_that_would_read_one_form_as_another_is_refused_when_the_registry_is_built() {
    #[derive(Debug)]
    #[arg_type]
    #[serde(untagged)]
    enum Where {
        Point(Point),
        Numbers(Vec<f64>),
    }
    /// Moves.
    #[tool]
    fn move_to(to: Option<Where>) -> String {
        format!("{to:?}")
    }
    assert_eq!(
        fault(Tool::of::<move_to>()),
        "an untagged enum has a struct before a list, and the list would fill the struct; put the list first"
    );

    #[derive(Debug)]
    #[arg_type]
    enum Currency {
        EUR,
    }
    #[derive(Debug)]
    #[arg_type]
    #[serde(untagged)]
    enum Price {
        In(Currency),
        Each(BTreeMap<String, Option<u8>>),
    }
    /// Prices.
    #[tool]
    fn price(by: Vec<Price>) -> String {
        format!("{by:?}")
    }
    assert_eq!(
        fault(Tool::of::<price>()),
        "an untagged enum has names before a map, and an object like {\"NAME\": null} would be taken for a name; put the map first"
    );

    #[derive(Debug)]
    #[arg_type]
    #[serde(untagged)]
    enum Number {
        Float(f64),
        Integer(u64),
    }
    /// Counts.
    #[tool]
    fn count(n: Number) -> String {
        format!("{n:?}")
    }
    assert_eq!(
        fault(Tool::of::<count>()),
        "an untagged enum has a float before an integer, and a large integer would lose digits; put the integer first"
    );

    #[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
    #[serde(untagged)]
    enum Form {
        One { n: u8 },
        Two { n: u8, m: u8 },
    }
    /// Takes.
    #[tool]
    fn take(form: Form) -> String {
        match form {
            Form::One { n } => format!("One {n}"),
            Form::Two { n, m } => format!("Two {n} {m}"),
        }
    }
    assert_eq!(
        fault(Tool::of::<take>()),
        "an untagged enum has a struct before another object, and the struct leaves unknown fields out; put `#[arg_type]` or `#[serde(deny_unknown_fields)]` on it"
    );
}

#[test]
fn an_untagged_enum_with_constraints_before_a_like_form_is_refused_when_the_registry_is_built() {
    #[derive(Debug)]
    #[arg_type]
    #[serde(untagged)]
    enum Amount {
        Small(#[schemars(range(max = 10))] u8),
        Big(u32),
    }
    #[derive(Debug)]
    #[arg_type]
    #[serde(untagged)]
    enum Id {
        Order(#[schemars(regex(pattern = r"^O-\d+$"))] String),
        Other(String),
    }
    #[derive(Debug)]
    #[arg_type]
    struct Percent {
        #[schemars(range(max = 100))]
        percent: u32,
    }
    #[derive(Debug)]
    #[arg_type]
    #[serde(untagged)]
    enum Share {
        Percent(Percent),
        Each(BTreeMap<String, u32>),
    }
    /// Takes an amount.
    #[tool]
    fn amount(a: Amount) -> String {
        format!("{a:?}")
    }
    /// Takes an id.
    #[tool]
    fn id(a: Vec<Id>) -> String {
        format!("{a:?}")
    }
    /// Takes a share.
    #[tool]
    fn share(a: Option<Share>) -> String {
        format!("{a:?}")
    }
    for tool in tools![amount, id, share] {
        assert_eq!(
            fault(tool),
            "an untagged enum has a form with constraints before another of the same JSON type, \
             and a value that only the later one takes would be read as the earlier; \
             give the enum a tag, or put the form with the constraints last"
        );
    }
    #[derive(Debug)]
    #[arg_type]
    #[serde(untagged)]
    enum Sized {
        Small(u8),
        Big(u32),
        Odd(i64),
        Letter(char),
        Text(String),
    }
    /// Takes any size.
    #[tool]
    fn sized(a: Sized) -> String {
        format!("{a:?}")
    }
    let view = view_of(Tool::of::<sized>());
    for (text, read) in [
        ("7", "Small(7)"),
        ("300", "Big(300)"),
        ("-1", "Odd(-1)"),
        (r#""x""#, "Letter('x')"),
        (r#""xy""#, "Text(\"xy\")"),
    ] {
        assert_eq!(call(&view, "sized", &format!("{{\"a\":{text}}}")).text(), read);
    }
}

#[test]
fn an_untagged_enum_in_the_right_order_reads_every_form_as_it_is_written() {
    #[derive(Debug)]
    #[arg_type]
    enum Currency {
        EUR,
    }
    #[derive(Debug)]
    #[arg_type]
    #[serde(untagged)]
    enum Any {
        Integer(u64),
        Float(f64),
        Numbers(Vec<f64>),
        Point(Point),
        Each(BTreeMap<String, Option<u8>>),
        In(Currency),
    }
    /// Takes.
    #[tool]
    fn take(any: Any) -> String {
        format!("{any:?}")
    }
    let view = view_of(Tool::of::<take>());
    for (any, read) in [
        ("[1,2]", "Numbers([1.0, 2.0])"),
        (r#"{"x":1,"y":2}"#, "Point(Point { x: 1.0, y: 2.0 })"),
        (r#"{"EUR":null}"#, "Each({\"EUR\": None})"),
        (r#""EUR""#, "In(EUR)"),
        ("9007199254740993", "Integer(9007199254740993)"),
        ("2.5", "Float(2.5)"),
    ] {
        assert_eq!(call(&view, "take", &format!("{{\"any\":{any}}}")).text(), read);
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

// An enum that is told apart by a tag or by nothing has its maps buffered before they are read.
#[test]
fn a_map_with_integer_keys_inside_a_buffered_enum_is_refused_when_the_registry_is_built() {
    #[derive(Debug)]
    #[arg_type]
    #[serde(tag = "kind")]
    enum Change {
        Set { slots: BTreeMap<u32, String> },
        Clear,
    }
    /// Changes.
    #[tool]
    fn change(to: Option<Change>) -> String {
        format!("{to:?}")
    }
    #[derive(Debug)]
    #[arg_type]
    struct Boxed {
        slots: BTreeMap<i64, bool>,
    }
    #[derive(Debug)]
    #[arg_type]
    #[serde(untagged)]
    enum Slots {
        Named(Boxed),
        Count(u8),
    }
    /// Slots.
    #[tool]
    fn slot(by: Slots, again: Option<Boxed>) -> String {
        format!("{by:?} {again:?}")
    }
    for tool in tools![change, slot] {
        assert_eq!(
            fault(tool),
            "a map with integer keys can not be read inside a tagged or an untagged enum; give the map text keys"
        );
    }
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
        dynamic(
            json!({"type": "object", "required": ["x"], "additionalProperties": {"type": "integer"}}),
        ),
        &[r#"{"x":1}"#, r#"{"x":"text"}"#, r#"{"x":null}"#, "{}"],
    );
    agree_on(
        dynamic(
            json!({"type": "object", "required": ["x"], "patternProperties": {"^x": {"type": "integer"}}, "additionalProperties": false}),
        ),
        &[r#"{"x":1}"#, r#"{"x":"text"}"#, r#"{"y":1}"#],
    );
    agree_on(
        dynamic(
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
        dynamic(schema)
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
    agree(dynamic(never), &[(r#"{"a":null}"#, json!({})), (r#"{"a":1}"#, json!({"a": 1}))]);
}

#[test]
fn what_a_function_gets_is_what_its_schema_accepts_where_schemas_are_joined() {
    let joined = json!({
        "type": "object",
        "properties": {"a": {"type": "integer"}},
        "allOf": [{"properties": {"b": {"type": "integer"}}}]
    });
    let view = view_of(dynamic(joined.clone()));
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
        dynamic(json!({"type": "object", "properties": {"a": property}}))
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
    agree_on(dynamic(schema), &[r#"{"a":5}"#, r#"{"a":3000000000}"#, r#"{"b":[256]}"#]);
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
        let built = Registry::builder().tool(dynamic(schema)).build();
        assert!(built.is_err(), "{wrong} was taken");
    }
}

#[test]
fn a_type_that_no_value_fits_is_refused_when_the_registry_is_built() {
    #[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
    enum Action {
        Open { id: u8 },
        Close,
    }
    #[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
    struct Step {
        name: String,
        #[serde(flatten)]
        action: Action,
    }
    /// Acts.
    #[tool]
    fn act(step: Step) -> String {
        let Step { name, action } = step;
        match action {
            Action::Open { id } => format!("{name} opens {id}"),
            Action::Close => format!("{name} closes"),
        }
    }
    if let Ok(registry) = Registry::builder().tools(tools![act]).build() {
        let view = registry.view(Caller::new("a"));
        let outcome = call(&view, "act", r#"{"step":{"name":"a","Open":{"id":1}}}"#);
        assert_eq!(outcome.text(), "a opens 1", "no call can ever be right");
    }
}

#[test]
fn a_tagged_form_inside_a_tagged_form_can_be_sent_or_is_refused_when_the_registry_is_built() {
    #[derive(Debug)]
    #[arg_type]
    #[serde(tag = "by")]
    enum Payment {
        Card { number: String },
        Cash,
    }
    #[derive(Debug)]
    #[arg_type]
    #[serde(tag = "kind")]
    enum Event {
        Paid(Payment),
        Closed,
    }
    /// Notes.
    #[tool]
    fn note(event: Event) -> String {
        format!("{event:?}")
    }
    if let Ok(registry) = Registry::builder().tools(tools![note]).build() {
        let view = registry.view(Caller::new("a"));
        let read = |arguments: &str| call(&view, "note", arguments).text().to_owned();
        assert_eq!(read(r#"{"event":{"kind":"Closed"}}"#), "Closed");
        assert_eq!(read(r#"{"event":{"kind":"Paid","by":"Cash"}}"#), "Paid(Cash)");
    }
}

// Nothing that is read takes longer than its length.

/// Asserts that the call is answered in a time that no honest call comes near.
#[track_caller]
fn in_time(tool: impl Into<Tool>, arguments: &str) {
    let tool = tool.into();
    let name = tool.name().to_owned();
    let view = view_of(tool);
    let start = Instant::now();
    let outcome = call(&view, &name, arguments);
    let time = start.elapsed();
    assert!(time < Duration::from_secs(1), "{time:?} for {} bytes: {outcome:?}", arguments.len());
}

/// Schemas in which each level is twice the next one.
fn doubling(keyword: &str, levels: usize) -> Tool {
    let mut definitions = serde_json::Map::new();
    for level in 0..levels {
        let next = json!({"$ref": format!("#/$defs/L{}", level + 1)});
        let mut node = json!({});
        node[keyword] = json!([next.clone(), next]);
        definitions.insert(format!("L{level}"), node);
    }
    definitions.insert(format!("L{levels}"), json!({"type": "integer"}));
    dynamic(
        json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/L0"}}, "$defs": definitions}),
    )
}

#[test]
fn a_schema_whose_levels_double_is_judged_in_time() {
    for keyword in ["anyOf", "oneOf", "allOf"] {
        for arguments in [r#"{"a":1}"#, r#"{"a":"x"}"#] {
            in_time(doubling(keyword, 22), arguments);
        }
    }
}

#[test]
fn thousands_of_unknown_fields_are_refused_in_time() {
    #[derive(Debug)]
    #[arg_type]
    struct Wide {
        a0000000: Option<u8>,
        b0000000: Option<u8>,
        c0000000: Option<u8>,
        d0000000: Option<u8>,
        e0000000: Option<u8>,
        f0000000: Option<u8>,
    }
    #[derive(Debug)]
    #[arg_type]
    #[serde(untagged)]
    enum Either {
        List(Vec<u8>),
        Wide(Wide),
        Boxed { wide: Wide },
    }
    /// Takes.
    #[tool]
    fn wide(x: Option<Wide>, either: Option<Either>) -> String {
        format!("{x:?} {either:?}")
    }
    let members: Vec<String> = (0..4_500).map(|n| format!("\"{n:08}\":1")).collect();
    let members = members.join(",");
    for argument in ["x", "either"] {
        in_time(Tool::of::<wide>(), &format!("{{\"{argument}\":{{{members}}}}}"));
    }
}

#[test]
fn a_union_of_itself_is_judged_in_time() {
    #[derive(Debug)]
    #[arg_type]
    #[serde(untagged)]
    enum Tree {
        List(Vec<Tree>),
        Pair { l: Box<Tree>, r: Box<Tree> },
        Marked { l: Box<Tree>, r: Box<Tree>, mark: u8 },
        Leaf(u8),
    }
    /// Plants.
    #[tool]
    fn plant(tree: Tree) -> String {
        format!("{tree:?}")
    }
    let mut wrong = "\"x\"".to_owned();
    for _ in 0..11 {
        wrong = format!("{{\"l\":{wrong},\"r\":{wrong}}}");
    }
    in_time(Tool::of::<plant>(), &format!("{{\"tree\":{wrong}}}"));
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
fn texts_that_are_read_as_patterns_are_read_in_time() {
    let schema = json!({"type": "object", "properties": {
        "all": {"type": "array", "items": {"type": "string", "format": "regex"}}
    }});
    let pattern = r#""\\pL{200}\\pL{200}""#;
    let arguments = format!("{{\"all\":[{}]}}", vec![pattern; 600].join(","));
    in_time(dynamic(schema), &arguments);
}

#[test]
fn a_flood_of_equal_items_or_names_is_refused_in_time_and_in_few_words() {
    /// Takes.
    #[tool]
    fn take(#[arg(unique_items = true)] all: Option<Vec<u8>>, any: Option<Value>) -> String {
        format!("{all:?} {any:?}")
    }
    let view = view_of(Tool::of::<take>());
    let equal = format!("{{\"all\":[{}]}}", vec!["1"; 9_990].join(","));
    let names = format!("{{\"any\":{{{}}}}}", vec!["\"k\":1"; 9_990].join(","));
    for arguments in [equal, names] {
        in_time(Tool::of::<take>(), &arguments);
        let outcome = call(&view, "take", &arguments);
        assert!(outcome.problems().len() <= 1_000 && outcome.text().len() <= 4_200);
        assert!(outcome.text().ends_with(" more"), "{}", outcome.text());
    }
}

#[test]
fn what_no_schema_is_asked_about_arrives_as_it_was_sent() {
    let view =
        view_of(dynamic(json!({"type": "object", "properties": {"a": {"type": "integer"}}})));
    let sent = r#"{"a":1,"b":{"c":[1.5,{"d":null},"x",true]},"e":null}"#;
    assert_eq!(call(&view, "echo", sent).text(), sent);
}

#[test]
fn what_two_schemas_say_of_one_place_is_told_once() {
    let twice = json!({"type": "object", "allOf": [{"required": ["a"]}, {"required": ["a"]}]});
    let outcome = call(&view_of(dynamic(twice)), "echo", "{}");
    assert_eq!(outcome.text(), "$: missing required field 'a'");
    assert_eq!(outcome.problems().len(), 1);
}

#[test]
fn of_several_forms_the_nearest_one_is_explained() {
    #[derive(Debug)]
    #[arg_type]
    #[serde(untagged)]
    enum Target {
        Person { name: String, mail: String, phone: String },
        Place { street: String, city: String },
    }
    /// Sends.
    #[tool]
    fn send(to: Target) -> String {
        format!("{to:?}")
    }
    let view = view_of(Tool::of::<send>());
    let read = |to: &str| call(&view, "send", &format!("{{\"to\":{to}}}")).text().to_owned();
    assert_eq!(read(r#"{"street":"a","city":7}"#), "$.to.city: expected text, got 7 (write \"7\")");
    assert_eq!(read(r#"{"name":"a","mail":"b"}"#), "$.to: missing required field 'phone'");
}
