//! Texts and numbers that are checked while they are read.

use std::borrow::Cow;

use serde_json::Value;

use super::judge::{held, is_beyond};
use super::guided::Refused;
use super::source::Written;
use crate::schema::{Bound, Decimal, Node, Numbers};

/// A number in its normal form.
#[derive(Debug, Clone, Copy)]
pub(super) enum Held {
    Signed(i64),
    Unsigned(u64),
    Double(f64),
}

/// Whether a text is what a node's keywords ask for.
#[inline]
pub(super) fn text_fits(node: &Node, text: &str) -> bool {
    if let Some(values) = &node.one_of_values
        && !values.iter().any(|value| value.as_str() == Some(text))
    {
        return false;
    }
    (node.min_length.is_none() && node.max_length.is_none() || length_fits(node, text))
        && node.pattern.as_ref().is_none_or(|pattern| pattern.matches(text))
        && node.format.is_none_or(|format| format.accepts(text))
}

fn length_fits(node: &Node, text: &str) -> bool {
    let length = u64::try_from(text.chars().count()).unwrap_or(u64::MAX);
    node.min_length.is_none_or(|least| length >= least)
        && node.max_length.is_none_or(|most| length <= most)
}

/// The normal form of a number that is what a node's keywords ask for.
#[inline]
pub(super) fn number_fits(node: &Node, number: &Written<'_>) -> Result<Held, Refused> {
    match node.stream.numbers {
        Numbers::Integer { least, most } => {
            if let Some(integer) = number.integer() {
                return if (least..=most).contains(&integer) {
                    Ok(Held::Signed(integer))
                } else {
                    Err(Refused)
                };
            }
        }
        Numbers::Double { above, below } => {
            if let Some(double) = short_double(number) {
                return if is_within(double, above, below) {
                    Ok(whole_or(double))
                } else {
                    Err(Refused)
                };
            }
        }
        Numbers::Any => {
            if let Some(integer) = number.integer() {
                return Ok(Held::Signed(integer));
            }
            if let Some(double) = number.double() {
                return Ok(whole_or(double));
            }
        }
        Numbers::Exact => {}
    }
    exact(node, &number.digits())
}

/// A double that was written with so few digits that none can be lost.
#[inline]
fn short_double(number: &Written<'_>) -> Option<f64> {
    const EXACT: i64 = 1_000_000_000_000_000;
    #[expect(clippy::cast_precision_loss, reason = "an integer of 15 digits is held exactly")]
    match number.integer() {
        Some(integer) => (-EXACT..EXACT).contains(&integer).then_some(integer as f64),
        None => number.double(),
    }
}

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
fn exact(node: &Node, digits: &Cow<'_, str>) -> Result<Held, Refused> {
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
