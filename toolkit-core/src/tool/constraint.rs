//! Which types a constraint fits.

use std::sync::Arc;

use crate::secret::Secret;

/// Types that `minimum`, `maximum`, their exclusive forms and `multiple_of` fit.
///
/// ```
/// use toolkit::constraint::Number;
/// use toolkit::prelude::*;
///
/// #[arg_type]
/// #[serde(transparent)]
/// struct Cents {
///     amount: u64,
/// }
///
/// impl Number for Cents {}
///
/// /// Pays.
/// #[tool]
/// fn pay(#[arg(minimum = 1)] price: Cents) -> u64 {
///     price.amount
/// }
///
/// let view = Registry::builder().tools(tools![pay]).build()?.view(Caller::new("ann"));
/// let call = ToolCall::new("call_1", "pay", r#"{"price": 0}"#);
/// let outcome = view.dispatch_blocking(call, Options::default())?;
/// assert_eq!(outcome.text(), "$.price: expected an integer at least 1, got 0");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not known to be a number",
    label = "`minimum`, `maximum`, `exclusive_minimum`, `exclusive_maximum` and `multiple_of` fit numbers",
    note = "text takes `min_length` and `max_length`, a list `min_items` and `max_items`",
    note = "a number type of your own says so with `impl toolkit::constraint::Number for YourType {{}}`"
)]
pub trait Number {}

/// Types that `min_length`, `max_length`, `pattern` and `format` fit.
///
/// ```
/// use toolkit::constraint::Text;
/// use toolkit::prelude::*;
///
/// #[arg_type]
/// #[serde(transparent)]
/// struct OrderId {
///     id: String,
/// }
///
/// impl Text for OrderId {}
///
/// /// Looks up an order.
/// #[tool]
/// fn get_order(#[arg(pattern = r"^O-\d+$")] order: &OrderId) -> String {
///     format!("{} is delivered", order.id)
/// }
///
/// assert_eq!(get_order(&OrderId { id: "O-1".to_owned() }), "O-1 is delivered");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not known to be text",
    label = "`min_length`, `max_length`, `pattern` and `format` fit text",
    note = "a number takes `minimum` and `maximum`, a list `min_items` and `max_items`",
    note = "a text type of your own says so with `impl toolkit::constraint::Text for YourType {{}}`"
)]
pub trait Text {}

/// Types that `min_items`, `max_items` and `unique_items` fit.
///
/// ```
/// use toolkit::constraint::List;
/// use toolkit::prelude::*;
///
/// #[arg_type]
/// #[serde(transparent)]
/// struct Names {
///     names: Vec<String>,
/// }
///
/// impl List for Names {}
///
/// /// Invites people.
/// #[tool]
/// fn invite(#[arg(min_items = 1)] guests: &Names) -> usize {
///     guests.names.len()
/// }
///
/// assert_eq!(invite(&Names { names: vec!["ann".to_owned()] }), 1);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not known to be a list",
    label = "`min_items`, `max_items` and `unique_items` fit lists",
    note = "a number takes `minimum` and `maximum`, text `min_length` and `max_length`",
    note = "a list type of your own says so with `impl toolkit::constraint::List for YourType {{}}`"
)]
pub trait List {}

macro_rules! known {
    ($marker:ident: $($ty:ty),* $(,)?) => { $(
        #[diagnostic::do_not_recommend]
        impl $marker for $ty {}
    )* };
}

known!(Number: u8, u16, u32, u64, usize, i8, i16, i32, i64, isize, f32, f64);
known!(Number: std::num::NonZeroU8, std::num::NonZeroU16, std::num::NonZeroU32, std::num::NonZeroU64);
known!(Number: std::num::NonZeroI8, std::num::NonZeroI16, std::num::NonZeroI32, std::num::NonZeroI64);
known!(Text: String, str, Box<str>, Arc<str>, std::borrow::Cow<'_, str>, std::path::PathBuf);

#[diagnostic::do_not_recommend]
impl<T> List for Vec<T> {}
#[diagnostic::do_not_recommend]
impl<T> List for [T] {}
#[diagnostic::do_not_recommend]
impl<T, const N: usize> List for [T; N] {}
#[diagnostic::do_not_recommend]
impl<T> List for std::collections::VecDeque<T> {}
#[diagnostic::do_not_recommend]
impl<T> List for std::collections::BTreeSet<T> {}
#[diagnostic::do_not_recommend]
#[expect(clippy::disallowed_types, reason = "a user's own type, of which no order is read")]
impl<T, S> List for std::collections::HashSet<T, S> {}

macro_rules! through {
    ($($marker:ident),*) => { $(
        #[diagnostic::do_not_recommend]
        impl<T: $marker> $marker for Option<T> {}
        #[diagnostic::do_not_recommend]
        impl<T: $marker> $marker for Box<T> {}
        #[diagnostic::do_not_recommend]
        impl<T: $marker> $marker for Secret<T> {}
        #[diagnostic::do_not_recommend]
        impl<T: $marker + ?Sized> $marker for &T {}
    )* };
}

through!(Number, Text, List);
