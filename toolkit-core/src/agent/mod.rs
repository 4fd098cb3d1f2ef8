//! The bounded loop: describe, decide, execute, observe.

mod budget;
mod model;
mod run;
mod scripted;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::ControlFlow;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{Either, select};
use futures_util::stream::{FuturesUnordered, StreamExt};

pub use budget::{Bound, Budget, Clock, SystemClock};
pub use model::{Model, ModelError, Turn};
pub use run::{Run, Stop, Unverified, told_numbers};
pub use scripted::ScriptedModel;

use crate::call::{Outcome, Status, ToolCall};
use crate::cancellation::Cancellation;
use crate::context::Observer;
use crate::dialect::{Answered, Ending, Message, Reply};
use crate::error::{Abort, ToolConfigError};
use crate::gate::error_id;
use crate::registry::{Options, View};
use crate::tool::Effect;

/// A small bounded loop over a model and a view.
///
/// It asks the model, dispatches the calls of the reply through the view's
/// gates, hands the results back, and goes on until the model answers, a bound
/// is reached or a tool ends the run. A made-up name, malformed arguments or a
/// tool's error never end a run: the model reads what was wrong.
///
/// The calls of one reply run together where all are reads, else one after the
/// other, in their order.
///
/// ```
/// use toolkit::prelude::*;
/// use toolkit::{Agent, Reply, ScriptedModel};
///
/// # /// Adds two numbers.
/// # #[tool]
/// # fn add(a: i64, b: i64) -> i64 {
/// #     a + b
/// # }
/// let view = Registry::builder().tools(tools![add]).build()?.view(Caller::new("ann"));
/// let model = ScriptedModel::new([
///     Reply::call("add", r#"{"a": 2, "b": 40}"#),
///     Reply::text("It is 42."),
///     Reply::text("You are welcome."),
/// ]);
/// let agent = Agent::new(model, view);
///
/// let run = agent.run_blocking("What is 2 plus 40?")?;
/// assert_eq!(run.answer().as_deref(), Some("It is 42."));
/// assert_eq!(run.trajectory(), ["add"]);
///
/// let run = pollster::block_on(agent.resume(run.resumable_messages(), "Thank you."))?;
/// assert_eq!(run.answer().as_deref(), Some("You are welcome."));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Agent<M> {
    model: M,
    view: View,
    budget: Budget,
    clock: Box<dyn Clock>,
    run_id: Option<String>,
    cancellation: Option<Cancellation>,
    observer: Option<Arc<dyn Observer>>,
    forces: bool,
}

impl<M: Model> Agent<M> {
    /// Puts a model and what it may see together.
    pub fn new(model: M, view: View) -> Self {
        Self {
            model,
            view,
            budget: Budget::default(),
            clock: Box::new(SystemClock::default()),
            run_id: None,
            cancellation: None,
            observer: None,
            forces: false,
        }
    }

    /// Sets the bounds of a run; without it, those of [`Budget::default`].
    #[must_use]
    pub const fn budget(mut self, budget: Budget) -> Self {
        self.budget = budget;
        self
    }

