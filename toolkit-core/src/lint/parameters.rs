//! What the parameters of a tool say in words and in their schema.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value};

use super::{Finding, Rule, Subject, pattern};
use crate::problem::Path;

/// Values that are listed where a schema would hold them.
static CLOSED_SET: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)\b(?:must be |is |either )?one of\b|\beither\b[^.]*\bor\b",
        r"|\b(?:allowed|valid|possible|accepted|supported|permitted) (?:values|options|choices)\b",
        r#"|["'`][\w -]+["'`]\s*(?:,|/|\||\bor\b|, or\b)\s*(?:or )?["'`][\w -]+["'`]"#,
        r"|\b\w+\|\w+\b|^\w+(?:, \w+)* or \w+\.?$",
    ))
});

/// Values that are only named to show the form.
static EXAMPLES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?i)\b(?:e\.g\.|eg|i\.e\.|for example|for instance|such as|like|example)\b|e\.g\.")
});

/// Formats by their names.
static FORMAT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"YYYY-MM-DD|\b\d{4}-\d{2}-\d{2}\b|YYYY/MM/DD|DD\.MM\.YYYY|MM/DD/YYYY|HH:MM|(?i:\bISO[- ]?(?:8601|3166|4217)\b|\bISO[- ]date\b",
        r"|\bRFC[- ]?(?:3339|3986|5322)\b|\bUUIDs?\b|\be-?mail address\b|\bURLs?\b|\bURI\b|\bIPv[46]\b|\bIP address\b",
        r"|\bhex(?:adecimal)? (?:string|number|colou?r)\b|\bbase64\b|\bE\.164\b|\bIATA\b",
        r"|\b(?:starts?|starting|begins?|beginning|prefixed|ends?|ending) with [^\w\s]",
        r"|\b(?:symbol|sign|prefix|letter|character)s? at the (?:beginning|start|end)\b",
        r"|\b\w+@\w+\.\w+\b)",
    ))
});

/// From here on a number that passes through a double loses its last digits.
const EXACT: u64 = 1 << 53;

pub(super) fn of(subject: &Subject<'_>, most: usize) -> Vec<Finding> {
    let schema = &subject.definition.input_schema;
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return Vec::new();
    };
    let mut findings = Vec::new();
    if properties.len() > most {
        findings.push(Finding::new(
            Rule::TooManyParameters,
            format!("it has {} parameters; a model fills {most} well", properties.len()),
            "split it, or let what belongs together be one object",
        ));
    }
    for (name, property) in properties {
        let at = Path::root().field(name);
        findings.extend(of_one(name, property).into_iter().map(|found| found.at(at.clone())));
    }
    findings.into_iter().map(|finding| finding.of(subject)).collect()
}

fn of_one(name: &str, property: &Value) -> Vec<Finding> {
    let described = property.get("description").and_then(Value::as_str).unwrap_or_default();
    let mut findings = Vec::new();
    if described.trim().is_empty() {
        findings.push(Finding::new(
            Rule::UndescribedParameter,
            "it has no description",
            "say what goes there, with a doc comment on the parameter or on its type",
        ));
    }
    if is_free_text(property) {
        findings.extend(closed_set(described));
        findings.extend(format_in_words(described));
    }
    findings.extend(wide_id(name, property));
    findings
}

/// Whether any text passes, or any list of texts.
fn is_free_text(node: &Value) -> bool {
    let has = |key: &str| node.get(key).is_some();
    let is = |of: &str| match node.get("type") {
        Some(Value::Array(types)) => types.iter().any(|name| name == of),
        Some(name) => name == of,
        None => false,
    };
    let is_held =
        ["enum", "const", "pattern", "format", "anyOf", "oneOf", "$ref"].into_iter().any(has);
    match node.get("items") {
        Some(items) if is("array") => is_free_text(items),
        _ => is("string") && !is_held,
    }
}

fn closed_set(described: &str) -> Option<Finding> {
    let listed = CLOSED_SET.find(described)?;
    (!EXAMPLES.is_match(described)).then(|| {
        Finding::new(
            Rule::ClosedSetInWords,
            format!(
                "its description lists values (\"{}\") and any text passes",
                listed.as_str().trim()
            ),
            "make it an enum with `#[arg_type]`",
        )
    })
}

fn format_in_words(described: &str) -> Option<Finding> {
    let named = FORMAT.find(described)?;
    let before = described.get(..named.start()).unwrap_or_default().to_lowercase();
    let is_denied =
        before.split_whitespace().rev().take(3).any(|word| ["no", "not", "never"].contains(&word));
    (!is_denied).then(|| {
        Finding::new(
            Rule::FormatInWords,
            format!("its description names a format ({}) that any text passes", named.as_str()),
            "add `#[arg(format = …)]` or `#[arg(pattern = …)]`",
        )
    })
}

fn wide_id(name: &str, property: &Value) -> Option<Finding> {
    let is_id = name == "id" || name.ends_with("_id") || name.ends_with("Id");
    let is_number = property.get("type").is_some_and(|of| of == "integer" || of == "number");
    let bound = |key: &str| property.get(key).and_then(Value::as_f64);
    #[expect(clippy::cast_precision_loss, reason = "it is a power of two")]
    let is_narrow = bound("maximum").is_some_and(|most| most <= EXACT as f64);
    (is_id && is_number && !is_narrow).then(|| {
        Finding::new(
            Rule::WideId,
            "it is a number without a bound, and beyond 2^53 other programs round it",
            "take text, or add `#[arg(maximum = …)]`",
        )
    })
}

/// What goes into a tool: the names and types of its parameters.
pub(super) fn shape(subject: &Subject<'_>) -> Vec<(String, String)> {
    let properties = subject.definition.input_schema.get("properties").and_then(Value::as_object);
    let kind = |node: &Value| node.get("type").map(ToString::to_string).unwrap_or_default();
    let pairs = |all: &Map<String, Value>| -> Vec<(String, String)> {
        all.iter().map(|(name, node)| (name.clone(), kind(node))).collect()
    };
    let mut shape = properties.map(pairs).unwrap_or_default();
    shape.sort();
    shape
}
