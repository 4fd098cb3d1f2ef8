//! The rules of `annotations(…)`: what follows from the effect is not said otherwise.

use super::policy::later;
use crate::attr::{Flag, HintKeys, Once, Text, ToolKeys, Unknown};
use crate::diag::Diagnostics;

/// The hints that are said beside the effect, as fields of `Hints`.
pub(super) fn hints(keys: &ToolKeys, diag: &mut Diagnostics) -> Vec<(&'static str, bool)> {
    let Some(annotations) = keys.annotations.get() else { return Vec::new() };
    let hints = &annotations.0;
    read_only(keys, &hints.read_only, diag);
    contradicted(keys, hints, diag);
    let said = [
        ("destructive", &hints.destructive),
        ("idempotent", &hints.idempotent),
        ("open_world", &hints.open_world),
    ];
    said.into_iter().filter_map(|(field, flag)| Some((field, flag.get()?.0))).collect()
}

/// Whether it is a read is what the effect says.
fn read_only(keys: &ToolKeys, hint: &Once<Flag>, diag: &mut Diagnostics) {
    let (Some(at), Some(Flag(is_read))) = (hint.key(), hint.get()) else { return };
    let right = if *is_read { "`effect = \"read\"`" } else { "`effect = \"write\"`" };
    match &keys.effect {
        Once::Absent => diag.at(
            at,
            format!("`read_only_hint` follows from the effect, which is not said: write {right}"),
        ),
        Once::Given { value: Text { text, span }, .. } if (text == "read") != *is_read => diag.at(
            later(*span, at),
            format!(
                "`effect = \"{text}\"` and `read_only_hint = {is_read}` contradict each other: \
                 remove the hint, which follows from the effect"
            ),
        ),
        Once::Given { .. } | Once::Broken => {}
    }
}

/// Hints against what the effect says, or what becomes of an unknown outcome.
fn contradicted(keys: &ToolKeys, hints: &HintKeys, diag: &mut Diagnostics) {
    let effect = keys.effect.get().map(|effect| (effect.text.as_str(), effect.span));
    let reruns = match keys.on_unknown.get() {
        Some(Unknown::Word(word)) if word.text == "rerun" => Some(word.span),
        _ => None,
    };
    let said = [
        ("read", &hints.destructive, "destructive_hint = true", true, "a read destroys nothing"),
        (
            "irreversible",
            &hints.destructive,
            "destructive_hint = false",
            false,
            "what is irreversible is changed for good",
        ),
        (
            "read",
            &hints.idempotent,
            "idempotent_hint = false",
            false,
            "a second read changes nothing",
        ),
    ];
    for (of, hint, written, value, why) in said {
        let (Some(at), Some(Flag(given))) = (hint.key(), hint.get()) else { continue };
        if let Some((effect, span)) = effect
            && effect == of
            && *given == value
        {
            let message = format!(
                "`effect = \"{of}\"` and `{written}` contradict each other: {why}: remove one"
            );
            diag.at(later(span, at), message);
        }
    }
    if let (Some(span), Some(at), Some(Flag(false))) =
        (reruns, hints.idempotent.key(), hints.idempotent.get())
    {
        let message = "`on_unknown = \"rerun\"` lets a call run again, and \
                       `idempotent_hint = false` says that this does harm: remove one";
        diag.at(later(span, at), message);
    }
}
