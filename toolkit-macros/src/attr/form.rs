//! What stands behind a key, in its different forms.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{Expr, ExprLit, Ident, Lit, LitBool, LitStr, Path, Token};

use super::{ApprovalKeys, Form, HintKeys, Keys, ToolKeys, Value};
use crate::diag::{Diagnostics, with_help};

/// `true`, `false`, or the key alone.
pub(crate) struct Flag(pub(crate) bool);

impl Form for Flag {
    const SHAPE: &'static str = " = true";

    fn read(input: ParseStream<'_>, _: &mut Diagnostics) -> syn::Result<Self> {
        input.parse::<Token![=]>()?;
        if !input.peek(LitBool) {
            let other: Expr = input.parse()?;
            return Err(syn::Error::new_spanned(other, "expected `true` or `false`"));
        }
        input.parse().map(|flag: LitBool| Self(flag.value))
    }

    fn alone() -> Option<Self> {
        Some(Self(true))
    }
}

/// A number of persons or calls.
pub(crate) struct Count {
    /// The number, from 1 on.
    pub(crate) number: u32,
    /// Where it stands.
    pub(crate) span: Span,
}

impl Form for Count {
    const SHAPE: &'static str = " = 2";

    fn read(input: ParseStream<'_>, _: &mut Diagnostics) -> syn::Result<Self> {
        input.parse::<Token![=]>()?;
        let given: Expr = input.parse()?;
        let count = match &given {
            Expr::Lit(ExprLit { lit: Lit::Int(count), .. }) => count.base10_parse().ok(),
            _ => None,
        };
        let wrong = || syn::Error::new_spanned(&given, "expected a whole number from 1 on");
        let count = count.filter(|count| *count > 0);
        count.map(|number| Self { number, span: given.span() }).ok_or_else(wrong)
    }
}

/// A number of bytes; 2 of them would say nothing.
pub(crate) struct Bytes(pub(crate) Count);

impl Form for Bytes {
    const SHAPE: &'static str = " = 4096";

    fn read(input: ParseStream<'_>, diag: &mut Diagnostics) -> syn::Result<Self> {
        Count::read(input, diag).map(Self)
    }
}

/// Text in quotes.
pub(crate) struct Text {
    /// What it says.
    pub(crate) text: String,
    /// Where it stands.
    pub(crate) span: Span,
}

impl Text {
    fn of(literal: &LitStr) -> Self {
        Self { text: literal.value(), span: literal.span() }
    }
}

impl Form for Text {
    const SHAPE: &'static str = " = \"…\"";

    fn read(input: ParseStream<'_>, _: &mut Diagnostics) -> syn::Result<Self> {
        if input.peek(Token![=]) && !input.peek2(LitStr) {
            input.parse::<Token![=]>()?;
            let other: Expr = input.parse()?;
            return Err(syn::Error::new_spanned(other, "expected text in quotes"));
        }
        input.parse::<Token![=]>()?;
        input.parse().map(|literal: LitStr| Self::of(&literal))
    }
}

/// Words in quotes.
pub(crate) struct Words(pub(crate) Vec<Text>);

impl Form for Words {
    const SHAPE: &'static str = "(\"…\")";

    fn read(input: ParseStream<'_>, _: &mut Diagnostics) -> syn::Result<Self> {
        if !input.peek(syn::token::Paren) {
            return Err(input.error("expected `(`"));
        }
        let content;
        syn::parenthesized!(content in input);
        let words = content.parse_terminated(<LitStr as Parse>::parse, Token![,]);
        // What is left over would be reported a second time.
        content.parse::<TokenStream>()?;
        let words: Vec<Text> = words?.iter().map(Text::of).collect();
        if words.is_empty() {
            return Err(input.error("expected at least one word"));
        }
        Ok(Self(words))
    }
}

/// Names of parameters.
pub(crate) struct Names(pub(crate) Vec<Ident>);

impl Form for Names {
    const SHAPE: &'static str = "(parameter, …)";

    fn read(input: ParseStream<'_>, _: &mut Diagnostics) -> syn::Result<Self> {
        let names = in_parentheses(input, |names| {
            if names.peek(LitStr) {
                return Err(names.error("a parameter's name stands without quotes"));
            }
            names.parse_terminated(Ident::parse_any, Token![,])
        })?;
        if names.is_empty() {
            return Err(input.error("expected the name of a parameter"));
        }
        Ok(Self(names.into_iter().collect()))
    }
}

/// Tools that must have succeeded before, each with parameters that are the same.
pub(crate) struct Requirements(pub(crate) Vec<Required>);

/// A tool by its name, and parameters.
pub(crate) struct Required {
    /// The tool's name.
    pub(crate) tool: Text,
    /// The parameters.
    pub(crate) same: Vec<Ident>,
}

impl Form for Requirements {
    const SHAPE: &'static str = "(tool, tool(parameter), …)";

    fn read(input: ParseStream<'_>, _: &mut Diagnostics) -> syn::Result<Self> {
        let all = in_parentheses(input, |all| all.parse_terminated(Required::read, Token![,]))?;
        if all.is_empty() {
            return Err(input.error("expected the name of a tool"));
        }
        Ok(Self(all.into_iter().collect()))
    }
}

