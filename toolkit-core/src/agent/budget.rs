//! How far a run may go.

use std::fmt;
use std::time::{Duration, Instant};

/// The bounds of one run.
///
/// They are checked between turns and between calls. A tool or a model that
/// does not come back is not interrupted: give it a time limit of its own.
///
/// ```
/// use std::time::Duration;
/// use toolkit::Budget;
///
/// let budget = Budget { turns: 5, ..Budget::default() };
/// assert_eq!((budget.calls, budget.time), (100, Duration::from_secs(600)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Replies of the model. Default 25.
    pub turns: usize,
    /// Calls that are dispatched, refused ones counted. Default 100.
    pub calls: usize,
    /// Time since the run began. Default ten minutes.
    pub time: Duration,
    /// Reads of one reply that run at the same time, at least one. Default 8.
    pub at_once: usize,
    /// How often the very same call may fail in one run; one more is not dispatched, and the
    /// model is told to change it. Default 3.
    pub repeats: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { turns: 25, calls: 100, time: Duration::from_secs(600), at_once: 8, repeats: 3 }
    }
}

/// A bound of a [`Budget`].
///
/// ```
/// use toolkit::prelude::*;
/// use toolkit::{Agent, Bound, Budget, Reply, ScriptedModel, Stop};
///
/// /// Looks at the time.
/// #[tool]
/// fn look() -> &'static str {
///     "09:30"
/// }
///
/// let view = Registry::builder().tools(tools![look]).build()?.view(Caller::new("ann"));
/// let model = ScriptedModel::new([Reply::call("look", "{}"), Reply::call("look", "{}")]);
/// let agent = Agent::new(model, view).budget(Budget { turns: 2, ..Budget::default() });
/// assert_eq!(*agent.run_blocking("Look again and again.")?.stop(), Stop::Budget(Bound::Turns));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
///
/// ```
/// use std::sync::atomic::{AtomicU64, Ordering};
/// use std::time::Duration;
/// use toolkit::prelude::*;
/// use toolkit::{Agent, Bound, Clock, ScriptedModel, Stop};
///
/// /// A clock on which every look takes an hour.
/// struct Hours(AtomicU64);
///
/// impl Clock for Hours {
///     fn elapsed(&self) -> Duration {
///         Duration::from_secs(3600 * self.0.fetch_add(1, Ordering::Relaxed))
///     }
/// }
///
/// let view = Registry::builder().build()?.view(Caller::new("ann"));
/// let agent = Agent::new(ScriptedModel::new([]), view).clock(Hours(AtomicU64::new(0)));
/// assert_eq!(*agent.run_blocking("Hurry.")?.stop(), Stop::Budget(Bound::Time));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Clock: Send + Sync {
    /// The time since a moment that stays the same.
    fn elapsed(&self) -> Duration;
}

/// The system's own clock, which never goes back; the default of an agent.
///
/// ```
/// use toolkit::{Clock, SystemClock};
///
/// let clock = SystemClock::default();
/// let before = clock.elapsed();
/// assert!(clock.elapsed() >= before);
/// ```
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
