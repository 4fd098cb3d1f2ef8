//! What the lint finds, beside what a person finds in the same descriptions.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::{Map, Value, json};
use toolkit::prelude::*;
use toolkit::{Level, Lint, LintReport, Rule};
use toolkit_tests::catalogue::{Entry, builder, metatool, public, shop};

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

fn codes(report: &LintReport) -> Vec<&str> {
    report.iter().map(|finding| finding.rule().code()).collect()
}

/// Per rule: found and meant, found and not meant, meant and not found.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Tally {
    right: usize,
    wrong: usize,
    missed: usize,
}

fn tallies() -> BTreeMap<String, Tally> {
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    for labelled in labelled() {
        let entries: Vec<Entry> = labelled.tools.iter().map(Described::entry).collect();
        let pair = |rule: &str, tool: &str| (rule.to_owned(), tool.to_owned());
        let found: BTreeSet<(String, String)> = report(&entries)
            .iter()
            .map(|finding| pair(finding.rule().code(), finding.tool().unwrap_or_default()))
            .collect();
        let meant: BTreeSet<(String, String)> =
            labelled.findings.iter().map(|(rule, tool)| pair(rule, tool)).collect();
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
    tallies
}

#[test]
fn on_the_labelled_descriptions_each_rule_finds_what_a_person_finds() {
    let count: usize = labelled().iter().map(|labelled| labelled.tools.len()).sum();
    assert!(count >= 60, "{count} descriptions");
    let told: Vec<String> = tallies()
        .into_iter()
        .map(|(rule, Tally { right, wrong, missed })| {
            format!(
                "{rule}: precision {right}/{}, recall {right}/{}",
                right + wrong,
                right + missed
            )
        })
        .collect();
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

#[test]
fn a_report_says_where_what_and_what_to_write() {
    let entries = [
        Entry::new("process", "Handles stuff."),
        Entry {
            input_schema: Some(json!({
                "properties": {"day": {"type": "string", "description": "The day, as YYYY-MM-DD."}},
            })),
            ..Entry::new(
                "book_table",
                "Book a table for some guests. Use after they named the day.",
            )
        },
    ];
    assert_eq!(
        report(&entries).to_string(),
        "3 findings:\n  \
         deny [vague] tool `process`: its description fits almost any tool; say what it does to \
         what, in the words that users say\n  \
         warn [no-use-when] tool `process`: its description does not say when to use it; add \
         \"Use when …\" or \"Use after …\", and for what not\n  \
         deny [format-in-words] tool `book_table`: $.day: its description names a format \
         (YYYY-MM-DD) that any text passes; add `#[arg(format = …)]` or `#[arg(pattern = …)]`",
    );
}

/// Handles stuff.
#[tool]
fn handle() {}

#[test]
fn a_finding_of_an_annotated_tool_says_where_it_is_written() {
    let report = Registry::builder().tools(tools![handle]).build().unwrap().lint();
    let finding = report.iter().next().unwrap();
    assert!(finding.place().unwrap().contains("choosing::lint at tests/tests/choosing/lint.rs:"));
}

#[test]
fn each_rule_can_be_let_be_told_or_denied() {
    let registry = builder(&[Entry::new("process", "Handles stuff.")]).build().unwrap();
    let of = |level| Lint::new().level(Rule::Vague, level).registry(&registry);
    assert!(of(Level::Allow).is_empty());
    assert!(!of(Level::Warn).is_denied() && of(Level::Warn).len() == 1);
    assert!(of(Level::Deny).is_denied());
    toolkit::lint!(registry, Lint::new().level(Rule::Vague, Level::Warn));
}

#[test]
#[should_panic(expected = "deny [vague] tool `process`")]
fn the_one_line_test_fails_with_the_report() {
    let registry = builder(&[Entry::new("process", "Handles stuff.")]).build().unwrap();
    toolkit::lint!(registry);
}

#[test]
fn definitions_over_their_budget_name_the_largest() {
    let registry = builder(&shop().tools).build().unwrap();
    assert!(Lint::new().registry(&registry).iter().all(|found| found.rule() != Rule::OverBudget));
    let report = Lint::new().token_budget(500).registry(&registry);
    let over = report.iter().find(|found| found.rule() == Rule::OverBudget).unwrap();
    assert!(over.message().ends_with("tokens a request, of which 500 may be"), "{over}");
    assert!(over.advice().ends_with("the largest is `refund_payment`"), "{over}");
}

#[test]
fn codes_are_told_apart_and_stay() {
    let codes: BTreeSet<&str> = Rule::ALL.iter().map(|rule| rule.code()).collect();
    assert_eq!(codes.len(), Rule::ALL.len());
    assert_eq!(
        codes.into_iter().collect::<Vec<_>>().join(" "),
        "closed-set-in-words contradiction format-in-words hidden-instruction hidden-tool-named \
         keyword-rule low-level-chain near-equal-names no-family-prefix no-sibling no-use-when \
         over-budget over-limit overlap repeats-name too-many-parameters undescribed-parameter \
         vague wide-id",
    );
}

#[test]
fn a_prompt_that_ties_tools_to_words_names_hidden_ones_or_says_the_opposite_is_told() {
    let entries = [
        Entry::new("search_docs", "Search the company's documents. Do not use for contracts."),
        Entry::new("get_contract", "Fetch a contract by its number. Use when it is known."),
        Entry::new("close_account", "Close an account for good."),
    ];
    let view = builder(&entries)
        .build()
        .unwrap()
        .view(Caller::new("ada"))
        .scoped(["search_docs", "get_contract"]);
    for (prompt, found) in [
        ("You are the assistant of a law firm. Be short.", &[][..]),
        ("Use search_docs when a rule is asked for, and get_contract for a contract.", &[]),
        ("Whenever the user mentions a document, call search_docs.", &["keyword-rule"]),
        ("If the message contains \"contract\" then invoke get_contract!", &["keyword-rule"]),
        ("When the user says hello, answer politely.", &[]),
        ("Keywords: invoice -> get_contract", &["keyword-rule"]),
        ("To end it all, use close_account.", &["hidden-tool-named"]),
        ("Never close_accounts of customers.", &[]),
        ("Use search_docs for contracts and rules.", &["contradiction"]),
        ("Never use get_contract when the number is known.", &["contradiction"]),
        ("Do not use search_docs for contracts.", &[]),
    ] {
        let report = view.audit_prompt(prompt);
        assert_eq!(codes(&report), found, "{prompt}\n{report}");
    }
}

/// The public catalogues are not labelled; what is found in them is printed, and much of it.
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
        for code in codes(&report) {
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
