//! A store in memory, right or wrong in one way.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::UNIX_EPOCH;

use toolkit::BoxFuture;
use toolkit::ledger::{
    Durability, Filter, HistoryLine, Ledger, LedgerError, Loaded, Row, RowKey, Timestamp,
};

/// What a store does wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrong {
    CreateOverwrites,
    CreateAlwaysWins,
    SwapFromAnyVersion,
    SwapFromALaterVersion,
    SwapKeepsTheDocument,
    SwapLooksThenWrites,
    CreateLooksThenWrites,
    LineOfALostSwap,
    NoLineOfASwap,
    HistoryByTime,
    RemoveOfAnyVersion,
    RemoveKeepsTheHistory,
    ApprovalIdsOfTwo,
    ApprovalIdOfBefore,
    ApprovalIdInAnyCase,
    ListYoungestFirst,
    LimitBeforeFilter,
    EmptyTenantIsAny,
    TextsEndAtNul,
    TimesAreFloats,
    TimesAreSigned,
    TimeInSeconds,
    TimeOfTheNewestLine,
    TimeStandsStill,
    ErrorForATakenKey,
}

#[derive(Debug)]
pub struct Memory {
    wrong: Wrong,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    rows: BTreeMap<RowKey, Row>,
    lines: Vec<HistoryLine>,
    /// Approval ids that a wrong store does not forget.
    stale: BTreeMap<String, RowKey>,
}

impl Memory {
    pub fn new(wrong: Wrong) -> Self {
        Self { wrong, kept: Mutex::default() }
    }

    fn now(&self) -> Timestamp {
        let now = Timestamp::default().plus(UNIX_EPOCH.elapsed().unwrap());
        let newest = self.kept.lock().unwrap().lines.last().map(|line| line.at);
        match self.wrong {
            Wrong::TimeInSeconds => Timestamp(now.0 / 1_000),
            Wrong::TimeOfTheNewestLine => newest.unwrap_or(now),
            Wrong::TimeStandsStill => Timestamp(now.0 / 10_000 * 10_000),
            _ => now,
        }
    }

    /// A row as a wrong store keeps it.
    fn stored(&self, row: &Row) -> Row {
        let mut row = row.clone();
        match self.wrong {
            Wrong::TextsEndAtNul => {
                row.document = row.document.split('\0').next().unwrap().to_owned();
            }
            #[expect(clippy::cast_precision_loss, reason = "that is what is wrong")]
            #[expect(clippy::cast_possible_truncation, reason = "it saturates")]
            #[expect(clippy::cast_sign_loss, reason = "there is no sign")]
            Wrong::TimesAreFloats => row.created_at.0 = row.created_at.0 as f64 as u64,
            Wrong::TimesAreSigned => {
                row.created_at.0 = row.created_at.0.min(i64::MAX.cast_unsigned());
            }
            _ => {}
        }
        row
    }

    fn is_taken(&self, row: &Row) -> bool {
        let kept = self.kept.lock().unwrap();
        let mut others = kept.rows.values().filter(|other| other.key != row.key);
        self.wrong != Wrong::ApprovalIdsOfTwo
            && row.approval_id.is_some()
            && others.any(|other| other.approval_id == row.approval_id)
    }

    fn put(&self, row: &Row, line: &HistoryLine) {
        let mut kept = self.kept.lock().unwrap();
        let before = kept.rows.insert(row.key, self.stored(row));
        if let Some(id) = before.as_ref().and_then(|row| row.approval_id.clone()) {
            kept.stale.insert(id, row.key);
        }
        if self.wrong == Wrong::SwapKeepsTheDocument
            && let (Some(before), Some(row)) = (before, kept.rows.get_mut(&row.key))
        {
            row.document = before.document;
        }
        if self.wrong != Wrong::NoLineOfASwap || row.version == 1 {
            kept.lines.push(line.clone());
        }
    }

    async fn create(&self, row: &Row, line: &HistoryLine) -> Result<bool, LedgerError> {
        let taken = self.kept.lock().unwrap().rows.contains_key(&row.key);
        if self.wrong == Wrong::CreateLooksThenWrites {
            tick().await;
        }
        match self.wrong {
            Wrong::CreateOverwrites => {}
            Wrong::CreateAlwaysWins if taken => return Ok(true),
            Wrong::ErrorForATakenKey if taken => return Err(LedgerError::corrupt("taken")),
            _ if taken => return Ok(false),
            _ => {}
        }
        if self.is_taken(row) {
            return Err(LedgerError::corrupt("the approval id is taken"));
        }
        self.put(row, line);
        Ok(true)
    }

