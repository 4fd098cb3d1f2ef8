//! What the lint finds, how it is told, and what it counts for.

use std::collections::BTreeSet;

use serde_json::json;
use toolkit::prelude::*;
use toolkit::{Level, Lint, LintReport, Rule};
use toolkit_tests::catalogue::{Entry, builder, shop};

fn report(entries: &[Entry]) -> LintReport {
    builder(entries).build().unwrap().lint()
}

fn codes(report: &LintReport) -> Vec<&str> {
    report.iter().map(|finding| finding.rule().code()).collect()
}

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
