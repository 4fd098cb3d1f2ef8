//! Writes a checked tool: the function, its marker, a table and one small call.

use proc_macro2::{Delimiter, Group, Ident, Literal, Spacing, Span, TokenStream, TokenTree};
use quote::{ToTokens, TokenStreamExt, format_ident, quote, quote_spanned};
use syn::Attribute;
use syn::parse::Parser;
use syn::spanned::Spanned;

use crate::attr::{self, Fits, Value};
use crate::model::{
    Agreement, Argument, Block, Constraint, Description, Flow, Function, Param, Policy, Role,
    Surroundings, Tool, Toolbox, Type, distinct_cfgs,
};

/// Writes the tool.
pub(crate) fn expand(tool: &Tool) -> TokenStream {
    let Function { kept, cfgs, marker: of, .. } = &tool.function;
    let (lib, imported) = (lib(), imported(&tool.function.root));
    let marker = marker(&tool.function);
    let (table, constants) = (table(tool, 0), constants(tool, 0));
    quote! {
        #kept
        #marker
        #cfgs
        const _: () = {
            #imported
            impl #lib::Annotated for #of {
                const TABLE: &'static #lib::Table = &#table;
            }
            #constants
        };
    }
}

/// The name of ours under which what is written finds the library.
fn lib() -> Ident {
    lib_at(Span::call_site())
}

/// The same, shown at a place of the user's.
fn lib_at(span: Span) -> Ident {
    Ident::new("__kit", shown_at(span))
}

/// Gives the library that name, and brings the traits in by which types are asked.
fn imported(root: &TokenStream) -> TokenStream {
    // Each in its own line, for then a root that is none is one mistake.
    quote! {
        use #root::__private as __kit;
        use __kit::asked::*;
    }
}

/// Writes the toolbox.
pub(crate) fn expand_toolbox(toolbox: &Toolbox) -> TokenStream {
    let Toolbox { block, tools } = toolbox;
    let Block { kept, cfgs, owner, root, .. } = block;
    let (resolved, ty) = (resolved(block), &owner.ty);
    let (lib, imported) = (lib(), imported(root));
    let constants = tools.iter().enumerate().map(|(number, tool)| constants(tool, number));
    let tables = tools.iter().enumerate().map(|(number, tool)| {
        let (cfgs, table) = (&tool.function.cfgs, table(tool, number));
        quote!(#cfgs #table)
    });
    quote! {
        #kept
        #cfgs
        const _: () = {
            #resolved
            #imported
            impl #lib::Toolbox for #ty {
                const TABLES: &'static [#lib::Table] = &[#(#tables),*];
            }
            #(#constants)*
        };
    }
}

/// What stands between the parentheses of a `#[tool]` that only resolves its path.
pub(crate) const RESOLVED: &str = "in toolbox";

