//! What comes back over a pair of streams, whatever a client writes.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use toolkit::Limits;
use toolkit::ledger::MemoryLedger;
use toolkit::prelude::*;

use crate::shop::{Hand, SECRET, call, mistake, server, shop, text};

fn error(code: i32, message: &str) -> Value {
    json!({"error": {"code": code, "message": message}})
}

/// The rows that others were measured by: what they ran, lost or told.
#[tokio::test]
async fn a_wrong_call_is_told_all_that_is_wrong_and_runs_nothing() {
    let shop = shop();
    let mut hand = Hand::open(server(&shop), "2025-11-25").await;
    let rows = [
        (
            r#"{"ammount":5,"currency":"usd","pay_on":"next friday"}"#,
            concat!(
                "$: missing required field 'amount'\n",
                "$: unexpected field 'ammount' (did you mean 'amount'? allowed: amount, currency, pay_on)\n",
                "$.currency: must be one of \"EUR\", \"USD\"; got \"usd\" (did you mean \"USD\"?)\n",
                "$.pay_on: \"next friday\" does not match the required format. Expected: date as YYYY-MM-DD",
            ),
        ),
        (
            r#"{"amount":"3","currency":"EUR"}"#,
            "$.amount: expected a number at least 0.01, got text \"3\" (write 3 without quotes)",
        ),
        (r#"{"amount":-1,"currency":"EUR"}"#, "$.amount: expected a number at least 0.01, got -1"),
        (
            r#"{"amount":1,"currency":"EUR","force":true}"#,
            "$: unexpected field 'force' (allowed: amount, currency, pay_on)",
        ),
        (
            r#"{"amount":1,"amount":900,"currency":"EUR"}"#,
            "$: field 'amount' is given twice; give it once",
        ),
    ];
    for (arguments, told) in rows {
        assert_eq!(hand.calls("create_payment", arguments).await, mistake(told), "{arguments}");
    }
    let null = hand.calls("create_payment", "null").await;
    assert_eq!(null["result"]["isError"], true, "{null}");
    assert!(null.to_string().contains("missing required field 'amount'"), "{null}");
    assert_eq!(shop.paid.all(), [""; 0]);

    let paid = hand.calls("create_payment", r#"{"amount":3,"currency":"EUR"}"#).await;
    assert_eq!(
        paid,
        json!({"result": {
            "content": [{"type": "text", "text": "{\"text\":\"paid 3.0 EUR today\"}"}],
            "structuredContent": {"text": "paid 3.0 EUR today"},
            "isError": false,
        }}),
    );
    assert_eq!(shop.paid.all(), ["paid 3.0 EUR today"]);
    hand.goes().await;
}

/// What others paid for arguments that their own schema refuses, or lost.
#[tokio::test]
async fn what_others_run_or_lose_is_told_and_runs_nothing() {
    let shop = shop();
    let mut hand = Hand::open(server(&shop), "2025-11-25").await;
    let rows = [
        (
            r#"{"amount":true,"currency":"EUR"}"#,
            "$.amount: expected a number at least 0.01, got true",
        ),
        (
            r#"{"amount":1,"currency":"EUR","pay_on":"next friday"}"#,
            "$.pay_on: \"next friday\" does not match the required format. Expected: date as YYYY-MM-DD",
        ),
    ];
    for (arguments, told) in rows {
        assert_eq!(hand.calls("create_payment", arguments).await, mistake(told), "{arguments}");
    }
    // What is no object is no call of the protocol; what is no JSON is no message.
    for (arguments, code) in [
        ("[]", -32602),
        (r#"[9.5,"EUR","2026-01-02"]"#, -32602),
        (r#""""#, -32602),
        ("", -32700),
        ("{\"amount\":", -32700),
    ] {
        hand.says(&call(7, "create_payment", arguments)).await;
        assert_eq!(hand.hears().await["error"]["code"], code, "{arguments}");
    }
    assert_eq!(shop.paid.all(), [""; 0]);
    // An integer is a number.
    let paid = hand.calls("create_payment", r#"{"amount":9,"currency":"EUR"}"#).await;
    assert_eq!(paid["result"]["structuredContent"], json!({"text": "paid 9.0 EUR today"}));
    hand.goes().await;
}

#[tokio::test]
async fn a_task_is_a_call_to_a_server_that_has_none_and_nothing_asks_for_its_state() {
    let shop = shop();
    for version in ["2025-06-18", "2025-11-25"] {
        let mut hand = Hand::open(server(&shop), version).await;
        // A server that says nothing of tasks answers the call itself.
        let params = json!({"name": "who", "arguments": {"word": "x"}, "task": {"ttl": 60_000}});
        let told = hand.asks(1, "tools/call", params).await;
        assert_eq!(told["result"], text("clerk x")["result"], "{told}");
        for method in ["tasks/get", "tasks/result", "tasks/list", "tasks/cancel", "tasks/update"] {
            let told = hand.asks(2, method, json!({"taskId": "t-1"})).await;
            assert_eq!(told["error"]["code"], -32601, "{method}: {told}");
        }
        let listed = hand.asks(3, "tools/list", json!({})).await;
        assert!(!listed.to_string().contains("taskSupport"), "{listed}");
        hand.goes().await;
    }
}

#[tokio::test]
async fn digits_that_a_double_does_not_hold_reach_the_gate() {
    let registry = Registry::builder().tool(toolkit_tests::echo(json!({
        "properties": {"n": {"type": "integer"}},
    })));
    let server = toolkit::mcp::serve(registry.build().unwrap());
    let mut hand = Hand::open(server, "2025-11-25").await;
    let told = hand.calls("echo", r#"{"n": 9007199254740993}"#).await;
    assert_eq!(told["result"]["content"][0]["text"], r#"{"n":9007199254740993}"#);
    hand.goes().await;
}

#[tokio::test]
async fn each_failure_goes_through_its_channel_and_no_secret_with_it() {
    let shop = shop();
    let mut hand = Hand::open(server(&shop), "2025-11-25").await;
    assert_eq!(hand.calls("get_order", r#"{"order_id":"O-1"}"#).await, text("O-1: delivered"));

    let business = hand.calls("get_order", r#"{"order_id":"O-404"}"#).await;
    assert_eq!(business, mistake("no such order\nhint: list the orders"));
    for order in ["O-500", "O-501"] {
        let internal = hand.calls("get_order", &format!(r#"{{"order_id":"{order}"}}"#)).await;
        assert_eq!(internal["result"]["isError"], true);
        let told = internal["result"]["content"][0]["text"].as_str().unwrap();
        assert!(told.starts_with("get_order failed internally (error id "), "{told}");
        assert!(!internal.to_string().contains(SECRET), "{internal}");
    }
    let fatal = hand.calls("get_order", r#"{"order_id":"O-502"}"#).await;
    assert_eq!(fatal, error(-32603, "the server ended the request"));

    let unknown = hand.calls("no_such_tool", "{}").await;
    assert_eq!(unknown["error"]["code"], -32602);
    hand.goes().await;
}

/// The mean of numbers, of which there may be none.
#[tool(effect = "read")]
fn mean(xs: Vec<f64>) -> f64 {
    xs.iter().sum::<f64>() / f64::from(u32::try_from(xs.len()).unwrap())
}

/// A list that no model wants to read whole.
#[tool(effect = "read")]
fn big() -> String {
    "é".repeat(1_000_000)
}

/// Does nothing, and says so.
#[tool(effect = "read")]
fn ping() {}

/// Fails, and does not say why.
#[tool(effect = "read")]
fn fail_mutely() -> Result<(), ToolError> {
    Err(ToolError::business(""))
}

/// Books a seat, and gives what no JSON has.
#[tool(effect = "write")]
fn book(#[state] booked: &AtomicUsize) -> BTreeMap<(u8, u8), u8> {
    booked.fetch_add(1, Ordering::SeqCst);
    BTreeMap::from([((1, 2), 3)])
}

#[tokio::test]
async fn a_result_that_is_none_or_too_large_is_no_success_and_runs_nothing_twice() {
    let booked = Arc::new(AtomicUsize::new(0));
    let registry = Registry::builder()
        .tools(tools![mean, big, ping, fail_mutely, book])
        .state(Arc::clone(&booked))
        .ledger(MemoryLedger::new())
        .limits(Limits { result_bytes: 10_000, ..Limits::default() })
        .build()
        .unwrap();
    let mut hand = Hand::open(toolkit::mcp::serve(registry), "2025-11-25").await;
    assert_eq!(hand.calls("mean", r#"{"xs":[1,2]}"#).await["result"]["isError"], false);
    let none = hand.calls("mean", r#"{"xs":[]}"#).await["result"].clone();
    assert_eq!((&none["isError"], none.get("structuredContent")), (&json!(true), None), "{none}");
    let told = none["content"][0]["text"].as_str().unwrap();
    assert!(
        told.starts_with("mean ran, but its result can not be represented (error id "),
        "{told}"
    );

    let cut = hand.calls("big", "{}").await["result"].clone();
    let told = cut["content"][0]["text"].as_str().unwrap();
    assert!(told.len() <= 10_000 && told.contains("2000000"), "{told}");
    assert_eq!(cut["isError"], false);

    assert_eq!(hand.calls("ping", "{}").await, text("ok"));
    let mute = hand.calls("fail_mutely", "{}").await["result"].clone();
    assert!(
        mute["isError"] == true && mute["content"][0]["text"].as_str().unwrap().len() > 10,
        "{mute}"
    );

    for _ in 0..2 {
        let told = hand.calls("book", "{}").await["result"].clone();
        assert_eq!(told["isError"], true, "{told}");
        assert_eq!(booked.load(Ordering::SeqCst), 1, "it was booked, whatever is told of it");
    }
    hand.goes().await;
}

#[tokio::test]
async fn wrong_arguments_are_an_error_of_the_protocol_to_clients_of_old() {
    let shop = shop();
    for (version, is_protocol) in
        [("2024-11-05", true), ("2025-03-26", true), ("2025-06-18", true), ("2025-11-25", false)]
    {
        let mut hand = Hand::open(server(&shop), version).await;
        let told = hand.calls("get_order", r#"{"order_id":1}"#).await;
        let expected = "$.order_id: expected text, got 1 (write \"1\")";
        let expected = if is_protocol { error(-32602, expected) } else { mistake(expected) };
        assert_eq!(told, expected, "{version}");
        hand.goes().await;
    }
}

#[tokio::test]
async fn a_request_that_is_none_is_told_so_and_the_session_goes_on() {
    let shop = shop();
    let mut hand = Hand::open(server(&shop), "2025-11-25").await;
    let expected = "expected a `name`, and `arguments` that are an object";
    for params in [
        json!({"name": "who", "arguments": []}),
        json!({"name": "who", "arguments": "{\"word\":\"x\"}"}),
        json!({"arguments": {}}),
        json!({"name": 7}),
    ] {
        let told = hand.asks(1, "tools/call", params.clone()).await;
        assert_eq!(told["error"], error(-32602, expected)["error"], "{params}");
    }
    // A client that says its arguments twice means one of them, and nobody knows which.
    hand.says(
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"who","arguments":{"word":"a"},"arguments":{"word":"b"}}}"#,
    )
    .await;
    assert_eq!(hand.hears().await["error"], error(-32602, expected)["error"]);

    let told = hand.asks(3, "tools/fly", json!({})).await;
    assert_eq!(told["error"], error(-32601, "tools/fly")["error"]);
    for method in ["resources/list", "prompts/list", "completion/complete", "logging/setLevel"] {
        let told = hand.asks(5, method, json!({})).await;
        assert_eq!(told["error"]["code"], -32601, "{told}");
    }
    assert_eq!(hand.asks(6, "ping", json!({})).await["result"], json!({}));
    assert_eq!(hand.calls("who", r#"{"word":"still"}"#).await, text("clerk still"));
    hand.goes().await;
}

#[tokio::test]
async fn half_a_message_is_told_so_and_the_next_is_read() {
    let shop = shop();
    let mut hand = Hand::open(server(&shop), "2025-11-25").await;
    let whole = call(1, "create_payment", r#"{"amount":3,"currency":"EUR"}"#);
    for cut in [1, 20, whole.len() / 2, whole.len() - 1] {
        hand.says(&whole[..cut]).await;
        let told = hand.hears().await;
        assert_eq!(told["error"]["code"], -32700, "{told}");
        assert_eq!(told.get("id"), None);
    }
    for (line, code) in [
        ("nothing of JSON", -32700),
        ("[]", -32600),
        ("7", -32600),
        (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600),
    ] {
        hand.says(line).await;
        assert_eq!(hand.hears().await["error"]["code"], code, "{line}");
    }
    // What is not UTF-8 is no JSON either; blank lines are nothing.
    hand.writes(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}\n\n  \n").await;
    assert_eq!(hand.hears().await["error"]["code"], -32700);
    assert_eq!(shop.paid.all(), [""; 0]);
    // The two halves of one message, in two writes.
    hand.writes(&whole.as_bytes()[..30]).await;
    tokio::task::yield_now().await;
    hand.says(&whole[30..]).await;
    assert_eq!(hand.hears().await["result"]["isError"], false);
    assert_eq!(shop.paid.all(), ["paid 3.0 EUR today"]);
    hand.goes().await;
}

#[tokio::test]
async fn two_sides_that_do_not_understand_each_other_fall_silent() {
    let shop = shop();
    let mut hand = Hand::open(server(&shop), "2025-11-25").await;
    for _ in 0..1000 {
        hand.says("garbage").await;
    }
    hand.says(&call(1, "who", r#"{"word":"x"}"#)).await;
    let mut answered = 0;
    while hand.hears().await.get("error").is_some() {
        answered += 1;
    }
    assert_eq!(answered, 16);
    hand.goes().await;
}

#[tokio::test]
async fn a_huge_message_is_not_kept_and_the_next_is_read() {
    let shop = shop();
    let mut hand = Hand::open(server(&shop).message_bytes(1024 * 1024), "2025-11-25").await;
    // 100 MB that never end, piece by piece; then the end.
    let piece = vec![b'x'; 1024 * 1024];
    for _ in 0..100 {
        hand.writes(&piece).await;
    }
    hand.says("").await;
    let told = hand.hears().await;
    assert_eq!(told["error"], error(-32600, "the message is longer than 1048576 bytes")["error"]);
    let long = format!(r#"{{"word":"{}"}}"#, "y".repeat(1024 * 1024));
    hand.says(&call(1, "who", &long)).await;
    assert_eq!(hand.hears().await["error"]["code"], -32600);
    assert_eq!(hand.calls("who", r#"{"word":"still"}"#).await, text("clerk still"));
    hand.goes().await;
}

#[tokio::test]
async fn a_client_that_says_nothing_or_half_and_goes_is_no_error() {
    let shop = shop();
    Hand::connect(server(&shop)).goes().await;
    let mut hand = Hand::connect(server(&shop));
    hand.writes(br#"{"jsonrpc":"2.0","id":1,"meth"#).await;
    hand.goes().await;
    let mut hand = Hand::open(server(&shop), "2025-11-25").await;
    let call = call(1, "create_payment", r#"{"amount":3,"currency":"EUR"}"#);
    hand.writes(&call.as_bytes()[..call.len() - 1]).await;
    hand.goes().await;
    assert_eq!(shop.paid.all(), [""; 0]);
}

#[tokio::test]
async fn ten_thousand_calls_at_once_are_each_answered_once() {
    let shop = shop();
    let mut hand = Hand::open(server(&shop), "2025-11-25").await;
    let count = 10_000;
    let mut lines = String::new();
    for id in 0..count {
        lines.push_str(&call(id, "who", &format!(r#"{{"word":"{id}"}}"#)));
        lines.push('\n');
    }
    // The same payment, five times among them.
    for id in count..count + 5 {
        lines.push_str(&call(id, "create_payment", r#"{"amount":3,"currency":"EUR"}"#));
        lines.push('\n');
    }
    let mut answered = vec![0; count + 5];
    let writes = hand.writes_beside(lines);
    for _ in 0..count + 5 {
        let told = hand.hears().await;
        let id = usize::try_from(told["id"].as_u64().unwrap()).unwrap();
        answered[id] += 1;
        if id < count {
            let word = told["result"]["content"][0]["text"].as_str().unwrap();
            assert_eq!(word, format!("clerk {id}"));
        }
    }
    assert_eq!(answered, vec![1; count + 5]);
    assert_eq!(shop.paid.all(), ["paid 3.0 EUR today"]);
    hand.takes_back(writes.await.unwrap());
    hand.goes().await;
}

#[tokio::test]
async fn a_cancelled_call_is_not_answered_and_one_that_waits_its_turn_does_not_begin() {
    let shop = shop();
    let mut hand = Hand::open(server(&shop).at_once(1), "2025-11-25").await;
    hand.says(&call(1, "wait", "{}")).await;
    hand.says(&call(2, "create_payment", r#"{"amount":3,"currency":"EUR"}"#)).await;
    for id in [2, 1] {
        hand.says(
            &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {
                "requestId": id,
            }})
            .to_string(),
        )
        .await;
    }
    // The next answer is the next call's: the only place is free again.
    assert_eq!(hand.calls("who", r#"{"word":"next"}"#).await, text("clerk next"));
    assert_eq!(shop.paid.all(), [""; 0]);
    hand.goes().await;
}

#[tokio::test]
async fn a_call_with_an_effect_is_told_that_it_was_cancelled_and_goes_on_to_its_end() {
    let shop = shop();
    let mut hand = Hand::open(server(&shop), "2025-11-25").await;
    hand.says(&call(1, "pay_slowly", "{}")).await;
    assert_eq!(hand.calls("who", r#"{"word":"x"}"#).await, text("clerk x"));
    let cancelled =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
    hand.says(&cancelled.to_string()).await;
    hand.goes().await;
    assert_eq!(shop.paid.all(), ["paid slowly, though nobody wants it"]);
}

#[tokio::test]
async fn progress_is_told_to_who_asked_and_before_the_answer() {
    let shop = shop();
    let mut hand = Hand::open(server(&shop), "2025-11-25").await;
    let params = json!({"name": "count", "arguments": {}, "_meta": {"progressToken": "p-1"}});
    let asked = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    hand.says(&asked.to_string()).await;
    let mut told = Vec::new();
    let answer = loop {
        let message = hand.hears().await;
        if message.get("id").is_some() {
            break message;
        }
        assert_eq!(message["method"], "notifications/progress");
        told.push(message["params"].clone());
    };
    assert_eq!(
        told,
        [
            json!({"progressToken": "p-1", "progress": 1.0, "total": 3.0, "message": "one"}),
            json!({"progressToken": "p-1", "progress": 3.0, "total": 3.0}),
        ],
    );
    assert_eq!(answer["result"]["isError"], false);
    assert_eq!(hand.calls("count", "{}").await, text("ok"));
    hand.goes().await;
}

#[tokio::test]
async fn the_server_ends_after_the_calls_that_run() {
    let shop = shop();
    let mut hand = Hand::open(server(&shop), "2025-11-25").await;
    hand.says(&call(1, "wait", "{}")).await;
    hand.says(&call(2, "create_payment", r#"{"amount":3,"currency":"EUR"}"#)).await;
    assert_eq!(hand.hears().await["id"], 2);
    let gate = std::sync::Arc::clone(&shop.gate);
    let opens = tokio::spawn(async move {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        gate.add_permits(1);
    });
    hand.goes().await;
    opens.await.unwrap();
    assert_eq!(shop.gate.available_permits(), 1);
}

#[tokio::test]
async fn as_many_calls_at_once_as_a_number_says_are_no_panic() {
    let shop = shop();
    let mut hand = Hand::open(server(&shop).at_once(usize::MAX), "2025-11-25").await;
    assert_eq!(hand.calls("get_order", r#"{"order_id":"O-1"}"#).await, text("O-1: delivered"));
    hand.goes().await;
}
