//! Where rows are kept: what a store does, and nothing of what they mean.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::problem::{cut, printable};
use crate::tool::BoxFuture;

/// A moment by the store's clock: milliseconds since 1970-01-01 UTC.
///
/// ```
/// use std::time::Duration;
/// use toolkit::ledger::Timestamp;
///
/// let later = Timestamp(1_000).plus(Duration::from_secs(2));
/// assert_eq!(later, Timestamp(3_000));
/// assert_eq!(later.since(Timestamp(1_000)), Duration::from_secs(2));
/// ```
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Timestamp(pub u64);

impl Timestamp {
    /// The moment that is so much later; the last one there is where that is none.
    #[must_use]
    pub fn plus(self, duration: Duration) -> Self {
        let millis = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        Self(self.0.saturating_add(millis))
    }

    /// How long it is from an earlier moment; nothing where that one is later.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }
}

/// The name of a row: 32 bytes, written as 64 hexadecimal digits.
///
/// ```
/// use toolkit::ledger::RowKey;
///
/// let key = RowKey([0xab; 32]);
/// assert_eq!(key.to_string(), "ab".repeat(32));
/// assert_eq!("ab".repeat(32).parse(), Ok(key));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowKey(pub [u8; 32]);

impl fmt::Display for RowKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digit = |half| if half < 10 { b'0' + half } else { b'a' - 10 + half };
        let mut digits = [0; 64];
        for (pair, byte) in digits.chunks_exact_mut(2).zip(self.0) {
            pair.copy_from_slice(&[digit(byte >> 4), digit(byte & 15)]);
        }
        f.write_str(str::from_utf8(&digits).unwrap_or_default())
    }
}

impl fmt::Debug for RowKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for RowKey {
    type Err = Misspelt;

    fn from_str(text: &str) -> Result<Self, Misspelt> {
        let wrong = || Misspelt::new("a row's key has 64 hexadecimal digits", text);
        let mut bytes = [0; 32];
        if text.len() != 64 {
            return Err(wrong());
        }
        for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            for digit in pair {
                let half = char::from(*digit).to_digit(16).and_then(|half| u8::try_from(half).ok());
                *byte = *byte << 4 | half.ok_or_else(wrong)?;
            }
        }
        Ok(Self(bytes))
    }
}

/// A text is no id, key or digest: nobody can have been given it.
///
/// ```
/// use toolkit::ledger::{ApprovalId, RowKey};
///
/// let wrong = "apr_1".parse::<ApprovalId>().unwrap_err().to_string();
/// assert_eq!(wrong, r#"an approval's id is `apr_` and 26 letters and digits, not "apr_1""#);
/// let wrong = "apr_1".parse::<RowKey>().unwrap_err().to_string();
/// assert_eq!(wrong, r#"a row's key has 64 hexadecimal digits, not "apr_1""#);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{right}, not \"{}\"", printable(.found))]
pub struct Misspelt {
    right: &'static str,
    found: String,
}

impl Misspelt {
    pub(super) fn new(right: &'static str, found: &str) -> Self {
        Self { right, found: cut(found, 100).to_owned() }
    }
}

/// In a store, such a text is damage.
impl From<Misspelt> for LedgerError {
    fn from(wrong: Misspelt) -> Self {
        Self::corrupt(wrong)
    }
}

/// What a row is in, as stores index it.
///
/// ```
/// use toolkit::ledger::RowState;
///
/// assert_eq!(RowState::InDoubt.to_string(), "in_doubt");
/// assert_eq!("in_doubt".parse(), Ok(RowState::InDoubt));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RowState {
    /// It was claimed, and certainly nothing happened.
    Free,
    /// It waits for a person.
    Parked,
    /// Enough people agreed, and nobody has run it yet.
    Approved,
    /// A person refused it, or took an approval back.
    Declined,
    /// Nobody decided in time.
    Expired,
    /// The tool changed after it was parked.
    Invalidated,
    /// The caller may not do it any more.
    Denied,
    /// Somebody runs it, until the lease ends.
    Running,
    /// It was run, and nobody knows whether it took effect.
    InDoubt,
    /// It is over, and its outcome is kept.
    Done,
}

impl RowState {
    /// Every state there is.
    pub const ALL: [Self; 10] = [
        Self::Free,
        Self::Parked,
        Self::Approved,
        Self::Declined,
        Self::Expired,
        Self::Invalidated,
        Self::Denied,
        Self::Running,
        Self::InDoubt,
        Self::Done,
    ];

    /// The state's name, as rows and listings show it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Parked => "parked",
            Self::Approved => "approved",
            Self::Declined => "declined",
            Self::Expired => "expired",
            Self::Invalidated => "invalidated",
            Self::Denied => "denied",
            Self::Running => "running",
            Self::InDoubt => "in_doubt",
            Self::Done => "done",
        }
    }
}

impl fmt::Display for RowState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for RowState {
    type Err = LedgerError;

    fn from_str(text: &str) -> Result<Self, LedgerError> {
        Self::ALL
            .into_iter()
            .find(|state| state.as_str() == text)
            .ok_or_else(|| LedgerError::corrupt(format!("there is no state {text:?}")))
    }
}

