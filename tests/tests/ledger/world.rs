//! A small world around the real `step`: two workers, people, a clock, and what happens in it.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::time::Duration;

use toolkit::__private::ledger::{
    Decision, Ended, Event, Haste, Known, Proposal, Record, Reply, Resolution, Rules, State,
    StoredOutcome, Terms, Today, step,
};
use toolkit::ledger::{ApprovalId, AttemptId, Digest, Doubt, Person, RowKey, RowState, Timestamp};
use toolkit::{OnUnknown, Verified};

/// It is always this moment; what passes is that everything else gets earlier.
const NOW: Timestamp = Timestamp(100);
pub const LEASE: u64 = 2;
pub const SETTLE: u64 = 1;
pub const TO_LIVE: u64 = 3;
/// How old what somebody saw may be; nobody tells older things.
pub const LOOK: u64 = 2;
const REPLAY: u64 = 2;
const RETENTION: u64 = 2;

const fn ticks(ticks: u64) -> Duration {
    Duration::from_millis(ticks)
}

/// Keys of a hash table that are spread already.
#[derive(Default)]
pub struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut eight = [0; 8];
            eight[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(eight));
        }
    }

    fn write_u64(&mut self, n: u64) {
        self.0 = (self.0.rotate_left(5) ^ n).wrapping_mul(0x517c_c1b7_2722_0a95);
    }

    #[expect(clippy::cast_possible_truncation, reason = "both halves are taken")]
    fn write_u128(&mut self, n: u128) {
        self.write_u64(n as u64);
        self.write_u64((n >> 64) as u64);
    }
}

pub type Table<K, V> = HashMap<K, V, BuildHasherDefault<Spread>>;

/// Wrong ways to do it, each of which the checker must find.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mutant {
    /// M1: a lease that ends lets a `once` tool run again.
    LeaseEndReruns,
    /// M2: how an attempt ended counts for whichever attempt is running.
    NoAttemptCheck,
    /// M3: a lock with a time to live is all there is.
    LockWithTimeToLive,
    /// M4: an approval is consumed in a write of its own.
    ConsumedApart,
    /// M5: the arguments are read anew at resume.
    ArgumentsReread,
    /// M6: a timeout counts as a clean failure.
    TimeoutIsClean,
    /// M7: the sweeper removes what is not finished.
    SweepsUnfinished,
    /// M8: the tool's revision is not looked at once more.
    RevisionTrusted,
    /// M9: the policy is not asked once more.
    PolicyTrusted,
    /// M10: a second approval arms a call that is done.
    ApprovalRearms,
    /// M11: what people read does not come from the frozen arguments.
    PromptElsewhere,
    /// M12: a refusal after the approval is ignored.
    DeclineIgnored,
    /// M13: approvals are kept in memory.
    ApprovalsInMemory,
    /// M14: giving a call back removes its row, and attempts are counted from the beginning.
    ReleaseForgets,
    /// M15: a call that was given back takes other arguments.
    FreeTakesOthers,
    /// M16: a person's "not applied" counts before the attempt is settled.
    NoSettleTime,
    /// M17: a look counts from when it is told of, not from when it began.
    StaleLookTrusted,
    /// M18: a person's word counts for whichever attempt is in doubt.
    AnyAttemptResolved,
    /// M19: what was given up and still runs is settled as early as what does not.
    DoubtNotPutOff,
}

impl Mutant {
    pub const ALL: [Self; 19] = [
        Self::LeaseEndReruns,
        Self::NoAttemptCheck,
        Self::LockWithTimeToLive,
        Self::ConsumedApart,
        Self::ArgumentsReread,
        Self::TimeoutIsClean,
        Self::SweepsUnfinished,
        Self::RevisionTrusted,
        Self::PolicyTrusted,
        Self::ApprovalRearms,
        Self::PromptElsewhere,
        Self::DeclineIgnored,
        Self::ApprovalsInMemory,
        Self::ReleaseForgets,
        Self::FreeTakesOthers,
        Self::NoSettleTime,
        Self::StaleLookTrusted,
        Self::AnyAttemptResolved,
        Self::DoubtNotPutOff,
    ];
}

