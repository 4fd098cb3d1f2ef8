//! Judges a value by the compiled schema: its normal form, or every problem there is.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use serde_json::{Number, Value};

use super::equal::{equal, identity};
use super::example::{accepts, another, example};
use super::scalar::{digits_fit, text_fits};
use super::text::{Json, Member, read_value};
use super::words::{describe, forms, hint, like, listed, multiple, outside};
use crate::limits::Limits;
use crate::problem::{Path, Problem, ProblemKind, nearest, quoted};
use crate::schema::{Compiled, Decimal, Kind, Node, NodeId, Right, Type, pattern_words};

/// Problems beyond this many are not looked for.
pub(super) const MOST_PROBLEMS: usize = 1_000;

/// The normal form of a value, or every problem ordered by place.
pub(super) fn judge(
    schema: &Compiled,
    json: &Json<'_>,
    limits: &Limits,
) -> Result<Value, Vec<Problem>> {
    let mut judge = Judge::building(schema, limits);
    let value = judge.value(schema.root(), &Subject::whole(json), &Place::Root);
    let problems = judge.problems;
    #[cfg(feature = "jsonschema")]
    if let Some(whole) = schema.whole() {
        return super::whole::judge(whole, json, value, problems, limits);
    }
    if problems.is_empty() { Ok(value) } else { Err(problems) }
}

/// Every problem that the nodes of a schema have with a value, ordered by place.
pub(super) fn problems(schema: &Compiled, json: &Json<'_>, limits: &Limits) -> Vec<Problem> {
    let mut judge = Judge::new(schema, limits);
    judge.value(schema.root(), &Subject::whole(json), &Place::Root);
    judge.problems
}

/// Where the walk is: a path that costs nothing until a problem asks for it.
pub(super) enum Place<'p> {
    Root,
    Field(&'p Self, &'p str),
    Item(&'p Self, usize),
}

impl Place<'_> {
    pub(super) fn path(&self) -> Path {
        match self {
            Self::Root => Path::root(),
            Self::Field(parent, name) => parent.path().field(*name),
            Self::Item(parent, index) => parent.path().item(*index),
        }
    }
}

/// A value as it is judged: whole, or an object without the nulls that stand for absence.
#[derive(Clone)]
pub(super) struct Subject<'j> {
    pub(super) json: &'j Json<'j>,
    present: Option<Rc<[&'j Member<'j>]>>,
    /// Its nulls were looked at by a schema that this one is joined with.
    settled: bool,
}

/// What one schema and one value are remembered by, and how they are judged.
type Key = (NodeId, usize, [bool; 3]);

impl<'j> Subject<'j> {
    pub(super) const fn whole(json: &'j Json<'j>) -> Self {
        Self { json, present: None, settled: false }
    }

    /// The fields of an object; none of any other value.
    pub(super) fn members(&self) -> Vec<&'j Member<'j>> {
        match (&self.present, self.json) {
            (Some(present), _) => present.to_vec(),
            (None, Json::Object(members)) => members.iter().collect(),
            (None, _) => Vec::new(),
        }
    }

    /// The fields of an object of which none is left out.
    pub(super) fn all_members(&self) -> Option<&'j [Member<'j>]> {
        match (&self.present, self.json) {
            (None, Json::Object(members)) => Some(members),
            _ => None,
        }
    }

    pub(super) fn member(&self, name: &str) -> Option<&'j Json<'j>> {
        self.members().into_iter().find(|(given, _)| given == name).map(|(_, json)| json)
    }

    /// The value's place in memory, as far as it is judged.
    fn place(&self) -> usize {
        self.present
            .as_ref()
            .map_or_else(|| std::ptr::from_ref(self.json).addr(), |present| present.as_ptr().addr())
    }

    /// The same value for a schema that is joined with the one that settled its nulls.
    pub(super) fn settled(&self) -> Self {
        Self { settled: true, ..self.clone() }
    }

    /// The same value for a schema that has its own say.
    pub(super) fn unsettled(&self) -> Self {
        Self { settled: false, ..self.clone() }
    }

    /// The same object without the nulls of properties that need not be there.
    fn without_absent(&self, node: &Node) -> Option<Self> {
        let Json::Object(all) = self.json else { return None };
        if self.settled || node.may_be_absent.is_empty() {
            return None;
        }
        let is_absent = |(name, json): &Member<'_>| {
            matches!(json, Json::Null) && node.may_be_absent.iter().any(|absent| absent == name)
        };
        if !all.iter().any(is_absent) {
            return None;
        }
        let present = self.members().into_iter().filter(|member| !is_absent(member)).collect();
        Some(Self { json: self.json, present: Some(present), settled: false })
    }
}

