//! Reads the `impl` of a toolbox; what is no tool in it stays the tokens that it is.

use std::rc::Rc;

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::{ParseStream, Parser};
use syn::spanned::Spanned;
use syn::{Attribute, GenericParam, ItemImpl, LitStr, Meta, Token, Visibility};

use crate::attr::{Keys, Once, ToolKeys, ToolboxKeys};
use crate::diag::Diagnostics;
use crate::model::{
    Block, BlockOddity, Oddity, Owner, Surroundings, Within, Written, WrittenToolbox,
};
use crate::parse::{Item, cfgs, root, written};

/// Reads the attribute and its `impl`; where it stands on something else, what is kept of that.
pub(crate) fn parse(
    attribute: TokenStream,
    item: TokenStream,
    diag: &mut Diagnostics,
) -> Result<WrittenToolbox, TokenStream> {
    let mut keys = ToolboxKeys::default();
    keys.read(attribute, diag);
    let Parts { attributes, head, body } = Parts::of(item, diag)?;
    let (twice, attributes): (Vec<_>, Vec<_>) =
        attributes.into_iter().partition(|attribute| is_ours(attribute, "toolbox"));
    let of = diag.ok_or_push(syn::parse2::<ItemImpl>(quote!(#head {})));
    let mut found = Found::new(root(keys.root.get()), of.as_ref(), &body);
    let body = found.body(body, diag);
    let kept = quote!(#(#attributes)* #head #body);
    let Some(of) = of else { return Err(kept) };
    let Found { root, tools, paths, mut oddities, .. } = found;
    oddities.extend(twice.iter().map(|attribute| (BlockOddity::Twice, attribute.path().span())));
    oddities.extend(self::oddities(&of));
    if tools.is_empty() && !oddities.iter().any(|(oddity, _)| *oddity == BlockOddity::NoFunction) {
        oddities.push((BlockOddity::Empty, of.self_ty.span()));
    }
    let cfgs = cfgs(&attributes);
    let block = Block { kept, cfgs, owner: owner(&of), tool_paths: paths, root };
    Ok(WrittenToolbox { block, tools, oddities })
}

/// An `impl`, whose body was not looked into.
struct Parts {
    attributes: Vec<Attribute>,
    head: TokenStream,
    body: Group,
}

impl Parts {
    /// Takes an `impl` apart, or says that it is none and gives what is kept of it.
    fn of(item: TokenStream, diag: &mut Diagnostics) -> Result<Self, TokenStream> {
        let read = |input: ParseStream<'_>| {
            let attributes = input.call(Attribute::parse_outer)?;
            input.parse::<TokenStream>().map(|rest| (attributes, rest))
        };
        let Some((attributes, rest)) = diag.ok_or_push(read.parse2(item.clone())) else {
            return Err(item);
        };
        let mut head: Vec<TokenTree> = rest.into_iter().collect();
        let place = head.iter().find(|token| !is_before_impl(token)).map(TokenTree::span);
        let word = head.iter().find(|token| !is_before_impl(token)).map(ToString::to_string);
        let body = head.pop();
        let head: TokenStream = head.into_iter().collect();
        match (word.as_deref(), body) {
            (Some("impl"), Some(TokenTree::Group(body))) => Ok(Self { attributes, head, body }),
            (word, body) => {
                diag.at(place.unwrap_or_else(Span::call_site), "`#[toolbox]` goes on an `impl`");
                let body = match body {
                    // Each `#[tool]` in it would complain, too.
                    Some(TokenTree::Group(body)) if word == Some("trait") => {
                        Found::new(TokenStream::new(), None, &body)
                            .body(body, &mut Diagnostics::default())
                            .into_token_stream()
                    }
                    other => other.into_token_stream(),
                };
                Err(quote!(#(#attributes)* #head #body))
            }
        }
    }
}

/// Whether it stands before the word that says what an item is.
fn is_before_impl(token: &TokenTree) -> bool {
    match token {
        TokenTree::Ident(word) => word == "pub" || word == "unsafe" || word == "default",
        TokenTree::Group(_) => true,
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    }
}

fn is_ours(attribute: &Attribute, word: &str) -> bool {
    attribute.path().segments.last().is_some_and(|last| last.ident == word)
}

fn owner(of: &ItemImpl) -> Owner {
    let bounds = of.generics.where_clause.as_ref().map(|clause| &clause.predicates);
    Owner {
        ty: of.self_ty.to_token_stream(),
        generics: of.generics.to_token_stream(),
        bounds: bounds.to_token_stream(),
    }
}

/// Finds what a toolbox can not have.
fn oddities(of: &ItemImpl) -> Vec<(BlockOddity, Span)> {
    let generic = of.generics.params.iter().map(|parameter| match parameter {
        GenericParam::Lifetime(lifetime) => (BlockOddity::Lifetime, lifetime.lifetime.span()),
        GenericParam::Type(ty) => (BlockOddity::TypeParameter, ty.ident.span()),
        GenericParam::Const(number) => (BlockOddity::ConstParameter, number.ident.span()),
    });
    let mut found: Vec<_> = generic.collect();
    if of.generics.lifetimes().next().is_none() {
        let borrowed = lifetime(of.self_ty.to_token_stream());
        found.extend(borrowed.map(|span| (BlockOddity::Lifetime, span)));
    }
    found
}

/// Finds a lifetime other than `'static`.
fn lifetime(tokens: TokenStream) -> Option<Span> {
    let mut tick = None;
    tokens.into_iter().find_map(|token| match token {
        TokenTree::Punct(punct) => {
            tick = (punct.as_char() == '\'').then(|| punct.span());
            None
        }
        TokenTree::Ident(name) => tick.take().filter(|_| name != "static"),
        TokenTree::Group(group) => lifetime(group.stream()),
        TokenTree::Literal(_) => None,
    })
}

/// What is found on the way through the body.
struct Found {
    root: TokenStream,
    within: Rc<Within>,
    tools: Vec<Written>,
    paths: Vec<TokenStream>,
    oddities: Vec<(BlockOddity, Span)>,
}

impl Found {
    fn new(root: TokenStream, of: Option<&ItemImpl>, body: &Group) -> Self {
        let of_trait = of.and_then(|of| of.trait_.as_ref());
        let owner = of_trait.map_or_else(|| quote!(Self), |(path, _)| quote!(Self as #path));
        let ty = of.map(|of| &of.self_ty).into_token_stream();
        let within = Rc::new(Within { ty, owner, types: types(body.stream()) });
        Self { root, within, tools: Vec::new(), paths: Vec::new(), oddities: Vec::new() }
    }

    /// Reads the body; gives what is kept of it.
    fn body(&mut self, body: Group, diag: &mut Diagnostics) -> Group {
        let items = |input: ParseStream<'_>| self.items(input, diag);
        let items = items.parse2(body.stream());
        let Some(items) = diag.ok_or_push(items) else { return body };
        let mut kept = Group::new(Delimiter::Brace, items);
        kept.set_span(body.span());
        kept
    }

    fn items(
        &mut self,
        input: ParseStream<'_>,
        diag: &mut Diagnostics,
    ) -> syn::Result<TokenStream> {
        let inner = input.call(Attribute::parse_inner)?;
        let mut kept = quote!(#(#inner)*);
        while !input.is_empty() {
            kept.extend(self.item(input, diag)?);
        }
        Ok(kept)
    }

    fn item(&mut self, input: ParseStream<'_>, diag: &mut Diagnostics) -> syn::Result<TokenStream> {
        let attributes = input.call(Attribute::parse_outer)?;
        let (ours, attributes): (Vec<_>, Vec<_>) =
            attributes.into_iter().partition(|attribute| is_ours(attribute, "tool"));
        let visibility: Visibility = input.parse()?;
        if !ours.is_empty() && is_function(input) {
            let (signature, body) = (input.parse()?, rest(input)?);
            let item = Item { attributes, visibility, signature, body };
            return Ok(self.tool(&ours, item, diag));
        }
        let misplaced = ours.iter().map(|ours| (BlockOddity::NoFunction, ours.path().span()));
        self.oddities.extend(misplaced);
        let rest = rest(input)?;
        Ok(quote!(#(#attributes)* #visibility #rest))
    }

    /// Takes a tool apart; gives its function without our attributes.
    fn tool(&mut self, ours: &[Attribute], item: Item, diag: &mut Diagnostics) -> TokenStream {
        let mut keys = ToolKeys::default();
        for attribute in ours.iter().take(1) {
            match &attribute.meta {
                Meta::Path(_) => {}
                Meta::List(list) => keys.read(list.tokens.clone(), diag),
                Meta::NameValue(_) => {
                    keys.description = Once::Broken;
                    diag.error(&attribute.meta, "`#[tool]` is written `#[tool(key = …)]`");
                }
            }
            let path = attribute.path().to_token_stream();
            if !self.paths.iter().any(|known| known.to_string() == path.to_string()) {
                self.paths.push(path);
            }
        }
        let surroundings = Surroundings::Toolbox(Rc::clone(&self.within));
        let mut tool = written(item, keys, self.root.clone(), surroundings, diag);
        let twice = ours.iter().skip(1);
        tool.oddities.extend(twice.map(|ours| (Oddity::Twice, ours.path().span())));
        let kept = tool.function.kept.clone();
        self.tools.push(tool);
        kept
    }
}

/// The names of the types that a body defines.
fn types(body: TokenStream) -> Vec<Ident> {
    let mut is_next = false;
    let name = |token| match token {
        TokenTree::Ident(word) => {
            let is_name = std::mem::replace(&mut is_next, word == "type");
            is_name.then_some(word)
        }
        TokenTree::Group(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => None,
    };
    body.into_iter().filter_map(name).collect()
}

/// Whether a function is next, whatever stands before `fn`.
fn is_function(input: ParseStream<'_>) -> bool {
    let ahead = input.fork();
    while ahead.peek(Token![const])
        || ahead.peek(Token![async])
        || ahead.peek(Token![unsafe])
        || ahead.peek(Token![extern])
        || ahead.peek(LitStr)
    {
        if ahead.parse::<TokenTree>().is_err() {
            return false;
        }
    }
    ahead.peek(Token![fn])
}

/// The tokens up to the end of an item.
fn rest(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    // The value of a constant can hold braces.
    let is_value = (input.peek(Token![const]) || input.peek(Token![type])) && !is_function(input);
    let mut rest = TokenStream::new();
    while !input.is_empty() {
        let token: TokenTree = input.parse()?;
        let ends = match &token {
            TokenTree::Punct(punct) => punct.as_char() == ';',
            TokenTree::Group(group) => group.delimiter() == Delimiter::Brace && !is_value,
            TokenTree::Ident(_) | TokenTree::Literal(_) => false,
        };
        rest.extend([token]);
        if ends {
            break;
        }
    }
    Ok(rest)
}
