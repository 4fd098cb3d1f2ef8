//! What asks a server: bytes by hand, so many calls at a time.

use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

/// Calls that wait for their answers over pipes, and connections over HTTP.
const AT_ONCE: usize = 16;

const OPEN: &str = r#"{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"figures","version":"1"}}}"#;
const OPENED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

fn call(id: usize) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"get_order","arguments":{{"order_id":"O-{id}","limit":{}}}}}}}"#,
        id % 50 + 1
    )
}

/// The answer is that of the tool, to a call that nobody had made before.
fn check(answer: &str) {
    assert!(answer.contains(r#""structuredContent":{"id":"O-"#), "{answer}");
    assert!(answer.contains("delivered") && answer.contains("isError\":false"), "{answer}");
}

/// How long so many calls take, of a server of their own.
pub(crate) async fn round(server: &str, over: &str, calls: usize) -> Duration {
    let program = std::env::current_exe().expect("this program");
    let mut child = Command::new(program)
        .args([server, over])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("a server");
    let from = BufReader::new(child.stdout.take().expect("its output"));
    if over == "stdio" { pipes(child, from, calls).await } else { http(from, calls).await }
}

async fn pipes(mut child: Child, from: BufReader<ChildStdout>, calls: usize) -> Duration {
    let mut to: ChildStdin = child.stdin.take().expect("its input");
    let mut lines = from.lines();
    to.write_all(format!("{OPEN}\n{OPENED}\n").as_bytes()).await.expect("written");
    lines.next_line().await.expect("a line").expect("a session");
    let start = Instant::now();
    let mut next = 0;
    let mut answered = 0;
    let mut written = String::new();
    while answered < calls {
        written.clear();
        while next < calls && next - answered < AT_ONCE {
            written.push_str(&call(next));
            written.push('\n');
            next += 1;
        }
        to.write_all(written.as_bytes()).await.expect("written");
        check(&lines.next_line().await.expect("a line").expect("an answer"));
        answered += 1;
    }
    start.elapsed()
}

async fn http(mut from: BufReader<ChildStdout>, calls: usize) -> Duration {
    let mut address = String::new();
    from.read_line(&mut address).await.expect("an address");
    let address = address.trim().to_owned();
    let mut wire = Wire::open(&address).await;
    wire.posts(None, OPEN).await;
    let session: Arc<str> = wire.session.clone().expect("a session").into();
    wire.posts(Some(&session), OPENED).await;
    let next = Arc::new(AtomicUsize::new(0));
    let mut wires = Vec::new();
    for _ in 0..AT_ONCE {
        wires.push(Wire::open(&address).await);
    }
    let start = Instant::now();
    let lanes = wires.into_iter().map(|mut wire| {
        let (next, session) = (Arc::clone(&next), Arc::clone(&session));
        tokio::spawn(async move {
            loop {
                let id = next.fetch_add(1, Ordering::Relaxed);
                if id >= calls {
                    return;
                }
                check(&wire.posts(Some(&session), &call(id)).await);
            }
        })
    });
    for lane in lanes.collect::<Vec<_>>() {
        lane.await.expect("every answer");
    }
    start.elapsed()
}

/// One connection that is kept.
struct Wire {
    stream: BufReader<TcpStream>,
    session: Option<String>,
}

impl Wire {
    async fn open(address: &str) -> Self {
        let stream = TcpStream::connect(address).await.expect("a connection");
        stream.set_nodelay(true).expect("no delay");
        Self { stream: BufReader::new(stream), session: None }
    }

    async fn posts(&mut self, session: Option<&str>, body: &str) -> String {
        let session = session.map(|id| format!("Mcp-Session-Id: {id}\r\n")).unwrap_or_default();
        let request = format!(
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\n{session}Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        self.stream.get_mut().write_all(request.as_bytes()).await.expect("written");
        let (mut length, mut is_chunked) = (0, false);
        loop {
            let line = self.line().await;
            let Some((name, value)) = line.split_once(": ") else {
                if line.is_empty() {
                    break;
                }
                continue;
            };
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.parse().expect("a number"),
                "transfer-encoding" => is_chunked = true,
                "mcp-session-id" => self.session = Some(value.to_owned()),
                _ => {}
            }
        }
        let mut body = Vec::new();
        while is_chunked {
            let size = usize::from_str_radix(&self.line().await, 16).expect("a size");
            let start = body.len();
            body.resize(start + size, 0);
            self.stream.read_exact(&mut body[start..]).await.expect("a piece");
            self.line().await;
            is_chunked = size > 0;
        }
        if body.is_empty() {
            body.resize(length, 0);
            self.stream.read_exact(&mut body).await.expect("a body");
        }
        String::from_utf8(body).expect("text")
    }

    async fn line(&mut self) -> String {
        let mut line = String::new();
        self.stream.read_line(&mut line).await.expect("a line");
        line.trim_end().to_owned()
    }
}
