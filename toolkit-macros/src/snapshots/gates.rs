/// Refunds an order.
fn refund(bank: &Bank, order_id: String, amount: u64) {
    bank.pay(order_id, amount);
}
///The tool `refund`, for `tools!`.
#[allow(dead_code, missing_copy_implementations, missing_debug_implementations)]
#[allow(nonstandard_style, unnameable_types, unreachable_pub)]
struct refund {}
const _: () = {
    use ::toolkit::__private as __kit;
    use __kit::asked::*;
    impl __kit::Annotated for refund {
        const TABLE: &'static __kit::Table = &__kit::Table {
            name: "refund",
            description: "Refunds an order.",
            place: (::core::module_path!(), ::core::file!(), ::core::line!()),
            policy: || __kit::Policy {
                effect: __kit::Some(__kit::Effect::Write),
                scopes: __kit::words(&["payments:write"]),
                listed: true,
                on_denied: __kit::OnDenied::Fatal,
                on_unknown: __kit::OnUnknown::Verify,
                ledger: __kit::LedgerUse::None {
                    why: ::std::borrow::Cow::Borrowed("the bank keeps one"),
                },
                idempotency: __kit::words(&["orderId"]),
                requires: __kit::requirements(
                    &[&["verify_identity"], &["get-order", "orderId"]],
                ),
                approval: __kit::Some(
                    __kit::ApprovalPolicy::DEFAULT
                        .by(2u32)
                        .by_others()
                        .within(7200000u64),
                ),
                has_preview: true,
                preview_must_match: true,
                ..__kit::Policy::DEFAULT
            },
            params: &[
                __kit::Param::of::<String>("orderId"),
                __kit::Param::of::<u64>("amount"),
            ],
            states: &[__kit::StateNeed::of::<&Bank>()],
            output: || (&__kit::Returned::<()>::success()).schema(),
            call: __kit::Call::Later(|passage| {
                let mut slot1 = __kit::None;
                let place0 = __kit::slot::<String>(&mut slot1);
                let mut slot2 = __kit::None;
                let place1 = __kit::slot::<u64>(&mut slot2);
                passage.arguments(&mut [place0, place1])?;
                let bank = passage.state::<&Bank>()?;
                let order_id = __kit::taken(slot1)?;
                let amount = __kit::taken(slot2)?;
                __kit::later(async move {
                    #[allow(deprecated)]
                    let tool = refund;
                    passage
                        .pass(__kit::Rules {
                            approval: __kit::Some(&|| amount > 500),
                            preview: __kit::Some(
                                &|| __kit::now(
                                    __kit::previewed(format!("refunds {amount}")),
                                ),
                            ),
                            verify: __kit::Some(
                                &|| ::std::boxed::Box::pin(async {
                                    __kit::verified(bank.find(&order_id).await)
                                }),
                            ),
                            ..__kit::Rules::NONE
                        })
                        .await?;
                    let value = tool(bank, order_id, amount);
                    __kit::returned(__kit::Returned::<()>::split(value))
                })
            }),
            ..__kit::Table::NONE
        };
    }
};
