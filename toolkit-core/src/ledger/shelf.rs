//! Where rows are read and written: load, step, compare and swap.

use std::fmt::Display;
use std::sync::Arc;

use super::event::Event;
use super::key::ApprovalId;
use super::record::Record;
use super::reply::Reply;
use super::step::{Line, Step, step};
use super::store::{
    Filter, HistoryLine, Ledger, LedgerError, Loaded, Row, RowKey, RowState, Timestamp,
};

/// A store, read and written by what its rows mean.
#[derive(Debug, Clone)]
pub struct Shelf(Arc<dyn Ledger>);

/// What an event came to in the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Came {
    /// What is told of it.
    pub reply: Reply,
    /// The record as it is then, where there is one.
    pub record: Option<Record>,
    /// When it happened.
    pub now: Timestamp,
}

/// What a sweep did.
///
/// ```
/// use toolkit::ledger::{Desk, MemoryLedger, Swept};
///
/// let swept = pollster::block_on(Desk::new(MemoryLedger::new()).sweep())?;
/// assert_eq!(swept, Swept::default());
/// # Ok::<(), toolkit::ledger::DeskError>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Swept {
    /// How many calls are in doubt now since their worker was not heard of.
    pub in_doubt: usize,
    /// How many may be run again since their worker was not heard of.
    pub released: usize,
    /// How many nobody decided on in time.
    pub expired: usize,
    /// How many were removed.
    pub removed: usize,
}

/// How often others may be first before the store counts as out of reach.
const RACES: usize = 64;

/// How often a store that does not answer is asked once more.
const FAILURES: usize = 3;

impl Shelf {
    /// Over a store.
    #[must_use]
    pub fn over(store: Arc<dyn Ledger>) -> Self {
        Self(store)
    }

    /// The store.
    #[must_use]
    pub fn store(&self) -> &dyn Ledger {
        &*self.0
    }

    /// Lets an event happen to a row.
    ///
    /// Where it is not known whether a write arrived, the event is repeated: whoever gives it an
    /// id of its own is told the same twice.
    ///
    /// # Errors
    /// The store can not be reached, or holds what can not be read.
    pub async fn change(&self, key: &RowKey, event: &Event) -> Result<Came, LedgerError> {
        let mut failures = 0;
        let mut sent: Option<(Row, Came)> = None;
        for _ in 0..RACES {
            let Loaded { row, now } = match self.0.load(key).await {
                Ok(loaded) => loaded,
                Err(error) => {
                    may_be_repeated(error, &mut failures)?;
                    continue;
                }
            };
            if let Some((written, came)) = sent.take()
                && row.as_ref() == Some(&written)
            {
                return Ok(came);
            }
            let record = row.as_ref().map(Record::read).transpose()?;
            let state =
                record.as_ref().map_or("absent", |record| record.state.row_state().as_str());
            tracing::trace!(%key, state, event = event.name(), "an event happens to a row");
            let Step { record: next, reply, line } = step(record.as_ref(), event, now);
            let (Some(next), Some(line)) = (next, line) else {
                return Ok(Came { reply, record, now });
            };
            let next_row = next.row(row.as_ref().map_or(1, |row| row.version + 1))?;
            let came = Came { reply, record: Some(next), now };
            match self.write(row.as_ref(), &next_row, line, now).await {
                Ok(true) => return Ok(came),
                Ok(false) => {}
                Err(error) => {
                    may_be_repeated(error, &mut failures)?;
                    sent = Some((next_row, came));
                }
            }
        }
        Err(LedgerError::unavailable("others were first too often"))
    }

    /// Lets an event happen to the row that people know by an approval id.
    ///
    /// The id only finds the key: a write may have given the call another id, which the event
    /// is told apart by.
    ///
    /// # Errors
    /// The store can not be reached, or holds what can not be read.
    pub async fn change_asked(&self, id: ApprovalId, event: &Event) -> Result<Came, LedgerError> {
        match self.find(id).await? {
            (None, now) => Ok(Came { reply: Reply::NoRow, record: None, now }),
            (Some(record), _) => self.change(&record.key, event).await,
        }
    }

    /// Reads the row that people know by an approval id, and the store's time.
    ///
    /// # Errors
    /// The store can not be reached, or holds what can not be read.
    pub async fn find(&self, id: ApprovalId) -> Result<(Option<Record>, Timestamp), LedgerError> {
        let Loaded { row, now } = self.0.load_parked(&id.to_string()).await?;
        Ok((row.as_ref().map(Record::read).transpose()?, now))
    }

    /// What time it is by the store's clock.
    ///
    /// # Errors
    /// The store can not be reached.
    pub async fn now(&self) -> Result<Timestamp, LedgerError> {
        Ok(self.0.load(&RowKey([0; 32])).await?.now)
    }

    /// Lists rows with their records; those that can not be read are told to the host's log.
    ///
    /// # Errors
    /// The store can not be reached.
    pub async fn list(&self, filter: &Filter) -> Result<Vec<(Row, Record)>, LedgerError> {
        let rows = self.0.list(filter).await?;
        let read = |row: Row| match Record::read(&row) {
            Ok(record) => Some((row, record)),
            Err(error) => {
                tell(&error);
                None
            }
        };
        Ok(rows.into_iter().filter_map(read).collect())
    }

    /// Tidies at most so many calls whose time is over.
    ///
    /// # Errors
    /// The store can not be reached.
    pub async fn sweep(&self, limit: usize) -> Result<Swept, LedgerError> {
        let now = self.now().await?;
        let states = vec![RowState::Running, RowState::Parked, RowState::Approved];
        let open = Filter { states, ..Filter::default() };
        let over = Filter { expired_at: Some(now), limit: Some(limit), ..Filter::default() };
        let mut swept = Swept::default();
        // Only those whose time is over count, or the oldest of the open ones would hide the rest.
        let is_due = |(_, record): &(Row, Record)| {
            matches!(step(Some(record), &Event::Sweep, now).reply, Reply::Swept(_))
        };
        for (row, _) in self.list(&open).await?.into_iter().filter(is_due).take(limit) {
            match self.change(&row.key, &Event::Sweep).await?.reply {
                Reply::Swept(RowState::InDoubt) => swept.in_doubt += 1,
                Reply::Swept(RowState::Expired) => swept.expired += 1,
                Reply::Swept(_) => swept.released += 1,
                _ => {}
            }
        }
        for (row, record) in self.list(&over).await? {
            if step(Some(&record), &Event::Sweep, now).reply == Reply::Removable
                && self.0.remove(&row.key, row.version).await?
            {
                swept.removed += 1;
            }
        }
        Ok(swept)
    }

    async fn write(
        &self,
        before: Option<&Row>,
        row: &Row,
        line: Line,
        at: Timestamp,
    ) -> Result<bool, LedgerError> {
        let Line { actor, event, detail } = line;
        let (key, version, event) = (row.key, row.version, event.to_owned());
        let line = HistoryLine { key, version, at, actor, event, detail };
        match before {
            None => self.0.create(row, &line).await,
            Some(_) => self.0.swap(row, &line).await,
        }
    }
}

/// Only of a store that did not answer it is worth to ask once more.
fn may_be_repeated(error: LedgerError, failures: &mut usize) -> Result<(), LedgerError> {
    *failures += 1;
    match error {
        LedgerError::Unavailable(_) if *failures <= FAILURES => Ok(()),
        other => Err(other),
    }
}

fn tell(error: &dyn Display) {
    tracing::error!(%error, "a row of the ledger can not be read; nothing of it is run or removed");
}
