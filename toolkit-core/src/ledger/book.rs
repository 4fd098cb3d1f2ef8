//! What gates keep of calls, over any store.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::desk::Desk;
use super::event::{Agreed, Ended, Event, Terms, Today};
use super::key::{self, ApprovalId, AttemptId};
use super::record::{Proposal, Record, StoredOutcome};
use super::reply::{Attempt, Known, Refusal, Reply};
use super::settings::Settings;
use super::shelf::{Came, Shelf, Swept};
use super::store::{Filter, Ledger, LedgerError, RowKey, RowState, Timestamp};
use crate::tool::Verified;

/// The longest that people have, whatever a tool says.
const LONGEST_TO_LIVE: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// What gates keep of calls.
#[derive(Clone)]
pub struct Book {
    shelf: Shelf,
    settings: Settings,
    owner: Arc<str>,
    ids: Arc<Ids>,
}

type Ids = dyn Fn() -> Result<u128, LedgerError> + Send + Sync;

/// What came of wanting to run a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim {
    /// It is the worker's.
    Claimed(Attempt),
    /// It is answered without being run.
    Known(Known),
}

/// What came of leaving a call to people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Parked {
    /// It waits now, or did before: always [`Known::Awaiting`] where it is new.
    Known(Known),
    /// As many of the principal's calls wait as may.
    TooMany {
        /// How many that are.
        most: usize,
    },
}

/// What came of wanting to run what people agreed to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resumed {
    /// It is the worker's, to run with the arguments of this record and no others.
    Claimed(Attempt, Box<Record>),
    /// It is answered without being run; [`Known::Awaiting`] where people are asked once more.
    Known(Known),
    /// Nobody knows the id.
    NoRow,
}

/// What came of telling how an attempt ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Settled {
    /// It is written, and the call is in this state.
    Recorded(RowState),
    /// The attempt had lost the call; this is what the call came to, where it did.
    Stale(Option<StoredOutcome>),
}

/// What came of a look at the target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The doubt is over, and the call is in this state.
    Settled(RowState),
    /// The attempt may still take effect; from then on it can not.
    NotYet(Timestamp),
    /// The call stands so, whatever was seen.
    Known(Known),
    /// There is nothing in doubt.
    Nothing,
}

impl Book {
    /// Over a store, for a worker of that name.
    pub fn new(store: Arc<dyn Ledger>, settings: Settings, owner: impl Into<Arc<str>>) -> Self {
        Self {
            shelf: Shelf::over(store),
            settings,
            owner: owner.into(),
            ids: Arc::new(key::random),
        }
    }

    /// Takes the bits of its ids from elsewhere, for tests that must repeat.
    #[must_use]
    pub fn with_ids(
        mut self,
        ids: impl Fn() -> Result<u128, LedgerError> + Send + Sync + 'static,
    ) -> Self {
        self.ids = Arc::new(ids);
        self
    }

    /// The store.
    #[must_use]
    pub fn store(&self) -> &dyn Ledger {
        self.shelf.store()
    }

    /// Where people decide on what is kept there.
    #[must_use]
    pub fn desk(&self) -> Desk {
        Desk::over(self.shelf.clone())
    }

    /// How long things last.
    #[must_use]
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What is known of a call; `None` where nothing stands in its way.
    ///
    /// # Errors
    /// The store can not be reached, or holds what can not be read.
    pub async fn look(&self, call: &Proposal) -> Result<Option<Known>, LedgerError> {
        let event = Event::Look(call.clone());
        let came = self.shelf.change(&call.key, &event).await?;
        Ok(match came.reply {
            Reply::Known(known) => Some(known),
            _ => None,
        })
    }

