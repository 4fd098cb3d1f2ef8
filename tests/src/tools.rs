//! Tools of every kind of argument that a signature can have.

use std::collections::{BTreeMap, BTreeSet};
use std::num::{NonZeroI32, NonZeroU8};

use chrono::{DateTime, NaiveDate, Utc};
use serde_json::{Map, Value};
use toolkit::prelude::*;
use url::Url;
use uuid::Uuid;

/// One tool or more for each kind of type.
pub fn annotated() -> Vec<Tool> {
    tools![
        numbers,
        widths,
        texts,
        lists,
        maps,
        keyed,
        structs,
        enums,
        more_enums,
        options,
        constrained,
        others,
        foreign,
        formats,
        ranges
    ]
    .into()
}

/// Tools as programs have them.
pub fn usual() -> Vec<Tool> {
    tools![
        create_payment,
        get_order,
        send_invoice,
        open_ticket,
        book_flight,
        search_documents,
        move_stock,
        add_webhook,
        draw,
        filter_orders
    ]
    .into()
}

/// Numbers.
#[tool]
fn numbers(
    a: Option<i8>,
    b: Option<u16>,
    c: Option<i32>,
    d: Option<u64>,
    e: Option<i16>,
    f: Option<f64>,
    g: Option<NonZeroU8>,
    h: Option<NonZeroI32>,
    i: Option<usize>,
) -> String {
    format!("{a:?} {b:?} {c:?} {d:?} {e:?} {f:?} {g:?} {h:?} {i:?}")
}

/// Texts and simple things.
#[tool]
fn texts(
    a: Option<String>,
    b: Option<char>,
    c: Option<bool>,
    d: Option<Value>,
    e: Option<()>,
    name: &str,
) -> String {
    format!("{a:?} {b:?} {c:?} {d:?} {e:?} {name:?}")
}

/// Lists.
#[tool]
fn lists(
    a: Vec<u8>,
    b: Option<[i32; 2]>,
    c: Option<(u8, String)>,
    d: Option<BTreeSet<u8>>,
    e: Option<Vec<Option<bool>>>,
    f: Option<Vec<Vec<f64>>>,
) -> String {
    format!("{a:?} {b:?} {c:?} {d:?} {e:?} {f:?}")
}

/// Maps.
#[tool]
fn maps(
    a: BTreeMap<String, u8>,
    b: Option<BTreeMap<u32, String>>,
    c: Option<BTreeMap<i8, Plain>>,
    d: Option<BTreeMap<String, Option<u8>>>,
    e: Option<Map<String, Value>>,
) -> String {
    format!("{a:?} {b:?} {c:?} {d:?} {e:?}")
}

