//! One thing wrong with a call: where, what was found, what would be right.

use std::fmt;

use serde_json::Value;

/// One step of a [`Path`]: into a field or into an item.
///
/// ```
/// use toolkit::{Path, Step};
///
/// let path = Path::root().field("lines").item(0);
/// assert_eq!(path.steps(), [Step::Field("lines".to_owned()), Step::Item(0)]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// Into the field of that name.
    Field(String),
    /// Into the item at that index, counted from 0.
    Item(usize),
}

/// A place in the arguments; `$` is the arguments object itself.
///
/// `Display` writes it as the model reads it. A name that is not of letters, digits
/// and `_` stands in brackets and quotes.
///
/// ```
/// use toolkit::Path;
///
/// let path = Path::root().field("lines").item(0).field("unit/price");
/// assert_eq!(path.to_string(), r#"$.lines[0]["unit/price"]"#);
/// assert_eq!(path.pointer(), "/lines/0/unit~1price");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Path(Vec<Step>);

impl Path {
    /// The arguments object itself.
    #[must_use]
    pub const fn root() -> Self {
        Self(Vec::new())
    }

    /// The place one field further in.
    #[must_use]
    pub fn field(&self, name: impl Into<String>) -> Self {
        self.then(Step::Field(name.into()))
    }

    /// The place one item further in.
    #[must_use]
    pub fn item(&self, index: usize) -> Self {
        self.then(Step::Item(index))
    }

    /// The steps from the arguments object.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.0
    }

    /// The same place as a JSON Pointer (RFC 6901), like `/lines/0/qty`.
    #[must_use]
    pub fn pointer(&self) -> String {
        let mut pointer = String::new();
        for step in &self.0 {
            pointer.push('/');
            match step {
                Step::Field(name) => pointer.push_str(&name.replace('~', "~0").replace('/', "~1")),
                Step::Item(index) => pointer.push_str(&index.to_string()),
            }
        }
        pointer
    }

    pub(crate) fn then(&self, step: Step) -> Self {
        let mut steps = self.0.clone();
        steps.push(step);
        Self(steps)
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_steps(&self.0, f)
    }
}

fn write_steps(steps: &[Step], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str("$")?;
    for step in steps {
        match step {
            Step::Field(name) if is_plain(name) => {
                f.write_str(".")?;
                f.write_str(name)?;
            }
            Step::Field(name) => write!(f, "[{}]", quoted(name, 80))?,
            Step::Item(index) => write!(f, "[{index}]")?,
        }
    }
    Ok(())
}

/// Whether a name can stand after a dot as it is.
fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 80
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// What kind of thing is wrong.
///
/// ```
/// use toolkit::{Problem, ProblemKind};
///
/// let problem = Problem::rule("amount", "is more than the order cost");
/// assert_eq!(problem.kind(), ProblemKind::Rule);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ProblemKind {
    /// A required field is not there.
    MissingField,
    /// A field that the object does not have.
    UnexpectedField,
    /// A field given more than once, of which RFC 8259 leaves the meaning open.
    DuplicateField,
    /// A value of another JSON type.
    WrongType,
    /// A value outside a closed set.
    NotAllowed,
    /// A number beyond a bound, or one that its type can not hold exactly.
    OutOfRange,
    /// A number that is no multiple of JSON Schema's `multipleOf`.
    NotMultiple,
    /// Text that is too short or too long.
    WrongLength,
    /// Text that does not match the pattern, an ECMA-262 regular expression.
    WrongPattern,
    /// Text that is not of the format.
    WrongFormat,
    /// Too few or too many items or fields.
    WrongCount,
    /// Two equal items where each must be its own.
    NotUnique,
    /// A value that fits none of several forms.
    NoForm,
    /// A value that its schema accepts and its type refuses.
    Refused,
    /// Text that is not JSON (RFC 8259), or not JSON alone.
    NotJson,
    /// Arguments over one of the [`Limits`](crate::Limits).
    OverLimit,
    /// Arguments that are right, refused by a business rule.
    Rule,
}

impl ProblemKind {
    /// Whether the text names the object, since the field itself is not there or not its own.
    pub(crate) const fn shown_at_object(self) -> bool {
        matches!(self, Self::MissingField | Self::UnexpectedField | Self::DuplicateField)
    }
}

