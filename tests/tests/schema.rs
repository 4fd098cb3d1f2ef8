//! What a model reads: the schema that a signature gives.

use std::collections::{BTreeMap, HashMap};
use std::num::{NonZeroI32, NonZeroU8, NonZeroU64};

use serde_json::{Value, json};
use toolkit::Registry;
use toolkit::prelude::*;
use toolkit_tests::{call, definition, view_of};

fn schema_of<T: toolkit::__private::Annotated>() -> Value {
    definition(&view_of(Tool::of::<T>()))["input_schema"].clone()
}

/// Every place in a schema where a schema stands or data lies, by its path.
fn every_value(value: &Value, visit: &mut impl FnMut(&Value)) {
    visit(value);
    match value {
        Value::Array(items) => items.iter().for_each(|item| every_value(item, visit)),
        Value::Object(members) => members.values().for_each(|member| every_value(member, visit)),
        _ => {}
    }
}

#[test]
fn a_tool_without_parameters_is_a_closed_empty_object() {
    /// Says what time it is.
    #[tool]
    fn now() -> String {
        "12:00".to_owned()
    }
    let closed = json!({"type": "object", "properties": {}, "additionalProperties": false});
    assert_eq!(schema_of::<now>(), closed);
}

#[test]
fn constraints_are_json_schema_s_own_words() {
    /// Books seats.
    #[tool]
    fn book(
        /// How many.
        #[arg(minimum = 1, maximum = 9)]
        seats: u8,
        #[arg(exclusive_minimum = 0, multiple_of = 0.5)] hours: f64,
        #[arg(pattern = r"^O-\d+$", min_length = 3, max_length = 12, examples = ["O-1"])]
        order: String,
        #[arg(min_items = 1, max_items = 3, unique_items = true)] rows: Vec<u32>,
        #[arg(default = "EUR", description = "What to pay in.")] currency: String,
        #[arg(rename = "on", format = "date")] day: Option<String>,
    ) -> String {
        format!("{seats} {hours} {order} {rows:?} {currency} {day:?}")
    }
    let expected = json!({
        "type": "object",
        "properties": {
            "seats": {"description": "How many.", "type": "integer", "minimum": 1, "maximum": 9},
            "hours": {"type": "number", "exclusiveMinimum": 0, "multipleOf": 0.5},
            "order": {"type": "string", "pattern": r"^O-\d+$", "minLength": 3, "maxLength": 12, "examples": ["O-1"]},
            "rows": {
                "type": "array",
                "items": {"type": "integer", "minimum": 0, "maximum": 4_294_967_295_u32},
                "minItems": 1, "maxItems": 3, "uniqueItems": true
            },
            "currency": {"description": "What to pay in.", "type": "string", "default": "EUR"},
            "on": {"type": "string", "format": "date"}
        },
        "required": ["seats", "hours", "order", "rows"],
        "additionalProperties": false
    });
    assert_eq!(schema_of::<book>(), expected);
    let names: Vec<String> =
        schema_of::<book>()["properties"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(
        names,
        ["seats", "hours", "order", "rows", "currency", "on"],
        "the signature's order"
    );
}

/// Which way to go.
#[derive(Debug)]
#[arg_type]
enum Way {
    /// go left
    Left,
    Right,
    Up,
}

#[test]
fn documented_and_half_documented_enums_are_one_flat_list_in_order() {
    /// Goes somewhere.
    #[tool]
    fn go(
        /// Where to.
        way: Way,
        back: Option<Way>,
    ) -> String {
        format!("{way:?} {back:?}")
    }
    let expected = json!({
        "way": {
            "description": "Where to.\nWhich way to go.\nLeft: go left",
            "type": "string", "enum": ["Left", "Right", "Up"]
        },
        "back": {
            "description": "Which way to go.\nLeft: go left",
            "type": "string", "enum": ["Left", "Right", "Up"]
        }
    });
    assert_eq!(schema_of::<go>()["properties"], expected);
    assert_eq!(schema_of::<go>()["required"], json!(["way"]));
    let view = view_of(Tool::of::<go>());
    assert_eq!(
        call(&view, "go", r#"{"way":"left"}"#).text(),
        "$.way: must be one of \"Left\", \"Right\", \"Up\"; got \"left\" (did you mean \"Left\"?)"
    );
}

#[test]
fn the_variants_of_a_plainly_derived_enum_stand_as_they_were_declared() {
    #[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
    enum Side {
        /// nearest the door
        Left,
        Right,
        /// looking up
        Top,
        Bottom,
    }
    /// Turns.
    #[tool]
    fn turn(sides: Vec<Side>) -> String {
        format!("{sides:?}")
    }
    assert_eq!(
        schema_of::<turn>()["properties"]["sides"]["items"],
        json!({
            "description": "Left: nearest the door\nTop: looking up",
            "type": "string", "enum": ["Left", "Right", "Top", "Bottom"]
        })
    );
}

#[test]
fn the_keys_of_a_map_are_published_as_they_are_read() {
    /// What to pay in.
    #[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
    #[arg_type]
    enum Currency {
        /// Euros.
        EUR,
        GBP,
    }
    #[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
    #[arg_type]
    struct Floor(i8);

    /// Sets.
    #[tool]
    fn set(
        slots: BTreeMap<u8, bool>,
        floors: BTreeMap<Floor, bool>,
        ranks: BTreeMap<NonZeroU8, bool>,
        letters: BTreeMap<char, bool>,
        answers: BTreeMap<bool, bool>,
        rates: BTreeMap<Currency, bool>,
    ) -> String {
        format!("{slots:?} {floors:?} {ranks:?} {letters:?} {answers:?} {rates:?}")
    }
    let value = json!({"type": "boolean"});
    let keyed = |pattern: &str| {
        json!({
            "type": "object", "additionalProperties": false, "patternProperties": {pattern: value}
        })
    };
    let byte = "[1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5]";
    assert_eq!(
        schema_of::<set>()["properties"],
        json!({
            "slots": keyed(&format!("^(0|{byte})$")),
            "floors": keyed("^(0|-?([1-9][0-9]?|1[0-1][0-9]|12[0-7])|-128)$"),
            "ranks": keyed(&format!("^({byte})$")),
            "letters": {
                "type": "object",
                "propertyNames": {"minLength": 1, "maxLength": 1},
                "additionalProperties": value
            },
            "answers": {
                "type": "object",
                "propertyNames": {"enum": ["true", "false"]},
                "additionalProperties": value
            },
            "rates": {
                "type": "object",
                "properties": {"EUR": value, "GBP": value},
                "additionalProperties": false
            },
        })
    );
    let view = view_of(Tool::of::<set>());
    let arguments =
        |slot: &str, floor: &str, rank: &str, letter: &str, answer: &str, rate: &str| {
            let names = ["slots", "floors", "ranks", "letters", "answers", "rates"];
            let keys = [slot, floor, rank, letter, answer, rate];
            let maps = names.into_iter().zip(keys).map(|(name, key)| (name, json!({key: true})));
            Value::Object(maps.map(|(name, map)| (name.to_owned(), map)).collect()).to_string()
        };
    assert_eq!(
        call(&view, "set", &arguments("255", "-128", "1", "é", "false", "GBP")).text(),
        "{255: true} {Floor(-128): true} {1: true} {'é': true} {false: true} {GBP: true}"
    );
    assert_eq!(
        call(&view, "set", &arguments("300", "128", "0", "ab", "no", "EURO")).text(),
        "$.slots: unexpected field '300' (a field's name must be an integer from 0 to 255, like \"7\")\n\
         $.floors: unexpected field '128' (a field's name must be an integer from -128 to 127, like \"-7\")\n\
         $.ranks: unexpected field '0' (a field's name must be an integer from 1 to 255, like \"7\")\n\
         $.letters: unexpected field 'ab' (a field's name must be text of exactly 1 character)\n\
         $.answers: unexpected field 'no' (a field's name must be one of \"true\", \"false\")\n\
         $.rates: unexpected field 'EURO' (did you mean 'EUR'? allowed: EUR, GBP)"
    );
}

#[test]
fn a_key_that_is_no_integer_is_told_at_its_own_place() {
    /// Sets.
    #[tool]
    fn set(m: BTreeMap<u32, String>) -> String {
        format!("{m:?}")
    }
    let outcome = call(&view_of(Tool::of::<set>()), "set", r#"{"m":{"7":"x","a":"y"}}"#);
    assert_eq!(
        outcome.text(),
        "$.m: unexpected field 'a' (a field's name must be an integer from 0 to 4294967295, \
         like \"7\")"
    );
    let places: Vec<String> = outcome.problems().iter().map(|p| p.path().pointer()).collect();
    assert_eq!(places, ["/m/a"]);
}

#[test]
fn a_variant_that_holds_something_is_no_key() {
    #[derive(Debug, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize, schemars::JsonSchema)]
    enum Size {
        Small,
        Of(u8),
    }
    /// Counts.
    #[tool]
    fn count(by: BTreeMap<Size, u8>) -> String {
        format!("{by:?}")
    }
    let by = schema_of::<count>()["properties"]["by"]["properties"].clone();
    assert_eq!(by, json!({"Small": {"type": "integer", "minimum": 0, "maximum": 255}}));
}

/// What `build()` says of a tool.
fn faults<T: toolkit::__private::Annotated>() -> Vec<String> {
    let built = Registry::builder().tool(Tool::of::<T>()).build();
    built.err().iter().flatten().map(|error| error.message().to_owned()).collect()
}

#[test]
fn integers_of_128_bits_are_refused_wherever_they_stand() {
    /// Takes.
    #[tool]
    fn take(a: u128, b: Vec<Option<i128>>, c: Option<std::num::NonZeroU128>) -> String {
        format!("{a} {b:?} {c:?}")
    }
    let why = "is a 128-bit integer, which JSON can not carry everywhere; take a String";
    assert_eq!(
        faults::<take>(),
        ["a", "b/items", "c"].map(|place| format!("the schema at #/properties/{place} {why}"))
    );

    /// Takes keys.
    #[tool]
    fn keys(by: BTreeMap<u128, u8>) -> usize {
        by.len()
    }
    assert_eq!(
        faults::<keys>(),
        ["the keys of $.by are 128-bit integers, which JSON can not carry everywhere; \
          take a String"]
    );
}

#[test]
fn what_schemars_leaves_out_or_writes_otherwise_is_put_right() {
    mod one {
        #[derive(Debug)]
        #[toolkit::arg_type]
        pub(super) struct Same {
            a: u8,
            inner: Option<Box<Same>>,
        }
    }
    mod two {
        #[derive(Debug)]
        #[toolkit::arg_type]
        pub(super) struct Same {
            b: String,
            inner: Option<Box<Same>>,
        }
    }
    #[derive(Debug)]
    #[arg_type]
    #[serde(tag = "kind")]
    enum Event {
        Moved(Point),
        Closed(Empty),
    }
    #[derive(Debug)]
    #[arg_type]
    struct Empty {}
    /// Takes.
    #[tool]
    fn take(
        positive: NonZeroU8,
        signed: NonZeroI32,
        wide: NonZeroU64,
        tuple: (u8, Option<bool>),
        event: Event,
        empty: Empty,
        at: Option<chrono::NaiveTime>,
        one: Vec<one::Same>,
        two: Vec<two::Same>,
    ) -> String {
        format!("{positive} {signed} {wide} {tuple:?} {event:?} {empty:?} {at:?} {one:?} {two:?}")
    }
    let schema = schema_of::<take>();
    let expected = json!({
        "positive": {"type": "integer", "minimum": 1, "maximum": 255},
        "signed": {
            "type": "integer", "not": {"const": 0}, "minimum": i32::MIN, "maximum": i32::MAX
        },
        "wide": {"type": "integer", "minimum": 1},
        "tuple": {
            "type": "array",
            "prefixItems": [
                {"type": "integer", "minimum": 0, "maximum": 255}, {"type": ["boolean", "null"]}
            ],
            "minItems": 2, "maxItems": 2, "items": false
        },
        "event": {"oneOf": [
            {
                "description": "A point on the map.",
                "type": "object",
                "properties": {
                    "kind": {"type": "string", "const": "Moved"},
                    "x": {"type": "number"},
                    "y": {"description": "Up.", "type": "number"}
                },
                "required": ["kind", "x"],
                "additionalProperties": false
            },
            {
                "type": "object",
                "properties": {"kind": {"type": "string", "const": "Closed"}},
                "required": ["kind"],
                "additionalProperties": false
            }
        ]},
        "empty": {"type": "object", "properties": {}, "additionalProperties": false},
        "at": {
            "type": "string",
            "pattern": r"^([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,9})?$"
        },
        "one": {"type": "array", "items": {"$ref": "#/$defs/Same"}},
        "two": {"type": "array", "items": {"$ref": "#/$defs/Same2"}}
    });
    assert_eq!(schema["properties"], expected);
    let definitions: Vec<&String> = schema["$defs"].as_object().unwrap().keys().collect();
    assert_eq!(definitions, ["Same", "Same2"]);
    assert!(schema["$defs"]["Same"]["properties"].get("a").is_some());
    assert!(schema["$defs"]["Same2"]["properties"].get("b").is_some());
}

#[test]
fn every_value_that_an_enum_publishes_is_dispatched() {
    /// How to open it.
    #[derive(Debug)]
    #[arg_type]
    #[serde(rename_all = "kebab-case")]
    enum Mode {
        ReadOnly,
        ReadWrite,
    }

    /// Sets the mode.
    #[tool]
    fn set(mode: Mode) -> String {
        format!("{mode:?}")
    }
    let view = view_of(Tool::of::<set>());
    let published = definition(&view)["input_schema"]["properties"]["mode"]["enum"].clone();
    assert_eq!(published, json!(["read-only", "read-write"]));
    assert_eq!(call(&view, "set", r#"{"mode":"read-only"}"#).text(), "ReadOnly");
    assert_eq!(call(&view, "set", r#"{"mode":"read-write"}"#).text(), "ReadWrite");
    assert!(call(&view, "set", r#"{"mode":"ReadOnly"}"#).is_error());
}

#[test]
fn rust_s_number_formats_never_reach_a_model_and_real_formats_do() {
    /// Pages.
    #[tool]
    fn page(
        n: usize,
        big: i64,
        small: i32,
        tiny: u8,
        x: f64,
        y: f32,
        #[arg(format = "date-time")] when: String,
    ) -> String {
        format!("{n} {big} {small} {tiny} {x} {y} {when}")
    }
    let schema = schema_of::<page>();
    let mut formats = Vec::new();
    every_value(&schema, &mut |value| {
        formats.extend(value.get("format").and_then(Value::as_str).map(str::to_owned));
        if let Some(number) = value.as_f64() {
            assert!(
                number.abs() <= 3.5e38
                    && (number.fract() != 0.0
                        || number.abs() > 1e30
                        || number.abs() < 9_007_199_254_740_992.0)
            );
        }
    });
    assert_eq!(formats, ["date-time"]);
    let properties = &schema["properties"];
    assert_eq!(properties["n"], json!({"type": "integer", "minimum": 0}));
    assert_eq!(properties["big"], json!({"type": "integer"}));
    assert_eq!(
        properties["small"],
        json!({"type": "integer", "minimum": i32::MIN, "maximum": i32::MAX})
    );
    assert_eq!(properties["tiny"], json!({"type": "integer", "minimum": 0, "maximum": 255}));
    assert_eq!(properties["x"], json!({"type": "number"}));
}

#[test]
fn the_range_of_every_integer_holds_even_where_the_schema_can_not_say_it() {
    /// Sets.
    #[tool]
    fn set(small: Option<i32>, big: Option<u64>, signed: Option<i64>) -> String {
        format!("{small:?} {big:?} {signed:?}")
    }
    let view = view_of(Tool::of::<set>());
    assert_eq!(
        call(&view, "set", r#"{"small":3000000000}"#).text(),
        "$.small: expected an integer from -2147483648 to 2147483647, got 3000000000"
    );
    assert_eq!(
        call(&view, "set", r#"{"big":18446744073709551616}"#).text(),
        "$.big: expected an integer from 0 to 18446744073709551615, got 18446744073709551616"
    );
    assert_eq!(
        call(&view, "set", r#"{"signed":9223372036854775808}"#).text(),
        "$.signed: expected an integer from -9223372036854775808 to 9223372036854775807, got 9223372036854775808"
    );
    assert_eq!(
        call(&view, "set", r#"{"big":18446744073709551615,"signed":-9223372036854775808}"#).text(),
        "None Some(18446744073709551615) Some(-9223372036854775808)"
    );
}

#[test]
fn parameters_named_like_keywords_stay() {
    /// Files.
    #[tool]
    fn file(
        title: String,
        format: String,
        pattern: String,
        r#type: String,
        default: String,
        r#const: String,
        description: String,
    ) -> String {
        [title, format, pattern, r#type, default, r#const, description].concat()
    }
    let names = json!(["title", "format", "pattern", "type", "default", "const", "description"]);
    let schema = schema_of::<file>();
    assert_eq!(schema["required"], names);
    let properties: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
    assert_eq!(json!(properties), names);
    assert_eq!(schema["properties"]["type"], json!({"type": "string"}));
}

/// A point on the map.
#[derive(Debug)]
#[arg_type]
struct Point {
    x: f64,
    /// Up.
    y: Option<f64>,
}

/// A tree of names.
#[derive(Debug)]
#[arg_type]
struct Tree {
    name: String,
    kids: Vec<Tree>,
}

#[test]
fn every_reference_resolves_and_none_has_siblings() {
    /// Puts things.
    #[tool]
    fn put(
        /// The tree.
        tree: Tree,
        other: Tree,
        point: Point,
        points: Vec<Point>,
        named: BTreeMap<String, Point>,
        dry: bool,
    ) -> String {
        format!("{tree:?} {other:?} {point:?} {points:?} {named:?} {dry}")
    }
    let schema = schema_of::<put>();
    let mut references = Vec::new();
    every_value(&schema, &mut |value| {
        if let Some(reference) = value.get("$ref").and_then(Value::as_str) {
            assert_eq!(value.as_object().unwrap().len(), 1, "{value}");
            references.push(reference.to_owned());
        }
    });
    assert!(!references.is_empty(), "the tree is recursive");
    for reference in references {
        assert_ne!(reference, "#");
        assert!(schema.pointer(reference.trim_start_matches('#')).is_some(), "{reference}");
    }
    assert_eq!(schema["properties"]["tree"]["description"], "The tree.\nA tree of names.");
    let view = view_of(Tool::of::<put>());
    let leaf = r#"{"name":"a","kids":[]}"#;
    let arguments = format!(
        r#"{{"tree":{{"name":"a","kids":[{leaf}]}},"other":{leaf},"point":{{"x":1}},"points":[{{"x":1,"y":null}}],"named":{{"a":{{"x":2}}}},"dry":true}}"#
    );
    assert_eq!(call(&view, "put", &arguments).status(), toolkit::Status::Ok);
    let wrong = arguments.replace(r#""x":1,"y":null"#, r#""x":1,"z":2"#);
    assert_eq!(
        call(&view, "put", &wrong).text(),
        "$.points[0]: unexpected field 'z' (allowed: x, y)"
    );
}

#[test]
fn required_is_what_the_type_says_through_any_alias() {
    type Maybe = Option<u8>;

    /// Takes.
    #[tool]
    fn take(
        a: Point,
        b: HashMap<String, i32>,
        c: Maybe,
        #[arg(default = 3)] d: u8,
        e: Value,
    ) -> String {
        format!("{a:?} {b:?} {c:?} {d} {e}")
    }
    let schema = schema_of::<take>();
    assert_eq!(schema["required"], json!(["a", "b", "e"]));
    assert_eq!(schema["properties"]["a"]["properties"]["x"], json!({"type": "number"}));
    assert_eq!(schema["properties"]["c"], json!({"type": "integer", "minimum": 0, "maximum": 255}));
    assert_eq!(schema["type"], "object", "a bare value is one of the properties, never the root");
}

#[test]
fn state_and_context_are_in_no_schema_and_can_not_be_filled() {
    struct Bank;

    /// Refunds.
    #[tool]
    fn refund(#[context] cx: &CallContext, #[state] bank: &Bank, id: String) -> String {
        let Bank = bank;
        format!("{id} for {}", cx.caller().principal())
    }
    let registry = toolkit::Registry::builder().tools(tools![refund]).state(Bank).build().unwrap();
    let view = registry.view(Caller::new("ada"));
    assert_eq!(
        definition(&view)["input_schema"],
        json!({"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"], "additionalProperties": false})
    );
    assert_eq!(call(&view, "refund", r#"{"id":"r1"}"#).text(), "r1 for ada");
    assert_eq!(
        call(&view, "refund", r#"{"id":"r1","bank":{},"cx":{}}"#).text(),
        "$: unexpected field 'bank' (allowed: id)\n$: unexpected field 'cx' (allowed: id)"
    );
}

#[test]
fn eight_levels_of_eight_fields_do_not_explode() {
    macro_rules! levels {
        ($($level:ident of $inner:ty),* $(,)?) => { $(
            #[derive(Debug)]
            #[arg_type]
            struct $level { a: Box<$inner>, b: Box<$inner>, c: Box<$inner>, d: Box<$inner>, e: Box<$inner>, f: Box<$inner>, g: Box<$inner>, h: Box<$inner> }
        )* };
    }
    levels!(L0 of L1, L1 of L2, L2 of L3, L3 of L4, L4 of L5, L5 of L6, L6 of L7, L7 of u8);

    /// Goes deep.
    #[tool]
    fn deep(
        /// The deep thing.
        x: L0,
    ) -> String {
        format!("{x:?}")
    }
    let bytes = schema_of::<deep>().to_string().len();
    assert!(bytes < 8 * 1024, "{bytes}");
}

#[test]
fn definitions_are_the_same_bytes_every_time() {
    /// Puts things.
    #[tool]
    fn put(tree: Tree, point: Point, way: Way) -> String {
        format!("{tree:?} {point:?} {way:?}")
    }
    let bytes = || definition(&view_of(Tool::of::<put>())).to_string();
    assert_eq!(bytes(), bytes());
}

#[test]
fn no_definition_carries_a_schema_or_id_keyword() {
    let view = view_of(Tool::dynamic(
        "hello",
        "Says hello.",
        json!({"$schema": "http://json-schema.org/draft-07/schema#", "type": "object"}),
        |_: Value, _: CallContext| async { Ok::<_, Failure>("hello") },
    ));
    let definition = definition(&view);
    assert_eq!(definition["input_schema"], json!({"type": "object", "properties": {}}));
}

#[test]
fn the_schema_of_the_result_comes_from_the_return_type() {
    type Answer<T> = Result<T, ToolError>;

    /// A point, maybe.
    #[tool]
    fn find() -> Answer<Option<Point>> {
        Ok(None)
    }
    /// Text.
    #[tool]
    fn text() -> &'static str {
        "x"
    }
    /// Serialised, but without a schema.
    #[derive(serde::Serialize)]
    struct Bare;
    /// Something bare.
    #[tool]
    fn bare() -> Answer<Bare> {
        Ok(Bare)
    }
    let registry = Registry::builder().tools(tools![find, text, bare]).build().unwrap();
    let view = registry.view(Caller::new("ada"));
    let schemas: Vec<Option<Value>> =
        view.tools().iter().map(|tool| tool.output_schema.clone()).collect();
    let found = json!({
        "anyOf": [{"$ref": "#/$defs/Point"}, {"type": "null"}],
        "$defs": {"Point": {
            "description": "A point on the map.",
            "type": "object",
            "properties": {
                "x": {"type": "number"},
                "y": {"description": "Up.", "type": ["number", "null"]}
            },
            "additionalProperties": false,
            "required": ["x", "y"]
        }}
    });
    assert_eq!(schemas, [Some(found), Some(json!({"type": "string"})), None]);
}
