//! What is shown beside the schema: whole examples, and MCP's hints.

use serde_json::{Value, json};
use toolkit::dialect::{Anthropic, Mcp};
use toolkit::prelude::*;
use toolkit::{DynamicTool, Effect, OnUnknown};

/// Books a table.
#[tool(
    effect = "write",
    ledger = none("a test"),
    on_unknown = "rerun",
    annotations(destructive_hint = false, open_world_hint = false),
    examples((seats = 2, r#type = "window"), (seats = 8, note = Option::<&str>::None)),
)]
fn book(seats: u8, #[arg(rename = "kind")] r#type: Option<String>, note: Option<String>) {
    let _ = (seats, r#type, note);
}

/// Tells the time.
#[tool(effect = "read", annotations(read_only_hint, idempotent_hint = true))]
fn now(
    #[arg(examples = ["Lisbon", "Rome"])] city: String,
    #[arg(examples = [3])] digits: Option<u8>,
) {
    let _ = (city, digits);
}

/// Says nothing.
#[tool]
fn silent(#[cfg(any())] gone: u8) {}

fn view(tools: impl IntoIterator<Item = Tool>) -> View {
    Registry::builder().tools(tools).build().unwrap().view(Caller::new("ann"))
}

fn hints(view: &View, index: usize) -> Vec<bool> {
    let definitions = view.definitions(&Mcp).unwrap();
    let annotations = definitions[index]["annotations"].as_object().unwrap();
    let names = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];
    assert_eq!(annotations.keys().collect::<Vec<_>>(), names);
    annotations.values().map(|hint| hint.as_bool().unwrap()).collect()
}

#[test]
fn hints_follow_from_the_effect_where_they_are_not_said() {
    let view_of = view(tools![book, now]);
    assert_eq!(hints(&view_of, 0), [false, false, true, false]);
    assert_eq!(hints(&view_of, 1), [true, false, true, true]);
    // What is not said counts as the worst there is.
    assert_eq!(hints(&view(tools![silent]), 0), [false, true, false, true]);
}

fn examples(view: &View, index: usize) -> Value {
    view.definitions(&Anthropic).unwrap()[index]["input_examples"].clone()
}

#[test]
fn whole_examples_are_sent_in_their_normal_form() {
    let view = view(tools![book, now]);
    assert_eq!(examples(&view, 0), json!([{"seats": 2, "kind": "window"}, {"seats": 8}]));
    // Out of those of the parameters, where the tool has none.
    assert_eq!(
        examples(&view, 1),
        json!([{"city": "Lisbon", "digits": 3}, {"city": "Rome", "digits": 3}]),
    );
}

fn told(tool: impl Into<Tool>) -> Vec<String> {
    let ledger = toolkit::ledger::MemoryLedger::accept_loss("a test");
    let built = Registry::builder().tool(tool).ledger(ledger).build();
    built.err().iter().flatten().map(|error| error.message().to_owned()).collect()
}

#[test]
fn an_example_that_the_schema_does_not_accept_is_told_when_the_registry_is_built() {
    /// Books a table.
    #[tool(effect = "read", examples((seats = 2), (), (seats = 300)))]
    fn seats(seats: u8) {
        let _ = seats;
    }
    assert_eq!(
        told(Tool::of::<seats>()),
        [
            "its example 2 is not accepted: $: missing required field 'seats' (an integer from 0 to \
             255), like {\"seats\":0}",
            "its example 3 is not accepted: $.seats: expected an integer from 0 to 255, got 300",
        ],
    );
    let schema = json!({"properties": {"seats": {"type": "integer"}}});
    let book = Tool::dynamic("book", "Books.", schema, |_, _| async { Ok::<_, ToolError>(()) });
    assert_eq!(
        told(book.effect(Effect::Read).examples([json!({"seats": "two"})])),
        ["its example 1 is not accepted: $.seats: expected an integer, got text \"two\""],
    );
}

#[test]
fn a_hint_against_the_effect_is_told_when_the_registry_is_built() {
    let named = |name: &str| -> DynamicTool {
        Tool::dynamic(name, "Works.", json!({}), |_, _| async { Ok::<_, ToolError>(()) })
    };
    let read = named("read").effect(Effect::Read).destructive_hint(true).idempotent_hint(false);
    assert_eq!(
        told(read),
        [
            "it is a read, which destroys nothing; leave `.destructive_hint(true)` out",
            "it is a read, of which a second call changes nothing; leave \
             `.idempotent_hint(false)` out",
        ],
    );
    let gone = named("gone").effect(Effect::Irreversible).destructive_hint(false);
    assert_eq!(told(gone), ["it changes something for good; leave `.destructive_hint(false)` out"],);
    let again = named("again").effect(Effect::Write).on_unknown(OnUnknown::Rerun);
    assert_eq!(
        told(again.idempotent_hint(false)),
        ["its `on_unknown` lets a call run again, which only one that changes nothing more may; \
          leave `.idempotent_hint(false)` out"],
    );
    assert_eq!(told(named("add").effect(Effect::Write).destructive_hint(false)), [""; 0]);
}
