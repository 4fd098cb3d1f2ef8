//! What the validator of a whole schema has against a value, in the words of a report.

use std::collections::BTreeMap;

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use serde_json::{Map, Value, json};

use super::judge::{Judge, MOST_PROBLEMS, Place, Subject};
use super::text::{Json, Member};
use super::words::{forms, outside};
use crate::limits::Limits;
use crate::problem::{Path, Problem, ProblemKind, Step, escaped};
use crate::schema::{Compiled, Whole};

/// The normal form, or every problem: those that the nodes have, then those of the whole schema.
pub(super) fn judge(
    whole: &Whole,
    json: &Json<'_>,
    value: Value,
    problems: Vec<Problem>,
    limits: &Limits,
) -> Result<Value, Vec<Problem>> {
    if problems.is_empty() && whole.accepts(&value) {
        return Ok(value);
    }
    let json = &present(json, &value);
    let value = as_given(json);
    let nodes = problems.len();
    let (parts, asked) = Default::default();
    let mut report = Report { whole, json, limits, nodes, problems, parts, asked };
    for error in whole.errors(&value).take(MOST_ERRORS) {
        report.tell(&error);
    }
    if report.problems.is_empty() {
        report.problems.push(not_accepted(Path::root()));
    }
    Err(report.problems)
}

/// Errors beyond this many are not looked at.
const MOST_ERRORS: usize = 200;

/// A value as it was given.
fn as_given(json: &Json<'_>) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(*value),
        Json::Number(digits) => serde_json::from_str(digits).unwrap_or_default(),
        Json::Text(text) => Value::from(text.as_ref()),
        Json::BrokenText => Value::from(""),
        Json::Array(items) => items.iter().map(as_given).collect(),
        Json::Object(members) => {
            members.iter().map(|(name, json)| (name.to_string(), as_given(json))).collect()
        }
    }
}

/// What was given, without what the normal form leaves out.
fn present<'j>(json: &Json<'j>, normal: &Value) -> Json<'j> {
    match (json, normal) {
        (Json::Array(items), Value::Array(values)) => Json::Array(
            items.iter().zip(values).map(|(json, value)| present(json, value)).collect(),
        ),
        (Json::Object(members), Value::Object(values)) => {
            let keep = |(name, json): &Member<'j>| {
                values.get(name.as_ref()).map(|value| (name.clone(), present(json, value)))
            };
            Json::Object(members.iter().filter_map(keep).collect())
        }
        // The nodes refused it, or it holds nothing.
        (Json::Null, _) => Json::Null,
        (Json::Bool(value), _) => Json::Bool(*value),
        (Json::Number(digits), _) => Json::Number(digits),
        (Json::Text(text), _) => Json::Text(text.clone()),
        (Json::BrokenText, _) => Json::BrokenText,
        (Json::Array(items), _) => {
            Json::Array(items.iter().map(|json| present(json, &Value::Null)).collect())
        }
        (Json::Object(members), _) => {
            let keep = |(name, json): &Member<'j>| (name.clone(), present(json, &Value::Null));
            Json::Object(members.iter().map(keep).collect())
        }
    }
}

fn not_accepted(path: Path) -> Problem {
    Problem::new(path, ProblemKind::NotAllowed, "is not accepted here; send another value")
}

struct Report<'a> {
    whole: &'a Whole,
    json: &'a Json<'a>,
    limits: &'a Limits,
    /// So many of the problems are those of the nodes.
    nodes: usize,
    problems: Vec<Problem>,
    /// The parts of the schema that were compiled to explain an error, by their place in memory.
    parts: BTreeMap<usize, Option<Compiled>>,
    /// Whether a part refuses a value, both by their places in memory.
    asked: BTreeMap<(usize, usize), bool>,
}

impl<'a> Report<'a> {
    fn tell(&mut self, error: &ValidationError<'_>) {
        let Some((steps, json)) = located(self.json, error.instance_path().as_str()) else {
            return;
        };
        let path = steps.iter().cloned().fold(Path::root(), |path, step| path.then(step));
        let is_inside = |told: &Problem| is_below(&steps, told.path().steps());
        if self.problems.iter().take(self.nodes).any(is_inside) {
            return;
        }
        match error.kind() {
            Kind::Contains => self.contains(error, json, path),
            Kind::UnevaluatedProperties { unexpected } => {
                self.unevaluated(error, json, &steps, unexpected);
            }
            Kind::UnevaluatedItems { unexpected } => {
                let message = match unexpected.len() {
                    1 => "an item is not accepted here; leave it out".to_owned(),
                    many => format!("{many} items are not accepted here; leave them out"),
                };
                self.unless_told(Problem::new(path, ProblemKind::WrongCount, message));
            }
            kind => {
                if !self.explain(error, json, &steps) {
                    self.by_kind(kind, json, path);
                }
            }
        }
    }