/// One thing wrong with a call: where, what was found, what would be right.
///
/// `Display` gives the line that the model reads; the accessors give the same
/// to a machine. A tool's `check` may give problems of its own:
///
/// ```
/// use toolkit::prelude::*;
///
/// fn known(city: &str) -> Result<(), Problem> {
///     if city == "Lisbon" { Ok(()) } else { Err(Problem::rule("city", "is not served")) }
/// }
///
/// /// Tells the weather in a city.
/// #[tool(check = known(&city))]
/// fn weather(city: String) -> String {
///     format!("sunny in {city}")
/// }
///
/// let view = Registry::builder().tools(tools![weather]).build()?.view(Caller::new("ann"));
/// let call = ToolCall::new("call_1", "weather", r#"{"city": "Atlantis"}"#);
/// let outcome = view.dispatch_blocking(call, Options::default())?;
/// assert_eq!(outcome.status(), Status::Rejected);
/// assert_eq!(outcome.problems(), [Problem::rule("city", "is not served")]);
/// assert_eq!(outcome.text(), "$.city: is not served");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    path: Path,
    kind: ProblemKind,
    message: String,
    expected: Option<String>,
    suggestion: Option<Value>,
    example: Option<Box<Value>>,
}

impl Problem {
    pub(crate) fn new(path: Path, kind: ProblemKind, message: impl Into<String>) -> Self {
        Self {
            path,
            kind,
            message: message.into(),
            expected: None,
            suggestion: None,
            example: None,
        }
    }

    pub(crate) fn expecting(mut self, expected: impl Into<String>) -> Self {
        self.expected = Some(expected.into());
        self
    }

    pub(crate) fn suggesting(mut self, suggestion: Option<Value>) -> Self {
        self.suggestion = suggestion;
        self
    }

    pub(crate) fn with_example(mut self, example: Option<Value>) -> Self {
        self.example = example.map(Box::new);
        self
    }

    /// The same at another place.
    pub(crate) fn at(mut self, path: Path) -> Self {
        self.path = path;
        self
    }

    /// Whether a reader could not tell it from another.
    pub(crate) fn says_the_same(&self, other: &Self) -> bool {
        self.path == other.path && self.message == other.message
    }

    pub(crate) fn says(&self, words: &str) -> bool {
        self.message.contains(words)
    }

    /// Says that an argument breaks a business rule, and why.
    pub fn rule(argument: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(Path::root().field(argument), ProblemKind::Rule, message)
    }

    /// Says that the call as a whole breaks a business rule, and why.
    pub fn rule_of_call(message: impl Into<String>) -> Self {
        Self::new(Path::root(), ProblemKind::Rule, message)
    }

    /// Where it is: the member itself, also when it is missing or unexpected.
    #[must_use]
    pub const fn path(&self) -> &Path {
        &self.path
    }

    /// What kind of thing is wrong.
    #[must_use]
    pub const fn kind(&self) -> ProblemKind {
        self.kind
    }

    /// What was found and what would be right, without the place.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What a right value looks like, in words.
    #[must_use]
    pub fn expected(&self) -> Option<&str> {
        self.expected.as_deref()
    }

    /// The nearest allowed name or value.
    #[must_use]
    pub const fn suggestion(&self) -> Option<&Value> {
        self.suggestion.as_ref()
    }

    /// Any value that is accepted there, to show the form; it says nothing of what was meant.
    #[must_use]
    pub fn example(&self) -> Option<&Value> {
        self.example.as_deref()
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A rule about the call as a whole has no place.
        if self.kind != ProblemKind::Rule || !self.path.steps().is_empty() {
            let outer = usize::from(self.kind.shown_at_object());
            let shown = self.path.steps().len().saturating_sub(outer);
            write_steps(self.path.steps().get(..shown).unwrap_or_default(), f)?;
            f.write_str(": ")?;
        }
        f.write_str(&self.message)
    }
}

/// Text in double quotes, cut, with everything that does not print escaped.
pub(crate) fn quoted(text: &str, max_chars: usize) -> String {
    format!("\"{}\"", escaped(text, max_chars))
}

/// Text cut to a number of characters, with quotes and everything that does not print escaped.
pub(crate) fn escaped(text: &str, max_chars: usize) -> String {
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\');
    if text.len() <= max_chars && text.bytes().all(is_plain) {
        return text.to_owned();
    }
    let mut shown = String::new();
    for (index, c) in text.chars().enumerate() {
        if index == max_chars {
            shown.push('…');
            break;
        }
        if matches!(c, '"' | '\\') {
            shown.push('\\');
        }
        push_printable(&mut shown, c);
    }
    shown
}

