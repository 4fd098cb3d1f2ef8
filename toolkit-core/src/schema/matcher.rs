//! Patterns of ASCII characters from end to end, matched without a look back.

use regex_syntax::hir::{Class, Hir, HirKind, Look, Repetition};

/// A pattern whose every character tells at once how the match goes on.
#[derive(Debug)]
pub(super) struct Matcher {
    parts: Vec<Part>,
}

/// Characters of one set, so many times in a row.
#[derive(Debug, Clone, Copy)]
struct Part {
    /// The ASCII characters, one bit each.
    set: u128,
    least: u32,
    most: u32,
}

impl Matcher {
    /// A matcher for a regular expression, where it is of that kind.
    pub(super) fn of(expression: &str) -> Option<Self> {
        let hir = regex_syntax::Parser::new().parse(expression).ok()?;
        let HirKind::Concat(items) = hir.kind() else { return None };
        let [first, middle @ .., last] = items.as_slice() else { return None };
        let is = |item: &Hir, look: Look| matches!(item.kind(), HirKind::Look(of) if *of == look);
        if !is(first, Look::Start) || !is(last, Look::End) {
            return None;
        }
        let mut parts = Vec::new();
        for item in middle {
            parts.extend(self::parts(item)?);
        }
        is_determined(&parts).then_some(Self { parts })
    }

    pub(super) fn matches(&self, text: &str) -> bool {
        let mut bytes = text.as_bytes();
        for part in &self.parts {
            let mut count = 0;
            while count < part.most
                && let [byte, rest @ ..] = bytes
                && *byte < 128
                && part.set >> byte & 1 == 1
            {
                bytes = rest;
                count += 1;
            }
            if count < part.least {
                return false;
            }
        }
        bytes.is_empty()
    }
}

/// Whether what may be longer or shorter never takes a character that may start what follows.
fn is_determined(parts: &[Part]) -> bool {
    parts.iter().enumerate().filter(|(_, part)| part.least < part.most).all(|(index, part)| {
        for next in parts.iter().skip(index + 1) {
            if part.set & next.set != 0 {
                return false;
            }
            if next.least > 0 {
                break;
            }
        }
        true
    })
}

fn parts(item: &Hir) -> Option<Vec<Part>> {
    match item.kind() {
        HirKind::Literal(literal) => literal
            .0
            .iter()
            .map(|byte| {
                let set = byte.is_ascii().then(|| 1 << byte)?;
                Some(Part { set, least: 1, most: 1 })
            })
            .collect(),
        HirKind::Class(class) => Some(vec![Part { set: ascii(class)?, least: 1, most: 1 }]),
        HirKind::Repetition(Repetition { min, max, sub, .. }) => match parts(sub)?.as_slice() {
            [Part { set, least: 1, most: 1 }] => {
                Some(vec![Part { set: *set, least: *min, most: max.unwrap_or(u32::MAX) }])
            }
            _ => None,
        },
        HirKind::Capture(capture) => parts(&capture.sub),
        HirKind::Concat(items) => {
            let all: Option<Vec<Vec<Part>>> = items.iter().map(parts).collect();
            all.map(|parts| parts.concat())
        }
        HirKind::Empty | HirKind::Look(_) | HirKind::Alternation(_) => None,
    }
}

/// The characters of a class, where all of them are ASCII.
fn ascii(class: &Class) -> Option<u128> {
    let Class::Unicode(class) = class else { return None };
    class.ranges().iter().try_fold(0, |set, range| {
        let (start, end) = (u32::from(range.start()), u32::from(range.end()));
        if end > 127 {
            return None;
        }
        Some((start..=end).fold(set, |set, character| set | 1 << character))
    })
}

#[cfg(test)]
mod tests {
    use std::hash::{BuildHasher, Hasher, RandomState};

    use super::Matcher;

    /// Numbers from a seed, a fresh one each time.
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, bound: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (self.0 >> 33) % bound
        }

        fn of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
            let index = self.below(choices.len() as u64);
            choices[usize::try_from(index).unwrap()]
        }
    }

    #[test]
    fn it_matches_what_the_regex_matches() {
        let seed = RandomState::new().build_hasher().finish();
        println!("seed {seed}");
        let mut numbers = Numbers(seed);
        let atoms = ["[A-C]", "[a-c]", "[0-1]", "A", "a", "-", "x", "[^A]", "é", "(ab)", "[A0]"];
        let counts = ["", "", "{2}", "{1,3}", "?", "*", "+", "{0,2}", "{2,}"];
        let letters = ["A", "B", "a", "b", "c", "0", "1", "-", "x", "é", "\n"];
        let (mut taken, mut hits) = (0, 0);
        for _ in 0..20_000 {
            let mut pattern = String::from("^");
            for _ in 0..=numbers.below(4) {
                pattern.extend([numbers.of(&atoms), numbers.of(&counts)]);
            }
            pattern.push('$');
            let Some(matcher) = Matcher::of(&pattern) else { continue };
            taken += 1;
            let regex = regex::Regex::new(&pattern).unwrap();
            for _ in 0..20 {
                let length = numbers.below(7);
                let text: String = (0..length).map(|_| numbers.of(&letters)).collect();
                assert_eq!(matcher.matches(&text), regex.is_match(&text), "{pattern} {text:?}");
                hits += u32::from(matcher.matches(&text));
            }
        }
        assert!(taken > 2_000 && hits > 500, "{taken} patterns, {hits} matches");
    }

    #[test]
    fn only_patterns_that_are_told_at_once_are_taken() {
        for taken in ["^[A-Z]{3}-[0-9]{4}$", "^O-[0-9]+$", "^[a-z]*$", "^(ab)[c-d]?$"] {
            assert!(Matcher::of(taken).is_some(), "{taken}");
        }
        for left in ["[A-Z]", "^a|b$", "^[a-z]*a$", "^[^a]$", "^(ab)+$", "^é$", "^a?a$"] {
            assert!(Matcher::of(left).is_none(), "{left}");
        }
    }
}
