//! What a right value looks like, in the words of a report.

use serde_json::Value;

use super::judge::double_value;
use super::text::Json;
use super::union::behind;
use crate::schema::{Compiled, Decimal, Node, Type};

/// What a value of this schema looks like, in words.
pub(super) fn describe(schema: &Compiled, node: &Node) -> String {
    // Unions in unions could go on for ever, and nobody reads so far.
    let mut forms = Vec::new();
    collect(schema, node, 3, &mut forms);
    if forms.is_empty() { "a value".to_owned() } else { forms.join(" or ") }
}

fn collect(schema: &Compiled, node: &Node, depth: usize, forms: &mut Vec<String>) {
    const MOST: usize = 8;
    let node = behind(schema, node);
    if let Some(values) = &node.one_of_values {
        let names: Vec<String> = values.iter().map(Value::to_string).collect();
        let one_of = if names.len() == 1 { "" } else { "one of " };
        forms.push(format!("{one_of}{}", listed(&names)));
        return;
    }
    forms.extend(node.types.iter().map(|of| of_type(*of, node)));
    for id in node.any_of.iter().chain(&node.one_of) {
        if depth > 0 && forms.len() < MOST {
            collect(schema, schema.node(*id), depth - 1, forms);
        }
    }
    let mut seen = std::collections::BTreeSet::new();
    forms.retain(|form| seen.insert(form.clone()));
}

/// What the names of a map's fields must be.
pub(super) fn key_words(pattern: &str) -> String {
    match pattern {
        r"^(0|[1-9]\d*)$" => "an integer from 0 on, like \"7\"".to_owned(),
        r"^(0|-?[1-9]\d*)$" => "an integer, like \"-7\"".to_owned(),
        other => format!("text matching {other}"),
    }
}

fn of_type(of: Type, node: &Node) -> String {
    match of {
        Type::Null => "null".to_owned(),
        Type::Boolean => "true or false".to_owned(),
        Type::Integer => format!("an integer{}", range(node)),
        Type::Number => format!("a number{}", range(node)),
        Type::String => match node.format {
            Some(format) => format!("text ({})", format.words()),
            None => "text".to_owned(),
        },
        Type::Array => "a list".to_owned(),
        Type::Object => "an object".to_owned(),
    }
}

fn range(node: &Node) -> String {
    let shown = |bound: &Decimal| {
        bound.integer().map_or_else(|| double_value(bound).to_string(), |n| n.to_string())
    };
    let least = match (&node.minimum, &node.exclusive_minimum) {
        (_, Some(bound)) => Some(format!("greater than {}", shown(bound))),
        (Some(bound), None) => Some(format!("at least {}", shown(bound))),
        (None, None) => None,
    };
    let most = match (&node.maximum, &node.exclusive_maximum) {
        (_, Some(bound)) => Some(format!("less than {}", shown(bound))),
        (Some(bound), None) => Some(format!("at most {}", shown(bound))),
        (None, None) => None,
    };
    match (least, most, &node.minimum, &node.maximum) {
        (Some(_), Some(_), Some(least), Some(most))
            if node.exclusive_minimum.is_none() && node.exclusive_maximum.is_none() =>
        {
            format!(" from {} to {}", shown(least), shown(most))
        }
        (Some(least), Some(most), _, _) => format!(" {least} and {most}"),
        (Some(one), None, _, _) | (None, Some(one), _, _) => format!(" {one}"),
        (None, None, _, _) => String::new(),
    }
}

/// How a value of the wrong type is put right, where that is plain to see.
pub(super) fn hint(node: &Node, json: &Json<'_>) -> (String, Option<Value>) {
    let nothing = (String::new(), None);
    let wants = |of: Type| node.types.contains(&of);
    match json {
        Json::Text(text) => {
            let parsed: Option<Value> = serde_json::from_str(text.trim()).ok();
            match parsed {
                Some(value @ Value::Number(_)) if wants(Type::Number) || wants(Type::Integer) => {
                    (format!(" (write {value} without quotes)"), Some(value))
                }
                Some(value @ Value::Bool(_)) if wants(Type::Boolean) => {
                    (format!(" (write {value} without quotes)"), Some(value))
                }
                Some(value)
                    if (wants(Type::Object) && value.is_object())
                        || (wants(Type::Array) && value.is_array()) =>
                {
                    (" (send the JSON itself, not text that holds it)".to_owned(), Some(value))
                }
                _ => nothing,
            }
        }
        Json::Number(digits) if wants(Type::String) && digits.len() <= 80 => {
            (format!(" (write \"{digits}\")"), Some(Value::from(*digits)))
        }
        Json::Bool(value) if wants(Type::String) => {
            (format!(" (write \"{value}\")"), Some(Value::from(value.to_string())))
        }
        _ => nothing,
    }
}

/// Names in a row, cut where there are too many to read.
pub(super) fn listed(names: &[String]) -> String {
    const MOST: usize = 24;
    let shown: Vec<String> =
        names.iter().take(MOST).map(|name| name.chars().take(80).collect()).collect();
    match names.len().checked_sub(MOST) {
        Some(left) if left > 0 => format!("{} … and {left} more", shown.join(", ")),
        _ => shown.join(", "),
    }
}

/// How many there must be, where there are too few or too many.
pub(super) fn outside(
    count: u64,
    least: Option<u64>,
    most: Option<u64>,
    noun: &str,
) -> Option<String> {
    let plural = |n: u64| if n == 1 { "" } else { "s" };
    if least.is_none_or(|least| count >= least) && most.is_none_or(|most| count <= most) {
        return None;
    }
    Some(match (least, most) {
        (Some(least), Some(most)) if least == most => {
            format!("exactly {least} {noun}{}", plural(least))
        }
        (Some(least), Some(most)) => format!("{least} to {most} {noun}s"),
        (Some(least), None) => format!("at least {least} {noun}{}", plural(least)),
        (None, Some(most)) => format!("at most {most} {noun}{}", plural(most)),
        (None, None) => return None,
    })
}
