//! The tools of the tests, and a client that writes its messages by hand.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines,
    ReadHalf, WriteHalf,
};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use toolkit::ledger::MemoryLedger;
use toolkit::mcp::{ServeError, Server, serve};
use toolkit::prelude::*;

pub const SECRET: &str = "postgres://admin:hunter2@db";

/// What was paid, in order.
#[derive(Default)]
pub struct Paid(pub Mutex<Vec<String>>);

impl Paid {
    pub fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

/// Currency of a payment.
#[arg_type]
enum Currency {
    EUR,
    USD,
}

/// A receipt.
#[arg_type]
struct Receipt {
    text: String,
}

/// Pay a customer.
#[tool(effect = "write", scopes("payments:write"), approval(amount > 500.0))]
fn create_payment(
    #[state] paid: &Paid,
    /// How much to pay.
    #[arg(minimum = 0.01)]
    amount: f64,
    currency: Currency,
    /// Day to pay on, as YYYY-MM-DD.
    #[arg(format = "date")]
    pay_on: Option<String>,
) -> Receipt {
    let code = match currency {
        Currency::EUR => "EUR",
        Currency::USD => "USD",
    };
    let text = format!("paid {amount:?} {code} {}", pay_on.as_deref().unwrap_or("today"));
    paid.0.lock().unwrap().push(text.clone());
    Receipt { text }
}

/// Closes an account, which two persons must agree to.
#[tool(effect = "irreversible", approval(true, four_eyes))]
fn close_account(#[state] paid: &Paid, id: &str) -> String {
    paid.0.lock().unwrap().push(format!("closed {id}"));
    format!("closed {id}")
}

/// Looks an order up.
#[tool(effect = "read")]
fn get_order(order_id: &str) -> Result<String, Failure> {
    match order_id {
        "O-404" => Err(ToolError::business("no such order").hint("list the orders"))?,
        "O-500" => Err(std::io::Error::other(format!("can not reach {SECRET}")))?,
        "O-501" => panic!("no route to {SECRET}"),
        "O-502" => Err(FatalToolError::denied(format!("no way to {SECRET}")))?,
        _ => Ok(format!("{order_id}: delivered")),
    }
}

/// Tells who asks.
#[tool(effect = "read")]
fn who(#[context] cx: &CallContext, word: &str) -> String {
    format!("{} {word}", cx.caller().principal())
}

/// Waits for as long as it takes.
#[tool(effect = "read")]
async fn wait(#[state] gate: &tokio::sync::Semaphore) -> Result<String, Failure> {
    drop(gate.acquire().await?);
    Ok("waited".to_owned())
}

/// Pays when it is told to stop.
#[tool(effect = "write")]
async fn pay_slowly(#[context] cx: &CallContext, #[state] paid: &Paid) {
    cx.cancellation().cancelled().await;
    paid.0.lock().unwrap().push("paid slowly, though nobody wants it".to_owned());
}

/// Counts, and goes back once.
#[tool(effect = "read")]
fn count(#[context] cx: &CallContext) {
    cx.progress(1, 3, "one");
    cx.progress(0, 3, "back");
    cx.progress(3, 3, None);
}

/// The shop, and what was paid there.
pub struct Shop {
    pub registry: Registry,
    pub paid: Arc<Paid>,
    /// What `wait` waits for.
    pub gate: Arc<tokio::sync::Semaphore>,
}

pub fn shop() -> Shop {
    let paid = Arc::new(Paid::default());
    let gate = Arc::new(tokio::sync::Semaphore::new(0));
    let registry = Registry::builder()
        .tools(tools![create_payment, close_account, get_order, who, wait, pay_slowly, count])
        .state(Arc::clone(&paid))
        .state(Arc::clone(&gate))
        .ledger(MemoryLedger::new())
        .build()
        .unwrap();
    Shop { registry, paid, gate }
}

pub fn clerk() -> Caller {
    Caller::new("clerk").scopes(["payments:write"])
}

/// The shop as a server to a clerk.
pub fn server(shop: &Shop) -> Server {
    serve(shop.registry.clone()).caller(clerk())
}

/// Nothing may take longer.
const PATIENCE: Duration = Duration::from_secs(30);

pub async fn soon<T>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, what).await.expect("it comes soon")
}

/// A client that writes its messages by hand, one a line.
pub struct Hand {
    to: Option<WriteHalf<DuplexStream>>,
    from: Lines<BufReader<ReadHalf<DuplexStream>>>,
    served: JoinHandle<Result<(), ServeError>>,
}

impl Hand {
    /// Connects, and says nothing.
    pub fn connect(shop: Server) -> Self {
        let (here, there) = tokio::io::duplex(1024 * 1024);
        let (from, to) = tokio::io::split(there);
        let served = tokio::spawn(shop.over(from, to));
        let (from, to) = tokio::io::split(here);
        Self { to: Some(to), from: BufReader::new(from).lines(), served }
    }

    /// Connects, and opens a session of a revision.
    pub async fn open(server: Server, version: &str) -> Self {
        Self::open_as(server, version, json!({})).await
    }

