//! A call is read in the form in which its tool was shown, whatever is shown by then.

use serde_json::{Map, Value, json};
use toolkit::dialect::{
    Anthropic, Choice, Dialect, Form, Offer, OpenAiChat, OpenAiResponses, Projection, Request,
    Server,
};
use toolkit::ledger::MemoryLedger;
use toolkit::prelude::*;
use toolkit::{
    Abort, Agent, DynamicTool, Effect, Model, ModelError, OnTaint, Reply, ToolSearch, Turn,
};
use toolkit_tests::{Dice, cases};

/// A tool that gives back what it was given. `extra` means one thing as JSON text and another as
/// text, so that it shows in which form the call was read.
fn echo(name: &str, optionals: usize) -> DynamicTool {
    let mut properties = Map::from_iter([("extra".to_owned(), json!({}))]);
    for number in 0..optionals {
        properties.insert(format!("may_{number}"), json!({"type": "string"}));
    }
    let schema = json!({"properties": properties, "required": ["extra"]});
    Tool::dynamic(name, format!("Repeats {name}."), schema, |given, _| async move {
        Ok::<_, ToolError>(given)
    })
}

/// A tool that has no strict form.
fn open(name: &str) -> DynamicTool {
    let schema =
        json!({"properties": {"extra": {}, "note": {"not": {"const": 1}}}, "required": ["extra"]});
    Tool::dynamic(name, format!("Repeats {name}."), schema, |given, _| async move {
        Ok::<_, ToolError>(given)
    })
}

fn anthropic(name: &str, input: &Value) -> Value {
    let block = json!({"type": "tool_use", "id": "a", "name": name, "input": input});
    json!({"content": [block], "stop_reason": "tool_use"})
}

fn chat(name: &str, input: &Value) -> Value {
    let call = json!({"id": "a", "function": {"name": name, "arguments": input.to_string()}});
    json!({"choices": [{"message": {"content": null, "tool_calls": [call]}, "finish_reason": "tool_calls"}]})
}

fn responses(name: &str, input: &Value) -> Value {
    let call = json!({"type": "function_call", "call_id": "a", "name": name, "arguments": input.to_string()});
    json!({"output": [call], "status": "completed"})
}

type Reply1 = fn(&str, &Value) -> Value;

/// Each dialect that may be strict in one tool and not in another, with its reply and its form.
fn dialects() -> [(Box<dyn Dialect>, Form, Reply1); 4] {
    let deepseek = OpenAiChat.at(Server::DeepSeek);
    [
        (Box::new(Anthropic.strict_where_possible().any_as_text()), Form::ANTHROPIC, anthropic),
        (Box::new(OpenAiChat.strict_where_possible().any_as_text()), Form::OPENAI, chat),
        (Box::new(OpenAiResponses.strict_where_possible().any_as_text()), Form::OPENAI, responses),
        (Box::new(deepseek.strict_where_possible().any_as_text()), Form::DEEPSEEK, chat),
    ]
}

/// What the request says of each tool: its name, and whether it is held to the schema.
fn read_by_the_model(offer: &Offer<'_>) -> Vec<(String, bool)> {
    let definitions = offer.definitions();
    let told = definitions.as_array().unwrap().iter().filter_map(|tool| {
        let tool = tool.get("function").unwrap_or(tool);
        let is_one = tool.get("parameters").or_else(|| tool.get("input_schema")).is_some();
        is_one.then(|| (tool["name"].as_str().unwrap().to_owned(), tool["strict"] == true))
    });
    told.collect()
}

/// What a model writes that was shown the tool so, and means this.
fn written(view: &View, name: &str, form: Form, strict: bool, meant: &Value) -> Value {
    let definition = *view.tools().iter().find(|tool| tool.name == name).unwrap();
    if strict {
        Projection::of(definition, form.strict().any_as_text()).unwrap().encode(meant)
    } else {
        meant.clone()
    }
}

