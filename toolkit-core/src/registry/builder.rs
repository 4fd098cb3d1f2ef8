//! The tools of a program and what they need, until all of it is checked.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use async_lock::Semaphore;
use serde_json::Value;

use super::faults::{Guards, at_large, blame, faults_of, hidden, unguarded, unmeetable, unseen};
use super::prepared::{prepare, revision};
use super::states::{Given, Shared};
use super::{Checked, Finder, Registry, required, wires};
use crate::dialect::{Definition, Forms};
use crate::error::{ToolConfigError, ToolConfigErrors};
use crate::gate::{self, Approver, Entries, Entry, House, Lost, OnTaint, Threads, Timer};
use crate::index::{Embedder, Vectors, split};
use crate::ledger::inside::Book;
use crate::ledger::{Ledger, Settings};
use crate::limits::Limits;
use crate::tool::{Effect, IntoToolbox, Tool};

/// Collects the tools of a program and what they need.
///
/// ```
/// use toolkit::prelude::*;
///
/// /// Closes an account for good.
/// #[tool(effect = "irreversible")]
/// fn close(#[state] days_of_grace: &u32, account: &str) {}
///
/// let errors = Registry::builder().tools(tools![close]).build().unwrap_err();
/// assert_eq!(
///     errors.iter().map(ToolConfigError::message).collect::<Vec<_>>(),
///     [
///         "it takes a state of type `u32` and there is none; add `.state(…)` with one, or with an `Arc` of one",
///         "it changes something and there is no ledger, so that a repeated call would run twice; \
///          add `.ledger(…)`, or say `ledger = none(\"…\")` and why that is right",
///         "it needs a person's approval and there is nobody to ask; add `.ledger(…)`, where its \
///          calls wait, or `.approver(…)`",
///     ],
/// );
/// ```
#[derive(Default)]
pub struct RegistryBuilder {
    tools: Vec<Tool>,
    states: Shared,
    approver: Option<Arc<dyn Approver>>,
    ledger: Option<Arc<dyn Ledger>>,
    settings: Settings,
    timer: Option<Arc<dyn Timer>>,
    timeout: Option<Duration>,
    threads: Option<Arc<dyn Threads>>,
    limits: Limits,
    on_taint: OnTaint,
    requires_approval_rules: bool,
    secret_key: Option<Box<[u8]>>,
    dry_run: bool,
    search: Search,
    faults: Vec<ToolConfigError>,
}

impl RegistryBuilder {
    /// Adds tools, as `tools!` collects them.
    #[must_use]
    pub fn tools(mut self, tools: impl IntoIterator<Item = Tool>) -> Self {
        self.tools.extend(tools);
        self
    }

    /// Adds one tool.
    #[must_use]
    pub fn tool(mut self, tool: impl Into<Tool>) -> Self {
        self.tools.push(tool.into());
        self
    }