/// What may happen in one exploration.
#[expect(clippy::struct_excessive_bools, reason = "each may be so beside every other")]
#[derive(Debug, Clone, Copy)]
pub struct Config {
    pub name: &'static str,
    pub on_unknown: OnUnknown,
    /// How many must agree, where people are asked.
    pub quorum: Option<u32>,
    pub four_eyes: bool,
    pub other_arguments: bool,
    pub revision_changes: bool,
    pub policy_changes: Option<NewPolicy>,
    pub attempts: u8,
    pub crashes: u8,
    pub operator: bool,
    /// Whether time passes between a look and the word on what was seen.
    pub slow_looks: bool,
    pub removals: u8,
    pub heartbeats: u8,
    pub approvals: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewPolicy {
    AsksMore,
    Denies,
}

/// An event of the small world; the real one is made of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Small {
    Claim { other: bool, attempt: u8, revision: u8 },
    Park { other: bool, id: u8, revision: u8, more: bool },
    Resume { of: u8, attempt: u8, id: u8, revision: u8, more: bool },
    Settle { attempt: u8, ended: SmallEnded },
    Heartbeat { attempt: u8 },
    Verified { attempt: u8, applied: Option<bool>, ago: u8 },
    Approve { of: u8, seen: u8, person: u8 },
    Decline { of: u8 },
    Resolve { attempt: u8, applied: bool, ago: u8 },
    Deny { of: u8 },
    Sweep,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SmallEnded {
    Complete,
    Clean,
    Final,
    Ambiguous,
}

/// What the workers and people hear.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heard {
    Claimed,
    Awaiting(u8),
    Known,
    Settled(RowState),
    Stale,
    Extended,
    Lost,
    Agreed { carried: bool },
    Declined,
    Refused,
    NoRow,
    Swept,
    Removable,
    Nothing,
}

/// Records by number, and what the real `step` said of each event; 0 is no record.
pub struct Step {
    config: Config,
    mutant: Option<Mutant>,
    records: Vec<Option<Record>>,
    numbers: HashMap<String, u16>,
    /// What is asked of every record without a look inside.
    views: Vec<View>,
    memo: HashMap<(u16, Small), (u16, Heard)>,
    aged: HashMap<u16, u16>,
}

/// What the world sees of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct View {
    pub state: Option<RowState>,
    pub attempt: u8,
    pub approval: u8,
    pub attempts: u8,
    pub is_success: bool,
    pub other_arguments: bool,
}

const NOBODY: &str = "";
const PEOPLE: [&str; 3] = ["kim", "lee", "ann"];

impl Step {
    pub fn new(config: Config, mutant: Option<Mutant>) -> Self {
        let mut steps = Self {
            config,
            mutant,
            records: Vec::new(),
            numbers: HashMap::new(),
            views: Vec::new(),
            memo: HashMap::new(),
            aged: HashMap::new(),
        };
        steps.number(None);
        steps
    }

    pub fn records(&self) -> usize {
        self.records.len()
    }

    pub fn calls(&self) -> usize {
        self.memo.len()
    }

    pub fn view(&self, record: u16) -> View {
        self.views[record as usize]
    }

    pub fn happens(&mut self, record: u16, small: Small) -> (u16, Heard) {
        if let Some(known) = self.memo.get(&(record, small)) {
            return *known;
        }
        let before = self.records[record as usize].clone();
        let (after, heard) = self.asked(before, small);
        let came = (self.number(after), heard);
        self.memo.insert((record, small), came);
        came
    }

    /// A moment passes.
    pub fn tick(&mut self, record: u16) -> u16 {
        if let Some(aged) = self.aged.get(&record) {
            return *aged;
        }
        let mut later = self.records[record as usize].clone();
        if let Some(record) = &mut later {
            earlier(record, 1, self.config.slow_looks);
        }
        let aged = self.number(later);
        self.aged.insert(record, aged);
        aged
    }

    fn asked(&self, before: Option<Record>, small: Small) -> (Option<Record>, Heard) {
        let (before, event) = match self.mutated(before, small) {
            Ok(asked) => asked,
            Err(answered) => return *answered,
        };
        let stepped = step(before.as_ref(), &event, NOW);
        let heard = heard(&stepped.reply);
        let after = stepped.record.or(before);
        match (self.mutant, heard, &after) {
            (Some(Mutant::ReleaseForgets), _, Some(record)) if record.state == State::Free => {
                (None, heard)
            }
            _ => (after, heard),
        }
    }

