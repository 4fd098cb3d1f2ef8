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
    use ::toolkit::__private as __kit;
    use __kit::asked::*;
    impl __kit::Toolbox for Support {
        const TABLES: &'static [__kit::Table] = &[
            __kit::Table {
                name: "refunds",
                description: "Tells how many refunds there were.",
                place: (::core::module_path!(), ::core::file!(), ::core::line!()),
                states: &[__kit::StateNeed::receiver::<Self, &Self>()],
                output: || (&__kit::Returned::<u64>::success()).schema(),
                call: __kit::Call::AtOnce(|way| {
                    let () = __kit::read0(way)?;
                    let this = way.receiver::<Self, &Self>()?;
                    way.pass_at_once()?;
                    let value = __kit::found(<Self>::refunds)(this);
                    __kit::returned(__kit::Returned::<u64>::split(value))
                }),
                ..__kit::Table::NONE
            },
            #[cfg(feature = "refund")]
            __kit::Table {
                name: "refund",
                description: "Refunds an order.",
                place: (::core::module_path!(), ::core::file!(), ::core::line!()),
                policy: || __kit::Policy {
                    effect: __kit::Some(__kit::Effect::Write),
                    approval: __kit::Some(__kit::ApprovalPolicy::DEFAULT),
                    ..__kit::Policy::DEFAULT
                },
                params: &[__kit::Param::of::<f64>("amount")],
                states: &[__kit::StateNeed::receiver::<Self, Arc<Self>>()],
                output: || (&__kit::Returned::<()>::success()).schema(),
                call: __kit::Call::Later(|way| {
                    let given = __kit::read1::<f64>(way)?;
                    let this = way.receiver::<Self, Arc<Self>>()?;
                    __kit::ruled(
                        way,
                        given,
                        move |rule, (amount,)| {
                            let this = way.receiver::<Self, Arc<Self>>()?;
                            let said = match rule {
                                __kit::Rule::Check(0usize) => {
                                    __kit::Said::Check(__kit::checked(this.is_open()))
                                }
                                __kit::Rule::Approval => {
                                    __kit::Said::Approval(
                                        if amount > this.limit { true } else { false },
                                    )
                                }
                                _ => __kit::Said::Nothing,
                            };
                            __kit::now(said, (amount,))
                        },
                        move |(arg0,)| __kit::told(
                            __kit::found(<Self>::refund)(this, arg0),
                            |value| __kit::returned(__kit::Returned::<()>::split(value)),
                        ),
                    )
                }),
                ..__kit::Table::NONE
            },
        ];
    }
};
