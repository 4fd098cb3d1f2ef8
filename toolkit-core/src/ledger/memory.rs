//! A ledger that ends with the process.

use std::collections::BTreeMap;
use std::fmt;
use std::future::ready;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use super::store::{
    Durability, Filter, HistoryLine, Ledger, LedgerError, Loaded, Row, RowKey, Timestamp,
};
use crate::tool::BoxFuture;

/// A ledger in memory, for tests and for tools that change nothing.
///
/// ```
/// use toolkit::ledger::{Durability, Ledger, MemoryLedger};
///
/// assert_eq!(MemoryLedger::new().durability(), Durability::Process);
/// ```
pub struct MemoryLedger {
    rows: Mutex<BTreeMap<RowKey, (Row, Vec<HistoryLine>)>>,
    clock: Box<dyn Fn() -> Timestamp + Send + Sync>,
    durability: Durability,
}

impl MemoryLedger {
    /// An empty one, by the system's clock.
    #[must_use]
    pub fn new() -> Self {
        Self::with_clock(system_time)
    }

    /// An empty one whose loss the host accepts, for the reason named: whoever starts the process
    /// anew can run a call a second time, and what waited for people is gone.
    ///
    /// ```
    /// use toolkit::ledger::{Durability, Ledger, MemoryLedger};
    ///
    /// let ledger = MemoryLedger::accept_loss("a demonstration");
    /// assert_eq!(ledger.durability(), Durability::Lossy("a demonstration".to_owned()));
    /// ```
    #[must_use]
    pub fn accept_loss(why: impl Into<String>) -> Self {
        Self { durability: Durability::Lossy(why.into()), ..Self::new() }
    }

    /// An empty one, by another clock.
    ///
    /// ```
    /// use toolkit::ledger::{Ledger, MemoryLedger, RowKey, Timestamp};
    ///
    /// let ledger = MemoryLedger::with_clock(|| Timestamp(7));
    /// let loaded = pollster::block_on(ledger.load(&RowKey([0; 32])))?;
    /// assert_eq!((loaded.row, loaded.now), (None, Timestamp(7)));
    /// # Ok::<(), toolkit::ledger::LedgerError>(())
    /// ```
    pub fn with_clock(clock: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        Self { rows: Mutex::default(), clock: Box::new(clock), durability: Durability::Process }
    }

    /// What a panic left behind is whole: each change is one insertion or removal.
    fn rows(&self) -> MutexGuard<'_, BTreeMap<RowKey, (Row, Vec<HistoryLine>)>> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn loaded(&self, row: Option<Row>) -> Loaded {
        Loaded { row, now: (self.clock)() }
    }
}

impl Default for MemoryLedger {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for MemoryLedger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryLedger").field("rows", &self.rows().len()).finish_non_exhaustive()
    }
}

#[expect(clippy::disallowed_methods, reason = "this is the store's clock")]
fn system_time() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(0).plus(since)
}

/// An answer that is there at once.
fn at_once<'a, T: Send + 'a>(value: T) -> BoxFuture<'a, Result<T, LedgerError>> {
    Box::pin(ready(Ok(value)))
}

impl Ledger for MemoryLedger {
    fn load<'a>(&'a self, key: &'a RowKey) -> BoxFuture<'a, Result<Loaded, LedgerError>> {
        let row = self.rows().get(key).map(|(row, _)| row.clone());
        at_once(self.loaded(row))
    }

    fn load_parked<'a>(
        &'a self,
        approval_id: &'a str,
    ) -> BoxFuture<'a, Result<Loaded, LedgerError>> {
        let is_it = |row: &&Row| row.approval_id.as_deref() == Some(approval_id);
        let row = self.rows().values().map(|(row, _)| row).find(is_it).cloned();
        at_once(self.loaded(row))
    }

    fn create<'a>(
        &'a self,
        row: &'a Row,
        line: &'a HistoryLine,
    ) -> BoxFuture<'a, Result<bool, LedgerError>> {
        let mut rows = self.rows();
        let is_free = !rows.contains_key(&row.key);
        if is_free {
            rows.insert(row.key, (row.clone(), vec![line.clone()]));
        }
        drop(rows);
        at_once(is_free)
    }

    fn swap<'a>(
        &'a self,
        row: &'a Row,
        line: &'a HistoryLine,
    ) -> BoxFuture<'a, Result<bool, LedgerError>> {
        let mut rows = self.rows();
        let found = rows.get_mut(&row.key).filter(|(old, _)| old.version + 1 == row.version);
        let is_next = found.is_some();
        if let Some((old, lines)) = found {
            *old = row.clone();
            lines.push(line.clone());
        }
        drop(rows);
        at_once(is_next)
    }

    fn remove<'a>(
        &'a self,
        key: &'a RowKey,
        version: u64,
    ) -> BoxFuture<'a, Result<bool, LedgerError>> {
        let mut rows = self.rows();
        let is_it = rows.get(key).is_some_and(|(row, _)| row.version == version);
        if is_it {
            rows.remove(key);
        }
        drop(rows);
        at_once(is_it)
    }

    fn list<'a>(&'a self, filter: &'a Filter) -> BoxFuture<'a, Result<Vec<Row>, LedgerError>> {
        let rows = self.rows();
        let mut fitting: Vec<Row> =
            rows.values().map(|(row, _)| row).filter(|row| filter.fits(row)).cloned().collect();
        drop(rows);
        // They come in the order of their keys, which a stable sort keeps.
        fitting.sort_by_key(|row| row.created_at);
        fitting.truncate(filter.limit.unwrap_or(usize::MAX));
        at_once(fitting)
    }

    fn history<'a>(
        &'a self,
        key: &'a RowKey,
    ) -> BoxFuture<'a, Result<Vec<HistoryLine>, LedgerError>> {
        at_once(self.rows().get(key).map(|(_, lines)| lines.clone()).unwrap_or_default())
    }

    fn durability(&self) -> Durability {
        self.durability.clone()
    }
}
