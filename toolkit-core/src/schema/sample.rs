//! Texts that match a pattern.

use regex_syntax::hir::{Class, Hir, HirKind};

use super::pattern;

/// A text that matches a pattern, as far as one is found.
///
/// `choose` is given how many choices there are; always the first gives the shortest text.
pub(crate) fn sample(pattern: &str, choose: &mut dyn FnMut(usize) -> usize) -> Option<String> {
    let regex = pattern::compile(pattern).ok()?;
    let hir = pattern::hir(pattern)?;
    // A boundary inside may ask for more than the parts give, so the whole is asked again.
    for _ in 0..4 {
        let mut text = String::new();
        write(&hir, &mut text, choose);
        if regex.is_match(&text) {
            return Some(text);
        }
    }
    None
}

/// Longer texts help nobody.
const LONGEST: usize = 1_024;

fn write(hir: &Hir, text: &mut String, choose: &mut dyn FnMut(usize) -> usize) {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => text.push_str(&String::from_utf8_lossy(&literal.0)),
        HirKind::Class(class) => text.extend(letter(class, choose)),
        HirKind::Repetition(repeated) => {
            let more = repeated.max.map_or(3, |max| (max - repeated.min).min(3));
            let more = choose(usize::try_from(more).unwrap_or_default() + 1);
            let times = usize::try_from(repeated.min).unwrap_or_default() + more;
            for _ in 0..times {
                if text.len() > LONGEST {
                    return;
                }
                write(&repeated.sub, text, choose);
            }
        }
        HirKind::Capture(capture) => write(&capture.sub, text, choose),
        HirKind::Concat(parts) => parts.iter().for_each(|part| write(part, text, choose)),
        HirKind::Alternation(forms) => {
            if let Some(form) = forms.get(choose(forms.len())) {
                write(form, text, choose);
            }
        }
    }
}

/// A letter of a class, plain ones first.
fn letter(class: &Class, choose: &mut dyn FnMut(usize) -> usize) -> Option<char> {
    let ranges: Vec<(char, char)> = match class {
        Class::Unicode(class) => class.iter().map(|range| (range.start(), range.end())).collect(),
        Class::Bytes(class) => {
            class.iter().map(|range| (range.start().into(), range.end().into())).collect()
        }
    };
    let is_in = |c: &char| ranges.iter().any(|(start, end)| (start..=end).contains(&c));
    let plain = ('a'..='z').chain('A'..='Z').chain('0'..='9').chain(['-', '_', '.', ' ']);
    let mut letters: Vec<char> = plain.filter(is_in).collect();
    letters.extend(ranges.iter().flat_map(|(start, end)| [*start, *end]).take(64));
    letters.get(choose(letters.len())).copied()
}
