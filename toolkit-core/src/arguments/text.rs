//! The text rules: what a call's argument text must be before any schema is asked.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde::de::IgnoredAny;
use serde_json::error::Category;

use super::cursor::Cursor;
use super::guided::Refused;
use super::judge::MOST_PROBLEMS;
use super::source::Room;
use crate::limits::Limits;
use crate::problem::{Path, Problem, ProblemKind, escaped, quoted};
use crate::schema::Kind;

/// A JSON value as the text has it: numbers in their own digits, fields in order, none dropped.
#[derive(Debug)]
pub(crate) enum Json<'a> {
    Null,
    Bool(bool),
    Number(&'a str),
    Text(Cow<'a, str>),
    /// Text with half a surrogate pair, which no Rust text can hold.
    BrokenText,
    Array(Vec<Self>),
    Object(Vec<Member<'a>>),
}

/// One field of an object.
pub(crate) type Member<'a> = (Cow<'a, str>, Json<'a>);

/// What was read, and what breaks a text rule at a place inside it.
pub(crate) type Read<'a> = (Json<'a>, Vec<Problem>);

/// Reads argument text; blank text and `null` stand for an object without fields.
pub(super) fn read<'a>(text: &'a str, limits: &Limits) -> Result<Read<'a>, Box<Problem>> {
    if !is_within(text.len(), limits) {
        return Err(Box::new(too_long(text.len(), limits)));
    }
    if is_blank(text) {
        return Ok((Json::Object(Vec::new()), Vec::new()));
    }
    let cursor = Cursor::new(text);
    let mut reader = Reader::new(&cursor, Room { limits, values: 0, depth: 0 });
    let read = reader.value();
    let is_whole = read.is_ok() && cursor.is_at_end();
    match read {
        Ok(Json::Null) if is_whole => Ok((Json::Object(Vec::new()), Vec::new())),
        Ok(object @ Json::Object(_)) if is_whole => Ok((object, reader.problems)),
        Ok(other) if is_whole => Err(Box::new(not_an_object(&other, limits))),
        // What is no JSON as a whole is told first, with the words of serde_json's own reading.
        read => {
            Err(fault(text, limits).map(Box::new).or_else(|| read.err()?.limit).unwrap_or_else(
                || Box::new(not_json("the JSON can not be read. Send one JSON object".to_owned())),
            ))
        }
    }
}

/// Reads one value inside another as a tree, and how many values were read by then.
pub(super) fn keep<'a>(cursor: &Cursor<'a>, room: Room<'_>) -> Option<(Read<'a>, usize)> {
    let mut reader = Reader::new(cursor, room);
    let json = reader.value().ok()?;
    Some(((json, reader.problems), reader.values))
}

fn too_long(bytes: usize, limits: &Limits) -> Problem {
    let most = limits.argument_bytes;
    let message = format!("the arguments are {bytes} bytes long; at most {most} are accepted");
    over(Path::root(), message)
}

/// Whether arguments of so many bytes are read at all.
pub(super) const fn is_within(bytes: usize, limits: &Limits) -> bool {
    bytes <= limits.argument_bytes
}

/// Whether text is nothing but JSON's white space.
pub(super) fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| is_json_space(char::from(byte)))
}

/// Reads any one JSON value that breaks no text rule.
pub(super) fn read_value<'a>(text: &'a str, limits: &Limits) -> Option<Json<'a>> {
    let cursor = Cursor::new(text);
    let ((json, problems), _) = keep(&cursor, Room { limits, values: 0, depth: 0 })?;
    (problems.is_empty() && cursor.is_at_end()).then_some(json)
}

const fn is_json_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}

fn over(path: Path, message: String) -> Problem {
    Problem::new(path, ProblemKind::OverLimit, message)
}

fn not_json(message: String) -> Problem {
    Problem::new(Path::root(), ProblemKind::NotJson, message)
        .expecting("one JSON object and nothing else")
}

/// Why the text as a whole is no JSON value, where it is none.
fn fault(text: &str, limits: &Limits) -> Option<Problem> {
    let shown = limits.shown_chars;
    Some(not_json(match Flaw::of(text)? {
        Flaw::After(after) => format!(
            "there is text after the JSON object: {}. Send the object alone",
            quoted(after, shown)
        ),
        Flaw::Early => {
            "the JSON ends too early; it was cut off. Send the whole object again".to_owned()
        }
        Flaw::From(rest) => {
            format!("not valid JSON from {} on. Send one JSON object", quoted(rest, shown.min(20)))
        }
    }))
}