    /// The event and record as a mutant takes them, or what it does in place of a step.
    #[expect(clippy::type_complexity, reason = "it is said once")]
    fn mutated(
        &self,
        mut before: Option<Record>,
        small: Small,
    ) -> Result<(Option<Record>, Event), Box<(Option<Record>, Heard)>> {
        let mut event = self.event(before.as_ref(), small);
        let Some(mutant) = self.mutant else {
            return Ok((before, event));
        };
        let lapsed = match before.as_ref().map(|record| &record.state) {
            Some(State::Running { lease_until, .. }) => *lease_until <= NOW,
            _ => false,
        };
        match (mutant, &mut event, &mut before) {
            (Mutant::LeaseEndReruns, Event::Claim { .. }, Some(record)) if lapsed => {
                record.on_unknown = OnUnknown::Rerun;
            }
            (Mutant::NoAttemptCheck, Event::Settle { attempt, .. }, Some(record)) => {
                if let State::Running { attempt: of, .. } | State::InDoubt { attempt: of, .. } =
                    &record.state
                {
                    *attempt = *of;
                }
            }
            (Mutant::LockWithTimeToLive, _, before) if lapsed => *before = None,
            (Mutant::ConsumedApart, Event::Resume { .. }, Some(record))
                if record.state == State::Approved =>
            {
                record.state = State::Free;
                record.approval = None;
                let after = before.take();
                return Err(Box::new((after, Heard::Claimed)));
            }
            (Mutant::SweepsUnfinished, Event::Sweep, Some(record))
                if lapsed || matches!(record.state, State::InDoubt { .. }) =>
            {
                return Err(Box::new((before, Heard::Removable)));
            }
            (Mutant::RevisionTrusted, Event::Resume { today, .. }, Some(record)) => {
                today.revision = record.tool_revision;
            }
            (Mutant::PolicyTrusted, Event::Resume { today, .. }, Some(record)) => {
                if let Some(approval) = &record.approval {
                    today.terms.quorum = approval.quorum;
                    today.terms.four_eyes = approval.four_eyes;
                }
            }
            (Mutant::ApprovalRearms, Event::Decide { decision, .. }, Some(record))
                if matches!(decision, Decision::Approve { .. })
                    && matches!(record.state, State::Done { .. }) =>
            {
                record.state = State::Approved;
                return Err(Box::new((before, Heard::Refused)));
            }
            (Mutant::DeclineIgnored, Event::Decide { decision, .. }, Some(record))
                if matches!(decision, Decision::Decline { .. })
                    && record.state == State::Approved =>
            {
                return Err(Box::new((before, Heard::Declined)));
            }
            (
                Mutant::FreeTakesOthers,
                Event::Claim { call, .. } | Event::Park { call, .. },
                Some(record),
            ) if record.state == State::Free => {
                record.fingerprint = call.fingerprint;
            }
            (Mutant::NoSettleTime, Event::Resolve { haste, .. }, _) => *haste = Haste::Forced,
            (Mutant::StaleLookTrusted, Event::Resolve { doubt, .. }, _) => doubt.seen_at = NOW,
            (Mutant::StaleLookTrusted, Event::Verified { looked_at, .. }, _) => *looked_at = NOW,
            (Mutant::AnyAttemptResolved, Event::Resolve { doubt, .. }, Some(record)) => {
                if let State::InDoubt { attempt, .. } = &record.state {
                    doubt.attempt = *attempt;
                }
            }
            (Mutant::DoubtNotPutOff, Event::Heartbeat { .. }, Some(record))
                if matches!(record.state, State::InDoubt { .. }) =>
            {
                return Err(Box::new((before, Heard::Extended)));
            }
            _ => {}
        }
        Ok((before, event))
    }

