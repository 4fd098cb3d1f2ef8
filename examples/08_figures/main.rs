//! Figures of why words decide: each drawn from what the crate itself computes.
//!
//! `cargo run --example figures` writes four SVGs into `target/figures`, or into the folder that
//! is named.

pub(crate) mod svg;

use std::env;
use std::error::Error;
use std::fs;
use std::path::PathBuf;

use serde::Deserialize;
use serde_json::json;
use toolkit::eval::{Case, Eval, Suite, WordOverlap, chain_success};
use toolkit::prelude::*;

use svg::{Bar, Curve, bars, curves, heat_map};

/// The same three tools in words that say nothing and in words that say what they do and when, and
/// six requests.
const SELECTION: &str = include_str!("selection.json");

#[derive(Deserialize)]
struct Selection {
    vague: Vec<Described>,
    precise: Vec<Described>,
    requests: Vec<Case>,
}

#[derive(Deserialize)]
struct Described {
    name: String,
    description: String,
}

fn view(tools: &[Described]) -> Result<View, ToolConfigErrors> {
    let tool = |Described { name, description }: &Described| {
        let nothing = |_, _| async { Ok::<_, ToolError>(()) };
        Tool::from(Tool::dynamic(name, description, json!({}), nothing))
    };
    Ok(Registry::builder().tools(tools.iter().map(tool)).build()?.view(Caller::new("ann")))
}

/// How likely a chain of calls is to succeed as a whole, by its length.
fn chains() -> String {
    const LONGEST: u32 = 20;
    let curve = |p: f64| Curve {
        label: format!("{:.0} % a call", p * 100.0),
        points: (1..=LONGEST).map(|n| (f64::from(n), chain_success(p, n))).collect(),
    };
    let told = format!(
        "Five calls at 97 % each succeed in {:.1} % of the runs",
        chain_success(0.97, 5) * 100.0
    );
    curves(&told, "calls in a row", "runs that succeed", &[0.99, 0.97, 0.95, 0.9].map(curve))
}

/// How many requests find their tool, by the words of the descriptions alone.
fn accuracy(selection: &Selection) -> Result<String, ToolConfigErrors> {
    let Selection { vague, precise, requests } = selection;
    let eval = Eval::new(Suite::new(requests.iter().cloned()));
    let bar = |label: &str, tools: &[Described]| {
        let measured = eval.run_blocking(&WordOverlap, &view(tools)?);
        Ok(Bar {
            label: label.to_owned(),
            share: measured.accuracy(),
            told: format!("{} of {}", measured.right(), requests.len()),
        })
    };
    let measured = [bar("vague descriptions", vague)?, bar("precise descriptions", precise)?];
    let title = "The same three tools, six requests, by words alone";
    Ok(bars(title, "requests that find their tool", &measured))
}

/// How near each request is to each tool, by the words that the search counts.
fn similarity(
    tools: &[Described],
    requests: &[Case],
    title: &str,
) -> Result<String, ToolConfigErrors> {
    let view = view(tools)?;
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    let row = |case: &Case| {
        let found = view.search(case.request(), names.len());
        let score = |name: &&str| {
            let found = found.iter().find(|found| found.name() == *name);
            found.map_or(0.0, |found| f64::from(found.score()))
        };
        (case.request().to_owned(), names.iter().map(score).collect())
    };
    let rows: Vec<(String, Vec<f64>)> = requests.iter().map(row).collect();
    Ok(heat_map(title, &names, &rows))
}

/// Each figure with the name of its file.
pub(crate) fn figures() -> Result<Vec<(&'static str, String)>, Box<dyn Error>> {
    let selection: Selection = serde_json::from_str(SELECTION)?;
    let Selection { vague, precise, requests } = &selection;
    let title = |words: &str| format!("Requests and tools by words (BM25): {words} descriptions");
    Ok(vec![
        ("chains.svg", chains()),
        ("accuracy.svg", accuracy(&selection)?),
        ("similarity_vague.svg", similarity(vague, requests, &title("vague"))?),
        ("similarity_precise.svg", similarity(precise, requests, &title("precise"))?),
    ])
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder =
        env::args_os().nth(1).map_or_else(|| PathBuf::from("target/figures"), PathBuf::from);
    fs::create_dir_all(&folder)?;
    for (name, figure) in figures()? {
        fs::write(folder.join(name), figure)?;
    }
    Ok(())
}
