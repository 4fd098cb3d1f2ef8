//! What is written for an item with mistakes, so that nothing else complains.

use proc_macro2::TokenStream;
use quote::quote;

use crate::expand::{marker, resolved};
use crate::model::{Block, Function, Owner, Surroundings};

/// Keeps the function, and gives it a table that says nothing.
pub(crate) fn fallback(function: &Function) -> TokenStream {
    let Function { kept, cfgs, marker: of, root, .. } = function;
    if let Surroundings::Impl | Surroundings::Toolbox(_) = function.surroundings {
        return kept.clone();
    }
    let marker = marker(function);
    quote! {
        #kept
        #marker
        #cfgs
        const _: () = {
            impl #root::__private::Annotated for #of {
                const TABLE: &'static #root::__private::Table = &#root::__private::Table::NONE;
            }
        };
    }
}

/// Keeps the `impl`, and gives it no tools.
pub(crate) fn fallback_toolbox(block: &Block) -> TokenStream {
    let Block { kept, cfgs, owner: Owner { ty, generics, bounds }, root, .. } = block;
    let resolved = resolved(block);
    quote! {
        #kept
        #cfgs
        const _: () = {
            #resolved
            impl #generics #root::__private::Toolbox for #ty
            where
                Self: ::core::marker::Send + ::core::marker::Sync + 'static,
                #bounds
            {
                const TABLES: &'static [#root::__private::Table] = &[];
            }
        };
    }
}
