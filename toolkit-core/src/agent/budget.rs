//! How far a run may go.

use std::fmt;
use std::time::{Duration, Instant};

/// The bounds of one run.
///
/// They are checked between turns and between calls. A tool or a model that
/// does not come back is not interrupted: give it a time limit of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Replies of the model. Default 25.
    pub turns: usize,
    /// Calls that are dispatched, refused ones counted. Default 100.
    pub calls: usize,
    /// Time since the run began. Default ten minutes.
    pub time: Duration,
}

impl Default for Budget {
    fn default() -> Self {
        Self { turns: 25, calls: 100, time: Duration::from_secs(600) }
    }
}

/// A bound of a [`Budget`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Bound {
    /// The model replied as often as it may.
    Turns,
    /// As many calls were dispatched as may be.
    Calls,
    /// The time is over.
    Time,
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Turns => "turns",
            Self::Calls => "calls",
            Self::Time => "time",
        })
    }
}

/// What measures the time of a run.
pub trait Clock: Send + Sync {
    /// The time since a moment that stays the same.
    fn elapsed(&self) -> Duration;
}

/// The system's own clock.
#[derive(Debug, Clone, Copy)]
pub struct SystemClock(Instant);

impl Default for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the clock that others take")]
    fn default() -> Self {
        Self(Instant::now())
    }
}

impl Clock for SystemClock {
    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}
