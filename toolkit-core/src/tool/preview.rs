//! What a tool tells of a call that would run.

use std::borrow::Cow;

use super::passage::ToolFailure;
use crate::error::Failure;

/// What an expression of `preview` gives: text, or a `Result` of text.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not tell what a call would do",
    label = "a preview gives text, or a `Result` of text",
    note = "write `format!(…)`; an `async` function needs `.await` behind it"
)]
pub trait IntoPreview {
    /// What it tells.
    ///
    /// # Errors
    /// Why it can not be told.
    fn into_preview(self) -> Result<String, Failure>;
}

/// The types that the standard library makes a `String` of.
macro_rules! texts {
    ($($text:ty)*) => {$(
        impl IntoPreview for $text {
            fn into_preview(self) -> Result<String, Failure> {
                Ok(self.into())
            }
        }
    )*};
}

texts!(String &String &str Cow<'_, str> Box<str>);

impl<T: IntoPreview, E: ToolFailure> IntoPreview for Result<T, E> {
    fn into_preview(self) -> Result<String, Failure> {
        self.map_err(|error| Failure::sort(error.into()))?.into_preview()
    }
}

/// Turns what a preview gave into what the gate reads.
///
/// # Errors
/// As [`IntoPreview::into_preview`].
pub fn previewed<P: IntoPreview>(preview: P) -> Result<String, Failure> {
    preview.into_preview()
}