    /// Adds the tools of a value, and the value: as it is, or in an `Arc` that the host shares.
    ///
    /// The registry holds it once, behind an `Arc`; `#[state]` parameters of its type are
    /// given it, too. Two toolboxes of one type are a mistake that [`build`](Self::build)
    /// reports.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use toolkit::prelude::*;
    ///
    /// struct Shop {
    ///     name: String,
    /// }
    ///
    /// #[toolbox]
    /// impl Shop {
    ///     /// Tells when the shop opens.
    ///     #[tool]
    ///     fn opening_hours(&self) -> String {
    ///         format!("{} opens at nine", self.name)
    ///     }
    /// }
    ///
    /// let shop = Arc::new(Shop { name: "Ada's".to_owned() });
    /// let view = Registry::builder().toolbox(Arc::clone(&shop)).build()?.view(Caller::new("ann"));
    /// let call = ToolCall::new("call_1", "opening_hours", "{}");
    /// let outcome = view.dispatch_blocking(call, Options::default())?;
    /// assert_eq!(outcome.text(), shop.opening_hours());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn toolbox<T: IntoToolbox>(mut self, toolbox: T) -> Self {
        let earlier = self.give(Given::Toolbox, toolbox.into_shared());
        if earlier != Some(Given::Toolbox) {
            self.tools.extend(Tool::all_of::<T::Toolbox>());
        }
        self
    }

    /// Gives a value to every `#[state]` parameter of its type.
    ///
    /// An `Arc<T>` serves parameters that take `&T` or `Arc<T>`, also where `T` is a trait object.
    /// Two states of one type are a mistake that [`build`](Self::build) reports.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use toolkit::prelude::*;
    ///
    /// trait Mail: Send + Sync {
    ///     fn unread(&self) -> usize;
    /// }
    ///
    /// # struct Empty;
    /// # impl Mail for Empty {
    /// #     fn unread(&self) -> usize {
    /// #         0
    /// #     }
    /// # }
    /// /// Counts the unread mails.
    /// #[tool]
    /// fn unread(#[state] mail: &dyn Mail) -> usize {
    ///     mail.unread()
    /// }
    ///
    /// let mail: Arc<dyn Mail> = Arc::new(Empty);
    /// assert!(Registry::builder().tools(tools![unread]).state(mail).build().is_ok());
    /// ```
    #[must_use]
    pub fn state<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        self.give(Given::State, Arc::new(value));
        self
    }

    /// Sets who is asked when a call needs a person's approval. Default nobody.
    #[must_use]
    pub fn approver(mut self, approver: impl Approver) -> Self {
        self.approver = Some(Arc::new(approver));
        self
    }

    /// Sets where the calls of effectful tools are kept, and those that wait for people.
    ///
    /// Every tool that declares `effect = "write"` or `"irreversible"` needs one, unless it says
    /// `ledger = none("…")`. An `Arc` of a store is one, too.
    ///
    /// ```
    /// use toolkit::ledger::MemoryLedger;
    /// use toolkit::prelude::*;
    ///
    /// /// Refunds an order.
    /// #[tool(effect = "write")]
    /// fn refund(order_id: &str) -> String {
    ///     format!("refunded {order_id}")
    /// }
    ///
    /// let registry = Registry::builder().tools(tools![refund]).ledger(MemoryLedger::new()).build()?;
    /// let view = registry.view(Caller::new("ann"));
    /// let call = ToolCall::new("call_1", "refund", r#"{"order_id": "O-1"}"#);
    /// assert_eq!(view.dispatch_blocking(&call, Options::default())?.status(), Status::Ok);
    /// let again = view.dispatch_blocking(&call, Options::default())?;
    /// assert_eq!((again.status(), again.executed()), (Status::Duplicate, false));
    /// assert_eq!(
    ///     again.text(),
    ///     "(done before: this is the first result again, nothing ran now)\nrefunded O-1",
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn ledger(mut self, ledger: impl Ledger) -> Self {
        self.ledger = Some(Arc::new(ledger));
        self
    }

    /// Sets how long calls are kept, leased and left to people. Default [`Settings::default`].
    #[must_use]
    pub const fn ledger_settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// Sets what wakes the registry while a function runs. Default nothing.
    #[must_use]
    pub fn timer(mut self, timer: impl Timer) -> Self {
        self.timer = Some(Arc::new(timer));
        self
    }

    /// Sets how long a tool's own code may take where the tool does not say, from a millisecond
    /// to a day. Default 30 s; it needs a timer, and without one there is no limit.
    ///
    /// The time runs while a function awaits, and separately for what comes before it: its
    /// rules, its preview and the wait for its turn. A person who is asked has no limit. A read
    /// that is left has [`Failed`](crate::Status::Failed), of anything else it is
    /// [`InDoubt`](crate::Status::InDoubt) whether it took effect. Code that does not await can
    /// not be left, unless it is `blocking`.
    ///
    /// ```
    /// use std::future::pending;
    /// use std::time::Duration;
    /// use toolkit::ThreadTimer;
    /// use toolkit::ledger::MemoryLedger;
    /// use toolkit::prelude::*;
    ///
    /// /// Pays a bill.
    /// #[tool(effect = "write")]
    /// async fn pay(bill: &str) {
    ///     pending().await
    /// }
    ///
    /// let registry = Registry::builder()
    ///     .tools(tools![pay])
    ///     .ledger(MemoryLedger::accept_loss("an example"))
    ///     .timer(ThreadTimer)
    ///     .timeout(Duration::from_millis(50))
    ///     .build()?;
    /// let call = ToolCall::new("call_1", "pay", r#"{"bill": "B-1"}"#);
    /// let outcome = registry.view(Caller::new("ann")).dispatch_blocking(call, Options::default())?;
    /// assert_eq!(outcome.status(), Status::InDoubt);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn timeout(mut self, time: Duration) -> Self {
        self.timeout = Some(time);
        self
    }

    /// Sets where functions run that say `blocking`. Default nowhere.
    #[must_use]
    pub fn threads(mut self, threads: impl Threads) -> Self {
        self.threads = Some(Arc::new(threads));
        self
    }

    /// Sets the bounds on arguments, results and reports. Default [`Limits::default`].
    #[must_use]
    pub const fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Refuses tools that may change something and say nothing of a person's approval.
    ///
    /// So none goes without a person because nobody thought of it: each says `approval(…)` with a
    /// rule, or `approval(false)` where nobody need agree. An irreversible one always asks.
    ///
    /// ```
    /// use toolkit::prelude::*;
    ///
    /// /// Refunds an order.
    /// #[tool(effect = "write")]
    /// fn refund(order_id: &str) {}
    ///
    /// /// Notes that somebody called.
    /// #[tool(effect = "write", approval(false))]
    /// fn note_call(order_id: &str) {}
    ///
    /// let registry = Registry::builder()
    ///     .tools(tools![refund, note_call])
    ///     .ledger(toolkit::ledger::MemoryLedger::new())
    ///     .require_approval_rules();
    /// let errors = registry.build().unwrap_err();
    /// assert_eq!(
    ///     errors.iter().map(|error| (error.tool(), error.message())).collect::<Vec<_>>(),
    ///     [(
    ///         Some("refund"),
    ///         "it may change something and says nothing of a person's approval, which this \
    ///          registry requires; add `approval(…)` with a rule, or with `false` where nobody \
    ///          need agree",
    ///     )],
    /// );
    /// ```
    #[must_use]
    pub const fn require_approval_rules(mut self) -> Self {
        self.requires_approval_rules = true;
        self
    }

    /// Sets what becomes of effectful calls once their run has read what strangers wrote. Default
    /// [`OnTaint::Approval`]: a person must agree to each.
    #[must_use]
    pub const fn on_taint(mut self, on_taint: OnTaint) -> Self {
        self.on_taint = on_taint;
        self
    }

    /// Sets the key by which the ledger tells calls with [`Secret`](crate::Secret) arguments
    /// apart: 32 bytes at least, the same in every process, and from a place where secrets are
    /// kept.
    ///
    /// ```
    /// use toolkit::Secret;
    /// use toolkit::ledger::MemoryLedger;
    /// use toolkit::prelude::*;
    ///
    /// /// Sets a password.
    /// #[tool(effect = "write")]
    /// fn set_password(user: &str, password: Secret<String>) {}
    ///
    /// # let from_the_vault = [7; 32];
    /// let registry = Registry::builder()
    ///     .tools(tools![set_password])
    ///     .ledger(MemoryLedger::accept_loss("an example"))
    ///     .secret_key(from_the_vault)
    ///     .build()?;
    /// let view = registry.view(Caller::new("ann"));
    /// let call = ToolCall::new("call_1", "set_password", r#"{"user": "bob", "password": "1234"}"#);
    /// assert_eq!(view.dispatch_blocking(&call, Options::default())?.status(), Status::Ok);
    /// assert_eq!(view.dispatch_blocking(&call, Options::default())?.status(), Status::Duplicate);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn secret_key(mut self, key: impl AsRef<[u8]>) -> Self {
        let key = key.as_ref();
        if key.len() < LEAST_KEY {
            self.faults.push(ToolConfigError::new(format!(
                "the secret key has {} bytes; at least {LEAST_KEY} are needed",
                key.len()
            )));
        }
        self.secret_key = Some(key.into());
        self
    }

    /// Makes every call a rehearsal, as [`Options::dry_run`](crate::Options::dry_run) makes one: shadow mode.
    ///
    /// Tools that say `effect = "read"` run.
    ///
    /// ```
    /// use toolkit::prelude::*;
    ///
    /// /// Deletes a file.
    /// #[tool(preview = format!("It would delete {path} for good."))]
    /// fn delete(path: &str) {
    ///     panic!("nothing runs")
    /// }
    ///
    /// let view = Registry::builder().tools(tools![delete]).dry_run().build()?.view(Caller::new("ann"));
    /// let call = ToolCall::new("call_1", "delete", r#"{"path": "/tmp/a"}"#);
    /// let outcome = view.dispatch_blocking(call, Options::default())?;
    /// assert_eq!(
    ///     outcome.text(),
    ///     "dry run: every check was passed and nothing ran. It would delete /tmp/a for good.",
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn dry_run(mut self) -> Self {
        self.dry_run = true;
        self
    }

    /// Finds tools by meaning, too: [`View::search`](crate::View::search). Default by words alone.
    #[must_use]
    pub fn embedder(mut self, embedder: impl Embedder + 'static) -> Self {
        self.search.embedder = Some(Arc::new(embedder));
        self
    }

    pub(crate) fn finder(mut self, finder: impl Finder + 'static) -> Self {
        self.search.finder = Some(Box::new(finder));
        self
    }

    /// Checks everything that can be checked without a call.
    ///
    /// # Errors
    /// Every mistake there is, at once:
    ///
    /// - a name of other letters than `^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`, or of a dynamic
    ///   tool than `^[A-Za-z0-9_.-]{1,128}$`; two names that are equal or look alike;
    /// - a blank description; one with a character that is not shown, in a title or a schema, too;
    /// - a tool that requires one that is not there, or that requires it in turn;
    /// - an effect that is not declared, where another tool declares one;
    /// - a call that may need approval, and no approver; an effect without a rule of approval,
    ///   where those are required; a `#[state]` that was not given;
    /// - a time limit without a timer; a tool that blocks, and no threads; a bound of no size;
    /// - a secret that stands inside of another argument, or that could not be kept;
    /// - a schema that is not of an object, has more than 256 KiB, or has a keyword that
    ///   only the feature `jsonschema` takes; a default or an example that it does not accept;
    /// - a tool that is always to be read beside a search, and is not there; an embedder that
    ///   fails, or gives vectors of two lengths.
    pub fn build(self) -> Result<Registry, ToolConfigErrors> {
        let Self {
            mut tools,
            states,
            approver,
            ledger,
            settings,
            timer,
            timeout,
            threads,
            limits,
            on_taint,
            requires_approval_rules,
            secret_key,
            dry_run,
            search,
            mut faults,
        } = self;
        let declared = tools.iter().any(|tool| tool.policy.effect.is_some());
        let finder = search.finder.map(|finder| added(finder, &mut tools, &mut faults));
        faults.extend(at_large(&tools, &limits, timeout, timer.is_some()));
        faults.extend(unmeetable(&tools));
        let is_tainted =
            on_taint == OnTaint::Approval && tools.iter().any(|tool| tool.policy.reads_untrusted);
        let guards = Guards {
            ledger: ledger.as_deref(),
            has_approver: approver.is_some(),
            has_timer: timer.is_some(),
            has_threads: threads.is_some(),
            has_key: secret_key.is_some(),
            is_tainted,
            requires_approval_rules,
        };
        let checked = tools.into_iter().filter_map(|tool| {
            entry(tool, declared, &states, &guards).map_err(|more| faults.extend(more)).ok()
        });
        let (entries, definitions): (Vec<_>, Vec<_>) = checked.unzip();
        let meaning = search.embedder.and_then(|e| known_by(e, &definitions, &mut faults));
        ToolConfigErrors::of(faults)?;
        let worker = format!("process {} {}", std::process::id(), gate::error_id());
        let book = ledger.map(|ledger| Book::new(ledger, settings, worker));
        let house = House {
            approver,
            states: Arc::new(states),
            book,
            timeout: timer.is_some().then(|| timeout.unwrap_or(TIMEOUT)),
            timer,
            room: Arc::new(Semaphore::new(limits.at_once)),
            threads,
            lost: Arc::new(Lost::none(limits.lost_threads)),
            limits,
            on_taint,
            secret_key,
            dry_run,
        };
        let entries = Entries::new(entries);
        let (wires, required) = (wires(&entries), required(&entries));
        let (forms, index) = (Forms::default(), OnceLock::new());
        let checked =
            Checked { entries, definitions, wires, forms, house, required, index, meaning, finder };
        Ok(Registry(Arc::new(checked)))
    }

    /// Keeps a value; tells what another one of its type was given as.
    fn give<T: Send + Sync + ?Sized + 'static>(
        &mut self,
        given: Given,
        value: Arc<T>,
    ) -> Option<Given> {
        let (earlier, fault) = self.states.give(given, value)?;
        self.faults.push(fault);
        Some(earlier)
    }
}

