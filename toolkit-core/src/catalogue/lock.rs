//! `tools.lock`: what callers may rely on, as a file.

use std::env;
use std::fs;
use std::path::Path;

use serde_json::{Map, Value, json};

use super::change::{Changes, changes_between};
use crate::dialect::Definition;
use crate::error::ToolConfigError;
use crate::registry::Registry;
use crate::tool::{Effect, Requirement, Tool};

/// The form of the file.
const VERSION: u64 = 1;

impl Registry {
    /// Writes what callers may rely on, as JSON with the tools in the order of their names.
    ///
    /// Check it in, and let `toolkit::lock!` tell what changes.
    #[must_use]
    pub fn to_lock(&self) -> String {
        let lock = json!({"version": VERSION, "tools": locked_tools(self)});
        format!("{lock:#}\n")
    }

    /// Tells what changed since a lock was written.
    ///
    /// ```
    /// use toolkit::prelude::*;
    ///
    /// let before = {
    ///     /// Looks up orders.
    ///     #[tool]
    ///     fn orders(#[arg(maximum = 100)] limit: u8) {}
    ///     Registry::builder().tools(tools![orders]).build()?.to_lock()
    /// };
    /// /// Looks up the orders of a day.
    /// #[tool]
    /// fn orders(#[arg(maximum = 50)] limit: u8, day: Option<String>) {}
    ///
    /// let changes = Registry::builder().tools(tools![orders]).build()?.diff(&before)?;
    /// assert_eq!(
    ///     changes.to_string(),
    ///     "wording `orders`: its description changed\n\
    ///      breaking `orders`: $.limit: its `maximum` was 100 and is 50\n\
    ///      compatible `orders`: $.day: it is new and may be left out",
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The text is no such lock.
    pub fn diff(&self, lock: &str) -> Result<Changes, ToolConfigError> {
        let wrong = |why: String| ToolConfigError::new(format!("the lock can not be read: {why}"));
        let mut lock: Value =
            serde_json::from_str(lock).map_err(|error| wrong(error.to_string()))?;
        if lock.get("version") != Some(&VERSION.into()) {
            return Err(wrong(format!("its version is not {VERSION}")));
        }
        match lock.get_mut("tools").map(Value::take) {
            Some(Value::Object(old)) => Ok(changes_between(&old, &locked_tools(self))),
            _ => Err(wrong("it has no `tools`".to_owned())),
        }
    }
}

fn locked_tools(registry: &Registry) -> Map<String, Value> {
    let mut tools: Vec<(String, Value)> = registry
        .tools()
        .map(|(tool, definition)| (tool.name.clone(), entry(tool, definition)))
        .collect();
    tools.sort_by(|(one, _), (other, _)| one.cmp(other));
    tools.into_iter().collect()
}

fn entry(tool: &Tool, definition: &Definition) -> Value {
    let mut entry = Map::new();
    if let Some(title) = &definition.title {
        entry.insert("title".to_owned(), title.as_str().into());
    }
    entry.insert("description".to_owned(), definition.description.as_str().into());
    if let Some(effect) = tool.policy.effect {
        entry.insert("effect".to_owned(), Effect::as_str(effect).into());
    }
    if !tool.policy.scopes.is_empty() {
        entry.insert("scopes".to_owned(), tool.policy.scopes.as_slice().into());
    }
    if !tool.policy.requires.is_empty() {
        let one = |required: &Requirement| json!({"tool": required.tool, "same": required.same});
        let all: Vec<Value> = tool.policy.requires.iter().map(one).collect();
        entry.insert("requires".to_owned(), all.into());
    }
    if tool.policy.may_ask() {
        let approval = tool.policy.agreement();
        entry.insert(
            "approval".to_owned(),
            json!({
                "quorum": approval.quorum,
                "four_eyes": approval.four_eyes,
                "always": tool.policy.always_asks(),
            }),
        );
    }
    entry.insert("input_schema".to_owned(), definition.input_schema.clone());
    if let Some(schema) = &definition.output_schema {
        entry.insert("output_schema".to_owned(), schema.clone());
    }
    entry.into()
}

/// Fails where a registry's tools are not those of a file; what `toolkit::lock!` calls.
///
/// # Panics
/// The file is another, or can not be read; with `TOOLKIT_BLESS` set, it can not be written.
#[track_caller]
#[expect(clippy::panic, reason = "it is the body of a test")]
pub fn locked(registry: &Registry, path: &str) {
    let file = Path::new(path);
    if env::var_os("TOOLKIT_BLESS").is_some()
        && let Err(error) = fs::write(file, registry.to_lock())
    {
        panic!("{path} can not be written: {error}");
    }
    let lock = match fs::read_to_string(file) {
        Ok(lock) => lock,
        Err(error) => panic!("{path} can not be read: {error}; TOOLKIT_BLESS=1 writes it"),
    };
    match registry.diff(&lock) {
        Ok(changes) if changes.is_empty() => {}
        Ok(changes) => panic!(
            "the tools changed since {path} was written:\n{changes}\nTOOLKIT_BLESS=1 writes it anew"
        ),
        Err(error) => panic!("{path}: {error}"),
    }
}
