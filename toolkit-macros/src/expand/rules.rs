//! Writes the expressions as one function of what is asked and of the arguments.

use proc_macro2::{Delimiter, Group, Ident, Spacing, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;

use super::call::{argument, arguments_of, format, given, inject, this};
use super::{lib, lib_at, local, replaced, shown_at};
use crate::model::{Param, Policy, Tool};

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
pub(super) fn rules(tool: &Tool, params: &[&Param]) -> Option<TokenStream> {
    let rules = rules_of(&tool.policy);
    if rules.is_empty() {
        return None;
    }
    let (lib, passage, rule, said) = (lib(), local("way"), local("rule"), local("said"));
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
