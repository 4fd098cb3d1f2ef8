//! Reading a provider's JSON, and saying what was found instead of a reply.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::problem::escaped;

/// Characters of a provider's text that an error shows.
const SHOWN_CHARS: usize = 300;

/// Members by which a reply of each provider is known.
const MARKS: [(&str, &str); 6] = [
    ("choices", "openai_chat"),
    ("output", "openai_responses"),
    ("candidates", "gemini"),
    ("jsonrpc", "mcp"),
    ("content", "anthropic"),
    ("message", "cohere` or `ollama"),
];

/// Why a provider's body is no reply: what was found, and where.
///
/// ```
/// use toolkit::dialect::{Anthropic, Dialect};
///
/// let told = |body| Anthropic.read(body).unwrap_err().to_string();
/// assert_eq!(
///     told(r#"{"error": {"type": "overloaded_error", "message": "Overloaded"}}"#),
///     "anthropic: the provider reports `overloaded_error`: Overloaded",
/// );
/// assert_eq!(
///     told(r#"{"choices": []}"#),
///     "anthropic: $.content: missing; the reply has: choices (this looks like a reply in `openai_chat`)",
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DialectError {
    /// The body is not JSON.
    #[error("{dialect}: the reply is not JSON: {found}")]
    NotJson {
        /// The dialect that was reading.
        dialect: &'static str,
        /// What is wrong with the text, and where.
        found: String,
    },
    /// The provider reports an error in place of a reply.
    #[error("{dialect}: the provider reports `{kind}`: {message}")]
    Reported {
        /// The dialect that was reading.
        dialect: &'static str,
        /// The provider's own word for the error, like `overloaded_error`.
        kind: String,
        /// The provider's text.
        message: String,
    },
    /// The body is JSON, but no reply of this provider.
    #[error("{dialect}: {path}: {found}")]
    Shape {
        /// The dialect that was reading.
        dialect: &'static str,
        /// Where, like `$.content[1].name`.
        path: String,
        /// What was found there.
        found: String,
    },
}

/// The members of a reply, of which one must be there.
pub(super) fn check(dialect: &'static str, body: &str, needed: &str) -> Result<(), DialectError> {
    // A gateway's HTML page is not JSON, and cut text is not either.
    let Ok(found) = serde_json::from_str::<&RawValue>(body) else {
        return Err(DialectError::NotJson { dialect, found: beginning(body) });
    };
    let Ok(members) = serde_json::from_str::<BTreeMap<String, &RawValue>>(found.get()) else {
        return Err(shape(dialect, "$", "expected an object"));
    };
    if let Some(error) = members.get("error").filter(|error| error.get() != "null") {
        return Err(reported(dialect, error));
    }
    if members.contains_key(needed) {
        return Ok(());
    }
    let named: Vec<&str> = members.keys().take(16).map(String::as_str).collect();
    let like = MARKS
        .iter()
        .find(|(mark, _)| members.contains_key(*mark))
        .map_or_else(String::new, |(_, other)| format!(" (this looks like a reply in `{other}`)"));
    let found = if named.is_empty() {
        "missing; the reply is an empty object".to_owned()
    } else {
        format!("missing; the reply has: {}{like}", shown(&named.join(", ")))
    };
    Err(shape(dialect, &format!("$.{needed}"), &found))
}

/// The ids of the calls of one reply: each call has one, and no two have the same.
#[derive(Debug, Default)]
pub(super) struct Ids(BTreeMap<String, String>);

impl Ids {
    /// The id of a call, which stands at `path`.
    pub(super) fn needed(
        &mut self,
        dialect: &'static str,
        path: &str,
        id: Option<String>,
    ) -> Result<String, DialectError> {
        let id = self.given(dialect, path, id)?;
        if id.is_empty() { Err(shape(dialect, path, "a call without an id")) } else { Ok(id) }
    }

    /// The same, of a provider that may give none: a blank one stands for that.
    pub(super) fn given(
        &mut self,
        dialect: &'static str,
        path: &str,
        id: Option<String>,
    ) -> Result<String, DialectError> {
        let id = id.filter(|id| !id.trim().is_empty()).unwrap_or_default();
        if id.is_empty() {
            return Ok(id);
        }
        match self.0.insert(id.clone(), path.to_owned()) {
            None => Ok(id),
            Some(other) => {
                let found = format!("the id {id:?} is another call's as well, at {other}");
                Err(shape(dialect, path, &found))
            }
        }
    }
}

/// Reads one JSON text into `T`, which stands at `path` in the reply.
pub(super) fn parse<'de, T: Deserialize<'de>>(
    dialect: &'static str,
    path: &str,
    text: &'de str,
) -> Result<T, DialectError> {
    let mut json = serde_json::Deserializer::from_str(text);
    serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let inner = error.path().to_string();
        let path = match inner.as_str() {
            "." => path.to_owned(),
            inner if inner.starts_with('[') => format!("{path}{inner}"),
            inner => format!("{path}.{inner}"),
        };
        shape(dialect, &path, &without_place(&error.into_inner().to_string()))
    })
}

/// What a body that is not JSON starts with: mostly it is a gateway's page.
fn beginning(body: &str) -> String {
    let start: String = body.trim().chars().take(60).collect();
    if start.is_empty() {
        "it is empty".to_owned()
    } else {
        format!("it starts with \"{}\"", shown(&start))
    }
}

pub(super) fn shape(dialect: &'static str, path: &str, found: &str) -> DialectError {
    DialectError::Shape { dialect, path: shown(path), found: shown(found) }
}

/// Both providers, and those who imitate them, write `{"type" or "code", "message"}` or a text.
fn reported(dialect: &'static str, error: &RawValue) -> DialectError {
    let error: Value = serde_json::from_str(error.get()).unwrap_or_default();
    let word = |key: &str| match error.get(key) {
        Some(Value::String(word)) => Some(shown(word)),
        Some(Value::Number(code)) => Some(code.to_string()),
        _ => None,
    };
    let whole = error.as_str().map_or_else(|| error.to_string(), str::to_owned);
    DialectError::Reported {
        dialect,
        kind: word("type").or_else(|| word("code")).unwrap_or_else(|| "error".to_owned()),
        message: word("message").unwrap_or_else(|| shown(&whole)),
    }
}

fn shown(text: &str) -> String {
    // The quotes of serde's messages are meant as quotes.
    escaped(text, SHOWN_CHARS).replace("\\\"", "\"")
}

/// A place in a part's own text tells nothing beside the path.
fn without_place(message: &str) -> String {
    message.rsplit_once(" at line ").map_or(message, |(message, _)| message).to_owned()
}
