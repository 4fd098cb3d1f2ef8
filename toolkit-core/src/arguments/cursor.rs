//! Reads JSON text token by token (RFC 8259), without a look back and without a copy.

use std::borrow::Cow;
use std::cell::Cell;

use super::guided::Refused;
use crate::schema::Kind;

/// A place in a JSON text, which goes forward as values are read.
#[derive(Debug)]
pub(crate) struct Cursor<'a> {
    text: &'a str,
    at: Cell<usize>,
}

/// Text as it is written.
#[derive(Debug, Clone, Copy)]
pub(super) enum Quoted<'a> {
    /// What stands between the quotes is what is meant.
    Plain(&'a str),
    /// With escapes, and with its quotes.
    Escaped(&'a str),
}

impl<'a> Quoted<'a> {
    /// The text that is meant; `None` where half a surrogate pair stands alone.
    pub(super) fn text(self) -> Option<Cow<'a, str>> {
        match self {
            Self::Plain(text) => Some(Cow::Borrowed(text)),
            Self::Escaped(quoted) => serde_json::from_str(quoted).map(Cow::Owned).ok(),
        }
    }
}

/// A number, as far as it was cheap to tell.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Number {
    /// Written without point and exponent, of at most 18 digits.
    Integer(i64),
    /// Written with a point or an exponent, and less than 10^15.
    Double(f64),
    /// To be read from its digits.
    Long,
}

/// Powers of ten that a double holds exactly, as many as short numbers have digits.
const POWERS: [f64; 16] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

impl<'a> Cursor<'a> {
    pub(super) const fn new(text: &'a str) -> Self {
        Self { text, at: Cell::new(0) }
    }

    /// Bytes that were read.
    pub(super) const fn at(&self) -> usize {
        self.at.get()
    }

    /// The next byte that is no space.
    #[inline]
    pub(super) fn peek(&self) -> Option<u8> {
        match self.text.as_bytes().get(self.at.get()) {
            // Most JSON that models write has no space where it stands here.
            Some(&byte) if byte > b' ' => Some(byte),
            _ => self.peek_behind_space(),
        }
    }

    #[inline(never)]
    fn peek_behind_space(&self) -> Option<u8> {
        let rest = self.text.as_bytes().get(self.at.get()..)?;
        let spaces = rest.iter().take_while(|byte| is_space(**byte)).count();
        self.at.set(self.at.get() + spaces);
        rest.get(spaces).copied()
    }

    /// What the next value is, by its first character.
    #[inline]
    pub(super) fn kind(&self) -> Result<Kind, Refused> {
        match self.peek() {
            Some(b'"') => Ok(Kind::Text),
            Some(b'-' | b'0'..=b'9') => Ok(Kind::Number),
            Some(b'{') => Ok(Kind::Object),
            Some(b'[') => Ok(Kind::Array),
            Some(b't' | b'f') => Ok(Kind::Bool),
            Some(b'n') => Ok(Kind::Null),
            _ => Err(Refused),
        }
    }

    /// Whether the next value is of a kind.
    #[inline]
    pub(super) fn is(&self, kind: Kind) -> bool {
        let Some(byte) = self.peek() else { return false };
        match kind {
            Kind::Null => byte == b'n',
            Kind::Bool => matches!(byte, b't' | b'f'),
            Kind::Number => matches!(byte, b'-' | b'0'..=b'9'),
            Kind::Text => byte == b'"',
            Kind::Array => byte == b'[',
            Kind::Object => byte == b'{',
        }
    }

    /// Goes over one byte that `peek` has shown.
    #[inline]
    pub(super) fn step(&self) {
        self.at.set(self.at.get() + 1);
    }

    /// Goes over a word like `null`.
    pub(super) fn word(&self, word: &str) -> Result<(), Refused> {
        let end = self.at.get() + word.len();
        if self.text.as_bytes().get(self.at.get()..end) != Some(word.as_bytes()) {
            return Err(Refused);
        }
        self.at.set(end);
        Ok(())
    }

