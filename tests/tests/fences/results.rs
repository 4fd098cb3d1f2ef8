//! What a tool gives back is bounded, and what was cut says so.

use std::time::Instant;

use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use toolkit::ledger::MemoryLedger;
use toolkit::prelude::*;
use toolkit::{Limits, Rows};
use toolkit_tests::{Dice, call, cases, view_of};

/// Gives text.
#[tool(effect = "read", result_limit = 10_000)]
fn text(letters: usize) -> String {
    "é".repeat(letters)
}

/// Gives JSON.
#[tool(effect = "read", result_limit = 10_000)]
fn list(items: usize) -> Vec<usize> {
    (0..items).collect()
}

/// Fails at length.
#[tool(effect = "read", result_limit = 10_000)]
fn fail(letters: usize) -> Result<(), ToolError> {
    Err(ToolError::business("é".repeat(letters)).hint("ß".repeat(letters)))
}

#[test]
fn a_long_text_keeps_its_start_and_its_end_and_says_what_is_missing() {
    let outcome = call(&view_of(Tool::of::<text>()), "text", r#"{"letters":1000000}"#);
    assert_eq!(outcome.status(), Status::Ok);
    assert!(outcome.text().len() <= 10_000 && outcome.text().len() > 9_900);
    assert!(outcome.text().starts_with("éé") && outcome.text().ends_with("éé"));
    let marker = "of 2000000 bytes are left out; at most 10000 are shown";
    assert!(outcome.text().contains(marker), "{}", outcome.text());
    let whole = call(&view_of(Tool::of::<text>()), "text", r#"{"letters":5000}"#);
    assert_eq!(whole.text(), "é".repeat(5_000));
}

#[test]
fn a_long_list_keeps_whole_rows_and_says_how_many_are_left() {
    let outcome = call(&view_of(Tool::of::<list>()), "list", r#"{"items":100000}"#);
    let (rows, note) = outcome.text().split_once('\n').unwrap();
    let rows: Vec<usize> = serde_json::from_str(rows).unwrap();
    assert_eq!(rows, (0..rows.len()).collect::<Vec<_>>());
    assert_eq!(
        note,
        format!(
            "({} of 100000 rows are shown: the result has 588891 bytes, and at most 10000 are \
             shown. {} rows are left: ask for fewer, more narrowly.)",
            rows.len(),
            100_000 - rows.len()
        )
    );
    assert!((9_994..=10_000).contains(&outcome.text().len()), "{}", outcome.text().len());
    assert_eq!((outcome.status(), outcome.value()), (Status::Ok, None));
}

/// What was ordered.
#[arg_type]
struct Found {
    of: String,
    tags: Vec<String>,
    orders: Vec<Vec<String>>,
    total: usize,
}

/// Lists orders.
#[tool(effect = "read", result_limit = 300)]
fn orders(count: usize, letters: usize) -> Found {
    let order = |number: usize| vec![format!("O-{number}, \"] \\"), "é".repeat(letters)];
    let orders: Vec<_> = (0..count).map(order).collect();
    Found { of: "ann [".to_owned(), tags: vec!["a".to_owned()], total: orders.len(), orders }
}

#[test]
fn the_longest_list_of_a_long_object_keeps_whole_rows() {
    let view = view_of(Tool::of::<orders>());
    let told = |count: usize, letters: usize| {
        let arguments = json!({"count": count, "letters": letters}).to_string();
        call(&view, "orders", &arguments).text().to_owned()
    };
    assert_eq!(
        told(20, 3),
        r#"{"of":"ann [","tags":["a"],"orders":[["O-0, \"] \\","ééé"],["O-1, \"] \\","ééé"],["O-2, \"] \\","ééé"],["O-3, \"] \\","ééé"]],"total":20}
(4 of 20 rows of $.orders are shown: the result has 559 bytes, and at most 300 are shown. 16 rows are left: ask for fewer, more narrowly.)"#,
    );
    // Not one row fits.
    assert_eq!(
        told(2, 200),
        "(the result is JSON of 886 bytes; at most 300 are shown. Ask for less.)"
    );
}

/// Lists what is there.
#[tool(effect = "read", result_limit = 256)]
fn page(#[arg(default = 0)] offset: usize, most: usize, of: usize) -> Rows<String> {
    let rows = Rows::of((0..of).map(|number| format!("row {number} [\"{{")));
    rows.from(offset).at_most(most).ask_with("offset")
}

#[test]
fn rows_that_are_longer_than_the_limit_are_asked_for_to_their_end_all_the_same() {
    let view = view_of(Tool::of::<page>());
    for (most, of) in [(1_000, 100), (50, 100), (16, 17), (7, 40)] {
        let mut read: Vec<String> = Vec::new();
        loop {
            let arguments = json!({"offset": read.len(), "most": most, "of": of}).to_string();
            let outcome = call(&view, "page", &arguments);
            assert!(outcome.text().len() <= 256, "{}", outcome.text());
            let value = outcome.value().expect("it is JSON still");
            let rows = value["rows"].as_array().unwrap();
            read.extend(rows.iter().map(|row| row.as_str().unwrap().to_owned()));
            assert_eq!(value["left"], of - read.len(), "{value}");
            let Some(more) = value["more"].as_str() else { break };
            // What was taken off here has no parameter to be asked by where no rows were left.
            if !more.ends_with(&format!("call again with offset {}", read.len())) {
                assert!(more.ends_with("rows are left: ask for fewer, more narrowly"), "{more}");
                assert!(of - (read.len() - rows.len()) <= most, "{value}");
            }
        }
        let all: Vec<String> = (0..of).map(|number| format!("row {number} [\"{{")).collect();
        assert_eq!(read, all);
    }
}

#[test]
fn long_json_without_a_list_is_never_cut_in_its_midst() {
    let tool = Tool::dynamic("tell", "Tells.", json!({}), |_, _| async {
        Ok::<_, ToolError>(json!({"a": "x".repeat(300), "b": {"c": [1, 2, 3]}}))
    });
    let outcome = call(&view_of(tool.result_limit(256)), "tell", "{}");
    assert_eq!(
        outcome.text(),
        "(the result is JSON of 326 bytes; at most 256 are shown. Ask for less.)"
    );
    assert_eq!((outcome.status(), outcome.value()), (Status::Ok, None));
}

/// Pays, and gives what JSON can not say.
#[tool(effect = "write")]
fn pay() -> f64 {
    f64::NAN
}

#[test]
fn an_effect_whose_result_can_not_be_told_happened_and_is_not_repeated() {
    let registry = Registry::builder().tools(tools![pay]).ledger(MemoryLedger::new());
    let view = registry.build().unwrap().view(Caller::new("ann"));
    let outcome = call(&view, "pay", "{}");
    assert_eq!((outcome.status(), outcome.is_retryable()), (Status::Failed, false));
    let again = call(&view, "pay", "{}");
    assert_eq!(again.status(), Status::Duplicate);
    assert!(again.text().contains("pay ran, but its result can not be represented"), "{again:?}");
}

#[test]
fn a_tools_error_is_bounded_as_its_result_is() {
    let outcome = call(&view_of(Tool::of::<fail>()), "fail", r#"{"letters":100000}"#);
    assert_eq!(outcome.status(), Status::Failed);
    assert!(outcome.text().len() <= 10_000 && outcome.hint().unwrap().len() <= 10_000);
    assert!(outcome.structured().to_string().len() < 21_000);
}

#[test]
fn what_says_no_limit_has_the_registrys() {
    /// Gives text.
    #[tool(effect = "read")]
    fn dump(letters: usize) -> String {
        "x".repeat(letters)
    }
    let usual = call(&view_of(Tool::of::<dump>()), "dump", r#"{"letters":100000}"#);
    assert!((65_500..=65_536).contains(&usual.text().len()));
    let limits = Limits { result_bytes: 300, ..Limits::default() };
    let registry = Registry::builder().tools(tools![dump]).limits(limits).build().unwrap();
    let short = call(&registry.view(Caller::new("ann")), "dump", r#"{"letters":301}"#);
    assert!((290..=300).contains(&short.text().len()));
}

#[test]
fn any_text_is_cut_where_a_character_ends() {
    const LETTERS: [&str; 6] = ["a", "é", "語", "🦀", "\n", "\u{200d}"];
    let mut dice = Dice::fresh("cut");
    for _ in 0..cases(500) {
        let given: String = (0..dice.below(900)).map(|_| *dice.pick::<&str>(&LETTERS)).collect();
        let limit = 256 + dice.below(400);
        let text = given.clone();
        let tool = Tool::dynamic("say", "Says.", json!({}), move |_, _| {
            let text = text.clone();
            async move { Ok::<_, ToolError>(text) }
        });
        let outcome = call(&view_of(tool.result_limit(limit)), "say", "{}");
        if given.trim().is_empty() {
            continue;
        }
        let (shown, cut) = (outcome.text(), given.len() > limit);
        assert!(shown.len() <= limit, "{} of {limit}", shown.len());
        assert_eq!(cut, shown != given);
        if cut {
            let (head, rest) = shown.split_once("\n[… ").unwrap();
            let (_, tail) = rest.rsplit_once(" …]\n").unwrap();
            assert!(given.starts_with(head) && given.ends_with(tail));
            let left_out = given.len() - head.len() - tail.len();
            assert!(rest.starts_with(&format!("{left_out} of {} bytes", given.len())), "{rest}");
            assert!(shown.len() > limit - 12, "{} of {limit}", shown.len());
        }
    }
}

#[test]
fn a_hundred_megabytes_are_cut_in_time() {
    /// Gives a lot.
    #[tool(effect = "write")]
    fn flood() -> String {
        "y".repeat(100_000_000)
    }
    let registry = Registry::builder().tools(tools![flood]).ledger(MemoryLedger::new());
    let view = registry.build().unwrap().view(Caller::new("ann"));
    let start = Instant::now();
    let outcome = call(&view, "flood", "{}");
    assert!(start.elapsed().as_secs() < 60);
    assert!((65_500..=65_536).contains(&outcome.text().len()));
    let again = call(&view, "flood", "{}");
    assert_eq!(again.status(), Status::Duplicate);
    assert_eq!(again.result_text(), outcome.text(), "what was cut is what the ledger keeps");
}

/// A list in a list in a list, so deep.
struct Deep(usize);

impl Serialize for Deep {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        if self.0 > 1 {
            list.serialize_element(&Deep(self.0 - 1))?;
        }
        list.end()
    }
}

#[test]
fn a_result_without_end_is_no_result() {
    /// Goes deep.
    #[tool(effect = "write", ledger = none("a test"))]
    fn dive(depth: usize) -> Deep {
        Deep(depth)
    }
    let view = view_of(Tool::of::<dive>());
    let deepest = call(&view, "dive", r#"{"depth":127}"#);
    assert_eq!(deepest.status(), Status::Ok);
    assert!(deepest.value().is_some_and(|value: Value| value.is_array()), "it is read back");
    for depth in ["130", "1000000", "18446744073709551615"] {
        let outcome = call(&view, "dive", &format!("{{\"depth\":{depth}}}"));
        assert_eq!((outcome.status(), outcome.executed()), (Status::Failed, true));
        assert!(outcome.text().starts_with("dive ran, but its result can not be represented"));
        assert!(!outcome.is_retryable());
    }
}
