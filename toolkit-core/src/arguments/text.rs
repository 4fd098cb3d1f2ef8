//! The text rules: what a call's argument text must be before any schema is asked.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::error::Category;
use serde_json::value::RawValue;

use super::judge::MOST_PROBLEMS;
use crate::limits::Limits;
use crate::problem::{Path, Problem, ProblemKind, escaped, quoted};

/// A JSON value as the text has it: numbers in their own digits, fields in order, none dropped.
#[derive(Debug)]
pub(super) enum Json<'a> {
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
pub(super) type Member<'a> = (Cow<'a, str>, Json<'a>);

/// What was read, and what breaks a text rule at a place inside it.
type Read<'a> = (Json<'a>, Vec<Problem>);

/// Reads argument text; blank text and `null` stand for an object without fields.
pub(super) fn read<'a>(text: &'a str, limits: &Limits) -> Result<Read<'a>, Problem> {
    if text.len() > limits.argument_bytes {
        let message = format!(
            "the arguments are {} bytes long; at most {} are accepted",
            text.len(),
            limits.argument_bytes
        );
        return Err(over(Path::root(), message));
    }
    if text.trim_matches(is_json_space).is_empty() {
        return Ok((Json::Object(Vec::new()), Vec::new()));
    }
    let mut reader = Reader { limits, values: 0, steps: Vec::new(), problems: Vec::new() };
    match reader.value(whole(text, limits)?)? {
        Json::Null => Ok((Json::Object(Vec::new()), Vec::new())),
        object @ Json::Object(_) => Ok((object, reader.problems)),
        other => Err(not_an_object(&other, limits)),
    }
}

/// Reads any one JSON value that breaks no text rule.
pub(super) fn read_value<'a>(text: &'a str, limits: &Limits) -> Option<Json<'a>> {
    let mut reader = Reader { limits, values: 0, steps: Vec::new(), problems: Vec::new() };
    let json = reader.value(whole(text, limits).ok()?).ok()?;
    reader.problems.is_empty().then_some(json)
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

/// The one JSON value that the text is.
fn whole<'a>(text: &'a str, limits: &Limits) -> Result<&'a RawValue, Problem> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
    let first = values.next();
    let after = text.get(values.byte_offset()..).unwrap_or_default().trim_matches(is_json_space);
    match first {
        Some(Ok(value)) if after.is_empty() => Ok(value),
        Some(Ok(_)) => Err(not_json(format!(
            "there is text after the JSON object: {}. Send the object alone",
            quoted(after, limits.shown_chars)
        ))),
        Some(Err(error)) if error.classify() == Category::Eof => Err(not_json(
            "the JSON ends too early; it was cut off. Send the whole object again".to_owned(),
        )),
        Some(Err(error)) => Err(not_json(format!(
            "not valid JSON from {} on. Send one JSON object",
            quoted(from_fault(text, &error), limits.shown_chars.min(20))
        ))),
        None => Ok(RawValue::NULL),
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

/// Takes the text apart level by level; `serde_json` alone decides what is JSON.
struct Reader<'a, 'l> {
    limits: &'l Limits,
    values: usize,
    steps: Vec<Hop<'a>>,
    problems: Vec<Problem>,
}

/// One step of the way in, which costs nothing until a problem asks for the path.
enum Hop<'a> {
    Field(Cow<'a, str>),
    Item(usize),
}

impl<'a> Reader<'a, '_> {
    fn path(&self) -> Path {
        self.steps.iter().fold(Path::root(), |path, step| match step {
            Hop::Field(name) => path.field(name.as_ref()),
            Hop::Item(index) => path.item(*index),
        })
    }

    fn value(&mut self, raw: &'a RawValue) -> Result<Json<'a>, Problem> {
        self.values += 1;
        if self.values > self.limits.values {
            let message = format!("more than {} values; send fewer", self.limits.values);
            return Err(over(Path::root(), message));
        }
        let text = raw.get();
        match text.as_bytes().first() {
            Some(b'{') => self.object(text),
            Some(b'[') => self.array(text),
            Some(b'"') => Ok(match serde_json::from_str(text) {
                Ok(BorrowedText(text)) => Json::Text(text),
                Err(_) => self.broken(),
            }),
            Some(b't') => Ok(Json::Bool(true)),
            Some(b'f') => Ok(Json::Bool(false)),
            Some(b'n') => Ok(Json::Null),
            _ => Ok(Json::Number(text)),
        }
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

    fn nested(&self) -> Result<(), Problem> {
        if self.steps.len() < self.limits.depth {
            return Ok(());
        }
        Err(over(self.path(), format!("nested more than {} levels deep", self.limits.depth)))
    }

    fn object(&mut self, text: &'a str) -> Result<Json<'a>, Problem> {
        self.nested()?;
        let Members(members) =
            serde_json::from_str(text).map_err(|error| self.unreadable(&error))?;
        let mut object: Vec<Member<'a>> = Vec::with_capacity(members.len());
        let mut seen = Seen::default();
        for (key, raw) in members {
            let Ok(BorrowedText(key)) = serde_json::from_str(key.get()) else {
                let message = "a field's name is not valid Unicode".to_owned();
                return Err(Problem::new(self.path(), ProblemKind::NotJson, message));
            };
            if !seen.is_new(key.clone(), &object) {
                self.repeated(&key);
                continue;
            }
            self.steps.push(Hop::Field(key.clone()));
            let value = self.value(raw)?;
            self.steps.pop();
            object.push((key, value));
        }
        Ok(Json::Object(object))
    }

    fn array(&mut self, text: &'a str) -> Result<Json<'a>, Problem> {
        self.nested()?;
        let Items(items) = serde_json::from_str(text).map_err(|error| self.unreadable(&error))?;
        let mut array = Vec::with_capacity(items.len().min(self.limits.values));
        for (index, raw) in items.into_iter().enumerate() {
            self.steps.push(Hop::Item(index));
            array.push(self.value(raw)?);
            self.steps.pop();
        }
        Ok(Json::Array(array))
    }

    /// The whole text was read once, so what is left is what `serde_json` refuses on the second look.
    fn unreadable(&self, error: &serde_json::Error) -> Problem {
        let what = if error.is_eof() { "ends too early" } else { "is not valid JSON" };
        Problem::new(self.path(), ProblemKind::NotJson, what)
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

/// Text that is borrowed where it has no escapes.
struct BorrowedText<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for BorrowedText<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Texts;

        impl<'de> Visitor<'de> for Texts {
            type Value = BorrowedText<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("text")
            }

            fn visit_borrowed_str<E>(self, v: &'de str) -> Result<Self::Value, E> {
                Ok(BorrowedText(Cow::Borrowed(v)))
            }

            fn visit_str<E>(self, v: &str) -> Result<Self::Value, E> {
                Ok(BorrowedText(Cow::Owned(v.to_owned())))
            }
        }

        deserializer.deserialize_str(Texts)
    }
}

/// The members of an object, each with its own text.
struct Members<'a>(Vec<(&'a RawValue, &'a RawValue)>);

/// The items of an array, each with its own text.
struct Items<'a>(Vec<&'a RawValue>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs;

        impl<'de> Visitor<'de> for Pairs {
            type Value = Members<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(Pairs)
    }
}

impl<'de> Deserialize<'de> for Items<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Each;

        impl<'de> Visitor<'de> for Each {
            type Value = Items<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an array")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = seq.next_element()? {
                    items.push(item);
                }
                Ok(Items(items))
            }
        }

        deserializer.deserialize_seq(Each)
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
