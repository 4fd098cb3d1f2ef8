//! What stands in a description and is not meant for the person who reads it.
//!
//! Characters that nobody sees are refused before, where the registry is built.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use super::{Finding, Rule, Subject, pattern};
use crate::problem::{Path, escaped};

/// Instructions to the model that say nothing of the tool.
static INSTRUCTION: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(?is)\b(?:ignore|disregard|forget|override|bypass)\b[^.]{0,40}\b(?:instructions?|prompts?|rules?|previous|above|guidelines?|restrictions?)\b",
        r"|\b(?:do not|don't|never|without)\s+(?:\w+\s+)?(?:tell|telling|inform|informing|mention|mentioning|reveal|revealing|notify|notifying|show|showing|ask|asking|alert|alerting)\b[^.]{0,30}\b(?:users?|customers?|anyone|humans?|person|people|them)\b",
        r"|\b(?:silently|secretly|covertly|stealthily)\b",
        r"|\b(?:call|use|invoke|run|choose) (?:this|it)(?: (?:tool|function))?\b[^.]{0,40}\b(?:first|before (?:any|every|all|each|using|other)|in every|for every|for all|no matter)\b",
        r"|<\s*/?\s*(?:important|system|secret|instructions?|hidden|admin)\b[^>]*>|<!--",
        r"|\bsystem prompt\b|\b(?:conversation|chat) history\b",
        r"|\b(?:read|open|load|pass|send|include|attach|upload)\b[^\n]{0,60}(?:~/\.\w|\.ssh\b|\bid_rsa\b|/etc/passwd|\.env\b)",
        r"|\b(?:prefer|choose|pick|select|use) this(?: tool)?\b[^.]{0,30}\b(?:over|instead of|before)\b[^.]{0,20}\b(?:any|all|every|other)\b",
        r"|\bas an? (?:ai|assistant|language model)\b|\byou are (?:now )?an?\b",
    ))
});

pub(super) fn of(subject: &Subject<'_>) -> Vec<Finding> {
    let definition = subject.definition;
    let mut findings = Vec::new();
    let mut texts = vec![(Path::root(), definition.description.as_str())];
    texts.extend(definition.title.iter().map(|title| (Path::root(), title.as_str())));
    described(&definition.input_schema, &Path::root(), &mut texts);
    for (path, text) in texts {
        if let Some(told) = INSTRUCTION.find(text) {
            findings.push(
                Finding::new(
                    Rule::HiddenInstruction,
                    format!(
                        "its description tells the model what to do (\"{}\")",
                        escaped(told.as_str(), 80)
                    ),
                    "say what the tool does; what the model is to do belongs into the prompt",
                )
                .at(path),
            );
        }
    }
    findings.into_iter().map(|finding| finding.of(subject)).collect()
}

/// Every description in a schema, and every word of an enum.
fn described<'v>(node: &'v Value, path: &Path, texts: &mut Vec<(Path, &'v str)>) {
    let members = node.get("properties").and_then(Value::as_object).into_iter().flatten();
    for (name, member) in members {
        let path = path.field(name);
        texts.push((path.clone(), name));
        texts.extend(
            member.get("description").and_then(Value::as_str).map(|text| (path.clone(), text)),
        );
        let words = member.get("enum").and_then(Value::as_array).into_iter().flatten();
        texts.extend(words.filter_map(Value::as_str).map(|word| (path.clone(), word)));
        described(member, &path, texts);
    }
    if let Some(items) = node.get("items") {
        described(items, &path.item(0), texts);
    }
}