/// Why a text is no JSON value.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Flaw<'a> {
    /// It ends within the value.
    Early,
    /// There is more behind it.
    After(&'a str),
    /// From here on it is none.
    From(&'a str),
}

impl<'a> Flaw<'a> {
    /// What is wrong with it, if something is; of a blank text nothing.
    pub(crate) fn of(text: &'a str) -> Option<Self> {
        let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
        let first = values.next()?;
        let after = text.get(values.byte_offset()..).unwrap_or_default();
        match (first, after.trim_matches(is_json_space)) {
            (Ok(_), "") => None,
            (Ok(_), after) => Some(Self::After(after)),
            (Err(error), _) if error.classify() == Category::Eof => Some(Self::Early),
            (Err(error), _) => Some(Self::From(from_fault(text, &error))),
        }
    }
}

/// The text from the character on that the parser refused.
fn from_fault<'a>(text: &'a str, error: &serde_json::Error) -> &'a str {
    let line: usize =
        text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let mut at = line + error.column().saturating_sub(1);
    while !text.is_char_boundary(at) {
        at = at.saturating_sub(1);
    }
    text.get(at..).unwrap_or_default()
}

fn not_an_object(found: &Json<'_>, limits: &Limits) -> Problem {
    let hint = match found {
        Json::Text(text) if text.trim_start().starts_with('{') => {
            " (send the object itself, not text that holds it)"
        }
        _ => "",
    };
    let message = format!(
        "expected an object with the arguments, got {}{hint}",
        found.named(limits.shown_chars)
    );
    Problem::new(Path::root(), ProblemKind::WrongType, message).expecting("an object")
}

impl Json<'_> {
    /// As `named`, without the word before a text.
    pub(super) fn shown(&self, shown_chars: usize) -> String {
        match self {
            Self::Text(text) => quoted(text, shown_chars),
            other => other.named(shown_chars),
        }
    }

    /// What it is, in the report's words.
    pub(super) fn named(&self, shown_chars: usize) -> String {
        match self {
            Self::Null => "null".to_owned(),
            Self::Bool(value) => value.to_string(),
            Self::Number(digits) if digits.len() > shown_chars => {
                format!("a number of {} characters", digits.len())
            }
            Self::Number(digits) => (*digits).to_owned(),
            Self::Text(text) => format!("text {}", quoted(text, shown_chars)),
            Self::BrokenText => "text that is not valid Unicode".to_owned(),
            Self::Array(_) => "a list".to_owned(),
            Self::Object(_) => "an object".to_owned(),
        }
    }
}

/// Why reading stopped: a limit, or where `None` the text.
struct Stop {
    limit: Option<Box<Problem>>,
}

impl Stop {
    fn at(limit: Problem) -> Self {
        Self { limit: Some(Box::new(limit)) }
    }
}

impl From<Refused> for Stop {
    fn from(_: Refused) -> Self {
        Self { limit: None }
    }
}

/// Reads values as a tree.
struct Reader<'c, 'a, 'l> {
    cursor: &'c Cursor<'a>,
    limits: &'l Limits,
    values: usize,
    /// Levels around what is read.
    depth: usize,
    steps: Vec<Hop<'a>>,
    problems: Vec<Problem>,
}

/// One step of the way in, which costs nothing until a problem asks for the path.
enum Hop<'a> {
    Field(Cow<'a, str>),
    Item(usize),
}

impl<'c, 'a, 'l> Reader<'c, 'a, 'l> {
    const fn new(cursor: &'c Cursor<'a>, room: Room<'l>) -> Self {
        let Room { limits, values, depth } = room;
        Self { cursor, limits, values, depth, steps: Vec::new(), problems: Vec::new() }
    }

    fn path(&self) -> Path {
        self.steps.iter().fold(Path::root(), |path, step| match step {
            Hop::Field(name) => path.field(name.as_ref()),
            Hop::Item(index) => path.item(*index),
        })
    }

