//! What the attribute writes, formatted for a person to read.

use expect_test::expect_file;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use crate::attr::{ApprovalKeys, ArgKeys, HintKeys, Keys, ToolKeys, ToolboxKeys, TypeKeys};

/// The page that tells of every key.
const PAGE: &str = include_str!("../../toolkit/docs/keys.md");

#[test]
fn the_page_of_keys_lists_what_the_parser_takes() {
    let tables = [
        ("# Keys of `#[tool(…)]`", ToolKeys::WORDS),
        ("# Keys of `approval(…)`", ApprovalKeys::WORDS),
        ("# Keys of `annotations(…)`", HintKeys::WORDS),
        ("# Keys of `#[arg(…)]`", ArgKeys::WORDS),
    ];
    let examples: String = PAGE.split("```").skip(1).step_by(2).collect();
    for (heading, words) in tables {
        let (_, section) = PAGE.split_once(heading).expect("the heading stands there");
        let section = section.split("\n# ").next().expect("there is a first part");
        assert_eq!(rows(section), words, "{heading}");
        let names = |word: &&&str| {
            let written = examples.split(|sign: char| !sign.is_alphanumeric() && sign != '_');
            written.into_iter().any(|part| part == **word)
        };
        let without: Vec<_> = words.iter().filter(|word| !names(word)).collect();
        assert_eq!(without, [&""; 0], "these have no example");
    }
}

#[test]
fn the_other_attributes_list_what_the_parser_takes() {
    let docs = include_str!("lib.rs").replace("/// ", "");
    for (function, words) in [("arg_type", TypeKeys::WORDS), ("toolbox", ToolboxKeys::WORDS)] {
        let attribute = format!("pub fn {function}(");
        let (before, _) = docs.split_once(&attribute).expect("it is an attribute");
        let (_, table) = before.rsplit_once("| key |").expect("a table stands before it");
        assert_eq!(rows(table), words, "{function}");
    }
}

/// The keys that a table has, in its order.
fn rows(section: &str) -> Vec<&str> {
    section.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect()
}

/// What is written of an item, which is within its bound.
fn written(attribute: TokenStream, item: TokenStream) -> String {
    let function: syn::ItemFn = syn::parse2(item.clone()).expect("the item is a function");
    let written = formatted(crate::annotated(attribute, item));
    is_within(&written, &function, &[&function.sig]);
    written
}

/// Asserts that what is written has 20 lines a tool and 8 a parameter, whatever its keys, beside
/// the lines of the item itself.
fn is_within(written: &str, item: &impl ToTokens, tools: &[&syn::Signature]) {
    let params: usize = tools.iter().map(|tool| tool.inputs.len()).sum();
    let bound = 20 * tools.len() + 8 * params;
    let lines = written.lines().count() - formatted(item.to_token_stream()).lines().count();
    assert!(lines <= bound, "{lines} lines of {bound}, with {params} parameters:\n{written}");
}

fn formatted(tokens: TokenStream) -> String {
    prettyplease::unparse(&syn::parse2(tokens).expect("the expansion is Rust"))
}

#[test]
fn the_smallest_tool_is_a_table_and_a_call() {
    let item = quote! {
        /// Adds two numbers.
        fn add(left: i64, right: i64) -> i64 {
            left + right
        }
    };
    expect_file!["snapshots/smallest.rs"].assert_eq(&written(quote!(), item));
}

