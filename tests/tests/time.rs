//! Nothing that is read takes longer than its length.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolkit::prelude::*;
use toolkit_tests::{call, echo, view_of};

// Nothing that is read takes longer than its length.

/// Asserts that the call is answered in a time that no honest call comes near.
#[track_caller]
fn in_time(tool: impl Into<Tool>, arguments: &str) {
    let tool = tool.into();
    let name = tool.name().to_owned();
    let view = view_of(tool);
    let start = Instant::now();
    let outcome = call(&view, &name, arguments);
    let time = start.elapsed();
    assert!(time < Duration::from_secs(5), "{time:?} for {} bytes: {outcome:?}", arguments.len());
}

/// Schemas in which each level is twice the next one.
fn doubling(keyword: &str, levels: usize) -> Tool {
    let mut definitions = serde_json::Map::new();
    for level in 0..levels {
        let next = json!({"$ref": format!("#/$defs/L{}", level + 1)});
        let mut node = json!({});
        node[keyword] = json!([next.clone(), next]);
        definitions.insert(format!("L{level}"), node);
    }
    definitions.insert(format!("L{levels}"), json!({"type": "integer"}));
    echo(
        json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/L0"}}, "$defs": definitions}),
    )
}

#[test]
fn a_schema_whose_levels_double_is_judged_in_time() {
    for keyword in ["anyOf", "oneOf", "allOf"] {
        for arguments in [r#"{"a":1}"#, r#"{"a":"x"}"#] {
            in_time(doubling(keyword, 22), arguments);
        }
    }
}

#[test]
fn thousands_of_unknown_fields_are_refused_in_time() {
    #[derive(Debug)]
    #[arg_type]
    struct Wide {
        a0000000: Option<u8>,
        b0000000: Option<u8>,
        c0000000: Option<u8>,
        d0000000: Option<u8>,
        e0000000: Option<u8>,
        f0000000: Option<u8>,
    }
    #[derive(Debug)]
    #[arg_type]
    #[serde(untagged)]
    enum Either {
        List(Vec<u8>),
        Wide(Wide),
        Boxed { wide: Wide },
    }
    /// Takes.
    #[tool]
    fn wide(x: Option<Wide>, either: Option<Either>) -> String {
        format!("{x:?} {either:?}")
    }
    let members: Vec<String> = (0..4_500).map(|n| format!("\"{n:08}\":1")).collect();
    let members = members.join(",");
    for argument in ["x", "either"] {
        in_time(Tool::of::<wide>(), &format!("{{\"{argument}\":{{{members}}}}}"));
    }
}

#[test]
fn a_union_of_itself_is_judged_in_time() {
    #[derive(Debug)]
    #[arg_type]
    #[serde(untagged)]
    enum Tree {
        List(Vec<Tree>),
        Pair { l: Box<Tree>, r: Box<Tree> },
        Marked { l: Box<Tree>, r: Box<Tree>, mark: u8 },
        Leaf(u8),
    }
    /// Plants.
    #[tool]
    fn plant(tree: Tree) -> String {
        format!("{tree:?}")
    }
    let mut wrong = "\"x\"".to_owned();
    for _ in 0..11 {
        wrong = format!("{{\"l\":{wrong},\"r\":{wrong}}}");
    }
    in_time(Tool::of::<plant>(), &format!("{{\"tree\":{wrong}}}"));
}

#[test]
fn texts_that_are_read_as_patterns_are_read_in_time() {
    let schema = json!({"type": "object", "properties": {
        "all": {"type": "array", "items": {"type": "string", "format": "regex"}}
    }});
    let pattern = r#""\\pL{200}\\pL{200}""#;
    let arguments = format!("{{\"all\":[{}]}}", vec![pattern; 600].join(","));
    in_time(echo(schema), &arguments);
}

#[test]
fn a_flood_of_equal_items_or_names_is_refused_in_time_and_in_few_words() {
    /// Takes.
    #[tool]
    fn take(#[arg(unique_items = true)] all: Option<Vec<u8>>, any: Option<Value>) -> String {
        format!("{all:?} {any:?}")
    }
    let view = view_of(Tool::of::<take>());
    let equal = format!("{{\"all\":[{}]}}", vec!["1"; 9_990].join(","));
    let names = format!("{{\"any\":{{{}}}}}", vec!["\"k\":1"; 9_990].join(","));
    for arguments in [equal, names] {
        in_time(Tool::of::<take>(), &arguments);
        let outcome = call(&view, "take", &arguments);
        assert!(outcome.problems().len() <= 1_000 && outcome.text().len() <= 4_200);
        assert!(outcome.text().ends_with(" more"), "{}", outcome.text());
    }
}
