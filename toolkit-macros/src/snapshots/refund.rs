async fn refund_payment(
    cx: &CallContext,
    bank: &Bank,
    order_id: String,
    amount: f64,
    currency: Currency,
    pay_on: Option<String>,
) -> Result<Refund, Failure> {
    refund(cx, bank, order_id, amount, currency, pay_on).await
}
///The tool `refund_payment`, for `tools!`.
#[allow(missing_copy_implementations, missing_debug_implementations)]
#[allow(nonstandard_style, unnameable_types, unreachable_pub)]
struct refund_payment {}
const _: () = {
    use ::toolkit::__private::expansion::*;
    impl __kit::Annotated for refund_payment {
        const TABLE: &'static __kit::Table = &__kit::Table::NONE
            .name("refund_payment")
            .description(
                "Refund a customer payment. Use after the order was looked up. Do not use for store credit; use issue_credit.",
            )
            .place(::core::module_path!(), ::core::file!(), ::core::line!())
            .effect(__kit::Effect::Write)
            .scopes(&["payments:write"])
            .approval(__kit::by(1u32))
            .params(
                &[
                    __kit::param::<String>("order_id")
                        .says("The order's id, like O-4471.")
                        .takes(
                            &[__kit::text::<String>("pattern", __kit::Str(r"^O-\d+$"))],
                        ),
                    __kit::param::<f64>("amount")
                        .says("How much to refund.")
                        .takes(&[__kit::number::<f64>("minimum", __kit::Float(0.01))]),
                    __kit::param::<Currency>("currency"),
                    __kit::param::<Option<String>>("pay_on")
                        .says("Day to pay on, as YYYY-MM-DD.")
                        .takes(
                            &[
                                __kit::text::<Option<String>>("format", __kit::Str("date")),
                            ],
                        ),
                ],
            )
            .states(&[__kit::StateNeed::of::<&Bank>()])
            .output(|| (&__kit::Returned::<Result<Refund, Failure>>::success()).schema())
            .later(|way| {
                __kit::ruled_later(
                    way,
                    (
                        __kit::read4::<String, f64, Currency, Option<String>>(way)?,
                        way.lent::<&CallContext>(),
                        way.state::<&Bank>()?,
                    ),
                    &[__kit::Check(0usize)],
                    move |rule, ((order_id, amount, currency, pay_on), cx, bank)| async move {
                        let said = match rule {
                            __kit::Check(0usize) => {
                                __kit::check(order_is_refundable(bank, &order_id).await)
                            }
                            __kit::Approval if amount > 500.0 => __kit::Asks,
                            _ => __kit::Nothing,
                        };
                        (said, ((order_id, amount, currency, pay_on), cx, bank))
                    },
                    move |((arg2, arg3, arg4, arg5), arg0, arg1)| __kit::Returned::<
                        Result<Refund, Failure>,
                    >::awaited(
                        __kit::found(refund_payment)(arg0, arg1, arg2, arg3, arg4, arg5),
                    ),
                )
            });
    }
};
