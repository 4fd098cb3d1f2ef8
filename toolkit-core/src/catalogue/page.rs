//! A reference of every tool, for people.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use crate::dialect::Definition;
use crate::registry::Registry;
use crate::tool::{ApprovalPolicy, OnUnknown, Requirement, Tool};

impl Registry {
    /// Writes a reference of every tool in Markdown: what it does, when it is right and when not,
    /// its parameters with their constraints, effect, scopes and approval.
    ///
    /// The same registry gives the same text, so that it can be checked in and compared.
    ///
    /// ```
    /// use toolkit::prelude::*;
    ///
    /// /// Looks up an order. Use before a refund. Do not use for quotes.
    /// #[tool(effect = "read", scopes("orders:read"))]
    /// fn get_order(
    ///     /// The order's id, like O-4471.
    ///     #[arg(pattern = r"^O-\d+$")]
    ///     order_id: &str,
    /// ) {
    /// }
    ///
    /// let page = Registry::builder().tools(tools![get_order]).build()?.to_markdown();
    /// assert!(page.contains("- When: Use before a refund.\n- When not: Do not use for quotes.\n"));
    /// assert!(page.contains(
    ///     "| `order_id` | text | yes | pattern `^O-\\d+$` | The order's id, like O-4471. |\n"
    /// ));
    /// # Ok::<(), toolkit::ToolConfigErrors>(())
    /// ```
    #[must_use]
    pub fn to_markdown(&self) -> String {
        let mut page = "# Tools\n\n| tool | effect | what it does |\n|---|---|---|\n".to_owned();
        for (tool, definition) in self.tools() {
            let Said { what, .. } = Said::of(&definition.description);
            let name = &definition.name;
            let _ = writeln!(page, "| [`{name}`](#{name}) | {} | {} |", effect(tool), cell(&what));
        }
        for (tool, definition) in self.tools() {
            one(&mut page, tool, definition);
        }
        page
    }
}

fn effect(tool: &Tool) -> &'static str {
    tool.policy.effect.map_or("not said", crate::tool::Effect::as_str)
}

fn one(page: &mut String, tool: &Tool, definition: &Definition) {
    let Said { what, when, when_not } = Said::of(&definition.description);
    let _ = write!(page, "\n## {}\n\n", definition.name);
    if let Some(title) = &definition.title {
        let _ = write!(page, "**{}**\n\n", cell(title));
    }
    let _ = write!(page, "{what}\n\n");
    let mut line = |about: &str, text: &str| {
        if !text.is_empty() {
            let _ = writeln!(page, "- {about}: {text}");
        }
    };
    line("When", &when);
    line("When not", &when_not);
    line("Effect", effect(tool));
    line("Scopes", &listed(&tool.policy.scopes));
    line("Only after", &required(tool));
    line("Approval", &approval(tool));
    line("Two calls are one by", &listed(&tool.policy.idempotency));
    if tool.policy.is_effectful() {
        line("When it is not known what came of a call", on_unknown(tool.policy.on_unknown));
    }
    parameters(page, &definition.input_schema);
}

fn listed(words: &[String]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

fn required(tool: &Tool) -> String {
    let one = |Requirement { tool, same }: &Requirement| match same.as_slice() {
        [] => format!("`{tool}`"),
        same => format!("`{tool}` with the same {}", listed(same)),
    };
    tool.policy.requires.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn approval(tool: &Tool) -> String {
    if !tool.policy.may_ask() {
        return String::new();
    }
    let ApprovalPolicy { quorum, four_eyes, time_to_live } = tool.policy.agreement();
    let when =
        if tool.policy.always_asks() { "every call" } else { "calls for which its rule says so" };
    let people = if quorum == 1 { "a person".to_owned() } else { format!("{quorum} persons") };
    let other = if four_eyes { ", none of them the one whom the agent acts for" } else { "" };
    let within = time_to_live
        .map_or_else(String::new, |time| format!(", within {} min", time.as_secs() / 60));
    format!("{when}, by {people}{other}{within}")
}

const fn on_unknown(what: OnUnknown) -> &'static str {
    match what {
        OnUnknown::InDoubt => "a person says it",
        OnUnknown::Rerun => "it runs again",
        OnUnknown::RerunWithKey => "it runs again with the same key",
        OnUnknown::Verify => "it looks by itself",
    }
}

/// A description by what its sentences are for.
struct Said {
    what: String,
    when: String,
    when_not: String,
}

impl Said {
    fn of(description: &str) -> Self {
        let (mut what, mut when, mut when_not) = (Vec::new(), Vec::new(), Vec::new());
        for sentence in sentences(description) {
            let start = sentence.to_lowercase();
            let begins = |with: &[&str]| with.iter().any(|with| start.starts_with(with));
            if begins(&["do not use", "don't use", "never use", "not for ", "use `"]) {
                when_not.push(sentence);
            } else if begins(&["use ", "only use ", "call this "]) {
                when.push(sentence);
            } else {
                what.push(sentence);
            }
        }
        Self { what: what.join(" "), when: when.join(" "), when_not: when_not.join(" ") }
    }
}

/// The sentences of a text in one line each.
fn sentences(text: &str) -> Vec<String> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut sentences = Vec::new();
    let mut rest = text.as_str();
    while let Some((sentence, after)) = rest.split_once(". ") {
        sentences.push(format!("{sentence}."));
        rest = after;
    }
    if !rest.is_empty() {
        sentences.push(rest.to_owned());
    }
    sentences
}