/// Resolves the `#[tool]` of each method as the user wrote it, so that its import is in use.
pub(crate) fn resolved(block: &Block) -> TokenStream {
    let paths = &block.tool_paths;
    quote!(#(#[#paths(in toolbox)] const _: () = ();)*)
}

/// Writes the type that stands for the tool.
pub(crate) fn marker(function: &Function) -> TokenStream {
    let Function { cfgs, visibility, ident, marker, .. } = function;
    let doc = format!("The tool `{ident}`, for `tools!`.");
    quote! {
        #cfgs
        #[doc = #doc]
        #[allow(dead_code, missing_copy_implementations, missing_debug_implementations)]
        #[allow(nonstandard_style, unnameable_types, unreachable_pub)]
        #visibility struct #marker {}
    }
}

/// A span of ours, shown where the user's token stands: no lint is told of it.
fn shown_at(span: Span) -> Span {
    Span::call_site().located_at(span)
}

/// The arguments of a call whose mistakes are shown under the whole type.
fn up_to_end(ty: &Type, arguments: TokenStream) -> Group {
    let mut arguments = Group::new(Delimiter::Parenthesis, arguments);
    arguments.set_span(shown_at(ty.end));
    arguments
}

/// A local of ours, which no name of the user's can meet.
fn local(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

/// Writes the table of a tool; `number` tells it from the others of a toolbox.
fn table(tool: &Tool, number: usize) -> TokenStream {
    let (Function { ident, .. }, lib) = (&tool.function, lib());
    let Tool { name, description, .. } = tool;
    let policy = policy(tool);
    let description = described(description, number, 0);
    let format = tool.formats.then(|| {
        let (detail, told) = (detail(), quote!(#lib::FORMAT));
        quote!(#lib::Param::of::<#detail>("format").says(#told))
    });
    let params = params(tool, number).chain(format);
    let states = states(tool);
    let (output, place) = (&tool.output.tokens, shown_at(tool.output.span));
    let output = quote!(#lib::Returned::<#output>::success());
    let output = if tool.formats {
        let lib = lib_at(tool.output.span);
        quote_spanned!(place=> #lib::in_formats(#output))
    } else {
        output
    };
    let call = calls(tool);
    let line = Ident::new("line", Span::call_site());
    let line = quote_spanned!(shown_at(ident.span())=> ::core::#line!());
    let list = |items: Vec<TokenStream>| (!items.is_empty()).then(|| quote!(&[#(#items),*]));
    let said = [
        ("name", Some(quote!(#name))),
        ("title", tool.title.as_ref().map(|title| quote!(#lib::Some(#title)))),
        ("description", Some(description)),
        ("place", Some(quote!((::core::module_path!(), ::core::file!(), #line)))),
        ("policy", policy),
        ("params", list(params.collect())),
        ("states", list(states.collect())),
        ("output", Some(quote!(|| (&#output).schema()))),
        ("call", Some(call)),
    ];
    filled(&quote!(#lib::Table::NONE), &quote!(#lib::Table), &said)
}

/// Writes what the gates go by, as far as it was said.
fn policy(tool: &Tool) -> Option<TokenStream> {
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

/// Writes a struct of these fields with those that are said; the others are those of `default`.
fn filled(
    default: &TokenStream,
    of: &TokenStream,
    said: &[(&str, Option<TokenStream>)],
) -> TokenStream {
    // Clippy is against a rest of which nothing is taken.
    let rest = said.iter().any(|(_, value)| value.is_none()).then(|| quote!(..#default));
    let said = said.iter().filter_map(|(name, value)| {
        let name = format_ident!("{name}");
        value.as_ref().map(|value| quote!(#name: #value,))
    });
    let said: TokenStream = said.collect();
    if said.is_empty() { default.clone() } else { quote!(#of { #said #rest }) }
}

impl ToTokens for Description {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Self::Read(text, span) => {
                let mut literal = Literal::string(text);
                literal.set_span(shown_at(*span));
                tokens.append(literal);
            }
            Self::Constant(expression) => tokens.extend(expression.clone()),
        }
    }
}

/// Writes a description; a constant one stands as an item of its own.
fn described(description: &Description, number: usize, place: usize) -> TokenStream {
    match description {
        Description::Read(..) => description.to_token_stream(),
        Description::Constant(_) => text(number, place).into_token_stream(),
    }
}

/// The name of a constant description: of the tool in place 0, of its parameters behind it.
fn text(number: usize, place: usize) -> Ident {
    format_ident!("DESCRIPTION_{number}_{place}")
}

/// Writes the constant descriptions, and asks the compiler whether each says something.
fn constants(tool: &Tool, number: usize) -> TokenStream {
    let blank = format!(
        "the description of the tool `{}` is blank: \
         the model chooses by the description and by nothing else",
        tool.function.ident
    );
    let cfgs = &tool.function.cfgs;
    let mut constants = constant(tool, cfgs, &tool.description, &text(number, 0), &blank);
    for (index, param) in tool.params.iter().enumerate() {
        if let Role::Argument(Argument { name, description: Some(description), .. }) = &param.role {
            let blank = format!("the description of `{name}` is blank: write what it is");
            let own = &param.cfgs;
            let (cfgs, name) = (quote!(#cfgs #own), text(number, index + 1));
            constants.extend(constant(tool, &cfgs, description, &name, &blank));
        }
    }
    constants
}

fn constant(
    tool: &Tool,
    cfgs: &TokenStream,
    description: &Description,
    name: &Ident,
    blank: &str,
) -> TokenStream {
    let (Function { surroundings, .. }, lib) = (&tool.function, lib());
    let unseen = format!(
        "a text of the tool `{}` holds a character that is not shown: \
         a model would read what no person sees",
        tool.function.ident
    );
    let expression = match description {
        Description::Constant(expression) => expression,
        // What has nothing but letters and signs of ASCII need not be asked about.
        Description::Read(text, _) if text.chars().all(|sign| matches!(sign, ' '..='~' | '\n')) => {
            return TokenStream::new();
        }
        Description::Read(_, span) => {
            return quote_spanned! {shown_at(*span)=>
                #cfgs
                const _: () = ::core::assert!(!#lib::has_unseen(#description), #unseen);
            };
        }
    };
    let place = shown_at(expression.span());
    let expression = match surroundings {
        Surroundings::Module | Surroundings::Impl => expression.clone(),
        Surroundings::Toolbox(within) => {
            let ty = &within.ty;
            let owner =
                |word: &Ident, _| (word == "Self").then(|| quote_spanned!(word.span()=> <#ty>));
            replaced(expression.clone(), &owner)
        }
    };
    quote_spanned! {place=>
        #cfgs
        const #name: &'static ::core::primitive::str = #expression;
        #cfgs
        const _: () = ::core::assert!(!#lib::is_blank(#name), #blank);
        #cfgs
        const _: () = ::core::assert!(!#lib::has_unseen(#name), #unseen);
    }
}

fn params(tool: &Tool, number: usize) -> impl Iterator<Item = TokenStream> {
    let lib = lib();
    tool.params.iter().enumerate().filter_map(move |(index, param)| {
        let Role::Argument(argument) = &param.role else {
            return None;
        };
        let owned = owned(param);
        let name = &argument.name;
        let description = argument.description.as_ref();
        let says = description.map(|text| {
            let text = described(text, number, index + 1);
            quote!(.says(#text))
        });
        let (ty, cfgs) = (&param.ty.tokens, &param.cfgs);
        let keywords = argument.keywords.iter().map(|keyword| self::keyword(keyword, ty));
        let keywords: Vec<_> = keywords.collect();
        let takes = (!keywords.is_empty()).then(|| quote!(.takes(&[#(#keywords),*])));
        Some(quote!(#cfgs #lib::Param::of::<#owned>(#name) #says #takes))
    })
}

/// The type that an argument is decoded into.
fn owned(param: &Param) -> TokenStream {
    match &param.ty.lent {
        Some(lent) => {
            let lib = lib_at(param.ty.span);
            let owned = Ident::new("Owned", param.ty.end);
            quote_spanned!(param.ty.span=> <#lent as #lib::Borrowed>::#owned)
        }
        None => param.ty.tokens.clone(),
    }
}

fn keyword(keyword: &Constraint, ty: &TokenStream) -> TokenStream {
    let lib = lib();
    let Constraint { fits, keyword, value } = keyword;
    let value = constant_of(value);
    match fits {
        Fits::Any => quote!(#lib::any(#keyword, #value)),
        Fits::Number => quote!(#lib::number::<#ty>(#keyword, #value)),
        Fits::Text => quote!(#lib::text::<#ty>(#keyword, #value)),
        Fits::List => quote!(#lib::list::<#ty>(#keyword, #value)),
    }
}

/// Writes a value as data, as far as it is written out.
fn constant_of(value: &Value) -> TokenStream {
    let (Value { tokens, literal }, lib) = (value, lib());
    match literal {
        attr::Literal::Text(_) => quote!(#lib::Str(#tokens)),
        attr::Literal::Integer(_) => quote!(#lib::Int(#tokens)),
        attr::Literal::Float(_) => quote!(#lib::Float(#tokens)),
        attr::Literal::Flag => quote!(#lib::Bool(#tokens)),
        // Each item alone, since the items of examples may differ in type.
        attr::Literal::List(items) => {
            let items = items.iter().map(constant_of);
            quote!(#lib::Items(&[#(#items),*]))
        }
        attr::Literal::Typed(_) | attr::Literal::Other | attr::Literal::Unknown => {
            quote!(#lib::Json(|| #lib::json(#tokens)))
        }
    }
}

fn states(tool: &Tool) -> impl Iterator<Item = TokenStream> {
    let receiver = tool.receiver.iter().map(|ty| {
        let (ty, lib) = (&ty.tokens, lib());
        quote!(#lib::StateNeed::receiver::<Self, #ty>())
    });
    receiver.chain(tool.params.iter().filter_map(|param| match param.role {
        Role::State => {
            let (ty, cfgs, lib) = (&param.ty.tokens, &param.cfgs, lib());
            Some(quote!(#cfgs #lib::StateNeed::of::<#ty>()))
        }
        Role::Argument(_) | Role::Context => None,
    }))
}

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
fn calls(tool: &Tool) -> TokenStream {
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
    let (passage, place) = (local("passage"), shown_at(ident.span()));
    let (arguments, read) = (local("arguments"), read(tool, params));
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

fn numbered<'a>(params: &[&'a Param]) -> impl Iterator<Item = (usize, &'a Param)> {
    params.iter().copied().enumerate()
}

/// The parameters that the model fills.
fn arguments_of<'a>(params: &[&'a Param]) -> impl Iterator<Item = (usize, &'a Param)> {
    numbered(params).filter(|(_, param)| matches!(param.role, Role::Argument(_)))
}

/// The local of a parameter, which no name of the user's can meet.
fn argument(index: usize) -> Ident {
    format_ident!("argument{index}", span = Span::mixed_site())
}

/// The local that says how much the result is to tell.
fn format(tool: &Tool) -> Option<Ident> {
    tool.formats.then(|| local("format"))
}

/// Writes the reading of the arguments, into one tuple.
fn read(tool: &Tool, params: &[&Param]) -> TokenStream {
    let (lib, passage) = (lib(), local("passage"));
    let types = arguments_of(params).map(|(_, param)| owned(param));
    let types: Vec<_> = types.chain(tool.formats.then(detail)).collect();
    let arguments = format_ident!("arguments{}", types.len());
    if types.is_empty() {
        return quote!(#lib::#arguments(#passage)?);
    }
    quote!(#lib::#arguments::<#(#types),*>(#passage)?)
}

/// Writes the call of the function.
fn called(tool: &Tool, params: &[&Param]) -> TokenStream {
    let ident = &tool.function.ident;
    let this = tool.receiver.iter().map(|_| local("this").into_token_stream());
    let given = numbered(params).map(|(index, param)| given(&argument(index), param));
    let (given, path) = (this.chain(given), path(&tool.function));
    quote_spanned!(shown_at(ident.span())=> #path(#(#given),*))
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

/// What the function is given for a parameter.
fn given(local: &Ident, param: &Param) -> TokenStream {
    match (&param.role, &param.ty.lent) {
        (Role::Argument(_), Some(lent)) => {
            let lib = lib();
            quote!(<#lent as #lib::Borrowed>::lend(&#local))
        }
        (Role::Argument(_) | Role::State | Role::Context, _) => local.to_token_stream(),
    }
}

/// Where the function is found.
fn path(function: &Function) -> TokenStream {
    let Function { ident, surroundings, is_deprecated, .. } = function;
    let path = match surroundings {
        Surroundings::Module | Surroundings::Impl => ident.to_token_stream(),
        Surroundings::Toolbox(within) => {
            let owner = &within.owner;
            quote_spanned!(shown_at(ident.span())=> <#owner>::#ident)
        }
    };
    if !is_deprecated {
        return path;
    }
    let tool = local("tool");
    quote!(({ #[allow(deprecated)] let #tool = #path; #tool }))
}

/// Binds the local that stands for `self`.
fn this(tool: &Tool, passage: &Ident) -> Option<TokenStream> {
    let ty = &tool.receiver.as_ref()?.tokens;
    let this = local("this");
    Some(quote!(let #this = #passage.receiver::<Self, #ty>()?;))
}

/// Writes the local that stands for `self` where an expression says `self`.
fn with_this(tokens: TokenStream) -> TokenStream {
    replaced(tokens, &|word, starts_path| {
        let mut this = local("this");
        this.set_span(this.span().located_at(word.span()));
        (word == "self" && !starts_path).then(|| this.into_token_stream())
    })
}

/// Replaces words at any depth; `word` is told whether a path goes on behind it.
fn replaced(
    tokens: TokenStream,
    word: &dyn Fn(&Ident, bool) -> Option<TokenStream>,
) -> TokenStream {
    let mut tokens = tokens.into_iter().peekable();
    let mut written = TokenStream::new();
    while let Some(token) = tokens.next() {
        let starts_path =
            matches!(tokens.peek(), Some(TokenTree::Punct(next)) if next.as_char() == ':');
        match token {
            TokenTree::Ident(ident) => written
                .extend(word(&ident, starts_path).unwrap_or_else(|| ident.into_token_stream())),
            TokenTree::Group(group) => {
                let mut inside = Group::new(group.delimiter(), replaced(group.stream(), word));
                inside.set_span(group.span());
                written.append(inside);
            }
            other => written.append(other),
        }
    }
    written
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
fn detail() -> TokenStream {
    let lib = lib();
    quote!(::core::option::Option<#lib::Detail>)
}

/// Binds what the call or the registry lends to a parameter.
fn inject(local: &Ident, param: &Param, from: &Ident) -> TokenStream {
    let written = &param.ty.tokens;
    match param.role {
        Role::State => quote!(let #local = #from.state::<#written>()?;),
        Role::Context => quote!(let #local = #from.lent::<#written>();),
        Role::Argument(_) => TokenStream::new(),
    }
}

/// An expression of the attribute.
struct Rule<'a> {
    /// The variant of `Rule` by which a gate asks for it.
    asked: TokenStream,
    /// The variant of `Said` that holds what it gives.
    said: &'static str,
    /// What reads what it gives; without it, that is a `bool`.
    read: Option<&'static str>,
    written: &'a TokenStream,
}

/// The expressions that a tool has.
fn rules_of(policy: &Policy) -> Vec<Rule<'_>> {
    let Policy { checks, approval, preview, verify, .. } = policy;
    let checks = checks.iter().enumerate().map(|(number, written)| {
        let asked = quote!(Check(#number));
        Rule { asked, said: "Check", read: Some("checked"), written }
    });
    let approval = approval.as_ref().and_then(|approval| approval.rule.as_ref());
    let others = [
        ("Approval", None, approval),
        ("Preview", Some("previewed"), preview.as_ref()),
        ("Verify", Some("verified"), verify.as_ref()),
    ];
    let others = others.into_iter().filter_map(|(said, read, written)| {
        let asked = Ident::new(said, Span::call_site()).into_token_stream();
        Some(Rule { asked, said, read, written: written? })
    });
    checks.chain(others).collect()
}

/// Writes the expressions as one function of what is asked and of the arguments, which it gives
/// back; none where there are none.
fn rules(tool: &Tool, params: &[&Param]) -> Option<TokenStream> {
    let rules = rules_of(&tool.policy);
    if rules.is_empty() {
        return None;
    }
    let (lib, passage, rule, said) = (lib(), local("passage"), local("rule"), local("said"));
    let taken = arguments_of(params).map(|(index, param)| match param.ty.lent {
        Some(_) => argument(index),
        None => param.ident.clone(),
    });
    let taken: Vec<_> = taken.chain(format(tool)).collect();
    let back = quote!((#(#taken,)*));
    let are_named = |name: &str| rules.iter().any(|rule| names(rule.written, name));
    let this = this(tool, &passage).filter(|_| are_named("self"));
    let bound = params.iter().filter(|param| are_named(&param.ident.to_string()));
    let bound = bound.map(|param| inject(&param.ident, param, &passage));
    let bound: TokenStream = this.into_iter().chain(bound).collect();
    let arms = rules.iter().map(|rule| {
        let Rule { asked, written, .. } = rule;
        let told = telling(tool, params, rule);
        let told = if rule.waits() {
            quote!(return #lib::soon(async move { let #said = #told; (#said, #back) }))
        } else {
            told
        };
        quote_spanned!(shown_at(written.span())=> #lib::Rule::#asked => #told,)
    });
    Some(quote! {
        move |#rule, #back| {
            #bound
            let #said = match #rule { #(#arms)* _ => #lib::Said::Nothing };
            #lib::now(#said, #back)
        }
    })
}

/// Binds a parameter that is lent, where a rule names it.
fn lend(index: usize, param: &Param) -> TokenStream {
    let ident = &param.ident;
    let given = given(&argument(index), param);
    if param.ty.lent.is_some() { quote!(let #ident = #given;) } else { TokenStream::new() }
}

impl Rule<'_> {
    fn waits(&self) -> bool {
        self.read.is_some() && awaits(self.written)
    }

    /// Keeps apart what may end before its end.
    fn apart(&self, told: &TokenStream) -> TokenStream {
        let place = shown_at(self.written.span());
        if self.waits() {
            quote_spanned!(place=> async { #told }.await)
        } else {
            quote_spanned!(place=> (|| #told)())
        }
    }
}

/// Writes what an expression gives; what is wrong with its type is shown under it.
fn telling(tool: &Tool, params: &[&Param], rule: &Rule<'_>) -> TokenStream {
    let Rule { said, read, written, .. } = rule;
    let place = shown_at(written.span());
    let (lib, said) = (lib_at(place), Ident::new(said, place));
    let lent = arguments_of(params).filter(|(_, param)| names(written, &param.ident.to_string()));
    let lent: TokenStream = lent.map(|(index, param)| lend(index, param)).collect();
    let seen = TokenStream::clone(written);
    let seen = if tool.receiver.is_some() { with_this(seen) } else { seen };
    let own = if returns(written) { rule.apart(&seen) } else { seen };
    let told = if let Some(read) = read {
        let read = Ident::new(read, place);
        let mut given = Group::new(Delimiter::Parenthesis, own);
        given.set_span(place);
        let told = quote_spanned!(place=> #lib::#read #given);
        if leaves(written) { rule.apart(&told) } else { told }
    } else {
        // A condition is told as one, without a word on what it is for.
        let own = Group::new(Delimiter::None, own);
        quote_spanned!(place=> if #own { true } else { false })
    };
    let told = quote_spanned!(place=> #lib::Said::#said(#told));
    if lent.is_empty() { told } else { quote!({ #lent #told }) }
}

/// Whether an expression says a name, be it in the text of a `format!`.
fn names(rule: &TokenStream, name: &str) -> bool {
    let shown = name.trim_start_matches("r#");
    let forms = [format!("{{{shown}}}"), format!("{{{shown}:"), format!("{shown}$")];
    any(rule, &|token| match token {
        TokenTree::Ident(word) => word == name,
        TokenTree::Literal(text) => {
            let text = text.to_string();
            forms.iter().any(|form| text.contains(form))
        }
        TokenTree::Group(_) | TokenTree::Punct(_) => false,
    })
}

/// Macros of the standard library, in which nothing is awaited and nothing left but what they show.
const PLAIN_MACROS: &[&str] = &["format", "matches", "vec", "concat", "stringify", "include_str"];

/// Whether an expression may await.
fn awaits(rule: &TokenStream) -> bool {
    holds_word(rule, "await") || holds_macro(rule)
}

/// Whether an expression may end before its end.
fn leaves(rule: &TokenStream) -> bool {
    holds_macro(rule)
        || any(rule, &|token| matches!(token, TokenTree::Punct(mark) if mark.as_char() == '?'))
}

/// Whether an expression says `return`, which then is out of it alone.
fn returns(rule: &TokenStream) -> bool {
    holds_word(rule, "return")
}

fn holds_word(rule: &TokenStream, wanted: &str) -> bool {
    any(rule, &|token| matches!(token, TokenTree::Ident(word) if word == wanted))
}

/// Whether an expression calls a macro of which nothing is known: it may await and leave.
fn holds_macro(rule: &TokenStream) -> bool {
    let mut word = None;
    rule.clone().into_iter().any(|token| {
        let before = word.take();
        match token {
            TokenTree::Ident(ident) => {
                word = Some(ident.to_string());
                false
            }
            TokenTree::Punct(mark) => {
                let is_plain = before.is_none_or(|name| PLAIN_MACROS.contains(&name.as_str()));
                mark.as_char() == '!' && mark.spacing() == Spacing::Alone && !is_plain
            }
            TokenTree::Group(group) => holds_macro(&group.stream()),
            TokenTree::Literal(_) => false,
        }
    })
}

/// Whether a token at any depth is one.
fn any(tokens: &TokenStream, is_one: &dyn Fn(&TokenTree) -> bool) -> bool {
    tokens.clone().into_iter().any(|token| match &token {
        TokenTree::Group(group) => any(&group.stream(), is_one),
        other => is_one(other),
    })
}