impl Required {
    fn read(input: ParseStream<'_>) -> syn::Result<Self> {
        let tool = if input.peek(LitStr) {
            Text::of(&input.parse()?)
        } else {
            let name = input.call(Ident::parse_any)?;
            Text { text: name.unraw().to_string(), span: name.span() }
        };
        let mut same = Vec::new();
        if input.peek(syn::token::Paren) {
            let names =
                in_parentheses(input, |names| names.parse_terminated(Ident::parse_any, Token![,]))?;
            same.extend(names);
        }
        Ok(Self { tool, same })
    }
}

/// An expression over the arguments.
pub(crate) struct Rule(pub(crate) TokenStream);

impl Form for Rule {
    const SHAPE: &'static str = " = …";

    fn read(input: ParseStream<'_>, _: &mut Diagnostics) -> syn::Result<Self> {
        if !input.peek(syn::token::Paren) {
            input.parse::<Token![=]>()?;
            return input.parse().map(|rule: Expr| Self(rule.into_token_stream()));
        }
        in_parentheses(input, one_expression).map(Self)
    }
}

/// One expression, and a comma behind it at most.
fn one_expression(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let expression: Expr = input.parse()?;
    input.parse::<Option<Token![,]>>()?;
    if !input.is_empty() {
        return Err(input.error("expected one expression"));
    }
    Ok(expression.into_token_stream())
}

