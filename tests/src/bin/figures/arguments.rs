//! Arguments of three sizes, checked and decoded, beside what decodes or checks them otherwise.

use std::hint::black_box;

use toolkit::prelude::*;
use toolkit::{Decoder, ToolArg};

use crate::Figure;
use crate::measure::Contender;

/// A lookup.
#[derive(Debug)]
#[arg_type]
struct Small {
    #[schemars(length(min = 1, max = 20))]
    order_id: String,
    #[schemars(range(min = 1, max = 100))]
    limit: u32,
}

/// Currency of a payment.
#[derive(Debug)]
#[arg_type]
enum Currency {
    EUR,
    GBP,
    USD,
}

/// A payment.
#[derive(Debug)]
#[arg_type]
struct Medium {
    #[schemars(range(min = 0.01))]
    amount: f64,
    currency: Currency,
    #[schemars(extend("format" = "date"))]
    pay_on: Option<String>,
}

/// An order of many lines.
#[derive(Debug)]
#[arg_type]
struct Large {
    #[schemars(length(min = 1, max = 40))]
    customer: String,
    #[schemars(length(min = 1, max = 500))]
    items: Vec<Line>,
}

/// One line.
#[derive(Debug)]
#[arg_type]
struct Line {
    #[schemars(regex(pattern = r"^[A-Z]{3}-\d{4}$"))]
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
            (true, 40) => "\"5\"".to_owned(),
            (true, 150) => "0".to_owned(),
            _ => (index % 9 + 1).to_string(),
        };
        let price = if wrong && index == 199 { "-1".to_owned() } else { format!("{index}.99") };
        let note = if index % 2 == 0 {
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
    figures.extend(shape::<Small>("small", SMALL.to_owned(), SMALL_WRONG.to_owned()));
    figures.extend(shape::<Medium>("medium", MEDIUM.to_owned(), MEDIUM_WRONG.to_owned()));
    figures.extend(shape::<Large>("large", large(false), large(true)));
    figures
}

fn shape<T: ToolArg + 'static>(name: &str, valid: String, wrong: String) -> Vec<Figure> {
    vec![
        Figure {
            name: format!("arguments.{name}.valid"),
            of: "serde_json::from_str",
            contender: guided::<T>(valid.clone()),
            floor: bare::<T>(valid),
        },
        Figure {
            name: format!("arguments.{name}.report"),
            of: "serde_json::from_str's refusal",
            contender: reported::<T>(wrong.clone()),
            floor: bare::<T>(wrong),
        },
    ]
}

fn bare<T: ToolArg + 'static>(text: String) -> Contender {
    Box::new(move || usize::from(black_box(serde_json::from_str::<T>(&text)).is_ok()))
}

fn guided<T: ToolArg + 'static>(text: String) -> Contender {
    let decoder = Decoder::<T>::new().expect("the type is right");
    Box::new(move || {
        let decoded = black_box(decoder.decode(&text));
        assert!(decoded.is_ok());
        1
    })
}

fn reported<T: ToolArg + 'static>(text: String) -> Contender {
    let decoder = Decoder::<T>::new().expect("the type is right");
    Box::new(move || match black_box(decoder.decode(&text)) {
        Ok(_) => panic!("the arguments are wrong"),
        Err(report) => report.problems().len(),
    })
}
