//! What the targets hold the decoder, the gates and what people and providers are shown to.

mod canonical;
mod replies;
mod rows;
mod shown;

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::fs;
use std::time::{Duration, Instant};

use serde_json::Value;
use toolkit::prelude::*;
use toolkit::{Decoder, Limits, Report, ToolArg};

pub use canonical::canonical;
pub use replies::replies;
pub use rows::rows;
pub use shown::shown;

#[derive(Debug, PartialEq)]
#[arg_type]
pub struct Point {
    x: i32,
    y: Option<f32>,
    #[serde(default)]
    z: u64,
}

#[derive(Debug, PartialEq)]
#[arg_type]
pub enum External {
    Unit,
    Newtype(Box<External>),
    Tuple(u8, bool),
    Struct { a: Option<u8>, b: Vec<External> },
}

#[derive(Debug, PartialEq)]
#[arg_type]
#[serde(tag = "t")]
pub enum Internal {
    Unit,
    Newtype(Point),
    Struct { next: Option<Box<Internal>> },
}

#[derive(Debug, PartialEq)]
#[arg_type]
#[serde(untagged)]
pub enum Untagged {
    Flag(bool),
    Number(f64),
    Text(String),
    List(Vec<Untagged>),
    Point(Point),
}

#[derive(Debug, PartialEq)]
#[arg_type]
pub struct All {
    #[schemars(range(min = 0.5, max = 1e6))]
    number: Option<f64>,
    #[schemars(length(min = 1, max = 9), regex(pattern = r"^[a-z]+-\d*$"))]
    text: Option<String>,
    #[schemars(extend("format" = "date"))]
    date: Option<String>,
    #[schemars(length(max = 5))]
    list: Option<Vec<Option<i8>>>,
    set: Option<BTreeSet<i64>>,
    map: Option<BTreeMap<String, Point>>,
    keyed: Option<BTreeMap<u16, bool>>,
    pair: Option<(char, u8)>,
    external: Option<External>,
    internal: Option<Internal>,
    untagged: Option<Untagged>,
    any: Option<Value>,
    all: Option<Box<All>>,
}

/// Takes everything.
#[tool(effect = "read")]
fn everything(
    #[arg(multiple_of = 0.25)] number: Option<f64>,
    #[arg(unique_items = true, max_items = 9)] list: Option<Vec<i8>>,
    #[arg(default = 7)] whole: i64,
    all: Option<All>,
    any: Option<Value>,
) -> String {
    format!("{number:?} {list:?} {whole} {all:?} {any:?}")
}

/// Takes everything, and shows it to an approver.
#[tool(effect = "write", ledger = none("a test calls it again and again"), approval(true))]
fn change(
    #[arg(multiple_of = 0.25)] number: Option<f64>,
    #[arg(unique_items = true, max_items = 9)] list: Option<Vec<i8>>,
    #[arg(default = 7)] whole: i64,
    all: Option<All>,
    any: Option<Value>,
) -> String {
    format!("{number:?} {list:?} {whole} {all:?} {any:?}")
}

/// The tools that every target calls.
fn tools() -> [Tool; 2] {
    tools![everything, change]
}

struct Held {
    all: Decoder<All>,
    any: Decoder<Value>,
    map: Decoder<BTreeMap<String, Untagged>>,
    view: View,
}

impl Held {
    fn new() -> Self {
        let registry = Registry::builder()
            .tools(tools())
            .approver(|_: ApprovalRequest| async { Decision::Approved });
        Self {
            all: Decoder::new().expect("the schema is right"),
            any: Decoder::new().expect("the schema is right"),
            map: Decoder::new().expect("the schema is right"),
            view: registry.build().expect("the registry is right").view(Caller::new("fuzz")),
        }
    }
}

thread_local! {
    static HELD: LazyCell<Held> = LazyCell::new(Held::new);
}

/// Asks every decoder and both tools about a text, and the decoders about the value that it is.
pub fn text(text: &str) {
    HELD.with(|held| {
        in_time(text.len(), || {
            read(&held.all, text);
            read(&held.any, text);
            read(&held.map, text);
            dispatch(&held.view, text);
        });
    });
}

/// Asks every decoder about a value, which must be told what its text is told.
pub fn value(value: &Value) {
    HELD.with(|held| {
        let text = value.to_string();
        in_time(text.len(), || {
            same(&held.all, value, &text);
            same(&held.any, value, &text);
            same(&held.map, value, &text);
            dispatch(&held.view, &text);
        });
    });
}

fn read<T: ToolArg + Debug + PartialEq>(decoder: &Decoder<T>, text: &str) {
    let Ok(read) = checked(decoder.decode(text)) else { return };
    // What is accepted is JSON, and is accepted after the space of another writer as well.
    if text.trim().is_empty() || text.trim() == "null" {
        return;
    }
    let raw: &serde_json::value::RawValue = serde_json::from_str(text).expect("it is JSON");
    let again = checked(decoder.decode(&format!(" {}\n", raw.get())));
    assert_eq!(
        again.ok(),
        Some(read).filter(|_| text.len() + 2 <= Limits::default().argument_bytes)
    );
}

fn same<T: ToolArg + Debug + PartialEq>(decoder: &Decoder<T>, value: &Value, text: &str) {
    let given = checked(decoder.decode_value(value));
    let read = checked(decoder.decode(text));
    assert_eq!(given.is_ok(), read.is_ok(), "{given:?} and {read:?}");
    if let (Ok(given), Ok(read)) = (given, read) {
        assert_eq!(given, read);
    }
}

/// A refusal has a reason, of bounded size.
fn checked<T>(decoded: Result<T, Report>) -> Result<T, Report> {
    if let Err(report) = &decoded {
        assert!(!report.problems().is_empty(), "refused without a problem");
        let size = report.to_string().len();
        assert!(size <= Limits::default().report_bytes + 64, "a report of {size} bytes");
    }
    decoded
}

/// The way by canonical arguments and the way by the text as it came end alike.
fn dispatch(view: &View, text: &str) {
    let outcome = |tool: &str| {
        let call = ToolCall::new("c", tool, text);
        view.dispatch_blocking(call, Options::default()).expect("nothing is fatal")
    };
    let (read, written) = (outcome("everything"), outcome("change"));
    assert!(matches!(read.status(), Status::Ok | Status::Invalid), "{read:?}");
    assert_eq!(read.status(), written.status(), "{read:?} and {written:?}");
    if read.status() == Status::Invalid {
        assert_eq!(read.text(), written.text());
    }
}

/// Nothing is slower than 10 ms a KiB; what seems to be is measured again.
fn in_time(bytes: usize, work: impl Fn()) {
    // A sanitizer slows everything down, and five things are asked, not one.
    const FACTOR: u32 = 8;
    let kibibytes = u32::try_from(bytes.div_ceil(1024)).unwrap_or(u32::MAX).max(1);
    let bound = Duration::from_millis(10) * kibibytes * FACTOR;
    let start = Instant::now();
    work();
    if start.elapsed() <= bound {
        return;
    }
    // Others may have had the processor meanwhile.
    let is_in_time = || {
        let before = on_processor();
        work();
        on_processor().saturating_sub(before) <= bound
    };
    assert!((0..3).any(|_| is_in_time()), "more than {bound:?} for {bytes} bytes");
}

/// How long this thread has had a processor, as Linux counts it.
fn on_processor() -> Duration {
    let told = fs::read_to_string("/proc/thread-self/schedstat").expect("Linux tells of a thread");
    let nanoseconds = told.split_whitespace().next().and_then(|first| first.parse().ok());
    Duration::from_nanos(nanoseconds.expect("it is a number"))
}