/// Reads what stands in parentheses.
fn in_parentheses<T>(
    input: ParseStream<'_>,
    read: impl FnOnce(ParseStream<'_>) -> syn::Result<T>,
) -> syn::Result<T> {
    if !input.peek(syn::token::Paren) {
        return Err(input.error("expected `(`"));
    }
    let content;
    syn::parenthesized!(content in input);
    let read = read(&content);
    // What is left over would be reported a second time.
    content.parse::<TokenStream>()?;
    read
}

/// When a person must agree, and how.
pub(crate) struct Approval {
    /// When; without it, the effect says so.
    pub(crate) rule: Option<TokenStream>,
    /// How.
    pub(crate) keys: ApprovalKeys,
}

impl Form for Approval {
    const SHAPE: &'static str = "(rule)";

    fn read(input: ParseStream<'_>, diag: &mut Diagnostics) -> syn::Result<Self> {
        let mut keys = ApprovalKeys::default();
        if !input.peek(syn::token::Paren) {
            input.parse::<Token![=]>()?;
            let rule: Expr = input.parse()?;
            return Ok(Self { rule: Some(rule.into_token_stream()), keys });
        }
        let rule = in_parentheses(input, |input| {
            let mut rule = None;
            if !starts_key(input, ApprovalKeys::WORDS) {
                let expression: Expr = input.parse()?;
                rule = Some(expression.into_token_stream());
                input.parse::<Option<Token![,]>>()?;
            }
            while !input.is_empty() {
                if !starts_key(input, &[]) && !ToolKeys::WORDS.iter().any(|w| starts_with(input, w))
                {
                    let message = match rule {
                        Some(_) => "expected one rule, joined with `&&` or `||`",
                        None => "the rule stands before the keys: write `approval(rule, key = …)`",
                    };
                    return Err(input.error(message));
                }
                keys.entry(input, diag);
            }
            Ok(rule)
        })?;
        Ok(Self { rule, keys })
    }
}

/// Whether a key follows, with a value or alone; `words` are the keys, where an expression can
/// stand as well.
fn starts_key(input: ParseStream<'_>, words: &[&str]) -> bool {
    let ahead = input.fork();
    let Ok(word) = ahead.call(Ident::parse_any) else {
        return false;
    };
    if ahead.is_empty() || ahead.peek(Token![,]) {
        return words.is_empty() || words.iter().any(|known| word == known);
    }
    ahead.peek(Token![=]) && !ahead.peek(Token![==]) && !ahead.peek(Token![=>])
}

/// What a client of MCP is told beside the effect.
pub(crate) struct Annotations(pub(crate) HintKeys);

impl Form for Annotations {
    const SHAPE: &'static str = "(open_world_hint = false)";

    fn read(input: ParseStream<'_>, diag: &mut Diagnostics) -> syn::Result<Self> {
        let mut keys = HintKeys::default();
        in_parentheses(input, |input| {
            if input.is_empty() {
                return Err(input.error("expected a hint"));
            }
            while !input.is_empty() {
                keys.entry(input, diag);
            }
            Ok(())
        })?;
        Ok(Self(keys))
    }
}

/// Whole arguments, each in parentheses of its own.
pub(crate) struct Examples(pub(crate) Vec<Vec<ExampleField>>);

/// A parameter, and its value in an example.
pub(crate) struct ExampleField {
    /// The parameter.
    pub(crate) name: Ident,
    /// The value.
    pub(crate) value: Value,
}

impl Form for Examples {
    const SHAPE: &'static str = "((parameter = value, …), …)";

    fn read(input: ParseStream<'_>, _: &mut Diagnostics) -> syn::Result<Self> {
        let all = in_parentheses(input, |all| {
            all.parse_terminated(
                |example| {
                    in_parentheses(example, |fields| {
                        fields.parse_terminated(ExampleField::read, Token![,])
                    })
                },
                Token![,],
            )
        })?;
        if all.is_empty() {
            return Err(input.error("expected an example"));
        }
        Ok(Self(all.into_iter().map(|fields| fields.into_iter().collect()).collect()))
    }
}

impl ExampleField {
    fn read(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(LitStr) {
            return Err(input.error("a parameter's name stands without quotes"));
        }
        let name = input.call(Ident::parse_any)?;
        input.parse::<Token![=]>()?;
        let value: Expr = input.parse()?;
        Ok(Self { name, value: Value::of(&value) })
    }
}

/// What becomes of a call of which nobody knows whether it took effect.
pub(crate) enum Unknown {
    /// A word for it.
    Word(Text),
    /// An expression finds out.
    Verify(TokenStream),
}

impl Form for Unknown {
    const SHAPE: &'static str = " = \"in_doubt\"";

    fn read(input: ParseStream<'_>, _: &mut Diagnostics) -> syn::Result<Self> {
        const HOW: &str = "`verify` takes an expression that gives a `Verified`: \
                           write `on_unknown = verify(…)`";
        input.parse::<Token![=]>()?;
        if input.peek(LitStr) {
            let word = Text::of(&input.parse()?);
            return match word.text.as_str() {
                "verify" => Err(syn::Error::new(word.span, HOW)),
                _ => Ok(Self::Word(word)),
            };
        }
        if !starts_with(input, "verify") {
            let other: Expr = input.parse()?;
            let message = match &other {
                Expr::Path(word) if word.path.get_ident().is_some() => {
                    let word = word.to_token_stream();
                    format!("expected a word in quotes: write `on_unknown = \"{word}\"`")
                }
                _ => "expected a word in quotes, or `verify(…)`".to_owned(),
            };
            return Err(syn::Error::new_spanned(other, message));
        }
        let verify: Ident = input.parse()?;
        if is_empty(input) {
            return Err(syn::Error::new(verify.span(), HOW));
        }
        let how = |error: syn::Error| {
            syn::Error::new(error.span(), format!("{error}: write `on_unknown = verify(…)`"))
        };
        in_parentheses(input, one_expression).map(Self::Verify).map_err(how)
    }
}

/// Whether no parentheses follow, or none with something in them.
fn is_empty(input: ParseStream<'_>) -> bool {
    let group = input.cursor().group(proc_macro2::Delimiter::Parenthesis);
    group.is_none_or(|(inside, ..)| inside.eof())
}

fn starts_with(input: ParseStream<'_>, word: &str) -> bool {
    input.fork().call(Ident::parse_any).is_ok_and(|ident| ident == word)
}

/// Why the calls of a tool are in no ledger.
pub(crate) struct NoLedger(pub(crate) String);

impl Form for NoLedger {
    const SHAPE: &'static str = " = none(\"…\")";

    fn read(input: ParseStream<'_>, _: &mut Diagnostics) -> syn::Result<Self> {
        input.parse::<Token![=]>()?;
        if input.peek(LitStr) {
            let word: LitStr = input.parse()?;
            return Err(match word.value().as_str() {
                "none" => without_reason(word.span()),
                _ => syn::Error::new(word.span(), "expected `none` and a reason"),
            });
        }
        if !starts_with(input, "none") {
            let other: Expr = input.parse()?;
            return Err(syn::Error::new_spanned(other, "expected `none` and a reason"));
        }
        let none: Ident = input.parse()?;
        if is_empty(input) {
            return Err(without_reason(none.span()));
        }
        let why: LitStr = in_parentheses(input, |input| {
            let quoted = |_| input.error("expected the reason in quotes");
            input.parse().map_err(quoted)
        })?;
        if why.value().trim().is_empty() {
            return Err(without_reason(why.span()));
        }
        Ok(Self(why.value()))
    }
}

fn without_reason(span: Span) -> syn::Error {
    let message = "a tool without a ledger needs a reason: write `ledger = none(\"…\")`";
    let help = "the ledger keeps a repeated call from running twice; \
                say why that does no harm here";
    syn::Error::new(span, with_help(message, help))
}

/// The name of the type that stands beside the function.
pub(crate) struct Marker(pub(crate) Ident);

impl Form for Marker {
    const SHAPE: &'static str = " = Name";

    fn read(input: ParseStream<'_>, _: &mut Diagnostics) -> syn::Result<Self> {
        input.parse::<Token![=]>()?;
        if !input.peek(Ident) {
            let other: Expr = input.parse()?;
            return Err(syn::Error::new_spanned(other, "expected the name of a type"));
        }
        input.parse().map(Self)
    }
}

/// The path that the library is found under.
pub(crate) struct Root(pub(crate) TokenStream);

impl Form for Root {
    const SHAPE: &'static str = " = path";

    fn read(input: ParseStream<'_>, _: &mut Diagnostics) -> syn::Result<Self> {
        input.parse::<Token![=]>()?;
        input.call(Path::parse_mod_style).map(|path| Self(path.into_token_stream()))
    }
}
