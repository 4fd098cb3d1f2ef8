//! What runs between a model's call and a function: the registry, the gates and the loop.
//!
//! Users depend on the `toolkit` crate, which re-exports what they need of this one.

mod agent;
mod arguments;
mod bytes;
mod call;
mod caller;
mod cancellation;
mod catalogue;
mod content;
mod context;
mod decoder;
pub mod dialect;
mod error;
pub mod eval;
mod gate;
mod index;
pub mod ledger;
mod limits;
mod lint;
mod output;
mod problem;
mod registry;
mod results;
mod schema;
mod search;
mod secret;
mod serialised;
#[cfg(feature = "testing")]
pub mod testing;
mod tool;

pub use agent::{
    Agent, Bound, Budget, Clock, Model, ModelError, Run, ScriptedModel, Stop, SystemClock, Turn,
    Unverified, told_numbers,
};
pub use call::{Outcome, Status, ToolCall};
pub use caller::{Caller, Scopes};
pub use cancellation::Cancellation;
pub use catalogue::{Change, ChangeKind, Changes};
pub use content::Content;
pub use context::{CallContext, Observer, Progress};
pub use decoder::{Decoder, Report};
pub use error::{
    Abort, BoxError, Category, Failure, FatalKind, FatalToolError, ToolConfigError,
    ToolConfigErrors, ToolError,
};
pub use gate::{ApprovalRequest, Approver, Decision, OnTaint, ThreadTimer, Threads, Timer};
pub use index::Embedder;
pub use limits::Limits;
pub use lint::{Finding, Level, Lint, LintReport, Rule};
pub use problem::{Path, Problem, ProblemKind, Step};
pub use registry::{Options, Registry, RegistryBuilder, RunMemory, View};
pub use results::{Concise, Detail, Rows};
pub use search::{Found, ToolSearch};
pub use secret::Secret;
pub use tool::{
    BoxFuture, DynamicTool, Effect, OnUnknown, Tool, ToolArg, ToolFailure, ToolOutput, Toolbox,
    Verified,
};

/// The types that a constraint fits, asked of the type and never of its spelling.
///
/// A constraint goes through `Option`, `Box` and references.
///
/// ```
/// use toolkit::constraint::{List, Number, Text};
///
/// fn takes_minimum<T: Number>() {}
/// fn takes_pattern<T: Text>() {}
/// fn takes_min_items<T: List>() {}
///
/// takes_minimum::<Option<u8>>();
/// takes_pattern::<Box<String>>();
/// takes_min_items::<Vec<f64>>();
/// ```
pub mod constraint {
    pub use crate::tool::{List, Number, Text};
}

/// What generated code uses; nobody else may.
#[doc(hidden)]
pub mod __private {
    #[cfg(feature = "testing")]
    pub use crate::arguments::BareSchema;
    pub use crate::arguments::{Guided, Parsed, Refused, Slot, Unread};
    pub use crate::catalogue::{changes_between, locked};
    pub use crate::output::{Output, SchemaOf, in_formats};
    pub use crate::results::{FORMAT, Formatted, in_format};
    pub use crate::tool::read::*;
    pub use crate::tool::{
        Annotated, Answer, Answered, ApprovalPolicy, Asking, Borrowed, Constant, Fallible,
        FromContext, FromStates, Gates, Held, Hints, IntoPreview, IntoRefusal, IntoToolbox,
        IntoVerified, Keyword, Later, LedgerUse, List, NoRules, Number, OnDenied, Param, Passage,
        Plain, Policy, Receiver, Refusal, Requirement, Rest, Returned, Rule, Rules, Said,
        StateNeed, States, Stopped, Table, Text, Toolbox, Valued, any, by, check, checked, found,
        later, lend, list, number, param, preview, previewed, returned, ruled, ruled_later, text,
        verified, verify,
    };

    pub use crate::tool::Constant::{Bool, Float, Int, Items, Json, Str};
    pub use crate::tool::Rule::{Approval, Check, Preview, Verify};
    pub use crate::tool::Said::{Asks, Nothing};

    /// The traits by which types are asked, without names that could hide a user's.
    pub mod asked {
        pub use crate::output::{HasSchema as _, NoSchema as _};
        pub use crate::tool::Plain as _;
    }

    /// Writes a constant as JSON.
    pub fn json<T: serde::Serialize>(value: T) -> serde_json::Value {
        // A value that is not JSON can not satisfy the schema either, and `build()` says so.
        serde_json::to_value(value).unwrap_or_default()
    }

    /// Whether a text holds characters that are not shown.
    #[must_use]
    pub const fn has_unseen(text: &str) -> bool {
        crate::problem::has_unseen(text)
    }

    /// Whether a description says nothing.
    #[must_use]
    pub const fn is_blank(text: &str) -> bool {
        text.trim_ascii().is_empty()
    }
}
