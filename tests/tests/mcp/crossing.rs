//! Two principals whose requests have the same ids, at the same time.

use serde_json::json;
use toolkit_tests::cases;

use crate::shop::{Wire, at_a_port, call, initialize, server, shop};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_answer_crosses_between_principals_with_the_same_ids() {
    let rounds = cases(400);
    let shop = shop();
    let address = at_a_port(server(&shop)).await;
    let each = |name: &'static str, lane: usize| async move {
        let mut wire = Wire::open(address).await;
        let bearer = format!("Bearer {name}");
        let token = ("Authorization", bearer.as_str());
        let opened = wire.posts(&[token], &initialize("2025-11-25", &json!({})).to_string()).await;
        let session = opened.session.unwrap();
        for round in 0..rounds / 4 {
            let arguments = format!(r#"{{"word":"{name} {lane} {round}"}}"#);
            let headers = [token, ("Mcp-Session-Id", session.as_str())];
            let came = wire.posts(&headers, &call(round, "who", &arguments)).await;
            let told = came.message();
            assert_eq!(told["id"], round);
            let text = told["result"]["content"][0]["text"].as_str().unwrap();
            assert_eq!(text, format!("{name} {name} {lane} {round}"));
        }
    };
    let lanes = (0..4).flat_map(|lane| [each("ann", lane), each("bob", lane)]);
    let lanes: Vec<_> = lanes.map(tokio::spawn).collect();
    for lane in lanes {
        lane.await.unwrap();
    }
}
