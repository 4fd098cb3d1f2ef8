//! The rules of what the gates go by.

use std::ops::RangeInclusive;

use proc_macro2::{Ident, Span, TokenStream};
use syn::ext::IdentExt;

use super::hint;
use crate::attr::{Approval, Bytes, Count, Flag, Once, Text, ToolKeys, Unknown, Value};
use crate::diag::{Diagnostics, did_you_mean, listed, with_help};
use crate::model::{Agreement, Flow, Policy, Written, WrittenParam};

/// The effects, as written and as the variants of `Effect`.
const EFFECTS: &[(&str, &str)] =
    &[("read", "Read"), ("write", "Write"), ("irreversible", "Irreversible")];

/// What an unknown outcome means, as written and as the variants of `OnUnknown`.
const UNKNOWNS: &[(&str, &str)] =
    &[("in_doubt", "InDoubt"), ("rerun", "Rerun"), ("rerun_with_key", "RerunWithKey")];

/// What becomes of a call without the scopes.
const DENIALS: &[&str] = &["outcome", "fatal"];

/// The units of a time, in milliseconds.
const UNITS: &[(&str, u64)] =
    &[("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 60 * 60_000), ("d", 24 * 60 * 60_000)];

/// How long a call can wait for a person, in milliseconds: from a minute to thirty days.
const WAITS: RangeInclusive<u64> = 60_000..=30 * 24 * 60 * 60_000;

/// How long a tool's own code can be let run, in milliseconds: up to a day.
const TAKES: RangeInclusive<u64> = 1..=24 * 60 * 60_000;

/// What a cut result needs to say that it was cut, in bytes.
const LEAST_SHOWN: u32 = 256;

/// Checks every key that a gate goes by.
pub(super) fn policy(written: &Written, diag: &mut Diagnostics) -> Policy {
    let keys = &written.keys;
    changes_something(keys, diag);
    hidden(keys, diag);
    told(keys, diag);
    apart(written, diag);
    let (on_unknown, verify) = on_unknown(&keys.on_unknown, diag);
    Policy {
        effect: effect(&keys.effect, diag),
        scopes: scopes(written, diag),
        listed: is_set(&keys.listed),
        fatal: on_denied(&keys.on_denied, diag) == Some("fatal"),
        on_unknown,
        verify,
        no_ledger: keys.ledger.get().map(|ledger| ledger.0.clone()),
        idempotency: idempotency(written, diag),
        requires: requires(written, diag),
        approval: keys.approval.get().map(|approval| agreement(keys, approval, diag)),
        checks: keys.check.0.iter().map(|check| check.0.clone()).collect(),
        preview: keys.preview.get().map(|preview| preview.0.clone()),
        preview_must_match: is_set(&keys.preview_must_match),
        timeout: timeout(&keys.timeout, diag),
        blocking: is_set(&keys.blocking),
        concurrency: keys.concurrency.get().and_then(|count| usize::try_from(count.number).ok()),
        result_limit: result_limit(&keys.result_limit, diag),
        flows: flows(keys),
        hints: hint::hints(keys, diag),
        examples: examples(written, diag),
    }
}

/// How long its own code may take, in milliseconds.
fn timeout(written: &Once<Text>, diag: &mut Diagnostics) -> Option<u64> {
    let time = time(written.get(), "like `500ms`, `30s` or `5m`", diag)?;
    if let Some(Text { text, span }) = written.get()
        && !TAKES.contains(&time)
    {
        diag.at(*span, format_args!("a tool may take from `1ms` to `1d`, and not `{text}`"));
    }
    Some(time)
}

fn result_limit(limit: &Once<Bytes>, diag: &mut Diagnostics) -> Option<usize> {
    let Bytes(Count { number, span }) = limit.get()?;
    if *number < LEAST_SHOWN {
        let message = format_args!(
            "a cut result needs {LEAST_SHOWN} bytes to say that it was cut: \
             write `result_limit = {LEAST_SHOWN}` or more"
        );
        diag.at(*span, message);
    }
    usize::try_from(*number).ok()
}

/// Where data comes from and goes to.
fn flows(keys: &ToolKeys) -> Vec<&'static str> {
    let said = [
        ("reads_untrusted", &keys.reads_untrusted),
        ("reads_private", &keys.reads_private),
        ("writes_external", &keys.writes_external),
    ];
    said.into_iter().filter(|(_, flag)| is_set(flag)).map(|(field, _)| field).collect()
}

/// What can be left while it runs: a function that awaits, or one with a thread of its own.
fn apart(written: &Written, diag: &mut Diagnostics) {
    let keys = &written.keys;
    let is_async = written.function.flow == Flow::Async;
    if is_async
        && is_set(&keys.blocking)
        && let Some(key) = keys.blocking.key()
    {
        let message = "`blocking` gives a function a thread of its own, and this one awaits: \
                       remove `blocking`, or `async`";
        diag.at(key, message);
    }
    if !is_async
        && keys.blocking.is_absent()
        && let Some(key) = keys.timeout.key()
    {
        let message = "a function that does not await can not be left when its time is over: \
                       write `blocking` as well, which gives it a thread of its own, or make it \
                       `async`";
        diag.at(key, message);
    }
}

pub(super) fn is_set(flag: &Once<Flag>) -> bool {
    flag.get().is_some_and(|flag| flag.0)
}

/// Where it starts.
fn place(span: Span) -> (usize, usize) {
    (span.start().line, span.start().column)
}

/// The one that stands behind the other.
pub(super) fn later(one: Span, other: Span) -> Span {
    if place(one) < place(other) { other } else { one }
}

fn effect(effect: &Once<Text>, diag: &mut Diagnostics) -> Option<&'static str> {
    let Text { text, span } = effect.get()?;
    let found = EFFECTS.iter().find(|(word, _)| word == text);
    if found.is_none() {
        let words: Vec<_> = EFFECTS.iter().map(|(word, _)| *word).collect();
        diag.at(*span, did_you_mean(format_args!("unknown effect `{text}`"), text, &words));
    }
    found.map(|(_, variant)| *variant)
}

