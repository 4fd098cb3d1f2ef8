//! What one request shows: choices, names, budgets, caches.

use serde_json::{Value, json};
use toolkit::dialect::{
    Answered, Anthropic, Choice, Dialect, Gemini, Mcp, Message, OpenAiChat, OpenAiResponses, Reply,
    Request,
};
use toolkit::prelude::*;
use toolkit::{DynamicTool, Effect};

use crate::forms;

fn tool(name: &str, schema: Value) -> DynamicTool {
    Tool::dynamic(name, format!("The tool {name}."), schema, |_, _| async {
        Ok::<_, ToolError>("done")
    })
}

fn view_of(tools: impl IntoIterator<Item = DynamicTool>) -> View {
    let tools = tools.into_iter().map(Tool::from);
    let ledger = toolkit::ledger::MemoryLedger::new();
    Registry::builder().tools(tools).ledger(ledger).build().unwrap().view(Caller::new("ann"))
}

fn abc() -> View {
    view_of(["a_tool", "b_tool", "c_tool"].map(|name| tool(name, json!({}))))
}

fn members(dialect: &dyn Dialect, choice: Choice, messages: &[Message]) -> Value {
    let view = abc();
    let offer = view.offer(dialect).unwrap().choose(choice).unwrap();
    let mut body = dialect.request(&Request::new("m", messages).offer(&offer));
    let keys = ["tool_choice", "parallel_tool_calls", "toolConfig"];
    let body = body.as_object_mut().unwrap();
    body.retain(|key, _| keys.contains(&key.as_str()));
    Value::Object(body.clone())
}

#[test]
fn every_choice_is_written_in_the_providers_words() {
    let gemini = |config: Value| json!({"toolConfig": {"functionCallingConfig": config}});
    let chat = |name: &str| json!({"type": "function", "function": {"name": name}});
    let function = |name: &str| json!({"type": "function", "name": name});
    let cases = [
        (Choice::auto(), [json!({}), json!({}), json!({}), json!({})]),
        (
            Choice::any(),
            [
                json!({"tool_choice": {"type": "any"}}),
                json!({"tool_choice": "required"}),
                json!({"tool_choice": "required"}),
                gemini(json!({"mode": "ANY"})),
            ],
        ),
        (
            Choice::tool("a_tool"),
            [
                json!({"tool_choice": {"type": "tool", "name": "a_tool"}}),
                json!({"tool_choice": chat("a_tool")}),
                json!({"tool_choice": function("a_tool")}),
                gemini(json!({"mode": "ANY", "allowedFunctionNames": ["a_tool"]})),
            ],
        ),
        (
            Choice::none(),
            [
                json!({"tool_choice": {"type": "none"}}),
                json!({"tool_choice": "none"}),
                json!({"tool_choice": "none"}),
                gemini(json!({"mode": "NONE"})),
            ],
        ),
        (
            Choice::auto().one_at_a_time(),
            [
                json!({"tool_choice": {"type": "auto", "disable_parallel_tool_use": true}}),
                json!({"parallel_tool_calls": false}),
                json!({"parallel_tool_calls": false}),
                json!({}),
            ],
        ),
        (
            Choice::any().among(["a_tool", "c_tool"]),
            [
                json!({"tool_choice": {"type": "any"}}),
                json!({"tool_choice": {"type": "allowed_tools", "allowed_tools": {
                    "mode": "required", "tools": [chat("a_tool"), chat("c_tool")],
                }}}),
                json!({"tool_choice": {
                    "type": "allowed_tools", "mode": "required",
                    "tools": [function("a_tool"), function("c_tool")],
                }}),
                gemini(json!({"mode": "ANY", "allowedFunctionNames": ["a_tool", "c_tool"]})),
            ],
        ),
    ];
    let dialects: [&dyn Dialect; 4] = [&Anthropic, &OpenAiChat, &OpenAiResponses, &Gemini];
    for (choice, expected) in cases {
        for (dialect, expected) in dialects.iter().zip(expected) {
            assert_eq!(members(*dialect, choice.clone(), &[]), expected, "{}", dialect.name());
        }
    }
}