#[test]
fn what_the_model_was_shown_decides_how_its_call_is_read() {
    const EXTRAS: [&str; 4] = ["[1]", "7", "null", "\"a\""];
    let mut dice = Dice::fresh("shown");
    let mut seen = [0, 0, 0];
    for _ in 0..cases(150) {
        let count = 2 + dice.below(30);
        let mut names = Vec::new();
        let mut builder = Registry::builder().ledger(MemoryLedger::new()).on_taint(OnTaint::Strip);
        for number in 0..count {
            let name = format!("tool_{number}");
            let tool = match dice.below(8) {
                0 => open(&name),
                _ => echo(&name, dice.below(4)),
            };
            let effect = if dice.one_in(2) { Effect::Write } else { Effect::Read };
            builder = builder.tool(tool.effect(effect));
            names.push(name);
        }
        let view = builder.build().unwrap().view(Caller::new("ann"));
        let offered: Vec<&String> = names.iter().filter(|_| !dice.one_in(3)).collect();
        let (dialect, form, reply) = &dialects()[dice.below(4)];
        let shown = view.clone().scoped(&offered);
        let mut offer = shown.offer(&**dialect).unwrap();
        if dice.one_in(3)
            && let Some(name) = offered.first()
        {
            offer = offer.choose(Choice::auto().among([name.as_str()])).unwrap();
        }
        let read: Vec<(String, bool)> = read_by_the_model(&offer);
        let calls: Vec<(String, bool, Value, ToolCall)> = read
            .into_iter()
            .map(|(name, strict)| {
                let meant = json!({"extra": dice.pick(&EXTRAS)});
                let input = written(&view, &name, *form, strict, &meant);
                let reply = offer.read(&reply(&name, &input).to_string()).unwrap();
                let call = reply.tool_calls().next().unwrap().clone();
                (name, strict, meant, call)
            })
            .collect();
        // By the time that they are dispatched, other tools are seen.
        let by_then = match dice.below(3) {
            0 => view.clone(),
            1 => view.clone().scoped(names.iter().filter(|_| dice.one_in(2))),
            _ => view.clone().tainted(),
        };
        for (name, strict, meant, call) in calls {
            let outcome = by_then.dispatch_blocking(&call, Options::default()).unwrap();
            if !by_then.visible().contains(&name.as_str()) {
                assert!(!outcome.executed(), "{name} {outcome:?}");
                seen[2] += 1;
                continue;
            }
            assert_eq!(outcome.value(), Some(meant), "{name} strict {strict} {outcome:?}");
            seen[usize::from(strict)] += 1;
        }
    }
    println!("plain, strict, hidden by then: {seen:?}");
    assert!(seen.iter().all(|count| *count > 0), "{seen:?}");
}

fn view_of(tools: impl IntoIterator<Item = DynamicTool>) -> View {
    let tools = tools.into_iter().map(|tool| tool.effect(Effect::Read).into());
    let tools: Vec<Tool> = tools.collect();
    Registry::builder().tools(tools).build().unwrap().view(Caller::new("ann"))
}

const WHERE_POSSIBLE: Anthropic = Anthropic.strict_where_possible().any_as_text();

#[test]
fn a_reply_that_is_read_without_what_was_shown_is_a_mistake_of_the_program() {
    let view = view_of([echo("a", 1)]);
    let reply = WHERE_POSSIBLE.read(&anthropic("a", &json!({"extra": "[1]"})).to_string()).unwrap();
    let call = reply.tool_calls().next().unwrap();
    let abort = view.dispatch_blocking(call, Options::default()).unwrap_err();
    assert!(matches!(abort, Abort::Config(_)));
    assert_eq!(
        abort.to_string(),
        "a reply was read without what its request showed, by a dialect that is strict where \
         possible; read it with `Offer::read` or `Offer::stream`",
    );
}

