/// Counts the refunds of an order.
fn refunds(bank: &Bank, order_id: &str, since: Option<u32>) -> usize {
    bank.count(order_id, since)
}
///The tool `refunds`, for `tools!`.
#[allow(dead_code, missing_copy_implementations, missing_debug_implementations)]
#[allow(nonstandard_style, unnameable_types, unreachable_pub)]
struct refunds {}
const _: () = {
    use ::toolkit::__private as __kit;
    use __kit::asked::*;
    impl __kit::Annotated for refunds {
        const TABLE: &'static __kit::Table = &__kit::Table {
            name: "refunds",
            description: "Counts the refunds of an order.",
            place: (::core::module_path!(), ::core::file!(), ::core::line!()),
            policy: || __kit::Policy {
                timeout: __kit::Some(::core::time::Duration::from_millis(5000u64)),
                blocking: true,
                concurrency: __kit::Some(2usize),
                ..__kit::Policy::DEFAULT
            },
            params: &[
                __kit::Param::of::<<str as __kit::Borrowed>::Owned>("order_id"),
                __kit::Param::of::<Option<u32>>("since"),
            ],
            states: &[__kit::StateNeed::of::<&Bank>()],
            output: || (&__kit::Returned::<usize>::success()).schema(),
            call: __kit::Call::Later(|way| {
                let given = __kit::read2::<
                    <str as __kit::Borrowed>::Owned,
                    Option<u32>,
                >(way)?;
                __kit::ruled(
                    way,
                    given,
                    move |rule, (arg1, since)| {
                        let bank = way.state::<&Bank>()?;
                        let said = match rule {
                            __kit::Rule::Check(0usize) => {
                                let order_id = <str as __kit::Borrowed>::lend(&arg1);
                                __kit::Said::Check(__kit::checked(open(bank, order_id)))
                            }
                            _ => __kit::Said::Nothing,
                        };
                        __kit::now(said, (arg1, since))
                    },
                    move |(arg1, arg2)| {
                        way
                            .apart(move |held| {
                                let arg0 = held.state::<&Bank>()?;
                                let value = __kit::found(
                                    refunds,
                                )(arg0, <str as __kit::Borrowed>::lend(&arg1), arg2);
                                __kit::returned(__kit::Returned::<usize>::split(value))
                            })
                    },
                )
            }),
            ..__kit::Table::NONE
        };
    }
};
