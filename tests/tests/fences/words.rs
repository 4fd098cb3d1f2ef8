//! What a model reads is what a person who reviews it sees.

use std::fs;
use std::path::Path;

use serde_json::json;
use toolkit::__private::has_unseen;
use toolkit::prelude::*;

/// What changes what is shown, or hides text, and is not shown itself.
fn is_unseen(sign: char) -> bool {
    let is_control = sign.is_control() && !matches!(sign, '\n' | '\t');
    let turns = matches!(sign, '\u{200e}' | '\u{200f}' | '\u{61c}')
        || ('\u{2028}'..='\u{202e}').contains(&sign)
        || ('\u{2060}'..='\u{206f}').contains(&sign);
    let fills = "\u{ad}\u{34f}\u{115f}\u{1160}\u{180e}\u{200b}\u{2800}\u{3164}\u{feff}\u{ffa0}";
    let marks = ('\u{fff9}'..='\u{fffb}').contains(&sign)
        || ('\u{1d173}'..='\u{1d17a}').contains(&sign)
        || ('\u{e0000}'..='\u{e0fff}').contains(&sign);
    is_control || turns || fills.contains(sign) || marks
}

#[test]
fn every_character_there_is_shows_or_is_found() {
    for sign in '\0'..=char::MAX {
        assert_eq!(has_unseen(&format!("ä{sign}語")), is_unseen(sign), "{sign:?}");
    }
    assert!(!has_unseen("Prices in €, 👩\u{200d}🚀, line\nand\ttab"));
}

#[test]
fn a_description_with_what_is_not_shown_is_refused() {
    let tool = |description: &str, schema| {
        Tool::dynamic("look", description, schema, |_, _| async { Ok::<_, ToolError>(()) })
    };
    let hidden = json!({"properties": {"a": {"type": "string", "description": "x\u{e0041}"}}});
    let spoken = json!({"properties": {"a": {"title": "x\u{1b}[2J"}}});
    for tool in [
        tool("Looks.\u{202e}", json!({})),
        tool("Looks.", spoken),
        tool("Looks.", hidden),
        tool("Looks.", json!({})).title("Look\u{7}"),
    ] {
        let errors = Registry::builder().tool(tool).build().unwrap_err();
        assert_eq!(
            errors.iter().map(ToolConfigError::message).collect::<Vec<_>>(),
            ["its description, title or schema holds a character that is not shown, so that a \
              model reads what no person sees; remove it"],
        );
    }
    assert!(
        Registry::builder().tool(tool("Looks: 語, é, 👩\u{200d}🚀.", json!({}))).build().is_ok()
    );
}

#[test]
fn each_line_of_the_threat_table_names_a_test_that_there_is() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("../SECURITY.md")).unwrap();
    let (_, table) = page.split_once("| threat | what is done | held by |").unwrap();
    let rows: Vec<&str> = table.lines().skip(2).filter(|line| line.starts_with('|')).collect();
    assert!(rows.len() >= 30, "{}", rows.len());
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [_, _, held_by] = cells[..] else { panic!("{row}") };
        let (file, test) = held_by.trim_matches('`').split_once("::").expect(row);
        let source = fs::read_to_string(root.join("tests").join(file)).expect(row);
        let head = format!("fn {test}(");
        let (before, _) = source.split_once(&head).unwrap_or_else(|| panic!("no test: {row}"));
        let attribute = before.trim_end().trim_end_matches("async").trim_end();
        assert!(
            attribute.ends_with(']') && attribute.rsplit("#[").next().unwrap().contains("test")
        );
    }
}

#[test]
fn a_field_that_is_called_like_a_keyword_and_a_type_s_own_words_are_looked_at_as_well() {
    let refused = |tool: Tool| {
        let errors = Registry::builder().tool(tool).build().unwrap_err();
        assert!(errors.to_string().contains("a character that is not shown"), "{errors}");
    };
    for name in ["pattern", "default", "enum", "const", "examples"] {
        let schema = json!({"properties": {name: {"description": "x\u{e0041}"}}});
        let run = |_, _| async { Ok::<_, ToolError>(()) };
        refused(Tool::dynamic("look", "Looks.", schema, run).into());
    }

    /// An order.
    #[arg_type]
    struct Order {
        #[doc = "Its id.\u{202e}"]
        id: String,
    }

    /// Looks up an order.
    #[tool]
    fn look_up(order: Order) {
        drop(order.id);
    }
    refused(Tool::of::<look_up>());
}
