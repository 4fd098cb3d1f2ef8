//! What each provider takes, as a table that is made by asking and checked in.

use std::fmt::Write as _;

use serde_json::{Value, json};
use toolkit::Content;
use toolkit::dialect::{
    Answered, Anthropic, Bedrock, Choice, Dialect, Gemini, Mcp, Message, OpenAiChat,
    OpenAiResponses, Projection, Reply, RewriteKind,
};
use toolkit::prelude::*;
use toolkit_tests::{call, is_checked_in, view_of};

fn forms() -> Vec<(&'static str, Box<dyn Dialect>)> {
    vec![
        ("Anthropic", Box::new(Anthropic)),
        ("Anthropic, strict", Box::new(Anthropic.strict())),
        ("OpenAI Chat", Box::new(OpenAiChat)),
        ("OpenAI Chat, strict", Box::new(OpenAiChat.strict())),
        ("OpenAI Responses, strict", Box::new(OpenAiResponses.strict())),
        ("Gemini", Box::new(Gemini)),
        ("Gemini, `parameters`", Box::new(Gemini.with_parameters())),
        ("Bedrock", Box::new(Bedrock)),
        ("MCP", Box::new(Mcp::default())),
    ]
}

/// What a schema may say of a parameter `v`, which must be given.
fn schemas() -> Vec<(&'static str, Value)> {
    let text = |more: Value| {
        let mut schema = json!({"type": "string"});
        schema.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        schema
    };
    let integers = |more: Value| {
        let mut schema = json!({"type": "array", "items": {"type": "integer"}});
        schema.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        schema
    };
    let form = |tag: &str| {
        json!({
            "type": "object",
            "properties": {"kind": {"type": "string", "const": tag}, "n": {"type": "integer"}},
            "required": ["kind", "n"],
            "additionalProperties": false,
        })
    };
    vec![
        ("`enum`", text(json!({"enum": ["a", "b"]}))),
        ("`const`", text(json!({"const": "a"}))),
        ("`default`", text(json!({"default": "a"}))),
        ("`pattern`", text(json!({"pattern": "^O-[0-9]+$"}))),
        ("`format`: `date`", text(json!({"format": "date"}))),
        ("`minLength`, `maxLength`", text(json!({"minLength": 1, "maxLength": 9}))),
        ("`minimum`, `maximum`", json!({"type": "integer", "minimum": 1, "maximum": 9})),
        ("`exclusiveMinimum`", json!({"type": "number", "exclusiveMinimum": 0})),
        ("`multipleOf`", json!({"type": "integer", "multipleOf": 5})),
        ("`minItems` of 1", integers(json!({"minItems": 1}))),
        ("`minItems` of 2, `maxItems`", integers(json!({"minItems": 2, "maxItems": 9}))),
        ("`uniqueItems`", integers(json!({"uniqueItems": true}))),
        (
            "a tuple",
            json!({
                "type": "array",
                "prefixItems": [{"type": "integer"}, {"type": "string"}],
                "minItems": 2,
                "items": false,
            }),
        ),
        ("text or an integer", json!({"anyOf": [{"type": "string"}, {"type": "integer"}]})),
        ("one of several objects", json!({"oneOf": [form("a"), form("b")]})),
        ("text or null", json!({"type": ["string", "null"]})),
        ("a map", json!({"type": "object", "additionalProperties": {"type": "integer"}})),
        ("any value", json!({})),
        ("a type within itself", json!({"$ref": "#/$defs/Node"})),
    ]
}

fn nothing() -> impl Fn(Value, CallContext) -> std::future::Ready<Result<&'static str, ToolError>> {
    |_, _| std::future::ready(Ok("done"))
}

/// How a schema goes to a provider.
fn told(dialect: &dyn Dialect, schema: &Value, required: &[&str]) -> String {
    let node = json!({
        "type": "object",
        "properties": {"kids": {"type": "array", "items": {"$ref": "#/$defs/Node"}}},
        "required": ["kids"],
        "additionalProperties": false,
    });
    let input = json!({
        "$defs": {"Node": node},
        "type": "object",
        "properties": {"v": schema},
        "required": required,
        "additionalProperties": false,
    });
    let view = view_of(Tool::dynamic("take", "Takes.", input, nothing()));
    let Ok(projection) = Projection::of(view.tools()[0], dialect.form()) else {
        return "refused".to_owned();
    };
    let ways: Vec<&str> = projection
        .rewrites()
        .iter()
        .filter(|rewrite| rewrite.path().starts_with("$.v"))
        .map(|rewrite| match rewrite.kind() {
            RewriteKind::Equal => "equal",
            RewriteKind::Wider => "in words",
            RewriteKind::ReEncoded => "re-encoded",
            RewriteKind::Plain => "sent plain",
        })
        .collect();
    // What loses most says how it goes.
    let of_all = ["sent plain", "in words", "re-encoded", "equal"];
    let way = of_all.into_iter().find(|way| ways.contains(way));
    way.unwrap_or("as it is").to_owned()
}

