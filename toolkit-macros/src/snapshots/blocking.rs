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
            call: __kit::Call::Later(|passage| {
                let mut slot1 = __kit::None;
                let place0 = __kit::slot::<<str as __kit::Borrowed>::Owned>(&mut slot1);
                let mut slot2 = __kit::None;
                let place1 = __kit::slot::<Option<u32>>(&mut slot2);
                passage.arguments(&mut [place0, place1])?;
                let slot1 = __kit::taken(slot1)?;
                let since = __kit::taken(slot2)?;
                __kit::later(async move {
                    #[allow(unused_variables)]
                    {
                        let bank = passage.state::<&Bank>()?;
                        let order_id = <str as __kit::Borrowed>::lend(&slot1);
                        passage
                            .pass(__kit::Rules {
                                checks: &[
                                    &|| __kit::now(__kit::checked(open(bank, order_id))),
                                ],
                                ..__kit::Rules::NONE
                            })
                            .await?;
                    }
                    passage
                        .apart(move |held| {
                            #[allow(deprecated)]
                            let tool = refunds;
                            let bank = held.state::<&Bank>()?;
                            let order_id = <str as __kit::Borrowed>::lend(&slot1);
                            let value = tool(bank, order_id, since);
                            __kit::returned(__kit::Returned::<usize>::split(value))
                        })
                        .await
                })
            }),
            ..__kit::Table::NONE
        };
    }
};
