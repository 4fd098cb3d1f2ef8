//! What a definition says to the model, and what none should.
//!
//! It is a sieve and no proof: it finds what is hidden from people, and what known attacks say.
//! What passes it is still the server's own word, and so the gates do not go by it.

use rmcp::model::Tool as Shown;
use serde_json::Value;

/// What no description of a tool has to say, in lower case with single blanks.
const ORDERS: [&str; 22] = [
    "<important>",
    "</important>",
    "<system>",
    "</system>",
    "<|",
    "|>",
    "[inst]",
    "ignore previous instructions",
    "ignore all previous",
    "ignore the previous",
    "ignore any previous",
    "ignore your instructions",
    "disregard previous",
    "disregard all previous",
    "do not tell the user",
    "don't tell the user",
    "do not mention this",
    "do not inform the user",
    "without telling the user",
    "without the user's knowledge",
    "hide this from the user",
    "before using any other tool",
];

/// What is wrong with a definition, and where; `None` where nothing is.
pub(super) fn found(shown: &Shown) -> Option<String> {
    let whole = serde_json::to_value(shown).ok()?;
    let mut path = "$".to_owned();
    in_value(&whole, &mut path)
}

/// What the model reads of it, and not more than that.
pub(super) fn cut(shown: &Shown, most: usize) -> String {
    let text = shown.description.as_deref().map(str::trim).filter(|text| !text.is_empty());
    let text = text.or(shown.title.as_deref()).unwrap_or(&shown.name);
    let end = text.char_indices().map(|(at, _)| at).take_while(|at| *at <= most).last();
    match end {
        Some(end) if text.len() > most => format!("{}…", text.get(..end).unwrap_or_default()),
        _ => text.to_owned(),
    }
}

/// Looks through every text, also through names of fields: a model reads them all.
fn in_value(value: &Value, path: &mut String) -> Option<String> {
    let length = path.len();
    let mut inside = |step: &str, value: &Value| {
        path.push_str(step);
        let found = in_value(value, path);
        path.truncate(length);
        found
    };
    match value {
        Value::String(text) => in_text(text).map(|what| format!("{path} {what}")),
        Value::Array(items) => {
            let items = items.iter().enumerate();
            items.into_iter().find_map(|(at, item)| inside(&format!("[{at}]"), item))
        }
        Value::Object(fields) => fields.iter().find_map(|(name, value)| {
            let named = in_text(name).map(|what| format!("a field's name {what}"));
            named.or_else(|| inside(&format!(".{name}"), value))
        }),
        _ => None,
    }
}

fn in_text(text: &str) -> Option<String> {
    if let Some(hidden) = text.chars().find(|character| is_hidden(*character)) {
        return Some(format!("has U+{:04X}, which people do not see", u32::from(hidden)));
    }
    let plain = text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let order = ORDERS.iter().find(|order| plain.contains(*order));
    order.map(|order| format!("says {order:?}, which is no description"))
}

/// Controls, and what has no shape or turns the direction of others: a person reads past it.
const fn is_hidden(character: char) -> bool {
    matches!(character,
        '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180e}' | '\u{200b}' | '\u{200c}' | '\u{200e}' | '\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}