/// Maps whose keys are no text.
#[tool]
fn keyed(
    a: BTreeMap<u8, u8>,
    b: Option<BTreeMap<i16, Plain>>,
    c: Option<BTreeMap<NonZeroU8, u8>>,
    d: Option<BTreeMap<char, u8>>,
    e: Option<BTreeMap<bool, Option<u8>>>,
    f: Option<BTreeMap<Key, u8>>,
    g: Option<BTreeMap<Number, BTreeMap<NonZeroI32, bool>>>,
    h: Option<KeyedForm>,
    i: Option<BTreeMap<u64, bool>>,
) -> String {
    format!("{a:?} {b:?} {c:?} {d:?} {e:?} {f:?} {g:?} {h:?} {i:?}")
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
#[arg_type]
enum Key {
    /// The first.
    #[serde(rename = "a")]
    First,
    #[serde(rename = "7")]
    Seventh,
    Extra,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
#[arg_type]
struct Number(i8);

#[derive(Debug)]
#[arg_type]
#[serde(tag = "kind")]
enum KeyedForm {
    #[serde(rename = "x")]
    Letters(BTreeMap<char, u8>),
    #[serde(rename = "usd")]
    Names { a: BTreeMap<Key, u8> },
}

/// A plain one.
#[derive(Debug)]
#[arg_type]
struct Plain {
    a: u8,
    #[serde(default)]
    b: u8,
    name: Option<String>,
}

#[derive(Debug)]
#[arg_type]
struct Newtype(u8);

#[derive(Debug)]
#[arg_type]
struct Unit;

#[derive(Debug)]
#[arg_type]
struct Empty {}

#[derive(Debug)]
#[arg_type]
struct Pair(u8, String);

#[derive(Debug)]
#[arg_type]
#[serde(rename_all = "camelCase", default)]
#[derive(Default)]
struct Renamed {
    kind: u8,
    #[serde(rename = "id")]
    its_own_name: Option<Plain>,
    #[serde(skip)]
    name: String,
}

/// A tree.
#[derive(Debug)]
#[arg_type]
struct Tree {
    name: String,
    #[serde(default)]
    a: Vec<Tree>,
    b: Option<Box<Tree>>,
}

/// Structs.
#[tool]
fn structs(
    a: Plain,
    b: Option<Newtype>,
    c: Option<Unit>,
    d: Option<Empty>,
    e: Option<Pair>,
    f: Option<Renamed>,
    g: Option<Tree>,
    #[arg(default = Renamed::default())] h: Renamed,
) -> String {
    format!("{a:?} {b:?} {c:?} {d:?} {e:?} {f:?} {g:?} {h:?}")
}

#[derive(Debug)]
#[arg_type]
enum Closed {
    EUR,
    /// Dollars.
    #[serde(rename = "usd")]
    Dollar,
    #[serde(rename = "x")]
    Other,
}

#[derive(Debug)]
#[arg_type]
enum External {
    EUR,
    #[serde(rename = "a")]
    One(u8),
    #[serde(rename = "b")]
    Two(u8, String),
    #[serde(rename = "id")]
    Named {
        a: u8,
        name: Option<Plain>,
    },
}

#[derive(Debug)]
#[arg_type]
#[serde(tag = "kind")]
enum Internal {
    EUR,
    #[serde(rename = "usd")]
    Named {
        a: u8,
        #[serde(default)]
        b: bool,
    },
    #[serde(rename = "x")]
    Inner(Plain),
}

/// Enums.
#[tool]
fn enums(
    a: Closed,
    b: Option<External>,
    c: Option<Internal>,
    d: Option<Vec<Internal>>,
    e: Option<BTreeMap<String, External>>,
) -> String {
    format!("{a:?} {b:?} {c:?} {d:?} {e:?}")
}

#[derive(Debug)]
#[arg_type]
#[serde(tag = "kind", content = "a")]
enum Adjacent {
    EUR,
    #[serde(rename = "usd")]
    One(u8),
    #[serde(rename = "x")]
    Named {
        a: u8,
        b: Option<u8>,
    },
}

#[derive(Debug)]
#[arg_type]
#[serde(untagged)]
enum Untagged {
    Number(u8),
    Text(String),
    List(Vec<Untagged>),
    Plain(Plain),
    Nothing(()),
}

/// More enums.
#[tool]
fn more_enums(
    a: Option<Adjacent>,
    b: Option<Untagged>,
    c: Option<Vec<Adjacent>>,
    d: Option<Vec<Untagged>>,
) -> String {
    format!("{a:?} {b:?} {c:?} {d:?}")
}

/// Options.
#[tool]
fn options(
    a: Option<Option<u8>>,
    b: Option<Box<Plain>>,
    c: Option<Vec<Option<Plain>>>,
    #[arg(default = 7)] d: u8,
    #[arg(default = "EUR")] e: Option<Closed>,
) -> String {
    format!("{a:?} {b:?} {c:?} {d:?} {e:?}")
}

/// Constraints.
#[tool]
fn constrained(
    #[arg(minimum = 1, exclusive_maximum = 7)] a: u8,
    #[arg(multiple_of = 0.5, maximum = 100)] b: Option<f64>,
    #[arg(min_length = 1, max_length = 4, pattern = "^[a-zA-Z]+$")] name: Option<String>,
    #[arg(min_items = 1, max_items = 2, unique_items = true)] id: Option<Vec<f64>>,
    #[arg(format = "date")] kind: Option<String>,
) -> String {
    format!("{a:?} {b:?} {name:?} {id:?} {kind:?}")
}

/// The other widths, and a float of 32 bits.
#[tool]
fn widths(
    a: Option<i64>,
    b: Option<u32>,
    c: Option<u8>,
    d: Option<isize>,
    e: Option<f32>,
    f: Option<Vec<i64>>,
    #[arg(minimum = 0.1, maximum = 0.7)] g: Option<f32>,
    #[arg(minimum = -5, multiple_of = 3)] h: Option<i64>,
    #[arg(exclusive_minimum = 0, exclusive_maximum = 10)] i: Option<f64>,
) -> String {
    format!("{a:?} {b:?} {c:?} {d:?} {e:?} {f:?} {g:?} {h:?} {i:?}")
}

/// Types of other crates, whose formats are asserted.
#[tool]
fn foreign(
    day: Option<NaiveDate>,
    at: Option<DateTime<Utc>>,
    id: Option<Uuid>,
    page: Option<Url>,
    address: Option<std::net::IpAddr>,
    four: Option<std::net::Ipv4Addr>,
    days: Option<Vec<NaiveDate>>,
    by_id: Option<BTreeMap<String, Uuid>>,
) -> String {
    format!("{day:?} {at:?} {id:?} {page:?} {address:?} {four:?} {days:?} {by_id:?}")
}

/// What stands in other things.
#[tool]
fn others(
    wait: Option<std::time::Duration>,
    b: Option<std::ops::Range<u8>>,
    c: Option<Box<Tree>>,
    d: Option<(Newtype, Closed, Option<Plain>)>,
    e: Option<BTreeMap<String, Vec<Internal>>>,
    f: Option<[Option<External>; 2]>,
    #[arg(default = vec![1, 2])] g: Vec<u16>,
    h: Option<Result<u8, String>>,
) -> String {
    format!("{wait:?} {b:?} {c:?} {d:?} {e:?} {f:?} {g:?} {h:?}")
}

/// Every format that is asserted.
#[tool]
fn formats(
    #[arg(format = "time")] a: Option<String>,
    #[arg(format = "duration")] b: Option<String>,
    #[arg(format = "hostname")] c: Option<String>,
    #[arg(format = "ipv6")] d: Option<String>,
    #[arg(format = "uri-reference")] e: Option<String>,
    #[arg(format = "regex")] f: Option<String>,
    #[arg(format = "json-pointer")] g: Option<String>,
    #[arg(format = "email", max_length = 30)] h: String,
    #[arg(min_items = 1, max_items = 1)] i: Option<Vec<Url>>,
) -> String {
    format!("{a:?} {b:?} {c:?} {d:?} {e:?} {f:?} {g:?} {h:?} {i:?}")
}

/// Bounds of every form.
#[tool]
fn ranges(
    #[arg(maximum = -3)] a: Option<f64>,
    #[arg(exclusive_minimum = 3)] b: Option<f64>,
    #[arg(exclusive_maximum = 3)] c: Option<f64>,
    #[arg(exclusive_minimum = 3, maximum = 4)] d: Option<f64>,
    #[arg(exclusive_minimum = 3, multiple_of = 2)] e: Option<f64>,
    #[arg(exclusive_minimum = 3, exclusive_maximum = 9, multiple_of = 2.5)] f: Option<f64>,
    #[arg(minimum = 3, maximum = 9, multiple_of = 2)] g: Option<i64>,
    #[arg(minimum = 3, exclusive_maximum = 9, multiple_of = 2)] h: Option<i64>,
    #[arg(maximum = 3, multiple_of = 2)] i: Option<i64>,
    #[arg(exclusive_maximum = 3, multiple_of = 2)] j: Option<i64>,
    #[arg(max_items = 1)] k: Option<Vec<u8>>,
    #[arg(min_length = 2, max_length = 2)] l: Option<String>,
    #[arg(multiple_of = 1.5)] m: Option<i64>,
) -> String {
    format!("{a:?} {b:?} {c:?} {d:?} {e:?} {f:?} {g:?} {h:?} {i:?} {j:?} {k:?} {l:?} {m:?}")
}

/// Currency of a payment.
#[derive(Debug)]
#[arg_type]
enum Currency {
    EUR,
    GBP,
    USD,
}

/// Pays a customer.
#[tool]
fn create_payment(
    #[arg(minimum = 0.01)] amount: f64,
    currency: Currency,
    #[arg(format = "date")] pay_on: Option<String>,
) -> String {
    format!("{amount} {currency:?} {pay_on:?}")
}

/// Looks an order up.
#[tool]
fn get_order(#[arg(pattern = r"^O-\d+$")] order_id: &str, with_lines: Option<bool>) -> String {
    format!("{order_id} {with_lines:?}")
}

#[derive(Debug)]
#[arg_type]
struct Line {
    #[schemars(length(min = 1, max = 20))]
    article: String,
    #[schemars(range(min = 1, max = 99))]
    quantity: u32,
    #[schemars(range(min = 0.0))]
    unit_price: f64,
    discount: Option<Discount>,
}

#[derive(Debug)]
#[arg_type]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Discount {
    Percent {
        #[schemars(range(min = 1, max = 100))]
        value: u8,
    },
    Amount {
        value: f64,
        currency: Currency,
    },
}

#[derive(Debug)]
#[arg_type]
struct Address {
    street: String,
    #[schemars(regex(pattern = r"^[0-9]{5}$"))]
    zip_code: String,
    city: String,
    country: Option<String>,
}

/// Sends an invoice.
#[tool]
fn send_invoice(
    #[arg(format = "email")] recipient: &str,
    billing_address: Address,
    #[arg(min_items = 1, max_items = 5)] lines: Vec<Line>,
    #[arg(default = 14, minimum = 0, maximum = 90)] due_in_days: u16,
) -> String {
    format!("{recipient} {billing_address:?} {lines:?} {due_in_days}")
}

#[derive(Debug)]
#[arg_type]
enum Priority {
    Low,
    Normal,
    High,
}

/// Opens a ticket.
#[tool]
fn open_ticket(
    #[arg(min_length = 3, max_length = 60)] subject: &str,
    priority: Priority,
    #[arg(unique_items = true, max_items = 4)] labels: Option<Vec<String>>,
    reporter: Uuid,
) -> String {
    format!("{subject} {priority:?} {labels:?} {reporter}")
}

/// Books a flight.
#[tool]
fn book_flight(
    #[arg(pattern = "^[A-Z]{3}$")] origin: &str,
    #[arg(pattern = "^[A-Z]{3}$")] destination: &str,
    departure: NaiveDate,
    returning: Option<NaiveDate>,
    #[arg(minimum = 1, maximum = 9)] passengers: u8,
    #[arg(default = false)] flexible: bool,
) -> String {
    format!("{origin} {destination} {departure} {returning:?} {passengers} {flexible}")
}

/// Searches.
#[tool]
fn search_documents(
    query: &str,
    #[arg(exclusive_minimum = 0, maximum = 50)] limit: Option<u32>,
    #[arg(minimum = 0, maximum = 1, multiple_of = 0.05)] least_score: Option<f64>,
    created_after: Option<DateTime<Utc>>,
) -> String {
    format!("{query} {limit:?} {least_score:?} {created_after:?}")
}

/// Moves.
#[tool]
fn move_stock(from: Warehouse, to: Warehouse, articles: BTreeMap<String, u32>) -> String {
    format!("{from:?} {to:?} {articles:?}")
}

#[derive(Debug)]
#[arg_type]
#[serde(tag = "type", content = "place")]
enum Warehouse {
    Main,
    Branch(String),
    Shelf { row: u8, column: u8 },
}

/// Sets up a webhook.
#[tool]
fn add_webhook(
    url: Url,
    #[arg(min_items = 1)] events: Vec<Event>,
    #[arg(min_length = 8)] secret: &str,
    retries: Option<[u16; 3]>,
) -> String {
    format!("{url} {events:?} {secret} {retries:?}")
}

#[derive(Debug)]
#[arg_type]
#[serde(rename_all = "kebab-case")]
enum Event {
    Paid,
    OutForDelivery,
    Cancelled,
}

/// Draws.
#[tool]
fn draw(shapes: Vec<Shape>, background: Option<(u8, u8, u8)>) -> String {
    format!("{shapes:?} {background:?}")
}

#[derive(Debug)]
#[arg_type]
enum Shape {
    Empty,
    Circle { center: Point, radius: f64 },
    Polygon(Vec<Point>),
}

#[derive(Debug)]
#[arg_type]
struct Point {
    x: f64,
    y: f64,
}

/// Filters.
#[tool]
fn filter_orders(filter: Filter, page: Option<u32>) -> String {
    format!("{filter:?} {page:?}")
}

#[derive(Debug)]
#[arg_type]
#[serde(tag = "op", rename_all = "snake_case")]
enum Filter {
    Equals { field: String, value: String },
    Between { field: String, least: i32, most: i32 },
    All { parts: Vec<Filter> },
}
