/// Counts the refunds of an order.
fn refunds(bank: &Bank, order_id: &str, since: Option<u32>) -> usize {
    bank.count(order_id, since)
}
///The tool `refunds`, for `tools!`.
#[allow(
    dead_code,
    missing_copy_implementations,
    missing_debug_implementations,
    non_camel_case_types,
    unnameable_types,
    unreachable_pub
)]
struct refunds {}
const _: () = {
    #[allow(unused_imports)]
    use ::toolkit::__private::{HasSchema as _, NoSchema as _, Plain as _};
    impl ::toolkit::__private::Annotated for refunds {
        const TABLE: &'static ::toolkit::__private::Table = &::toolkit::__private::Table {
            name: "refunds",
            title: ::core::option::Option::None,
            description: "Counts the refunds of an order.",
            place: (::core::file!(), ::core::line!()),
            module: ::core::module_path!(),
            policy: || ::toolkit::__private::Policy {
                timeout: ::core::option::Option::Some(
                    ::core::time::Duration::from_millis(5000u64),
                ),
                blocking: true,
                concurrency: ::core::option::Option::Some(2usize),
                ..::toolkit::__private::Policy::DEFAULT
            },
            params: &[
                ::toolkit::__private::Param::of::<
                    <str as ::toolkit::__private::Borrowed>::Owned,
                >("order_id", "", &[]),
                ::toolkit::__private::Param::of::<Option<u32>>("since", "", &[]),
            ],
            states: &[::toolkit::__private::StateNeed::of::<&Bank>()],
            output: || (&::toolkit::__private::Returned::<usize>::success()).schema(),
            call: ::toolkit::__private::Call::Later(|passage| ::std::boxed::Box::pin(async move {
                let mut slot1 = ::core::option::Option::None;
                let mut slot2 = ::core::option::Option::None;
                passage
                    .arguments(
                        &mut [
                            ::toolkit::__private::slot::<
                                <str as ::toolkit::__private::Borrowed>::Owned,
                            >(&mut slot1),
                            ::toolkit::__private::slot::<Option<u32>>(&mut slot2),
                        ],
                    )?;
                let slot1 = ::toolkit::__private::taken(slot1)?;
                let since = ::toolkit::__private::taken(slot2)?;
                {
                    #[allow(unused_variables)]
                    let bank = passage.state::<&Bank>()?;
                    #[allow(unused_variables)]
                    let order_id = <str as ::toolkit::__private::Borrowed>::lend(&slot1);
                    passage
                        .pass(::toolkit::__private::Rules {
                            checks: &[
                                &|| ::std::boxed::Box::pin(async {
                                    ::toolkit::__private::checked(open(bank, order_id))
                                }),
                            ],
                            ..::toolkit::__private::Rules::NONE
                        })
                        .await?;
                }
                passage
                    .apart(move |held| {
                        #[allow(deprecated)]
                        let function = refunds;
                        let bank = held.state::<&Bank>()?;
                        let order_id = <str as ::toolkit::__private::Borrowed>::lend(
                            &slot1,
                        );
                        ::toolkit::__private::returned(
                            ::toolkit::__private::Returned::<
                                usize,
                            >::split(function(bank, order_id, since)),
                        )
                    })
                    .await
            })),
        };
    }
};
