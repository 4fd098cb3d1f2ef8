use toolkit::prelude::*;

#[tool(description)]
fn no_value() {}

#[tool(description("Adds."))]
fn parentheses() {}

#[tool(description = "Adds.", scopes = "payments:write")]
fn scopes() {}

#[tool(description = "Adds.", effect = read)]
fn effect() {}

#[tool(description = "Adds." effect = "read")]
fn no_comma() {}

#[tool("Adds.")]
fn no_key() {}

#[tool(description = "Adds.", approval(a > 1, a < 3))]
fn two_rules(a: u8) {
    let _ = a;
}

/// Adds.
#[tool(description =)]
fn nothing() {}

/// Adds.
#[tool]
fn parameters(
    #[arg] a: u8,
    #[arg = "a"] b: u8,
    #[state(x)] c: &String,
    #[arg(minimum = )] d: u8,
    #[arg(rename = e)] e: u8,
) {
    let _ = (a, b, c, d, e);
}

fn main() {}
