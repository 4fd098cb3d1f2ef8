/// Closes an account for good.
async fn close(account: String) {
    closed(account).await;
}
///The tool `close`, for `tools!`.
#[allow(missing_copy_implementations, missing_debug_implementations)]
#[allow(nonstandard_style, unnameable_types, unreachable_pub)]
struct close {}
const _: () = {
    use ::toolkit::__private::expansion::*;
    impl __kit::Annotated for close {
        const TABLE: &'static __kit::Table = &__kit::Table::NONE
            .name("close")
            .description("Closes an account for good.")
            .place(::core::module_path!(), ::core::file!(), ::core::line!())
            .effect(__kit::Effect::Irreversible)
            .approval(__kit::by(2u32))
            .params(&[__kit::param::<String>("account")])
            .output(|| (&__kit::Returned::<()>::success()).schema())
            .later(|way| {
                __kit::later(
                    way,
                    __kit::read1::<String>(way)?,
                    move |(arg0,)| __kit::Returned::<
                        (),
                    >::awaited(__kit::found(close)(arg0)),
                )
            });
    }
};
