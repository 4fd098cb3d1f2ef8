/// Closes an account for good.
async fn close(account: String) {
    closed(account).await;
}
///The tool `close`, for `tools!`.
#[allow(dead_code, missing_copy_implementations, missing_debug_implementations)]
#[allow(nonstandard_style, unnameable_types, unreachable_pub)]
struct close {}
const _: () = {
    use ::toolkit::__private as __kit;
    use __kit::asked::*;
    impl __kit::Annotated for close {
        const TABLE: &'static __kit::Table = &__kit::Table {
            name: "close",
            description: "Closes an account for good.",
            place: (::core::module_path!(), ::core::file!(), ::core::line!()),
            policy: || __kit::Policy {
                effect: __kit::Some(__kit::Effect::Irreversible),
                approval: __kit::Some(__kit::ApprovalPolicy::DEFAULT.by(2u32)),
                ..__kit::Policy::DEFAULT
            },
            params: &[__kit::Param::of::<String>("account")],
            output: || (&__kit::Returned::<()>::success()).schema(),
            call: __kit::Call::Later(|way| {
                let given = __kit::read1::<String>(way)?;
                __kit::later(
                    way,
                    given,
                    move |(arg0,)| __kit::told(
                        __kit::found(close)(arg0),
                        |value| __kit::returned(__kit::Returned::<()>::split(value)),
                    ),
                )
            }),
            ..__kit::Table::NONE
        };
    }
};
