//! Every order of events in a small world, through the real `step`.

use std::collections::VecDeque;

use toolkit::OnUnknown;
use toolkit::ledger::RowState;

use crate::world::{
    Config, Heard, LEASE, LOOK, Mutant, NewPolicy, SETTLE, Small, SmallEnded, Step, TO_LIVE, Table,
    View,
};

/// One try, as the world sees it.
#[expect(clippy::struct_excessive_bools, reason = "each may be so beside every other")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Try {
    claimed: bool,
    acted: bool,
    /// Its worker crashed; what it sent may still arrive, and nobody tells.
    orphaned: bool,
    /// Its worker gave it up, and it goes on.
    detached: bool,
    /// It told how it ended.
    told: bool,
    /// How many moments it can still act.
    left: u8,
    other_arguments: bool,
    /// The approval that it ran under.
    approval: u8,
    /// The id that the ledger knows it by.
    id: u8,
}

/// One approval, as people know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Asked {
    status: Status,
    votes: u8,
    quorum: u8,
    left: u8,
    revision: u8,
    /// What people read.
    shown_other: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Status {
    #[default]
    None,
    Open,
    Carried,
    Ran,
    Closed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Worker {
    #[default]
    Idle,
    Runs(u8),
    /// Only a mutant gets here: the approval is consumed, and the call not yet claimed.
    Consumed(u8),
}

/// What a look at the target of an attempt in doubt gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Seen {
    attempt: u8,
    applied: bool,
    /// How long ago the look began.
    ago: u8,
}

/// The whole world at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct World {
    record: u16,
    workers: [Worker; 2],
    tries: [Try; 4],
    asked: [Asked; 2],
    crashes: u8,
    resolved: bool,
    revision: u8,
    policy: bool,
    removals: u8,
    beats: u8,
    tried: u8,
    ids: u8,
    /// Effects since the call was first heard of, or heard of anew.
    effects: u8,
    /// 0 for none, 1 and 2 for the arguments that it was first used with.
    first: u8,
    /// What somebody saw who has not told it yet.
    seen: Option<Seen>,
}

impl World {
    fn key(&self) -> u128 {
        let mut key = 0u128;
        let mut put = |bits: u32, value: u8| {
            assert!(value < 1 << bits, "{value} does not fit into {bits} bits");
            key = (key << bits) | u128::from(value);
        };
        for worker in self.workers {
            match worker {
                Worker::Idle => put(4, 0),
                Worker::Runs(slot) => put(4, 1 + slot),
                Worker::Consumed(id) => put(4, 8 + id),
            }
        }
        for each in self.tries {
            for flag in [
                each.claimed,
                each.acted,
                each.orphaned,
                each.detached,
                each.told,
                each.other_arguments,
            ] {
                put(1, flag.into());
            }
            put(2, each.left);
            put(2, each.approval);
            put(3, each.id);
        }
        for each in self.asked {
            put(3, each.status as u8);
            put(3, each.votes);
            put(2, each.quorum);
            put(2, each.left);
            put(1, each.revision);
            put(1, each.shown_other.into());
        }
        put(2, self.crashes);
        put(1, self.resolved.into());
        put(1, self.revision);
        put(1, self.policy.into());
        put(1, self.removals);
        put(1, self.beats);
        put(3, self.tried);
        put(2, self.ids);
        put(2, self.effects.min(3));
        put(2, self.first);
        let seen = self.seen.map_or(0, |Seen { attempt, applied, ago }| {
            attempt << 3 | u8::from(applied) << 2 | (ago + 1)
        });
        put(6, seen);
        (key << 16) | u128::from(self.record)
    }

    fn slot_of(&self, id: u8) -> Option<usize> {
        (0..4).rev().find(|slot| self.tries[*slot].claimed && self.tries[*slot].id == id)
    }
}

