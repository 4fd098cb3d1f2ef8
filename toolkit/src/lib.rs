#![doc = include_str!("../../README.md")]

// Tools.
pub use toolkit_core::{
    DynamicTool, Effect, OnUnknown, Secret, Tool, ToolArg, ToolFailure, ToolOutput, Toolbox,
    Verified, constraint,
};

/// Lets a struct or an enum be the type of an argument or of a result.
///
/// ```
/// use toolkit::prelude::*;
///
/// /// Currency of a payment.
/// #[arg_type]
/// #[serde(rename_all = "lowercase")]
/// enum Currency {
///     Euro,
///     Pound,
/// }
///
/// /// Tells what a payment costs.
/// #[tool]
/// fn fee(currency: Currency) -> f64 {
///     match currency {
///         Currency::Euro => 0.25,
///         Currency::Pound => 0.2,
///     }
/// }
///
/// let view = Registry::builder().tools(tools![fee]).build()?.view(Caller::new("ann"));
/// let call = ToolCall::new("call_1", "fee", r#"{"currency": "pound"}"#);
/// assert_eq!(view.dispatch_blocking(call, Options::default())?.text(), "0.2");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub use toolkit_macros::arg_type;

/// Turns a function into a tool that a language model may call.
///
/// ```
/// use toolkit::prelude::*;
///
/// #[tool(
///     description = "Refund a customer payment. Do not use for store credit.",
///     effect = "write",
///     scopes("payments:write"),
///     check = refundable(&order_id),
///     approval(amount > 500.0)
/// )]
/// async fn refund(
///     #[context] cx: &CallContext,
///     /// The order's id, like O-4471.
///     #[arg(pattern = r"^O-\d+$")]
///     order_id: String,
///     /// How much to refund.
///     #[arg(minimum = 0.01)]
///     amount: f64,
/// ) -> Result<String, Failure> {
///     Ok(format!("{} refunded {amount} for {order_id}", cx.caller().principal()))
/// }
///
/// fn refundable(order_id: &str) -> Result<(), ToolError> {
///     if order_id == "O-1" { Err(ToolError::business("already refunded")) } else { Ok(()) }
/// }
///
/// let [tool] = tools![refund];
/// assert_eq!(tool.name(), "refund");
/// ```
#[doc = include_str!("../docs/keys.md")]
pub use toolkit_macros::tool;

/// Turns the methods of a value into tools that a language model may call.
///
/// ```
/// use std::sync::atomic::{AtomicU64, Ordering};
/// use toolkit::prelude::*;
///
/// struct Support {
///     limit: f64,
///     refunds: AtomicU64,
/// }
///
/// #[toolbox]
/// impl Support {
///     /// Refund an order. Use after the order was looked up.
///     #[tool(effect = "write", check = self.is_known(&order_id), approval(amount > self.limit))]
///     async fn refund(
///         &self,
///         /// The order's id, like O-4471.
///         order_id: String,
///         #[arg(minimum = 0.01)] amount: f64,
///     ) -> String {
///         let refunds = self.refunds.fetch_add(1, Ordering::Relaxed);
///         format!("refunded {amount} for {order_id} ({refunds} before)")
///     }
///
///     /// Tell how many refunds there were.
///     #[tool(effect = "read")]
///     fn refunds(&self) -> u64 {
///         self.refunds.load(Ordering::Relaxed)
///     }
///
///     fn is_known(&self, order_id: &str) -> Result<(), ToolError> {
///         if order_id.starts_with("O-") { Ok(()) } else { Err(ToolError::business("no such order")) }
///     }
/// }
///
/// let support = Support { limit: 500.0, refunds: AtomicU64::new(0) };
/// let registry = Registry::builder()
///     .toolbox(support)
///     .ledger(toolkit::ledger::MemoryLedger::accept_loss("a demonstration"))
///     .approver(|_: ApprovalRequest| async { Decision::declined("the desk is closed") })
///     .build()?;
/// let view = registry.view(Caller::new("ann"));
/// let call = ToolCall::new("call_1", "refund", r#"{"order_id": "O-4471", "amount": 20}"#);
/// let outcome = view.dispatch_blocking(call, Options::default())?;
/// assert_eq!(outcome.text(), "refunded 20 for O-4471 (0 before)");
/// let call = ToolCall::new("call_2", "refunds", "{}");
/// assert_eq!(view.dispatch_blocking(call, Options::default())?.text(), "1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub use toolkit_macros::toolbox;

