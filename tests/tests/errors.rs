//! The three errors, what is internal, and what nobody but the host may read.

use std::fmt;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use toolkit::dialect::{Anthropic, Dialect, OpenAiChat, Reply, Request};
use toolkit::prelude::*;
use toolkit::{
    Abort, Agent, Category, FatalKind, Options, Outcome, Registry, ScriptedModel, Status,
};
use toolkit_tests::{call, view_of};

const SECRET: &str = "hunter2";

#[derive(Debug, thiserror::Error)]
#[error("connecting with password {SECRET}")]
struct Foreign(#[source] std::io::Error);

fn foreign() -> Foreign {
    Foreign(std::io::Error::other(format!("token {SECRET}")))
}

/// Text error.
#[tool]
fn text_error() -> Result<u8, String> {
    Err(format!("db says {SECRET}"))
}

/// Foreign error.
#[tool]
fn foreign_error() -> Result<u8, Failure> {
    Err(foreign())?
}

/// Boxed error.
#[tool]
fn boxed_error() -> Result<u8, Box<dyn std::error::Error + Send + Sync>> {
    Err(foreign().into())
}

/// A tool error wrapped in another.
#[tool]
fn wrapped() -> Result<u8, Failure> {
    #[derive(Debug, thiserror::Error)]
    #[error("while at it: {0}")]
    struct Wrapped(#[source] ToolError);
    Err(Wrapped(ToolError::business(SECRET)))?
}

/// Panics.
#[tool]
fn panics() -> u8 {
    panic!("at /secret/{SECRET}")
}

/// Panics with a text that is made.
#[tool]
fn panics_made() -> Result<u8, ToolError> {
    std::panic::panic_any(String::from(SECRET))
}

/// Panics after its first await.
#[tool]
async fn panics_late() -> u8 {
    tokio::task::yield_now().await;
    panic!("{SECRET}")
}

/// Panics with a payload that panics when it is dropped.
#[tool]
fn panics_twice() -> u8 {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("{SECRET} again")
        }
    }
    std::panic::panic_any(Bomb)
}

/// Holds a secret in what it returns and can not write it.
#[tool]
fn unwritable() -> std::collections::BTreeMap<(u8, u8), String> {
    std::iter::once(((1, 2), SECRET.to_owned())).collect()
}

/// A mean of nothing.
#[tool]
fn mean(xs: Vec<f64>) -> f64 {
    let count = f64::from(u32::try_from(xs.len()).unwrap_or(u32::MAX));
    xs.iter().sum::<f64>() / count
}

