//! Tools found by meaning, with a model's weights on the same machine.
//!
//! `cargo run --release --example local_embedder -- FOLDER "I can't get into my account"` ranks a
//! desk's tools by words alone, and by words and meaning. The folder holds a model as
//! `sentence-transformers` writes it, such as `all-MiniLM-L6-v2`: `config.json`, `vocab.txt` and
//! `model.safetensors`. Nothing is fetched.

mod bert;
mod word_pieces;

use std::env;
use std::error::Error;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use bert::SentenceEncoder;
use toolkit::RegistryBuilder;
use toolkit::prelude::*;

/// Send a customer a link to choose a new password.
#[tool]
fn reset_password(email: &str) -> String {
    format!("sent to {email}")
}

/// Give money of an order back to the card that paid it.
#[tool]
fn refund_payment(order_id: &str) -> String {
    format!("{order_id} is refunded")
}

/// Tell where a parcel is and when it will arrive.
#[tool]
fn track_parcel(parcel_id: &str) -> String {
    format!("{parcel_id} is on its way")
}

/// Change the address that an order is sent to.
#[tool]
fn change_address(order_id: &str, address: &str) -> String {
    format!("{order_id} goes to {address}")
}

/// Hand the conversation over to a person of the desk.
#[tool]
fn ask_person(reason: &str) -> String {
    format!("a person was asked: {reason}")
}

fn builder() -> RegistryBuilder {
    Registry::builder().tools(tools![
        reset_password,
        refund_payment,
        track_parcel,
        change_address,
        ask_person
    ])
}

/// Prints the best three tools by words, and by both.
fn run(folder: &Path, request: &str, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let by_words = builder().build()?;
    let by_both = builder().embedder(SentenceEncoder::open(folder)?).build()?;
    for (by, registry) in [("words alone", by_words), ("words and meaning", by_both)] {
        let view = registry.view(Caller::new("ann"));
        let found = view.search(request, 3);
        let names: Vec<&str> = found.iter().map(toolkit::Found::name).collect();
        writeln!(
            out,
            "by {by}: {}",
            if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
        )?;
    }
    Ok(())
}

#[expect(clippy::print_stderr, reason = "it is a program")]
fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [folder, request] = arguments.as_slice() else {
        eprintln!("usage: local_embedder FOLDER REQUEST, the folder being a model's");
        return ExitCode::from(2);
    };
    match run(Path::new(folder), request, &mut io::stdout()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
