/// Refunds an order.
fn refund(bank: &Bank, order_id: String, amount: u64) {
    bank.pay(order_id, amount);
}
///The tool `refund`, for `tools!`.
#[allow(
    dead_code,
    missing_copy_implementations,
    missing_debug_implementations,
    non_camel_case_types,
    unnameable_types,
    unreachable_pub
)]
struct refund {}
const _: () = {
    #[allow(unused_imports)]
    use ::toolkit::__private::{HasSchema as _, NoSchema as _, Plain as _};
    impl ::toolkit::__private::Annotated for refund {
        const TABLE: &'static ::toolkit::__private::Table = &::toolkit::__private::Table {
            name: "refund",
            title: ::core::option::Option::None,
            description: "Refunds an order.",
            place: (::core::file!(), ::core::line!()),
            module: ::core::module_path!(),
            policy: || ::toolkit::__private::Policy {
                effect: ::core::option::Option::Some(
                    ::toolkit::__private::Effect::Write,
                ),
                scopes: ::toolkit::__private::words(&["payments:write"]),
                listed: true,
                on_denied: ::toolkit::__private::OnDenied::Fatal,
                on_unknown: ::toolkit::__private::OnUnknown::Verify,
                ledger: ::toolkit::__private::LedgerUse::None {
                    why: ::std::borrow::Cow::Borrowed("the bank keeps one"),
                },
                idempotency: ::toolkit::__private::words(&["orderId"]),
                requires: ::toolkit::__private::requirements(
                    &[&["verify_identity"], &["get-order", "orderId"]],
                ),
                approval: ::core::option::Option::Some(::toolkit::__private::ApprovalPolicy {
                    quorum: 2u32,
                    four_eyes: true,
                    time_to_live: ::core::option::Option::Some(
                        ::core::time::Duration::from_millis(7200000u64),
                    ),
                }),
                has_preview: true,
                preview_must_match: true,
                ..::toolkit::__private::Policy::DEFAULT
            },
            params: &[
                ::toolkit::__private::Param::of::<String>("orderId", "", &[]),
                ::toolkit::__private::Param::of::<u64>("amount", "", &[]),
            ],
            states: &[::toolkit::__private::StateNeed::of::<&Bank>()],
            output: || (&::toolkit::__private::Returned::<()>::success()).schema(),
            call: ::toolkit::__private::Call::Later(|passage| ::std::boxed::Box::pin(async move {
                #[allow(deprecated)]
                let function = refund;
                let mut slot1 = ::core::option::Option::None;
                let mut slot2 = ::core::option::Option::None;
                passage
                    .arguments(
                        &mut [
                            ::toolkit::__private::slot::<String>(&mut slot1),
                            ::toolkit::__private::slot::<u64>(&mut slot2),
                        ],
                    )?;
                let bank = passage.state::<&Bank>()?;
                let order_id = ::toolkit::__private::taken(slot1)?;
                let amount = ::toolkit::__private::taken(slot2)?;
                passage
                    .pass(::toolkit::__private::Rules {
                        approval: ::core::option::Option::Some(&|| amount > 500),
                        preview: ::core::option::Option::Some(
                            &|| ::std::boxed::Box::pin(async {
                                ::toolkit::__private::previewed(format!("refunds {amount}"))
                            }),
                        ),
                        verify: ::core::option::Option::Some(
                            &|| ::std::boxed::Box::pin(async {
                                ::toolkit::__private::verified(bank.find(&order_id).await)
                            }),
                        ),
                        ..::toolkit::__private::Rules::NONE
                    })
                    .await?;
                ::toolkit::__private::returned(
                    ::toolkit::__private::Returned::<
                        (),
                    >::split(function(bank, order_id, amount)),
                )
            })),
        };
    }
};