    /// Takes a call, where it is free to be taken.
    ///
    /// # Errors
    /// The store can not be reached, or holds what can not be read: nothing may run.
    pub async fn claim(
        &self,
        call: &Proposal,
        agreed: Option<Agreed>,
    ) -> Result<Claim, LedgerError> {
        let event = Event::Claim {
            call: call.clone(),
            rules: self.settings.rules(),
            attempt: AttemptId((self.ids)()?),
            owner: self.owner.to_string(),
            agreed,
        };
        match self.shelf.change(&call.key, &event).await?.reply {
            Reply::Claimed(attempt) => Ok(Claim::Claimed(attempt)),
            Reply::Known(known) => Ok(Claim::Known(known)),
            other => Err(unheard_of(&other)),
        }
    }

    /// Leaves a call to people, where it is free to be left.
    ///
    /// Two workers that park at the same moment may exceed the most by one.
    ///
    /// # Errors
    /// The store can not be reached, or holds what can not be read.
    pub async fn park(&self, call: &Proposal, terms: &Terms) -> Result<Parked, LedgerError> {
        if let Some(known) = self.look(call).await? {
            return Ok(Parked::Known(known));
        }
        let most = self.settings.most_parked;
        if self.parked_by(call).await? >= most {
            return Ok(Parked::TooMany { most });
        }
        let event = Event::Park {
            call: call.clone(),
            rules: self.settings.rules(),
            id: ApprovalId((self.ids)()?),
            terms: bounded(terms),
        };
        match self.shelf.change(&call.key, &event).await?.reply {
            Reply::Known(known) => Ok(Parked::Known(known)),
            other => Err(unheard_of(&other)),
        }
    }

    /// Tells how an attempt ended; who is not answered tells it again until the lease ends.
    ///
    /// # Errors
    /// The store can not be reached, or holds what can not be read.
    pub async fn settle(&self, attempt: &Attempt, ended: Ended) -> Result<Settled, LedgerError> {
        let event = Event::Settle { attempt: attempt.id, ended };
        match self.shelf.change(&attempt.key, &event).await?.reply {
            Reply::Settled(state) => Ok(Settled::Recorded(state)),
            Reply::Stale(known) => Ok(Settled::Stale(known)),
            Reply::NoRow => Ok(Settled::Stale(None)),
            other => Err(unheard_of(&other)),
        }
    }

    /// Says that an attempt goes on; `None` where the call is not its own any more.
    ///
    /// # Errors
    /// The store can not be reached, or holds what can not be read.
    pub async fn heartbeat(
        &self,
        attempt: &Attempt,
        lease: Duration,
    ) -> Result<Option<Timestamp>, LedgerError> {
        let event = Event::Heartbeat { attempt: attempt.id, lease };
        let reply = self.shelf.change(&attempt.key, &event).await?.reply;
        Ok(match reply {
            Reply::Extended(until) => Some(until),
            _ => None,
        })
    }

    /// The call that people know by an approval id.
    ///
    /// # Errors
    /// The store can not be reached, or holds what can not be read.
    pub async fn find(&self, approval_id: ApprovalId) -> Result<Option<Record>, LedgerError> {
        Ok(self.shelf.find(approval_id).await?.0)
    }

    /// Consumes an approval and takes its call, in one write.
    ///
    /// # Errors
    /// The store can not be reached, or holds what can not be read: nothing may run.
    pub async fn claim_approved(
        &self,
        approval_id: ApprovalId,
        today: &Today,
        lease: Duration,
    ) -> Result<Resumed, LedgerError> {
        let event = Event::Resume {
            of: approval_id,
            attempt: AttemptId((self.ids)()?),
            owner: self.owner.to_string(),
            lease,
            today: Today { terms: bounded(&today.terms), ..today.clone() },
            id: ApprovalId((self.ids)()?),
        };
        let Came { reply, record, .. } = self.shelf.change_asked(approval_id, &event).await?;
        match (reply, record) {
            (Reply::Claimed(attempt), Some(record)) => {
                Ok(Resumed::Claimed(attempt, Box::new(record)))
            }
            (Reply::Known(known), _) => Ok(Resumed::Known(known)),
            (Reply::NoRow, _) => Ok(Resumed::NoRow),
            (other, _) => Err(unheard_of(&other)),
        }
    }

