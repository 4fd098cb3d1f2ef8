//! What went wrong elsewhere between a schema, its provider and the validator.

use serde_json::{Value, json};
use toolkit::dialect::{Dialect, Gemini, OpenAiChat};
use toolkit::prelude::*;

fn view(tool: Tool) -> View {
    Registry::builder().tool(tool).build().unwrap().view(Caller::new("ann"))
}

/// The outcome of one call that comes in OpenAI's strict form.
fn strict(view: &View, name: &str, arguments: &Value) -> Outcome {
    let call = json!({"id": "a", "function": {"name": name, "arguments": arguments.to_string()}});
    let body = json!({"choices": [{"message": {"content": null, "tool_calls": [call]}}]});
    let reply = OpenAiChat.strict().read(&body.to_string()).unwrap();
    view.dispatch_blocking(reply.tool_calls().next().unwrap(), Options::default()).unwrap()
}

/// Searches.
#[tool]
fn search(q: String, #[arg(default = 20)] limit: u32) -> String {
    format!("{q} {limit}")
}

#[test]
fn null_is_absence_where_strict_says_so_and_nowhere_else() {
    let view = view(Tool::of::<search>());
    let outcome = strict(&view, "search", &json!({"q": "cats", "limit": null}));
    assert_eq!((outcome.status(), outcome.text()), (Status::Ok, "cats 20"));
    let outcome = strict(&view, "search", &json!({"q": null, "limit": 1}));
    assert_eq!(
        (outcome.status(), outcome.text()),
        (Status::Invalid, "$.q: expected text, got null")
    );
}

/// Edits a comment.
#[tool]
fn edit(repo: String, thread: Option<u64>, body: Option<String>) -> String {
    format!("{repo} {thread:?} {body:?}")
}

#[test]
fn what_a_model_must_fill_may_be_null_and_an_empty_text_is_a_text() {
    let view = view(Tool::of::<edit>());
    let definitions = view.definitions(&OpenAiChat.strict()).unwrap();
    let properties = &definitions[0]["function"]["parameters"]["properties"];
    assert_eq!(properties["thread"]["type"], json!(["integer", "null"]));
    let outcome = strict(&view, "edit", &json!({"repo": "r", "thread": null, "body": ""}));
    assert_eq!(outcome.text(), r#"r None Some("")"#);
}

/// Takes numbers and nothing.
#[tool]
fn mixed(xs: Vec<Option<u8>>, a: Option<String>) -> String {
    format!("{xs:?} {a:?}")
}

#[derive(Debug)]
#[arg_type]
#[serde(untagged)]
enum Filter {
    Exact { a: i32 },
    Text(String),
}

/// Filters.
#[tool]
fn filtered(by: Filter) -> String {
    format!("{by:?}")
}

#[test]
fn gemini_gets_one_type_and_a_flag_and_no_union_becomes_text() {
    let schema = |tool: Tool| {
        let definitions = view(tool).definitions(&Gemini.with_parameters()).unwrap();
        definitions[0]["functionDeclarations"][0]["parameters"]["properties"].clone()
    };
    assert_eq!(
        schema(Tool::of::<mixed>()),
        json!({
            "xs": {"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 255, "nullable": true}},
            "a": {"type": "string"},
        }),
    );
    let number =
        json!({"type": "integer", "minimum": -2_147_483_648_i64, "maximum": 2_147_483_647});
    assert_eq!(
        schema(Tool::of::<filtered>()),
        json!({"by": {"anyOf": [
            {"type": "object", "properties": {"a": number}, "required": ["a"]},
            {"type": "string"},
        ]}}),
    );
}

#[test]
fn a_number_that_the_provider_let_through_is_refused_all_the_same() {
    /// Sets it.
    #[tool]
    fn set(n: u8) -> String {
        panic!("it ran with {n}")
    }
    let outcome = strict(&view(Tool::of::<set>()), "set", &json!({"n": "x"}));
    assert_eq!((outcome.status(), outcome.executed()), (Status::Invalid, false));
}
