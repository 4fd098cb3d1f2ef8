//! The bounded loop: what ends a run, what does not, and what a run tells of itself.

use std::future::{Future, poll_fn};
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;

use serde_json::{Value, json};
use toolkit::dialect::{Anthropic, Dialect, Ending, Message, OpenAiChat, Part};
use toolkit::{
    Agent, Bound, Budget, Caller, Clock, Effect, Failure, FatalToolError, Model, ModelError,
    Registry, Reply, Run, ScriptedModel, Stop, Tool, ToolCall, ToolConfigError, ToolError, Turn,
    View,
};

/// What really happened, in order; the tools write it.
#[derive(Debug, Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn add(&self, entry: impl Into<String>) {
        self.0.lock().unwrap().push(entry.into());
    }

    fn entries(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

/// Lets the others have a turn, once.
async fn pause() {
    let mut paused = false;
    poll_fn(|context| {
        if std::mem::replace(&mut paused, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

fn no_arguments() -> Value {
    json!({"type": "object", "properties": {}, "additionalProperties": false})
}

/// A tool that notes its beginning and its end, and gives its name back.
fn noting(name: &'static str, effect: Effect, log: &Log) -> Tool {
    let log = log.clone();
    let handler = move |_, _| {
        let log = log.clone();
        async move {
            log.add(format!("{name} begins"));
            pause().await;
            log.add(format!("{name} ends"));
            Ok::<_, Failure>(format!("{name} did it"))
        }
    };
    Tool::dynamic(name, "Notes what it does.", no_arguments(), handler).effect(effect).into()
}

/// A tool that fails.
fn failing<E>(name: &'static str, effect: Effect, log: &Log, error: E) -> Tool
where
    E: toolkit::ToolFailure + Clone + Send + Sync + 'static,
{
    let log = log.clone();
    let handler = move |_, _| {
        log.add(format!("{name} begins"));
        let error = error.clone();
        async move { Err::<String, E>(error) }
    };
    Tool::dynamic(name, "Fails.", no_arguments(), handler).effect(effect).into()
}

fn view(tools: impl IntoIterator<Item = Tool>) -> View {
    let ledger = toolkit::ledger::MemoryLedger::new();
    Registry::builder().tools(tools).ledger(ledger).build().unwrap().view(Caller::new("ann"))
}

fn calls(names: &[&str]) -> Reply {
    Reply::calls(names.iter().map(|&name| ToolCall::new(format!("id-{name}"), name, "{}")))
}

/// Every result of a run: the call's id, the status, what the model read.
fn results(run: &Run) -> Vec<(String, &'static str, String)> {
    let answered = run.transcript().iter().flat_map(|message| match message {
        Message::Results(answered) => answered.as_slice(),
        Message::User(_) | Message::Assistant(_) => &[],
    });
    answered
        .map(|answered| {
            let outcome = &answered.outcome;
            (answered.call.id().to_owned(), outcome.status().as_str(), outcome.text().to_owned())
        })
        .collect()
}

fn result(id: &str, status: &'static str, text: &str) -> (String, &'static str, String) {
    (id.to_owned(), status, text.to_owned())
}

const NOT_RUN: &str = "not run: the turn ended before this call was reached";

#[test]
fn a_run_goes_on_until_the_model_answers() {
    let log = Log::default();
    let model = ScriptedModel::new([calls(&["look"]), Reply::text("It is there.")]);
    let agent = Agent::new(model, view([noting("look", Effect::Read, &log)]));
    let run = agent.run_blocking("Is it there?").unwrap();
    assert_eq!(run.stop(), &Stop::Answered);
    assert!(run.ok());
    assert_eq!(run.answer().as_deref(), Some("It is there."));
    assert_eq!(results(&run), [result("id-look", "ok", "look did it")]);
    let [asked, called, Message::Results(_), answered] = run.transcript() else {
        panic!("{:?}", run.transcript());
    };
    assert_eq!(asked, &Message::User("Is it there?".to_owned()));
    assert_eq!(called, &Message::Assistant(calls(&["look"])));
    assert_eq!(answered, &Message::Assistant(Reply::text("It is there.")));
    assert_eq!(log.entries(), ["look begins", "look ends"]);
}

#[test]
fn neither_a_made_up_name_nor_malformed_arguments_nor_a_tool_error_ends_a_run() {
    let log = Log::default();
    let tools = [
        noting("look", Effect::Read, &log),
        failing("find", Effect::Read, &log, ToolError::business("nothing is there")),
    ];
    let model = ScriptedModel::new([
        Reply::calls([
            ToolCall::new("1", "lok", "{}"),
            ToolCall::new("2", "look", r#"{"at": "#),
            ToolCall::new("3", "find", "{}"),
            ToolCall::new("4", "look", ""),
        ]),
        Reply::text("Nothing."),
    ]);
    let run = Agent::new(model, view(tools)).run_blocking("Look.").unwrap();
    assert!(run.ok());
    let results = results(&run);
    let told: Vec<(&str, &str)> =
        results.iter().map(|(id, status, _)| (id.as_str(), *status)).collect();
    assert_eq!(told, [("1", "unknown_tool"), ("2", "invalid"), ("3", "failed"), ("4", "ok")]);
    assert_eq!(run.requested_tools(), ["lok", "look", "find", "look"]);
    assert_eq!(run.trajectory(), ["find", "look"]);
    assert_eq!(run.blocked_tools(), ["lok", "look"]);
    assert_eq!(log.entries(), ["find begins", "look begins", "look ends"]);
}

#[test]
fn a_hidden_tool_is_blocked_and_reads_like_an_unknown_one() {
    let log = Log::default();
    let tools = [noting("look", Effect::Read, &log), noting("wipe", Effect::Write, &log)];
    let model = ScriptedModel::new([calls(&["wipe", "gone"]), Reply::text("I can't.")]);
    let run = Agent::new(model, view(tools).scoped(["look"])).run_blocking("Wipe it.").unwrap();
    let results = results(&run);
    assert_eq!(results[0].2.replace("wipe", "gone"), results[1].2);
    assert_eq!(run.blocked_tools(), ["wipe", "gone"]);
    assert_eq!((run.trajectory(), log.entries()), (Vec::new(), Vec::new()));
}

/// The one id under which the log has an error of the run.
fn error_id(run: &Run) -> String {
    let mut ids = run.transcript().iter().flat_map(|message| match message {
        Message::Results(answered) => {
            answered.iter().filter_map(|answer| answer.outcome.error_id()).collect::<Vec<_>>()
        }
        Message::User(_) | Message::Assistant(_) => Vec::new(),
    });
    ids.next().unwrap().to_owned()
}

#[test]
fn a_fatal_error_ends_the_run_and_the_model_reads_nothing_of_it() {
    let log = Log::default();
    let error = FatalToolError::credential("token s3cret was refused");
    let tools =
        [noting("look", Effect::Read, &log), failing("pay", Effect::Write, &log, error.clone())];
    let model = ScriptedModel::new([calls(&["look", "pay", "look"])]);
    let run = Agent::new(model, view(tools)).run_blocking("Pay.").unwrap();
    assert_eq!(run.stop(), &Stop::Fatal { tool: "pay".to_owned(), error });
    assert!(!run.ok());
    assert_eq!(run.answer(), None);
    assert_eq!(
        results(&run),
        [
            result("id-look", "ok", "look did it"),
            result(
                "id-pay",
                "failed",
                &format!("pay failed internally (error id {})", error_id(&run))
            ),
            result("call_1_3", "not_run", NOT_RUN),
        ]
    );
    assert_eq!(run.trajectory(), ["look", "pay"]);
    assert_eq!(run.blocked_tools(), ["look"]);
    assert_eq!(log.entries(), ["look begins", "look ends", "pay begins"]);
    assert!(!format!("{:?}", run.resumable_messages()).contains("s3cret"));
}

#[test]
fn a_fatal_error_drops_the_reads_that_still_run() {
    let log = Log::default();
    let error = FatalToolError::denied("no");
    let tools =
        [noting("look", Effect::Read, &log), failing("ask", Effect::Read, &log, error.clone())];
    let model = ScriptedModel::new([calls(&["look", "ask"])]);
    let run = Agent::new(model, view(tools)).run_blocking("Look.").unwrap();
    assert_eq!(run.stop(), &Stop::Fatal { tool: "ask".to_owned(), error });
    assert_eq!(
        results(&run),
        [
            result(
                "id-look",
                "failed",
                "stopped midway: the turn ended while this call was running"
            ),
            result(
                "id-ask",
                "failed",
                &format!("ask failed internally (error id {})", error_id(&run))
            ),
        ]
    );
    assert!(!log.entries().contains(&"look ends".to_owned()));
    assert_eq!(run.trajectory(), ["look", "ask"], "both were entered");
    assert_eq!(run.blocked_tools(), Vec::<&str>::new());
}

#[test]
fn a_config_error_comes_out_as_an_err() {
    let log = Log::default();
    let error = ToolConfigError::new("no bank is wired");
    let model = ScriptedModel::new([calls(&["pay"])]);
    let agent = Agent::new(model, view([failing("pay", Effect::Write, &log, error)]));
    let error = agent.run_blocking("Pay.").unwrap_err();
    assert_eq!(error.message(), "no bank is wired");
}

#[test]
fn reads_of_one_turn_run_at_once_and_their_results_keep_the_order() {
    let log = Log::default();
    let quick = Tool::dynamic("quick", "Is quick.", no_arguments(), |_, _| async {
        Ok::<_, Failure>("quick did it")
    });
    let tools = [
        noting("a", Effect::Read, &log),
        noting("b", Effect::Read, &log),
        quick.effect(Effect::Read).into(),
    ];
    let model = ScriptedModel::new([calls(&["a", "gone", "b", "quick"]), Reply::text("Done.")]);
    let run = Agent::new(model, view(tools)).run_blocking("Go.").unwrap();
    let mut began = log.entries();
    began.truncate(2);
    began.sort();
    assert_eq!(began, ["a begins", "b begins"]);
    assert_eq!(
        results(&run),
        [
            result("id-a", "ok", "a did it"),
            result("id-gone", "unknown_tool", "no such tool \"gone\". Available: a, b, quick"),
            result("id-b", "ok", "b did it"),
            result("id-quick", "ok", "quick did it"),
        ]
    );
}

#[test]
fn a_turn_with_a_write_in_it_runs_in_order() {
    let log = Log::default();
    let tools = [noting("a", Effect::Read, &log), noting("b", Effect::Write, &log)];
    let model = ScriptedModel::new([calls(&["a", "b"]), Reply::text("Done.")]);
    let run = Agent::new(model, view(tools)).run_blocking("Go.").unwrap();
    assert_eq!(log.entries(), ["a begins", "a ends", "b begins", "b ends"]);
    assert_eq!(run.trajectory(), ["a", "b"]);
}

#[test]
fn a_run_ends_at_its_bound_of_turns() {
    let log = Log::default();
    let model = ScriptedModel::new([calls(&["a"]), calls(&["a"])]);
    let agent = Agent::new(model, view([noting("a", Effect::Read, &log)]))
        .budget(Budget { turns: 2, ..Budget::default() });
    let run = agent.run_blocking("Go.").unwrap();
    assert_eq!(run.stop(), &Stop::Budget(Bound::Turns));
    assert_eq!(run.trajectory(), ["a", "a"]);
}

#[test]
fn a_run_ends_at_its_bound_of_calls_with_every_call_answered() {
    for effect in [Effect::Read, Effect::Write] {
        let log = Log::default();
        let tools = [noting("a", effect, &log), noting("b", effect, &log)];
        let model = ScriptedModel::new([calls(&["a"]), calls(&["b", "a", "b"])]);
        let agent = Agent::new(model, view(tools)).budget(Budget { calls: 2, ..Budget::default() });
        let run = agent.run_blocking("Go.").unwrap();
        assert_eq!(run.stop(), &Stop::Budget(Bound::Calls));
        assert_eq!(
            results(&run),
            [
                result("id-a", "ok", "a did it"),
                result("id-b", "ok", "b did it"),
                result("call_2_2", "not_run", NOT_RUN),
                result("call_2_3", "not_run", NOT_RUN),
            ]
        );
        assert_eq!(log.entries(), ["a begins", "a ends", "b begins", "b ends"]);
    }
}

#[derive(Clone, Default)]
struct Hand(Arc<Mutex<Duration>>);

impl Clock for Hand {
    fn elapsed(&self) -> Duration {
        *self.0.lock().unwrap()
    }
}

#[test]
fn a_run_ends_when_its_time_is_over_between_two_calls() {
    let hand = Hand::default();
    let moved = hand.clone();
    let handler = move |_, _| {
        *moved.0.lock().unwrap() += Duration::from_secs(400);
        async { Ok::<_, Failure>("ok") }
    };
    let slow = Tool::dynamic("slow", "Is slow.", no_arguments(), handler)
        .effect(Effect::Write)
        .without_ledger("a test calls it again");
    let model = ScriptedModel::new([Reply::calls(
        ["1", "2", "3"].map(|id| ToolCall::new(id, "slow", "{}")),
    )]);
    let run = Agent::new(model, view([slow.into()])).clock(hand).run_blocking("Go.").unwrap();
    assert_eq!(run.stop(), &Stop::Budget(Bound::Time));
    assert_eq!(
        results(&run),
        [result("1", "ok", "ok"), result("2", "ok", "ok"), result("3", "not_run", NOT_RUN)]
    );
}

#[test]
fn time_is_counted_from_the_start_of_the_run() {
    let hand = Hand(Arc::new(Mutex::new(Duration::from_secs(9_999))));
    let agent = Agent::new(ScriptedModel::new([Reply::text("Hi.")]), view([])).clock(hand);
    assert!(agent.run_blocking("Hello.").unwrap().ok());
}

#[test]
fn only_a_whole_answer_is_a_success() {
    let text = || [Part::Text("It is".to_owned())];
    for (reply, ending) in [
        (Reply::from_parts(text(), Ending::CutOff), Ending::CutOff),
        (Reply::from_parts(text(), Ending::Refused), Ending::Refused),
        (Reply::from_parts(text(), Ending::Other("x".to_owned())), Ending::Other("x".to_owned())),
        (Reply::text(" "), Ending::Done),
    ] {
        let run = Agent::new(ScriptedModel::new([reply]), view([])).run_blocking("Well?").unwrap();
        assert_eq!((run.stop(), run.answer()), (&Stop::Unanswered(ending), None));
        assert!(!run.ok());
    }
}

#[test]
fn a_paused_reply_is_asked_again() {
    let paused = Reply::from_parts([Part::Text("Searching".to_owned())], Ending::Paused);
    let model = ScriptedModel::new([paused, Reply::text("Found.")]);
    let run = Agent::new(model, view([])).run_blocking("Search.").unwrap();
    assert_eq!(run.answer().as_deref(), Some("Found."));
}

#[test]
fn a_call_that_was_cut_off_does_not_run() {
    let log = Log::default();
    let call = Part::Call(ToolCall::new("1", "a", "{}"));
    let model = ScriptedModel::new([
        Reply::from_parts([call], Ending::CutOff),
        Reply::text("Sorry, that was too long."),
    ]);
    let run = Agent::new(model, view([noting("a", Effect::Read, &log)])).run_blocking("Go.");
    let run = run.unwrap();
    assert!(run.ok());
    assert_eq!((run.blocked_tools(), log.entries()), (vec!["a"], Vec::new()));
}

#[test]
fn the_calls_of_a_refused_reply_do_not_run() {
    let log = Log::default();
    let parts = ["1", "2"].map(|id| Part::Call(ToolCall::new(id, "a", "{}")));
    let model = ScriptedModel::new([Reply::from_parts(parts, Ending::Refused)]);
    let run = Agent::new(model, view([noting("a", Effect::Read, &log)])).run_blocking("Go.");
    let run = run.unwrap();
    assert_eq!(run.stop(), &Stop::Unanswered(Ending::Refused));
    assert_eq!(results(&run), [result("1", "not_run", NOT_RUN), result("2", "not_run", NOT_RUN)]);
    assert_eq!(log.entries(), Vec::<String>::new());
}

#[test]
fn a_model_that_fails_ends_the_run_by_name() {
    let error = ModelError::new("connection reset");
    let model = ScriptedModel::new([]).then_fail(error.clone());
    let run = Agent::new(model, view([])).run_blocking("Hello.").unwrap();
    assert_eq!(run.stop(), &Stop::Model(error));
    assert_eq!(run.stop().to_string(), "the model gave no reply: connection reset");
}

#[test]
fn a_run_past_the_script_says_so() {
    let log = Log::default();
    let model = ScriptedModel::new([calls(&["a"])]);
    let run = Agent::new(model, view([noting("a", Effect::Read, &log)])).run_blocking("Go.");
    let error =
        ModelError::new("the script is over: it has 1 steps, and the run asked for one more");
    assert_eq!(run.unwrap().stop(), &Stop::Model(error));
}

#[test]
#[should_panic(expected = "the script has 1 of 2 steps left over")]
fn a_script_with_steps_left_over_fails_the_test() {
    let model = ScriptedModel::new([Reply::text("Hi."), Reply::text("Never said.")]);
    let run = Agent::new(model, view([])).run_blocking("Hello.");
    assert!(run.unwrap().ok());
}

#[test]
#[should_panic(expected = "the first failure")]
fn a_script_does_not_hide_the_failure_of_its_test() {
    let _model = ScriptedModel::new([Reply::text("Never said.")]);
    panic!("the first failure");
}

#[test]
fn a_script_can_be_written_in_a_providers_form() {
    let log = Log::default();
    let bodies = [
        r#"{"content":[{"type":"tool_use","id":"toolu_1","name":"a","input":{}}],"stop_reason":"tool_use"}"#,
        r#"{"content":[{"type":"text","text":"Done."}],"stop_reason":"end_turn"}"#,
    ];
    let model = ScriptedModel::from_wire(&Anthropic, bodies).unwrap();
    let run = Agent::new(model, view([noting("a", Effect::Read, &log)])).run_blocking("Go.");
    let run = run.unwrap();
    assert_eq!(results(&run), [result("toolu_1", "ok", "a did it")]);
    assert_eq!(run.answer().as_deref(), Some("Done."));
    let error = ScriptedModel::from_wire(&OpenAiChat, bodies).unwrap_err().to_string();
    assert!(error.starts_with("openai_chat: $.choices: missing"), "{error}");
}

#[test]
fn every_call_of_a_run_has_an_id_of_its_own() {
    let log = Log::default();
    let same = || Reply::calls([ToolCall::new("call_0", "a", "{}"), ToolCall::new("", "a", "{}")]);
    let model = ScriptedModel::new([same(), same(), Reply::text("Done.")]);
    let run = Agent::new(model, view([noting("a", Effect::Read, &log)])).run_blocking("Go.");
    let run = run.unwrap();
    let ids: Vec<String> = results(&run).into_iter().map(|(id, _, _)| id).collect();
    assert_eq!(ids, ["call_0", "call_1_2", "call_2_1", "call_2_2"]);
    assert_eq!(run.trajectory(), ["a"; 4]);
}

#[test]
fn a_stopped_run_can_be_gone_on_with() {
    let log = Log::default();
    let tools = || [noting("a", Effect::Write, &log)];
    let model =
        ScriptedModel::new([Reply::calls(["1", "2"].map(|id| ToolCall::new(id, "a", "{}")))]);
    let budget = Budget { calls: 1, ..Budget::default() };
    let stopped = Agent::new(model, view(tools())).budget(budget).run_blocking("Go.").unwrap();

    let model = ScriptedModel::new([Reply::text("I did one of two.")]);
    let agent = Agent::new(model, view(tools()));
    let run = block_on(agent.resume(stopped.resumable_messages(), "How far did you get?"));
    let run = run.unwrap();
    assert_eq!(
        run.transcript(),
        [
            Message::User("How far did you get?".to_owned()),
            Message::Assistant(Reply::text("I did one of two.")),
        ]
    );
    assert_eq!(run.requested_tools(), Vec::<&str>::new());
    let wire = OpenAiChat.messages(&run.resumable_messages());
    let error = json!({"error": NOT_RUN}).to_string();
    let call = |id: &str| json!({"id": id, "type": "function", "function": {"name": "a", "arguments": "{}"}});
    let expected = json!([
        {"role": "user", "content": "Go."},
        {"role": "assistant", "content": null, "tool_calls": [call("1"), call("2")]},
        {"role": "tool", "tool_call_id": "1", "content": "a did it"},
        {"role": "tool", "tool_call_id": "2", "content": error},
        {"role": "user", "content": "How far did you get?"},
        {"role": "assistant", "content": "I did one of two."},
    ]);
    assert_eq!(Value::from(wire), expected);
}

#[test]
fn an_id_of_an_earlier_run_is_not_used_again() {
    let log = Log::default();
    let call = || Reply::call("a", "{}");
    let model = ScriptedModel::new([call(), Reply::text("Done."), call(), Reply::text("Done.")]);
    let agent = Agent::new(model, view([noting("a", Effect::Read, &log)]));
    let first = agent.run_blocking("Go.").unwrap();
    let second = block_on(agent.resume(first.resumable_messages(), "Again.")).unwrap();
    let ids = [&first, &second].map(|run| results(run)[0].0.clone());
    assert_eq!(ids, ["call_1_1", "call_1_2"]);
}

#[test]
fn a_call_that_gets_an_id_stays_cut_off() {
    let call = Part::Call(ToolCall::new("", "a", "{}"));
    let model =
        ScriptedModel::new([Reply::from_parts([call], Ending::CutOff), Reply::text("Sorry.")]);
    let log = Log::default();
    let agent = Agent::new(model, view([noting("a", Effect::Read, &log)]));
    let run = agent.run_blocking("Go.").unwrap();
    let [_, Message::Assistant(reply), ..] = run.transcript() else {
        panic!("{:?}", run.transcript());
    };
    let calls: Vec<&ToolCall> = reply.tool_calls().collect();
    assert_eq!(calls, [&ToolCall::new("call_1_1", "a", "{}").cut_off()]);
}

/// A model that answers with what it was shown.
struct Mirror;

impl Model for Mirror {
    async fn reply(&self, turn: &Turn<'_>) -> Result<Reply, ModelError> {
        let names = turn.view().visible().join(", ");
        Ok(Reply::text(format!("{}: {names} {:?}", turn.number(), turn.messages())))
    }
}

#[test]
fn a_model_sees_the_history_and_only_what_its_view_shows() {
    let log = Log::default();
    let tools = [noting("look", Effect::Read, &log), noting("wipe", Effect::Write, &log)];
    let run = Agent::new(Mirror, view(tools).scoped(["look"])).run_blocking("Hello.").unwrap();
    assert_eq!(run.answer().as_deref(), Some(r#"1: look [User("Hello.")]"#));
}

#[test]
fn the_future_of_a_run_may_cross_threads() {
    fn sent<T: Send>(value: T) -> T {
        value
    }
    let agent = Agent::new(&Mirror, view([]));
    assert!(block_on(sent(agent.run("Hello."))).unwrap().ok());
}

#[test]
fn the_tools_of_a_run_know_its_id() {
    let handler = |_, context: toolkit::CallContext| async move {
        Ok::<_, Failure>(format!("{} {}", context.run_id().unwrap_or("-"), context.call_id()))
    };
    let tool = Tool::dynamic("who", "Tells the ids.", no_arguments(), handler);
    let model = ScriptedModel::new([calls(&["who"]), Reply::text("Done.")]);
    let agent = Agent::new(model, view([tool.into()])).run_id("run-7");
    let run = agent.run_blocking("Who?").unwrap();
    assert_eq!(results(&run), [result("id-who", "ok", "run-7 id-who")]);
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}
