//! Writes what the gates go by.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};

use super::{filled, lib};
use crate::model::{Agreement, Policy, Tool};

/// Writes what the gates go by, as far as it was said.
pub(super) fn policy(tool: &Tool) -> Option<TokenStream> {
    let lib = lib();
    let Policy { scopes, listed, fatal, idempotency, preview_must_match, .. } = &tool.policy;
    let Policy { timeout, blocking, concurrency, result_limit, flows: flows_of, .. } = &tool.policy;
    let some = |value: TokenStream| quote!(#lib::Some(#value));
    let variant = |of: &str, variant: &str| {
        let (of, variant) = (format_ident!("{of}"), format_ident!("{variant}"));
        quote!(#lib::#of::#variant)
    };
    let words = |words: &[TokenStream]| quote!(#lib::words(&[#(#words),*]));
    let scopes: Vec<_> = scopes.iter().map(ToTokens::to_token_stream).collect();
    let idempotency = idempotency.iter().map(|(cfgs, name)| quote!(#cfgs #name));
    let idempotency: Vec<_> = idempotency.collect();
    let requires = tool.policy.requires.iter().map(|(required, same)| {
        let fields = same.iter().map(|(cfgs, name)| quote!(#cfgs #name));
        quote!(&[#required #(, #fields)*])
    });
    let requires: Vec<_> = requires.collect();
    let no_ledger = |why: &String| {
        let none = variant("LedgerUse", "None");
        quote!(#none { why: ::std::borrow::Cow::Borrowed(#why) })
    };
    let said = [
        ("effect", tool.policy.effect.map(|effect| some(variant("Effect", effect)))),
        ("scopes", (!scopes.is_empty()).then(|| words(&scopes))),
        ("listed", listed.then(|| quote!(true))),
        ("on_denied", fatal.then(|| variant("OnDenied", "Fatal"))),
        ("on_unknown", tool.policy.on_unknown.map(|unknown| variant("OnUnknown", unknown))),
        ("ledger", tool.policy.no_ledger.as_ref().map(no_ledger)),
        ("idempotency", (!idempotency.is_empty()).then(|| words(&idempotency))),
        ("requires", (!requires.is_empty()).then(|| quote!(#lib::requirements(&[#(#requires),*])))),
        ("approval", tool.policy.approval.as_ref().map(|approval| some(agreement(approval)))),
        ("has_preview", tool.policy.preview.as_ref().map(|_| quote!(true))),
        ("preview_must_match", preview_must_match.then(|| quote!(true))),
        ("timeout", timeout.map(|time| some(milliseconds(time)))),
        ("blocking", blocking.then(|| quote!(true))),
        ("concurrency", concurrency.map(|calls| some(quote!(#calls)))),
        ("result_limit", result_limit.map(|bytes| some(quote!(#bytes)))),
    ];
    let flows = ["reads_untrusted", "reads_private", "writes_external"];
    let flows = flows.map(|field| (field, flows_of.contains(&field).then(|| quote!(true))));
    let Policy { hints: hints_of, examples: examples_of, .. } = &tool.policy;
    let shown = [
        ("hints", (!hints_of.is_empty()).then(|| hints(hints_of))),
        ("examples", (!examples_of.is_empty()).then(|| examples(examples_of))),
    ];
    let said: Vec<_> = said.into_iter().chain(flows).chain(shown).collect();
    said.iter().any(|(_, value)| value.is_some()).then(|| {
        let policy = filled(&variant("Policy", "DEFAULT"), &quote!(#lib::Policy), &said);
        quote!(|| #policy)
    })
}

/// Writes what a client of MCP is told beside the effect.
fn hints(said: &[(&str, bool)]) -> TokenStream {
    let lib = lib();
    let some = |value: bool| quote!(#lib::Some(#value));
    let said = ["destructive", "idempotent", "open_world"].map(|field| {
        let said = said.iter().find(|(name, _)| *name == field);
        (field, said.map(|(_, value)| some(*value)))
    });
    let of = quote!(#lib::Hints);
    filled(&quote!(#of::DEFAULT), &of, &said)
}

/// Writes whole arguments that show the model the form.
fn examples(all: &[Vec<(TokenStream, String, TokenStream)>]) -> TokenStream {
    let lib = lib();
    let all = all.iter().map(|fields| {
        let fields =
            fields.iter().map(|(cfgs, name, value)| quote!(#cfgs (#name, #lib::json(#value))));
        quote!(#lib::example(&[#(#fields),*]))
    });
    quote!(::std::vec::Vec::from([#(#all),*]))
}

fn milliseconds(time: u64) -> TokenStream {
    quote!(::core::time::Duration::from_millis(#time))
}

/// Writes how a person agrees, as far as it was said.
fn agreement(agreement: &Agreement) -> TokenStream {
    let lib = lib();
    let Agreement { quorum, four_eyes, time_to_live, .. } = agreement;
    let quorum = quorum.map(|quorum| quote!(.by(#quorum)));
    let four_eyes = four_eyes.then(|| quote!(.by_others()));
    let time_to_live = time_to_live.map(|time| quote!(.within(#time)));
    quote!(#lib::ApprovalPolicy::DEFAULT #quorum #four_eyes #time_to_live)
}