/// One call, as a store keeps it: what it is found by, and a document that only the ledger reads.
///
/// ```
/// use toolkit::ledger::{Filter, Ledger, MemoryLedger, Row, RowState};
/// use toolkit::prelude::*;
///
/// /// Refunds an order.
/// #[tool(effect = "write")]
/// fn refund(order_id: &str) {}
///
/// let ledger = std::sync::Arc::new(MemoryLedger::new());
/// let registry = Registry::builder().tools(tools![refund]).ledger(ledger.clone()).build()?;
/// let call = ToolCall::new("call_1", "refund", r#"{"order_id": "O-1"}"#);
/// registry.view(Caller::new("ann")).dispatch_blocking(call, Options::default())?;
///
/// let rows: Vec<Row> = pollster::block_on(ledger.list(&Filter::default()))?;
/// assert_eq!((rows[0].tool.as_str(), rows[0].state), ("refund", RowState::Done));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its name.
    pub key: RowKey,
    /// 1 when it is created, one more with each change.
    pub version: u64,
    /// What it is in.
    pub state: RowState,
    /// Whose tenant's it is; empty where there is none.
    pub tenant: String,
    /// Who asked for it.
    pub principal: String,
    /// The tool.
    pub tool: String,
    /// The id that people decide by; no two rows have the same.
    pub approval_id: Option<String>,
    /// When it was created.
    pub created_at: Timestamp,
    /// From when on it may be removed; a row without one is never removed.
    pub expires_at: Option<Timestamp>,
    /// Everything else, as JSON.
    pub document: String,
}

/// One line of a row's history, written together with the change that it tells of.
///
/// ```
/// use toolkit::ledger::{HistoryLine, RowKey, Timestamp};
///
/// let line = HistoryLine {
///     key: RowKey([7; 32]),
///     version: 1,
///     at: Timestamp(1_000),
///     actor: "process 4711".to_owned(),
///     event: "claimed".to_owned(),
///     detail: String::new(),
/// };
/// assert_eq!(line.event, "claimed");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryLine {
    /// The row.
    pub key: RowKey,
    /// The row's version after the change.
    pub version: u64,
    /// When it happened.
    pub at: Timestamp,
    /// Who did it: a worker, or a person.
    pub actor: String,
    /// What was done, like `claimed`.
    pub event: String,
    /// What else is to be said.
    pub detail: String,
}

/// A row, or none, and what time it is by the store's clock.
///
/// ```
/// use toolkit::ledger::{Ledger, Loaded, MemoryLedger, RowKey, Timestamp};
///
/// let ledger = MemoryLedger::with_clock(|| Timestamp(7));
/// let loaded = pollster::block_on(ledger.load(&RowKey([0; 32])))?;
/// assert_eq!(loaded, Loaded { row: None, now: Timestamp(7) });
/// # Ok::<(), toolkit::ledger::LedgerError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loaded {
    /// The row, where there is one.
    pub row: Option<Row>,
    /// The store's time when it was read.
    pub now: Timestamp,
}

/// Which rows are listed: those that fit in every part, the oldest first.
///
/// ```
/// use toolkit::ledger::{Filter, Ledger, MemoryLedger, RowState};
///
/// let waiting = Filter { states: vec![RowState::Parked], limit: Some(10), ..Filter::default() };
/// assert_eq!(pollster::block_on(MemoryLedger::new().list(&waiting))?, []);
/// # Ok::<(), toolkit::ledger::LedgerError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Of one of these states; of any where none is named.
    pub states: Vec<RowState>,
    /// Of this tenant.
    pub tenant: Option<String>,
    /// Of this principal.
    pub principal: Option<String>,
    /// That may be removed at this moment.
    pub expired_at: Option<Timestamp>,
    /// At most so many; all where it is `None`.
    pub limit: Option<usize>,
}

impl Filter {
    /// Whether a row is among them.
    #[must_use]
    pub fn fits(&self, row: &Row) -> bool {
        let Self { states, tenant, principal, expired_at, limit: _ } = self;
        (states.is_empty() || states.contains(&row.state))
            && tenant.as_ref().is_none_or(|tenant| *tenant == row.tenant)
            && principal.as_ref().is_none_or(|principal| *principal == row.principal)
            && expired_at.is_none_or(|now| row.expires_at.is_some_and(|at| at <= now))
    }
}

/// How much a store keeps when a machine goes down.
///
/// ```
/// use toolkit::ledger::{Durability, Ledger, MemoryLedger};
///
/// assert_eq!(MemoryLedger::new().durability(), Durability::Process);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Durability {
    /// What was acknowledged is kept.
    Durable,
    /// The host accepted that acknowledged rows can be lost, for the reason named.
    Lossy(String),
    /// Everything is lost with the process.
    Process,
}

