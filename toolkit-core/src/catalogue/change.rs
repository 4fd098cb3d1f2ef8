//! What changed between a lock and a registry, for a caller who knew the old one.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::{Map, Value};

use super::page::without_words;
use crate::problem::{Path, quoted};

/// What a change means for a caller who knew the tools before.
///
/// ```
/// use toolkit::ChangeKind;
///
/// assert_eq!(ChangeKind::Breaking.to_string(), "breaking");
/// assert!(ChangeKind::Breaking > ChangeKind::Compatible);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChangeKind {
    /// Only words changed. A model may choose otherwise all the same.
    Wording,
    /// What was right before is right, and means the same.
    Compatible,
    /// What was right before may be refused now, or mean something else.
    Breaking,
}

impl fmt::Display for ChangeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Wording => "wording",
            Self::Compatible => "compatible",
            Self::Breaking => "breaking",
        })
    }
}

/// One change of one tool.
///
/// ```
/// use toolkit::prelude::*;
/// use toolkit::ChangeKind;
///
/// let lock = Registry::builder().build()?.to_lock();
///
/// /// Looks up an order.
/// #[tool]
/// fn get_order(order_id: &str) {}
///
/// let changes = Registry::builder().tools(tools![get_order]).build()?.diff(&lock)?;
/// let change = changes.iter().next().unwrap();
/// assert_eq!((change.kind(), change.tool()), (ChangeKind::Compatible, "get_order"));
/// assert_eq!(change.message(), "it is new");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    kind: ChangeKind,
    tool: String,
    path: Path,
    message: String,
}

impl Change {
    /// What it means for a caller.
    #[must_use]
    pub const fn kind(&self) -> ChangeKind {
        self.kind
    }

    /// The tool.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// The parameter, or the root where it is about the whole tool.
    #[must_use]
    pub const fn path(&self) -> &Path {
        &self.path
    }

    /// What changed.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} `{}`: ", self.kind, self.tool)?;
        if !self.path.steps().is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)
    }
}

/// Everything that changed, by the tools' names.
///
/// ```
/// use toolkit::prelude::*;
///
/// let registry = Registry::builder().build()?;
/// let changes = registry.diff(&registry.to_lock())?;
/// assert!(changes.is_empty());
/// assert_eq!(changes.to_string(), "nothing changed");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes(Vec<Change>);

impl Changes {
    /// Goes through the changes.
    pub fn iter(&self) -> std::slice::Iter<'_, Change> {
        self.0.iter()
    }

    /// Whether nothing changed.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The gravest change, where there is one.
    #[must_use]
    pub fn gravest(&self) -> Option<ChangeKind> {
        self.0.iter().map(Change::kind).max()
    }
}

impl<'a> IntoIterator for &'a Changes {
    type Item = &'a Change;
    type IntoIter = std::slice::Iter<'a, Change>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Display for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("nothing changed");
        }
        let lines = self.0.iter().map(ToString::to_string);
        f.write_str(&lines.collect::<Vec<_>>().join("\n"))
    }
}

/// Compares the tools of two locks.
#[must_use]
pub fn changes_between(old: &Map<String, Value>, new: &Map<String, Value>) -> Changes {
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let mut changes = Vec::new();
    for name in names {
        let mut of_tool = OfTool { tool: name, changes: &mut changes };
        match (old.get(name), new.get(name)) {
            (Some(old), Some(new)) => of_tool.compare(old, new),
            (Some(_), None) => of_tool.tell(ChangeKind::Breaking, &Path::root(), "it is gone"),
            (None, _) => of_tool.tell(ChangeKind::Compatible, &Path::root(), "it is new"),
        }
    }
    Changes(changes)
}

struct OfTool<'a> {
    tool: &'a str,
    changes: &'a mut Vec<Change>,
}

