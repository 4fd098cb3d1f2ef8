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
    clippy::needless_arbitrary_self_type,
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
        pub(super) struct Policy;
        pub(super) struct Rules;
        pub(super) struct Duration;
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

    async fn found(cents: &Cents) -> kit::Verified<u8> {
        let _ = cents;
        kit::Verified::Unknown
    }

    /// Pays for good.
    #[kit::tool(
        crate = kit,
        effect = "write",
        scopes("pay"),
        listed,
        on_denied = "fatal",
        on_unknown = verify(found(&cents).await),
        ledger = none("the bank keeps one"),
        idempotency(cents, r#type),
        requires(told, "pay-more"(cents, r#type)),
        approval(cents.0 > 3, quorum = 2, four_eyes, time_to_live = "2h"),
        preview = {
            if rules == 0 {
                return "nothing";
            }
            "something"
        },
        preview_must_match,
    )]
    pub async fn pay_for_good(
        #[arg(minimum = 1)] cents: Cents,
        r#type: u8,
        rules: u8,
        policy: u8,
        #[arg(rename = "pair")] (left, right): (u8, u8),
    ) -> u8 {
        let _ = cents.0;
        r#type + rules + policy + left + right
    }

    impl kit::Concise for Cents {
        type View = u64;

        fn concise(self) -> u64 {
            self.0
        }
    }

    /// Tells.
    #[kit::tool(crate = kit, formats, requires(pay))]
    pub fn told(result: u64, detail: u64, told: u64) -> ::std::result::Result<Cents, kit::Failure> {
        ::std::result::Result::Ok(Cents(result + detail + told))
    }

    /// A desk.
    #[derive(Debug, Clone, Copy)]
    pub struct Desk(u8);

    #[kit::toolbox(crate = kit)]
    impl Desk {
        /// Opens.
        #[kit::tool(effect = "read", check = self.fine(this), approval(self.0 > 3 && slot0 > passage))]
        pub async fn open(
            &self,
            #[context] cx: &kit::CallContext,
            #[state] bank: &Bank,
            /// How wide.
            #[arg(minimum = 1)]
            this: u8,
            passage: u8,
            slot0: u8,
            r#type: &str,
        ) -> ::std::result::Result<u8, kit::Failure> {
            let _ = (cx, bank, r#type);
            ::std::result::Result::Ok(this + passage + slot0 + self.0)
        }

        /// Does not hide the type of its name.
        #[kit::tool]
        #[must_use]
        pub const fn u8(self: &Self, u8: u8) -> u8 {
            self.0 + u8
        }

        /// Shares.
        #[kit::tool]
        fn r#move(self: ::std::sync::Arc<Self>, note: Note) -> ::std::string::String {
            let _ = self.0;
            note.text
        }

        const fn fine(&self, wide: u8) -> ::std::result::Result<(), kit::ToolError> {
            let _ = (self.0, wide);
            ::std::result::Result::Ok(())
        }
    }

    /// Closes.
    pub trait Close {
        /// What comes of it.
        type Output;

        /// Closes.
        fn schema(&self, split: ::std::option::Option<u8>) -> Self::Output;
    }

    #[kit::toolbox(crate = ::kit)]
    impl Close for Bank {
        type Output = ::std::result::Result<u8, kit::ToolError>;

        /// Closes.
        #[kit::tool]
        fn schema(&self, split: ::std::option::Option<u8>) -> Self::Output {
            ::std::result::Result::Ok(split.unwrap_or(0))
        }
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
    let _: [kit::Tool; 4] =
        kit::tools![inner::pay, inner::pay_for_good, inner::nothing, inner::add];
    let _: [Vec<kit::Tool>; 2] =
        [kit::Tool::all_of::<inner::Desk>(), kit::Tool::all_of::<inner::Bank>()];
}
