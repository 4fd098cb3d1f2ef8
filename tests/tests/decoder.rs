//! A type decoded in one pass: what it accepts, what comes out, and what its report says.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::{self, Debug};
use std::marker::PhantomData;
use std::num::{NonZeroI32, NonZeroU8};

use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value, json};
use toolkit::prelude::*;
use toolkit::testing::Trial;
use toolkit::{Decoder, Limits, Path, ProblemKind, Report, ToolArg};
use toolkit_tests::{Dice, cases};
use url::Url;
use uuid::Uuid;

/// One value of a type.
#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct One<T> {
    value: T,
}

/// Decodes a text and, where it is one, the value that it is; both must say the same.
fn both<T: ToolArg + Debug + PartialEq>(decoder: &Decoder<T>, text: &str) -> Result<T, String> {
    let read = decoder.decode(text);
    if let Ok(value) = serde_json::from_str::<Value>(text) {
        let given = decoder.decode_value(&value);
        let text_alone = is_of_text_alone(&read);
        let same = match (&read, &given) {
            (Ok(read), Ok(given)) => read == given,
            // A parsed number has lost its spelling, so the words may differ.
            (Err(read), Err(given)) => places(read) == places(given),
            _ => text_alone,
        };
        assert!(same || text_alone, "{text}\nread  {read:?}\ngiven {given:?}");
    }
    read.map_err(|report| {
        assert!(!report.problems().is_empty(), "{text}");
        report.to_string()
    })
}

/// Where a report says what kind of problem is.
fn places(report: &Report) -> Vec<(&Path, ProblemKind)> {
    report.problems().iter().map(|problem| (problem.path(), problem.kind())).collect()
}

/// Whether a report is about what a parsed value has lost: repeated fields and digits.
fn is_of_text_alone<T>(read: &Result<T, Report>) -> bool {
    read.as_ref().is_err_and(|report| {
        report.problems().iter().any(|problem| {
            // The first of two fields may have been beyond a limit, and is lost in a value.
            problem.kind() == ProblemKind::OverLimit
                || problem.kind() == ProblemKind::DuplicateField
                || problem.kind() == ProblemKind::NotJson
                || problem.to_string().contains("every digit")
                || problem.to_string().contains("exact")
        })
    })
}

/// Decodes an object with one value.
fn one<T: ToolArg + Debug + PartialEq>(json: &str) -> Result<T, String> {
    let decoder = Decoder::<One<T>>::new().unwrap();
    both(&decoder, &format!("{{\"value\":{json}}}")).map(|one| one.value)
}

/// The value as it would be read after the space that models write.
fn spaced(text: &str) -> Option<String> {
    serde_json::to_string_pretty(&serde_json::from_str::<Value>(text).ok()?).ok()
}

/// Decodes generated texts in every way there is, and compares all with the normal form.
fn hold<T: ToolArg + Debug + PartialEq>(dice: &mut Dice, tool: Tool, count: usize) -> usize {
    let name = tool.name().to_owned();
    let trial = Trial::of(tool).unwrap_or_else(|error| panic!("{name}: {error}"));
    let decoder = Decoder::<One<T>>::new().unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut accepted = 0;
    let agreed = trial.agree(count, dice.next(), |case| {
        let read = both(&decoder, &case.text);
        assert_eq!(read.is_ok(), case.gate.is_ok(), "{name}: {read:?} of\n{case}");
        let Ok(normal_form) = &case.gate else { return };
        accepted += 1;
        let expected: One<T> = serde_json::from_value(normal_form.clone())
            .unwrap_or_else(|error| panic!("{name}: {error} in\n{case}"));
        assert_eq!(read.as_ref(), Ok(&expected), "{name}: {case}");
        if let Some(text) = spaced(&case.text) {
            assert_eq!(both(&decoder, &text).as_ref(), Ok(&expected), "{text}");
        }
        let mut cut = dice.below(case.text.len() + 1);
        while !case.text.is_char_boundary(cut) {
            cut -= 1;
        }
        let cut = &case.text[..cut];
        assert_eq!(both(&decoder, cut).is_ok(), trial.case(cut).gate.is_ok(), "{cut}");
    });
    agreed.unwrap_or_else(|error| panic!("{name}: {error}"));
    accepted
}

