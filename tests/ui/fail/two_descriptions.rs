use toolkit::prelude::*;

/// Finds.
#[tool]
fn find(
    /// What to find.
    #[arg(description = "What to find.")]
    query: String,
) {
    let _ = query;
}

fn main() {}