#[test]
fn a_subset_keeps_the_definitions_where_the_provider_can_be_told_of_it() {
    let view = abc();
    let count = |dialect: &dyn Dialect| {
        let offer = view.offer(dialect).unwrap();
        let offer = offer.choose(Choice::auto().among(["b_tool"])).unwrap();
        offer.definitions().to_string().matches("The tool").count()
    };
    assert_eq!(
        [count(&Anthropic), count(&OpenAiChat), count(&OpenAiResponses), count(&Gemini)],
        [1, 3, 3, 3]
    );
}

#[test]
fn a_forced_call_is_released_once_it_was_answered() {
    let call = ToolCall::new("1", "a_tool", "{}");
    let outcome = abc().dispatch_blocking(&call, Options::default()).unwrap();
    let turn = [
        Message::User("Go.".to_owned()),
        Message::Assistant(Reply::calls([call.clone()])),
        Message::Results(vec![Answered::new(call, outcome)]),
    ];
    let forced = json!({"tool_choice": {"type": "any"}});
    assert_eq!(members(&Anthropic, Choice::any(), &turn[..1]), forced);
    assert_eq!(members(&Anthropic, Choice::any(), &turn), json!({}));
    let single = json!({"tool_choice": {"type": "auto", "disable_parallel_tool_use": true}});
    assert_eq!(members(&Anthropic, Choice::tool("a_tool").one_at_a_time(), &turn), single);
    assert_eq!(members(&OpenAiChat, Choice::none(), &turn), json!({"tool_choice": "none"}));
    let mut next = turn.to_vec();
    next.push(Message::User("Again.".to_owned()));
    assert_eq!(members(&Anthropic, Choice::any(), &next), forced);
}

#[test]
fn a_choice_that_can_not_be_met_is_a_mistake_of_the_program() {
    let view = abc();
    let told = |choice: Choice| {
        let error = view.offer(&Anthropic).unwrap().choose(choice).unwrap_err();
        error.message().to_owned()
    };
    assert_eq!(
        told(Choice::tool("d_tool")),
        "`d_tool` is to be called and is not offered; offered: a_tool, b_tool, c_tool",
    );
    assert_eq!(
        told(Choice::auto().among(["d_tool"])),
        "`d_tool` is among the choice and is not offered; offered: a_tool, b_tool, c_tool",
    );
    assert_eq!(
        told(Choice::tool("a_tool").among(["b_tool"])),
        "`a_tool` is to be called and is not offered; offered: a_tool, b_tool, c_tool",
    );
    let nothing = view.clone().scoped([""; 0]);
    assert_eq!(
        nothing.offer(&OpenAiChat).unwrap().choose(Choice::any()).unwrap_err().message(),
        "a tool is to be called and none is offered; show one, or choose `auto`",
    );
    let thinking = Anthropic.with_thinking();
    assert_eq!(
        view.offer(&thinking).unwrap().choose(Choice::any()).unwrap_err().message(),
        "anthropic: a call can not be forced while extended thinking is on; choose `auto`",
    );
    assert!(view.offer(&thinking).unwrap().choose(Choice::none()).is_ok());
    assert_eq!(
        view.offer(&Mcp).unwrap().choose(Choice::any()).unwrap_err().message(),
        "mcp: there is no way to say a choice of tools",
    );
}

#[test]
fn a_tool_that_is_added_at_the_end_changes_no_earlier_byte() {
    let schema = json!({"properties": {"n": {"type": "integer", "minimum": 1}}, "additionalProperties": false});
    let names: Vec<String> =
        (0..12).map(|index| format!("tool_{}", char::from(b'a' + index))).collect();
    for dialect in &forms() {
        let dialect = &**dialect;
        let mut earlier = String::new();
        for count in 1..=names.len() {
            let view = view_of(names[..count].iter().map(|name| tool(name, schema.clone())));
            let written = view.definitions(dialect).unwrap().to_string();
            assert_eq!(view.definitions(dialect).unwrap().to_string(), written);
            let closing: &[char] = &[']', '}'];
            let kept = earlier.trim_end_matches(closing);
            assert!(written.starts_with(kept), "{} with {count}", dialect.name());
            earlier = written;
        }
    }
}