/// Holds a type, as a tool's only argument and as a decoder's only field.
macro_rules! hold {
    ($dice:expr, $count:expr; $($name:ident: $type:ty,)*) => { $({
        /// Takes one value.
        #[tool]
        fn $name(value: $type) -> String {
            format!("{value:?}")
        }
        let accepted = hold::<$type>($dice, Tool::of::<$name>(), $count);
        assert!(accepted > $count / 20, "{}: only {accepted} accepted", stringify!($name));
    })* };
}

#[derive(Debug, PartialEq)]
#[arg_type]
struct Point {
    x: i32,
    y: Option<i32>,
    #[serde(default)]
    z: u8,
}

#[derive(Debug, PartialEq)]
#[arg_type]
struct Newtype(i16);

#[derive(Debug, PartialEq)]
#[arg_type]
struct Unit;

#[derive(Debug, PartialEq)]
#[arg_type]
struct Pair(u8, Option<String>);

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[arg_type]
enum Plain {
    A,
    /// The second.
    #[serde(rename = "b \"quoted\" é")]
    B,
    #[serde(rename = "")]
    C,
}

#[derive(Debug, PartialEq)]
#[arg_type]
enum External {
    Unit,
    Newtype(Box<External>),
    Tuple(u8, bool),
    Struct { a: Option<u8>, b: Vec<External> },
}

#[derive(Debug, PartialEq)]
#[arg_type]
#[serde(tag = "t")]
enum Internal {
    Unit,
    Newtype(Point),
    Struct { a: Option<u8>, next: Option<Box<Internal>> },
}

#[derive(Debug, PartialEq)]
#[arg_type]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    Unit,
    Newtype(i16),
    Tuple(u8, String),
    Struct { a: Option<u8> },
}

#[derive(Debug, PartialEq)]
#[arg_type]
#[serde(untagged)]
enum Untagged {
    Flag(bool),
    Number(i32),
    Text(String),
    List(Vec<Untagged>),
    Point(Point),
}

#[derive(Debug, PartialEq)]
#[arg_type]
struct Tree {
    #[serde(default)]
    children: Vec<Tree>,
    parent: Option<Box<Tree>>,
    named: Option<BTreeMap<String, Tree>>,
}

#[derive(Debug, PartialEq)]
#[arg_type]
struct Odd {
    #[serde(rename = "a \"b\" \\ /")]
    quoted: u8,
    #[serde(rename = "")]
    empty: Option<u8>,
    #[serde(rename = "größe 🦀\n")]
    foreign: Option<u8>,
    #[serde(rename = "type")]
    r#type: Option<Plain>,
}

#[derive(Debug, PartialEq)]
#[arg_type]
#[serde(default)]
struct Defaults {
    a: u8,
    b: Vec<u8>,
    c: Option<String>,
    d: f64,
    #[serde(skip)]
    e: PhantomData<u8>,
}

impl Default for Defaults {
    fn default() -> Self {
        Self { a: 7, b: vec![1, 2], c: Some("c".into()), d: 0.5, e: PhantomData }
    }
}

#[test]
fn text_and_value_are_decoded_into_what_serde_json_makes_of_the_normal_form() {
    let mut dice = Dice::fresh("decoder");
    let count = cases(12_000) / 40;
    hold! { &mut dice, count;
        of_i8: i8, of_u32: u32, of_i64: i64, of_u64: u64, of_usize: usize,
        of_nonzero: NonZeroI32, of_f64: f64, of_f32: f32, of_bool: bool, of_char: char,
        of_string: String, of_boxed: Box<str>, of_cow: Cow<'static, str>, of_unit: (),
        of_option: Option<u8>, of_options: Option<Option<u8>>, of_box: Box<Option<Point>>,
        of_list: Vec<Option<i64>>, of_deque: VecDeque<f64>, of_set: BTreeSet<i8>,
        of_array: [u8; 3], of_tuple: (u8, String, Option<f64>), of_nested: Vec<Vec<(i8, bool)>>,
        of_map: BTreeMap<String, Option<u8>>, of_point: Point, of_newtype: Newtype,
        of_unit_struct: Unit, of_pair: Pair, of_plain: Plain, of_external: External,
        of_internal: Internal, of_adjacent: Adjacent, of_untagged: Untagged, of_tree: Tree,
        of_odd: Odd, of_defaults: Defaults, of_value: Value, of_object: Map<String, Value>,
        of_number: Number, of_date: NaiveDate, of_uuid: Uuid, of_url: Url,
        of_keys: BTreeMap<u8, bool>, of_signed_keys: BTreeMap<i64, u8>,
        of_bool_keys: BTreeMap<bool, u8>, of_char_keys: BTreeMap<char, Vec<u8>>,
        of_nonzero_keys: BTreeMap<NonZeroU8, u8>,
        of_points: Vec<Point>, of_maybe_points: Option<Vec<Option<Point>>>,
        of_enums: Vec<(Plain, External)>, of_phantom: PhantomData<u8>,
    }
}

