//! The mistakes of one macro call, all of them.

use std::fmt::Display;

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;

/// Collects every mistake; nothing stops at the first.
#[derive(Default)]
pub(crate) struct Diagnostics(Vec<syn::Error>);

impl Diagnostics {
    /// Reports a mistake at the tokens that have to change.
    pub(crate) fn error(&mut self, at: impl ToTokens, message: impl Display) {
        self.0.push(syn::Error::new_spanned(at, message));
    }

    /// Reports a mistake at a place.
    pub(crate) fn at(&mut self, span: Span, message: impl Display) {
        self.0.push(syn::Error::new(span, message));
    }

    /// Keeps the value, or reports why there is none.
    pub(crate) fn ok_or_push<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.0.push(error)).ok()
    }

    /// Whether nothing was reported.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Writes the mistakes as compile errors, in the order of the source.
    pub(crate) fn into_tokens(mut self) -> TokenStream {
        self.0.sort_by_key(|error| {
            let start = error.span().start();
            (start.line, start.column)
        });
        self.0.iter().map(syn::Error::to_compile_error).collect()
    }
}

/// A message with a line of help, as the compiler prints its own.
pub(crate) fn with_help(message: impl Display, help: impl Display) -> String {
    format!("{message}\n\n= help: {help}")
}

/// A message that asks whether another word was meant, or lists the words there are.
pub(crate) fn did_you_mean(message: impl Display, word: &str, known: &[&str]) -> String {
    match similar(word, known) {
        Some(meant) => with_help(message, format_args!("did you mean `{meant}`?")),
        None => with_help(message, format_args!("write one of {}", listed(known))),
    }
}

/// The known word that looks most like the written one.
pub(crate) fn similar<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let alias = ALIASES.iter().find(|(alias, _)| *alias == word).map(|&(_, meant)| meant);
    let alias = alias.and_then(|meant| known.iter().find(|known| **known == meant));
    let likeness = |known: &str| {
        let cut_off = word.len() >= 3 && (known.starts_with(word) || word.starts_with(known));
        let likeness = strsim::jaro_winkler(word, known);
        if cut_off { likeness.max(0.9) } else { likeness }
    };
    let nearest = known
        .iter()
        .map(|known| (known, likeness(known)))
        .filter(|(_, likeness)| *likeness > 0.84)
        .max_by(|(_, left), (_, right)| left.total_cmp(right))
        .map(|(known, _)| known);
    alias.or(nearest).copied()
}

/// Words of other libraries for what ours calls something else.
const ALIASES: &[(&str, &str)] = &[
    ("ctx", "context"),
    ("cx", "context"),
    ("param", "arg"),
    ("verify", "on_unknown"),
    ("unknown", "on_unknown"),
    ("key", "idempotency"),
    ("idempotent", "idempotency"),
    ("prerequisite", "requires"),
    ("prerequisites", "requires"),
    ("after", "requires"),
    ("depends_on", "requires"),
    ("dry_run", "preview"),
    ("ttl", "time_to_live"),
    ("timeout", "time_to_live"),
    ("approvers", "quorum"),
    ("about", "description"),
    ("example", "examples"),
    ("regex", "pattern"),
    ("gt", "exclusive_minimum"),
    ("ge", "minimum"),
    ("lt", "exclusive_maximum"),
    ("le", "maximum"),
    ("min", "minimum"),
    ("max", "maximum"),
];

/// Writes words as `a`, `b` and `c`.
pub(crate) fn listed(words: &[&str]) -> String {
    let quoted: Vec<_> = words.iter().map(|word| format!("`{word}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => quoted.concat(),
    }
}