impl OfTool<'_> {
    fn tell(&mut self, kind: ChangeKind, path: &Path, message: impl Into<String>) {
        let (tool, path) = (self.tool.to_owned(), path.clone());
        self.changes.push(Change { kind, tool, path, message: message.into() });
    }

    fn compare(&mut self, old: &Value, new: &Value) {
        let root = Path::root();
        for key in keys(old, new) {
            let (before, now) = (old.get(key), new.get(key));
            if before == now {
                continue;
            }
            match key.as_str() {
                "description" | "title" => {
                    self.tell(ChangeKind::Wording, &root, format!("its {key} changed"));
                }
                "input_schema" => self.schema(before, now, &root),
                "output_schema" => self.result(before, now),
                "scopes" => self.scopes(before, now),
                "approval" => self.approval(before, now),
                _ => self.tell(ChangeKind::Breaking, &root, changed(key, before, now)),
            }
        }
    }

    fn scopes(&mut self, before: Option<&Value>, now: Option<&Value>) {
        let list = |value: Option<&Value>| -> BTreeSet<String> {
            let scopes = value.and_then(Value::as_array).into_iter().flatten();
            scopes.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let (before, now) = (list(before), list(now));
        for scope in now.difference(&before) {
            self.tell(ChangeKind::Breaking, &Path::root(), format!("it needs the scope `{scope}`"));
        }
        for scope in before.difference(&now) {
            let message = format!("it does not need the scope `{scope}` any more");
            self.tell(ChangeKind::Compatible, &Path::root(), message);
        }
    }

    fn approval(&mut self, before: Option<&Value>, now: Option<&Value>) {
        let (kind, message) = match (before, now) {
            (_, None) => (ChangeKind::Compatible, "no person is asked any more"),
            (None, _) => (ChangeKind::Breaking, "a person may be asked"),
            _ => (ChangeKind::Breaking, "how a person agrees changed"),
        };
        self.tell(kind, &Path::root(), message);
    }

    /// What may be given: all that was accepted must be.
    fn schema(&mut self, old: Option<&Value>, new: Option<&Value>, path: &Path) {
        let (Some(old), Some(new)) = (old, new) else {
            return self.tell(ChangeKind::Breaking, path, "it has another schema");
        };
        if without_words(old) == without_words(new) {
            if old != new {
                self.tell(ChangeKind::Wording, path, "words of its schema changed");
            }
            return;
        }
        for key in keys(old, new) {
            let (before, now) = (old.get(key), new.get(key));
            if before == now {
                continue;
            }
            match key.as_str() {
                "description" | "title" | "examples" => {
                    self.tell(ChangeKind::Wording, path, format!("its {key} changed"));
                }
                "properties" => self.properties(old, new, path),
                // What is required of a new property is told there.
                "required" => self.required(old, new, path),
                "items" if before.is_some() && now.is_some() => {
                    self.schema(before, now, &path.item(0));
                }
                _ => {
                    let kind = keyword(key, before, now);
                    self.tell(kind, path, changed(key, before, now));
                }
            }
        }
    }

    fn properties(&mut self, old: &Value, new: &Value, path: &Path) {
        let all = |node: &Value| node.get("properties").cloned().unwrap_or_default();
        let (before, now) = (all(old), all(new));
        let is_closed = new.get("additionalProperties") == Some(&Value::Bool(false));
        for (name, property) in members(&now) {
            let at = path.field(name);
            match before.get(name) {
                Some(earlier) => self.schema(Some(earlier), Some(property), &at),
                None if requires(new, name) => {
                    self.tell(ChangeKind::Breaking, &at, "it is new and must be given");
                }
                None => self.tell(ChangeKind::Compatible, &at, "it is new and may be left out"),
            }
        }
        for (name, _) in members(&before).filter(|(name, _)| now.get(name).is_none()) {
            let kind = if is_closed { ChangeKind::Breaking } else { ChangeKind::Compatible };
            self.tell(kind, &path.field(name), "it is gone");
        }
    }

    fn required(&mut self, old: &Value, new: &Value, path: &Path) {
        let is_in = |node: &Value, name: &str| {
            node.get("properties").is_some_and(|all| all.get(name).is_some())
        };
        let both = |name: &&String| is_in(old, name) && is_in(new, name);
        let of = |node: &Value| -> BTreeSet<String> {
            let names = node.get("required").and_then(Value::as_array).into_iter().flatten();
            names.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let (before, now) = (of(old), of(new));
        for name in now.difference(&before).filter(both) {
            self.tell(ChangeKind::Breaking, &path.field(name), "it must be given");
        }
        for name in before.difference(&now).filter(both) {
            self.tell(ChangeKind::Compatible, &path.field(name), "it may be left out");
        }
    }

    /// What comes back: all that was told must be, in the same form.
    fn result(&mut self, before: Option<&Value>, now: Option<&Value>) {
        let root = Path::root();
        let (Some(old), Some(new)) = (before, now) else {
            let kind = if now.is_some() { ChangeKind::Compatible } else { ChangeKind::Breaking };
            let message = if now.is_some() {
                "its result has a schema"
            } else {
                "its result has no schema any more"
            };
            return self.tell(kind, &root, message);
        };
        if without_words(old) == without_words(new) {
            return self.tell(ChangeKind::Wording, &root, "words of its result's schema changed");
        }
        let kept = |node: &Value| {
            let mut kept = without_words(node);
            if let Value::Object(members) = &mut kept {
                members.remove("properties");
                members.remove("required");
            }
            kept
        };
        let property = |node: &Value, name: &str| {
            node.get("properties").and_then(|all| all.get(name)).map(without_words)
        };
        let names =
            old.get("properties").map(|all| members(all).map(|(name, _)| name).collect::<Vec<_>>());
        let is_told = |name: &&String| {
            property(old, name) == property(new, name)
                && (requires(new, name) || !requires(old, name))
        };
        if kept(old) == kept(new) && names.is_some_and(|names| names.iter().all(is_told)) {
            self.tell(ChangeKind::Compatible, &root, "its result tells more");
        } else {
            self.tell(ChangeKind::Breaking, &root, "its result has another form");
        }
    }
}

/// The keys of either, in their alphabet's order.
fn keys<'v>(old: &'v Value, new: &'v Value) -> BTreeSet<&'v String> {
    members(old).chain(members(new)).map(|(key, _)| key).collect()
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

fn requires(node: &Value, name: &str) -> bool {
    let required = node.get("required").and_then(Value::as_array);
    required.is_some_and(|all| all.iter().any(|one| one == name))
}

fn changed(key: &str, before: Option<&Value>, now: Option<&Value>) -> String {
    let told = |value: Option<&Value>| {
        value.map_or_else(
            || "none".to_owned(),
            |value| match value {
                Value::String(text) => quoted(text, 80),
                other => crate::problem::escaped(&other.to_string(), 80),
            },
        )
    };
    format!("its `{key}` was {} and is {}", told(before), told(now))
}

/// Whether a keyword of JSON Schema takes less than before.
fn keyword(key: &str, before: Option<&Value>, now: Option<&Value>) -> ChangeKind {
    let number = |value: Option<&Value>| value.and_then(Value::as_f64);
    let wider = match key {
        "minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties" => {
            now.is_none() || number(before).is_some_and(|before| number(now) <= Some(before))
        }
        "maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties" => {
            now.is_none() || number(before).is_some_and(|before| number(now) >= Some(before))
        }
        "enum" => match (before.and_then(Value::as_array), now.and_then(Value::as_array)) {
            (Some(before), Some(now)) => before.iter().all(|value| now.contains(value)),
            (_, now) => now.is_none(),
        },
        "type" => match (before, now) {
            (Some(Value::String(before)), Some(Value::String(now))) => {
                before == "integer" && now == "number"
            }
            (Some(before), Some(Value::Array(now))) => match before {
                Value::Array(before) => before.iter().all(|one| now.contains(one)),
                one => now.contains(one),
            },
            (_, now) => now.is_none(),
        },
        "pattern" | "format" | "const" | "multipleOf" | "not" => now.is_none(),
        "uniqueItems" => now != Some(&Value::Bool(true)),
        "additionalProperties" => {
            now != Some(&Value::Bool(false)) && before == Some(&Value::Bool(false))
        }
        // What is left out means something else where there was one.
        "default" => before.is_none(),
        _ => false,
    };
    if wider { ChangeKind::Compatible } else { ChangeKind::Breaking }
}