/// What one moment may lead to; the trace is made of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    Tick,
    Claim { worker: usize, other: bool },
    Park { other: bool },
    Resume { worker: usize, of: u8 },
    ClaimConsumed { worker: usize },
    Effect { attempt: usize },
    Return { worker: usize, ended: SmallEnded },
    Late { attempt: usize, ended: SmallEnded },
    Beat { attempt: usize },
    Crash { worker: usize },
    Approve { of: u8, seen: u8, person: u8 },
    Decline { of: u8 },
    Look,
    Resolve,
    Verify { knows: bool },
    Sweep,
    ToolChanges,
    PolicyChanges,
}

/// What must never be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Violation {
    TwoEffects,
    WrongArguments,
    WithoutApproval,
    AfterRefusal,
    OtherTool,
    AgainstPolicy,
    ApprovalLost,
    DoneWithoutEffect,
    Stuck,
}

/// What an exploration came to.
#[derive(Debug)]
pub struct Explored {
    pub states: usize,
    pub records: usize,
    pub steps: usize,
    pub violation: Option<(Violation, Vec<Act>)>,
}

struct Checker {
    config: Config,
    mutant: Option<Mutant>,
    steps: Step,
}

impl Checker {
    fn acts(&self, world: &World, acts: &mut Vec<Act>) {
        let config = &self.config;
        let view = self.steps.view(world.record);
        acts.push(Act::Tick);
        let may_try = world.tried < config.attempts;
        let asks = config.quorum.is_some();
        let denies = world.policy && config.policy_changes == Some(NewPolicy::Denies);
        for (worker, at) in world.workers.iter().enumerate() {
            match at {
                Worker::Idle => {
                    if may_try && !asks {
                        acts.push(Act::Claim { worker, other: false });
                        if config.other_arguments {
                            acts.push(Act::Claim { worker, other: true });
                        }
                    }
                    for of in 1..=world.ids {
                        if may_try {
                            acts.push(Act::Resume { worker, of });
                        }
                    }
                }
                Worker::Runs(slot) => {
                    let each = world.tries[*slot as usize];
                    if each.acted {
                        acts.push(Act::Return { worker, ended: SmallEnded::Complete });
                    } else {
                        acts.push(Act::Return { worker, ended: SmallEnded::Clean });
                        acts.push(Act::Return { worker, ended: SmallEnded::Final });
                    }
                    acts.push(Act::Return { worker, ended: SmallEnded::Ambiguous });
                    if world.crashes < config.crashes {
                        acts.push(Act::Crash { worker });
                    }
                }
                Worker::Consumed(_) => {
                    acts.push(Act::ClaimConsumed { worker });
                    if world.crashes < config.crashes {
                        acts.push(Act::Crash { worker });
                    }
                }
            }
        }
        if self.mutant == Some(Mutant::ApprovalsInMemory) && world.crashes < config.crashes {
            acts.push(Act::Crash { worker: 0 });
        }
        if asks && !denies && world.ids < config.approvals {
            acts.push(Act::Park { other: false });
            if config.other_arguments {
                acts.push(Act::Park { other: true });
            }
        }
        for (attempt, each) in world.tries.iter().enumerate() {
            let runs = each.claimed && !each.told && each.left > 0;
            if runs && !each.acted {
                acts.push(Act::Effect { attempt });
            }
            // Also what was given up is heard of while its process lives.
            if runs && !each.orphaned && world.beats < config.heartbeats {
                acts.push(Act::Beat { attempt });
            }
            if each.claimed && each.detached && !each.orphaned && !each.told {
                if each.acted {
                    acts.push(Act::Late { attempt, ended: SmallEnded::Complete });
                } else if each.left == 0 {
                    acts.push(Act::Late { attempt, ended: SmallEnded::Clean });
                }
            }
        }
        for of in 1..=world.ids {
            for seen in 1..=world.ids {
                for person in 0..if config.four_eyes { 3 } else { 2 } {
                    acts.push(Act::Approve { of, seen, person });
                }
            }
            acts.push(Act::Decline { of });
        }
        let in_doubt = view.state == Some(RowState::InDoubt);
        if in_doubt && config.slow_looks {
            acts.push(Act::Look);
        }
        // Who saw it in doubt tells so, whatever became of it since.
        if if config.slow_looks { world.seen.is_some() } else { in_doubt } {
            if config.operator && !world.resolved {
                acts.push(Act::Resolve);
            }
            if config.on_unknown == OnUnknown::Verify {
                acts.extend([Act::Verify { knows: true }, Act::Verify { knows: false }]);
            }
        }
        if view.state.is_some() {
            acts.push(Act::Sweep);
        }
        if config.revision_changes && world.revision == 0 {
            acts.push(Act::ToolChanges);
        }
        if config.policy_changes.is_some() && !world.policy {
            acts.push(Act::PolicyChanges);
        }
    }

