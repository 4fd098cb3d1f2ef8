//! What users of other frameworks have reported about arguments and their errors, as calls to ours.

use std::fmt::Write as _;

use serde_json::Value;
use toolkit::dialect::{Message, Reply};
use toolkit::prelude::*;
use toolkit::{Agent, ScriptedModel};
use toolkit_tests::{call, view_of};

/// What a call of the tool came to.
fn said(tool: Tool, arguments: &str) -> (Status, String) {
    let name = tool.name().to_owned();
    let outcome = call(&view_of(tool), &name, arguments);
    (outcome.status(), outcome.text().to_owned())
}

fn ok(text: &str) -> (Status, String) {
    (Status::Ok, text.to_owned())
}

fn invalid(text: &str) -> (Status, String) {
    (Status::Invalid, text.to_owned())
}

#[test]
fn text_that_looks_like_json_stays_text() {
    /// Saves.
    #[tool]
    fn save(content: String) -> String {
        format!("{} bytes: {content}", content.len())
    }
    let sent = r#"{"content":"{\"a\":1}"}"#;
    assert_eq!(said(Tool::of::<save>(), sent), ok(r#"7 bytes: {"a":1}"#));
}

#[test]
fn numbers_sent_as_text_are_all_told_at_once_each_with_its_fix() {
    /// Tops.
    #[tool]
    fn top(n: u32, of: u32) -> u32 {
        n + of
    }
    let top = || Tool::of::<top>();
    let range = "an integer from 0 to 4294967295";
    assert_eq!(
        said(top(), r#"{"n":"5","of":"5x"}"#),
        invalid(&format!(
            "$.n: expected {range}, got text \"5\" (write 5 without quotes)\n\
             $.of: expected {range}, got text \"5x\""
        ))
    );
}

#[test]
fn an_integer_may_have_a_fraction_of_zeros() {
    /// Waits.
    #[tool]
    fn wait(ms: u64) -> String {
        format!("waited {ms}")
    }
    let wait = || Tool::of::<wait>();
    assert_eq!(said(wait(), r#"{"ms":120000.0}"#), ok("waited 120000"));
    assert_eq!(
        said(wait(), r#"{"ms":5.5}"#),
        invalid("$.ms: expected an integer at least 0, got 5.5")
    );
    assert_eq!(
        said(wait(), r#"{"ms":1e20}"#),
        invalid("$.ms: expected an integer from 0 to 18446744073709551615, got 1e20")
    );
}

#[test]
fn nothing_but_true_and_false_is_a_bool() {
    /// Deletes.
    #[tool]
    fn delete(id: u64, all: bool) -> String {
        panic!("deleted {id} {all}")
    }
    for (sent, shown) in [
        (r#""false""#, r#"text "false" (write false without quotes)"#),
        ("0", "0"),
        ("1", "1"),
        (r#""no""#, r#"text "no""#),
        (r#""""#, r#"text """#),
    ] {
        let arguments = format!(r#"{{"id":7,"all":{sent}}}"#);
        let report = format!("$.all: expected true or false, got {shown}");
        assert_eq!(said(Tool::of::<delete>(), &arguments), invalid(&report));
    }
}

#[test]
fn null_is_absence_where_an_argument_may_be_absent_and_nowhere_else() {
    /// Searches.
    #[tool]
    fn search(
        q: String,
        limit: Option<u32>,
        #[arg(default = false)] verbose: bool,
        #[arg(default = 10)] page: u32,
    ) -> String {
        format!("{q} {limit:?} {verbose} {page}")
    }
    let search = || Tool::of::<search>();
    let nulls = r#"{"q":"x","limit":null,"verbose":null,"page":null}"#;
    assert_eq!(said(search(), nulls), ok("x None false 10"));
    assert_eq!(said(search(), r#"{"q":null}"#), invalid("$.q: expected text, got null"));
}

#[test]
fn blank_arguments_are_none_and_then_judged_as_any_others() {
    /// Tells the time.
    #[tool]
    fn now() -> String {
        "noon".to_owned()
    }
    /// Gets.
    #[tool]
    fn get(id: u64) -> u64 {
        id
    }
    for blank in ["", "   "] {
        assert_eq!(said(Tool::of::<now>(), blank), ok("noon"));
        let missing = r#"$: missing required field 'id' (an integer at least 0), like {"id":0}"#;
        assert_eq!(said(Tool::of::<get>(), blank), invalid(missing));
    }
}

#[test]
fn nothing_is_filled_by_its_position() {
    #[derive(Debug)]
    #[arg_type]
    struct Inner {
        x: i32,
    }
    /// Makes.
    #[tool]
    fn make(a: i32, b: bool, c: String) -> String {
        format!("{a} {b} {c}")
    }
    /// Puts.
    #[tool]
    fn put(p: Inner) -> i32 {
        p.x
    }
    assert_eq!(
        said(Tool::of::<make>(), r#"[1,true,"x"]"#),
        invalid("$: expected an object with the arguments, got a list")
    );
    assert_eq!(
        said(Tool::of::<put>(), r#"{"p":[7]}"#),
        invalid(r#"$.p: expected an object, like {"x":0}, got a list"#)
    );
}

#[test]
fn what_follows_the_object_is_refused_and_shown() {
    /// Searches.
    #[tool]
    fn search(q: String) -> String {
        q
    }
    for (after, shown) in [("\n\nI will now", "I will now"), ("<|call|>", "<|call|>"), ("{}", "{}")]
    {
        let report =
            format!("$: there is text after the JSON object: \"{shown}\". Send the object alone");
        let sent = format!(r#"{{"q":"todo"}}{after}"#);
        assert_eq!(said(Tool::of::<search>(), &sent), invalid(&report));
    }
}

#[test]
fn what_the_output_limit_cut_never_runs_even_where_what_is_left_is_whole() {
    /// Writes.
    #[tool]
    fn write(path: String, content: Option<String>) -> String {
        panic!("wrote {path} {content:?}")
    }
    assert_eq!(
        said(Tool::of::<write>(), r##"{"path":"a","content":"#!/bin/sh"##),
        invalid("$: the JSON ends too early; it was cut off. Send the whole object again")
    );
    let cut = r#"{"choices": [{"message": {"content": null, "tool_calls": [{"id": "c", "type":
        "function", "function": {"name": "write", "arguments": "{\"path\":\"a\"}"}}]},
        "finish_reason": "length"}]}"#;
    let reply = toolkit::dialect::Dialect::read(&toolkit::dialect::OpenAiChat, cut).unwrap();
    let view = view_of(Tool::of::<write>());
    let [call] = reply.tool_calls().cloned().collect::<Vec<_>>().try_into().unwrap();
    let outcome = view.dispatch_blocking(call, Options::default()).unwrap();
    assert_eq!(
        (outcome.status(), outcome.text()),
        (
            Status::Invalid,
            "$: the call was cut off by the output limit; nothing ran. \
             Send it again with shorter arguments"
        )
    );
}

#[test]
fn a_repeated_field_is_refused_at_every_depth() {
    #[derive(Debug)]
    #[arg_type]
    struct Inner {
        x: u8,
    }
    /// Pays.
    #[tool]
    fn pay(amount: u64, o: Option<Inner>) -> String {
        panic!("paid {amount} {:?}", o.map(|o| o.x))
    }
    assert_eq!(
        said(Tool::of::<pay>(), r#"{"amount":1,"amount":100000}"#),
        invalid("$: field 'amount' is given twice; give it once")
    );
    assert_eq!(
        said(Tool::of::<pay>(), r#"{"amount":1,"o":{"x":1,"x":2}}"#),
        invalid("$.o: field 'x' is given twice; give it once")
    );
}

#[test]
fn an_integer_of_64_bits_arrives_with_every_digit() {
    /// Gets.
    #[tool]
    fn get(id: u64) -> u64 {
        id
    }
    let sent = r#"{"id":7000000000000000123}"#;
    assert_eq!(said(Tool::of::<get>(), sent), ok("7000000000000000123"));
    // A client that rounds such numbers does not touch text.
    /// Finds.
    #[tool]
    fn find(#[arg(pattern = "^[0-9]{1,19}$")] id: String) -> Found {
        Found { id }
    }
    #[derive(Debug)]
    #[arg_type]
    struct Found {
        id: String,
    }
    let sent = r#"{"id":"7000000000000000123"}"#;
    assert_eq!(said(Tool::of::<find>(), sent), ok(sent));
    assert_eq!(
        said(Tool::of::<find>(), r#"{"id":7000000000000000123}"#),
        invalid(
            "$.id: expected text matching ^[0-9]{1,19}$, like \"0\", got 7000000000000000123 \
             (write \"7000000000000000123\")"
        )
    );
}

#[test]
fn a_misspelt_optional_argument_is_not_replaced_by_its_default() {
    #[derive(Debug)]
    #[arg_type]
    struct Options {
        page_size: Option<u8>,
    }
    /// Lists.
    #[tool]
    fn list(q: String, #[arg(default = 3)] page_size: u8, with: Option<Options>) -> String {
        panic!("listed {q} {page_size} {:?}", with.map(|with| with.page_size))
    }
    assert_eq!(
        said(Tool::of::<list>(), r#"{"q":"a","size":1,"with":{"pageSize":1}}"#),
        invalid(
            "$: unexpected field 'size' (did you mean 'page_size'? allowed: q, page_size, with)\n\
             $.with: unexpected field 'pageSize' (did you mean 'page_size'? allowed: page_size)"
        )
    );
}

#[test]
fn a_closed_set_is_told_with_the_value_of_another_case() {
    #[derive(Debug)]
    #[arg_type]
    enum Unit {
        Celsius,
        Fahrenheit,
    }
    /// Sets.
    #[tool]
    fn set(unit: Unit) -> String {
        panic!("set {unit:?}")
    }
    let must = "$.unit: must be one of \"Celsius\", \"Fahrenheit\"; got";
    for (sent, shown) in [
        (r#""celsius""#, r#""celsius" (did you mean "Celsius"?)"#),
        (r#""K""#, r#""K""#),
        (r#"{"Celsius":null}"#, "an object"),
    ] {
        let report = format!("{must} {shown}");
        assert_eq!(said(Tool::of::<set>(), &format!(r#"{{"unit":{sent}}}"#)), invalid(&report));
    }
}

#[test]
fn depth_and_size_are_bounded_before_anything_is_read() {
    /// Stores.
    #[tool]
    fn store(v: Value) -> String {
        panic!("stored {v}")
    }
    let deep = |depth: usize| format!(r#"{{"v":{}{}}}"#, "[".repeat(depth), "]".repeat(depth));
    let at = "[0]".repeat(31);
    let report = format!("$.v{at}: nested more than 32 levels deep");
    assert_eq!(said(Tool::of::<store>(), &deep(100)), invalid(&report));
    let (status, _) = said(Tool::of::<store>(), &deep(10_000));
    assert_eq!(status, Status::Invalid);
    let long = format!(r#"{{"v":"{}"}}"#, "x".repeat(2 << 20));
    assert_eq!(
        said(Tool::of::<store>(), &long),
        invalid("$: the arguments are 2097160 bytes long; at most 65536 are accepted")
    );
}

#[test]
fn half_a_surrogate_is_no_text_and_nul_is() {
    /// Names.
    #[tool]
    fn name(n: String) -> usize {
        n.len()
    }
    assert_eq!(
        said(Tool::of::<name>(), r#"{"n":"\ud800"}"#),
        invalid("$.n: the text is not valid Unicode: half of a surrogate pair stands alone")
    );
    assert_eq!(said(Tool::of::<name>(), r#"{"n":"a\u0000b"}"#), ok("3"));
    /// Names a file.
    #[tool]
    fn file(#[arg(pattern = r"^[^\x00-\x1f\x7f]*$")] n: String) -> usize {
        n.len()
    }
    assert_eq!(said(Tool::of::<file>(), r#"{"n":"é/b"}"#), ok("4"));
    assert_eq!(
        said(Tool::of::<file>(), r#"{"n":"a\u0000b"}"#),
        invalid(
            "$.n: \"a\\0b\" does not match the required pattern. \
             Expected: text matching ^[^\\x00-\\x1f\\x7f]*$, like \"\""
        )
    );
}

/// A run tells why its calls were blocked, and is a success where the model answered after them.
#[test]
fn calls_that_are_denied_again_and_again_are_told_as_denied() {
    /// Wipes.
    #[tool(effect = "write", ledger = none("a test calls it again and again"), scopes("admin"))]
    fn wipe(p: String) {
        panic!("wiped {p}")
    }
    let view = view_of(Tool::of::<wipe>());
    let again = || Reply::call("wipe", r#"{"p":"x"}"#);
    let asked = [again(), again(), again(), again()];
    let run = |replies: Vec<Reply>| {
        Agent::new(ScriptedModel::new(replies), view.clone()).run_blocking("Wipe it.").unwrap()
    };
    let answered = run(asked.iter().cloned().chain([Reply::text("I may not.")]).collect());
    assert!(answered.ok());
    assert_eq!(answered.blocked_tools(), ["wipe"; 4]);
    let results = answered.transcript().iter().filter_map(|message| match message {
        Message::Results(results) => Some(results),
        Message::User(_) | Message::Assistant(_) => None,
    });
    let outcomes: Vec<&Outcome> = results.flatten().map(|answered| &answered.outcome).collect();
    assert_eq!(outcomes.len(), 4);
    for outcome in outcomes {
        assert_eq!(outcome.status(), Status::Denied);
        assert_eq!(outcome.category(), Some(toolkit::Category::Permission));
        assert!(!outcome.is_retryable());
    }
}

#[test]
fn of_many_fields_the_one_that_is_wrong_is_named() {
    /// Starts.
    #[tool]
    fn start(a: String, b: String, c: String, d: String, e: String, f: String) -> String {
        a + &b + &c + &d + &e + &f
    }
    let mut sent = String::from("{");
    for name in ["a", "b", "c", "d", "f"] {
        let _written = write!(sent, r#""{name}":"x","#);
    }
    sent.push_str(r#""e":{}}"#);
    assert_eq!(said(Tool::of::<start>(), &sent), invalid("$.e: expected text, got an object"));
}

#[test]
fn what_is_missing_is_told_by_name_and_form_and_without_a_parsers_position() {
    /// Opens.
    #[tool]
    fn open(path: String) -> String {
        path
    }
    let report = r#"$: missing required field 'path' (text), like {"path":"x"}"#;
    assert_eq!(said(Tool::of::<open>(), "{}"), invalid(report));
    /// Copies.
    #[tool]
    fn copy(from: String, to: String, times: Option<u8>) -> String {
        format!("{from} {to} {times:?}")
    }
    let both = "$: missing required field 'from' (text), like {\"from\":\"x\",\"to\":\"x\"}\n\
                $: missing required field 'to' (text)";
    assert_eq!(said(Tool::of::<copy>(), "{}"), invalid(both));
    let one = "$: missing required field 'to' (text)";
    assert_eq!(said(Tool::of::<copy>(), r#"{"from":"a"}"#), invalid(one));
}

#[test]
fn every_problem_has_the_path_of_its_own_member() {
    /// Mixes.
    #[tool]
    fn mix(a: i32, b: bool, c: String) -> String {
        format!("{a} {b} {c}")
    }
    let outcome = call(&view_of(Tool::of::<mix>()), "mix", r#"{"a":"x","b":"y","z":1}"#);
    let paths: Vec<String> = outcome.problems().iter().map(|p| p.path().pointer()).collect();
    assert_eq!(paths, ["/c", "/z", "/a", "/b"]);
    assert_eq!(
        outcome.text(),
        "$: missing required field 'c' (text)\n\
         $: unexpected field 'z' (allowed: a, b, c)\n\
         $.a: expected an integer from -2147483648 to 2147483647, got text \"x\"\n\
         $.b: expected true or false, got text \"y\""
    );
}

#[test]
fn an_unknown_tool_names_those_that_are_visible_and_the_run_goes_on() {
    /// Tells the time.
    #[tool]
    fn clock() -> String {
        "noon".to_owned()
    }
    let view = view_of(Tool::of::<clock>());
    let model = ScriptedModel::new([
        Reply::calls([ToolCall::new("call_1", "today", "{}")]),
        Reply::text("It is noon."),
    ]);
    let run = Agent::new(model, view.clone()).run_blocking("What time is it?").unwrap();
    assert_eq!(run.answer().as_deref(), Some("It is noon."));
    let text = "no such tool \"today\". Available: clock";
    assert_eq!(call(&view, "today", "{}").text(), text);
}
