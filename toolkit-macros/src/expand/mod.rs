//! Writes a checked tool: the function, its marker, a table and one small call.

mod call;
mod policy;
mod rules;

use call::{calls, detail};
use policy::policy;
use proc_macro2::{Delimiter, Group, Ident, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, TokenStreamExt, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;

use crate::attr::{self, Fits, Value};
use crate::model::{
    Argument, Block, Constraint, Description, Function, Param, Role, Surroundings, Tool, Toolbox,
    Type,
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
    quote!(use #root::__private::expansion::*;)
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

/// Writes the type that stands for the tool; the compiler tells of one that no registry is given.
pub(crate) fn marker(function: &Function) -> TokenStream {
    let Function { cfgs, visibility, ident, marker, .. } = function;
    let doc = format!("The tool `{ident}`, for `tools!`.");
    quote! {
        #cfgs
        #[doc = #doc]
        #[allow(missing_copy_implementations, missing_debug_implementations)]
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
        quote!(#lib::param::<#detail>("format").says(#told))
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
    let line = Ident::new("line", Span::call_site());
    let line = quote_spanned!(shown_at(ident.span())=> ::core::#line!());
    let list = |items: Vec<TokenStream>| (!items.is_empty()).then(|| quote!(&[#(#items),*]));
    let title = tool.title.as_ref().map(|title| quote!(.title(#title)));
    let params = list(params.collect()).map(|params| quote!(.params(#params)));
    let states = list(states.collect()).map(|states| quote!(.states(#states)));
    let said = quote! {
        #lib::Table::NONE
            .name(#name)
            #title
            .description(#description)
            .place(::core::module_path!(), ::core::file!(), #line)
            #policy
            #params
            #states
            .output(|| (&#output).schema())
    };
    match &*calls(tool) {
        [(_, call)] => quote!(#said #call),
        ways => {
            let table = local("table");
            let ways = ways.iter().map(|(cfgs, call)| quote!(#cfgs let #table = #table #call;));
            quote!({ let #table = #said; #(#ways)* #table })
        }
    }
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
        Some(quote!(#cfgs #lib::param::<#owned>(#name) #says #takes))
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
