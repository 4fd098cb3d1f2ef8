//! Writes a checked tool: the function, its marker, a table and one small call.

use proc_macro2::{Delimiter, Group, Ident, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, TokenStreamExt, format_ident, quote, quote_spanned};

use crate::attr::Fits;
use crate::model::{
    Agreement, Argument, Block, Constraint, Description, Flow, Function, Param, Policy, Role,
    Surroundings, Tool, Toolbox, Type,
};

/// Writes the tool.
pub(crate) fn expand(tool: &Tool) -> TokenStream {
    let Function { kept, cfgs, marker: of, root, .. } = &tool.function;
    let marker = marker(&tool.function);
    let (table, constants) = (table(tool, 0), constants(tool, 0));
    quote! {
        #kept
        #marker
        #cfgs
        const _: () = {
            #[allow(unused_imports)]
            use #root::__private::{HasSchema as _, NoSchema as _, Plain as _};
            impl #root::__private::Annotated for #of {
                const TABLE: &'static #root::__private::Table = &#table;
            }
            #constants
        };
    }
}

/// Writes the toolbox.
pub(crate) fn expand_toolbox(toolbox: &Toolbox) -> TokenStream {
    let Toolbox { block, tools } = toolbox;
    let Block { kept, cfgs, owner, root, .. } = block;
    let (resolved, ty) = (resolved(block), &owner.ty);
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
            #[allow(unused_imports)]
            use #root::__private::{HasSchema as _, NoSchema as _, Plain as _};
            impl #root::__private::Toolbox for #ty {
                const TABLES: &'static [#root::__private::Table] = &[#(#tables),*];
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
        #[allow(
            dead_code,
            missing_copy_implementations,
            missing_debug_implementations,
            non_camel_case_types,
            unnameable_types,
            unreachable_pub
        )]
        #visibility struct #marker {}
    }
}

/// A span of ours, shown where the user's token stands: no lint is told of it.
fn shown_at(span: Span) -> Span {
    Span::call_site().located_at(span)
}