// Results that a model can go on with.
pub use toolkit_core::{Concise, Detail, Rows};

// The registry, and what one agent sees of it.
pub use toolkit_core::{Limits, OnTaint, Options, Registry, RegistryBuilder, RunMemory, View};

// The tools that fit a request.
pub use toolkit_core::{Embedder, Found, ToolSearch};

// The words that a model chooses by.
pub use toolkit_core::{Finding, Level, Lint, LintReport, Rule};

// The tools as files: for people, and to see what changed.
pub use toolkit_core::{Change, ChangeKind, Changes};

// A call, for whom it is made, and what it came to.
pub use toolkit_core::{CallContext, Caller, Content, Outcome, Scopes, Status, ToolCall};

// What passes between a call and its host while it runs.
pub use toolkit_core::{Cancellation, Observer, Progress};

// What is wrong with a call.
pub use toolkit_core::{Path, Problem, ProblemKind, Step};

// A type decoded without a tool around it.
pub use toolkit_core::{Decoder, Report};

// The three errors, and what a tool fails with.
pub use toolkit_core::{
    Abort, BoxError, Category, Failure, FatalKind, FatalToolError, ToolConfigError,
    ToolConfigErrors, ToolError,
};

// Approval.
pub use toolkit_core::{ApprovalRequest, Approver, BoxFuture, Decision};

// Where time and threads come from.
#[cfg(feature = "tokio")]
pub use tokio_host::Tokio;
pub use toolkit_core::{ThreadTimer, Threads, Timer};

// The loop.
pub use toolkit_core::dialect::Reply;
pub use toolkit_core::{
    Agent, Bound, Budget, Clock, Model, ModelError, Run, ScriptedModel, Stop, SystemClock, Turn,
    Unverified, told_numbers,
};

/// How often a model chooses the right tool, measured by labelled requests.
///
/// ```
/// use toolkit::eval::{Case, Eval, Suite, WordOverlap};
/// use toolkit::prelude::*;
///
/// /// Look up where an order is.
/// #[tool]
/// fn get_order(order_id: &str) {}
///
/// let view = Registry::builder().tools(tools![get_order]).build()?.view(Caller::new("ann"));
/// let suite = Suite::new([
///     Case::new("Where is my order?", "get_order"),
///     Case::without_tool("Sing a song."),
/// ]);
/// let evaluation = Eval::new(suite).run_blocking(&WordOverlap, &view);
/// assert_eq!(evaluation.right(), 2);
/// # Ok::<(), toolkit::ToolConfigErrors>(())
/// ```
pub mod eval {
    pub use toolkit_core::eval::{
        Case, Comparison, Eval, Evaluation, Judged, OfTool, Suite, WordOverlap, chain_success,
    };
}

