//! Schemas that providers and clients have refused, or that said less than the type.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use serde_json::{Value, json};
use toolkit::dialect::{Anthropic, Dialect, OpenAiChat};
use toolkit::prelude::*;
use toolkit::{Registry, Status, View};
use toolkit_tests::{call, definition, view_of};

/// The input schemas of a view, as each dialect sends them.
fn sent(view: &View) -> Vec<Value> {
    let dialects: [&dyn Dialect; 2] = [&Anthropic, &OpenAiChat];
    let schema = |tool: &Value| match tool.get("function") {
        Some(function) => function["parameters"].clone(),
        None => tool["input_schema"].clone(),
    };
    dialects
        .iter()
        .flat_map(|dialect| view.definitions(*dialect).unwrap().as_array().unwrap().clone())
        .map(|tool| schema(&tool))
        .collect()
}

/// Every value in a document, keywords and data alike.
fn every_value(value: &Value, visit: &mut impl FnMut(&Value)) {
    visit(value);
    match value {
        Value::Array(items) => items.iter().for_each(|item| every_value(item, visit)),
        Value::Object(members) => members.values().for_each(|member| every_value(member, visit)),
        _ => {}
    }
}

fn given(schema: Value) -> View {
    view_of(Tool::dynamic("given", "Is given.", schema, |_: Value, _: CallContext| async {
        Ok::<_, Failure>("done")
    }))
}

#[test]
fn a_tool_without_parameters_has_an_object_with_properties_in_every_dialect() {
    /// Says what time it is.
    #[tool]
    fn now() -> &'static str {
        "12:00"
    }
    let closed = json!({"type": "object", "properties": {}, "additionalProperties": false});
    assert_eq!(sent(&view_of(Tool::of::<now>())), [closed.clone(), closed]);
    for schema in [json!({}), json!({"type": "object"})] {
        for sent in sent(&given(schema)) {
            assert_eq!(sent, json!({"type": "object", "properties": {}}));
        }
    }
}

#[test]
fn a_root_that_is_no_object_is_refused_when_the_registry_is_built() {
    for root in
        [json!({"type": "string"}), json!({"type": ["object", "null"]}), json!(true), json!([])]
    {
        let tool =
            Tool::dynamic("odd", "Is odd.", root.clone(), |_: Value, _: CallContext| async {
                Ok::<_, Failure>("done")
            });
        assert!(Registry::builder().tool(tool).build().is_err(), "{root}");
    }
}

/// A stretch of lines.
#[derive(Debug)]
#[arg_type]
struct Stretch {
    lines: Range<usize>,
    weights: Vec<f32>,
    ids: BTreeMap<String, u64>,
    inner: Option<Box<Stretch>>,
}

#[derive(Debug)]
#[arg_type]
#[serde(tag = "kind")]
enum Cut {
    At { line: i64 },
    In { stretch: Stretch, small: (i8, u16) },
}

