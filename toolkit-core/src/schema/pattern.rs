//! `pattern`: ECMA-262 as JSON Schema means it, on the linear-time `regex` crate.

use regex::{Regex, RegexBuilder};

use super::matcher::Matcher;

/// No pattern may compile to more.
pub(super) const MOST_BYTES: usize = 10 << 20;

/// A pattern, compiled and as the schema has it.
#[derive(Debug)]
pub(crate) struct Pattern {
    pub(crate) text: String,
    by: By,
}

#[derive(Debug)]
enum By {
    Matcher(Matcher),
    Regex(Regex),
}

impl Pattern {
    /// Compiles a pattern; the reason where it can not be.
    pub(super) fn compile(text: &str) -> Result<Self, String> {
        let regex = compile(text)?;
        let by = Matcher::of(regex.as_str()).map_or(By::Regex(regex), By::Matcher);
        Ok(Self { text: text.to_owned(), by })
    }

    #[inline]
    pub(crate) fn matches(&self, text: &str) -> bool {
        match &self.by {
            By::Matcher(matcher) => matcher.matches(text),
            By::Regex(regex) => regex.is_match(text),
        }
    }
}

/// Compiles a pattern to a regular expression; the reason where it can not be.
pub(super) fn compile(pattern: &str) -> Result<Regex, String> {
    if let Some(flag) = refused_group(pattern) {
        return Err(format!(
            "pattern {pattern:?} can not be used: it has the group `(?{flag}`, which ECMA-262 does not"
        ));
    }
    RegexBuilder::new(&translate(pattern)).size_limit(MOST_BYTES).build().map_err(|error| {
        let reason = match error {
            regex::Error::CompiledTooBig(_) => "it compiles to more than 10 MiB".to_owned(),
            other => last_line(&other.to_string()),
        };
        format!("pattern {pattern:?} can not be used: {reason}; patterns run in linear time, without look-around and back-references")
    })
}

/// Whether a text is a regular expression; it is only read, since compiling has no small bound.
pub(super) fn is_regex(text: &str) -> bool {
    refused_group(text).is_none() && hir(text).is_some()
}

/// A pattern in parts; `None` where it is none.
pub(super) fn hir(pattern: &str) -> Option<regex_syntax::hir::Hir> {
    regex_syntax::Parser::new().parse(&translate(pattern)).ok()
}

/// Flags inside a pattern, which ECMA does not have.
fn refused_group(pattern: &str) -> Option<&str> {
    let (_, after) = pattern.split_once("(?")?;
    let is_known = |group: &str| group.starts_with([':', '=', '!', '<']);
    if is_known(after) { refused_group(after) } else { after.get(..1) }
}

fn last_line(text: &str) -> String {
    text.lines().last().unwrap_or(text).trim_start_matches("error: ").to_owned()
}

/// ECMA's white space.
const SPACE: &str = r"\t\n\x0b\x0c\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff";

/// Writes ECMA's ASCII classes out, which `regex` reads as Unicode's.
fn translate(pattern: &str) -> String {
    let mut translated = String::with_capacity(pattern.len());
    let mut in_class = false;
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            '[' if in_class => translated.push_str(r"\["),
            '[' => {
                let negated = chars.as_str().starts_with('^');
                let rest = chars.as_str().trim_start_matches('^');
                if rest.starts_with(']') && chars.as_str().len() - rest.len() <= 1 {
                    // ECMA's empty class matches nothing, and its complement anything.
                    translated.push_str(if negated { r"[\s\S]" } else { r"[^\s\S]" });
                    chars.by_ref().take(1 + usize::from(negated)).for_each(drop);
                } else {
                    in_class = true;
                    translated.push('[');
                }
            }
            // `--` takes one class from another in `regex`.
            '-' if in_class && translated.ends_with('-') => translated.push_str(r"\-"),
            ']' => {
                in_class = false;
                translated.push(']');
            }
            // In ECMA these are plain characters; in `regex` they combine classes.
            '&' | '~' if in_class => translated.extend(['\\', c]),
            '\\' => match chars.next() {
                Some('c') if chars.as_str().starts_with(|c: char| c.is_ascii_alphabetic()) => {
                    let letter = chars.next().map_or(0, |letter| u32::from(letter) % 32);
                    translated.extend([r"\x", &format!("{letter:02x}")]);
                }
                Some(escaped) => translated.push_str(&escape(escaped, in_class)),
                None => translated.push('\\'),
            },
            // ECMA's dot leaves out every line terminator.
            '.' if !in_class => translated.push_str(r"[^\n\r\u2028\u2029]"),
            _ => translated.push(c),
        }
    }
    translated
}

fn escape(escaped: char, in_class: bool) -> String {
    match (escaped, in_class) {
        ('d', false) => "[0-9]".to_owned(),
        ('d', true) => "0-9".to_owned(),
        ('D', _) => "[^0-9]".to_owned(),
        ('w', false) => "[A-Za-z0-9_]".to_owned(),
        ('w', true) => "A-Za-z0-9_".to_owned(),
        ('W', _) => "[^A-Za-z0-9_]".to_owned(),
        ('s', false) => format!("[{SPACE}]"),
        ('s', true) => SPACE.to_owned(),
        ('S', _) => format!("[^{SPACE}]"),
        ('b', true) => r"\x08".to_owned(),
        ('b', false) => r"(?-u:\b)".to_owned(),
        ('0', _) => r"\x00".to_owned(),
        _ => format!("\\{escaped}"),
    }
}

#[cfg(test)]
mod tests {
    use super::compile;

    #[test]
    fn classes_are_ascii_as_in_ecma() {
        assert!(compile(r"^\d+$").unwrap().is_match("42"));
        assert!(!compile(r"^\d+$").unwrap().is_match("٤٢"));
        assert!(compile(r"^[\d-]+$").unwrap().is_match("4-2"));
        assert!(!compile(r"^\w$").unwrap().is_match("é"));
        assert!(compile(r"^\s$").unwrap().is_match("\u{feff}"));
        assert!(!compile(r"^\s$").unwrap().is_match("\u{85}"));
        assert!(compile(r"^[[a&&b]$").unwrap().is_match("&"));
        assert!(compile(r"\bcat\b").unwrap().is_match("a cat"));
        assert!(!compile(r"^a$").unwrap().is_match("a\n"));
        assert!(!compile("[]a]").unwrap().is_match("]"));
        assert!(compile("^[^]$").unwrap().is_match("\n"));
        assert!(compile("^[+--]$").unwrap().is_match(","));
        assert!(compile(r"^\cI[\cj]$").unwrap().is_match("\t\n"));
    }

    #[test]
    fn what_is_not_linear_is_refused_with_the_reason() {
        assert!(compile("(?i)ab").unwrap_err().contains("the group `(?i`"));
        for pattern in [r"(?=a)b", r"(a)\1", "(", r"(?:a{1000}){1000}"] {
            let error = compile(pattern).unwrap_err();
            assert!(error.contains("linear time"), "{error}");
        }
    }
}