    /// Lets a judge of ours say what a part of the schema has against the value.
    fn explain(&mut self, error: &ValidationError<'_>, json: &'a Json<'a>, steps: &[Step]) -> bool {
        if let Some(part) = part_of(self.whole, error) {
            return self.judged(part, json, steps);
        }
        let part = by_itself(error.kind()).and_then(|schema| self.whole.part(&schema));
        part.is_some_and(|part| self.refused(problems_of(&part, json, steps, self.limits)))
    }

    /// Whether a judge of ours refuses the value by a part of the schema; it tells why, once.
    fn judged(&mut self, schema: &'a Value, json: &'a Json<'a>, steps: &[Step]) -> bool {
        let place = std::ptr::from_ref(schema).addr();
        let asked = (place, std::ptr::from_ref(json).addr());
        if let Some(refused) = self.asked.get(&asked) {
            return *refused;
        }
        let whole = self.whole;
        let part = self.parts.entry(place).or_insert_with(|| whole.part(schema));
        let found = part.as_ref().map(|part| problems_of(part, json, steps, self.limits));
        let refused = self.refused(found.unwrap_or_default());
        self.asked.insert(asked, refused);
        refused
    }

    fn refused(&mut self, found: Vec<Problem>) -> bool {
        let is_any = !found.is_empty();
        for problem in found {
            self.push(problem);
        }
        is_any
    }

    fn push(&mut self, problem: Problem) {
        let is_told = self.problems.iter().any(|told| told.says_the_same(&problem));
        if !is_told && !self.has_enough() {
            self.problems.push(problem);
        }
    }

    const fn has_enough(&self) -> bool {
        self.problems.len() >= MOST_PROBLEMS
    }

    /// What may follow from another problem inside the value is told when that is gone.
    fn unless_told(&mut self, problem: Problem) {
        let at = problem.path().steps();
        if !self.problems.iter().any(|told| is_below(told.path().steps(), at)) {
            self.push(problem);
        }
    }

    /// What our judge has no words for, since it does not know it.
    fn by_kind(&mut self, kind: &Kind, json: &Json<'_>, path: Path) {
        let found = json.named(self.limits.shown_chars);
        let problem = match kind {
            Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
                return self.nearest(context, &found, path);
            }
            Kind::OneOfMultipleValid { .. } => Problem::new(
                path,
                ProblemKind::NoForm,
                "fits several forms where it must fit exactly one",
            )
            .expecting("a value of exactly one form"),
            Kind::Not { .. } => {
                let what = "of a form that is excluded here";
                let message = format!("must not be {what}; got {found}");
                Problem::new(path, ProblemKind::NotAllowed, message)
                    .expecting(format!("anything but {what}"))
            }
            _ => not_accepted(path),
        };
        self.unless_told(problem);
    }

    /// Tells what the form that came nearest has against the value.
    fn nearest(&mut self, forms: &[Vec<ValidationError<'_>>], found: &str, path: Path) {
        let is_of_type = |errors: &&Vec<ValidationError<'_>>| {
            !errors.iter().any(|error| {
                matches!(error.kind(), Kind::Type { .. })
                    && error.instance_path().as_str() == path.pointer()
            })
        };
        let before = self.problems.len();
        if let Some(nearest) = forms.iter().filter(is_of_type).min_by_key(|errors| errors.len()) {
            for error in nearest {
                self.tell(error);
            }
        }
        if self.problems.len() == before {
            let message = format!("fits none of the forms that are accepted here; got {found}");
            self.unless_told(Problem::new(path, ProblemKind::NoForm, message));
        }
    }

    fn contains(&mut self, error: &ValidationError<'_>, json: &Json<'_>, path: Path) {
        let beside = parent(error.schema_path().as_str()).and_then(|at| self.whole.at(at));
        let count = |name: &str| beside.and_then(|schema| schema.get(name)).and_then(Value::as_u64);
        let (least, most) = (count("minContains").unwrap_or(1), count("maxContains"));
        let wanted = beside.and_then(|schema| self.whole.part(schema.get("contains")?));
        let wanted = wanted.map(|part| forms(&part, part.node(part.root())));
        let form = wanted.unwrap_or_else(|| "a value".to_owned());
        let items = match json {
            Json::Array(items) => u64::try_from(items.len()).unwrap_or(u64::MAX),
            _ => 0,
        };
        let words = outside(items.min(least.saturating_sub(1)), Some(least), most, "item");
        let words = words.or_else(|| outside(items, Some(least), most, "item"));
        let words = words.unwrap_or_else(|| format!("at least {least} items"));
        let expected = format!("{words} of this form: {form}");
        let problem = Problem::new(path, ProblemKind::WrongCount, format!("must have {expected}"));
        self.unless_told(problem.expecting(format!("a list with {expected}")));
    }

    /// Fields that no part of the schema speaks of.
    fn unevaluated(
        &mut self,
        error: &ValidationError<'_>,
        json: &'a Json<'a>,
        steps: &[Step],
        unexpected: &[String],
    ) {
        let Json::Object(members) = json else { return };
        let rule = self.whole.at(error.schema_path().as_str()).filter(|rule| rule.is_object());
        // A part that refuses the object speaks for none of its fields.
        let at = steps.iter().cloned().fold(Path::root(), |path, step| path.then(step));
        if self.problems.iter().any(|told| is_below(told.path().steps(), at.steps())) {
            return;
        }
        for name in unexpected {
            if self.has_enough() {
                return;
            }
            let Some((_, field)) = members.iter().find(|(given, _)| given == name) else {
                continue;
            };
            let mut inside = steps.to_vec();
            inside.push(Step::Field(name.clone()));
            if rule.is_some_and(|rule| self.judged(rule, field, &inside)) {
                continue;
            }
            let shown = escaped(name, self.limits.shown_chars);
            let message = format!("unexpected field '{shown}' (nothing here allows it)");
            let problem = Problem::new(at.field(name), ProblemKind::UnexpectedField, message);
            self.push(problem.expecting("no such field"));
        }
    }
}

