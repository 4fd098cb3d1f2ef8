//! A keyword that an API does not take, in words.

use serde_json::{Map, Value};

use crate::schema::{Format, integer_words, pattern_words};

type Object = Map<String, Value>;

/// What becomes of a keyword that is not taken.
#[derive(Debug, PartialEq)]
pub(super) enum Lost {
    /// It is let go.
    Annotation,
    /// The description says it.
    Words(String),
    /// Words would not do.
    Refused(&'static str),
}

/// What a keyword says, where it is not taken; `lost` are all those of the node.
///
/// Bounds that go together are told once, by the lower one.
pub(super) fn lost(node: &Object, keyword: &str, lost: &[&str]) -> Lost {
    let Some(value) = node.get(keyword) else { return Lost::Annotation };
    let both = |least: &str, most: &str| {
        let bound = |name: &str| lost.contains(&name).then(|| node.get(name)).flatten();
        (bound(least), bound(most))
    };
    let words = |words: Option<String>| words.map_or(Lost::Annotation, Lost::Words);
    match keyword {
        "minimum" => words(range(both("minimum", "maximum"), "")),
        "maximum" if !lost.contains(&"minimum") => words(range(both("minimum", "maximum"), "")),
        "minLength" => words(range(both("minLength", "maxLength"), " character")),
        "maxLength" if !lost.contains(&"minLength") => {
            words(range(both("minLength", "maxLength"), " character"))
        }
        "minItems" => words(range(both("minItems", "maxItems"), " item")),
        "maxItems" if !lost.contains(&"minItems") => {
            words(range(both("minItems", "maxItems"), " item"))
        }
        "minProperties" => words(range(both("minProperties", "maxProperties"), " field")),
        "maxProperties" if !lost.contains(&"minProperties") => {
            words(range(both("minProperties", "maxProperties"), " field"))
        }
        "exclusiveMinimum" => Lost::Words(format!("more than {value}")),
        "exclusiveMaximum" => Lost::Words(format!("less than {value}")),
        "multipleOf" => Lost::Words(format!("a multiple of {value}")),
        "uniqueItems" if *value == true => Lost::Words("each item once".to_owned()),
        "pattern" => words(value.as_str().map(pattern)),
        "format" => words(value.as_str().map(format)),
        "default" => Lost::Words(format!("default {value}")),
        "contentEncoding" => words(value.as_str().map(|name| format!("{name} encoded"))),
        "contentMediaType" => words(value.as_str().map(|name| format!("content of {name}"))),
        "not" => not(value),
        "dependentRequired" => words(dependent(value)),
        "dependentSchemas" | "if" => {
            Lost::Refused("write the rule as a `check`, and let the fields be optional")
        }
        "contains" | "minContains" | "maxContains" => Lost::Refused("write the rule as a `check`"),
        "unevaluatedItems" | "unevaluatedProperties" => {
            Lost::Refused("write `items` or `additionalProperties` in each form")
        }
        "$dynamicRef" => Lost::Refused("write a `$ref` to the schema that is meant"),
        // `then` and `else` are part of the `if`, which is told of; any other is an annotation.
        _ => Lost::Annotation,
    }
}

fn range((least, most): (Option<&Value>, Option<&Value>), unit: &str) -> Option<String> {
    let counted = |count: &Value| {
        let plural = if unit.is_empty() || *count == 1 { "" } else { "s" };
        format!("{count}{unit}{plural}")
    };
    Some(match (least, most) {
        (Some(least), Some(most)) if least == most => format!("exactly {}", counted(least)),
        (Some(least), Some(most)) => format!("{least} to {}", counted(most)),
        (Some(least), None) => format!("at least {}", counted(least)),
        (None, Some(most)) => format!("at most {}", counted(most)),
        (None, None) => return None,
    })
}

/// In words, what text matches a pattern.
pub(super) fn pattern(pattern: &str) -> String {
    integer_words(pattern).unwrap_or_else(|| pattern_words(pattern))
}

fn format(name: &str) -> String {
    Format::named(name).map_or_else(|| name.to_owned(), |format| format.words().to_owned())
}

fn not(value: &Value) -> Lost {
    let Some(node) = value.as_object() else {
        return Lost::Refused("write the rule as a `check`");
    };
    let names: Vec<&str> = node.keys().map(String::as_str).filter(|name| *name != "type").collect();
    match (names.as_slice(), node.get("const"), node.get("enum").and_then(Value::as_array)) {
        (["const"], Some(value), _) => Lost::Words(format!("not {value}")),
        (["enum"], _, Some(values)) => {
            let values: Vec<String> = values.iter().map(Value::to_string).collect();
            Lost::Words(format!("none of {}", values.join(", ")))
        }
        _ => Lost::Refused("write the rule as a `check`"),
    }
}

fn dependent(value: &Value) -> Option<String> {
    let told = value.as_object()?.iter().map(|(name, needed)| {
        let needed: Vec<&str> = needed.as_array()?.iter().filter_map(Value::as_str).collect();
        Some(format!("with {name} also {}", needed.join(", ")))
    });
    Some(told.collect::<Option<Vec<_>>>()?.join("; "))
}

/// The description with what is lost behind it.
pub(super) fn described(description: &str, hints: &[String]) -> String {
    match (description.is_empty(), hints.is_empty()) {
        (_, true) => description.to_owned(),
        (true, false) => format!("({})", hints.join("; ")),
        (false, false) => format!("{description} ({})", hints.join("; ")),
    }
}
