//! Who is let in over HTTP.

use std::time::Duration;

use serde_json::json;
use toolkit::mcp::serve;

use crate::shop::{Wire, at_a_port, call, initialize, server, shop, soon};

const CLERK: (&str, &str) = ("Authorization", "Bearer clerk");

fn open() -> String {
    initialize("2025-11-25", &json!({})).to_string()
}

#[tokio::test]
async fn without_a_token_or_with_a_wrong_one_nothing_is_listed_and_nothing_runs() {
    let shop = shop();
    let address = at_a_port(server(&shop)).await;
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    let pays = call(1, "create_payment", r#"{"amount":3,"currency":"EUR"}"#);
    let mut wire = Wire::open(address).await;
    let session = wire.posts(&[CLERK], &open()).await.session.unwrap();
    for token in [
        None,
        Some("Bearer wrong"),
        Some("Bearer "),
        Some("Bearer"),
        Some("Basic clerk"),
        Some("clerk"),
        Some("Bearer clerk\u{e4}"),
    ] {
        for body in [list, &pays, &open(), "garbage"] {
            let mut headers = vec![("Mcp-Session-Id", session.as_str())];
            headers.extend(token.map(|token| ("Authorization", token)));
            let came = wire.posts(&headers, body).await;
            assert_eq!((came.status, came.session), (401, None), "{token:?} {body}");
            assert_eq!(came.body, "a bearer token is needed");
        }
    }
    assert_eq!(shop.paid.all(), [""; 0]);
}

#[tokio::test]
async fn a_foreign_host_or_origin_is_refused_even_with_a_token() {
    let shop = shop();
    let address =
        at_a_port(server(&shop).hosts(["shop.example"]).origins(["https://desk.example:443"]))
            .await;
    let mut wire = Wire::open(address).await;
    let rows = [
        (vec![("Host", "localhost")], 200),
        (vec![("Host", "127.0.0.1:8080")], 200),
        (vec![("Host", "[::1]:1")], 200),
        (vec![("Host", "shop.example")], 200),
        (vec![("Host", "evil.example")], 403),
        (vec![("Host", "localhost.evil.example")], 403),
        (vec![("Host", "shop.example.")], 403),
        (vec![("Host", "shop.example@evil.example")], 403),
        (vec![("Host", "")], 400),
        (vec![("Host", "localhost"), ("Origin", "https://desk.example")], 200),
        (vec![("Host", "localhost"), ("Origin", "https://desk.example:444")], 403),
        (vec![("Host", "localhost"), ("Origin", "http://desk.example")], 403),
        (vec![("Host", "localhost"), ("Origin", "http://localhost")], 200),
        (vec![("Host", "localhost"), ("Origin", "http://[::1]:6274")], 200),
        (vec![("Host", "localhost"), ("Origin", "https://localhost")], 403),
        (vec![("Host", "localhost"), ("Origin", "http://localhost.evil.example")], 403),
        (vec![("Host", "localhost"), ("Origin", "https://evil.example")], 403),
        (vec![("Host", "localhost"), ("Origin", "null")], 403),
        (vec![("Host", "localhost"), ("Origin", "")], 403),
    ];
    for (mut headers, status) in rows {
        headers.push(CLERK);
        let came = wire.posts(&headers, &open()).await;
        assert_eq!(came.status, status, "{headers:?}: {came:?}");
        assert_eq!(came.session.is_some(), status == 200, "{headers:?}");
    }
}

#[tokio::test]
async fn each_principal_sees_its_own_list_and_no_session_but_its_own() {
    let shop = shop();
    let address = at_a_port(server(&shop)).await;
    let mut wire = Wire::open(address).await;
    let bearer = |name: &'static str| ("Authorization", name);
    let clerks = wire.posts(&[bearer("Bearer clerk")], &open()).await.session.unwrap();
    let anns = wire.posts(&[bearer("Bearer ann")], &open()).await.session.unwrap();
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    fn session(id: &str) -> (&str, &str) {
        ("Mcp-Session-Id", id)
    }

    let listed = wire.posts(&[bearer("Bearer clerk"), session(&clerks)], list).await;
    assert!(listed.body.contains("create_payment"), "{listed:?}");
    let listed = wire.posts(&[bearer("Bearer ann"), session(&anns)], list).await;
    assert!(listed.body.contains("get_order"), "{listed:?}");
    assert!(!listed.body.contains("create_payment"), "{listed:?}");

    // Another's session is no session, whoever asks and whatever for.
    let pays = call(1, "create_payment", r#"{"amount":3,"currency":"EUR"}"#);
    for body in [
        list,
        &pays,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
    ] {
        let came = wire.posts(&[bearer("Bearer ann"), session(&clerks)], body).await;
        assert_eq!((came.status, came.body.as_str()), (404, "there is no such session"));
    }
    for method in ["GET", "DELETE"] {
        let headers = [bearer("Bearer ann"), session(&clerks), ("Accept", "text/event-stream")];
        assert_eq!(wire.asks(method, &headers, "").await.status, 404);
    }
    let unknown = wire.posts(&[bearer("Bearer ann"), session("nobody's")], list).await;
    assert_eq!((unknown.status, unknown.body.as_str()), (404, "there is no such session"));
    // The clerk's is still there, until the clerk ends it.
    let came = wire.posts(&[bearer("Bearer clerk"), session(&clerks)], &pays).await;
    assert_eq!(came.message()["result"]["isError"], false);
    let ended = wire.asks("DELETE", &[bearer("Bearer clerk"), session(&clerks)], "").await;
    assert!((200..300).contains(&ended.status), "{ended:?}");
    let came = wire.posts(&[bearer("Bearer clerk"), session(&clerks)], list).await;
    assert_eq!(came.status, 404);
    assert_eq!(shop.paid.all(), ["paid 3.0 EUR today"]);
}

#[tokio::test]
async fn what_is_no_message_is_refused_and_the_server_lives() {
    let shop = shop();
    let address = at_a_port(server(&shop).message_bytes(64 * 1024)).await;
    let mut wire = Wire::open(address).await;
    let session = wire.posts(&[CLERK], &open()).await.session.unwrap();
    let headers = [CLERK, ("Mcp-Session-Id", session.as_str())];
    let pays = call(1, "create_payment", r#"{"amount":3,"currency":"EUR"}"#);
    for body in ["", "garbage", "[]", &pays[..pays.len() / 2]] {
        let came = wire.posts(&headers, body).await;
        assert!((400..500).contains(&came.status), "{body}: {came:?}");
    }
    let huge = call(1, "who", &format!(r#"{{"word":"{}"}}"#, "y".repeat(100 * 1024)));
    let came = wire.posts(&headers, &huge).await;
    assert_eq!((came.status, came.body.as_str()), (413, "the message is longer than 65536 bytes"));
    // Half a request, and gone.
    {
        use tokio::io::AsyncWriteExt as _;
        let mut half = tokio::net::TcpStream::connect(address).await.unwrap();
        let head = format!(
            "POST / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer clerk\r\n\
             Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
             Mcp-Session-Id: {session}\r\nContent-Length: {}\r\n\r\n{}",
            pays.len(),
            &pays[..pays.len() - 1],
        );
        half.write_all(head.as_bytes()).await.unwrap();
    }
    let mut wire = Wire::open(address).await;
    let twice = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"who","arguments":{"word":"a"},"arguments":{"word":"b"}}}"#;
    let came = wire.posts(&headers, twice).await;
    assert_eq!(came.message()["error"]["code"], -32602, "{came:?}");
    let came = wire
        .posts(&headers, &call(3, "create_payment", r#"{"amount":1,"amount":2,"currency":"EUR"}"#))
        .await;
    assert_eq!(
        came.message()["result"]["content"][0]["text"],
        "$: field 'amount' is given twice; give it once",
    );
    assert_eq!(shop.paid.all(), [""; 0]);
}

#[tokio::test]
async fn an_open_address_needs_authentication() {
    let refused = serve(shop().registry).http("0.0.0.0:0".parse().unwrap()).await.unwrap_err();
    assert_eq!(
        refused.to_string(),
        "others can reach 0.0.0.0:0: say with `authenticated` who a token is of",
    );
}

#[tokio::test]
async fn a_service_for_a_router_says_who_its_clients_are() {
    let refused = serve(shop().registry).service().unwrap_err();
    assert_eq!(
        refused.to_string(),
        "whoever reaches the service may call: say with `authenticated` who a token is of, or with \
         `unauthenticated` that they all are its one caller",
    );
    assert!(serve(shop().registry).unauthenticated().service().is_ok());
    assert!(serve(shop().registry).authenticated(|_| async { None }).service().is_ok());
}

#[tokio::test]
async fn a_principal_has_so_many_sessions_and_takes_nobodys_place() {
    let shop = shop();
    let address = at_a_port(server(&shop).sessions_each(2)).await;
    let mut wire = Wire::open(address).await;
    let mut sessions = Vec::new();
    for _ in 0..2 {
        sessions.push(wire.posts(&[CLERK], &open()).await.session.unwrap());
    }
    let refused = wire.posts(&[CLERK], &open()).await;
    assert_eq!(
        (refused.status, refused.session, refused.body.as_str()),
        (429, None, "2 sessions of yours are open; go on in one of them, or end one"),
    );
    // Those that are open go on, and others open theirs.
    let headers = [CLERK, ("Mcp-Session-Id", sessions[0].as_str())];
    let came = wire.posts(&headers, &call(1, "who", r#"{"word":"still"}"#)).await;
    assert_eq!(came.message()["result"]["content"][0]["text"], "clerk still");
    let others = wire.posts(&[("Authorization", "Bearer ann")], &open()).await;
    assert_eq!(others.status, 200);
    // One that ends makes room for one, and no other.
    assert!((200..300).contains(&wire.asks("DELETE", &headers, "").await.status));
    assert_eq!(wire.posts(&[CLERK], &open()).await.status, 200);
    assert_eq!(wire.posts(&[CLERK], &open()).await.status, 429);
    // What is no message opens nothing either, and costs no place.
    assert_eq!(
        wire.posts(&[CLERK, ("Mcp-Session-Id", sessions[1].as_str())], "garbage").await.status,
        415
    );
}

#[tokio::test]
async fn many_that_open_at_once_are_not_more_than_may() {
    let shop = shop();
    let address = at_a_port(server(&shop).sessions_each(5)).await;
    let opens = (0..40)
        .map(|_| async move { Wire::open(address).await.posts(&[CLERK], &open()).await.status });
    let opens: Vec<_> = opens.map(tokio::spawn).collect();
    let mut statuses = Vec::new();
    for opened in opens {
        statuses.push(opened.await.unwrap());
    }
    statuses.sort_unstable();
    assert_eq!(statuses, [vec![200; 5], vec![429; 35]].concat());
}

#[tokio::test]
async fn a_principal_has_so_many_calls_at_once_and_takes_nobodys_place() {
    let shop = shop();
    let address = at_a_port(server(&shop).calls_each(2)).await;
    let mut wire = Wire::open(address).await;
    let session = wire.posts(&[CLERK], &open()).await.session.unwrap();
    let headers =
        |token: &'static str| [("Authorization", token), ("Mcp-Session-Id", session.as_str())];
    let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    assert_eq!(wire.posts(&headers("Bearer clerk"), initialized).await.status, 202);
    // A call may meet those by which this test looks, and is made again then.
    let waits = |id: u8| {
        let (session, body) = (session.clone(), call(id, "wait", "{}"));
        tokio::spawn(async move {
            let mut wire = Wire::open(address).await;
            loop {
                let headers = [CLERK, ("Mcp-Session-Id", session.as_str())];
                let came = wire.posts(&headers, &body).await;
                if came.status != 429 {
                    return came;
                }
            }
        })
    };
    let waiting = [waits(1), waits(2)];
    // They are there once a third one is refused; until then it is answered.
    let refused = loop {
        let who = call(3, "who", r#"{"word":"x"}"#);
        let came = wire.posts(&headers("Bearer clerk"), &who).await;
        if came.status != 200 {
            break came;
        }
        // Else this test takes the second place each time that it is free.
        tokio::time::sleep(Duration::from_millis(5)).await;
    };
    assert_eq!(
        (refused.status, refused.body.as_str()),
        (429, "2 requests of yours are not answered yet; wait for one of them"),
    );
    // Another principal is not held up, and whose calls came to an end has its places back.
    let anns = [("Authorization", "Bearer ann")];
    assert_eq!(wire.posts(&anns, &open()).await.status, 200);
    shop.gate.add_permits(2);
    for waited in waiting {
        assert_eq!(waited.await.unwrap().message()["result"]["isError"], false);
    }
    for id in 0..10 {
        let came = wire.posts(&headers("Bearer clerk"), &call(id, "who", r#"{"word":"x"}"#)).await;
        assert_eq!(came.message()["result"]["content"][0]["text"], "clerk x");
    }
    assert_eq!(shop.paid.all(), [""; 0]);
}

#[tokio::test]
async fn arguments_are_taken_from_wherever_they_stand() {
    let shop = shop();
    let address = at_a_port(server(&shop)).await;
    let mut wire = Wire::open(address).await;
    let session = wire.posts(&[CLERK], &open()).await.session.unwrap();
    let headers = [CLERK, ("Mcp-Session-Id", session.as_str())];
    let backwards = r#"{"params": {"arguments" : {"word":"{}\"}, {"} , "name":"who"},
        "method":"tools/call", "id":"é", "jsonrpc":"2.0"}"#;
    let came = wire.posts(&headers, backwards).await.message();
    assert_eq!((&came["id"], &came["result"]["isError"]), (&json!("é"), &json!(false)), "{came}");
    assert_eq!(came["result"]["content"][0]["text"], "clerk {}\"}, {");
    let none = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"count"}}"#;
    assert_eq!(wire.posts(&headers, none).await.message()["result"]["isError"], false);
}

#[tokio::test]
async fn a_quick_answer_comes_in_one_piece_and_a_slow_ones_head_before_it() {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let shop = shop();
    let address = at_a_port(server(&shop)).await;
    let mut wire = Wire::open(address).await;
    let session = wire.posts(&[CLERK], &open()).await.session.unwrap();
    let headers = [CLERK, ("Mcp-Session-Id", session.as_str())];
    let mut whole = 0;
    for id in 0..50 {
        let came = wire.posts(&headers, &call(id, "who", r#"{"word":"x"}"#)).await;
        assert_eq!(came.message()["result"]["content"][0]["text"], "clerk x");
        whole += usize::from(!came.is_streamed);
    }
    // A machine that is busy may be late now and then.
    assert!(whole > 0);

    let waits = call(50, "wait", "{}");
    let asked = format!(
        "POST / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer clerk\r\n\
         Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
         Mcp-Session-Id: {session}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{waits}",
        waits.len(),
    );
    let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
    stream.write_all(asked.as_bytes()).await.unwrap();
    let mut came = vec![0; 1024];
    let read = soon(stream.read(&mut came)).await.unwrap();
    came.truncate(read);
    assert!(came.starts_with(b"HTTP/1.1 200 OK"));
    shop.gate.add_permits(1);
    soon(stream.read_to_end(&mut came)).await.unwrap();
    let came = String::from_utf8(came).unwrap();
    assert!(came.contains("\"id\":50,\"result\"") && came.ends_with("0\r\n\r\n"), "{came}");
}
