use toolkit::prelude::*;

/// Finds.
#[tool]
fn nested() -> Option<Result<u8, ToolError>> {
    None
}

/// Finds.
#[tool]
fn borrowed(id: &str) -> &dyn std::fmt::Debug {
    &id
}

/// Finds.
#[tool]
async fn future() -> impl Future<Output = u8> {
    std::future::ready(1)
}

fn main() {}
