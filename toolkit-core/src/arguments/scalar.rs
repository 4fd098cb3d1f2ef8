//! Texts and numbers that are checked while they are read.

use std::borrow::Cow;

use serde_json::Value;

use super::cursor::{Cursor, Number};
use super::guided::Refused;
use super::judge::{held, is_beyond};
use crate::schema::{Bound, Decimal, Node, Numbers, Texts};

/// A number in its normal form.
#[derive(Debug, Clone, Copy)]
pub(super) enum Held {
    Signed(i64),
    Unsigned(u64),
    Double(f64),
}

impl From<Held> for Value {
    fn from(held: Held) -> Self {
        match held {
            Held::Signed(number) => number.into(),
            Held::Unsigned(number) => number.into(),
            Held::Double(number) => number.into(),
        }
    }
}

/// Whether a text is what a node's keywords ask for.
#[inline]
pub(super) fn text_fits(node: &Node, text: &str) -> bool {
    match node.stream.texts {
        Texts::Free { least, most } if (least..=most).contains(&text.len()) => true,
        Texts::Formatted(format) => format.accepts(text),
        _ => text_is_right(node, text),
    }
}

fn text_is_right(node: &Node, text: &str) -> bool {
    match node.stream.texts {
        Texts::Free { .. } => length_fits(node, text),
        Texts::Listed => is_listed(node, text),
        Texts::Formatted(format) => format.accepts(text),
        Texts::Patterned => pattern_fits(node, text),
        Texts::Exact => {
            is_listed(node, text)
                && length_fits(node, text)
                && pattern_fits(node, text)
                && node.format.is_none_or(|format| format.accepts(text))
        }
    }
}

#[inline]
fn is_listed(node: &Node, text: &str) -> bool {
    let Some(values) = &node.one_of_values else { return true };
    values.iter().any(|value| value.as_str() == Some(text))
}

#[inline]
fn pattern_fits(node: &Node, text: &str) -> bool {
    node.pattern.as_ref().is_none_or(|pattern| pattern.matches(text))
}

fn length_fits(node: &Node, text: &str) -> bool {
    let length = u64::try_from(text.chars().count()).unwrap_or(u64::MAX);
    node.min_length.is_none_or(|least| length >= least)
        && node.max_length.is_none_or(|most| length <= most)
}

/// The normal form of a number that is what a node's keywords ask for.
#[inline]
pub(super) fn number_fits<'d>(
    node: &Node,
    number: Number,
    digits: impl FnOnce() -> Cow<'d, str>,
) -> Result<Held, Refused> {
    match (node.stream.numbers, number) {
        (Numbers::Integer { least, most }, Number::Integer(integer)) => {
            if (least..=most).contains(&integer) { Ok(Held::Signed(integer)) } else { Err(Refused) }
        }
        (Numbers::Double { above, below }, Number::Double(double)) => {
            if is_within(double, above, below) { Ok(whole_or(double)) } else { Err(Refused) }
        }
        (Numbers::Double { above, below }, Number::Integer(integer))
            if (-EXACT..EXACT).contains(&integer) =>
        {
            #[expect(clippy::cast_precision_loss, reason = "15 digits are held exactly")]
            let double = integer as f64;
            if is_within(double, above, below) { Ok(Held::Signed(integer)) } else { Err(Refused) }
        }
        (Numbers::Any, Number::Integer(integer)) => Ok(Held::Signed(integer)),
        (Numbers::Any, Number::Double(double)) => Ok(whole_or(double)),
        _ => exact(node, &digits()),
    }
}

/// As `number_fits`, of a number that stands alone.
pub(super) fn digits_fit(node: &Node, digits: &str) -> Result<Held, Refused> {
    let number = Cursor::new(digits).number()?;
    number_fits(node, number, || Cow::Borrowed(digits))
}

/// Integers below are held by a double with every digit.
const EXACT: i64 = 1_000_000_000_000_000;

#[inline]
fn is_within(double: f64, above: Option<Bound>, below: Option<Bound>) -> bool {
    above.is_none_or(|bound| double > bound.at || (bound.itself && double >= bound.at))
        && below.is_none_or(|bound| double < bound.at || (bound.itself && double <= bound.at))
}

/// A short double as it is held: whole ones are integers.
#[inline]
fn whole_or(double: f64) -> Held {
    #[expect(clippy::cast_possible_truncation, reason = "compared right below")]
    let whole = double as i64;
    #[expect(clippy::cast_precision_loss, reason = "compared right here")]
    #[expect(clippy::float_cmp, reason = "it is the same number or it is not whole")]
    if whole as f64 == double { Held::Signed(whole) } else { Held::Double(double) }
}

/// As the report asks: in exact decimals.
#[cold]
fn exact(node: &Node, digits: &str) -> Result<Held, Refused> {
    let decimal = Decimal::read(digits).ok_or(Refused)?;
    let (decimal, value) = held(node, digits, decimal).ok_or(Refused)?;
    let is_step = node.multiple_of.as_ref().is_none_or(|step| decimal.is_multiple_of(step));
    if node.one_of_values.is_some() || is_beyond(node, &decimal) || !is_step {
        return Err(Refused);
    }
    let Value::Number(number) = value else { return Err(Refused) };
    number
        .as_i64()
        .map(Held::Signed)
        .or_else(|| number.as_u64().map(Held::Unsigned))
        .or_else(|| number.as_f64().map(Held::Double))
        .ok_or(Refused)
}