/// A type with a schema of its own choice and a `Deserialize` by hand.
macro_rules! by_hand {
    ($name:ident($inner:ty), $schema:tt, |$input:ident| $read:expr) => {
        #[derive(Debug, PartialEq)]
        struct $name($inner);

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>($input: D) -> Result<Self, D::Error> {
                $read.map($name)
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!($schema)
            }
        }
    };
}

/// Reads a map or sequence with a closure.
struct Reads<M, S>(M, S);

impl<'de, T, M, S> Visitor<'de> for Reads<M, S>
where
    M: FnOnce(&mut dyn FnMut(Ask) -> Option<Got>) -> T,
    S: FnOnce(&mut dyn FnMut() -> Result<Option<i64>, ()>) -> T,
{
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array or object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<T, A::Error> {
        Ok(self.0(&mut |ask| match ask {
            Ask::Key => map.next_key().ok().flatten().map(Got::Key),
            Ask::Value => map.next_value::<i64>().ok().map(|_| Got::Value),
        }))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<T, A::Error> {
        Ok(self.1(&mut || seq.next_element().map_err(drop)))
    }
}

enum Ask {
    Key,
    Value,
}

enum Got {
    Key(String),
    Value,
}

by_hand! { Blind(()), {"type": "integer", "maximum": 9}, |_input| Ok(()) }

by_hand! { BlindBehindOption(bool), {"type": "integer", "maximum": 9}, |input| {
    struct Looks;
    impl<'de> Visitor<'de> for Looks {
        type Value = bool;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("anything")
        }

        fn visit_none<E>(self) -> Result<bool, E> {
            Ok(false)
        }

        fn visit_some<D: Deserializer<'de>>(self, _: D) -> Result<bool, D::Error> {
            Ok(true)
        }
    }
    input.deserialize_option(Looks)
} }

by_hand! { Lenient(u8), {"type": ["integer", "string"], "maximum": 9, "maxLength": 3}, |input| {
    Ok(u8::deserialize(input).unwrap_or_default())
} }

by_hand! { LenientList(Vec<i64>), {"type": "array", "maxItems": 3}, |input| {
    Ok(Vec::deserialize(input).unwrap_or_default())
} }

by_hand! { LenientMap(BTreeMap<String, u8>), {"type": "object", "additionalProperties": {"maxLength": 2}},
    |input| Ok(BTreeMap::deserialize(input).unwrap_or_default())
}

by_hand! { LenientEnum(Option<External>), {"anyOf": [{"type": "object", "additionalProperties": true}, {"type": "string", "maxLength": 4}]},
    |input| Ok(External::deserialize(input).ok())
}

by_hand! { First(Option<i64>), {"type": "array", "items": {"type": "integer"}}, |input| {
    input.deserialize_seq(Reads(
        |_: &mut dyn FnMut(Ask) -> Option<Got>| None,
        |next: &mut dyn FnMut() -> Result<Option<i64>, ()>| next().unwrap(),
    ))
} }

by_hand! { SkipsBad(Vec<i64>), {"type": "array", "items": {"type": ["integer", "string"]}}, |input| {
    input.deserialize_seq(Reads(
        |_: &mut dyn FnMut(Ask) -> Option<Got>| Vec::new(),
        |next: &mut dyn FnMut() -> Result<Option<i64>, ()>| {
            let mut good = Vec::new();
            for _ in 0..100 {
                match next() {
                    Ok(Some(number)) => good.push(number),
                    Ok(None) => break,
                    Err(()) => {}
                }
            }
            good
        },
    ))
} }

by_hand! { KeysAlone(Vec<String>), {"type": "object", "additionalProperties": {"type": "integer"}}, |input| {
    input.deserialize_map(Reads(
        |next: &mut dyn FnMut(Ask) -> Option<Got>| {
            let mut keys = Vec::new();
            while let Some(Got::Key(key)) = next(Ask::Key) {
                keys.push(key);
            }
            keys
        },
        |_: &mut dyn FnMut() -> Result<Option<i64>, ()>| Vec::new(),
    ))
} }

