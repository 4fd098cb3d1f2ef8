//! What was done to a schema, for a person to read.

use std::fmt;

/// One place where the schema that an API gets differs from the full one.
///
/// ```
/// use serde_json::json;
/// use toolkit::dialect::{Definition, Form, Projection, RewriteKind};
///
/// let schema = json!({
///     "type": "object",
///     "properties": {"days": {"type": "integer", "minimum": 1, "maximum": 14}},
///     "required": ["days"],
///     "additionalProperties": false,
/// });
/// let definition = Definition::new("forecast", "Tells the weather.", schema);
/// let projection = Projection::of(&definition, Form::ANTHROPIC.strict())?;
/// let [rewrite] = projection.rewrites() else { panic!("one rewrite") };
/// assert_eq!(rewrite.kind(), RewriteKind::Wider);
/// assert_eq!(rewrite.to_string(), "$.days: wider: 1 to 14");
/// # Ok::<(), toolkit::ToolConfigErrors>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewrite {
    path: String,
    kind: RewriteKind,
    what: String,
}

/// What a rewrite does to the values that are accepted.
///
/// ```
/// use toolkit::dialect::RewriteKind;
///
/// assert_eq!(RewriteKind::ReEncoded.to_string(), "re-encoded");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RewriteKind {
    /// The same values.
    Equal,
    /// More values. The dispatcher holds the rule, and the description says it, but for the one
    /// that an object takes no other fields.
    Wider,
    /// The same values in another form, which the dispatcher decodes.
    ReEncoded,
    /// The tool is sent in a form that the provider does not hold the model to.
    Plain,
}

impl fmt::Display for RewriteKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Equal => "equal",
            Self::Wider => "wider",
            Self::ReEncoded => "re-encoded",
            Self::Plain => "plain",
        })
    }
}

impl Rewrite {
    pub(in crate::dialect) fn new(
        path: impl Into<String>,
        kind: RewriteKind,
        what: impl Into<String>,
    ) -> Self {
        Self { path: path.into(), kind, what: what.into() }
    }

    /// Where in the arguments; `[]` stands for each item of a list, `{}` for each value of a map.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What it does to the values that are accepted.
    #[must_use]
    pub const fn kind(&self) -> RewriteKind {
        self.kind
    }

    /// What was done, or which rule is held by the dispatcher alone.
    #[must_use]
    pub fn what(&self) -> &str {
        &self.what
    }
}

impl fmt::Display for Rewrite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.path, self.kind, self.what)
    }
}