/// Text with everything that does not print escaped, and its quotes as they are.
///
/// Control characters, those that turn the direction of writing, and those that print as nothing:
/// what a model or a stranger wrote shall not move the cursor of who reads it.
///
/// ```
/// use toolkit::ledger::printable;
///
/// assert_eq!(printable("O-1\u{1b}[2J \u{202e}paid\""), r#"O-1\u{1b}[2J \u{202e}paid""#);
/// ```
#[must_use]
pub fn printable(text: &str) -> String {
    text.chars().fold(String::new(), |mut shown, c| {
        push_printable(&mut shown, c);
        shown
    })
}

/// The start of a text, of so many bytes at the most.
pub(crate) fn cut(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    text.get(..end.unwrap_or_default()).unwrap_or_default()
}

/// Whether a text holds a character that changes what is shown and is not shown itself: control
/// characters but for tab and line end, those that turn the direction, joiners and fillers of no
/// width, and tags.
///
/// What makes up an emoji or joins letters (U+200C, U+200D, U+FE00 to U+FE0F) is none.
#[expect(clippy::indexing_slicing, reason = "a `str` has the bytes that its first ones tell")]
pub(crate) const fn has_unseen(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let (length, first) = match bytes[at] {
            byte @ 0..=0x7f => (1, byte),
            byte @ 0x80..=0xdf => (2, byte & 0x1f),
            byte @ 0xe0..=0xef => (3, byte & 0x0f),
            byte @ 0xf0..=0xff => (4, byte & 0x07),
        };
        let mut code = first as u32;
        let mut next = 1;
        while next < length {
            code = code << 6 | (bytes[at + next] & 0x3f) as u32;
            next += 1;
        }
        if is_unseen(code) {
            return true;
        }
        at += length;
    }
    false
}

const fn is_unseen(code: u32) -> bool {
    match code {
        0x09 | 0x0a => false,
        0..=0x1f | 0x7f..=0x9f | 0xad // Control characters, and a hyphen that is none.
        | 0x034f | 0x115f | 0x1160 | 0x180e | 0x200b | 0x2800 | 0x3164 | 0xfeff | 0xffa0 // Fillers.
        | 0x061c | 0x200e | 0x200f | 0x2028..=0x202e | 0x2060..=0x206f // Lines and directions.
        | 0xfff9..=0xfffb | 0x1_d173..=0x1_d17a | 0xe_0000..=0xe_0fff => true, // Marks and tags.
        _ => false,
    }
}

/// The end of a text that has so many bytes at most.
pub(crate) fn cut_from(text: &str, bytes: usize) -> &str {
    let start = text.len().saturating_sub(bytes);
    let start = (start..=text.len()).find(|start| text.is_char_boundary(*start));
    text.get(start.unwrap_or(text.len())..).unwrap_or_default()
}

fn push_printable(shown: &mut String, c: char) {
    match c {
        '"' | '\\' | '\'' => shown.push(c),
        // These print as nothing although they count as letters or symbols, and the last one is
        // what terminals show, or leave out, of bytes that they can not read.
        '\u{115f}' | '\u{1160}' | '\u{2800}' | '\u{3164}' | '\u{ffa0}' | '\u{fffd}' => {
            shown.extend(c.escape_unicode());
        }
        _ => shown.extend(c.escape_debug()),
    }
}

/// The name among `known` that `given` was probably meant to be.
pub(crate) fn nearest<'a>(
    given: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    // Longer names are not typing mistakes of ours, and the distance is quadratic.
    if given.chars().count() > 64 {
        return None;
    }
    let folded = fold(given);
    let mut best: Option<(usize, &str)> = None;
    for name in known {
        if let Some(distance) = distance(&folded, &fold(name))
            && best.is_none_or(|(least, _)| distance < least)
        {
            best = Some((distance, name));
        }
    }
    best.map(|(_, name)| name)
}

/// Case and separators are what models get wrong most.
fn fold(name: &str) -> String {
    let is_separator = |c: &char| matches!(c, '_' | '-' | '.' | ' ');
    if name.is_ascii() {
        let letters = name.chars().filter(|c| !is_separator(c));
        return letters.map(|c| c.to_ascii_lowercase()).collect();
    }
    name.chars().filter(|c| !is_separator(c)).flat_map(char::to_lowercase).collect()
}

/// How far two folded names are apart; `None` when one is not a slip of the other.
fn distance(given: &str, name: &str) -> Option<usize> {
    let (short, long) = if given.len() < name.len() { (given, name) } else { (name, given) };
    if given == name {
        return Some(0);
    }
    // Of names this short every other one is near.
    if short.chars().count() < 3 {
        return None;
    }
    let distance = strsim::osa_distance(given, name);
    if distance <= (long.chars().count() / 3).max(1) {
        return Some(distance);
    }
    long.contains(short).then_some(long.len())
}
