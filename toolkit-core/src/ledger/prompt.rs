//! What a person reads of a call, made of the bytes that it runs with and of nothing else.

use std::collections::BTreeSet;
use std::fmt::{self, Write as _};

use serde::Deserializer as _;
use serde::de::{MapAccess, Visitor};
use serde_json::value::RawValue;
use unicode_script::{Script, UnicodeScript as _};

use super::key::Digest;
use crate::problem::{Path, Step, printable};

/// What a person reads of a call, an argument a line.
///
/// Everything that does not print is escaped here, so that no surface has to: what it gives is
/// ASCII, line ends, and letters and signs that are shown as one mark each.
#[derive(Debug, Clone, Copy)]
pub struct Prompt<'a> {
    /// The tool.
    pub tool: &'a str,
    /// Who asks for it.
    pub principal: &'a str,
    /// Whose tenant's it is, where there is one.
    pub tenant: Option<&'a str>,
    /// The canonical arguments.
    pub arguments: &'a str,
    /// What the tool tells of the call, which nobody vouches for.
    pub preview: Option<&'a str>,
}

/// Longer text is cut in the middle, where neither its beginning nor its end is lost.
const LONGEST: usize = 400;

/// What is shown on each side of a cut.
const SIDE: usize = 120;

/// How many letters beyond ASCII are told one by one.
const TOLD: usize = 8;

/// Deeper values are shown as they are written.
const DEEPEST: usize = 64;

impl fmt::Display for Prompt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} for {}", plain(self.tool), plain(self.principal))?;
        if let Some(tenant) = self.tenant {
            write!(f, " of {}", plain(tenant))?;
        }
        let mut lines = Lines { f, top: true };
        lines.value(&Path::root(), self.arguments)?;
        if let Some(preview) = self.preview {
            write!(f, "\n  the tool tells: {}", text(preview))?;
        }
        Ok(())
    }
}

struct Lines<'a, 'f> {
    f: &'a mut fmt::Formatter<'f>,
    top: bool,
}

impl Lines<'_, '_> {
    /// One value, and below it what it holds.
    fn value(&mut self, path: &Path, json: &str) -> fmt::Result {
        let is_top = std::mem::replace(&mut self.top, false);
        let first = json.trim_start().bytes().next().unwrap_or_default();
        let is_deep = path.steps().len() >= DEEPEST;
        match first {
            b'{' if !is_deep => match fields(json) {
                Some(fields) => self.object(path, &fields, is_top),
                None => self.unread(path, json),
            },
            b'[' if !is_deep => match serde_json::from_str::<Vec<&RawValue>>(json) {
                Ok(items) => self.list(path, &items),
                Err(_) => self.unread(path, json),
            },
            b'"' => match serde_json::from_str::<String>(json) {
                Ok(value) => {
                    let chars = value.chars().count();
                    self.line(path, &format!("text({chars}) = {}", text(&value)))
                }
                Err(_) => self.unread(path, json),
            },
            b't' | b'f' => self.line(path, &format!("bool = {}", printable(json))),
            b'n' => self.line(path, &printable(json)),
            b'-' | b'0'..=b'9' => self.line(path, &format!("number = {}", printable(json))),
            _ => self.unread(path, json),
        }
    }

    fn object(&mut self, path: &Path, fields: &[(String, &RawValue)], is_top: bool) -> fmt::Result {
        if !is_top {
            self.line(path, &format!("object({})", fields.len()))?;
        }
        fields.iter().try_for_each(|(name, value)| self.value(&path.field(name), value.get()))
    }

    fn list(&mut self, path: &Path, items: &[&RawValue]) -> fmt::Result {
        self.line(path, &format!("list({})", items.len()))?;
        let mut items = items.iter().enumerate();
        items.try_for_each(|(index, item)| self.value(&path.item(index), item.get()))
    }

    /// What the framework did not write is shown all the same.
    fn unread(&mut self, path: &Path, json: &str) -> fmt::Result {
        self.line(path, &format!("unread = {}", text(json)))
    }

    fn line(&mut self, path: &Path, value: &str) -> fmt::Result {
        write!(self.f, "\n  {}: {value}", place(path))
    }
}

