//! What decoding costs: allocations beside the bare decode, and work in proportion to the input.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::hint::black_box;
use std::time::{Duration, Instant};

use allocation_counter::{AllocationInfo, measure};
use serde_json::{Value, json};
use toolkit::prelude::*;
use toolkit::{Decoder, Effect, Limits, Options, ToolArg};
use toolkit_tests::catalogue;

/// Currency of a payment.
#[derive(Debug)]
#[arg_type]
enum Currency {
    EUR,
    USD,
}

#[derive(Debug)]
#[arg_type]
struct Item {
    #[schemars(regex(pattern = r"^[A-Z]{3}-[0-9]{4}$"))]
    sku: String,
    #[schemars(range(min = 1, max = 99))]
    count: u8,
    #[schemars(range(min = 0))]
    price: f64,
    currency: Currency,
    note: Option<String>,
    at: (f64, f64),
    #[serde(default)]
    tags: Vec<String>,
    #[schemars(extend("format" = "date"))]
    on: String,
    flags: Option<[bool; 2]>,
    prices: BTreeMap<String, i64>,
}

#[derive(Debug)]
#[arg_type]
struct Order {
    items: Vec<Item>,
    #[schemars(length(min = 1, max = 100))]
    customer: String,
    parent: Option<Box<Order>>,
}

fn item(spelling: usize) -> Value {
    let mut item = json!({
        "sku": "ABC-1234", "count": 3, "price": 12.5, "currency": "EUR", "at": [1, -2.5],
        "on": "2026-11-30", "prices": {"EUR": 1, "größer": -5, "": 0},
    });
    match spelling % 4 {
        0 => {}
        1 => item["note"] = json!("a \"quoted\" note\n"),
        2 => item["note"] = Value::Null,
        _ => {
            item["tags"] = json!(["a", "b", "c"]);
            item["flags"] = json!([true, false]);
        }
    }
    item
}

/// The allocations of decoding a text bare, of decoding it checked, and of doing so from a value.
fn allocations<T: ToolArg + Debug>(text: &str) -> [u64; 3] {
    let decoder = Decoder::<T>::new().unwrap();
    let value: Value = serde_json::from_str(text).unwrap();
    // What is made once, like a regular expression's cache, is made here.
    decoder.decode(text).unwrap();
    decoder.decode_value(&value).unwrap();
    let count = |work: &dyn Fn()| measure(work).count_total;
    [
        count(&|| drop(black_box(serde_json::from_str::<T>(text).unwrap()))),
        count(&|| drop(black_box(decoder.decode(text).unwrap()))),
        count(&|| drop(black_box(decoder.decode_value(&value).unwrap()))),
    ]
}

#[test]
fn a_right_text_is_decoded_with_no_allocation_more_than_bare() {
    let order = json!({
        "items": (0..40).map(item).collect::<Vec<_>>(),
        "customer": "ada",
        "parent": {"items": [], "customer": "bob", "parent": null},
    });
    for text in [order.to_string(), serde_json::to_string_pretty(&order).unwrap()] {
        let [bare, checked, _] = allocations::<Order>(&text);
        assert!(checked <= bare, "{checked} allocations, bare {bare}");
    }
    // Fields in another order, and a number that asks for exact decimals.
    let turned = r#"{"prices":{},"on":"2026-11-30","at":[0.1,2],"currency":"USD","price":0.10,"count":9,"sku":"ABC-1234"}"#;
    let [bare, checked, given] = allocations::<Item>(turned);
    assert!(checked <= bare && given <= bare, "{checked} and {given} allocations, bare {bare}");
}

/// What must be told apart from what came before can not be forgotten.
#[test]
fn only_the_names_of_large_maps_and_what_is_judged_as_a_whole_are_kept() {
    let map = |count: usize| {
        let members = (0..count).map(|n| (format!("k{n}"), json!(n)));
        Value::Object(members.collect()).to_string()
    };
    let [bare, checked, _] = allocations::<BTreeMap<String, usize>>(&map(8));
    assert_eq!(checked, bare);
    let [bare, checked, _] = allocations::<BTreeMap<String, usize>>(&map(1_000));
    // A tree of names, which borrows them: no allocation a name.
    assert!(checked > bare && checked < bare + 400, "{checked} allocations, bare {bare}");
}

const RAISED: Limits = Limits {
    argument_bytes: 64 << 20,
    depth: 32,
    values: 4_000_000,
    problems: 32,
    report_bytes: 4_096,
    shown_chars: 80,
    result_bytes: usize::MAX,
    at_once: 64,
    lost_threads: 64,
};

