//! `tools/call` over MCP by toolkit and by rmcp's own router, in one run, one JSON object a line.
//!
//! `cargo run --release` in this folder. Each server is a process of its own; what asks it writes
//! and reads bytes by hand, and is the same for all of them.

mod client;
mod servers;

use std::time::Duration;

use serde_json::json;

/// The calls of one round.
const CALLS: u32 = 10_000;

/// The rounds; the fastest counts.
const ROUNDS: usize = 5;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => measure().await,
        [server, over] => servers::serve(server, over).await,
        _ => eprintln!("usage: toolkit-peers-mcp"),
    }
}

async fn measure() {
    for over in ["stdio", "http"] {
        let mut least = [Duration::MAX; servers::ALL.len()];
        // In turns, so that whatever else the machine does falls upon all of them.
        for _ in 0..ROUNDS {
            for (server, least) in servers::ALL.iter().zip(&mut least) {
                *least = (*least).min(client::round(server, over, CALLS as usize).await);
            }
        }
        let a_second = |taken: Duration| f64::from(CALLS) / taken.as_secs_f64();
        let floor = servers::ALL.iter().zip(least).find(|(server, _)| **server == servers::PEER);
        let floor = floor.map_or(f64::NAN, |(_, taken)| a_second(taken));
        for (server, taken) in servers::ALL.iter().zip(least) {
            println!(
                "{}",
                json!({
                    "figure": format!("mcp.{over}"),
                    "by": server,
                    "calls_a_second": a_second(taken).round(),
                    "ratio": (a_second(taken) / floor * 100.0).round() / 100.0,
                    "of": format!("calls a second over those of {}, {CALLS} calls", servers::PEER),
                })
            );
        }
    }
}
