//! Writes the expressions as one function of what is asked and of the arguments.

use proc_macro2::{Delimiter, Group, Ident, Spacing, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;

use super::call::{Injected, argument, arguments_of, format, given, in_one};
use super::{lib, lib_at, local, replaced, shown_at};
use crate::model::{Param, Policy, Tool};

/// An expression of the attribute.
pub(super) struct Rule<'a> {
    /// The variant of `Rule` by which a gate asks for it.
    asked: TokenStream,
    /// The variant of `Said` that holds what it gives.
    said: &'static str,
    /// What tells what it gives, and what reads that where it may end before its end; without
    /// them, it is a `bool`.
    read: Option<(&'static str, &'static str)>,
    written: &'a TokenStream,
}

/// The expressions that a tool has.
pub(super) fn rules_of(policy: &Policy) -> Vec<Rule<'_>> {
    let Policy { checks, approval, preview, verify, .. } = policy;
    let checks = checks.iter().enumerate().map(|(number, written)| {
        let asked = quote!(Check(#number));
        Rule { asked, said: "Check", read: Some(("check", "checked")), written }
    });
    let approval = approval.as_ref().and_then(|approval| approval.rule.as_ref());
    let others = [
        ("Approval", None, approval),
        ("Preview", Some(("preview", "previewed")), preview.as_ref()),
        ("Verify", Some(("verify", "verified")), verify.as_ref()),
    ];
    let others = others.into_iter().filter_map(|(said, read, written)| {
        let asked = Ident::new(said, Span::call_site()).into_token_stream();
        Some(Rule { asked, said, read, written: written? })
    });
    checks.chain(others).collect()
}

/// Whether an expression says a name.
pub(super) fn are_named(rules: &[Rule<'_>], name: &str) -> bool {
    rules.iter().any(|rule| names(rule.written, name))
}

/// Writes the expressions as one function of what is asked and of what the call is given, which it
/// gives back.
pub(super) fn written(
    tool: &Tool,
    params: &[&Param],
    rules: &[Rule<'_>],
    injected: &[Injected<'_>],
) -> TokenStream {
    let (lib, asked, said) = (lib(), local("rule"), local("said"));
    let taken = arguments_of(params).map(|(index, param)| match param.ty.lent {
        Some(_) => argument(index),
        None => param.ident.clone(),
    });
    let taken = taken.chain(format(tool));
    let injected = injected.iter().map(|injected| injected.name().into_token_stream());
    let back = in_one(&quote!((#(#taken,)*)), injected);
    let lent = arguments_of(params).filter(|(_, param)| param.ty.lent.is_some());
    let lent = lent.filter(|(_, param)| are_named(rules, &param.ident.to_string()));
    let lent = lent.map(|(index, param)| {
        let (ident, given) = (&param.ident, given(&argument(index), param));
        quote!(let #ident = #given;)
    });
    let arms = rules.iter().map(|rule| arm(tool, rule));
    let may_wait = rules.iter().any(Rule::waits).then(|| quote!(async move));
    quote! {
        move |#asked, #back| #may_wait {
            #(#lent)*
            let #said = match #asked { #(#arms)* _ => #lib::Nothing };
            (#said, #back)
        }
    }
}

impl Rule<'_> {
    /// How a gate asks for it.
    pub(super) fn asked(&self) -> TokenStream {
        let (lib, asked) = (lib_at(self.written.span()), &self.asked);
        quote_spanned!(shown_at(self.written.span())=> #lib::#asked)
    }

    pub(super) fn waits(&self) -> bool {
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
fn arm(tool: &Tool, rule: &Rule<'_>) -> TokenStream {
    let Rule { said, read, written, .. } = rule;
    let place = shown_at(written.span());
    let (lib, asked, said) = (lib_at(place), rule.asked(), Ident::new(said, place));
    let seen = TokenStream::clone(written);
    let seen = if tool.receiver.is_some() { with_this(seen) } else { seen };
    // A condition does not wait, also where the others do.
    let is_apart = returns(written) || (read.is_none() && awaits(written));
    let own = if is_apart { rule.apart(&seen) } else { seen };
    let Some((tell, read)) = read else {
        // A condition is told as one, without a word on what it is for.
        let own = Group::new(Delimiter::None, own);
        return quote_spanned!(place=> #asked if #own => #lib::Asks,);
    };
    let (tell, read) = (Ident::new(tell, place), Ident::new(read, place));
    let mut given = Group::new(Delimiter::Parenthesis, own);
    given.set_span(place);
    if leaves(written) {
        let told = rule.apart(&quote_spanned!(place=> #lib::#read #given));
        quote_spanned!(place=> #asked => #lib::Said::#said(#told),)
    } else {
        quote_spanned!(place=> #asked => #lib::#tell #given,)
    }
}

/// Writes the local that stands for `self` where an expression says `self`.
fn with_this(tokens: TokenStream) -> TokenStream {
    replaced(tokens, &|word, starts_path| {
        let mut this = local("this");
        this.set_span(this.span().located_at(word.span()));
        (word == "self" && !starts_path).then(|| this.into_token_stream())
    })
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
