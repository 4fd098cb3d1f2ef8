//! The table of what is accepted, which the docs show, holds row by row.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsString;
use std::net::{IpAddr, SocketAddr};
use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use toolkit::prelude::*;
use toolkit::testing::Trial;
use toolkit::{Decoder, ProblemKind, Report, ToolArg};
use uuid::Uuid;

#[arg_type]
struct Point {
    x: i32,
    y: Option<i32>,
}

#[arg_type]
enum External {
    Empty,
    Dot { x: i32 },
}

#[arg_type]
#[serde(tag = "t")]
enum Internal {
    Empty,
    Dot { x: i32 },
}

#[arg_type]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    Empty,
    Dot { x: i32 },
}

// `#[arg_type]` refuses to flatten at compile time; who derives by hand is told when it is built.
#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "no tool takes it")]
struct Flattened<T> {
    a: u8,
    #[serde(flatten)]
    rest: T,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only whether it is read counts")]
struct Named {
    #[serde(alias = "b")]
    a: u8,
}

#[derive(Deserialize, JsonSchema)]
enum Known {
    A,
    #[serde(other)]
    Rest,
}

#[arg_type]
struct Ranged {
    #[schemars(range(max = 10))]
    a: u8,
}

#[arg_type]
struct Long {
    #[schemars(length(min = 1))]
    a: String,
}

#[arg_type]
#[serde(try_from = "i32")]
struct Positive(i32);

impl TryFrom<i32> for Positive {
    type Error = &'static str;

    fn try_from(number: i32) -> Result<Self, Self::Error> {
        if number > 0 { Ok(Self(number)) } else { Err("a secret rule") }
    }
}

/// Text that its type reads otherwise than its pattern says, as types of other crates do.
macro_rules! patterned {
    ($name:ident, $pattern:literal, $reads:expr) => {
        struct $name;

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
                let reads: fn(&str) -> bool = $reads;
                let text = String::deserialize(input)?;
                if reads(&text) { Ok(Self) } else { Err(serde::de::Error::custom("a secret rule")) }
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({"type": "string", "pattern": $pattern})
            }
        }
    };
}

patterned!(Decimal, r"^-?\d+(\.\d+)?([eE]\d+)?$", |text| text
    .replace('_', "")
    .parse()
    .is_ok_and(|number: f64| number < 8e28));
patterned!(Version, r"^\d+\.\d+\.\d+$", |text| text
    .split('.')
    .all(|part| part.parse::<u64>().is_ok()));

/// Arguments of one field.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct One<T> {
    v: T,
}

