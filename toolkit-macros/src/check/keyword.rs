//! The rules of constraints, as far as they can be told before the compiler reads them.

use std::cmp::Ordering;

use crate::attr::{ArgKeys, Keys, Keyword, Literal, Value};
use crate::diag::{Diagnostics, did_you_mean, with_help};
use crate::model::Constraint;

/// The formats that are checked.
const FORMATS: &[&str] = &[
    "date-time",
    "date",
    "time",
    "duration",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "uri",
    "uri-reference",
    "uuid",
    "regex",
    "json-pointer",
];

/// Keys of which the first can not be above the second.
const ORDERED: &[(&str, &str)] =
    &[("minimum", "maximum"), ("min_length", "max_length"), ("min_items", "max_items")];

/// Keys of which the first must be below the second.
const APART: &[(&str, &str)] = &[
    ("exclusive_minimum", "exclusive_maximum"),
    ("exclusive_minimum", "maximum"),
    ("minimum", "exclusive_maximum"),
];

/// Checks what can be told of constraints before the compiler reads them.
pub(super) fn constraints(keys: &ArgKeys, diag: &mut Diagnostics) -> Vec<Constraint> {
    for keyword in keys.keywords() {
        constraint(&keyword, diag);
    }
    let order = ORDERED.iter().map(|pair| (pair, "is above"));
    let apart = APART.iter().map(|pair| (pair, "is not below"));
    for ((low, high), says) in order.chain(apart) {
        if let Some(value) = contradiction(keys, low, high, says == "is above") {
            let message = format!("nothing satisfies this: `{low}` {says} `{high}`");
            diag.error(&value.tokens, message);
        }
    }
    let constraint = |keyword: Keyword<'_>| Constraint {
        fits: keyword.fits,
        keyword: keyword.word,
        value: keyword.value.clone(),
    };
    keys.keywords().into_iter().map(constraint).collect()
}

/// The upper bound, where it contradicts the lower one.
fn contradiction<'a>(
    keys: &'a ArgKeys,
    low: &str,
    high: &str,
    may_be_equal: bool,
) -> Option<&'a Value> {
    let find = |key: &str| keys.keywords().into_iter().find(|found| found.key == key);
    let (low, high) = (find(low)?.value, find(high)?.value);
    let order = match (&low.literal, &high.literal) {
        (Literal::Integer(low), Literal::Integer(high)) => low.cmp(high),
        (low, high) => low.number()?.partial_cmp(&high.number()?)?,
    };
    let holds = order == Ordering::Less || (may_be_equal && order == Ordering::Equal);
    (!holds).then_some(high)
}

/// One keyword alone.
fn constraint(keyword: &Keyword<'_>, diag: &mut Diagnostics) {
    let Keyword { key, value, .. } = keyword;
    let wrong = match *key {
        "default" => None,
        "examples" => not_examples(&value.literal),
        "pattern" => pattern(&value.literal),
        "format" => format(&value.literal),
        "unique_items" => flag(&value.literal),
        "multiple_of" => divisor(&value.literal),
        "min_length" | "max_length" | "min_items" | "max_items" => count(key, &value.literal),
        _ => number(key, &value.literal),
    };
    if let Some(message) = wrong {
        diag.error(&value.tokens, message);
    }
}

fn not_examples(literal: &Literal) -> Option<String> {
    match literal {
        Literal::Unknown | Literal::List(_) => None,
        _ => Some("`examples` takes a list: write `examples = [ … ]`".to_owned()),
    }
}

fn number(key: &str, literal: &Literal) -> Option<String> {
    match literal {
        Literal::Unknown | Literal::Integer(_) | Literal::Float(_) | Literal::Typed(_) => None,
        _ => Some(format!("`{key}` takes a number, like `{key} = 1`")),
    }
}

fn divisor(literal: &Literal) -> Option<String> {
    match literal.number() {
        Some(divisor) if divisor <= 0.0 => Some("`multiple_of` takes a number above 0".to_owned()),
        _ => number("multiple_of", literal),
    }
}

fn count(key: &str, literal: &Literal) -> Option<String> {
    match literal {
        Literal::Unknown => None,
        Literal::Integer(count) if *count >= 0 => None,
        Literal::Typed(count) if *count >= 0.0 && count.fract() == 0.0 => None,
        _ => Some(format!("`{key}` takes a whole number from 0 on, like `{key} = 1`")),
    }
}

fn flag(literal: &Literal) -> Option<String> {
    match literal {
        Literal::Unknown | Literal::Flag => None,
        _ => Some("`unique_items` is written `unique_items = true`".to_owned()),
    }
}

fn pattern(literal: &Literal) -> Option<String> {
    let text = match literal {
        Literal::Unknown => return None,
        Literal::Text(text) => text,
        _ => return Some("`pattern` takes text: write `pattern = r\"^…$\"`".to_owned()),
    };
    // Where ECMA-262 and `regex` write a thing differently, the registry has the last word.
    if ["[[", "[]", "[^]", r"[\b", r"\0", "&&", "~~", "--"].iter().any(|part| text.contains(part)) {
        return None;
    }
    let (what, at) = match regex_syntax::Parser::new().parse(text).err()? {
        regex_syntax::Error::Parse(error) => (error.kind().to_string(), part(text, *error.span())),
        regex_syntax::Error::Translate(error) => {
            (error.kind().to_string(), part(text, *error.span()))
        }
        _ => ("it is no regular expression".to_owned(), None),
    };
    let at = at.map_or_else(String::new, |part| format!(", at `{part}`"));
    let message = format!("`pattern` does not compile{at}: {what}");
    Some(if what.starts_with("look-around") || what.starts_with("backreferences") {
        with_help(
            message,
            "patterns match in linear time, so look-around and back-references do not exist",
        )
    } else {
        message
    })
}

/// The part of a pattern that an error is about.
fn part(pattern: &str, span: regex_syntax::ast::Span) -> Option<&str> {
    pattern.get(span.start.offset..span.end.offset).filter(|part| !part.is_empty())
}

fn format(literal: &Literal) -> Option<String> {
    match literal {
        Literal::Unknown => None,
        Literal::Text(text) if FORMATS.contains(&text.as_str()) => None,
        Literal::Text(text) => {
            Some(did_you_mean(format_args!("unknown format `{text}`"), text, FORMATS))
        }
        _ => Some("`format` takes text: write `format = \"date\"`".to_owned()),
    }
}