pub(super) struct Judge<'a> {
    pub(super) schema: &'a Compiled,
    pub(super) limits: &'a Limits,
    pub(super) problems: Vec<Problem>,
    /// So many problems end the walk: one where only whether there is any is asked.
    enough: usize,
    /// The normal form is wanted, and not only what is wrong.
    builds: bool,
    /// Where a schema's refusal lets a value pass, as in `not`; what a type can not hold is none.
    pub(super) negated: bool,
    /// What a schema makes of a value, asked once; `None` where it refuses it.
    verdicts: BTreeMap<Key, Option<Value>>,
    /// How many problems a schema has with a value, as far as they were counted.
    counts: BTreeMap<Key, usize>,
    /// What was told already: schemas that share a part would tell it again.
    told: BTreeSet<Key>,
    /// Values are remembered by their place in memory, so none may be given up.
    trimmed: Vec<Subject<'a>>,
    /// In how many defaults the value stands.
    within_defaults: u8,
}

/// A default whose own type has it as a default, and so on, is written out so many times.
const MOST_DEFAULTS: u8 = 8;

impl<'a> Judge<'a> {
    pub(super) const fn new(schema: &'a Compiled, limits: &'a Limits) -> Self {
        Self {
            schema,
            limits,
            problems: Vec::new(),
            enough: MOST_PROBLEMS,
            builds: false,
            negated: false,
            verdicts: BTreeMap::new(),
            counts: BTreeMap::new(),
            told: BTreeSet::new(),
            trimmed: Vec::new(),
            within_defaults: 0,
        }
    }

    /// A judge that gives the normal form.
    pub(super) const fn building(schema: &'a Compiled, limits: &'a Limits) -> Self {
        let mut judge = Self::new(schema, limits);
        judge.builds = true;
        judge
    }

    /// The normal form of a default: written or left out, it is the same call.
    pub(super) fn written(&self, node: NodeId, default: &Value) -> Value {
        let (text, limits) = (default.to_string(), self.limits.unmeasured());
        let json = read_value(&text, &limits).filter(|_| self.within_defaults < MOST_DEFAULTS);
        let Some(json) = json else { return default.clone() };
        let mut judge = Judge::building(self.schema, &limits);
        judge.within_defaults = self.within_defaults + 1;
        let value = judge.value(node, &Subject::whole(&json), &Place::Root);
        // Only what the attribute says was checked when the registry was built.
        if judge.problems.is_empty() { value } else { default.clone() }
    }

    pub(super) const fn builds(&self) -> bool {
        self.builds
    }

    /// A judge that stops at the first problem.
    pub(super) fn asking(schema: &'a Compiled, limits: &'a Limits) -> Self {
        Self { enough: 1, ..Self::new(schema, limits) }
    }

    /// Whether what is found is for a report, and not only to be counted.
    pub(super) const fn tells(&self) -> bool {
        self.enough == MOST_PROBLEMS
    }

    /// What would be right, in words and, for a report, as an example.
    pub(super) fn right(&self, node: &Node) -> (String, Option<Value>) {
        if !self.tells() {
            return (forms(self.schema, node), None);
        }
        let right = self.shown(node);
        (right.words.clone(), right.example.clone())
    }

    /// A value that the node accepts, only for a report.
    pub(super) fn example(&self, node: &Node) -> Option<Value> {
        if self.tells() { self.shown(node).example.clone() } else { None }
    }

