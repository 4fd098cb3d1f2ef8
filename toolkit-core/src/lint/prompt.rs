//! A system prompt beside the tools that a view shows.

use std::sync::LazyLock;

use regex::Regex;

use super::{Finding, Rule, pattern};
use crate::dialect::Definition;
use crate::index::stems;
use crate::problem::escaped;
use crate::registry::View;

/// A word of the user that is to decide.
static KEYWORD: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)\b(?:when(?:ever)?|if|as soon as|every time|each time|once|always when)\b[^.]{0,60}",
        r"\b(?:mentions?|says?|types?|writes?|contains?|includes?|has the words?|uses the words?|keywords?|the words?)\b",
        r"|\bkeywords?\b[^.]{0,40}(?:→|->|=>|:)|\bon the words?\b",
    ))
});

/// A call of something.
static CALLS: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)\b(?:call|use|invoke|run|trigger|execute)\b"));

/// That something is not to be.
static NOT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?i)\b(?:do not|don't|never|must not|should not|not (?:be )?used?|avoid|not for)\b")
});

pub(super) fn of(prompt: &str, view: &View) -> Vec<Finding> {
    let visible = view.tools();
    let hidden = view.hidden_names();
    let mut findings = Vec::new();
    for sentence in sentences(prompt) {
        let shown = || escaped(sentence, 100);
        let named: Vec<&Definition> =
            visible.iter().copied().filter(|tool| names(sentence, &tool.name)).collect();
        if KEYWORD.is_match(sentence) && (!named.is_empty() || CALLS.is_match(sentence)) {
            let tool = named.first().map(|tool| tool.name.clone());
            findings.push(Finding {
                tool,
                ..Finding::new(
                    Rule::KeywordRule,
                    format!("the prompt ties a tool to a word (\"{}\")", shown()),
                    "say in the tool's description what it is for, and leave the choice to the model",
                )
            });
        }
        for name in hidden.iter().filter(|name| names(sentence, name)) {
            findings.push(Finding::new(
                Rule::HiddenToolNamed,
                format!(
                    "the prompt names `{name}`, which this view does not show (\"{}\")",
                    shown()
                ),
                "take it out of the prompt, or show the tool",
            ));
        }
        for tool in named {
            let clause = clause(sentence, &tool.name, &visible);
            findings.extend(contradiction(clause, tool).map(|said| Finding {
                tool: Some(tool.name.clone()),
                ..Finding::new(
                    Rule::Contradiction,
                    format!(
                        "the prompt says \"{}\", and its description \"{}\"",
                        shown(),
                        escaped(said, 100)
                    ),
                    "let one of them say it, and once",
                )
            }));
        }
    }
    findings
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let ends = |c: char| matches!(c, '.' | '!' | '?' | ';' | '\n');
    // A full stop inside of a name or a number ends nothing.
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = rest.char_indices().find(|(at, c)| {
            let next = rest.get(at + c.len_utf8()..).and_then(|after| after.chars().next());
            ends(*c) && next.is_none_or(|next| *c == '\n' || next.is_whitespace())
        });
        let (sentence, after) = match end {
            Some((at, c)) => (rest.get(..at)?, rest.get(at + c.len_utf8()..)?),
            None if rest.is_empty() => return None,
            None => (rest, ""),
        };
        rest = after;
        Some(sentence.trim())
    })
    .filter(|sentence| !sentence.is_empty())
}

/// Whether a text has a name as a word of its own.
fn names(text: &str, name: &str) -> bool {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    text.match_indices(name).any(|(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let after = text.get(at + name.len()..).and_then(|after| after.chars().next());
        !before.is_some_and(is_of_name) && !after.is_some_and(is_of_name)
    })
}

/// The part of a sentence that is about one of the tools that it names.
fn clause<'s>(sentence: &'s str, name: &str, visible: &[&Definition]) -> &'s str {
    let Some(at) = sentence.find(name) else { return sentence };
    let others = || visible.iter().filter(|tool| tool.name != name);
    let before = sentence.get(..at).unwrap_or_default();
    let ends = others().filter_map(|tool| Some(before.rfind(&tool.name)? + tool.name.len()));
    let start = ends.chain(before.rfind(", ")).max().unwrap_or(0);
    let after = sentence.get(at..).unwrap_or_default();
    let end = others().filter_map(|tool| Some(at + after.find(&tool.name)?)).min();
    sentence.get(start..end.unwrap_or(sentence.len())).unwrap_or(sentence)
}

/// A sentence of the description that says the opposite of the same.
fn contradiction<'d>(sentence: &str, tool: &'d Definition) -> Option<&'d str> {
    let of_name = stems(&tool.name);
    let about = |text: &str| -> Vec<String> {
        stems(text).into_iter().filter(|stem| !of_name.contains(stem) && stem != "use").collect()
    };
    let is_not = NOT.is_match(sentence);
    let asked = about(sentence);
    sentences(&tool.description).find(|said| {
        let their = about(said);
        let shared = their.iter().filter(|stem| asked.contains(stem)).count();
        NOT.is_match(said) != is_not && shared > 0 && shared * 2 >= their.len().min(asked.len())
    })
}
