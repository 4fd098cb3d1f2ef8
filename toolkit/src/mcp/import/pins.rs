//! What was approved of a server: each tool's definition, as a digest.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use rmcp::model::Tool as Shown;
use serde_json::Value;
use toolkit_core::ledger::inside::tool_revision;

use crate::ledger::{Digest, LedgerError};

/// The tools of a server as a person approved them: a digest of each definition, by name.
///
/// It is written as text, one tool a line, for a file beside the program. The order of fields in
/// a definition does not count; every word of it does.
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
pub struct Pins(BTreeMap<String, Digest>);

impl Pins {
    /// The names of the tools, in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Takes a tool's definition over from others, as one approves it; false where they have none.
    pub fn approve(&mut self, tool: &str, seen: &Self) -> bool {
        let digest = seen.0.get(tool);
        if let Some(digest) = digest {
            self.0.insert(tool.to_owned(), *digest);
        }
        digest.is_some()
    }

    pub(super) fn see(&mut self, shown: &Shown) {
        self.0.insert(shown.name.clone().into_owned(), digest(shown));
    }

    /// Whether it is what was approved; `None` where nothing was.
    pub(super) fn holds(&self, shown: &Shown) -> Option<bool> {
        self.0.get(&*shown.name).map(|approved| *approved == digest(shown))
    }
}

impl fmt::Display for Pins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|(tool, digest)| writeln!(f, "{digest} {tool}"))
    }
}

impl FromStr for Pins {
    type Err = LedgerError;

    fn from_str(text: &str) -> Result<Self, LedgerError> {
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        let pins = lines.map(|line| {
            let (digest, tool) = line.trim().split_once(' ').unwrap_or((line, ""));
            Ok((tool.to_owned(), digest.parse()?))
        });
        pins.collect::<Result<_, _>>().map(Self)
    }
}

/// What stands for a definition.
fn digest(shown: &Shown) -> Digest {
    let mut text = String::new();
    write(&serde_json::to_value(shown).unwrap_or_default(), &mut text);
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