    /// Sets what measures the time of a run.
    #[must_use]
    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.clock = Box::new(clock);
        self
    }

    /// Sets the id that the tools see as the run's.
    #[must_use]
    pub fn run_id(mut self, run_id: impl Into<String>) -> Self {
        self.run_id = Some(run_id.into());
        self
    }

    /// Sets the word by which the host ends a run: between calls, while the model is asked, and
    /// in the calls that run, as [`Options::cancellation`] does.
    ///
    /// ```
    /// use toolkit::prelude::*;
    /// use toolkit::{Agent, Cancellation, ScriptedModel, Stop};
    ///
    /// let view = Registry::builder().build()?.view(Caller::new("ann"));
    /// let word = Cancellation::new();
    /// let agent = Agent::new(ScriptedModel::new([]), view).cancellation(word.clone());
    /// word.cancel();
    /// assert_eq!(*agent.run_blocking("Never mind.")?.stop(), Stop::Cancelled);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn cancellation(mut self, cancellation: Cancellation) -> Self {
        self.cancellation = Some(cancellation);
        self
    }

    /// Sets who hears what the tools tell while they run.
    #[must_use]
    pub fn observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observer = Some(observer);
        self
    }

    /// Lets the model call on the first turn what another tool requires of the run, as far as the
    /// provider can be told so; after that it chooses freely.
    ///
    /// It is the first visible tool that a visible one requires whatever the arguments, like
    /// `requires(verify_identity)`. [`Turn::offer`] says it to the provider.
    ///
    /// ```
    /// use toolkit::dialect::{Choice, Dialect, OpenAiChat, Request};
    /// use toolkit::prelude::*;
    /// use toolkit::{Agent, Model, ModelError, Reply, Turn};
    ///
    /// /// Verifies who is asking.
    /// #[tool]
    /// fn verify_identity() {}
    ///
    /// /// Changes the address.
    /// #[tool(requires(verify_identity))]
    /// fn change_address() {}
    ///
    /// /// Tells what would be sent.
    /// struct Shows;
    ///
    /// impl Model for Shows {
    ///     async fn reply(&self, turn: &Turn<'_>) -> Result<Reply, ModelError> {
    ///         let offer = turn.offer(&OpenAiChat)?;
    ///         let request = Request::new("gpt-5.1", turn.messages()).offer(&offer);
    ///         Ok(Reply::text(OpenAiChat.request(&request)["tool_choice"].to_string()))
    ///     }
    /// }
    ///
    /// let tools = tools![verify_identity, change_address];
    /// let view = Registry::builder().tools(tools).build()?.view(Caller::new("ann"));
    /// let run = Agent::new(Shows, view).force_prerequisites().run_blocking("I moved.")?;
    /// assert_eq!(
    ///     run.answer().as_deref(),
    ///     Some(r#"{"type":"function","function":{"name":"verify_identity"}}"#),
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn force_prerequisites(mut self) -> Self {
        self.forces = true;
        self
    }

    /// Runs until the model answers or something stops it.
    ///
    /// # Errors
    /// The registry or its wiring is wrong. Everything else is a [`Stop`] of the [`Run`].
    pub async fn run(&self, request: impl Into<String>) -> Result<Run, ToolConfigError> {
        self.resume(Vec::new(), request).await
    }

    /// Goes on from the messages of an earlier run.
    ///
    /// # Errors
    /// As [`Agent::run`].
    pub async fn resume(
        &self,
        history: Vec<Message>,
        request: impl Into<String>,
    ) -> Result<Run, ToolConfigError> {
        // Each run is tainted by what is in its history, and by nothing of another run.
        let view = self.view.new_run();
        for answered in history.iter().flat_map(answered) {
            view.has_heard(answered.call.name(), &answered.outcome);
        }
        let mut progress = Progress::after(history, request.into(), view, self.clock.elapsed());
        loop {
            if let ControlFlow::Break(stop) = self.turn(&mut progress).await? {
                return Ok(Run::new(progress.messages, progress.earlier, stop));
            }
        }
    }

    /// Runs without an async runtime, in the caller's thread.
    ///
    /// # Errors
    /// As [`Agent::run`].
    pub fn run_blocking(&self, request: impl Into<String>) -> Result<Run, ToolConfigError> {
        pollster::block_on(self.run(request))
    }

    /// Goes on from the messages of an earlier run, in the caller's thread.
    ///
    /// # Errors
    /// As [`Agent::run`].
    pub fn resume_blocking(
        &self,
        history: Vec<Message>,
        request: impl Into<String>,
    ) -> Result<Run, ToolConfigError> {
        pollster::block_on(self.resume(history, request))
    }

    async fn turn(&self, progress: &mut Progress) -> Result<ControlFlow<Stop>, ToolConfigError> {
        if let Some(stop) = self.stop_of_turns(progress) {
            return Ok(ControlFlow::Break(stop));
        }
        progress.turns += 1;
        let loaded = progress.view.loaded(&progress.messages);
        let turn = Turn::new(progress.turns, &progress.messages, &loaded);
        let forced = self.forces && progress.turns == 1;
        let forced = forced.then(|| loaded.required_of_run().first().copied()).flatten();
        let turn = turn.forcing(forced);
        let reply = match self.unless_cancelled(self.model.reply(&turn)).await {
            None => return Ok(ControlFlow::Break(Stop::Cancelled)),
            Some(Ok(reply)) => progress.take_in(reply),
            Some(Err(error)) => {
                return match error.config() {
                    Some(config) => Err(config),
                    None => Ok(ControlFlow::Break(Stop::Model(error))),
                };
            }
        };
        let calls: Vec<ToolCall> = reply.tool_calls().cloned().collect();
        if calls.is_empty() {
            return Ok(without_calls(&reply));
        }
        let mut answers = Answers::to(calls);
        self.answer(&reply, &mut answers, progress).await?;
        let (answered, stop) = answers.close();
        progress.messages.push(Message::Results(answered));
        Ok(stop.map_or(ControlFlow::Continue(()), ControlFlow::Break))
    }

    async fn answer(
        &self,
        reply: &Reply,
        answers: &mut Answers,
        progress: &mut Progress,
    ) -> Result<(), ToolConfigError> {
        // What a provider filtered is not what the model meant to ask.
        if *reply.ending() == Ending::Refused {
            answers.stop = Some(Stop::Unanswered(Ending::Refused));
            return Ok(());
        }
        let reads = answers.calls.iter().all(|call| {
            // A tool that is not visible is refused, and that changes nothing.
            progress.view.effect_of(call.name()).is_none_or(|effect| effect == Effect::Read)
                // What it requires may be a call of the same reply.
                && !progress.view.requires_another(call.name())
        });
        if reads {
            self.all_at_once(answers, progress).await
        } else {
            self.in_order(answers, progress).await
        }
    }

    async fn in_order(
        &self,
        answers: &mut Answers,
        progress: &mut Progress,
    ) -> Result<(), ToolConfigError> {
        for index in 0..answers.calls.len() {
            answers.stop = self.stop_of_calls(progress);
            let Some(call) = answers.calls.get(index).filter(|_| answers.stop.is_none()) else {
                break;
            };
            progress.calls += 1;
            let result = match progress.broken(call, self.budget.repeats) {
                Some(outcome) => Ok(outcome),
                None => self.dispatch(&progress.view, call, &done(call, answers, progress)).await,
            };
            progress.note(call, &result);
            answers.note(index, result)?;
            if answers.stop.is_some() {
                break;
            }
        }
        Ok(())
    }

    async fn all_at_once(
        &self,
        answers: &mut Answers,
        progress: &mut Progress,
    ) -> Result<(), ToolConfigError> {
        let (calls, view) = (answers.calls.clone(), progress.view.clone());
        let mut waiting = calls.iter().enumerate();
        let mut running = FuturesUnordered::new();
        loop {
            while running.len() < self.budget.at_once.max(1) && answers.stop.is_none() {
                let Some((index, call)) = waiting.next() else { break };
                answers.stop = self.stop_of_calls(progress);
                if answers.stop.is_some() {
                    break;
                }
                progress.calls += 1;
                answers.started = index + 1;
                let broken = progress.broken(call, self.budget.repeats);
                let view = view.clone();
                running.push(async move {
                    let result = match broken {
                        Some(outcome) => Ok(outcome),
                        None => self.dispatch(&view, call, &[]).await,
                    };
                    (index, call, result)
                });
            }
            let Some((index, call, result)) = running.next().await else { break };
            progress.note(call, &result);
            answers.note(index, result)?;
            // Leaving drops the reads that still run; a bound lets them finish.
            if matches!(answers.stop, Some(Stop::Fatal { .. })) {
                break;
            }
        }
        Ok(())
    }

    async fn dispatch(
        &self,
        view: &View,
        call: &ToolCall,
        done: &[Message],
    ) -> Result<Outcome, Abort> {
        let mut options = Options::default().history(done);
        if let Some(run_id) = &self.run_id {
            options = options.run_id(run_id.as_str());
        }
        if let Some(cancellation) = &self.cancellation {
            options = options.cancellation(cancellation.clone());
        }
        if let Some(observer) = &self.observer {
            options = options.observer(Arc::clone(observer));
        }
        view.dispatch(call, options).await
    }

    /// `None` where the host wanted the run no more before the work was done.
    async fn unless_cancelled<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let Some(cancellation) = &self.cancellation else { return Some(work.await) };
        match select(pin!(cancellation.cancelled()), pin!(work)).await {
            Either::Left(_) => None,
            Either::Right((done, _)) => Some(done),
        }
    }

    fn stop_of_turns(&self, progress: &Progress) -> Option<Stop> {
        if progress.turns >= self.budget.turns {
            return Some(Stop::Budget(Bound::Turns));
        }
        self.stop_at_any_time(progress)
    }

    fn stop_of_calls(&self, progress: &Progress) -> Option<Stop> {
        if progress.calls >= self.budget.calls {
            return Some(Stop::Budget(Bound::Calls));
        }
        self.stop_at_any_time(progress)
    }

    fn stop_at_any_time(&self, progress: &Progress) -> Option<Stop> {
        if self.cancellation.as_ref().is_some_and(Cancellation::is_cancelled) {
            return Some(Stop::Cancelled);
        }
        let spent = self.clock.elapsed().saturating_sub(progress.started);
        (spent >= self.budget.time).then_some(Stop::Budget(Bound::Time))
    }
}

