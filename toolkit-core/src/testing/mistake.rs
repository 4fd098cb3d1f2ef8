//! The mistakes that models make, made in a value by what its schema says.

use serde_json::{Map, Value};

use super::built::{Builder, Built, Shape};
use super::dice::Dice;
use crate::schema::Format;

/// A mistake of the kinds that models make in a call's arguments.
///
/// ```
/// use proptest::strategy::{Strategy, ValueTree};
/// use proptest::test_runner::TestRunner;
/// use serde_json::json;
/// use toolkit::testing::{Arguments, Mistake};
///
/// let schema = json!({
///     "properties": {"amount": {"type": "number"}},
///     "required": ["amount"],
///     "additionalProperties": false,
/// });
/// let missing = Arguments::of(schema).mistakes(1..=1, [Mistake::Missing]);
/// assert_eq!(missing.new_tree(&mut TestRunner::deterministic())?.current(), json!({}));
/// # Ok::<(), proptest::test_runner::Reason>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Mistake {
    /// A field's name with a slip of the pen.
    Misspelt,
    /// A field that is left out.
    Missing,
    /// A field that nobody asked for.
    Extra,
    /// A name, or a value of a closed set, in another case.
    WrongCase,
    /// A value as the text that writes it.
    AsText,
    /// A number, a length or a count beyond its bound.
    OutOfRange,
    /// Text that is not of the format or does not match the pattern.
    WrongFormat,
    /// Null where a value is wanted.
    Null,
    /// Some other value.
    Other,
}

impl Mistake {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Misspelt,
        Self::Missing,
        Self::Extra,
        Self::WrongCase,
        Self::AsText,
        Self::OutOfRange,
        Self::WrongFormat,
        Self::Null,
        Self::Other,
    ];

    /// Makes the mistake at one place of those where it can be made; whether there is any.
    pub(super) fn make<'s>(self, built: &mut Built<'s>, builder: &mut Builder<'s>) -> bool {
        let places = self.places(built);
        let Some(wanted) = builder.dice.below(places).checked_add(1).filter(|_| places > 0) else {
            return false;
        };
        self.visit(built, &mut { wanted }, builder).unwrap_or(false)
    }

    /// In how many places it can be made.
    fn places(self, built: &Built<'_>) -> usize {
        let inner: usize = match &built.shape {
            Shape::Leaf(_) => 0,
            Shape::List(items) => items.iter().map(|item| self.places(item)).sum(),
            Shape::Object(members) => members.iter().map(|(_, value)| self.places(value)).sum(),
        };
        inner + usize::from(self.fits(built))
    }

    /// Makes it at the place that is wanted; `None` where that is not in here.
    fn visit<'s>(
        self,
        built: &mut Built<'s>,
        wanted: &mut usize,
        builder: &mut Builder<'s>,
    ) -> Option<bool> {
        if self.fits(built) {
            *wanted -= 1;
            if *wanted == 0 {
                return Some(self.spoil(built, builder));
            }
        }
        match &mut built.shape {
            Shape::Leaf(_) => None,
            Shape::List(items) => {
                items.iter_mut().find_map(|item| self.visit(item, wanted, builder))
            }
            Shape::Object(members) => {
                members.iter_mut().find_map(|(_, value)| self.visit(value, wanted, builder))
            }
        }
    }

    /// Whether it can be made right here; null, text and others take the place of a member.
    fn fits(self, built: &Built<'_>) -> bool {
        let says = |keyword: &str| built.schema.contains_key(keyword);
        match (self, &built.shape) {
            (Self::Misspelt, Shape::Object(members)) => {
                members.iter().any(|(name, _)| is_named(&built.schema, name) && name.len() > 2)
            }
            (Self::Missing | Self::AsText | Self::Null | Self::Other, Shape::Object(members)) => {
                !members.is_empty()
            }
            (Self::AsText | Self::Null | Self::Other, Shape::List(items)) => !items.is_empty(),
            (Self::Extra, Shape::Object(_)) => true,
            (Self::WrongCase, Shape::Object(members)) => {
                members.iter().any(|(name, _)| is_named(&built.schema, name))
            }
            (Self::WrongCase, Shape::Leaf(Value::String(_))) => says("enum") || says("const"),
            (Self::OutOfRange, Shape::Leaf(Value::Number(_))) => {
                ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]
                    .into_iter()
                    .any(says)
            }
            (Self::OutOfRange, Shape::Leaf(Value::String(_))) => {
                says("minLength") || says("maxLength")
            }
            (Self::OutOfRange, Shape::List(_)) => says("minItems") || says("maxItems"),
            (Self::WrongFormat, Shape::Leaf(Value::String(_))) => {
                says("pattern")
                    || built
                        .schema
                        .get("format")
                        .and_then(Value::as_str)
                        .and_then(Format::named)
                        .is_some()
            }
            _ => false,
        }
    }

    fn spoil<'s>(self, built: &mut Built<'s>, builder: &mut Builder<'s>) -> bool {
        match self {
            Self::Misspelt => rename(built, &mut builder.dice, 3, misspelt),
            Self::WrongCase => match &mut built.shape {
                Shape::Leaf(Value::String(text)) => {
                    *text = other_case(text, &mut builder.dice);
                    true
                }
                _ => rename(built, &mut builder.dice, 1, other_case),
            },
            Self::Missing => {
                let Shape::Object(members) = &mut built.shape else { return false };
                members.remove(builder.dice.below(members.len()));
                true
            }
            Self::Extra => {
                let Shape::Object(members) = &mut built.shape else { return false };
                let name = builder.dice.word(["force", "zzz_extra", "dry-run", "limit!", "_", "x"]);
                if members.iter().any(|(given, _)| given == name) {
                    return false;
                }
                let at = builder.dice.below(members.len() + 1);
                members.insert(at, (name.to_owned(), Built::leaf(builder.anything(1))));
                true
            }
            Self::AsText | Self::Null | Self::Other => self.replace(built, builder),
            Self::OutOfRange => out_of_range(built, builder),
            Self::WrongFormat => {
                let texts = ["next friday", "", "2026-1-3", "n/a", "(", "0", "http//x", "ünï"];
                built.shape = Shape::Leaf(Value::from(builder.dice.word(texts)));
                true
            }
        }
    }

    /// Puts something else in the place of a member or an item.
    fn replace<'s>(self, built: &mut Built<'s>, builder: &mut Builder<'s>) -> bool {
        let place = match &mut built.shape {
            Shape::Leaf(_) => None,
            Shape::List(items) => {
                let at = builder.dice.below(items.len());
                items.get_mut(at)
            }
            Shape::Object(members) => {
                let at = builder.dice.below(members.len());
                members.get_mut(at).map(|(_, value)| value)
            }
        };
        let Some(place) = place else { return false };
        let value = match self {
            Self::AsText => Value::from(place.value().to_string()),
            Self::Null => Value::Null,
            _ => builder.anything(2),
        };
        place.shape = Shape::Leaf(value);
        true
    }
}

