//! Where people see what waits for them, and decide.

use std::sync::Arc;

use super::event::{Decision, Event, Haste, Resolution};
use super::key::{ApprovalId, Digest, Doubt};
use super::person::Person;
use super::prompt::Prompt;
use super::record::{Approval, Record, State, Vote};
use super::reply::{Refusal, Reply};
use super::shelf::{Came, Shelf, Swept};
use super::store::{Filter, HistoryLine, Ledger, LedgerError, RowKey, RowState, Timestamp};

/// Where people see what waits for them, and decide.
///
/// It needs the store alone: a command line or a web page in another process decides, while
/// the process that parked a call is gone.
///
/// ```
/// use toolkit::ledger::{Desk, DeskError, Filter, MemoryLedger, Person};
///
/// let desk = Desk::new(MemoryLedger::new());
/// let kim = Person::authenticated("kim", "cli").scopes(["approvals:decide"]);
/// # pollster::block_on(async {
/// assert!(desk.waiting(&Filter::default()).await?.is_empty());
///
/// let id = "apr_0123456789abcdefghjkmnpqrs";
/// let unknown = desk.decline(&kim, id, None).await.unwrap_err();
/// assert_eq!(unknown, DeskError::NoCall { id: id.to_owned() });
/// # Ok::<(), DeskError>(())
/// # })?;
/// # Ok::<(), DeskError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Desk {
    shelf: Shelf,
    scope: String,
    tenant: Option<String>,
}

/// A call that people decide on, as it stands by the store's clock.
///
/// ```
/// use toolkit::ledger::{Desk, Filter, MemoryLedger, ParkedCall};
///
/// let desk = Desk::new(MemoryLedger::new());
/// let calls: Vec<ParkedCall> = pollster::block_on(desk.waiting(&Filter::default()))?;
/// assert!(calls.is_empty());
/// # Ok::<(), toolkit::ledger::DeskError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ParkedCall {
    /// What they decide by.
    pub id: ApprovalId,
    /// Its row, which [`Desk::history`] takes as well.
    pub key: RowKey,
    /// What it is in.
    pub state: RowState,
    /// Whose tenant's it is; empty where there is none.
    pub tenant: String,
    /// Who asked for it.
    pub requester: String,
    /// What that one could do.
    pub scopes: Vec<String>,
    /// The tool.
    pub tool: String,
    /// What people read.
    pub rendered: String,
    /// The very arguments that it will run with, as they came: [`printable`](super::printable)
    /// writes them for people, as it does the names.
    pub arguments: String,
    /// What the tool told of it.
    pub preview: Option<String>,
    /// What they agree to, in one digest; an approval names it.
    pub binding: Digest,
    /// When they were asked.
    pub asked_at: Timestamp,
    /// From when on it is too late.
    pub expires_at: Timestamp,
    /// How many must agree.
    pub quorum: u32,
    /// Whether who asked may not be one of them.
    pub four_eyes: bool,
    /// Who agreed.
    pub votes: Vec<Vote>,
}

/// A call of which nobody knows whether it took effect.
///
/// ```
/// use toolkit::ledger::{Desk, DoubtfulCall, MemoryLedger};
///
/// let desk = Desk::new(MemoryLedger::new());
/// let calls: Vec<DoubtfulCall> = pollster::block_on(desk.in_doubt())?;
/// assert!(calls.is_empty());
/// # Ok::<(), toolkit::ledger::DeskError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DoubtfulCall {
    /// What a person resolves it by.
    pub doubt: Doubt,
    /// Whose tenant's it is; empty where there is none.
    pub tenant: String,
    /// Who asked for it.
    pub requester: String,
    /// The tool.
    pub tool: String,
    /// What people read of it.
    pub rendered: String,
    /// The arguments that it ran with, as they came: [`printable`](super::printable) writes them
    /// for people, as it does the names.
    pub arguments: String,
    /// What people decided on it by, where they were asked.
    pub approval_id: Option<ApprovalId>,
    /// Since when.
    pub since: Timestamp,
    /// Why nobody knows.
    pub cause: String,
    /// From when on it can not take effect any more.
    pub settles_at: Timestamp,
}

