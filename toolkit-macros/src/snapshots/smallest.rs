/// Adds two numbers.
fn add(left: i64, right: i64) -> i64 {
    left + right
}
///The tool `add`, for `tools!`.
#[allow(dead_code, nonstandard_style, unnameable_types, unreachable_pub)]
#[allow(missing_copy_implementations, missing_debug_implementations)]
struct add {}
const _: () = {
    #[allow(unused_imports)]
    use ::toolkit::__private::{self as __kit, HasSchema as _, NoSchema as _, Plain as _};
    impl __kit::Annotated for add {
        const TABLE: &'static __kit::Table = &__kit::Table {
            name: "add",
            description: "Adds two numbers.",
            place: (::core::module_path!(), ::core::file!(), ::core::line!()),
            params: &[__kit::Param::of::<i64>("left"), __kit::Param::of::<i64>("right")],
            output: || (&__kit::Returned::<i64>::success()).schema(),
            call: __kit::Call::AtOnce(|passage| {
                #[allow(deprecated)]
                let function = add;
                let mut slot0 = __kit::None;
                let mut slot1 = __kit::None;
                let places: &mut [_] = &mut [
                    __kit::slot::<i64>(&mut slot0),
                    __kit::slot::<i64>(&mut slot1),
                ];
                passage.arguments(places)?;
                let left = __kit::taken(slot0)?;
                let right = __kit::taken(slot1)?;
                passage.pass_at_once()?;
                __kit::returned(__kit::Returned::<i64>::split(function(left, right)))
            }),
            ..__kit::Table::NONE
        };
    }
};