    fn act(&mut self, world: &mut World, act: Act) -> Result<(), Violation> {
        let before = self.steps.view(world.record);
        match act {
            Act::Tick => {
                world.record = self.steps.tick(world.record);
                for each in &mut world.tries {
                    each.left = each.left.saturating_sub(1);
                }
                let older = world.seen.map(|seen| Seen { ago: seen.ago + 1, ..seen });
                world.seen = older.filter(|seen| u64::from(seen.ago) <= LOOK);
                for asked in &mut world.asked {
                    asked.left = asked.left.saturating_sub(1);
                    if asked.left == 0 && matches!(asked.status, Status::Open | Status::Carried) {
                        asked.status = Status::Closed;
                    }
                }
            }
            Act::Claim { worker, other } => {
                let id = self.next_id(world);
                let small = Small::Claim { other, attempt: id, revision: world.revision };
                if self.happens(world, small) == Heard::Claimed {
                    if before.state == Some(RowState::Done) {
                        renew(world);
                    }
                    claimed(world, worker, id, other, 0);
                }
            }
            Act::Park { other } => {
                let id = world.ids + 1;
                let more = world.policy;
                let small = Small::Park { other, id, revision: world.revision, more };
                if self.happens(world, small) == Heard::Awaiting(id) {
                    if before.state == Some(RowState::Done) {
                        renew(world);
                    }
                    self.asked(world, id, other, more);
                }
            }
            Act::Resume { worker, of } => self.resume(world, worker, of)?,
            Act::ClaimConsumed { worker } => {
                let Worker::Consumed(of) = world.workers[worker] else {
                    unreachable!("it consumed one");
                };
                let id = self.next_id(world);
                let other = world.asked[of as usize - 1].shown_other;
                let small = Small::Claim { other, attempt: id, revision: world.revision };
                if self.happens(world, small) == Heard::Claimed {
                    world.asked[of as usize - 1].status = Status::Ran;
                    claimed(world, worker, id, other, of);
                }
            }
            Act::Effect { attempt } => self.effect(world, attempt)?,
            Act::Return { worker, ended } => {
                let Worker::Runs(slot) = world.workers[worker] else {
                    unreachable!("it runs one");
                };
                world.workers[worker] = Worker::Idle;
                self.ends(world, slot as usize, ended)?;
            }
            Act::Late { attempt, ended } => self.ends(world, attempt, ended)?,
            Act::Beat { attempt: slot } => {
                world.beats += 1;
                let attempt = world.tries[slot].id;
                if self.happens(world, Small::Heartbeat { attempt }) == Heard::Extended {
                    world.tries[slot].left = most_left();
                }
            }
            Act::Crash { worker } => {
                world.crashes += 1;
                if let Worker::Runs(slot) = world.workers[worker] {
                    world.tries[slot as usize].orphaned = true;
                }
                world.workers[worker] = Worker::Idle;
                let waits = matches!(before.state, Some(RowState::Parked | RowState::Approved));
                if self.mutant == Some(Mutant::ApprovalsInMemory) && waits {
                    world.record = 0;
                }
            }
            Act::Approve { of, seen, person } => {
                if let Heard::Agreed { carried } =
                    self.happens(world, Small::Approve { of, seen, person })
                {
                    let asked = &mut world.asked[of as usize - 1];
                    asked.votes |= 1 << person;
                    let is_own = self.config.four_eyes && person == 2;
                    let enough = asked.votes.count_ones() >= u32::from(asked.quorum);
                    if asked.status != Status::Open || seen != of || is_own || carried != enough {
                        return Err(Violation::WithoutApproval);
                    }
                    if carried {
                        asked.status = Status::Carried;
                    }
                }
            }
            Act::Decline { of } => {
                if self.happens(world, Small::Decline { of }) == Heard::Declined {
                    world.asked[of as usize - 1].status = Status::Closed;
                }
            }
            Act::Look => world.seen = Some(self.looked(world)),
            Act::Resolve => {
                world.resolved = true;
                let Seen { attempt, applied, ago } = self.told(world);
                let heard = self.happens(world, Small::Resolve { attempt, applied, ago });
                self.settled(world, heard)?;
            }
            Act::Verify { knows } => {
                let Seen { attempt, applied, ago } = self.told(world);
                let applied = knows.then_some(applied);
                let heard = self.happens(world, Small::Verified { attempt, applied, ago });
                self.settled(world, heard)?;
            }
            Act::Sweep => {
                if self.happens(world, Small::Sweep) == Heard::Removable {
                    if world.removals == self.config.removals {
                        return Ok(());
                    }
                    world.removals += 1;
                    world.record = 0;
                    let is_over = before.state.is_some_and(|state| {
                        !matches!(state, RowState::Running | RowState::InDoubt)
                    });
                    if is_over {
                        renew(world);
                    }
                }
            }
            Act::ToolChanges => world.revision = 1,
            Act::PolicyChanges => world.policy = true,
        }
        self.lost(world)
    }