/// Why a person's word did not count.
///
/// ```
/// use toolkit::ledger::DeskError;
///
/// let stale = DeskError::StaleView.to_string();
/// assert_eq!(stale, "what was seen is not what would run: show the call once more, then decide");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DeskError {
    /// There is no such call, or none of the person's tenant.
    #[error("there is no call {id:?} to decide on")]
    NoCall {
        /// What was asked for.
        id: String,
    },
    /// The person saw something else than what would run.
    #[error("what was seen is not what would run: show the call once more, then decide")]
    StaleView,
    /// It was decided before.
    #[error("it was decided before, by {}: it is {state}", by.join(", "))]
    AlreadyDecided {
        /// What it is in.
        state: RowState,
        /// By whom.
        by: Vec<String>,
    },
    /// Nothing is to be decided any more.
    #[error("it is too late to decide: {}", late(*state))]
    TooLate {
        /// What it is in.
        state: RowState,
    },
    /// Who asked for a call can not agree to it.
    #[error("who asked for a call can not agree to it: another person must")]
    FourEyes,
    /// The person lacks the scope.
    #[error("to decide needs the scope {scope:?}")]
    NotAllowed {
        /// The scope.
        scope: String,
    },
    /// When the attempt was seen, it could still take effect.
    #[error(
        "when it was seen, the attempt could still take effect for {} s: look after that, or \
         force it when its worker is known to be dead",
        from.since(*seen_at).as_millis().div_ceil(1_000)
    )]
    NotSettled {
        /// From when on it can not.
        from: Timestamp,
        /// When it was seen.
        seen_at: Timestamp,
    },
    /// The attempt that was seen is not the one that is in doubt now.
    #[error("the attempt that was seen is not the one that is in doubt now: look once more")]
    OtherAttempt,
    /// Nobody doubts it.
    #[error("it is {state}, and nothing is in doubt")]
    NotInDoubt {
        /// What it is in.
        state: RowState,
    },
    /// The store failed.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}

fn late(state: RowState) -> &'static str {
    match state {
        RowState::Running => "it is running already",
        RowState::InDoubt => "it was run, and nobody knows whether it took effect",
        RowState::Done => "it was run",
        RowState::Expired => "nobody decided in time",
        RowState::Invalidated => "the tool is not the one that was shown",
        RowState::Denied => "the caller may not do it any more",
        RowState::Free => "it was run, nothing happened, and the approval has run out",
        RowState::Parked | RowState::Approved | RowState::Declined => "it was decided",
    }
}

impl Desk {
    /// Over a store, of its own or, in an `Arc`, one that others use as well.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use toolkit::ledger::{Desk, MemoryLedger};
    ///
    /// let ledger = Arc::new(MemoryLedger::new());
    /// let desk = Desk::new(Arc::clone(&ledger));
    /// assert!(pollster::block_on(desk.in_doubt())?.is_empty());
    /// # Ok::<(), toolkit::ledger::DeskError>(())
    /// ```
    pub fn new(store: impl Ledger) -> Self {
        Self::over(Shelf::over(Arc::new(store)))
    }

    pub(super) fn over(shelf: Shelf) -> Self {
        Self { shelf, scope: "approvals:decide".to_owned(), tenant: None }
    }

    /// Names the scope that a person needs to decide, instead of `approvals:decide`.
    #[must_use]
    pub fn needs_scope(mut self, scope: impl Into<String>) -> Self {
        self.scope = scope.into();
        self
    }

    /// Shows and decides the calls of one tenant only.
    #[must_use]
    pub fn of_tenant(mut self, tenant: impl Into<String>) -> Self {
        self.tenant = Some(tenant.into());
        self
    }

    /// What time it is by the store's clock, which all times of a call are of.
    ///
    /// ```
    /// use std::time::Duration;
    /// use toolkit::ledger::{Desk, Filter, MemoryLedger};
    ///
    /// let desk = Desk::new(MemoryLedger::new());
    /// let now = pollster::block_on(desk.now())?;
    /// for call in pollster::block_on(desk.waiting(&Filter::default()))? {
    ///     let left: Duration = call.expires_at.since(now);
    ///     println!("{} runs out in {left:?}", call.id);
    /// }
    /// # Ok::<(), toolkit::ledger::DeskError>(())
    /// ```
    ///
    /// # Errors
    /// The store failed.
    pub async fn now(&self) -> Result<Timestamp, DeskError> {
        Ok(self.shelf.now().await?)
    }

    /// Lists the calls that wait for people, the oldest first.
    ///
    /// A filter may name other states than [`RowState::Parked`].
    ///
    /// # Errors
    /// The store failed.
    pub async fn waiting(&self, filter: &Filter) -> Result<Vec<ParkedCall>, DeskError> {
        let mut filter = filter.clone();
        if filter.states.is_empty() {
            filter.states.push(RowState::Parked);
        }
        let asked = filter.states.clone();
        let now = self.shelf.now().await?;
        let rows = self.shelf.list(&self.of_mine(filter)).await?;
        let shown = rows.iter().filter_map(|(_, record)| shown(record, now));
        // What ran out since is not in that state any more.
        Ok(shown.filter(|call| asked.contains(&call.state)).collect())
    }

