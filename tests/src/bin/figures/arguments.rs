//! Arguments of three sizes, checked and decoded, beside what decodes or checks them otherwise.

use std::hint::black_box;

use garde::Validate;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use toolkit::{Decoder, ToolArg};

use crate::Figure;
use crate::measure::Contender;

// schemars reads what garde is told, so that both check the same.

/// A lookup.
#[derive(Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
struct Small {
    #[garde(length(chars, min = 1, max = 20))]
    order_id: String,
    #[garde(range(min = 1, max = 100))]
    limit: u32,
}

/// Currency of a payment.
#[derive(Deserialize, JsonSchema)]
enum Currency {
    EUR,
    GBP,
    USD,
}

/// A payment.
#[derive(Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
struct Medium {
    #[garde(range(min = 0.01))]
    amount: f64,
    #[garde(skip)]
    #[expect(dead_code, reason = "it is only decoded")]
    currency: Currency,
    #[schemars(extend("format" = "date"))]
    #[garde(skip)]
    #[expect(dead_code, reason = "it is only decoded")]
    pay_on: Option<String>,
}

/// The same payment; garde has no dates, so that its users write a pattern.
#[derive(Deserialize, Validate)]
#[serde(deny_unknown_fields)]
struct MediumByPattern {
    #[garde(range(min = 0.01))]
    amount: f64,
    #[garde(skip)]
    #[expect(dead_code, reason = "it is only decoded")]
    currency: Currency,
    #[garde(pattern(r"^\d{4}-\d{2}-\d{2}$"))]
    pay_on: Option<String>,
}

/// An order of many lines.
#[derive(Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
struct Large {
    #[garde(length(chars, min = 1, max = 40))]
    customer: String,
    #[garde(length(min = 1, max = 500), dive)]
    items: Vec<Line>,
}

/// One line.
#[derive(Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
struct Line {
    #[garde(pattern(r"^[A-Z]{3}-\d{4}$"))]
    sku: String,
    #[garde(range(min = 1, max = 999))]
    qty: u32,
    #[garde(range(min = 0.0, max = 100_000.0))]
    price: f64,
    #[garde(length(chars, max = 60))]
    note: Option<String>,
}

/// The same order, with a pattern that only `regex` can match.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct LargeByRegex {
    #[schemars(length(min = 1, max = 40))]
    #[expect(dead_code, reason = "it is only decoded")]
    customer: String,
    #[schemars(length(min = 1, max = 500))]
    #[expect(dead_code, reason = "it is only decoded")]
    items: Vec<LineByRegex>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "it is only decoded")]
struct LineByRegex {
    #[schemars(regex(pattern = r"^([A-Z]{3}-\d{4}|[A-Z]{4}-\d{3})$"))]
    sku: String,
    #[schemars(range(min = 1, max = 999))]
    qty: u32,
    #[schemars(range(min = 0.0, max = 100_000.0))]
    price: f64,
    #[schemars(length(max = 60))]
    note: Option<String>,
}

const SMALL: &str = r#"{"order_id":"O-4471","limit":5}"#;
const SMALL_WRONG: &str = r#"{"order":"O-4471","limit":"5"}"#;
const MEDIUM: &str = r#"{"amount":19.99,"currency":"EUR","pay_on":"2026-12-01"}"#;
const MEDIUM_WRONG: &str = r#"{"ammount":19.99,"currency":"eur","pay_on":"next friday"}"#;

