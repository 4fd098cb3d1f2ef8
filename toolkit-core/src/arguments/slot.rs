//! Where one argument goes.

use super::guided::{Guided, Refused};
use super::source::{Parsed, Unread};

/// A place for one argument: a local of the generated call function.
pub trait Slot: Send {
    /// Fills it from text.
    ///
    /// # Errors
    /// What the schema or the type refuses.
    fn read(&mut self, value: Guided<'_, Unread<'_, '_>>) -> Result<(), Refused>;

    /// Fills it from a value that was parsed already.
    ///
    /// # Errors
    /// What the schema or the type refuses.
    fn take(&mut self, value: Guided<'_, Parsed<'_>>) -> Result<(), Refused>;

    /// Fills it as the type says when nothing was given.
    fn leave_out(&mut self);
}