    fn value(&mut self) -> Result<Json<'a>, Stop> {
        self.values += 1;
        if self.values > self.limits.values {
            let message = format!("more than {} values; send fewer", self.limits.values);
            return Err(Stop::at(over(Path::root(), message)));
        }
        Ok(match self.cursor.kind()? {
            Kind::Object => return self.object(),
            Kind::Array => return self.array(),
            Kind::Text => self.cursor.quoted()?.text().map_or_else(|| self.broken(), Json::Text),
            Kind::Number => {
                let place = self.cursor.at();
                self.cursor.number()?;
                Json::Number(self.cursor.since(place))
            }
            Kind::Bool => Json::Bool(self.cursor.bool()?),
            Kind::Null => {
                self.cursor.word("null")?;
                Json::Null
            }
        })
    }

    fn broken(&mut self) -> Json<'a> {
        let message = "the text is not valid Unicode: half of a surrogate pair stands alone";
        self.problems
            .push(Problem::new(self.path(), ProblemKind::NotJson, message).expecting("text"));
        Json::BrokenText
    }

    fn repeated(&mut self, name: &str) {
        if self.problems.len() >= MOST_PROBLEMS {
            return;
        }
        let shown = escaped(name, self.limits.shown_chars);
        let message = format!("field '{shown}' is given twice; give it once");
        let path = self.path().field(name);
        let problem = Problem::new(path, ProblemKind::DuplicateField, message);
        self.problems.push(problem.expecting("one value"));
    }

    /// Goes over the bracket that opens an array or object.
    fn open(&self) -> Result<(), Stop> {
        if self.depth + self.steps.len() >= self.limits.depth {
            let message = format!("nested more than {} levels deep", self.limits.depth);
            return Err(Stop::at(over(self.path(), message)));
        }
        self.cursor.step();
        Ok(())
    }

    fn object(&mut self) -> Result<Json<'a>, Stop> {
        self.open()?;
        let mut object: Vec<Member<'a>> = Vec::new();
        let mut seen = Seen::default();
        let mut is_first = true;
        while self.cursor.next(is_first, b'}')? {
            is_first = false;
            let Some(name) = self.cursor.name()?.text() else {
                let message = "a field's name is not valid Unicode";
                let problem = Problem::new(self.path(), ProblemKind::NotJson, message);
                return Err(Stop::at(problem));
            };
            let is_new = seen.is_new(name.clone(), &object);
            if !is_new {
                self.repeated(&name);
            }
            self.steps.push(Hop::Field(name.clone()));
            let value = self.value()?;
            self.steps.pop();
            if is_new {
                object.push((name, value));
            }
        }
        Ok(Json::Object(object))
    }

    fn array(&mut self) -> Result<Json<'a>, Stop> {
        self.open()?;
        let mut array = Vec::new();
        while self.cursor.next(array.is_empty(), b']')? {
            self.steps.push(Hop::Item(array.len()));
            array.push(self.value()?);
            self.steps.pop();
        }
        Ok(Json::Array(array))
    }
}

/// The names of an object so far: a few are looked through, many are kept in order.
#[derive(Default)]
struct Seen<'a>(BTreeSet<Cow<'a, str>>);

impl<'a> Seen<'a> {
    fn is_new(&mut self, name: Cow<'a, str>, members: &[Member<'a>]) -> bool {
        const FEW: usize = 16;
        if members.len() < FEW {
            return !members.iter().any(|(given, _)| *given == name);
        }
        if self.0.is_empty() {
            self.0.extend(members.iter().map(|(given, _)| given.clone()));
        }
        self.0.insert(name)
    }
}

#[cfg(test)]
mod tests {
    use super::{Json, read};
    use crate::limits::Limits;

    fn fault(text: &str) -> String {
        read(text, &Limits::default()).unwrap_err().to_string()
    }

    #[test]
    fn blank_text_and_null_are_an_empty_object() {
        for text in ["", "  \n", "null", " null ", "{}"] {
            let read = read(text, &Limits::default()).unwrap();
            assert!(matches!(read.0, Json::Object(fields) if fields.is_empty()), "{text:?}");
        }
    }

    #[test]
    fn what_is_no_object_is_named() {
        assert_eq!(fault("[]"), "$: expected an object with the arguments, got a list");
        assert_eq!(fault("\"\""), "$: expected an object with the arguments, got text \"\"");
        assert_eq!(fault("7"), "$: expected an object with the arguments, got 7");
        assert_eq!(
            fault(r#""{\"a\":1}""#),
            "$: expected an object with the arguments, got text \"{\\\"a\\\":1}\" \
             (send the object itself, not text that holds it)"
        );
    }

    #[test]
    fn what_is_no_json_says_from_where_on() {
        assert_eq!(
            fault(r#"{"a": ,"b":1}"#),
            "$: not valid JSON from \",\\\"b\\\":1}\" on. Send one JSON object"
        );
        assert_eq!(
            fault(r#"{"a": "b"#),
            "$: the JSON ends too early; it was cut off. Send the whole object again"
        );
        assert_eq!(
            fault("{\"a\":1}\n\nI will now \u{1b}[31m"),
            "$: there is text after the JSON object: \"I will now \\u{1b}[31m\". Send the object alone"
        );
        assert_eq!(
            fault("{}{}"),
            "$: there is text after the JSON object: \"{}\". Send the object alone"
        );
    }

    #[test]
    fn bounds_hold_before_the_schema_is_asked() {
        let deep = format!("{{\"v\":{}{}}}", "[".repeat(40), "]".repeat(40));
        let at = "[0]".repeat(31);
        assert_eq!(fault(&deep), format!("$.v{at}: nested more than 32 levels deep"));
        assert_eq!(
            fault(&"[".repeat(60_000)),
            "$: the JSON ends too early; it was cut off. Send the whole object again"
        );
        assert_eq!(
            fault(&" ".repeat(70_000)),
            "$: the arguments are 70000 bytes long; at most 65536 are accepted"
        );
        assert_eq!(
            fault(&format!("{{\"v\":[{}0]}}", "0,".repeat(20_000))),
            "$: more than 10000 values; send fewer"
        );
    }
}