impl<M: fmt::Debug> fmt::Debug for Agent<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Agent")
            .field("model", &self.model)
            .field("budget", &self.budget)
            .field("run_id", &self.run_id)
            .finish_non_exhaustive()
    }
}

/// How a turn without calls goes on.
fn without_calls(reply: &Reply) -> ControlFlow<Stop> {
    match reply.ending() {
        Ending::Paused => ControlFlow::Continue(()),
        Ending::Done | Ending::Calls if !reply.full_text().trim().is_empty() => {
            ControlFlow::Break(Stop::Answered)
        }
        ending @ (Ending::Done
        | Ending::Calls
        | Ending::CutOff
        | Ending::Refused
        | Ending::BadCall
        | Ending::Other(_)) => ControlFlow::Break(Stop::Unanswered(ending.clone())),
    }
}

/// What happened in the run before a call, where its tool requires something of it.
fn done(call: &ToolCall, answers: &Answers, progress: &Progress) -> Vec<Message> {
    if !progress.view.requires_another(call.name()) {
        return Vec::new();
    }
    let own = progress.messages.get(progress.earlier..).unwrap_or_default();
    own.iter().cloned().chain([Message::Results(answers.so_far())]).collect()
}

/// A run that is not over.
struct Progress {
    view: View,
    messages: Vec<Message>,
    /// How many of the messages are of earlier runs.
    earlier: usize,
    ids: BTreeSet<String>,
    turns: usize,
    calls: usize,
    started: Duration,
    /// How often the same call has failed, by name and arguments.
    failed: BTreeMap<(String, String), usize>,
}

