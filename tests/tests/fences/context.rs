//! What passes between a call and its host while it runs.

use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use toolkit::prelude::*;
use toolkit::{Cancellation, Observer, Progress, ThreadTimer};
use toolkit_tests::view_of;

/// Tells what its context says.
#[tool]
async fn tell(#[context] cx: &CallContext) -> String {
    format!("{} {:?}", cx.cancellation().is_cancelled(), cx.deadline())
}

#[derive(Default)]
struct Heard(Mutex<Vec<String>>);

impl Observer for Heard {
    fn progress(&self, call: &CallContext, progress: Progress<'_>) {
        self.0.lock().unwrap().push(format!("{} {progress:?}", call.call_id()));
    }

    fn emitted(&self, call: &CallContext, text: &str) {
        self.0.lock().unwrap().push(format!("{} {text:?}", call.call_id()));
    }
}

#[test]
fn a_call_that_nothing_is_given_along_with_is_never_cancelled_and_has_no_deadline() {
    let call = ToolCall::new("1", "tell", "{}");
    let outcome = view_of(Tool::of::<tell>()).dispatch_blocking(call, Options::default());
    assert_eq!(outcome.unwrap().text(), "false None");
}

#[test]
fn what_the_host_gives_along_reaches_the_tool() {
    let deadline = Instant::now() + Duration::from_secs(3600);
    for (timeout, is_earlier) in
        [(Duration::from_secs(7200), false), (Duration::from_secs(1), true)]
    {
        let options = Options::default().deadline(deadline).cancellation(Cancellation::new());
        let call = ToolCall::new("1", "tell", "{}");
        let registry = Registry::builder().tools(tools![tell]).timer(ThreadTimer).timeout(timeout);
        let registry = registry.build().unwrap();
        let timed = registry.view(Caller::new("ann")).dispatch_blocking(call, options).unwrap();
        let (word, moment) = timed.text().split_once(' ').unwrap();
        assert_eq!(word, "false");
        assert_eq!(moment != format!("{:?}", Some(deadline)), is_earlier);
    }
}

#[test]
fn a_function_that_is_done_at_once_knows_its_time_as_well_and_counts_as_entered() {
    /// Tells whether it has a limit.
    #[tool(effect = "read")]
    fn hurry(#[context] cx: &CallContext) -> Result<(), ToolError> {
        Err(ToolError::business(format!("{}", cx.deadline().is_some())))
    }
    for (timeout, is_limited) in [(None, "false"), (Some(Duration::from_secs(9)), "true")] {
        let builder = Registry::builder().tools(tools![hurry]);
        let builder = match timeout {
            None => builder,
            Some(timeout) => builder.timer(ThreadTimer).timeout(timeout),
        };
        let view = builder.build().unwrap().view(Caller::new("ann"));
        let call = ToolCall::new("1", "hurry", "{}");
        let outcome = view.dispatch_blocking(call, Options::default()).unwrap();
        assert_eq!((outcome.text(), outcome.executed()), (is_limited, true));
    }
}

#[test]
fn the_run_of_a_call_is_named_to_a_function_that_is_done_at_once_as_to_any_other() {
    /// Tells its run.
    #[tool]
    fn run_of(#[context] cx: &CallContext) -> String {
        format!("{:?}", cx.run_id())
    }
    let view = view_of(Tool::of::<run_of>());
    for (options, told) in [
        (Options::default(), "None"),
        (Options::default().run_id("run-7"), r#"Some("run-7")"#),
        (Options::default().run_id("run-7").cancellation(Cancellation::new()), r#"Some("run-7")"#),
    ] {
        let shown = format!("{options:?}");
        let call = ToolCall::new("1", "run_of", "{}");
        assert_eq!(view.dispatch_blocking(call, options).unwrap().text(), told, "{shown}");
        assert!(shown.contains(&format!("run_id: {told}")), "{shown}");
    }
}

#[test]
fn a_dynamic_tool_tells_its_host_as_an_annotated_one_does() {
    /// Works.
    #[tool]
    fn work(#[context] cx: &CallContext) {
        cx.progress(1, None, "half");
        cx.emit("a\u{1b}[2J");
    }
    let run = |_, cx: CallContext| async move {
        cx.progress(1, None, "half");
        cx.emit("a\u{1b}[2J");
        Ok::<_, ToolError>(())
    };
    let dynamic = Tool::dynamic("work", "Works.", serde_json::json!({}), run);
    for tool in [Tool::of::<work>(), dynamic.into()] {
        let heard = Arc::new(Heard::default());
        let options = Options::default().observer(Arc::clone(&heard) as Arc<dyn Observer>);
        let call = ToolCall::new("c7", "work", "{}");
        let outcome = view_of(tool).dispatch_blocking(call, options).unwrap();
        assert_eq!(outcome.text(), "ok");
        assert_eq!(
            *heard.0.lock().unwrap(),
            [
                r#"c7 Progress { done: 1, total: None, message: Some("half") }"#,
                r#"c7 "a\u{1b}[2J""#
            ],
        );
    }
}

#[test]
fn a_word_is_heard_by_all_who_wait_and_by_who_comes_later() {
    let word = Cancellation::new();
    let waiting: Vec<_> = (0..8)
        .map(|_| {
            let word = word.clone();
            thread::spawn(move || pollster::block_on(word.cancelled()))
        })
        .collect();
    word.cancel();
    word.cancel();
    for waiting in waiting {
        waiting.join().unwrap();
    }
    pollster::block_on(word.cancelled());
    assert_eq!(format!("{word:?}"), "Cancellation(true)");
}

#[test]
fn a_word_is_never_missed_however_the_threads_meet() {
    for _ in 0..toolkit_tests::cases(2_000) {
        let word = Cancellation::new();
        let heard = word.clone();
        let waiting = thread::spawn(move || pollster::block_on(heard.cancelled()));
        word.cancel();
        waiting.join().unwrap();
    }
}
