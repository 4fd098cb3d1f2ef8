use toolkit::prelude::*;

/// Waits.
#[tool(timeout = "soon", concurrency = 0, result_limit = 20)]
async fn wait() {}

/// Waits for ever.
#[tool(timeout = "0s", concurrency = "one", result_limit)]
async fn wait_for_ever() {}

/// Reads.
#[tool(timeout = "2d", blocking)]
fn read() {}

/// Adds.
#[tool(timeout = "1s")]
fn add(a: u8) -> u8 {
    a
}

/// Subtracts.
#[tool(blocking, reads_untrusted = "yes")]
async fn subtract() {}

/// Mails.
#[tool(effect = "read", writes_external)]
fn mail() {}

fn main() {}
