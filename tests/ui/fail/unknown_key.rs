use toolkit::prelude::*;

#[tool(descripton = "Adds.")]
fn misspelt() {}

/// Adds.
#[tool(minimum = 5)]
fn on_the_function() {}

/// Adds.
#[tool(colour = "red", effect = "read")]
fn unlike_any() {}

/// Adds.
#[tool]
fn parameters(
    #[arg(minimun = 1)] a: u8,
    #[arg(min = 1)] z: u8,
    #[arg(effect = "read")] b: u8,
    #[args(minimum = 1)] c: u8,
    #[ctx] cx: &CallContext,
) {
    let _ = (a, z, b, c, cx);
}

fn main() {}
