impl Support {
    /// Tells how many refunds there were.
    fn refunds(&self) -> u64 {
        self.refunds
    }
    /// Refunds an order.
    #[cfg(feature = "refund")]
    pub async fn refund(self: Arc<Self>, amount: f64) {
        self.pay(amount).await;
    }
    fn is_open(&self) -> Result<(), ToolError> {
        Ok(())
    }
}
const _: () = {
    #[tool(in toolbox)]
    const _: () = ();
    #[allow(unused_imports)]
    use ::toolkit::__private::{HasSchema as _, NoSchema as _, Plain as _};
    impl ::toolkit::__private::Toolbox for Support {
        const TABLES: &'static [::toolkit::__private::Table] = &[
            ::toolkit::__private::Table {
                name: "refunds",
                title: ::core::option::Option::None,
                description: "Tells how many refunds there were.",
                place: (::core::file!(), ::core::line!()),
                module: ::core::module_path!(),
                policy: || ::toolkit::__private::Policy::DEFAULT,
                params: &[],
                states: &[::toolkit::__private::StateNeed::receiver::<Self, &Self>()],
                output: || (&::toolkit::__private::Returned::<u64>::success()).schema(),
                call: ::toolkit::__private::Call::AtOnce(|passage| {
                    #[allow(deprecated)]
                    let function = <Self>::refunds;
                    passage.arguments(&mut [])?;
                    let this = passage.receiver::<Self, &Self>()?;
                    passage.pass_at_once()?;
                    ::toolkit::__private::returned(
                        ::toolkit::__private::Returned::<u64>::split(function(this)),
                    )
                }),
            },
            #[cfg(feature = "refund")]
            ::toolkit::__private::Table {
                name: "refund",
                title: ::core::option::Option::None,
                description: "Refunds an order.",
                place: (::core::file!(), ::core::line!()),
                module: ::core::module_path!(),
                policy: || ::toolkit::__private::Policy {
                    effect: ::core::option::Option::Some(
                        ::toolkit::__private::Effect::Write,
                    ),
                    approval: ::core::option::Option::Some(
                        ::toolkit::__private::ApprovalPolicy::DEFAULT,
                    ),
                    ..::toolkit::__private::Policy::DEFAULT
                },
                params: &[::toolkit::__private::Param::of::<f64>("amount", "", &[])],
                states: &[
                    ::toolkit::__private::StateNeed::receiver::<Self, Arc<Self>>(),
                ],
                output: || (&::toolkit::__private::Returned::<()>::success()).schema(),
                call: ::toolkit::__private::Call::Later(|passage| ::std::boxed::Box::pin(async move {
                    #[allow(deprecated)]
                    let function = <Self>::refund;
                    let mut slot0 = ::core::option::Option::None;
                    passage
                        .arguments(
                            &mut [::toolkit::__private::slot::<f64>(&mut slot0)],
                        )?;
                    let this = passage.receiver::<Self, Arc<Self>>()?;
                    let amount = ::toolkit::__private::taken(slot0)?;
                    passage
                        .pass(::toolkit::__private::Rules {
                            checks: &[
                                &|| ::std::boxed::Box::pin(async {
                                    ::toolkit::__private::checked(this.is_open())
                                }),
                            ],
                            approval: ::core::option::Option::Some(
                                &|| amount > this.limit,
                            ),
                            ..::toolkit::__private::Rules::NONE
                        })
                        .await?;
                    ::toolkit::__private::returned(
                        ::toolkit::__private::Returned::<
                            (),
                        >::split(function(this, amount).await),
                    )
                })),
            },
        ];
    }
};
