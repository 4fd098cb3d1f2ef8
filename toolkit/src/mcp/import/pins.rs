//! What was approved of a server: each tool's definition, as a digest.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use rmcp::model::Tool as Shown;
use serde_json::{Map, Value};
use toolkit_core::__private::changes_between;
use toolkit_core::Changes;
use toolkit_core::ledger::inside::tool_revision;

use crate::ledger::{Digest, LedgerError};

/// The tools of a server as a person approved them: a digest of each definition, by name.
///
/// It is written as text for a file beside the program, one tool a line: its digest, its name and
/// its definition, by which it is told later what the server changed. A line may end after the
/// name; what changed is not told then. The order of fields in a definition does not count; every
/// word of it does.
///
/// ```
/// use toolkit::mcp::Pins;
///
/// let text = "9a0364b9e99bb480dd25e1f0284c8555fbc4ed3ae1f3b0e2f7b0f9ad8f8c7c55 read_file\n";
/// let pins: Pins = text.parse()?;
/// assert_eq!(pins.to_string(), text);
/// assert_eq!(pins.names().collect::<Vec<_>>(), ["read_file"]);
/// # Ok::<(), toolkit::ledger::LedgerError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pins(BTreeMap<String, Pin>);

/// One approved definition.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Pin {
    digest: Digest,
    /// The definition itself, where it was written beside its digest.
    definition: Option<Value>,
}

impl Pins {
    /// The names of the tools, in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Takes a tool's definition over from others, as one approves it; false where they have none.
    pub fn approve(&mut self, tool: &str, seen: &Self) -> bool {
        let pin = seen.0.get(tool);
        if let Some(pin) = pin {
            self.0.insert(tool.to_owned(), pin.clone());
        }
        pin.is_some()
    }

    pub(super) fn see(&mut self, shown: &Shown) {
        let definition = written(shown);
        let pin = Pin { digest: digest(&definition), definition: Some(definition) };
        self.0.insert(shown.name.clone().into_owned(), pin);
    }

    /// Whether it is what was approved; `None` where nothing was.
    pub(super) fn holds(&self, shown: &Shown) -> Option<bool> {
        self.0.get(&*shown.name).map(|approved| approved.digest == digest(&written(shown)))
    }

    /// What changed since it was approved, as far as it was written what that was.
    pub(super) fn changes(&self, shown: &Shown) -> Changes {
        let approved = self.0.get(&*shown.name).and_then(|pin| pin.definition.as_ref());
        let Some(approved) = approved else { return Changes::default() };
        let tool = |definition: &Value| {
            Map::from_iter([(shown.name.clone().into_owned(), entry(definition))])
        };
        changes_between(&tool(approved), &tool(&written(shown)))
    }
}

impl fmt::Display for Pins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|(tool, Pin { digest, definition })| match definition {
            Some(definition) => writeln!(f, "{digest} {tool} {definition}"),
            None => writeln!(f, "{digest} {tool}"),
        })
    }
}

impl FromStr for Pins {
    type Err = LedgerError;

    fn from_str(text: &str) -> Result<Self, LedgerError> {
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        let pins = lines.map(|line| {
            let (digest, rest) = line.trim().split_once(' ').unwrap_or((line, ""));
            let digest = digest.parse()?;
            let (tool, definition) = read(rest, digest);
            Ok((tool.to_owned(), Pin { digest, definition }))
        });
        pins.collect::<Result<_, _>>().map(Self)
    }
}

/// A tool's name and its definition, which counts only where the digest is its own.
fn read(text: &str, of: Digest) -> (&str, Option<Value>) {
    let parts = text.find(" {").and_then(|at| text.split_at_checked(at));
    let read = parts.and_then(|(tool, definition)| {
        let definition = serde_json::from_str(definition).ok()?;
        (digest(&definition) == of).then_some((tool, Some(definition)))
    });
    read.unwrap_or((text, None))
}

/// A definition as the server writes it.
fn written(shown: &Shown) -> Value {
    serde_json::to_value(shown).unwrap_or_default()
}

/// A definition in the words of `tools.lock`.
fn entry(definition: &Value) -> Value {
    let members = definition.as_object().into_iter().flatten();
    let renamed = members.filter(|(key, _)| *key != "name").map(|(key, value)| {
        let key = match key.as_str() {
            "inputSchema" => "input_schema",
            "outputSchema" => "output_schema",
            other => other,
        };
        (key.to_owned(), value.clone())
    });
    Value::Object(renamed.collect())
}

/// What stands for a definition.
fn digest(definition: &Value) -> Digest {
    let mut text = String::new();
    write(definition, &mut text);
    tool_revision(&["mcp", &text])
}

/// Writes a value with its fields in alphabetical order.
fn write(value: &Value, to: &mut String) {
    match value {
        Value::Object(fields) => {
            to.push('{');
            let in_order: BTreeMap<&String, &Value> = fields.iter().collect();
            for (name, value) in in_order {
                to.push_str(&Value::from(name.as_str()).to_string());
                to.push(':');
                write(value, to);
                to.push(',');
            }
            to.push('}');
        }
        Value::Array(items) => {
            to.push('[');
            for item in items {
                write(item, to);
                to.push(',');
            }
            to.push(']');
        }
        plain => to.push_str(&plain.to_string()),
    }
}
