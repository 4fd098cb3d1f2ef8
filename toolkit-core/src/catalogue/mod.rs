//! The tools of a registry for people to read, and as a file that shows what changed.

mod change;
mod lock;
mod page;

pub use change::{Change, ChangeKind, Changes, changes_between};
pub use lock::locked;
