//! Turns annotated functions into tools that a language model may ask for, safely.

pub use toolkit_core::{
    Abort, BoxError, BoxFuture, CallContext, Caller, Category, DynamicTool, Effect, Failure,
    FatalKind, FatalToolError, Limits, Outcome, Path, Problem, ProblemKind, Scopes, Status, Step,
    Tool, ToolArg, ToolCall, ToolConfigError, ToolConfigErrors, ToolError, ToolFailure, ToolOutput,
    constraint,
};
pub use toolkit_core::{
    ApprovalRequest, Approver, Decision, Options, Registry, RegistryBuilder, View,
};
// The loop and what it runs on.
pub use toolkit_core::{
    Agent, Bound, Budget, Clock, Model, ModelError, Run, ScriptedModel, Stop, SystemClock, Turn,
    dialect, dialect::Reply,
};
pub use toolkit_macros::{arg_type, tool};

/// Collects annotated functions for a registry.
#[macro_export]
macro_rules! tools {
    ($($tool:ty),* $(,)?) => {
        [$($crate::Tool::of::<$tool>()),*]
    };
}

/// What most programs use.
pub mod prelude {
    pub use crate::{
        CallContext, Caller, Failure, FatalToolError, Problem, Tool, ToolCall, ToolConfigError,
        ToolError, arg_type, tool, tools,
    };
}

/// What generated code uses; nobody else may.
#[doc(hidden)]
pub mod __private {
    pub use schemars;
    pub use serde;
    pub use toolkit_core::__private::*;
    pub use toolkit_core::{BoxFuture, Effect};
}