    /// What a report says of a node, which is the same every time.
    fn shown<'n>(&self, node: &'n Node) -> &'n Right {
        node.right.get_or_init(|| {
            let example = example(self.schema, node);
            let words = describe(self.schema, node, example.as_ref());
            Right { words, example }
        })
    }

    /// One thing wrong with a value that a node judges.
    pub(super) fn problem(
        &mut self,
        node: &Node,
        place: &Place<'_>,
        kind: ProblemKind,
        message: String,
        expected: String,
    ) {
        let example = self.example(node);
        let problem = Problem::new(place.path(), kind, message);
        self.push(problem.expecting(expected).with_example(example));
    }

    pub(super) fn push(&mut self, problem: Problem) {
        // What two schemas say of one place stands close together.
        let is_told = self.problems.iter().rev().take(32).any(|told| told.says_the_same(&problem));
        if !is_told && !self.has_enough() {
            self.problems.push(problem);
        }
    }

    pub(super) const fn only_asks(&self) -> bool {
        self.enough == 1
    }

    pub(super) const fn has_enough(&self) -> bool {
        self.problems.len() >= self.enough
    }

    /// The normal form of a value under a schema, as far as it has one.
    pub(super) fn value(&mut self, id: NodeId, subject: &Subject<'a>, place: &Place<'_>) -> Value {
        let node = self.schema.node(id);
        if self.has_enough() || (!self.builds && is_plainly_right(node, subject.json)) {
            return Value::Null;
        }
        self.node(node, subject, place)
    }

    pub(super) fn node(
        &mut self,
        node: &'a Node,
        subject: &Subject<'a>,
        place: &Place<'_>,
    ) -> Value {
        if node.never {
            let message = "no value is accepted here; leave it out".to_owned();
            self.problem(node, place, ProblemKind::NotAllowed, message, "nothing".to_owned());
            return Value::Null;
        }
        let told = self.problems.len();
        let value = self.of_right_type(node, subject, place);
        self.tell_of_all(node, told, place);
        value
    }

    fn of_right_type(&mut self, node: &'a Node, subject: &Subject<'a>, place: &Place<'_>) -> Value {
        if !self.is_of_type(node, subject.json, place) {
            return Value::Null;
        }
        let Some(trimmed) = subject.without_absent(node) else {
            return self.by_all_keywords(node, subject, place);
        };
        self.trimmed.push(trimmed.clone());
        self.by_all_keywords(node, &trimmed, place)
    }

    /// Says with one value what joined schemas want together, since each tells only its own.
    fn tell_of_all(&mut self, node: &Node, told: usize, place: &Place<'_>) {
        if self.problems.len() == told || !node.is_joined() {
            return;
        }
        let Some(example) = self.example(node) else { return };
        let path = place.path();
        let told = self.problems.iter().skip(told).filter(|problem| *problem.path() == path);
        let is_said = match told.collect::<Vec<_>>().as_slice() {
            [] => true,
            [one] => match one.suggestion() {
                Some(Value::Object(_) | Value::Array(_)) => true,
                Some(value) => accepts(self.schema, node, value),
                None => one.says(&like(&example)),
            },
            _ => false,
        };
        if !is_said {
            let message = format!("must suit every schema of this place at once{}", like(&example));
            let problem = Problem::new(path, ProblemKind::NoForm, message);
            self.push(problem.expecting("a value for all of them").with_example(Some(example)));
        }
    }

    fn by_all_keywords(
        &mut self,
        node: &'a Node,
        subject: &Subject<'a>,
        place: &Place<'_>,
    ) -> Value {
        // A node that only passes on has nothing of its own to say.
        if let Some(reference) = node.alias_of() {
            return self.value(reference, &subject.settled(), place);
        }
        let own =
            if node.only_refers { Value::Null } else { self.by_own_keywords(node, subject, place) };
        self.in_place(node, subject, place, own)
    }

    fn key(&self, id: NodeId, subject: &Subject<'_>) -> Key {
        (id, subject.place(), [subject.settled, self.negated, self.builds])
    }

    /// What one schema makes of a value, remembered; `None` where it refuses it.
    pub(super) fn verdict(&mut self, id: NodeId, subject: &Subject<'a>) -> Option<Value> {
        let key = self.key(id, subject);
        if let Some(verdict) = self.verdicts.get(&key) {
            return verdict.clone();
        }
        let (value, problems) = self.aside(id, subject, 1);
        let verdict = (problems == 0).then_some(value);
        self.verdicts.insert(key, verdict.clone());
        verdict
    }

    /// How many problems one schema has with a value, remembered; few are enough to compare.
    pub(super) fn count(&mut self, id: NodeId, subject: &Subject<'a>) -> usize {
        const FEW: usize = 8;
        let key = self.key(id, subject);
        if let Some(count) = self.counts.get(&key) {
            return *count;
        }
        let (_, count) = self.aside(id, subject, FEW);
        self.counts.insert(key, count);
        count
    }

    /// Judges without telling: the value, and how many problems there are.
    fn aside(&mut self, id: NodeId, subject: &Subject<'a>, enough: usize) -> (Value, usize) {
        let problems = std::mem::take(&mut self.problems);
        let told = std::mem::take(&mut self.told);
        let enough = std::mem::replace(&mut self.enough, enough);
        let value = self.value(id, subject, &Place::Root);
        self.enough = enough;
        self.told = told;
        (value, std::mem::replace(&mut self.problems, problems).len())
    }

    /// Tells once what a schema has against a value that it refuses.
    pub(super) fn tell(&mut self, id: NodeId, subject: &Subject<'a>, place: &Place<'_>) {
        if self.told.insert(self.key(id, subject)) {
            self.value(id, subject, place);
        }
    }

    fn is_of_type(&mut self, node: &Node, json: &Json<'_>, place: &Place<'_>) -> bool {
        if !is_mistyped(node, json) {
            return true;
        }
        if let Some(values) = &node.one_of_values {
            self.not_allowed(values, json, place);
            return false;
        }
        let (expected, example) = self.right(node);
        self.mistyped(node, expected, example, hint(node, json), json, place);
        false
    }

    /// Tells in one line what several schemas want of one value, with one that suits them all.
    pub(super) fn mistyped_for_all(
        &mut self,
        whole: &Node,
        parts: &[&Node],
        example: Value,
        json: &Json<'_>,
        place: &Place<'_>,
    ) {
        let mut wanted: Vec<String> = parts.iter().map(|part| forms(self.schema, part)).collect();
        let all = wanted.clone();
        // What one says and another says more closely is said once.
        wanted.retain(|words| !all.iter().any(|more| more != words && more.starts_with(words)));
        wanted.dedup();
        let expected = format!("{}{}", wanted.join(" and "), like(&example));
        let mut hints = parts.iter().map(|part| hint(part, json));
        let shared = hints.next().filter(|first| hints.all(|other| other == *first));
        self.mistyped(whole, expected, Some(example), shared.unwrap_or_default(), json, place);
    }

    fn mistyped(
        &mut self,
        node: &Node,
        expected: String,
        example: Option<Value>,
        (words, suggestion): (String, Option<Value>),
        json: &Json<'_>,
        place: &Place<'_>,
    ) {
        let found = json.named(self.limits.shown_chars);
        let message = format!("expected {expected}, got {found}{words}");
        let problem = Problem::new(place.path(), ProblemKind::WrongType, message);
        let is_nested =
            suggestion.as_ref().is_some_and(|value| value.is_object() || value.is_array());
        self.push(problem.expecting(expected).suggesting(suggestion).with_example(example));
        if let (Json::Text(text), true, true) = (json, is_nested, self.tells()) {
            self.inside(node, text.trim(), place);
        }
    }

    /// What is wrong inside JSON that was sent as text, so that one more try is enough.
    fn inside(&mut self, node: &Node, text: &str, place: &Place<'_>) {
        let Some(json) = read_value(text, self.limits) else { return };
        let mut judge = Judge::new(self.schema, self.limits);
        judge.node(node, &Subject::whole(&json), place);
        judge.problems.into_iter().for_each(|problem| self.push(problem));
    }

    fn by_own_keywords(
        &mut self,
        node: &'a Node,
        subject: &Subject<'a>,
        place: &Place<'_>,
    ) -> Value {
        let json = subject.json;
        if let Some(values) = &node.one_of_values
            && !values.iter().any(|value| equal(json, value))
        {
            self.not_allowed(values, json, place);
            return Value::Null;
        }
        match json {
            // Broken text was told by the text rules.
            Json::Null | Json::BrokenText => Value::Null,
            Json::Bool(value) => Value::Bool(*value),
            Json::Number(digits) => self.number(node, digits, place),
            Json::Text(text) => self.text(node, text, place),
            Json::Array(items) => self.array(node, items, place),
            Json::Object(_) => self.object(node, subject, place),
        }
    }

    /// A value that no schema is asked about; only the text rules hold.
    pub(super) fn plain(&mut self, subject: &Subject<'a>, place: &Place<'_>) -> Value {
        static ANYTHING: Node = Node::anything();
        self.by_own_keywords(&ANYTHING, subject, place)
    }

    pub(super) fn not_allowed(&mut self, values: &[Value], json: &Json<'_>, place: &Place<'_>) {
        let near = match json {
            Json::Text(text) => nearest(text, values.iter().filter_map(Value::as_str)),
            _ => None,
        };
        self.not_allowed_but(values, near.map(Value::from).as_ref(), json, place);
    }

    /// A value of no closed set, with the one of it that was probably meant.
    pub(super) fn not_allowed_but(
        &mut self,
        values: &[Value],
        near: Option<&Value>,
        json: &Json<'_>,
        place: &Place<'_>,
    ) {
        let names: Vec<String> = values.iter().map(Value::to_string).collect();
        let listed = listed(&names);
        let meant = near.map_or_else(String::new, |near| format!(" (did you mean {near}?)"));
        let found = json.shown(self.limits.shown_chars);
        let must = if names.len() == 1 { "must be" } else { "must be one of" };
        let message = format!("{must} {listed}; got {found}{meant}");
        let problem = Problem::new(place.path(), ProblemKind::NotAllowed, message);
        let problem = problem.expecting(format!("one of {listed}")).suggesting(near.cloned());
        self.push(problem.with_example(values.first().cloned()));
    }

    fn number(&mut self, node: &Node, digits: &str, place: &Place<'_>) -> Value {
        let number = Decimal::read(digits).and_then(|decimal| held(node, digits, decimal));
        let Some((decimal, value)) = number else {
            if self.negated {
                if let Some(decimal) = Decimal::read(digits) {
                    self.bounds(node, digits, &decimal, place);
                }
                return Value::Null;
            }
            let (least, most) = node.integers_within();
            let expected = if !node.takes(Type::Number) {
                format!("an integer from {least} to {most}")
            } else if node.is_single {
                "a number that a 32-bit float holds with every digit".to_owned()
            } else {
                "a number that a double holds with every digit".to_owned()
            };
            let found = Json::Number(digits).named(self.limits.shown_chars);
            let message = format!("expected {expected}, got {found}");
            self.problem(node, place, ProblemKind::OutOfRange, message, expected);
            return Value::Null;
        };
        self.bounds(node, digits, &decimal, place);
        value
    }

    fn bounds(&mut self, node: &Node, digits: &str, decimal: &Decimal, place: &Place<'_>) {
        if is_beyond(node, decimal) {
            let (expected, _) = self.right(node);
            let found = Json::Number(digits).named(self.limits.shown_chars);
            let message = format!("expected {expected}, got {found}");
            self.problem(node, place, ProblemKind::OutOfRange, message, expected);
        }
        if let Some(step) = &node.multiple_of
            && !decimal.is_multiple_of(step)
        {
            let expected = multiple(node, step);
            let found = Json::Number(digits).named(self.limits.shown_chars);
            let message = format!("must be {expected}; got {found}");
            self.problem(node, place, ProblemKind::NotMultiple, message, expected);
        }
    }

    fn text(&mut self, node: &Node, text: &str, place: &Place<'_>) -> Value {
        if node.min_length.is_some() || node.max_length.is_some() {
            self.length(node, text, place);
        }
        if let Some(pattern) = &node.pattern
            && !pattern.matches(text)
        {
            // Where no type is said, only texts are asked about the pattern.
            let expected = if node.types.is_empty() {
                pattern_words(&pattern.text)
            } else {
                self.right(node).0
            };
            self.mismatch(node, ProblemKind::WrongPattern, text, expected, place);
        }
        if let Some(format) = node.format
            && !format.accepts(text)
        {
            let expected = format.words().to_owned();
            self.mismatch(node, ProblemKind::WrongFormat, text, expected, place);
        }
        if self.builds { Value::String(text.to_owned()) } else { Value::Null }
    }

    fn length(&mut self, node: &Node, text: &str, place: &Place<'_>) {
        let length = u64::try_from(text.chars().count()).unwrap_or(u64::MAX);
        if let Some(words) = outside(length, node.min_length, node.max_length, "character") {
            let shown = quoted(text, self.limits.shown_chars);
            // Where there is more to a text than its length, cutting it helps little.
            let is_free = node.pattern.is_none() && node.format.is_none();
            let example = self.example(node).filter(|value| !is_free && value.is_string());
            let like = example.as_ref().map_or_else(String::new, like);
            let message = format!("must have {words}{like}; got {length}: {shown}");
            self.problem(
                node,
                place,
                ProblemKind::WrongLength,
                message,
                format!("text of {words}"),
            );
        }
    }

    fn mismatch(
        &mut self,
        node: &Node,
        kind: ProblemKind,
        text: &str,
        expected: String,
        place: &Place<'_>,
    ) {
        let what = if kind == ProblemKind::WrongFormat { "format" } else { "pattern" };
        let shown = quoted(text, self.limits.shown_chars);
        let message = format!("{shown} does not match the required {what}. Expected: {expected}");
        self.problem(node, place, kind, message, expected);
    }

    fn array(&mut self, node: &Node, items: &'a [Json<'a>], place: &Place<'_>) -> Value {
        let count = items.len();
        let is_too_long = node.max_items.is_some_and(|most| count as u64 > most);
        // Cut to its length, such a list may still have items that are equal.
        let is_made_anew = is_too_long && node.unique_items;
        if !is_made_anew {
            self.count_of(node, count, "", place);
        }
        let before = self.problems.len();
        // Items can only be compared by their normal form.
        let builds = self.builds;
        self.builds |= node.unique_items;
        let mut values = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let schema = node.prefix.get(index).copied().or(node.items);
            let (item, place) = (Subject::whole(item), Place::Item(place, index));
            let value = match schema {
                Some(schema) => self.value(schema, &item, &place),
                None => self.plain(&item, &place),
            };
            if self.builds {
                values.push(value);
            }
        }
        self.builds = builds;
        if is_made_anew {
            self.count_of(node, count, ", each another", place);
        } else if node.unique_items && self.problems.len() == before {
            self.unique(node, &values, place);
        } else if node.unique_items && self.tells() {
            // What is no right item has no normal form to compare, and must be told beforehand.
            // Where more than one is needed, taking the equal ones away would leave too few.
            let is_needed = node.min_items.is_some_and(|least| least > 1);
            let example = self.example(node).filter(|_| is_needed);
            let like = example.as_ref().map_or_else(String::new, like);
            let message = format!("each item may stand once{like}");
            let problem = Problem::new(place.path(), ProblemKind::NotUnique, message);
            self.push(problem.expecting("items that differ").with_example(example));
        }
        Value::Array(values)
    }

    /// Tells how many items there must be, and shows so many where there is more to say of them.
    fn count_of(&mut self, node: &Node, count: usize, besides: &str, place: &Place<'_>) {
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        let Some(words) = outside(count, node.min_items, node.max_items, "item") else { return };
        let is_short = node.min_items.is_some_and(|least| count < least);
        let example = self.example(node).filter(|_| is_short || !besides.is_empty());
        let shown = example.as_ref().map(|example| format!("{besides}{}", like(example)));
        let message = format!("must have {words}{}; got {count}", shown.unwrap_or_default());
        self.problem(node, place, ProblemKind::WrongCount, message, format!("a list of {words}"));
    }

    fn unique(&mut self, node: &Node, items: &[Value], place: &Place<'_>) {
        let mut spare = items.len();
        let mut first: BTreeMap<String, usize> = BTreeMap::new();
        for (index, item) in items.iter().enumerate() {
            let earlier = *first.entry(identity(item)).or_insert(index);
            if self.has_enough() {
                return;
            }
            if earlier != index {
                let mut message = format!("is the same as item {earlier}; each may stand once");
                spare -= 1;
                let is_needed = node.min_items.is_some_and(|least| (spare as u64) < least);
                let item = node.prefix.get(index).copied().or(node.items);
                let is_shown = self.tells() && self.problems.len() < self.limits.problems;
                let other = item.filter(|_| is_needed && is_shown);
                let other = other.and_then(|item| another(self.schema, item, items));
                if let Some(other) = &other {
                    message.push_str(&like(other));
                }
                let problem =
                    Problem::new(place.path().item(index), ProblemKind::NotUnique, message);
                self.push(problem.expecting("another value").with_example(other));
            }
        }
    }
}

