//! What becomes of a call of which nobody knows whether it took effect.

use serde::Serialize;

use super::passage::{ToolFailure, ToolOutput};
use crate::error::Failure;
use crate::output::{self, Output};

/// What becomes of a call of which nobody knows whether it took effect.
///
/// A process can die between the effect and the note that it happened. An annotated tool says
/// what is right then with `on_unknown = …`, a dynamic one with
/// [`DynamicTool::on_unknown`](crate::DynamicTool::on_unknown).
///
/// ```
/// use serde_json::json;
/// use toolkit::{Effect, OnUnknown, Tool, ToolError};
///
/// let schema = json!({"properties": {"address": {"type": "string"}}});
/// let handler = |_, _| async { Ok::<_, ToolError>("set") };
/// let tool = Tool::dynamic("set_address", "Sets the address.", schema, handler)
///     .effect(Effect::Write)
///     // To set it twice is to set it once.
///     .on_unknown(OnUnknown::Rerun);
/// assert_eq!(Tool::from(tool).name(), "set_address");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum OnUnknown {
    /// Nothing runs; a person finds out.
    #[default]
    InDoubt,
    /// It runs again: two calls do what one does.
    Rerun,
    /// It runs again with the same idempotency key, which the target honours.
    RerunWithKey,
    /// The tool looks whether it took effect, and says so with [`Verified`].
    Verify,
}

impl OnUnknown {
    /// The word that the attribute writes.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InDoubt => "in_doubt",
            Self::Rerun => "rerun",
            Self::RerunWithKey => "rerun_with_key",
            Self::Verify => "verify",
        }
    }
}

/// What a look at the target told of a call whose outcome was unknown.
///
/// `on_unknown = verify(…)` takes an expression of this type, or of a `Result` of it.
///
/// ```
/// use toolkit::Verified;
/// use toolkit::prelude::*;
///
/// struct Bank;
///
/// impl Bank {
///     async fn find_refund(&self, order_id: &str) -> Option<String> {
///         (order_id == "O-1").then(|| "R-1".to_owned())
///     }
/// }
///
/// async fn refunded(bank: &Bank, order_id: &str) -> Result<Verified<String>, Failure> {
///     Ok(match bank.find_refund(order_id).await {
///         Some(refund) => Verified::Applied(refund),
///         None => Verified::NotApplied,
///     })
/// }
///
/// # let verified = pollster::block_on(refunded(&Bank, "O-2"))?;
/// assert_eq!(verified, Verified::NotApplied);
/// # Ok::<(), Failure>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verified<T = ()> {
    /// It took effect, and this is what the function would have returned.
    Applied(T),
    /// It did not take effect, and never will by itself.
    NotApplied,
    /// The target can not tell now.
    Unknown,
}

/// What an expression of `verify(…)` gives: a [`Verified`], or a `Result` of one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say whether the call took effect",
    label = "a verification gives `Verified<T>` or `Result<Verified<T>, E>`",
    note = "`T` is what the function returns; an `async` one needs `.await` behind it"
)]
pub trait IntoVerified {
    /// What it says.
    ///
    /// # Errors
    /// The look failed, or what it saw can not be serialised.
    fn into_verified(self) -> Result<Verified<Output>, Failure>;
}

impl<T: ToolOutput> IntoVerified for Verified<T> {
    fn into_verified(self) -> Result<Verified<Output>, Failure> {
        Ok(match self {
            Self::Applied(value) => Verified::Applied(told(&value)?),
            Self::NotApplied => Verified::NotApplied,
            Self::Unknown => Verified::Unknown,
        })
    }
}

impl<T: ToolOutput, E: ToolFailure> IntoVerified for Result<Verified<T>, E> {
    fn into_verified(self) -> Result<Verified<Output>, Failure> {
        self.map_err(|error| Failure::sort(error.into()))?.into_verified()
    }
}

fn told<T: Serialize>(value: &T) -> Result<Output, Failure> {
    output::of(value).map_err(Failure::sort)
}

/// Turns what a verification gave into what the gate reads.
///
/// # Errors
/// As [`IntoVerified::into_verified`].
pub fn verified<V: IntoVerified>(verified: V) -> Result<Verified<Output>, Failure> {
    verified.into_verified()
}
