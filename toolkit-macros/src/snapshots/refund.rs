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
            call: __kit::Call::Later(|passage| {
                let mut slot2 = __kit::None;
                let place0 = __kit::slot::<String>(&mut slot2);
                let mut slot3 = __kit::None;
                let place1 = __kit::slot::<f64>(&mut slot3);
                let mut slot4 = __kit::None;
                let place2 = __kit::slot::<Currency>(&mut slot4);
                let mut slot5 = __kit::None;
                let place3 = __kit::slot::<Option<String>>(&mut slot5);
                passage.arguments(&mut [place0, place1, place2, place3])?;
                let cx = passage.lent::<&CallContext>();
                let bank = passage.state::<&Bank>()?;
                let order_id = __kit::taken(slot2)?;
                let amount = __kit::taken(slot3)?;
                let currency = __kit::taken(slot4)?;
                let pay_on = __kit::taken(slot5)?;
                __kit::later(async move {
                    #[allow(deprecated)]
                    let tool = refund_payment;
                    passage
                        .pass(__kit::Rules {
                            checks: &[
                                &|| ::std::boxed::Box::pin(async {
                                    __kit::checked(order_is_refundable(bank, &order_id).await)
                                }),
                            ],
                            approval: __kit::Some(&|| amount > 500.0),
                            ..__kit::Rules::NONE
                        })
                        .await?;
                    let value = tool(cx, bank, order_id, amount, currency, pay_on).await;
                    __kit::returned(
                        __kit::Returned::<Result<Refund, Failure>>::split(value),
                    )
                })
            }),
            ..__kit::Table::NONE
        };
    }
};