/// Whether a value that holds no others is right, told without a look at each keyword.
fn is_plainly_right(node: &Node, json: &Json<'_>) -> bool {
    let is = |kind| node.stream.streams(kind);
    match json {
        Json::Text(text) => is(Kind::Text) && text_fits(node, text),
        Json::Number(digits) => is(Kind::Number) && digits_fit(node, digits).is_ok(),
        Json::Bool(_) => is(Kind::Bool),
        Json::Null => is(Kind::Null),
        Json::BrokenText | Json::Array(_) | Json::Object(_) => false,
    }
}

/// Whether a number is beyond a bound.
pub(super) fn is_beyond(node: &Node, decimal: &Decimal) -> bool {
    node.minimum.as_ref().is_some_and(|least| decimal < least)
        || node.exclusive_minimum.as_ref().is_some_and(|least| decimal <= least)
        || node.maximum.as_ref().is_some_and(|most| decimal > most)
        || node.exclusive_maximum.as_ref().is_some_and(|most| decimal >= most)
}

/// A number as its type holds it, and the decimal that the bounds are asked about.
pub(super) fn held(node: &Node, digits: &str, decimal: Decimal) -> Option<(Decimal, Value)> {
    // Only an integer type reads `3.0` as 3; where no type is said, it stays as it is written.
    let literal = !digits.contains(['.', 'e', 'E']);
    if literal || node.types.contains(&Type::Integer) {
        let (least, most) = node.integers;
        let integer = decimal.integer().filter(|n| (least..=most).contains(n));
        let integer = integer.filter(|_| node.takes(Type::Integer));
        if let Some(value) = integer.and_then(integer_value) {
            return Some((decimal, value));
        }
    }
    if !node.takes(Type::Number) {
        return None;
    }
    // What runs is the float, so it is the float that must be within the bounds.
    let (double, shortest) = if node.is_single {
        let single: f32 = digits.parse().ok()?;
        let double = f64::from(single);
        // The shortest digits of the largest one are beyond it.
        let is_largest = double.abs() >= f64::from(f32::MAX);
        (double, if is_largest { double.to_string() } else { single.to_string() })
    } else {
        let double: f64 = digits.parse().ok()?;
        (double, double.to_string())
    };
    let float = double.is_finite().then(|| Decimal::read(&shortest)).flatten()?;
    let exact = || Decimal::read(&format!("{double:.0}")).is_some_and(|whole| whole == decimal);
    // A double holds every integer of 15 digits, a single every one of 7.
    let short = digits.len() <= if node.is_single { 7 } else { 15 };
    if literal && !short && !exact() {
        return None;
    }
    // Beyond this the shortest digits of a float are no longer the integer that it is.
    let most = if node.is_single { 1 << 24 } else { 1 << 53 };
    let whole = float.integer().filter(|n| n.abs() <= most).and_then(integer_value);
    let value = whole.or_else(|| digits.parse().ok().and_then(Number::from_f64).map(Value::Number));
    value.map(|value| (float, value))
}

/// Whether a value is of none of the types that a node names.
pub(super) fn is_mistyped(node: &Node, json: &Json<'_>) -> bool {
    !node.types.is_empty() && !node.types.iter().any(|of| is_of(*of, json))
}

pub(super) fn is_of(of: Type, json: &Json<'_>) -> bool {
    match (of, json) {
        (Type::Null, Json::Null)
        | (Type::Boolean, Json::Bool(_))
        | (Type::Number, Json::Number(_))
        | (Type::String, Json::Text(_) | Json::BrokenText)
        | (Type::Array, Json::Array(_))
        | (Type::Object, Json::Object(_)) => true,
        (Type::Integer, Json::Number(digits)) => {
            Decimal::read(digits).is_some_and(|number| number.is_integer())
        }
        _ => false,
    }
}

fn integer_value(integer: i128) -> Option<Value> {
    i64::try_from(integer)
        .map(Value::from)
        .or_else(|_| u64::try_from(integer).map(Value::from))
        .ok()
}

pub(super) fn double_value(decimal: &Decimal) -> Value {
    if let Some(value) = decimal.integer().and_then(integer_value) {
        return value;
    }
    decimal.double().and_then(Number::from_f64).map_or(Value::Null, Value::Number)
}