/// Whether a place lies inside another.
fn is_below(steps: &[Step], outer: &[Step]) -> bool {
    steps.len() > outer.len() && steps.starts_with(outer)
}

fn parent(pointer: &str) -> Option<&str> {
    pointer.rsplit_once('/').map(|(parent, _)| parent)
}

/// The value at a JSON Pointer, and the way to it.
fn located<'j>(json: &'j Json<'j>, pointer: &str) -> Option<(Vec<Step>, &'j Json<'j>)> {
    let (mut json, mut steps) = (json, Vec::new());
    for segment in pointer.split('/').skip(1) {
        let (step, inner) = match json {
            Json::Array(items) => {
                let index = segment.parse().ok()?;
                (Step::Item(index), items.get(index)?)
            }
            Json::Object(members) => {
                let name = segment.replace("~1", "/").replace("~0", "~");
                let (_, inner) = members.iter().find(|(given, _)| *given == name)?;
                (Step::Field(name), inner)
            }
            _ => return None,
        };
        steps.push(step);
        json = inner;
    }
    Some((steps, json))
}

/// The part of the schema whose keyword the error is about.
fn part_of<'w>(whole: &'w Whole, error: &ValidationError<'_>) -> Option<&'w Value> {
    let pointer = error.schema_path().as_str();
    if matches!(error.kind(), Kind::FalseSchema) {
        return whole.at(pointer).filter(|part| part.is_boolean());
    }
    let (parent, keyword) = pointer.rsplit_once('/')?;
    whole.at(parent).filter(|_| keyword == error.kind().keyword())
}

/// The one keyword that an error is about, as a schema.
fn by_itself(kind: &Kind) -> Option<Value> {
    Some(match kind {
        Kind::Type { kind: TypeKind::Single(of) } => json!({ "type": of.as_str() }),
        Kind::Type { kind: TypeKind::Multiple(all) } => {
            json!({ "type": all.iter().map(jsonschema::JsonType::as_str).collect::<Vec<_>>() })
        }
        Kind::Enum { options } => json!({ "enum": **options }),
        Kind::Constant { expected_value } => json!({ "const": **expected_value }),
        Kind::Required { property } => json!({ "required": [property] }),
        Kind::Minimum { limit } => json!({ "type": "number", "minimum": limit }),
        Kind::Maximum { limit } => json!({ "type": "number", "maximum": limit }),
        Kind::ExclusiveMinimum { limit } => json!({ "type": "number", "exclusiveMinimum": limit }),
        Kind::ExclusiveMaximum { limit } => json!({ "type": "number", "exclusiveMaximum": limit }),
        Kind::MinLength { limit } => json!({ "minLength": limit }),
        Kind::MaxLength { limit } => json!({ "maxLength": limit }),
        Kind::MinItems { limit } => json!({ "minItems": limit }),
        Kind::MaxItems { limit } => json!({ "maxItems": limit }),
        Kind::MinProperties { limit } => json!({ "minProperties": limit }),
        Kind::MaxProperties { limit } => json!({ "maxProperties": limit }),
        Kind::UniqueItems => json!({ "uniqueItems": true }),
        Kind::FalseSchema => Value::Bool(false),
        Kind::AdditionalProperties { unexpected } => {
            let none: Map<String, Value> =
                unexpected.iter().map(|name| (name.clone(), Value::Bool(false))).collect();
            json!({ "properties": none })
        }
        _ => return None,
    })
}

/// What a part of a schema has against a value inside the arguments.
fn problems_of(part: &Compiled, json: &Json<'_>, steps: &[Step], limits: &Limits) -> Vec<Problem> {
    let mut judge = Judge::new(part, limits);
    within(&mut judge, part, json, steps, &Place::Root);
    judge.problems
}

fn within<'s>(
    judge: &mut Judge<'s>,
    part: &Compiled,
    json: &'s Json<'s>,
    steps: &[Step],
    place: &Place<'_>,
) {
    match steps {
        [] => {
            judge.value(part.root(), &Subject::whole(json), place);
        }
        [Step::Field(name), rest @ ..] => {
            within(judge, part, json, rest, &Place::Field(place, name));
        }
        [Step::Item(index), rest @ ..] => {
            within(judge, part, json, rest, &Place::Item(place, *index));
        }
    }
}
