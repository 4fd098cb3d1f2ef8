/// Adds two numbers.
fn add(left: i64, right: i64) -> i64 {
    left + right
}
///The tool `add`, for `tools!`.
#[allow(
    dead_code,
    missing_copy_implementations,
    missing_debug_implementations,
    non_camel_case_types,
    unnameable_types,
    unreachable_pub
)]
struct add {}
const _: () = {
    #[allow(unused_imports)]
    use ::toolkit::__private::{HasSchema as _, NoSchema as _, Plain as _};
    impl ::toolkit::__private::Annotated for add {
        const TABLE: &'static ::toolkit::__private::Table = &::toolkit::__private::Table {
            name: "add",
            title: ::core::option::Option::None,
            description: "Adds two numbers.",
            place: (::core::file!(), ::core::line!()),
            module: ::core::module_path!(),
            policy: || ::toolkit::__private::Policy::DEFAULT,
            params: &[
                ::toolkit::__private::Param::of::<i64>("left", "", &[]),
                ::toolkit::__private::Param::of::<i64>("right", "", &[]),
            ],
            states: &[],
            output: || (&::toolkit::__private::Returned::<i64>::success()).schema(),
            call: ::toolkit::__private::Call::AtOnce(|passage| {
                #[allow(deprecated)]
                let function = add;
                let mut slot0 = ::core::option::Option::None;
                let mut slot1 = ::core::option::Option::None;
                passage
                    .arguments(
                        &mut [
                            ::toolkit::__private::slot::<i64>(&mut slot0),
                            ::toolkit::__private::slot::<i64>(&mut slot1),
                        ],
                    )?;
                let left = ::toolkit::__private::taken(slot0)?;
                let right = ::toolkit::__private::taken(slot1)?;
                passage.pass_at_once()?;
                ::toolkit::__private::returned(
                    ::toolkit::__private::Returned::<i64>::split(function(left, right)),
                )
            }),
        };
    }
};