by_hand! { Insists(Vec<String>), {"type": "object", "additionalProperties": {"type": "integer"}}, |input| {
    input.deserialize_map(Reads(
        |next: &mut dyn FnMut(Ask) -> Option<Got>| {
            let mut keys = Vec::new();
            for _ in 0..9 {
                if let Some(Got::Key(key)) = next(Ask::Key) {
                    keys.push(key);
                    next(Ask::Value);
                }
            }
            keys
        },
        |_: &mut dyn FnMut() -> Result<Option<i64>, ()>| Vec::new(),
    ))
} }

by_hand! { StructOfList(u8), {"type": "array", "items": {"type": "integer"}}, |input| {
    #[derive(Deserialize)]
    struct Inner {
        a: u8,
    }
    Inner::deserialize(input).map(|inner| inner.a)
} }

by_hand! { Ignored(()), {"type": "array", "items": {"type": "integer"}, "maxItems": 2},
    |input| IgnoredAny::deserialize(input).map(drop)
}

by_hand! { Bytes(Vec<u8>), {"type": ["array", "string"]}, |input| {
    struct Reads;
    impl<'de> Visitor<'de> for Reads {
        type Value = Vec<u8>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("bytes")
        }

        fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
            Ok(bytes.to_vec())
        }

        fn visit_str<E>(self, text: &str) -> Result<Vec<u8>, E> {
            Ok(text.as_bytes().to_vec())
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<u8>, A::Error> {
            let mut bytes = Vec::new();
            while let Some(byte) = seq.next_element()? {
                bytes.push(byte);
            }
            Ok(bytes)
        }
    }
    input.deserialize_byte_buf(Reads)
} }

by_hand! { Raw(String), true, |input| {
    Box::<serde_json::value::RawValue>::deserialize(input).map(|raw| raw.get().to_owned())
} }

const NOT_ACCEPTED: &str = "$.value: this value is not accepted here; send another one";

#[test]
fn a_type_that_does_not_look_at_its_input_still_gets_only_what_its_schema_accepts() {
    for space in ["", " ", "\n  "] {
        let read = |json: &str| one::<Blind>(&format!("{space}{json}{space}"));
        assert_eq!(read("7"), Ok(Blind(())));
        assert_eq!(read("10").unwrap_err(), "$.value: expected an integer at most 9, got 10");
        assert!(read("\"x\"").is_err() && read("[]").is_err() && read("").is_err());
        let read = |json: &str| one::<BlindBehindOption>(&format!("{space}{json}{space}"));
        assert_eq!(read("7"), Ok(BlindBehindOption(true)));
        assert_eq!(read("10").unwrap_err(), "$.value: expected an integer at most 9, got 10");
    }
}

