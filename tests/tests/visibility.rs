//! What a caller may not see reads as if it were not there.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolkit::dialect::{Anthropic, OpenAiChat};
use toolkit::prelude::*;
use toolkit::{Options, Registry, Status};
use toolkit_tests::{Dice, call, cases};

/// A.
#[tool(effect = "read")]
fn alpha() -> &'static str {
    "a"
}

/// B.
#[tool(effect = "read", scopes("orders:read"))]
fn orders() -> &'static str {
    "b"
}

/// C.
#[tool(effect = "write", ledger = none("a test calls it again and again"), scopes("orders:read", "payments:write"))]
fn refund() -> &'static str {
    "c"
}

fn registry() -> Registry {
    Registry::builder().tools(tools![alpha, orders, refund]).build().unwrap()
}

#[test]
fn a_forbidden_tool_reads_like_an_unknown_one() {
    let view = registry().view(Caller::new("ada")).scoped(["alpha", "refund"]);
    let words = |name: &str| call(&view, name, "{}");
    for (name, status) in
        [("zzzz", Status::UnknownTool), ("orders", Status::UnknownTool), ("refund", Status::Denied)]
    {
        let outcome = words(name);
        assert_eq!(outcome.text(), format!("no such tool \"{name}\". Available: alpha"));
        assert_eq!(outcome.status(), status);
        assert!(outcome.is_error() && !outcome.is_retryable() && !outcome.executed());
    }
    assert_eq!(words("refund").host_note(), Some("missing scope `orders:read`"));
    assert_eq!(words("zzzz").host_note(), Some("the view has no tool `zzzz`"));
}

#[test]
fn names_that_can_not_be_called_are_answered_on_the_ticks_of_a_coarse_clock() {
    const TICK: Duration = Duration::from_micros(50);
    let view = registry().view(Caller::new("ada"));
    let start = Instant::now();
    // How many answers come in each tenth of a tick, when calls begin in all of them.
    let mut tenths = [0; 10];
    for round in 0..1_000 {
        let begin = Instant::now() + TICK * (round * 7_919 % 1_000) / 1_000;
        while Instant::now() < begin {
            std::hint::spin_loop();
        }
        call(&view, if round % 2 == 0 { "orders" } else { "order" }, "{}");
        let into_the_tick = start.elapsed().as_nanos() % TICK.as_nanos();
        tenths[usize::try_from(into_the_tick * 10 / TICK.as_nanos()).unwrap()] += 1;
    }
    let three_from = |first: usize| (first..first + 3).map(|tenth| tenths[tenth % 10]).sum::<u32>();
    assert!((0..10).map(three_from).max() > Some(600), "{tenths:?}");
}

#[test]
fn the_arguments_of_a_hidden_tool_are_never_looked_at() {
    let view = registry().view(Caller::new("ada")).scoped(["alpha"]);
    for arguments in ["{}", "{", "[]", "{\"x\":1}", ""] {
        assert_eq!(
            call(&view, "refund", arguments).text(),
            "no such tool \"refund\". Available: alpha"
        );
    }
}

#[test]
fn a_near_name_is_suggested_from_what_is_visible_only() {
    let view = registry().view(Caller::new("ada").scopes(["orders:read"]));
    assert_eq!(view.visible(), ["alpha", "orders"]);
    assert_eq!(
        call(&view, "ALPHA", "{}").text(),
        "no such tool \"ALPHA\" (did you mean \"alpha\"?). Available: alpha, orders"
    );
    assert_eq!(
        call(&view, "refunds", "{}").text(),
        "no such tool \"refunds\". Available: alpha, orders"
    );
    let nobody = registry().view(Caller::new("ada")).scoped(["refund"]);
    assert_eq!(call(&nobody, "alpha", "{}").text(), "no such tool \"alpha\". Available: none");
}

