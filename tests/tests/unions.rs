//! Values of several forms: which is read, what is told, and which types are refused.

use std::collections::BTreeMap;

use toolkit::prelude::*;
use toolkit_tests::{call, view_of};

/// A point.
#[derive(Debug)]
#[arg_type]
struct Point {
    x: f64,
    y: f64,
}

/// What building a registry of one tool says against it.
#[track_caller]
fn fault(tool: Tool) -> String {
    let errors = Registry::builder().tool(tool).build().unwrap_err();
    errors.iter().map(|error| error.message().to_owned()).collect::<Vec<_>>().join("\n")
}

// serde tries the forms of an untagged enum in order, each more loosely than its schema says.
#[test]
fn an_untagged_enum_that_would_read_one_form_as_another_is_refused_when_the_registry_is_built() {
    #[derive(Debug)]
    #[arg_type]
    #[serde(untagged)]
    enum Where {
        Point(Point),
        Numbers(Vec<f64>),
    }
    /// Moves.
    #[tool]
    fn move_to(to: Option<Where>) -> String {
        format!("{to:?}")
    }
    assert_eq!(
        fault(Tool::of::<move_to>()),
        "an untagged enum has a struct before a list, and the list would fill the struct; put the list first"
    );

    #[derive(Debug)]
    #[arg_type]
    enum Currency {
        EUR,
    }
    #[derive(Debug)]
    #[arg_type]
    #[serde(untagged)]
    enum Price {
        In(Currency),
        Each(BTreeMap<String, Option<u8>>),
    }
    /// Prices.
    #[tool]
    fn price(by: Vec<Price>) -> String {
        format!("{by:?}")
    }
    assert_eq!(
        fault(Tool::of::<price>()),
        "an untagged enum has names before a map, and an object like {\"NAME\": null} would be taken for a name; put the map first"
    );

    #[derive(Debug)]
    #[arg_type]
    #[serde(untagged)]
    enum Number {
        Float(f64),
        Integer(u64),
    }
    /// Counts.
    #[tool]
    fn count(n: Number) -> String {
        format!("{n:?}")
    }
    assert_eq!(
        fault(Tool::of::<count>()),
        "an untagged enum has a float before an integer, and a large integer would lose digits; put the integer first"
    );

    #[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
    #[serde(untagged)]
    enum Form {
        One { n: u8 },
        Two { n: u8, m: u8 },
    }
    /// Takes.
    #[tool]
    fn take(form: Form) -> String {
        match form {
            Form::One { n } => format!("One {n}"),
            Form::Two { n, m } => format!("Two {n} {m}"),
        }
    }
    assert_eq!(
        fault(Tool::of::<take>()),
        "an untagged enum has a struct before another object, and the struct leaves unknown fields out; put `#[arg_type]` or `#[serde(deny_unknown_fields)]` on it"
    );
}