/// 200 lines in about 19,000 bytes, every second one with a note; `wrong` spoils five places.
fn large(wrong: bool) -> String {
    let line = |index: usize| {
        let sku = match (wrong, index) {
            (true, 50 | 120) => format!("abc-{index:04}"),
            _ => format!("ABC-{index:04}"),
        };
        let qty = match (wrong, index) {
            (true, 53) => "\"5\"".to_owned(),
            (true, 150) => "0".to_owned(),
            _ => (index % 9 + 1).to_string(),
        };
        let price = if wrong && index == 199 { "-1".to_owned() } else { format!("{index}.99") };
        let note = if index.is_multiple_of(2) {
            format!(r#","note":"leave at the door of number {index:04}, please ring twice there""#)
        } else {
            String::new()
        };
        format!(r#"{{"sku":"{sku}","qty":{qty},"price":{price}{note}}}"#)
    };
    let lines: Vec<String> = (0..200).map(line).collect();
    format!(r#"{{"customer":"C-100200","items":[{}]}}"#, lines.join(","))
}

pub(crate) fn figures() -> Vec<Figure> {
    let mut figures = Vec::new();
    figures.extend(shape::<Small, Small>("small", SMALL.to_owned(), SMALL_WRONG.to_owned()));
    figures.extend(shape::<Medium, MediumByPattern>(
        "medium",
        MEDIUM.to_owned(),
        MEDIUM_WRONG.to_owned(),
    ));
    figures.extend(shape::<Large, Large>("large", large(false), large(true)));
    figures.push(Figure {
        name: "arguments.large.by_regex".to_owned(),
        of: FROM_STR,
        contender: guided::<LargeByRegex>(large(false)),
        floor: bare::<LargeByRegex>(large(false)),
    });
    figures
}

const FROM_STR: &str = "serde_json::from_str";

/// What garde can check.
trait Checked: DeserializeOwned + Validate<Context = ()> + 'static {}

impl<T: DeserializeOwned + Validate<Context = ()> + 'static> Checked for T {}

/// Ours, and beside it other ways to the same struct, each over the same floor.
fn shape<T: ToolArg + 'static, G: Checked>(
    name: &str,
    valid: String,
    wrong: String,
) -> Vec<Figure> {
    let beside = |what: &str, of, contender, floor| Figure {
        name: format!("arguments.{name}.{what}"),
        of,
        contender,
        floor,
    };
    let text = || valid.clone();
    vec![
        beside("valid", FROM_STR, guided::<T>(text()), bare::<T>(text())),
        beside("garde", FROM_STR, garde::<G>(text()), bare::<T>(text())),
        beside("value_jsonschema", FROM_STR, value_and_jsonschema::<T>(text()), bare::<T>(text())),
        beside("value", FROM_STR, value::<T>(text()), bare::<T>(text())),
        beside("value_text", FROM_STR, value_and_text::<T>(text()), bare::<T>(text())),
        beside(
            "parsed",
            "a typed read of a parsed value",
            guided_value::<T>(&valid),
            bare_value::<T>(&valid),
        ),
        beside(
            "report",
            "serde_json::from_str's refusal",
            reported::<T>(wrong.clone()),
            bare::<T>(wrong),
        ),
    ]
}

fn bare<T: DeserializeOwned + 'static>(text: String) -> Contender {
    Box::new(move || usize::from(black_box(serde_json::from_str::<T>(&text)).is_ok()))
}

fn guided<T: ToolArg + 'static>(text: String) -> Contender {
    let decoder = Decoder::<T>::new().expect("the type is right");
    Box::new(move || {
        assert!(black_box(decoder.decode(&text)).is_ok());
        1
    })
}

/// Decoded, then checked; it stops at the first thing that does not decode.
fn garde<T: Checked>(text: String) -> Contender {
    Box::new(move || {
        let decoded: T = serde_json::from_str(&text).expect("it is valid");
        black_box(decoded.validate()).expect("it is valid");
        1
    })
}

/// Parsed, judged by the schema, and decoded from the value.
fn value_and_jsonschema<T: ToolArg + 'static>(text: String) -> Contender {
    let decoder = Decoder::<T>::new().expect("the type is right");
    let options = jsonschema::options().should_validate_formats(true);
    let judge = options.build(decoder.schema()).expect("the schema is right");
    Box::new(move || {
        let value: Value = serde_json::from_str(&text).expect("it is valid");
        assert!(judge.is_valid(&value));
        usize::from(black_box(serde_json::from_value::<T>(value)).is_ok())
    })
}

/// Parsed, then decoded from the value, as rmcp does; nothing is checked.
fn value<T: DeserializeOwned + 'static>(text: String) -> Contender {
    Box::new(move || {
        let value: Value = serde_json::from_str(&text).expect("it is valid");
        usize::from(black_box(serde_json::from_value::<T>(value)).is_ok())
    })
}

/// Parsed, written again and decoded, as rig does; nothing is checked.
fn value_and_text<T: DeserializeOwned + 'static>(text: String) -> Contender {
    Box::new(move || {
        let value: Value = serde_json::from_str(&text).expect("it is valid");
        usize::from(black_box(serde_json::from_str::<T>(&value.to_string())).is_ok())
    })
}

fn guided_value<T: ToolArg + 'static>(text: &str) -> Contender {
    let decoder = Decoder::<T>::new().expect("the type is right");
    let value: Value = serde_json::from_str(text).expect("it is valid");
    Box::new(move || {
        assert!(black_box(decoder.decode_value(&value)).is_ok());
        1
    })
}

fn bare_value<T: DeserializeOwned + 'static>(text: &str) -> Contender {
    let value: Value = serde_json::from_str(text).expect("it is valid");
    Box::new(move || usize::from(black_box(T::deserialize(&value)).is_ok()))
}

fn reported<T: ToolArg + 'static>(text: String) -> Contender {
    let decoder = Decoder::<T>::new().expect("the type is right");
    Box::new(move || match black_box(decoder.decode(&text)) {
        Ok(_) => panic!("the arguments are wrong"),
        Err(report) => report.problems().len(),
    })
}
