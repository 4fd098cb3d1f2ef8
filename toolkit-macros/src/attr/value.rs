//! An expression behind a key, as far as it can be told before the compiler reads it.

use proc_macro2::{Literal as Token, Span, TokenStream};
use quote::{ToTokens, TokenStreamExt, quote};
use syn::parse::ParseStream;
use syn::spanned::Spanned;
use syn::{Expr, ExprLit, ExprUnary, Lit, Token, UnOp};

use super::Form;
use crate::diag::Diagnostics;

/// An expression, and what can be told of it before the compiler reads it.
#[derive(Clone)]
pub(crate) struct Value {
    /// The expression; integers without a type are written as `i128`.
    pub(crate) tokens: TokenStream,
    /// What it is, where it is a literal.
    pub(crate) literal: Literal,
}

/// What an expression is, as far as it is written out.
#[derive(Clone)]
pub(crate) enum Literal {
    /// Text.
    Text(String),
    /// A whole number.
    Integer(i128),
    /// A number.
    Float(f64),
    /// A number with its type, like `5u8`.
    Typed(f64),
    /// `true` or `false`.
    Flag,
    /// A list.
    List(Vec<Value>),
    /// Another literal.
    Other,
    /// No literal: only the compiler knows.
    Unknown,
}

impl Literal {
    /// The number that it is, as near as a double gets.
    pub(crate) fn number(&self) -> Option<f64> {
        match self {
            // Only the order of two bounds is asked, and two integers are compared exactly.
            #[expect(clippy::cast_precision_loss, reason = "see above")]
            Self::Integer(number) => Some(*number as f64),
            Self::Float(number) | Self::Typed(number) => Some(*number),
            _ => None,
        }
    }
}

impl Form for Value {
    const SHAPE: &'static str = " = …";

    fn read(input: ParseStream<'_>, _: &mut Diagnostics) -> syn::Result<Self> {
        input.parse::<Token![=]>()?;
        input.parse().map(|value: Expr| Self::of(&value))
    }
}

impl Value {
    /// Reads an expression.
    pub(crate) fn of(value: &Expr) -> Self {
        match value {
            Expr::Lit(ExprLit { lit, .. }) => Self::of_literal(lit),
            Expr::Unary(ExprUnary { op: UnOp::Neg(minus), expr, .. }) => {
                let Self { tokens, literal } = Self::of(expr);
                let literal = match literal {
                    Literal::Integer(number) => Literal::Integer(-number),
                    Literal::Float(number) => Literal::Float(-number),
                    Literal::Typed(number) => Literal::Typed(-number),
                    _ => Literal::Unknown,
                };
                Self { tokens: quote!(#minus #tokens), literal }
            }
            Expr::Group(group) => Self::of(&group.expr),
            Expr::Paren(paren) => Self::of(&paren.expr),
            Expr::Array(array) => {
                let items: Vec<_> = array.elems.iter().map(Self::of).collect();
                let tokens = items.iter().map(|item| &item.tokens);
                let mut list = TokenStream::new();
                array.bracket_token.surround(&mut list, |list| {
                    list.append_separated(tokens, quote!(,));
                });
                Self { tokens: list, literal: Literal::List(items) }
            }
            other => Self { tokens: other.into_token_stream(), literal: Literal::Unknown },
        }
    }

    /// An integer without a type would be an `i32`, and a big one would not fit.
    fn of_literal(literal: &Lit) -> Self {
        let mut tokens = literal.into_token_stream();
        let literal = match literal {
            Lit::Str(text) => Literal::Text(text.value()),
            Lit::Bool(_) => Literal::Flag,
            Lit::Float(number) => {
                let of = if number.suffix().is_empty() { Literal::Float } else { Literal::Typed };
                number.base10_parse().map_or(Literal::Other, of)
            }
            Lit::Int(number) => match number.base10_parse() {
                Ok(value) if number.suffix().is_empty() => {
                    let mut suffixed = Token::i128_suffixed(value);
                    suffixed.set_span(number.span());
                    tokens = suffixed.into_token_stream();
                    Literal::Integer(value)
                }
                // Only the order of two bounds is asked of it.
                #[expect(clippy::cast_precision_loss, reason = "see above")]
                Ok(value) => Literal::Typed(value as f64),
                Err(_) => Literal::Other,
            },
            _ => Literal::Other,
        };
        Self { tokens, literal }
    }

    /// Where it stands.
    pub(crate) fn span(&self) -> Span {
        self.tokens.span()
    }
}
