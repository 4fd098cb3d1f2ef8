//! What a client is shown, page by page, and who is shown what.

use serde_json::{Value, json};
use toolkit::mcp::{Live, serve};
use toolkit::prelude::*;

use crate::shop::{Hand, server, shop};

fn names(listed: &Value) -> Vec<String> {
    let tools = listed["result"]["tools"].as_array().unwrap();
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

fn many(count: usize) -> Registry {
    let tool = |n| {
        Tool::dynamic(format!("tool_{n:03}"), "Does nothing.", json!({}), |_, _| async {
            Ok::<_, ToolError>(())
        })
    };
    Registry::builder().tools((0..count).map(|n| tool(n).into())).build().unwrap()
}

#[tokio::test]
async fn pages_hold_every_tool_once_in_the_registrys_order() {
    let mut hand = Hand::open(serve(many(250)).page(100), "2025-11-25").await;
    for _ in 0..2 {
        let (mut seen, mut sizes, mut cursor) = (Vec::new(), Vec::new(), Value::Null);
        loop {
            let params = if cursor.is_null() { json!({}) } else { json!({"cursor": cursor}) };
            let page = hand.asks(1, "tools/list", params).await;
            let page_names = names(&page);
            sizes.push(page_names.len());
            seen.extend(page_names);
            match page["result"].get("nextCursor") {
                Some(next) => cursor = next.clone(),
                None => break,
            }
        }
        assert_eq!(sizes, [100, 100, 50]);
        assert_eq!(seen, (0..250).map(|n| format!("tool_{n:03}")).collect::<Vec<_>>());
    }
    let told = hand.asks(2, "tools/list", json!({"cursor": "tool_999"})).await;
    assert_eq!(told["error"], json!({"code": -32602, "message": "no such cursor"}));
    hand.goes().await;
}

#[tokio::test]
async fn a_tool_is_shown_as_the_dialect_writes_it() {
    let shop = shop();
    for version in ["2025-06-18", "2025-11-25"] {
        let mut hand = Hand::open(server(&shop), version).await;
        let listed = hand.asks(1, "tools/list", json!({})).await;
        use toolkit::dialect::{Dialect as _, Mcp, Request};
        let view = shop.registry.view(crate::shop::clerk());
        let tools = view.definitions(&Mcp).unwrap();
        assert_eq!(listed["result"], Mcp.request(&Request::new("", &[]).tools(tools)));
        hand.goes().await;
    }
}

#[tokio::test]
async fn a_schema_as_it_is_says_what_it_is_written_in_to_who_knows_the_word() {
    for (version, says) in [("2025-06-18", false), ("2025-11-25", true)] {
        for is_exact in [false, true] {
            let server = serve(many(1));
            let server = if is_exact { server.exact() } else { server };
            let mut hand = Hand::open(server, version).await;
            let listed = hand.asks(1, "tools/list", json!({})).await;
            let schema = &listed["result"]["tools"][0]["inputSchema"];
            let mut expected = json!({"type": "object", "properties": {}});
            if says && is_exact {
                expected["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
            }
            assert_eq!(schema, &expected, "{version} {is_exact}");
            hand.goes().await;
        }
    }
}

#[tokio::test]
async fn who_may_not_see_a_tool_reads_the_same_as_if_there_were_none() {
    let shop = shop();
    let guest = || serve(shop.registry.clone()).caller(Caller::new("guest"));
    let mut hand = Hand::open(guest(), "2025-11-25").await;
    let listed = hand.asks(1, "tools/list", json!({})).await;
    assert_eq!(
        names(&listed),
        ["close_account", "get_order", "who", "wait", "pay_slowly", "count"]
    );
    let hidden = hand.calls("create_payment", r#"{"amount":3,"currency":"EUR"}"#).await;
    let missing = hand.calls("create_paymens", "{}").await;
    assert_eq!(hidden.to_string().replace("create_payment", "create_paymens"), missing.to_string());
    assert_eq!(shop.paid.all(), [""; 0]);
    // A hidden tool is no place in the list, either.
    let told = hand.asks(2, "tools/list", json!({"cursor": "create_payment"})).await;
    assert_eq!(told["error"]["message"], "no such cursor");
    hand.goes().await;

    let mut hand = Hand::open(guest().scoped(["who", "create_payment"]), "2025-11-25").await;
    assert_eq!(names(&hand.asks(1, "tools/list", json!({})).await), ["who"]);
    hand.goes().await;
}

#[tokio::test]
async fn clients_are_told_that_the_list_changed_and_then_see_the_new_one() {
    let live = Live::new(many(1));
    let mut hand = Hand::open(serve(live.clone()), "2025-11-25").await;
    assert_eq!(names(&hand.asks(1, "tools/list", json!({})).await), ["tool_000"]);
    for count in [2, 3] {
        live.replace(many(count)).unwrap();
        let told = hand.hears().await;
        assert_eq!(told["method"], "notifications/tools/list_changed");
        assert_eq!(names(&hand.asks(2, "tools/list", json!({})).await).len(), count);
    }
    hand.goes().await;
}

#[tokio::test]
async fn a_session_that_says_initialized_again_is_told_of_each_change_once() {
    let live = Live::new(many(1));
    let mut hand = Hand::open(serve(live.clone()), "2025-11-25").await;
    for _ in 0..20 {
        hand.says(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
    }
    assert_eq!(names(&hand.asks(1, "tools/list", json!({})).await), ["tool_000"]);
    live.replace(many(2)).unwrap();
    assert_eq!(hand.hears().await["method"], "notifications/tools/list_changed");
    // The next message is this answer.
    assert_eq!(names(&hand.asks(2, "tools/list", json!({})).await), ["tool_000", "tool_001"]);
    hand.goes().await;
}

#[tokio::test]
async fn a_stateless_client_sees_what_it_may_keep_and_hears_of_changes_it_asked_for() {
    let live = Live::new(many(1));
    let mut hand = Hand::connect(serve(live.clone()));
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let found = hand.asks(1, "server/discover", json!({"_meta": meta})).await;
    assert!(found["result"]["supportedVersions"].to_string().contains("2026-07-28"), "{found}");
    let listed = hand.asks(2, "tools/list", json!({"_meta": meta})).await;
    let mut listed = listed["result"].clone();
    listed.as_object_mut().unwrap().remove("tools");
    listed.as_object_mut().unwrap().remove("_meta");
    assert_eq!(listed, json!({"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}));

    let params = json!({"_meta": meta, "notifications": {"toolsListChanged": true}});
    let asked =
        json!({"jsonrpc": "2.0", "id": 3, "method": "subscriptions/listen", "params": params});
    hand.says(&asked.to_string()).await;
    assert_eq!(hand.hears().await["method"], "notifications/subscriptions/acknowledged");
    live.replace(many(2)).unwrap();
    assert_eq!(hand.hears().await["method"], "notifications/tools/list_changed");
}
