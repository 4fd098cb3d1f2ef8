//! Writes the call: decode, pass the gates, call the function as it was written.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::Attribute;
use syn::parse::Parser;

use super::rules::{Rule, are_named, rules_of, written};
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
pub(super) fn calls(tool: &Tool) -> Vec<(TokenStream, TokenStream)> {
    let ways = present(tool).into_iter();
    ways.map(|(cfgs, params)| (cfgs, call(tool, &params))).collect()
}

/// Writes the call: decode, pass the gates, call the function as it was written.
fn call(tool: &Tool, params: &[&Param]) -> TokenStream {
    let passage = local("way");
    let place = shown_at(tool.function.ident.span());
    let (read, taken, kind) = (read(tool, params), taken(tool, params), kind(tool));
    if matches!(kind, Kind::AtOnce) {
        let told = told(tool, "told", &called(tool, params, Some(&passage)));
        let steps = quote!(let #taken = #read; #passage.pass_at_once()?; #told);
        return quote_spanned!(place=> .at_once(|#passage| { #steps }));
    }
    let rules = rules_of(&tool.policy);
    let is_apart = matches!(kind, Kind::Apart);
    let mut injected = injected(tool, params);
    injected.retain(|injected| !is_apart || injected.is_named(&rules));
    let given = injected.iter().map(|injected| injected.from(&passage));
    let given = in_one(&read, given);
    let held = injected.iter().map(|injected| match kind {
        Kind::Apart => quote!(_),
        Kind::AtOnce | Kind::Later => injected.local().into_token_stream(),
    });
    let held = in_one(&taken, held);
    let rest = if is_apart {
        let thread = local("held");
        let told = told(tool, "told", &called(tool, params, Some(&thread)));
        quote!(#passage.apart(move |#thread| #told))
    } else {
        called_later(tool, params)
    };
    let (here, rest) = (lib_at(place), quote!(move |#held| #rest));
    let waiting = rules.iter().filter(|rule| rule.waits()).map(Rule::asked);
    let waiting: Vec<_> = waiting.collect();
    let steps = if rules.is_empty() {
        quote_spanned!(place=> #here::later(#passage, #given, #rest))
    } else {
        let (name, listed) = if waiting.is_empty() {
            ("ruled", None)
        } else {
            ("ruled_later", Some(quote!(&[#(#waiting),*],)))
        };
        let (name, rules) = (Ident::new(name, place), written(tool, params, &rules, &injected));
        quote_spanned!(place=> #here::#name(#passage, #given, #listed #rules, #rest))
    };
    quote_spanned!(place=> .later(|#passage| { #steps }))
}

/// What is read and what is injected, in one; the arguments' gate comes before all else.
pub(super) fn in_one(
    read: &TokenStream,
    injected: impl Iterator<Item = TokenStream>,
) -> TokenStream {
    let mut injected = injected.peekable();
    if injected.peek().is_none() { read.clone() } else { quote!((#read #(, #injected)*)) }
}

/// The locals that take what was read.
fn taken(tool: &Tool, params: &[&Param]) -> TokenStream {
    let taken = arguments_of(params).map(|(index, _)| argument(index)).chain(format(tool));
    quote!((#(#taken,)*))
}

/// What the call or the registry lends.
pub(super) enum Injected<'a> {
    /// `self`, of this type.
    This(&'a TokenStream),
    /// A parameter, by its number.
    Param(usize, &'a Param),
}

/// What is lent to the function, in its order.
fn injected<'a>(tool: &'a Tool, params: &[&'a Param]) -> Vec<Injected<'a>> {
    let this = tool.receiver.iter().map(|ty| Injected::This(&ty.tokens));
    let params = numbered(params).filter(|(_, param)| !matches!(param.role, Role::Argument(_)));
    this.chain(params.map(|(index, param)| Injected::Param(index, param))).collect()
}

impl Injected<'_> {
    /// The local of ours that stands for it.
    fn local(&self) -> Ident {
        match self {
            Self::This(_) => local("this"),
            Self::Param(index, _) => argument(*index),
        }
    }

    /// The local by which the expressions know it.
    pub(super) fn name(&self) -> Ident {
        match self {
            Self::This(_) => local("this"),
            Self::Param(_, param) => param.ident.clone(),
        }
    }

    fn is_named(&self, rules: &[Rule<'_>]) -> bool {
        match self {
            Self::This(_) => are_named(rules, "self"),
            Self::Param(_, param) => are_named(rules, &param.ident.to_string()),
        }
    }

    /// Takes it from what lends it.
    fn from(&self, from: &Ident) -> TokenStream {
        match self {
            Self::This(ty) => quote!(#from.receiver::<Self, #ty>()?),
            Self::Param(_, Param { ty, role, .. }) => {
                let written = &ty.tokens;
                match role {
                    Role::Context => quote!(#from.lent::<#written>()),
                    Role::State | Role::Argument(_) => quote!(#from.state::<#written>()?),
                }
            }
        }
    }
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

/// Writes the call of the function; what is injected stands in locals, or is taken from what lends
/// it.
fn called(tool: &Tool, params: &[&Param], from: Option<&Ident>) -> TokenStream {
    let lent = |injected: Injected<'_>| match from {
        Some(from) => injected.from(from),
        None => injected.local().into_token_stream(),
    };
    let this = tool.receiver.iter().map(|ty| lent(Injected::This(&ty.tokens)));
    let given = numbered(params).map(|(index, param)| match param.role {
        Role::Argument(_) => given(&argument(index), param),
        Role::State | Role::Context => lent(Injected::Param(index, param)),
    });
    // What is wrong with the type of its value is shown under that type.
    let (start, end) = if is_handed_on(tool, params) {
        (tool.function.ident.span(), tool.function.ident.span())
    } else {
        (tool.output.span, tool.output.end)
    };
    let (given, found) = (this.chain(given), found(&tool.function, start));
    let mut given = Group::new(Delimiter::Parenthesis, quote!(#(#given),*));
    given.set_span(shown_at(end));
    quote!(#found #given)
}

/// Writes the call of a function that ends later, up to its output.
fn called_later(tool: &Tool, params: &[&Param]) -> TokenStream {
    let called = called(tool, params, None);
    match tool.function.flow {
        Flow::Sync => told(tool, "ready", &called),
        Flow::Async if is_handed_on(tool, params) => told(tool, "awaited", &called),
        Flow::Async => {
            let awaited = quote_spanned!(shown_at(tool.output.end)=> #called.await);
            let told = told(tool, "told", &awaited);
            quote!(async move { #told })
        }
    }
}

/// Whether the function's future is handed to the library, since nothing is lent to it here.
fn is_handed_on(tool: &Tool, params: &[&Param]) -> bool {
    let lends = arguments_of(params).any(|(_, param)| param.ty.lent.is_some());
    tool.function.flow == Flow::Async && !lends && !tool.formats
}

/// Finds the function, as a value: no lint against an `async fn` without `.await` is told of it.
fn found(function: &Function, place: Span) -> TokenStream {
    let Function { ident, surroundings, is_deprecated, .. } = function;
    let place = shown_at(place);
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

/// What the function is given for an argument.
pub(super) fn given(local: &Ident, param: &Param) -> TokenStream {
    match &param.ty.lent {
        Some(lent) => {
            let lib = lib();
            quote!(#lib::lend::<#lent>(&#local))
        }
        None => local.to_token_stream(),
    }
}

/// Turns what is called into the output; what is none is shown under its type.
fn told(tool: &Tool, told: &str, called: &TokenStream) -> TokenStream {
    let ty = &tool.output;
    let (written, place) = (&ty.tokens, shown_at(ty.span));
    let lib = lib_at(ty.span);
    let called = up_to_end(ty, called.clone());
    let Some(format) = format(tool) else {
        let told = Ident::new(told, place);
        return quote_spanned!(place=> #lib::Returned::<#written>::#told #called);
    };
    let split = quote_spanned!(place=> #lib::Returned::<#written>::split #called);
    let split = up_to_end(ty, split);
    let in_format = quote_spanned!(place=> #lib::in_format(#split, #format));
    let in_format = up_to_end(ty, in_format);
    let output = quote_spanned!(place=> #lib::returned #in_format);
    if told == "ready" { quote!(::core::future::ready(#output)) } else { output }
}

/// The type of the parameter by which the model says how much it wants to read.
pub(super) fn detail() -> TokenStream {
    let lib = lib();
    quote!(::core::option::Option<#lib::Detail>)
}
