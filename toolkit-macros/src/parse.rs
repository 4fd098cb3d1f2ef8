//! Reads the annotated function; its body stays the tokens that it is.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, TokenStreamExt, quote, quote_spanned};
use syn::parse::{ParseStream, Parser};
use syn::spanned::Spanned;
use syn::{
    Attribute, FnArg, GenericParam, Meta, Pat, PatType, Receiver, ReceiverKind, ReturnType, Safety,
    Signature, Token, Visibility,
};

use crate::attr::{ArgKeys, Keys, Root, ToolKeys, Value};
use crate::diag::{Diagnostics, similar, with_help};
use crate::model::{
    Flow, Function, Mark, Oddity, Surroundings, Type, Within, Written, WrittenParam,
};

/// The attributes of ours that a parameter can have.
const MARKS: &[&str] = &["arg", "state", "context"];

/// The attributes of fields that say to other libraries what `#[arg(…)]` says to ours.
const OF_FIELDS: &[&str] = &["serde", "schemars", "garde", "validate"];

/// Reads the attribute and its function; `None` where it stands on something else.
pub(crate) fn parse(
    attribute: TokenStream,
    item: TokenStream,
    diag: &mut Diagnostics,
) -> Option<Written> {
    let mut keys = ToolKeys::default();
    keys.read(attribute, diag);
    let item = diag.ok_or_push(item_of(item))?;
    let root = root(keys.root.get());
    Some(written(item, keys, root, Surroundings::Module, diag))
}

/// The path that the library is found under.
pub(crate) fn root(given: Option<&Root>) -> TokenStream {
    given.map_or_else(|| quote!(::toolkit), |root| root.0.clone())
}

/// Takes a function apart.
pub(crate) fn written(
    mut item: Item,
    keys: ToolKeys,
    root: TokenStream,
    surroundings: Surroundings,
    diag: &mut Diagnostics,
) -> Written {
    let erase = Erase::of(&item.signature, &surroundings);
    let receiver = receiver(&mut item.signature, &erase, diag);
    let params = params(&mut item.signature, &erase, diag);
    let output = match &item.signature.output {
        ReturnType::Default => Type::of(&quote!(()), item.signature.ident.span()),
        ReturnType::Type(_, ty) => erase.in_type(ty),
    };
    let oddities = oddities(&item, &surroundings);
    let alone = |&(oddity, _): &_| matches!(oddity, Oddity::SelfParameter | Oddity::Twice);
    let is_alone = oddities.iter().any(alone);
    let surroundings = if is_alone { Surroundings::Impl } else { surroundings };
    let marker = keys.marker.get().map_or(&item.signature.ident, |marker| &marker.0).clone();
    Written {
        doc: item.attributes.iter().filter_map(doc).collect(),
        function: function(item, marker, root, surroundings),
        oddities,
        keys,
        receiver,
        params,
        output,
    }
}