/// How tools are found.
#[derive(Default)]
struct Search {
    embedder: Option<Arc<dyn Embedder>>,
    finder: Option<Box<dyn Finder>>,
}

/// Adds the tool that a model finds others by; it tells of tools that it is wrong about.
fn added(
    finder: Box<dyn Finder>,
    tools: &mut Vec<Tool>,
    faults: &mut Vec<ToolConfigError>,
) -> (String, Box<dyn Finder>) {
    let is_there = |name: &&String| tools.iter().any(|tool| tool.name == **name);
    faults.extend(finder.always().iter().filter(|name| !is_there(name)).map(|name| {
        let message = format!("`{name}` is always to be read beside the search, and is no tool");
        ToolConfigError::new(message)
    }));
    let mut tool = finder.tool();
    // Also where no other tool says what it does: a rehearsal finds tools as well.
    tool.policy.effect = Some(Effect::Read);
    let name = tool.name.clone();
    tools.push(tool);
    (name, finder)
}

/// What the definitions mean.
fn meaning(
    embedder: &dyn Embedder,
    definitions: &[Definition],
) -> Result<Vectors, ToolConfigError> {
    let text = |Definition { name, description, .. }: &Definition| {
        format!("{}: {description}", split(name).join(" "))
    };
    let texts: Vec<String> = definitions.iter().map(text).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    Vectors::of(embedder, &texts).map_err(|error| {
        ToolConfigError::new(format!("the embedder can not tell what the tools mean: {error}"))
    })
}

