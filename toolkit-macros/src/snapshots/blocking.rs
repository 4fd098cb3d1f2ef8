/// Counts the refunds of an order.
fn refunds(bank: &Bank, order_id: &str, since: Option<u32>) -> usize {
    bank.count(order_id, since)
}
///The tool `refunds`, for `tools!`.
#[allow(dead_code, nonstandard_style, unnameable_types, unreachable_pub)]
#[allow(missing_copy_implementations, missing_debug_implementations)]
struct refunds {}
const _: () = {
    #[allow(unused_imports)]
    use ::toolkit::__private::{
        self as __toolkit, HasSchema as _, NoSchema as _, Plain as _,
    };
    impl __toolkit::Annotated for refunds {
        const TABLE: &'static __toolkit::Table = &__toolkit::Table {
            name: "refunds",
            description: "Counts the refunds of an order.",
            place: (::core::module_path!(), ::core::file!(), ::core::line!()),
            policy: || __toolkit::Policy {
                timeout: __toolkit::Some(::core::time::Duration::from_millis(5000u64)),
                blocking: true,
                concurrency: __toolkit::Some(2usize),
                ..__toolkit::Policy::DEFAULT
            },
            params: &[
                __toolkit::Param::of::<
                    <str as __toolkit::Borrowed>::Owned,
                >("order_id", "", &[]),
                __toolkit::Param::of::<Option<u32>>("since", "", &[]),
            ],
            states: &[__toolkit::StateNeed::of::<&Bank>()],
            output: || (&__toolkit::Returned::<usize>::success()).schema(),
            call: __toolkit::Call::Later(|passage| ::std::boxed::Box::pin(async move {
                let mut slot1 = __toolkit::None;
                let mut slot2 = __toolkit::None;
                passage
                    .arguments(
                        &mut [
                            __toolkit::slot::<
                                <str as __toolkit::Borrowed>::Owned,
                            >(&mut slot1),
                            __toolkit::slot::<Option<u32>>(&mut slot2),
                        ],
                    )?;
                let slot1 = __toolkit::taken(slot1)?;
                let since = __toolkit::taken(slot2)?;
                {
                    #[allow(unused_variables)]
                    let bank = passage.state::<&Bank>()?;
                    #[allow(unused_variables)]
                    let order_id = <str as __toolkit::Borrowed>::lend(&slot1);
                    passage
                        .pass(__toolkit::Rules {
                            checks: &[
                                &|| ::std::boxed::Box::pin(async {
                                    __toolkit::checked(open(bank, order_id))
                                }),
                            ],
                            ..__toolkit::Rules::NONE
                        })
                        .await?;
                }
                passage
                    .apart(move |held| {
                        #[allow(deprecated)]
                        let function = refunds;
                        let bank = held.state::<&Bank>()?;
                        let order_id = <str as __toolkit::Borrowed>::lend(&slot1);
                        __toolkit::returned(
                            __toolkit::Returned::<
                                usize,
                            >::split(function(bank, order_id, since)),
                        )
                    })
                    .await
            })),
            ..__toolkit::Table::NONE
        };
    }
};
