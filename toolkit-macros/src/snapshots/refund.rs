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
#[allow(
    dead_code,
    missing_copy_implementations,
    missing_debug_implementations,
    non_camel_case_types,
    unnameable_types,
    unreachable_pub
)]
struct refund_payment {}
const _: () = {
    #[allow(unused_imports)]
    use ::toolkit::__private::{HasSchema as _, NoSchema as _, Plain as _};
    impl ::toolkit::__private::Annotated for refund_payment {
        const TABLE: &'static ::toolkit::__private::Table = &::toolkit::__private::Table {
            name: "refund_payment",
            title: ::core::option::Option::None,
            description: "Refund a customer payment. Use after the order was looked up. Do not use for store credit; use issue_credit.",
            place: (::core::file!(), ::core::line!()),
            module: ::core::module_path!(),
            policy: || ::toolkit::__private::Policy {
                effect: ::core::option::Option::Some(
                    ::toolkit::__private::Effect::Write,
                ),
                scopes: ::toolkit::__private::words(&["payments:write"]),
                approval: ::core::option::Option::Some(
                    ::toolkit::__private::ApprovalPolicy::DEFAULT,
                ),
                ..::toolkit::__private::Policy::DEFAULT
            },
            params: &[
                ::toolkit::__private::Param::of::<
                    String,
                >(
                    "order_id",
                    "The order's id, like O-4471.",
                    &[
                        ::toolkit::__private::Keyword::text::<
                            String,
                        >("pattern", || ::toolkit::__private::json(r"^O-\d+$")),
                    ],
                ),
                ::toolkit::__private::Param::of::<
                    f64,
                >(
                    "amount",
                    "How much to refund.",
                    &[
                        ::toolkit::__private::Keyword::number::<
                            f64,
                        >("minimum", || ::toolkit::__private::json(0.01)),
                    ],
                ),
                ::toolkit::__private::Param::of::<Currency>("currency", "", &[]),
                ::toolkit::__private::Param::of::<
                    Option<String>,
                >(
                    "pay_on",
                    "Day to pay on, as YYYY-MM-DD.",
                    &[
                        ::toolkit::__private::Keyword::text::<
                            Option<String>,
                        >("format", || ::toolkit::__private::json("date")),
                    ],
                ),
            ],
            states: &[::toolkit::__private::StateNeed::of::<&Bank>()],
            output: || {
                (&::toolkit::__private::Returned::<Result<Refund, Failure>>::success())
                    .schema()
            },
            call: ::toolkit::__private::Call::Later(|passage| ::std::boxed::Box::pin(async move {
                #[allow(deprecated)]
                let function = refund_payment;
                let mut slot2 = ::core::option::Option::None;
                let mut slot3 = ::core::option::Option::None;
                let mut slot4 = ::core::option::Option::None;
                let mut slot5 = ::core::option::Option::None;
                passage
                    .arguments(
                        &mut [
                            ::toolkit::__private::slot::<String>(&mut slot2),
                            ::toolkit::__private::slot::<f64>(&mut slot3),
                            ::toolkit::__private::slot::<Currency>(&mut slot4),
                            ::toolkit::__private::slot::<Option<String>>(&mut slot5),
                        ],
                    )?;
                let cx: &CallContext = passage.context();
                let bank = passage.state::<&Bank>()?;
                let order_id = ::toolkit::__private::taken(slot2)?;
                let amount = ::toolkit::__private::taken(slot3)?;
                let currency = ::toolkit::__private::taken(slot4)?;
                let pay_on = ::toolkit::__private::taken(slot5)?;
                passage
                    .pass(::toolkit::__private::Rules {
                        checks: &[
                            &|| ::std::boxed::Box::pin(async {
                                ::toolkit::__private::checked(
                                    order_is_refundable(bank, &order_id).await,
                                )
                            }),
                        ],
                        approval: ::core::option::Option::Some(&|| amount > 500.0),
                        ..::toolkit::__private::Rules::NONE
                    })
                    .await?;
                ::toolkit::__private::returned(
                    ::toolkit::__private::Returned::<
                        Result<Refund, Failure>,
                    >::split(
                        function(cx, bank, order_id, amount, currency, pay_on).await,
                    ),
                )
            })),
        };
    }
};