#[test]
fn number_formats_are_gone_and_ranges_there_at_every_depth() {
    /// Cuts.
    #[tool]
    fn cut(
        cut: Cut,
        all: Vec<Stretch>,
        #[arg(format = "date-time")] when: Option<String>,
    ) -> String {
        format!("{cut:?} {all:?} {when:?}")
    }
    for schema in sent(&view_of(Tool::of::<cut>())) {
        let (mut formats, mut integers) = (Vec::new(), 0);
        every_value(&schema, &mut |value| {
            formats.extend(value.get("format").and_then(Value::as_str).map(str::to_owned));
            integers += i32::from(value.get("type") == Some(&json!("integer")));
            if let Some(number) = value.as_i64() {
                assert!(number.unsigned_abs() <= 9_007_199_254_740_991, "{number}");
            }
            assert!(value.as_u64().is_none_or(|number| number <= 9_007_199_254_740_991));
        });
        assert_eq!(formats, ["date-time"]);
        assert!(integers >= 6, "{schema}");
        let text = schema.to_string();
        let (tiny, short) = (r#""minimum":-128,"maximum":127"#, r#""minimum":0,"maximum":65535"#);
        assert!(text.contains(tiny) && text.contains(short), "{text}");
    }
}

#[test]
fn a_format_that_json_schema_does_not_define_is_never_published() {
    /// Pings.
    #[tool]
    fn ping(host: std::net::IpAddr, four: std::net::Ipv4Addr, at: std::net::SocketAddr) -> String {
        format!("{host} {four} {at}")
    }
    let mut formats = Vec::new();
    every_value(&sent(&view_of(Tool::of::<ping>()))[0], &mut |value| {
        formats.extend(value.get("format").and_then(Value::as_str).map(str::to_owned));
    });
    assert_eq!(formats, ["ipv4", "ipv6", "ipv4"], "an address of either kind is one of the two");
}

#[test]
fn names_that_are_also_keywords_stay_at_every_depth_and_in_every_dialect() {
    #[derive(Debug)]
    #[arg_type]
    struct Words {
        title: String,
        format: Option<String>,
        default: Option<u8>,
        required: bool,
        properties: Option<Vec<u8>>,
        #[serde(rename = "$ref")]
        reference: String,
        #[serde(rename = "$defs")]
        definitions: String,
        #[serde(rename = "enum")]
        values: String,
        #[serde(rename = "const")]
        constant: String,
        #[serde(rename = "$schema")]
        schema: String,
    }
    #[derive(Debug)]
    #[arg_type]
    #[serde(rename_all = "camelCase")]
    enum Word {
        Title,
        AdditionalProperties,
        Format,
    }
    /// Files.
    #[tool]
    fn file(title: Words, format: Vec<Words>, pattern: Word) -> String {
        format!("{title:?} {format:?} {pattern:?}")
    }
    let names = [
        "title",
        "format",
        "default",
        "required",
        "properties",
        "$ref",
        "$defs",
        "enum",
        "const",
        "$schema",
    ];
    let view = view_of(Tool::of::<file>());
    for schema in sent(&view) {
        let top: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
        assert_eq!(top, ["title", "format", "pattern"]);
        assert_eq!(
            schema["properties"]["pattern"]["enum"],
            json!(["title", "additionalProperties", "format"])
        );
        let words = schema.pointer("/$defs/Words").unwrap();
        let inner: Vec<&String> = words["properties"].as_object().unwrap().keys().collect();
        assert_eq!(inner, names);
    }
    let words = r##"{"title":"a","required":true,"$ref":"#","$defs":"d","enum":"e","const":"c","$schema":"s"}"##;
    let arguments = format!(r#"{{"title":{words},"format":[{words}],"pattern":"format"}}"#);
    let outcome = call(&view, "file", &arguments);
    assert_eq!(outcome.status(), Status::Ok, "{}", outcome.text());
}

#[test]
fn no_keyword_that_names_a_document_reaches_a_provider() {
    let schema = json!({
        "$schema": "https://spec.openapis.org/oas/3.0/schema/2021-09-28",
        "$id": "https://example.com/tool.json",
        "type": "object",
        "properties": {"a": {"type": "object", "properties": {"$id": {"type": "string"}}}}
    });
    for sent in sent(&given(schema)) {
        let inner = json!({"type": "object", "properties": {"$id": {"type": "string"}}});
        assert_eq!(sent, json!({"type": "object", "properties": {"a": inner}}));
    }
}

#[test]
fn a_map_of_anything_is_an_open_object() {
    type Vars = HashMap<String, Value>;

    /// Fills.
    #[tool]
    fn fill(vars: Vars) -> usize {
        vars.len()
    }
    let view = view_of(Tool::of::<fill>());
    let vars = definition(&view)["input_schema"]["properties"]["vars"].clone();
    assert_eq!(vars["type"], "object");
    assert!(
        vars["additionalProperties"] == json!(true) || vars["additionalProperties"] == json!({})
    );
    assert_eq!(call(&view, "fill", r#"{"vars":{"a":null,"b":[1]}}"#).text(), "2");
}

#[test]
fn every_value_of_every_closed_set_that_is_published_can_be_sent() {
    #[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
    #[arg_type]
    #[serde(rename_all = "SCREAMING-KEBAB-CASE")]
    enum Level {
        ReadOnly,
        #[serde(rename = "rw")]
        ReadWrite,
        /// Nothing at all.
        None,
    }
    #[derive(Debug)]
    #[arg_type]
    #[serde(tag = "t", content = "c", rename_all = "snake_case")]
    enum Told {
        NothingYet,
        AtLast(Level),
    }
    /// Sets.
    #[tool]
    fn set(level: Level, told: Option<Told>, each: Option<BTreeMap<Level, u8>>) -> String {
        format!("{level:?} {told:?} {each:?}")
    }
    let view = view_of(Tool::of::<set>());
    let published = definition(&view)["input_schema"].clone();
    assert_eq!(published["properties"]["level"]["enum"], json!(["READ-ONLY", "rw", "NONE"]));
    for level in ["READ-ONLY", "rw", "NONE"] {
        let mut arguments = json!({"level": level, "told": {"t": "at_last", "c": level}});
        arguments["each"] = json!({ level: 1 });
        let outcome = call(&view, "set", &arguments.to_string());
        assert_eq!(outcome.status(), Status::Ok, "{}", outcome.text());
    }
    let told = call(&view, "set", r#"{"level":"rw","told":{"t":"nothing_yet"}}"#);
    assert_eq!(told.text(), "ReadWrite Some(NothingYet) None");
}

#[test]
fn a_name_that_a_type_would_also_read_is_refused_where_the_schema_does_not_tell_it() {
    #[arg_type]
    struct Place {
        #[serde(alias = "project")]
        path: String,
        #[serde(skip)]
        cached: u8,
    }
    /// Opens.
    #[tool]
    fn open(at: Place) -> String {
        format!("{} {}", at.path, at.cached)
    }
    let view = view_of(Tool::of::<open>());
    assert_eq!(call(&view, "open", r#"{"at":{"path":"/x"}}"#).text(), "/x 0");
    assert_eq!(
        call(&view, "open", r#"{"at":{"project":"/x"}}"#).text(),
        "$.at: missing required field 'path' (text)\n$.at: unexpected field 'project' (allowed: path)"
    );
    assert_eq!(
        call(&view, "open", r#"{"at":{"path":"/x","cached":1}}"#).text(),
        "$.at: unexpected field 'cached' (allowed: path)"
    );
}

#[test]
fn descriptions_keep_their_lines_and_their_inner_indentation() {
    /// Line one.
    ///
    /// - item
    ///    code
    #[tool]
    fn lines(
        /// first
        /// second line
        a: u8,
    ) -> u8 {
        a
    }
    /** Line one.

    - item
       code
    */
    #[tool]
    fn block(a: u8) -> u8 {
        a
    }
    #[doc = " Line one."]
    #[doc = ""]
    #[doc = " - item"]
    #[doc = "    code"]
    #[tool]
    fn attributes(a: u8) -> u8 {
        a
    }
    for tool in tools![lines, block, attributes] {
        let name = tool.name().to_owned();
        let told = definition(&view_of(tool))["description"].clone();
        assert_eq!(told, "Line one.\n\n- item\n   code", "{name}");
    }
    let parameter =
        definition(&view_of(Tool::of::<lines>()))["input_schema"]["properties"]["a"]["description"]
            .clone();
    assert_eq!(parameter, "first\nsecond line");
}

#[test]
fn a_description_in_the_attribute_stands_before_the_doc_comment() {
    #[tool(description = "For the model.")]
    /// For people.
    fn both() {}
    /// For people.
    #[tool(description = "For the model.")]
    fn both_the_other_way_round() {}
    /// For both.
    #[tool]
    fn one() {}
    let told = |tool: Tool| definition(&view_of(tool))["description"].clone();
    assert_eq!(told(Tool::of::<both>()), "For the model.");
    assert_eq!(told(Tool::of::<both_the_other_way_round>()), "For the model.");
    assert_eq!(told(Tool::of::<one>()), "For both.");
}

#[test]
fn raw_identifiers_are_plain_names_to_a_model() {
    /// Queries.
    #[tool]
    fn r#match(r#type: String, r#in: u32) -> String {
        format!("{type} {in}", r#type = r#type, r#in = r#in)
    }
    let view = view_of(Tool::of::<r#match>());
    let definition = definition(&view);
    assert_eq!(definition["name"], "match");
    assert_eq!(definition["input_schema"]["required"], json!(["type", "in"]));
    assert_eq!(call(&view, "match", r#"{"type":"a","in":1}"#).text(), "a 1");
}