fn parameters(page: &mut String, schema: &Value) {
    let mut rows = Vec::new();
    members(schema, "", &mut rows);
    if rows.is_empty() {
        page.push_str("\nNo parameters.\n");
        return;
    }
    page.push_str("\n| parameter | type | must be given | constraints | what it is |\n|---|---|---|---|---|\n");
    for row in rows {
        let _ = writeln!(page, "{row}");
    }
}

fn members(node: &Value, before: &str, rows: &mut Vec<String>) {
    let properties = node.get("properties").and_then(Value::as_object);
    let required = node.get("required").and_then(Value::as_array);
    for (name, property) in properties.into_iter().flatten() {
        let path = format!("{before}{name}");
        let must = required.is_some_and(|all| all.iter().any(|one| one == name));
        let told = property.get("description").and_then(Value::as_str).unwrap_or_default();
        rows.push(format!(
            "| `{}` | {} | {} | {} | {} |",
            cell(&path),
            kind(property),
            if must { "yes" } else { "no" },
            constraints(property),
            cell(told),
        ));
        members(property, &format!("{path}."), rows);
        if let Some(items) = property.get("items") {
            members(items, &format!("{path}[]."), rows);
        }
    }
}

fn kind(node: &Value) -> String {
    let named = |name: &str| match name {
        "string" => "text".to_owned(),
        "boolean" => "yes or no".to_owned(),
        "array" => node
            .get("items")
            .map_or_else(|| "list".to_owned(), |items| format!("list of {}", kind(items))),
        other => other.to_owned(),
    };
    match node.get("type") {
        Some(Value::String(name)) => named(name),
        Some(Value::Array(types)) => {
            types.iter().filter_map(Value::as_str).map(named).collect::<Vec<_>>().join(" or ")
        }
        _ if node.get("enum").is_some() || node.get("const").is_some() => "one of".to_owned(),
        _ => match node.get("$ref").and_then(Value::as_str) {
            Some(reference) => format!("`{}`", reference.rsplit('/').next().unwrap_or(reference)),
            None if node.get("anyOf").or_else(|| node.get("oneOf")).is_some() => {
                "one of several".to_owned()
            }
            None => "any".to_owned(),
        },
    }
}

/// What stands for itself in another column.
const TOLD: [&str; 11] = [
    "type",
    "description",
    "title",
    "properties",
    "required",
    "items",
    "additionalProperties",
    "$ref",
    "$defs",
    "anyOf",
    "oneOf",
];

fn constraints(node: &Value) -> String {
    let members = node
        .as_object()
        .map(|members| members.iter().filter(|(key, _)| !TOLD.contains(&key.as_str())));
    let told = members.into_iter().flatten().map(|(key, value)| match value {
        Value::Array(values) if key == "enum" => {
            values.iter().map(code).collect::<Vec<_>>().join(", ")
        }
        value => format!("{} {}", spoken(key), code(value)),
    });
    let of_items = node.get("items").map(constraints).filter(|of_items| !of_items.is_empty());
    let of_items = of_items.map(|of_items| format!("each {of_items}"));
    told.chain(of_items).collect::<Vec<_>>().join("; ")
}

/// The keyword's words, apart.
fn spoken(key: &str) -> String {
    crate::index::split(key).join(" ")
}

fn code(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    format!("`{}`", cell(&text))
}

/// Text that ends no cell of a table.
fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

/// What a page does not show of a schema, for whoever compares.
pub(super) fn without_words(node: &Value) -> Value {
    match node {
        Value::Object(members) => {
            let kept = members.iter().filter(|(key, value)| !is_wording(key, value));
            Value::Object(kept.map(|(key, value)| (key.clone(), below(key, value))).collect())
        }
        Value::Array(items) => items.iter().map(without_words).collect(),
        other => other.clone(),
    }
}

/// Names of properties are no keywords, and data is no schema.
fn below(key: &str, value: &Value) -> Value {
    match (key, value) {
        ("properties" | "$defs", Value::Object(members)) => Value::Object(
            members
                .iter()
                .map(|(name, member)| (name.clone(), without_words(member)))
                .collect::<Map<_, _>>(),
        ),
        ("enum" | "const" | "default", data) => data.clone(),
        (_, value) => without_words(value),
    }
}

fn is_wording(key: &str, value: &Value) -> bool {
    match key {
        "description" | "title" => value.is_string(),
        "examples" => value.is_array(),
        _ => false,
    }
}
