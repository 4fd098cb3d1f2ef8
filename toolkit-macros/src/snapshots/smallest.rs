/// Adds two numbers.
fn add(left: i64, right: i64) -> i64 {
    left + right
}
///The tool `add`, for `tools!`.
#[allow(missing_copy_implementations, missing_debug_implementations)]
#[allow(nonstandard_style, unnameable_types, unreachable_pub)]
struct add {}
const _: () = {
    use ::toolkit::__private::expansion::*;
    impl __kit::Annotated for add {
        const TABLE: &'static __kit::Table = &__kit::Table::NONE
            .name("add")
            .description("Adds two numbers.")
            .place(::core::module_path!(), ::core::file!(), ::core::line!())
            .params(&[__kit::param::<i64>("left"), __kit::param::<i64>("right")])
            .output(|| (&__kit::Returned::<i64>::success()).schema())
            .at_once(|way| {
                let (arg0, arg1) = __kit::read2::<i64, i64>(way)?;
                way.pass_at_once()?;
                __kit::Returned::<i64>::told(__kit::found(add)(arg0, arg1))
            });
    }
};
