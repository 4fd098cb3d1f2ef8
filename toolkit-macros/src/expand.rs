//! Writes a checked tool: the function, its marker, a table and one small call.

use proc_macro2::{Delimiter, Group, Ident, Literal, Spacing, Span, TokenStream, TokenTree};
use quote::{ToTokens, TokenStreamExt, format_ident, quote, quote_spanned};

use crate::attr::{self, Fits, Value};
use crate::model::{
    Agreement, Argument, Block, Constraint, Description, Flow, Function, Param, Policy, Role,
    Surroundings, Tool, Toolbox, Type,
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
    let call = call(tool);
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
    let place = shown_at(syn::spanned::Spanned::span(expression));
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

/// Writes the call: decode, pass the gates, call the function as it was written.
fn call(tool: &Tool) -> TokenStream {
    let (Function { ident, .. }, lib) = (&tool.function, lib());
    let (passage, place) = (local("passage"), shown_at(ident.span()));
    let params = || tool.params.iter().enumerate();
    let asked = asked_for(tool, &passage);
    let taken: TokenStream = params().map(|(index, param)| take(index, param)).collect();
    let lent: TokenStream = params().map(|(index, param)| lend(index, param)).collect();
    let injected = params().map(|(_, param)| injected(param, &passage));
    let injected: TokenStream = this(tool, &passage).into_iter().chain(injected).collect();
    let (function, returned) = called(tool);
    let lib_here = lib_at(place);
    let later = |rest| quote_spanned!(place=> #lib_here::later(async move { #rest }));
    let (of, steps) = match kind(tool) {
        Kind::AtOnce => {
            let steps =
                quote!(#function #injected #taken #lent #passage.pass_at_once()?; #returned);
            ("AtOnce", steps)
        }
        Kind::Later => {
            let rules = rules(tool);
            let rest = quote!(#lent #passage.pass(#rules).await?; #returned);
            // A lifetime of the function's is one of the future's, so that it is found in there;
            // but not behind an argument of its name.
            let hides = |param: &Param| param.ident == *ident;
            if tool.params.iter().any(hides) {
                let rest = later(quote!(#function #asked #injected #taken #rest));
                return quote_spanned!(place=> #lib::Call::Later(|#passage| #rest));
            }
            let rest = later(quote!(#function #rest));
            ("Later", quote!(#injected #taken #rest))
        }
        Kind::Apart => {
            let rest = later(apart(tool, &function, &returned));
            ("Later", quote!(#taken #rest))
        }
    };
    let of = Ident::new(of, place);
    quote_spanned!(place=> #lib::Call::#of(|#passage| { #asked #steps }))
}

/// Writes what finds the function, and what calls it.
fn called(tool: &Tool) -> (TokenStream, TokenStream) {
    let Function { ident, flow, .. } = &tool.function;
    let function = local("tool");
    let this = tool.receiver.iter().map(|_| local("this").into_token_stream());
    let given = tool.params.iter().map(|Param { cfgs, ident, .. }| quote!(#cfgs #ident));
    let arguments = this.chain(given);
    let called = quote_spanned!(shown_at(ident.span())=> #function(#(#arguments),*));
    let called = match flow {
        Flow::Sync => called,
        Flow::Async => quote!(#called.await),
    };
    let path = path(&tool.function);
    (quote!(#[allow(deprecated)] let #function = #path;), returned(tool, &called))
}

/// Writes a local for each argument, and asks for these.
fn asked_for(tool: &Tool, passage: &Ident) -> TokenStream {
    let lib = lib();
    let (mut declared, mut places) = (TokenStream::new(), Vec::new());
    for (cfgs, slot, owned) in slots(tool) {
        let place = format_ident!("place{}", places.len(), span = Span::mixed_site());
        declared.extend(quote! {
            #cfgs let mut #slot = #lib::None;
            #cfgs let #place = #lib::slot::<#owned>(&mut #slot);
        });
        places.push(quote!(#cfgs #place));
    }
    quote!(#declared #passage.arguments(&mut [#(#places),*])?;)
}

/// Where the function is found.
fn path(function: &Function) -> TokenStream {
    let Function { ident, surroundings, .. } = function;
    match surroundings {
        Surroundings::Module | Surroundings::Impl => ident.to_token_stream(),
        Surroundings::Toolbox(within) => {
            let owner = &within.owner;
            quote_spanned!(shown_at(ident.span())=> <#owner>::#ident)
        }
    }
}

/// Writes the rules and the call of a function that gets a thread of its own: what is borrowed
/// is borrowed here for the rules, and there once more for the function.
fn apart(tool: &Tool, function: &TokenStream, returned: &TokenStream) -> TokenStream {
    let (passage, held) = (local("passage"), local("held"));
    let params = || tool.params.iter().enumerate();
    let there = params().map(|(index, param)| borrow(index, param, &held));
    let this_there = this(tool, &held);
    let rules = rules(tool);
    let mut passed = quote!(#passage.pass(#rules).await?;);
    if tool.policy.has_rules() {
        let here = params().map(|(index, param)| borrow(index, param, &passage));
        let here = here.chain(this(tool, &passage));
        let here = here.filter(|bound| !bound.is_empty());
        // The rules need not name all that the function takes.
        passed = quote!(#[allow(unused_variables)] { #(#here)* #passed });
    }
    quote! {
        #passed
        #passage.apart(move |#held| {
            #function
            #this_there
            #(#there)*
            #returned
        }).await
    }
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

/// Turns what the call gives into the output; a result that is none is shown under its type.
fn returned(tool: &Tool, called: &TokenStream) -> TokenStream {
    let (ty, value) = (&tool.output, local("value"));
    let written = &ty.tokens;
    let lib = lib_at(ty.span);
    let place = shown_at(ty.span);
    let given = up_to_end(ty, value.to_token_stream());
    let split = quote_spanned!(place=> #lib::Returned::<#written>::split #given);
    let split = up_to_end(ty, split);
    let told = if tool.formats {
        let format = local("format");
        let told = quote_spanned!(place=> #lib::in_format(#split, #lib::taken(#format)?));
        up_to_end(ty, told)
    } else {
        split
    };
    let returned = quote_spanned!(place=> #lib::returned #told);
    quote!(let #value = #called; #returned)
}

/// The type of the parameter by which the model says how much it wants to read.
fn detail() -> TokenStream {
    let lib = lib();
    quote!(::core::option::Option<#lib::Detail>)
}

/// One local an argument, with its `#[cfg]` and the type that it is decoded into.
fn slots(tool: &Tool) -> Vec<(TokenStream, Ident, TokenStream)> {
    let arguments = tool.params.iter().enumerate();
    let arguments = arguments.filter(|(_, param)| matches!(param.role, Role::Argument(_)));
    let slots = arguments.map(|(index, param)| (param.cfgs.clone(), slot(index), owned(param)));
    let format = tool.formats.then(|| (TokenStream::new(), local("format"), detail()));
    slots.chain(format).collect()
}

fn slot(index: usize) -> Ident {
    format_ident!("slot{index}", span = Span::mixed_site())
}

/// Takes an argument out of its slot: under the user's own name, or to be lent from there.
fn take(index: usize, param: &Param) -> TokenStream {
    let lib = lib();
    let Param { ident, cfgs, ty, role } = param;
    let slot = slot(index);
    match (role, &ty.lent) {
        (Role::State | Role::Context, _) => TokenStream::new(),
        (Role::Argument(_), None) => quote!(#cfgs let #ident = #lib::taken(#slot)?;),
        (Role::Argument(_), Some(_)) => quote!(#cfgs let #slot = #lib::taken(#slot)?;),
    }
}

/// Binds what is lent to a parameter, by the call or from a slot.
fn borrow(index: usize, param: &Param, passage: &Ident) -> TokenStream {
    let (injected, lent) = (injected(param, passage), lend(index, param));
    quote!(#injected #lent)
}

/// Binds what the call or the registry lends to a parameter.
fn injected(param: &Param, passage: &Ident) -> TokenStream {
    let Param { ident, cfgs, ty, role } = param;
    let written = &ty.tokens;
    match role {
        Role::State => quote!(#cfgs let #ident = #passage.state::<#written>()?;),
        Role::Context => quote!(#cfgs let #ident = #passage.lent::<#written>();),
        Role::Argument(_) => TokenStream::new(),
    }
}

/// Binds what is lent to a parameter from a slot.
fn lend(index: usize, param: &Param) -> TokenStream {
    let (lib, slot) = (lib(), slot(index));
    let Param { ident, cfgs, ty, role } = param;
    match (role, &ty.lent) {
        (Role::Argument(_), Some(lent)) => {
            quote!(#cfgs let #ident = <#lent as #lib::Borrowed>::lend(&#slot);)
        }
        (Role::Argument(_) | Role::State | Role::Context, _) => TokenStream::new(),
    }
}

/// Writes the expressions as closures over the parameters.
fn rules(tool: &Tool) -> TokenStream {
    let lib = lib();
    let Policy { checks, approval, preview, verify, .. } = &tool.policy;
    let seen = |rule: &TokenStream| match &tool.receiver {
        Some(_) => with_this(rule.clone()),
        None => rule.clone(),
    };
    let some = |value: TokenStream| quote!(#lib::Some(#value));
    let later = |rule: &TokenStream, read: &str| later(&seen(rule), read);
    let rule = approval.as_ref().and_then(|approval| approval.rule.as_ref()).map(seen);
    let checks: Vec<_> = checks.iter().map(|check| later(check, "checked")).collect();
    let said = [
        ("checks", (!checks.is_empty()).then(|| quote!(&[#(#checks),*]))),
        ("approval", rule.map(|rule| some(quote!(&|| #rule)))),
        ("preview", preview.as_ref().map(|preview| some(later(preview, "previewed")))),
        ("verify", verify.as_ref().map(|verify| some(later(verify, "verified")))),
    ];
    let of = quote!(#lib::Rules);
    filled(&quote!(#of::NONE), &of, &said)
}

/// Writes an expression that may wait; `read` reads what it gives, and what is wrong with its
/// type is shown under it.
fn later(rule: &TokenStream, read: &str) -> TokenStream {
    let place = shown_at(syn::spanned::Spanned::span(rule));
    let lib = lib_at(place);
    let read = Ident::new(read, place);
    let own = if returns(rule) { quote!(async { #rule }.await) } else { rule.clone() };
    let mut given = Group::new(Delimiter::Parenthesis, own);
    given.set_span(place);
    if may_leave(rule) {
        quote_spanned!(place=> &|| ::std::boxed::Box::pin(async { #lib::#read #given }))
    } else {
        quote_spanned!(place=> &|| #lib::now(#lib::#read #given))
    }
}

/// Macros of the standard library, in which nothing is awaited and nothing left but what they show.
const PLAIN_MACROS: &[&str] = &["format", "matches", "vec", "concat", "stringify", "include_str"];

/// Whether an expression may await, or end before its end; another macro may do either.
fn may_leave(rule: &TokenStream) -> bool {
    let mut word = None;
    rule.clone().into_iter().any(|token| match token {
        TokenTree::Ident(ident) => {
            let leaves = ident == "await" || ident == "return";
            word = Some(ident.to_string());
            leaves
        }
        TokenTree::Punct(punct) => {
            let before = word.take();
            let is_plain = before.is_none_or(|name| PLAIN_MACROS.contains(&name.as_str()));
            let is_macro = punct.as_char() == '!' && punct.spacing() == Spacing::Alone;
            punct.as_char() == '?' || (is_macro && !is_plain)
        }
        TokenTree::Group(group) => {
            word = None;
            may_leave(&group.stream())
        }
        TokenTree::Literal(_) => {
            word = None;
            false
        }
    })
}

/// Whether an expression says `return`, which then is out of it alone.
fn returns(rule: &TokenStream) -> bool {
    rule.clone().into_iter().any(|token| match token {
        TokenTree::Ident(word) => word == "return",
        TokenTree::Group(group) => returns(&group.stream()),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}