/// Shows tokens of ours at another place; what their names mean stays.
fn moved(tokens: TokenStream, span: Span) -> TokenStream {
    let moved = tokens.into_iter().map(|mut token| {
        token.set_span(token.span().located_at(span));
        token
    });
    moved.collect()
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
    let Function { ident, root, .. } = &tool.function;
    let Tool { name, description, .. } = tool;
    let title = option(tool.title.as_ref());
    let policy = policy(tool);
    let description = described(description, number, 0);
    let format = tool.formats.then(|| {
        let (detail, told) = (detail(root), quote!(#root::__private::FORMAT));
        quote!(#root::__private::Param::of::<#detail>("format", #told, &[]))
    });
    let params = params(tool, number).chain(format);
    let states = states(tool);
    let (output, place) = (&tool.output.tokens, shown_at(tool.output.span));
    let output = quote!(#root::__private::Returned::<#output>::success());
    let output = if tool.formats {
        let root = moved(root.clone(), tool.output.span);
        quote_spanned!(place=> #root::__private::in_formats(#output))
    } else {
        output
    };
    let call = call(tool);
    let line = Ident::new("line", Span::call_site());
    let line = quote_spanned!(shown_at(ident.span())=> ::core::#line!());
    quote! {
        #root::__private::Table {
            name: #name,
            title: #title,
            description: #description,
            place: (::core::file!(), #line),
            module: ::core::module_path!(),
            policy: #policy,
            params: &[#(#params),*],
            states: &[#(#states),*],
            output: || (&#output).schema(),
            call: #call,
        }
    }
}

/// Writes what the gates go by, as far as it was said.
fn policy(tool: &Tool) -> TokenStream {
    let root = &tool.function.root;
    let Policy { scopes, listed, fatal, idempotency, preview_must_match, .. } = &tool.policy;
    let Policy { timeout, blocking, concurrency, result_limit, flows: flows_of, .. } = &tool.policy;
    let some = |value: TokenStream| quote!(::core::option::Option::Some(#value));
    let variant = |of: &str, variant: &str| {
        let (of, variant) = (format_ident!("{of}"), format_ident!("{variant}"));
        quote!(#root::__private::#of::#variant)
    };
    let words = |words: &[TokenStream]| quote!(#root::__private::words(&[#(#words),*]));
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
        (
            "requires",
            (!requires.is_empty())
                .then(|| quote!(#root::__private::requirements(&[#(#requires),*]))),
        ),
        ("approval", tool.policy.approval.as_ref().map(|approval| some(agreement(approval, root)))),
        ("has_preview", tool.policy.preview.as_ref().map(|_| quote!(true))),
        ("preview_must_match", preview_must_match.then(|| quote!(true))),
        ("timeout", timeout.map(|time| some(milliseconds(time)))),
        ("blocking", blocking.then(|| quote!(true))),
        ("concurrency", concurrency.map(|calls| some(quote!(#calls)))),
        ("result_limit", result_limit.map(|bytes| some(quote!(#bytes)))),
    ];
    let flows = ["reads_untrusted", "reads_private", "writes_external"];
    let flows = flows.map(|field| (field, flows_of.contains(&field).then(|| quote!(true))));
    let said: Vec<_> = said.into_iter().chain(flows).collect();
    let policy = filled(&variant("Policy", "DEFAULT"), &quote!(#root::__private::Policy), &said);
    quote!(|| #policy)
}

fn milliseconds(time: u64) -> TokenStream {
    quote!(::core::time::Duration::from_millis(#time))
}

/// Writes how a person agrees, as far as it was said.
fn agreement(agreement: &Agreement, root: &TokenStream) -> TokenStream {
    let Agreement { quorum, four_eyes, time_to_live, .. } = agreement;
    let time_to_live = time_to_live.map(|time| {
        let time = milliseconds(time);
        quote!(::core::option::Option::Some(#time))
    });
    let said = [
        ("quorum", quorum.map(|quorum| quote!(#quorum))),
        ("four_eyes", four_eyes.then(|| quote!(true))),
        ("time_to_live", time_to_live),
    ];
    let of = quote!(#root::__private::ApprovalPolicy);
    filled(&quote!(#of::DEFAULT), &of, &said)
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

fn option(value: Option<impl ToTokens>) -> TokenStream {
    value.map_or_else(
        || quote!(::core::option::Option::None),
        |value| quote!(::core::option::Option::Some(#value)),
    )
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
    let Function { root, surroundings, .. } = &tool.function;
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
                const _: () = ::core::assert!(!#root::__private::has_unseen(#description), #unseen);
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
        const _: () = ::core::assert!(!#root::__private::is_blank(#name), #blank);
        #cfgs
        const _: () = ::core::assert!(!#root::__private::has_unseen(#name), #unseen);
    }
}

fn params(tool: &Tool, number: usize) -> impl Iterator<Item = TokenStream> {
    let root = &tool.function.root;
    tool.params.iter().enumerate().filter_map(move |(index, param)| {
        let Role::Argument(argument) = &param.role else {
            return None;
        };
        let owned = owned(param, root);
        let name = &argument.name;
        let description = argument.description.as_ref();
        let description =
            description.map_or_else(|| quote!(""), |text| described(text, number, index + 1));
        let (ty, cfgs) = (&param.ty.tokens, &param.cfgs);
        let keywords = argument.keywords.iter().map(|keyword| self::keyword(keyword, ty, root));
        Some(quote! {
            #cfgs
            #root::__private::Param::of::<#owned>(#name, #description, &[#(#keywords),*])
        })
    })
}

/// The type that an argument is decoded into.
fn owned(param: &Param, root: &TokenStream) -> TokenStream {
    match &param.ty.lent {
        Some(lent) => {
            let root = moved(root.clone(), param.ty.span);
            let owned = Ident::new("Owned", param.ty.end);
            quote_spanned!(param.ty.span=> <#lent as #root::__private::Borrowed>::#owned)
        }
        None => param.ty.tokens.clone(),
    }
}

fn keyword(keyword: &Constraint, ty: &TokenStream, root: &TokenStream) -> TokenStream {
    let Constraint { fits, keyword, value, items } = keyword;
    let value = match items {
        // Each item alone, since the items of examples may differ in type.
        Some(items) => quote!([#(#root::__private::json(#items)),*]),
        None => value.clone(),
    };
    let keyword = match fits {
        Fits::Any => quote!(any(#keyword, || #root::__private::json(#value))),
        Fits::Number => quote!(number::<#ty>(#keyword, || #root::__private::json(#value))),
        Fits::Text => quote!(text::<#ty>(#keyword, || #root::__private::json(#value))),
        Fits::List => quote!(list::<#ty>(#keyword, || #root::__private::json(#value))),
    };
    quote!(#root::__private::Keyword::#keyword)
}

fn states(tool: &Tool) -> impl Iterator<Item = TokenStream> {
    let root = &tool.function.root;
    let receiver = tool.receiver.iter().map(move |ty| {
        let ty = &ty.tokens;
        quote!(#root::__private::StateNeed::receiver::<Self, #ty>())
    });
    receiver.chain(tool.params.iter().filter_map(move |param| match param.role {
        Role::State => {
            let (ty, cfgs) = (&param.ty.tokens, &param.cfgs);
            Some(quote!(#cfgs #root::__private::StateNeed::of::<#ty>()))
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
    let Function { ident, root, flow, .. } = &tool.function;
    let (passage, function) = (local("passage"), local("function"));
    let slots = slots(tool);
    let nothing = quote!(= ::core::option::Option::None;);
    let format = local("format");
    let declared = slots
        .iter()
        .map(|(cfgs, slot, _)| quote!(#cfgs let mut #slot #nothing))
        .chain(tool.formats.then(|| quote!(let mut #format #nothing)));
    let lent = slots
        .iter()
        .map(|(cfgs, slot, owned)| quote!(#cfgs #root::__private::slot::<#owned>(&mut #slot)))
        .chain(tool.formats.then(|| {
            let detail = detail(root);
            quote!(#root::__private::slot::<#detail>(&mut #format))
        }));
    let bindings = tool.params.iter().enumerate().map(|(index, param)| bind(index, param, root));
    let (this, bound) = this(tool, &passage).unzip();
    let given = tool.params.iter().map(|Param { cfgs, ident, .. }| quote!(#cfgs #ident));
    let arguments = this.iter().map(ToTokens::to_token_stream).chain(given);
    let path = path(&tool.function);
    let kind = kind(tool);
    let called = quote_spanned!(shown_at(ident.span())=> #function(#(#arguments),*));
    let called = match flow {
        Flow::Sync => called,
        Flow::Async => quote!(#called.await),
    };
    let returned = returned(tool, called);
    let function = quote!(#[allow(deprecated)] let #function = #path;);
    let asked = quote!(#(#declared)* #passage.arguments(&mut [#(#lent),*])?;);
    let steps = match kind {
        Kind::AtOnce => quote! {
            #function #asked #bound #(#bindings)*
            #passage.pass_at_once()?;
            #returned
        },
        Kind::Later => {
            let rules = rules(tool);
            quote! {
                #function #asked #bound #(#bindings)*
                #passage.pass(#rules).await?;
                #returned
            }
        }
        Kind::Apart => {
            let apart = apart(tool, &quote!(#function), &returned);
            quote!(#asked #apart)
        }
    };
    match kind {
        Kind::AtOnce => quote_spanned! {shown_at(ident.span())=>
            #root::__private::Call::AtOnce(|#passage| { #steps })
        },
        Kind::Later | Kind::Apart => quote_spanned! {shown_at(ident.span())=>
            #root::__private::Call::Later(|#passage| ::std::boxed::Box::pin(async move { #steps }))
        },
    }
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
    let root = &tool.function.root;
    let (passage, held) = (local("passage"), local("held"));
    let params = || tool.params.iter().enumerate();
    let taken = params().map(|(index, param)| take(index, param, root));
    let there = params().map(|(index, param)| borrow(index, param, root, &held));
    let this_there = this(tool, &held).map(|(_, bound)| bound);
    let rules = rules(tool);
    let mut passed = quote!(#passage.pass(#rules).await?;);
    if tool.policy.has_rules() {
        let here = params().map(|(index, param)| borrow(index, param, root, &passage));
        let here = here.chain(this(tool, &passage).map(|(_, bound)| bound));
        let here = here.filter(|bound| !bound.is_empty());
        // The rules need not name all that the function takes.
        passed = quote!({ #(#[allow(unused_variables)] #here)* #passed });
    }
    quote! {
        #(#taken)*
        #passed
        #passage.apart(move |#held| {
            #function
            #this_there
            #(#there)*
            #returned
        }).await
    }
}

/// The local that stands for `self`, and what binds it.
fn this(tool: &Tool, passage: &Ident) -> Option<(Ident, TokenStream)> {
    let ty = &tool.receiver.as_ref()?.tokens;
    let this = local("this");
    let bound = quote!(let #this = #passage.receiver::<Self, #ty>()?;);
    Some((this, bound))
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
fn returned(tool: &Tool, called: TokenStream) -> TokenStream {
    let ty = &tool.output;
    let written = &ty.tokens;
    let root = moved(tool.function.root.clone(), ty.span);
    let called = up_to_end(ty, called);
    let place = shown_at(ty.span);
    let split = quote_spanned!(place=> #root::__private::Returned::<#written>::split #called);
    let split = up_to_end(ty, split);
    if tool.formats {
        let format = local("format");
        let told = quote_spanned!(place=> #root::__private::in_format(#split, #root::__private::taken(#format)?));
        let told = up_to_end(ty, told);
        return quote_spanned!(place=> #root::__private::returned #told);
    }
    quote_spanned!(place=> #root::__private::returned #split)
}

/// The type of the parameter by which the model says how much it wants to read.
fn detail(root: &TokenStream) -> TokenStream {
    quote!(::core::option::Option<#root::__private::Detail>)
}

/// One local a parameter that the model fills, with its `#[cfg]` and the type that it is decoded
/// into.
fn slots(tool: &Tool) -> Vec<(&TokenStream, Ident, TokenStream)> {
    let root = &tool.function.root;
    let arguments = tool.params.iter().enumerate();
    let arguments = arguments.filter(|(_, param)| matches!(param.role, Role::Argument(_)));
    arguments.map(|(index, param)| (&param.cfgs, slot(index), owned(param, root))).collect()
}

fn slot(index: usize) -> Ident {
    format_ident!("slot{index}", span = Span::mixed_site())
}

/// Binds a parameter under the user's own name, so that the expressions see it.
fn bind(index: usize, param: &Param, root: &TokenStream) -> TokenStream {
    let (taken, borrowed) =
        (take(index, param, root), borrow(index, param, root, &local("passage")));
    quote!(#taken #borrowed)
}

/// Takes an argument out of its slot: under the user's own name, or to be lent from there.
fn take(index: usize, param: &Param, root: &TokenStream) -> TokenStream {
    let Param { ident, cfgs, ty, role } = param;
    let slot = slot(index);
    match (role, &ty.lent) {
        (Role::State | Role::Context, _) => TokenStream::new(),
        (Role::Argument(_), None) => quote!(#cfgs let #ident = #root::__private::taken(#slot)?;),
        (Role::Argument(_), Some(_)) => quote!(#cfgs let #slot = #root::__private::taken(#slot)?;),
    }
}

/// Binds what is lent to a parameter, by the call or from a slot.
fn borrow(index: usize, param: &Param, root: &TokenStream, passage: &Ident) -> TokenStream {
    let Param { ident, cfgs, ty, role } = param;
    let (slot, written) = (slot(index), &ty.tokens);
    match (role, &ty.lent) {
        (Role::State, _) => quote!(#cfgs let #ident = #passage.state::<#written>()?;),
        (Role::Context, _) => {
            let passage = moved(passage.to_token_stream(), ty.span);
            let nothing = up_to_end(ty, TokenStream::new());
            quote!(#cfgs let #ident: #written = #passage.context #nothing;)
        }
        (Role::Argument(_), None) => TokenStream::new(),
        (Role::Argument(_), Some(lent)) => quote! {
            #cfgs
            let #ident = <#lent as #root::__private::Borrowed>::lend(&#slot);
        },
    }
}

/// Writes the expressions as closures over the parameters.
fn rules(tool: &Tool) -> TokenStream {
    let root = &tool.function.root;
    let Policy { checks, approval, preview, verify, .. } = &tool.policy;
    let seen = |rule: &TokenStream| match &tool.receiver {
        Some(_) => with_this(rule.clone()),
        None => rule.clone(),
    };
    let some = |value: TokenStream| quote!(::core::option::Option::Some(#value));
    let later = |rule: &TokenStream, read: &str| later(&seen(rule), read, root);
    let rule = approval.as_ref().and_then(|approval| approval.rule.as_ref()).map(seen);
    let checks: Vec<_> = checks.iter().map(|check| later(check, "checked")).collect();
    let said = [
        ("checks", (!checks.is_empty()).then(|| quote!(&[#(#checks),*]))),
        ("approval", rule.map(|rule| some(quote!(&|| #rule)))),
        ("preview", preview.as_ref().map(|preview| some(later(preview, "previewed")))),
        ("verify", verify.as_ref().map(|verify| some(later(verify, "verified")))),
    ];
    let of = quote!(#root::__private::Rules);
    filled(&quote!(#of::NONE), &of, &said)
}

/// Writes an expression that may wait; `read` reads what it gives, and what is wrong with its
/// type is shown under it.
fn later(rule: &TokenStream, read: &str, root: &TokenStream) -> TokenStream {
    let place = shown_at(syn::spanned::Spanned::span(rule));
    let root = moved(root.clone(), place);
    let read = Ident::new(read, place);
    let rule = if returns(rule) { quote!(async { #rule }.await) } else { rule.clone() };
    let mut given = Group::new(Delimiter::Parenthesis, rule);
    given.set_span(place);
    quote_spanned! {place=>
        &|| ::std::boxed::Box::pin(async { #root::__private::#read #given })
    }
}

/// Whether an expression says `return`, which then is out of it alone.
fn returns(rule: &TokenStream) -> bool {
    rule.clone().into_iter().any(|token| match token {
        TokenTree::Ident(word) => word == "return",
        TokenTree::Group(group) => returns(&group.stream()),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}
