//! Writes the derives that a type of an argument or result needs.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::punctuated::Punctuated;
use syn::{Attribute, Data, DeriveInput, Field, Fields, Meta, Path, Token, Variant, parse_quote};

use crate::attr::{Keys, TypeKeys};
use crate::diag::{Diagnostics, with_help};

/// The traits that the attribute derives.
const DERIVED: &[&str] = &["Serialize", "Deserialize", "JsonSchema"];

/// Reads the type, corrects what is wrong in it so that nothing else complains, and derives.
pub(crate) fn arg_type(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let mut diag = Diagnostics::default();
    let mut keys = TypeKeys::default();
    keys.read(attribute, &mut diag);
    let root = keys.root.get().map_or_else(|| quote!(::toolkit), |root| root.0.clone());
    let mut written = match syn::parse2::<DeriveInput>(item.clone()) {
        Ok(written) if !matches!(written.data, Data::Union(_)) => written,
        _ => {
            diag.error(&item, "`#[arg_type]` goes on a struct or an enum");
            return [diag.into_tokens(), item].into_iter().collect();
        }
    };
    without_derives(&mut written.attrs, &mut diag);
    for field in fields(&mut written.data) {
        without_flatten(field, &mut diag);
        without_arg(field, &mut diag);
    }
    in_order(&mut written.data);
    let attributes = attributes(&written.attrs, &root);
    let constraints = constraints(&written, &root);
    let errors = diag.into_tokens();
    quote!(#errors #attributes #written #constraints)
}

/// The derives, closed to unknown fields.
fn attributes(written: &[Attribute], root: &TokenStream) -> TokenStream {
    let path =
        |library: TokenStream| quote!(#root::__private::#library).to_string().replace(' ', "");
    let (serde, schemars) = (path(quote!(serde)), path(quote!(schemars)));
    // A type that is read as another one is as closed as that one.
    let is_open = ["deny_unknown_fields", "transparent", "from", "try_from"];
    let closed = !is_open.iter().any(|word| written.iter().any(|attribute| says(attribute, word)));
    let closed = closed.then(|| quote!(, deny_unknown_fields));
    quote! {
        #[derive(
            #root::__private::serde::Serialize,
            #root::__private::serde::Deserialize,
            #root::__private::schemars::JsonSchema
        )]
        #[serde(crate = #serde #closed)]
        #[schemars(crate = #schemars)]
    }
}

/// Whether a `#[serde(…)]` says a word.
fn says(attribute: &Attribute, word: &str) -> bool {
    attribute.path().is_ident("serde")
        && words(attribute).iter().any(|meta| meta.path().is_ident(word))
}

/// What stands between the parentheses; nothing where only its own derive can read it.
fn words(attribute: &Attribute) -> Vec<Meta> {
    let words = attribute.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
    words.map(|words| words.into_iter().collect()).unwrap_or_default()
}

/// Takes off the derives that would stand twice.
fn without_derives(attributes: &mut Vec<Attribute>, diag: &mut Diagnostics) {
    for attribute in attributes.iter_mut().filter(|attribute| attribute.path().is_ident("derive")) {
        let derives = attribute.parse_args_with(Punctuated::<Path, Token![,]>::parse_terminated);
        let Ok(derives) = derives else { continue };
        let twice = |path: &Path| {
            path.segments
                .last()
                .is_some_and(|last| DERIVED.iter().any(|derived| last.ident == derived))
        };
        for path in derives.iter().filter(|path| twice(path)) {
            let last = path.segments.last().to_token_stream();
            diag.error(
                path,
                format_args!("`#[arg_type]` derives `{last}` already: remove it here"),
            );
        }
        let kept = derives.iter().filter(|path| !twice(path));
        *attribute = parse_quote!(#[derive(#(#kept),*)]);
    }
    attributes.retain(|attribute| {
        !attribute.path().is_ident("derive")
            || !matches!(&attribute.meta, Meta::List(list) if list.tokens.is_empty())
    });
}

fn fields(data: &mut Data) -> Vec<&mut Field> {
    match data {
        Data::Struct(data) => data.fields.iter_mut().collect(),
        Data::Enum(data) => {
            data.variants.iter_mut().flat_map(|variant| variant.fields.iter_mut()).collect()
        }
        Data::Union(_) => Vec::new(),
    }
}

/// Takes off `#[serde(flatten)]`, under which a type can not be closed.
fn without_flatten(field: &mut Field, diag: &mut Diagnostics) {
    for attribute in field.attrs.iter_mut().filter(|attribute| says(attribute, "flatten")) {
        let (flatten, kept): (Vec<_>, Vec<_>) =
            words(attribute).into_iter().partition(|meta| meta.path().is_ident("flatten"));
        for meta in flatten {
            let message = "`#[arg_type]` is closed to unknown fields, and `flatten` would open it";
            let help = "remove `flatten`, so that the inner fields stand under this field's name";
            diag.error(meta, with_help(message, help));
        }
        *attribute = parse_quote!(#[serde(#(#kept),*)]);
    }
}

/// Takes off `#[arg(…)]`, which is a parameter's.
fn without_arg(field: &mut Field, diag: &mut Diagnostics) {
    for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("arg")) {
        let message = "`#[arg]` goes on a tool's parameter, not on a field";
        let help = "write serde's and schemars' own, like `#[schemars(range(min = 1))]`, \
                    `#[schemars(length(max = 40))]` or `#[serde(default)]`";
        diag.error(attribute, with_help(message, help));
    }
    field.attrs.retain(|attribute| !attribute.path().is_ident("arg"));
}

/// Keeps documented variants in the order they are written in.
///
/// schemars puts unit variants without attributes before all others.
fn in_order(data: &mut Data) {
    let Data::Enum(data) = data else { return };
    let is_documented = |variant: &Variant| {
        variant
            .attrs
            .iter()
            .any(|attribute| ["doc", "schemars"].iter().any(|word| attribute.path().is_ident(word)))
    };
    if data.variants.iter().any(is_documented) {
        for variant in data.variants.iter_mut().filter(|variant| !is_documented(variant)) {
            if matches!(variant.fields, Fields::Unit) {
                variant.attrs.push(parse_quote!(#[schemars(description = "")]));
            }
        }
    }
}

/// Lets the constraints of a newtype's inner type fit the newtype.
///
/// A bound that is false is an error, unless it is one over every lifetime.
fn constraints(written: &DeriveInput, root: &TokenStream) -> TokenStream {
    let Data::Struct(data) = &written.data else {
        return TokenStream::new();
    };
    let Fields::Unnamed(fields) = &data.fields else {
        return TokenStream::new();
    };
    let mut types = fields.unnamed.iter().map(|field| &field.ty);
    let (Some(inner), None) = (types.next(), types.next()) else {
        return TokenStream::new();
    };
    let (parameters, arguments, bounds) = written.generics.split_for_impl();
    let bounds = bounds.into_iter().flat_map(|bounds| &bounds.predicates);
    let bounds = quote!(#(#bounds,)*);
    let ident = &written.ident;
    let impls = ["Number", "Text", "List"].map(|marker| {
        let marker = syn::Ident::new(marker, proc_macro2::Span::call_site());
        quote! {
            #[automatically_derived]
            impl #parameters #root::__private::#marker for #ident #arguments
            where
                #bounds
                for<'inner> #inner: #root::__private::#marker,
            {
            }
        }
    });
    quote! {
        #[allow(single_use_lifetimes, unused_lifetimes)]
        const _: () = {
            #(#impls)*
        };
    }
}
