//! Which patterns a provider's engine takes.

use crate::dialect::form::Patterns;

/// Whether a provider's engine takes a pattern.
pub(super) fn is_taken(pattern: &str, patterns: Patterns) -> bool {
    let looks = ["(?=", "(?!", "(?<=", "(?<!"].iter().any(|look| pattern.contains(look));
    match patterns {
        Patterns::All => true,
        Patterns::None => false,
        Patterns::NoLookAround => !looks,
        Patterns::Simple => !looks && !has_word_boundary(pattern) && !has_wide_count(pattern),
    }
}

/// Whether a pattern has `\b`, `\B` or a reference back.
fn has_word_boundary(pattern: &str) -> bool {
    let mut is_escaped = false;
    pattern.chars().any(|c| {
        let was_escaped = is_escaped;
        is_escaped = !was_escaped && c == '\\';
        was_escaped && matches!(c, 'b' | 'B' | 'k' | '1'..='9')
    })
}

/// Whether a pattern counts further than the provider's engine unrolls.
fn has_wide_count(pattern: &str) -> bool {
    const MOST: u32 = 100;
    pattern.split('{').skip(1).any(|rest| {
        let Some((count, _)) = rest.split_once('}') else { return false };
        count.split(',').any(|number| number.trim().parse::<u32>().is_ok_and(|count| count > MOST))
    })
}