    fn event(&self, record: Option<&Record>, small: Small) -> Event {
        let attempt_of = |attempt: u8| AttemptId(u128::from(attempt));
        let id_of = |id: u8| ApprovalId(u128::from(id));
        let owner = "worker".to_owned();
        let kim = || Person::authenticated(PEOPLE[0], "test");
        match small {
            Small::Claim { other, attempt, revision } => Event::Claim {
                call: self.call(other, revision),
                rules: rules(),
                attempt: attempt_of(attempt),
                owner,
                agreed: None,
            },
            Small::Park { other, id, revision, more } => Event::Park {
                call: self.call(other, revision),
                rules: rules(),
                id: id_of(id),
                terms: self.terms(other, more),
            },
            Small::Resume { of, attempt, id, revision, more } => {
                let other = record.is_some_and(|record| record.arguments == arguments(true));
                let today =
                    Today { revision: revision_of(revision), terms: self.terms(other, more) };
                let (of, attempt, id) = (id_of(of), attempt_of(attempt), id_of(id));
                Event::Resume { of, attempt, owner, lease: ticks(LEASE), today, id }
            }
            Small::Settle { attempt, ended } => {
                let ended = match ended {
                    SmallEnded::Complete => Ended::Complete(StoredOutcome::ok("done")),
                    SmallEnded::Clean => Ended::Clean(failed()),
                    SmallEnded::Final => Ended::Final(failed()),
                    SmallEnded::Ambiguous => Ended::Ambiguous("timeout".to_owned()),
                };
                Event::Settle { attempt: attempt_of(attempt), ended }
            }
            Small::Heartbeat { attempt } => {
                Event::Heartbeat { attempt: attempt_of(attempt), lease: ticks(LEASE) }
            }
            Small::Verified { attempt, applied, ago } => {
                let verdict = match applied {
                    Some(true) => Verified::Applied(StoredOutcome::ok("done")),
                    Some(false) => Verified::NotApplied,
                    None => Verified::Unknown,
                };
                Event::Verified {
                    attempt: attempt_of(attempt),
                    looked_at: before_now(ago),
                    verdict,
                }
            }
            Small::Approve { of, seen, person } => {
                let shown = record.and_then(|record| record.approval.as_ref());
                let shown = shown.filter(|approval| approval.id == id_of(seen));
                let seen = shown.map_or(Digest([seen; 32]), |approval| approval.binding);
                let person = Person::authenticated(PEOPLE[person as usize], "test");
                Event::Decide { of: id_of(of), person, decision: Decision::Approve { seen } }
            }
            Small::Decline { of } => {
                let decision = Decision::Decline { reason: None };
                Event::Decide { of: id_of(of), person: kim(), decision }
            }
            Small::Resolve { attempt, applied, ago } => {
                let resolution = if applied {
                    Resolution::Applied("done".to_owned())
                } else {
                    Resolution::NotApplied
                };
                let doubt = Doubt {
                    key: RowKey([1; 32]),
                    attempt: attempt_of(attempt),
                    seen_at: before_now(ago),
                };
                let (haste, reason) = (Haste::Settled, "looked".to_owned());
                Event::Resolve { person: kim(), doubt, resolution, haste, reason }
            }
            Small::Deny { of } => Event::Deny { of: id_of(of), why: "policy".to_owned() },
            Small::Sweep => Event::Sweep,
        }
    }

    fn call(&self, other: bool, revision: u8) -> Proposal {
        let arguments = arguments(other);
        Proposal {
            key: RowKey([1; 32]),
            fingerprint: Digest::of_arguments(arguments),
            tenant: NOBODY.to_owned(),
            principal: "ann".to_owned(),
            tool: "refund".to_owned(),
            revision: revision_of(revision),
            on_unknown: self.config.on_unknown,
            arguments: arguments.to_owned(),
            keyed: false,
            lease: ticks(LEASE),
        }
    }

    fn terms(&self, other: bool, more: bool) -> Terms {
        let other = other && self.mutant != Some(Mutant::PromptElsewhere);
        Terms {
            rendered: format!("refund {}", arguments(other)),
            quorum: self.config.quorum.unwrap_or(1) + u32::from(more),
            four_eyes: self.config.four_eyes,
            time_to_live: ticks(TO_LIVE),
            preview: None,
            preview_must_match: false,
            tainted: false,
            scopes: Vec::new(),
        }
    }