/// What does not depend on the keys, but for the path of the library.
fn function(item: Item, marker: Ident, root: TokenStream, surroundings: Surroundings) -> Function {
    let Item { attributes, visibility, signature, body } = item;
    Function {
        kept: quote!(#(#attributes)* #visibility #signature #body),
        cfgs: cfgs(&attributes),
        visibility: visibility.to_token_stream(),
        ident: signature.ident,
        marker,
        is_deprecated: attributes.iter().any(may_deprecate),
        flow: if signature.asyncness.is_some() { Flow::Async } else { Flow::Sync },
        root,
        surroundings,
    }
}

/// Whether an attribute is `#[deprecated]`, or may become it.
fn may_deprecate(attribute: &Attribute) -> bool {
    ["deprecated", "cfg_attr"].iter().any(|word| attribute.path().is_ident(word))
}

/// The attributes that say where an item is there at all.
pub(crate) fn cfgs(attributes: &[Attribute]) -> TokenStream {
    let cfgs = attributes.iter().filter(|attribute| attribute.path().is_ident("cfg"));
    quote!(#(#cfgs)*)
}

/// A function whose body was not looked into.
pub(crate) struct Item {
    /// Its attributes, without ours.
    pub(crate) attributes: Vec<Attribute>,
    /// Its visibility.
    pub(crate) visibility: Visibility,
    /// Its signature.
    pub(crate) signature: Signature,
    /// Its body, or what stands instead.
    pub(crate) body: TokenStream,
}

fn item_of(item: TokenStream) -> syn::Result<Item> {
    let read = |input: ParseStream<'_>| {
        let attributes = input.call(Attribute::parse_outer)?;
        let visibility = input.parse()?;
        if input.peek(Token![impl]) {
            let message = "`#[tool]` goes on a function: write `#[toolbox]` above the `impl`, and \
                           `#[tool]` on its methods";
            return Err(input.error(message));
        }
        let start = input.cursor();
        let is_constant = input.peek(Token![const]) && !input.peek2(Token![fn]);
        let signature = input.parse().map_err(|error: syn::Error| {
            let is_other = is_constant && error.to_string() == "expected `fn`";
            if is_other || start.span().start() == error.span().start() {
                syn::Error::new(start.span(), "`#[tool]` goes on a function")
            } else {
                error
            }
        })?;
        Ok(Item { attributes, visibility, signature, body: input.parse()? })
    };
    read.parse2(item)
}

/// Finds what a tool can not have.
fn oddities(item: &Item, surroundings: &Surroundings) -> Vec<(Oddity, Span)> {
    let Item { attributes, signature, body, .. } = item;
    let generic = signature.generics.params.iter().filter_map(|parameter| match parameter {
        GenericParam::Lifetime(_) => None,
        GenericParam::Type(ty) => Some((Oddity::TypeParameter, ty.ident.span())),
        GenericParam::Const(number) => Some((Oddity::ConstParameter, number.ident.span())),
    });
    let mut found: Vec<_> = generic.collect();
    let twice = attributes.iter().filter(|attribute| attribute.path().is_ident("tool"));
    found.extend(twice.map(|attribute| (Oddity::Twice, attribute.span())));
    let odd = |receiver| odd_receiver(receiver, surroundings);
    found.extend(signature.receiver().and_then(odd));
    if let Safety::Unsafe(token) = &signature.safety {
        found.push((Oddity::Unsafe, token.span));
    }
    found.extend(signature.abi.as_ref().map(|abi| (Oddity::Extern, abi.extern_token.span)));
    found.extend(signature.variadic.as_ref().map(|variadic| (Oddity::Variadic, variadic.span())));
    if let Some(TokenTree::Punct(end)) = body.clone().into_iter().next() {
        found.push((Oddity::NoBody, end.span()));
    }
    if let ReturnType::Type(_, ty) = &signature.output
        && let syn::Type::Never(never) = &**ty
    {
        found.push((Oddity::Never, never.span()));
    }
    found
}

fn odd_receiver(receiver: &Receiver, surroundings: &Surroundings) -> Option<(Oddity, Span)> {
    if !matches!(surroundings, Surroundings::Toolbox(_)) {
        return Some((Oddity::SelfParameter, receiver.self_token.span));
    }
    match &receiver.kind {
        ReceiverKind::Value => Some((Oddity::TakesSelf, receiver.self_token.span)),
        ReceiverKind::Reference(_, _, mutability) => {
            mutability.map(|token| (Oddity::ChangesSelf, token.span))
        }
        ReceiverKind::Typed(_, ty) => match &**ty {
            syn::Type::Reference(lent) => {
                lent.mutability.map(|token| (Oddity::ChangesSelf, token.span))
            }
            _ => None,
        },
        _ => None,
    }
}

/// Reads the type of `self` and takes our attributes off it.
fn receiver(signature: &mut Signature, erase: &Erase<'_>, diag: &mut Diagnostics) -> Option<Type> {
    let Some(FnArg::Receiver(receiver)) = signature.inputs.first_mut() else {
        return None;
    };
    receiver.attrs.retain(|attribute| {
        let mark = MARKS.iter().find(|mark| attribute.path().is_ident(mark));
        if let Some(mark) = mark {
            let message = format!("`self` is the toolbox: remove `#[{mark}]`");
            diag.at(attribute.path().span(), message);
        }
        mark.is_none()
    });
    Some(match &receiver.kind {
        ReceiverKind::Typed(_, ty) => erase.in_type(ty),
        _ => Type::of(&quote!(&Self), receiver.self_token.span),
    })
}

/// Reads the parameters and takes our attributes off them.
fn params(
    signature: &mut Signature,
    erase: &Erase<'_>,
    diag: &mut Diagnostics,
) -> Vec<WrittenParam> {
    let typed = signature.inputs.iter_mut().filter_map(|input| match input {
        FnArg::Typed(param) => Some(param),
        FnArg::Receiver(_) => None,
    });
    typed.map(|param| self::param(param, erase, diag)).collect()
}

fn param(param: &mut PatType, erase: &Erase<'_>, diag: &mut Diagnostics) -> WrittenParam {
    let mut written = WrittenParam {
        ident: name(&param.pat),
        span: param.pat.span(),
        ty: erase.in_type(&param.ty),
        doc: Vec::new(),
        marks: Vec::new(),
        cfgs: cfgs(&param.attrs),
        keys: ArgKeys::default(),
    };
    param.attrs.retain(|attribute| !written.takes(attribute, diag));
    written
}

/// The name of a parameter, where it is one.
fn name(pattern: &Pat) -> Option<Ident> {
    match pattern {
        Pat::Ident(name) => Some(name.ident.clone()),
        _ => None,
    }
}

impl WrittenParam {
    /// Reads an attribute if it is ours.
    fn takes(&mut self, attribute: &Attribute, diag: &mut Diagnostics) -> bool {
        let Some(word) = attribute.path().get_ident().map(ToString::to_string) else {
            return false;
        };
        let span = attribute.path().span();
        match word.as_str() {
            "doc" => self.doc.extend(doc(attribute)),
            "arg" => {
                self.marks.push((Mark::Arg, span));
                match &attribute.meta {
                    Meta::List(list) => self.keys.read(list.tokens.clone(), diag),
                    Meta::Path(_) | Meta::NameValue(_) => {
                        diag.error(&attribute.meta, "`#[arg]` is written `#[arg(key = …)]`");
                    }
                }
            }
            "state" => self.mark(Mark::State, attribute, diag),
            "context" => self.mark(Mark::Context, attribute, diag),
            "cfg" | "allow" | "expect" | "warn" | "deny" | "forbid" | "cfg_attr" => return false,
            other if ArgKeys::WORDS.contains(&other) => {
                let message = format!("`{other}` is a key: write `#[arg({other} = …)]`");
                diag.at(span, message);
            }
            other if OF_FIELDS.contains(&other) => {
                let message = format!("`#[{other}(…)]` is for the fields of a type");
                let help =
                    "a parameter takes `#[arg(…)]`, like `#[arg(default = 20, minimum = 1)]`";
                diag.at(span, with_help(message, help));
            }
            other => {
                let Some(meant) = similar(other, MARKS) else {
                    return false;
                };
                let message = format!("unknown attribute `#[{other}]` on a tool's parameter");
                diag.at(span, with_help(message, format_args!("did you mean `#[{meant}]`?")));
            }
        }
        true
    }

    fn mark(&mut self, mark: Mark, attribute: &Attribute, diag: &mut Diagnostics) {
        self.marks.push((mark, attribute.path().span()));
        if !matches!(attribute.meta, Meta::Path(_)) {
            let word = attribute.path().to_token_stream();
            diag.error(
                &attribute.meta,
                format_args!("`#[{word}]` takes nothing: write `#[{word}]`"),
            );
        }
    }
}

/// What a doc attribute says.
fn doc(attribute: &Attribute) -> Option<Value> {
    match &attribute.meta {
        Meta::NameValue(doc) if doc.path.is_ident("doc") => Some(Value::of(&doc.value)),
        Meta::NameValue(_) | Meta::List(_) | Meta::Path(_) => None,
    }
}

/// What has no meaning outside of the function or its `impl`.
struct Erase<'a> {
    /// The function's own lifetimes.
    lifetimes: Vec<Ident>,
    /// What it stands in, where that is a toolbox.
    within: Option<&'a Within>,
}