    async fn swap(&self, row: &Row, line: &HistoryLine) -> Result<bool, LedgerError> {
        let found = self.kept.lock().unwrap().rows.get(&row.key).map(|row| row.version);
        if self.wrong == Wrong::SwapLooksThenWrites {
            tick().await;
        }
        let fits = found.is_some_and(|version| match self.wrong {
            Wrong::SwapFromAnyVersion => true,
            Wrong::SwapFromALaterVersion => row.version > version,
            _ => version.checked_add(1) == Some(row.version),
        });
        if !fits {
            if self.wrong == Wrong::LineOfALostSwap {
                self.kept.lock().unwrap().lines.push(line.clone());
            }
            return Ok(false);
        }
        if self.is_taken(row) {
            return Err(LedgerError::corrupt("the approval id is taken"));
        }
        self.put(row, line);
        Ok(true)
    }

    fn remove(&self, key: &RowKey, version: u64) -> bool {
        let mut kept = self.kept.lock().unwrap();
        let any = self.wrong == Wrong::RemoveOfAnyVersion;
        if !kept.rows.get(key).is_some_and(|row| any || row.version == version) {
            return false;
        }
        kept.rows.remove(key);
        if self.wrong != Wrong::RemoveKeepsTheHistory {
            kept.lines.retain(|line| line.key != *key);
        }
        true
    }

    fn list(&self, filter: &Filter) -> Vec<Row> {
        let mut filter = filter.clone();
        if self.wrong == Wrong::EmptyTenantIsAny {
            filter.tenant = filter.tenant.filter(|tenant| !tenant.is_empty());
        }
        let mut rows: Vec<Row> = self.kept.lock().unwrap().rows.values().cloned().collect();
        rows.sort_by_key(|row| (row.created_at, row.key));
        if self.wrong == Wrong::ListYoungestFirst {
            rows.reverse();
        }
        let limit = filter.limit.unwrap_or(usize::MAX);
        if self.wrong == Wrong::LimitBeforeFilter {
            rows.truncate(limit);
        }
        rows.into_iter().filter(|row| filter.fits(row)).take(limit).collect()
    }

    fn find(&self, approval_id: &str) -> Option<Row> {
        let kept = self.kept.lock().unwrap();
        let fits = |id: &str| match self.wrong {
            Wrong::ApprovalIdInAnyCase => id.eq_ignore_ascii_case(approval_id),
            _ => id == approval_id,
        };
        let stale = kept.stale.get(approval_id).filter(|_| self.wrong == Wrong::ApprovalIdOfBefore);
        let found = kept.rows.values().find(|row| row.approval_id.as_deref().is_some_and(fits));
        found.or_else(|| kept.rows.get(stale?)).cloned()
    }
}

/// Gives way once.
async fn tick() {
    let mut first = true;
    std::future::poll_fn(|context| {
        context.waker().wake_by_ref();
        if std::mem::take(&mut first) {
            std::task::Poll::Pending
        } else {
            std::task::Poll::Ready(())
        }
    })
    .await;
}

impl Ledger for Memory {
    fn load<'a>(&'a self, key: &'a RowKey) -> BoxFuture<'a, Result<Loaded, LedgerError>> {
        let row = self.kept.lock().unwrap().rows.get(key).cloned();
        Box::pin(async { Ok(Loaded { row, now: self.now() }) })
    }

    fn load_parked<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Loaded, LedgerError>> {
        Box::pin(async { Ok(Loaded { row: self.find(id), now: self.now() }) })
    }

    fn create<'a>(
        &'a self,
        row: &'a Row,
        line: &'a HistoryLine,
    ) -> BoxFuture<'a, Result<bool, LedgerError>> {
        Box::pin(self.create(row, line))
    }

    fn swap<'a>(
        &'a self,
        row: &'a Row,
        line: &'a HistoryLine,
    ) -> BoxFuture<'a, Result<bool, LedgerError>> {
        Box::pin(self.swap(row, line))
    }

    fn remove<'a>(
        &'a self,
        key: &'a RowKey,
        version: u64,
    ) -> BoxFuture<'a, Result<bool, LedgerError>> {
        Box::pin(async move { Ok(self.remove(key, version)) })
    }

    fn list<'a>(&'a self, filter: &'a Filter) -> BoxFuture<'a, Result<Vec<Row>, LedgerError>> {
        Box::pin(async { Ok(self.list(filter)) })
    }

    fn history<'a>(
        &'a self,
        key: &'a RowKey,
    ) -> BoxFuture<'a, Result<Vec<HistoryLine>, LedgerError>> {
        let kept = self.kept.lock().unwrap();
        let mut lines: Vec<_> =
            kept.lines.iter().filter(|line| line.key == *key).cloned().collect();
        if self.wrong == Wrong::HistoryByTime {
            lines.sort_by_key(|line| line.at);
        }
        Box::pin(async { Ok(lines) })
    }

    fn durability(&self) -> Durability {
        Durability::Process
    }
}
