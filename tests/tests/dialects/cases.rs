//! What went wrong elsewhere between a schema, its provider and the validator.

use std::collections::HashMap;

use serde_json::{Value, json};
use toolkit::dialect::{Anthropic, Dialect, Gemini, Mcp, OpenAiChat, OpenAiResponses};
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

fn given(name: &str, schema: Value) -> Tool {
    let run = |given: Value, _: CallContext| async move { Ok::<_, ToolError>(given) };
    Tool::dynamic(name, "Does it.", schema, run).into()
}

#[test]
fn a_union_at_the_root_reaches_no_provider_and_is_judged_all_the_same() {
    let schema = json!({
        "type": "object",
        "properties": {"by_name": {"type": "string"}, "by_id": {"type": "integer"}},
        "anyOf": [{"required": ["by_name"]}, {"required": ["by_id"]}],
    });
    let view = view(given("find", schema));
    let dialects: [&dyn Dialect; 7] = [
        &Anthropic,
        &Anthropic.strict(),
        &OpenAiChat,
        &OpenAiResponses.strict(),
        &Gemini,
        &Gemini.with_parameters(),
        &Mcp,
    ];
    for dialect in dialects {
        let told = view.definitions(dialect).unwrap().to_string();
        for union in ["anyOf", "oneOf", "allOf"] {
            assert!(!told.contains(union), "{}: {told}", dialect.name());
        }
    }
    let call = |arguments| {
        let call = ToolCall::new("1", "find", arguments);
        view.dispatch_blocking(call, Options::default()).unwrap().status()
    };
    assert_eq!((call("{}"), call(r#"{"by_id": 7}"#)), (Status::Invalid, Status::Ok));
}

#[test]
fn one_bad_tool_is_named_by_its_place_and_takes_no_other_down() {
    let good = |name: &str| given(name, json!({"properties": {"a": {"type": "integer"}}}));
    let bad = given("bad", json!({"properties": {"a b": {"type": "integer"}}}));
    let registry = Registry::builder().tools(["x", "y", "z"].map(good)).tool(bad);
    let view = registry.build().unwrap().view(Caller::new("ann"));
    let errors = view.definitions(&Anthropic).unwrap_err();
    let told: Vec<_> = errors.iter().map(|error| (error.tool(), error.message())).collect();
    assert_eq!(
        told,
        [(
            Some("bad"),
            "anthropic: `properties` of $.a b: the name does not match ^[a-zA-Z0-9_.-]{1,64}$; \
             rename it",
        )],
    );
    let (view, left_out) = view.showable_in(&Anthropic);
    assert_eq!((view.visible(), left_out.len()), (vec!["x", "y", "z"], 1));
    assert_eq!(view.definitions(&Anthropic).unwrap().as_array().unwrap().len(), 3);
}

/// Sends headers.
#[tool]
fn send(headers: HashMap<String, String>) -> String {
    format!("{}", headers.len())
}

#[test]
fn a_map_is_refused_where_strict_would_close_it() {
    let view = view(Tool::of::<send>());
    let errors = view.definitions(&OpenAiChat.strict()).unwrap_err();
    let told = errors.iter().next().unwrap();
    assert!(told.message().contains("`additionalProperties` of $.headers: a map has no form"));
    let plain = view.definitions(&OpenAiChat).unwrap();
    assert_eq!(
        plain[0]["function"]["parameters"]["properties"]["headers"],
        json!({"type": "object", "additionalProperties": {"type": "string"}, "properties": {}}),
    );
}

#[derive(Debug)]
#[arg_type]
enum Unit {
    Celsius,
    /// The other one.
    Fahrenheit,
}

/// Tells it.
#[tool]
fn told(
    /// In which it is told.
    unit: Unit,
    other: Unit,
    #[arg(minimum = 1, maximum = 50)] n: u32,
) -> String {
    format!("{unit:?} {other:?} {n}")
}

fn nodes(schema: &Value) -> Vec<&Value> {
    let inner: Vec<&Value> = match schema {
        Value::Object(members) => members.values().collect(),
        Value::Array(items) => items.iter().collect(),
        _ => Vec::new(),
    };
    std::iter::once(schema).chain(inner.into_iter().flat_map(nodes)).collect()
}

#[test]
fn words_beside_a_reference_stay_and_no_bound_is_lost_without_a_word() {
    let view = view(Tool::of::<told>());
    let definitions = view.definitions(&OpenAiChat.strict()).unwrap();
    let schema = &definitions[0]["function"]["parameters"];
    let refers = |node: &&Value| node.get("$ref").is_some();
    for node in nodes(schema).into_iter().filter(refers) {
        assert_eq!(node.as_object().unwrap().len(), 1, "{node}");
    }
    let unit = schema["properties"]["unit"]["description"].as_str().unwrap();
    assert!(unit.starts_with("In which it is told."), "{unit}");
    assert_eq!(schema["properties"]["n"], json!({"type": "integer", "minimum": 1, "maximum": 50}),);
    let strict = view.definitions(&Anthropic.strict()).unwrap();
    assert_eq!(
        strict[0]["input_schema"]["properties"]["n"],
        json!({"description": "(1 to 50)", "type": "integer"}),
    );
}

#[derive(Debug)]
#[arg_type]
#[serde(tag = "kind")]
enum Form {
    Circle { r: f64 },
    Box { w: f64 },
}

/// Tells an area.
#[tool]
fn area(form: Form) -> String {
    format!("{form:?}")
}

#[test]
fn gemini_gets_no_keyword_that_it_does_not_know() {
    let definitions = view(Tool::of::<area>()).definitions(&Gemini.with_parameters()).unwrap();
    let schema = &definitions[0]["functionDeclarations"][0]["parameters"];
    let branch = |kind: &str, side: &str| {
        json!({
            "type": "object",
            "properties": {
                "kind": {"type": "string", "enum": [kind]},
                side: {"type": "number"},
            },
            "required": ["kind", side],
        })
    };
    assert_eq!(
        schema["properties"]["form"],
        json!({"anyOf": [branch("Circle", "r"), branch("Box", "w")]}),
    );
}

#[test]
fn types_in_types_are_kept_as_definitions_or_refused_and_never_grow_without_bound() {
    let level = |n: u32| {
        let inner = match n {
            7 => json!({"type": "boolean"}),
            _ => json!({"$ref": format!("#/$defs/L{}", n + 1)}),
        };
        let fields: serde_json::Map<String, Value> =
            ('a'..='h').map(|name| (name.to_string(), inner.clone())).collect();
        let names: Vec<&String> = fields.keys().collect();
        let fields = json!({"type": "object", "properties": fields, "required": names, "additionalProperties": false});
        (format!("L{n}"), fields)
    };
    let levels: serde_json::Map<String, Value> = (0..8).map(level).collect();
    let schema = json!({
        "type": "object", "properties": {"x": {"$ref": "#/$defs/L0"}}, "required": ["x"],
        "additionalProperties": false, "$defs": levels,
    });
    let view = view(toolkit_tests::echo(schema));
    let told = crate::forms().map(|form| match view.definitions(&*form) {
        Ok(definitions) if definitions.to_string().len() < 8_192 => "kept".to_owned(),
        Ok(definitions) => format!("{} bytes", definitions.to_string().len()),
        Err(errors) => errors.iter().map(|error| error.message().to_owned()).collect(),
    });
    let refused = |form: &str| {
        format!(
            "{form}: `$ref` of $: the schema is too large when its references are written out; nest fewer types"
        )
    };
    let kept = || "kept".to_owned();
    assert_eq!(
        told,
        [
            kept(),
            kept(),
            kept(),
            kept(),
            kept(),
            refused("gemini"),
            refused("gemini, parameters"),
            kept()
        ]
    );
}
