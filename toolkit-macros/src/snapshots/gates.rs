/// Refunds an order.
fn refund(bank: &Bank, order_id: String, amount: u64) {
    bank.pay(order_id, amount);
}
///The tool `refund`, for `tools!`.
#[allow(missing_copy_implementations, missing_debug_implementations)]
#[allow(nonstandard_style, unnameable_types, unreachable_pub)]
struct refund {}
const _: () = {
    use ::toolkit::__private::expansion::*;
    impl __kit::Annotated for refund {
        const TABLE: &'static __kit::Table = &__kit::Table::NONE
            .name("refund")
            .description("Refunds an order.")
            .place(::core::module_path!(), ::core::file!(), ::core::line!())
            .effect(__kit::Effect::Write)
            .scopes(&["payments:write"])
            .listed(__kit::OnDenied::Fatal)
            .on_unknown(__kit::OnUnknown::Verify)
            .without_ledger("the bank keeps one")
            .idempotency(&["orderId"])
            .requires(&[&["verify_identity"], &["get-order", "orderId"]])
            .approval(__kit::by(2u32).by_others().within(7200000u64))
            .preview_must_match()
            .params(&[__kit::param::<String>("orderId"), __kit::param::<u64>("amount")])
            .states(&[__kit::StateNeed::of::<&Bank>()])
            .output(|| (&__kit::Returned::<()>::success()).schema())
            .later(|way| {
                __kit::ruled_later(
                    way,
                    (__kit::read2::<String, u64>(way)?, way.state::<&Bank>()?),
                    &[__kit::Verify],
                    move |rule, ((order_id, amount), bank)| async move {
                        let said = match rule {
                            __kit::Approval if amount > 500 => __kit::Asks,
                            __kit::Preview => __kit::preview(format!("refunds {amount}")),
                            __kit::Verify => __kit::verify(bank.find(&order_id).await),
                            _ => __kit::Nothing,
                        };
                        (said, ((order_id, amount), bank))
                    },
                    move |((arg1, arg2), arg0)| __kit::Returned::<
                        (),
                    >::ready(__kit::found(refund)(arg0, arg1, arg2)),
                )
            });
    }
};