fn scopes(written: &Written, diag: &mut Diagnostics) -> Vec<String> {
    let mut seen = Vec::new();
    for Text { text, span } in written.keys.scopes.get().into_iter().flat_map(|words| &words.0) {
        if text.trim().is_empty() {
            diag.at(*span, "a scope is blank: write one like `\"payments:write\"`");
        } else if seen.contains(text) {
            diag.at(*span, format_args!("the scope `{text}` stands twice: keep one of the two"));
        }
        seen.push(text.clone());
    }
    seen
}

/// Some keys have no meaning where nothing is changed.
fn changes_something(keys: &ToolKeys, diag: &mut Diagnostics) {
    let said = [
        ("on_unknown", keys.on_unknown.key()),
        ("ledger", keys.ledger.key()),
        ("idempotency", keys.idempotency.key()),
        ("writes_external", keys.writes_external.key()),
    ];
    let said: Vec<_> = said.into_iter().filter_map(|(key, at)| Some((key, at?))).collect();
    let Some(first) = said.iter().map(|(_, at)| *at).min_by_key(|at| place(*at)) else { return };
    let words: Vec<_> = said.iter().map(|(key, _)| *key).collect();
    let (is, it) = if words.len() == 1 { ("is", "it") } else { ("are", "them") };
    let message = format!("{} {is} for a tool that changes something", listed(&words));
    match &keys.effect {
        Once::Absent => diag.at(
            first,
            format!("{message}: write `effect = \"write\"` or `effect = \"irreversible\"` as well"),
        ),
        Once::Given { value: Text { text, span }, .. } if text == "read" => {
            let message = format!(
                "{message}, and a read does not: remove {it}, or write `effect = \"write\"`"
            );
            diag.at(later(*span, first), message);
        }
        Once::Given { .. } | Once::Broken => {}
    }
}