    /// What people agreed to, or were asked, is where they would find it.
    fn lost(&self, world: &World) -> Result<(), Violation> {
        let view = self.steps.view(world.record);
        for (index, asked) in world.asked.iter().enumerate() {
            let id = u8::try_from(index + 1).unwrap();
            let expected = match asked.status {
                Status::Open => RowState::Parked,
                Status::Carried if world.workers.contains(&Worker::Consumed(id)) => continue,
                Status::Carried => RowState::Approved,
                Status::None | Status::Ran | Status::Closed => continue,
            };
            if (view.state, view.approval) != (Some(expected), id) {
                return Err(Violation::ApprovalLost);
            }
        }
        Ok(())
    }

    fn resume(&mut self, world: &mut World, worker: usize, of: u8) -> Result<(), Violation> {
        let asked = world.asked[of as usize - 1];
        let denies = world.policy && self.config.policy_changes == Some(NewPolicy::Denies);
        let trusts = self.mutant == Some(Mutant::PolicyTrusted);
        if denies && !trusts {
            self.happens(world, Small::Deny { of });
            let view = self.steps.view(world.record);
            if view.approval == of && view.state == Some(RowState::Denied) {
                world.asked[of as usize - 1].status = Status::Closed;
            }
            return Ok(());
        }
        let more = world.policy && !denies;
        // Where all ids are used up, the world ends before people are asked once more.
        let would_ask = more && u32::from(asked.quorum) < self.config.quorum.unwrap_or(1) + 1;
        if would_ask && world.ids == 2 {
            return Ok(());
        }
        let (attempt, id) = (self.next_id(world), world.ids + 1);
        let before = self.steps.view(world.record);
        let small = Small::Resume { of, attempt, id, revision: world.revision, more };
        let heard = self.happens(world, small);
        let view = self.steps.view(world.record);
        match heard {
            Heard::Claimed => {
                if asked.status != Status::Carried && !self.may_run_again(world, of, before) {
                    return Err(match asked.status {
                        Status::Closed => Violation::AfterRefusal,
                        _ => Violation::WithoutApproval,
                    });
                }
                if asked.revision != world.revision {
                    return Err(Violation::OtherTool);
                }
                if denies || would_ask {
                    return Err(Violation::AgainstPolicy);
                }
                if self.mutant == Some(Mutant::ConsumedApart) {
                    world.workers[worker] = Worker::Consumed(of);
                    return Ok(());
                }
                world.asked[of as usize - 1].status = Status::Ran;
                let other = match self.mutant {
                    Some(Mutant::ArgumentsReread) => worker == 1,
                    _ => view.other_arguments,
                };
                claimed(world, worker, attempt, other, of);
            }
            Heard::Awaiting(new) if new == id && view.approval == id => {
                world.asked[of as usize - 1].status = Status::Closed;
                self.asked(world, id, view.other_arguments, more);
            }
            _ if view.approval == of && view.state == Some(RowState::Invalidated) => {
                world.asked[of as usize - 1].status = Status::Closed;
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether the attempt of an approved call is not heard of any more, and may be repeated.
    fn may_run_again(&self, world: &World, of: u8, before: View) -> bool {
        let asked = world.asked[of as usize - 1];
        let is_harmless =
            matches!(self.config.on_unknown, OnUnknown::Rerun | OnUnknown::RerunWithKey);
        let is_over = world
            .slot_of(before.attempt)
            .is_some_and(|slot| u64::from(world.tries[slot].left) <= SETTLE);
        let runs = before.state == Some(RowState::Running);
        asked.status == Status::Ran && asked.left > 0 && is_harmless && runs && is_over
    }

    fn effect(&self, world: &mut World, attempt: usize) -> Result<(), Violation> {
        let each = &mut world.tries[attempt];
        each.acted = true;
        let other = each.other_arguments;
        if each.approval != 0 && world.asked[each.approval as usize - 1].shown_other != other {
            return Err(Violation::WrongArguments);
        }
        // Of a key whose row was removed meanwhile nothing is known.
        if world.first != 0 && world.first != number_of(other) {
            return Err(Violation::WrongArguments);
        }
        // A target that honours the key does it once.
        if self.config.on_unknown != OnUnknown::RerunWithKey || world.effects == 0 {
            world.effects += 1;
        }
        if world.effects > 1 && self.config.on_unknown != OnUnknown::Rerun {
            return Err(Violation::TwoEffects);
        }
        Ok(())
    }

    /// An attempt tells how it ended.
    fn ends(&mut self, world: &mut World, slot: usize, ended: SmallEnded) -> Result<(), Violation> {
        let attempt = world.tries[slot].id;
        let mut told = ended;
        if ended == SmallEnded::Ambiguous {
            // What it started goes on.
            world.tries[slot].detached = true;
            if self.mutant == Some(Mutant::TimeoutIsClean) {
                told = SmallEnded::Clean;
            }
        } else {
            world.tries[slot].told = true;
        }
        let heard = self.happens(world, Small::Settle { attempt, ended: told });
        self.settled(world, heard)
    }

    /// What the ledger says of the call after somebody told how it ended.
    fn settled(&self, world: &mut World, heard: Heard) -> Result<(), Violation> {
        let view = self.steps.view(world.record);
        let Heard::Settled(state) = heard else {
            return Ok(());
        };
        if state == RowState::Approved {
            let asked = &mut world.asked[view.approval as usize - 1];
            if asked.status == Status::Ran && asked.left > 0 {
                asked.status = Status::Carried;
            }
        }
        // What was given back and is done after all needs nobody's word any more.
        if state == RowState::Done && view.approval != 0 {
            let asked = &mut world.asked[view.approval as usize - 1];
            if asked.status == Status::Carried {
                asked.status = Status::Ran;
            }
        }
        if state == RowState::Done && view.is_success {
            let acted = world.slot_of(view.attempt).is_some_and(|slot| world.tries[slot].acted);
            if !acted {
                return Err(Violation::DoneWithoutEffect);
            }
        }
        Ok(())
    }

    /// What who looks now sees of the attempt in doubt.
    fn looked(&self, world: &World) -> Seen {
        let attempt = self.steps.view(world.record).attempt;
        let applied = world.slot_of(attempt).is_some_and(|slot| world.tries[slot].acted);
        Seen { attempt, applied, ago: 0 }
    }

    /// What somebody saw before and tells now; or sees and tells at once.
    fn told(&self, world: &mut World) -> Seen {
        world.seen.take().unwrap_or_else(|| self.looked(world))
    }

    fn asked(&self, world: &mut World, id: u8, other: bool, more: bool) {
        world.ids = id;
        used(world, other);
        world.asked[id as usize - 1] = Asked {
            status: Status::Open,
            votes: 0,
            quorum: u8::try_from(self.config.quorum.unwrap_or(1)).unwrap() + u8::from(more),
            left: u8::try_from(TO_LIVE).unwrap(),
            revision: world.revision,
            shown_other: other && self.mutant != Some(Mutant::PromptElsewhere),
        };
    }

    fn happens(&mut self, world: &mut World, small: Small) -> Heard {
        let (record, heard) = self.steps.happens(world.record, small);
        world.record = record;
        self.noticed(world);
        heard
    }

    /// A lease that is over may give an approved call back in passing.
    fn noticed(&self, world: &mut World) {
        let view = self.steps.view(world.record);
        let is_harmless =
            matches!(self.config.on_unknown, OnUnknown::Rerun | OnUnknown::RerunWithKey);
        if is_harmless && view.state == Some(RowState::Approved) {
            let asked = &mut world.asked[view.approval as usize - 1];
            if asked.status == Status::Ran && asked.left > 0 {
                asked.status = Status::Carried;
            }
        }
    }

    fn next_id(&self, world: &World) -> u8 {
        match self.mutant {
            Some(Mutant::ReleaseForgets) => self.steps.view(world.record).attempts + 1,
            _ => world.tried + 1,
        }
    }

    fn is_settled(&self, world: &World) -> bool {
        if world.workers.iter().any(|worker| *worker != Worker::Idle) {
            return false;
        }
        match self.steps.view(world.record).state {
            // The one decision that people take here may be used up.
            Some(RowState::InDoubt) => world.resolved || !self.config.operator,
            Some(RowState::Parked | RowState::Approved | RowState::Running) => false,
            None | Some(_) => true,
        }
    }
}

fn most_left() -> u8 {
    u8::try_from(LEASE + SETTLE).unwrap()
}

/// A key stands for the arguments that it was first used with.
fn used(world: &mut World, other: bool) {
    if world.first == 0 {
        world.first = number_of(other);
    }
}

fn number_of(other: bool) -> u8 {
    1 + u8::from(other)
}

fn claimed(world: &mut World, worker: usize, id: u8, other: bool, approval: u8) {
    used(world, other);
    let slot = world.tried;
    world.tried += 1;
    world.workers[worker] = Worker::Runs(slot);
    world.tries[slot as usize] = Try {
        claimed: true,
        left: most_left(),
        other_arguments: other,
        approval,
        id,
        ..Try::default()
    };
}

/// The call is heard of as if for the first time.
fn renew(world: &mut World) {
    world.effects = 0;
    world.first = 0;
}

/// Goes through every state that the world can be in, until it finds what must never be.
///
/// Of a mutant only what it is said to do wrong counts.
pub fn explore(config: Config, mutant: Option<Mutant>) -> Explored {
    let counts = |found| mutant.is_none_or(|mutant| found_as(mutant).contains(&found));
    let mut checker = Checker { config, mutant, steps: Step::new(config, mutant) };
    let mut numbers: Table<u128, u32> = Table::default();
    let mut worlds = vec![World::default()];
    let mut came_by = vec![(0u32, Act::Tick)];
    let mut edges: Vec<(u32, u32)> = Vec::new();
    numbers.insert(worlds[0].key(), 0);
    let mut acts = Vec::new();
    let mut violation = None;
    let mut from = 0;
    'all: while from < worlds.len() {
        acts.clear();
        checker.acts(&worlds[from], &mut acts);
        let number = u32::try_from(from).unwrap();
        for act in &acts {
            let mut world = worlds[from];
            if let Err(found) = checker.act(&mut world, *act) {
                if !counts(found) {
                    continue;
                }
                violation = Some((found, trace(&came_by, number, Some(*act))));
                break 'all;
            }
            let next = u32::try_from(worlds.len()).unwrap();
            let to = *numbers.entry(world.key()).or_insert(next);
            if to == next {
                worlds.push(world);
                came_by.push((number, *act));
            }
            if to != number {
                edges.push((to, number));
            }
        }
        from += 1;
    }
    if violation.is_none() && counts(Violation::Stuck) {
        violation = stuck(&checker, &worlds, edges)
            .map(|world| (Violation::Stuck, trace(&came_by, world, None)));
    }
    Explored {
        states: worlds.len(),
        records: checker.steps.records(),
        steps: checker.steps.calls(),
        violation,
    }
}

/// A state from which no settled one can be reached.
fn stuck(checker: &Checker, worlds: &[World], mut edges: Vec<(u32, u32)>) -> Option<u32> {
    edges.sort_unstable();
    let mut is_well: Vec<bool> = worlds.iter().map(|world| checker.is_settled(world)).collect();
    let mut reached: VecDeque<u32> =
        (0..).zip(&is_well).filter(|(_, well)| **well).map(|(world, _)| world).collect();
    while let Some(world) = reached.pop_front() {
        let start = edges.partition_point(|(to, _)| *to < world);
        for (_, from) in edges[start..].iter().take_while(|(to, _)| *to == world) {
            if !std::mem::replace(&mut is_well[*from as usize], true) {
                reached.push_back(*from);
            }
        }
    }
    is_well.iter().position(|well| !well).map(|world| u32::try_from(world).unwrap())
}

fn trace(came_by: &[(u32, Act)], mut world: u32, last: Option<Act>) -> Vec<Act> {
    let mut acts: Vec<Act> = last.into_iter().collect();
    while world != 0 {
        let (from, act) = came_by[world as usize];
        acts.push(act);
        world = from;
    }
    acts.reverse();
    acts
}

/// Nothing that is not said is possible.
const PLAIN: Config = Config {
    name: "",
    on_unknown: OnUnknown::InDoubt,
    quorum: None,
    four_eyes: false,
    other_arguments: false,
    revision_changes: false,
    policy_changes: None,
    attempts: 3,
    crashes: 2,
    operator: true,
    slow_looks: false,
    removals: 1,
    heartbeats: 1,
    approvals: 2,
};

const ASKED: Config = Config { quorum: Some(1), attempts: 2, heartbeats: 0, ..PLAIN };

pub const CONFIGS: [Config; 14] = [
    Config { name: "once", attempts: 4, removals: 0, ..PLAIN },
    Config {
        name: "once, other arguments",
        other_arguments: true,
        crashes: 1,
        heartbeats: 0,
        ..PLAIN
    },
    Config { name: "idempotent", on_unknown: OnUnknown::Rerun, heartbeats: 0, ..PLAIN },
    Config {
        name: "keyed",
        on_unknown: OnUnknown::RerunWithKey,
        crashes: 1,
        heartbeats: 0,
        ..PLAIN
    },
    Config { name: "verifiable", on_unknown: OnUnknown::Verify, heartbeats: 0, ..PLAIN },
    Config {
        name: "verifiable, heard of when given up",
        on_unknown: OnUnknown::Verify,
        crashes: 1,
        removals: 0,
        ..PLAIN
    },
    Config {
        name: "once, slow looks",
        slow_looks: true,
        attempts: 3,
        crashes: 1,
        heartbeats: 0,
        ..PLAIN
    },
    Config {
        name: "verifiable, slow looks",
        on_unknown: OnUnknown::Verify,
        slow_looks: true,
        crashes: 1,
        heartbeats: 0,
        removals: 0,
        ..PLAIN
    },
    Config { name: "asked", other_arguments: true, crashes: 1, ..ASKED },
    Config { name: "asked, crashes", ..ASKED },
    Config {
        name: "asked, the tool changes",
        revision_changes: true,
        crashes: 1,
        removals: 0,
        ..ASKED
    },
    Config {
        name: "asked, the policy asks for more",
        removals: 0,
        policy_changes: Some(NewPolicy::AsksMore),
        crashes: 1,
        ..ASKED
    },
    Config {
        name: "asked, the policy denies",
        policy_changes: Some(NewPolicy::Denies),
        crashes: 1,
        ..ASKED
    },
    Config {
        name: "asked, two of three with four eyes",
        quorum: Some(2),
        four_eyes: true,
        on_unknown: OnUnknown::RerunWithKey,
        crashes: 1,
        ..ASKED
    },
];

#[test]
fn no_order_of_events_breaks_the_promise() {
    let mut states = 0;
    for config in CONFIGS {
        let explored = explore(config, None);
        println!(
            "{}: {} states, {} records, {} steps",
            config.name, explored.states, explored.records, explored.steps
        );
        assert_eq!(explored.violation, None, "{}", config.name);
        states += explored.states;
    }
    println!("{states} states, no violation, none stuck");
    assert!(states >= 500_000, "only {states} states");
}

#[test]
fn every_wrong_protocol_is_found_out() {
    for mutant in Mutant::ALL {
        let shows = |config: &&Config| can_show(mutant, config);
        let found = CONFIGS.iter().filter(shows).find_map(|config| {
            explore(*config, Some(mutant)).violation.map(|violation| (config.name, violation))
        });
        let (config, (violation, trace)) =
            found.unwrap_or_else(|| panic!("{mutant:?} is not found out"));
        println!("{mutant:?}: {violation:?} in {config:?} after {} events: {trace:?}", trace.len());
    }
}

/// Whether what a mutant does wrong can happen there.
fn can_show(mutant: Mutant, config: &Config) -> bool {
    match mutant {
        Mutant::LeaseEndReruns
        | Mutant::NoAttemptCheck
        | Mutant::LockWithTimeToLive
        | Mutant::TimeoutIsClean
        | Mutant::NoSettleTime
        | Mutant::ReleaseForgets => config.quorum.is_none(),
        Mutant::StaleLookTrusted | Mutant::AnyAttemptResolved => config.slow_looks,
        Mutant::DoubtNotPutOff => config.quorum.is_none() && config.heartbeats > 0,
        Mutant::SweepsUnfinished => config.quorum.is_none() && config.removals > 0,
        Mutant::FreeTakesOthers => config.other_arguments,
        Mutant::PromptElsewhere => config.quorum.is_some() && config.other_arguments,
        Mutant::RevisionTrusted => config.revision_changes,
        Mutant::PolicyTrusted => config.policy_changes.is_some(),
        Mutant::ConsumedApart
        | Mutant::ArgumentsReread
        | Mutant::ApprovalRearms
        | Mutant::DeclineIgnored
        | Mutant::ApprovalsInMemory => config.quorum.is_some(),
    }
}

/// What a mutant does wrong.
fn found_as(mutant: Mutant) -> &'static [Violation] {
    use Violation::{
        AfterRefusal, AgainstPolicy, ApprovalLost, DoneWithoutEffect, OtherTool, TwoEffects,
        WithoutApproval, WrongArguments,
    };
    match mutant {
        Mutant::LeaseEndReruns
        | Mutant::NoAttemptCheck
        | Mutant::TimeoutIsClean
        | Mutant::SweepsUnfinished
        | Mutant::ReleaseForgets
        | Mutant::NoSettleTime
        | Mutant::StaleLookTrusted
        | Mutant::DoubtNotPutOff => &[TwoEffects],
        Mutant::AnyAttemptResolved => &[TwoEffects, DoneWithoutEffect],
        Mutant::LockWithTimeToLive => &[TwoEffects, WrongArguments],
        Mutant::ConsumedApart | Mutant::ApprovalsInMemory => &[ApprovalLost],
        Mutant::ArgumentsReread | Mutant::PromptElsewhere | Mutant::FreeTakesOthers => {
            &[WrongArguments]
        }
        Mutant::RevisionTrusted => &[OtherTool],
        Mutant::PolicyTrusted => &[AgainstPolicy],
        Mutant::ApprovalRearms => &[WithoutApproval],
        Mutant::DeclineIgnored => &[AfterRefusal],
    }
}
