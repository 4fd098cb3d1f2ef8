//! A type decoded in one pass: what it accepts, what comes out, and what its report says.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
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
            problem.kind() == ProblemKind::DuplicateField
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
    Newtype(i64),
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
