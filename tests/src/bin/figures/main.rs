//! Prints the project's figures, one JSON object a line; `-- NAME` those of one subject.

mod arguments;
mod attribute;
#[path = "../../../../examples/09_local_embedder/bert.rs"]
mod bert;
mod dialects;
mod dispatch;
mod gates;
mod ledger;
mod measure;
mod peers;
mod programs;
mod search;
mod timing;
#[path = "../../../../examples/09_local_embedder/word_pieces.rs"]
mod word_pieces;

use std::process::ExitCode;

use measure::Contender;

/// One figure: a contender measured against its floor, in the same run.
struct Figure {
    name: String,
    /// What the floor is.
    of: &'static str,
    contender: Contender,
    floor: Contender,
}

fn figures() -> Vec<Figure> {
    let mut figures = arguments::figures();
    figures.extend(dispatch::figures());
    figures.extend(gates::figures());
    figures
}

fn names() -> Vec<String> {
    let measured = figures().into_iter().map(|figure| figure.name);
    let of_stores = ledger::FIGURES.map(|(name, _)| name.to_owned());
    let sizes = dialects::sizes().into_iter().map(|size| size.name);
    let others = dialects::time_names()
        .into_iter()
        .chain(search::names())
        .chain(attribute::names())
        .chain(peers::names())
        .chain([timing::NAME.to_owned()]);
    measured.chain(of_stores).chain(sizes).chain(others).collect()
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [measure::INNER, name] => run_alone(name),
        [] => print_all(""),
        [subject] if names().iter().any(|name| name.starts_with(subject)) => print_all(subject),
        _ => {
            eprintln!(
                "usage: figures [SUBJECT], a subject being the start of one of: {}",
                names().join(", ")
            );
            ExitCode::from(2)
        }
    }
}

fn print_all(subject: &str) -> ExitCode {
    for figure in figures().iter().filter(|figure| figure.name.starts_with(subject)) {
        let (unit, contender, floor) = measure::both(figure);
        let line = serde_json::json!({
            "figure": figure.name,
            "ratio": (contender / floor * 100.0).round() / 100.0,
            "of": format!("{unit} over {}", figure.of),
            "floor": floor.round(),
        });
        println!("{line}");
    }
    for (name, measure) in ledger::FIGURES {
        if name.starts_with(subject)
            && let Some(line) = measure(name)
        {
            println!("{line}");
        }
    }
    for size in dialects::sizes().iter().filter(|size| size.name.starts_with(subject)) {
        let line = serde_json::json!({
            "figure": size.name,
            "bytes": size.bytes,
            "of": "bytes, beside those of the full schemas",
            "floor": size.full,
        });
        println!("{line}");
    }
    for time in dialects::times(subject) {
        let line = serde_json::json!({
            "figure": time.name,
            "ratio": (time.milliseconds / time.floor * 100.0).round() / 100.0,
            "of": "least milliseconds over serialising the 1,000 full schemas",
            "floor": (time.floor * 100.0).round() / 100.0,
        });
        println!("{line}");
    }
    if timing::NAME.starts_with(subject) {
        println!("{}", timing::line());
    }
    search::print(subject);
    peers::print(subject);
    for line in attribute::lines(subject) {
        println!("{line}");
    }
    ExitCode::SUCCESS
}

/// A process of its own: one contender, for valgrind to count, or one size of a search.
fn run_alone(name: &str) -> ExitCode {
    if search::print_alone(name) {
        return ExitCode::SUCCESS;
    }
    for figure in figures() {
        for (part, contender) in [("contender", &figure.contender), ("floor", &figure.floor)] {
            if name == format!("{}/{part}", figure.name) {
                measure::counted(contender);
                return ExitCode::SUCCESS;
            }
        }
    }
    eprintln!("no contender {name:?}");
    ExitCode::from(2)
}