#[test]
fn scopes_open_what_they_name_and_nothing_else() {
    let seen = |scopes: &[&str]| {
        let view = registry().view(Caller::new("ada").scopes(scopes.iter().copied()));
        view.visible().iter().map(|&name| name.to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(seen(&[]), ["alpha"]);
    assert_eq!(seen(&["payments:write"]), ["alpha"]);
    assert_eq!(seen(&["orders:read"]), ["alpha", "orders"]);
    assert_eq!(seen(&["payments:write", "orders:read", "x"]), ["alpha", "orders", "refund"]);
}

fn dynamic(name: &str) -> Tool {
    let run = |_: Value, _: CallContext| async { Ok::<_, Failure>("done") };
    Tool::dynamic(name, "Does it.", json!({"type": "object"}), run).into()
}

#[test]
fn another_spelling_of_a_name_reaches_nothing_and_is_told_the_right_one() {
    let registry = Registry::builder().tool(dynamic("ns__get")).build().unwrap();
    let view = registry.view(Caller::new("ada"));
    for spelling in ["ns.get", "NS__GET", "ns_get"] {
        let outcome = call(&view, spelling, "{}");
        assert!(!outcome.executed());
        assert_eq!(
            outcome.text(),
            format!("no such tool \"{spelling}\" (did you mean \"ns__get\"?). Available: ns__get"),
        );
    }
}

#[test]
fn scoping_only_ever_takes_away() {
    let mut dice = Dice::fresh("scoping");
    let all: Vec<String> = (b'a'..=b'h').map(|c| format!("tool_{}", c as char)).collect();
    let registry = Registry::builder().tools(all.iter().map(|name| dynamic(name))).build().unwrap();
    for _ in 0..cases(2_000) {
        let mut view = registry.view(Caller::new("ada"));
        let mut seen: BTreeSet<String> = all.iter().cloned().collect();
        for _ in 0..=dice.below(4) {
            let names: BTreeSet<String> = all.iter().filter(|_| dice.one_in(2)).cloned().collect();
            view = view.scoped(&names);
            seen = seen.intersection(&names).cloned().collect();
        }
        let visible: BTreeSet<String> = view.visible().into_iter().map(str::to_owned).collect();
        assert_eq!(visible, seen);
        let listed = view.definitions(&OpenAiChat).unwrap();
        let listed: BTreeSet<String> = listed
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| tool["function"]["name"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(listed, seen, "what is listed is what is dispatched");
        let name = dice.pick(&all).clone();
        let outcome = call(&view, &name, "{}");
        assert_eq!(outcome.status() == Status::Ok, seen.contains(&name));
    }
}

#[test]
fn registries_that_differ_only_in_what_is_hidden_give_the_same_bytes() {
    let mut dice = Dice::fresh("non-interference");
    let names = ["get_order", "refund", "close_account", "send_mail", "lookup"];
    for _ in 0..cases(500) {
        let hidden: Vec<&str> = names.iter().skip(2).filter(|_| dice.one_in(2)).copied().collect();
        let bytes = |extra: &[&str]| {
            let tools = names.iter().take(2).chain(extra).map(|name| dynamic(name));
            let view = Registry::builder()
                .tools(tools)
                .build()
                .unwrap()
                .view(Caller::new("ada"))
                .scoped(&names[..2]);
            let asked = names.iter().chain(&["refunds", "close", "x"]);
            let texts: Vec<String> =
                asked.map(|name| call(&view, name, "{\"x\":").text().to_owned()).collect();
            (view.definitions(&Anthropic).unwrap().to_string(), texts)
        };
        assert_eq!(bytes(&[]), bytes(&hidden));
    }
}

#[test]
fn a_name_of_any_bytes_gives_an_outcome() {
    let view = registry().view(Caller::new("ada"));
    for name in ["", " ", "\0", "\u{202e}alpha", "alpha ", "ALPHA\n", &"x".repeat(100_000), "🦀"]
    {
        let outcome =
            view.dispatch_blocking(ToolCall::new("", name, "{}"), Options::default()).unwrap();
        assert_eq!(outcome.status(), Status::UnknownTool);
        assert!(outcome.text().len() < 1_200, "{}", outcome.text().len());
        assert!(!outcome.text().contains(['\0', '\u{202e}', '\n']));
    }
}

/// Shows what is planned.
#[tool(effect = "read", scopes("plans:read"), listed = true)]
fn plans() {}

/// Fires a person.
#[tool(effect = "read", scopes("staff:write"), listed = true, on_denied = "fatal")]
fn fire() {}

#[test]
fn a_listed_tool_stays_in_sight_and_out_of_reach_without_its_scopes() {
    let registry = Registry::builder().tools(tools![plans, fire]).build().unwrap();
    let view = registry.view(Caller::new("ann"));
    assert_eq!(view.visible(), ["plans", "fire"]);
    let outcome =
        view.dispatch_blocking(ToolCall::new("1", "plans", "{}"), Options::default()).unwrap();
    assert_eq!((outcome.status(), outcome.executed()), (Status::Denied, false));
    assert_eq!(outcome.text(), "plans is not permitted here. Do not call it again; tell the user.");
    assert_eq!(outcome.host_note(), Some("missing scope `plans:read`"));
    assert_eq!(
        outcome.structured(),
        json!({
            "status": "denied",
            "message": outcome.text(),
            "category": "permission",
            "retryable": false,
        }),
    );
    let holder = registry.view(Caller::new("ann").scopes(["plans:read"]));
    let outcome = holder.dispatch_blocking(ToolCall::new("1", "plans", "{}"), Options::default());
    assert_eq!(outcome.unwrap().status(), Status::Ok);
    let scoped = registry.view(Caller::new("ann")).scoped(["fire"]);
    assert_eq!(scoped.visible(), ["fire"], "an allowlist takes a listed tool away as any other");
}

#[test]
fn a_denial_that_is_fatal_ends_the_run() {
    let registry = Registry::builder().tools(tools![plans, fire]).build().unwrap();
    let call = ToolCall::new("1", "fire", r#"{"whom": "not looked at"}"#);
    let abort = registry.view(Caller::new("ann")).dispatch_blocking(call, Options::default());
    let error = FatalToolError::denied("missing scope `staff:write`");
    assert_eq!(
        abort,
        Err(toolkit::Abort::Fatal { tool: "fire".to_owned(), error, executed: false }),
    );
}

#[test]
fn as_data_a_forbidden_tool_is_an_unknown_one() {
    let shown = |view: &View, name: &str| {
        let call = ToolCall::new("1", name, "{}");
        let outcome = view.dispatch_blocking(call, Options::default()).unwrap();
        outcome.structured().to_string().replace(name, "NAME")
    };
    /// Pays.
    #[tool(effect = "read", scopes("pay"))]
    fn pay() {}
    let registry = Registry::builder().tools(tools![pay]).build().unwrap();
    let view = registry.view(Caller::new("ann"));
    assert_eq!(shown(&view, "pay"), shown(&view, "pax"));
}