    /// Shows one call.
    ///
    /// # Errors
    /// There is none of that id, or the store failed.
    pub async fn show(&self, id: &str) -> Result<ParkedCall, DeskError> {
        let (_, record, now) = self.find(id).await?;
        shown(&record, now).ok_or_else(|| no_call(id))
    }

    /// Agrees to a call as it was shown: `seen` is the binding that [`Desk::show`] gave.
    ///
    /// Gives what the call is in then: parked while more people must agree.
    ///
    /// # Errors
    /// The person's word does not count, or the store failed.
    pub async fn approve(
        &self,
        person: &Person,
        id: &str,
        seen: &Digest,
    ) -> Result<RowState, DeskError> {
        match self.decide(person, id, Decision::Approve { seen: *seen }).await? {
            Reply::Agreed { carried: false } => Ok(RowState::Parked),
            _ => Ok(RowState::Approved),
        }
    }

    /// Refuses a call; the model reads the reason.
    ///
    /// # Errors
    /// The person's word does not count, or the store failed.
    pub async fn decline(
        &self,
        person: &Person,
        id: &str,
        reason: Option<&str>,
    ) -> Result<(), DeskError> {
        let reason = reason.map(str::to_owned);
        self.decide(person, id, Decision::Decline { reason }).await.map(drop)
    }

    /// Takes an approval back, while nobody runs the call; one that still waits is refused.
    ///
    /// # Errors
    /// The person's word does not count, or the store failed.
    pub async fn revoke(
        &self,
        person: &Person,
        id: &str,
        reason: Option<&str>,
    ) -> Result<(), DeskError> {
        self.decline(person, id, reason).await
    }

    /// Lists the calls of which nobody knows whether they took effect, the oldest first.
    ///
    /// # Errors
    /// The store failed.
    pub async fn in_doubt(&self) -> Result<Vec<DoubtfulCall>, DeskError> {
        let states = vec![RowState::InDoubt];
        let filter = Filter { states, ..Filter::default() };
        // Before the rows are read: nobody has seen them earlier than that.
        let now = self.shelf.now().await?;
        let rows = self.shelf.list(&self.of_mine(filter)).await?;
        Ok(rows.into_iter().filter_map(|(_, record)| doubtful(record, now)).collect())
    }

    /// Says what became of an attempt in doubt, as it was [shown](Desk::in_doubt), and how the
    /// person knows.
    ///
    /// That it did not take effect, they can know only if they looked at its target after it was
    /// shown, and it was shown after it was settled.
    ///
    /// Gives what the call is in then.
    ///
    /// # Errors
    /// The person's word does not count, or the store failed.
    pub async fn resolve(
        &self,
        person: &Person,
        doubt: &Doubt,
        resolution: Resolution,
        haste: Haste,
        reason: &str,
    ) -> Result<RowState, DeskError> {
        let id = doubt.key.to_string();
        if self.tenant.as_ref().is_some_and(|tenant| tenant != person.tenant_name()) {
            return Err(no_call(&id));
        }
        if !person.holds(&self.scope) {
            return Err(DeskError::NotAllowed { scope: self.scope.clone() });
        }
        let (person, reason) = (person.clone(), reason.to_owned());
        let event = Event::Resolve { person, doubt: *doubt, resolution, haste, reason };
        match self.shelf.change(&doubt.key, &event).await? {
            Came { reply: Reply::Settled(state), .. } => Ok(state),
            came => Err(self.refused(came.reply, &id, doubt.seen_at)),
        }
    }

    /// Tells what happened to a call, the oldest line first: by an approval id or by a row's key.
    ///
    /// # Errors
    /// There is none of that id, or the store failed.
    pub async fn history(&self, id: &str) -> Result<Vec<HistoryLine>, DeskError> {
        let key = match id.parse::<RowKey>() {
            Ok(key) => {
                let row = self.shelf.store().load(&key).await?.row;
                let row = row.filter(|row| self.is_mine(&row.tenant));
                row.ok_or_else(|| no_call(id))?.key
            }
            Err(_) => self.find(id).await?.1.key,
        };
        Ok(self.shelf.store().history(&key).await?)
    }

