//! The official client at the other end: in the process, of a process, over HTTP.

use std::collections::HashMap;

use rmcp::ServiceExt as _;
use rmcp::model::{CallToolRequestParams, Tool};
use rmcp::service::{RoleClient, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use serde_json::{Value, json};

use crate::shop::{Shop, at_a_port, server, shop, soon};

type Client = RunningService<RoleClient, ()>;

async fn calls(client: &Client, name: &'static str, arguments: Value) -> Value {
    let Value::Object(arguments) = arguments else { panic!("an object") };
    let asked = CallToolRequestParams::new(name).with_arguments(arguments);
    match soon(client.call_tool(asked)).await {
        Ok(result) => serde_json::to_value(result).unwrap(),
        Err(error) => json!(error.to_string()),
    }
}

async fn goes_through_the_shop(client: Client, shop: &Shop) {
    let tools: Vec<Tool> = soon(client.list_all_tools()).await.unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    assert_eq!(
        names,
        ["create_payment", "close_account", "get_order", "who", "wait", "pay_slowly", "count"]
    );
    let payment = &tools[0];
    assert!(payment.output_schema.is_some());
    assert_eq!(payment.annotations.as_ref().unwrap().read_only_hint, Some(false));

    let paid = calls(&client, "create_payment", json!({"amount": 3, "currency": "EUR"})).await;
    assert_eq!(paid["structuredContent"], json!({"text": "paid 3.0 EUR today"}));
    let wrong = calls(&client, "create_payment", json!({"amount": 3})).await;
    assert_eq!(wrong["isError"], true);
    let unknown = calls(&client, "fly", json!({})).await;
    assert!(unknown.as_str().unwrap().contains("no such tool \"fly\""), "{unknown}");
    assert_eq!(shop.paid.all(), ["paid 3.0 EUR today"]);
    client.cancel().await.unwrap();
}

#[tokio::test]
async fn the_official_client_goes_through_the_shop_in_the_process() {
    let shop = shop();
    let (here, there) = tokio::io::duplex(64 * 1024);
    let (from, to) = tokio::io::split(there);
    let served = tokio::spawn(server(&shop).over(from, to));
    goes_through_the_shop(soon(().serve(here)).await.unwrap(), &shop).await;
    soon(served).await.unwrap().unwrap();
}

#[tokio::test]
async fn the_official_client_goes_through_the_shop_over_http() {
    let shop = shop();
    let address = at_a_port(server(&shop)).await;
    let config = StreamableHttpClientTransportConfig::with_uri(format!("http://{address}/mcp"));
    let transport = StreamableHttpClientTransport::from_config(config.auth_header("clerk"));
    goes_through_the_shop(soon(().serve(transport)).await.unwrap(), &shop).await;

    let config = StreamableHttpClientTransportConfig::with_uri(format!("http://{address}/mcp"));
    let transport =
        StreamableHttpClientTransport::from_config(config.custom_headers(HashMap::new()));
    assert!(soon(().serve(transport)).await.is_err(), "there is no token");
}
