/// Closes an account for good.
async fn close(account: String) {
    closed(account).await;
}
///The tool `close`, for `tools!`.
#[allow(dead_code, nonstandard_style, unnameable_types, unreachable_pub)]
#[allow(missing_copy_implementations, missing_debug_implementations)]
struct close {}
const _: () = {
    #[allow(unused_imports)]
    use ::toolkit::__private::{self as __kit, HasSchema as _, NoSchema as _, Plain as _};
    impl __kit::Annotated for close {
        const TABLE: &'static __kit::Table = &__kit::Table {
            name: "close",
            description: "Closes an account for good.",
            place: (::core::module_path!(), ::core::file!(), ::core::line!()),
            policy: || __kit::Policy {
                effect: __kit::Some(__kit::Effect::Irreversible),
                approval: __kit::Some(__kit::ApprovalPolicy {
                    quorum: 2u32,
                    ..__kit::ApprovalPolicy::DEFAULT
                }),
                ..__kit::Policy::DEFAULT
            },
            params: &[__kit::Param::of::<String>("account")],
            output: || (&__kit::Returned::<()>::success()).schema(),
            call: __kit::Call::Later(|passage| ::std::boxed::Box::pin(async move {
                #[allow(deprecated)]
                let function = close;
                let mut slot0 = __kit::None;
                let places: &mut [_] = &mut [__kit::slot::<String>(&mut slot0)];
                passage.arguments(places)?;
                let account = __kit::taken(slot0)?;
                passage.pass(__kit::Rules::NONE).await?;
                __kit::returned(__kit::Returned::<()>::split(function(account).await))
            })),
            ..__kit::Table::NONE
        };
    }
};
