//! What one description says of its tool.

use std::sync::LazyLock;

use regex::Regex;

use super::{Finding, Rule, Subject, pattern};
use crate::index::{split, stems};

/// Words that fit every tool, in the forms in which they are written.
const EMPTY: &str = "\
    do does doing done handle handles handling process processes processing manage manages managing \
    management perform performs performing execute executes executing run runs running operation \
    operations action actions thing things stuff data information info various helper help helps \
    utility util utils tool tools function functions functionality method useful general generic \
    misc miscellaneous something anything everything item items object objects task tasks work works \
    working etc appropriate necessary required request requests use used uses using useful provide \
    provides providing allow allows enable enables support supports supported service services system \
    api interface wrapper interact interacts interacting interaction related purpose purposes thingy \
    main common basic simple easy easily powerful comprehensive seamless seamlessly advanced \
    efficient efficiently different several many multiple way ways need needed needs want wanted \
    relevant based specific certain given input output value values result results return returns \
    stay make makes making get gets getting thing user users";

/// Turns of phrase that leave open what is meant.
static OPEN_ENDED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:etc\b|and (?:so on|so forth|more|the like)\b|and/or other|stuff\b|things\b|as (?:needed|appropriate|required)\b|misc(?:ellaneous)?\b)",
    )
});

/// What says when a tool is right.
static USE_WHEN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:use (?:it|this|when|whenever|after|before|for|to|if|only|in|as|at|once|where|with|first|last)|(?:not )?use[d]? (?:for|when|to|if|after|before)|do not use|don't use|never use|when(?:ever)?|only (?:if|for|after|before|when)|call (?:it|this)|instead of|unless|before|after|if (?:the|you|a|an|no|nothing|they)|(?:ideal|excellent|perfect|invaluable|useful|helpful|best|suited|suitable|meant|intended|good|great) (?:for|when|if|to))\b|\buse `",
    )
});

/// Characters of a description that OpenAI's Chat API was seen to take.
const MOST_CHARACTERS: usize = 1024;

/// Letters of a name that leave room for a client's prefix within the 64 that providers take.
const ROOM_FOR_PREFIX: usize = 48;

pub(super) fn of(subject: &Subject<'_>, has_siblings: bool) -> Vec<Finding> {
    let text = &subject.definition.description;
    let mut findings = Vec::new();
    let repeats = repeats_name(subject);
    findings.extend(repeats.then(|| {
        Finding::new(
            Rule::RepeatsName,
            "its description only says its name again",
            "say what it does to what, and when it is right",
        )
    }));
    findings.extend(vague(subject).filter(|_| !repeats));
    if has_siblings && !USE_WHEN.is_match(text) {
        findings.push(Finding::new(
            Rule::NoUseWhen,
            "its description does not say when to use it",
            "add \"Use when …\" or \"Use after …\", and for what not",
        ));
    }
    findings.extend(over_limit(subject));
    findings.into_iter().map(|finding| finding.of(subject)).collect()
}

/// Whether each word that says something stands in the name, too.
fn repeats_name(subject: &Subject<'_>) -> bool {
    let is_of_name = |word: &String| stems(word).iter().all(|stem| subject.name.contains(stem));
    let words = split(&subject.definition.description);
    let said = || words.iter().filter(|word| !stems(word).is_empty());
    let tells = |word: &String| !is_empty(word);
    let is_all_name = said().next().is_some() && said().all(is_of_name);
    let is_name_and_filling = said().any(|word| tells(word) && is_of_name(word))
        && said().all(|word| is_of_name(word) || !tells(word));
    is_all_name || is_name_and_filling
}

/// Whether a word fits every tool.
fn is_empty(word: &str) -> bool {
    EMPTY.split_whitespace().any(|empty| empty == word) || stems(word).is_empty()
}

/// With so many telling words, "etc." after some of them leaves nothing open.
const TELLING: usize = 8;

fn vague(subject: &Subject<'_>) -> Option<Finding> {
    let text = &subject.definition.description;
    let mut telling: Vec<String> = split(text).into_iter().filter(|word| !is_empty(word)).collect();
    telling.sort_unstable();
    telling.dedup();
    let advice = "say what it does to what, in the words that users say";
    if telling.len() < 2 {
        return Some(Finding::new(Rule::Vague, "its description fits almost any tool", advice));
    }
    let open = OPEN_ENDED.find(text).filter(|_| telling.len() < TELLING)?;
    let message = format!("its description leaves open what it does (\"{}\")", open.as_str());
    Some(Finding::new(Rule::Vague, message, advice))
}

fn over_limit(subject: &Subject<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let characters = subject.definition.description.chars().count();
    if characters > MOST_CHARACTERS {
        findings.push(Finding::new(
            Rule::OverLimit,
            format!("its description has {characters} characters; OpenAI took {MOST_CHARACTERS}"),
            "shorten it, or move what is about a parameter to the parameter",
        ));
    }
    let letters = subject.definition.name.len();
    if letters > ROOM_FOR_PREFIX {
        findings.push(Finding::new(
            Rule::OverLimit,
            format!("its name has {letters} letters; with a client's prefix it may pass the 64 that providers take"),
            format!("keep to {ROOM_FOR_PREFIX}"),
        ));
    }
    findings
}