    pub(super) fn bool(&self) -> Result<bool, Refused> {
        if self.word("true").is_ok() {
            return Ok(true);
        }
        self.word("false").map(|()| false)
    }

    /// Goes to the next item or field of what ends with `close`, or over its end.
    #[inline]
    pub(super) fn next(&self, is_first: bool, close: u8) -> Result<bool, Refused> {
        let Some(byte) = self.peek() else { return Err(Refused) };
        if byte == close {
            self.step();
            return Ok(false);
        }
        if is_first {
            return Ok(true);
        }
        if byte != b',' {
            return Err(Refused);
        }
        // What follows is read as a value, which the end is not.
        self.step();
        Ok(true)
    }

    /// Goes over a field's name and the colon after it, if the name is written like that.
    #[inline]
    pub(super) fn is_named(&self, quoted: &str) -> Result<bool, Refused> {
        let at = self.at.get();
        let rest = self.text.as_bytes().get(at..).unwrap_or_default();
        if !rest.starts_with(quoted.as_bytes()) {
            return Ok(false);
        }
        let end = at + quoted.len();
        if rest.get(quoted.len()) == Some(&b':') {
            self.at.set(end + 1);
            return Ok(true);
        }
        self.at.set(end);
        self.colon().map(|()| true)
    }

    #[inline]
    fn colon(&self) -> Result<(), Refused> {
        if self.peek() != Some(b':') {
            return Err(Refused);
        }
        self.step();
        Ok(())
    }

    /// Reads a field's name and the colon after it.
    #[inline]
    pub(super) fn name(&self) -> Result<Quoted<'a>, Refused> {
        if self.peek() != Some(b'"') {
            return Err(Refused);
        }
        let name = self.quoted()?;
        self.colon()?;
        Ok(name)
    }

    /// Reads text, from its first quote on.
    #[inline]
    pub(super) fn quoted(&self) -> Result<Quoted<'a>, Refused> {
        let bytes = self.text.as_bytes();
        let start = self.at.get();
        let mut at = start + 1;
        let mut has_escapes = false;
        loop {
            at = plain_until(bytes, at);
            match bytes.get(at) {
                Some(b'"') => break,
                Some(b'\\') => {
                    has_escapes = true;
                    at = escape(bytes, at)?;
                }
                // A control character, or the end.
                _ => return Err(Refused),
            }
        }
        self.at.set(at + 1);
        if has_escapes {
            return self.text.get(start..=at).map(Quoted::Escaped).ok_or(Refused);
        }
        self.text.get(start + 1..at).map(Quoted::Plain).ok_or(Refused)
    }

    /// Reads a number, from its sign or first digit on.
    #[inline]
    pub(super) fn number(&self) -> Result<Number, Refused> {
        let bytes = self.text.as_bytes();
        let start = self.at.get();
        let is_negative = bytes.get(start) == Some(&b'-');
        let first = start + usize::from(is_negative);
        let mut magnitude = 0;
        let end = digits_until(bytes, first, &mut magnitude);
        let whole = end - first;
        if whole == 0 || (whole > 1 && bytes.get(first) == Some(&b'0')) {
            return Err(Refused);
        }
        if matches!(bytes.get(end), Some(b'.' | b'e' | b'E')) {
            return self.number_on(end, whole, magnitude, is_negative);
        }
        self.at.set(end);
        if whole > 18 {
            return Ok(Number::Long);
        }
        // 18 digits are less than 2^63.
        let magnitude = magnitude.cast_signed();
        Ok(Number::Integer(if is_negative { -magnitude } else { magnitude }))
    }

    /// Reads on where the whole part of a number has ended.
    fn number_on(
        &self,
        whole_end: usize,
        whole: usize,
        mut magnitude: u64,
        is_negative: bool,
    ) -> Result<Number, Refused> {
        let bytes = self.text.as_bytes();
        let start = self.at.get();
        let mut end = whole_end;
        let mut fraction = 0;
        if bytes.get(end) == Some(&b'.') {
            end = digits_until(bytes, whole_end + 1, &mut magnitude);
            fraction = end - whole_end - 1;
            if fraction == 0 {
                return Err(Refused);
            }
        }
        let has_exponent = matches!(bytes.get(end), Some(b'e' | b'E'));
        if has_exponent {
            end = exponent(bytes, end + 1)?;
        }
        self.at.set(end);
        let double = if has_exponent || whole + fraction > 15 {
            self.since(start).parse().ok()
        } else {
            double(magnitude, fraction, is_negative)
        };
        Ok(double.filter(|double| double.abs() < 1e15).map_or(Number::Long, Number::Double))
    }

    /// The text from a place that was passed up to here.
    pub(super) fn since(&self, place: usize) -> &'a str {
        self.text.get(place..self.at.get()).unwrap_or_default()
    }

    /// Whether nothing but space is left.
    pub(super) fn is_at_end(&self) -> bool {
        self.at.get() == self.text.len() || self.peek().is_none()
    }
}

