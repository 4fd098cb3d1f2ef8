//! Calls that reach the wrong tool, none, or one too many; and runs that break off.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use toolkit::dialect::{Anthropic, Dialect, Message, OpenAiChat};
use toolkit::prelude::*;
use toolkit::{Agent, ApprovalRequest, Decision, Registry, Reply, ScriptedModel, Status, Stop};
use toolkit_tests::{call, definition, view_of};

type Done = Arc<Mutex<Vec<u64>>>;

/// Adds to what was done.
#[tool(name = "ns__add", effect = "write", ledger = none("a test calls it again and again"))]
fn add(#[state] done: &Mutex<Vec<u64>>, n: u64) -> String {
    done.lock().unwrap().push(n);
    format!("added {n}")
}

/// Breaks.
#[tool(effect = "read")]
async fn boom(late: bool) -> u8 {
    if late {
        tokio::task::yield_now().await;
    }
    panic!("/secret/path")
}

fn registry(done: &Done) -> Registry {
    Registry::builder().tools(tools![add, boom]).state(Arc::clone(done)).build().unwrap()
}

#[test]
fn a_name_in_another_spelling_is_suggested_and_never_called() {
    let done = Done::default();
    let view = registry(&done).view(Caller::new("ada"));
    for name in [
        "ns.add",
        "NS__ADD",
        "ns_add",
        "ns__Add",
        "nsadd",
        "ns/add",
        "ns__add ",
        "functions.ns__add",
    ] {
        let outcome = call(&view, name, r#"{"n":1}"#);
        assert_eq!(
            outcome.text(),
            format!(
                "no such tool \"{name}\" (did you mean \"ns__add\"?). Available: ns__add, boom"
            )
        );
        assert_eq!(outcome.status(), Status::UnknownTool);
    }
    assert_eq!(*done.lock().unwrap(), Vec::<u64>::new());
    assert_eq!(call(&view, "ns__add", r#"{"n":1}"#).text(), "added 1");
}

#[test]
fn a_panic_leaves_the_registry_and_the_run_whole() {
    let done = Done::default();
    let view = registry(&done).view(Caller::new("ada"));
    for arguments in [r#"{"late":false}"#, r#"{"late":true}"#] {
        let outcome = call(&view, "boom", arguments);
        let id = outcome.error_id().unwrap();
        assert_eq!(outcome.text(), format!("boom failed internally (error id {id})"));
        assert_eq!(call(&view, "ns__add", r#"{"n":2}"#).text(), "added 2");
    }
    let model = ScriptedModel::new([
        Reply::calls([
            ToolCall::new("1", "boom", r#"{"late":true}"#),
            ToolCall::new("2", "ns__add", r#"{"n":3}"#),
        ]),
        Reply::text("It broke."),
    ]);
    let run = Agent::new(model, view).run_blocking("Go.").unwrap();
    assert_eq!((run.stop(), run.answer().as_deref()), (&Stop::Answered, Some("It broke.")));
    assert!(!format!("{:?}", run.transcript()).contains("secret"));
    assert_eq!(*done.lock().unwrap(), [2, 2, 3]);
}

#[test]
fn calls_that_share_an_id_all_run_and_each_is_answered_once() {
    let done = Done::default();
    let view = registry(&done).view(Caller::new("ada"));
    let add = |id: &str, n: u64| ToolCall::new(id, "ns__add", json!({ "n": n }).to_string());
    let model = ScriptedModel::new([
        Reply::calls([add("", 1), add("", 2), add("call_0", 3), add("call_0", 3)]),
        Reply::calls([add("call_0", 4)]),
        Reply::text("Done."),
    ]);
    let run = Agent::new(model, view).run_blocking("Add.").unwrap();
    assert_eq!(*done.lock().unwrap(), [1, 2, 3, 3, 4]);
    let mut ids: Vec<String> = Vec::new();
    for message in run.transcript() {
        if let Message::Results(answered) = message {
            ids.extend(answered.iter().map(|answered| answered.call.id().to_owned()));
        }
    }
    let count = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!((count, ids.len()), (5, 5), "{ids:?}");
    assert!(ids.iter().all(|id| !id.is_empty()));
}

#[test]
fn a_name_that_no_longer_exists_does_not_end_a_run() {
    let done = Done::default();
    let view = registry(&done).view(Caller::new("ada")).scoped(["boom"]);
    let model = ScriptedModel::new([Reply::call("today", "{}"), Reply::text("I can not tell.")]);
    let run = Agent::new(model, view).run_blocking("What day is it?").unwrap();
    assert_eq!(run.stop(), &Stop::Answered);
    assert_eq!((run.requested_tools(), run.trajectory()), (vec!["today"], Vec::new()));
}

#[test]
fn malformed_arguments_go_back_as_an_object_with_an_error_beside_them() {
    let done = Done::default();
    for text in [r#"{"n": ,"#, "[1]", "\"x\"", "7", "{\"n\":1", "{}{}", ""] {
        let view = registry(&done).view(Caller::new("ada"));
        let model = ScriptedModel::new([
            Reply::calls([ToolCall::new("call_1", "ns__add", text)]),
            Reply::text("Sorry."),
        ]);
        let run = Agent::new(model, view).run_blocking("Add.").unwrap();
        let messages = run.resumable_messages();
        for message in &messages {
            if let Message::Assistant(reply) = message {
                let sent = Value::from(Anthropic.assistant(reply));
                let input = sent.pointer("/0/content/0/input");
                assert!(input.is_none_or(Value::is_object), "{text}: {sent}");
                let sent = Value::from(OpenAiChat.assistant(reply));
                let arguments = sent.pointer("/0/tool_calls/0/function/arguments");
                let object = |text: &Value| {
                    let read: Value = serde_json::from_str(text.as_str().unwrap()).unwrap();
                    read.is_object()
                };
                assert!(arguments.is_none_or(object), "{text}: {sent}");
            }
            if let Message::Results(answered) = message {
                assert!(answered.iter().all(|answered| answered.outcome.is_error()));
            }
        }
    }
    assert_eq!(*done.lock().unwrap(), Vec::<u64>::new());
}

#[test]
fn what_is_sent_is_what_may_be_called_in_every_dialect() {
    let done = Done::default();
    let registry = registry(&done);
    let dialects: [&dyn Dialect; 2] = [&Anthropic, &OpenAiChat];
    for allowed in [vec!["boom"], vec!["ns__add"], vec!["boom", "ns__add"], vec!["gone"], vec![]] {
        let view = registry.view(Caller::new("ada")).scoped(&allowed);
        for dialect in dialects {
            let text = view.definitions(dialect).unwrap().to_string();
            for name in ["boom", "ns__add"] {
                assert_eq!(text.contains(name), allowed.contains(&name), "{text}");
                let status = call(&view, name, "{").status();
                assert_eq!(status != Status::UnknownTool, allowed.contains(&name), "{name}");
            }
        }
    }
}

#[test]
fn a_second_allowlist_gives_nothing_back() {
    let done = Done::default();
    let view =
        registry(&done).view(Caller::new("ada")).scoped(["boom"]).scoped(["boom", "ns__add"]);
    assert_eq!(view.visible(), ["boom"]);
    assert_eq!(call(&view, "ns__add", r#"{"n":1}"#).status(), Status::UnknownTool);
    assert_eq!(*done.lock().unwrap(), Vec::<u64>::new());
}

#[test]
fn an_approver_sees_every_character_that_hides() {
    /// Fetches.
    #[tool(effect = "write", ledger = none("a test calls it again and again"), approval = true)]
    fn fetch(url: String) -> String {
        url
    }
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let shown = Arc::clone(&seen);
    let approver = move |request: ApprovalRequest| {
        shown.lock().unwrap().push(request.to_string());
        async { Decision::Approved }
    };
    let registry = Registry::builder().tools(tools![fetch]).approver(approver).build().unwrap();
    let view = registry.view(Caller::new("ada"));
    for hidden in [
        '\u{202e}',
        '\u{2066}',
        '\u{200b}',
        '\u{200d}',
        '\u{2060}',
        '\u{feff}',
        '\u{00ad}',
        '\u{061c}',
        '\u{180e}',
        '\u{e0041}',
        '\u{fe0f}',
        '\u{3164}',
        '\u{0085}',
        '\u{2028}',
        '\u{0000}',
        '\u{001b}',
        '\n',
    ] {
        let url = format!("http://a{hidden}moc.b");
        let outcome = call(&view, "fetch", &json!({ "url": url }).to_string());
        assert_eq!(outcome.text(), url, "the raw value is what runs");
        let prompt = seen.lock().unwrap().pop().unwrap();
        assert!(
            hidden == '\n' || !prompt.contains(hidden),
            "U+{:04X} is not shown: {prompt:?}",
            u32::from(hidden)
        );
        assert_eq!(prompt.lines().count(), 2, "{prompt:?}");
    }
}

#[test]
fn a_body_that_lends_across_awaits_is_a_tool() {
    async fn one(x: &u64) -> u64 {
        tokio::task::yield_now().await;
        *x
    }
    /// Sums.
    #[tool]
    async fn sum(ids: Vec<u64>, factor: &u64) -> u64 {
        let futures: Vec<_> = ids.iter().map(|x| async move { one(x).await * factor }).collect();
        let mut sum = 0;
        for future in futures {
            sum += future.await;
        }
        sum
    }
    let view = view_of(Tool::of::<sum>());
    assert_eq!(call(&view, "sum", r#"{"ids":[1,2,3],"factor":2}"#).text(), "12");
}

#[test]
fn a_name_is_exactly_as_long_as_it_may_be() {
    /// Is as long as it may be.
    #[tool(name = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")]
    fn longest() {}
    let named = |length: usize| {
        let tool = Tool::dynamic("a".repeat(length), "Is long.", json!({}), |_: Value, _| async {
            Ok::<_, Failure>("done")
        });
        Registry::builder().tool(tool).build()
    };
    assert!(named(128).is_ok() && named(129).is_err());
    assert_eq!(definition(&view_of(Tool::of::<longest>()))["name"], "a".repeat(64));
}