/// What is said of a caller without the scopes.
fn hidden(keys: &ToolKeys, diag: &mut Diagnostics) {
    let without_scopes = match (keys.listed.key(), keys.on_denied.key()) {
        (Some(listed), _) => Some(("listed", listed)),
        (None, on_denied) => on_denied.map(|on_denied| ("on_denied", on_denied)),
    };
    if let Some((key, at)) = without_scopes
        && keys.scopes.is_absent()
    {
        let message = format!(
            "`{key}` is about callers without the tool's scopes, and it has none: \
             write `scopes(\"…\")` as well, or remove `{key}`"
        );
        diag.at(at, message);
        return;
    }
    let Some(Text { text, span }) = keys.on_denied.get() else { return };
    let is_listed = !keys.listed.is_absent() && keys.listed.get().is_none_or(|listed| listed.0);
    if text == "fatal" && !is_listed {
        let message = "`on_denied = \"fatal\"` ends the run of a model that asks for what it was \
                       shown, and this tool is hidden: write `listed = true` as well";
        diag.at(keys.listed.key().map_or(*span, |listed| later(*span, listed)), message);
    }
}

/// A preview can only stay as it was where there is one.
fn told(keys: &ToolKeys, diag: &mut Diagnostics) {
    if is_set(&keys.preview_must_match)
        && keys.preview.is_absent()
        && let Some(key) = keys.preview_must_match.key()
    {
        let message = "`preview_must_match` compares what `preview` told, and there is none: \
                       write `preview = …` as well";
        diag.at(key, message);
    }
}

fn on_denied(on_denied: &Once<Text>, diag: &mut Diagnostics) -> Option<&'static str> {
    let Text { text, span } = on_denied.get()?;
    let found = DENIALS.iter().find(|word| *word == text).copied();
    if found.is_none() {
        let message = format_args!("`on_denied` can not be `{text}`");
        diag.at(*span, did_you_mean(message, text, DENIALS));
    }
    found
}

/// The variant of `OnUnknown`, and the expression that finds out.
fn on_unknown(
    on_unknown: &Once<Unknown>,
    diag: &mut Diagnostics,
) -> (Option<&'static str>, Option<TokenStream>) {
    let Text { text, span } = match on_unknown.get() {
        None => return (None, None),
        Some(Unknown::Verify(verify)) => return (Some("Verify"), Some(verify.clone())),
        Some(Unknown::Word(word)) => word,
    };
    let found = UNKNOWNS.iter().find(|(word, _)| word == text);
    if found.is_none() {
        let words: Vec<_> = UNKNOWNS.iter().map(|(word, _)| *word).chain(["verify(…)"]).collect();
        let message = format_args!("`on_unknown` can not be `{text}`");
        diag.at(*span, did_you_mean(message, text, &words));
    }
    (found.map(|(_, variant)| *variant), None)
}

/// The names in the schema of what makes two calls the same call.
fn idempotency(written: &Written, diag: &mut Diagnostics) -> Vec<(TokenStream, String)> {
    let names = written.keys.idempotency.get().map(|names| names.0.as_slice());
    named(names.unwrap_or_default(), "idempotency", written, diag)
}

/// Whole arguments, by their names in the schema.
fn examples(written: &Written, diag: &mut Diagnostics) -> Vec<Vec<(TokenStream, String, Value)>> {
    let all = written.keys.examples.get().map(|all| all.0.as_slice()).unwrap_or_default();
    let whole = all.iter().map(|fields| {
        let names: Vec<Ident> = fields.iter().map(|field| field.name.clone()).collect();
        named(&names, "examples", written, diag);
        let said = fields.iter().filter_map(|field| {
            let word = field.name.unraw().to_string();
            let param = written.params.iter().find(|param| param.is_called(&word))?;
            Some((param.cfgs.clone(), param.name()?, field.value.clone()))
        });
        said.collect()
    });
    whole.collect()
}

/// What must have succeeded before.
fn requires(
    written: &Written,
    diag: &mut Diagnostics,
) -> Vec<(String, Vec<(TokenStream, String)>)> {
    let all = written.keys.requires.get().map(|all| all.0.as_slice()).unwrap_or_default();
    let mut requires: Vec<(String, Vec<(TokenStream, String)>)> = Vec::new();
    for required in all {
        let Text { text, span } = &required.tool;
        if requires.iter().any(|(earlier, _)| earlier == text) {
            diag.at(*span, format!("`{text}` stands twice: keep one of the two"));
        }
        requires.push((text.clone(), named(&required.same, "requires", written, diag)));
    }
    requires
}