/// Everything that was logged.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Log {
    fn write(&mut self, buf: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(buf);
        Ok(buf.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Calls a tool of this file; the outcome and what the host's log says.
fn logged(name: &str, arguments: &str) -> (Outcome, String) {
    let log = Log::default();
    let writer = log.clone();
    let subscriber =
        tracing_subscriber::fmt().with_writer(move || writer.clone()).with_ansi(false).finish();
    let registry = Registry::builder()
        .tools(tools![
            text_error,
            foreign_error,
            boxed_error,
            wrapped,
            panics,
            panics_made,
            panics_late,
            panics_twice,
            unwritable,
            mean
        ])
        .build()
        .unwrap();
    let view = registry.view(Caller::new("ada"));
    let call = ToolCall::new("call_1", name, arguments);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let outcome = tracing::subscriber::with_default(subscriber, || {
        runtime.block_on(view.dispatch(call, Options::default())).unwrap()
    });
    let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    (outcome, text)
}

#[test]
fn what_is_not_a_tool_error_stays_with_the_host() {
    for name in [
        "text_error",
        "foreign_error",
        "boxed_error",
        "wrapped",
        "panics",
        "panics_made",
        "panics_late",
    ] {
        let (outcome, log) = logged(name, "{}");
        let id = outcome.error_id().unwrap();
        assert_eq!(outcome.text(), format!("{name} failed internally (error id {id})"));
        assert_eq!(outcome.status(), Status::Failed);
        assert!(!outcome.is_retryable() && outcome.executed());
        assert!(!format!("{outcome:?}").contains(SECRET), "{outcome:?}");
        assert!(log.contains(SECRET) && log.contains(id), "the host reads it: {log}");
    }
    let (_, log) = logged("foreign_error", "{}");
    assert!(log.contains(&format!("connecting with password {SECRET}: token {SECRET}")), "{log}");
}

#[test]
fn no_text_but_a_tool_error_s_reaches_a_transcript_or_the_next_request() {
    let names = [
        "text_error",
        "foreign_error",
        "boxed_error",
        "wrapped",
        "panics",
        "panics_made",
        "unwritable",
    ];
    let registry = Registry::builder()
        .tools(tools![
            text_error,
            foreign_error,
            boxed_error,
            wrapped,
            panics,
            panics_made,
            unwritable
        ])
        .build()
        .unwrap();
    let view = registry.view(Caller::new("ada"));
    let calls = names.map(|name| ToolCall::new(name, name, "{}"));
    let model = ScriptedModel::new([Reply::calls(calls), Reply::text("None of them worked.")]);
    let run = Agent::new(model, view.clone()).run_blocking("Try all.").unwrap();
    assert!(run.ok(), "{run:?}");
    assert_eq!(run.trajectory(), names);
    assert!(!format!("{run:?}").contains(SECRET), "{run:?}");
    for dialect in [&Anthropic as &dyn Dialect, &OpenAiChat] {
        let request =
            Request::new("model", run.transcript()).tools(view.definitions(dialect).unwrap());
        let request = dialect.request(&request).to_string();
        assert!(request.contains("failed internally (error id ") && !request.contains(SECRET));
    }
}

#[test]
fn a_panic_whose_payload_panics_too_is_contained() {
    let (outcome, _) = logged("panics_twice", "{}");
    assert_eq!(outcome.status(), Status::Failed);
    assert!(!format!("{outcome:?}").contains(SECRET));
}

#[test]
fn a_result_that_can_not_be_written_is_never_retryable() {
    for (name, arguments, reason) in
        [("unwritable", "{}", "key must be a string"), ("mean", r#"{"xs":[]}"#, "not finite")]
    {
        let (outcome, log) = logged(name, arguments);
        let id = outcome.error_id().unwrap();
        assert_eq!(
            outcome.text(),
            format!(
                "{name} ran, but its result can not be represented (error id {id}). Do not call it again for the same purpose."
            )
        );
        assert!(outcome.executed() && !outcome.is_retryable());
        assert!(log.contains(reason), "{log}");
    }
    assert_eq!(logged("mean", r#"{"xs":[1,2]}"#).0.text(), "1.5");
}

#[test]
fn error_ids_tell_errors_apart() {
    let first = logged("panics", "{}").0.error_id().map(str::to_owned);
    assert_ne!(first, logged("panics", "{}").0.error_id().map(str::to_owned));
}

#[test]
fn the_text_of_a_tool_error_arrives_whole() {
    /// Fails in a way.
    #[tool]
    fn fails(how: String) -> Result<u8, ToolError> {
        Err(match how.as_str() {
            "validation" => ToolError::validation("no order O-1").hint("orders look like O-4471"),
            "business" => ToolError::business("already refunded"),
            "transient" => ToolError::transient("the bank is busy"),
            "permission" => ToolError::permission("not your order"),
            _ => ToolError::business(" "),
        })
    }
    let view = view_of(Tool::of::<fails>());
    let told = |how: &str| {
        let outcome = call(&view, "fails", &format!(r#"{{"how":"{how}"}}"#));
        assert_eq!(outcome.status(), Status::Failed);
        (outcome.text().to_owned(), outcome.category().unwrap(), outcome.is_retryable())
    };
    let hinted = "no order O-1\nhint: orders look like O-4471".to_owned();
    assert_eq!(told("validation"), (hinted, Category::Validation, true));
    assert_eq!(told("business"), ("already refunded".to_owned(), Category::Business, false));
    assert_eq!(told("transient"), ("the bank is busy".to_owned(), Category::Transient, true));
    assert_eq!(told("permission"), ("not your order".to_owned(), Category::Permission, false));
    assert_eq!(told("blank").0, "a business rule does not allow this");
}

#[test]
fn fatal_and_config_errors_come_out_as_an_abort() {
    /// Fails for good.
    #[tool]
    async fn fatal(config: bool) -> Result<u8, Failure> {
        if config {
            Err(ToolConfigError::new("no bank is wired"))?;
        }
        Err(FatalToolError::denied(SECRET))?
    }
    let view = view_of(Tool::of::<fatal>());
    let abort = |arguments: &str| {
        view.dispatch_blocking(ToolCall::new("c", "fatal", arguments), Options::default())
            .unwrap_err()
    };
    assert_eq!(
        abort(r#"{"config":false}"#),
        Abort::Fatal {
            tool: "fatal".to_owned(),
            error: FatalToolError::denied(SECRET),
            executed: true
        }
    );
    let Abort::Fatal { error, .. } = abort(r#"{"config":false}"#) else { panic!("not fatal") };
    assert_eq!(error.kind(), FatalKind::Denied);
    let config = abort(r#"{"config":true}"#);
    assert_eq!(config, Abort::Config(ToolConfigError::new("no bank is wired").of_tool("fatal")));
    assert_eq!(config.to_string(), "tool `fatal`: no bank is wired");
}

#[test]
fn a_rule_that_ends_the_run_leaves_the_function_alone() {
    fn denied(config: bool) -> Result<(), Failure> {
        if config {
            Err(ToolConfigError::new("no rules are wired"))?;
        }
        Err(FatalToolError::credential(SECRET))?
    }
    /// Pays.
    #[tool(check = denied(config))]
    fn pay(config: bool) -> u8 {
        panic!("the function ran with {config}")
    }
    let view = view_of(Tool::of::<pay>());
    let abort = |arguments: &str| {
        view.dispatch_blocking(ToolCall::new("c", "pay", arguments), Options::default())
            .unwrap_err()
    };
    let error = FatalToolError::credential(SECRET);
    let fatal = Abort::Fatal { tool: "pay".to_owned(), error, executed: false };
    assert_eq!(abort(r#"{"config":false}"#), fatal);
    let config = ToolConfigError::new("no rules are wired").of_tool("pay");
    assert_eq!(abort(r#"{"config":true}"#), Abort::Config(config));

    let model =
        ScriptedModel::new([Reply::calls([ToolCall::new("c", "pay", r#"{"config":false}"#)])]);
    let run = Agent::new(model, view).run_blocking("Pay.").unwrap();
    assert_eq!(run.requested_tools(), ["pay"]);
    assert_eq!(run.trajectory(), Vec::<&str>::new());
    assert_eq!(run.blocked_tools(), ["pay"]);
    assert!(!run.ok());
}

#[test]
fn results_of_every_kind_are_told_apart_from_silence() {
    type Answer<T> = Result<T, ToolError>;

    /// Nothing.
    #[tool]
    fn nothing() {}
    /// Nothing, maybe.
    #[tool]
    fn nothing_maybe() -> Answer<()> {
        Ok(())
    }
    /// Text.
    #[tool]
    fn text() -> &'static str {
        "plain \"text\""
    }
    /// A list.
    #[tool]
    fn list() -> Vec<u8> {
        Vec::new()
    }
    /// Maybe a thing.
    #[tool]
    fn maybe() -> Answer<Option<u8>> {
        Ok(None)
    }
    /// A thing.
    #[tool]
    fn thing() -> Answer<Value> {
        Ok(json!({"b": 1, "a": [true]}))
    }
    let registry = Registry::builder()
        .tools(tools![nothing, nothing_maybe, text, list, maybe, thing])
        .build()
        .unwrap();
    let view = registry.view(Caller::new("ada"));
    let told = |name: &str| {
        let outcome = call(&view, name, "{}");
        assert_eq!(outcome.status(), Status::Ok);
        (outcome.text().to_owned(), outcome.value())
    };
    assert_eq!(told("nothing"), ("ok".to_owned(), None));
    assert_eq!(told("nothing_maybe"), ("ok".to_owned(), None));
    assert_eq!(told("text"), ("plain \"text\"".to_owned(), None));
    assert_eq!(told("list"), ("[]".to_owned(), Some(json!([]))));
    assert_eq!(told("maybe"), ("null".to_owned(), Some(Value::Null)));
    assert_eq!(
        told("thing"),
        (r#"{"b":1,"a":[true]}"#.to_owned(), Some(json!({"a": [true], "b": 1})))
    );
}

#[test]
fn a_panic_in_deserialize_in_a_check_and_in_serialize_is_contained() {
    /// Text that panics when it is read or written.
    #[derive(Debug)]
    #[arg_type]
    #[serde(from = "String", into = "String")]
    struct Touchy(String);
    impl From<String> for Touchy {
        fn from(text: String) -> Self {
            assert!(text != "read", "{SECRET}");
            Self(text)
        }
    }
    impl From<Touchy> for String {
        fn from(touchy: Touchy) -> Self {
            assert!(touchy.0 != "write", "{SECRET}");
            touchy.0
        }
    }
    impl Clone for Touchy {
        fn clone(&self) -> Self {
            Self(self.0.clone())
        }
    }
    fn rule(touchy: &Touchy) -> Result<(), Problem> {
        assert!(touchy.0 != "check", "{SECRET}");
        Ok(())
    }
    /// Repeats.
    #[tool(check = rule(&touchy))]
    fn repeat(touchy: Touchy) -> Touchy {
        touchy
    }
    let view = view_of(Tool::of::<repeat>());
    for (text, executed) in [("read", false), ("check", false), ("write", true)] {
        let outcome = call(&view, "repeat", &format!(r#"{{"touchy":"{text}"}}"#));
        assert_eq!(outcome.status(), Status::Failed, "{text}");
        assert_eq!(outcome.executed(), executed, "{text}");
        assert!(!format!("{outcome:?}").contains(SECRET));
    }
    assert_eq!(call(&view, "repeat", r#"{"touchy":"x"}"#).text(), "x");
}

#[test]
fn an_error_that_panics_or_never_ends_when_it_is_read_is_contained() {
    #[derive(Debug)]
    enum Bad {
        Written,
        Dropped,
        Circle,
    }
    impl fmt::Display for Bad {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            assert!(!matches!(self, Self::Written), "{SECRET}");
            f.write_str("bad")
        }
    }
    impl std::error::Error for Bad {
        fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
            matches!(self, Self::Circle).then_some(self)
        }
    }
    impl Drop for Bad {
        fn drop(&mut self) {
            assert!(!matches!(self, Self::Dropped), "{SECRET}");
        }
    }
    /// Fails badly.
    #[tool]
    fn bad(how: u8) -> Result<u8, Bad> {
        Err(match how {
            0 => Bad::Written,
            1 => Bad::Dropped,
            _ => Bad::Circle,
        })
    }
    let view = view_of(Tool::of::<bad>());
    for how in 0..3 {
        let outcome = call(&view, "bad", &format!("{{\"how\":{how}}}"));
        let id = outcome.error_id().unwrap();
        assert_eq!(outcome.text(), format!("bad failed internally (error id {id})"));
    }
}

#[test]
fn a_tool_error_in_a_box_is_a_tool_error() {
    /// Fails.
    #[tool]
    fn boxed() -> Result<u8, Box<ToolError>> {
        Err(Box::new(ToolError::business("already refunded")))
    }
    assert_eq!(call(&view_of(Tool::of::<boxed>()), "boxed", "{}").text(), "already refunded");
}

#[test]
fn a_call_that_is_dropped_midway_lets_no_panic_out() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("{SECRET}")
        }
    }
    /// Never ends.
    #[tool]
    async fn never() -> u8 {
        let _bomb = Bomb;
        std::future::pending().await
    }
    let view = view_of(Tool::of::<never>());
    let mut call = Box::pin(view.dispatch(ToolCall::new("c", "never", "{}"), Options::default()));
    let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
    assert!(call.as_mut().poll(&mut cx).is_pending());
    drop(call);
}

#[test]
fn dispatch_can_cross_threads() {
    fn send<T: Send>(value: T) -> T {
        value
    }
    let view = view_of(Tool::of::<mean>());
    drop(send(view.dispatch(ToolCall::new("c", "mean", "{}"), Options::default())));
}

#[test]
fn the_debug_of_a_failure_tells_no_text() {
    let failure = Failure::from(foreign());
    assert_eq!(format!("{failure:?}"), "Internal");
    let _: &dyn fmt::Debug = &failure;
}