    /// Tidies what ran out, and removes what is not kept any longer.
    ///
    /// # Errors
    /// The store failed.
    pub async fn sweep(&self) -> Result<Swept, DeskError> {
        Ok(self.shelf.sweep(usize::MAX).await?)
    }

    async fn decide(
        &self,
        person: &Person,
        id: &str,
        decision: Decision,
    ) -> Result<Reply, DeskError> {
        let (of, record, _) = self.find(id).await?;
        if record.tenant != person.tenant_name() {
            return Err(no_call(id));
        }
        let person = person.clone();
        let event = if person.holds(&self.scope) {
            Event::Decide { of, person, decision }
        } else {
            Event::Turned { of, person, why: format!("lacks the scope {:?}", self.scope) }
        };
        match self.shelf.change(&record.key, &event).await? {
            Came { reply: reply @ (Reply::Agreed { .. } | Reply::Declined), .. } => Ok(reply),
            came => Err(self.refused(came.reply, id, came.now)),
        }
    }

    /// An id of nobody's and one of another tenant's read alike.
    async fn find(&self, id: &str) -> Result<(ApprovalId, Record, Timestamp), DeskError> {
        let of: ApprovalId = id.parse().map_err(|_wrong| no_call(id))?;
        let (record, now) = self.shelf.find(of).await?;
        let record = record.filter(|record| self.is_mine(&record.tenant));
        Ok((of, record.ok_or_else(|| no_call(id))?, now))
    }

    fn is_mine(&self, tenant: &str) -> bool {
        self.tenant.as_ref().is_none_or(|mine| mine == tenant)
    }

    fn of_mine(&self, filter: Filter) -> Filter {
        match &self.tenant {
            None => filter,
            Some(tenant) => Filter { tenant: Some(tenant.clone()), ..filter },
        }
    }

    fn refused(&self, reply: Reply, id: &str, seen_at: Timestamp) -> DeskError {
        match reply {
            Reply::Refused(refusal) => match refusal {
                Refusal::StaleView => DeskError::StaleView,
                Refusal::AlreadyDecided { state, by } => DeskError::AlreadyDecided { state, by },
                Refusal::TooLate { state } => DeskError::TooLate { state },
                Refusal::OtherAttempt => DeskError::OtherAttempt,
                Refusal::FourEyes => DeskError::FourEyes,
                Refusal::NotAllowed => DeskError::NotAllowed { scope: self.scope.clone() },
                Refusal::NotSettled { from } => DeskError::NotSettled { from, seen_at },
                Refusal::NotInDoubt { state } => DeskError::NotInDoubt { state },
            },
            _ => no_call(id),
        }
    }
}

fn no_call(id: &str) -> DeskError {
    DeskError::NoCall { id: id.to_owned() }
}

/// A call that people were asked about, by what time it is.
fn shown(record: &Record, now: Timestamp) -> Option<ParkedCall> {
    let approval = record.approval.clone()?;
    let state = match record.state {
        State::Parked | State::Approved if approval.expires_at <= now => RowState::Expired,
        ref state => state.row_state(),
    };
    let Approval { id, rendered, binding, quorum, four_eyes, preview, .. } = approval;
    let Approval { scopes, asked_at, expires_at, votes, .. } = approval;
    let (tenant, requester) = (record.tenant.clone(), record.principal.clone());
    let (tool, arguments) = (record.tool.clone(), record.arguments.clone());
    Some(ParkedCall {
        id,
        key: record.key,
        state,
        tenant,
        requester,
        scopes,
        tool,
        rendered,
        arguments,
        preview,
        binding,
        asked_at,
        expires_at,
        quorum,
        four_eyes,
        votes,
    })
}

fn doubtful(record: Record, seen_at: Timestamp) -> Option<DoubtfulCall> {
    let settle = record.rules.settle;
    let State::InDoubt { attempt, since, cause, lease_until } = record.state else {
        return None;
    };
    let approval = record.approval.map(|approval| (approval.id, approval.rendered));
    let (approval_id, rendered) = approval.unzip();
    let prompt = Prompt {
        tool: &record.tool,
        principal: &record.principal,
        tenant: Some(record.tenant.as_str()).filter(|tenant| !tenant.is_empty()),
        arguments: &record.arguments,
        preview: None,
    };
    let rendered = rendered.unwrap_or_else(|| prompt.to_string());
    Some(DoubtfulCall {
        doubt: Doubt { key: record.key, attempt, seen_at },
        tenant: record.tenant,
        requester: record.principal,
        tool: record.tool,
        rendered,
        arguments: record.arguments,
        approval_id,
        since,
        cause,
        settles_at: lease_until.plus(settle),
    })
}