#[test]
fn a_toolbox_is_a_list_of_tables() {
    let item = quote! {
        impl Support {
            /// Tells how many refunds there were.
            #[tool]
            fn refunds(&self) -> u64 {
                self.refunds
            }

            /// Refunds an order.
            #[cfg(feature = "refund")]
            #[tool(effect = "write", check = self.is_open(), approval(amount > self.limit))]
            pub async fn refund(self: Arc<Self>, amount: f64) {
                self.pay(amount).await;
            }

            fn is_open(&self) -> Result<(), ToolError> {
                Ok(())
            }
        }
    };
    let written = formatted(crate::collected(quote!(), item.clone()));
    let item: syn::ItemImpl = syn::parse2(item).expect("the item is an `impl`");
    let methods = item.items.iter().filter_map(|item| match item {
        syn::ImplItem::Fn(method) => Some(method),
        _ => None,
    });
    let is_tool = |method: &&syn::ImplItemFn| {
        method.attrs.iter().any(|attribute| attribute.path().is_ident("tool"))
    };
    let tools: Vec<_> = methods.filter(is_tool).map(|method| &method.sig).collect();
    is_within(&written, &item, &tools);
    expect_file!["snapshots/toolbox.rs"].assert_eq(&written);
}

#[test]
fn the_refund_of_the_design_keeps_its_expressions() {
    let attribute = quote! {
        description = "Refund a customer payment. Use after the order was looked up. \
                       Do not use for store credit; use issue_credit.",
        effect = "write",
        scopes("payments:write"),
        check = order_is_refundable(bank, &order_id).await,
        approval(amount > 500.0),
    };
    let item = quote! {
        async fn refund_payment(
            #[context] cx: &CallContext,
            #[state] bank: &Bank,
            /// The order's id, like O-4471.
            #[arg(pattern = r"^O-\d+$")]
            order_id: String,
            /// How much to refund.
            #[arg(minimum = 0.01)]
            amount: f64,
            currency: Currency,
            /// Day to pay on, as YYYY-MM-DD.
            #[arg(format = "date")]
            pay_on: Option<String>,
        ) -> Result<Refund, Failure> {
            refund(cx, bank, order_id, amount, currency, pay_on).await
        }
    };
    expect_file!["snapshots/refund.rs"].assert_eq(&written(attribute, item));
}

#[test]
fn a_tool_with_every_gate_writes_what_it_says_of_each() {
    let attribute = quote! {
        effect = "write",
        scopes("payments:write"),
        listed = true,
        on_denied = "fatal",
        on_unknown = verify(bank.find(&order_id).await),
        ledger = none("the bank keeps one"),
        idempotency(order_id),
        requires(verify_identity, "get-order"(order_id)),
        approval(amount > 500, quorum = 2, four_eyes, time_to_live = "2h"),
        preview = format!("refunds {amount}"),
        preview_must_match,
    };
    let item = quote! {
        /// Refunds an order.
        fn refund(#[state] bank: &Bank, #[arg(rename = "orderId")] order_id: String, amount: u64) {
            bank.pay(order_id, amount);
        }
    };
    expect_file!["snapshots/gates.rs"].assert_eq(&written(attribute, item));
}

#[test]
fn a_tool_that_says_only_how_a_person_agrees_has_no_rule() {
    let attribute = quote!(effect = "irreversible", approval(quorum = 2));
    let item = quote! {
        /// Closes an account for good.
        async fn close(account: String) {
            closed(account).await;
        }
    };
    expect_file!["snapshots/irreversible.rs"].assert_eq(&written(attribute, item));
}

#[test]
fn a_function_that_blocks_borrows_for_its_rules_and_once_more_in_its_thread() {
    let attribute = quote!(blocking, timeout = "5s", concurrency = 2, check = open(bank, order_id));
    let item = quote! {
        /// Counts the refunds of an order.
        fn refunds(#[state] bank: &Bank, order_id: &str, since: Option<u32>) -> usize {
            bank.count(order_id, since)
        }
    };
    // What is borrowed is bound twice, so that it is out of the bound.
    let written = formatted(crate::annotated(attribute, item));
    expect_file!["snapshots/blocking.rs"].assert_eq(&written);
}

#[test]
fn an_item_with_mistakes_is_kept_and_says_each_once() {
    let item = quote! {
        async fn pay(#[arg(minimum = 5, maximum = 1)] amount: f64, (left, right): (u8, u8)) {
            drop((amount, left, right));
        }
    };
    expect_file!["snapshots/mistakes.rs"].assert_eq(&written(quote!(nmae = "x"), item));
}
