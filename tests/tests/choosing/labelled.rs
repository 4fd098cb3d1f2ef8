//! What the lint finds, beside what a person finds in the same descriptions.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::{Map, Value, json};
use toolkit::LintReport;
use toolkit_tests::catalogue::{Entry, builder, metatool, public};

/// A small registry, and what a person finds in it: rule and tool.
#[derive(Deserialize)]
struct Labelled {
    tools: Vec<Described>,
    findings: Vec<(String, String)>,
}

#[derive(Deserialize)]
struct Described {
    name: String,
    description: String,
    /// A schema, or `type: description`.
    params: Map<String, Value>,
}

impl Described {
    fn entry(&self) -> Entry {
        let property = |(name, given): (&String, &Value)| {
            let schema =
                match given.as_str().map(|text| text.split_once(": ").unwrap_or((text, ""))) {
                    None => given.clone(),
                    Some((of, "")) => json!({"type": of}),
                    Some((of, told)) => json!({"type": of, "description": told}),
                };
            (name.clone(), schema)
        };
        let properties: Map<String, Value> = self.params.iter().map(property).collect();
        let schema = json!({
            "type": "object",
            "properties": properties,
            "required": properties.keys().collect::<Vec<_>>(),
            "additionalProperties": false,
        });
        Entry { input_schema: Some(schema), ..Entry::new(&self.name, &self.description) }
    }
}

fn labelled() -> Vec<Labelled> {
    let lines = include_str!("../../data/descriptions.jsonl").lines();
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn report(entries: &[Entry]) -> LintReport {
    builder(entries).build().unwrap().lint()
}

/// Rule and tool.
type Found = BTreeSet<(String, String)>;

fn found(entries: &[Entry]) -> Found {
    let pair = |rule: &str, tool: &str| (rule.to_owned(), tool.to_owned());
    report(entries)
        .iter()
        .map(|finding| pair(finding.rule().code(), finding.tool().unwrap_or_default()))
        .collect()
}

/// Per rule: found and meant, found and not meant, meant and not found.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Tally {
    right: usize,
    wrong: usize,
    missed: usize,
}

/// The precision and the recall of each rule, a line each.
fn told(sets: impl IntoIterator<Item = (Found, Found)>) -> Vec<String> {
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    for (found, meant) in sets {
        for finding in found.union(&meant) {
            let tally = tallies.entry(finding.0.clone()).or_default();
            match (found.contains(finding), meant.contains(finding)) {
                (true, true) => tally.right += 1,
                (true, false) => {
                    println!("wrong: {finding:?}");
                    tally.wrong += 1;
                }
                _ => {
                    println!("missed: {finding:?}");
                    tally.missed += 1;
                }
            }
        }
    }
    let line = |(rule, Tally { right, wrong, missed })| {
        format!("{rule}: precision {right}/{}, recall {right}/{}", right + wrong, right + missed)
    };
    tallies.into_iter().map(line).collect()
}

#[test]
fn on_the_labelled_descriptions_each_rule_finds_what_a_person_finds() {
    let count: usize = labelled().iter().map(|labelled| labelled.tools.len()).sum();
    assert!(count >= 60, "{count} descriptions");
    let told = told(labelled().into_iter().map(|labelled| {
        let entries: Vec<Entry> = labelled.tools.iter().map(Described::entry).collect();
        (found(&entries), labelled.findings.into_iter().collect())
    }));
    assert_eq!(told, TALLIES);
}

/// What is missed or wrong is plain to a person: it is in the set for that.
const TALLIES: [&str; 15] = [
    "closed-set-in-words: precision 6/6, recall 6/7",
    "format-in-words: precision 6/6, recall 6/6",
    "hidden-instruction: precision 7/7, recall 7/8",
    "low-level-chain: precision 3/3, recall 3/3",
    "near-equal-names: precision 3/3, recall 3/3",
    "no-family-prefix: precision 1/1, recall 1/1",
    "no-sibling: precision 3/3, recall 3/3",
    "no-use-when: precision 4/4, recall 4/4",
    "over-limit: precision 2/2, recall 2/2",
    "overlap: precision 3/3, recall 3/3",
    "repeats-name: precision 5/6, recall 5/5",
    "too-many-parameters: precision 1/1, recall 1/1",
    "undescribed-parameter: precision 1/1, recall 1/1",
    "vague: precision 7/7, recall 7/9",
    "wide-id: precision 1/1, recall 1/1",
];

/// What a person found in a tool of a public catalogue, before the lint was asked.
#[derive(Deserialize)]
struct CatalogueLabel {
    catalogue: String,
    tool: String,
    rules: Vec<String>,
}

/// What is found and what is meant in the labelled tools of each catalogue.
fn of_others() -> Option<Vec<(Found, Found)>> {
    let lines = include_str!("../../data/catalogue_labels.jsonl").lines();
    let labels: Vec<CatalogueLabel> =
        lines.map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(labels.len() >= 40, "{} tools", labels.len());
    let mut sets = Vec::new();
    for labels in labels.chunk_by(|one, other| one.catalogue == other.catalogue) {
        public(&labels[0].catalogue)?;
        let all = of_file(&labels[0].catalogue);
        let of_name = |name: &str| all.iter().find(|entry| entry.name == name).unwrap().clone();
        let entries: Vec<Entry> = labels.iter().map(|label| of_name(&label.tool)).collect();
        let meant = labels
            .iter()
            .flat_map(|label| label.rules.iter().map(|rule| (rule.clone(), label.tool.clone())));
        sets.push((found(&entries), meant.collect()));
    }
    Some(sets)
}

#[test]
fn on_tools_of_others_each_rule_finds_what_a_person_finds() {
    let Some(sets) = of_others() else { return };
    assert_eq!(told(sets), OF_OTHERS);
}

/// They were labelled before the lint was asked, and rules were mended by them after: at first 3 of
/// 12 formats, 1 of 7 repeated names and 1 right sibling of 6 were found.
const OF_OTHERS: [&str; 7] = [
    "format-in-words: precision 12/12, recall 12/12",
    "no-sibling: precision 0/0, recall 0/2",
    "no-use-when: precision 37/37, recall 37/38",
    "repeats-name: precision 4/4, recall 4/7",
    "too-many-parameters: precision 1/1, recall 1/1",
    "undescribed-parameter: precision 11/11, recall 11/11",
    "wide-id: precision 1/1, recall 1/1",
];

/// What is found in whole catalogues is printed, and much of it.
#[test]
fn the_public_catalogues_are_read_to_their_end() {
    let Some(metatool) = metatool() else { return };
    for (name, entries) in [
        ("MetaTool", metatool.tools),
        ("tau", of_file("tau-tools.json")),
        ("LiveMCP", of_file("livemcp-tools.json")),
    ] {
        let mut seen = BTreeSet::new();
        let entries: Vec<Entry> = entries
            .into_iter()
            .filter(|entry| !entry.description.trim().is_empty())
            .filter(|entry| seen.insert(entry.name.to_lowercase().replace('-', "_")))
            .collect();
        let report = report(&entries);
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for code in report.iter().map(|finding| finding.rule().code()) {
            *counts.entry(code).or_default() += 1;
        }
        println!("{name}, {} tools: {counts:?}", entries.len());
        assert!(counts["no-use-when"] > entries.len() / 3);
        for rule in ["hidden-instruction", "overlap", "near-equal-names"] {
            for finding in report.iter().filter(|finding| finding.rule().code() == rule) {
                println!("  {finding}");
            }
        }
    }
}

fn of_file(name: &str) -> Vec<Entry> {
    serde_json::from_str(&public(name).unwrap()).unwrap()
}