impl Progress {
    fn after(mut messages: Vec<Message>, request: String, view: View, started: Duration) -> Self {
        let earlier = messages.len();
        let ids = messages.iter().flat_map(replied).map(|call| call.id().to_owned()).collect();
        messages.push(Message::User(request));
        Self { view, messages, earlier, ids, turns: 0, calls: 0, started, failed: BTreeMap::new() }
    }

    /// What a call comes to that has failed too often to be tried again.
    fn broken(&self, call: &ToolCall, repeats: usize) -> Option<Outcome> {
        let failed = *self.failed.get(&identity(call))?;
        (failed >= repeats).then(|| Outcome::repeated(call.name(), failed))
    }

    /// Remembers which calls failed, and how often one after the other.
    fn note(&mut self, call: &ToolCall, result: &Result<Outcome, Abort>) {
        let Ok(outcome) = result else { return };
        match outcome.status() {
            // The first two ask to be tried again; the others stay what they are: no call of a
            // tool that is not there for the caller is ever told as one that may work.
            Status::Unavailable | Status::InProgress | Status::UnknownTool | Status::Denied => {}
            _ if outcome.is_error() => *self.failed.entry(identity(call)).or_default() += 1,
            _ => drop(self.failed.remove(&identity(call))),
        }
    }

    /// A provider may send a call without an id, or use one id in every turn.
    fn take_in(&mut self, reply: Reply) -> Reply {
        let reply = reply.with_own_ids(&format!("call_{}", self.turns), &mut self.ids);
        self.messages.push(Message::Assistant(reply.clone()));
        reply
    }
}

