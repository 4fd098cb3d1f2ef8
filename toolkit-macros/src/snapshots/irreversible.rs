/// Closes an account for good.
async fn close(account: String) {
    closed(account).await;
}
///The tool `close`, for `tools!`.
#[allow(
    dead_code,
    missing_copy_implementations,
    missing_debug_implementations,
    non_camel_case_types,
    unnameable_types,
    unreachable_pub
)]
struct close {}
const _: () = {
    #[allow(unused_imports)]
    use ::toolkit::__private::{HasSchema as _, NoSchema as _, Plain as _};
    impl ::toolkit::__private::Annotated for close {
        const TABLE: &'static ::toolkit::__private::Table = &::toolkit::__private::Table {
            name: "close",
            title: ::core::option::Option::None,
            description: "Closes an account for good.",
            place: (::core::file!(), ::core::line!()),
            module: ::core::module_path!(),
            policy: || ::toolkit::__private::Policy {
                effect: ::core::option::Option::Some(
                    ::toolkit::__private::Effect::Irreversible,
                ),
                approval: ::core::option::Option::Some(::toolkit::__private::ApprovalPolicy {
                    quorum: 2u32,
                    ..::toolkit::__private::ApprovalPolicy::DEFAULT
                }),
                ..::toolkit::__private::Policy::DEFAULT
            },
            params: &[::toolkit::__private::Param::of::<String>("account", "", &[])],
            states: &[],
            output: || (&::toolkit::__private::Returned::<()>::success()).schema(),
            call: ::toolkit::__private::Call::Later(|passage| ::std::boxed::Box::pin(async move {
                #[allow(deprecated)]
                let function = close;
                let mut slot0 = ::core::option::Option::None;
                passage
                    .arguments(&mut [::toolkit::__private::slot::<String>(&mut slot0)])?;
                let account = ::toolkit::__private::taken(slot0)?;
                passage.pass(::toolkit::__private::Rules::NONE).await?;
                ::toolkit::__private::returned(
                    ::toolkit::__private::Returned::<()>::split(function(account).await),
                )
            })),
        };
    }
};