impl<'a> Erase<'a> {
    fn of(signature: &Signature, surroundings: &'a Surroundings) -> Self {
        let lifetimes = signature.generics.lifetimes();
        let within = match surroundings {
            Surroundings::Toolbox(within) => Some(&**within),
            Surroundings::Module | Surroundings::Impl => None,
        };
        Self { lifetimes: lifetimes.map(|own| own.lifetime.ident.clone()).collect(), within }
    }

    /// Reads a type, with those lifetimes left to be inferred.
    fn in_type(&self, ty: &syn::Type) -> Type {
        // A type that came through a `macro_rules` is wrapped in a group.
        let ty = match ty {
            syn::Type::Group(group) => return self.in_type(&group.elem),
            syn::Type::Paren(paren) => return self.in_type(&paren.elem),
            other => other,
        };
        let mut read = Type::of(&self.in_tokens(ty.to_token_stream()), ty.span());
        read.end = ty.to_token_stream().into_iter().last().map_or(read.span, |token| token.span());
        if let syn::Type::Reference(reference) = ty {
            let lent = self.in_tokens(reference.elem.to_token_stream());
            read.inner_reference = find(&lent, &is_reference);
            read.lent = Some(lent);
            read.lent_mutably = reference.mutability.map(|token| token.span);
            let for_good =
                reference.lifetime.as_ref().filter(|lifetime| lifetime.ident == "static");
            read.lent_for_good = for_good.map(Spanned::span);
        } else {
            read.inner_reference = find(&read.tokens, &is_reference);
        }
        read
    }

