//! Mends a call by the words of its report and nothing else: it knows the grammar, and no type
//! of toolkit's.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Number, Value};

/// The words of a report, read from a file of productions.
pub struct Grammar {
    productions: Vec<Production>,
    used: RefCell<BTreeSet<usize>>,
}

struct Production {
    kind: String,
    words: Vec<Token>,
    repair: Vec<String>,
    line: String,
}

enum Token {
    Words(String),
    Part { label: String, kind: String },
}

/// What the parts of a production stand for, by label.
type Bound<'t> = BTreeMap<String, (String, &'t str)>;

/// What is done with the call.
enum Repair {
    Put(Vec<Step>, Value),
    Unwrap(Vec<Step>),
    Size(Vec<Step>, usize),
    Add(Vec<Step>, String, Value),
    Rename(Vec<Step>, String, String),
    Remove(Vec<Step>, String),
    TakeAway(Vec<Step>),
    Differ(Vec<Step>),
    /// No word tells what would be right, or the call was right and not its text.
    Leave,
}

#[derive(Clone, PartialEq)]
enum Step {
    Field(String),
    Item(usize),
}

impl Grammar {
    pub fn of(text: &str) -> Self {
        let lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
        Self { productions: lines.map(Production::of).collect(), used: RefCell::default() }
    }

    /// The productions that no report has used.
    pub fn unused(&self) -> Vec<&str> {
        let used = self.used.borrow();
        let all = self.productions.iter().enumerate();
        all.filter(|(index, _)| !used.contains(index)).map(|(_, p)| p.line.as_str()).collect()
    }

    /// The call as one retry would send it; the line that is not in the grammar.
    pub fn repaired(&self, arguments: &Value, report: &str) -> Result<Value, String> {
        let repairs: Vec<Repair> =
            report.lines().map(|line| self.line(line)).collect::<Result<_, _>>()?;
        let mut call = arguments.clone();
        for repair in &repairs {
            match repair {
                Repair::Put(place, value) => {
                    // It may have gone with what held it.
                    if let Some(held) = at(&mut call, place) {
                        *held = value.clone();
                    }
                }
                Repair::Unwrap(place) => {
                    if let Some(value) = at(&mut call, place)
                        && let Some(inner) =
                            value.as_str().and_then(|t| serde_json::from_str(t).ok())
                    {
                        *value = inner;
                    }
                }
                Repair::Size(place, size) => resize(at(&mut call, place), *size),
                Repair::Add(place, name, value) => {
                    let is_meant = repairs.iter().any(|other| {
                        matches!(other, Repair::Rename(at, _, meant) if at == place && meant == name)
                    });
                    if !is_meant {
                        put(&mut call, &then(place, Step::Field(name.clone())), value.clone());
                    }
                }
                Repair::Rename(..)
                | Repair::Remove(..)
                | Repair::TakeAway(..)
                | Repair::Differ(..)
                | Repair::Leave => {}
            }
        }
        // What is renamed or taken away moves what is within or behind it, so that goes first.
        for repair in repairs.iter().rev() {
            match repair {
                Repair::Rename(place, name, meant) => {
                    if let Some(Value::Object(object)) = at(&mut call, place)
                        && let Some(held) = object.remove(name)
                    {
                        object.insert(meant.clone(), held);
                    }
                }
                Repair::Remove(place, name) => {
                    if let Some(Value::Object(object)) = at(&mut call, place) {
                        object.remove(name);
                    }
                }
                Repair::TakeAway(place) => take_away(&mut call, place),
                _ => {}
            }
        }
        // Now it shows what is equal.
        for repair in &repairs {
            if let Repair::Differ(place) = repair {
                differ(at(&mut call, &renamed(place, &repairs)));
            }
        }
        Ok(call)
    }

    fn line(&self, line: &str) -> Result<Repair, String> {
        let parsed = self.parse("line", line).or_else(|| self.parse("whole", line));
        let (production, bound) = parsed.ok_or_else(|| line.to_owned())?;
        let words: Vec<&str> = production.repair.iter().map(String::as_str).collect();
        let place = path(bound["place"].1).ok_or_else(|| line.to_owned())?;
        let name = |label: &str| unescaped(bound[label.trim_matches(['{', '}'])].1);
        let value = |words: &[&str]| self.value(words, &bound).ok_or_else(|| line.to_owned());
        Ok(match words.as_slice() {
            ["put", rest @ ..] => Repair::Put(place, value(rest)?),
            ["unwrap"] => Repair::Unwrap(place),
            ["size", rest @ ..] => {
                let size = value(rest)?.as_u64().ok_or_else(|| line.to_owned())?;
                Repair::Size(place, usize::try_from(size).unwrap())
            }
            ["add", label, rest @ ..] => Repair::Add(place, name(label), value(rest)?),
            ["rename", label, meant] => Repair::Rename(place, name(label), name(meant)),
            ["remove", label] => Repair::Remove(place, name(label)),
            ["take", "away"] => Repair::TakeAway(place),
            ["differ"] => Repair::Differ(place),
            ["again" | "another"] => Repair::Leave,
            other => panic!("the grammar has the repair {other:?}"),
        })
    }

