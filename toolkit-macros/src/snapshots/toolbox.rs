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
    use ::toolkit::__private::expansion::*;
    impl __kit::Toolbox for Support {
        const TABLES: &'static [__kit::Table] = &[
            __kit::Table::NONE
                .name("refunds")
                .description("Tells how many refunds there were.")
                .place(::core::module_path!(), ::core::file!(), ::core::line!())
                .states(&[__kit::StateNeed::receiver::<Self, &Self>()])
                .output(|| (&__kit::Returned::<u64>::success()).schema())
                .at_once(|way| {
                    let () = __kit::read0(way)?;
                    way.pass_at_once()?;
                    __kit::Returned::<
                        u64,
                    >::told(
                        __kit::found(<Self>::refunds)(way.receiver::<Self, &Self>()?),
                    )
                }),
            #[cfg(feature = "refund")]
            __kit::Table::NONE
                .name("refund")
                .description("Refunds an order.")
                .place(::core::module_path!(), ::core::file!(), ::core::line!())
                .effect(__kit::Effect::Write)
                .approval(__kit::by(1u32))
                .params(&[__kit::param::<f64>("amount")])
                .states(&[__kit::StateNeed::receiver::<Self, Arc<Self>>()])
                .output(|| (&__kit::Returned::<()>::success()).schema())
                .later(|way| {
                    __kit::ruled(
                        way,
                        (__kit::read1::<f64>(way)?, way.receiver::<Self, Arc<Self>>()?),
                        move |rule, ((amount,), this)| {
                            let said = match rule {
                                __kit::Check(0usize) => __kit::check(this.is_open()),
                                __kit::Approval if amount > this.limit => __kit::Asks,
                                _ => __kit::Nothing,
                            };
                            (said, ((amount,), this))
                        },
                        move |((arg0,), this)| __kit::Returned::<
                            (),
                        >::awaited(__kit::found(<Self>::refund)(this, arg0)),
                    )
                }),
        ];
    }
};