/// Each provider's wire form, both ways.
///
/// # A loop of one's own
///
/// Read the reply, dispatch its calls, and put what they came to into the next request:
///
/// ```
/// use toolkit::dialect::{Answered, Anthropic, Dialect, Message, Request};
/// use toolkit::prelude::*;
///
/// /// Adds two numbers.
/// #[tool]
/// fn add(a: i64, b: i64) -> i64 {
///     a + b
/// }
///
/// let view = Registry::builder().tools(tools![add]).build()?.view(Caller::new("ann"));
/// let body = r#"{
///     "content": [{"type": "tool_use", "id": "toolu_1", "name": "add", "input": {"a": 2, "b": 3}}],
///     "stop_reason": "tool_use"
/// }"#;
///
/// let reply = Anthropic.read(body)?;
/// let mut answered = Vec::new();
/// for call in reply.tool_calls() {
///     let outcome = view.dispatch_blocking(call.clone(), Options::default())?;
///     answered.push(Answered::new(call.clone(), outcome));
/// }
/// let history = [
///     Message::User("What is 2 plus 3?".to_owned()),
///     Message::Assistant(reply),
///     Message::Results(answered),
/// ];
/// let request = Request::new("claude-sonnet-4-5", &history).tools(view.definitions(&Anthropic)?);
/// let request = Anthropic.request(&request);
/// assert_eq!(
///     request["messages"][2]["content"][0].to_string(),
///     r#"{"type":"tool_result","tool_use_id":"toolu_1","content":"5"}"#,
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # A provider behind an [`Agent`]
///
/// ```
/// use toolkit::dialect::{Dialect, OpenAiChat, Request};
/// use toolkit::prelude::*;
/// use toolkit::{Agent, Model, ModelError, Reply, Turn};
///
/// struct Gpt;
///
/// impl Model for Gpt {
///     async fn reply(&self, turn: &Turn<'_>) -> Result<Reply, ModelError> {
///         let request = Request::new("gpt-5.1", turn.messages())
///             .tools(turn.definitions(&OpenAiChat)?);
///         let body = post(OpenAiChat.request(&request).to_string()).await;
///         Ok(OpenAiChat.read(&body)?)
///     }
/// }
/// # async fn post(_request: String) -> String {
/// #     r#"{"choices": [{"message": {"content": "Hello."}, "finish_reason": "stop"}]}"#.to_owned()
/// # }
///
/// let view = Registry::builder().build()?.view(Caller::new("ann"));
/// let run = Agent::new(Gpt, view).run_blocking("Say hello.")?;
/// assert_eq!(run.answer().as_deref(), Some("Hello."));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # What each takes
///
#[doc = include_str!("../docs/dialects.md")]
pub mod dialect {
    pub use toolkit_core::dialect::{
        Answered, Anthropic, Bedrock, Choice, Definition, Dialect, DialectError, Ending, Form,
        Gemini, Mcp, McpVersion, Message, Offer, OpenAiChat, OpenAiResponses, Part, Projection,
        Reply, Request, Rewrite, RewriteKind, Server, Stream,
    };
}

/// Effectful calls: each is a row of a store, which says what came of it.
///
/// At most one automatic execution per key; exactly one when the target honours the key or can
/// be queried.
///
/// The store is chosen by where the calls are made, each but the first behind a feature:
///
/// | feature | store | for |
/// |---|---|---|
/// | | `MemoryLedger` | tests, and tools that change nothing |
/// | `sqlite` | `SqliteLedger` | the processes of one machine, in one file |
/// | `postgres` | `PostgresLedger` | the processes of many machines |
/// | `redis` | `RedisLedger` | the same, where Redis is set up to keep what it acknowledges |
///
/// A store of your own implements [`Ledger`](ledger::Ledger) and passes
/// `toolkit::testing::conforms`.
///
/// ```
/// use toolkit::ledger::{Desk, DeskError, Filter, MemoryLedger};
///
/// let desk = Desk::new(MemoryLedger::new());
/// # pollster::block_on(async {
/// for call in desk.waiting(&Filter::default()).await? {
///     println!("{}\n{}", call.id, call.rendered);
/// }
/// # Ok::<(), DeskError>(())
/// # })?;
/// # Ok::<(), DeskError>(())
/// ```
pub mod ledger;

#[cfg(feature = "mcp")]
pub mod mcp;

#[cfg(feature = "openai")]
pub mod openai;
#[cfg(feature = "rig")]
pub mod rig;

/// What is accepted, as what, and why: a row for each case in which one may doubt it.
///
/// ```
/// use toolkit::Decoder;
/// use toolkit::prelude::*;
///
/// #[derive(Debug, PartialEq)]
/// #[arg_type]
/// struct Order {
///     count: u8,
///     note: Option<String>,
/// }
///
/// let decoder = Decoder::<Order>::new()?;
/// let order = decoder.decode(r#"{"note": null, "count": 3.0}"#)?;
/// assert_eq!(order, Order { count: 3, note: None });
/// assert!(decoder.decode(r#"{"count": "3"}"#).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc = include_str!("../docs/acceptance.md")]
pub mod acceptance {}

#[cfg(feature = "tokio")]
mod tokio_host;

/// Holds your own tools to the test that toolkit holds itself to; needs the feature `testing`.
///
/// ```
/// use toolkit::prelude::*;
///
/// /// Books seats.
/// #[tool(effect = "write")]
/// fn book(#[arg(minimum = 1, maximum = 8)] seats: u8, note: Option<String>) {
///     panic!("no function is run")
/// }
///
/// #[cfg(feature = "testing")]
/// toolkit::testing::agree(Tool::of::<book>(), 1_000);
/// ```
#[cfg(feature = "testing")]
pub mod testing {
    pub use toolkit_core::testing::{
        Agreement, Arguments, ArgumentsTree, Case, Disagreement, Fault, Faulty, Mistake,
        NoAgreement, Texts, TextsTree, Trial, agree, conforms, conforms_on_threads, sequences,
    };
}