/// What becomes of arguments: the verdict, and the normal form or the report.
type Verdict = (&'static str, String);

fn verdict<T: ToolArg>(tool: Tool, text: &str) -> Verdict {
    let trial = match Trial::of(tool) {
        Ok(trial) => trial,
        Err(errors) => return ("no tool", told(&errors.to_string())),
    };
    let decoder = Decoder::<One<T>>::new().unwrap();
    let read = decoder.decode(text).map(|one| drop(one.v));
    let parsed = serde_json::from_str::<Value>(text).ok();
    let given = parsed.map(|value| decoder.decode_value(&value).map(|one| drop(one.v)));
    let of_text_alone = read.as_ref().is_err_and(|report| {
        report.problems().iter().any(|problem| {
            matches!(problem.kind(), ProblemKind::DuplicateField | ProblemKind::NotJson)
                || problem.to_string().contains("every digit")
                || problem.to_string().contains("18446744073709551616")
        })
    });
    if let (Some(given), false) = (given, of_text_alone) {
        // A parsed number has lost its spelling, so the words may differ.
        assert_eq!(given.map_err(places), read.clone().map_err(places), "{text} as a value");
    }
    match trial.case(text).gate {
        Ok(normal_form) => {
            assert_eq!(read.map_err(|report| report.to_string()), Ok(()), "{text}");
            ("accepted", normal_form.to_string())
        }
        Err(outcome) => {
            assert!(read.is_err(), "{text}");
            ("refused", outcome.text().replace('\n', "; "))
        }
    }
}

fn places(report: Report) -> Vec<(toolkit::Path, ProblemKind)> {
    report.problems().iter().map(|problem| (problem.path().clone(), problem.kind())).collect()
}

/// The reason alone, without the tool's name and place in the file.
fn told(errors: &str) -> String {
    let reason = errors.lines().last().unwrap_or_default();
    let (reason, _) = reason.rsplit_once(" (acceptance at").unwrap_or((reason, ""));
    reason.split_once(": ").map_or(reason, |(_, reason)| reason).to_owned()
}

/// Finds the verdict on arguments for a type as the table writes it.
macro_rules! checkers {
    ($of:ident, $text:ident; $($written:literal => $type:ty,)*) => {
        match $of {
            $($written => {
                /// Takes one value.
                #[tool]
                fn takes(v: $type) {
                    let _: &$type = &v;
                }
                verdict::<$type>(Tool::of::<takes>(), $text)
            })*
            other => panic!("the table names `{other}`, which is checked by nothing"),
        }
    };
}

fn checked(of: &str, text: &str) -> Verdict {
    checkers! { of, text;
        "bool" => bool,
        "u8" => u8,
        "i32" => i32,
        "i64" => i64,
        "u64" => u64,
        "i128" => i128,
        "u128" => u128,
        "f32" => f32,
        "f64" => f64,
        "String" => String,
        "Value" => Value,
        "Option<u8>" => Option<u8>,
        "Option<Option<u8>>" => Option<Option<u8>>,
        "Vec<u8>" => Vec<u8>,
        "BTreeSet<u8>" => BTreeSet<u8>,
        "HashMap<String, u8>" => HashMap<String, u8>,
        "HashMap<bool, u8>" => HashMap<bool, u8>,
        "HashMap<char, u8>" => HashMap<char, u8>,
        "HashMap<u32, u8>" => HashMap<u32, u8>,
        "Range<u8>" => Range<u8>,
        "Duration" => Duration,
        "OsString" => OsString,
        "IpAddr" => IpAddr,
        "SocketAddr" => SocketAddr,
        "NaiveDate" => NaiveDate,
        "NaiveTime" => NaiveTime,
        "DateTime<Utc>" => DateTime<Utc>,
        "chrono::Weekday" => chrono::Weekday,
        "Uuid" => Uuid,
        "Decimal" => Decimal,
        "Version" => Version,
        "struct Point { x: i32, y: Option<i32> }" => Point,
        "enum Shape { Empty, Dot { x: i32 } }" => External,
        "#[serde(tag = \"t\")] enum Shape { Empty, Dot { x: i32 } }" => Internal,
        "#[serde(tag = \"t\", content = \"c\")] enum Shape { Empty, Dot { x: i32 } }" => Adjacent,
        "struct Outer { a: u8, #[serde(flatten)] rest: Shape }" => Flattened<Internal>,
        "struct Outer { a: u8, #[serde(flatten)] rest: Option<Point> }" => Flattened<Option<Point>>,
        "struct Outer { a: u8, #[serde(flatten)] rest: Point }" => Flattened<Point>,
        "struct Named { #[serde(alias = \"b\")] a: u8 }" => Named,
        "enum Known { A, #[serde(other)] Rest }" => Known,
        "struct Range { #[schemars(range(max = 10))] a: u8 }" => Ranged,
        "struct Long { #[schemars(length(min = 1))] a: String }" => Long,
        "#[serde(try_from = \"i32\")] struct Positive(i32)" => Positive,
    }
}

/// Text with `⟨40 × [⟩` written out.
fn written_out(text: &str) -> String {
    let mut parts = text.split('⟨');
    let mut whole = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (repeated, rest) = part.split_once('⟩').unwrap();
        let (count, repeated) = repeated.split_once(" × ").unwrap();
        whole.push_str(&repeated.repeat(count.parse().unwrap()));
        whole.push_str(rest);
    }
    whole
}

#[test]
fn every_row_of_the_table_holds_and_no_class_is_missing() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../toolkit/docs/acceptance.md");
    let table = std::fs::read_to_string(file).unwrap();
    let mut rows: BTreeMap<String, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for line in table.lines().filter(|line| line.starts_with("| ")) {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let [class, of, text, verdict, becomes, _] = cells[..] else { panic!("six cells: {line}") };
        if of == "type" {
            continue;
        }
        fn inside<'c>(cell: &'c str, start: &str, end: &str) -> Option<&'c str> {
            cell.strip_prefix(start)?.strip_suffix(end)
        }
        let code = |cell: &str| {
            let code = inside(cell, "`` ", " ``").or_else(|| inside(cell, "`", "`"));
            code.unwrap_or_else(|| panic!("no code: {cell}")).to_owned()
        };
        *rows.entry(class.to_owned()).or_default() += 1;
        let (of, text) = (code(of), code(text));
        let (found, what) = checked(&of, &written_out(&text));
        if (found, &*what) != (verdict, &*code(becomes)) {
            wrong.push(format!("`{of}` | `{text}` | {found} | `{what}`"));
        }
    }
    assert!(wrong.is_empty(), "the table should say\n{}", wrong.join("\n"));
    for class in (1..=36).map(|class: u8| class.to_string()) {
        assert!(rows.contains_key(&class), "class {class} is missing");
    }
    let rules = rows.keys().filter(|class| !class.starts_with(|c: char| c.is_ascii_digit()));
    assert_eq!(rules.count(), 15, "{rows:?}");
}
