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
#[allow(dead_code, missing_copy_implementations, missing_debug_implementations)]
#[allow(nonstandard_style, unnameable_types, unreachable_pub)]
struct refund_payment {}
const _: () = {
    use ::toolkit::__private as __kit;
    use __kit::asked::*;
    impl __kit::Annotated for refund_payment {
        const TABLE: &'static __kit::Table = &__kit::Table {
            name: "refund_payment",
            description: "Refund a customer payment. Use after the order was looked up. Do not use for store credit; use issue_credit.",
            place: (::core::module_path!(), ::core::file!(), ::core::line!()),
            policy: || __kit::Policy {
                effect: __kit::Some(__kit::Effect::Write),
                scopes: __kit::words(&["payments:write"]),
                approval: __kit::Some(__kit::ApprovalPolicy::DEFAULT),
                ..__kit::Policy::DEFAULT
            },
            params: &[
                __kit::Param::of::<String>("order_id")
                    .says("The order's id, like O-4471.")
                    .takes(&[__kit::text::<String>("pattern", __kit::Str(r"^O-\d+$"))]),
                __kit::Param::of::<f64>("amount")
                    .says("How much to refund.")
                    .takes(&[__kit::number::<f64>("minimum", __kit::Float(0.01))]),
                __kit::Param::of::<Currency>("currency"),
                __kit::Param::of::<Option<String>>("pay_on")
                    .says("Day to pay on, as YYYY-MM-DD.")
                    .takes(
                        &[__kit::text::<Option<String>>("format", __kit::Str("date"))],
                    ),
            ],
            states: &[__kit::StateNeed::of::<&Bank>()],
            output: || (&__kit::Returned::<Result<Refund, Failure>>::success()).schema(),
            call: __kit::Call::Later(|way| {
                let given = __kit::read4::<String, f64, Currency, Option<String>>(way)?;
                let arg0 = way.lent::<&CallContext>();
                let arg1 = way.state::<&Bank>()?;
                __kit::ruled(
                    way,
                    given,
                    move |rule, (order_id, amount, currency, pay_on)| {
                        let bank = way.state::<&Bank>()?;
                        let said = match rule {
                            __kit::Rule::Check(0usize) => {
                                return __kit::soon(async move {
                                    let said = __kit::Said::Check(
                                        __kit::checked(order_is_refundable(bank, &order_id).await),
                                    );
                                    (said, (order_id, amount, currency, pay_on))
                                });
                            }
                            __kit::Rule::Approval => {
                                __kit::Said::Approval(
                                    if amount > 500.0 { true } else { false },
                                )
                            }
                            _ => __kit::Said::Nothing,
                        };
                        __kit::now(said, (order_id, amount, currency, pay_on))
                    },
                    move |(arg2, arg3, arg4, arg5)| __kit::told(
                        __kit::found(refund_payment)(arg0, arg1, arg2, arg3, arg4, arg5),
                        |value| __kit::returned(
                            __kit::Returned::<Result<Refund, Failure>>::split(value),
                        ),
                    ),
                )
            }),
            ..__kit::Table::NONE
        };
    }
};