#[test]
fn an_untagged_enum_with_constraints_before_a_like_form_is_refused_when_the_registry_is_built() {
    #[derive(Debug)]
    #[arg_type]
    #[serde(untagged)]
    enum Amount {
        Small(#[schemars(range(max = 10))] u8),
        Big(u32),
    }
    #[derive(Debug)]
    #[arg_type]
    #[serde(untagged)]
    enum Id {
        Order(#[schemars(regex(pattern = r"^O-\d+$"))] String),
        Other(String),
    }
    #[derive(Debug)]
    #[arg_type]
    struct Percent {
        #[schemars(range(max = 100))]
        percent: u32,
    }
    #[derive(Debug)]
    #[arg_type]
    #[serde(untagged)]
    enum Share {
        Percent(Percent),
        Each(BTreeMap<String, u32>),
    }
    /// Takes an amount.
    #[tool]
    fn amount(a: Amount) -> String {
        format!("{a:?}")
    }
    /// Takes an id.
    #[tool]
    fn id(a: Vec<Id>) -> String {
        format!("{a:?}")
    }
    /// Takes a share.
    #[tool]
    fn share(a: Option<Share>) -> String {
        format!("{a:?}")
    }
    for tool in tools![amount, id, share] {
        assert_eq!(
            fault(tool),
            "an untagged enum has a form with constraints before another of the same JSON type, \
             and a value that only the later one takes would be read as the earlier; \
             give the enum a tag, or put the form with the constraints last"
        );
    }
    #[derive(Debug)]
    #[arg_type]
    #[serde(untagged)]
    enum Sized {
        Small(u8),
        Big(u32),
        Odd(i64),
        Letter(char),
        Text(String),
    }
    /// Takes any size.
    #[tool]
    fn sized(a: Sized) -> String {
        format!("{a:?}")
    }
    let view = view_of(Tool::of::<sized>());
    for (text, read) in [
        ("7", "Small(7)"),
        ("300", "Big(300)"),
        ("-1", "Odd(-1)"),
        (r#""x""#, "Letter('x')"),
        (r#""xy""#, "Text(\"xy\")"),
    ] {
        assert_eq!(call(&view, "sized", &format!("{{\"a\":{text}}}")).text(), read);
    }
}

#[test]
fn an_untagged_enum_in_the_right_order_reads_every_form_as_it_is_written() {
    #[derive(Debug)]
    #[arg_type]
    enum Currency {
        EUR,
    }
    #[derive(Debug)]
    #[arg_type]
    #[serde(untagged)]
    enum Any {
        Integer(u64),
        Float(f64),
        Numbers(Vec<f64>),
        Point(Point),
        Each(BTreeMap<String, Option<u8>>),
        In(Currency),
    }
    /// Takes.
    #[tool]
    fn take(any: Any) -> String {
        format!("{any:?}")
    }
    let view = view_of(Tool::of::<take>());
    for (any, read) in [
        ("[1,2]", "Numbers([1.0, 2.0])"),
        (r#"{"x":1,"y":2}"#, "Point(Point { x: 1.0, y: 2.0 })"),
        (r#"{"EUR":null}"#, "Each({\"EUR\": None})"),
        (r#""EUR""#, "In(EUR)"),
        ("9007199254740993", "Integer(9007199254740993)"),
        ("2.5", "Float(2.5)"),
    ] {
        assert_eq!(call(&view, "take", &format!("{{\"any\":{any}}}")).text(), read);
    }
}

// An enum that is told apart by a tag or by nothing has its maps buffered before they are read.
#[test]
fn a_map_with_integer_keys_inside_a_buffered_enum_is_refused_when_the_registry_is_built() {
    #[derive(Debug)]
    #[arg_type]
    #[serde(tag = "kind")]
    enum Change {
        Set { slots: BTreeMap<u32, String> },
        Clear,
    }
    /// Changes.
    #[tool]
    fn change(to: Option<Change>) -> String {
        format!("{to:?}")
    }
    #[derive(Debug)]
    #[arg_type]
    struct Boxed {
        slots: BTreeMap<i64, bool>,
    }
    #[derive(Debug)]
    #[arg_type]
    #[serde(untagged)]
    enum Slots {
        Named(Boxed),
        Count(u8),
    }
    /// Slots.
    #[tool]
    fn slot(by: Slots, again: Option<Boxed>) -> String {
        format!("{by:?} {again:?}")
    }
    for tool in tools![change, slot] {
        assert_eq!(
            fault(tool),
            "a map whose keys are integers or booleans can not be read inside a tagged or an untagged enum; give the map text keys"
        );
    }
}

#[test]
fn a_type_that_no_value_fits_is_refused_when_the_registry_is_built() {
    #[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
    enum Action {
        Open { id: u8 },
        Close,
    }
    #[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
    struct Step {
        name: String,
        #[serde(flatten)]
        action: Action,
    }
    /// Acts.
    #[tool]
    fn act(step: Step) -> String {
        let Step { name, action } = step;
        match action {
            Action::Open { id } => format!("{name} opens {id}"),
            Action::Close => format!("{name} closes"),
        }
    }
    assert_eq!(
        fault(Tool::of::<act>()),
        "$.step is a type with `#[serde(flatten)]`, under which serde drops what is unknown or \
         half given; remove `flatten`, so that the inner fields stand under a field's name"
    );
}

#[test]
fn a_tagged_form_inside_a_tagged_form_can_be_sent_or_is_refused_when_the_registry_is_built() {
    #[derive(Debug)]
    #[arg_type]
    #[serde(tag = "by")]
    enum Payment {
        Card { number: String },
        Cash,
    }
    #[derive(Debug)]
    #[arg_type]
    #[serde(tag = "kind")]
    enum Event {
        Paid(Payment),
        Closed,
    }
    /// Notes.
    #[tool]
    fn note(event: Event) -> String {
        format!("{event:?}")
    }
    if let Ok(registry) = Registry::builder().tools(tools![note]).build() {
        let view = registry.view(Caller::new("a"));
        let read = |arguments: &str| call(&view, "note", arguments).text().to_owned();
        assert_eq!(read(r#"{"event":{"kind":"Closed"}}"#), "Closed");
        assert_eq!(read(r#"{"event":{"kind":"Paid","by":"Cash"}}"#), "Paid(Cash)");
    }
}

#[test]
fn of_several_forms_the_nearest_one_is_explained() {
    #[derive(Debug)]
    #[arg_type]
    #[serde(untagged)]
    enum Target {
        Person { name: String, mail: String, phone: String },
        Place { street: String, city: String },
    }
    /// Sends.
    #[tool]
    fn send(to: Target) -> String {
        format!("{to:?}")
    }
    let view = view_of(Tool::of::<send>());
    let read = |to: &str| call(&view, "send", &format!("{{\"to\":{to}}}")).text().to_owned();
    assert_eq!(read(r#"{"street":"a","city":7}"#), "$.to.city: expected text, got 7 (write \"7\")");
    assert_eq!(read(r#"{"name":"a","mail":"b"}"#), "$.to: missing required field 'phone' (text)");
}
