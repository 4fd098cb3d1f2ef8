//! Tools as data: a shop's thirty, and those of public catalogues.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use serde::Deserialize;
use serde_json::{Value, json};
use toolkit::{CallContext, Caller, Failure, Registry, RegistryBuilder, Tool, View};

/// One tool as a catalogue has it.
#[derive(Debug, Clone, Deserialize)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// What the model chooses by.
    #[serde(alias = "text")]
    pub description: String,
    /// Its arguments.
    #[serde(default)]
    pub input_schema: Option<Value>,
}

impl Entry {
    /// A tool of any words.
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self { name: name.into(), description: description.into(), input_schema: None }
    }

    /// A tool that gives back its arguments.
    pub fn tool(&self) -> Tool {
        let run = |arguments: Value, _: CallContext| async move { Ok::<_, Failure>(arguments) };
        let schema = self.input_schema.clone().unwrap_or_else(|| json!({"type": "object"}));
        Tool::dynamic(&self.name, &self.description, schema, run).into()
    }
}

/// A request and the tool that is right for it.
#[derive(Debug, Clone, Deserialize)]
pub struct Labelled {
    /// What the user says.
    pub request: String,
    /// The name of the tool.
    pub tool: String,
}

/// The thirty tools of a shop, and five requests.
#[derive(Debug, Clone, Deserialize)]
pub struct Shop {
    /// The tools.
    pub tools: Vec<Entry>,
    /// The requests.
    pub requests: Vec<Labelled>,
}

/// The shop.
///
/// # Panics
/// The file is no such catalogue.
pub fn shop() -> Shop {
    serde_json::from_str(include_str!("../data/shop.json")).expect("the shop is a catalogue")
}

/// The tools and requests of `MetaTool`: 199 and 2,000.
#[derive(Debug, Clone, Deserialize)]
pub struct MetaTool {
    /// The tools.
    pub tools: Vec<Entry>,
    /// The requests, each with the tools that are right for it.
    pub queries: Vec<Query>,
}

/// A request of `MetaTool`.
#[derive(Debug, Clone, Deserialize)]
pub struct Query {
    /// What the user says.
    pub q: String,
    /// The names of the right tools.
    pub truth: Vec<String>,
}

/// A file of the public catalogues, where `TOOLKIT_CATALOGUES` names their folder.
///
/// # Panics
/// The file can not be read.
pub fn public(file: &str) -> Option<String> {
    let Some(folder) = std::env::var_os("TOOLKIT_CATALOGUES").map(PathBuf::from) else {
        println!("skipped: TOOLKIT_CATALOGUES is not set");
        return None;
    };
    Some(fs::read_to_string(folder.join(file)).expect("the catalogue can be read"))
}

/// `MetaTool`, where the public catalogues are.
///
/// # Panics
/// The file is no such catalogue.
pub fn metatool() -> Option<MetaTool> {
    let text = public("metatool-retrieval.json")?;
    let mut all: MetaTool = serde_json::from_str(&text).expect("it is a catalogue");
    // One name has a letter that no provider takes.
    let truths = all.queries.iter_mut().flat_map(|query| &mut query.truth);
    for name in all.tools.iter_mut().map(|tool| &mut tool.name).chain(truths) {
        *name = name.replace('&', "_");
    }
    Some(all)
}

/// Every tool at hand that has a description, each name once: the shop's and the public ones.
///
/// # Panics
/// A file is no catalogue.
pub fn everything() -> Vec<Entry> {
    let mut all = shop().tools;
    all.extend(metatool().into_iter().flat_map(|metatool| metatool.tools));
    for file in ["tau-tools.json", "livemcp-tools.json"] {
        let tools: Option<Vec<Entry>> =
            public(file).map(|text| serde_json::from_str(&text).expect("it is a catalogue"));
        all.extend(tools.unwrap_or_default());
    }
    let mut seen = BTreeSet::new();
    all.retain(|entry| {
        let look = entry.name.to_ascii_lowercase().replace(['-', '.'], "_");
        !entry.description.trim().is_empty() && seen.insert(look)
    });
    all
}

/// So many tools: those given, again and again, with a tenant's word in name and description.
pub fn times_over(entries: &[Entry], count: usize) -> Vec<Entry> {
    let more = (0..count).map(|index| {
        let entry = &entries[index % entries.len()];
        match index / entries.len() {
            0 => Entry { input_schema: None, ..entry.clone() },
            tenant => Entry::new(
                format!("{}_tenant{tenant}", entry.name),
                format!("{} For tenant{tenant}.", entry.description),
            ),
        }
    });
    more.collect()
}

/// The memory that this process has for itself, where the system tells it.
pub fn resident_kilobytes() -> Option<u64> {
    let told = fs::read_to_string("/proc/self/status").ok()?;
    let line = told.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// A registry of those tools.
pub fn builder<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> RegistryBuilder {
    Registry::builder().tools(entries.into_iter().map(Entry::tool))
}

/// A view of all of those tools.
///
/// # Panics
/// The registry has a mistake.
pub fn view<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> View {
    builder(entries).build().expect("the registry is right").view(Caller::new("ada"))
}

/// How well the right tools are found: the share of them at first place and among the first five,
/// and the discounted gain of five.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Retrieval {
    /// Recall at 1.
    pub first: f64,
    /// Recall at 5.
    pub five: f64,
    /// nDCG at 5.
    pub gain: f64,
}

/// Measures a search by `MetaTool`'s requests.
#[expect(clippy::cast_precision_loss, reason = "there are 2,000 requests")]
pub fn retrieval(queries: &[Query], search: impl Fn(&str) -> Vec<String>) -> Retrieval {
    let (mut first, mut five, mut gain) = (0.0, 0.0, 0.0);
    let discount = |rank: usize| 1.0 / (rank as f64 + 2.0).log2();
    for query in queries {
        let found = search(&query.q);
        let right: Vec<usize> = found
            .iter()
            .take(5)
            .enumerate()
            .filter(|(_, name)| query.truth.contains(name))
            .map(|(rank, _)| rank)
            .collect();
        let all = query.truth.len() as f64;
        first += f64::from(u8::from(right.first() == Some(&0))) / all;
        five += right.len() as f64 / all;
        let best: f64 = (0..query.truth.len().min(5)).map(discount).sum();
        gain += right.into_iter().map(discount).sum::<f64>() / best;
    }
    let count = queries.len() as f64;
    Retrieval { first: first / count, five: five / count, gain: gain / count }
}