#[test]
fn caches_and_searches_are_marked_where_the_provider_wants_to_be_told() {
    let view = abc();
    let named = |definitions: &Value, key: &str| -> Vec<String> {
        let marked = definitions.as_array().unwrap().iter().filter(|tool| tool.get(key).is_some());
        marked.map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    };
    let offer = view.offer(&Anthropic).unwrap().cached();
    assert_eq!(named(&offer.definitions(), "cache_control"), ["c_tool"]);
    let offer = offer.deferring(["b_tool", "c_tool"]).unwrap();
    let definitions = offer.definitions();
    assert_eq!(named(&definitions, "cache_control"), ["a_tool"]);
    assert_eq!(named(&definitions, "defer_loading"), ["b_tool", "c_tool"]);
    assert_eq!(definitions[0]["type"], "tool_search_tool_bm25_20251119");

    let offer = view.offer(&OpenAiResponses).unwrap().deferring(["c_tool"]).unwrap();
    assert_eq!(named(&offer.definitions(), "defer_loading"), ["c_tool"]);
    assert_eq!(offer.definitions()[0], json!({"type": "tool_search"}));

    let offer = view.offer(&OpenAiChat).unwrap().cached().deferring(["c_tool"]).unwrap();
    assert_eq!(offer.definitions(), view.definitions(&OpenAiChat).unwrap());
    let error = view.offer(&Anthropic).unwrap().deferring(["a_tool", "b_tool", "c_tool"]);
    assert_eq!(
        error.unwrap_err().message(),
        "every tool is to be found by search; leave one that the model reads",
    );
}

/// Looks a person up.
#[tool]
fn look_up(
    #[arg(examples = ["ann", "bob"])] name: String,
    #[arg(examples = [3])] most: Option<u8>,
) {
    drop((name, most));
}

#[test]
fn examples_of_the_arguments_are_sent_whole() {
    let view = Registry::builder().tools(tools![look_up]).build().unwrap().view(Caller::new("ann"));
    assert_eq!(
        view.definitions(&Anthropic).unwrap()[0]["input_examples"],
        json!([{"name": "ann", "most": 3}, {"name": "bob", "most": 3}]),
    );
}

#[test]
fn names_outside_a_providers_alphabet_are_mapped_and_found_again() {
    let long = format!("{}.{}", "x".repeat(60), "y".repeat(60));
    let names = ["crm.get-person", "7zip", &long, "plain"];
    let view = view_of(names.map(|name| tool(name, json!({}))));
    let wire: Vec<String> = view
        .definitions(&Anthropic)
        .unwrap()
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(wire[0], "crm_get-person");
    assert_eq!(wire[1], "_7zip");
    assert_eq!((wire[2].len(), &wire[2][..56]), (64, &*format!("{}_", "x".repeat(55))));
    assert_eq!(wire[3], "plain");
    for (name, wire) in names.iter().zip(&wire) {
        for asked in [*name, wire] {
            let call = ToolCall::new("1", asked, "{}");
            let outcome = view.dispatch_blocking(&call, Options::default()).unwrap();
            assert_eq!((outcome.status(), outcome.text()), (Status::Ok, "done"), "{asked}");
        }
        // What goes into the history is what the definitions say.
        let history = Anthropic.assistant(&Reply::call(*name, "{}"));
        assert_eq!(history[0]["content"][0]["name"], **wire);
    }
    let mcp = view.definitions(&Mcp).unwrap();
    assert_eq!(mcp[0]["name"], "crm.get-person");
}

#[test]
fn the_effect_of_a_tool_is_known_by_its_name_on_the_wire() {
    let view = view_of([tool("crm.delete", json!({})).effect(Effect::Write)]);
    assert_eq!(view.effect_of("crm_delete"), Some(Effect::Write));
    assert_eq!(view.effect_of("crm.delete"), Some(Effect::Write));
}