/// A path as people read it: names that are not plain are quoted, and told of as text is.
fn place(path: &Path) -> String {
    let mut place = String::new();
    for step in path.steps() {
        match step {
            Step::Item(index) => place.extend(["[", &index.to_string(), "]"]),
            Step::Field(name) if is_plain(name) => {
                let dot = if place.is_empty() { "" } else { "." };
                place.extend([dot, name]);
            }
            Step::Field(name) if place.is_empty() => place.push_str(&text(name)),
            Step::Field(name) => place.extend(["[", &text(name), "]"]),
        }
    }
    if place.is_empty() { "(all)".to_owned() } else { place }
}

fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= SIDE
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// A name without quotes where it can not be taken for anything else.
fn plain(name: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '@');
    let is_plain = !name.is_empty() && name.len() <= SIDE && name.chars().all(fits);
    if is_plain { name.to_owned() } else { text(name) }
}

/// Text in quotes, and behind it what one would not see.
fn text(value: &str) -> String {
    let mut shown = String::from("\"");
    let chars = value.chars().count();
    if chars > LONGEST {
        let (head, _) = value.split_at(at(value, SIDE));
        let (_, tail) = value.split_at(at(value, chars - SIDE));
        let digest = Digest::of_arguments(value);
        let (head, tail) = (escaped(head), escaped(tail));
        let cut = chars - 2 * SIDE;
        shown.extend([&head, "\" ... ", &cut.to_string(), " characters are not shown ... \""]);
        shown.extend([&tail, "\" [SHA-256 of all ", &digest.to_string(), "]"]);
    } else {
        shown.push_str(&escaped(value));
        shown.push('"');
    }
    shown.push_str(&marks(value));
    shown
}

/// Where a character begins.
fn at(text: &str, chars: usize) -> usize {
    text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at)
}

/// Text with its quotes, and everything that does not print, escaped.
fn escaped(text: &str) -> String {
    let mut shown = String::new();
    for c in text.chars() {
        if matches!(c, '"' | '\\') {
            shown.push('\\');
            shown.push(c);
        } else {
            shown.push_str(&printable(c.encode_utf8(&mut [0; 4])));
        }
    }
    shown
}

/// What is told of letters beyond ASCII: which there are, of which scripts, and the words in
/// which scripts are mixed, as of a name that only looks like another one.
fn marks(value: &str) -> String {
    if value.is_ascii() {
        return String::new();
    }
    let others: BTreeSet<char> = value.chars().filter(|c| !c.is_ascii()).collect();
    let mut marks = String::from(" [not ASCII:");
    for c in others.iter().take(TOLD) {
        // A `String` takes whatever is written to it.
        let _written = write!(marks, " U+{:04X}", u32::from(*c));
    }
    if others.len() > TOLD {
        marks.extend([" and ", &(others.len() - TOLD).to_string(), " more"]);
    }
    let scripts: BTreeSet<&str> =
        others.iter().filter_map(|c| script(*c)).map(Script::full_name).collect();
    if !scripts.is_empty() {
        marks.push(';');
    }
    for script in scripts {
        marks.extend([" ", script]);
    }
    let mixed: Vec<_> = words(value).filter(|word| is_mixed(word)).collect();
    if !mixed.is_empty() {
        marks.push_str("; MIXED SCRIPTS in");
    }
    for word in mixed.iter().take(TOLD) {
        let (word, _) = word.split_at(at(word, SIDE));
        marks.extend([" \"", &escaped(word), "\""]);
    }
    marks.push(']');
    marks
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c.script() != Script::Inherited)
}

/// The script that a character belongs to alone.
fn script(c: char) -> Option<Script> {
    match c.script() {
        Script::Common | Script::Inherited | Script::Unknown => None,
        script => Some(script),
    }
}

/// Whether no one writes in all of the word's scripts.
fn is_mixed(word: &str) -> bool {
    let used: BTreeSet<&str> = word.chars().filter_map(script).map(Script::short_name).collect();
    let written_together: [&[&str]; 3] =
        [&["Hani", "Hira", "Kana"], &["Hani", "Hang"], &["Hani", "Bopo"]];
    used.len() > 1
        && !written_together
            .iter()
            .any(|together| used.iter().all(|script| together.contains(script)))
}

/// The fields of an object, in order, with each value as it is written.
fn fields(json: &str) -> Option<Vec<(String, &RawValue)>> {
    struct Fields;

    impl<'de> Visitor<'de> for Fields {
        type Value = Vec<(String, &'de RawValue)>;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("an object")
        }

        fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
            let mut fields = Vec::new();
            while let Some(field) = map.next_entry()? {
                fields.push(field);
            }
            Ok(fields)
        }
    }

    serde_json::Deserializer::from_str(json).deserialize_map(Fields).ok()
}
