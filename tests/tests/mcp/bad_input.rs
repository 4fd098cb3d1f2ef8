//! What is no message, too much of it, or nothing: over HTTP, and from another server.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use toolkit::ledger::MemoryLedger;
use toolkit::mcp::Import;
use toolkit::prelude::*;
use toolkit_tests::cases;

use crate::shop::{Wire, at_a_port, call, initialize, server, shop, soon};
use crate::upstream::{Upstream, calls, registry, shown};

const CLERK: (&str, &str) = ("Authorization", "Bearer clerk");

#[tokio::test]
async fn a_hundred_megabytes_are_refused_before_they_are_read_and_the_server_lives() {
    let shop = shop();
    let address = at_a_port(server(&shop)).await;
    let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
    let head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer clerk\r\n\
                Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
                Transfer-Encoding: chunked\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    let piece = [b"100000\r\n".to_vec(), vec![b'x'; 1024 * 1024], b"\r\n".to_vec()].concat();
    let mut sent = 0;
    // It hangs up before it has read all of them.
    while sent < 100 && stream.write_all(&piece).await.is_ok() {
        sent += 1;
    }
    assert!(sent < 100, "all of it was read");
    let mut answer = Vec::new();
    let _broken_off = stream.read_to_end(&mut answer).await;
    let mut wire = Wire::open(address).await;
    assert_eq!(
        wire.posts(&[CLERK], &initialize("2025-11-25", &json!({})).to_string()).await.status,
        200
    );
}

#[tokio::test]
async fn unknown_methods_are_told_so_over_http_and_the_session_goes_on() {
    let shop = shop();
    let address = at_a_port(server(&shop)).await;
    let mut wire = Wire::open(address).await;
    let open = initialize("2025-11-25", &json!({})).to_string();
    let session = wire.posts(&[CLERK], &open).await.session.unwrap();
    let headers = [CLERK, ("Mcp-Session-Id", session.as_str())];
    for method in ["tools/fly", "resources/list", "logging/setLevel", "", "notifications/fly"] {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method});
        let came = wire.posts(&headers, &body.to_string()).await;
        assert_eq!(came.message()["error"]["code"], -32601, "{method}: {came:?}");
    }
    for method in ["PUT", "PATCH", "OPTIONS"] {
        assert_eq!(wire.asks(method, &headers, "").await.status, 405, "{method}");
    }
    let came = wire.posts(&headers, &call(2, "who", r#"{"word":"still"}"#)).await;
    assert_eq!(came.message()["result"]["content"][0]["text"], "clerk still");
}

#[tokio::test]
async fn a_client_that_connects_and_says_nothing_is_let_go_and_holds_nobody_up() {
    let shop = shop();
    let address = at_a_port(server(&shop)).await;
    let mut silent = tokio::net::TcpStream::connect(address).await.unwrap();
    let mut half = tokio::net::TcpStream::connect(address).await.unwrap();
    let head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer clerk\r\n\
                Content-Length: 10\r\n\r\n";
    half.write_all(head.as_bytes()).await.unwrap();
    let open = initialize("2025-11-25", &json!({})).to_string();
    assert_eq!(Wire::open(address).await.posts(&[CLERK], &open).await.status, 200);
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(31)).await;
    tokio::time::resume();
    let mut told = String::new();
    soon(half.read_to_string(&mut told)).await.unwrap();
    assert!(told.starts_with("HTTP/1.1 408 "), "{told}");
    assert!(told.ends_with("the message did not come"), "{told}");
    assert_eq!(soon(silent.read(&mut [0; 16])).await.unwrap(), 0, "it is let go");
}

#[tokio::test]
async fn calls_by_the_thousand_at_once_over_http_are_each_answered_once() {
    let count = cases(1_000).max(100);
    let shop = shop();
    let address = at_a_port(server(&shop).calls_each(usize::MAX)).await;
    let open = initialize("2025-11-25", &json!({})).to_string();
    let session = Wire::open(address).await.posts(&[CLERK], &open).await.session.unwrap();
    let lane = |lane: usize| {
        let session = session.clone();
        async move {
            let mut wire = Wire::open(address).await;
            let headers = [CLERK, ("Mcp-Session-Id", session.as_str())];
            for id in (lane..count).step_by(50) {
                let who = call(id, "who", &json!({"word": id.to_string()}).to_string());
                let told = wire.posts(&headers, &who).await.message();
                assert_eq!(told["id"], id);
                assert_eq!(told["result"]["content"][0]["text"], format!("clerk {id}"));
            }
            // The same payment, of all of them.
            let pays = call(count + lane, "create_payment", r#"{"amount":3,"currency":"EUR"}"#);
            let told = wire.posts(&headers, &pays).await.message();
            assert!(told["result"].is_object(), "{told}");
        }
    };
    let lanes: Vec<_> = (0..50).map(lane).map(tokio::spawn).collect();
    for lane in lanes {
        lane.await.unwrap();
    }
    assert_eq!(shop.paid.all(), ["paid 3.0 EUR today"]);
}

#[tokio::test]
async fn a_server_that_says_what_nobody_asked_for_is_passed_over() {
    let upstream = Upstream::of([shown("read_a", "Reads a.")]);
    let (imported, says) = upstream.imported(None).await;
    let registry = registry(&imported, &Arc::new(MemoryLedger::new()));
    for line in [
        "Listening on port 8080".to_owned(),
        String::new(),
        "{\"jsonrpc\":\"2.0\",\"id\":".to_owned(),
        r#"{"jsonrpc":"2.0","id":99,"method":"sampling/createMessage","params":{}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":98,"method":"tools/fly"}"#.to_owned(),
        r#"{"jsonrpc":"2.0","method":"notifications/fly"}"#.to_owned(),
        // Answers to what was never asked.
        r#"{"jsonrpc":"2.0","id":77,"result":{"content":[]}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"no"}}"#.to_owned(),
    ] {
        says.send(line.clone()).unwrap();
        let read = calls(&registry, "read_a").await;
        assert_eq!((read.status(), read.text()), (Status::Ok, "did read_a"), "{line}");
    }
    assert_eq!(upstream.called().len(), 8);
    assert!(!imported.is_over());
}

#[tokio::test]
async fn a_server_that_says_nothing_is_not_waited_for() {
    let (here, _there) = tokio::io::duplex(1024);
    let (from, to) = tokio::io::split(here);
    let import = Import::over("files", from, to).patience(Duration::from_millis(50));
    let refused = soon(import.connect()).await.unwrap_err();
    assert!(refused.to_string().ends_with("it did not answer"), "{refused}");
}
