//! Types of a user's own, with and without helper attributes.

#![deny(warnings)]

use toolkit::prelude::*;

/// Currency of a payment.
#[arg_type]
#[derive(Debug, Clone, Copy, PartialEq)]
enum Currency {
    EUR,
    GBP,
}

#[arg_type]
enum Sort {
    Oldest,
    /// The newest first.
    Newest,
    Random,
}

#[arg_type]
#[derive(Default)]
#[serde(rename_all = "camelCase", default)]
struct Address {
    street_name: String,
    #[serde(rename = "no")]
    number: Option<u32>,
}

#[arg_type]
struct Order {
    address: Address,
    lines: Vec<Line>,
    currency: Option<Currency>,
}

#[arg_type]
struct Line(String, u32);

#[arg_type]
struct Cents(u64);

#[arg_type]
struct Words(Vec<String>);

#[arg_type]
#[serde(transparent)]
struct Code {
    code: String,
}

#[arg_type]
#[serde(tag = "kind")]
enum Shape {
    Circle { radius: f64 },
    Point,
}

#[arg_type]
#[serde(untagged)]
enum Either {
    Text { text: String },
    Number(u8),
}

#[arg_type]
#[serde(deny_unknown_fields)]
struct Page<T> {
    items: Vec<T>,
}

#[arg_type]
struct Wrapped<T>(T);

#[arg_type]
struct Nothing;

/// Orders.
#[tool]
#[allow(clippy::too_many_arguments)]
async fn order(
    order: Order,
    lent: &Order,
    #[arg(default = Currency::EUR)] currency: Currency,
    sort: Option<Sort>,
    #[arg(minimum = 1)] cents: Cents,
    #[arg(min_items = 1)] words: Option<Words>,
    #[arg(minimum = 1)] wrapped: Wrapped<u8>,
    code: Code,
    shapes: &[Shape],
    either: Either,
    page: Page<Cents>,
) -> Result<Page<Order>, Failure> {
    let _ = (&order.lines, &lent.currency, lent.address.number, &lent.address.street_name);
    let _ = (currency, sort, cents.0, words.map(|words| words.0), wrapped.0, code.code);
    let _ = (shapes, either, page.items);
    let Line(_, _) = Line(String::new(), 1);
    let _ = (Sort::Oldest, Sort::Newest, Sort::Random, Currency::GBP, Nothing);
    let _ = (Shape::Circle { radius: 1.0 }, Shape::Point, Either::Number(1));
    Ok(Page { items: vec![order] })
}

fn main() {
    let _: [Tool; 1] = tools![order];
}