    /// The same, of a client that says what it can.
    pub async fn open_as(server: Server, version: &str, can: Value) -> Self {
        let mut hand = Self::connect(server);
        hand.says(&initialize(version, &can).to_string()).await;
        let opened = hand.hears().await;
        assert_eq!(opened["result"]["protocolVersion"], version, "{opened}");
        hand.says(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
        hand
    }

    pub async fn says(&mut self, line: &str) {
        self.writes(format!("{line}\n").as_bytes()).await;
    }

    pub async fn writes(&mut self, bytes: &[u8]) {
        soon(self.to.as_mut().unwrap().write_all(bytes)).await.unwrap();
    }

    /// Writes lines while others are read: who wrote all of them first would wait for itself.
    pub fn writes_beside(&mut self, lines: String) -> JoinHandle<WriteHalf<DuplexStream>> {
        let mut to = self.to.take().unwrap();
        tokio::spawn(async move {
            to.write_all(lines.as_bytes()).await.unwrap();
            to
        })
    }

    /// Goes on with the end that was given away.
    pub fn takes_back(&mut self, to: WriteHalf<DuplexStream>) {
        self.to = Some(to);
    }

    pub async fn hears(&mut self) -> Value {
        let line = soon(self.from.next_line()).await.unwrap().expect("the server is there");
        serde_json::from_str(&line).unwrap()
    }

    /// Asks, and gives the answer.
    pub async fn asks(&mut self, id: impl Into<Value>, method: &str, params: Value) -> Value {
        let id: Value = id.into();
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.says(&message.to_string()).await;
        let answer = self.hears().await;
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// Calls with arguments as they are written.
    pub async fn calls(&mut self, name: &str, arguments: &str) -> Value {
        self.says(&call(7, name, arguments)).await;
        let mut answer = self.hears().await;
        assert_eq!(answer["id"], 7, "{answer}");
        answer.as_object_mut().unwrap().remove("jsonrpc");
        answer.as_object_mut().unwrap().remove("id");
        answer
    }

    /// Goes, and waits for the server's end.
    pub async fn goes(mut self) {
        if let Some(mut to) = self.to.take() {
            to.shutdown().await.unwrap();
        }
        while soon(self.from.next_line()).await.unwrap().is_some() {}
        drop(self.from);
        soon(self.served).await.unwrap().unwrap();
    }
}

pub fn initialize(version: &str, can: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": "open", "method": "initialize", "params": {
        "protocolVersion": version,
        "capabilities": can,
        "clientInfo": {"name": "by hand", "version": "1"},
    }})
}

/// A message that asks for a call.
pub fn call(id: impl Into<Value>, name: &str, arguments: &str) -> String {
    let (id, name): (Value, Value) = (id.into(), name.into());
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":{name},"arguments":{arguments}}}}}"#
    )
}

/// A result that is one text.
pub fn text(text: &str) -> Value {
    json!({"result": {"content": [{"type": "text", "text": text}], "isError": false}})
}

/// A result that is an error for the model.
pub fn mistake(text: &str) -> Value {
    json!({"result": {"content": [{"type": "text", "text": text}], "isError": true}})
}

/// A client that writes HTTP by hand, over one connection.
pub struct Wire(BufReader<TcpStream>);

/// What came back.
#[derive(Debug)]
pub struct Came {
    pub status: u16,
    pub session: Option<String>,
    /// Whether it came piece by piece.
    pub is_streamed: bool,
    pub body: String,
}

impl Came {
    /// The last message of the body, of a stream or alone.
    pub fn message(&self) -> Value {
        let data = self.body.lines().rev().find_map(|line| {
            line.strip_prefix("data:").map(str::trim).filter(|data| !data.is_empty())
        });
        serde_json::from_str(data.unwrap_or(&self.body)).unwrap_or_else(|_| panic!("{self:?}"))
    }
}

impl Wire {
    pub async fn open(address: std::net::SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        Self(BufReader::new(stream))
    }

    /// Posts a message with what headers it needs, and others.
    pub async fn posts(&mut self, headers: &[(&str, &str)], body: &str) -> Came {
        let mut all = vec![
            ("Accept", "application/json, text/event-stream"),
            ("Content-Type", "application/json"),
        ];
        all.extend(headers);
        self.asks("POST", &all, body).await
    }

    pub async fn asks(&mut self, method: &str, headers: &[(&str, &str)], body: &str) -> Came {
        let mut head = format!("{method} /mcp HTTP/1.1\r\nContent-Length: {}\r\n", body.len());
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            head.push_str("Host: localhost\r\n");
        }
        for (name, value) in headers {
            write!(head, "{name}: {value}\r\n").unwrap();
        }
        head.push_str("\r\n");
        head.push_str(body);
        soon(self.0.get_mut().write_all(head.as_bytes())).await.unwrap();
        soon(self.came()).await
    }

    async fn came(&mut self) -> Came {
        let status = self.line().await;
        let status = status.split(' ').nth(1).unwrap().parse().unwrap();
        let (mut session, mut length, mut is_chunked) = (None, 0, false);
        loop {
            let line = self.line().await;
            let Some((name, value)) = line.split_once(": ") else { break };
            match name.to_ascii_lowercase().as_str() {
                "mcp-session-id" => session = Some(value.to_owned()),
                "content-length" => length = value.parse().unwrap(),
                "transfer-encoding" => is_chunked = value == "chunked",
                _ => {}
            }
        }
        let is_streamed = is_chunked;
        let mut body = Vec::new();
        while is_chunked {
            let size = usize::from_str_radix(&self.line().await, 16).unwrap();
            let start = body.len();
            body.resize(start + size, 0);
            self.0.read_exact(&mut body[start..]).await.unwrap();
            self.line().await;
            is_chunked = size > 0;
        }
        if body.is_empty() {
            body.resize(length, 0);
            self.0.read_exact(&mut body).await.unwrap();
        }
        Came { status, session, is_streamed, body: String::from_utf8(body).unwrap() }
    }

    async fn line(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).await.unwrap();
        line.trim_end().to_owned()
    }
}

/// The shop at a port of its own, to whoever has a token; a token is a name.
pub async fn at_a_port(server: Server) -> std::net::SocketAddr {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = server.authenticated(|token| async move {
        match token.as_str() {
            "clerk" => Some(clerk()),
            "ann" | "bob" => Some(Caller::new(token)),
            _ => None,
        }
    });
    tokio::spawn(server.listen(listener));
    address
}