    fn number(&mut self, mut record: Option<Record>) -> u16 {
        if let Some(record) = &mut record {
            earlier(record, 0, self.config.slow_looks);
        }
        let text = record.as_ref().map_or_else(String::new, |record| {
            serde_json::to_string(record).expect("a record is written")
        });
        if let Some(number) = self.numbers.get(&text) {
            return *number;
        }
        let number = u16::try_from(self.records.len()).expect("there are not so many records");
        self.views.push(seen(record.as_ref()));
        self.records.push(record);
        self.numbers.insert(text, number);
        number
    }
}

fn seen(record: Option<&Record>) -> View {
    let number = |id: u128| u8::try_from(id).expect("ids are small here");
    let state = record.map(|record| &record.state);
    let attempt = match state {
        Some(
            State::Running { attempt, .. }
            | State::InDoubt { attempt, .. }
            | State::Done { attempt, .. },
        ) => number(attempt.0),
        _ => 0,
    };
    let is_success = matches!(state, Some(State::Done { outcome, .. }) if outcome.status == "ok");
    View {
        state: state.map(State::row_state),
        attempt,
        approval: record
            .and_then(|record| record.approval.as_ref())
            .map_or(0, |approval| number(approval.id.0)),
        attempts: record.map_or(0, |record| number(record.attempts.into())),
        is_success,
        other_arguments: record.is_some_and(|record| record.arguments == arguments(true)),
    }
}

fn heard(reply: &Reply) -> Heard {
    match reply {
        Reply::Claimed(_) => Heard::Claimed,
        Reply::Known(Known::Awaiting { approval_id, .. }) => {
            Heard::Awaiting(u8::try_from(approval_id.0).expect("ids are small here"))
        }
        Reply::Known(_) => Heard::Known,
        Reply::Settled(state) => Heard::Settled(*state),
        Reply::Stale(_) => Heard::Stale,
        Reply::Extended(_) => Heard::Extended,
        Reply::Lost => Heard::Lost,
        Reply::Agreed { carried } => Heard::Agreed { carried: *carried },
        Reply::Declined => Heard::Declined,
        Reply::Refused(_) => Heard::Refused,
        Reply::Swept(_) => Heard::Swept,
        Reply::Removable => Heard::Removable,
        Reply::Fresh | Reply::Unchanged => Heard::Nothing,
        Reply::NoRow => Heard::NoRow,
    }
}

fn before_now(ago: u8) -> Timestamp {
    Timestamp(NOW.0 - u64::from(ago))
}

fn arguments(other: bool) -> &'static str {
    if other { r#"{"amount":900}"# } else { r#"{"amount":20}"# }
}

fn revision_of(revision: u8) -> Digest {
    Digest([revision; 32])
}

fn rules() -> Rules {
    Rules { replay: ticks(REPLAY), settle: ticks(SETTLE), retention: ticks(RETENTION), attempts: 3 }
}

fn failed() -> StoredOutcome {
    StoredOutcome { status: "failed".to_owned(), ..StoredOutcome::ok("no") }
}

/// Takes a record so much earlier; what is over anyway is over at the same moment.
fn earlier(record: &mut Record, ticks: u64, slow_looks: bool) {
    let at_least = |at: &mut Timestamp, least: u64| *at = Timestamp((at.0 - ticks).max(least));
    let floor = NOW.0 - 10;
    record.created_at = Timestamp(floor);
    let is_open = record.expires_at().is_none();
    let is_done = matches!(record.state, State::Done { .. });
    if is_open || is_done {
        record.changed_at = Timestamp(floor);
    } else {
        at_least(&mut record.changed_at, NOW.0 - RETENTION);
    }
    // Whoever looked may have done so when it was not settled.
    let longest = SETTLE + if slow_looks { LOOK } else { 0 };
    match &mut record.state {
        State::Running { lease_until, .. } => at_least(lease_until, NOW.0 - longest),
        State::InDoubt { lease_until, since, .. } => {
            at_least(lease_until, NOW.0 - longest);
            *since = Timestamp(floor);
        }
        State::Done { replay_until, .. } => at_least(replay_until, NOW.0 - RETENTION),
        _ => {}
    }
    if let Some(approval) = &mut record.approval {
        at_least(&mut approval.expires_at, NOW.0);
        approval.asked_at = Timestamp(floor);
        for vote in &mut approval.votes {
            vote.at = Timestamp(floor);
        }
    }
}