fn yes(so: bool) -> String {
    if so { "yes" } else { "-" }.to_owned()
}

/// What a dialect says of one line.
type Ask = fn(&dyn Dialect) -> String;

/// What else one request may ask for, and how it is asked.
fn abilities() -> Vec<(&'static str, Ask)> {
    fn chooses(dialect: &dyn Dialect, choice: Choice) -> String {
        let tools = ["a", "b"].map(|name| Tool::dynamic(name, "Does.", json!({}), nothing()));
        let view = Registry::builder().tools(tools.map(Tool::from)).build().unwrap();
        let view = view.view(Caller::new("ann"));
        yes(view.offer(dialect).unwrap().choose(choice).is_ok())
    }
    fn carries(dialect: &dyn Dialect, content: Content) -> String {
        let data = content.data().unwrap().to_owned();
        let tool = Tool::dynamic("draw", "Draws.", json!({}), move |_, _| {
            std::future::ready(Ok::<_, ToolError>(content.clone()))
        });
        let asked = ToolCall::new("call_1", "draw", "{}");
        let outcome = call(&view_of(tool), "draw", "{}");
        let history = [
            Message::User("Draw.".to_owned()),
            Message::Assistant(Reply::calls([asked.clone()])),
            Message::Results(vec![Answered::new(asked, outcome)]),
        ];
        yes(Value::from(dialect.messages(&history)).to_string().contains(&data))
    }
    vec![
        ("a reply in pieces", |dialect| yes(dialect.stream().is_some())),
        ("must call some tool", |dialect| chooses(dialect, Choice::any())),
        ("must call one tool", |dialect| chooses(dialect, Choice::tool("a"))),
        ("must call none", |dialect| chooses(dialect, Choice::none())),
        ("may call these alone", |dialect| chooses(dialect, Choice::auto().among(["a"]))),
        ("one call at a time", |dialect| {
            yes(dialect.choice(&Choice::auto().one_at_a_time()) != dialect.choice(&Choice::auto()))
        }),
        ("searches tools itself", |dialect| yes(dialect.searches())),
        ("an image in a result", |dialect| carries(dialect, Content::image([1, 2], "image/png"))),
        ("audio in a result", |dialect| carries(dialect, Content::audio([1, 2], "audio/wav"))),
        ("most tools of a request", |dialect| {
            dialect.most_tools().map_or_else(|| "-".to_owned(), |most| most.to_string())
        }),
    ]
}

fn table() -> String {
    let forms = forms();
    let mut table = String::from(
        "What each provider takes of a tool, and of a request. It is written by asking the dialects \
         themselves: `TOOLKIT_BLESS=1 cargo test -p toolkit-tests --test dialects table`.\n\n\
         ## Schemas\n\n*equal*: written in other words that say the same; *re-encoded*: the model \
         writes it otherwise, and the call is decoded; *in words*: the schema sent takes more, the \
         description says what is meant, and the gate checks it; *sent plain*: the tool is not sent \
         strictly; *refused*: `Registry::check` names the tool, the place and what to write (a map \
         goes as pairs with `maps_as_pairs()`, any value as its JSON text with `any_as_text()`). \
         Whatever is sent, the gate holds every call to the whole schema.\n\n| |",
    );
    let line = |cells: Vec<String>| format!(" {} |", cells.join(" | "));
    let names = line(forms.iter().map(|(name, _)| (*name).to_owned()).collect());
    let rule = "---|".repeat(forms.len() + 1);
    writeln!(table, "{names}\n|{rule}").unwrap();
    let mut row = |name: &str, cell: &dyn Fn(&dyn Dialect) -> String| {
        let cells = line(forms.iter().map(|(_, form)| cell(&**form)).collect());
        writeln!(table, "| {name} |{cells}").unwrap();
    };
    for (name, schema) in schemas() {
        row(name, &|dialect| told(dialect, &schema, &["v"]));
    }
    row("may be left out", &|dialect| told(dialect, &json!({"type": "string"}), &[]));
    write!(table, "\n## Requests and results\n\n| |{names}\n|{rule}\n").unwrap();
    for (name, cell) in abilities() {
        let cells = line(forms.iter().map(|(_, form)| cell(&**form)).collect());
        writeln!(table, "| {name} |{cells}").unwrap();
    }
    table
}

#[test]
fn the_table_of_providers_is_what_the_dialects_do() {
    is_checked_in("toolkit/docs/dialects.md", &table());
}
