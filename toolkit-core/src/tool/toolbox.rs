//! A value whose methods are tools.

use std::sync::Arc;

use super::table::Table;

/// A value whose methods are tools; `#[toolbox]` above its `impl` implements it.
///
/// ```
/// use toolkit::prelude::*;
/// use toolkit::{Toolbox, ToolConfigErrors};
///
/// struct Counter(u64);
///
/// #[toolbox]
/// impl Counter {
///     /// Tells the count.
///     #[tool]
///     fn count(&self) -> u64 {
///         self.0
///     }
/// }
///
/// fn view_of(toolbox: impl Toolbox) -> Result<View, ToolConfigErrors> {
///     Ok(Registry::builder().toolbox(toolbox).build()?.view(Caller::new("ann")))
/// }
///
/// assert_eq!(view_of(Counter(3))?.visible(), ["count"]);
/// # Ok::<(), ToolConfigErrors>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a toolbox",
    label = "not a toolbox",
    note = "put `#[toolbox]` above its `impl`, and `#[tool]` on the methods that the model may call"
)]
pub trait Toolbox: Send + Sync + 'static {
    /// What the attribute filled in, one a tool.
    #[doc(hidden)]
    const TABLES: &'static [Table];
}

/// A toolbox as it is, or in an `Arc` that the host shares.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a toolbox",
    label = "not a toolbox",
    note = "put `#[toolbox]` above its `impl`, and `#[tool]` on the methods that the model may call"
)]
pub trait IntoToolbox {
    /// The toolbox.
    type Toolbox: Toolbox + ?Sized;

    /// Shares it between the calls.
    fn into_shared(self) -> Arc<Self::Toolbox>;
}

impl<T: Toolbox> IntoToolbox for T {
    type Toolbox = T;

    fn into_shared(self) -> Arc<T> {
        Arc::new(self)
    }
}

impl<T: Toolbox + ?Sized> IntoToolbox for Arc<T> {
    type Toolbox = T;

    fn into_shared(self) -> Self {
        self
    }
}

/// What a method of a toolbox can be called on: `&Self` or `Arc<Self>`.
#[diagnostic::on_unimplemented(
    message = "a tool can not be called on `{Self}`",
    label = "write `&self` or `self: Arc<Self>`",
    note = "a toolbox is shared between calls, behind an `Arc`"
)]
pub trait Receiver<'a, T: ?Sized>: Sized {
    /// Takes it from the shared toolbox.
    fn from_shared(shared: &'a Arc<T>) -> Self;
}

impl<'a, T: ?Sized> Receiver<'a, T> for &'a T {
    fn from_shared(shared: &'a Arc<T>) -> Self {
        shared
    }
}

impl<T: ?Sized> Receiver<'_, T> for Arc<T> {
    fn from_shared(shared: &Self) -> Self {
        Self::clone(shared)
    }
}
