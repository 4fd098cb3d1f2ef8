//! What a right value looks like, in the words of a report.

use serde_json::Value;

use super::judge::double_value;
use super::scalar::{digits_fit, text_fits};
use super::text::Json;
use super::union::behind;
use crate::schema::{Compiled, Decimal, Node, Type, integer_words, pattern_words};

/// What a value of this schema looks like, in words, with an example where they leave it open.
pub(super) fn describe(schema: &Compiled, node: &Node, example: Option<&Value>) -> String {
    let words = forms(schema, node);
    match example.filter(|_| is_open(schema, node, 3)) {
        Some(example) => format!("{words}{}", like(example)),
        None => words,
    }
}

/// An example as words show it; one that is too long to read is left out.
pub(super) fn like(example: &Value) -> String {
    const MOST: usize = 600;
    let example = example.to_string();
    if example.len() > MOST { String::new() } else { format!(", like {example}") }
}

/// The words for a value of which nothing is said.
pub(super) const ANY_VALUE: &str = "a value";

/// What a value of this schema looks like, in words.
pub(super) fn forms(schema: &Compiled, node: &Node) -> String {
    // Unions in unions could go on for ever, and nobody reads so far.
    let mut forms = Vec::new();
    collect(schema, node, 3, &mut forms);
    if forms.is_empty() { ANY_VALUE.to_owned() } else { forms.join(" or ") }
}

/// Whether no value can be made of the words alone.
fn is_open(schema: &Compiled, node: &Node, depth: usize) -> bool {
    let node = behind(schema, node);
    if node.one_of_values.is_some() {
        return false;
    }
    let some = |count: Option<u64>| count.is_some_and(|count| count > 0);
    let first = node.any_of.iter().chain(&node.one_of).next();
    let by_type = |of: &Type| match of {
        Type::Object => !node.required.is_empty() || some(node.min_properties),
        Type::Array => !node.prefix.is_empty() || some(node.min_items),
        Type::String => node.pattern.is_some(),
        Type::Integer => node.multiple_of.as_ref().is_some_and(|step| !step.is_integer()),
        Type::Null | Type::Boolean | Type::Number => false,
    };
    node.types.first().is_some_and(by_type)
        || !node.all_of.is_empty()
        || node.not.is_some()
        || node.reference.is_some()
        || may_fit_several(schema, node)
        || first.is_some_and(|id| depth == 0 || is_open(schema, schema.node(*id), depth - 1))
}

