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
            call: __kit::Call::Later(|way| {
                let given = __kit::read2::<String, u64>(way)?;
                let arg0 = way.state::<&Bank>()?;
                __kit::ruled(
                    way,
                    given,
                    move |rule, (order_id, amount)| {
                        let bank = way.state::<&Bank>()?;
                        let said = match rule {
                            __kit::Rule::Approval => {
                                __kit::Said::Approval(
                                    if amount > 500 { true } else { false },
                                )
                            }
                            __kit::Rule::Preview => {
                                __kit::Said::Preview(
                                    __kit::previewed(format!("refunds {amount}")),
                                )
                            }
                            __kit::Rule::Verify => {
                                return __kit::soon(async move {
                                    let said = __kit::Said::Verify(
                                        __kit::verified(bank.find(&order_id).await),
                                    );
                                    (said, (order_id, amount))
                                });
                            }
                            _ => __kit::Said::Nothing,
                        };
                        __kit::now(said, (order_id, amount))
                    },
                    move |(arg1, arg2)| ::core::future::ready({
                        let value = __kit::found(refund)(arg0, arg1, arg2);
                        __kit::returned(__kit::Returned::<()>::split(value))
                    }),
                )
            }),
            ..__kit::Table::NONE
        };
    }
};
