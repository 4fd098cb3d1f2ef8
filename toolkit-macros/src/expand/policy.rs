//! Writes what the gates go by.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};

use super::{constant_of, lib};
use crate::attr::Value;
use crate::model::{Agreement, Policy, Tool};

/// Writes what the gates go by, as far as it was said: a method of `Table` for each.
pub(super) fn policy(tool: &Tool) -> TokenStream {
    let lib = lib();
    let Policy { effect, scopes, on_unknown, no_ledger, approval, .. } = &tool.policy;
    let Policy { timeout, concurrency, result_limit, hints, examples, .. } = &tool.policy;
    let variant = |of: &str, variant: &str| {
        let (of, variant) = (format_ident!("{of}"), format_ident!("{variant}"));
        quote!(#lib::#of::#variant)
    };
    let list = |words: &[TokenStream]| (!words.is_empty()).then(|| quote!(&[#(#words),*]));
    let said = |is_said: bool| is_said.then(TokenStream::new);
    let scopes: Vec<_> = scopes.iter().map(ToTokens::to_token_stream).collect();
    let idempotency = tool.policy.idempotency.iter().map(|(cfgs, name)| quote!(#cfgs #name));
    let idempotency: Vec<_> = idempotency.collect();
    let requires = tool.policy.requires.iter().map(|(required, same)| {
        let fields = same.iter().map(|(cfgs, name)| quote!(#cfgs #name));
        quote!(&[#required #(, #fields)*])
    });
    let requires: Vec<_> = requires.collect();
    let denied = if tool.policy.fatal { "Fatal" } else { "Outcome" };
    let preview = if tool.policy.preview_must_match { "preview_must_match" } else { "preview" };
    let keys = [
        ("effect", effect.map(|effect| variant("Effect", effect))),
        ("scopes", list(&scopes)),
        ("listed", tool.policy.listed.then(|| variant("OnDenied", denied))),
        ("on_unknown", on_unknown.map(|unknown| variant("OnUnknown", unknown))),
        ("without_ledger", no_ledger.as_ref().map(ToTokens::to_token_stream)),
        ("idempotency", list(&idempotency)),
        ("requires", list(&requires)),
        ("approval", approval.as_ref().map(agreement)),
        (preview, said(tool.policy.preview.is_some())),
        ("timeout", timeout.map(ToTokens::into_token_stream)),
        ("blocking", said(tool.policy.blocking)),
        ("concurrency", concurrency.map(ToTokens::into_token_stream)),
        ("result_limit", result_limit.map(ToTokens::into_token_stream)),
    ];
    let flows = tool.policy.flows.iter().map(|flow| (*flow, Some(TokenStream::new())));
    let hints = hints.iter().map(|(hint, is)| (*hint, Some(is.to_token_stream())));
    let examples = (!examples.is_empty()).then(|| self::examples(examples));
    let keys = keys.into_iter().chain(flows).chain(hints).chain([("examples", examples)]);
    let keys = keys.filter_map(|(key, given)| {
        let (key, given) = (format_ident!("{key}"), given?);
        Some(quote!(.#key(#given)))
    });
    keys.collect()
}

/// Writes whole arguments that show the model the form.
fn examples(all: &[Vec<(TokenStream, String, Value)>]) -> TokenStream {
    let all = all.iter().map(|fields| {
        let fields = fields.iter().map(|(cfgs, name, value)| {
            let value = constant_of(value);
            quote!(#cfgs (#name, #value))
        });
        quote!(&[#(#fields),*])
    });
    quote!(&[#(#all),*])
}

/// Writes how a person agrees, as far as it was said.
fn agreement(agreement: &Agreement) -> TokenStream {
    let lib = lib();
    let Agreement { quorum, four_eyes, time_to_live, .. } = agreement;
    let quorum = quorum.unwrap_or(1);
    let four_eyes = four_eyes.then(|| quote!(.by_others()));
    let time_to_live = time_to_live.map(|time| quote!(.within(#time)));
    quote!(#lib::by(#quorum) #four_eyes #time_to_live)
}
