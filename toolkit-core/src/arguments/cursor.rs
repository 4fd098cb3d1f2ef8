//! Reads JSON text token by token (RFC 8259), without a look back and without a copy.

use std::borrow::Cow;
use std::cell::Cell;

use super::guided::Refused;
use crate::bytes::begins_with;
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
    /// With escapes.
    Escaped(&'a str),
}

impl<'a> Quoted<'a> {
    /// The text that is meant; `None` where half a surrogate pair stands alone.
    pub(super) fn text(self) -> Option<Cow<'a, str>> {
        match self {
            Self::Plain(text) => Some(Cow::Borrowed(text)),
            Self::Escaped(text) => unescaped(text).map(Cow::Owned),
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
        if !begins_with(rest, quoted.as_bytes()) {
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
        let inner = self.text.get(start + 1..at).ok_or(Refused)?;
        Ok(if has_escapes { Quoted::Escaped(inner) } else { Quoted::Plain(inner) })
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
        let before = end;
        let has_exponent = matches!(bytes.get(end), Some(b'e' | b'E'));
        if has_exponent {
            end = exponent(bytes, end + 1)?;
        }
        self.at.set(end);
        // An exponent that no decimal has is not taken for nothing.
        if end - before > 19 {
            return Ok(Number::Long);
        }
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

/// What text with right escapes means, in one allocation; no Rust text holds half a surrogate pair.
fn unescaped(text: &str) -> Option<String> {
    let mut meant = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((plain, escaped)) = rest.split_once('\\') {
        meant.push_str(plain);
        let mut after = escaped.chars();
        meant.push(match after.next()? {
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => {
                let (character, left) = code_point(after.as_str())?;
                after = left.chars();
                character
            }
            itself => itself,
        });
        rest = after.as_str();
    }
    meant.push_str(rest);
    Some(meant)
}

/// The character that stands behind `\u`, and what follows it.
fn code_point(text: &str) -> Option<(char, &str)> {
    let unit = |text: &str| u32::from_str_radix(text.get(..4)?, 16).ok();
    let (high, rest) = (unit(text)?, text.get(4..)?);
    if let Some(character) = char::from_u32(high) {
        return Some((character, rest));
    }
    let rest = rest.strip_prefix("\\u").filter(|_| high < 0xdc00)?;
    let low = unit(rest)?.checked_sub(0xdc00).filter(|low| *low < 0x400)?;
    let character = char::from_u32(0x1_0000 + ((high - 0xd800) << 10) + low)?;
    Some((character, rest.get(4..)?))
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

#[cfg(test)]
mod tests {
    use std::hash::{BuildHasher, Hasher, RandomState};

    use serde::Deserialize;
    use serde::de::IgnoredAny;
    use serde_json::Value;

    use super::{Cursor, Number};
    use crate::arguments::guided::{Guided, Walk};
    use crate::arguments::source::{Room, Unread};
    use crate::arguments::text::{Json, keep};
    use crate::limits::Limits;
    use crate::schema::Compiled;

    const ALL: Limits = Limits {
        argument_bytes: usize::MAX,
        depth: 100,
        values: usize::MAX,
        problems: 1,
        report_bytes: 1,
        shown_chars: 1,
        result_bytes: usize::MAX,
        at_once: 1,
        lost_threads: 0,
    };

    /// Numbers from a seed, a fresh one each time.
    struct Dice(u64);

    impl Dice {
        fn fresh() -> Self {
            let given = std::env::var("TOOLKIT_SEED").ok().and_then(|seed| seed.parse().ok());
            let seed = given.unwrap_or_else(|| RandomState::new().build_hasher().finish());
            println!("TOOLKIT_SEED={seed}");
            Self(seed)
        }

        fn below(&mut self, bound: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            usize::try_from(self.0 >> 33).unwrap() % bound
        }

        fn of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
            choices[self.below(choices.len())]
        }
    }

    fn cases() -> usize {
        std::env::var("TOOLKIT_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(20_000)
    }

    /// Whether a text is one value, kept as a tree.
    fn is_kept(text: &str) -> bool {
        let cursor = Cursor::new(text);
        keep(&cursor, Room { limits: &ALL, values: 0, depth: 0 }).is_some() && cursor.is_at_end()
    }

    /// What a text is, read while it is decoded.
    fn streamed(text: &str) -> Option<Value> {
        let cursor = Cursor::new(text);
        let walk = Walk::new(Compiled::anything(), &ALL);
        let node = walk.schema.node(walk.schema.root());
        walk.count().ok()?;
        let value = Value::deserialize(Guided::new(&walk, node, Unread(&cursor))).ok()?;
        cursor.is_at_end().then_some(value)
    }

    /// A tree as `serde_json` has it, the numbers by the standard library's reading.
    fn value(json: &Json<'_>) -> Value {
        match json {
            Json::Null | Json::BrokenText => Value::Null,
            Json::Bool(value) => Value::Bool(*value),
            Json::Number(digits) => {
                let integer = !digits.contains(['.', 'e', 'E']);
                let signed = digits.parse::<i64>().ok().filter(|_| integer && *digits != "-0");
                let unsigned = digits.parse::<u64>().ok().filter(|_| integer);
                let double = || Value::from(digits.parse::<f64>().unwrap());
                signed.map(Value::from).or_else(|| unsigned.map(Value::from)).unwrap_or_else(double)
            }
            Json::Text(text) => Value::from(text.as_ref()),
            Json::Array(items) => items.iter().map(value).collect(),
            Json::Object(members) => {
                members.iter().map(|(name, json)| (name.to_string(), value(json))).collect()
            }
        }
    }

    /// The cursor says of a text what `serde_json` says of it.
    fn agree(text: &str) -> bool {
        let is_json = serde_json::from_str::<IgnoredAny>(text).is_ok();
        // A name that no Rust text can hold ends the reading.
        let is_kept = is_kept(text) || (is_json && has_lone_surrogate(text));
        assert_eq!(is_kept, is_json, "{text:?}");
        let read = serde_json::from_str::<Value>(text).ok();
        let ours = streamed(text);
        if let Some(read) = &read {
            let cursor = Cursor::new(text);
            let ((json, problems), _) =
                keep(&cursor, Room { limits: &ALL, values: 0, depth: 0 }).unwrap();
            if problems.is_empty() {
                assert_eq!(&value(&json), read, "{text:?}");
                assert!(ours.is_some() || !all_fit(read), "{text:?} is not streamed");
            } else {
                assert_eq!(ours, None, "{text:?} has a repeated field");
            }
        }
        assert!(read.is_some() || ours.is_none(), "{text:?} is streamed");
        is_json
    }

    fn has_lone_surrogate(text: &str) -> bool {
        text.to_ascii_lowercase().contains("\\ud")
    }

    /// Whether no integer is in it that a double does not hold.
    fn all_fit(value: &Value) -> bool {
        match value {
            Value::Number(number) => number.is_i64() || number.is_u64(),
            Value::Array(items) => items.iter().all(all_fit),
            Value::Object(members) => members.values().all(all_fit),
            _ => true,
        }
    }

    const PIECES: [&str; 64] = [
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\"a\"",
        "\"\\u0061\"",
        "\"b\":",
        "null",
        "true",
        "false",
        "0",
        "1",
        "-",
        "+",
        ".",
        "e",
        "E",
        "00",
        "-0",
        "1.5",
        "1e5",
        "1E+5",
        "1e-5",
        "9007199254740993",
        "18446744073709551615",
        "18446744073709551616",
        "1e400",
        "0.1",
        "-1",
        "123456789012345678",
        "1234567890123456789",
        " ",
        "\t",
        "\n",
        "\r",
        "\u{b}",
        "\u{c}",
        "\u{a0}",
        "\u{2028}",
        "\u{feff}",
        "\0",
        "\u{1f}",
        "\u{7f}",
        "\\",
        "\\u",
        "\\ud800",
        "\\udc00",
        "\\ud83d\\ude00",
        "\\n",
        "\\x",
        "\\/",
        "é",
        "🦀",
        "/",
        "//",
        "nul",
        "tru",
        "NaN",
        "'",
        "\"\\\"\"",
        "\"\"",
    ];

    #[test]
    fn it_reads_what_serde_json_reads() {
        let mut dice = Dice::fresh();
        let mut accepted = 0;
        for _ in 0..cases() {
            let mut text = json(&mut dice, 3);
            if dice.below(2) == 0 {
                text = mutated(&mut dice, &text);
            }
            accepted += usize::from(agree(&text));
            let pieces = 1 + dice.below(6);
            let soup: String = (0..pieces).map(|_| dice.of(&PIECES)).collect();
            agree(&soup);
            agree(&format!("\"{soup}\""));
            agree(&format!("[{soup}]"));
            agree(&format!("{{\"a\":{soup}}}"));
        }
        assert!(accepted > cases() / 4, "only {accepted} were JSON");
    }

    #[test]
    #[expect(clippy::string_slice, reason = "the text is ASCII")]
    fn every_byte_at_every_place_is_taken_as_serde_json_takes_it() {
        let text = r#" { "a" : [ 1.5e-3 , true , "\u00e9x" ] , "" : null } "#;
        for (at, _) in text.char_indices() {
            agree(&text[..at]);
            for byte in 0..=0x9f_u8 {
                let one = char::from(byte);
                agree(&format!("{}{one}{}", &text[..at], &text[at..]));
                agree(&format!("{}{one}{}", &text[..at], &text[at + 1..]));
            }
        }
        for byte in 0..=0x9f_u8 {
            let one = char::from(byte);
            for before in 0..17 {
                agree(&format!("\"{}{one}{}\"", "x".repeat(before), "y".repeat(9)));
                agree(&format!("\"{}\\{one}{}\"", "x".repeat(before), "y".repeat(9)));
                agree(&format!("\"{}\\u00{one}f{}\"", "é".repeat(before), "y".repeat(9)));
            }
        }
    }

    #[test]
    fn doubles_are_those_of_the_standard_library_bit_for_bit() {
        let mut dice = Dice::fresh();
        for _ in 0..cases() * 5 {
            let text = number(&mut dice);
            let cursor = Cursor::new(&text);
            let expected: f64 = text.parse().unwrap();
            match cursor.number().unwrap() {
                Number::Double(double) => {
                    assert_eq!(double.to_bits(), expected.to_bits(), "{text}");
                }
                Number::Integer(integer) => assert_eq!(Ok(integer), text.parse(), "{text}"),
                Number::Long => {}
            }
            assert_eq!(cursor.at(), text.len(), "{text}");
        }
    }

    /// A number of any spelling.
    fn number(dice: &mut Dice) -> String {
        let digits = |most: usize, dice: &mut Dice| -> String {
            let count = 1 + dice.below(most);
            (0..count).map(|_| char::from(b'0' + u8::try_from(dice.below(10)).unwrap())).collect()
        };
        let mut text = String::from(dice.of(&["", "-"]));
        let whole = digits(22, dice);
        let whole = whole.trim_start_matches('0');
        text.push_str(if whole.is_empty() { "0" } else { whole });
        if dice.below(2) == 0 {
            text.push('.');
            text.push_str(&digits(25, dice));
        }
        if dice.below(3) == 0 {
            text.push_str(dice.of(&["e", "E", "e-", "E+"]));
            text.push_str(&digits(3, dice));
        }
        text
    }

    fn json(dice: &mut Dice, depth: usize) -> String {
        let space = |dice: &mut Dice| dice.of(&["", "", "", " ", "\n\t", "\r\n  "]).to_owned();
        let kinds = if depth == 0 { 5 } else { 9 };
        let inner = match dice.below(kinds) {
            0 => number(dice),
            1 => dice.of(&["true", "false", "null"]).to_owned(),
            2..5 => text(dice),
            5 | 6 => {
                let count = dice.below(4);
                let items: Vec<String> = (0..count).map(|_| json(dice, depth - 1)).collect();
                format!("[{}{}]", space(dice), items.join(","))
            }
            _ => {
                let count = dice.below(4);
                let members: Vec<String> = (0..count)
                    .map(|_| {
                        let (name, value) = (text(dice), json(dice, depth - 1));
                        format!("{}{name}{}:{value}", space(dice), space(dice))
                    })
                    .collect();
                format!("{{{}{}}}", members.join(","), space(dice))
            }
        };
        format!("{}{inner}{}", space(dice), space(dice))
    }

    fn text(dice: &mut Dice) -> String {
        let parts = [
            "a",
            "b",
            "xyzxyzxyz",
            "é",
            "🦀",
            "\\n",
            "\\\"",
            "\\\\",
            "\\/",
            "\\u0041",
            "\\u00E9",
            "\\ud83e\\udd80",
            "\\ud800",
            "\\udc00",
            "\\u0000",
            "\u{7f}",
            "\u{2028}",
            " ",
        ];
        let count = dice.below(5);
        let inner: String = (0..count).map(|_| dice.of(&parts)).collect();
        format!("\"{inner}\"")
    }

    /// A text with one thing put in, taken out, doubled or cut off.
    #[expect(clippy::string_slice, reason = "the places are those of characters")]
    fn mutated(dice: &mut Dice, text: &str) -> String {
        let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        let (from, to) = (places[dice.below(places.len())], places[dice.below(places.len())]);
        let (from, to) = (from.min(to), from.max(to));
        match dice.below(4) {
            0 => format!("{}{}{}", &text[..from], dice.of(&PIECES), &text[from..]),
            1 => format!("{}{}", &text[..from], &text[to..]),
            2 => format!("{}{}", &text[..to], &text[from..]),
            _ => text[..from].to_owned(),
        }
    }
}