#[test]
fn a_type_that_takes_a_refusal_lightly_still_gets_only_what_its_schema_accepts() {
    assert_eq!(one("7"), Ok(Lenient(7)));
    assert_eq!(one("\"abc\""), Ok(Lenient(0)));
    assert_eq!(one("-1"), Ok(Lenient(0)));
    for refused in ["10", "\"abcd\"", "true", "[]", "1.5", "\"\\ud800\""] {
        assert!(one::<Lenient>(refused).is_err(), "{refused}");
    }
    for space in ["", " "] {
        let read = |json: &str| one::<LenientList>(&format!("{space}{json}"));
        assert_eq!(read("[1, 2]"), Ok(LenientList(vec![1, 2])));
        assert_eq!(read("[1, \"x\"]"), Ok(LenientList(vec![])));
        assert_eq!(read("[1, {\"a\": [2]}, \"x\"]"), Ok(LenientList(vec![])));
        assert_eq!(
            read("[1, \"x\", 2, 3]").unwrap_err(),
            "$.value: must have at most 3 items; got 4"
        );
        assert!(read("{}").is_err());
        let read = |json: &str| one::<LenientMap>(&format!("{space}{json}"));
        assert_eq!(read(r#"{"a": 1}"#), Ok(LenientMap(BTreeMap::from([("a".to_owned(), 1)]))));
        assert_eq!(read(r#"{"a": 1, "b": "x"}"#), Ok(LenientMap(BTreeMap::new())));
        assert!(read(r#"{"a": "x", "b": "xyz"}"#).is_err());
        assert!(read(r#"{"a": "x", "a": "y"}"#).is_err());
        let read = |json: &str| one::<LenientEnum>(&format!("{space}{json}"));
        assert_eq!(read(r#""Unit""#), Ok(LenientEnum(Some(External::Unit))));
        assert_eq!(read(r#"{"None": 1}"#), Ok(LenientEnum(None)));
        assert!(read(r#""Units""#).is_err());
    }
    // Nothing that is no JSON comes through where a type gave up in the middle.
    let decoder = Decoder::<BTreeMap<String, LenientList>>::new().unwrap();
    for text in [r#"{"a":["x","b":[]}"#, r#"{"a":["x"}"#, r#"{"a":[{"x":1}"#, r#"{"a":["x",]}"#] {
        assert!(decoder.decode(text).is_err(), "{text}");
    }
}

#[test]
fn a_refusal_that_a_type_took_lightly_does_not_count_twice() {
    let decoder = Decoder::<One<LenientList>>::new().unwrap();
    let limited = |depth, values| {
        let limits = Limits { depth, values, ..Limits::default() };
        Decoder::<One<LenientList>>::new().unwrap().limits(limits)
    };
    let text = r#"{"value": [1, [[2]], "x"]}"#;
    assert_eq!(both(&decoder, text), Ok(One { value: LenientList(vec![]) }));
    assert_eq!(both(&limited(4, 7), text), Ok(One { value: LenientList(vec![]) }));
    assert!(both(&limited(3, 7), text).is_err());
    assert!(both(&limited(4, 6), text).is_err());
}

#[test]
fn a_type_that_leaves_something_unread_is_refused_by_text_and_value_alike() {
    assert_eq!(one("[7]"), Ok(First(Some(7))));
    assert_eq!(one("[]"), Ok(First(None)));
    assert_eq!(one::<First>("[7, 8]").unwrap_err(), NOT_ACCEPTED);
    assert_eq!(
        one::<First>("[7, \"x\"]").unwrap_err(),
        "$.value[1]: expected an integer, got text \"x\""
    );
    assert_eq!(one("{}"), Ok(KeysAlone(vec![])));
    for text in [r#"{"a": 1}"#, r#"{"a": 1, "b": 2}"#, r#"{"a": 1, "b": "x"}"#] {
        let read = one::<KeysAlone>(text);
        assert_eq!(read.is_ok(), !text.contains('x'), "{text} {read:?}");
    }
    assert_eq!(one("{}"), Ok(Insists(vec![])));
    assert_eq!(one(r#"{"a": 1}"#), Ok(Insists(vec!["a".to_owned()])));
    assert_eq!(one("[1, 2]"), Ok(SkipsBad(vec![1, 2])));
    // What its schema accepts, a type may leave out.
    assert_eq!(one("[1, \"x\", 2]"), Ok(SkipsBad(vec![1, 2])));
    assert!(one::<SkipsBad>("[1, true, 2]").is_err());
}

/// The members after an object are never taken for its own.
#[test]
fn a_type_that_asks_on_after_the_end_gets_nothing() {
    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    struct Two {
        a: Insists,
        b: u8,
    }
    let decoder = Decoder::<Two>::new().unwrap();
    let read = both(&decoder, r#"{"a": {"x": 1}, "b": 2}"#);
    assert_eq!(read, Ok(Two { a: Insists(vec!["x".to_owned()]), b: 2 }));
}

#[test]
fn types_that_ask_in_their_own_way_are_filled_as_serde_json_fills_them() {
    // A list never fills a struct.
    assert_eq!(one::<StructOfList>("[7]").unwrap_err(), NOT_ACCEPTED);
    assert_eq!(
        one::<StructOfList>(r#"{"a": 7}"#).unwrap_err(),
        "$.value: expected a list, got an object"
    );
    assert_eq!(one("[1, 2]"), Ok(Ignored(())));
    assert!(one::<Ignored>("[1, 2, 3]").is_err() && one::<Ignored>("[\"x\"]").is_err());
    assert_eq!(one("[1, 255]"), Ok(Bytes(vec![1, 255])));
    assert_eq!(one("\"abc\""), Ok(Bytes(b"abc".to_vec())));
    assert_eq!(
        one::<Bytes>("[256]").unwrap_err(),
        "$.value[0]: this value is not accepted here; send another one"
    );
    assert_eq!(one(r#"{"a" : [1.0, "x"]}"#), Ok(Raw(r#"{"a":[1,"x"]}"#.to_owned())));
    assert_eq!(one("7"), Ok(Number::from(7)));
    assert_eq!(one("7.5"), Ok(Number::from_f64(7.5).unwrap()));
}

/// A text that only its own type refuses.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
#[arg_type]
#[serde(try_from = "String")]
struct Sku(String);

impl TryFrom<String> for Sku {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if text.starts_with("S-") { Ok(Self(text)) } else { Err(format!("secret {text}")) }
    }
}

#[derive(Debug, PartialEq)]
#[arg_type]
struct Line {
    sku: Sku,
    count: Option<u8>,
}

#[derive(Debug, PartialEq)]
#[arg_type]
enum Order {
    Nothing,
    One(Sku),
    Pair(u8, Line),
    Many { lines: Vec<Line>, rest: Option<Box<Order>> },
}

#[derive(Debug, PartialEq)]
#[arg_type]
#[serde(tag = "kind", content = "of")]
enum Tagged {
    One(Sku),
    Many(Vec<Line>),
}

#[derive(Debug, PartialEq)]
#[arg_type]
#[serde(tag = "kind")]
enum Buffered {
    Many { lines: Vec<Line> },
}

#[test]
fn what_only_a_type_refuses_is_named_at_its_place() {
    let refused = |read: Result<(), String>| {
        let report = read.unwrap_err();
        let (place, words) = report.split_once(": ").unwrap();
        assert_eq!(words, "this value is not accepted here; send another one");
        place.to_owned()
    };
    fn at<T: ToolArg + Debug + PartialEq>(json: &str) -> Result<(), String> {
        assert!(one::<T>(&json.replace("bad", "S-1")).is_ok(), "{json}");
        one::<T>(json).map(drop)
    }
    assert_eq!(refused(at::<Sku>(r#" "bad""#)), "$.value");
    assert_eq!(refused(at::<Option<Sku>>(r#" "bad""#)), "$.value");
    assert_eq!(refused(at::<Vec<Sku>>(r#"[ "S-1" , "bad"]"#)), "$.value[1]");
    assert_eq!(refused(at::<(u8, Sku)>(r#"[1, "bad"]"#)), "$.value[1]");
    assert_eq!(refused(at::<Line>(r#"{ "count" : null , "sku" : "bad"}"#)), "$.value.sku");
    assert_eq!(
        refused(at::<BTreeMap<String, Line>>(r#"{"a":{"sku":"S-1"},"b":{"sku":"bad"}}"#)),
        "$.value.b.sku"
    );
    assert_eq!(
        refused(at::<Vec<Vec<Option<Line>>>>(r#"[[], [null, { "sku": "bad" }]]"#)),
        "$.value[1][1].sku"
    );
    assert_eq!(refused(at::<Order>(r#"{"One": "bad"}"#)), "$.value.One");
    assert_eq!(refused(at::<Order>(r#"{"Pair": [1, {"sku": "bad"}]}"#)), "$.value.Pair[1].sku");
    assert_eq!(
        refused(at::<Vec<Order>>(
            r#"["Nothing", {"Many": {"lines": [{"sku": "S-1"}], "rest": {"Many": {"lines": [{"sku": "S-2"}, {"sku": "bad"}]}}}}]"#
        )),
        "$.value[1].Many.rest.Many.lines[1].sku"
    );
    assert_eq!(
        refused(at::<Tagged>(r#"{"of": [{"sku": "bad"}], "kind": "Many"}"#)),
        "$.value.of[0].sku"
    );
    // serde keeps these itself before it looks inside.
    assert_eq!(
        refused(at::<Vec<Buffered>>(r#"[{"kind": "Many", "lines": [{"sku": "bad"}]}]"#)),
        "$.value[0]"
    );
}

/// Where a type took one refusal lightly, another one is still told at its own place.
#[test]
fn what_was_taken_lightly_is_not_named_for_another() {
    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    struct Both {
        light: LenientList,
        kept: LenientEnum,
        lines: Vec<Line>,
    }
    let decoder = Decoder::<Both>::new().unwrap();
    let text = r#"{"light": ["x"], "kept": {"One": 1}, "lines": [{"sku": "S-1"}, {"sku": "bad"}]}"#;
    assert!(both(&decoder, &text.replace("bad", "S-2")).is_ok());
    assert_eq!(
        both(&decoder, text).unwrap_err(),
        "$.lines[1].sku: this value is not accepted here; send another one"
    );
}

#[test]
fn only_an_object_is_decoded_whatever_the_type() {
    let decoder = Decoder::<Value>::new().unwrap();
    for text in ["[1]", "1", "\"\"", "true", "[{}]"] {
        assert!(both(&decoder, text).is_err(), "{text}");
    }
    for text in ["{}", " {} ", "", " \n", "null", " null\t"] {
        assert_eq!(both(&decoder, text), Ok(json!({})), "{text:?}");
    }
    for text in ["{}{}", "{} x", "nul", "null null", "{}\0", "\u{feff}{}", "{},"] {
        assert!(both(&decoder, text).is_err(), "{text:?}");
    }
}

#[test]
fn limits_hold_to_the_last_and_are_counted_alike_by_text_and_value() {
    let anything = |limits| Decoder::<Value>::new().unwrap().limits(limits);
    // Kept for its many properties, for being unique, or as a union, and streamed.
    for (depth, values, text) in [
        (1, 1, "{}".to_owned()),
        (3, 5, r#"{"a": [1, {}], "b": null}"#.to_owned()),
        (5, 6, r#"{"a": [[[[7]]]]}"#.to_owned()),
        (2, 100, format!("{{\"a\": [{}]}}", vec!["0"; 98].join(", "))),
    ] {
        let compact = serde_json::from_str::<Value>(&text).unwrap().to_string();
        let exact = Limits { depth, values, argument_bytes: compact.len(), ..Limits::default() };
        assert!(both(&anything(exact), &compact).is_ok(), "{text}");
        let value: Value = serde_json::from_str(&text).unwrap();
        let given = |limits| anything(limits).decode_value(&value).is_ok();
        let less_deep = Limits { depth: depth - 1, ..exact };
        assert!(both(&anything(less_deep), &compact).is_err() && !given(less_deep), "{text}");
        let fewer = Limits { values: values - 1, ..exact };
        assert!(both(&anything(fewer), &compact).is_err() && !given(fewer), "{text}");
        let shorter = Limits { argument_bytes: compact.len() - 1, ..exact };
        assert!(both(&anything(shorter), &compact).is_err() && !given(shorter), "{text}");
    }
    #[derive(Debug, PartialEq)]
    #[arg_type]
    struct Mixed {
        streamed: Vec<Point>,
        set: BTreeSet<u8>,
        union: External,
        absent: Option<u8>,
    }
    let text = r#"{"streamed":[{"x":1,"y":null}],"set":[1,2],"union":{"Struct":{"a":null,"b":["Unit"]}},"absent":null}"#;
    let mixed = |depth, values| {
        let limits = Limits { depth, values, argument_bytes: text.len(), ..Limits::default() };
        both(&Decoder::<Mixed>::new().unwrap().limits(limits), text)
    };
    assert!(mixed(4, 14).is_ok());
    assert!(mixed(3, 14).unwrap_err().contains("nested more than 3 levels deep"));
    assert_eq!(mixed(4, 13).unwrap_err(), "$: more than 13 values; send fewer");
}

/// A struct of so many properties, each of which may be absent.
macro_rules! wide {
    ($name:ident: $($field:ident)*) => {
        #[derive(Debug, PartialEq, Default)]
        #[arg_type]
        struct $name { $($field: Option<u8>,)* }

        impl $name {
            const FIELDS: &'static [&'static str] = &[$(stringify!($field)),*];

            fn filled(&self) -> usize {
                [$(self.$field),*].into_iter().flatten().map(usize::from).sum()
            }
        }
    };
}

wide! { Wide64:
    a0 a1 a2 a3 a4 a5 a6 a7 b0 b1 b2 b3 b4 b5 b6 b7 c0 c1 c2 c3 c4 c5 c6 c7 d0 d1 d2 d3 d4 d5 d6 d7
    e0 e1 e2 e3 e4 e5 e6 e7 f0 f1 f2 f3 f4 f5 f6 f7 g0 g1 g2 g3 g4 g5 g6 g7 h0 h1 h2 h3 h4 h5 h6 h7
}

wide! { Wide65:
    a0 a1 a2 a3 a4 a5 a6 a7 b0 b1 b2 b3 b4 b5 b6 b7 c0 c1 c2 c3 c4 c5 c6 c7 d0 d1 d2 d3 d4 d5 d6 d7
    e0 e1 e2 e3 e4 e5 e6 e7 f0 f1 f2 f3 f4 f5 f6 f7 g0 g1 g2 g3 g4 g5 g6 g7 h0 h1 h2 h3 h4 h5 h6 h7
    i0
}

#[test]
fn any_number_of_properties_in_any_order_is_read() {
    let mut dice = Dice::fresh("order");
    let mut decoded = |fields: &[&str], decode: &dyn Fn(&str) -> Result<usize, String>| {
        let mut members: Vec<String> =
            fields.iter().map(|field| format!("\"{field}\": 1")).collect();
        for last in (1..members.len()).rev() {
            members.swap(last, dice.below(last + 1));
        }
        assert_eq!(decode(&format!("{{{}}}", members.join(", "))), Ok(fields.len()));
        let [first, last] = [fields[0], fields[fields.len() - 1]];
        let twice = format!("{{{}, \"{last}\": null}}", members.join(","));
        assert_eq!(
            decode(&twice).unwrap_err(),
            format!("$: field '{last}' is given twice; give it once")
        );
        let both_ends = format!("{{\"{last}\": 1, \"{first}\": 1}}");
        assert_eq!(decode(&both_ends), Ok(2));
        let nulls = format!("{{\"{last}\": null, \"{first}\": 1}}");
        assert_eq!(decode(&nulls), Ok(1));
    };
    let of_64 = Decoder::<Wide64>::new().unwrap();
    decoded(Wide64::FIELDS, &|text| both(&of_64, text).map(|wide| wide.filled()));
    let of_65 = Decoder::<Wide65>::new().unwrap();
    decoded(Wide65::FIELDS, &|text| both(&of_65, text).map(|wide| wide.filled()));
}

#[test]
fn one_name_written_in_two_ways_is_given_twice() {
    for text in [
        r#"{"x": 1, "\u0078": 1}"#,
        r#"{"\u0078": 1, "x": 1}"#,
        r#"{"x": 1, "y": null, "y": 2}"#,
        r#"{"x": 1, "y": 2, "\u0079": null}"#,
    ] {
        let report = one::<Point>(text).unwrap_err();
        assert!(report.ends_with("is given twice; give it once"), "{report}");
    }
    for text in [
        r#"{"a": 1, "\u0061": 1}"#,
        r#"{"\u00e9": 1, "é": 1}"#,
        r#"{"": 1, "": 1}"#,
        r#"{"\/": 1, "/": 1}"#,
    ] {
        let many = (0..20).map(|n| format!("\"k{n}\": 0, ")).collect::<Vec<_>>().concat();
        for text in [text.to_owned(), text.replacen('{', &format!("{{{many}"), 1)] {
            let report = one::<BTreeMap<String, u8>>(&text).unwrap_err();
            assert!(report.ends_with("is given twice; give it once"), "{report}");
            assert!(one::<Value>(&text).is_err() && one::<Untagged>(&text).is_err());
        }
    }
}

#[test]
fn the_names_that_a_schema_lists_are_read_as_any_key_is() {
    by_hand! { Flags(BTreeMap<bool, u8>), {"type": "object", "properties": {"true": {"type": "integer"}, "false": {"type": "integer"}}},
        |input| BTreeMap::deserialize(input)
    }
    by_hand! { Days(BTreeMap<Option<u8>, u8>), {"type": "object", "properties": {"1": {"type": "integer"}, "30": {"type": "integer"}}},
        |input| BTreeMap::deserialize(input)
    }
    assert_eq!(
        one(r#"{"false": 1, "true": 2}"#),
        Ok(Flags(BTreeMap::from([(false, 1), (true, 2)])))
    );
    assert_eq!(
        one(r#"{"30": 1, "1": 2}"#),
        Ok(Days(BTreeMap::from([(Some(30), 1), (Some(1), 2)])))
    );
}

/// What is too small for any decimal is refused, and not taken for nothing.
#[test]
fn numbers_of_huge_exponents_are_read_alike_by_decoder_and_report() {
    for exponent in [
        "9",
        "99",
        "308",
        "400",
        "999999999999999999",
        "9999999999999999999",
        "99999999999999999999999",
    ] {
        for mantissa in ["0", "1", "-1.5", "0.000"] {
            for sign in ["", "+", "-"] {
                let text = format!("{{\"value\":{mantissa}e{sign}{exponent}}}");
                for read in [
                    Decoder::<One<Value>>::new().unwrap().decode(&text).map(drop),
                    Decoder::<One<f64>>::new().unwrap().decode(&text).map(drop),
                    Decoder::<One<i64>>::new().unwrap().decode(&text).map(drop),
                ] {
                    let kind = read.map_err(|report| report.problems()[0].kind());
                    assert_ne!(kind, Err(ProblemKind::Refused), "{text}");
                }
                let read = Decoder::<One<f64>>::new().unwrap().decode(&text);
                let kept = Decoder::<One<FloatOrText>>::new().unwrap().decode(&text);
                assert_eq!(read.is_ok(), kept.is_ok(), "{text}");
            }
        }
    }
}

#[derive(Debug, PartialEq)]
#[arg_type]
#[serde(untagged)]
enum FloatOrText {
    Float(f64),
    Text(String),
}
