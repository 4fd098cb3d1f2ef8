//! The official client at the other end: in the process, of a process, over HTTP.

use std::collections::{BTreeSet, HashMap};
use std::process::Stdio;

use rmcp::ServiceExt as _;
use rmcp::model::{CallToolRequestParams, Tool as Shown};
use rmcp::service::{RoleClient, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use serde_json::{Value, json};
use toolkit::Effect;
use toolkit::mcp::{Import, ImportError};
use toolkit::prelude::*;

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
    let tools: Vec<Shown> = soon(client.list_all_tools()).await.unwrap();
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

/// Our server as a process of its own.
fn process() -> tokio::process::Command {
    tokio::process::Command::new(env!("CARGO_BIN_EXE_conforming"))
}

#[tokio::test]
async fn the_official_client_speaks_to_a_process_and_the_process_ends_with_it() {
    let mut child = process().stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let streams = (child.stdout.take().unwrap(), child.stdin.take().unwrap());
    let client: Client = soon(().serve(streams)).await.unwrap();
    assert_eq!(soon(client.list_all_tools()).await.unwrap().len(), 9);
    let told = calls(&client, "test_error_handling", json!({})).await;
    assert_eq!(told["isError"], true, "{told}");
    client.cancel().await.unwrap();
    assert!(soon(child.wait()).await.unwrap().success());
}

#[tokio::test]
async fn a_process_is_imported_and_one_that_is_none_is_told_so() {
    let imported = Import::from_stdio("suite", process())
        .rule("*", |tool| tool.effect(Effect::Read))
        .connect();
    let imported = soon(imported).await.unwrap();
    let registry = Registry::builder().tools(imported.tools()).build().unwrap();
    let view = registry.view(Caller::new("ann"));
    let call = ToolCall::new("call_1", "suite__test_simple_text", "{}");
    let outcome = soon(view.dispatch(&call, Options::default())).await.unwrap();
    assert_eq!(outcome.text(), "This is a simple text response for testing.");

    let gone = Import::from_stdio("gone", tokio::process::Command::new("/no/such/program"));
    assert!(matches!(gone.connect().await, Err(ImportError::Start(_))));
    let mute = Import::from_stdio("mute", tokio::process::Command::new("true"));
    assert!(matches!(soon(mute.connect()).await, Err(ImportError::Session { .. })));
}

#[tokio::test]
async fn a_process_that_is_imported_has_only_what_it_needs_of_the_environment() {
    let file = std::env::temp_dir().join(format!("environment-of-{}", std::process::id()));
    let mut command = tokio::process::Command::new("sh");
    // It says what it was given, and is no server.
    command.args(["-c", "env > \"$WHERE\""]).env("WHERE", &file).env_remove("HOME");
    assert!(std::env::vars_os().count() > 8, "the tests themselves were given more");
    let imported = Import::from_stdio("told", command).connect();
    assert!(matches!(soon(imported).await, Err(ImportError::Session { .. })));
    let told = std::fs::read_to_string(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    let of_the_shell = ["PWD", "OLDPWD", "SHLVL", "_"];
    let names: BTreeSet<&str> =
        told.lines().filter_map(|line| Some(line.split_once('=')?.0)).collect();
    let names: BTreeSet<&str> =
        names.into_iter().filter(|name| !of_the_shell.contains(name)).collect();
    let passed = ["PATH", "USER", "SHELL", "TERM", "LOGNAME", "LANG"];
    let given = passed.into_iter().filter(|name| std::env::var_os(name).is_some());
    assert_eq!(names, given.chain(["WHERE"]).collect());
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