#[derive(Debug)]
#[arg_type]
#[serde(untagged)]
enum Form {
    Flag(bool),
    Numbers(Vec<u32>),
    Pair { left: u8, right: u8 },
    Other { left: String },
}

#[derive(Debug)]
#[arg_type]
struct Large {
    number: Option<f64>,
    whole: Option<i64>,
    text: Option<String>,
    list: Option<Vec<u8>>,
    set: Option<BTreeSet<u32>>,
    forms: Option<Vec<Form>>,
    map: Option<BTreeMap<String, u32>>,
    keyed: Option<BTreeMap<u64, u32>>,
    any: Option<Value>,
}

fn joined(count: usize, each: impl FnMut(usize) -> String) -> String {
    (0..count).map(each).collect::<Vec<_>>().join(",")
}

/// Arguments of about so many bytes, of every kind that has cost somebody too much.
fn large(bytes: usize) -> Vec<(&'static str, String)> {
    let number = |n: usize| n.to_string();
    vec![
        ("brackets", "[".repeat(bytes)),
        ("brackets inside", format!("{{\"any\":{}", "[".repeat(bytes))),
        ("braces", "{\"any\":".repeat(bytes / 7)),
        ("space", format!("{{{}}}", " ".repeat(bytes))),
        ("digits", format!("{{\"number\":{}}}", "7".repeat(bytes))),
        ("digits of a whole", format!("{{\"whole\":{}}}", "7".repeat(bytes))),
        ("a fraction", format!("{{\"number\":0.{}1}}", "0".repeat(bytes))),
        ("an exponent", format!("{{\"number\":1e{}}}", "9".repeat(bytes))),
        ("zeros and an exponent", format!("{{\"number\":1{}e-5}}", "0".repeat(bytes))),
        (
            "many numbers",
            format!("{{\"any\":[{}]}}", joined(bytes / 10_000, |_| "7".repeat(10_000))),
        ),
        ("a name", format!("{{\"{}\":1}}", "k".repeat(bytes))),
        ("a name of escapes", format!("{{\"{}\":1}}", "\\u006b".repeat(bytes / 6))),
        ("many names", format!("{{\"map\":{{{}}}}}", joined(bytes / 12, |n| format!("\"{n}\":1")))),
        (
            "names out of order",
            format!(
                "{{\"map\":{{{}}}}}",
                joined(bytes / 12, |n| format!("\"{}\":1", n.wrapping_mul(7_919) % 1_000_003))
            ),
        ),
        ("many fields too much", format!("{{{}}}", joined(bytes / 12, |n| format!("\"f{n}\":1")))),
        (
            "one name again and again",
            format!("{{\"map\":{{{}}}}}", joined(bytes / 6, |_| "\"a\":1".to_owned())),
        ),
        ("keys", format!("{{\"keyed\":{{{}}}}}", joined(bytes / 12, |n| format!("\"{n}\":1")))),
        ("text", format!("{{\"text\":\"{}\"}}", "x".repeat(bytes))),
        ("text of escapes", format!("{{\"text\":\"{}\"}}", "\\n".repeat(bytes / 2))),
        ("text that does not end", format!("{{\"text\":\"{}", "x".repeat(bytes))),
        ("a list", format!("{{\"list\":[{}]}}", joined(bytes / 2, |_| "7".to_owned()))),
        ("a wrong list", format!("{{\"list\":[{}]}}", joined(bytes / 4, |_| "700".to_owned()))),
        ("a set", format!("{{\"set\":[{}]}}", joined(bytes / 7, number))),
        ("a set of one", format!("{{\"set\":[{}]}}", joined(bytes / 2, |_| "7".to_owned()))),
        (
            "forms",
            format!("{{\"forms\":[{}]}}", joined(bytes / 20, |n| format!("{{\"left\":\"{n}\"}}"))),
        ),
        ("a long form", format!("{{\"forms\":[[{}]]}}", joined(bytes / 7, number))),
        (
            "wrong forms",
            format!("{{\"forms\":[{}]}}", joined(bytes / 12, |n| format!("{{\"left\":{n}}}"))),
        ),
        ("objects", format!("{{\"any\":[{}]}}", joined(bytes / 8, |_| "{\"a\":1}".to_owned()))),
    ]
}

