//! Tools that a model may take for one another.

use std::collections::{BTreeMap, BTreeSet};

use super::parameters::shape;
use super::{Finding, Rule, Subject};
use crate::index::{split, stems};
use crate::registry::Registry;

/// Verbs that mean the same of a tool, by their stems' first word.
const SAME: [&str; 6] = [
    "get fetch look lookup read retrieve show tell view describe return obtain load give display",
    "search find query list filter browse discover",
    "create add make new open insert register start issue",
    "update change edit modify set patch alter correct adjust",
    "delete remove close cancel destroy drop erase clear",
    "send post notify email mail message write deliver",
];

/// How many of the nearest tools each is compared with.
const NEAREST: usize = 6;

pub(super) fn of(subjects: &[Subject<'_>], registry: &Registry) -> Vec<Finding> {
    let (index, part) = registry.whole();
    let names: BTreeSet<&str> =
        subjects.iter().map(|subject| subject.definition.name.as_str()).collect();
    let mut meant: Vec<Meant> = subjects.iter().map(|subject| Meant::of(subject, &names)).collect();
    forget_what_many_say(&mut meant);
    let mut findings = Vec::new();
    for (place, subject) in subjects.iter().enumerate() {
        let text = format!("{} {}", subject.definition.name, subject.definition.description);
        // Each pair is told once, of the later one.
        for (other, _) in index.rank(&part, &text, NEAREST) {
            if let (true, Some(earlier), Some(one), Some(two)) =
                (other < place, subjects.get(other), meant.get(place), meant.get(other))
            {
                findings.extend(pair(subject, earlier, one, two));
            }
        }
    }
    findings
}

fn pair(one: &Subject<'_>, other: &Subject<'_>, it: &Meant, its: &Meant) -> Option<Finding> {
    let name = &other.definition.name;
    let shared = it.said.intersection(&its.said).count();
    let joined = it.said.union(&its.said).count().max(1);
    let smaller = it.said.len().min(its.said.len()).max(1);
    let is_told_apart = it.is_apart_from(its) && its.is_apart_from(it);
    let (takes, other_takes) = (shape(one), shape(other));
    if !is_told_apart && !takes.is_empty() && takes == other_takes && shared * 10 >= joined * 6 {
        let message = format!("it takes what `{name}` takes, and says nearly the same");
        let advice =
            format!("make one tool of both, or say what only it does and when to use `{name}`");
        return Some(Finding::new(Rule::Overlap, message, advice).of(one));
    }
    let is_near = if is_told_apart {
        shared >= 4 && shared * 10 >= smaller * 8 && it.verb == its.verb
    } else {
        shared >= 2 && shared * 2 >= smaller
    };
    if !is_near || names_other(one, other) || names_other(other, one) {
        return None;
    }
    let message =
        format!("its description is near to that of `{name}`, and neither names the other");
    let advice = format!("add \"Do not use for …; use {name}.\"");
    Some(Finding::new(Rule::NoSibling, message, advice).of(one))
}

/// Whether a description names another tool, by its name or by the name's words.
fn names_other(one: &Subject<'_>, other: &Subject<'_>) -> bool {
    let (text, name) = (&one.definition.description, &other.definition.name);
    let (said, parts) = (split(text), split(name));
    text.contains(name.as_str())
        || parts.len() > 2 && said.windows(parts.len()).any(|words| words == parts.as_slice())
}

/// How many tools must say a word before it can be one that many say.
const MANY: usize = 5;

/// Forgets the words that a fifth of the tools say, such as a sentence that stands in each: they
/// make no two of them alike.
fn forget_what_many_say(meant: &mut [Meant]) {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for stem in meant.iter().flat_map(|tool| &tool.said) {
        *counts.entry(stem.clone()).or_default() += 1;
    }
    let many = MANY.max(meant.len().div_ceil(5));
    for tool in meant {
        tool.said.retain(|stem| counts.get(stem).is_none_or(|count| *count < many));
    }
}

/// What a tool does, where verbs that mean the same are one.
struct Meant {
    verb: Option<usize>,
    name: BTreeSet<String>,
    said: BTreeSet<String>,
}

impl Meant {
    fn of(subject: &Subject<'_>, names: &BTreeSet<&str>) -> Self {
        let one = |stem: &String| match kind(stem) {
            Some(kind) => format!("verb {kind}"),
            None => stem.clone(),
        };
        // What is said of another tool says nothing of this one.
        let is_of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        let words = subject.definition.description.split(|c| !is_of_name(c));
        let own = words.filter(|word| !names.contains(word.trim_end_matches('.')));
        let said = own.collect::<Vec<_>>().join(" ");
        Self {
            verb: subject.name.first().and_then(|stem| kind(stem)),
            name: subject.name.iter().map(one).collect(),
            // "Use when …" is said of every tool.
            said: stems(&said).iter().filter(|stem| *stem != "use").map(one).collect(),
        }
    }

    /// Whether its name says something that the other does not.
    fn is_apart_from(&self, other: &Self) -> bool {
        self.name.iter().any(|stem| !other.name.contains(stem) && !other.said.contains(stem))
    }
}

fn kind(stem: &str) -> Option<usize> {
    SAME.iter().position(|same| same.split(' ').any(|verb| verb == stem || stems(verb) == [stem]))
}
