//! Names beside one another.

use std::collections::BTreeMap;

use strsim::damerau_levenshtein;

use super::{Finding, Rule, Subject};
use crate::index::split;

pub(super) fn of(subjects: &[Subject<'_>]) -> Vec<Finding> {
    let mut findings = near_equal(subjects);
    findings.extend(no_prefix(subjects));
    findings.extend(chains(subjects));
    findings.extend(subjects.iter().filter_map(|subject| told_chain(subject, subjects)));
    findings
}

/// Shorter names differ in a letter and mean something else.
const LONG: usize = 6;

fn near_equal(subjects: &[Subject<'_>]) -> Vec<Finding> {
    let mut by_stems: BTreeMap<Vec<&str>, usize> = BTreeMap::new();
    let mut by_letters: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let mut findings = Vec::new();
    for (place, subject) in subjects.iter().enumerate() {
        let name = subject.definition.name.as_str();
        let mut stems: Vec<&str> = subject.name.iter().map(String::as_str).collect();
        stems.sort_unstable();
        let same = (!stems.is_empty()).then(|| by_stems.get(&stems).copied()).flatten();
        let keys = without_a_letter(name);
        let near = keys.iter().filter_map(|key| by_letters.get(key)).flatten();
        let is_near = |other: &&usize| {
            subjects.get(**other).is_some_and(|other| is_one_slip(name, &other.definition.name))
        };
        let near = near.filter(is_near).min().copied();
        if let Some(other) = same.or(near).and_then(|other| subjects.get(other)) {
            let message = format!("its name is nearly `{}`", other.definition.name);
            let advice = "rename one by what only it does";
            findings.push(Finding::new(Rule::NearEqualNames, message, advice).of(subject));
        }
        by_stems.entry(stems).or_insert(place);
        for key in keys {
            by_letters.entry(key).or_default().push(place);
        }
    }
    findings
}

/// The name, and the name without each of its letters: two names of one slip share one of these.
fn without_a_letter(name: &str) -> Vec<String> {
    if name.chars().count() < LONG {
        return Vec::new();
    }
    let letters: Vec<char> = name.chars().collect();
    let without = (0..letters.len()).map(|left_out| {
        let kept = letters.iter().enumerate().filter(|(place, _)| *place != left_out);
        kept.map(|(_, letter)| letter).collect::<String>()
    });
    let mut keys: Vec<String> = without.chain([name.to_owned()]).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// Whether a slip makes one name the other; a digit that counts is none.
fn is_one_slip(one: &str, other: &str) -> bool {
    let without_digits =
        |name: &str| name.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
    damerau_levenshtein(one, other) == 1 && without_digits(one) != without_digits(other)
}

/// How many names make a family.
const FAMILY: usize = 3;

fn no_prefix(subjects: &[Subject<'_>]) -> Vec<Finding> {
    let parts: Vec<Vec<String>> =
        subjects.iter().map(|subject| split(&subject.definition.name)).collect();
    let mut families: BTreeMap<&str, usize> = BTreeMap::new();
    for first in parts.iter().filter_map(|parts| parts.first()) {
        *families.entry(first).or_default() += 1;
    }
    let mut findings = Vec::new();
    for (subject, parts) in subjects.iter().zip(&parts) {
        let is_family = |part: &&String| families.get(part.as_str()) >= Some(&FAMILY);
        let family = parts.iter().skip(1).rfind(is_family);
        let is_of_another = parts.first().as_ref().is_some_and(is_family);
        if let Some(family) = family.filter(|_| !is_of_another) {
            let message =
                format!("the others of its family begin with `{family}`, and its name does not");
            let rest: Vec<&str> =
                parts.iter().filter(|part| *part != family).map(String::as_str).collect();
            let advice = format!("name it `{family}_{}`", rest.join("_"));
            findings.push(Finding::new(Rule::NoFamilyPrefix, message, advice).of(subject));
        }
    }
    findings
}

/// What is opened for what is closed.
const ENDS: [(&str, &[&str]); 7] = [
    ("open", &["close"]),
    ("begin", &["end", "commit", "finish", "rollback"]),
    ("start", &["stop", "end", "finish"]),
    ("connect", &["disconnect"]),
    ("acquire", &["release"]),
    ("lock", &["unlock"]),
    ("create", &["close", "release", "commit", "dispose"]),
];

/// What is only held to work with.
const HELD: [&str; 14] = [
    "connection",
    "session",
    "transaction",
    "cursor",
    "handle",
    "stream",
    "lock",
    "channel",
    "socket",
    "batch",
    "context",
    "browser",
    "upload",
    "cart",
];

fn chains(subjects: &[Subject<'_>]) -> Vec<Finding> {
    let parts: Vec<Vec<String>> =
        subjects.iter().map(|subject| split(&subject.definition.name)).collect();
    let mut findings = Vec::new();
    for (subject, opening) in subjects.iter().zip(&parts) {
        let ends: Vec<&str> = ENDS
            .iter()
            .filter(|(begin, _)| opening.iter().any(|part| part == begin))
            .flat_map(|(_, ends)| ends.iter().copied())
            .collect();
        let held = opening.iter().find(|part| HELD.contains(&part.as_str()));
        let is_end = |closing: &&Vec<String>| {
            let has = |word: &str| closing.iter().any(|part| part == word);
            ends.iter().any(|end| has(end)) && held.is_none_or(|held| has(held))
        };
        let is_held = held.is_some()
            || matches!(opening.as_slice(), [begin, ..] if begin == "connect" || begin == "login");
        let closing = parts.iter().position(|closing| is_end(&closing));
        if let Some(other) = closing.filter(|_| is_held).and_then(|place| subjects.get(place)) {
            let message =
                format!("a model must call it, then others, then `{}`", other.definition.name);
            let advice =
                "give one tool that does the whole, and keep what is held out of the model's hands";
            findings.push(Finding::new(Rule::LowLevelChain, message, advice).of(subject));
        }
    }
    findings
}

/// A description that says which tools to call after it.
fn told_chain(subject: &Subject<'_>, subjects: &[Subject<'_>]) -> Option<Finding> {
    let (_, after) = subject.definition.description.split_once(" then ")?;
    let mut words = after.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-'));
    let is_other = |name: &&str| {
        *name != subject.definition.name
            && subjects.iter().any(|other| other.definition.name == **name)
            && split(name).len() > 1
    };
    let next = words.find(is_other)?;
    let message = format!("its description sends the model on to `{next}`");
    let advice = "give one tool that does the whole";
    Some(Finding::new(Rule::LowLevelChain, message, advice).of(subject))
}