    /// The first production of a kind that fits the whole text.
    fn parse<'t>(&self, kind: &str, text: &'t str) -> Option<(&Production, Bound<'t>)> {
        let of_kind = self.productions.iter().enumerate().filter(|(_, p)| p.kind == kind);
        for (index, production) in of_kind {
            let mut bound = Bound::new();
            if self.fits(&production.words, text, &mut bound) {
                self.used.borrow_mut().insert(index);
                return Some((production, bound));
            }
        }
        None
    }

    fn fits<'t>(&self, tokens: &[Token], text: &'t str, bound: &mut Bound<'t>) -> bool {
        match tokens {
            [] => text.is_empty(),
            [Token::Words(words), rest @ ..] => {
                text.strip_prefix(words.as_str()).is_some_and(|text| self.fits(rest, text, bound))
            }
            [Token::Part { label, kind }, rest @ ..] => {
                let mut bind = |part: &'t str, after: &'t str| {
                    if !self.is(kind, part) || !self.fits(rest, after, bound) {
                        return false;
                    }
                    bound.insert(label.clone(), (kind.clone(), part));
                    true
                };
                match rest {
                    [] => bind(text, ""),
                    [Token::Words(words), ..] => text
                        .match_indices(words.as_str())
                        .any(|(at, _)| bind(&text[..at], &text[at..])),
                    [Token::Part { .. }, ..] => panic!("two parts stand side by side"),
                }
            }
        }
    }

    fn is(&self, kind: &str, text: &str) -> bool {
        match kind {
            "any" | "name" => true,
            "json" => serde_json::from_str::<Value>(text).is_ok(),
            "number" => serde_json::from_str::<Number>(text).is_ok(),
            "place" => path(text).is_some(),
            other => self.parse(other, text).is_some(),
        }
    }

    /// The value that the words after `=>` stand for.
    fn value(&self, words: &[&str], bound: &Bound<'_>) -> Option<Value> {
        let number = |words: &[&str]| self.value(words, bound)?.as_f64();
        match words {
            ["above", rest @ ..] => whole_or_float(number(rest)? + 1.0),
            ["below", rest @ ..] => whole_or_float(number(rest)? - 1.0),
            ["between", least, most] => {
                let (least, most) = (number(&[least])?, number(&[most])?);
                let next = least.floor() + 1.0;
                whole_or_float(if next < most { next } else { f64::midpoint(least, most) })
            }
            ["multiple", step, rest @ ..] => {
                let step = number(&[step])?;
                let from = number(rest)?;
                let places = step.to_string().split('.').nth(1).map_or(0, str::len);
                let times = if rest.first() == Some(&"below") {
                    (from / step).floor()
                } else {
                    (from / step).ceil()
                };
                whole_or_float(format!("{:.places$}", times * step).parse().ok()?)
            }
            ["fill", rest @ ..] => {
                let count = usize::try_from(self.value(rest, bound)?.as_u64()?).ok()?;
                Some(Value::from("x".repeat(count)))
            }
            [one] => {
                let part = one.strip_prefix('{').and_then(|one| one.strip_suffix('}'));
                let Some(label) = part.filter(|part| !part.is_empty()) else {
                    return serde_json::from_str(one).ok();
                };
                let (kind, text) = bound.get(label)?;
                match kind.as_str() {
                    "json" | "number" => serde_json::from_str(text).ok(),
                    other => {
                        let (production, bound) = self.parse(other, text)?;
                        let words: Vec<&str> =
                            production.repair.iter().map(String::as_str).collect();
                        self.value(&words, &bound)
                    }
                }
            }
            _ => None,
        }
    }
}

impl Production {
    fn of(line: &str) -> Self {
        let (words, repair) = line.split_once("=>").expect("a production has a repair");
        let (kind, words) = words.split_once(':').expect("a production has a kind");
        // The words of a range follow others, so they keep the space before them.
        let words = words.trim_end();
        let words = if kind == "range" { words } else { words.trim_start() };
        Self {
            kind: kind.to_owned(),
            words: tokens(words),
            repair: repair.split_whitespace().map(str::to_owned).collect(),
            line: line.to_owned(),
        }
    }
}

fn tokens(words: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = words;
    while let Some((before, after)) = rest.split_once('{') {
        if !before.is_empty() {
            tokens.push(Token::Words(before.to_owned()));
        }
        let (part, after) = after.split_once('}').expect("a part ends");
        let (label, kind) = part.split_once(':').unwrap_or((part, part));
        tokens.push(Token::Part { label: label.to_owned(), kind: kind.to_owned() });
        rest = after;
    }
    if !rest.is_empty() {
        tokens.push(Token::Words(rest.to_owned()));
    }
    tokens
}

fn whole_or_float(number: f64) -> Option<Value> {
    let text = number.to_string();
    text.parse::<i64>()
        .map(Value::from)
        .ok()
        .or_else(|| Number::from_f64(number).map(Value::Number))
}

