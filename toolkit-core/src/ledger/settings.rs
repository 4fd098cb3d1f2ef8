//! How long things last, and how many there may be.

use std::time::Duration;

use super::record::Rules;

/// How long the calls of a ledger are kept, leased and left to people.
///
/// [`RegistryBuilder::ledger_settings`](crate::RegistryBuilder::ledger_settings) takes them.
///
/// ```
/// use std::time::Duration;
/// use toolkit::ledger::Settings;
///
/// let settings = Settings { replay: Duration::from_secs(60), ..Settings::default() };
/// assert_eq!(settings.lease, Duration::from_secs(40));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// How long a worker has a call before others take it for lost. A registry with a timer
    /// extends it while the function runs. Default 40 s.
    pub lease: Duration,
    /// How long an outcome answers the same call. Default 24 h.
    pub replay: Duration,
    /// How long after its lease an attempt may still take effect. Default 60 s.
    pub settle: Duration,
    /// How long a call is kept when nothing of it is open any more. Default 7 days.
    pub retention: Duration,
    /// How many attempts of a call may end in the dark before a person is asked. Default 3.
    pub attempts: u32,
    /// How long people have where the tool does not say; 30 days at most. Default 1 h.
    pub time_to_live: Duration,
    /// How many calls of one principal may wait for people. Default 100.
    pub most_parked: usize,
}

impl Default for Settings {
    fn default() -> Self {
        const HOUR: Duration = Duration::from_secs(60 * 60);
        Self {
            lease: Duration::from_secs(40),
            replay: HOUR * 24,
            settle: Duration::from_secs(60),
            retention: HOUR * 24 * 7,
            attempts: 3,
            time_to_live: HOUR,
            most_parked: 100,
        }
    }
}

impl Settings {
    /// What is kept with each call.
    pub(super) const fn rules(&self) -> Rules {
        let Self { replay, settle, retention, attempts, .. } = *self;
        Rules { replay, settle, retention, attempts }
    }
}