/// The names in the schema of parameters that are named.
fn named(
    names: &[Ident],
    key: &str,
    written: &Written,
    diag: &mut Diagnostics,
) -> Vec<(TokenStream, String)> {
    let mut seen = Vec::new();
    for name in names {
        let word = name.unraw().to_string();
        if seen.contains(&word) {
            diag.error(name, format_args!("`{word}` stands twice: keep one of the two"));
        } else if let Some(message) = no_argument(name, key, written) {
            diag.error(name, message);
        }
        seen.push(word);
    }
    let said = |param: &&WrittenParam| seen.iter().any(|word| param.is_called(word));
    let said = written.params.iter().filter(said);
    said.filter_map(|param| Some((param.cfgs.clone(), param.name()?))).collect()
}

/// Why a name is not that of an argument.
fn no_argument(name: &Ident, key: &str, written: &Written) -> Option<String> {
    let word = name.unraw().to_string();
    let param = written.params.iter().find(|param| param.is_called(&word));
    if param.is_some_and(WrittenParam::is_argument) {
        return None;
    }
    let message = format!("`{word}` is no parameter that the model fills");
    let arguments = || written.params.iter().filter(|param| param.is_argument());
    let renamed = arguments().find(|param| param.name().as_ref() == Some(&word));
    if let Some(ident) = renamed.and_then(|param| param.ident.as_ref()) {
        return Some(with_help(message, format_args!("it is called `{ident}` here: write that")));
    }
    let known = arguments().filter_map(|param| Some(param.ident.as_ref()?.unraw().to_string()));
    let known: Vec<_> = known.collect();
    if known.is_empty() {
        return Some(with_help(message, format_args!("the model fills none: remove `{key}`")));
    }
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    if param.is_some() || word == "self" {
        let known = listed(&known);
        let help = format_args!("what the model fills can be named here: write some of {known}");
        return Some(with_help(message, help));
    }
    Some(did_you_mean(message, &word, &known))
}

fn agreement(keys: &ToolKeys, approval: &Approval, diag: &mut Diagnostics) -> Agreement {
    let needs_rule = match &keys.effect {
        Once::Absent => true,
        Once::Given { value: Text { text, .. }, .. } => text == "read" || text == "write",
        Once::Broken => false,
    };
    if let (None, true, Some(key)) = (&approval.rule, needs_rule, keys.approval.key()) {
        let message = "`approval` says how a person agrees and not when: \
                       write the rule first, like `approval(amount > 500.0, …)`";
        let help = "`approval(true, …)` asks a person about every call, as \
                    `effect = \"irreversible\"` does by itself";
        diag.at(key, with_help(message, help));
    }
    Agreement {
        rule: approval.rule.clone(),
        quorum: approval.keys.quorum.get().map(|quorum| quorum.number),
        four_eyes: is_set(&approval.keys.four_eyes),
        time_to_live: time_to_live(approval.keys.time_to_live.get(), diag),
    }
}

/// The milliseconds that a call waits for a person.
fn time_to_live(written: Option<&Text>, diag: &mut Diagnostics) -> Option<u64> {
    let time = time(written, "like `30m`, `2h` or `3d`", diag)?;
    if let Some(Text { text, span }) = written
        && !WAITS.contains(&time)
    {
        let message =
            format_args!("a call waits for a person from `1m` to `30d`, and not `{text}`");
        diag.at(*span, message);
    }
    Some(time)
}

/// The milliseconds of a time; what is none is told with what one looks like.
fn time(written: Option<&Text>, like: &str, diag: &mut Diagnostics) -> Option<u64> {
    let Text { text, span } = written?;
    let time = milliseconds(text);
    if time.is_none() {
        let message = format_args!("`{text}` is no time: write a number and a unit, {like}");
        diag.at(*span, message);
    }
    time
}

/// Reads a time like `2h`.
fn milliseconds(text: &str) -> Option<u64> {
    let unit = text.trim_start_matches(|sign: char| sign.is_ascii_digit());
    let number = text.strip_suffix(unit)?;
    let (_, milliseconds) = UNITS.iter().find(|(word, _)| *word == unit)?;
    number.parse::<u64>().ok()?.checked_mul(*milliseconds)
}