/// Whether a value of some kind may fit two forms of which it must fit one.
fn may_fit_several(schema: &Compiled, node: &Node) -> bool {
    let mut seen = 0;
    node.one_of.iter().any(|id| {
        let kinds = behind(schema, schema.node(*id)).stream.kinds();
        let is_again = seen & kinds != 0;
        seen |= kinds;
        is_again
    })
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

/// What a name of a field looks like, which is text whatever else is said of it.
pub(super) fn name_forms(schema: &Compiled, names: &Node) -> String {
    let names = behind(schema, names);
    let branches = names.any_of.iter().chain(&names.one_of);
    if names.one_of_values.is_some() {
        return forms(schema, names);
    }
    let each: Vec<String> = branches.map(|id| name_forms(schema, schema.node(*id))).collect();
    if each.is_empty() { text(names) } else { each.join(" or ") }
}

/// What the names of a map's fields must be.
pub(super) fn key_words(pattern: &str) -> String {
    integer_words(pattern).unwrap_or_else(|| pattern_words(pattern))
}

fn of_type(of: Type, node: &Node) -> String {
    match of {
        Type::Null => "null".to_owned(),
        Type::Boolean => "true or false".to_owned(),
        Type::Integer => match node.multiple_of.as_ref().filter(|step| step.is_integer()) {
            Some(step) => multiple(node, step),
            None => format!("an integer{}", range(node)),
        },
        Type::Number => match &node.multiple_of {
            Some(step) => multiple(node, step),
            None => format!("a number{}", range(node)),
        },
        Type::String => text(node),
        Type::Array => format!("a list{}", of_count(node.min_items, node.max_items, "item")),
        Type::Object => {
            format!("an object{}", of_count(node.min_properties, node.max_properties, "field"))
        }
    }
}

/// A multiple of a step, with its bounds.
pub(super) fn multiple(node: &Node, step: &Decimal) -> String {
    format!("a multiple of {}{}", double_value(step), range(node))
}

fn text(node: &Node) -> String {
    let of = of_count(node.min_length, node.max_length, "character");
    match (node.format, &node.pattern) {
        (Some(format), _) => format!("text{of} ({})", format.words()),
        (None, Some(pattern)) if of.is_empty() => pattern_words(&pattern.text),
        (None, Some(pattern)) => format!("text{of} matching {}", pattern.text),
        (None, None) => format!("text{of}"),
    }
}

fn of_count(least: Option<u64>, most: Option<u64>, noun: &str) -> String {
    let least = least.filter(|least| *least > 0);
    counted(least, most, noun).map_or_else(String::new, |words| format!(" of {words}"))
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

/// How a value of the wrong type is put right, where that is plain to see and would be accepted.
pub(super) fn hint(node: &Node, json: &Json<'_>) -> (String, Option<Value>) {
    let wants = |of: Type| node.types.contains(&of);
    let written = match json {
        Json::Text(text) => {
            let text = text.trim();
            let parsed: Option<Value> = serde_json::from_str(text).ok();
            match parsed {
                Some(Value::Number(_)) if text.len() <= 80 => accepted_number(node, text)
                    .map(|value| (format!(" (write {text} without quotes)"), value)),
                Some(value @ Value::Bool(_)) if wants(Type::Boolean) => {
                    Some((format!(" (write {value} without quotes)"), value))
                }
                Some(value)
                    if (wants(Type::Object) && value.is_object())
                        || (wants(Type::Array) && value.is_array()) =>
                {
                    Some((" (send the JSON itself, not text that holds it)".to_owned(), value))
                }
                _ => None,
            }
        }
        Json::Number(digits) if digits.len() <= 80 => accepted_text(node, digits),
        Json::Bool(value) => accepted_text(node, &value.to_string()),
        _ => None,
    };
    written.map_or_else(Default::default, |(words, value)| (words, Some(value)))
}

fn accepted_number(node: &Node, digits: &str) -> Option<Value> {
    let is_number = node.types.contains(&Type::Number) || node.types.contains(&Type::Integer);
    digits_fit(node, digits).ok().filter(|_| is_number).map(Value::from)
}

fn accepted_text(node: &Node, text: &str) -> Option<(String, Value)> {
    let accepted = node.types.contains(&Type::String) && text_fits(node, text);
    accepted.then(|| (format!(" (write \"{text}\")"), Value::from(text)))
}

/// Names in a row, cut where there are too many to read.
pub(super) fn listed<N: AsRef<str>>(names: &[N]) -> String {
    const MOST: usize = 24;
    const LONGEST: usize = 80;
    let mut row = String::with_capacity(names.len().min(MOST) * 16);
    for (index, name) in names.iter().take(MOST).enumerate() {
        if index > 0 {
            row.push_str(", ");
        }
        let name = name.as_ref();
        if name.len() <= LONGEST {
            row.push_str(name);
        } else {
            row.extend(name.chars().take(LONGEST));
        }
    }
    if let Some(left) = names.len().checked_sub(MOST).filter(|left| *left > 0) {
        row.extend([" … and ", &left.to_string(), " more"]);
    }
    row
}

/// How many there must be, where there are too few or too many.
pub(super) fn outside(
    count: u64,
    least: Option<u64>,
    most: Option<u64>,
    noun: &str,
) -> Option<String> {
    if least.is_none_or(|least| count >= least) && most.is_none_or(|most| count <= most) {
        return None;
    }
    counted(least, most, noun)
}

/// So many of something.
fn counted(least: Option<u64>, most: Option<u64>, noun: &str) -> Option<String> {
    let plural = |n: u64| if n == 1 { "" } else { "s" };
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
