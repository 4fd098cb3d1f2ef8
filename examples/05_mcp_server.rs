//! A shop's tools as an MCP server: the same registry that an agent loop would use.
//!
//! - `cargo run --example mcp_server` serves standard input and output, as MCP clients start it.
//! - `… -- --http ADDRESS` serves streamable HTTP; the tokens are in the source.
//! - `… -- --play` plays a session with a client that writes its messages by hand.

use std::collections::BTreeMap;
use std::env;
use std::error::Error;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines, ReadHalf, WriteHalf, split};
use toolkit::ledger::MemoryLedger;
use toolkit::mcp::{Server, serve};
use toolkit::prelude::*;

/// How an order stands.
#[arg_type]
#[serde(rename_all = "lowercase")]
#[derive(Clone, Copy)]
enum Standing {
    Delivered,
    Refunded,
}

/// An order of a customer.
#[arg_type]
#[derive(Clone)]
struct Order {
    /// The order's id.
    id: String,
    /// What was paid, in euros.
    total: f64,
    standing: Standing,
}

struct Shop(Mutex<BTreeMap<String, Order>>);

impl Shop {
    fn open() -> Self {
        let order =
            |id: &str, total| Order { id: id.to_owned(), total, standing: Standing::Delivered };
        let orders = [order("O-1001", 80.0), order("O-1002", 620.0), order("O-1003", 45.5)];
        Self(Mutex::new(orders.map(|order| (order.id.clone(), order)).into()))
    }

    fn with<T>(&self, look: impl FnOnce(&mut BTreeMap<String, Order>) -> T) -> T {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn find(&self, order_id: &str) -> Result<Order, ToolError> {
        let found = self.with(|orders| orders.get(order_id).cloned());
        found.ok_or_else(|| ToolError::business("no such order").hint("list the orders first"))
    }
}

#[toolbox]
impl Shop {
    /// List the ids of all orders.
    #[tool(effect = "read")]
    fn list_orders(&self) -> Vec<String> {
        self.with(|orders| orders.keys().cloned().collect())
    }

    /// Look up one order.
    #[tool(effect = "read", title = "Look up an order")]
    fn get_order(
        &self,
        /// The order's id, like O-1001.
        #[arg(pattern = r"^O-\d+$")]
        order_id: &str,
    ) -> Result<Order, ToolError> {
        self.find(order_id)
    }

    /// Refund an order, in full or in part. Use after the order was looked up.
    #[tool(
        effect = "write",
        scopes("orders:refund"),
        check = self.find(&order_id).map(drop),
        approval(amount > 500.0),
        preview = format!("{amount:.2} EUR go back for {order_id}"),
    )]
    fn refund_order(
        &self,
        /// The order's id, like O-1001.
        #[arg(pattern = r"^O-\d+$")]
        order_id: &str,
        /// How much to give back, in euros.
        #[arg(minimum = 0.01)]
        amount: f64,
    ) -> Result<Order, ToolError> {
        let mut order = self.find(order_id)?;
        order.standing = Standing::Refunded;
        order.total -= amount;
        self.with(|orders| orders.insert(order.id.clone(), order.clone()));
        Ok(order)
    }
}

/// The shop's tools, for whoever asks.
fn server() -> Result<Server, ToolConfigErrors> {
    let registry = Registry::builder()
        .toolbox(Shop::open())
        .ledger(MemoryLedger::accept_loss("a demonstration"))
        .build()?;
    Ok(serve(registry)
        .named("shop", "1.0.0")
        .instructions("Look an order up before you refund it.")
        .caller(clerk()))
}

/// A person at a client of their own: they may also agree to what waits for one.
fn clerk() -> Caller {
    Caller::new("clerk").scopes(["orders:refund", "approvals:decide"])
}

/// Who a token is of. A real host asks whoever gave it out.
async fn who(token: String) -> Option<Caller> {
    match token.as_str() {
        "clerk-token" => Some(clerk()),
        "guest-token" => Some(Caller::new("guest")),
        _ => None,
    }
}

/// A client that writes its messages by hand, and shows them.
struct Client<'a> {
    to: WriteHalf<tokio::io::DuplexStream>,
    from: Lines<BufReader<ReadHalf<tokio::io::DuplexStream>>>,
    out: &'a mut dyn Write,
}

impl Client<'_> {
    async fn says(&mut self, line: &str) -> Result<(), Box<dyn Error>> {
        writeln!(self.out, "> {line}")?;
        self.to.write_all(format!("{line}\n").as_bytes()).await?;
        Ok(())
    }

    async fn reads(&mut self) -> Result<Value, Box<dyn Error>> {
        let line = self.from.next_line().await?.ok_or("the server went")?;
        let message: Value = serde_json::from_str(&line)?;
        writeln!(self.out, "< {message:#}\n")?;
        Ok(message)
    }

    async fn calls(&mut self, id: u8, name: &str, arguments: &str) -> Result<(), Box<dyn Error>> {
        let call = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{name}","arguments":{arguments}}}}}"#
        );
        self.says(&call).await
    }
}

/// Plays a session: what is listed, a wrong call, a right one, and one that the user agrees to.
async fn play(out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let (here, there) = tokio::io::duplex(64 * 1024);
    let (from, to) = split(there);
    let served = tokio::spawn(server()?.over(from, to));
    let (from, to) = split(here);
    let mut client = Client { to, from: BufReader::new(from).lines(), out };

    client.says(r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"by hand","version":"1"}}}"#).await?;
    client.reads().await?;
    client.says(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await?;
    client.says(r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#).await?;
    client.reads().await?;
    client.calls(3, "get_order", r#"{"order":"1001"}"#).await?;
    client.reads().await?;
    client.calls(4, "get_order", r#"{"order_id":"O-1001"}"#).await?;
    client.reads().await?;
    client.calls(5, "delete_everything", "{}").await?;
    client.reads().await?;

    // A person must agree to this one, and the client can ask its own.
    client.calls(6, "refund_order", r#"{"order_id":"O-1002","amount":600}"#).await?;
    let asked = client.reads().await?;
    let answer = json!({"action": "accept", "content": {"approve": true}});
    let answer = json!({"jsonrpc": "2.0", "id": asked.get("id"), "result": answer});
    client.says(&answer.to_string()).await?;
    client.reads().await?;

    // The reply was lost, say: the same call again does not refund again.
    client.calls(7, "refund_order", r#"{"amount":600.0,"order_id":"O-1002"}"#).await?;
    client.reads().await?;

    drop(client);
    served.await??;
    Ok(())
}

pub(crate) fn run(out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(play(out))
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => runtime.block_on(server()?.stdio())?,
        ["--http", address] => {
            let server = server()?.authenticated(who);
            runtime.block_on(server.http(address.parse()?))?;
        }
        ["--play"] => run(&mut io::stdout().lock())?,
        _ => return Err("usage: mcp_server [--http ADDRESS | --play]".into()),
    }
    Ok(())
}
