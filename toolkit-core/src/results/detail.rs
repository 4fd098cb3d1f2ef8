//! How much a result tells, as the model asks for it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::rows::Rows;

/// What the model reads of the parameter that `#[tool(formats)]` adds.
pub const FORMAT: &str = "How much to tell: concise, what is needed to go on, or detailed, everything. Concise when \
     left out.";

/// How much a result tells.
///
/// `#[tool(formats)]` adds a parameter `format` of this type.
///
/// ```
/// use toolkit::Detail;
///
/// assert_eq!(serde_json::to_string(&Detail::default())?, r#""concise""#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Detail {
    /// What is needed to go on.
    #[default]
    Concise,
    /// Everything.
    Detailed,
}

/// A result that can be told in few words, too.
///
/// A tool with the key `formats` returns one, or a list, an option or [`Rows`] of one. The model
/// gets a parameter `format`, `concise` or `detailed`, and reads the view or the whole.
///
/// ```
/// use toolkit::Concise;
/// use toolkit::prelude::*;
///
/// /// An order.
/// #[arg_type]
/// struct Order {
///     id: String,
///     lines: Vec<String>,
/// }
///
/// impl Concise for Order {
///     type View = String;
///
///     fn concise(self) -> String {
///         format!("{}: {} lines", self.id, self.lines.len())
///     }
/// }
///
/// /// Looks up an order.
/// #[tool(formats)]
/// fn get_order(order_id: String) -> Result<Order, Failure> {
///     Ok(Order { id: order_id, lines: vec!["a lamp".to_owned(), "a chair".to_owned()] })
/// }
///
/// let view = Registry::builder().tools(tools![get_order]).build()?.view(Caller::new("ann"));
/// let told = |arguments: &str| {
///     let call = ToolCall::new("call_1", "get_order", arguments);
///     view.dispatch_blocking(call, Options::default()).map(|outcome| outcome.text().to_owned())
/// };
/// assert_eq!(told(r#"{"order_id": "O-1"}"#)?, "O-1: 2 lines");
/// assert_eq!(
///     told(r#"{"order_id": "O-1", "format": "detailed"}"#)?,
///     r#"{"id":"O-1","lines":["a lamp","a chair"]}"#,
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` can not be told concisely",
    label = "needs `Concise`",
    note = "write `impl Concise for {Self} {{ type View = …; fn concise(self) -> … {{ … }} }}`, or take `formats` away"
)]
pub trait Concise {
    /// What is told of it.
    type View;

    /// Tells what is needed to go on.
    fn concise(self) -> Self::View;
}

impl<T: Concise> Concise for Vec<T> {
    type View = Vec<T::View>;

    fn concise(self) -> Self::View {
        self.into_iter().map(T::concise).collect()
    }
}

impl<T: Concise> Concise for Option<T> {
    type View = Option<T::View>;

    fn concise(self) -> Self::View {
        self.map(T::concise)
    }
}

impl<T: Concise> Concise for Rows<T> {
    type View = Rows<T::View>;

    fn concise(self) -> Self::View {
        self.map(T::concise)
    }
}

/// A result in the form that was asked for.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Formatted<C, D> {
    /// What is needed to go on.
    Concise(C),
    /// Everything.
    Detailed(D),
}

/// Puts a result into the form that was asked for.
///
/// # Errors
/// The function's own.
pub fn in_format<T: Concise, E>(
    result: Result<T, E>,
    format: Option<Detail>,
) -> Result<Formatted<T::View, T>, E> {
    result.map(|value| match format.unwrap_or_default() {
        Detail::Concise => Formatted::Concise(value.concise()),
        Detail::Detailed => Formatted::Detailed(value),
    })
}