fn is_named(schema: &Map<String, Value>, name: &str) -> bool {
    schema.get("properties").is_some_and(|properties| properties.get(name).is_some())
}

fn rename(
    built: &mut Built<'_>,
    dice: &mut Dice,
    shortest: usize,
    how: fn(&str, &mut Dice) -> String,
) -> bool {
    let Shape::Object(members) = &mut built.shape else { return false };
    let named: Vec<usize> = members
        .iter()
        .enumerate()
        .filter(|(_, (name, _))| name.len() >= shortest && is_named(&built.schema, name))
        .map(|(index, _)| index)
        .collect();
    let Some(at) = dice.pick(&named).copied() else { return false };
    let Some(renamed) = members.get(at).map(|(name, _)| how(name, dice)) else { return false };
    if members.iter().any(|(name, _)| *name == renamed) {
        return false;
    }
    if let Some((name, _)) = members.get_mut(at) {
        *name = renamed;
    }
    true
}

/// A name with one letter doubled, dropped, swapped with the next, or too much.
fn misspelt(name: &str, dice: &mut Dice) -> String {
    let mut letters: Vec<char> = name.chars().collect();
    let at = dice.below(letters.len());
    match dice.below(4) {
        0 => letters.insert(at, letters.get(at).copied().unwrap_or('s')),
        1 => drop(letters.remove(at)),
        2 if at + 1 < letters.len() => letters.swap(at, at + 1),
        _ => letters.push('s'),
    }
    letters.into_iter().collect()
}

/// A name in another of the cases that models write.
fn other_case(name: &str, dice: &mut Dice) -> String {
    let upper = || name.to_uppercase();
    match dice.below(4) {
        0 => upper(),
        1 => name.to_lowercase(),
        2 => {
            // From `snake_case` to `camelCase`.
            let words = name.split('_').enumerate().map(|(index, word)| {
                let mut chars = word.chars();
                match chars.next() {
                    Some(first) if index > 0 => {
                        format!("{}{}", first.to_uppercase(), chars.as_str())
                    }
                    _ => word.to_owned(),
                }
            });
            words.collect()
        }
        _ => {
            let mut chars = name.chars();
            chars
                .next()
                .map_or_else(upper, |first| format!("{}{}", first.to_uppercase(), chars.as_str()))
        }
    }
}

fn out_of_range<'s>(built: &mut Built<'s>, builder: &mut Builder<'s>) -> bool {
    let dice = &mut builder.dice;
    let bound = |keyword: &str| built.schema.get(keyword).and_then(Value::as_f64);
    let count = |keyword: &str| built.schema.get(keyword).and_then(Value::as_u64);
    let count = |keyword: &str| count(keyword).and_then(|count| usize::try_from(count).ok());
    match &mut built.shape {
        Shape::Leaf(value @ Value::Number(_)) => {
            let below =
                bound("minimum").map(|least| least - 1.0).or_else(|| bound("exclusiveMinimum"));
            let above =
                bound("maximum").map(|most| most + 1.0).or_else(|| bound("exclusiveMaximum"));
            let off = bound("multipleOf").and_then(|step| Some(value.as_f64()? + step / 2.0));
            let beyond: Vec<f64> = [below, above, off].into_iter().flatten().collect();
            let Some(number) = dice.pick(&beyond).copied() else { return false };
            *value = whole_or_float(number);
            true
        }
        Shape::Leaf(value @ Value::String(_)) => {
            let long = count("maxLength").filter(|most| *most < 10_000).map(|most| most + 1);
            let short = count("minLength").and_then(|least| least.checked_sub(1));
            let beyond: Vec<usize> = [long, short].into_iter().flatten().collect();
            let Some(length) = dice.pick(&beyond) else { return false };
            *value = Value::from("w".repeat(*length));
            true
        }
        Shape::List(items) => {
            let least = count("minItems").filter(|least| *least > 0);
            let most = count("maxItems").filter(|most| *most < 100);
            if let Some(least) = least.filter(|_| most.is_none() || dice.one_in(2)) {
                items.truncate(least - 1);
                return true;
            }
            let (Some(most), Some(item)) = (most, items.last().cloned()) else { return false };
            items.resize(most + 1, item);
            true
        }
        _ => false,
    }
}

fn whole_or_float(number: f64) -> Value {
    let text = number.to_string();
    text.parse::<i64>().map_or_else(|_| Value::from(number), Value::from)
}
