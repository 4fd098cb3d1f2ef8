//! A crate that renames the library, hides the prelude and forbids what it can.

#![deny(warnings)]
#![deny(
    missing_docs,
    missing_debug_implementations,
    missing_copy_implementations,
    unreachable_pub,
    unused_qualifications,
    unused_lifetimes,
    single_use_lifetimes,
    unnameable_types,
    elided_lifetimes_in_paths,
    trivial_casts,
    unused_results,
    absolute_paths_not_starting_with_crate
)]
#![forbid(unsafe_code)]
#![deny(clippy::all, clippy::pedantic, clippy::nursery)]
#![allow(
    clippy::missing_const_for_fn,
    clippy::missing_errors_doc,
    clippy::needless_pass_by_value,
    clippy::too_many_arguments,
    clippy::trivially_copy_pass_by_ref,
    clippy::unnecessary_wraps,
    clippy::unused_async
)]

extern crate toolkit as kit;

/// Types; the derive of schemars needs the prelude.
pub mod types {
    use crate::kit;

    /// A note.
    #[kit::arg_type(crate = kit)]
    #[derive(Debug)]
    pub struct Note {
        /// Its text.
        pub text: ::std::string::String,
    }

    /// Cents.
    #[kit::arg_type(crate = kit)]
    #[derive(Debug, Clone, Copy)]
    pub struct Cents(pub u64);
}

/// What the expansion may not meet.
#[no_implicit_prelude]
pub mod inner {
    use crate::types::{Cents, Note};
    use crate::kit;

    #[expect(non_camel_case_types, dead_code, reason = "names that the expansion may not meet")]
    mod names {
        pub(super) struct Option;
        pub(super) struct Result;
        pub(super) struct Box;
        pub(super) struct String;
        pub(super) struct Table;
        pub(super) struct core;
        pub(super) struct std;
    }

    #[expect(unused_imports, reason = "names that the expansion may not meet")]
    use self::names::*;

    /// A bank.
    #[derive(Debug)]
    pub struct Bank(::std::string::String);

    fn fine(cents: &Cents) -> ::std::result::Result<(), kit::ToolError> {
        let _ = cents;
        ::std::result::Result::Ok(())
    }

    /// Pays.
    #[kit::tool(crate = kit, effect = "read", check = fine(&cents), approval(cents.0 > 3))]
    pub async fn pay(
        #[context] cx: &kit::CallContext,
        #[state] bank: &Bank,
        /// What to write.
        #[arg(min_length = 1, default = "x")]
        args: &str,
        passage: ::std::option::Option<::std::string::String>,
        function: ::std::vec::Vec<u8>,
        #[arg(minimum = 1)] cents: Cents,
        note: Note,
        slot0: u8,
        r#type: u8,
    ) -> ::std::result::Result<u8, kit::Failure> {
        let _ = (cx, &bank.0, args, passage, function, cents, note.text, slot0);
        ::std::result::Result::Ok(r#type)
    }

    /// Does nothing.
    #[kit::tool(crate = crate::kit)]
    pub const fn nothing() {}

    /// Adds one to a number of its own name.
    #[kit::tool(crate = ::kit)]
    #[must_use]
    pub fn add(add: u32) -> u32 {
        add + 1
    }
}

fn main() {
    let _: [kit::Tool; 3] = kit::tools![inner::pay, inner::nothing, inner::add];
}
