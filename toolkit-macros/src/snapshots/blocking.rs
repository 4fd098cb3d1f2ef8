/// Counts the refunds of an order.
fn refunds(bank: &Bank, order_id: &str, since: Option<u32>) -> usize {
    bank.count(order_id, since)
}
///The tool `refunds`, for `tools!`.
#[allow(missing_copy_implementations, missing_debug_implementations)]
#[allow(nonstandard_style, unnameable_types, unreachable_pub)]
struct refunds {}
const _: () = {
    use ::toolkit::__private::expansion::*;
    impl __kit::Annotated for refunds {
        const TABLE: &'static __kit::Table = &__kit::Table::NONE
            .name("refunds")
            .description("Counts the refunds of an order.")
            .place(::core::module_path!(), ::core::file!(), ::core::line!())
            .timeout(5000u64)
            .blocking()
            .concurrency(2usize)
            .params(
                &[
                    __kit::param::<<str as __kit::Borrowed>::Owned>("order_id"),
                    __kit::param::<Option<u32>>("since"),
                ],
            )
            .states(&[__kit::StateNeed::of::<&Bank>()])
            .output(|| (&__kit::Returned::<usize>::success()).schema())
            .later(|way| {
                __kit::ruled(
                    way,
                    (
                        __kit::read2::<
                            <str as __kit::Borrowed>::Owned,
                            Option<u32>,
                        >(way)?,
                        way.state::<&Bank>()?,
                    ),
                    move |rule, ((arg1, since), bank)| {
                        let order_id = __kit::lend::<str>(&arg1);
                        let said = match rule {
                            __kit::Check(0usize) => __kit::check(open(bank, order_id)),
                            _ => __kit::Nothing,
                        };
                        (said, ((arg1, since), bank))
                    },
                    move |((arg1, arg2), _)| {
                        way
                            .apart(move |held| __kit::Returned::<
                                usize,
                            >::told(
                                __kit::found(
                                    refunds,
                                )(held.state::<&Bank>()?, __kit::lend::<str>(&arg1), arg2),
                            ))
                    },
                )
            });
    }
};
