//! Numbers as JSON writes them, exact at any length.

use std::cmp::Ordering;

/// A JSON number: its digits without zeros at either end, and a power of ten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Decimal {
    negative: bool,
    digits: String,
    exponent: i64,
}

impl Decimal {
    /// Reads a JSON number; `None` for other text and for exponents beyond 18 digits.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let (negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
            None => (text, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        if all.is_empty() || !all.bytes().all(|digit| digit.is_ascii_digit()) {
            return None;
        }
        let kept = all.trim_end_matches('0');
        let digits = kept.trim_start_matches('0').to_owned();
        if digits.is_empty() {
            return Some(Self { negative: false, digits, exponent: 0 });
        }
        let dropped = i64::try_from(all.len() - kept.len()).ok()?;
        let exponent =
            exponent.checked_sub(i64::try_from(fraction.len()).ok()?)?.checked_add(dropped)?;
        Some(Self { negative, digits, exponent })
    }

    /// Whether it is a whole number, in whatever way it is written.
    pub(crate) const fn is_integer(&self) -> bool {
        self.exponent >= 0
    }

    /// The whole number, where it is one of at most 39 digits.
    pub(crate) fn integer(&self) -> Option<i128> {
        let zeros = usize::try_from(self.exponent).ok()?;
        if self.digits.len().saturating_add(zeros) > 39 {
            return None;
        }
        let magnitude = format!("{:0<width$}", self.digits, width = self.digits.len() + zeros);
        let magnitude = if magnitude.is_empty() { 0 } else { magnitude.parse::<i128>().ok()? };
        Some(if self.negative { -magnitude } else { magnitude })
    }

    /// The nearest double, where it is finite.
    pub(crate) fn double(&self) -> Option<f64> {
        let sign = if self.negative { "-" } else { "" };
        let digits = if self.digits.is_empty() { "0" } else { &self.digits };
        let text = format!("{sign}{digits}e{}", self.exponent);
        text.parse::<f64>().ok().filter(|double| double.is_finite())
    }

    /// Whether it is a whole multiple of a step that is greater than 0.
    pub(crate) fn is_multiple_of(&self, step: &Self) -> bool {
        let Ok(modulus) = step.digits.parse::<u128>() else {
            return false;
        };
        if self.digits.is_empty() {
            return true;
        }
        // The last digit is not 0, so a finer number is no multiple of a coarser step.
        let Some(shift) =
            self.exponent.checked_sub(step.exponent).and_then(|by| u64::try_from(by).ok())
        else {
            return false;
        };
        if modulus >= u128::from(u64::MAX) {
            return false;
        }
        let digits = self.digits.bytes().map(|digit| u128::from(digit - b'0'));
        let rest = digits.fold(0, |rest, digit| (rest * 10 + digit) % modulus);
        (rest * power_of_ten(shift, modulus)).is_multiple_of(modulus)
    }

    /// The one way in which equal numbers are written here.
    pub(crate) fn canonical(&self) -> String {
        let sign = if self.negative { "-" } else { "" };
        format!("{sign}{}e{}", self.digits, self.exponent)
    }

    fn magnitude(&self, other: &Self) -> Ordering {
        match (self.digits.is_empty(), other.digits.is_empty()) {
            (true, true) => return Ordering::Equal,
            (true, false) => return Ordering::Less,
            (false, true) => return Ordering::Greater,
            (false, false) => {}
        }
        let order = |number: &Self| {
            i128::from(number.exponent) + i128::try_from(number.digits.len()).unwrap_or(i128::MAX)
        };
        // Both start with a digit other than 0, so text order is the order of the numbers.
        order(self).cmp(&order(other)).then_with(|| self.digits.cmp(&other.digits))
    }
}

fn power_of_ten(mut exponent: u64, modulus: u128) -> u128 {
    let (mut power, mut base) = (1 % modulus, 10 % modulus);
    while exponent > 0 {
        if exponent & 1 == 1 {
            power = power * base % modulus;
        }
        base = base * base % modulus;
        exponent >>= 1;
    }
    power
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.negative, other.negative) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => self.magnitude(other),
            (true, true) => other.magnitude(self),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Decimal;

    fn read(text: &str) -> Decimal {
        Decimal::read(text).unwrap()
    }

    #[test]
    fn the_same_number_is_the_same_however_it_is_written() {
        for (left, right) in [
            ("3", "3.0"),
            ("3", "0.3e1"),
            ("100e-2", "1"),
            ("-0", "0.0"),
            ("0e99", "0"),
            ("1e2", "100"),
        ] {
            assert_eq!(read(left), read(right), "{left} {right}");
        }
        assert_ne!(read("9007199254740993"), read("9007199254740992"));
    }

    #[test]
    fn numbers_are_ordered_by_size() {
        let ordered = ["-1e400", "-10", "-9.5", "0", "1e-400", "0.01", "9", "10", "10.5", "1e400"];
        for pair in ordered.windows(2) {
            assert!(read(pair[0]) < read(pair[1]), "{pair:?}");
        }
    }

    #[test]
    fn multiples_are_counted_in_decimals() {
        for (number, step) in [("0.3", "0.1"), ("19.99", "0.01"), ("1e300", "7e0"), ("0", "5")] {
            let expected = number != "1e300";
            assert_eq!(read(number).is_multiple_of(&read(step)), expected, "{number} {step}");
        }
        assert!(!read("0.35").is_multiple_of(&read("0.1")));
        assert!(read("1e300").is_multiple_of(&read("0.5")));
        assert!(read("-6").is_multiple_of(&read("3")));
    }
}
