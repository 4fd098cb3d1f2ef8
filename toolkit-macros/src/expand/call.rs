//! Writes the call: decode, pass the gates, call the function as it was written.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::Attribute;
use syn::parse::Parser;
use syn::spanned::Spanned;

use super::rules::rules;
use super::{lib, lib_at, local, owned, shown_at, up_to_end};
use crate::model::{Flow, Function, Param, Role, Surroundings, Tool, distinct_cfgs};

/// How a call goes on once its arguments are there.
#[derive(Clone, Copy)]
enum Kind {
    /// Nothing may wait, so no future is made.
    AtOnce,
    Later,
    /// In a thread of its own.
    Apart,
}

fn kind(tool: &Tool) -> Kind {
    let reads = matches!(tool.policy.effect, None | Some("Read"));
    let asks = tool.policy.has_rules() || !tool.policy.requires.is_empty();
    let waits = asks || tool.policy.concurrency.is_some();
    match tool.function.flow {
        Flow::Sync if tool.policy.blocking => Kind::Apart,
        Flow::Sync if reads && !waits => Kind::AtOnce,
        Flow::Sync | Flow::Async => Kind::Later,
    }
}

/// The parameters that there are under each condition that their `#[cfg]`s can be in.
fn present(tool: &Tool) -> Vec<(TokenStream, Vec<&Param>)> {
    let mut ways = vec![(TokenStream::new(), tool.params.iter().collect::<Vec<_>>())];
    for asked in distinct_cfgs(tool.params.iter().map(|param| &param.cfgs)) {
        let is_asked = |param: &&Param| param.cfgs.to_string() == asked.to_string();
        let without = |(cfgs, params): &(TokenStream, Vec<_>)| {
            let params = params.iter().copied().filter(|param| !is_asked(param)).collect();
            let conditions = conditions(asked);
            (quote!(#cfgs #[cfg(not(all(#(#conditions),*)))]), params)
        };
        let others: Vec<_> = ways.iter().map(without).collect();
        for (cfgs, _) in &mut ways {
            cfgs.extend(asked.clone());
        }
        ways.extend(others);
    }
    ways
}

/// What stands between the parentheses of each `#[cfg(…)]`.
fn conditions(cfgs: &TokenStream) -> Vec<TokenStream> {
    let attributes = Attribute::parse_outer.parse2(cfgs.clone()).unwrap_or_default();
    let lists = attributes.iter().filter_map(|attribute| attribute.meta.require_list().ok());
    lists.map(|list| list.tokens.clone()).collect()
}

/// Writes the call, once for each condition that the parameters' `#[cfg]`s can be in.
pub(super) fn calls(tool: &Tool) -> TokenStream {
    let ways = present(tool);
    let call = local("call");
    match &*ways {
        [(_, params)] => self::call(tool, params),
        ways => {
            let ways = ways.iter().map(|(cfgs, params)| {
                let written = self::call(tool, params);
                quote!(#cfgs let #call = #written;)
            });
            quote!({ #(#ways)* #call })
        }
    }
}

/// Writes the call: decode, pass the gates, call the function as it was written.
fn call(tool: &Tool, params: &[&Param]) -> TokenStream {
    let (Function { ident, .. }, lib) = (&tool.function, lib());
    let (passage, place) = (local("way"), shown_at(ident.span()));
    let (arguments, read) = (local("given"), read(tool, params));
    let taken = arguments_of(params).map(|(index, _)| argument(index));
    let taken: Vec<_> = taken.chain(format(tool)).collect();
    let injected = |from| {
        let injected = numbered(params).map(|(index, param)| inject(&argument(index), param, from));
        let injected = this(tool, from).into_iter().chain(injected);
        injected.collect::<TokenStream>()
    };
    let here = injected(&passage);
    let kind = kind(tool);
    let rest = match kind {
        Kind::AtOnce => {
            let returned = returned(tool, &called(tool, params));
            let steps = quote!(#here #passage.pass_at_once()?; #returned);
            let steps = quote!(let (#(#taken,)*) = #read; #steps);
            return quote_spanned!(place=> #lib::Call::AtOnce(|#passage| { #steps }));
        }
        Kind::Later => called_later(tool, params),
        Kind::Apart => {
            let (held, returned) = (local("held"), returned(tool, &called(tool, params)));
            let there = injected(&held);
            quote!(#passage.apart(move |#held| { #there #returned }))
        }
    };
    let here = if matches!(kind, Kind::Apart) { TokenStream::new() } else { here };
    let lib_here = lib_at(place);
    let rest = quote!(move |(#(#taken,)*)| #rest);
    let rest = if let Some(rules) = rules(tool, params) {
        quote_spanned!(place=> #lib_here::ruled(#passage, #arguments, #rules, #rest))
    } else {
        quote_spanned!(place=> #lib_here::later(#passage, #arguments, #rest))
    };
    let steps = quote!(let #arguments = #read; #here #rest);
    quote_spanned!(place=> #lib::Call::Later(|#passage| { #steps }))
}

pub(super) fn numbered<'a>(params: &[&'a Param]) -> impl Iterator<Item = (usize, &'a Param)> {
    params.iter().copied().enumerate()
}

/// The parameters that the model fills.
pub(super) fn arguments_of<'a>(params: &[&'a Param]) -> impl Iterator<Item = (usize, &'a Param)> {
    numbered(params).filter(|(_, param)| matches!(param.role, Role::Argument(_)))
}

/// The local of a parameter, which no name of the user's can meet.
pub(super) fn argument(index: usize) -> Ident {
    format_ident!("arg{index}", span = Span::mixed_site())
}

/// The local that says how much the result is to tell.
pub(super) fn format(tool: &Tool) -> Option<Ident> {
    tool.formats.then(|| local("format"))
}

/// Writes the reading of the arguments, into one tuple.
fn read(tool: &Tool, params: &[&Param]) -> TokenStream {
    let (lib, passage) = (lib(), local("way"));
    let types = arguments_of(params).map(|(_, param)| owned(param));
    let types: Vec<_> = types.chain(tool.formats.then(detail)).collect();
    let arguments = format_ident!("read{}", types.len());
    if types.is_empty() {
        return quote!(#lib::#arguments(#passage)?);
    }
    quote!(#lib::#arguments::<#(#types),*>(#passage)?)
}

/// Writes the call of the function.
fn called(tool: &Tool, params: &[&Param]) -> TokenStream {
    let this = tool.receiver.iter().map(|_| local("this").into_token_stream());
    let given = numbered(params).map(|(index, param)| given(&argument(index), param));
    let (given, found) = (this.chain(given), found(&tool.function));
    quote_spanned!(shown_at(tool.function.ident.span())=> #found(#(#given),*))
}

/// Writes the call of a function that ends later, up to its output.
fn called_later(tool: &Tool, params: &[&Param]) -> TokenStream {
    let (called, value) = (called(tool, params), local("value"));
    let lends = arguments_of(params).any(|(_, param)| param.ty.lent.is_some());
    let lib = lib_at(shown_at(tool.function.ident.span()));
    match tool.function.flow {
        Flow::Sync => {
            let returned = returned(tool, &called);
            quote!(::core::future::ready({ #returned }))
        }
        Flow::Async if lends || tool.formats => {
            let returned = returned(tool, &quote!(#called.await));
            quote!(async move { #returned })
        }
        Flow::Async => {
            let output = output(tool);
            quote_spanned!(called.span()=> #lib::told(#called, |#value| #output))
        }
    }
}

/// Finds the function, as a value: no lint against an `async fn` without `.await` is told of it.
fn found(function: &Function) -> TokenStream {
    let Function { ident, surroundings, is_deprecated, .. } = function;
    let place = shown_at(ident.span());
    let path = match surroundings {
        Surroundings::Module | Surroundings::Impl => ident.to_token_stream(),
        Surroundings::Toolbox(within) => {
            let owner = &within.owner;
            quote_spanned!(place=> <#owner>::#ident)
        }
    };
    if *is_deprecated {
        let tool = local("tool");
        return quote!(({ #[allow(deprecated)] let #tool = #path; #tool }));
    }
    let lib = lib_at(place);
    quote_spanned!(place=> #lib::found(#path))
}

/// What the function is given for a parameter.
pub(super) fn given(local: &Ident, param: &Param) -> TokenStream {
    match (&param.role, &param.ty.lent) {
        (Role::Argument(_), Some(lent)) => {
            let lib = lib();
            quote!(<#lent as #lib::Borrowed>::lend(&#local))
        }
        (Role::Argument(_) | Role::State | Role::Context, _) => local.to_token_stream(),
    }
}

/// Binds the local that stands for `self`.
pub(super) fn this(tool: &Tool, passage: &Ident) -> Option<TokenStream> {
    let ty = &tool.receiver.as_ref()?.tokens;
    let this = local("this");
    Some(quote!(let #this = #passage.receiver::<Self, #ty>()?;))
}

/// Calls, and turns what that gives into the output.
fn returned(tool: &Tool, called: &TokenStream) -> TokenStream {
    let (value, output) = (local("value"), output(tool));
    quote!(let #value = #called; #output)
}

/// Turns the value into the output; one that is none is shown under its type.
fn output(tool: &Tool) -> TokenStream {
    let (ty, value) = (&tool.output, local("value"));
    let written = &ty.tokens;
    let lib = lib_at(ty.span);
    let place = shown_at(ty.span);
    let given = up_to_end(ty, value.to_token_stream());
    let split = quote_spanned!(place=> #lib::Returned::<#written>::split #given);
    let split = up_to_end(ty, split);
    let told = if let Some(format) = format(tool) {
        let told = quote_spanned!(place=> #lib::in_format(#split, #format));
        up_to_end(ty, told)
    } else {
        split
    };
    quote_spanned!(place=> #lib::returned #told)
}

/// The type of the parameter by which the model says how much it wants to read.
pub(super) fn detail() -> TokenStream {
    let lib = lib();
    quote!(::core::option::Option<#lib::Detail>)
}

/// Binds what the call or the registry lends to a parameter.
pub(super) fn inject(local: &Ident, param: &Param, from: &Ident) -> TokenStream {
    let written = &param.ty.tokens;
    match param.role {
        Role::State => quote!(let #local = #from.state::<#written>()?;),
        Role::Context => quote!(let #local = #from.lent::<#written>();),
        Role::Argument(_) => TokenStream::new(),
    }
}