/// What went wrong with a store.
///
/// Its text is for the host; no model reads it.
///
/// ```
/// use toolkit::ledger::LedgerError;
///
/// let error = LedgerError::unavailable("connection refused");
/// assert_eq!(error.to_string(), "the ledger can not be reached: connection refused");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// The store could not be reached, or did not answer; whether it wrote is not known.
    #[error("the ledger can not be reached: {0}")]
    Unavailable(String),
    /// A row, or the store itself, is not as this version writes it.
    #[error("the ledger is damaged: {0}")]
    Corrupt(String),
    /// A newer version wrote it.
    #[error("the ledger was written by a newer version: {0}")]
    Newer(String),
    /// The store is set up in a way that can not keep the promise.
    #[error("the ledger is not set up to be used: {0}")]
    Unfit(String),
}

impl LedgerError {
    /// The store could not be reached.
    pub fn unavailable(why: impl fmt::Display) -> Self {
        Self::Unavailable(why.to_string())
    }

    /// The store holds what nobody could have written.
    pub fn corrupt(what: impl fmt::Display) -> Self {
        Self::Corrupt(what.to_string())
    }
}

/// A store of effectful calls: one row a call, changed only by compare-and-swap.
///
/// It knows nothing of what a row means. A store of your own passes the kit in
/// `toolkit::testing`, and then keeps the promise: at most one automatic execution per
/// key; exactly one when the target honours the key or can be queried.
///
/// ```
/// use std::sync::Arc;
/// use toolkit::ledger::{Ledger, MemoryLedger, RowKey};
///
/// // A store is shared by an `Arc`, which is a store, too.
/// let shared: Arc<dyn Ledger> = Arc::new(MemoryLedger::new());
/// assert!(pollster::block_on(shared.load(&RowKey([0; 32])))?.row.is_none());
/// # Ok::<(), toolkit::ledger::LedgerError>(())
/// ```
pub trait Ledger: fmt::Debug + Send + Sync + 'static {
    /// Reads a row, and the store's time.
    fn load<'a>(&'a self, key: &'a RowKey) -> BoxFuture<'a, Result<Loaded, LedgerError>>;

    /// Reads the row that people know by an approval id, and the store's time.
    fn load_parked<'a>(
        &'a self,
        approval_id: &'a str,
    ) -> BoxFuture<'a, Result<Loaded, LedgerError>>;

    /// Writes a row of version 1 and its first line; `false` where the key is taken, and then
    /// nothing is written.
    fn create<'a>(
        &'a self,
        row: &'a Row,
        line: &'a HistoryLine,
    ) -> BoxFuture<'a, Result<bool, LedgerError>>;

    /// Replaces the row of version `row.version - 1` and adds a line; `false` where the row has
    /// another version or is gone, and then nothing is written.
    fn swap<'a>(
        &'a self,
        row: &'a Row,
        line: &'a HistoryLine,
    ) -> BoxFuture<'a, Result<bool, LedgerError>>;

    /// Removes the row of that version, with its history; `false` where it has another one or is
    /// gone.
    fn remove<'a>(
        &'a self,
        key: &'a RowKey,
        version: u64,
    ) -> BoxFuture<'a, Result<bool, LedgerError>>;

    /// Lists rows, the oldest first, those of one moment by their keys.
    fn list<'a>(&'a self, filter: &'a Filter) -> BoxFuture<'a, Result<Vec<Row>, LedgerError>>;

    /// Reads the history of a row, the oldest line first.
    fn history<'a>(
        &'a self,
        key: &'a RowKey,
    ) -> BoxFuture<'a, Result<Vec<HistoryLine>, LedgerError>>;

    /// How much it keeps when a machine goes down.
    fn durability(&self) -> Durability;
}

impl<L: Ledger + ?Sized> Ledger for Arc<L> {
    fn load<'a>(&'a self, key: &'a RowKey) -> BoxFuture<'a, Result<Loaded, LedgerError>> {
        (**self).load(key)
    }

    fn load_parked<'a>(
        &'a self,
        approval_id: &'a str,
    ) -> BoxFuture<'a, Result<Loaded, LedgerError>> {
        (**self).load_parked(approval_id)
    }

    fn create<'a>(
        &'a self,
        row: &'a Row,
        line: &'a HistoryLine,
    ) -> BoxFuture<'a, Result<bool, LedgerError>> {
        (**self).create(row, line)
    }

    fn swap<'a>(
        &'a self,
        row: &'a Row,
        line: &'a HistoryLine,
    ) -> BoxFuture<'a, Result<bool, LedgerError>> {
        (**self).swap(row, line)
    }

    fn remove<'a>(
        &'a self,
        key: &'a RowKey,
        version: u64,
    ) -> BoxFuture<'a, Result<bool, LedgerError>> {
        (**self).remove(key, version)
    }

    fn list<'a>(&'a self, filter: &'a Filter) -> BoxFuture<'a, Result<Vec<Row>, LedgerError>> {
        (**self).list(filter)
    }

    fn history<'a>(
        &'a self,
        key: &'a RowKey,
    ) -> BoxFuture<'a, Result<Vec<HistoryLine>, LedgerError>> {
        (**self).history(key)
    }

    fn durability(&self) -> Durability {
        (**self).durability()
    }
}
