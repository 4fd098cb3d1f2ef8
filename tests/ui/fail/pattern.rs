use toolkit::prelude::*;

/// Finds.
#[tool]
fn find(
    #[arg(pattern = "^(O-")] open: String,
    #[arg(pattern = r"^(?!O-)\d+$")] look_ahead: String,
    #[arg(pattern = r"^(a)\1$")] back_reference: String,
    #[arg(pattern = r"\d{3,1}")] repetition: String,
    #[arg(pattern = 5)] number: String,
    #[arg(format = "datetime")] format: String,
    #[arg(format = "colour")] no_format: String,
) {
    let _ = (open, look_ahead, back_reference, repetition, number, format, no_format);
}

fn main() {}