/// Reads a path like `$.lines[0]["unit price"]`.
fn path(text: &str) -> Option<Vec<Step>> {
    let mut rest = text.strip_prefix('$')?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('.') {
            let end = after.find(['.', '[']).unwrap_or(after.len());
            let (name, left) = after.split_at(end);
            if !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
                return None;
            }
            steps.push(Step::Field(name.to_owned()));
            rest = left;
        } else if let Some(after) = rest.strip_prefix("[\"") {
            let mut escaped = false;
            let end = after.find(|c| {
                let ends = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                ends
            })?;
            steps.push(Step::Field(unescaped(&after[..end])));
            rest = after[end..].strip_prefix("\"]")?;
        } else {
            let (index, left) = rest.strip_prefix('[')?.split_once(']')?;
            steps.push(Step::Item(index.parse().ok()?));
            rest = left;
        }
    }
    Some(steps)
}

fn unescaped(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        plain.push_str(before);
        let mut chars = after.chars();
        match chars.next() {
            Some('n') => plain.push('\n'),
            Some('r') => plain.push('\r'),
            Some('t') => plain.push('\t'),
            Some('0') => plain.push('\0'),
            Some('u') => {
                let (code, left) = chars.as_str()[1..].split_once('}').expect("an escape ends");
                plain.extend(u32::from_str_radix(code, 16).ok().and_then(char::from_u32));
                rest = left;
                continue;
            }
            other => plain.extend(other),
        }
        rest = chars.as_str();
    }
    plain + rest
}

fn then(place: &[Step], step: Step) -> Vec<Step> {
    place.iter().cloned().chain([step]).collect()
}

fn at<'v>(value: &'v mut Value, steps: &[Step]) -> Option<&'v mut Value> {
    steps.iter().try_fold(value, |value, step| match step {
        Step::Field(name) => value.get_mut(name),
        Step::Item(index) => value.get_mut(index),
    })
}

fn put(call: &mut Value, place: &[Step], value: Value) {
    let Some((last, parent)) = place.split_last() else {
        *call = value;
        return;
    };
    match (at(call, parent), last) {
        (Some(Value::Object(object)), Step::Field(name)) => {
            object.insert(name.clone(), value);
        }
        (Some(Value::Array(items)), Step::Item(index)) if *index < items.len() => {
            items[*index] = value;
        }
        _ => {}
    }
}

fn take_away(call: &mut Value, place: &[Step]) {
    let Some((last, parent)) = place.split_last() else { return };
    match (at(call, parent), last) {
        (Some(Value::Object(object)), Step::Field(name)) => {
            object.remove(name);
        }
        (Some(Value::Array(items)), Step::Item(index)) if *index < items.len() => {
            items.remove(*index);
        }
        _ => {}
    }
}

/// Where a place is once fields are renamed.
fn renamed(place: &[Step], repairs: &[Repair]) -> Vec<Step> {
    let step = |depth: usize| {
        let meant = repairs.iter().find_map(|repair| match repair {
            Repair::Rename(at, name, meant)
                if *at == place[..depth] && place[depth] == Step::Field(name.clone()) =>
            {
                Some(Step::Field(meant.clone()))
            }
            _ => None,
        });
        meant.unwrap_or_else(|| place[depth].clone())
    };
    (0..place.len()).map(step).collect()
}

/// Takes away what stands in a list already.
fn differ(value: Option<&mut Value>) {
    if let Some(Value::Array(items)) = value {
        let mut seen: Vec<Value> = Vec::new();
        let is_there = |seen: &[Value], item: &Value| seen.iter().any(|s| key(s) == key(item));
        for item in std::mem::take(items) {
            if !is_there(&seen, &item) {
                seen.push(item);
            }
        }
        *items = seen;
    }
}

/// Brings a text, a list or an object to a size; text is filled up, the others are only cut.
fn resize(value: Option<&mut Value>, size: usize) {
    match value {
        Some(Value::String(text)) => {
            let filled = text.chars().chain(std::iter::repeat('x')).take(size);
            *text = filled.collect();
        }
        Some(Value::Array(items)) => items.truncate(size),
        Some(Value::Object(object)) => {
            let kept: Vec<String> = object.keys().take(size).cloned().collect();
            object.retain(|name, _| kept.contains(name));
        }
        _ => {}
    }
}

/// Equal values have equal keys: `0` and `0.0` are one number.
fn key(value: &Value) -> String {
    match value {
        Value::Number(number) => number.as_f64().unwrap_or(f64::NAN).to_string(),
        Value::Array(items) => format!("[{}]", items.iter().map(key).collect::<Vec<_>>().join(",")),
        Value::Object(members) => {
            let mut members: Vec<String> =
                members.iter().map(|(name, value)| format!("{name:?}:{}", key(value))).collect();
            members.sort();
            format!("{{{}}}", members.join(","))
        }
        other => other.to_string(),
    }
}