#[test]
fn a_call_of_a_tool_that_was_not_shown_is_run_only_where_both_forms_say_the_same() {
    let view = view_of([echo("a", 1), echo("b", 1)]);
    let shown = view.clone().scoped(["a"]);
    let offer = shown.offer(&WHERE_POSSIBLE).unwrap();
    let told = |input: Value| {
        let reply = offer.read(&anthropic("b", &input).to_string()).unwrap();
        let call = reply.tool_calls().next().unwrap();
        let outcome = view.dispatch_blocking(call, Options::default()).unwrap();
        (outcome.status(), outcome.text().to_owned())
    };
    assert_eq!(told(json!({"extra": 7})), (Status::Ok, r#"{"extra":7}"#.to_owned()));
    assert_eq!(
        told(json!({"extra": "[1]"})),
        (
            Status::Invalid,
            "b did not run: you were not shown what its arguments are when you called it. Read \
             its definition first, then call it again."
                .to_owned()
        ),
    );
}

#[test]
fn a_call_of_a_form_that_nobody_knows_is_answered_and_not_run() {
    let view = view_of([echo("a", 0)]);
    let call = ToolCall::new("1", "a", r#"{"extra": 1}"#).with_form_code(0x7fff);
    let outcome = view.dispatch_blocking(&call, Options::default()).unwrap();
    assert_eq!((outcome.status(), outcome.executed()), (Status::Invalid, false));
}

#[test]
fn a_call_that_is_kept_with_its_forms_number_is_read_in_another_process_as_in_this_one() {
    let view = view_of([echo("a", 0)]);
    let offer = view.offer(&WHERE_POSSIBLE).unwrap();
    let body = anthropic("a", &json!({"extra": "[1]"})).to_string();
    let reply = offer.read(&body).unwrap();
    let call = reply.tool_calls().next().unwrap();
    let kept = ToolCall::new("a", "a", call.arguments().into_owned());
    let kept = kept.with_form_code(call.form_code());
    let text = |call: &ToolCall| {
        view.dispatch_blocking(call, Options::default()).unwrap().text().to_owned()
    };
    assert_eq!((text(call), text(&kept)), (r#"{"extra":[1]}"#.to_owned(), text(call)));
}

#[test]
fn a_stream_is_read_by_what_was_shown_as_well() {
    let view = view_of([echo("a", 0)]);
    let offer = view.offer(&WHERE_POSSIBLE).unwrap();
    let mut stream = offer.stream().unwrap();
    for event in [
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"a","input":{}}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"extra\": \"[1]\"}"}}"#,
        r#"{"type":"content_block_stop","index":0}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"}}"#,
    ] {
        stream.push(event).unwrap();
    }
    let reply = stream.end().unwrap();
    let call = reply.tool_calls().next().unwrap();
    let outcome = view.dispatch_blocking(call, Options::default()).unwrap();
    assert_eq!(outcome.text(), r#"{"extra":[1]}"#);
}

#[test]
fn a_requirement_is_met_by_a_strict_call_also_where_its_tool_is_out_of_sight_by_now() {
    let look = echo("look", 0).effect(Effect::Read);
    let pay = echo("pay", 0).effect(Effect::Read).requires_same("look", ["extra"]);
    let registry = Registry::builder().tool(look).tool(pay).build().unwrap();
    let view = registry.view(Caller::new("ann"));
    let offer = view.offer(&WHERE_POSSIBLE).unwrap();
    let reply = offer.read(&anthropic("look", &json!({"extra": "[1]"})).to_string()).unwrap();
    let call = reply.tool_calls().next().unwrap().clone();
    let outcome = view.dispatch_blocking(&call, Options::default()).unwrap();
    let history =
        [toolkit::dialect::Message::Results(vec![toolkit::dialect::Answered::new(call, outcome)])];
    let pay = |extra: Value| {
        let call = ToolCall::from_value("2", "pay", json!({"extra": extra}));
        let narrow = view.clone().scoped(["pay"]);
        narrow.dispatch_blocking(call, Options::default().history(&history)).unwrap().status()
    };
    assert_eq!(pay(json!([1])), Status::Ok);
    assert_eq!(pay(json!("[1]")), Status::Prerequisite);
}

/// Finds a tool and calls it, in the form that each turn shows.
struct Finds;

impl Model for Finds {
    async fn reply(&self, turn: &Turn<'_>) -> Result<Reply, ModelError> {
        let offer = turn.offer(&WHERE_POSSIBLE)?;
        let _request = WHERE_POSSIBLE.request(&Request::new("m", turn.messages()).offer(&offer));
        let body = match turn.number() {
            1 => anthropic("search_tools", &json!({"request": "repeats far"})),
            2 => anthropic("far", &json!({"extra": "[1]"})),
            _ => return Ok(Reply::text("done")),
        };
        Ok(offer.read(&body.to_string())?)
    }
}

#[test]
fn a_loop_whose_model_loads_its_tools_reads_each_call_as_its_turn_showed_the_tool() {
    // Beside all of these, the one that is found would have no room to be strict.
    let crowd = (0..30).map(|number| echo(&format!("near_{number}"), 0));
    let tools = crowd.chain([echo("far", 0)]).map(|tool| tool.effect(Effect::Read).into());
    let tools: Vec<Tool> = tools.collect();
    let search = ToolSearch::new().always(["near_1"]).top(1);
    let registry = Registry::builder().tools(tools).tool_search(search).build().unwrap();
    let run = Agent::new(Finds, registry.view(Caller::new("ann"))).run_blocking("Go.").unwrap();
    let texts: Vec<&str> = run
        .transcript()
        .iter()
        .filter_map(|message| match message {
            toolkit::dialect::Message::Results(all) => Some(all[0].outcome.text()),
            _ => None,
        })
        .collect();
    assert_eq!(texts[1], r#"{"extra":[1]}"#);
}