    /// Ends what waits since the tool is not the one that was shown; tells how it stands then.
    ///
    /// # Errors
    /// The store can not be reached, or holds what can not be read.
    pub async fn invalidate(
        &self,
        approval_id: ApprovalId,
        why: &str,
    ) -> Result<Option<Known>, LedgerError> {
        let event = Event::Invalidate { of: approval_id, why: why.to_owned() };
        self.close(approval_id, &event).await
    }

    /// Ends what waits since the caller may not do it any more; tells how it stands then.
    ///
    /// # Errors
    /// The store can not be reached, or holds what can not be read.
    pub async fn deny(
        &self,
        approval_id: ApprovalId,
        why: &str,
    ) -> Result<Option<Known>, LedgerError> {
        let event = Event::Deny { of: approval_id, why: why.to_owned() };
        self.close(approval_id, &event).await
    }

    /// Asks people once more, by another id; tells how it stands then.
    ///
    /// # Errors
    /// The store can not be reached, or holds what can not be read.
    pub async fn repark(
        &self,
        approval_id: ApprovalId,
        terms: &Terms,
        why: &str,
    ) -> Result<Option<Known>, LedgerError> {
        let id = ApprovalId((self.ids)()?);
        let terms = bounded(terms);
        let event = Event::Repark { of: approval_id, id, terms, why: why.to_owned() };
        self.close(approval_id, &event).await
    }

    /// Tells what the tool saw at its target of an attempt in doubt, when it began to look then.
    ///
    /// # Errors
    /// The store can not be reached, or holds what can not be read.
    pub async fn verified(
        &self,
        key: &RowKey,
        attempt: AttemptId,
        looked_at: Timestamp,
        verdict: Verified<StoredOutcome>,
    ) -> Result<Verdict, LedgerError> {
        let event = Event::Verified { attempt, looked_at, verdict };
        Ok(match self.shelf.change(key, &event).await?.reply {
            Reply::Settled(state) => Verdict::Settled(state),
            Reply::Refused(Refusal::NotSettled { from }) => Verdict::NotYet(from),
            Reply::Known(known) => Verdict::Known(known),
            _ => Verdict::Nothing,
        })
    }

    /// Tidies at most so many calls whose time is over.
    ///
    /// # Errors
    /// The store can not be reached.
    pub async fn sweep(&self, limit: usize) -> Result<Swept, LedgerError> {
        self.shelf.sweep(limit).await
    }

    async fn close(&self, id: ApprovalId, event: &Event) -> Result<Option<Known>, LedgerError> {
        let came = self.shelf.change_asked(id, event).await?;
        Ok(match came.reply {
            Reply::Known(known) => Some(known),
            _ => None,
        })
    }

    /// How many calls of a principal wait for people by now.
    async fn parked_by(&self, call: &Proposal) -> Result<usize, LedgerError> {
        let filter = Filter {
            states: vec![RowState::Parked],
            tenant: Some(call.tenant.clone()),
            principal: Some(call.principal.clone()),
            ..Filter::default()
        };
        let now = self.shelf.now().await?;
        let waits = |record: &Record| {
            record.approval.as_ref().is_some_and(|approval| now < approval.expires_at)
        };
        let rows = self.shelf.list(&filter).await?;
        Ok(rows.iter().filter(|(_, record)| waits(record)).count())
    }
}

impl fmt::Debug for Book {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Book")
            .field("shelf", &self.shelf)
            .field("settings", &self.settings)
            .field("owner", &self.owner)
            .finish_non_exhaustive()
    }
}

fn bounded(terms: &Terms) -> Terms {
    let time_to_live = terms.time_to_live.min(LONGEST_TO_LIVE);
    Terms { time_to_live, ..terms.clone() }
}

/// `step` answers each event with replies of its own; another one means that they drifted apart.
fn unheard_of(reply: &Reply) -> LedgerError {
    LedgerError::corrupt(format!("nobody waits for {reply:?}"))
}