const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Where the next quote, backslash or control character stands.
#[inline]
fn plain_until(bytes: &[u8], start: usize) -> usize {
    const ONES: u64 = u64::MAX / 255;
    const HIGHS: u64 = ONES << 7;
    let mut at = start;
    while let Some(eight) = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        let word = u64::from_le_bytes(*eight);
        // A byte that is less than a bound, or equal to another, has its high bit set here.
        let control = word.wrapping_sub(ONES * 0x20) & !word;
        let quote = (word ^ (ONES * 0x22)).wrapping_sub(ONES) & !(word ^ (ONES * 0x22));
        let backslash = (word ^ (ONES * 0x5c)).wrapping_sub(ONES) & !(word ^ (ONES * 0x5c));
        let found = (control | quote | backslash) & HIGHS;
        if found != 0 {
            // The lowest bit that is set is right; borrows only spoil those above it.
            return at + usize::try_from(found.trailing_zeros() / 8).unwrap_or_default();
        }
        at += 8;
    }
    while bytes.get(at).is_some_and(|byte| *byte >= 0x20 && !matches!(byte, b'"' | b'\\')) {
        at += 1;
    }
    at
}

/// Goes over one escape; its end.
fn escape(bytes: &[u8], at: usize) -> Result<usize, Refused> {
    match bytes.get(at + 1) {
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(at + 2),
        Some(b'u') => {
            let hex = bytes.get(at + 2..at + 6).ok_or(Refused)?;
            if hex.iter().all(u8::is_ascii_hexdigit) { Ok(at + 6) } else { Err(Refused) }
        }
        _ => Err(Refused),
    }
}

/// Goes over digits and adds them to a number that may run over; their end.
#[inline]
fn digits_until(bytes: &[u8], start: usize, magnitude: &mut u64) -> usize {
    let mut at = start;
    while let Some(digit) = bytes.get(at).map(|byte| byte.wrapping_sub(b'0')).filter(|d| *d < 10) {
        *magnitude = magnitude.wrapping_mul(10).wrapping_add(u64::from(digit));
        at += 1;
    }
    at
}

fn exponent(bytes: &[u8], at: usize) -> Result<usize, Refused> {
    let first = at + usize::from(matches!(bytes.get(at), Some(b'+' | b'-')));
    let end = digits_until(bytes, first, &mut 0);
    if end == first { Err(Refused) } else { Ok(end) }
}

/// The nearest double: both parts are held exactly, so one division rounds once.
fn double(magnitude: u64, fraction: usize, is_negative: bool) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "15 digits are held exactly")]
    let whole = magnitude as f64;
    let positive = whole / POWERS.get(fraction)?;
    Some(if is_negative { -positive } else { positive })
}
