//! A store whose answers are lost when a test says so.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use crate::ledger::{Durability, Filter, HistoryLine, Ledger, LedgerError, Loaded, Row, RowKey};
use crate::tool::BoxFuture;

/// Where a write fails.
///
/// ```
/// use toolkit::testing::Fault;
///
/// assert_ne!(Fault::Before, Fault::After);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It never reached the store.
    Before,
    /// It was done, and the answer was lost.
    After,
}

/// A store in front of another, which fails when a test says so.
///
/// What fails gives [`LedgerError::Unavailable`], which says nothing of whether it was done.
///
/// ```
/// use std::sync::Arc;
/// use toolkit::ledger::Ledger;
/// use toolkit::testing::{Fault, Faulty};
///
/// fn unreliable(store: Arc<dyn Ledger>) -> Faulty {
///     let faulty = Faulty::new(store);
///     faulty.fail_next_write(Fault::After);
///     faulty
/// }
/// ```
#[derive(Debug)]
pub struct Faulty {
    store: Arc<dyn Ledger>,
    /// 0 for no fault, else the one of the next write.
    next: AtomicU8,
    unreachable: AtomicBool,
}

impl Faulty {
    /// In front of a store, without a fault yet.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use toolkit::ledger::Ledger;
    /// use toolkit::testing::Faulty;
    ///
    /// fn reliable(store: Arc<dyn Ledger>) -> Faulty {
    ///     Faulty::new(store)
    /// }
    /// ```
    pub fn new(store: Arc<dyn Ledger>) -> Self {
        Self { store, next: AtomicU8::new(0), unreachable: AtomicBool::new(false) }
    }

    /// Has the next create, swap or remove fail.
    ///
    /// ```
    /// use toolkit::testing::{Fault, Faulty};
    ///
    /// fn lose_one_answer(store: &Faulty) {
    ///     store.fail_next_write(Fault::After);
    /// }
    /// ```
    pub fn fail_next_write(&self, fault: Fault) {
        let fault = match fault {
            Fault::Before => 1,
            Fault::After => 2,
        };
        self.next.store(fault, Ordering::SeqCst);
    }

    /// Has everything fail, reads too, until it is said again.
    ///
    /// ```
    /// use toolkit::testing::Faulty;
    ///
    /// fn go_down_and_up(store: &Faulty) {
    ///     store.set_unreachable(true);
    ///     store.set_unreachable(false);
    /// }
    /// ```
    pub fn set_unreachable(&self, unreachable: bool) {
        self.unreachable.store(unreachable, Ordering::SeqCst);
    }

    async fn read<T>(&self, read: BoxFuture<'_, Result<T, LedgerError>>) -> Result<T, LedgerError> {
        if self.unreachable.load(Ordering::SeqCst) {
            return Err(injected("it is unreachable"));
        }
        read.await
    }

    async fn write(
        &self,
        write: BoxFuture<'_, Result<bool, LedgerError>>,
    ) -> Result<bool, LedgerError> {
        match self.next.swap(0, Ordering::SeqCst) {
            1 => Err(injected("a request was lost")),
            2 => self.read(write).await.and_then(|_| Err(injected("an answer was lost"))),
            _ => self.read(write).await,
        }
    }
}

fn injected(what: &str) -> LedgerError {
    LedgerError::unavailable(format!("{what}, as a test wants it"))
}

impl Ledger for Faulty {
    fn load<'a>(&'a self, key: &'a RowKey) -> BoxFuture<'a, Result<Loaded, LedgerError>> {
        Box::pin(self.read(self.store.load(key)))
    }

    fn load_parked<'a>(
        &'a self,
        approval_id: &'a str,
    ) -> BoxFuture<'a, Result<Loaded, LedgerError>> {
        Box::pin(self.read(self.store.load_parked(approval_id)))
    }

    fn create<'a>(
        &'a self,
        row: &'a Row,
        line: &'a HistoryLine,
    ) -> BoxFuture<'a, Result<bool, LedgerError>> {
        Box::pin(self.write(self.store.create(row, line)))
    }

    fn swap<'a>(
        &'a self,
        row: &'a Row,
        line: &'a HistoryLine,
    ) -> BoxFuture<'a, Result<bool, LedgerError>> {
        Box::pin(self.write(self.store.swap(row, line)))
    }

    fn remove<'a>(
        &'a self,
        key: &'a RowKey,
        version: u64,
    ) -> BoxFuture<'a, Result<bool, LedgerError>> {
        Box::pin(self.write(self.store.remove(key, version)))
    }

    fn list<'a>(&'a self, filter: &'a Filter) -> BoxFuture<'a, Result<Vec<Row>, LedgerError>> {
        Box::pin(self.read(self.store.list(filter)))
    }

    fn history<'a>(
        &'a self,
        key: &'a RowKey,
    ) -> BoxFuture<'a, Result<Vec<HistoryLine>, LedgerError>> {
        Box::pin(self.read(self.store.history(key)))
    }

    fn durability(&self) -> Durability {
        self.store.durability()
    }
}
