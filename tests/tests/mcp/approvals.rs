//! Calls that a person must agree to, over MCP.

use std::time::Duration;

use serde_json::{Value, json};
use toolkit::ledger::{Filter, Person};
use toolkit::mcp::{Server, serve};

use crate::shop::{Hand, Shop, call, clerk, server, shop};

const PAYS: &str = r#"{"amount":900,"currency":"EUR"}"#;

/// The shop as a server to a clerk whose own word counts.
fn deciding(shop: &Shop) -> Server {
    serve(shop.registry.clone()).caller(clerk().scopes(["approvals:decide"]))
}

/// A client that can ask, and what its user answers; gives what the call came to.
async fn answered(shop: &Shop, answer: Value) -> Value {
    let can = json!({"elicitation": {}});
    let mut hand = Hand::open_as(deciding(shop), "2025-11-25", can).await;
    hand.says(&call(7, "create_payment", PAYS)).await;
    let asked = hand.hears().await;
    assert_eq!(asked["method"], "elicitation/create");
    assert_eq!(
        asked["params"]["message"],
        "create_payment for clerk\n  amount: number = 900\n  currency: text(3) = \"EUR\"",
    );
    assert_eq!(shop.paid.all(), [""; 0], "nothing runs before the answer");
    hand.says(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": answer}).to_string()).await;
    let told = hand.hears().await;
    assert_eq!(told["id"], 7);
    hand.goes().await;
    told["result"].clone()
}

fn said(result: &Value) -> (&str, bool) {
    (result["content"][0]["text"].as_str().unwrap(), result["isError"] == true)
}

#[tokio::test]
async fn the_clients_user_agrees_and_the_call_runs_once() {
    let shop = shop();
    let told = answered(&shop, json!({"action": "accept", "content": {"approve": true}})).await;
    assert_eq!(said(&told), (r#"{"text":"paid 900.0 EUR today"}"#, false));
    assert_eq!(shop.paid.all(), ["paid 900.0 EUR today"]);
    // The same call over another connection is a duplicate, and asks nobody.
    let mut hand = Hand::open(server(&shop), "2025-11-25").await;
    let again = hand.calls("create_payment", PAYS).await;
    assert_eq!(again["result"]["structuredContent"], json!({"text": "paid 900.0 EUR today"}));
    assert_eq!(shop.paid.all(), ["paid 900.0 EUR today"]);
    hand.goes().await;
}

#[tokio::test]
async fn the_clients_user_refuses() {
    for answer in
        [json!({"action": "decline"}), json!({"action": "accept", "content": {"approve": false}})]
    {
        let shop = shop();
        let told = answered(&shop, answer).await;
        assert_eq!(said(&told), ("declined by a person. Do not retry; tell the user.", true));
        assert_eq!(shop.paid.all(), [""; 0]);
    }
}

#[tokio::test]
async fn what_is_no_decision_leaves_the_call_to_the_desk() {
    for answer in [
        json!({"action": "cancel"}),
        json!({"action": "accept"}),
        json!({"action": "accept", "content": {"approve": "true"}}),
        json!({"what": "is this"}),
    ] {
        let shop = shop();
        let told = answered(&shop, answer.clone()).await;
        assert!(said(&told).0.starts_with("create_payment waits for a person"), "{answer}: {told}");
        assert_eq!(shop.paid.all(), [""; 0]);
    }
}

#[tokio::test]
async fn a_client_that_can_not_ask_reads_the_id_that_the_desk_decides_by() {
    let shop = shop();
    for can in [json!({}), json!({"elicitation": {"url": {}}})] {
        let mut hand = Hand::open_as(deciding(&shop), "2025-11-25", can).await;
        let told = hand.calls("create_payment", PAYS).await["result"].clone();
        let (text, is_error) = said(&told);
        assert!(is_error);
        let desk = shop.registry.desk().unwrap();
        let waiting = desk.waiting(&Filter::default()).await.unwrap();
        let [parked] = &waiting[..] else { panic!("one call waits") };
        assert!(text.contains(&format!("(approval {})", parked.id)), "{text}");
        hand.goes().await;
    }
    // A person at the desk agrees, and the client's next call of the same runs it.
    let desk = shop.registry.desk().unwrap();
    let parked = desk.waiting(&Filter::default()).await.unwrap().remove(0);
    let kim = Person::authenticated("kim", "web").scopes(["approvals:decide"]);
    desk.approve(&kim, &parked.id.to_string(), &parked.binding).await.unwrap();
    assert_eq!(shop.paid.all(), [""; 0]);
    for _ in 0..2 {
        let mut hand = Hand::open(server(&shop), "2025-11-25").await;
        let told = hand.calls("create_payment", PAYS).await;
        assert_eq!(told["result"]["structuredContent"], json!({"text": "paid 900.0 EUR today"}));
        hand.goes().await;
    }
    assert_eq!(shop.paid.all(), ["paid 900.0 EUR today"]);
}

#[tokio::test]
async fn what_needs_another_person_is_not_put_to_who_asked() {
    let shop = shop();
    let can = json!({"elicitation": {}});
    let mut hand = Hand::open_as(deciding(&shop), "2025-11-25", can.clone()).await;
    let told = hand.calls("close_account", r#"{"id":"A-1"}"#).await;
    assert!(said(&told["result"]).0.starts_with("close_account waits for a person"), "{told}");
    hand.goes().await;

    let mut hand = Hand::open_as(deciding(&shop).without_elicitation(), "2025-11-25", can).await;
    let told = hand.calls("create_payment", PAYS).await;
    assert!(said(&told["result"]).0.starts_with("create_payment waits for a person"), "{told}");
    hand.goes().await;
    assert_eq!(shop.paid.all(), [""; 0]);
}

#[tokio::test]
async fn a_caller_without_the_scope_to_decide_is_never_asked_and_its_call_waits() {
    let shop = shop();
    let can = json!({"elicitation": {}});
    let mut hand = Hand::open_as(server(&shop), "2025-11-25", can).await;
    // The next message is the answer, and no question.
    let told = hand.calls("create_payment", PAYS).await;
    let desk = shop.registry.desk().unwrap();
    let waiting = desk.waiting(&Filter::default()).await.unwrap();
    let [parked] = &waiting[..] else { panic!("one call waits") };
    let waits = format!(
        "create_payment waits for a person to agree (approval {}); nothing ran yet. Do not call \
         it again; tell the user that it waits.",
        parked.id,
    );
    assert_eq!(said(&told["result"]), (&*waits, true));
    hand.goes().await;

    // Nor does an answer to a question that nobody put decide.
    let yes = json!({"approval": {"action": "accept", "content": {"approve": true}}});
    let state = format!("{} {}", parked.id, parked.binding);
    let mut hand = Hand::connect(server(&shop));
    for more in [json!({}), json!({"inputResponses": yes, "requestState": state})] {
        hand.says(&stateless(1, PAYS, &more)).await;
        let told = hand.hears().await["result"].clone();
        assert_eq!(said(&told), (&*waits, true));
        assert_eq!(told["resultType"], "complete");
    }
    hand.goes().await;
    assert_eq!(shop.paid.all(), [""; 0]);
}

#[tokio::test]
async fn a_question_that_nobody_answers_leaves_the_call_to_the_desk() {
    for is_approved_meanwhile in [false, true] {
        let shop = shop();
        let patient = deciding(&shop).answer_within(Duration::from_secs(2));
        let can = json!({"elicitation": {}});
        let mut hand = Hand::open_as(patient, "2025-11-25", can).await;
        hand.says(&call(7, "create_payment", PAYS)).await;
        assert_eq!(hand.hears().await["method"], "elicitation/create");
        let desk = shop.registry.desk().unwrap();
        let parked = desk.waiting(&Filter::default()).await.unwrap().remove(0);
        if is_approved_meanwhile {
            let kim = Person::authenticated("kim", "web").scopes(["approvals:decide"]);
            desk.approve(&kim, &parked.id.to_string(), &parked.binding).await.unwrap();
        }
        // The client may be told that its answer is not waited for any more.
        let mut told = hand.hears().await;
        if told["method"] == "notifications/cancelled" {
            told = hand.hears().await;
        }
        assert_eq!(told["id"], 7, "{told}");
        let (text, is_error) = said(&told["result"]);
        if is_approved_meanwhile {
            assert_eq!((text, is_error), (r#"{"text":"paid 900.0 EUR today"}"#, false));
            assert_eq!(shop.paid.all(), ["paid 900.0 EUR today"]);
        } else {
            assert!(text.contains(&format!("(approval {})", parked.id)), "{text}");
            assert!(is_error);
            assert_eq!(shop.paid.all(), [""; 0]);
        }
        hand.goes().await;
    }
}

/// A request of the stateless revision.
fn stateless(id: u8, arguments: &str, more: &Value) -> String {
    let mut params = json!({
        "name": "create_payment",
        "arguments": serde_json::from_str::<Value>(arguments).unwrap(),
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
        },
    });
    params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string()
}

#[tokio::test]
async fn a_stateless_client_asks_and_sends_the_call_again() {
    let shop = shop();
    let mut hand = Hand::connect(deciding(&shop));
    hand.says(&stateless(1, PAYS, &json!({}))).await;
    let asked = hand.hears().await["result"].clone();
    assert_eq!(asked["resultType"], "input_required");
    assert_eq!(asked["inputRequests"]["approval"]["method"], "elicitation/create");
    let state = &asked["requestState"];
    let yes = json!({"approval": {"action": "accept", "content": {"approve": true}}});

    // An answer without the state, with another's, or to another call decides nothing.
    let forged = json!("apr_00000000000000000000000000 00");
    for (arguments, more) in [
        (PAYS, json!({"inputResponses": yes})),
        (PAYS, json!({"inputResponses": yes, "requestState": forged})),
        (
            r#"{"amount":901,"currency":"EUR"}"#,
            json!({"inputResponses": yes, "requestState": state}),
        ),
    ] {
        hand.says(&stateless(2, arguments, &more)).await;
        assert_eq!(hand.hears().await["result"]["resultType"], "input_required", "{more}");
    }
    assert_eq!(shop.paid.all(), [""; 0]);

    hand.says(&stateless(3, PAYS, &json!({"inputResponses": yes, "requestState": state}))).await;
    let told = hand.hears().await["result"].clone();
    assert_eq!(said(&told), (r#"{"text":"paid 900.0 EUR today"}"#, false));
    assert_eq!(told["resultType"], "complete");
    hand.says(&stateless(4, PAYS, &json!({"inputResponses": yes, "requestState": state}))).await;
    assert_eq!(hand.hears().await["result"]["isError"], false);
    assert_eq!(shop.paid.all(), ["paid 900.0 EUR today"]);
    hand.goes().await;
}
