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
    if let Some(hidden) =
        text.chars().find(|character| is_hidden(*character)).or_else(|| stray(text))
    {
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
        | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// A joiner that joins nothing where it stands, or a selector that selects nothing: between Latin
/// letters they do not show, and a word that they part is another one to the model.
///
/// Each is fine where writing needs it. A joiner or non-joiner has a letter of a script that joins
/// its letters beside it, or stands between two pictures; a selector follows what it selects a form
/// of. None follows another: what a row of them says, nobody sees.
fn stray(text: &str) -> Option<char> {
    let mut last = None;
    // What a selector follows is what a joiner joins.
    let mut shown = None;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let next = characters.peek().copied();
        let is_fine = match character {
            '\u{200c}' | '\u{200d}' if last.is_some_and(is_joiner) => false,
            '\u{200c}' => is(shown, joins) || is(next, joins),
            '\u{200d}' => {
                is(shown, joins) || is(next, joins) || is(shown, is_picture) && is(next, is_picture)
            }
            '\u{fe0e}' | '\u{fe0f}' => {
                let is_key = |of: char| of.is_ascii_digit() || matches!(of, '#' | '*');
                is(last, is_picture) || is(last, is_key) && next == Some('\u{20e3}')
            }
            '\u{fe00}'..='\u{fe0d}' => is(last, has_forms),
            '\u{180b}'..='\u{180d}' | '\u{180f}' => is(last, is_mongolian),
            _ => true,
        };
        if !is_fine {
            return Some(character);
        }
        if !matches!(character, '\u{fe0e}' | '\u{fe0f}') {
            shown = Some(character);
        }
        last = Some(character);
    }
    None
}

fn is(character: Option<char>, what: fn(char) -> bool) -> bool {
    character.is_some_and(what)
}

const fn is_joiner(character: char) -> bool {
    matches!(character, '\u{200c}' | '\u{200d}')
}

/// Letters and marks of scripts whose letters join, or not, by a joiner: those from Arabic to
/// N'Ko, those of India and its neighbours, Mongolian.
fn joins(character: char) -> bool {
    let is_joining = matches!(character,
        '\u{600}'..='\u{7ff}' | '\u{840}'..='\u{dff}' | '\u{f00}'..='\u{109f}'
        | '\u{1700}'..='\u{17ff}' | '\u{1900}'..='\u{1aad}' | '\u{1b00}'..='\u{1c4f}'
        | '\u{1cd0}'..='\u{1cff}' | '\u{a800}'..='\u{a8ff}' | '\u{a900}'..='\u{aadf}'
        | '\u{abc0}'..='\u{abff}' | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}'
        | '\u{10ac0}'..='\u{10aff}' | '\u{10d00}'..='\u{10d3f}' | '\u{11000}'..='\u{11fff}'
        | '\u{1e900}'..='\u{1e95f}');
    is_joining || is_mongolian(character)
}

const fn is_mongolian(character: char) -> bool {
    matches!(character, '\u{1800}'..='\u{180a}' | '\u{1810}'..='\u{18af}')
}

/// Pictures, and signs that are drawn as one.
fn is_picture(character: char) -> bool {
    matches!(character,
        '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}'
        | '\u{2190}'..='\u{21ff}' | '\u{2300}'..='\u{23ff}' | '\u{24c2}'
        | '\u{25a0}'..='\u{27bf}' | '\u{2934}' | '\u{2935}' | '\u{2b00}'..='\u{2bff}'
        | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}')
}

/// Signs of mathematics, letters of Myanmar and Phags-pa, and what is written in columns.
fn has_forms(character: char) -> bool {
    matches!(character,
        '\u{2200}'..='\u{22ff}' | '\u{2a00}'..='\u{2aff}' | '\u{1000}'..='\u{109f}'
        | '\u{a840}'..='\u{a87f}' | '\u{aa60}'..='\u{aa7f}' | '\u{3000}'..='\u{303f}'
        | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff01}'..='\u{ff60}'
        | '\u{20000}'..='\u{3ffff}')
}