    fn in_tokens(&self, tokens: TokenStream) -> TokenStream {
        let mut after_tick = false;
        let mut tokens = tokens.into_iter().peekable();
        let mut erased = TokenStream::new();
        while let Some(token) = tokens.next() {
            let is_lifetime = std::mem::replace(&mut after_tick, is(&token, '\''));
            match token {
                TokenTree::Ident(ident) if is_lifetime && self.lifetimes.contains(&ident) => {
                    erased.append(Ident::new("_", ident.span()));
                }
                TokenTree::Ident(ident) if ident == "Self" => {
                    erased.extend(self.own(ident, &tokens));
                }
                TokenTree::Group(group) => {
                    let inside = self.in_tokens(group.stream());
                    let mut erased_group = Group::new(group.delimiter(), inside);
                    erased_group.set_span(group.span());
                    erased.append(erased_group);
                }
                other => erased.append(other),
            }
        }
        erased
    }

    /// Writes `Self` so that the types behind it are found in another `impl`, too.
    fn own(&self, ident: Ident, rest: &(impl Iterator<Item = TokenTree> + Clone)) -> TokenStream {
        let mut rest = rest.clone().skip_while(|token| is(token, ':'));
        match (self.within, rest.next()) {
            (Some(Within { owner, types, .. }), Some(TokenTree::Ident(next)))
                if types.contains(&next) =>
            {
                quote_spanned!(ident.span()=> <#owner>)
            }
            _ => ident.into_token_stream(),
        }
    }
}

impl Type {
    /// Reads a type that stands for itself.
    pub(crate) fn of(tokens: &TokenStream, span: Span) -> Self {
        Self {
            tokens: tokens.clone(),
            span,
            end: span,
            lent: None,
            lent_mutably: None,
            lent_for_good: None,
            inner_reference: None,
            dynamic: find(tokens, &|token| is_word(token, "dyn")),
            opaque: find(tokens, &|token| is_word(token, "impl")),
        }
    }
}

/// Finds the first token of a kind, at any depth.
fn find(tokens: &TokenStream, is_it: &dyn Fn(&TokenTree) -> bool) -> Option<Span> {
    tokens.clone().into_iter().find_map(|token| match &token {
        TokenTree::Group(group) => find(&group.stream(), is_it),
        token => is_it(token).then(|| token.span()),
    })
}

fn is_reference(token: &TokenTree) -> bool {
    is(token, '&')
}

fn is_word(token: &TokenTree, word: &str) -> bool {
    matches!(token, TokenTree::Ident(ident) if ident == word)
}

fn is(token: &TokenTree, sign: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == sign)
}