/// What makes two calls the very same, as the model sent them.
fn identity(call: &ToolCall) -> (String, String) {
    (call.name().to_owned(), call.arguments().into_owned())
}

fn answered(message: &Message) -> &[Answered] {
    match message {
        Message::Results(answered) => answered,
        Message::User(_) | Message::Assistant(_) => &[],
    }
}

fn replied(message: &Message) -> Vec<&ToolCall> {
    match message {
        Message::Assistant(reply) => reply.tool_calls().collect(),
        Message::User(_) | Message::Results(_) => Vec::new(),
    }
}

/// The calls of one turn, on their way to an outcome each.
struct Answers {
    calls: Vec<ToolCall>,
    outcomes: Vec<Option<Outcome>>,
    /// How many were started, from the first on.
    started: usize,
    stop: Option<Stop>,
}

impl Answers {
    fn to(calls: Vec<ToolCall>) -> Self {
        let outcomes = calls.iter().map(|_| None).collect();
        Self { calls, outcomes, started: 0, stop: None }
    }

    fn note(
        &mut self,
        index: usize,
        result: Result<Outcome, Abort>,
    ) -> Result<(), ToolConfigError> {
        let outcome = match result {
            Ok(outcome) => outcome,
            Err(Abort::Config(error)) => return Err(error),
            Err(Abort::Fatal { tool, error, executed }) => {
                let id = error_id();
                tracing::error!(error_id = id, tool, %error, "a tool ended the run");
                // One that was entered may have done its work, and must not read as one that did not.
                let outcome = Outcome::internal(&tool, id, executed);
                self.stop = Some(Stop::Fatal { tool, error });
                outcome
            }
        };
        if let Some(slot) = self.outcomes.get_mut(index) {
            *slot = Some(outcome);
        }
        Ok(())
    }

    /// The calls that have an outcome.
    fn so_far(&self) -> Vec<Answered> {
        let pairs = self.calls.iter().zip(&self.outcomes);
        let answered =
            pairs.filter_map(|(call, outcome)| Some(Answered::new(call.clone(), outcome.clone()?)));
        answered.collect()
    }

    /// Every call gets its result, whatever happened to the others.
    fn close(self) -> (Vec<Answered>, Option<Stop>) {
        let started = self.started;
        let unanswered =
            |index: usize| if index < started { Outcome::stopped() } else { Outcome::not_run() };
        let answered = self.calls.into_iter().zip(self.outcomes).enumerate();
        let answered = answered.map(|(index, (call, outcome))| {
            Answered::new(call, outcome.unwrap_or_else(|| unanswered(index)))
        });
        (answered.collect(), self.stop)
    }
}