impl fmt::Debug for RegistryBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RegistryBuilder").field("tools", &self.tools).finish_non_exhaustive()
    }
}

/// How long a tool's own code may take where nobody says.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A tool as the registry holds it and as a model reads it, or everything that is wrong with it.
fn entry(
    tool: Tool,
    declared: bool,
    states: &Shared,
    guards: &Guards<'_>,
) -> Result<(Entry, Definition), Vec<ToolConfigError>> {
    let mut messages = faults_of(&tool, declared, states);
    messages.extend(unguarded(&tool, guards));
    let prepared = match prepare(&tool) {
        Ok((definition, schema)) => {
            let (secrets, more) = hidden(&tool, &definition, guards);
            messages.extend(more);
            messages.extend(unseen(&definition));
            Some((definition, schema, secrets))
        }
        Err(more) => {
            messages.extend(more);
            None
        }
    };
    match prepared {
        Some((definition, schema, secrets)) if messages.is_empty() => {
            let fields = fields(&definition, &secrets);
            let revision = revision(&tool, &definition);
            Ok((Entry::new(tool, schema, revision).hiding(secrets, fields), definition))
        }
        _ => Err(messages.into_iter().map(|message| blame(&tool, message)).collect()),
    }
}

/// The embedder with the vectors of the definitions.
fn known_by(
    embedder: Arc<dyn Embedder>,
    definitions: &[Definition],
    faults: &mut Vec<ToolConfigError>,
) -> Option<(Arc<dyn Embedder>, Vectors)> {
    let vectors = meaning(&*embedder, definitions).map_err(|error| faults.push(error));
    Some((embedder, vectors.ok()?))
}

/// What can be guessed in no time is no key.
const LEAST_KEY: usize = 32;

/// The names of a tool's arguments, where some are secret.
fn fields(definition: &Definition, secrets: &[String]) -> Vec<String> {
    let fields = definition.input_schema.get("properties").and_then(Value::as_object);
    let fields = fields.filter(|_| !secrets.is_empty());
    fields.into_iter().flatten().map(|(name, _)| name.clone()).collect()
}
