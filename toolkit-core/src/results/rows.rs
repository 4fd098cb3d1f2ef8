//! Rows of a result: as many as fit, and how to ask for the others.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::call::left;

/// Rows of a result: as many whole ones as fit, how many are left, and how to ask for them.
///
/// A list that is cut in the middle of a row is no JSON, and one that only ends reads as if it
/// were all. No row is cut here, and the model reads what is left and the next call. What is longer
/// than the tool's `result_limit` all the same loses whole rows, and says so in the same words.
///
/// ```
/// use toolkit::Rows;
/// use toolkit::prelude::*;
///
/// /// Lists the numbers up to a hundred.
/// #[tool]
/// fn numbers(#[arg(default = 0)] offset: usize) -> Rows<u32> {
///     Rows::of(1..=100).from(offset).at_most(3).ask_with("offset")
/// }
///
/// let view = Registry::builder().tools(tools![numbers]).build()?.view(Caller::new("ann"));
/// let outcome = view.dispatch_blocking(ToolCall::new("1", "numbers", "{}"), Options::default())?;
/// assert_eq!(
///     outcome.text(),
///     r#"{"rows":[1,2,3],"left":97,"more":"97 rows are left: call again with offset 3"}"#,
/// );
/// let last = ToolCall::new("2", "numbers", r#"{"offset": 99}"#);
/// let outcome = view.dispatch_blocking(last, Options::default())?;
/// assert_eq!(outcome.text(), r#"{"rows":[100],"left":0}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Rows<T> {
    /// The rows.
    #[serde(rename = "rows")]
    kept: Vec<T>,
    /// How many come after them.
    left: usize,
    /// How to ask for those.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    more: Option<String>,
    #[serde(skip)]
    start: usize,
    #[serde(skip)]
    parameter: Option<String>,
}

impl<T> Rows<T> {
    /// All rows, the first ones first.
    pub fn of(rows: impl IntoIterator<Item = T>) -> Self {
        let kept = rows.into_iter().collect();
        Self { kept, left: 0, more: None, start: 0, parameter: None }
    }

    /// Begins with the row of this number, counted from 0; without one there, with none.
    ///
    /// It counts the rows that were given: say it before the cuts.
    #[must_use]
    pub fn from(mut self, offset: usize) -> Self {
        self.kept.drain(..offset.min(self.kept.len()));
        self.start += offset;
        self.told()
    }

    /// Keeps so many rows.
    #[must_use]
    pub fn at_most(mut self, count: usize) -> Self {
        self.left += self.kept.len().saturating_sub(count);
        self.kept.truncate(count);
        self.told()
    }

    /// Says that so many more rows come after those, which were not given.
    #[must_use]
    pub fn and_left(mut self, count: usize) -> Self {
        self.left += count;
        self.told()
    }

    /// Names the parameter by which the model asks for the rows from a number on.
    #[must_use]
    pub fn ask_with(mut self, parameter: impl Into<String>) -> Self {
        self.parameter = Some(parameter.into());
        self.told()
    }

    /// The rows that are kept.
    #[must_use]
    pub fn rows(&self) -> &[T] {
        &self.kept
    }

    /// How many rows come after those that are kept.
    #[must_use]
    pub const fn left(&self) -> usize {
        self.left
    }

    /// The same rows in another form.
    pub fn map<U>(self, form: impl FnMut(T) -> U) -> Rows<U> {
        let Self { kept, left, more, start, parameter } = self;
        Rows { kept: kept.into_iter().map(form).collect(), left, more, start, parameter }
    }

    fn told(mut self) -> Self {
        let next = self.start + self.kept.len();
        let next = self.parameter.as_deref().map(|parameter| (parameter, next));
        self.more = (self.left > 0).then(|| left(self.left, next));
        self
    }
}

impl<T: Serialize> Rows<T> {
    /// Keeps as many whole rows as take so many bytes as JSON, and always the first: without a
    /// row, asking again would never come to an end.
    ///
    /// ```
    /// use toolkit::Rows;
    ///
    /// let rows = Rows::of(["one", "two", "three"]).within(12);
    /// assert_eq!(rows.rows(), ["one", "two"]);
    /// assert_eq!(rows.left(), 1);
    /// ```
    #[must_use]
    pub fn within(self, bytes: usize) -> Self {
        let mut taken = 0;
        // What can not be written fails when the result is.
        let length = |row: &T| serde_json::to_string(row).map_or(0, |row| row.len());
        let fits = |row: &&T| {
            taken += length(row) + usize::from(taken > 0);
            taken <= bytes
        };
        let count = self.kept.iter().take_while(fits).count();
        self.at_most(count.max(1))
    }
}