#[test]
fn a_hidden_tool_is_as_unknown_by_its_name_on_the_wire_as_by_its_own() {
    let view = view_of([tool("crm.get", json!({})), tool("other", json!({}))]).scoped(["other"]);
    let told = |name: &str| {
        let call = ToolCall::new("1", name, "{}");
        view.dispatch_blocking(&call, Options::default()).unwrap().text().replace(name, "it")
    };
    assert_eq!(told("crm_get"), told("crm_xyz"));
}

#[test]
fn names_that_become_one_on_the_wire_are_refused_at_build() {
    let long = "x".repeat(100);
    let wire = view_of([tool(&long, json!({}))]).definitions(&Anthropic).unwrap();
    let wire = wire[0]["name"].as_str().unwrap().to_owned();
    for (one, other) in [(&*long, &*wire), ("a.b", "a_b"), ("7z", "_7z")] {
        let tools = [one, other].map(|name| Tool::from(tool(name, json!({}))));
        let errors = Registry::builder().tools(tools).build().unwrap_err();
        assert_eq!(errors.iter().count(), 1, "{errors}");
    }
}

fn with_optionals(count: usize) -> Value {
    let properties: serde_json::Map<String, Value> = (0..count)
        .map(|index| {
            (
                format!("field_{}", char::from(b'a' + u8::try_from(index).unwrap())),
                json!({"type": "integer"}),
            )
        })
        .collect();
    json!({"properties": properties, "additionalProperties": false})
}

fn many(count: usize, schema: &Value) -> Vec<DynamicTool> {
    let name = |index: usize| {
        let letter = |index: usize| char::from(b'a' + u8::try_from(index % 20).unwrap());
        format!("tool_{}{}", letter(index / 20), letter(index))
    };
    (0..count).map(|index| tool(&name(index), schema.clone())).collect()
}

#[test]
fn what_one_request_has_room_for_is_counted() {
    let room = |count: usize, schema: &Value| {
        view_of(many(count, schema)).definitions(&Anthropic.strict())
    };
    let told = |count: usize, schema: &Value| {
        room(count, schema).unwrap_err().iter().next().unwrap().message().to_owned()
    };
    let no_fields = with_optionals(0);
    assert!(room(20, &no_fields).is_ok());
    let advice =
        "; show fewer tools with `scoped(…)`, or let the dialect be `strict_where_possible()`";
    assert_eq!(
        told(21, &no_fields),
        format!("anthropic: one request has 21 strict tools, of which 20 are taken{advice}"),
    );
    assert!(room(3, &with_optionals(8)).is_ok());
    assert_eq!(
        told(5, &with_optionals(5)),
        format!(
            "anthropic: one request has 25 optional fields in strict tools, of which 24 are taken{advice}"
        ),
    );
    let union = json!({
        "properties": {"a": {"anyOf": [{"type": "integer"}, {"type": "string"}]}},
        "required": ["a"],
        "additionalProperties": false,
    });
    assert!(room(16, &union).is_ok());
    assert_eq!(
        told(17, &union),
        format!(
            "anthropic: one request has 17 fields of several types in strict tools, of which 16 are taken{advice}"
        ),
    );
    let chat = |count: usize| view_of(many(count, &no_fields)).definitions(&OpenAiChat);
    assert!(chat(128).is_ok());
    assert_eq!(
        chat(129).unwrap_err().iter().next().unwrap().message(),
        "openai_chat: one request has 129 tools, of which 128 are taken; show fewer with `scoped(…)`",
    );
}