/// The least time of a few rounds.
fn least(work: &dyn Fn()) -> Duration {
    let round = || {
        let start = Instant::now();
        work();
        start.elapsed()
    };
    (0..3).map(|_| round()).min().unwrap_or_default()
}

#[test]
fn work_and_memory_grow_in_proportion_to_the_input() {
    const SMALL: usize = 10_000;
    const GROWTH: usize = 8;
    let decoder = Decoder::<Large>::new().unwrap().limits(RAISED);
    let decode = |text: &str| drop(black_box(decoder.decode(text)));
    for ((name, small), (_, large)) in large(SMALL).into_iter().zip(large(SMALL * GROWTH)) {
        let used = |text: &str| measure(|| decode(text));
        println!("{name}: {:?} for {} bytes", least(&|| decode(&small)), small.len());
        let (few, many): (AllocationInfo, AllocationInfo) = (used(&small), used(&large));
        // A problem is told in full, so that the few hundred bytes of a report are added.
        let bound = few.bytes_total * 3 * u64::try_from(GROWTH).unwrap() / 2 + 200_000;
        assert!(many.bytes_total <= bound, "{name}: {few:?}, then {many:?}");
        let most = u64::try_from(large.len()).unwrap() * 256 + 200_000;
        assert!(many.bytes_max <= most, "{name}: {} bytes at once", many.bytes_max);
        // Quadratic work would be 64 times as much; noise is measured again.
        let is_in_proportion = (0..5).any(|_| {
            let small = least(&|| decode(&small)).max(Duration::from_micros(100));
            least(&|| decode(&large)) < small * 40
        });
        assert!(is_in_proportion, "{name} takes too long");
    }
}

/// What is beyond a limit costs what is within it, and no more.
#[test]
fn memory_is_bounded_by_the_limits_however_much_is_sent() {
    let decoder = Decoder::<Large>::new().unwrap();
    for (name, text) in large(10 << 20) {
        let used = measure(|| drop(black_box(decoder.decode(&text))));
        assert!(used.bytes_total < 100_000, "{name}: {used:?}");
    }
    for (name, text) in large(60_000) {
        let used = measure(|| drop(black_box(decoder.decode(&text))));
        assert!(used.bytes_max < 8 << 20, "{name}: {used:?}");
    }
}

#[test]
fn an_index_of_a_thousand_tools_takes_less_than_a_mebibyte() {
    let view = catalogue::view(&catalogue::times_over(&catalogue::everything(), 1_000));
    let kept = measure(|| {
        black_box(view.search("anything", 1));
    });
    println!("{} bytes for 1,000 tools", kept.bytes_current);
    assert!((1..1 << 20).contains(&kept.bytes_current), "{kept:?}");
}

/// Empties the books.
#[tool(effect = "read", scopes("books:write"))]
fn empty_the_books(pages: Vec<u64>) -> usize {
    pages.len()
}

/// Reads the books.
#[tool(effect = "read")]
fn read_the_books() {}

/// They differ by what the host is told, whatever they are given and however many tools there are:
/// nothing is done for either.
#[test]
fn a_call_of_a_hidden_tool_takes_what_one_of_an_unknown_name_takes() {
    let run = |arguments: Value, _: CallContext| async move { Ok::<_, Failure>(arguments) };
    let others = (0..300).map(|number| {
        let schema = json!({"type": "object"});
        let tool = Tool::dynamic(format!("other_{number}"), "Repeats.", schema, run);
        Tool::from(tool.effect(Effect::Read).scopes(["others:read"]))
    });
    let registry = Registry::builder().tools(tools![empty_the_books, read_the_books]).tools(others);
    let view = registry.build().unwrap().view(Caller::new("ann"));
    let wrong = format!("{{\"pages\":[{}]}}", joined(10_000, |_| "\"x\"".to_owned()));
    for arguments in ["{}", r#"{"pages": [1, 2]}"#, "{", &wrong] {
        let used = |name: &str| {
            let call = || ToolCall::new("call_1", name, arguments);
            black_box(view.dispatch_blocking(call(), Options::default()).unwrap());
            measure(|| drop(black_box(view.dispatch_blocking(call(), Options::default()))))
        };
        let (hidden, unknown) = (used("empty_the_books"), used("enter_the_lists"));
        let bytes = hidden.bytes_total.abs_diff(unknown.bytes_total);
        assert_eq!(hidden.count_total, unknown.count_total, "{arguments}");
        assert!(bytes < 100, "{hidden:?}, and {unknown:?}");
    }
}