/// Collects annotated functions for a registry, as an array of [`Tool`]s.
///
/// A path names a function of another module: `tools![orders::get_order]`. One that is given to
/// no registry is told by the compiler, as any private item that is never used.
///
/// ```
/// use toolkit::prelude::*;
///
/// /// Adds two numbers.
/// #[tool]
/// fn add(a: i64, b: i64) -> i64 {
///     a + b
/// }
///
/// /// Negates a number.
/// #[tool]
/// fn negate(a: i64) -> i64 {
///     -a
/// }
///
/// let tools: [Tool; 2] = tools![add, negate];
/// assert_eq!(tools.map(|tool| tool.name().to_owned()), ["add", "negate"]);
/// ```
#[macro_export]
macro_rules! tools {
    ($($tool:ty),* $(,)?) => {
        [$($crate::Tool::of::<$tool>()),*]
    };
}

/// Fails with a readable report where the words of a registry's tools make a model stumble.
///
/// It is a test in one line: findings of [`Level::Deny`] fail it, others are printed. A
/// [`Lint`] behind the registry says how strict it is.
///
/// ```
/// use toolkit::prelude::*;
/// use toolkit::{Level, Lint, Rule};
///
/// /// Adds two numbers. Use for sums, not for dates.
/// #[tool]
/// fn add(
///     /// The first number.
///     a: i64,
///     /// The second number.
///     b: i64,
/// ) -> i64 {
///     a + b
/// }
///
/// let registry = Registry::builder().tools(tools![add]).build()?;
/// toolkit::lint!(registry);
/// toolkit::lint!(registry, Lint::new().level(Rule::NoUseWhen, Level::Deny));
/// # Ok::<(), toolkit::ToolConfigErrors>(())
/// ```
#[macro_export]
macro_rules! lint {
    ($registry:expr $(,)?) => {
        $crate::lint!($registry, $crate::Lint::new())
    };
    ($registry:expr, $lint:expr $(,)?) => {{
        let report = $lint.registry(&$registry);
        assert!(!report.is_denied(), "{report}");
        if !report.is_empty() {
            println!("{report}");
        }
    }};
}

/// Fails where the tools of a registry are not those of a checked-in file, and tells what changed.
///
/// It is a test in one line. The path is relative to the package; `TOOLKIT_BLESS=1` writes the
/// file anew.
///
/// ```no_run
/// # use toolkit::prelude::*;
/// # let registry = Registry::builder().build()?;
/// toolkit::lock!(registry, "tools.lock");
/// # Ok::<(), toolkit::ToolConfigErrors>(())
/// ```
#[macro_export]
macro_rules! lock {
    ($registry:expr, $path:expr $(,)?) => {
        $crate::__private::locked(&$registry, concat!(env!("CARGO_MANIFEST_DIR"), "/", $path))
    };
}

/// What most programs use: to write tools, to collect and to call them.
///
/// ```
/// use toolkit::prelude::*;
///
/// /// Adds two numbers.
/// #[tool]
/// fn add(a: i64, b: i64) -> i64 {
///     a + b
/// }
///
/// let view = Registry::builder().tools(tools![add]).build()?.view(Caller::new("ann"));
/// let call = ToolCall::new("call_1", "add", r#"{"a": 2, "b": 3}"#);
/// let outcome = view.dispatch_blocking(call, Options::default())?;
/// assert_eq!((outcome.status(), outcome.text()), (Status::Ok, "5"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub mod prelude {
    pub use crate::{
        ApprovalRequest, CallContext, Caller, Decision, Failure, FatalToolError, Options, Outcome,
        Problem, Registry, Status, Tool, ToolCall, ToolConfigError, ToolConfigErrors, ToolError,
        View, arg_type, tool, toolbox, tools,
    };
}

/// What generated code uses; nobody else may.
#[doc(hidden)]
pub mod __private {
    pub use schemars;
    pub use serde;
    pub use toolkit_core::__private::*;
    pub use toolkit_core::ledger::inside as ledger;
    pub use toolkit_core::{BoxFuture, Detail, Effect, OnUnknown};

    /// What an expansion brings into its own scope.
    pub mod expansion {
        pub use crate::__private as __kit;
        pub use toolkit_core::__private::asked::*;
    }
}