#[test]
fn a_schema_that_is_too_much_for_openai_is_told_apart() {
    let mut deep = json!({"type": "integer"});
    for _ in 0..10 {
        deep = json!({"type": "object", "properties": {"a": deep}, "required": ["a"], "additionalProperties": false});
    }
    let told = |schema: Value| {
        let view = view_of([tool("one", schema)]);
        let told = view.definitions(&OpenAiChat.strict());
        told.map_err(|errors| errors.iter().next().unwrap().to_string()).map(drop)
    };
    assert_eq!(told(deep.clone()), Ok(()));
    let deeper = json!({"type": "object", "properties": {"a": deep}, "required": ["a"], "additionalProperties": false});
    assert_eq!(
        told(deeper),
        Err("tool `one`: openai, strict: its schema has 11 levels of objects and lists, of which 10 are taken; split it".to_owned()),
    );
    let names = |count: usize, length: usize| {
        let names: Vec<String> = (0..count).map(|index| format!("{index:0length$}")).collect();
        json!({"properties": {"a": {"type": "string", "enum": names}}, "required": ["a"], "additionalProperties": false})
    };
    assert_eq!(told(names(1_000, 5)), Ok(()));
    assert_eq!(
        told(names(1_001, 5)),
        Err("tool `one`: openai, strict: its schema has 1001 values of enums, of which 1000 are taken; split it".to_owned()),
    );
    assert_eq!(
        told(names(300, 51)),
        Err("tool `one`: openai, strict: its schema has an enum of 300 values has 15300 characters, of which 15000 are taken; split it".to_owned()),
    );
}

#[test]
fn the_plan_keeps_tools_with_effects_strict_first() {
    let mut tools = many(22, &with_optionals(0));
    tools.push(tool("pay", with_optionals(0)).effect(Effect::Write));
    let tools: Vec<Tool> = tools.into_iter().map(Tool::from).collect();
    // Where one tool says its effect, all must.
    let registry = Registry::builder().tools(tools).build();
    assert!(registry.is_err());

    let mut tools: Vec<DynamicTool> =
        many(22, &with_optionals(0)).into_iter().map(|tool| tool.effect(Effect::Read)).collect();
    tools.push(tool("pay", with_optionals(0)).effect(Effect::Write));
    let map = json!({"properties": {"m": {"type": "object", "additionalProperties": {"type": "integer"}}}});
    tools.insert(0, tool("rank", map).effect(Effect::Read));
    let view = view_of(tools);
    let dialect = Anthropic.strict_where_possible();
    let offer = view.offer(&dialect).unwrap();
    let strict = offer.strict_tools();
    assert_eq!((strict.len(), strict.last()), (20, Some(&"pay")));
    assert!(!strict.contains(&"rank"));
    let why: Vec<String> = offer
        .explain()
        .lines()
        .filter(|line| line.contains(": plain: "))
        .map(str::to_owned)
        .collect();
    assert_eq!(why.len(), 4);
    assert!(
        why[0]
            .starts_with("rank: $: plain: anthropic, strict: `additionalProperties` of $.m: a map")
    );
    assert_eq!(
        why[1],
        "tool_at: $: plain: with it the request has 21 strict tools, of which 20 are taken",
    );
    let definitions = offer.definitions();
    assert_eq!(definitions[0].get("strict"), None);
    assert_eq!(definitions[1]["strict"], true);
}

#[test]
fn every_problem_of_every_tool_is_found_for_the_dialects_in_use() {
    let map = json!({"properties": {"m": {"type": "object", "additionalProperties": {"type": "integer"}}}});
    let spaced = json!({"properties": {"a b": {"type": "integer"}}});
    let registry = Registry::builder()
        .tool(tool("good", json!({})))
        .tool(tool("map", map))
        .tool(tool("spaced", spaced))
        .build()
        .unwrap();
    assert_eq!(registry.check(&[&OpenAiChat, &Mcp]), Ok(()));
    let errors = registry.check(&[&Anthropic, &OpenAiChat.strict(), &Gemini]).unwrap_err();
    let told: Vec<(Option<&str>, &str)> = errors
        .iter()
        .map(|error| (error.tool(), error.message().split(": the ").next().unwrap()))
        .collect();
    assert_eq!(
        told,
        [
            (Some("spaced"), "anthropic: `properties` of $.a b"),
            (
                Some("map"),
                "openai, strict: `additionalProperties` of $.m: a map has no form; name its fields, take a list of pairs, or let the dialect write it as one with `maps_as_pairs()`"
            ),
            (Some("spaced"), "gemini: `properties` of $.a b"),
        ],
    );
}
